//! Records in which the friction changes more than once, or gradually. The campaign behind `--ignored` counts, on other seeds.

use crate::common::twin::{DAY, HOUR, bearing, changed, temperature};
use crate::common::{Noise, Truth, sized};
use stickslip_calibrate::{
    Change, Fit, Options, Series, States, ThermalBearing, What, calibrate, changes,
};

const NOISE: f64 = 5e-5;

/// The displacement if the friction is `factor(row)` times that of `truth`: as `respond`, with forces that change.
fn respond_by(
    truth: &Truth,
    temperature: &[f64],
    factor: impl Fn(usize) -> f64,
    seed: u64,
) -> Vec<f64> {
    let Truth { z0, stiffness: k, dynamic, breakaway, beta, bearing, start } = *truth;
    let mut x = beta * temperature[0] + start * factor(0) * breakaway / k;
    let mut sensor = Noise::new(seed);
    let mut out = Vec::new();
    for (i, &t) in temperature.iter().enumerate() {
        let (most, slides) = (factor(i) * breakaway, factor(i) * dynamic);
        let mut force = k * (beta * t - x);
        while force.abs() > most {
            x += 2.0 * (most - slides) / k * force.signum();
            force = k * (beta * t - x);
        }
        out.push(z0 + x + force / bearing + NOISE * sensor.normal());
    }
    out
}

/// Length of a record.
fn days() -> f64 {
    sized(240.0, 365.0)
}

struct Made {
    time: Vec<f64>,
    drive: Vec<f64>,
    response: Vec<f64>,
}

/// A year, hourly; by day eight months.
fn made(seed: u64, factor: impl Fn(f64) -> f64) -> Made {
    made_in(days(), seed, factor)
}

fn made_in(days: f64, seed: u64, factor: impl Fn(f64) -> f64) -> Made {
    let (time, drive) = temperature(None, days, HOUR, seed);
    let n = time.len() as f64;
    let response = respond_by(&bearing(), &drive, |i| factor(i as f64 / n), 500 + seed);
    Made { time, drive, response }
}

fn found(made: &Made) -> (Fit, Vec<Change>) {
    let series = Series::new(&made.time, &made.drive, &made.response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(2.0e9), ..Default::default() };
    let options = Options { diagnose: false, ..Options::default() };
    let whole = calibrate(&series, &model, &options).unwrap();
    let changes = changes(&series, &options, &whole).unwrap();
    (whole, changes)
}

/// As a user fits it, with the search for explanations.
fn diagnosed(made: &Made) -> Fit {
    let series = Series::new(&made.time, &made.drive, &made.response).unwrap();
    calibrate(&series, &ThermalBearing::default(), &Options::default()).unwrap()
}

/// Steps at shares of the record, each to a factor.
fn steps(all: &'static [(f64, f64)]) -> impl Fn(f64) -> f64 {
    move |share| all.iter().rev().find(|s| share >= s.0).map_or(1.0, |s| s.1)
}

fn holds(change: &Change, ratio: f64) -> bool {
    change.low <= ratio && ratio <= change.high
}

/// Up and down, up and back, up and up: two changes, each with its own size.
#[test]
fn two_changes_have_their_own_sizes() {
    let cases: [(u64, &'static [(f64, f64)]); 3] = [
        (1, &[(0.33, 1.25), (0.66, 0.9)]),
        (2, &[(0.35, 1.3), (0.65, 1.0)]),
        (3, &[(0.4, 1.2), (0.7, 1.5)]),
    ];
    for (seed, all) in cases.into_iter().take(sized(1, 3)) {
        let (_, seen) = found(&made(seed, steps(all)));
        let [first, second] = seen.as_slice() else { panic!("{seed}: {seen:?}") };
        assert!(!first.gradual && !second.gradual, "{seen:?}");
        assert!(holds(first, all[0].1) && holds(second, all[1].1 / all[0].1), "{seed}: {seen:?}");
        for (change, at) in seen.iter().zip(all) {
            let day = days() * at.0;
            assert!((change.time / DAY - day).abs() < 20.0, "{seed}: {seen:?}");
        }
    }
}

/// Friction that grows by a half over the year is no step; a step is not gradual.
#[test]
fn a_gradual_rise_is_no_step() {
    for (seed, end) in [(11, 1.5f64), (12, 0.65)].into_iter().take(sized(1, 2)) {
        // It shows in a year, not in the eight months of the other records.
        let (_, seen) = found(&made_in(365.0, seed, |share| end.powf(share)));
        let [one] = seen.as_slice() else { panic!("{seed}: {seen:?}") };
        assert!(one.gradual && holds(one, end), "{seed}: {seen:?}");
    }
    let (_, seen) = found(&made(13, steps(&[(0.5, 1.3)])));
    let [one] = seen.as_slice() else { panic!("{seen:?}") };
    assert!(!one.gradual && holds(one, 1.3), "{seen:?}");
}

/// The friction of a record of five months changes in its first or last fifth, so that one half of it holds the change: it is the one thing
/// that is named, and leaves noise. The first seed is one of a campaign, in which a change by 1.33 four days late had left 8 % of the
/// excess, and creep was said to explain nearly as much.
#[test]
fn a_change_near_an_end_is_the_only_reading() {
    changes_near_an_end((1083..1084).chain(3000..sized(3001, 3006)));
}

fn changes_near_an_end(seeds: impl Iterator<Item = u64>) {
    let (mut named, mut held, mut records) = (0, 0, 0);
    for seed in seeds {
        let mut draw = Noise::new(seed + 6_000_000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let share = between(0.1, 0.2);
        let factor = between(1.3, 1.6).powf(between(-1.0, 1.0).signum());
        let late = between(0.0, 1.0) > 0.5;
        let truth = Truth { start: between(-0.9, 0.9), ..bearing() };
        let (share, factor, truth, noise, days) = if seed == 1083 {
            (0.114_856, 1.431_737, Truth { start: -0.736_866, ..truth }, NOISE, 143.71)
        } else {
            let share = if late { 1.0 - share } else { share };
            (share, factor, truth, between(2e-5, 8e-5), between(140.0, 160.0))
        };
        let (time, drive) = temperature(None, days, HOUR, seed + 500);
        let response = changed(truth, &drive, factor, share, noise, seed);
        let series = Series::new(&time, &drive, &response).unwrap();
        let fit = calibrate(&series, &ThermalBearing::default(), &Options::default()).unwrap();
        records += 1;
        let [only] = fit.diagnosis.as_slice() else {
            println!("{seed} {share} {factor}: {:?}", fit.warnings);
            continue;
        };
        named += usize::from(only.what == What::Change && only.strength > 0.98);
        let interval = only.estimate.as_ref().and_then(|e| e.ci95).unwrap();
        held += usize::from(interval[0] <= factor && factor <= interval[1]);
        println!("{seed} {share} {factor}: {:?} {} {interval:?}", only.what, only.strength);
    }
    println!("named {named}, held {held} of {records}");
    // 95 % of the intervals are to hold; of 40 records 36 or more do with a probability of 0.95.
    assert!(20 * named >= 19 * records && 10 * held >= 9 * records, "{named} {held} {records}");
}

/// The same on many records. The search was made on the seeds 3100 to 3139: the change was the only reading in 39 of 40, and the interval of its
/// ratio held the truth in 39 (34 when the ratio was moved with the thresholds before the change held, from one date). On fresh ones, 3200 to
/// 3239, it held in 39; in five of these nothing slips after the change, so that its ratio has no upper end and its size is not told.
#[test]
#[ignore = "a campaign"]
fn campaign_of_changes_near_an_end() {
    let of = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = of("STICKSLIP_FIRST").unwrap_or(3100);
    changes_near_an_end(first..first + of("STICKSLIP_PROBLEMS").unwrap_or(40));
}

/// Without windows, too: several changes, or one that is gradual, leave no single set of numbers, and the first warning says so.
#[test]
fn a_record_with_several_states_has_no_single_numbers() {
    let year = |seed, factor: &dyn Fn(f64) -> f64| made_in(365.0, seed, factor);
    let twice = "the friction changes 2 times";
    let cases = [
        (
            11,
            year(11, &|share: f64| 1.5f64.powf(share)),
            "the friction rises steadily",
            States::Gradual,
        ),
        (21, year(21, &steps(&[(0.33, 1.25), (0.66, 0.9)])), twice, States::Several),
        (22, year(22, &steps(&[(0.35, 1.3), (0.65, 1.0)])), twice, States::Several),
    ];
    for (seed, made, said, states) in cases.into_iter().take(sized(2, 3)) {
        let fit = diagnosed(&made);
        let first = fit.diagnosis.first().map(|f| f.what);
        assert_eq!(first, Some(What::Change), "{seed}: {:?}", fit.warnings);
        assert!(fit.warnings.iter().any(|w| w.contains(said)), "{seed}: {:?}", fit.warnings);
        assert!(fit.is_divided() && fit.friction_seen, "{seed}");
        assert_eq!(fit.states, states, "{seed}");
        let written = serde_json::to_value(&fit).unwrap();
        assert_eq!(written["states"], states.name(), "{seed}");
        let p = &fit.parameters;
        for e in [&p.z0, &p.K, &p.f_d, &p.f_s, &p.beta, &fit.f_s_over_K, &fit.f_d_over_K] {
            assert!(e.value.is_none() && e.ci95.is_none(), "{seed}: {e:?}");
            let reason = e.reason.as_deref().unwrap_or_default();
            assert!(reason.contains("no single set of numbers"), "{seed}: {e:?}");
        }
    }
}

/// Where nothing changes the numbers stand, and hold the truth; one change is a finding, and its numbers are kept for who looks
/// for them.
#[test]
fn one_change_or_none_withholds_no_number() {
    let truth = bearing();
    let fit = diagnosed(&made(23, |_| 1.0));
    assert!(fit.states == States::One && fit.diagnosis.is_empty(), "{:?}", fit.warnings);
    let [low, high] = fit.f_s_over_K.ci95.unwrap();
    let travel = truth.breakaway / truth.stiffness;
    assert!(low <= travel && travel <= high, "{low} {travel} {high}");
    let fit = diagnosed(&made(13, steps(&[(0.5, 1.3)])));
    assert_eq!(fit.diagnosis.first().map(|f| f.what), Some(What::Change), "{:?}", fit.warnings);
    assert!(fit.states == States::Two && fit.f_s_over_K.value.is_some(), "{:?}", fit.f_s_over_K);
}

/// Half-way through, the response counts 1.3 times or −1 times what it did, the temperature comes in °F, or the deck expands 1.2
/// times as much: each is named, and no friction that has changed is.
#[test]
fn another_gain_unit_sign_or_expansion_is_named() {
    let middle = |values: &mut [f64], change: &dyn Fn(f64) -> f64| {
        let half = values.len() / 2;
        values[half..].iter_mut().for_each(|v| *v = change(*v));
    };
    for (seed, name, what) in [
        (31, "gain", What::Gain),
        (32, "sign", What::Gain),
        (33, "unit", What::Gain),
        (34, "expansion", What::Expansion),
    ] {
        let days = sized(180.0, 365.0);
        let mut made = made_in(days, seed, |_| 1.0);
        match name {
            "gain" => middle(&mut made.response, &|z| 1.3 * z),
            "sign" => middle(&mut made.response, &|z| -z),
            "unit" => middle(&mut made.drive, &|t| 1.8 * t + 32.0),
            // A deck that expands more is one under larger changes of temperature.
            _ => {
                let half = made.drive.len() / 2;
                let at = made.drive[half];
                let mut effective = made.drive.clone();
                middle(&mut effective, &|t| at + 1.2 * (t - at));
                made.response = respond_by(&bearing(), &effective, |_| 1.0, 700 + seed);
            }
        }
        let series = Series::new(&made.time, &made.drive, &made.response).unwrap();
        let fit = calibrate(&series, &ThermalBearing::default(), &Options::default()).unwrap();
        let first = fit.diagnosis.first();
        assert_eq!(first.map(|f| f.what), Some(what), "{name}: {:?}", fit.warnings);
        let day = first.unwrap().time.unwrap() / DAY;
        assert!((day - 0.5 * days).abs() < 10.0, "{name}: {day} {:?}", fit.warnings);
        let ratio = first.unwrap().estimate.as_ref().unwrap().value.unwrap();
        let truth = match name {
            "gain" => 1.3,
            "sign" => -1.0,
            "unit" => 1.0 / 1.8,
            _ => 1.2,
        };
        assert!((ratio / truth - 1.0).abs() < 0.05, "{name}: {ratio}");
    }
}

/// 200 fresh records of each kind: how many changes are found, and how many of their intervals hold.
#[test]
#[ignore = "hours: a campaign"]
fn changes_of_fresh_records() {
    let seeds =
        std::env::var("STICKSLIP_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(200u64);
    let kinds: [(&str, &'static [(f64, f64)]); 5] = [
        ("none", &[]),
        ("one, +30 %", &[(0.5, 1.3)]),
        ("+25 %, -28 %", &[(0.33, 1.25), (0.66, 0.9)]),
        ("+30 %, back", &[(0.35, 1.3), (0.65, 1.0)]),
        ("+20 %, +25 %", &[(0.4, 1.2), (0.7, 1.5)]),
    ];
    for (name, all) in kinds {
        let (mut right, mut held, mut counted, mut false_alarms) = (0, 0, 0, 0);
        for seed in 0..seeds {
            let (_, seen) = found(&made(9000 + seed, steps(all)));
            let exact = seen.len() == all.len() && seen.iter().all(|c| !c.gradual);
            right += usize::from(exact);
            false_alarms += usize::from(seen.len() > all.len());
            if exact {
                let mut before = 1.0;
                for (c, (_, to)) in seen.iter().zip(all) {
                    held += usize::from(holds(c, to / before));
                    counted += 1;
                    before = *to;
                }
            }
        }
        println!(
            "{name}: right {right} of {seeds}, more than there are {false_alarms}, intervals {held} of {counted}"
        );
    }
    for end in [1.5f64, 0.65] {
        let (mut gradual, mut held) = (0, 0);
        for seed in 0..seeds {
            let (_, seen) = found(&made(9500 + seed, |share| end.powf(share)));
            if let [one] = seen.as_slice()
                && one.gradual
            {
                gradual += 1;
                held += usize::from(holds(one, end));
            }
        }
        println!("steadily to {end}: gradual {gradual} of {seeds}, intervals {held}");
    }
}
