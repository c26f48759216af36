//! Twins with every term of the model, five of which are off by lot: do the intervals hold, and is what is off found to be off?

use super::{BOTH, angles, from_one_start, log, twin};
use crate::control::Unwatched;
use crate::joint::Fit;
use crate::joint::gear::Load;
use crate::joint::logs::Log;
use crate::joint::{Above, Given, Joint, Question, Slot, Unknown, joint};
use crate::statistics::random::Draws;

/// Terms that are off in half of the twins, by their names in [`asked`].
const MAY_BE_OFF: [(&str, Slot); 5] = [
    ("start", Slot::Start),
    ("derivative", Slot::Derivative),
    ("quadratic", Slot::Quadratic(BOTH)),
    ("rest", Slot::Rest(BOTH)),
    ("transmitted", Slot::Transmitted(BOTH)),
];

/// Each number within 30 % of a usual one, and which of the terms that may be off are.
fn truth(seed: u64) -> (Joint, [bool; MAY_BE_OFF.len()]) {
    let mut draws = Draws::new(seed, 177);
    let mut about = |x: f64| x * (0.7 + 0.6 * draws.unit());
    let mut of = twin();
    for (slot, usual) in [
        (Slot::Delay, 0.021),
        (Slot::SpeedLimit, 2.4),
        (Slot::Resistance, 4.0),
        (Slot::Armature, 0.004),
        (Slot::TorqueConstant, 0.5),
        (Slot::Start, 0.03),
        (Slot::Derivative, 0.02),
        (Slot::Dynamic(BOTH), 0.03),
        (Slot::Drop(BOTH), 0.02),
        (Slot::Velocity(BOTH), 0.3),
        (Slot::Viscous(BOTH), 0.01),
        (Slot::External(BOTH), 0.08),
        (Slot::Motor(BOTH), 0.08),
        (Slot::Quadratic(BOTH), 0.002),
        (Slot::Rest(BOTH), 1.0),
        (Slot::Transmitted(BOTH), 0.06),
    ] {
        of.set(slot, about(usual));
    }
    (0..3).for_each(|m| of.vertical[m] = about(0.05) - 0.05);
    let mut lot = Draws::new(seed, 178);
    let off = MAY_BE_OFF.map(|_| lot.unit() < 0.5);
    let slots = MAY_BE_OFF.iter().zip(off).filter(|(_, off)| *off);
    slots.for_each(|((_, slot), _)| of.set(*slot, 0.0));
    (of, off)
}

/// Three loads, each with a mounting of its own, three gains, and a motor that goes off for good or for a while.
fn logs(of: &Joint, count: usize, first: u64) -> Vec<Given> {
    let made = |k: usize| {
        let mounting = k % 3;
        let load =
            Load { inertia: 0.005 + 0.004 * mounting as f64, gravity: 0.3 + 0.2 * mounting as f64 };
        let mut log = log(first + k as u64, load);
        log.mounting = mounting;
        log.gain = [1.0, 2.0, 0.5][k / 3 % 3];
        let rows = log.time.len();
        log.supply = vec![8.0; rows];
        let is_on =
            |i: usize| if k.is_multiple_of(2) { i < 450 } else { !(200..=300).contains(&i) };
        log.enabled = (0..rows).map(is_on).collect();
        log.position = measured(&angles(of, &log), first + k as u64);
        log.position[40 + (k * 37) % 300] += 0.5;
        let left_out = log.cleaned();
        Given { file: format!("{k}.csv"), log, left_out, held_out: k % 4 == 3, labels: Vec::new() }
    };
    (0..count).map(made).collect()
}

/// With a noise of 5e-4 rad, rounded to 1.5e-3 rad, as the encoder of a small servo does.
fn measured(truth: &[f64], seed: u64) -> Vec<f64> {
    let mut draws = Draws::new(seed, 9);
    truth.iter().map(|a| ((a + 5e-4 * draws.normal()) / 1.5e-3).round() * 1.5e-3).collect()
}

/// Nineteen numbers, from starts that are off by up to a factor of four.
fn asked(logs: Vec<Given>) -> Question {
    let mut start = twin();
    let mut unknowns = Vec::new();
    for (name, slot, begins, range) in [
        ("delay", Slot::Delay, 0.01, [0.0, 0.06]),
        ("speed_limit", Slot::SpeedLimit, 4.0, [0.5, 9.0]),
        ("start", Slot::Start, 0.01, [0.0, 0.2]),
        ("derivative", Slot::Derivative, 0.01, [0.0, 0.2]),
        ("torque_constant", Slot::TorqueConstant, 0.7, [0.1, 3.0]),
        ("resistance", Slot::Resistance, 6.0, [1.0, 20.0]),
        ("armature", Slot::Armature, 0.008, [1e-4, 0.02]),
        ("dynamic", Slot::Dynamic(BOTH), 0.03, [0.0, 0.2]),
        ("static", Slot::Drop(BOTH), 0.02, [0.0, 0.2]),
        ("velocity", Slot::Velocity(BOTH), 0.3, [0.02, 3.0]),
        ("viscous", Slot::Viscous(BOTH), 0.01, [0.0, 0.1]),
        ("quadratic", Slot::Quadratic(BOTH), 0.001, [0.0, 0.02]),
        ("external", Slot::External(BOTH), 0.02, [0.0, 0.5]),
        ("motor", Slot::Motor(BOTH), 0.02, [0.0, 0.5]),
        ("rest", Slot::Rest(BOTH), 0.3, [0.0, 5.0]),
        ("transmitted", Slot::Transmitted(BOTH), 0.02, [0.0, 0.5]),
        ("vertical[0]", Slot::Vertical(Some(0)), 0.0, [-0.2, 0.2]),
        ("vertical[1]", Slot::Vertical(Some(1)), 0.0, [-0.2, 0.2]),
        ("vertical[2]", Slot::Vertical(Some(2)), 0.0, [-0.2, 0.2]),
    ] {
        start.set(slot, begins);
        let above = (name == "static").then_some(Above::Unknown(7));
        unknowns.push(Unknown { name: name.to_owned(), unit: "1", slot, range, above });
    }
    from_one_start(start, unknowns, logs)
}

/// So many of so many.
#[derive(Clone, Copy, Default)]
struct Share {
    are: usize,
    of: usize,
}

impl Share {
    fn count(&mut self, is: bool) {
        self.are += usize::from(is);
        self.of += 1;
    }

    fn all(shares: &[Self]) -> Self {
        shares
            .iter()
            .fold(Self::default(), |sum, s| Self { are: sum.are + s.are, of: sum.of + s.of })
    }
}

impl std::fmt::Display for Share {
    /// With the 95 % interval of Wilson (1927), in per cent.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.of == 0 {
            return write!(f, "0/0");
        }
        let n = self.of as f64;
        let z2 = 1.96 * 1.96;
        let p = self.are as f64 / n;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = (z2 * (p * (1.0 - p) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
        let [low, high] = [middle - half, middle + half].map(|x| 100.0 * x);
        write!(f, "{}/{} ({:.1} %, {low:.1} to {high:.1})", self.are, self.of, 100.0 * p)
    }
}

/// What a campaign counts.
struct Counts {
    /// Intervals that hold, number by number.
    hold: Vec<Share>,
    /// Said to be known, and off by more than five standard errors and a twentieth.
    far: Share,
    /// Terms that are off and found to be off, and terms that are on and found to earn their place.
    off: [Share; MAY_BE_OFF.len()],
    on: [Share; MAY_BE_OFF.len()],
}

impl Counts {
    fn add(&mut self, asked: &Question, fit: &Fit, truth: &Joint, off: [bool; MAY_BE_OFF.len()]) {
        for (i, (u, p)) in asked.unknowns.iter().zip(&fit.parameters).enumerate() {
            let below = if u.above.is_some() { truth.get(Slot::Dynamic(BOTH)) } else { 0.0 };
            let known = truth.get(u.slot) + below;
            let e = &p.estimate;
            let (Some(value), Some([low, high]), Some(error)) = (e.value, e.ci95, e.stderr) else {
                continue;
            };
            self.hold[i].count((low..=high).contains(&known));
            let apart = (value - known).abs();
            self.far.count(apart > 5.0 * error && apart > 0.05 * known.abs());
        }
        for (i, (name, _)) in MAY_BE_OFF.iter().enumerate() {
            let term = fit.terms.iter().find(|t| t.term == *name).unwrap();
            match off[i] {
                true => self.off[i].count(!term.earns_its_place),
                false => self.on[i].count(term.earns_its_place),
            }
        }
    }
}

/// The number of twins is that of `STICKSLIP_TWINS`, 300 without it, from `STICKSLIP_FIRST` on. A minute of processor time each.
#[test]
#[ignore = "hours"]
fn joint_twins() {
    let number = |key: &str, usual: u64| std::env::var(key).map_or(usual, |n| n.parse().unwrap());
    let first = number("STICKSLIP_FIRST", 0);
    let count = number("STICKSLIP_TWINS", 300);
    let mut counts = Counts {
        hold: vec![Share::default(); asked(Vec::new()).unknowns.len()],
        far: Share::default(),
        off: [Share::default(); MAY_BE_OFF.len()],
        on: [Share::default(); MAY_BE_OFF.len()],
    };
    for seed in first..first + count {
        let (truth, off) = truth(seed);
        let question = asked(logs(&truth, 48, 100_000 + 100 * seed));
        let fit = joint(&question, &Unwatched).unwrap();
        counts.add(&question, &fit, &truth, off);
        println!("{seed}: {} hold, {} far", Share::all(&counts.hold), counts.far);
    }
    for (u, hold) in asked(Vec::new()).unknowns.iter().zip(&counts.hold) {
        println!("{}: {hold}", u.name);
    }
    for (i, (name, _)) in MAY_BE_OFF.iter().enumerate() {
        println!("{name}: off {}, on {}", counts.off[i], counts.on[i]);
    }
    let hold = Share::all(&counts.hold);
    let off = Share::all(&counts.off);
    // 93 to 97 %, to two standard errors of so few.
    let [least, most] = [(0.93, -2.0), (0.97, 2.0)].map(|(share, errors): (f64, f64)| {
        let of = hold.of as f64;
        share * of + errors * (of * share * (1.0 - share)).sqrt()
    });
    assert!((least..=most).contains(&(hold.are as f64)), "{hold}");
    assert!(100 * counts.far.are <= counts.far.of, "{}", counts.far);
    assert!(100 * off.are >= 95 * off.of, "{off}");
}

/// The guess of a start is read from first rows that are in the loss themselves, and a line through the rows of a shaft that sets
/// off is wrong the same way in every log. On logs without noise the answer must not move for it: by less than a tenth of the
/// standard error with noise, 3e-6 s of delay.
#[test]
fn the_guess_of_a_start_moves_no_number() {
    let (truth, _) = truth(3);
    let mut logs: Vec<Log> = logs(&truth, 12, 5000).into_iter().map(|g| g.log).collect();
    for log in &mut logs {
        log.start = [0.1, 0.0];
        log.position = angles(&truth, log);
        log.cleaned();
        // What is guessed is far from the truth: the shaft sets off at once, and no number says so.
        assert!(
            (log.start[1]).abs() > 0.05 && (log.start[0] - 0.1).abs() > 1e-4,
            "{:?}",
            log.start
        );
    }
    let fitted: Vec<&Log> = logs.iter().collect();
    let question = asked(Vec::new());
    let sought: Vec<_> = question.sought(&[]);
    let sought: Vec<_> =
        sought.into_iter().filter(|s| matches!(s.slot, Slot::Delay | Slot::Drop(_))).collect();
    let found = crate::joint::search::descend(&truth, &sought, &fitted, 40, &Unwatched).unwrap();
    let off = found.joint.drive.delay - truth.drive.delay;
    assert!(off.abs() < 3e-7, "{off}");
}
