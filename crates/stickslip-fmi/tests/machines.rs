//! Machines in co-simulation: springs with play and by tables, sliders that a spring presses or whose law has memory, a mass
//! in a rigid rim, and machines by steps. An instance moves as `solve` does, whatever the steps of its importer, and goes on from what it has
//! written down.

use crate::units::{Resources, reference};
use stickslip::{EventKind, Problem, Solution, solve};
use stickslip_file::interface::Exported;
use stickslip_file::{Document, Memory, Reading};
use stickslip_fmi::Unit;

/// A coupling with play between two blocks, one of which rubs.
pub const PLAY: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0, velocity = 1.0 }, { name = \"b\", mass = 2.0 }]\n\
    spring = [{ between = [\"a\", \"b\"], stiffness = 30.0, play = [-0.2, 0.1] },\n\
              { between = [\"a\", \"ground\"], stiffness = 2.0 }]\n\
    slider = [{ name = \"s\", between = [\"b\", \"ground\"], static = 0.8, dynamic = 0.5 }]\n\
    force = [{ on = \"a\", harmonic = { amplitude = 1.5, angular_frequency = 1.3 } }]\n\
    [run]\nend = 20.0\nrtol = 1e-11\natol = 1e-12\n";

/// A bumper by a table, softer at first.
pub const TABLE: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0, velocity = 2.0 }]\n\
    spring = [{ between = [\"a\", \"ground\"], table = { elongation = [-0.4, -0.1, 0.1, 0.4], force = [-9.0, -0.3, 0.3, 9.0] } }]\n\
    slider = [{ name = \"s\", between = [\"a\", \"ground\"], friction.stribeck-exponential = { static = 0.4, dynamic = 0.2, velocity = 0.3 } }]\n\
    force = [{ on = \"a\", harmonic = { amplitude = 0.9, angular_frequency = 0.7 } }]\n\
    [run]\nend = 20.0\nrtol = 1e-11\natol = 1e-12\n";

/// A shoe swings on its spring against a block, which a force drives.
pub const BRAKE: &str = "[network]\n\
    node = [{ name = \"shoe\", mass = 1.0, displacement = 0.5 }, { name = \"block\", mass = 2.0, velocity = 1.0 }]\n\
    spring = [{ name = \"return\", between = [\"shoe\", \"ground\"], stiffness = 4.0 }]\n\
    slider = [{ name = \"pad\", between = [\"block\", \"ground\"], static = 0.5, dynamic = 0.4, normal_from = { spring = \"return\" } }]\n\
    force = [{ on = \"block\", harmonic = { amplitude = 0.8, angular_frequency = 1.1 } }]\n\
    dashpot = [{ between = [\"block\", \"ground\"], damping = 0.1 }]\n\
    [run]\nend = 20.0\nrtol = 1e-11\natol = 1e-12\n";

/// Stops, a rigid one and a soft one, by steps.
const STEPS: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0, velocity = 1.0 }, { name = \"b\", mass = 2.0 }]\n\
    spring = [{ between = [\"a\", \"ground\"], stiffness = 2.0 }]\n\
    stop = [{ name = \"gap\", between = [\"a\", \"b\"], lower = -0.3, upper = 0.2, restitution = 0.4 },\n\
            { name = \"wall\", between = [\"b\", \"ground\"], upper = 0.3, stiffness = 50.0, damping = 1.0 }]\n\
    slider = [{ name = \"s\", between = [\"b\", \"ground\"], static = 0.8, dynamic = 0.5 }]\n\
    force = [{ on = \"a\", harmonic = { amplitude = 2.5, angular_frequency = 1.3 } }]\n\
    [run]\nend = 20.0\nscheme = \"theta\"\nstep = 0.001\n";

/// A geared motor under a sampled controller drives a load with dry friction between a rigid stop and a soft one, without steps.
pub const DRIVE: &str = "[network]\n\
    node = [{ name = \"motor\", mass = 0.4 }, { name = \"load\", mass = 1.0 }, { name = \"b\", mass = 2.0 }]\n\
    gear = [{ name = \"g\", between = [\"motor\", \"load\"], ratio = 2.0 }]\n\
    spring = [{ between = [\"load\", \"b\"], stiffness = 30.0 }, { between = [\"b\", \"ground\"], stiffness = 2.0 }]\n\
    stop = [{ name = \"gap\", between = [\"load\", \"b\"], lower = -0.1, upper = 0.06, restitution = 0.4 },\n\
            { name = \"wall\", between = [\"b\", \"ground\"], upper = 0.3, stiffness = 50.0, damping = 1.0 }]\n\
    slider = [{ name = \"s\", between = [\"b\", \"ground\"], static = 0.8, dynamic = 0.5 }]\n\
    controller = [{ name = \"servo\", of = \"load\", on = \"motor\", proportional = 3.0, derivative = 0.2, filter = 0.01, sample_time = 0.05,\n\
                    reference = [{ harmonic = { amplitude = 0.5, angular_frequency = 1.3 } }] }]\n\
    force = [{ on = \"b\", harmonic = { amplitude = 2.5, angular_frequency = 0.7 } }]\n\
    [run]\nend = 20.0\nscheme = \"exact\"\n";

/// A block on a fault of rate and state, drawn by a spring.
const FAULT: &str = "[network]\n\
    node = [{ name = \"block\", mass = 1.0 }]\n\
    spring = [{ between = [\"block\", \"ground\"], stiffness = 2000.0 }]\n\
    slider = [{ name = \"fault\", between = [\"block\", \"ground\"], z = 0.1, normal = [{ constant = 10.0 }],\n\
      friction.rate-and-state = { coefficient = 0.6, a = 0.01, b = 0.015, distance = 1e-4, speed = 1e-3 } }]\n\
    force = [{ on = \"block\", ramp = { rate = 20.0 } }]\n\
    [run]\nend = 20.0\nrtol = 1e-11\natol = 1e-13\n";

/// Bristles on a rail and between two masses, by steps.
const BRISTLES: &str = "[network]\n\
    node = [{ name = \"a\", mass = 1.0 }, { name = \"b\", mass = 0.5 }]\n\
    spring = [{ between = [\"a\", \"ground\"], stiffness = 10.0 }]\n\
    slider = [{ name = \"rail\", between = [\"a\", \"ground\"],\n\
      friction.lugre = { static = 1.5, dynamic = 1.0, velocity = 0.05, stiffness = 1e3, damping = 5.0, viscous = 0.4 } },\n\
      { name = \"joint\", between = [\"a\", \"b\"], friction.dahl = { force = 0.5, stiffness = 200.0 } }]\n\
    force = [{ on = \"a\", harmonic = { amplitude = 3.0, angular_frequency = 1.3 } }]\n\
    [run]\nend = 20.0\nscheme = \"implicit-euler\"\nstep = 0.001\n";

/// A mass on a plane that bounces in a rigid rim, goes along it and rests at it.
const RIM: &str = "[planar]\nmass = 1.3\nfriction.static-dynamic = { static = 0.6, dynamic = 0.5 }\n\
    rim = { radius = 0.5, restitution = 0.5 }\ninitial = { displacement = [0.2, -0.1], velocity = [0.5, 0.2] }\n\
    force_x = [{ harmonic = { amplitude = 2.2, angular_frequency = 1.1, phase = 0.07 } }]\n\
    force_y = [{ harmonic = { amplitude = 1.6, angular_frequency = 0.7, phase = 0.07 } }]\n\
    [run]\nend = 20.0\nrtol = 1e-11\natol = 1e-12\n";

fn started(kept: &Resources) -> Unit {
    let mut unit = Unit::new(&kept.folder(), &kept.1).unwrap();
    unit.set_span(0.0, Some(20.0)).unwrap();
    unit.enter_initialization().unwrap();
    unit.exit_initialization().unwrap();
    unit
}

/// What the library itself makes of a model file.
fn solved(text: &str) -> Solution {
    let document = Document::parse("model.toml", text).unwrap();
    let (file, _) = Exported::read(&document, &Reading::new(Memory::default())).unwrap();
    let Exported::Model(file) = file else { panic!("not a model") };
    let problem = Problem { end: 20.0, ..file.known().unwrap() };
    let scheme = file.run.scheme;
    solve(&problem, &scheme).unwrap()
}

fn all(unit: &mut Unit, names: &[String]) -> Vec<f64> {
    let at = |unit: &mut Unit, name: &String| {
        let r = reference(unit, name);
        unit.get(r).unwrap()
    };
    names.iter().map(|name| at(unit, name)).collect()
}

/// Steps of an importer that end anywhere, those of equal length and those to the next event.
#[test]
fn a_machine_in_steps_moves_as_solve_does() {
    for (name, text, tolerance) in [
        ("play", PLAY, 1e-8),
        ("table", TABLE, 1e-8),
        ("brake", BRAKE, 1e-8),
        ("steps", STEPS, 1e-9),
        ("drive", DRIVE, 1e-9),
        ("fault", FAULT, 1e-8),
        ("bristles", BRISTLES, 1e-9),
        ("rim", RIM, 1e-7),
    ] {
        let want = solved(text);
        let kept = Resources::of(&format!("machine-{name}"), text);
        let names: Vec<String> = want.columns().iter().map(|c| c.name.clone()).collect();
        let moves: Vec<bool> = names.iter().map(|n| n.starts_with(['x', 'y', 'v'])).collect();
        assert!(want.events.len() > 5, "{name}: {}", want.events.len());
        let compare = |unit: &mut Unit, t: f64| {
            let mut row = vec![0.0; names.len()];
            want.row(t, &mut row);
            let found = all(unit, &names);
            for i in (0..names.len()).filter(|i| moves[*i]) {
                assert!(
                    (found[i] - row[i]).abs() < tolerance,
                    "{name} {t} {}: {found:?} {row:?}",
                    names[i]
                );
            }
        };
        let mut unit = started(&kept);
        for k in 1..=160 {
            unit.step(0.125 * f64::from(k - 1), 0.125, false).unwrap();
            compare(&mut unit, 0.125 * f64::from(k));
        }
        let counted = [
            ("slips", EventKind::Slip),
            ("sticks", EventKind::Stick),
            ("reversals", EventKind::Reversal),
            ("impacts", EventKind::Impact),
            ("touches", EventKind::Touch),
            ("releases", EventKind::Release),
        ];
        // Only the mass in a rim meets something.
        let count = if name == "rim" { 6 } else { 3 };
        for (variable, kind) in &counted[..count] {
            let r = reference(&unit, variable);
            assert_eq!(unit.get(r).unwrap(), want.count(*kind) as f64, "{name} {variable}");
        }
        assert!(counted[3..count].iter().all(|(_, kind)| want.count(*kind) > 0), "{name}");
        // `adaptive` does not count what a machine loses on the way.
        if name == "steps" {
            let e = want.energy();
            let r = reference(&unit, "energy_lost");
            let [lost, found] = [e.friction + e.viscous + e.impacts, unit.get(r).unwrap()];
            assert!((lost - found).abs() < 1e-6 * lost && lost > 0.1, "{name}: {lost} {found}");
        }
        // From the middle of a motion, in another instance.
        let mut one = started(&kept);
        one.step(0.0, 7.3, false).unwrap();
        let mut other = started(&kept).of_bytes(&one.to_bytes().unwrap()).unwrap();
        for unit in [&mut one, &mut other] {
            unit.step(7.3, 4.1, false).unwrap();
            compare(unit, 7.3 + 4.1);
        }
        assert_eq!(all(&mut one, &names), all(&mut other, &names), "{name}");
    }
}

/// An importer that integrates is told to take co-simulation where velocities pass over decades at once, where the model is to move by
/// time steps, and on a plane.
#[test]
fn what_needs_steps_of_its_own_is_not_integrated_from_outside() {
    for (name, text) in [("fault", FAULT), ("steps", STEPS), ("rim", RIM)] {
        let kept = Resources::of(&format!("outside-{name}"), text);
        let said = match Unit::new_exchange(&kept.folder(), &kept.1) {
            Err(fault) => format!("{fault:?}"),
            Ok(mut unit) => {
                unit.set_span(0.0, Some(20.0)).unwrap();
                let entered = unit.enter_initialization().and_then(|()| unit.exit_initialization());
                format!("{:?}", entered.unwrap_err())
            }
        };
        assert!(said.contains("co-simulation"), "{name}: {said}");
    }
}
