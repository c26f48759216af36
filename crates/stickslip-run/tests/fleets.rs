//! Fleets of four to eight twin bearings with known friction: what the way a file is written, another bearing, and a change
//! say of one of them.

#![allow(clippy::disallowed_methods, reason = "twins need not have the same bits everywhere")]

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::sync::Mutex;
use stickslip_file::{Document, Journal, Memory, Reading};
use stickslip_run::{Context, Fleet, Input, Product, fleet};

/// A journal that lives as long as the test.
#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl Journal for Lines {
    fn lines(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn add(&self, line: &str) -> io::Result<()> {
        self.0.lock().unwrap().push(line.to_owned());
        Ok(())
    }
}

/// Uniform numbers that share nothing with the library's.
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// One bearing: what its sensor shows of it.
#[derive(Clone, Copy)]
struct Bearing {
    /// f_s/K, mm.
    breakaway: f64,
    /// mm/K.
    beta: f64,
    /// What the reading is multiplied by.
    gain: f64,
    /// Friction in the second half over that in the first.
    change: f64,
    /// Whether it changes after a third of the record in place of the half, and is what it was in the last third.
    back: bool,
    /// Length of its record.
    days: usize,
}

const USUAL: Bearing =
    Bearing { breakaway: 1.8, beta: 0.306, gain: 1.0, change: 1.0, back: false, days: 150 };

impl Bearing {
    /// Friction in a row over that in the first one.
    fn friction(&self, row: usize) -> f64 {
        let rows = 24 * self.days;
        let other = if self.back { rows / 3..2 * (rows / 3) } else { rows / 2..rows };
        if other.contains(&row) { self.change } else { 1.0 }
    }
}

/// `(temperature, displacement in mm)` by the rule of the stick-slip bearing, row by row.
fn record(bearing: &Bearing, seed: u64) -> Vec<(f64, f64)> {
    let mut draws = Draws(seed);
    let (mut slow, keep) = (0.0, (-1.0f64 / 48.0).exp());
    let mut x = 0.0;
    let mut sensor = Draws(seed + 1000);
    (0..24 * bearing.days)
        .map(|i| {
            let day = i as f64 / 24.0;
            slow = keep * slow + 3.5 * (1.0 - keep * keep).sqrt() * draws.normal();
            let sun = (std::f64::consts::TAU * (day + 0.1)).cos();
            let t = 11.0 - 4.0 * sun + slow;
            let by = bearing.friction(i);
            let (limit, jump) = (by * bearing.breakaway, 0.2 * by * bearing.breakaway);
            let mut stretch = bearing.beta * t - x;
            while stretch.abs() > limit {
                x += jump * stretch.signum();
                stretch = bearing.beta * t - x;
            }
            (t, bearing.gain * (9.7 + x + 0.0945 * stretch + 0.03 * sensor.normal()))
        })
        .collect()
}

/// How a logger writes its rows.
type Writer = fn(&[(f64, f64)]) -> String;

fn stamp(i: usize) -> String {
    let (mut day, hour) = (i / 24, i % 24);
    let mut month = 3;
    for length in [31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("2023-{month:02}-{:02}T{hour:02}:00:00Z", 1 + day)
}

fn plain(rows: &[(f64, f64)]) -> String {
    written(rows, ',', '.', "")
}

fn written(rows: &[(f64, f64)], separator: char, point: char, more: &str) -> String {
    let s = separator;
    let mut text = format!("time{s}temperature{s}displacement\n{more}");
    for (i, (t, z)) in rows.iter().enumerate() {
        let numbers = format!("{t:.3}{s}{z:.5}").replace('.', &point.to_string());
        let _ = writeln!(text, "{}{s}{numbers}", stamp(i));
    }
    text
}

fn run(bearings: &[Bearing], seed: u64, write: Writer) -> Product {
    let mut memory = Memory::default();
    for (i, bearing) in bearings.iter().enumerate() {
        let rows = record(bearing, seed + 10 * i as u64);
        memory.insert(format!("data/b{i}.csv"), write(&rows).as_bytes());
    }
    let text = "[data]\nfile = \"data/*.csv\"\ntime = \"time\"\ndrive = \"temperature\"\n\
                response = \"displacement\"\nresponse_unit = \"mm\"\n\
                [model]\nkind = \"thermal-bearing\"\n";
    let document = Document::parse("fleet.toml", text).unwrap();
    let reading = Reading::new(memory);
    let input = Input::new(&document, &reading);
    fleet(&Fleet::default(), &input, &Lines::default(), &Context::silent()).unwrap()
}

/// Bearings that differ as those of a bridge do.
fn healthy(count: usize, seed: u64) -> Vec<Bearing> {
    let mut draws = Draws(seed + 5);
    let mut by = || (0.3 * (draws.unit() - 0.5)).exp();
    (0..count).map(|_| Bearing { breakaway: 1.8 * by(), beta: 0.306 * by(), ..USUAL }).collect()
}

/// The rows of the table by the names of the columns.
fn table(product: &Product) -> Vec<HashMap<String, String>> {
    let mut bytes = Vec::new();
    product.table_named("fleet").unwrap().write_csv(&mut bytes).unwrap();
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

fn statuses(product: &Product) -> Vec<(String, String)> {
    table(product).iter().map(|r| (r["status"].clone(), r["reason"].clone())).collect()
}

/// However a logger writes healthy records, they are ok: how a file is written says nothing of a bearing.
#[test]
fn how_a_file_is_written_is_no_finding() {
    let ways: [(&str, Writer); 6] = [
        ("semicolons and decimal commas", |rows| written(rows, ';', ',', "")),
        ("tabs", |rows| written(rows, '\t', '.', "")),
        ("bars", |rows| written(rows, '|', '.', "")),
        ("a row of units", |rows| written(rows, ';', '.', ";°C;mm\n")),
        ("lines above the header", |rows| format!("Bridge\nLogger 7\n{}", plain(rows))),
        ("rows twice", |rows| {
            let text = plain(rows);
            let last = text.lines().last().unwrap().to_owned();
            format!("{text}{last}\n")
        }),
    ];
    for (k, (name, write)) in ways.into_iter().enumerate() {
        let seed = 300 + 1000 * k as u64;
        let product = run(&healthy(4, seed), seed, write);
        for (status, reason) in statuses(&product) {
            assert_eq!(
                (status.as_str(), reason.as_str()),
                ("ok", "Nothing in its record stands out."),
                "{name}"
            );
        }
        assert!(product.text.get().contains("No alarm"), "{}", product.text.get());
    }
}

/// A gap of 38 h in the temperature of the only bearing of a fleet is mentioned, and is no reason to watch it.
#[test]
fn a_gap_that_is_harmless_is_no_finding() {
    let with_gap: Writer = |rows| {
        let text = plain(rows);
        let blank = |(i, line): (usize, &str)| match line.split(',').collect::<Vec<_>>()[..] {
            [time, _, z] if (1000..1038).contains(&i) => format!("{time},,{z}\n"),
            _ => format!("{line}\n"),
        };
        text.lines().enumerate().map(blank).collect()
    };
    for seed in [61_000, 62_000] {
        let found = statuses(&run(&healthy(1, seed), seed, with_gap));
        assert_eq!(found[0].0, "ok", "{found:?}");
        assert!(found[0].1.contains("though the drive is missing for more than"), "{found:?}");
    }
}

/// Creep of 4 mm with a time constant of 30 days hides the friction: it is named, and that there is no friction is not said.
#[test]
fn friction_that_is_hidden_is_not_denied() {
    let creeps: Writer = |rows| {
        let crept =
            |(i, (t, z)): (usize, &(f64, f64))| (*t, z + 4.0 * (1.0 - (-(i as f64) / 720.0).exp()));
        plain(&rows.iter().enumerate().map(crept).collect::<Vec<_>>())
    };
    let found = statuses(&run(&healthy(1, 63_000), 63_000, creeps));
    assert_eq!(found[0].0, "watch", "{found:?}");
    let said = found[0].1.strip_prefix("the reading of the response creeps by ");
    let said = said.unwrap_or_else(|| panic!("{found:?}"));
    let number = |text: &str| text.split(' ').next().and_then(|t| t.parse::<f64>().ok()).unwrap();
    assert!((number(said) - 4.0).abs() < 0.04, "{said}");
    let (_, constant) = said.split_once("time constant of ").unwrap();
    assert!((number(constant) - 30.0).abs() < 1.0 && constant.contains("days"), "{said}");
}

/// A sensor in centimetres, with a tenth of the gain, or turned over, is looked at; the others are not.
#[test]
fn bearings_are_compared_with_each_other() {
    for (k, (gain, said)) in [
        (10.0, "times the median of the fleet"),
        (25.4, "times the median of the fleet"),
        (0.1, "of the median of the fleet"),
        (-1.0, "moves against the other bearings"),
    ]
    .into_iter()
    .enumerate()
    {
        for count in [4, 6] {
            let seed = 20_000 + 1000 * k as u64 + count;
            let mut all = healthy(count as usize, seed);
            all[1].gain = gain;
            let found = statuses(&run(&all, seed, plain));
            for (i, (status, reason)) in found.iter().enumerate() {
                let wanted = if i == 1 { "watch" } else { "ok" };
                assert_eq!(status, wanted, "gain {gain}, {count} bearings, b{i}: {reason}");
                assert!(i != 1 || reason.contains(said), "{reason}");
            }
        }
    }
}

/// Half of the bearings on either side of the fixed point: nothing stands out, and the fleet is told.
#[test]
fn either_side_of_the_fixed_point_is_healthy() {
    let mut all = healthy(4, 41_000);
    all[0].gain = -1.0;
    all[2].gain = -1.0;
    let product = run(&all, 41_000, plain);
    assert!(statuses(&product).iter().all(|s| s.0 == "ok"));
    assert!(product.text.get().contains("2 bearings move one way and 2 the other way"));
}

/// Before and after, each from its own rows: both intervals hold the truth, which one fit over both would not.
#[test]
fn a_changed_bearing_is_shown_before_and_after() {
    for (k, change) in [1.3, 1.5, 0.7].into_iter().enumerate() {
        let seed = 50_000 + 1000 * k as u64;
        let mut all = healthy(4, seed);
        all[2] = Bearing { change, ..USUAL };
        let product = run(&all, seed, plain);
        let rows = table(&product);
        let row = &rows[2];
        assert_eq!(row["status"], "alarm", "{}", row["reason"]);
        assert!(row["reason"].contains("mm before and is"), "{}", row["reason"]);
        let number = |name: &str| row[name].parse::<f64>().unwrap() * 1e3;
        let within = |name: &str, truth: f64| {
            let [low, high] = ["_low", "_high"].map(|end| number(&format!("{name}{end}")));
            // An interval of 95 % and a little more, since six are looked at.
            let more = 0.5 * (high - low);
            assert!(low - more <= truth && truth <= high + more, "{name} {low} {high} {truth}");
        };
        within("f_s_over_K_before", USUAL.breakaway);
        within("f_s_over_K", change * USUAL.breakaway);
        let share = [row["change_low"].clone(), row["change_high"].clone()];
        let [low, high] = share.map(|v| v.parse::<f64>().unwrap());
        assert!(0.2 < low && high < 4.0, "{low} {high}");
    }
}

/// Friction that rises by half after a third of the record and falls back after two thirds: halves and the whole of it hardly differ, and
/// yet both changes are found. The bearing has the same breakaway before the first and since the last of them, and
/// each interval holds it.
#[test]
fn changes_that_cancel_each_other_are_both_found() {
    let (seed, change, days) = (71_000, 1.5, 60);
    let product = run(&[Bearing { change, back: true, days, ..USUAL }], seed, plain);
    let row = &table(&product)[0];
    let (status, reason) = (&row["status"], &row["reason"]);
    assert_eq!(status, "alarm", "{reason}");
    assert!(reason.contains("That is the clearest of 2 changes in its record."), "{reason}");
    assert!(reason.contains("before the first and is"), "{reason}");
    for name in ["f_s_over_K_before", "f_s_over_K"] {
        let [low, high] =
            ["_low", "_high"].map(|end| 1e3 * row[&format!("{name}{end}")].parse::<f64>().unwrap());
        // An interval of 95 % and a little more, since four are looked at.
        let more = 0.5 * (high - low);
        let held = low - more <= USUAL.breakaway && USUAL.breakaway <= high + more;
        assert!(held && high < 1.25 * USUAL.breakaway, "{name}: {low} to {high}: {reason}");
    }
    // The clearest of them is the rise or the fall.
    let ratio = ["change_low", "change_high"].map(|end| row[end].parse::<f64>().unwrap());
    let holds = |truth: f64| 0.97 * ratio[0] <= truth && truth <= 1.03 * ratio[1];
    assert!(holds(change) != holds(1.0 / change), "{ratio:?}: {reason}");
}
