//! Laws with memory against force and displacement: twins of each law, integrated here by small steps and not by the library, and a
//! public friction damper.

use crate::common::{Noise, shared, sized};
use std::collections::BTreeMap;
use stickslip_calibrate::hysteresis::laws::{Law, LawFit, LawsFit, Record, laws};

/// A record of a device, and its numbers.
struct Twin {
    t: Vec<f64>,
    x: Vec<f64>,
    f: Vec<f64>,
    truth: BTreeMap<&'static str, f64>,
}

impl Twin {
    fn record(&self) -> Record<'_> {
        let Self { t, x, f, .. } = self;
        Record { name: "twin", time: t, displacement: x, force: f, held: false }
    }
}

/// Steps between two rows.
const STEPS: i32 = 40;

/// The motion: two waves, m and m/s.
fn motion(t: f64) -> [f64; 2] {
    let both = [(5e-3, 4.0), (2e-3, 1.3)];
    [
        both.iter().map(|(a, w)| a * (w * t).sin()).sum(),
        both.iter().map(|(a, w)| a * w * (w * t).cos()).sum(),
    ]
}

/// A device of this law with numbers of this seed, its force known to `noise` of the friction.
fn twin(law: Law, seed: u64, rows: i32, noise: f64) -> Twin {
    let mut draw = Noise::new(seed + 0x1a75);
    (0..10).for_each(|_| _ = draw.unit());
    let force = 50.0 + 150.0 * draw.unit();
    let length = 1e-3 * (0.2 + 0.6 * draw.unit());
    let spring = 4e3 * draw.unit();
    let (share, early, bent) = (draw.unit(), draw.unit(), draw.unit());
    let dynamic = force * (0.6 + 0.3 * share);
    let velocity = 2e-3 * (1.0 + 2.0 * early);
    let damping = 0.1 * force / length * 0.03 * bent;
    let exponent = 1.0 + 1.5 * share;
    let down = force * (0.8 + 0.4 * share);
    let play = 1e-3 * early;
    let beta = (1.0 - 0.4 * bent) * length.powf(-exponent);
    let gamma = 0.4 * bent * length.powf(-exponent);
    let push = |z: f64| -> f64 {
        let past = (z.abs() - 0.5 * play).max(0.0) / length;
        past.powf(1.5).copysign(z) * if z > 0.0 { force } else { down }
    };
    let breakaway = dynamic / force * length * (0.3 + 0.5 * bent);
    let limit = |w: f64| dynamic + (force - dynamic) * (-(w / velocity).powi(2)).exp();
    // ż, and the force for z and ż.
    let rate = |w: f64, z: f64| match law {
        Law::Dahl => w * (1.0 - z / length * w.signum()),
        Law::Lugre => w - force / length * w.abs() * z / limit(w),
        Law::ElastoPlastic => {
            let steady = limit(w) * length / force;
            let bent = w.signum() * z;
            let share = ((bent - breakaway) / (steady - breakaway)).clamp(0.0, 1.0);
            // ½ + ½ sin(π (share − ½)), and 0 where the bristle is bent the other way.
            let yields = (std::f64::consts::FRAC_PI_2 * share).sin().powi(2);
            w * (1.0 - yields * bent / steady)
        }
        Law::BoucWen => {
            let r = z.abs();
            w - beta * w.abs() * r.powf(exponent - 1.0) * z - gamma * w * r.powf(exponent)
        }
        _ => {
            let side = if w > 0.0 { force } else { down };
            let load = push(z) / side * w.signum();
            w * (1.0 - load.abs().powf(1.3).copysign(load))
        }
    };
    let [mut t, mut x, mut f] = [Vec::new(), Vec::new(), Vec::new()];
    let step = 20.0 / f64::from(rows);
    let h = step / f64::from(STEPS);
    let mut z = 0.0f64;
    for i in 0..rows * STEPS {
        let at = h * f64::from(i);
        let [here, w] = motion(at);
        if i % STEPS == 0 {
            let own = match law {
                Law::Lugre | Law::ElastoPlastic => force / length * z + damping * rate(w, z),
                Law::Backlash => push(z),
                _ => force / length * z,
            };
            let error = noise * force * draw.normal();
            t.push(at);
            x.push(here);
            f.push(own + spring * here + error);
        }
        let middle = motion(at + 0.5 * h)[1];
        let half = z + 0.5 * h * rate(w, z);
        z += h * rate(middle, half);
    }
    let mut truth = BTreeMap::from([("spring", spring), ("offset", 0.0), ("damper", 0.0)]);
    truth.extend(match law {
        Law::Dahl => vec![("force", force), ("stiffness", force / length)],
        Law::Lugre | Law::ElastoPlastic => vec![
            ("static", force),
            ("dynamic", dynamic),
            ("velocity", velocity),
            ("stiffness", force / length),
            ("damping", damping),
            ("breakaway", breakaway),
        ],
        Law::BoucWen => {
            vec![("force", force), ("stiffness", force / length), ("exponent", exponent)]
        }
        _ => vec![
            ("force_up", force),
            ("force_down", down),
            ("gap", play),
            ("length_up", length),
            ("length_down", length),
            ("power", 1.5),
            ("exponent", 1.3),
        ],
    });
    Twin { t, x, f, truth }
}

/// Three elements that slide at displacements of this seed next to a spring, their force known to `noise` of the friction.
fn elements(seed: u64, rows: i32, noise: f64) -> Twin {
    let mut draw = Noise::new(seed + 0x51b5);
    (0..10).for_each(|_| _ = draw.unit());
    // Displacements from 0.15 to 3 mm, of 12 mm that are travelled, and a factor of 1.8 and more apart.
    let first = 1.5e-4 * 2f64.powf(draw.unit());
    let second = first * 1.8 * 1.7f64.powf(draw.unit());
    let third = second * 1.8 * 1.8f64.powf(draw.unit());
    let forces = [0; 3].map(|_| 20.0 + 60.0 * draw.unit());
    let spring = 4e3 + 6e3 * draw.unit();
    let of: Vec<(f64, f64)> = forces.into_iter().zip([first, second, third]).collect();
    let (force, stiffness) = of.iter().fold((0.0, 0.0), |(f, k), e| (f + e.0, k + e.0 / e.1));
    let [mut t, mut x, mut f] = [Vec::new(), Vec::new(), Vec::new()];
    let mut bent = [0.0f64; 3];
    let mut before = 0.0;
    let h = 20.0 / f64::from(rows * STEPS);
    for i in 0..rows * STEPS {
        let at = h * f64::from(i);
        let [here, _] = motion(at);
        for (z, (_, most)) in bent.iter_mut().zip(&of) {
            *z = (*z + here - before).clamp(-most, *most);
        }
        before = here;
        if i % STEPS == 0 {
            let own: f64 = bent.iter().zip(&of).map(|(z, (most, length))| most * z / length).sum();
            t.push(at);
            x.push(here);
            f.push(own + spring * here + noise * force * draw.normal());
        }
    }
    let truth = [("force", force), ("stiffness", stiffness), ("spring", spring), ("offset", 0.0)];
    Twin { t, x, f, truth: truth.into() }
}

/// The elements of Maxwell slip are found between the displacements at which their search begins: on a grid they were not, and the force
/// that an element in between has went to its neighbours and to the spring.
#[test]
fn elements_slide_where_they_do() {
    for seed in 0..4 {
        let twin = elements(seed, 2400, 0.0);
        let found = laws(&[twin.record()], &[Law::MaxwellSlip]).unwrap();
        for (name, most) in [("force", 0.01), ("stiffness", 0.05), ("spring", 0.01)] {
            let p = found.laws[0].parameters.iter().find(|p| p.name == name).unwrap();
            let (value, truth) = (p.estimate.value.unwrap(), twin.truth[name]);
            println!("{seed} {name} {value} {truth}");
            assert!((value / truth - 1.0).abs() < most, "{seed} {name}: {value} for {truth}");
        }
    }
}

/// The same under noise of 1 % of the friction: how often the intervals hold the truth. `STICKSLIP_RECORDS` and `STICKSLIP_SEED` as below.
#[test]
#[ignore = "a campaign of minutes"]
fn coverage_of_elements() {
    let set = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (set("STICKSLIP_RECORDS", 100), set("STICKSLIP_SEED", 50_000));
    let mut inside: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first..first + count {
        let twin = elements(seed, 2000, 0.01);
        let found = laws(&[twin.record()], &[Law::MaxwellSlip]).unwrap();
        for p in &found.laws[0].parameters {
            let (Some(truth), Some([low, high])) = (twin.truth.get(p.name), p.estimate.ci95) else {
                continue;
            };
            *inside.entry(p.name).or_default() += u64::from(low <= *truth && *truth <= high);
        }
    }
    println!("{inside:?} of {count}");
    // 95 % less three standard deviations of such a count.
    let n = count as f64;
    let least = 0.95 * n - 3.0 * (n * 0.95 * 0.05).sqrt();
    assert!(inside.values().all(|i| *i as f64 >= least), "{inside:?}");
}

const MADE: [Law; 5] = [Law::Dahl, Law::Lugre, Law::BoucWen, Law::Backlash, Law::ElastoPlastic];

fn of(found: &LawsFit, law: Law) -> &LawFit {
    found.laws.iter().find(|l| l.law == law.name()).unwrap()
}

/// Without noise every law finds the numbers with which it was integrated.
#[test]
fn every_law_finds_its_own_numbers() {
    for law in MADE {
        let twin = twin(law, 3, 2400, 0.0);
        let found = laws(&[twin.record()], &[law]).unwrap();
        for p in &of(&found, law).parameters {
            let Some(truth) = twin.truth.get(p.name) else { continue };
            let value = p.estimate.value.unwrap();
            // An offset of 1 N and a damper of 0.3 N at the usual speed are nothing next to 50 N and more; the rows of the record are
            // 1/8 of a bristle apart at most, along which the velocity is held.
            let most = match (p.name, *truth) {
                ("offset", _) => 1.0,
                ("damper", _) => 20.0,
                (_, truth) => 0.03 * truth,
            };
            println!("{law:?} {} {value} {truth}", p.name);
            assert!((value - truth).abs() < most, "{law:?} {}: {value} {truth}", p.name);
        }
    }
}

/// The law that made a record is never told to predict worse than another one, and laws that cannot give it are.
#[test]
fn the_law_that_made_a_record_is_not_worse() {
    for law in MADE {
        let twin = twin(law, 5, sized(1000, 2000), 0.01);
        let found = laws(&[twin.record()], &Law::all()).unwrap();
        let own = of(&found, law);
        for l in &found.laws {
            println!("{law:?}: {} {:.3} {:.4} {}", l.law, l.held_out, l.relative, l.worse);
        }
        assert!(!own.worse, "{law:?}");
        assert!(found.laws.iter().any(|l| l.worse), "{law:?}: no law is told apart");
    }
}

/// How often the intervals of twins hold the truth, how often the law that made a record is told to be worse, and how often the
/// simplest other law is told apart; `STICKSLIP_RECORDS` sets how many records (100), `STICKSLIP_SEED` the first seed, and `STICKSLIP_LAW`
/// the only law. Each law has seeds of its own, so that their shares are independent.
#[test]
#[ignore = "a campaign of minutes"]
fn coverage_of_memory_laws() {
    let set = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(usual)
    };
    let count = set("STICKSLIP_RECORDS", 100);
    let only = std::env::var("STICKSLIP_LAW").ok();
    let asked = |law: &Law| only.as_deref().is_none_or(|only| only == law.name());
    for (i, law) in MADE.into_iter().enumerate().filter(|(_, law)| asked(law)) {
        let first = set("STICKSLIP_SEED", 40_000) + 10_000 * i as u64;
        let mut inside: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut worse, mut apart) = (0, 0);
        let mut scores: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for seed in 0..count {
            let twin = twin(law, first + seed, 2000, 0.01);
            let found = laws(&[twin.record()], &[law, Law::MaxwellSlip]).unwrap();
            worse += u64::from(of(&found, law).worse);
            apart += u64::from(of(&found, Law::MaxwellSlip).worse);
            for p in &of(&found, law).parameters {
                let (Some(truth), Some([low, high])) = (twin.truth.get(p.name), p.estimate.ci95)
                else {
                    continue;
                };
                *inside.entry(p.name).or_default() += u64::from(low <= *truth && *truth <= high);
                let (Some(value), Some(error)) = (p.estimate.value, p.estimate.stderr) else {
                    continue;
                };
                if error > 0.0 {
                    scores.entry(p.name).or_default().push((value - truth) / error);
                }
            }
        }
        for (name, scores) in &scores {
            let n = scores.len() as f64;
            let mean = scores.iter().sum::<f64>() / n;
            let square = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n;
            println!("  {name}: errors {mean:.2} ± {:.2} standard errors", square.sqrt());
        }
        println!(
            "{law:?}: {inside:?} of {count}; told to be worse {worse}, Maxwell slip told to be {apart}"
        );
        assert!(worse * 20 <= count.max(20));
    }
}

/// A bristle that the rows pass is not known, and the motion that would show it is named; one that they see is known.
#[test]
fn a_bristle_that_the_rows_pass_is_not_known() {
    let seen = twin(Law::Dahl, 1, 3000, 0.01);
    let found = laws(&[seen.record()], &[Law::Dahl]).unwrap();
    let stiffness = |f: &LawsFit| f.laws[0].parameters[1].estimate.clone();
    assert!(stiffness(&found).value.is_some() && found.warnings.is_empty(), "{found:?}");
    let every = |v: &[f64]| v.iter().step_by(60).copied().collect::<Vec<f64>>();
    let seen = twin(Law::Dahl, 1, 7200, 0.01);
    let passed = Twin { t: every(&seen.t), x: every(&seen.x), f: every(&seen.f), ..seen };
    let found = laws(&[passed.record()], &[Law::Dahl]).unwrap();
    println!("{:?} {:?}", found.warnings, found.laws[0].parameters);
    assert!(stiffness(&found).value.is_none());
    assert!(found.warnings.iter().any(|w| w.contains("does not show the bristle of `dahl`")));
}

/// What a law leaves of a record that it cannot give is said.
#[test]
fn a_force_that_no_law_gives_is_said() {
    let mut twin = twin(Law::Dahl, 2, 2000, 0.01);
    let found = laws(&[twin.record()], &[Law::Dahl]).unwrap();
    assert!(!found.warnings.iter().any(|w| w.contains("that it leaves out")), "{found:?}");
    // A beat that has nothing to do with the displacement.
    twin.f.iter_mut().zip(&twin.t).for_each(|(f, t)| *f += 60.0 * (11.0 * t).sin());
    let found = laws(&[twin.record()], &[Law::Dahl]).unwrap();
    assert!(found.warnings.iter().any(|w| w.contains("that it leaves out")), "{found:?}");
}

#[test]
fn records_that_show_nothing_are_refused() {
    let twin = twin(Law::Dahl, 2, 1000, 0.01);
    let short = Record {
        time: &twin.t[..150],
        displacement: &twin.x[..150],
        force: &twin.f[..150],
        ..twin.record()
    };
    let said = laws(&[short], &[Law::Dahl]).unwrap_err().to_string();
    assert!(said.contains("cycles of the motion"), "{said}");
    assert!(laws(&[twin.record()], &[]).is_err());
    let held = Record { held: true, ..twin.record() };
    assert!(laws(&[held], &[Law::Dahl]).is_err());
}

fn read(name: &str) -> Option<[Vec<f64>; 3]> {
    let text = std::fs::read_to_string(shared(&format!("damper/{name}"))?).unwrap();
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    // By day every other row.
    for line in text.lines().skip(1).step_by(sized(2, 1)) {
        let mut cells = line.split(',');
        for (column, unit) in all.iter_mut().zip([1.0, 1e-3, 1e3]) {
            column.push(unit * cells.next().unwrap().parse::<f64>().unwrap());
        }
    }
    Some(all)
}

/// A band brake with play, three sinusoids at one tension of its band, and an earthquake at the same tension that nothing is fitted to.
#[test]
fn a_friction_damper_is_predicted_under_an_earthquake() {
    let names = [
        "d2_0.5Hz_36lb_1.0in.csv",
        "d2_1Hz_36lb_1.0in.csv",
        "d2_2Hz_36lb_0.5in.csv",
        "d2_ImperialValleyDBE_36lb.csv",
    ];
    let read: Option<Vec<_>> = names.iter().map(|n| read(n)).collect();
    let Some(read) = read else { return };
    let records: Vec<Record<'_>> = read
        .iter()
        .zip(names)
        .map(|([t, x, f], name)| {
            let held = name.contains("Imperial");
            Record { name, time: t, displacement: x, force: f, held }
        })
        .collect();
    let clock = std::time::Instant::now();
    // By day beside one other law.
    let some = sized(vec![Law::Dahl, Law::Backlash], Law::all().to_vec());
    let found = laws(&records, &some).unwrap();
    println!("{:?}", clock.elapsed());
    for law in &found.laws {
        println!("{} {:.1} {:.3} {}", law.law, law.held_out, law.relative, law.worse);
        for r in law.records.iter().filter(|r| r.held) {
            println!("   {} {:.3} {:.3} {:?}", r.record, r.of_force, r.of_peak, r.dissipated);
        }
    }
    println!("{:?}", found.warnings);
    // The force is asked for to 10 %: met as a share of the greatest force. The ripple of 2 kN while it slides, which no law of
    // springs and friction has, is a third of the root mean square of the record alone.
    let own = of(&found, Law::Backlash);
    let quake = own.records.iter().find(|r| r.held).unwrap();
    assert!(!own.worse && quake.of_peak < 0.1, "{quake:?}");
    for law in found.laws.iter().filter(|l| l.law != "backlash") {
        let other = law.records.iter().find(|r| r.held).unwrap();
        assert!(quake.rmse < 0.7 * other.rmse, "{}", law.law);
    }
}

/// The six sinusoids of the same dataset, at two tensions of the band: the earthquake is predicted within 10 % of its greatest force, and
/// its work within 3 %. That is better than the damper repeats itself: a sinusoid that the other five predict is off by far more.
#[test]
fn six_sinusoids_predict_the_work_of_an_earthquake() {
    let names = [
        "d2_0.25Hz_30lb_0.5in.csv",
        "d2_0.5Hz_30lb_1.5in.csv",
        "d2_0.5Hz_36lb_1.0in.csv",
        "d2_1Hz_30lb_1.0in.csv",
        "d2_1Hz_36lb_1.0in.csv",
        "d2_2Hz_36lb_0.5in.csv",
        "d2_ImperialValleyDBE_36lb.csv",
    ];
    let read: Option<Vec<_>> = names.iter().map(|n| read(n)).collect();
    let Some(read) = read else { return };
    let predicted = |held: &str| {
        let all = read.iter().zip(names).map(|([t, x, f], name)| {
            let held = name == held || name.contains("Imperial");
            Record { name, time: t, displacement: x, force: f, held }
        });
        let all: Vec<Record<'_>> = all.collect();
        let found = laws(&all, &[Law::Backlash]).unwrap();
        let record = found.laws[0].records.iter().find(|r| r.record == held).unwrap().clone();
        let [work, ours] = record.dissipated;
        println!("{held}: {:.3} {:.3} {:.3}", record.of_force, record.of_peak, ours / work);
        [record.of_peak, ours / work - 1.0]
    };
    let [force, work] = predicted(names[6]);
    assert!(force < 0.1 && work.abs() < 0.03, "{force} {work}");
    // What one test says of another, in the same machine: no law of the displacement has both.
    if sized(false, true) {
        let [force, work] = predicted(names[3]);
        assert!(force > 0.2 && work > 0.3, "{force} {work}");
    }
}

/// Mean and standard deviation of the force to `side` while the damper slides at `speeds` (m/s), N: where a play of 6 mm is taken up.
fn sliding([t, x, f]: &[Vec<f64>; 3], side: f64, speeds: [f64; 2]) -> Option<[f64; 2]> {
    let play = 6e-3;
    let mut behind = x[0];
    let mut seen = Vec::new();
    for i in 1..x.len() - 1 {
        behind = behind.clamp(x[i] - play, x[i] + play);
        let w = side * (x[i + 1] - x[i - 1]) / (t[i + 1] - t[i - 1]);
        if side * (x[i] - behind) > 0.999 * play && w > speeds[0] && w < speeds[1] {
            seen.push(side * f[i]);
        }
    }
    let count = seen.len() as f64;
    let mean = seen.iter().sum::<f64>() / count;
    let square = seen.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / count;
    (seen.len() > 2).then_some([mean, square.sqrt()])
}

/// Why no law of the displacement predicts the work under the earthquake to 3 %: at the same tension, speed and direction the band
/// slides at other forces in each test. Those of the earthquake are a sixth and more below all that 0.5 and 1 Hz show, on one side.
#[test]
fn one_tension_of_the_band_is_not_one_friction() {
    let names = [
        "d2_0.5Hz_36lb_1.0in.csv",
        "d2_1Hz_36lb_1.0in.csv",
        "d2_2Hz_36lb_0.5in.csv",
        "d2_ImperialValleyDBE_36lb.csv",
    ];
    let read: Option<Vec<_>> = names.iter().map(|n| read(n)).collect();
    let Some(read) = read else { return };
    for side in [1.0, -1.0] {
        let all: Vec<[f64; 2]> =
            read.iter().map(|r| sliding(r, side, [0.06, 0.14]).unwrap()).collect();
        println!("{side}: {all:.0?} N");
        if side > 0.0 {
            let [half, one, two, quake] = [all[0][0], all[1][0], all[2][0], all[3][0]];
            assert!(quake < 0.85 * half.min(one) && two < 0.65 * half.min(one), "{all:?}");
        }
    }
}

/// The measured record of FrictionModels.jl: force (N) against position (m) where the normal force is on.
fn stage() -> Option<Twin> {
    let text = std::fs::read_to_string(shared("bristle/test_data_2.txt")?).unwrap();
    let mut twin = Twin { t: Vec::new(), x: Vec::new(), f: Vec::new(), truth: BTreeMap::new() };
    for line in text.lines().skip(1) {
        let cells: Vec<f64> = line.split_whitespace().map(|c| c.parse().unwrap()).collect();
        let [t, normal, x, f] = cells[..] else { panic!("{line}") };
        if normal > 4.9e6 && twin.t.last().is_none_or(|last| t > *last) {
            twin.t.push(t);
            twin.x.push(1e-3 * x);
            // The record counts it the other way.
            twin.f.push(-1e-6 * f);
        }
    }
    Some(twin)
}

/// One spring that slides, two numbers, leaves less of that record than the best LuGre law and what goes with every law, eight numbers:
/// 0.15 N against 0.20 N (as the package fits its six: 0.24 N). The loop has corners, which an exponential has not.
#[test]
fn two_numbers_leave_less_of_a_stage_than_lugre() {
    let Some(stage) = stage() else { return };
    let found = laws(&[stage.record()], &[Law::Lugre]).unwrap();
    let lugre = found.laws[0].rmse;
    let left = |force: f64, stiffness: f64| {
        let mut f = 0.0f64;
        let mut sum = 0.0;
        for (x, measured) in stage.x.windows(2).zip(&stage.f[1..]) {
            f = (f + stiffness * (x[1] - x[0])).clamp(-force, force);
            sum += (f - measured).powi(2);
        }
        (sum / stage.f.len() as f64).sqrt()
    };
    let grid = (0..10).flat_map(|i| (0..10).map(move |j| [i, j]));
    let tried = grid.map(|[i, j]| left(2.2 + 0.03 * f64::from(i), 3e4 + 2e3 * f64::from(j)));
    let element = tried.fold(f64::INFINITY, f64::min);
    println!("{element} {lugre} {:?}", found.laws[0].parameters);
    assert!(element < 0.8 * lugre && lugre < 0.24, "{element} {lugre}");
}

/// Long records whose force is noise, wanders or belongs to another motion are refused before any law is fitted to the whole, and one whose force
/// never changes at once. A long record of a device is fitted.
#[test]
fn a_force_of_something_else_is_refused() {
    let device = twin(Law::Dahl, 3, 60_000, 0.01);
    let mut draw = Noise::new(9);
    let mut place = 0.0;
    let noise: Vec<f64> = device.t.iter().map(|_| draw.normal()).collect();
    let walk = noise.iter().map(|by| {
        place += by;
        place
    });
    let other = device.t.iter().map(|t| (2.3 * t).sin() + 0.5 * (9.1 * t + 1.0).sin());
    for force in [walk.collect(), other.collect(), noise.clone()] {
        let record = Record { force: &force, ..device.record() };
        let refused = laws(&[record], &Law::all()).unwrap_err().to_string();
        assert!(refused.contains("does not follow the displacement"), "{refused}");
    }
    let constant = vec![3.0; noise.len()];
    let refused = laws(&[Record { force: &constant, ..device.record() }], &Law::all());
    assert!(refused.unwrap_err().to_string().contains("the force is 3 in every row"));
    let fit = laws(&[device.record()], &[Law::Dahl]).unwrap();
    assert!(fit.laws[0].relative < 0.1, "{}", fit.laws[0].relative);
}
