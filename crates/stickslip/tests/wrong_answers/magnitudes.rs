//! Runs that would take for ever, and numbers whose squares are infinite: refused at once, with numbers.

use stickslip::error::Kind;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, exact, implicit_euler};
use stickslip::{Error, Law, Oscillator, Problem, Scheme, Signal, solve};

fn shaw() -> Oscillator {
    Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0).unwrap())
        .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
        .starting_at(6.0, 0.0)
}

#[test]
fn what_would_take_for_ever_is_refused_at_once() {
    let fast = |w: f64| shaw().with_drive(Signal::harmonic(6.0, w, 0.0));
    let with = |mass: f64, stiffness: f64| Oscillator { mass, stiffness, ..shaw() };
    let cases = [
        (shaw(), 1e300),
        (fast(1e9), 40.0),
        (fast(1e308), 40.0),
        (shaw().with_drive(Signal::harmonic(1e308, 0.5, 0.0)), 40.0),
        (shaw().with_drive(Signal::harmonic(1e160, 0.5, 0.0)), 40.0),
        (with(1e-300, 1.0), 40.0),
        (with(1.0, 1e300), 40.0),
        (Oscillator::new(1.0, 1.0, Law::static_dynamic(1e308, 1.0).unwrap()), 40.0),
        (shaw().starting_at(1e308, 0.0), 40.0),
        (shaw().starting_at(0.0, -1e200), 40.0),
    ];
    for (o, end) in cases {
        for result in [exact::solve(&o, end), adaptive::solve(&o, end, Options::default())] {
            let error = result.map(|p| p.events().len()).unwrap_err();
            assert_eq!(error.kind(), Kind::Input, "{error}");
            let text = error.to_string();
            assert!(text.contains('e') && text.contains("check the magnitudes"), "{text}");
            assert!(text.len() < 250, "{text}");
        }
    }
    // steps that no memory holds
    for result in [euler::solve(&shaw(), 40.0, 1e-12), implicit_euler::solve(&shaw(), 40.0, 1e-12)]
    {
        let Err(Error::TooLong { count, .. }) = result else { panic!("{result:?}") };
        assert!((count / 4e13 - 1.0).abs() < 1e-9);
    }
}

/// Long and slow is not much: a mass that swings with 100 rad/s, stuck for a year but for a few slips.
#[test]
fn what_is_only_slow_is_solved() {
    let year = 3.2e7;
    let times: Vec<f64> = (0..=1000).map(|i| f64::from(i) * year / 1000.0).collect();
    let heat: Vec<f64> = times.iter().map(|t| 0.1 * (t / 5e6).sin()).collect();
    let o = Oscillator::new(1e4, 1e8, Law::static_dynamic(2e6, 1.5e6).unwrap())
        .with_drive(Signal::sampled(&times, &heat).unwrap());
    assert!(o.effort(year).periods < 1e6);
    let path = exact::solve(&o, year).unwrap();
    assert!(path.events().len() > 10, "{}", path.events().len());
}

/// The estimate is an estimate of the right size: events of ordinary runs stay below it, not far.
#[test]
fn the_estimate_bounds_ordinary_runs() {
    for end in [40.0, 400.0] {
        let events = exact::solve(&shaw(), end).unwrap().events().len() as f64;
        let most = shaw().effort(end).events;
        assert!(events <= most && most < 20.0 * events, "{events} {most}");
    }
}

/// Forces over a stiffness next to nothing are no lengths: the quasi-static scheme had energies that are no numbers.
#[test]
fn a_stiffness_next_to_nothing_is_refused_where_it_divides() {
    use stickslip::scheme::oscillator::quasi_static;
    let law = || Law::static_dynamic(1.2, 1.0).unwrap();
    let soft = |k: f64| {
        Oscillator::new(1.0, k, law())
            .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
            .starting_at(6.0, 0.0)
    };
    let refused = quasi_static::solve(&soft(5e-324), 40.0).unwrap_err();
    assert!(matches!(refused, Error::OutOfRange { .. }), "{refused}");
    let energy = quasi_static::solve(&soft(1e-100), 40.0).unwrap().energy(&soft(1e-100));
    assert!(energy.work.is_finite() && energy.friction.is_finite());
}

/// A cascade under a force whose work is no finite number used to panic.
#[test]
fn a_cascade_refuses_forces_without_a_finite_work() {
    use stickslip::{Cascade, scheme::cascade};
    let pulled = |amplitude: f64| {
        Cascade::new(1.0, vec![1.0, 2.0, 3.0], vec![0.5, 1.0])
            .with_force(Signal::harmonic(amplitude, 1.0, 0.0))
    };
    let refused = cascade::exact(&pulled(-1e308), 10.0).unwrap_err();
    assert!(matches!(refused, Error::OutOfRange { .. }), "{refused}");
    assert!(cascade::implicit_euler(&pulled(1e308), 10.0, 0.01).is_err());
    assert!(cascade::exact(&pulled(-1e20), 10.0).is_ok());
}

/// −0 is 0: its root is −0 and its reciprocal −∞, by which a model without a spring was refused because its speed was not a number.
#[test]
fn negative_zeros_are_zeros() {
    let of = |zero: f64, load: f64, speed: f64| {
        let mut free = Oscillator::new(1.0, zero, Law::coulomb(0.3).unwrap())
            .with_force(Signal::harmonic(load, 1.3, zero))
            .starting_at(zero, speed);
        free.damping = zero;
        Problem::new(free, 5.0)
    };
    for scheme in [Scheme::Exact, Scheme::Adaptive(Options::default())] {
        for (load, speed) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, -0.4)] {
            let states = |zero| {
                let found = solve(&of(zero, load, speed), &scheme).unwrap();
                let mut row = vec![0.0; found.columns().len()];
                let mut at = |i: usize| {
                    found.row(0.5 * i as f64, &mut row);
                    [row[0], row[1]]
                };
                (0..=10).map(&mut at).collect::<Vec<_>>()
            };
            assert_eq!(states(-0.0), states(0.0), "{scheme:?} {load} {speed}");
        }
    }
}
