//! `[oscillator.stops]`: friction and stops together.

use super::sandbox::{Sandbox, columns, numbers};
use std::path::Path;

/// A mass braked by 1 N slides 1 m to a stop: at √8 m/s, and half of that back.
const MODEL: &str = r#"[oscillator]
mass = 2.0
stiffness = 0.0
friction.coulomb = { force = 1.0 }

[oscillator.stops]
upper = 1.0
restitution = 0.5

[oscillator.initial]
velocity = 3.0

[run]
end = 10.0
scheme = "exact"
rows = 11
step = 0.01
"#;

#[test]
fn an_impact_is_an_event_with_its_impulse() {
    let sandbox = Sandbox::new();
    sandbox.write("model.toml", MODEL);
    sandbox.run(&["simulate", "model.toml", "--out", "r"]).done();
    let events = sandbox.read("r/events.csv");
    assert!(events.starts_with("event,t,where,x,v,impulse\nimpact,"), "{events}");
    let (kinds, places) = (&columns(&events)[0].1, &columns(&events)[2].1);
    assert_eq!(kinds, &["impact", "stick"]);
    assert_eq!(places, &["upper", ""]);
    let v = 8f64.sqrt();
    let (t, after, impulse) =
        (numbers(&events, "t"), numbers(&events, "v"), numbers(&events, "impulse"));
    assert!((t[0] - (3.0 - v) / 0.5).abs() < 1e-14 && (t[1] - t[0] - v).abs() < 1e-13);
    assert!((after[0] + 0.5 * v).abs() < 1e-14 && (impulse[0] + 3.0 * v).abs() < 1e-13);
    let rows = sandbox.read("r/trajectory.csv");
    assert!(rows.starts_with("t,x,v,friction,phase,stop\n"), "{rows}");
    let summary: serde_json::Value = serde_json::from_str(&sandbox.read("r/summary.json")).unwrap();
    assert_eq!(summary["counts"]["events"]["impact"], 1);
    // (1 − e²) m v²/2
    assert!((summary["energy"]["impacts"].as_f64().unwrap() - 6.0).abs() < 1e-12);
    assert!(summary["energy"]["relative_defect"].as_f64().unwrap() < 1e-12);
    assert_eq!(summary["model"]["oscillator"]["stops"]["restitution"], 0.5);
    assert!(sandbox.read("r/motion.svg").contains("impact"));
}

/// Pressed against a soft stop until it sticks there: the stop's force is κ times its depth.
#[test]
fn a_soft_stop_has_a_column_of_its_force() {
    let sandbox = Sandbox::new();
    let soft = MODEL.replace("restitution = 0.5", "stiffness = 50.0\ndamping = 5.0");
    let pressed = soft
        .replace("[oscillator.stops]", "[[oscillator.force]]\nconstant = 3.0\n[oscillator.stops]");
    sandbox.write("model.toml", pressed);
    for scheme in ["exact", "adaptive", "implicit-euler"] {
        sandbox.run(&["simulate", "model.toml", "--scheme", scheme, "--out", "r"]).done();
        let rows = sandbox.read("r/trajectory.csv");
        let (x, stop, friction) =
            (numbers(&rows, "x"), numbers(&rows, "stop"), numbers(&rows, "friction"));
        let last = x.len() - 1;
        assert_eq!(columns(&rows)[4].1[last], "stick", "{scheme}");
        assert!((stop[last] + 50.0 * (x[last] - 1.0)).abs() < 1e-9, "{scheme}");
        assert!((stop[last] + friction[last] + 3.0).abs() < 1e-9, "{scheme}");
        assert!(friction[last].abs() <= 1.0 + 1e-9, "{scheme}");
    }
}

#[test]
fn what_cannot_be_is_said_with_its_place() {
    let sandbox = Sandbox::new();
    let with = |from: &str, to: &str, args: &[&str]| {
        sandbox.write("model.toml", MODEL.replace(from, to));
        let all: Vec<_> =
            ["simulate", "model.toml", "--out", "r"].iter().chain(args).copied().collect();
        sandbox.run(&all)
    };
    with("restitution = 0.5", "restitution = 1.5", &[])
        .failed(1, &["model.toml:8:", "`oscillator.stops.restitution` is 1.5", "from 0 to 1"]);
    with("restitution = 0.5", "restitution = 0.5\nstiffness = 2.0", &[])
        .failed(1, &["model.toml:9:", "both a restitution and a spring"]);
    with("restitution = 0.5\n", "", &[]).failed(1, &["`oscillator.stops.restitution` is missing"]);
    with("restitution = 0.5", "stiffness = 0.0", &[]).failed(1, &["> 0, in N/m"]);
    with("upper = 1.0\n", "", &[]).failed(1, &["`oscillator.stops.lower` is missing"]);
    with("upper = 1.0", "lower = 2.0\nupper = 1.0", &[]).failed(1, &["expected lower < upper"]);
    with("upper = 1.0", "upper = -1.0", &[]).failed(1, &["beyond the upper wall at -1.0 m"]);
    with("upper = 1.0", "uper = 1.0", &[]).failed(1, &["did you mean `upper`?"]);
    with("", "", &["--scheme", "euler"])
        .failed(3, &["the scheme euler", "use exact or adaptive", "stiffness"]);
    assert!(!sandbox.path("r").exists());
}

#[test]
fn the_example_runs() {
    let sandbox = Sandbox::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stops/model.toml");
    let printed = sandbox.run(&["simulate", file.to_str().unwrap()]).done().stdout;
    assert!(printed.contains("1 stick, 6 reversals, 1 impact"), "{printed}");
}

/// Of a machine `end_NAME` is said of each body, and gaps are no bodies; an orbit tells the range of both.
#[test]
fn a_sweep_of_a_machine_has_a_name_for_each_number() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "model.toml",
        r#"[[network.node]]
name = "a"
mass = 1.0
displacement = 0.5
[[network.node]]
name = "b"
mass = 1.0
[[network.spring]]
between = ["a", "ground"]
stiffness = 1.0
[[network.spring]]
between = ["b", "ground"]
stiffness = 1.0
[[network.stop]]
name = "p"
between = ["a", "ground"]
lower = -0.4
restitution = 0.5
[[network.stop]]
name = "q"
between = ["b", "ground"]
upper = 0.0
restitution = 0.5
[[network.force]]
on = "b"
constant = 1.0
[run]
end = 1.0
"#,
    );
    let vary = "network.stop.0.restitution=0.4:0.6:3";
    sandbox.run(&["sweep", "model.toml", "--vary", vary, "--out", "r"]).done();
    let table = sandbox.read("r/sweep.csv");
    let widths: Vec<usize> = table.lines().map(|l| l.split(',').count()).collect();
    assert_eq!(widths, [8; 4], "{table}");
    // Before its stop at t = arccos(−0.8) = 2.5 s the first moves as 0.5 cos t, and the other one is pressed against its own.
    assert!(numbers(&table, "end_x_a").iter().all(|x| (x - 0.5 * 1f64.cos()).abs() < 1e-9));
    assert_eq!(numbers(&table, "end_x_b"), [0.0; 3]);
    // What is pressed against its stop does not stick: there is no slider.
    assert_eq!(numbers(&table, "stick_share"), [0.0; 3]);
}
