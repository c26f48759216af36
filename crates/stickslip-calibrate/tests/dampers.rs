//! How often the interval of the friction of a damper holds the truth, and how often a wrong number is given without a warning, on
//! records that share nothing with the library: clean ones, and what loggers do to them.
//!
//! `cargo test -p stickslip-calibrate --test all dampers -- --ignored --nocapture` prints the table of the guide; `STICKSLIP_RECORDS`
//! sets how many records there are of each kind (200).

use crate::common::Noise;
use stickslip_calibrate::hysteresis::{Hysteresis, HysteresisFit, hysteresis};

/// A device, and the record of it.
struct Damper {
    time: Vec<f64>,
    x: Vec<f64>,
    force: Vec<f64>,
    friction: f64,
}

/// Two waves of other lengths, 2 to 5 mm in all, on a friction element with a contact stiffness, a spring and a dashpot; the force is
/// known to 0.5 % of the friction.
fn made(seed: u64, per_wave: f64) -> Damper {
    let mut draw = Noise::new(seed + 0x5eed);
    (0..10).for_each(|_| _ = draw.unit());
    let friction = 50.0 + 150.0 * draw.unit();
    let size = 1e-3 * (2.0 + 3.0 * draw.unit());
    let threshold = size * (0.02 + 0.1 * draw.unit());
    let spring = friction / size * draw.unit();
    let rate = 0.5 + draw.unit();
    let damping = 0.3 * friction / (size * rate * 6.3) * draw.unit();
    let step = 1.0 / (rate * per_wave);
    let (mut time, mut x, mut force) = (Vec::new(), Vec::new(), Vec::new());
    let (mut stretch, mut before) = (0.0f64, 0.0);
    let turns = std::f64::consts::TAU * rate;
    for i in 0..(12.0 * per_wave) as usize {
        // Ten steps of the device for each row.
        let mut now = (0.0, 0.0);
        for k in 0..10 {
            let t = step * (i as f64 + f64::from(k) / 10.0);
            let wave = 0.7 * (turns * t).sin() + 0.3 * (0.37 * turns * t).sin();
            let rates =
                0.7 * turns * (turns * t).cos() + 0.3 * 0.37 * turns * (0.37 * turns * t).cos();
            let at = size * wave;
            stretch = (stretch + at - before).clamp(-threshold, threshold);
            before = at;
            if k == 0 {
                now = (at, friction / threshold * stretch + spring * at + damping * size * rates);
            }
        }
        time.push(step * i as f64);
        x.push(now.0);
        force.push(now.1 + 5e-3 * friction * draw.normal());
    }
    Damper { time, x, force, friction }
}

fn fitted(d: &Damper) -> HysteresisFit {
    hysteresis(&d.time, &d.x, &d.force, &Hysteresis::default()).unwrap()
}

/// The force so many rows, which need not be whole, later.
fn late(mut d: Damper, rows: f64) -> Damper {
    let old = d.force.clone();
    let at = |i: f64| {
        let i = i.clamp(0.0, old.len() as f64 - 1.001);
        let k = i as usize;
        old[k] + (old[k + 1] - old[k]) * (i - k as f64)
    };
    d.force = (0..old.len()).map(|i| at(i as f64 - rows)).collect();
    d
}

fn held(mut d: Damper, rows: usize) -> Damper {
    let old = d.force.clone();
    d.force = (0..old.len()).map(|i| old[i / rows * rows]).collect();
    d
}

fn clipped(mut d: Damper, share: f64) -> Damper {
    let most = share * d.force.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
    d.force.iter_mut().for_each(|f| *f = f.clamp(-most, most));
    d
}

fn rounded(mut d: Damper, parts: f64) -> Damper {
    let most = d.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let step = most / parts;
    d.x.iter_mut().for_each(|x| *x = (*x / step).round() * step);
    d
}

/// What came out of a kind of records.
#[derive(Default)]
struct Counts {
    given: usize,
    inside: usize,
    warned: usize,
    wrong_and_believed: usize,
}

/// Rows that do not count, and what was allowed for, say nothing against a number.
fn believed(fit: &HysteresisFit) -> bool {
    let harmless = ["do not count", "which was allowed for", "only the rows with new values"];
    fit.warnings.iter().all(|w| harmless.iter().any(|part| w.contains(part)))
}

fn count(records: u64, first: u64, make: impl Fn(u64) -> Damper) -> Counts {
    let mut counts = Counts::default();
    for seed in first..first + records {
        let damper = make(seed);
        let fit = fitted(&damper);
        let e = &fit.parameters.friction;
        counts.warned += usize::from(!believed(&fit));
        let (Some(value), Some([low, high])) = (e.value, e.ci95) else { continue };
        counts.given += 1;
        counts.inside += usize::from(low <= damper.friction && damper.friction <= high);
        // Farther than twice the half width: an error of chance in one of ten thousand.
        let wrong = (value - damper.friction).abs() > (high - low).max(0.01 * value);
        counts.wrong_and_believed += usize::from(wrong && believed(&fit));
    }
    counts
}

type Kind = (&'static str, fn(u64) -> Damper);

const KINDS: [Kind; 8] = [
    ("clean", |s| made(s, 200.0)),
    ("the force 0.5 to 3 rows late", |s| late(made(s, 200.0), 0.5 + 2.5 * (s % 10) as f64 / 9.0)),
    ("the force 1 row early", |s| late(made(s, 200.0), -1.0)),
    ("the force held over 2 to 5 rows", |s| held(made(s, 200.0), 2 + (s % 4) as usize)),
    ("the force cut off at 85 to 95 %", |s| clipped(made(s, 200.0), 0.85 + 0.01 * (s % 11) as f64)),
    ("the displacement in 200 parts", |s| rounded(made(s, 200.0), 200.0)),
    ("50 rows a wave", |s| made(s, 50.0)),
    ("12 rows a wave", |s| made(s, 12.0)),
];

#[test]
fn few_dampers_give_a_wrong_number_without_a_warning() {
    for (name, make) in KINDS {
        let counts = count(8, 100, make);
        assert_eq!(counts.wrong_and_believed, 0, "{name}");
    }
}

#[test]
#[ignore = "a campaign of minutes"]
fn dampers_of_each_kind() {
    let records =
        std::env::var("STICKSLIP_RECORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    println!("| record | given | inside | warned | wrong and believed |\n|---|---|---|---|---|");
    for (name, make) in KINDS {
        let c = count(records, 10_000, make);
        println!(
            "| {name} | {} | {:.1} % | {} | {} |",
            c.given,
            100.0 * c.inside as f64 / c.given.max(1) as f64,
            c.warned,
            c.wrong_and_believed
        );
    }
}
