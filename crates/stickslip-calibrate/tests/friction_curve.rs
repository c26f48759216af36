//! Friction against speed, of joints whose numbers are known.

use crate::common::{Noise, shared, sized};
use stickslip_calibrate::friction_curve::{
    Asked, FrictionCurveFit, Motion, Record, Shape, friction_curve,
};

/// The numbers of a joint.
#[derive(Debug, Clone, Copy)]
struct Joint {
    coulomb: f64,
    excess: f64,
    speed: f64,
    viscous: f64,
    inertia: f64,
    gravity: f64,
    offset: f64,
}

impl Joint {
    fn any(seed: u64) -> Self {
        let mut draw = Noise::new(7_000 + seed);
        Self {
            coulomb: 0.3 + draw.unit(),
            excess: 0.2 + 0.5 * draw.unit(),
            speed: 0.03 + 0.05 * draw.unit(),
            viscous: 0.3 + draw.unit(),
            inertia: 0.05 + 0.2 * draw.unit(),
            gravity: 2.0 * draw.unit(),
            offset: 0.2 * draw.normal(),
        }
    }

    fn friction(&self, v: f64) -> f64 {
        (self.coulomb + self.excess * (-v.abs() / self.speed).exp()) * v.signum() + self.viscous * v
    }
}

/// A log of a joint that follows two sines: time, position, effort.
struct Log {
    time: Vec<f64>,
    position: Vec<f64>,
    effort: Vec<f64>,
}

impl Log {
    /// `noise` of the position (rad) and of the effort (N·m); steps vary by `jitter` of themselves.
    fn of(joint: Joint, seed: u64, noise: [f64; 2], jitter: f64) -> Self {
        Self::of_rows(6000, joint, seed, noise, jitter)
    }

    fn of_rows(
        rows: usize,
        joint: Joint,
        seed: u64,
        [of_position, of_effort]: [f64; 2],
        jitter: f64,
    ) -> Self {
        let mut draw = Noise::new(seed);
        let (mut time, mut position, mut effort) = (Vec::new(), Vec::new(), Vec::new());
        let mut t = 0.0;
        for _ in 0..rows {
            t += 0.005 * (1.0 + jitter * (2.0 * draw.unit() - 1.0));
            let waves = [(0.8f64, 0.9f64, 0.3f64), (0.25, 2.3, 1.0)];
            let q: f64 = waves.iter().map(|(a, w, p)| a * (w * t + p).sin()).sum();
            let v: f64 = waves.iter().map(|(a, w, p)| a * w * (w * t + p).cos()).sum();
            let a: f64 = waves.iter().map(|(a, w, p)| -a * w * w * (w * t + p).sin()).sum();
            time.push(t);
            position.push(q + of_position * draw.normal());
            let force =
                joint.inertia * a + joint.gravity * q.sin() + joint.offset + joint.friction(v);
            effort.push(force + of_effort * draw.normal());
        }
        Self { time, position, effort }
    }

    fn fit(&self, asked: &Asked) -> FrictionCurveFit {
        let record = Record {
            time: Some(&self.time),
            position: Some(&self.position),
            effort: &self.effort,
            ..Record::default()
        };
        friction_curve(&record, asked).unwrap()
    }
}

fn turning() -> Asked {
    Asked { gravity: true, motion: Motion::Rotation, ..Asked::default() }
}

fn value(fit: &FrictionCurveFit, name: &str) -> Option<f64> {
    fit.parameters.iter().find(|p| p.name == name)?.estimate.value
}

/// Whether the interval of a number holds the truth; `None` where the number is withheld.
fn holds(fit: &FrictionCurveFit, name: &str, truth: f64) -> Option<bool> {
    let found = fit.parameters.iter().find(|p| p.name == name)?;
    found.estimate.ci95.map(|[low, high]| (low..=high).contains(&truth))
}

fn coverage(seeds: std::ops::Range<u64>) -> Vec<(&'static str, usize, usize)> {
    let names =
        ["coulomb", "static", "stribeck_velocity", "viscous", "inertia", "gravity_sin", "offset"];
    let mut counts: Vec<_> = names.map(|n| (n, 0usize, 0usize)).into();
    for seed in seeds {
        let joint = Joint::any(seed);
        let asked = Asked { law: Some(Shape::Stribeck), ..turning() };
        let fit = Log::of(joint, seed, [2e-5, 0.02], 0.1).fit(&asked);
        let truths = [
            joint.coulomb,
            joint.coulomb + joint.excess,
            joint.speed,
            joint.viscous,
            joint.inertia,
            joint.gravity,
            joint.offset,
        ];
        for ((name, inside, known), truth) in counts.iter_mut().zip(truths) {
            if let Some(held) = holds(&fit, name, truth) {
                *known += 1;
                *inside += usize::from(held);
            }
        }
    }
    counts
}

/// Position alone, uneven times, noise: intervals hold the truth.
#[test]
fn the_intervals_of_a_joint_hold_the_truth() {
    const JOINTS: usize = 40;
    for (name, inside, known) in coverage(0..JOINTS as u64) {
        println!("{name}: {inside} of {known}");
        assert!(
            10 * known >= 9 * JOINTS && 40 * inside >= 35 * known,
            "{name}: {inside} of {known}"
        );
    }
}

/// The same for 400 joints: `cargo test --release -p stickslip-calibrate --test all the_intervals_of_many -- --ignored --nocapture`.
#[test]
#[ignore = "a campaign of a minute"]
fn the_intervals_of_many_joints_hold_the_truth() {
    for (name, inside, known) in coverage(1000..1400) {
        println!("{name}: {inside} of {known}");
        assert!(known >= 380 && 100 * inside >= 91 * known, "{name}: {inside} of {known}");
    }
}

/// What is there is found, and what is not there is not.
#[test]
fn the_law_is_found_that_made_the_record() {
    let (mut falls, mut flat) = (0, 0);
    let joints = sized(10, 20);
    for seed in 0..joints {
        let joint = Joint::any(seed);
        let fit = Log::of(joint, seed, [2e-5, 0.02], 0.1).fit(&turning());
        falls += usize::from(fit.law == Shape::Stribeck);
        assert!(fit.plausible, "{:?}", fit.warnings);
        let plain = Joint { excess: 0.0, ..joint };
        let fit = Log::of(plain, seed, [2e-5, 0.02], 0.1).fit(&turning());
        flat += usize::from(fit.law == Shape::Coulomb);
        let answer = fit.answers.iter().find(|a| a.what == "stribeck").unwrap();
        assert_ne!(answer.verdict, "yes", "{seed}: {answer:?}");
    }
    assert!(falls + 1 >= joints as usize && flat + 1 >= joints as usize, "{falls} {flat}");
}

/// A richer law never leaves more than a simpler one that it contains.
#[test]
fn nested_laws_leave_less_and_less() {
    for seed in 0..10 {
        let joint = Joint::any(100 + seed);
        let fit = Log::of(joint, seed, [1e-4, 0.05], 0.2).fit(&turning());
        let left = |law| fit.candidates.iter().find(|c| c.law == law).unwrap().rmse;
        assert!(left(Shape::Coulomb) <= left(Shape::Viscous));
        for richer in [Shape::ByDirection, Shape::Polynomial, Shape::Stribeck] {
            assert!(left(richer) <= left(Shape::Coulomb) * (1.0 + 1e-12), "{seed} {richer:?}");
        }
    }
}

/// Dwells at constant speed without times, weighted by their lengths.
#[test]
fn dwells_need_no_times() {
    let mut draw = Noise::new(5);
    let (mut velocity, mut effort, mut weight) = (Vec::new(), Vec::new(), Vec::new());
    for k in 1..=40 {
        for sign in [1.0, -1.0] {
            let v = sign * 0.02 * f64::from(k);
            let length: f64 = if k % 7 == 0 { 0.01 } else { 4.0 };
            velocity.push(v);
            weight.push(length);
            // A dwell that lasted a moment only is worth little.
            effort.push(5.0 * sign + 8.0 * v + 0.1 * draw.normal() / length.sqrt());
        }
    }
    let record = Record {
        velocity: Some(&velocity),
        effort: &effort,
        weight: Some(&weight),
        ..Record::default()
    };
    let fit = friction_curve(&record, &Asked::default()).unwrap();
    assert_eq!(fit.law, Shape::Coulomb);
    assert!((value(&fit, "coulomb").unwrap() - 5.0).abs() < 0.05);
    assert!((value(&fit, "viscous").unwrap() - 8.0).abs() < 0.1);
}

/// With one direction dry friction and an offset are one number, with one speed dry and viscous friction are.
#[test]
fn what_cannot_be_told_apart_is_withheld() {
    let mut draw = Noise::new(6);
    let speeds: Vec<f64> = (1..200).map(|k| 0.01 * f64::from(k)).collect();
    let effort: Vec<f64> =
        speeds.iter().map(|v| 0.7 + 2.0 + 3.0 * v + 0.01 * draw.normal()).collect();
    let record = Record { velocity: Some(&speeds), effort: &effort, ..Record::default() };
    let one_way = friction_curve(&record, &Asked::default()).unwrap();
    assert_eq!(value(&one_way, "coulomb"), None);
    assert!((value(&one_way, "coulomb_and_offset").unwrap() - 2.7).abs() < 0.02);
    assert!((value(&one_way, "viscous").unwrap() - 3.0).abs() < 0.02);

    let speeds: Vec<f64> = (0..200)
        .map(|k| if k % 50 < 25 { 0.3 } else { -0.3 } * (1.0 + 0.02 * draw.normal()))
        .collect();
    let effort: Vec<f64> =
        speeds.iter().map(|v| 2.0 * v.signum() + 3.0 * v + 0.01 * draw.normal()).collect();
    let record = Record { velocity: Some(&speeds), effort: &effort, ..Record::default() };
    let one_speed = friction_curve(&record, &Asked::default()).unwrap();
    assert_eq!([value(&one_speed, "coulomb"), value(&one_speed, "viscous")], [None, None]);
    assert!((value(&one_speed, "friction").unwrap() - 2.9).abs() < 0.02);

    // A law that is asked for is fitted or refused, and never replaced by a simpler one.
    for (law, possible) in
        [(Shape::Stribeck, false), (Shape::Viscous, false), (Shape::Coulomb, true)]
    {
        let asked = Asked { law: Some(law), ..Asked::default() };
        assert_eq!(friction_curve(&record, &asked).is_ok(), possible, "{law:?}");
    }
}

/// That no row is slow enough to see a fall is no evidence that there is none.
#[test]
fn a_fall_that_was_not_looked_at_is_not_denied() {
    let mut draw = Noise::new(8);
    let speeds: Vec<f64> =
        (0..400).map(|k| (0.3 + 0.7 * draw.unit()) * if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let joint = Joint {
        coulomb: 1.0,
        excess: 0.8,
        speed: 0.02,
        viscous: 0.5,
        inertia: 0.0,
        gravity: 0.0,
        offset: 0.0,
    };
    let effort: Vec<f64> =
        speeds.iter().map(|v| joint.friction(*v) + 0.01 * draw.normal()).collect();
    let record = Record { velocity: Some(&speeds), effort: &effort, ..Record::default() };
    let fit = friction_curve(&record, &Asked::default()).unwrap();
    let answer = fit.answers.iter().find(|a| a.what == "stribeck").unwrap();
    assert_eq!(answer.verdict, "undecided", "{answer:?}");
}

/// An effort that the logger delays, clips or holds is named, and not taken for friction; a delay that is given is allowed for.
#[test]
fn what_loggers_do_to_the_effort_is_named() {
    let joint = Joint { gravity: 0.0, ..Joint::any(3) };
    let clean = Log::of(joint, 3, [2e-5, 0.02], 0.0);
    let said = |log: &Log, asked: &Asked, word: &str| {
        let fit = log.fit(asked);
        (fit.plausible, fit.warnings.iter().any(|w| w.contains(word)))
    };
    for word in ["effort_delay", "clipped", "held"] {
        assert_eq!(said(&clean, &turning(), word), (true, false), "{word}");
    }
    let rows = 4;
    let mut late = Log::of(joint, 3, [2e-5, 0.02], 0.0);
    late.effort.rotate_right(rows);
    assert_eq!(said(&late, &turning(), "effort_delay"), (false, true));
    let told = late.fit(&Asked { effort_delay: 0.005 * rows as f64, ..turning() });
    assert!(told.plausible && (value(&told, "coulomb").unwrap() - joint.coulomb).abs() < 0.05);

    let mut clipped = Log::of(joint, 3, [2e-5, 0.02], 0.0);
    let most = 0.7 * clipped.effort.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    clipped.effort.iter_mut().for_each(|e| *e = e.clamp(-most, most));
    assert_eq!(said(&clipped, &turning(), "clipped"), (false, true));

    let mut held = Log::of(joint, 3, [2e-5, 0.02], 0.0);
    (0..held.effort.len()).for_each(|i| held.effort[i] = held.effort[i - i % 8]);
    assert_eq!(said(&held, &turning(), "held"), (false, true));
}

/// Rows far away from all others do not move the numbers, and are counted.
#[test]
fn a_few_wild_rows_are_left_out_and_counted() {
    let joint = Joint::any(4);
    let mut log = Log::of(joint, 4, [2e-5, 0.02], 0.1);
    (0..6000).step_by(97).for_each(|i| log.effort[i] += 40.0);
    let fit = log.fit(&turning());
    let said = "61 values of the effort stand out from both neighbours";
    assert!(fit.left_out.missing >= 61 && fit.warnings.iter().any(|w| w.contains(said)));
    // Rows that are wrong for a while stand out from the law only.
    let mut log = Log::of(joint, 4, [2e-5, 0.02], 0.1);
    (0..6000)
        .step_by(970)
        .for_each(|i| (i..i + 8).for_each(|k| log.effort[k] += 4.0 + 0.01 * k as f64));
    let fit = log.fit(&turning());
    assert!(fit.left_out.outliers > 40 && fit.warnings.iter().any(|w| w.contains("contradict")));
    assert!((value(&fit, "viscous").unwrap() - joint.viscous).abs() < 0.02);
}

/// A load and a temperature are numbers of the friction.
#[test]
fn load_and_temperature_are_allowed_for() {
    let mut draw = Noise::new(9);
    let count = 2000;
    let mut column = |f: &mut dyn FnMut(&mut Noise) -> f64| {
        (0..count).map(|_| f(&mut draw)).collect::<Vec<f64>>()
    };
    let velocity = column(&mut |d| 2.0 * d.unit() - 1.0);
    let load = column(&mut |d| 50.0 * d.normal());
    let temperature = column(&mut |d| 20.0 + 30.0 * d.unit());
    let noise = column(&mut |d| 0.05 * d.normal());
    let middle = temperature.iter().sum::<f64>() / count as f64;
    let effort: Vec<f64> = (0..count)
        .map(|i| {
            let (v, warmer) = (velocity[i], temperature[i] - middle);
            (3.0 + 0.02 * load[i].abs() - 0.01 * warmer) * v.signum()
                + (4.0 - 0.05 * warmer) * v
                + noise[i]
        })
        .collect();
    let record = Record {
        velocity: Some(&velocity),
        effort: &effort,
        load: Some(&load),
        temperature: Some(&temperature),
        ..Record::default()
    };
    let fit = friction_curve(&record, &Asked::default()).unwrap();
    let near = |name: &str, truth: f64, by: f64| {
        let found = value(&fit, name).unwrap();
        assert!((found - truth).abs() < by, "{name}: {found}");
    };
    near("coulomb", 3.0, 0.02);
    near("viscous", 4.0, 0.02);
    near("load", 0.02, 5e-4);
    near("coulomb_per_kelvin", -0.01, 1e-3);
    near("viscous_per_kelvin", -0.05, 2e-3);
    assert!((fit.mean_temperature.unwrap() - middle).abs() < 0.1);
}

/// A long record, of which some rows tell how velocities are formed and where the friction falls: the numbers are those of the joint. The same
/// efforts with the positions of nothing explain nothing, and that is said.
#[test]
fn long_records_are_searched_by_some_of_their_rows() {
    let joint = Joint::any(5);
    let log = Log::of_rows(150_000, joint, 77, [2e-5, 0.02], 0.1);
    let record = |position| Record {
        time: Some(&log.time),
        position: Some(position),
        effort: &log.effort,
        ..Record::default()
    };
    let fit = friction_curve(&record(&log.position), &turning()).unwrap();
    assert_eq!(fit.law, Shape::Stribeck);
    let truth = [
        ("coulomb", joint.coulomb, 0.01),
        ("stribeck_velocity", joint.speed, 0.03),
        ("viscous", joint.viscous, 0.01),
        ("inertia", joint.inertia, 0.01),
    ];
    for (name, truth, within) in truth {
        let found = value(&fit, name).unwrap();
        assert!((found / truth - 1.0).abs() < within, "{name}: {found} for {truth}");
    }
    let mut draw = Noise::new(3);
    let nothing: Vec<f64> = log.time.iter().map(|_| draw.normal()).collect();
    let fit = friction_curve(&record(&nothing), &turning()).unwrap();
    assert!(!fit.plausible && fit.warnings.iter().any(|w| w.contains("unexplained")), "{fit:?}");
}

#[test]
fn wrong_records_are_refused() {
    let v = vec![1.0; 30];
    let short = vec![1.0; 29];
    let effort: Vec<f64> = (0..30).map(f64::from).collect();
    let record = |velocity, time| Record { velocity, time, effort: &effort, ..Record::default() };
    let asked = Asked::default();
    assert!(friction_curve(&record(Some(&short), None), &asked).is_err());
    assert!(friction_curve(&record(None, None), &asked).is_err());
    assert!(friction_curve(&record(Some(&v), Some(&v)), &asked).is_err());
    let rest = vec![0.0; 30];
    let error = friction_curve(&record(Some(&rest), None), &asked).unwrap_err();
    assert!(error.to_string().contains("joint in motion"), "{error}");
    // An effort that never changes is no joint's, whatever moves; one that changes in a single row is looked at.
    let speeds: Vec<f64> = (0..30).map(|i| f64::from(i) - 14.5).collect();
    let with = |effort: &[f64]| {
        let record = Record { velocity: Some(&speeds), effort, ..Record::default() };
        friction_curve(&record, &asked).map_err(|e| e.to_string())
    };
    assert!(with(&v).is_err_and(|e| e.contains("the effort is 1 in every row")));
    let mut changes = v.clone();
    changes[7] = 2.0;
    assert!(!with(&changes).is_err_and(|e| e.contains("in every row")));
}

/// A public record of a positioning axis, against the numbers of its authors (Janot, Gautier and Brunot 2019: 95.1 kg, 203.5 N·s/m,
/// 20.4 N by the inverse dynamics).
#[test]
fn a_public_axis_is_as_its_authors_found_it() {
    let Some(path) = shared("emps/emps.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|l| l.split(',').map(|c| c.trim().parse().unwrap_or(f64::NAN)).collect())
        .collect();
    let column = |name: &str| -> Vec<f64> {
        let k = head.iter().position(|h| h.trim() == name).unwrap_or_else(|| panic!("{head:?}"));
        rows.iter().map(|r| r[k]).collect()
    };
    let (time, position, force) = (column("t"), column("qm"), column("force_N"));
    let record = Record {
        time: Some(&time),
        position: Some(&position),
        effort: &force,
        ..Record::default()
    };
    let asked = Asked { law: Some(Shape::Coulomb), ..Asked::default() };
    let fit = friction_curve(&record, &asked).unwrap();
    let near = |name: &str, truth: f64, by: f64| {
        let found = value(&fit, name).unwrap();
        assert!((found / truth - 1.0).abs() < by, "{name}: {found}");
    };
    near("inertia", 95.11, 0.01);
    near("viscous", 203.5, 0.02);
    near("coulomb", 20.39, 0.03);
}
