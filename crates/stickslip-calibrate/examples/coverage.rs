//! How often 95 % intervals hold the truth, faults are named, and changes are found.
//!
//! `cargo run --release -p stickslip-calibrate --example coverage -- [records] [case,case,…] [first]`
//!
//! Twin records of a bearing with known friction (K = 1.89·10⁸ N/m, f_s = 470 kN, f_d = 420 kN, β = 0.3 mm/K,
//! K_BP = 2·10⁹ N/m; 200 days, hourly, noise of 0.05 mm unless the case says otherwise) under measured temperature where the
//! folder STICKSLIP_DATA holds it, and under made-up weather elsewhere. Their generator shares nothing with the library.
//! `flagged`: records with a warning or a number that is withheld; `unseen`: records with a wrong interval and no
//! warning ("all is well", which is not true).
#![allow(clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::twin::{DAY, HOUR, Record, bearing, behind, changed, measured, temperature};
use common::{Noise, respond};
use stickslip_calibrate::{
    Estimate, Fit, Lag, Options, Series, Shift, ThermalBearing, Trend, calibrate, changes,
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
        Case { options: || Options { trend: Trend { drift: true, steps: vec![] }, ..usual() }, ..case("drift fitted", |r, _| r.drifting(3e-4), None) },
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

/// One record: relative errors and standard errors in percent, the noise of the drive, warnings.
fn show(case: &Case, seed: u64, record: &Record, fit: &Fit) {
    print!("# {} {seed}:", case.name);
    for (e, truth) in estimates(record, fit) {
        match (e.value, e.stderr) {
            (Some(v), Some(s)) => {
                print!(" {:+.3}/{:.3}", 100.0 * (v / truth - 1.0), 100.0 * s / truth)
            }
            _ => print!(" –"),
        }
    }
    println!(" noise {:?} {:?}", fit.drive_noise, fit.warnings);
}

/// What a case counts.
#[derive(Default)]
struct Count {
    records: usize,
    /// Inside and known: f_s/K, f_d/K, β, K.
    inside: [[usize; 2]; 4],
    flagged: usize,
    unseen: usize,
    named: usize,
    something: usize,
}

impl Count {
    fn add(&mut self, case: &Case, record: &Record, fit: &Fit) {
        let mut wrong = false;
        for ((e, truth), count) in estimates(record, fit).into_iter().zip(&mut self.inside) {
            if let Some([low, high]) = e.ci95 {
                let hit = low <= truth && truth <= high;
                count[0] += usize::from(hit);
                count[1] += 1;
                wrong |= !hit;
            }
        }
        let flagged = !fit.warnings.is_empty() || !fit.f_s_over_K.identifiable;
        self.records += 1;
        self.flagged += usize::from(flagged);
        self.unseen += usize::from(wrong && !flagged);
        let first = fit.diagnosis.first().map(|f| f.what.name());
        self.named += usize::from(first.is_some() && first == case.named);
        self.something += usize::from(first.is_some());
    }

    fn print(&self, case: &Case) {
        let share = |n: usize, of: usize| match of {
            0 => "    –".to_owned(),
            _ => format!("{:5.1}", 100.0 * n as f64 / of as f64),
        };
        let inside: Vec<String> = self.inside.iter().map(|c| share(c[0], c[1])).collect();
        let n = self.records;
        println!(
            "| {:16} | {n:4} | {} | {} | {} | {} | {} |",
            case.name,
            inside.join(" | "),
            share(self.flagged, n),
            share(self.unseen, n),
            case.named.map_or("    –".to_owned(), |_| share(self.named, n)),
            share(self.something, n),
        );
    }
}

fn main() {
    let argument = |i: usize| std::env::args().nth(i);
    let records: u64 = argument(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let wanted = argument(2).unwrap_or_default();
    let first = argument(3).and_then(|n| n.parse().ok()).unwrap_or(FIRST);
    let wants = |name: &str| wanted.is_empty() || wanted.split(',').any(|w| name.starts_with(w));
    let air = measured();
    let weather = if air.is_some() { "measured temperature" } else { "made-up weather" };
    println!("{records} records a case, {weather}; shares in %\n");
    println!(
        "| case             |    n | f_s/K | f_d/K |  beta |     K | flagged | unseen | named | anything named |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let model = ThermalBearing { bearing_stiffness: Some(bearing().bearing), ..Default::default() };
    for case in cases().iter().filter(|c| wants(c.name)) {
        let mut count = Count::default();
        for seed in first..first + records {
            let (step, days) = case.grid;
            let air = temperature(air.as_deref(), days, step, seed);
            let record = (case.fault)(Record::new(bearing(), air, case.noise, seed), seed);
            let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
            let fit = calibrate(&series, &model, &(case.options)()).unwrap();
            if std::env::var_os("STICKSLIP_SHOW").is_some() {
                show(case, seed, &record, &fit);
            }
            count.add(case, &record, &fit);
        }
        count.print(case);
    }
    if wants("changes over time") {
        over_time(air.as_deref(), first..first + records, &model);
    }
}

/// False alarms on records that do not change, and changes by a fifth that are found.
fn over_time(air: Option<&[f64]>, seeds: std::ops::Range<u64>, model: &ThermalBearing) {
    let (mut alarms, mut found, mut dated, mut covered) = (0, 0, 0, 0);
    let records = seeds.end - seeds.start;
    for seed in seeds {
        let plain = Record::new(bearing(), temperature(air, 200.0, HOUR, seed), 5e-5, seed);
        for (record, factor) in [(plain.clone(), 1.0), (grown(plain, seed, 1.2), 1.2)] {
            let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
            let options = Options { diagnose: false, ..usual() };
            let whole = calibrate(&series, model, &options).unwrap();
            let seen = changes(&series, &options, &whole).unwrap();
            if factor == 1.0 {
                alarms += usize::from(!seen.is_empty());
            } else if let Some(c) = seen.first() {
                found += 1;
                let margin = 10.0 * DAY;
                let between = c.between[0] - margin..=c.between[1] + margin;
                dated += usize::from(between.contains(&(100.0 * DAY)));
                covered += usize::from((c.low..=c.high).contains(&factor));
            }
        }
    }
    println!(
        "\nchanges over time: {alarms} false alarms in {records} records of 200 days; friction x 1.2 found in {found} of \
         {records}, its date within ten days of its interval in {dated}, its size inside the interval in {covered}"
    );
}
