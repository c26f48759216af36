//! How often the interval of the friction of a damper holds the truth, and how often a wrong number is given without a warning, on
//! records that share nothing with the library: clean ones, and what loggers do to them.
//!
//! `cargo test -p stickslip-calibrate --test all dampers -- --ignored --nocapture` prints the table of the guide; `STICKSLIP_RECORDS`
//! sets how many records there are of each kind (200).

use crate::common::{Noise, sized};
use stickslip_calibrate::hysteresis::{Hysteresis, HysteresisFit, hysteresis};

/// A device, and the record of it.
struct Damper {
    time: Vec<f64>,
    x: Vec<f64>,
    force: Vec<f64>,
    friction: f64,
    stiffness: f64,
    damping: f64,
}

/// Two waves of other lengths, 2 to 5 mm in all, on a friction element with a contact stiffness, a spring and a dashpot; the force is
/// known to 0.5 % of the friction.
fn made(seed: u64, per_wave: f64) -> Damper {
    made_late(seed, per_wave, 0)
}

/// Steps of the device for each row.
const STEPS: i32 = 10;

/// The same, with a force that comes so many tenths of a row late.
fn made_late(seed: u64, per_wave: f64, late: i32) -> Damper {
    let mut draw = Noise::new(seed + 0x5eed);
    (0..10).for_each(|_| _ = draw.unit());
    let friction = 50.0 + 150.0 * draw.unit();
    let size = 1e-3 * (2.0 + 3.0 * draw.unit());
    let threshold = size * (0.02 + 0.1 * draw.unit());
    let spring = friction / size * draw.unit();
    let rate = 0.5 + draw.unit();
    let damping = 0.3 * friction / (size * rate * 6.3) * draw.unit();
    let step = 1.0 / (rate * per_wave);
    let turns = std::f64::consts::TAU * rate;
    let at = |t: f64| size * (0.7 * (turns * t).sin() + 0.3 * (0.37 * turns * t).sin());
    let speed =
        |t: f64| size * turns * (0.7 * (turns * t).cos() + 0.3 * 0.37 * (0.37 * turns * t).cos());
    let (mut time, mut x, mut force) = (Vec::new(), Vec::new(), Vec::new());
    let rows = (12.0 * per_wave) as i32;
    // The device begins so long before the record that the first forces are its own.
    let mut stretch = 0.0f64;
    let mut before = at(-step * f64::from(late.abs()) / f64::from(STEPS));
    for i in -late.abs()..STEPS * rows + late.abs() {
        let t = step * f64::from(i) / f64::from(STEPS);
        stretch = (stretch + at(t) - before).clamp(-threshold, threshold);
        before = at(t);
        let row = i + late;
        if row % STEPS == 0 && (0..rows).contains(&(row / STEPS)) {
            let t_row = step * f64::from(row / STEPS);
            time.push(t_row);
            x.push(at(t_row));
            let of_all = friction / threshold * stretch + spring * at(t) + damping * speed(t);
            force.push(of_all + 5e-3 * friction * draw.normal());
        }
    }
    let stiffness = spring + friction / threshold;
    Damper { time, x, force, friction, stiffness, damping }
}

fn fitted(d: &Damper) -> HysteresisFit {
    hysteresis(&d.time, &d.x, &d.force, &Hysteresis::default()).unwrap()
}

/// The force so many rows, which need not be whole, later, by lines between its rows.
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
    let harmless = [
        "do not count",
        "which was allowed for",
        "only the rows with new values",
        "were used in its place",
    ];
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

const KINDS: [Kind; 9] = [
    ("clean", |s| made(s, 200.0)),
    ("the force 0.5 to 3 rows late", |s| made_late(s, 200.0, 5 + (s % 26) as i32)),
    ("the force 1 row early", |s| made_late(s, 200.0, -10)),
    ("the force late, and put on the rows by lines", |s| {
        late(made(s, 200.0), 0.5 + 2.5 * (s % 10) as f64 / 9.0)
    }),
    ("the force held over 2 to 5 rows", |s| held(made(s, 200.0), 2 + (s % 4) as usize)),
    ("the force cut off at 85 to 95 %", |s| clipped(made(s, 200.0), 0.85 + 0.01 * (s % 11) as f64)),
    ("the displacement in 200 parts", |s| rounded(made(s, 200.0), 200.0)),
    ("50 rows a wave", |s| made(s, 50.0)),
    ("12 rows a wave", |s| made(s, 12.0)),
];

#[test]
fn few_dampers_give_a_wrong_number_without_a_warning() {
    // By day every other kind; `devices` has forces that are late or cut off.
    for (name, make) in KINDS.into_iter().step_by(sized(2, 1)) {
        let counts = count(sized(1, 8), 100, make);
        assert_eq!(counts.wrong_and_believed, 0, "{name}");
    }
}

/// The numbers of a clean record scatter about the truth by their errors: a mean of 3 or 16 deviations in standard errors, each with a
/// variance of 11/9 (Student's law with eleven degrees of freedom), is farther than 3 of its own from 0 in 3 of 1,000 cases. On a grid
/// alone friction was 2 of them too large, and in one record of seven a delay was found that was not there.
#[test]
fn clean_dampers_scatter_about_the_truth() {
    let mut sums = [0.0; 3];
    let records = sized(3u32, 16);
    for seed in 500..500 + u64::from(records) {
        let damper = made(seed, 200.0);
        let fit = fitted(&damper);
        assert_eq!(fit.delay, None, "{seed}");
        let p = &fit.parameters;
        let all = [
            (&p.friction, damper.friction),
            (&p.stiffness, damper.stiffness),
            (&p.damping, damper.damping),
        ];
        for (sum, (e, truth)) in sums.iter_mut().zip(all) {
            *sum += (e.value.unwrap() - truth) / e.stderr.unwrap();
        }
    }
    let records = f64::from(records);
    let most = 3.0 * (11.0 / 9.0 / records).sqrt();
    assert!(sums.iter().all(|s| (s / records).abs() < most), "{sums:?}");
}

#[test]
#[ignore = "a campaign of minutes"]
fn dampers_of_each_kind() {
    let records =
        std::env::var("STICKSLIP_RECORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    println!("| record | given | inside | warned | wrong and believed |\n|---|---|---|---|---|");
    for (name, make) in KINDS {
        let c = count(records, 30_000, make);
        println!(
            "| {name} | {} | {:.1} % | {} | {} |",
            c.given,
            100.0 * c.inside as f64 / c.given.max(1) as f64,
            c.warned,
            c.wrong_and_believed
        );
    }
}

/// A seal that is moved to and fro: at two speeds, at one that wanders as a hand's, or as a sine; its displacement is known to 2 µm
/// and its force to 0.3 % of its friction.
fn seal(seed: u64) -> Damper {
    let mut draw = Noise::new(seed + 0x5ea1);
    (0..10).for_each(|_| _ = draw.unit());
    let mut between = |low: f64, high: f64| low + (high - low) * draw.unit();
    let friction = between(2.0, 40.0);
    let stroke = between(5e-3, 60e-3);
    let speed = between(3e-3, 15e-3);
    let threshold = between(0.05e-3, 0.4e-3);
    let offset = between(-200.0, 200.0);
    let damping = [0.1, 0.3, 0.5][(seed / 3 % 3) as usize] * friction / speed;
    let rate = [50, 100, 500][(seed % 3) as usize];
    let fine = 5000;
    let hand = between(0.0, 6.0);
    let (mut x, mut way, mut turns, mut stretch) = (0.0f64, 1.0, 0, 0.0f64);
    let mut out = Damper {
        time: Vec::new(),
        x: Vec::new(),
        force: Vec::new(),
        friction,
        stiffness: friction / threshold,
        damping,
    };
    for i in 0..60 * fine {
        let t = f64::from(i) / f64::from(fine);
        let before = x;
        let omega = 2.0 * speed / stroke;
        let v = match seed % 4 {
            0 => way * if turns % 4 >= 2 { 4.0 * speed } else { speed },
            1 => {
                let wander = 0.2 * (4.4 * t + hand).sin() + 0.15 * (7.9 * t).sin();
                way * speed * (1.0 + wander)
            }
            _ => 0.5 * stroke * omega * (omega * t).cos(),
        };
        if seed % 4 >= 2 {
            x = 0.5 * stroke * (omega * t).sin();
        } else {
            x += v / f64::from(fine);
            if !(0.0..=stroke).contains(&x) {
                x = x.clamp(0.0, stroke);
                way = -way;
                turns += 1;
            }
        }
        stretch = (stretch + if i == 0 { 0.0 } else { x - before }).clamp(-threshold, threshold);
        if i % (fine / rate) == 0 {
            out.time.push(t);
            out.x.push(x + 2e-6 * draw.normal());
            let whole = friction / threshold * stretch + damping * v + offset;
            out.force.push(whole + 3e-3 * friction * draw.normal());
        }
    }
    out
}

/// Noise of the displacement turns it back between rows, and hides how fast it moves: friction came out up to 4 % too large and damping up to
/// 17 % too small, by 4 to 12 times half their intervals. Rows next to a turn at once, where no rate is that of the row, took 3 to 12 % of
/// the damping, without noise too.
#[test]
fn noise_of_the_displacement_is_not_felt() {
    let [_, _, worst, _] = noisy_seals([2, 5, 7, 1016].into_iter());
    assert!(worst < 0.01, "{worst}");
}

/// Of 96 intervals of 48 records 76 hold, and the worst number is 0.7 % off: where intervals miss, they are narrower than that. Three delays
/// are found that are not there.
#[test]
#[ignore = "a campaign of half a minute"]
fn campaign_of_noisy_seals() {
    let [given, inside, worst, invented] = noisy_seals(1000..1048);
    assert!(inside > 0.7 * given && worst < 0.01 && invented < 6.0, "{inside} of {given}, {worst}");
}

/// How many numbers are given and believed, how many intervals hold, by which share the worst number is off, and in how many records the
/// force is said to be late, which it is in none.
fn noisy_seals(seeds: impl Iterator<Item = u64>) -> [f64; 4] {
    let [mut given, mut inside, mut worst, mut invented] = [0.0f64; 4];
    for seed in seeds {
        let d = seal(seed);
        let found = fitted(&d);
        invented += f64::from(u8::from(found.delay.is_some()));
        let p = &found.parameters;
        for (e, truth) in [(&p.friction, d.friction), (&p.damping, d.damping)] {
            let Some((value, [low, high])) = e.value.zip(e.ci95) else { continue };
            if believed(&found) {
                given += 1.0;
                inside += f64::from(u8::from(low <= truth && truth <= high));
                worst = worst.max((value / truth - 1.0).abs());
            }
        }
    }
    println!("{inside} of {given} inside, the worst off by {worst:.4} of it; {invented} delays");
    [given, inside, worst, invented]
}

/// Rigid friction of 80 N next to a spring of 3 kN/m, moved by a triangle of ±5 mm at 10 mm/s, where the force turns with the motion; play of
/// this size (m) between the places at which the two are measured.
fn turned_by_a_triangle(play: f64) -> HysteresisFit {
    let mut draw = Noise::new(77);
    let (mut time, mut x, mut force) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..4000 {
        let t = 9.73e-3 * f64::from(i);
        let phase = (t / 2.0).fract();
        let (at, way) = if phase < 0.5 { (0.01 * t, 1.0) } else { (-0.01 * t, -1.0) };
        let turn = 0.02 * (t / 2.0).floor();
        let place = if way > 0.0 { at - turn - 5e-3 } else { 0.02 + turn + at - 5e-3 };
        let device = 80.0 * way + 3000.0 * place;
        time.push(t);
        x.push(place + 0.5 * play * device.signum() + 1e-6 * draw.normal());
        force.push(device + 0.4 * draw.normal());
    }
    hysteresis(&time, &x, &force, &Hysteresis { viscous: false, ..Hysteresis::default() }).unwrap()
}

/// Where the velocity jumps with the force, play would be fitted as an elastic contact; what the motion may do between two rows is none.
#[test]
fn play_at_the_turns_of_a_triangle_is_taken_off() {
    for (play, is_said) in [(4e-4, true), (0.0, false)] {
        let found = turned_by_a_triangle(play);
        let said = found.warnings.iter().any(|w| w.contains("as of play"));
        assert_eq!(said, is_said, "{play}: {:?}", found.warnings);
        let p = &found.parameters;
        // The friction is rigid: its stiffness is any above what the rows resolve.
        assert_eq!(p.stiffness.value, None, "{play}");
        let friction = p.friction.value.unwrap();
        assert!((friction - 80.0).abs() < 0.8, "{play}: {friction}");
    }
}
