//! Loops that hunt, rest or run away, against the cases of an independent program and what is known of linear loops.

use super::reference::controlled;
use crate::common::campaign::campaign;
use crate::common::{Random, machine_cases, sized};
use stickslip::model::machine::{ControlLaw, Gains, Sampling};
use stickslip::model::{Machine, Network};
use stickslip::study::hunt::{Cycle, Hunt, Multipliers, Outcome, Search, Verdict, hunt};
use stickslip::study::orbit::Method;
use stickslip::{Error, Law, Signal};

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

fn by_exact(machine: &Machine, within: f64) -> Result<Hunt, Error> {
    hunt(machine, &Search { method: Method::Exact, ..Search::within(within) })
}

fn of(machine: &Machine, within: f64) -> Hunt {
    hunt(machine, &Search::within(within)).unwrap()
}

/// Periods and amplitudes of the three cycles of the cases, and the multiplier that their events show: from rest to rest on
/// the same side the distance from the cycle shrinks by it. Two of the loops are linear between events: `exact` finds the same.
#[test]
fn cycles_are_those_of_the_cases() {
    let all = machine_cases();
    let of = |c: &&serde_json::Value| c["family"] == "M6" && c["headline"].is_object();
    let list: Vec<_> = all["cases"].as_array().unwrap().iter().filter(of).collect();
    assert!(list.len() >= 3);
    let mut by_both = 0;
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
        // A law that depends on the speed is none of the linear parts that `exact` treats.
        let exact = match by_exact(&controlled(case), 2000.0) {
            Err(Error::Unsuitable { .. }) => continue,
            other => other.unwrap(),
        };
        let [exact] = &exact.cycles[..] else { panic!("{id}: {exact:?}") };
        let Multipliers::Known { values: own, .. } = &exact.multipliers else {
            panic!("{id}: {:?}", exact.multipliers)
        };
        assert!((exact.period - cycle.period).abs() < 1e-11, "{id}: {}", exact.period);
        assert!((exact.amplitude() - cycle.amplitude()).abs() < 1e-13, "{id}");
        assert!((own[0] - values[0]).norm() < 1e-9, "{id}: {own:?} {values:?}");
        by_both += 1;
    }
    assert!(by_both >= 2);
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

/// An overdamped loop without an integral only tends to f/P and never stops: its last events are rounding, and it does not hunt.
#[test]
fn a_loop_that_only_tends_to_rest_does_not_hunt() {
    let f = 0.4498720781659934;
    let loops = axis([f, f], gains(3.2320363589367727, 0.0, 3.689845650624765), None);
    let starts = vec![2.6098162824519595, -2.8343587321442727];
    let found = hunt(&loops, &Search { starts, ..Search::within(100.0) }).unwrap();
    assert_ne!(found.verdict(), Verdict::Hunts, "{found:?}");
}

/// A sampled loop hunts as the continuous one does, within what a fine sampling changes; with readings in coarse quanta it
/// comes to rest, for the error that is read becomes zero.
#[test]
fn sampled_loops() {
    let fine = Sampling { time: 0.01, delay: 0.0, quantum: 0.0 };
    let found = of(&axis([1.0, 0.7], gains(6.5, 8.5, 3.0), Some(fine)), sized(250.0, 400.0));
    assert_eq!(found.verdict(), Verdict::Hunts, "{found:?}");
    let coarse = Sampling { time: 0.01, delay: 0.0, quantum: 0.2 };
    let found = of(&axis([1.0, 0.7], gains(6.5, 8.5, 3.0), Some(coarse)), sized(250.0, 400.0));
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

/// The starts have the errors that were asked for, whichever end of the measurement is free to move, and between two free nodes.
#[test]
fn starts_have_the_errors_that_were_asked_for() {
    let errors = |of: [&str; 2]| -> Vec<f64> {
        let mut b = Network::builder().unjoined().node("a", 1.0).node("b", 2.0).node("led", 1.0);
        b = b.motion("led", Signal::constant(0.25));
        b = b.slider("s", "a", "ground", 9.0, 9.0).slider("r", "b", "ground", 9.0, 9.0);
        let machine = Machine::new(b.starting_at("a", 0.1, 0.0).build().unwrap()).unwrap();
        let law = ControlLaw::pid(gains(1.0, 0.0, 1.0)).following(Signal::constant(1.0));
        let machine = machine.with_controller("pd", of, "a", law).unwrap();
        let found = of_starts(&machine, vec![1.0, -1.0, 0.5]);
        found.starts.iter().map(|s| s.error).collect()
    };
    let near = |of: [&str; 2], first: f64| {
        for (error, share) in errors(of).iter().zip([1.0, -1.0, 0.5]) {
            assert!((error - share * first).abs() < 1e-12, "{of:?}: {error} {share} {first}");
        }
    };
    near(["a", "ground"], 0.9);
    near(["ground", "a"], 1.1);
    near(["a", "b"], 0.9);
    near(["b", "a"], 1.1);
    near(["led", "a"], 0.85);
    let none = errors(["led", "ground"]);
    assert!((none[0] - 0.75).abs() < 1e-12 && none[1].is_nan(), "no node to be shifted: {none:?}");
}

fn of_starts(machine: &Machine, starts: Vec<f64>) -> Hunt {
    hunt(machine, &Search { starts, ..Search::within(50.0) }).unwrap()
}

/// A start that is far away is no motion that runs away, and one that is nowhere is refused.
#[test]
fn starts_may_be_far_away() {
    let axis = axis([1.0, 0.7], gains(6.5, 0.0, 3.0), None);
    assert_eq!(of_starts(&axis, vec![1.0, 2e4]).verdict(), Verdict::Rests);
    let nowhere = Search { starts: vec![f64::NAN], ..Search::within(50.0) };
    let said = hunt(&axis, &nowhere).unwrap_err().to_string();
    assert!(said.contains("a start") && said.contains("finite"), "{said}");
}

/// One mass hunts at once; the sum of a sampled controller on another one grows until that mass breaks away much later. The
/// events of the first one repeat themselves, and the state does not.
#[test]
fn a_sum_that_grows_is_no_cycle() {
    let with = |integral: f64| {
        let b = Network::builder().unjoined().node("a", 1.0).node("b", 1.0);
        let b = b.slider("s", "a", "ground", 1.0, 0.7).slider("r", "b", "ground", 50.0, 50.0);
        let law = ControlLaw::pid(gains(6.5, 8.5, 3.0)).following(Signal::constant(1.0));
        let slow = ControlLaw::pid(gains(0.0, integral, 0.0)).following(Signal::constant(1.0));
        let slow = slow.sampled(Sampling { time: 0.5, delay: 0.0, quantum: 0.0 });
        let machine = Machine::new(b.build().unwrap()).unwrap();
        let machine = machine.with_controller("pid", ["a", "ground"], "a", law).unwrap();
        let machine = machine.with_controller("slow", ["b", "ground"], "b", slow).unwrap();
        hunt(&machine, &Search { starts: vec![1.0], ..Search::within(400.0) }).unwrap()
    };
    assert_eq!(with(0.0).starts[0].outcome, Outcome::Hunts(0));
    // 0.1 t passes 50 N at 500 s.
    let found = with(0.1);
    assert!(found.cycles.is_empty(), "{found:?}");
}

/// Where a sampled controller has not yet acted, rest says nothing.
#[test]
fn rest_before_a_delay_is_over_is_not_told() {
    let late = |delay: f64| Sampling { time: 0.1, delay, quantum: 0.0 };
    let of = |delay: f64| {
        of_starts(&axis([1.0, 0.7], gains(5.0, 0.0, 2.0), Some(late(delay))), vec![1.0])
    };
    assert_eq!(of(0.1).verdict(), Verdict::Rests);
    let found = of(60.0);
    assert_eq!(found.verdict(), Verdict::Undecided, "{found:?}");
}

/// A multiplier that is nearer to 1 than the differences are good does not tell whether a cycle attracts.
#[test]
fn multipliers_near_one_decide_nothing() {
    let of = |largest: f64| {
        let values = vec![largest.into(), 0.2.into()];
        let multipliers = Multipliers::Known { values, doubt: 1e-4 };
        Cycle { period: 1.0, error: [-1.0, 1.0], events: vec![], rest: 0.0, multipliers }.attracts()
    };
    assert_eq!([of(0.9), of(1.1)], [Some(true), Some(false)]);
    assert_eq!([of(0.99995), of(1.00005)], [None, None]);
}

/// What theory says of a PID loop about one mass with friction: without an integral it rests within f_s/P from every start (all that
/// is left is a damped mass on a spring); with one it cannot rest but where the error is 0; with s³ + D s² + P s + I stable it does
/// not run away, for friction is bounded; and then it does not hunt if f_s = f_d (Armstrong, Amin 1996; Bisoffi et al. 2018). By hand:
/// `STICKSLIP_PROBLEMS=10000 cargo test -p stickslip --test all verdicts_on_random_loops -- --nocapture`.
#[test]
fn verdicts_on_random_loops() {
    let tally = campaign("verdicts_on_random_loops", 12, |seed, tally| {
        let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 42);
        let p = r.uniform(2.0, 20.0);
        let d = r.uniform(1.0, 5.0);
        let share = [0.0, r.uniform(0.1, 0.9), r.uniform(1.1, 1.5)][(r.next() % 3) as usize];
        let fs = r.uniform(0.2, 2.0);
        let fd = if r.chance(0.4) { fs } else { fs * r.uniform(0.4, 0.95) };
        let loops = axis([fs, fd], gains(p, share * p * d, d), None);
        let starts = vec![r.uniform(0.2, 3.0), r.uniform(-3.0, -0.2)];
        let found = hunt(&loops, &Search { starts, ..Search::within(100.0) }).unwrap();
        let verdict = found.verdict();
        let what = match verdict {
            Verdict::Rests => "rests",
            Verdict::Hunts => "hunts",
            Verdict::Unstable => "runs away",
            Verdict::Undecided => "not known",
        };
        tally.add(what, 1);
        let said =
            || format!("{seed}: {what}: f {fs} {fd}, P {p}, D {d}, I {share} P D: {found:?}");
        let never: &[Verdict] = match share {
            0.0 => &[Verdict::Hunts, Verdict::Unstable],
            s if s < 1.0 && fs == fd => &[Verdict::Hunts, Verdict::Unstable],
            s if s < 1.0 => &[Verdict::Unstable],
            _ => &[],
        };
        assert!(!never.contains(&verdict), "{}", said());
        if let (Verdict::Rests, Some(within)) = (verdict, found.within()) {
            let most = if share == 0.0 { fs / p * (1.0 + 1e-9) } else { 1e-9 };
            assert!(within <= most, "{}", said());
        }
    });
    assert!(tally.sum("rests") > 1, "{tally:?}");
}
