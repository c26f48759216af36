//! Instances without an importer: what the C interface hands on.

use std::path::PathBuf;
use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve};
use stickslip_file::interface::Exported;
use stickslip_file::{Document, Memory, Reading};
use stickslip_fmi::{Fault, Unit};

const SHAW: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
    friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
    [[oscillator.drive]]\nharmonic = { amplitude = 6.0, angular_frequency = 0.5 }\n\
    [oscillator.initial]\ndisplacement = 6.0\n[run]\nend = 40.0\n";

/// A folder of resources that is removed in the end.
pub struct Resources(PathBuf, pub String);

impl Drop for Resources {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Resources {
    pub fn of(name: &str, text: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("stickslip-fmi-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.toml"), text).unwrap();
        let document = Document::parse("model.toml", text).unwrap();
        let reading = Reading::new(Memory::default());
        let token = Exported::read(&document, &reading).unwrap().1.token(text);
        Self(folder, token)
    }

    pub fn folder(&self) -> String {
        self.0.display().to_string()
    }

    fn unit(&self) -> Unit {
        Unit::new(&self.0.display().to_string(), &self.1).unwrap()
    }
}

pub fn reference(unit: &Unit, name: &str) -> u32 {
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
    // A step that would take hours is not begun, and nothing is lost.
    assert!(
        matches!(unit.step(0.0, 1e12, false), Err(Fault::Discard(s)) if s.contains("take shorter steps"))
    );
    assert_eq!(unit.time(), 0.0);
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

/// A belt that the importer sets moving may carry the mass on for as long as the step lasts: a long one has too many periods.
#[test]
fn a_long_step_is_judged_by_the_loads_of_its_time() {
    let still = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 1.0 }\n[run]\nend = 40.0\n";
    let kept = Resources::of("long", still);
    let mut unit = kept.unit();
    unit.set_span(0.0, None).unwrap();
    unit.enter_initialization().unwrap();
    unit.exit_initialization().unwrap();
    let belt = reference(&unit, "support");
    unit.step(0.0, 1e5, false).unwrap();
    unit.set(belt, 1e3).unwrap();
    assert!(matches!(unit.step(1e5, 1e9, false), Err(Fault::Discard(s)) if s.contains("periods")));
    unit.step(1e5, 1.0, false).unwrap();
}

/// A state whose square is no number any more is refused where it would show, and the next one is fine again.
#[test]
fn what_is_not_finite_is_discarded() {
    let falling = "[impact]\nmass = 1.0\ndamping = 0.5\nwall = 0.0\nrestitution = 0.5\nforce = [{ constant = -9.81 }]\n\
        [impact.initial]\ndisplacement = 1.0\n[run]\nend = 3.0\n";
    let kept = Resources::of("overflow", falling);
    let mut unit = Unit::new_exchange(&kept.folder(), &kept.1).unwrap();
    started(&mut unit);
    let mut rates = [0.0; 3];
    let overflow = |fault: Result<_, Fault>| matches!(fault, Err(Fault::Discard(why)) if why.contains("is not finite"));
    unit.set_states(&[1.0, 1e300, 0.0]).unwrap();
    let lost = reference(&unit, "der(energy_lost)");
    let found = [unit.derivatives(&mut rates), unit.get(lost).map(|_| ())].map(overflow);
    unit.set_states(&[1.0, 2.0, 0.0]).unwrap();
    unit.derivatives(&mut rates).unwrap();
    assert_eq!((rates, found), ([2.0, -10.81, 2.0], [true, true]));
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

const CONTACT: &str = "[element]\nstiffness = 1000.0\ndamping = 2.0\nnormal = 10.0\n\
    friction.stribeck-exponential = { static = 1.2, dynamic = 0.8, velocity = 0.05, exponent = 1.0, viscous = 0.1 }\n\
    [run]\nend = 40.0\n";

#[test]
fn an_element_slips_where_its_spring_bears_the_limit_and_then_follows_the_law() {
    let kept = Resources::of("element", CONTACT);
    let mut unit = kept.unit();
    started(&mut unit);
    let [velocity, rate, friction] =
        ["velocity", "velocity_rate", "friction"].map(|n| reference(&unit, n));
    // k z + c w = 12 N with w = 0.1 m/s: after 11.8 mm.
    unit.set(velocity, 0.1).unwrap();
    assert!(unit.step(0.0, 1.0, true).unwrap());
    assert!((unit.time() - 0.118).abs() < 1e-14, "{}", unit.time());
    let law = |w: f64| 10.0 * (0.8 + 0.4 * (-w / 0.05f64).exp() + 0.1 * w);
    assert!((unit.get(friction).unwrap() + law(0.1)).abs() < 1e-12);
    // It slows down by 0.1 m/s² and rests after 1 s, bearing what friction is at no velocity; then it unloads.
    unit.set(rate, -0.1).unwrap();
    let from = unit.time();
    assert!(unit.step(from, 3.0, true).unwrap());
    assert!((unit.time() - from - 1.0).abs() < 1e-14);
    assert!((unit.get(friction).unwrap() + 12.0).abs() < 1e-12, "at rest");
    let at_rest = unit.get(reference(&unit, "energy_lost")).unwrap();
    // ∫ F w dt of the slip by Simpson's rule, the jump and the change of the force included in what the spring gives back.
    let n = 20_000;
    let w = |s: f64| 0.1 - 0.1 * s;
    let simpson: f64 = (0..=n)
        .map(|i| {
            let s = f64::from(i) / f64::from(n);
            let weight = if i == 0 || i == n { 1.0 } else { [2.0, 4.0][i as usize % 2] };
            weight * law(w(s)) * w(s) / (3.0 * f64::from(n))
        })
        .sum();
    let stick = 0.5 * 1000.0 * 0.0118f64.powi(2) + 2.0 * 0.1 * 0.0118;
    let want = simpson + stick - 0.5 * 12.0f64.powi(2) / 1000.0;
    assert!((at_rest - want).abs() < 1e-7, "{at_rest} {want}");
    let from = unit.time();
    unit.step(from, 0.02, false).unwrap();
    let (z, w) = (0.012 - 0.05 * 0.02f64.powi(2), -0.1 * 0.02);
    assert!((unit.get(friction).unwrap() + 1000.0 * z + 2.0 * w).abs() < 1e-11);
    assert_eq!(unit.get(reference(&unit, "phase")).unwrap(), 0.0);
}

#[test]
fn an_element_goes_on_from_a_state_that_was_written_down() {
    let kept = Resources::of("element-state", CONTACT);
    let mut unit = kept.unit();
    started(&mut unit);
    let velocity = reference(&unit, "velocity");
    let on = |unit: &mut Unit, from: u32, to: u32| {
        for k in from..to {
            unit.set(velocity, 0.5 * (0.7 * f64::from(k)).sin()).unwrap();
            unit.step(0.05 * f64::from(k), 0.05, false).unwrap();
        }
        ["friction", "energy_lost", "slips"]
            .map(|n| unit.get(reference(unit, n)).unwrap().to_bits())
    };
    on(&mut unit, 0, 33);
    let mut k = 33;
    while unit.get(reference(&unit, "phase")).unwrap() == 0.0 {
        on(&mut unit, k, k + 1);
        k += 1;
    }
    let bytes = unit.to_bytes().unwrap();
    let mut other = kept.unit().of_bytes(&bytes).unwrap();
    assert!(k < 40, "{k}");
    assert_eq!(on(&mut unit, k, 90), on(&mut other, k, 90));
    assert!(
        unit.set(reference(&unit, "normal"), -11.0).is_err() || unit.step(4.5, 0.1, false).is_err()
    );
}

#[test]
fn a_directional_derivative_is_that_of_the_formulas() {
    let text = "[oscillator]\nmass = 2.0\nstiffness = 3.0\ndamping = 0.5\n\
        friction.stribeck-exponential = { static = 1.2, dynamic = 0.8, velocity = 0.5, exponent = 2.0, viscous = 0.1 }\n\
        [[oscillator.normal]]\nconstant = 4.0\n[[oscillator.support]]\nconstant = 0.3\n\
        [oscillator.initial]\nvelocity = 1.0\n[run]\nend = 40.0\nscheme = \"adaptive\"\n";
    let kept = Resources::of("derivatives", text);
    let mut unit = Unit::new_exchange(&kept.0.display().to_string(), &kept.1).unwrap();
    started(&mut unit);
    let known = ["x", "v", "drive", "force", "support", "normal", "energy_lost"];
    for of in ["der(x)", "der(v)", "der(energy_lost)", "friction"].map(|n| reference(&unit, n)) {
        for by in known.map(|n| reference(&unit, n)) {
            let mut out = [0.0];
            unit.directional(&[of], &[by], &[1.0], &mut out).unwrap();
            let mut ends = [0.0; 2];
            for (end, h) in ends.iter_mut().zip([1e-5, -1e-5]) {
                let mut moved = unit.clone();
                let value = moved.get(by).unwrap();
                moved.set(by, value + h).unwrap();
                *end = moved.get(of).unwrap();
            }
            let want = (ends[0] - ends[1]) / 2e-5;
            assert!((out[0] - want).abs() < 1e-8, "{of} by {by}: {} {want}", out[0]);
        }
    }
}

/// A count of values that no memory holds.
#[test]
fn a_damaged_state_is_refused() {
    let kept = Resources::of("damaged", SHAW);
    let mut unit = kept.unit();
    started(&mut unit);
    let whole = unit.to_bytes().unwrap();
    assert!(unit.of_bytes(&whole).is_ok());
    let count = kept.1.len() + 4 * 8;
    for value in [1e300, f64::INFINITY, -1.0, f64::NAN, 3.0] {
        let mut damaged = whole.clone();
        damaged[count..count + 8].copy_from_slice(&f64::to_le_bytes(value));
        let _ = unit.of_bytes(&damaged);
    }
    assert!(matches!(unit.of_bytes(&whole[..count]), Err(Fault::Error(_))));
}

#[test]
fn a_stop_says_whether_the_mass_stays_at_it() {
    for (bumper, restitution) in
        [("restitution = 0.5", true), ("stiffness = 50.0\ndamping = 1.0", false)]
    {
        let stops = format!("[oscillator.stops]\nlower = -2.0\nupper = 3.0\n{bumper}\n[run]");
        let text =
            SHAW.replace("displacement = 6.0", "displacement = 2.9").replace("[run]", &stops);
        let kept = Resources::of(&format!("stops-{restitution}"), &text);
        let document = Document::parse("model.toml", text).unwrap();
        let (file, _) = Exported::read(&document, &Reading::new(Memory::default())).unwrap();
        let Exported::Model(file) = file else { panic!("not a model") };
        let want = solve(&file.known().unwrap(), &file.run.scheme).unwrap();
        let mut unit = kept.unit();
        started(&mut unit);
        let names = [("phase_lower_stop", 1.0, -2.0), ("phase_upper_stop", -1.0, 3.0)];
        let mut seen = [0; 4];
        for k in 0..380 {
            unit.step(0.1 * f64::from(k), 0.1, false).unwrap();
            let t = unit.time();
            let mut row = vec![0.0; want.columns().len()];
            want.row(t, &mut row);
            for (i, (name, away, at)) in names.into_iter().enumerate() {
                let held = want.phases(i + 1).iter().any(|p| p.1 <= t && t <= p.2);
                let pressed = away * (row[0] - at) <= 0.0;
                let stays = if restitution { held } else { pressed };
                let found = unit.get(reference(&unit, name)).unwrap();
                assert_eq!(found, if stays { 0.0 } else { away }, "{name} at {t} s");
                seen[2 * i + usize::from(stays)] += 1;
            }
        }
        assert!(seen.iter().all(|n| *n > 10), "{seen:?}");
    }
}

/// A mass of 1 kg under friction of 1 N and a force.
pub const PULLED: &str = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb = { force = 1.0 }\n\
    force = [{ constant = 2.0 }]\n[run]\nend = 40.0\n";

/// 2 N: 1 m/s² until 1 s. 0.5 N: −0.5 m/s² until it stops, 2 s later. From 4 s on 3 N: 2 m/s².
pub const PULLS: [(f64, f64); 2] = [(1.0, 0.5), (4.0, 3.0)];

/// x and v under these forces.
pub fn pulled(t: f64) -> [f64; 2] {
    if t <= 1.0 {
        [0.5 * t * t, t]
    } else if t <= 4.0 {
        let s = (t - 1.0).min(2.0);
        [0.5 + s - 0.25 * s * s, 1.0 - 0.5 * s]
    } else {
        let s = t - 4.0;
        [1.5 + s * s, 2.0 * s]
    }
}

#[test]
fn a_number_of_a_load_is_tuned_while_it_moves() {
    let kept = Resources::of("tuned", PULLED);
    let mut unit = kept.unit();
    let force = reference(&unit, "oscillator.force.0.constant");
    let [x, v] = ["x", "v"].map(|name| reference(&unit, name));
    assert!(unit.variable(force).unwrap().tunable);
    started(&mut unit);
    let mut written = Vec::new();
    for step in 0..12 {
        let t = f64::from(step) * 0.5;
        if let Some((_, value)) = PULLS.iter().find(|p| p.0 == t) {
            unit.set(force, *value).unwrap();
            assert_eq!(unit.get(force).unwrap(), *value);
        }
        // What is kept and what is written down goes on in the same way, also just after it was tuned.
        written.push((t, unit.to_bytes().unwrap(), unit.clone()));
        unit.step(t, 0.5, false).unwrap();
        let [found, want] = [[unit.get(x).unwrap(), unit.get(v).unwrap()], pulled(t + 0.5)];
        assert!((0..2).all(|i| (found[i] - want[i]).abs() < 1e-13), "{t}: {found:?} {want:?}");
    }
    let end = [x, v, force].map(|r| unit.get(r).unwrap().to_bits());
    for (t, bytes, copy) in written {
        for mut again in [unit.of_bytes(&bytes).unwrap(), copy] {
            for step in (2.0 * t) as u32..12 {
                let t = f64::from(step) * 0.5;
                if let Some((_, value)) = PULLS.iter().find(|p| p.0 == t) {
                    again.set(force, *value).unwrap();
                }
                again.step(t, 0.5, false).unwrap();
            }
            assert_eq!([x, v, force].map(|r| again.get(r).unwrap().to_bits()), end, "from {t} s");
        }
    }
    // A wrong value changes nothing, and a reset forgets all of them.
    assert!(unit.set(force, f64::INFINITY).is_err());
    unit.reset();
    assert_eq!(unit.get(force).unwrap(), 2.0);
    started(&mut unit);
    unit.step(0.0, 1.0, false).unwrap();
    assert_eq!(unit.get(v).unwrap(), 1.0);
}

/// A harmonic load goes on as if it had always had its new amplitude and frequency: v = ∫ A sin(ω t + φ) dt.
#[test]
fn a_harmonic_load_is_tuned_in_its_own_time() {
    let text = "[oscillator]\nmass = 2.0\nstiffness = 0.0\nfriction.coulomb = { force = 0.0 }\n\
        force = [{ harmonic = { amplitude = 1.0, angular_frequency = 3.0, phase = 0.2 } }]\n[run]\nend = 40.0\n";
    let kept = Resources::of("tuned-harmonic", text);
    let mut unit = kept.unit();
    let named =
        |unit: &Unit, key: &str| reference(unit, &format!("oscillator.force.0.harmonic.{key}"));
    let [amplitude, pace] = ["amplitude", "angular_frequency"].map(|key| named(&unit, key));
    let v = reference(&unit, "v");
    started(&mut unit);
    unit.step(0.0, 1.3, false).unwrap();
    unit.set(amplitude, 4.0).unwrap();
    unit.set(pace, 5.0).unwrap();
    unit.step(1.3, 0.9, false).unwrap();
    // The program's harmonic loads are A cos(ω t + φ) / 2 kg.
    let whole = |a: f64, w: f64, t: f64| a * (w * t + 0.2).sin() / (2.0 * w);
    let want =
        whole(1.0, 3.0, 1.3) - whole(1.0, 3.0, 0.0) + whole(4.0, 5.0, 2.2) - whole(4.0, 5.0, 1.3);
    let found = unit.get(v).unwrap();
    assert!((found - want).abs() < 1e-12, "{found} {want}");
}

/// What a run has been prepared for stays as it is: masses, springs, laws, noises and initial values.
#[test]
fn other_parameters_are_fixed() {
    let text = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 1.0 }\n\
        [[oscillator.force]]\nornstein-uhlenbeck = { rate = 1.0, intensity = 0.5 }\n\
        [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 3.0 }\n\
        [run]\nend = 40.0\nstep = 0.01\n";
    let kept = Resources::of("untuned", text);
    let mut unit = kept.unit();
    started(&mut unit);
    for name in [
        "oscillator.mass",
        "oscillator.stiffness",
        "oscillator.friction.coulomb.force",
        "oscillator.force.0.ornstein-uhlenbeck.intensity",
        "oscillator.initial.displacement",
    ] {
        let number = reference(&unit, name);
        assert!(!unit.variable(number).unwrap().tunable, "{name}");
        assert!(
            matches!(unit.set(number, 2.0), Err(Fault::Error(m)) if m.contains("is fixed")),
            "{name}"
        );
    }
    let load = reference(&unit, "oscillator.force.1.harmonic.amplitude");
    assert!(unit.variable(load).unwrap().tunable);
    unit.set(load, 2.0).unwrap();
    unit.step(0.0, 1.0, false).unwrap();
}
