//! Instances without an importer: what the C interface hands on.

use std::path::PathBuf;
use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_file::interface::Interface;
use stickslip_file::{Document, Memory, ModelFile, Reading};
use stickslip_fmi::{Fault, Unit};

const SHAW: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
    friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
    [[oscillator.drive]]\nharmonic = { amplitude = 6.0, angular_frequency = 0.5 }\n\
    [oscillator.initial]\ndisplacement = 6.0\n[run]\nend = 40.0\n";

/// A folder of resources that is removed in the end.
struct Resources(PathBuf, String);

impl Drop for Resources {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Resources {
    fn of(name: &str, text: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("stickslip-fmi-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.toml"), text).unwrap();
        let document = Document::parse("model.toml", text).unwrap();
        let reading = Reading::new(Memory::default());
        let (file, parameters) = ModelFile::read_with_parameters(&document, &reading).unwrap();
        let token = Interface::of(&file, &parameters).unwrap().token(text);
        Self(folder, token)
    }

    fn unit(&self) -> Unit {
        Unit::new(&self.0.display().to_string(), &self.1).unwrap()
    }
}

fn reference(unit: &Unit, name: &str) -> u32 {
    (0..).find(|i| unit.variable(*i).unwrap().name == name).unwrap()
}

fn started(unit: &mut Unit) {
    unit.set_span(0.0, Some(40.0)).unwrap();
    unit.enter_initialization().unwrap();
    unit.exit_initialization().unwrap();
}

#[test]
fn a_step_to_the_next_event_ends_at_it() {
    let kept = Resources::of("events", SHAW);
    let mut unit = kept.unit();
    started(&mut unit);
    let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0);
    let ours = solve(&Problem::new(shaw, 40.0), &Scheme::Exact).unwrap();
    let mut times = Vec::new();
    while unit.step(unit.time(), 40.0 - unit.time(), true).unwrap() {
        times.push(unit.time());
    }
    assert_eq!(times, ours.events.iter().map(|e| e.time).collect::<Vec<_>>());
    let slips = reference(&unit, "slips");
    assert_eq!(unit.get(slips).unwrap(), ours.count(stickslip::EventKind::Slip) as f64);
}

#[test]
fn faults_say_what_is_wrong_and_leave_everything_as_it_was() {
    let kept = Resources::of("faults", SHAW);
    let location = kept.0.display().to_string();
    assert!(
        matches!(Unit::new(&location, "{another}"), Err(Fault::Error(m)) if m.contains("token"))
    );
    assert!(
        matches!(Unit::new("/nowhere", &kept.1), Err(Fault::Error(m)) if m.contains("model.toml"))
    );
    let mut unit = kept.unit();
    assert!(unit.get(reference(&unit, "x")).is_err(), "not initialized yet");
    started(&mut unit);
    assert!(matches!(unit.step(0.0, 0.0, false), Err(Fault::Discard(_))));
    assert!(matches!(unit.step(0.0, f64::NAN, false), Err(Fault::Error(_))));
    assert!(matches!(unit.step(3.0, 1.0, false), Err(Fault::Error(m)) if m.contains("is at 0 s")));
    assert!(unit.set(reference(&unit, "force"), f64::NAN).is_err());
    assert!(unit.set(99_999, 1.0).is_err() && unit.set(reference(&unit, "x"), 1.0).is_err());
    assert!(unit.set(reference(&unit, "oscillator.mass"), 2.0).is_err(), "fixed by now");
    assert!(unit.derivatives(&mut [0.0; 3]).is_err(), "not made for model exchange");
    assert!(unit.of_bytes(b"something else").is_err());
    unit.step(0.0, 1.0, false).unwrap();
    assert_eq!(unit.time(), 1.0);
}

#[test]
fn in_model_exchange_the_derivatives_are_those_of_the_phase() {
    let kept = Resources::of("exchange", SHAW);
    let mut unit = Unit::new_exchange(&kept.0.display().to_string(), &kept.1).unwrap();
    started(&mut unit);
    let (mut x, mut dx, mut z) = ([0.0; 3], [0.0; 3], [0.0; 2]);
    unit.states(&mut x).unwrap();
    unit.derivatives(&mut dx).unwrap();
    unit.indicators(&mut z).unwrap();
    // At rest under no load: 1.2 N to each side.
    assert_eq!((x, dx), ([6.0, 0.0, 0.0], [0.0; 3]));
    assert!((z[0] - 1.2).abs() < 1e-11 && (z[1] - 1.2).abs() < 1e-11);
    // The drive goes back by 1.3 m: it slips backwards under −1.3 N + 1 N of friction.
    unit.set_time(2.0 * (4.7f64 / 6.0).acos()).unwrap();
    unit.indicators(&mut z).unwrap();
    assert!(z[1] < 0.0);
    unit.update_discrete_states().unwrap();
    unit.derivatives(&mut dx).unwrap();
    assert!((dx[1] + 0.3).abs() < 1e-12 && unit.get(reference(&unit, "phase")).unwrap() == -1.0);
    // ∂v̇/∂x = −K/m and ∂v̇/∂force = 1/m.
    let refs = ["x", "force", "der(v)"].map(|n| reference(&unit, n));
    for (known, want) in [(refs[0], -1.0), (refs[1], 1.0)] {
        let mut out = [0.0];
        unit.directional(&[refs[2]], &[known], &[1.0], &mut out).unwrap();
        assert!((out[0] - want).abs() < 1e-9, "{out:?}");
    }
}
