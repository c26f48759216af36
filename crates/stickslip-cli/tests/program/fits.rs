//! Fits of models that are ended on the way go on from there, to the same bits.

use super::sandbox::Sandbox;
use super::servo_logs;
use serde_json::Value;
use std::time::{Duration, Instant};

/// A short record of the template of this kind.
fn shortened(kind: &str, rows: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", kind, "fit.toml"]).done();
    let text = sandbox.read("fit.toml");
    let record = text.lines().find_map(|l| l.strip_prefix("file = \"")?.split('"').next()).unwrap();
    let table = sandbox.read(record);
    let rows: Vec<&str> = table.lines().take(rows + 1).collect();
    sandbox.write(record, rows.join("\n") + "\n");
    sandbox
}

/// What was found, but for the times that it took, and every table.
fn found(sandbox: &Sandbox, folder: &str) -> (Value, Vec<String>) {
    let mut fit: Value =
        serde_json::from_str(&sandbox.read(&format!("{folder}/fit.json"))).unwrap();
    fit.as_object_mut().unwrap().remove("seconds").unwrap();
    let tables = sandbox.list(folder).into_iter().filter(|f| f.ends_with(".csv"));
    let tables: Vec<String> = tables.map(|f| sandbox.read(&format!("{folder}/{f}"))).collect();
    assert_eq!(tables.len(), 2);
    (fit, tables)
}

/// Starts a fit, and kills it once it has kept so many steps. Whether it was.
fn killed_after(sandbox: &Sandbox, steps: usize) -> bool {
    let mut run = sandbox.command(&["calibrate", "fit.toml", "-q", "--out", "r"]).spawn().unwrap();
    let state = sandbox.path("r/fit.state");
    let kept = || std::fs::read_to_string(&state).map_or(0, |s| s.lines().count());
    let patience = Instant::now() + Duration::from_secs(300);
    while kept() < steps && Instant::now() < patience && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let is_under_way = run.try_wait().unwrap().is_none();
    run.kill().unwrap();
    run.wait().unwrap();
    is_under_way
}

fn goes_on(sandbox: &Sandbox) {
    sandbox.run(&["calibrate", "fit.toml", "-q", "--out", "whole"]).done();
    assert!(!sandbox.list("whole").contains(&"fit.state".to_owned()));
    for steps in [3, 15] {
        assert!(killed_after(sandbox, steps), "the fit was over before it could be ended");
        assert!(sandbox.read("r/fit.state").lines().count() >= steps);
        assert!(!sandbox.list("r").contains(&"fit.json".to_owned()));
    }
    // A torn line, as a power cut leaves it.
    let state = sandbox.read("r/fit.state");
    sandbox.write("r/fit.state", &state[..state.len() - 20]);
    let ended = sandbox.run(&["calibrate", "fit.toml", "--out", "r"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("continues an earlier run of it that was interrupted"),
        "{}",
        ended.stderr
    );
    assert_eq!(found(sandbox, "r"), found(sandbox, "whole"));
    assert!(!sandbox.list("r").contains(&"fit.state".to_owned()));
    // What another fit file left does not count.
    assert!(killed_after(sandbox, 3));
    let text = sandbox.read("fit.toml");
    sandbox.write("fit.toml", text + "# another file\n");
    let ended = sandbox.run(&["calibrate", "fit.toml", "--out", "r"]);
    assert!(!ended.stderr.contains("goes on"), "{}", ended.stderr);
    assert_eq!(found(sandbox, "r"), found(sandbox, "whole"));
}

#[test]
fn a_fit_of_a_rig_goes_on() {
    goes_on(&shortened("base-driven", 300));
}

#[test]
fn a_fit_of_a_servo_goes_on() {
    goes_on(&shortened("servo", 200));
}

#[test]
fn a_fit_of_a_servo_with_many_logs_goes_on() {
    let sandbox = servo_logs::sandbox();
    // Many starts, so that there is time to end it.
    let text = sandbox.read("fit.toml").replace("terms = false", "starts = 30");
    sandbox.write("fit.toml", text);
    goes_on(&sandbox);
}
