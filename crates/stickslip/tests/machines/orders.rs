//! Instants at which several sliders of a machine may be the first to give way.

use stickslip::model::{Machine, Network, NetworkBuilder};
use stickslip::motion::Warning;
use stickslip::scheme::machine::{self, MachinePath};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::{Law, Signal};

/// The motion by both schemes.
fn both(b: NetworkBuilder, end: f64) -> [MachinePath; 2] {
    let machine = Machine::new(b.build().unwrap()).unwrap();
    let by_steps = machine::solve(&machine, end, Options::tolerance(1e-11)).unwrap();
    [by_steps, machine::exact(&machine, end).unwrap()]
}

/// The sliders that are told of, and when.
fn told(path: &MachinePath) -> Vec<(&'static str, Vec<String>, f64)> {
    let one = |w: &Warning| match w {
        Warning::ReachedTogether { sliders, time } => Some(("reached", sliders.clone(), *time)),
        Warning::OrderDecides { sliders, time } => Some(("order", sliders.clone(), *time)),
        _ => None,
    };
    path.warnings().iter().filter_map(one).collect()
}

/// A block of 1 kg on a base of 1 kg on the ground, pulled by t N: what it rubs with below, and what the base does.
fn stack(top: (f64, f64), ground: (f64, f64)) -> NetworkBuilder {
    Network::builder()
        .node("top", 1.0)
        .node("base", 1.0)
        .slider("s", "top", "base", top.0, top.1)
        .slider("g", "base", "ground", ground.0, ground.1)
        .force("top", Signal::ramp(1.0, 0.0))
}

/// With both limits at 1 N the top alone may give way, and then the base is pulled by 0.8 N, or the base with it, which then gains
/// (1 − 0.7)/2 m/s² and needs 0.85 N of the slider above it. A limit that is greater by 10⁻⁸ decides, and so does friction that does not fall.
#[test]
fn limits_that_are_reached_together_are_told() {
    let cases = [
        (stack((1.0, 0.8), (1.0, 0.7)), true),
        (stack((1.0, 0.8), (1.0 + 5e-11, 0.7)), true),
        (stack((1.0, 0.8), (1.0 + 1e-8, 0.7)), false),
        (stack((1.0 + 1e-8, 0.8), (1.0, 0.7)), false),
        (stack((1.0, 1.0), (1.0, 1.0)), false),
        // The top leaves the base just at its limit; the base relieves the top.
        (stack((1.0, 1.0), (1.0, 0.4)), true),
    ];
    for (k, (b, doubtful)) in cases.into_iter().enumerate() {
        for path in both(b, 1.5) {
            let found = told(&path);
            let names = ["s".to_owned(), "g".to_owned()].to_vec();
            match &found[..] {
                [(what, sliders, time)] if doubtful => {
                    assert_eq!((*what, sliders), ("reached", &names), "{k}");
                    assert!((time - 1.0).abs() < 1e-9, "{k}: {time}");
                }
                others => assert!(others.is_empty() && !doubtful, "{k}: {others:?}"),
            }
        }
    }
}

/// Two blocks that only a spring joins give way at the same instant, and neither is felt by the other just then.
#[test]
fn sliders_that_do_not_feel_each_other_are_not_told_of() {
    let b = Network::builder().node("a", 1.0).node("b", 2.0).spring("a", "b", 3.0);
    let b = b.slider("s", "a", "ground", 1.0, 0.6).slider("t", "b", "ground", 1.0, 0.5);
    let b = b.force("a", Signal::ramp(1.0, 0.0)).force("b", Signal::ramp(1.0, 0.0));
    for path in both(b, 1.5) {
        assert_eq!(told(&path), []);
        assert_eq!(path.events().iter().filter(|e| (e.time - 1.0).abs() < 1e-9).count(), 2);
    }
}

/// A box b slides backwards on a plate a that rests on the ground, turns at 0.4 s, and pulls the plate from then on with 0.5 N, and with up to
/// 1 N on its way through zero only. The plate holds 1 N and slides with 0.6 N: with P between 0.1 and 0.5 N it may do either.
#[test]
fn a_turn_that_may_make_a_neighbour_give_way_is_told() {
    for (p, doubtful) in [(0.15, true), (0.3, true), (0.45, true), (-0.05, false), (0.55, false)] {
        let b = Network::builder()
            .node("a", 1.0)
            .node("b", 1.0)
            .starting_at("b", 0.0, -1.0)
            .slider("ground", "a", "ground", 1.0, 0.6)
            .slider("top", "b", "a", 1.0, 0.5)
            .force("a", Signal::constant(p))
            .force("b", Signal::constant(2.0));
        for path in both(b, 0.6) {
            let found = told(&path);
            assert_eq!(found.len(), usize::from(doubtful), "{p}: {found:?}");
            for (what, sliders, time) in found {
                assert_eq!((what, sliders), ("order", vec!["ground".to_owned(), "top".to_owned()]));
                assert!((time - 0.4).abs() < 1e-9, "{p}: {time}");
            }
        }
    }
}

/// The stack again, with friction that falls with the speed: Stribeck's curve has no jump, so that both orders begin alike.
#[test]
fn friction_that_falls_smoothly_does_not_make_the_order_decide() {
    let law = Law::stribeck_exponential(1.0, 0.6, 0.1, 1.0, 0.0).unwrap();
    let network = stack((1.0, 1.0), (1.0, 1.0)).build().unwrap();
    let mut machine = Machine::new(network).unwrap();
    for slider in ["s", "g"] {
        machine = machine.with_law(slider, law.clone()).unwrap();
    }
    let path = machine::solve(&machine, 1.5, Options::tolerance(1e-10)).unwrap();
    assert_eq!(told(&path), []);
}

/// A mass of 1 kg on a spring of 1 N/m, from 11.5 m against 1 N: it stops at −9.5 m, and then at 7.5 m under a load of 7.5 N.
#[test]
fn a_slip_that_ends_under_the_breakaway_force_is_told() {
    for (breakaway, doubtful) in [(7.5, true), (7.5 + 1e-6, false), (7.5 - 1e-6, false)] {
        let b = Network::builder()
            .node("m", 1.0)
            .starting_at("m", 11.5, 0.0)
            .spring("m", "ground", 1.0)
            .slider("s", "m", "ground", breakaway, 1.0);
        for path in both(b, 9.0) {
            let one = |w: &Warning| match w {
                Warning::SlidersRestAtLimit { sliders, time, .. } => Some((sliders.clone(), *time)),
                _ => None,
            };
            let found: Vec<_> = path.warnings().iter().filter_map(one).collect();
            match &found[..] {
                [(sliders, time)] if doubtful => {
                    assert_eq!(*sliders, ["s".to_owned()]);
                    assert!((time - std::f64::consts::TAU).abs() < 1e-7, "{time}");
                }
                others => assert!(others.is_empty() && !doubtful, "{breakaway}: {others:?}"),
            }
        }
    }
}
