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
    assert_eq!((fit["law"].as_str(), fit["plausible"].as_bool()), (Some("stribeck"), Some(true)));
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

/// A record of Dahl's bristle and one that is only predicted, by names of laws.
#[test]
fn laws_with_memory_are_compared() {
    let sandbox = Sandbox::new();
    let rows = |amplitude: f64| {
        let mut text = "t,x_mm,F_N\n".to_owned();
        let (mut z, mut before) = (0.0f64, 0.0f64);
        for i in 0..1500 {
            let t = 0.01 * f64::from(i);
            let x = amplitude * (2.0 * t).sin();
            // z goes exponentially to ± 0.4 mm with the way.
            let end = 0.4f64.copysign(x - before);
            z = end + (z - end) * (-(x - before).abs() / 0.4).exp();
            before = x;
            text += &format!("{t},{x},{}\n", 50.0 * z);
        }
        text
    };
    sandbox.write("a.csv", rows(5.0));
    sandbox.write("b.csv", rows(1.0));
    let file = |laws: &str, predict: &str| {
        format!(
            "[data]\nfile = \"a.csv\"\npredict = [\"{predict}\"]\ntime = \"t\"\ntime_unit = \"s\"\ndisplacement = \"x_mm\"\n\
             displacement_unit = \"mm\"\nforce = \"F_N\"\n[model]\nkind = \"hysteresis\"\n[fit]\nlaws = {laws}\n"
        )
    };
    sandbox.write("laws.toml", file("[\"dahl\", \"maxwell-slip\"]", "b.csv"));
    sandbox.run(&["calibrate", "laws.toml", "--out", "r"]).done();
    let out = sandbox.run(&["calibrate", "laws.toml"]).done().stdout;
    assert!(out.contains("`dahl` predicts cycles that it has not seen"), "{out}");
    let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
    let best = &fit["laws"][0];
    assert_eq!(best["law"], "dahl");
    let force = best["parameters"][0]["value"].as_f64().unwrap();
    assert!((force - 20.0).abs() < 0.1, "{force}");
    let predicted = &best["records"][1];
    assert_eq!(predicted["held"], true);
    assert!(predicted["of_peak"].as_f64().unwrap() < 0.01, "{predicted}");
    let names = ["fit.csv", "fit.json", "loop.svg", "records.csv", "report.html", "summary.json"];
    assert_eq!(sandbox.list("r"), names);
    for (laws, predict, parts) in [
        ("[\"dale\"]", "b.csv", ["`dale`", "dahl, lugre"]),
        ("[]", "b.csv", ["is empty", "dahl, lugre"]),
        ("[\"dahl\", \"dahl\"]", "b.csv", ["twice", "remove one"]),
        ("\"all\"", "a.csv", ["`a.csv`", "only predicted"]),
    ] {
        sandbox.write("bad.toml", file(laws, predict));
        let ended = sandbox.run(&["calibrate", "bad.toml"]);
        assert_eq!(ended.code, Some(1));
        parts.iter().for_each(|p| assert!(ended.stderr.contains(p), "{p}: {}", ended.stderr));
    }
}

/// Rows next to corners of the motion do not count where a damper is sought: terminal, page and files say how many.
#[test]
fn rows_next_to_corners_are_told_everywhere() {
    let sandbox = Sandbox::new();
    let mut text = "t,x_mm,F_N\n".to_owned();
    for i in 0..2000 {
        // A triangle of 5 mm that turns every 100.3 rows, on a dry friction of 20 N and a damper.
        let stroke = (f64::from(i) / 100.3).floor();
        let share = f64::from(i) / 100.3 - stroke;
        let forth = stroke % 2.0 == 0.0;
        let x = 5.0 * if forth { share } else { 1.0 - share };
        let noise = 1e-3 * f64::from(7919 * i % 101 - 50);
        let force = noise + if forth { 22.0 } else { -22.0 };
        text += &format!("{},{x},{force}\n", 0.01 * f64::from(i));
    }
    sandbox.write("a.csv", text);
    let file = "[data]\nfile = \"a.csv\"\ntime = \"t\"\ntime_unit = \"s\"\ndisplacement = \"x_mm\"\n\
                displacement_unit = \"mm\"\nforce = \"F_N\"\n[model]\nkind = \"hysteresis\"\n";
    sandbox.write("damper.toml", file);
    sandbox.run(&["calibrate", "damper.toml", "--out", "r"]).done();
    let ended = sandbox.run(&["calibrate", "damper.toml"]).done();
    let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
    let rows = fit["next_to_corners"].as_u64().unwrap();
    assert!(rows > 30, "{rows}");
    let said = format!("{rows} of {} rows do not count", rows + fit["samples"].as_u64().unwrap());
    assert!(format!("{}{}", ended.stdout, ended.stderr).contains(&said), "{}", ended.stdout);
    assert!(sandbox.read("r/report.html").contains(&said));
    assert!(sandbox.read("r/summary.json").contains(&said));
}

/// A velocity step of a stiff machine in closed form: a = 0.01, b = 0.015, D_c = 10 µm, ageing law.
#[test]
fn a_velocity_step_of_rock_is_fitted() {
    let sandbox = Sandbox::new();
    let mut text = "t,x_um,mu\n".to_owned();
    for i in 0..400 {
        let t = 0.02 * f64::from(i);
        let after = (t - 2.0f64).max(0.0);
        let theta = 1.0 + 9.0 * (-after).exp();
        let step = if t > 2.0 { 0.01 * 10f64.ln() + 0.015 * (theta / 10.0).ln() } else { 0.0 };
        text += &format!("{t},{},{}\n", t.min(2.0) + 10.0 * after, 0.6 + step);
    }
    sandbox.write("steps.csv", &text);
    let file = "[data]\nfile = \"steps.csv\"\ntime = \"t\"\ntime_unit = \"s\"\ndisplacement = \"x_um\"\n\
                displacement_unit = \"um\"\nfriction = \"mu\"\n[model]\nkind = \"rock-friction\"\nstiffness = 2e6\n";
    sandbox.write("rock.toml", file);
    sandbox.run(&["calibrate", "rock.toml", "--out", "r"]).done();
    let out = sandbox.run(&["calibrate", "rock.toml"]).done().stdout;
    assert!(out.contains("The ageing law is the likelier one"), "{out}");
    let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
    for (name, truth) in [("a", 0.01), ("b", 0.015), ("distance", 1e-5)] {
        let found = fit["laws"][0]["parameters"][name]["value"].as_f64().unwrap();
        assert!((found / truth - 1.0).abs() < 0.02, "{name}: {found}");
    }
    let names = ["fit.csv", "fit.json", "friction.svg", "report.html", "summary.json"];
    assert_eq!(sandbox.list("r"), names);
    sandbox.write("rock.toml", file.replace("stiffness = 2e6", "stiffness = -1.0"));
    let ended = sandbox.run(&["calibrate", "rock.toml"]);
    assert!(ended.code == Some(1) && ended.stderr.contains("1/m"), "{}", ended.stderr);
}

/// An isolator along a figure of eight, its load in a column or as a number.
#[test]
fn an_isolator_is_fitted_from_both_components() {
    let sandbox = Sandbox::new();
    let mut text = "t,x_mm,y_mm,Fx_kN,Fy_kN,N_kN\n".to_owned();
    for i in 0..2000 {
        let t = 0.01 * f64::from(i);
        let (x, y) = (0.1 * t.sin(), 0.05 * (2.0 * t).sin());
        let (vx, vy) = (0.1 * t.cos(), 0.1 * (2.0 * t).cos());
        let v = vx.hypot(vy);
        let mu = 0.10 - 0.05 * (-30.0 * v).exp();
        let force = |x: f64, w: f64| 500.0 * x + 1000.0 * mu * w / v;
        text += &format!("{t},{},{},{},{},1000\n", 1e3 * x, 1e3 * y, force(x, vx), force(y, vy));
    }
    sandbox.write("cycles.csv", &text);
    let file = "[data]\nfile = \"cycles.csv\"\ntime = \"t\"\ntime_unit = \"s\"\ndisplacement_x = \"x_mm\"\n\
                displacement_y = \"y_mm\"\ndisplacement_unit = \"mm\"\nforce_x = \"Fx_kN\"\nforce_y = \"Fy_kN\"\n\
                force_unit = \"kN\"\n[model]\nkind = \"isolator\"\nload = \"1000 kN\"\n";
    let column =
        file.replace("load = \"1000 kN\"\n", "").replace("[model]", "normal = \"N_kN\"\n[model]");
    for text in [file, &column] {
        sandbox.write("isolator.toml", text);
        sandbox.run(&["calibrate", "isolator.toml", "--out", "r"]).done();
        let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
        for (name, truth) in [("fast", 0.10), ("slow", 0.05), ("rate", 30.0), ("stiffness", 5e5)] {
            let found = fit["parameters"][name]["value"].as_f64().unwrap();
            assert!((found / truth - 1.0).abs() < 0.02, "{name}: {found}");
        }
    }
    let names = ["fit.csv", "fit.json", "loop.svg", "report.html", "summary.json"];
    assert_eq!(sandbox.list("r"), names);
    sandbox.write("isolator.toml", file.replace("load =", "# load ="));
    let ended = sandbox.run(&["calibrate", "isolator.toml"]);
    assert!(ended.code == Some(1) && ended.stderr.contains("data.normal"), "{}", ended.stderr);
}
