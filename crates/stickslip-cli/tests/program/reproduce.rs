//! The gallery: every item, its verdicts, its files, and its page in a browser.

use super::sandbox::Sandbox;
use std::path::Path;
use std::process::{Command, Stdio};

fn data() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("STICKSLIP_DATA").map(std::path::PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    named.into_iter().chain([beside]).find(|p| p.is_dir())
}

#[test]
fn every_item_runs_and_every_verdict_holds() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["reproduce", "all", "--out", "gallery", "--json", "-q"]);
    match data() {
        Some(folder) => command.env("STICKSLIP_DATA", folder),
        None => {
            println!("skipped: items on measured data (set STICKSLIP_DATA)");
            command.env_remove("STICKSLIP_DATA")
        }
    };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let items = summary["items"].as_array().unwrap();
    assert!(items.len() >= 33);
    let mut verdicts = 0;
    for item in items {
        if item["skipped"].is_string() {
            assert!(data().is_none() && item["seed"] == "measured", "{item}");
            continue;
        }
        let all = item["verdicts"].as_array().unwrap();
        assert!(!all.is_empty(), "{}", item["name"]);
        verdicts += all.len();
        for v in all {
            assert_eq!(v["holds"], true, "{}: {v}", item["name"]);
        }
    }
    assert!(verdicts >= 180, "{verdicts}");

    let page = sandbox.read("gallery/index.html");
    for part in ["Deviations from the papers", "prefers-color-scheme:dark", "30-digit arithmetic"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page, sandbox.read("gallery/report.html"));
    for item in items {
        for name in ["figures", "files"].iter().flat_map(|k| item[*k].as_array().unwrap()) {
            assert!(sandbox.path("gallery").join(name.as_str().unwrap()).is_file(), "{name}");
        }
    }
    models_run(&sandbox);
    in_a_browser(&sandbox.path("gallery/index.html"), sandbox.root());
}

/// What the gallery writes beside its page is what `simulate`, `solutions` and `calibrate` take.
fn models_run(sandbox: &Sandbox) {
    for name in sandbox.list("gallery").iter().filter(|n| n.ends_with(".toml")) {
        let file = format!("gallery/{name}");
        let text = sandbox.read(&file);
        if text.contains("STICKSLIP_DATA") {
            continue;
        }
        let ill_posed = text.contains("[corner]") || text.contains("[schatzman]");
        let mut args = match (text.contains("[data]"), ill_posed) {
            (true, _) => vec!["calibrate", &file, "--set", "fit.method=global"],
            (_, true) => vec!["solutions", &file],
            _ => vec!["simulate", &file],
        };
        args.push("-q");
        sandbox.run(&args).done();
    }
}

/// The messages of a page's console, by a browser without a network.
fn console(browser: &str, page: &Path, profile: &Path) -> Option<(String, String)> {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
    Some((lines.join("\n"), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Loads the page without a message in the console, if there is a browser.
fn in_a_browser(page: &Path, folder: &Path) {
    // A page that complains first: without its complaint the test could not fail.
    let control = folder.join("control.html");
    let complaint =
        "<img src=\"http://example.invalid/x.png\"><script>console.error('seen')</script>";
    std::fs::write(&control, complaint).unwrap();
    let profile = folder.join("profile");
    let found = ["chromium", "chromium-browser", "google-chrome", "chrome"]
        .into_iter()
        .find(|b| console(b, &control, &profile).is_some_and(|(lines, _)| lines.contains("seen")));
    let Some(browser) = found else {
        println!("skipped: no headless Chromium was found to load the gallery in");
        return;
    };
    let (lines, dom) = console(browser, page, &profile).unwrap();
    assert!(lines.is_empty(), "{lines}");
    assert!(dom.matches("<svg").count() >= 40 && dom.contains("verdicts hold"));
}

#[test]
fn one_item_is_printed_and_nothing_written() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["reproduce", "sub-phases"]).done();
    assert!(ended.stdout.contains("holds") && ended.stdout.contains("30-digit arithmetic"));
    assert!(ended.stdout.contains("9 of 9 verdicts hold"), "{}", ended.stdout);
    assert_eq!(sandbox.list("."), ["model.toml"]);
    assert!(sandbox.run(&["reproduce", "sub-phases", "-q"]).done().stdout.is_empty());
}

#[test]
fn names_are_in_the_help_and_others_are_refused() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["reproduce", "--help"]).done().stdout;
    for name in ["all", "003", "shaw", "order-noise", "corner", "gephyroid", "temperature"] {
        assert!(help.contains(name), "{name}");
    }
    sandbox.run(&["reproduce", "shawn"]).failed(2, &["shawn", "shaw"]);
}
