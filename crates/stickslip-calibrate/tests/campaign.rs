//! What calibrations say of random records, against the truth that the records were made from: verdicts, findings and intervals.
//!
//! The numbers of each kind of record, its noise and its law are drawn; so is whether there is dry friction at all. By hand:
//! `STICKSLIP_PROBLEMS=1000 cargo test -p stickslip-calibrate --test all campaign -- --ignored --nocapture`; with
//! `STICKSLIP_FIRST=1000` it goes on from there, for a record is its number.

use crate::common::twin::{DAY, HOUR, Record, bearing, behind, changed, temperature, varying};
use crate::common::{Noise, Truth, respond};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use stickslip::scheme::oscillator::exact;
use stickslip::study::parallel;
use stickslip::{EventKind, Law, Oscillator, Signal};
use stickslip_calibrate::friction_curve::{Asked, Record as Rows, friction_curve};
use stickslip_calibrate::hysteresis::{Hysteresis, hysteresis};
use stickslip_calibrate::pulled_slider::{FALSE_ALARMS, PulledSlider, slider};
use stickslip_calibrate::rigid_drive::{RigidDrive, drive};
use stickslip_calibrate::valve::valve;
use stickslip_calibrate::{
    Estimate, Options, Series, ThermalBearing, Unwatched, What, calibrate, windows,
};

/// Records to a thread at a time.
const SHARE: u64 = 5;

/// Does `one` of the records of a campaign, on every core, and adds up what was said.
pub fn campaign(one: impl Fn(u64, &mut Tally) + Sync) -> Tally {
    let of = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = of("STICKSLIP_FIRST").unwrap_or(0);
    let end = first + of("STICKSLIP_PROBLEMS").unwrap_or(40);
    let shares = (first..end).step_by(SHARE as usize).collect();
    let found = parallel::over(shares, |from: u64| {
        let mut tally = Tally::default();
        (from..(from + SHARE).min(end)).for_each(|seed| one(seed, &mut tally));
        tally
    });
    let mut all = Tally::default();
    for tally in found {
        tally.counts.into_iter().for_each(|(what, n)| *all.counts.entry(what).or_default() += n);
        all.wrong.extend(tally.wrong);
    }
    all
}

/// What was said, and what of it was false.
#[derive(Default)]
pub struct Tally {
    counts: BTreeMap<&'static str, u64>,
    wrong: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// A verdict, and whether it is true.
    pub fn said(
        &mut self,
        seed: u64,
        what: &'static str,
        holds: bool,
        detail: &dyn std::fmt::Debug,
    ) {
        self.add(what);
        if !holds {
            self.wrong.push(format!("seed {seed}: {what}: {detail:?}"));
        }
    }

    /// A judgement by statistics, which by its own criterion is against the truth in one record of a hundred at most.
    pub fn judged(
        &mut self,
        seed: u64,
        what: &'static str,
        holds: bool,
        detail: &dyn std::fmt::Debug,
    ) {
        self.add("judgements");
        self.add(what);
        if !holds {
            self.add("judgements against the truth");
            println!("  seed {seed}: {what}: {detail:?}");
        }
    }

    /// An interval that is to hold the truth in 95 of 100 records.
    pub fn interval(&mut self, e: &Estimate, truth: f64) {
        let Some([low, high]) = e.ci95.filter(|_| e.value.is_some()) else {
            return self.add("numbers that are not given");
        };
        self.add("intervals");
        if !(low <= truth && truth <= high) {
            self.add("intervals without the truth");
        }
    }

    pub fn of(&self, what: &str) -> f64 {
        self.counts.get(what).copied().unwrap_or_default() as f64
    }

    /// No verdict is false, and no more intervals miss the truth than one in twenty and three standard errors.
    pub fn check(&self, name: &str) {
        println!("{name}: {:?}", self.counts);
        self.wrong.iter().for_each(|w| println!("  FALSE {w}"));
        let n = self.of("intervals");
        let most = 0.05 * n + 3.0 * (0.0475 * n).sqrt() + 1.0;
        assert!(self.of("intervals without the truth") <= most, "{name}: {:?}", self.counts);
        let n = self.of("judgements");
        let most = 0.01 * n + 3.0 * (0.01 * n).sqrt() + 1.0;
        assert!(self.of("judgements against the truth") <= most, "{name}: {:?}", self.counts);
        assert!(self.wrong.is_empty(), "{name}: {} of {:?}", self.wrong.len(), self.counts);
    }
}

/// Bearings with friction, without any, and stuck; with nothing else in the record.
#[test]
#[ignore = "a campaign"]
fn campaign_of_bearings() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 9000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let breakaway = between(2e5, 8e5);
        let noise = 1e-5 * 20f64.powf(between(0.0, 1.0));
        let mut truth = Truth {
            breakaway,
            dynamic: breakaway * between(0.75, 0.98),
            beta: between(2e-4, 6e-4),
            start: between(-0.9, 0.9),
            ..Truth::default()
        };
        let kind = seed % 4;
        if kind == 2 {
            truth.breakaway = 8e6;
            truth.dynamic = 7e6;
            truth.start = 0.0;
        }
        let days = between(100.0, 250.0);
        let mut record = Record::new(truth, temperature(None, days, HOUR, seed), noise, seed);
        if kind == 1 {
            let mut free = Noise::new(seed + 77);
            let slide = |t: &f64| truth.z0 + truth.beta * t + noise * free.normal();
            record.response = record.drive.iter().map(slide).collect();
        }
        let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
        let model = ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() };
        let fit = calibrate(&series, &model, &Options::default()).unwrap();
        let unseen = fit.warnings.iter().any(|w| w.contains("no friction seen"));
        let named: Vec<&str> = fit.diagnosis.iter().map(|f| f.what.name()).collect();
        match kind {
            1 | 2 => {
                let what = if kind == 1 { "free bearings" } else { "stuck bearings" };
                tally.said(seed, what, !fit.friction_seen, &fit.warnings);
            }
            _ => {
                tally.said(seed, "bearings with friction", !unseen, &fit.warnings);
                tally.interval(&fit.f_s_over_K, truth.breakaway / truth.stiffness);
                tally.interval(&fit.f_d_over_K, truth.dynamic / truth.stiffness);
                tally.interval(&fit.parameters.beta, truth.beta);
            }
        }
        let strong = fit.diagnosis.first().is_some_and(|f| f.strength >= 0.2);
        tally.said(seed, "records with nothing else in them", !strong, &named);
    });
    tally.check("bearings");
}

/// Joints whose friction is viscous, dry or falling, the same in both directions or not.
#[test]
#[ignore = "a campaign"]
fn campaign_of_joints() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 1_000_000);
        let dry = if draw.unit() < 0.6 { 0.2 + 0.8 * draw.unit() } else { 0.0 };
        let viscous = 0.3 + draw.unit();
        let apart = if draw.unit() < 0.3 { 0.3 + 0.3 * draw.unit() } else { 0.0 };
        let noise = 0.02 + 0.08 * draw.unit();
        let velocity: Vec<f64> = (0..1200)
            .map(|_| (0.004 + 0.996 * draw.unit()) * (draw.unit() - 0.5).signum())
            .collect();
        // A constant is an offset of the sensor: what differs between the directions is the viscous part.
        let law = |v: f64| dry * v.signum() + viscous * v * if v > 0.0 { 1.0 + apart } else { 1.0 };
        let effort: Vec<f64> = velocity.iter().map(|v| law(*v) + noise * draw.normal()).collect();
        let rows = Rows { velocity: Some(&velocity), effort: &effort, ..Rows::default() };
        let found = friction_curve(&rows, &Asked::default()).unwrap();
        let of = |what: &str| found.answers.iter().find(|a| a.what == what).unwrap();
        let answer = of("dry-friction");
        match answer.verdict {
            "yes" => tally.judged(seed, "dry friction", dry > 0.0, &answer.sentence),
            "no" => tally.judged(seed, "no dry friction", dry == 0.0, &answer.sentence),
            _ => tally.add("not decided"),
        }
        let answer = of("by-direction");
        match answer.verdict {
            "yes" => tally.judged(seed, "differs by direction", apart > 0.0, &answer.sentence),
            "no" => tally.judged(seed, "alike in both directions", apart == 0.0, &answer.sentence),
            _ => tally.add("not decided"),
        }
    });
    tally.check("joints");
}

/// Joints whose friction bends upwards with the speed, falls near rest, does both or neither.
#[test]
#[ignore = "a campaign"]
fn campaign_of_curved_joints() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 6_000_000);
        let dry = if draw.unit() < 0.7 { 0.2 + 0.8 * draw.unit() } else { 0.0 };
        let viscous = 0.2 + draw.unit();
        let bent = if draw.unit() < 0.35 { 0.2 + 0.8 * draw.unit() } else { 0.0 };
        let falls = if draw.unit() < 0.35 { 0.2 + 0.5 * draw.unit() } else { 0.0 };
        let within = 0.02 + 0.1 * draw.unit();
        let noise = 0.01 + 0.05 * draw.unit();
        let velocity: Vec<f64> = (0..1200)
            .map(|_| (0.004 + 0.996 * draw.unit()) * (draw.unit() - 0.5).signum())
            .collect();
        let law = |v: f64| {
            (dry + falls * (-v.abs() / within).exp()) * v.signum()
                + viscous * v
                + bent * v * v.abs()
        };
        let effort: Vec<f64> = velocity.iter().map(|v| law(*v) + noise * draw.normal()).collect();
        let rows = Rows { velocity: Some(&velocity), effort: &effort, ..Rows::default() };
        let found = friction_curve(&rows, &Asked::default()).unwrap();
        for answer in &found.answers {
            let truth = [bent, falls];
            let (what, holds) = match (answer.what, answer.verdict) {
                ("dry-friction", "yes") => ("dry friction", dry > 0.0 || falls > 0.0),
                ("dry-friction", "no") => ("no dry friction", dry == 0.0),
                ("by-direction", "yes") => ("differs by direction", false),
                ("by-direction", "no") => ("alike in both directions", true),
                ("polynomial", "yes") => ("curved", truth != [0.0, 0.0]),
                ("polynomial", "no") => ("not curved", truth == [0.0, 0.0]),
                ("stribeck", "yes") if answer.sentence.contains("falls") => {
                    ("falls near rest", falls > 0.0)
                }
                ("stribeck", "yes") => ("rises steeply, then flattens", false),
                ("stribeck", "no") => ("does not fall", falls == 0.0),
                _ => ("not decided", true),
            };
            if what == "not decided" {
                tally.add(what);
            } else {
                tally.judged(seed, what, holds, &(&answer.sentence, dry, viscous, bent, falls));
            }
        }
    });
    tally.check("curved joints");
}

/// Bearings whose record has one thing in it that is none of the model: a clock, a lag, a reset, a drift, another friction, another
/// gain, creep. What is named is that thing.
#[test]
#[ignore = "a campaign"]
fn campaign_of_findings() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 7_000_000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let noise = between(2e-5, 8e-5);
        let side = between(-1.0, 1.0).signum();
        let share = between(0.3, 0.7);
        let truth = Truth { start: between(-0.9, 0.9), ..bearing() };
        let mut record = Record::new(truth, temperature(None, 160.0, HOUR, seed), noise, seed);
        let from = (share * record.time.len() as f64) as usize;
        let (name, truths): (_, &[What]) = match seed % 7 {
            0 => {
                record = record.shifted(side as i64);
                ("shift", &[What::Shift])
            }
            1 => {
                let deck = behind(&record.drive, HOUR, between(1.0, 4.0) * HOUR);
                record.response = respond(&truth, &deck, noise, seed);
                ("lag", &[What::Lag])
            }
            2 => {
                record = record.reset(side * between(5e-4, 3e-3), share);
                ("reset", &[What::Step])
            }
            3 => {
                record = record.drifting(side * between(1e-3, 4e-3));
                ("drift", &[What::Drift])
            }
            4 => {
                let factor = between(1.2, 1.5).powf(side);
                record.response = changed(truth, &record.drive, factor, share, noise, seed);
                ("another friction", &[What::Change])
            }
            5 => {
                let factor = between(1.15, 1.5).powf(side);
                record.response[from..].iter_mut().for_each(|z| *z *= factor);
                ("another gain", &[What::Gain])
            }
            _ => {
                let size = side * between(1e-3, 4e-3);
                let time = between(10.0, 40.0) * DAY;
                let settles = |t: &f64| size * (1.0 - (-t / time).exp());
                let creeps = record.response.iter_mut().zip(&record.time);
                creeps.for_each(|(z, t)| *z += settles(t));
                ("creep", &[What::Creep])
            }
        };
        let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
        let fit = calibrate(&series, &ThermalBearing::default(), &Options::default()).unwrap();
        tally.add(name);
        tally.said(seed, "friction is not denied", !fit.friction_denied, &fit.warnings);
        match fit.diagnosis.first() {
            None => tally.add("nothing is named"),
            Some(first) => {
                let named: Vec<_> = fit.diagnosis.iter().map(|f| (f.what, f.strength)).collect();
                // Where several explain nearly as much all are named, and the record does not decide.
                let holds = fit.diagnosis.iter().any(|f| truths.contains(&f.what));
                tally.said(seed, first.what.name(), holds, &(name, named));
            }
        }
    });
    tally.check("findings");
}

/// Records that creep, one in five; in the others the reading is reset or drifts, or the friction changes at once or steadily, anywhere in the
/// record. Creep is named where it is, and nowhere else.
#[test]
#[ignore = "a campaign"]
fn campaign_of_creep() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 8_000_000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let noise = between(2e-5, 8e-5);
        let side = between(-1.0, 1.0).signum();
        let share = between(0.08, 0.92);
        let truth = Truth { start: between(-0.9, 0.9), ..bearing() };
        let drive = temperature(None, between(120.0, 250.0), HOUR, seed + 500);
        let mut record = Record::new(truth, drive, noise, seed);
        let rows = record.time.len() as f64;
        let factor = between(1.2, 1.6).powf(side);
        let name = match seed % 5 {
            0 => {
                let size = side * between(1e-3, 4e-3);
                let time = between(0.06, 0.3) * record.time.last().unwrap();
                let settles = |t: &f64| size * (1.0 - (-t / time).exp());
                let creeps = record.response.iter_mut().zip(&record.time);
                creeps.for_each(|(z, t)| *z += settles(t));
                "creep"
            }
            1 => {
                record = record.reset(side * between(5e-4, 3e-3), share);
                "reset"
            }
            2 => {
                record = record.drifting(side * between(1e-3, 4e-3));
                "drift"
            }
            3 => {
                record.response = changed(truth, &record.drive, factor, share, noise, seed);
                "another friction"
            }
            _ => {
                let rises = |i: usize| 1.0 + (factor - 1.0) * i as f64 / rows;
                record.response = varying(truth, &record.drive, rises, noise, seed);
                "friction that grows or falls"
            }
        };
        let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
        let fit = calibrate(&series, &ThermalBearing::default(), &Options::default()).unwrap();
        tally.add(name);
        let named: Vec<_> = fit.diagnosis.iter().map(|f| (f.what, f.strength)).collect();
        if name == "creep" {
            let first = named.first().is_some_and(|f| f.0 == What::Creep);
            tally.add(if first { "creep is named first" } else { "creep is not named first" });
            if !first {
                println!("  seed {seed}: {named:?}");
            }
        }
        if named.iter().any(|f| f.0 == What::Creep) {
            tally.said(seed, "creep is named", name == "creep", &(name, named));
        }
    });
    let creeps = tally.of("creep");
    assert!(tally.of("creep is named first") >= 0.9 * creeps - 1.0, "{:?}", tally.counts);
    tally.check("creep");
}

/// A year of a bearing in windows of a month, with the same friction all the time or another one from some day on: changes where there is
/// one and at its time, and no window stands out beside.
#[test]
#[ignore = "a campaign"]
fn campaign_of_windows() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 9_000_000);
        let mut between = |a: f64, b: f64| a + (b - a) * draw.unit();
        let noise = between(2e-5, 8e-5);
        let factor = between(1.25, 1.6).powf(between(-1.0, 1.0).signum());
        let share = between(0.25, 0.75);
        let truth = Truth { start: between(-0.9, 0.9), ..bearing() };
        let mut record =
            Record::new(truth, temperature(None, 300.0, HOUR, seed + 900), noise, seed);
        let changes = seed % 2 == 0;
        if changes {
            record.response = changed(truth, &record.drive, factor, share, noise, seed);
        }
        let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
        let (model, options) = (ThermalBearing::default(), Options::default());
        let whole = calibrate(&series, &model, &options).unwrap();
        let length = 30.0 * DAY;
        let seen = windows(&series, &model, &options, &whole, length, length, &Unwatched).unwrap();
        tally.judged(seed, "windows that stand out", seen.alarms.is_empty(), &seen.alarms);
        if !changes {
            tally.judged(seed, "no change", seen.changes.is_empty(), &seen.changes);
            return;
        }
        let [change] = seen.changes.as_slice() else {
            let none = seen.changes.is_empty();
            tally.add(if none { "a change is not seen" } else { "several changes" });
            return;
        };
        tally.add("a change");
        let at = record.time[(share * record.time.len() as f64) as usize];
        for (low, high, truth) in [
            (change.low, change.high, factor),
            (change.between[0] - 1.0, change.between[1] + 1.0, at),
        ] {
            tally.add("intervals");
            if !(low <= truth && truth <= high) {
                tally.add("intervals without the truth");
            }
        }
    });
    let found = tally.of("a change");
    let others = tally.of("a change is not seen") + tally.of("several changes");
    assert!(found >= 9.0 * others, "{:?}", tally.counts);
    tally.check("windows");
}

/// Positioning axes with plain friction, and with friction that falls within a small velocity.
#[test]
#[ignore = "a campaign"]
fn campaign_of_drives() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 2_000_000);
        let mass = 20.0 + 150.0 * draw.unit();
        let coulomb = 5.0 + 30.0 * draw.unit();
        let viscous = 50.0 + 250.0 * draw.unit();
        let offset = 6.0 * (draw.unit() - 0.5);
        let falls = if draw.unit() < 0.4 { coulomb * (0.3 + 0.3 * draw.unit()) } else { 0.0 };
        let waves = [0.06, 0.02].map(|a: f64| (a * (0.7 + 0.6 * draw.unit()), TAU * draw.unit()));
        let rates = [1.0 + 0.3 * draw.unit(), 3.4 + 0.6 * draw.unit()];
        let [mut time, mut position, mut force] = [Vec::new(), Vec::new(), Vec::new()];
        for i in 0..20_000 {
            let t = 1e-3 * f64::from(i);
            let of = |k: i32| -> f64 {
                let one = |((a, p), w): (&(f64, f64), &f64)| {
                    a * w.powi(k) * (w * t + p + 0.5 * PI * f64::from(k)).sin()
                };
                waves.iter().zip(&rates).map(one).sum()
            };
            let (x, v, a) = (of(0), of(1), of(2));
            let rubs = (coulomb + falls * (-v.abs() / 0.02).exp()) * v.signum() + viscous * v;
            time.push(t);
            position.push(x + 2e-6 * draw.normal());
            force.push(mass * a + rubs + offset + draw.normal());
        }
        let found = drive(&time, &position, &force, None, &RigidDrive::default()).unwrap();
        let told =
            found.warnings.iter().any(|w| w.contains("the friction falls with the velocity"));
        if told {
            tally.said(seed, "falls with the velocity", falls > 0.0, &found.warnings);
        } else {
            tally.add(if falls > 0.0 { "falls, and nothing is said" } else { "plain" });
        }
        if falls == 0.0 {
            tally.said(seed, "nothing is remarked", found.warnings.is_empty(), &found.warnings);
            tally.interval(&found.parameters.coulomb, coulomb);
            tally.interval(&found.parameters.viscous, viscous);
        }
    });
    tally.check("drives");
}

/// Dampers: an element that slides, a spring and a dashpot, with and without a cubic spring.
#[test]
#[ignore = "a campaign"]
fn campaign_of_dampers() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 3_000_000);
        let limit = 20.0 + 40.0 * draw.unit();
        let yields = 2e-4 + 4e-4 * draw.unit();
        let spring = 2e3 + 6e3 * draw.unit();
        let dashpot = 200.0 * draw.unit();
        let bent = if draw.unit() < 0.3 { 2e8 + 2e8 * draw.unit() } else { 0.0 };
        let rates = [2.5 + draw.unit(), 0.5 + 0.4 * draw.unit()];
        let at = |t: f64| 5e-3 * (rates[0] * t).sin() + 2e-3 * (rates[1] * t).sin();
        let speed = |t: f64| {
            5e-3 * rates[0] * (rates[0] * t).cos() + 2e-3 * rates[1] * (rates[1] * t).cos()
        };
        let t: Vec<f64> = (0..3000).map(|i| 0.01 * f64::from(i)).collect();
        let x: Vec<f64> = t.iter().map(|t| at(*t)).collect();
        let mut stretch = 0.0f64;
        let mut before = at(0.0);
        let mut force = |t: &f64| {
            let now = at(*t);
            stretch = (stretch + now - before).clamp(-yields, yields);
            before = now;
            let curved = bent * now.powi(3);
            limit * stretch / yields
                + spring * now
                + dashpot * speed(*t)
                + curved
                + 0.5 * draw.normal()
        };
        let f: Vec<f64> = t.iter().map(&mut force).collect();
        let found = hysteresis(&t, &x, &f, &Hysteresis::default()).unwrap();
        let told = found.warnings.iter().any(|w| w.contains("does something else too"));
        if told {
            tally.said(seed, "does something else too", bent > 0.0, &found.warnings);
        } else {
            tally.said(seed, "nothing else is told", bent == 0.0, &found.warnings);
        }
        if bent == 0.0 {
            tally.interval(&found.parameters.friction, limit);
        }
    });
    tally.check("dampers");
}

/// Sliders that a spring pulls.
#[test]
#[ignore = "a campaign"]
fn campaign_of_pulled_sliders() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 4_000_000);
        let rig = PulledSlider {
            velocity: 4e-5 + 6e-5 * draw.unit(),
            stiffness: 120.0 + 200.0 * draw.unit(),
            mass: 0.02 + 0.03 * draw.unit(),
            gravity: 9.81,
            false_alarms: FALSE_ALARMS,
        };
        let dynamic = 0.2 + 0.2 * draw.unit();
        let breakaway = dynamic * (1.05 + 0.06 * draw.unit());
        let weight = rig.mass * rig.gravity;
        let law = Law::static_dynamic(breakaway * weight, dynamic * weight).unwrap();
        let pull = Signal::ramp(rig.velocity, 0.0);
        let o = Oscillator::new(rig.mass, rig.stiffness, law).with_drive(pull);
        let end = 60.0;
        let path = exact::solve(&o, end).unwrap();
        let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
        let time: Vec<f64> = (0..(end * 2000.0) as usize).map(|i| i as f64 / 2000.0).collect();
        let mut force = |t: &f64| {
            rig.stiffness * (rig.velocity * t - path.state(*t).x) / weight + 5e-4 * draw.normal()
        };
        let force: Vec<f64> = time.iter().map(&mut force).collect();
        let found = slider(&time, &force, &rig).unwrap();
        tally.said(seed, "slips are seen or not", found.slips_seen == (slips > 0), &slips);
        // The last slip may not be over before the record is.
        tally.said(
            seed,
            "slips are counted",
            found.slips.abs_diff(slips) <= 1,
            &(found.slips, slips),
        );
        tally.said(seed, "nothing is remarked", found.warnings.is_empty(), &found.warnings);
        if found.slips >= 4 {
            tally.interval(&found.parameters.mu_s, breakaway);
            tally.interval(&found.parameters.mu_d, dynamic);
        }
    });
    tally.check("pulled sliders");
}

/// Loops whose valve moves freely, with proportional or integral action, under a sine or noise from outside.
#[test]
#[ignore = "a campaign"]
fn campaign_of_free_valves() {
    let tally = campaign(|seed, tally| {
        let mut draw = Noise::new(seed + 5_000_000);
        let gain = 0.3 + 0.4 * draw.unit();
        let integral = 0.03 * draw.unit();
        let period = 40.0 + 60.0 * draw.unit();
        let sine = draw.unit() < 0.5;
        let lag = 1.0 - (-0.2 - 0.5 * draw.unit()).exp();
        let [mut value, mut out, mut sum, mut walk] = [0.0f64; 4];
        let t: Vec<f64> = (0..2000).map(f64::from).collect();
        let [mut u, mut y] = [Vec::new(), Vec::new()];
        for now in &t {
            walk = 0.95 * walk + 0.3 * draw.normal();
            let outside = if sine { 2.0 * (TAU * now / period).sin() } else { walk };
            value += (out + outside - value) * lag;
            let seen = value + 0.02 * draw.normal();
            sum += seen;
            out = -gain * seen - integral * sum;
            u.push(50.0 + out);
            y.push(seen);
        }
        let found = valve(&t, &u, &y, None).unwrap();
        tally.said(seed, "free valves", found.verdict != "sticks", &found.verdict);
        tally.add(if found.verdict == "does-not-stick" {
            "called free"
        } else {
            "nothing is said"
        });
    });
    tally.check("valves");
}
