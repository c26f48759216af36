//! Loops that hunt, rest or run away, against the cases of an independent program and what is known of linear loops.

use super::reference::{cases, controlled};
use stickslip::model::machine::{ControlLaw, Gains, Sampling};
use stickslip::model::{Machine, Network};
use stickslip::study::hunt::{Hunt, Multipliers, Outcome, Search, Verdict, hunt};
use stickslip::{Law, Signal};

/// A mass of 1 kg with friction between rest and slip of these forces (N), to be brought to 1 m.
fn axis([rest, slip]: [f64; 2], gains: Gains, sampling: Option<Sampling>) -> Machine {
    let b = Network::builder().unjoined().node("a", 1.0).slider("s", "a", "ground", rest, slip);
    let mut law = ControlLaw::pid(gains).following(Signal::constant(1.0));
    law.sampling = sampling;
    let machine = Machine::new(b.build().unwrap()).unwrap();
    machine.with_controller("pid", ["a", "ground"], "a", law).unwrap()
}

fn gains(proportional: f64, integral: f64, derivative: f64) -> Gains {
    Gains { proportional, integral, derivative, filter: 0.0 }
}

fn of(machine: &Machine, within: f64) -> Hunt {
    hunt(machine, &Search::within(within)).unwrap()
}

/// Periods and amplitudes of the three cycles of the cases, and the multiplier that their events show: from rest to rest on
/// the same side the distance from the cycle shrinks by it.
#[test]
fn cycles_are_those_of_the_cases() {
    let Some(all) = cases() else { return };
    let of = |c: &&serde_json::Value| c["family"] == "M6" && c["headline"].is_object();
    let list: Vec<_> = all["cases"].as_array().unwrap().iter().filter(of).collect();
    assert!(list.len() >= 3);
    for case in list {
        let id = case["id"].as_str().unwrap();
        let found = self::of(&controlled(case), 2000.0);
        assert_eq!(found.verdict(), Verdict::Hunts, "{id}: {found:?}");
        assert_eq!(found.cycles.len(), 1, "{id}: every start comes to it");
        assert!(found.starts.iter().all(|s| s.outcome == Outcome::Hunts(0)));
        let cycle = &found.cycles[0];
        let headline = &case["headline"];
        let period: f64 = headline["period_last"][2].as_str().unwrap().parse().unwrap();
        let amplitude = headline["amplitude"].as_f64().unwrap();
        println!(
            "{id}: period off by {:.1e}, amplitude by {:.1e}",
            cycle.period - period,
            cycle.amplitude() - amplitude
        );
        assert!((cycle.period - period).abs() < 1e-8, "{id}: {} {period}", cycle.period);
        assert!((cycle.amplitude() - amplitude).abs() < 1e-9, "{id}: {}", cycle.amplitude());
        let Multipliers::Known { values, doubt } = &cycle.multipliers else {
            panic!("{id}: {:?}", cycle.multipliers)
        };
        // Rest places on the upper side.
        let rests = case["events"].as_array().unwrap().iter().filter(|e| e["kind"] == "stick");
        let x: Vec<f64> = rests.map(|e| e["x"].as_f64().unwrap()).collect();
        let limit = x[x.len() - 1];
        let away: Vec<f64> = x.iter().rev().step_by(2).rev().map(|x| x - limit).collect();
        // The last quotient above rounding.
        let k = (1..away.len()).rev().find(|k| away[*k].abs() > 1e-9).unwrap();
        let shown = away[k] / away[k - 1];
        println!("{id}: multiplier {} and {shown} from events, doubt {doubt:.1e}", values[0]);
        assert!(*doubt < 1e-5, "{id}: {doubt}");
        assert!((values[0].norm() - shown.abs()).abs() < 0.02 * shown.abs() + 1e-5, "{id}");
        assert_eq!(cycle.attracts(), Some(true));
    }
}

/// Without an integral a loop rests where P e is below what friction holds, from every start.
#[test]
fn without_an_integral_it_rests() {
    let found = of(&axis([1.0, 0.7], gains(10.0, 0.0, 1.0), None), 500.0);
    assert_eq!(found.verdict(), Verdict::Rests);
    assert!(found.within().unwrap() <= 0.1 && found.cycles.is_empty());
    // The same gains with an integral do not.
    let found = of(&axis([1.0, 0.7], gains(10.0, 8.0, 3.0), None), 2000.0);
    assert_eq!((found.verdict(), found.within()), (Verdict::Hunts, None));
}

/// s³ + D s² + P s + I is unstable for I > P D: the loop runs away, whatever friction does; a little below it does not.
#[test]
fn unstable_loops_run_away() {
    let found = of(&axis([0.1, 0.1], gains(6.5, 21.0, 3.0), None), 3000.0);
    assert_eq!(found.verdict(), Verdict::Unstable, "{found:?}");
    let found = of(&axis([0.1, 0.07], gains(6.5, 18.0, 3.0), None), 3000.0);
    assert_ne!(found.verdict(), Verdict::Unstable, "{found:?}");
}

/// Without a fall of the friction from rest to slip an integral makes ever smaller steps, which is no hunting.
#[test]
fn ever_smaller_steps_are_no_hunting() {
    let found = of(&axis([1.0, 1.0], gains(6.5, 4.0, 3.0), None), 5000.0);
    assert!(found.cycles.is_empty(), "{found:?}");
    assert!(
        !found.starts.iter().any(|s| matches!(s.outcome, Outcome::Wanders { .. })),
        "{found:?}"
    );
}

/// A sampled loop hunts as the continuous one does, within what a fine sampling changes; with readings in coarse quanta it
/// comes to rest, for the error that is read becomes zero.
#[test]
fn sampled_loops() {
    let fine = Sampling { time: 0.01, delay: 0.0, quantum: 0.0 };
    let found = of(&axis([1.0, 0.7], gains(6.5, 8.5, 3.0), Some(fine)), 400.0);
    assert_eq!(found.verdict(), Verdict::Hunts, "{found:?}");
    let coarse = Sampling { time: 0.01, delay: 0.0, quantum: 0.2 };
    let found = of(&axis([1.0, 0.7], gains(6.5, 8.5, 3.0), Some(coarse)), 400.0);
    assert_eq!(found.verdict(), Verdict::Rests, "{found:?}");
    assert!(found.within().unwrap() <= 0.1);
}

/// What is driven, and what nothing controls, is refused.
#[test]
fn what_is_no_loop_is_refused() {
    let machine = axis([1.0, 0.7], gains(1.0, 0.0, 1.0), None);
    let law = ControlLaw::pid(gains(1.0, 0.0, 0.0)).following(Signal::harmonic(1.0, 1.0, 0.0));
    let driven = machine.with_controller("other", ["a", "ground"], "a", law).unwrap();
    let said = hunt(&driven, &Search::within(10.0)).unwrap_err().to_string();
    assert!(said.contains("other") && said.contains("constant"), "{said}");
    let b = Network::builder().unjoined().node("a", 1.0).slider("s", "a", "ground", 1.0, 1.0);
    let bare = Machine::new(b.build().unwrap()).unwrap();
    let bare = bare.with_law("s", Law::static_dynamic(1.0, 0.5).unwrap()).unwrap();
    let said = hunt(&bare, &Search::within(10.0)).unwrap_err().to_string();
    assert!(said.contains("no controller"), "{said}");
}
