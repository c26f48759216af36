//! Instants at which a machine comes very near to an event.

use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::motion::Warning;
use stickslip::scheme::machine::{self, MachinePath};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::study::sensitivity::{Number, Why, machine_derivatives};
use stickslip::{Error, Signal};

/// A mass on a spring that goes to and fro by 1 m, and a rigid stop `more` (m) beyond that.
fn before_a_stop(more: f64) -> Result<Machine, Error> {
    let network = Network::builder().node("a", 1.0).starting_at("a", 0.0, 1.0);
    let network = network.spring("a", "ground", 1.0).build()?;
    let bounds = [None, Some(Signal::constant(1.0 + more))];
    Machine::new(network)?.with_stop(
        "s",
        ["a", "ground"],
        bounds,
        Bumper::Rigid { restitution: 0.5 },
    )
}

/// A mass on a spring that slides on a belt which is faster than it by `more` (m/s) at the least, and holds `held` (N) for the 0.5 N with
/// which it drags.
fn before_a_rest(more: f64, held: f64) -> Result<Machine, Error> {
    let network = Network::builder().node("a", 1.0).starting_at("a", 0.5, 0.0);
    let network =
        network.spring("a", "ground", 1.0).slider("s", "a", "ground", held, 0.5).build()?;
    Machine::new(network)?.with_support("s", Signal::constant(-1.0 - more))
}

/// A mass that rests under a load of up to 1 N and would need `more` (N) beyond that, and then slides with `dynamic`.
fn before_a_slip(more: f64, dynamic: f64) -> Result<Machine, Error> {
    let network =
        Network::builder().node("a", 1.0).force("a", Signal::harmonic(1.0, 1.0, -FRAC_PI_2));
    let network = network.slider("s", "a", "ground", 1.0 + more, dynamic).build()?;
    Machine::new(network)
}

/// The instants of warnings about them, s.
fn told(path: &MachinePath) -> Vec<f64> {
    path.warnings()
        .iter()
        .filter(|w| matches!(w, Warning::NearMiss { .. }))
        .filter_map(Warning::time)
        .collect()
}

fn is_at_peaks(found: &[f64]) -> bool {
    let peak = |(k, t): (usize, &f64)| (t - FRAC_PI_2 - TAU * k as f64).abs() < 1e-2;
    found.len() == 2 && found.iter().enumerate().all(peak)
}

/// 10⁻⁷ is what ten tolerances of 10⁻⁸ do not tell, and 10⁻⁵ is not. Where a slider holds no more than it drags with, a rest that lasts no time
/// changes nothing.
#[test]
fn near_misses_are_told() -> Result<(), Error> {
    let solve = |machine: Machine| machine::solve(&machine, 9.0, Options::tolerance(1e-8));
    for (more, near) in [(5e-8, true), (1e-5, false)] {
        for machine in [before_a_stop(more)?, before_a_rest(more, 0.8)?] {
            let path = solve(machine)?;
            assert_eq!(path.events().len(), 0);
            assert!(
                if near { is_at_peaks(&told(&path)) } else { told(&path).is_empty() },
                "{:?}",
                path.warnings()
            );
        }
        // The load comes to its limit forwards, then backwards.
        let path = solve(before_a_slip(more, 0.8)?)?;
        let found = told(&path);
        assert_eq!(found.len(), if near { 3 } else { 0 }, "{:?}", path.warnings());
        assert!(
            found
                .iter()
                .enumerate()
                .all(|(k, t)| (t - FRAC_PI_2 * (1 + 2 * k) as f64).abs() < 1e-2)
        );
    }
    assert!(told(&solve(before_a_rest(5e-8, 0.5)?)?).is_empty());
    assert!(told(&solve(before_a_slip(5e-8, 1.0 + 5e-8)?)?).is_empty());
    Ok(())
}

/// By the scheme without tolerances it is rounding that does not tell.
#[test]
fn what_touches_is_told_by_exact() -> Result<(), Error> {
    for (more, near) in [(0.0, true), (1e-9, false)] {
        for machine in [before_a_stop(more)?, before_a_slip(more, 0.8)?] {
            let path = machine::exact(&machine, 3.0)?;
            assert_eq!(path.events().len(), 0);
            let at_peak = |w: &Warning| w.time().is_some_and(|t| (t - FRAC_PI_2).abs() < 1e-5);
            assert_eq!(path.warnings().len(), usize::from(near), "{:?}", path.warnings());
            assert!(path.warnings().iter().all(at_peak), "{:?}", path.warnings());
        }
    }
    Ok(())
}

/// A load that stands at the limit may move the mass at any time.
#[test]
fn a_stand_at_the_limit_is_told() -> Result<(), Error> {
    let machine = |load: f64, dynamic: f64| {
        let pull = Signal::sampled(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, load, load, 0.0, 0.0])?;
        let network = Network::builder().node("a", 1.0).force("a", pull);
        Machine::new(network.slider("s", "a", "ground", 1.0, dynamic).build()?)
    };
    for (load, dynamic, stands) in [(1.0, 0.8, true), (1.0 - 1e-5, 0.8, false), (1.0, 1.0, false)] {
        let machine = machine(load, dynamic)?;
        for path in [
            machine::exact(&machine, 4.0)?,
            machine::solve(&machine, 4.0, Options::tolerance(1e-9))?,
        ] {
            assert_eq!(path.events().len(), 0, "{load} {dynamic} {:?}", path.events());
            match path.warnings() {
                [Warning::SlidersNotUnique { sliders, from, to }] if stands => {
                    assert_eq!(sliders, &["s"]);
                    assert!((from - 1.0).abs() < 1e-7 && (to - 2.0).abs() < 1e-7, "{from} {to}");
                }
                others => assert!(others.is_empty() && !stands, "{others:?}"),
            }
        }
    }
    Ok(())
}

/// x changes by nothing with a stop that is not reached; behind an instant at which it is nearly touched, that is only one side of the truth.
#[test]
fn derivatives_at_a_touch_are_doubtful() -> Result<(), Error> {
    for (more, near) in [(0.0, true), (1e-6, false)] {
        let number = Number::around(more, before_a_stop)?;
        let number = number.of(Some).unwrap();
        let (found, _) = machine_derivatives(&before_a_stop(more)?, &[number], &[1.0, 2.0], 3.0)?;
        assert_eq!(found.x[0], 0.0);
        assert!(if near { found.x[1].is_nan() } else { found.x[1] == 0.0 });
        assert_eq!(found.doubtful.len(), usize::from(near));
        assert!(
            found.doubtful.iter().all(|d| matches!(d.why, Why::Warned(Warning::NearMiss { .. }))
                && (d.time - FRAC_PI_2).abs() < 1e-5)
        );
    }
    Ok(())
}

/// A slider that nothing presses rests at its limit, which is 0, and would lose nothing by slipping.
#[test]
fn what_is_not_pressed_is_not_told() -> Result<(), Error> {
    let network = Network::builder().node("a", 1.0).slider("s", "a", "ground", 0.5, 0.3);
    let machine = Machine::new(network.normal(Signal::constant(0.0)).build()?)?;
    assert!(machine::solve(&machine, 1.0, Options::tolerance(1e-9))?.warnings().is_empty());
    assert!(machine::exact(&machine, 1.0)?.warnings().is_empty());
    Ok(())
}

/// Two sliders that stand at their limits at once are both told of.
#[test]
fn all_that_stands_at_its_limit_is_told() -> Result<(), Error> {
    let pull = || Signal::sampled(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 1.0, 0.0]);
    let network =
        Network::builder().node("a", 1.0).force("a", pull()?).node("b", 1.0).force("b", pull()?);
    let network = network.slider("s", "a", "ground", 1.0, 0.8).slider("t", "b", "ground", 1.0, 0.6);
    let path = machine::exact(&Machine::new(network.build()?)?, 3.0)?;
    let named = |name: &str| {
        let is_it = |w: &&Warning| matches!(w, Warning::SlidersNotUnique { sliders, .. } if sliders == &[name]);
        path.warnings().iter().filter(is_it).count()
    };
    assert_eq!((named("s"), named("t"), path.warnings().len()), (1, 1, 2), "{:?}", path.warnings());
    Ok(())
}
