//! What clocks, sensors and loggers do to records of isolators, pulled sliders, rocks and control loops of known numbers: a number is right,
//! or its fault is named and the number is not taken as it stands. Dampers, axes and joints are in `instruments`.
//!
//! `STICKSLIP_RECORDS=40 cargo test -p stickslip-calibrate --test all instruments_of_rigs -- --ignored --nocapture` prints the table of
//! the guide; `STICKSLIP_KIND=WORDS` takes the faults whose name holds these words, `STICKSLIP_DEVICE=Rock` one kind, and
//! `STICKSLIP_SAID=1` prints what is said.

use crate::common::Noise;
use crate::instruments::number;
use crate::{isolator, rock_friction, slider, valves};
use stickslip::study::parallel;
use stickslip_calibrate::Estimate;
use stickslip_calibrate::isolator::Test;
use stickslip_calibrate::pulled_slider::PulledSlider;
use stickslip_calibrate::rock_friction::RockFriction;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rig {
    Isolator,
    Slider,
    Rock,
    /// A loop whose valve sticks, and one whose valve moves freely.
    Sticking,
    Free,
}

const RIGS: [Rig; 5] = [Rig::Isolator, Rig::Slider, Rig::Rock, Rig::Sticking, Rig::Free];

/// The columns of a record, and what they were made from.
struct Record {
    rig: Rig,
    time: Vec<f64>,
    /// What moves, or the output of a controller.
    motion: Vec<Vec<f64>>,
    /// Forces, or the process variable.
    force: Vec<Vec<f64>>,
    /// What no instrument spoils here: the load of an isolator.
    load: Vec<f64>,
    pulled: Option<PulledSlider>,
    truth: Vec<(&'static str, f64)>,
    draw: Noise,
}

/// What came of a record.
struct Outcome {
    /// A number that is off by more than its interval is wide and by one percent, or a verdict that is wrong.
    wrong: Option<String>,
    believed: bool,
    said: Vec<String>,
}

impl Record {
    fn new(rig: Rig, seed: u64) -> Self {
        let mut draw = Noise::new(seed + 57_000_000 + 1_000_000 * rig as u64);
        (0..10).for_each(|_| _ = draw.unit());
        let none = || (Vec::new(), None);
        let (time, motion, force, (load, pulled), truth) = match rig {
            Rig::Isolator => {
                let isolator::Twin { truth: [slow, fast, rate, k], columns: [t, x, y, fx, fy, n] } =
                    isolator::twin(seed + 70_000);
                let truth = vec![("slow", slow), ("fast", fast), ("rate", rate), ("stiffness", k)];
                (t, vec![x, y], vec![fx, fy], (n, None), truth)
            }
            Rig::Slider => {
                let pulled = slider::rig(100.0 + 200.0 * draw.unit(), 4e-5 + 4e-5 * draw.unit());
                let dynamic = 0.2 + 0.2 * draw.unit();
                let breakaway = dynamic * (1.06 + 0.08 * draw.unit());
                let (t, f, _) = slider::made(&pulled, (breakaway, dynamic), 40.0, 7e-4);
                let truth = vec![("mu_s", breakaway), ("mu_d", dynamic)];
                (t, Vec::new(), vec![f], (Vec::new(), Some(pulled)), truth)
            }
            Rig::Rock => {
                let twin = rock_friction::twin(seed + 7000, seed % 2 == 1, 2e-4);
                let truth = vec![
                    ("a", twin.a),
                    ("b", twin.b),
                    ("distance", twin.distance),
                    ("stiffness", twin.stiffness),
                ];
                (twin.t, vec![twin.x], vec![twin.mu], none(), truth)
            }
            Rig::Sticking | Rig::Free => {
                let [u, y] = valves::a_loop(seed + 3_000_000, rig == Rig::Sticking);
                let t = (0..u.len()).map(|i| i as f64).collect();
                (t, vec![u], vec![y], none(), Vec::new())
            }
        };
        Self { rig, time, motion, force, load, pulled, truth, draw }
    }

    /// One of the columns: a force in one record of two.
    fn some(&mut self) -> &mut Vec<f64> {
        let force = self.motion.is_empty() || self.draw.unit() < 0.5;
        let of = if force { &mut self.force } else { &mut self.motion };
        let k = (self.draw.unit() * of.len() as f64) as usize;
        &mut of[k]
    }

    /// What is read by the instrument of the forces.
    fn instrument(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        let load = (!self.load.is_empty()).then_some(&mut self.load);
        self.force.iter_mut().chain(load)
    }

    fn fit(&self) -> Outcome {
        let Self { time, motion, force, truth, .. } = self;
        let refused = |e: stickslip_calibrate::Error| Outcome {
            wrong: None,
            believed: false,
            said: vec![e.to_string()],
        };
        let harmless = [
            "left out",
            "allowed for",
            "only the rows with new values",
            "noise of the force is not independent",
            "tell the ageing law and the slip law apart",
        ];
        let believed =
            |said: &[String]| said.iter().all(|w| harmless.iter().any(|part| w.contains(part)));
        let off = |values: &[&Estimate]| {
            let both = values.iter().zip(truth);
            let mut all = both.filter_map(|(e, (name, truth))| {
                let (Some(value), Some([low, high])) = (e.value, e.ci95) else { return None };
                ((value - truth).abs() > (high - low).max(0.01 * truth.abs()))
                    .then(|| format!("{name} = {value:.5e} ({low:.5e} to {high:.5e}), {truth:.5e}"))
            });
            all.next_back()
        };
        match self.rig {
            Rig::Isolator => {
                let test = Test {
                    time,
                    displacement: [&motion[0], &motion[1]],
                    force: [&force[0], &force[1]],
                    normal: &self.load,
                };
                match stickslip_calibrate::isolator::isolator(&test) {
                    Err(e) => refused(e),
                    Ok(fit) => {
                        let p = &fit.parameters;
                        Outcome {
                            wrong: off(&[&p.slow, &p.fast, &p.rate, &p.stiffness]),
                            believed: believed(&fit.warnings),
                            said: fit.warnings,
                        }
                    }
                }
            }
            Rig::Slider => {
                let pulled = self.pulled.as_ref().unwrap();
                match stickslip_calibrate::pulled_slider::slider(time, &force[0], pulled) {
                    Err(e) => refused(e),
                    Ok(fit) => Outcome {
                        wrong: off(&[&fit.parameters.mu_s, &fit.parameters.mu_d]),
                        believed: believed(&fit.warnings),
                        said: fit.warnings,
                    },
                }
            }
            Rig::Rock => {
                let asked = RockFriction::default();
                let found = stickslip_calibrate::rock_friction::rock_friction(
                    time, &motion[0], &force[0], &asked,
                );
                match found {
                    Err(e) => refused(e),
                    Ok(fit) => {
                        let p = &fit.laws[0].parameters;
                        let stiffness = p.stiffness.as_ref().unwrap();
                        Outcome {
                            wrong: off(&[&p.a, &p.b, &p.distance, stiffness]),
                            believed: believed(&fit.warnings),
                            said: fit.warnings,
                        }
                    }
                }
            }
            Rig::Sticking | Rig::Free => {
                match stickslip_calibrate::valve::valve(time, &motion[0], &force[0], None) {
                    Err(e) => refused(e),
                    Ok(fit) => {
                        let opposite =
                            if self.rig == Rig::Free { "sticks" } else { "does-not-stick" };
                        let wrong = (fit.verdict == opposite).then(|| fit.verdict.to_owned());
                        let believed = ["sticks", "does-not-stick"].contains(&fit.verdict);
                        Outcome { wrong, believed, said: fit.warnings }
                    }
                }
            }
        }
    }
}

fn ends(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |m, v| [m[0].min(*v), m[1].max(*v)])
}

/// A share of the values of a column changes.
fn in_some(r: &mut Record, [least, most]: [f64; 2], change: fn(&mut f64, [f64; 2], &mut Noise)) {
    let share = least * (most / least).powf(r.draw.unit());
    let mut draw = Noise::new((1e9 * r.draw.unit()) as u64);
    (0..10).for_each(|_| _ = draw.unit());
    let column = r.some();
    let ends = ends(column);
    for value in column {
        if draw.unit() < share {
            change(value, ends, &mut draw);
        }
    }
}

/// Columns at other times than their rows say.
fn at(time: &[f64], values: &[f64], of: impl Fn(f64) -> f64) -> Vec<f64> {
    let last = time.len() - 1;
    let value = |t: f64| {
        let t = of(t).clamp(time[0], time[last]);
        let k = time.partition_point(|s| *s <= t).clamp(1, last);
        let share = (t - time[k - 1]) / (time[k] - time[k - 1]);
        values[k - 1] + share * (values[k] - values[k - 1])
    };
    time.iter().map(|t| value(*t)).collect()
}

fn late(r: &mut Record, by: impl Fn(f64) -> f64) {
    let time = r.time.clone();
    r.instrument().for_each(|f| *f = at(&time, f, |t| t - by(t)));
}

fn held(values: &mut [f64], rows: usize) {
    let old = values.to_vec();
    values.iter_mut().enumerate().for_each(|(i, v)| *v = old[i / rows * rows]);
}

fn usual_step(r: &Record) -> f64 {
    (r.time[r.time.len() - 1] - r.time[0]) / (r.time.len() - 1) as f64
}

type Fault = (&'static str, fn(&mut Record));

const FAULTS: [Fault; 20] = [
    ("clean", |_| {}),
    ("a code of −999 in 0.05 to 2 %", |r| in_some(r, [5e-4, 0.02], |v, _, _| *v = -999.0)),
    ("a code of 9999 in 0.05 to 2 %", |r| in_some(r, [5e-4, 0.02], |v, _, _| *v = 9999.0)),
    ("zeros in 0.1 to 2 %", |r| in_some(r, [1e-3, 0.02], |v, _, _| *v = 0.0)),
    ("NaN in 0.1 to 10 %", |r| in_some(r, [1e-3, 0.1], |v, _, _| *v = f64::NAN)),
    ("spikes in 0.03 to 1 %", |r| {
        in_some(r, [3e-4, 0.01], |v, [low, high], draw| {
            *v += (high - low) * (0.3 + draw.unit()) * if draw.unit() < 0.5 { -1.0 } else { 1.0 };
        });
    }),
    ("a force that wraps", |r| {
        let share = 0.6 + 0.3 * r.draw.unit();
        for f in &mut r.force {
            let [low, high] = ends(f);
            f.iter_mut().for_each(|v| *v = low + (*v - low).rem_euclid(share * (high - low)));
        }
    }),
    ("a motion that wraps", |r| {
        let share = 0.6 + 0.3 * r.draw.unit();
        for x in &mut r.motion {
            let [low, high] = ends(x);
            x.iter_mut().for_each(|v| *v = low + (*v - low).rem_euclid(share * (high - low)));
        }
    }),
    ("the force cut off at an end", |r| {
        let share = 0.02 + 0.13 * r.draw.unit();
        for f in &mut r.force {
            let [low, high] = ends(f);
            f.iter_mut().for_each(|v| *v = v.min(high - share * (high - low)));
        }
    }),
    ("the motion cut off at an end", |r| {
        let share = 0.02 + 0.13 * r.draw.unit();
        for x in &mut r.motion {
            let [low, high] = ends(x);
            x.iter_mut().for_each(|v| *v = v.min(high - share * (high - low)));
        }
    }),
    ("the force held over 2 to 7 rows", |r| {
        let rows = 2 + (6.0 * r.draw.unit()) as usize;
        r.force.iter_mut().for_each(|f| held(f, rows));
    }),
    ("the motion held over 2 to 7 rows", |r| {
        let rows = 2 + (6.0 * r.draw.unit()) as usize;
        r.motion.iter_mut().for_each(|x| held(x, rows));
    }),
    ("the force 1 to 8 rows late", |r| {
        let by = usual_step(r) * (1.0 + 7.0 * r.draw.unit());
        late(r, |_| by);
    }),
    ("a clock that drifts by 0.01 to 0.3 %", |r| {
        let by = 1e-4 * 30f64.powf(r.draw.unit());
        late(r, |t| by * t);
    }),
    ("a slow sensor of the force", |r| {
        let keep = (-1.0 / (1.0 + 7.0 * r.draw.unit())).exp();
        for f in r.instrument() {
            let mut seen = f[0];
            f.iter_mut().for_each(|v| {
                seen = keep * seen + (1.0 - keep) * *v;
                *v = seen;
            });
        }
    }),
    ("the force in 10 to 40 parts", |r| {
        let parts = 10.0 + 30.0 * r.draw.unit();
        for f in &mut r.force {
            let [low, high] = ends(f);
            let step = (high - low) / parts;
            f.iter_mut().for_each(|v| *v = (*v / step).round() * step);
        }
    }),
    ("the force in 100 to 400 parts", |r| {
        let parts = 100.0 + 300.0 * r.draw.unit();
        for f in &mut r.force {
            let [low, high] = ends(f);
            let step = (high - low) / parts;
            f.iter_mut().for_each(|v| *v = (*v / step).round() * step);
        }
    }),
    ("the motion in 200 to 1,000 parts", |r| {
        let parts = 200.0 + 800.0 * r.draw.unit();
        for x in &mut r.motion {
            let [low, high] = ends(x);
            let step = (high - low) / parts;
            x.iter_mut().for_each(|v| *v = (*v / step).round() * step);
        }
    }),
    ("another gain of the force from a row on", |r| {
        let by = 1.0 + (0.05 + 0.3 * r.draw.unit()) * if r.draw.unit() < 0.5 { -1.0 } else { 1.0 };
        let from = (r.time.len() as f64 * (0.2 + 0.6 * r.draw.unit())) as usize;
        r.force.iter_mut().for_each(|f| f[from..].iter_mut().for_each(|v| *v *= by));
    }),
    ("another sign of the force from a row on", |r| {
        let from = (r.time.len() as f64 * (0.2 + 0.6 * r.draw.unit())) as usize;
        r.force.iter_mut().for_each(|f| f[from..].iter_mut().for_each(|v| *v = -*v));
    }),
];

#[test]
#[ignore = "a campaign of minutes"]
fn instruments_of_each_rig() {
    let records = number("STICKSLIP_RECORDS").unwrap_or(8);
    let first = number("STICKSLIP_FIRST").unwrap_or(0);
    let words = std::env::var("STICKSLIP_KIND").unwrap_or_default();
    let only = std::env::var("STICKSLIP_DEVICE").unwrap_or_default();
    let verbose = std::env::var_os("STICKSLIP_SAID").is_some();
    println!("| fault | rig | right | not believed | wrong and believed |\n|---|---|---|---|---|");
    let mut all = [0usize; 3];
    for fault in FAULTS.iter().filter(|f| f.0.contains(&words)) {
        for rig in RIGS.into_iter().filter(|d| format!("{d:?}").contains(&only)) {
            let outcomes = parallel::over((first..first + records).collect(), |seed: u64| {
                let mut record = Record::new(rig, seed);
                (fault.1)(&mut record);
                (seed, record.fit())
            });
            let mut counts = [0usize; 3];
            let mut wrong = Vec::new();
            for (seed, outcome) in outcomes {
                let k = match (outcome.believed, &outcome.wrong) {
                    (false, _) => 1,
                    (true, None) => 0,
                    (true, Some(what)) => {
                        wrong.push(format!("{seed}: {what}"));
                        2
                    }
                };
                counts[k] += 1;
                if verbose {
                    let Outcome { wrong, believed, said } = outcome;
                    println!("  {seed}: believed {believed} {wrong:?} {said:?}");
                }
            }
            println!("| {} | {rig:?} | {} | {} | {} |", fault.0, counts[0], counts[1], counts[2]);
            wrong.iter().for_each(|w| println!("    {w}"));
            all.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        }
    }
    println!("right {}, not believed {}, wrong and believed {}", all[0], all[1], all[2]);
}

/// One record of each rig under each fault: no number is wrong and believed. Rocks, whose searches take seconds, by three faults.
#[test]
fn no_wrong_number_of_a_rig_is_believed() {
    let slow = ["clean", "the force held", "a clock that drifts"];
    for rig in RIGS {
        for (name, fault) in FAULTS {
            if rig == Rig::Rock && !slow.iter().any(|words| name.starts_with(words)) {
                continue;
            }
            let mut record = Record::new(rig, 500);
            fault(&mut record);
            let outcome = record.fit();
            assert!(
                outcome.wrong.is_none() || !outcome.believed,
                "{rig:?}, {name}: {:?} {:?}",
                outcome.wrong,
                outcome.said
            );
        }
    }
}

/// What is done to a record of an isolator is named by what was done, and nothing is said of one to which nothing was done.
#[test]
fn faults_of_an_isolators_record_are_named() {
    for (name, words) in [
        ("a code of −999", "stands for a missing value"),
        ("spikes", "stand out from both"),
        ("the force cut off", "cut off"),
        ("the force held", "stands for about"),
        ("the force 1 to 8 rows late", "later than the"),
        ("a slow sensor", "slow sensor"),
        ("a clock that drifts", "run apart"),
        ("another gain", "another gain"),
    ] {
        let fault = FAULTS.iter().find(|f| f.0.starts_with(name)).unwrap();
        let mut record = Record::new(Rig::Isolator, 510);
        assert!(record.fit().said.is_empty());
        (fault.1)(&mut record);
        let said = record.fit().said;
        assert!(said.iter().any(|w| w.contains(words)), "{name}: {said:?}");
    }
}

/// A force that comes early is no slow sensor of the force: the displacement is named.
#[test]
fn of_two_instruments_the_late_one_is_named() {
    let mut record = Record::new(Rig::Isolator, 520);
    late(&mut record, |_| -0.03);
    let outcome = record.fit();
    assert!(outcome.wrong.is_none(), "{:?}", outcome.wrong);
    assert!(
        outcome.said.iter().any(|w| w.starts_with("the displacement comes")),
        "{:?}",
        outcome.said
    );
}

/// More spikes than can be left out are said of a loop, too, and a process variable that jumps to and fro is none.
#[test]
fn spikes_of_a_loop_are_said() {
    let clean = Record::new(Rig::Sticking, 3);
    assert!(!clean.fit().said.iter().any(|w| w.contains("stand out")), "{:?}", clean.fit().said);
    let mut record = Record::new(Rig::Sticking, 3);
    for (i, y) in record.force[0].iter_mut().enumerate() {
        *y += if i % 57 == 3 { 40.0 + 0.01 * i as f64 } else { 0.0 };
    }
    assert!(record.fit().said.iter().any(|w| w.contains("too many")), "{:?}", record.fit().said);
}
