//! How results arrive: whole files or none, and pipes that end early.

use super::sandbox::{MODEL, PROGRAM, Sandbox};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn without_an_output_directory_nothing_is_written() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["simulate", "model.toml"]).done();
    assert!(ended.stdout.contains("energy [J]") && ended.stderr.is_empty());
    assert_eq!(sandbox.list("."), ["model.toml"]);
}

#[test]
fn quiet_is_silent() {
    let sandbox = Sandbox::new();
    let ended = sandbox.run(&["simulate", "model.toml", "-q", "--out", "r"]).done();
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty());
    let ended = sandbox.run(&["-q", "simulate", "model.toml"]).done();
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty());
    let ended = sandbox.run(&["simulate", "model.toml", "--quiet", "--json"]).done();
    assert!(serde_json::from_str::<serde_json::Value>(&ended.stdout).is_ok());
}

#[test]
fn results_replace_older_ones_but_never_an_input() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("r")).unwrap();
    sandbox.write("r/mine.txt", "keep");
    sandbox.run(&["simulate", "model.toml", "--end", "20", "--out", "r"]).done();
    let shorter = sandbox.read("r/events.csv");
    sandbox.run(&["simulate", "model.toml", "--out", "r"]).done();
    assert_eq!(sandbox.list("r").len(), 6);
    assert_eq!(sandbox.read("r/mine.txt"), "keep");
    let longer = sandbox.read("r/events.csv");
    assert!(longer.len() > shorter.len() && longer.starts_with("event,"));

    let start = MODEL.find("harmonic").unwrap();
    let rest = start + MODEL[start..].find('\n').unwrap();
    let drive = "sampled = { file = \"trajectory.csv\", time = \"t\", value = \"x\" }";
    sandbox.write("r/model.toml", format!("{}{drive}{}", &MODEL[..start], &MODEL[rest..]));
    let before = sandbox.read("r/trajectory.csv");
    sandbox
        .run(&["simulate", "r/model.toml", "--out", "r"])
        .failed(1, &["trajectory.csv: is an input of this run"]);
    assert_eq!(sandbox.read("r/trajectory.csv"), before);
    assert_eq!(sandbox.list("r").len(), 7);
}

#[test]
fn a_name_that_is_taken_by_a_directory_leaves_everything_as_it_was() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("r/summary.json")).unwrap();
    sandbox
        .run(&["simulate", "model.toml", "--out", "r"])
        .failed(1, &["summary.json: is a directory"]);
    assert_eq!(sandbox.list("r"), ["summary.json"]);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["simulate", "model.toml", "--end", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[cfg(unix)]
#[test]
fn closed_and_full_outputs() {
    let sandbox = Sandbox::new();
    let shell = |script: &str| {
        let output = Command::new("sh")
            .args(["-c", &script.replace("stickslip", PROGRAM)])
            .current_dir(sandbox.root())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(shell("stickslip simulate model.toml >&-"), (Some(0), String::new()));
    assert_eq!(shell("stickslip simulate model.toml 2>&-").0, Some(0));
    assert_eq!(shell("stickslip simulate nowhere.toml 2>&-").0, Some(1));
    assert_eq!(shell("stickslip --help >&-").0, Some(0));
    if std::path::Path::new("/dev/full").exists() {
        let (code, text) = shell("stickslip simulate model.toml >/dev/full");
        assert!(code == Some(1) && text.contains("standard output: cannot be written"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_no_file() {
    let sandbox = Sandbox::new();
    // Slow enough to be interrupted while it computes or writes.
    let args = [
        "simulate",
        "model.toml",
        "--scheme",
        "euler",
        "--end",
        "90000",
        "--step",
        "0.001",
        "--rows",
        "steps",
        "--out",
        "new/deep",
    ];
    for wait in [150, 600, 1500] {
        let mut child = sandbox.command(&args).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let kill =
            Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
        let code = child.wait().unwrap().code();
        assert!(kill.success());
        assert_eq!(code, Some(130));
        assert_eq!(sandbox.list("."), ["model.toml"], "after {wait} ms");
    }
}

/// What a run does not make any more does not stay behind as if it were a result of it.
#[test]
fn a_run_with_fewer_results_removes_those_of_the_run_before() {
    let s = Sandbox::new();
    s.run(&["simulate", "model.toml", "--perturb", "1e-3", "--out", "r"]).done();
    assert!(s.list("r").contains(&"perturbation.csv".to_owned()));
    s.write("r/mine.csv", "keep").write("r/perturbation.txt", "keep");
    s.run(&["simulate", "model.toml", "--out", "r"]).done();
    let files = ["events.csv", "mine.csv", "motion.svg", "perturbation.txt", "planes.svg"];
    let rest = ["summary.json", "trajectory.csv"];
    assert_eq!(s.list("r"), [&files[..], &rest].concat());
}

/// An ensemble keeps what is complete, says so, and still ends as interrupted.
#[cfg(unix)]
#[test]
fn an_interrupted_ensemble_keeps_what_is_complete() {
    let s = Sandbox::new();
    let noise = "[[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n";
    s.write(
        "noisy.toml",
        MODEL
            .replace("[oscillator.initial]", &format!("{noise}[oscillator.initial]"))
            .replace("scheme = \"exact\"", "scheme = \"theta\""),
    );
    let args = ["ensemble", "noisy.toml", "--paths", "500000000", "--out", "r", "--step", "0.1"];
    let child = s.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(4000));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("complete and kept"), "{said}");
    let summary: serde_json::Value = serde_json::from_str(&s.read("r/summary.json")).unwrap();
    assert_eq!(summary["interrupted"], true);
    assert!(summary["paths"].as_u64().unwrap() > 0 && s.read("r/partial.json").len() > 100);
}
