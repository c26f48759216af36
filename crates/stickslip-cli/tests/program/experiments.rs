//! `stickslip calibrate` on the records of experiments: the bundled ones, and faults.

use super::sandbox::{Sandbox, columns};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The fit of a bundled example, whose results are left in `r`.
fn fitted(sandbox: &Sandbox, name: &str) -> Value {
    let path = example(name).join("fit.toml");
    sandbox.run(&["calibrate", path.to_str().unwrap(), "--out", "r"]).done();
    let report = sandbox.read("r/report.html");
    assert!(report.starts_with("<!DOCTYPE html>") && report.contains("<svg"));
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!report.contains(outside), "{outside}");
    }
    serde_json::from_str(&sandbox.read("r/fit.json")).unwrap()
}

/// The truth is written in the examples' `make.py`, which shares no code with the program.
#[test]
fn the_bundled_slider() {
    let sandbox = Sandbox::new();
    let fit = fitted(&sandbox, "pulled-slider");
    assert_eq!((fit["slips"].as_u64(), fit["slips_seen"].as_bool()), (Some(60), Some(true)));
    let value = |name: &str| fit["parameters"][name]["value"].as_f64().unwrap();
    assert!((value("mu_s") - 0.3205).abs() < 0.002 && (value("mu_d") - 0.302).abs() < 0.002);
    assert!((value("stick_slope_ratio") - 1.0).abs() < 0.01);
    // True: 0.008; scatter of 0.001 adds to it, as the report says.
    let aged = fit["ageing"]["per_decade"]["value"].as_f64().unwrap();
    assert!((0.006..0.012).contains(&aged), "{aged}");
    let slips = sandbox.read("r/slips.csv");
    let table = columns(&slips);
    assert_eq!((table[0].0.as_str(), table[0].1.len()), ("t", 60));
    assert_eq!(
        sandbox.list("r"),
        [
            "ageing.svg",
            "distributions.svg",
            "fit.csv",
            "fit.json",
            "record.svg",
            "report.html",
            "slips.csv",
            "slips.svg",
            "summary.json"
        ]
    );
}

#[test]
fn the_bundled_drive() {
    let sandbox = Sandbox::new();
    let fit = fitted(&sandbox, "rigid-drive");
    // The drive sticks for milliseconds at each reversal, too short to be left out: that costs a percent of mass.
    for (name, truth, within) in [
        ("mass", 95.0, 0.02),
        ("viscous", 200.0, 0.01),
        ("coulomb", 20.0, 0.01),
        ("offset", -3.0, 0.05),
    ] {
        let found = fit["parameters"][name]["value"].as_f64().unwrap();
        assert!((found / truth - 1.0).abs() < within, "{name}: {found} for {truth}");
    }
    assert_eq!(fit["parameters"]["breakaway"]["identifiable"], false);
    assert_eq!(fit["simulations"][0]["name"], "closed loop");
    assert!(fit["simulations"][0]["position_error"].as_f64().unwrap() < 1e-3);
}

/// Runs an example's fit file with a change, and expects an error with the parts.
#[track_caller]
fn wrong(name: &str, from: &str, to: &str, parts: &[&str]) {
    let sandbox = Sandbox::new();
    let folder = example(name);
    let data = if name == "rigid-drive" { "drive.csv" } else { "force.csv" };
    std::fs::copy(folder.join(data), sandbox.path(data)).unwrap();
    let fit = std::fs::read_to_string(folder.join("fit.toml")).unwrap();
    assert!(fit.contains(from), "{from}");
    sandbox.write("fit.toml", fit.replace(from, to));
    let parts: Vec<&str> = parts.iter().copied().chain(["help: "]).collect();
    sandbox.run(&["calibrate", "fit.toml", "--out", "r"]).failed(1, &parts);
    assert!(!sandbox.path("r").exists());
}

#[test]
fn faults_of_a_slider() {
    let bad = |from: &str, to: &str, parts: &[&str]| wrong("pulled-slider", from, to, parts);
    bad("velocity = 50e-6", "velocity = -1", &["`model.velocity` is -1", "in m/s"]);
    bad("mass = 0.030", "# ", &["`model.mass` is missing", "in kg"]);
    bad("\"mN\"", "\"lbf\"", &["unit of force `lbf`", "N, mN, 1"]);
    bad(
        "response = \"force\"",
        "response = \"forse\"",
        &["no column is called `forse`; did you mean `force`?"],
    );
    bad("false_alarms = 0.01", "false_alarms = 2.0", &["at most 1"]);
    bad("mass = 0.030", "mass = 30e-6", &["force.csv", "samples in a slip", "(kg)"]);
    bad(
        "pulled-slider\"",
        "pulled-sled\"",
        &["kind of model `pulled-sled`", "pulled-slider, rigid-drive"],
    );
    bad("velocity =", "speed = 1.0\nvelocity =", &["unknown key `model.speed`"]);
}

#[test]
fn faults_of_a_drive() {
    let bad = |from: &str, to: &str, parts: &[&str]| wrong("rigid-drive", from, to, parts);
    bad("reference =", "# =", &["`data.reference` is missing", "model.controller"]);
    bad("position_unit = \"m\"", "# ", &["`data.position_unit` is missing"]);
    bad("# cutoff = 50.0", "cutoff = 400.0", &["drive.csv", "0.45 of the sampling rate, in Hz"]);
    bad("position_gain = 160.0", "position_gain = 0.0", &["position_gain", "1/s"]);
}
