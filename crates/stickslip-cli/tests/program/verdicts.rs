//! What orbits and responses say in words, against closed forms.

use super::sandbox::Sandbox;

/// A mass of 1 kg on 1 N/m and a belt, f_s = 1.5 N, f_d = 1 N: steady sliding is at x = 1 m, and attracts.
fn belt(damping: f64, speed: f64, start: [f64; 2]) -> String {
    format!(
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = {damping:?}\n\
         friction.static-dynamic = {{ static = 1.5, dynamic = 1.0 }}\n\
         initial = {{ displacement = {:?}, velocity = {:?} }}\n\
         [[oscillator.support]]\nconstant = {speed:?}\n",
        start[0], start[1]
    )
}

/// x″ + x = cos 1.25 t − f sgn x′ (Den Hartog 1931): the mass begins to stick at f = 0.698821143090012.
const DAMPER: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n\
    [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 1.25 }\n";

const LEADS: &str = "The motion from the initial state of the model comes to steady sliding";

/// A start next to steady sliding spirals into it and never reaches the speed of the belt; one on the belt sticks.
#[test]
fn where_a_start_leads_is_said() {
    let s = Sandbox::new();
    for (start, slides) in
        [([0.95, 0.0], true), ([1.05, 0.0], true), ([0.0, 0.15], false), ([3.0, 0.0], false)]
    {
        s.write("belt.toml", belt(0.05, 0.15, start));
        let said = s.run(&["orbit", "belt.toml"]).done().stdout;
        assert_eq!(said.contains(LEADS), slides, "{start:?}: {said}");
        assert!(said.contains("Steady sliding at x = 1.000000000 m: stable"), "{said}");
    }
}

/// At c = 0.2 N·s/m stick-slip ceases at a belt of 0.340108801946 m/s, where the slip only just reaches its velocity.
#[test]
fn where_stick_slip_ceases_is_said() {
    let s = Sandbox::new();
    s.write("belt.toml", belt(0.2, 0.3, [0.0, 0.3]));
    let said = |range: &str| {
        let vary = format!("oscillator.support.0.constant={range}:30");
        s.run(&["response", "belt.toml", "--vary", &vary]).done().stdout
    };
    let across = said("0.2:0.5");
    assert!(across.contains("ends at 0.3401088") && across.contains("stick-slip ends there"));
    assert!(across.contains("Motions come to steady sliding at 0.5"), "{across}");
    assert!(!across.contains("No bifurcation"), "{across}");
    let below = said("0.2:0.3");
    assert!(!below.contains("ends at") && !below.contains("ceases"), "{below}");
    assert!(below.contains("No bifurcation was found in between."), "{below}");
}

#[test]
fn where_sticks_begin_is_said() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let said = |range: &str| {
        let vary = format!("oscillator.friction.coulomb.force={range}:20");
        s.run(&["response", "damper.toml", "--vary", &vary]).done().stdout
    };
    let begin = |said: &str| said.contains("sticks begin at 0.698821143 as oscillator.friction");
    let across = said("0.5:0.9");
    assert!(begin(&across) && !across.contains("No bifurcation"), "{across}");
    // The other way round they begin there too as the force grows, and do not cease.
    let back = said("0.9:0.5");
    assert!(begin(&back) && !back.contains("sticks cease"), "{back}");
    let below = said("0.3:0.6");
    assert!(
        below.contains("No bifurcation was found in between.") && !below.contains("sticks"),
        "{below}"
    );
}

/// Under constant friction and without damping, small motions about steady sliding are free vibrations for ever; with a damper they
/// decay, and with friction that falls with the speed they grow.
#[test]
fn sliding_that_neither_attracts_nor_repels_is_told() {
    let s = Sandbox::new();
    let model = |law: &str, damping: f64| {
        format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = {damping:?}\nfriction.{law}\n\
             [[oscillator.support]]\nconstant = 0.2\n"
        )
    };
    let two = "static-dynamic = { static = 1.2, dynamic = 1.0 }";
    let falls =
        "stribeck-exponential = { static = 1.2, dynamic = 1.0, velocity = 1.0, exponent = 1.0 }";
    for (law, damping, kind) in [
        (two, 0.0, "motions near it neither approach it nor leave it"),
        (two, 0.05, "stable"),
        (falls, 0.0, "unstable"),
    ] {
        s.write("belt.toml", model(law, damping));
        let said = s.run(&["orbit", "belt.toml"]).done().stdout;
        let line = said.lines().find(|l| l.starts_with("Steady sliding")).unwrap_or_default();
        assert!(line.ends_with(&format!(": {kind}")), "{law}, {damping}: {said}");
    }
}
