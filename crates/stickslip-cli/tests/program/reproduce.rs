//! The gallery: every item, its verdicts, its files, and its page in a browser.

use super::sandbox::Sandbox;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every verdict of every item is checked in the gallery's own tests, in one process; here is what the
/// program makes of one paper.
#[test]
fn a_paper_becomes_a_page_with_its_files() {
    let sandbox = Sandbox::new();
    let args = ["reproduce", "bastien-2007", "--out", "gallery", "--json", "-q"];
    let printed = sandbox.run(&args).done().stdout;
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let items = summary["items"].as_array().unwrap();
    assert!(items.len() >= 4 && summary["holds"] == true, "{summary}");
    let page = sandbox.read("gallery/index.html");
    assert!(page.contains("Deviations from the papers"));
    for item in items {
        for name in ["figures", "files"].iter().flat_map(|k| item[*k].as_array().unwrap()) {
            assert!(sandbox.path("gallery").join(name.as_str().unwrap()).is_file(), "{name}");
        }
    }
    let models: Vec<String> = sandbox.list("gallery");
    for name in models.iter().filter(|n| n.ends_with(".toml")) {
        sandbox.run(&["simulate", &format!("gallery/{name}"), "-q"]).done();
    }
    in_a_browser(&sandbox.path("gallery/index.html"), sandbox.root());
}

#[test]
fn items_without_their_data_say_where_to_put_them() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["reproduce", "rigid-drive"]);
    let output = command.env("STICKSLIP_DATA", sandbox.root()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("STICKSLIP_DATA"), "{said}");
}

/// Where the variable is not set no folder is looked for, wherever the program runs.
#[test]
fn data_are_looked_for_only_where_they_are_said_to_be() {
    let sandbox = Sandbox::new();
    for folder in ["shared/data/emps", "work"] {
        std::fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    sandbox.write("shared/data/emps/emps.csv", "not a record");
    let mut command = sandbox.command(&["reproduce", "rigid-drive"]);
    let output =
        command.current_dir(sandbox.path("work")).env_remove("STICKSLIP_DATA").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("STICKSLIP_DATA"), "{said}");
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
    assert!(dom.matches("<svg").count() >= 4 && dom.contains("checks passed"));
}

#[test]
fn one_item_is_printed_and_nothing_written() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["reproduce", "sub-phases"]).done();
    assert!(ended.stdout.contains("passed") && ended.stdout.contains("30-digit arithmetic"));
    assert!(ended.stdout.contains("9 of 9 checks passed"), "{}", ended.stdout);
    assert_eq!(sandbox.list("."), ["model.toml"]);
    assert!(sandbox.run(&["reproduce", "sub-phases", "-q"]).done().stdout.is_empty());
}

#[test]
fn names_are_in_the_help_and_others_are_refused() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["reproduce", "--help"]).done().stdout;
    for name in ["all", "bastien-2013", "shaw", "order-noise", "corner", "gephyroid", "temperature"]
    {
        assert!(help.contains(name), "{name}");
    }
    sandbox.run(&["reproduce", "shawn"]).failed(2, &["shawn", "shaw"]);
}
