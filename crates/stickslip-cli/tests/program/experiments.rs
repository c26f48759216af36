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
    bad("\"mN\"", "\"stone\"", &["unit of force `stone`", "N, mN, 1"]);
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

/// A joint whose numbers are written in the comment of the record: they are found from its angle and its current.
#[test]
fn friction_of_a_joint_against_its_speed() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "friction-curve", "joint.toml"]).done();
    sandbox.run(&["calibrate", "joint.toml", "--out", "r"]).done();
    let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
    assert_eq!((fit["law"].as_str(), fit["believed"].as_bool()), (Some("stribeck"), Some(true)));
    for (name, truth) in [
        ("coulomb", 0.40),
        ("static", 0.65),
        ("viscous", 0.6),
        ("inertia", 0.08),
        ("gravity_sin", 1.1),
    ] {
        let found = fit["parameters"][name]["value"].as_f64().unwrap();
        assert!((found / truth - 1.0).abs() < 0.02, "{name}: {found}");
    }
    let names =
        ["curve.svg", "fit.csv", "fit.json", "report.html", "residuals.svg", "summary.json"];
    assert_eq!(sandbox.list("r"), names);
}

/// Dwells have no times; what contradicts itself or is missing is an error with the place and the remedy.
#[test]
fn dwells_and_what_a_friction_curve_may_not_be() {
    let sandbox = Sandbox::new();
    let mut rows = "rpm,torque\n".to_owned();
    for k in 1..=30 {
        for sign in [1.0, -1.0] {
            let rpm = sign * 10.0 * f64::from(k);
            let wobble = 1e-3 * f64::from(7 * k % 11 - 5);
            rows += &format!("{rpm},{}\n", sign * 0.4 + 0.002 * rpm + wobble);
        }
    }
    sandbox.write("dwells.csv", &rows);
    let file = |data: &str, model: &str| {
        format!(
            "[data]\nfile = \"dwells.csv\"\n{data}\n[model]\nkind = \"friction-curve\"\n{model}\n"
        )
    };
    let whole =
        "velocity = \"rpm\"\nvelocity_unit = \"rpm\"\neffort = \"torque\"\neffort_unit = \"N·m\"";
    sandbox.write("fit.toml", file(whole, ""));
    let done = sandbox.run(&["calibrate", "fit.toml", "--json"]).done();
    let summary: Value = serde_json::from_str(&done.stdout).unwrap();
    let viscous = summary["fit"]["parameters"]["viscous"]["value"].as_f64().unwrap();
    // 0.002 N·m for each turn a minute
    let truth = 0.002 * 60.0 / std::f64::consts::TAU;
    assert!((viscous / truth - 1.0).abs() < 0.01, "{viscous}");
    let wrong = [
        (whole.replace("N·m", "N"), "", "belongs to a motion along a line"),
        (whole.replace("\"N·m\"", "\"A\""), "", "effort_constant"),
        (whole.replace("velocity = \"rpm\"\nvelocity_unit = \"rpm\"\n", ""), "", "velocity"),
        (whole.to_owned(), "inertia = true", "times of the rows"),
        (whole.to_owned(), "gravity = true", "position"),
        (whole.to_owned(), "law = \"stribek\"", "stribeck"),
        (whole.replace("\"rpm\"\nvelocity_unit", "\"rmp\"\nvelocity_unit"), "", "rpm"),
    ];
    for (data, model, word) in wrong {
        sandbox.write("wrong.toml", file(&data, model));
        sandbox.run(&["calibrate", "wrong.toml"]).failed(1, &[word]);
    }
}
