//! How often 95 % intervals hold the truth, faults are named, and changes are found.
//!
//! `cargo bench -p stickslip-calibrate --bench coverage -- records [case,case,…] [first]`; without a number of records, as where cargo
//! runs every bench, it does nothing.
//!
//! Twin records of a bearing with known friction (K = 1.89·10⁸ N/m, f_s = 470 kN, f_d = 420 kN, β = 0.3 mm/K,
//! K_BP = 2·10⁹ N/m; 200 days, hourly, noise of 0.05 mm unless the case says otherwise) under measured temperature where the
//! folder STICKSLIP_DATA holds it, and under made-up weather elsewhere. Their generator shares nothing with the library.
//! `all four`: records whose four intervals all hold the truth; `flagged`: records with a warning or a number that is
//! withheld; `unseen`: records with a wrong interval and no warning ("all is well", which is not true).
//!
//! `changes` is the name of the study of changes over time; with STICKSLIP_CHANGED set it leaves out the records that do not change.
//! STICKSLIP_SHOW prints a line for every record.

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]
#![allow(clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::twin::{DAY, HOUR, Record, bearing, behind, changed, measured, temperature};
use common::{Noise, respond};
use rayon::prelude::*;
use std::time::Instant;
use stickslip_calibrate::{
    Change, Estimate, Fit, Lag, Options, Series, Shift, ThermalBearing, Trend, calibrate, changes,
};

/// The first seed: the thresholds of the library were set on records with seeds below 1000.
const FIRST: u64 = 10_000;

/// One line of the table.
struct Case {
    name: &'static str,
    /// Time between rows, s, and length, days.
    grid: (f64, f64),
    /// Standard deviation of the response's noise, m.
    noise: f64,
    /// What happens to the record.
    fault: fn(Record, u64) -> Record,
    /// How it is fitted.
    options: fn() -> Options,
    /// What must be named first.
    named: Option<&'static str>,
}

fn usual() -> Options {
    Options::default()
}

fn coloured(mut record: Record, seed: u64) -> Record {
    let clean = respond(&record.truth, &record.drive, 0.0, 1);
    let (mut draw, mut state) = (Noise::new(seed + 300), 0.0);
    let innovation = (1.0f64 - 0.81).sqrt();
    for (z, clean) in record.response.iter_mut().zip(clean) {
        state = 0.9 * state + innovation * 5e-5 * draw.normal();
        *z = clean + state;
    }
    record
}

fn lagging(mut record: Record, seed: u64) -> Record {
    let step = record.time[1] - record.time[0];
    let deck = behind(&record.drive, step, 2.0 * HOUR);
    record.response = respond(&record.truth, &deck, 5e-5, 400 + seed);
    record
}

fn grown(mut record: Record, seed: u64, factor: f64) -> Record {
    record.response = changed(record.truth, &record.drive, factor, 0.5, 5e-5, 500 + seed);
    record
}

fn few_slips(mut record: Record, seed: u64) -> Record {
    let truth = common::Truth { breakaway: 8.2e5, dynamic: 7.3e5, ..record.truth };
    record.response = respond(&truth, &record.drive, 5e-5, 600 + seed);
    Record { truth, ..record }
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let hourly = (HOUR, 200.0);
    let plain: fn(Record, u64) -> Record = |r, _| r;
    let case = |name, fault, named| Case { name, grid: hourly, noise: 5e-5, fault, options: usual, named };
    let noisy = |name, noise| Case { noise, ..case(name, plain, None) };
    let sampled = |name, step, days| Case { grid: (step, days), ..case(name, plain, None) };
    vec![
        case("clean", plain, None),
        noisy("noise 0.02 mm", 2e-5),
        noisy("noise 0.2 mm", 2e-4),
        case("AR(1) 0.9", coloured, None),
        case("rounded 0.1 mm", |r, _| r.rounded(1e-4), None),
        case("rounded 0.2 mm", |r, _| r.rounded(2e-4), None),
        case("rounded 0.5 mm", |r, _| r.rounded(5e-4), None),
        case("thermometer 0.05", |r, s| r.thermometer(0.05, s), None),
        case("thermometer 0.1", |r, s| r.thermometer(0.1, s), None),
        case("thermometer 0.2", |r, s| r.thermometer(0.2, s), None),
        case("spikes 1 %", |r, s| r.spiked(0.01, s), Some("spikes")),
        case("spikes 5 %", |r, s| r.spiked(0.05, s), Some("spikes")),
        case("missing 30 %", |r, s| r.holes(0.3, s), None),
        case("few slips", few_slips, None),
        sampled("every 10 min", 600.0, 200.0),
        sampled("every 3 h", 3.0 * HOUR, 300.0),
        Case { options: || Options { lag: Lag::Fitted, ..usual() }, ..case("lag fitted", lagging, None) },
        Case { options: || Options { shift: Shift::Fitted, ..usual() }, ..case("shift fitted", |r, _| r.shifted(1), None) },
        Case { options: || Options { trend: Trend { drift: true, ..Trend::default() }, ..usual() }, ..case("drift fitted", |r, _| r.drifting(3e-4), None) },
        case("step 0.5 mm", |r, _| r.reset(5e-4, 0.37), Some("step")),
        case("drift 0.3 mm/a", |r, _| r.drifting(3e-4), Some("drift")),
        case("lag 2 h", lagging, Some("lag")),
        case("an hour late", |r, _| r.shifted(1), Some("shift")),
        case("an hour early", |r, _| r.shifted(-1), Some("shift")),
        case("friction x 1.3", |r, s| grown(r, s, 1.3), Some("change")),
        case("codes in 1 %", |r, s| r.sentinels(-0.999, 0.01, s), Some("sentinels")),
    ]
}

/// What is estimated, with the truth.
fn estimates<'a>(record: &Record, fit: &'a Fit) -> [(&'a Estimate, f64); 4] {
    let t = record.truth;
    [
        (&fit.f_s_over_K, t.breakaway / t.stiffness),
        (&fit.f_d_over_K, t.dynamic / t.stiffness),
        (&fit.parameters.beta, t.beta),
        (&fit.parameters.K, t.stiffness),
    ]
}

/// What one record says.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Whether the interval holds the truth; `None`: no interval is given. f_s/K, f_d/K, β, K.
    held: [Option<bool>; 4],
    flagged: bool,
    first: Option<&'static str>,
    seconds: f64,
    line: String,
}

impl Seen {
    fn of(record: &Record, fit: &Fit, seconds: f64) -> Self {
        let held = estimates(record, fit)
            .map(|(e, truth)| e.ci95.map(|[low, high]| low <= truth && truth <= high));
        let flagged = !fit.warnings.is_empty() || !fit.f_s_over_K.identifiable;
        let first = fit.diagnosis.first().map(|f| f.what.name());
        Self { held, flagged, first, seconds, line: line(record, fit) }
    }

    /// Whether an interval is wrong.
    fn wrong(&self) -> bool {
        self.held.contains(&Some(false))
    }
}

/// Relative errors and standard errors in percent, the noise of the drive, warnings.
fn line(record: &Record, fit: &Fit) -> String {
    let number = |(e, truth): (&Estimate, f64)| match (e.value, e.stderr) {
        (Some(v), Some(s)) => {
            format!(" {:+.3}/{:.3}", 100.0 * (v / truth - 1.0), 100.0 * s / truth)
        }
        _ => " –".to_owned(),
    };
    let numbers: String = estimates(record, fit).into_iter().map(number).collect();
    format!("{numbers} slips {} noise {:?} {:?}", fit.slips, fit.drive_noise, fit.warnings)
}

/// A share in per cent.
fn share(n: usize, of: usize) -> String {
    match of {
        0 => "    –".to_owned(),
        _ => format!("{:5.1}", 100.0 * n as f64 / of as f64),
    }
}

/// A line of the table.
fn row(case: &Case, all: &[Seen]) -> String {
    let count = |f: &dyn Fn(&Seen) -> bool| all.iter().filter(|s| f(s)).count();
    let mut cells: Vec<String> = (0..4)
        .map(|k| share(count(&|s| s.held[k] == Some(true)), count(&|s| s.held[k].is_some())))
        .collect();
    let n = all.len();
    cells.push(share(count(&|s| !s.wrong()), n));
    cells.push(share(count(&|s| s.flagged), n));
    cells.push(share(count(&|s| s.wrong() && !s.flagged), n));
    cells.push(
        case.named.map_or("    –".to_owned(), |name| share(count(&|s| s.first == Some(name)), n)),
    );
    cells.push(share(count(&|s| s.first.is_some()), n));
    cells.push(format!("{:5.2}", all.iter().map(|s| s.seconds).sum::<f64>() / n as f64));
    format!("| {:16} | {n:4} | {} |", case.name, cells.join(" | "))
}

/// One record of a case.
fn one(case: &Case, air: Option<&[f64]>, seed: u64) -> Seen {
    let (step, days) = case.grid;
    let air = temperature(air, days, step, seed);
    let record = (case.fault)(Record::new(bearing(), air, case.noise, seed), seed);
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let start = Instant::now();
    let fit = calibrate(&series, &model(), &(case.options)()).unwrap();
    Seen::of(&record, &fit, start.elapsed().as_secs_f64())
}

fn model() -> ThermalBearing {
    ThermalBearing { bearing_stiffness: Some(bearing().bearing), ..Default::default() }
}

fn main() {
    // Cargo adds a flag of its own.
    let given: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let Some(records) = given.first().and_then(|n| n.parse::<u64>().ok()) else {
        println!("coverage: give the number of records of each case, as in `-- 200`");
        return;
    };
    let wanted = given.get(1).cloned().unwrap_or_default();
    let first: u64 = given.get(2).and_then(|n| n.parse().ok()).unwrap_or(FIRST);
    let wants = |name: &str| wanted.is_empty() || wanted.split(',').any(|w| name.starts_with(w));
    let air = measured();
    let weather = if air.is_some() { "measured temperature" } else { "made-up weather" };
    println!("{records} records a case from seed {first} on, {weather}; shares in %\n");
    println!(
        "| case             |    n | f_s/K | f_d/K |  beta |     K | all four | flagged | unseen | named | anything named | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let shown = std::env::var_os("STICKSLIP_SHOW").is_some();
    for case in cases().iter().filter(|c| wants(c.name)) {
        let seeds: Vec<u64> = (first..first + records).collect();
        let all: Vec<Seen> =
            seeds.par_iter().map(|seed| one(case, air.as_deref(), *seed)).collect();
        if shown {
            for (seed, seen) in seeds.iter().zip(&all) {
                println!("# {} {seed}: {:?}{}", case.name, seen.held, seen.line);
            }
        }
        println!("{}", row(case, &all));
    }
    if wants("changes") {
        over_time(air.as_deref(), first..first + records, shown);
    }
}

/// A record of 200 days whose friction is 1.2 times as large in its last 60, or not.
fn late_change(air: Option<&[f64]>, seed: u64, factor: f64) -> (Record, Vec<f64>) {
    let plain = Record::new(bearing(), temperature(air, 200.0, HOUR, seed), 5e-5, seed);
    let slips = |record: &Record| -> Vec<f64> {
        let clean = changed(record.truth, &record.drive, factor, 0.7, 0.0, 1);
        let jump =
            0.3 * 2.0 * (record.truth.breakaway - record.truth.dynamic) / record.truth.stiffness;
        let moved = |i: &usize| (clean[*i] - clean[*i - 1]).abs() > jump;
        (1..clean.len()).filter(moved).map(|i| record.time[i]).collect()
    };
    let at = slips(&plain);
    let response = changed(plain.truth, &plain.drive, factor, 0.7, 5e-5, 500 + seed);
    (Record { response, ..plain }, at)
}

/// What is found in a record, with the instants of the slips that happened.
type Changed = (Vec<Change>, Vec<f64>);

/// The changes that are found in a record.
fn watched(record: &Record) -> Vec<Change> {
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let options = Options { diagnose: false, ..usual() };
    let whole = calibrate(&series, &model(), &options).unwrap();
    changes(&series, &options, &whole).unwrap()
}

/// False alarms on records that do not change, with noise of `sigma` K on their thermometer.
fn unchanged(air: Option<&[f64]>, seeds: &[u64], sigma: f64, shown: bool) {
    let steady = |seed: &u64| -> Vec<Change> {
        let record = Record::new(bearing(), temperature(air, 200.0, HOUR, *seed), 5e-5, *seed);
        watched(&if sigma > 0.0 { record.thermometer(sigma, *seed) } else { record })
    };
    let still: Vec<Vec<Change>> = seeds.par_iter().map(steady).collect();
    if shown {
        for (seed, still) in seeds.iter().zip(&still) {
            println!("# {seed}: steady {still:?}");
        }
    }
    let alarms = still.iter().filter(|c| !c.is_empty()).count();
    let years = seeds.len() as f64 * 200.0 / 365.25;
    println!(
        "\nunchanged, thermometer noise {sigma} K: {alarms} records of {} with a change, {:.2} % a record-year",
        seeds.len(),
        100.0 * alarms as f64 / years
    );
}

/// False alarms, and changes by a fifth that are found within 60 days.
fn over_time(air: Option<&[f64]>, seeds: std::ops::Range<u64>, shown: bool) {
    const CHANGE: f64 = 140.0 * DAY;
    let seeds: Vec<u64> = seeds.collect();
    let noises: &[f64] =
        if std::env::var_os("STICKSLIP_CHANGED").is_some() { &[] } else { &[0.0, 0.1] };
    for sigma in noises {
        unchanged(air, &seeds, *sigma, shown);
    }
    let grown = |seed: &u64| -> Changed {
        let (record, slips) = late_change(air, *seed, 1.2);
        (watched(&record), slips)
    };
    let all: Vec<Changed> = seeds.par_iter().map(grown).collect();
    if shown {
        for (seed, (found, slips)) in seeds.iter().zip(&all) {
            let later = slips.iter().filter(|t| **t > CHANGE).count();
            println!("# {seed}: {later} slips of {}, {found:?}", slips.len());
        }
    }
    for least in [1, 3, 6] {
        let later = |slips: &[f64]| slips.iter().filter(|t| **t > CHANGE).count() >= least;
        let those: Vec<&Changed> = all.iter().filter(|c| later(&c.1)).collect();
        let count = |f: &dyn Fn(&Change, &[f64]) -> bool| {
            those.iter().filter(|(c, slips)| c.first().is_some_and(|c| f(c, slips))).count()
        };
        // Between two slips nothing can be known.
        let dated = |c: &Change, slips: &[f64]| {
            let before = slips.iter().rev().find(|t| **t <= CHANGE).unwrap_or(&CHANGE);
            let after = slips.iter().find(|t| **t > CHANGE).unwrap_or(&CHANGE);
            (before - 10.0 * DAY..=after + 10.0 * DAY).contains(&c.time)
        };
        println!(
            "friction x 1.2 in the last 60 days, with {least} slips or more there ({} records): found {} %, date within \
             ten days of slips {} %, interval of the date holds it {} %, interval of the size {} %",
            those.len(),
            share(count(&|_, _| true), those.len()).trim(),
            share(count(&dated), those.len()).trim(),
            share(count(&|c, _| (c.between[0]..=c.between[1]).contains(&CHANGE)), those.len())
                .trim(),
            share(count(&|c, _| (c.low..=c.high).contains(&1.2)), those.len()).trim(),
        );
    }
}
