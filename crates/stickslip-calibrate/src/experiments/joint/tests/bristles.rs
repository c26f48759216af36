//! A gear that yields before it slips: its motion against one of tiny even steps, its derivatives against differences, and twins that this
//! other motion makes.

use super::{
    BOTH, LOAD, angles, apart, from_one_start, gradient_is_that_of_differences, log, sized, small,
    twin,
};
use crate::control::Unwatched;
use crate::joint::gear::{Gear, Load};
use crate::joint::identify::{Withheld, Work, without_elastic_range};
use crate::joint::logs::Log;
use crate::joint::motion::{Rig, Running, ShaftState, Told};
use crate::joint::search::{Sought, descend};
use crate::joint::sure::Sure;
use crate::joint::{Above, Fit, Given, Joint, Named, Question, Slot, Unknown, Ways, joint};
use crate::statistics::random::Draws;

/// Steps of the other motion in a row of 10 ms.
const FINE: usize = 1000;

/// The angles by the equations of LuGre themselves, z followed in time: Heun's method with tiny steps, nothing implicit. A delay, the
/// voltage of small servos, friction of the load, drag, and an elastic range.
fn fine(of: &Joint, log: &Log) -> Vec<f64> {
    let drive = of.drive;
    let inertia = of.gear.armature + log.load.inertia;
    let stiffness = 1.0 / of.gear.compliance;
    let goal = |t: f64| {
        let row = ((t / 0.01).max(0.0) as usize).min(log.goal.len() - 2);
        let share = ((t - 0.01 * row as f64) / 0.01).clamp(0.0, 1.0);
        log.goal[row] + share * (log.goal[row + 1] - log.goal[row])
    };
    // Torque of the motor, that of gravity and the limit of the bristle.
    let acts = |now: f64, [angle, speed, _]: [f64; 3], i: usize| {
        let on = log.enabled.get(i).copied().unwrap_or(true);
        let error = goal(now - drive.delay) - angle;
        let u = (drive.gain * log.gain * error - drive.derivative * speed)
            .clamp(-drive.limit, drive.limit)
            * log.supply.get(i).copied().unwrap_or(1.0);
        let k = drive.torque_constant;
        let motor = if on { k / drive.resistance * (u - k * speed) } else { 0.0 };
        let falls = -log.load.gravity * (angle - of.vertical[0]).sin();
        let way = of.gear.ways[usize::from(speed < 0.0)];
        let fall = (-(speed.abs() / way.velocity).powf(way.exponent)).exp();
        let load = (way.external * falls - way.motor * motor).abs() * (1.0 + way.rest * fall);
        (motor + falls, way.dynamic + way.drop * fall + load)
    };
    let rates = |now: f64, state: [f64; 3], i: usize| {
        let [_, speed, z] = state;
        let (push, limit) = acts(now, state, i);
        let way = of.gear.ways[usize::from(speed < 0.0)];
        let load = stiffness * z / limit * speed.signum();
        let share = of.gear.breakaway_share;
        let yields = if share == 0.0 || load >= 1.0 {
            1.0
        } else {
            ((load - share) / (1.0 - share)).max(0.0).powi(2) / load.max(share)
        };
        let rate = speed * (1.0 - yields * load);
        let rubs = stiffness * z
            + of.gear.bristle_damping * rate
            + way.viscous * speed
            + way.quadratic * speed * speed.abs();
        [speed, (push - rubs) / inertia, rate]
    };
    // At rest the bristle bears what pushes.
    let towards = acts(0.0, [log.start[0], log.start[1], 0.0], 0).0.signum();
    let begins = [log.start[0], towards * f64::MIN_POSITIVE, 0.0];
    let (push, limit) = acts(0.0, begins, 0);
    let mut state = [log.start[0], log.start[1], push.clamp(-limit, limit) / stiffness];
    let mut all = vec![log.start[0]];
    let dt = 0.01 / FINE as f64;
    let go = |from: [f64; 3], by: [f64; 3], time: f64| [0, 1, 2].map(|k| from[k] + time * by[k]);
    for i in 1..log.time.len() {
        for k in 0..FINE {
            let now = log.time[i - 1] + dt * k as f64;
            let first = rates(now, state, i - 1);
            let second = rates(now + dt, go(state, first, dt), i - 1);
            state = go(go(state, first, 0.5 * dt), second, 0.5 * dt);
        }
        all.push(state[0]);
    }
    all
}

/// A small servo whose gear yields; its load does not push it out of the reach of the bristle.
fn yielding(stiffness: f64) -> Joint {
    let mut of = small();
    of.gear.compliance = 1.0 / stiffness;
    of.gear.bristle_damping = 0.01;
    of
}

/// From stiffnesses that every step sees to one that it hardly does; Dahl's law, a gear that is lazier backwards, friction of the load,
/// drag, a motor that is off for a while. The encoder of the servos for which the step was chosen has steps of 1.5e-3 rad.
#[test]
fn the_motion_is_that_of_tiny_steps() {
    for (seed, stiffness) in [(1, 2.0), (2, 10.0), (3, 50.0), (4, 50.0), (5, 400.0)] {
        let mut of = yielding(stiffness);
        of.drive.delay = 0.004;
        match seed {
            1 => {
                of.set(Slot::Drop(BOTH), 0.0);
                of.gear.bristle_damping = 0.0;
            }
            2 => of.set(Slot::Dynamic(Ways::Backward), 0.045),
            3 => of.set(Slot::Quadratic(BOTH), 0.002),
            4 => {
                of.set(Slot::External(BOTH), 0.05);
                of.set(Slot::Motor(BOTH), 0.08);
                of.set(Slot::Rest(BOTH), 0.5);
            }
            _ => {}
        }
        let mut log = log(seed, LOAD);
        log.enabled = (0..600).map(|i| !(330..380).contains(&i)).collect();
        log.start = [0.1, 0.0];
        let exact = fine(&of, &log);
        let found = angles(&of, &log);
        let [most, mean] = apart(&found, &exact);
        assert!(most < 1.5e-3 && mean < 1.5e-4, "{stiffness}: {most} {mean}");
        if stiffness < 100.0 {
            // A rigid gear moves otherwise, so that the comparison says something.
            let mut rigid = of;
            rigid.gear.compliance = 0.0;
            let [_, without] = apart(&angles(&rigid, &log), &exact);
            assert!(without > 5.0 * mean, "{stiffness}: {without} {mean}");
        }
    }
}

/// The same with elastic ranges.
#[test]
fn the_motion_with_an_elastic_range_is_that_of_tiny_steps() {
    for (seed, stiffness, share) in [(1, 2.0, 0.3), (2, 10.0, 0.7), (4, 50.0, 0.9)] {
        let mut of = yielding(stiffness);
        of.gear.breakaway_share = share;
        of.drive.delay = 0.004;
        if seed == 4 {
            of.set(Slot::External(BOTH), 0.05);
            of.set(Slot::Rest(BOTH), 0.5);
        }
        let mut log = log(seed, LOAD);
        log.enabled = (0..600).map(|i| !(330..380).contains(&i)).collect();
        log.start = [0.1, 0.0];
        let exact = fine(&of, &log);
        let [most, mean] = apart(&angles(&of, &log), &exact);
        assert!(most < 1.5e-3 && mean < 1.5e-4, "{stiffness}: {most} {mean}");
        let mut lugre = of;
        lugre.gear.breakaway_share = 0.0;
        let [_, without] = apart(&angles(&lugre, &log), &exact);
        println!("{stiffness}: {mean:.2e} {without:.2e}");
        assert!(without > 5.0 * mean, "{stiffness}: {without} {mean}");
    }
}

/// Gravity pushes with 0.025 N·m and the controller by 0.008 N·m to and fro, which is less than 0.7 of the 0.05 N·m at rest: the arm comes
/// back for ever. Without an elastic range it creeps down until the controller bears the load.
#[test]
fn a_load_below_the_elastic_range_drifts_nowhere() {
    let mut log = log(1, Load { inertia: 0.006, gravity: 0.5 });
    log.start = [0.1, 0.0];
    log.goal =
        log.time.iter().map(|t| 0.1 + 0.004 * (4.0 * std::f64::consts::PI * t).sin()).collect();
    let last = |share: f64| {
        let mut of = yielding(10.0);
        of.gear.breakaway_share = share;
        let all = angles(&of, &log);
        // Means of the second period and of the last one but one.
        let mean = |from: usize| all[from..from + 50].iter().sum::<f64>() / 50.0;
        mean(500) - mean(50)
    };
    println!("{:.2e} {:.2e}", last(0.7), last(0.0));
    assert!(last(0.7).abs() < 1e-6, "{}", last(0.7));
    assert!(last(0.0) < -3e-3, "{}", last(0.0));
}

/// However stiff the bristle is, the motion stays that of a rigid gear.
#[test]
fn a_stiff_bristle_is_a_rigid_gear() {
    for seed in 1..4 {
        let mut log = log(seed, LOAD);
        log.enabled = (0..600).map(|i| !(330..380).contains(&i)).collect();
        let rigid = angles(&small(), &log);
        for stiffness in [1e4, 1e6, 1e9, 1e12] {
            let [most, mean] = apart(&angles(&yielding(stiffness), &log), &rigid);
            assert!(most < 3e-3 && mean < 3e-4, "{seed} {stiffness}: {most} {mean}");
        }
    }
}

/// What rests, rests: the bristle bears from the first row what pushes.
#[test]
fn a_held_shaft_stays_where_it_is() {
    let of = yielding(10.0);
    let mut log = log(1, Load { inertia: 0.006, gravity: 0.5 });
    // Gravity pushes with 0.5 sin 0.05 = 0.025 N·m, less than what the bristle bears; the controller asks for nothing.
    log.start = [0.1, 0.0];
    log.goal.fill(0.1);
    assert!(angles(&of, &log).iter().all(|a| (a - 0.1).abs() < 1e-14));
}

/// Everything that changes is put back, how the bristle is bent as well.
#[test]
fn a_motion_that_is_put_back_goes_on_to_the_same_bits() {
    let of = yielding(20.0);
    let log = log(3, LOAD);
    let rig = Rig { load: LOAD, mounting: 0, gain: 1.0 };
    let at = ShaftState { angle: 0.1, speed: 0.0 };
    let mut running = Running::of(of, rig, log.goal[0], at);
    let told = |i: usize| Told {
        time: [log.time[i - 1], log.time[i]],
        goal: [log.goal[i - 1], log.goal[i]],
        supply: 1.0,
        enabled: true,
    };
    (1..150).for_each(|i| running.hear(&told(i)));
    let numbers = running.numbers();
    let mut other = Running::of(of, rig, log.goal[0], at);
    other.put_back(&numbers).unwrap();
    for i in 150..300 {
        running.hear(&told(i));
        other.hear(&told(i));
        assert_eq!(running.at.angle.to_bits(), other.at.angle.to_bits(), "{i}");
    }
}

/// Every derivative against Richardson's of two central differences.
#[test]
fn derivatives_are_those_of_differences() {
    let slots = [
        Slot::Compliance,
        Slot::BristleDamping,
        Slot::Gain,
        Slot::Delay,
        Slot::Derivative,
        Slot::TorqueConstant,
        Slot::Resistance,
        Slot::Armature,
        Slot::Vertical(None),
        Slot::Dynamic(Ways::Forward),
        Slot::Drop(BOTH),
        Slot::Velocity(BOTH),
        Slot::Viscous(Ways::Backward),
        Slot::Quadratic(BOTH),
        Slot::External(BOTH),
        Slot::Motor(BOTH),
        Slot::Rest(BOTH),
    ];
    for (stiffness, seed) in [(5.0, 5), (30.0, 6), (400.0, 7)] {
        let mut of = yielding(stiffness);
        (of.drive.delay, of.drive.derivative) = (0.013, 0.3);
        of.set(Slot::Quadratic(BOTH), 0.002);
        of.set(Slot::External(BOTH), 0.05);
        of.set(Slot::Motor(BOTH), 0.08);
        of.set(Slot::Rest(BOTH), 0.4);
        let moved = gradient_is_that_of_differences(&of, &slots, seed);
        assert!(moved[0] > 1e-6, "{stiffness}: {moved:?}");
    }
}

/// The same with an elastic range, whose share is one of the numbers.
#[test]
fn derivatives_with_an_elastic_range_are_those_of_differences() {
    let slots = [Slot::BreakawayShare, Slot::Compliance, Slot::BristleDamping, Slot::Dynamic(BOTH)];
    for (stiffness, share, seed) in [(5.0, 0.3, 5), (30.0, 0.6, 6), (100.0, 0.85, 7)] {
        let mut of = yielding(stiffness);
        of.gear.breakaway_share = share;
        (of.drive.delay, of.drive.derivative) = (0.013, 0.3);
        of.set(Slot::External(BOTH), 0.05);
        let moved = gradient_is_that_of_differences(&of, &slots, seed);
        assert!(moved[0] > 1e-7, "{stiffness}: {moved:?}");
    }
}

/// By hand: with 0.03 N·m in slip and 0.02 N·m more at rest a damping of 0.03 N·m·s/rad needs 0.02 N·m·s/rad of viscous friction,
/// and the gear has 0.01.
#[test]
fn a_bristle_that_may_give_out_energy_is_told() {
    let mut of = yielding(10.0).gear;
    assert_eq!(of.is_active(), None);
    of.bristle_damping = 0.03;
    let said = of.is_active().unwrap();
    assert!(said.contains("(0.010 < 0.020 N·m·s/rad)"), "{said}");
    of.compliance = 0.0;
    assert_eq!(of.is_active(), None);
}

/// What simulators are given has no damping beyond what its viscous friction bears, the rest follows, and what was passive stays as it
/// is.
#[test]
fn a_bristle_for_simulators_gives_out_no_energy() {
    let active =
        Joint { gear: Gear { bristle_damping: 0.05, ..yielding(10.0).gear }, ..yielding(10.0) };
    let logs = logs(&active, 2, 40);
    let fitted: Vec<&Log> = logs.iter().map(|g| &g.log).collect();
    let sought = [Slot::Dynamic(BOTH), Slot::Viscous(BOTH), Slot::BristleDamping]
        .map(|slot| Sought { slot, range: [0.0, 1.0] });
    let mut work = Work { control: &Unwatched, evaluations: 0 };
    let mut kept = |of: Joint| work.kept_passive(of, &sought, &fitted).unwrap();
    assert!(active.gear.is_active().is_some());
    let passive = kept(active);
    assert_eq!(passive.gear.is_active(), None);
    // By hand σ₂ f/(f_s − f), or a little less where what was fitted anew bears more.
    let way = passive.gear.ways[0];
    let most = way.viscous * way.dynamic / way.drop;
    assert!((0.9..=1.0).contains(&(passive.gear.bristle_damping / most)), "{passive:?}");
    // Its viscous friction takes over some of what its bristle gave.
    assert!(way.viscous > active.gear.ways[0].viscous, "{way:?}");
    let quiet = yielding(10.0);
    assert_eq!(kept(quiet).gear.bristle_damping.to_bits(), quiet.gear.bristle_damping.to_bits());
}

#[test]
fn what_a_bristle_does_not_know_is_refused() {
    let refused = |slot, value| {
        let mut question = asked(Vec::new());
        question.logs = logs(&twin(), 1, 1);
        assert!(question.check().is_ok());
        question.joint.set(slot, value);
        question.check().unwrap_err().to_string()
    };
    let said = refused(Slot::Backlash, 0.01);
    assert!(said.contains("expected `backlash` of 0"), "{said}");
    let said = refused(Slot::Driving(BOTH), 0.02);
    assert!(said.contains("expected `transmitted` of 0"), "{said}");
}

/// Logs with a noise of 5e-4 rad, rounded to 1.5e-3 rad; every fourth is held out.
fn logs(of: &Joint, count: usize, first: u64) -> Vec<Given> {
    let made = |k: usize| {
        let heavy = (k % 3) as f64;
        let load = Load { inertia: 0.005 + 0.004 * heavy, gravity: 0.3 + 0.2 * heavy };
        let mut log = log(first + k as u64, load);
        log.gain = [1.0, 2.0, 0.5][k / 3 % 3];
        log.supply = vec![8.0; log.time.len()];
        log.enabled = (0..log.time.len()).map(|i| k.is_multiple_of(2) || i < 450).collect();
        let mut draws = Draws::new(first + k as u64, 9);
        let truth = angles(of, &log);
        log.position =
            truth.iter().map(|a| ((a + 5e-4 * draws.normal()) / 1.5e-3).round() * 1.5e-3).collect();
        let left_out = log.cleaned();
        Given { file: format!("{k}.csv"), log, left_out, held_out: k % 4 == 3, labels: Vec::new() }
    };
    (0..count).map(made).collect()
}

/// The stiffnesses of the twins, N·m/rad: what the bristle yields to is 20 steps of the encoder at the softest and a fifth of one at the
/// stiffest; none for a rigid gear.
const STIFFNESSES: [Option<f64>; 6] =
    [Some(3.0), Some(10.0), Some(30.0), Some(100.0), Some(300.0), None];

/// Each number within 30 % of a usual one.
fn truth(seed: u64) -> Joint {
    let mut draws = Draws::new(seed, 187);
    let mut about = |x: f64| x * (0.7 + 0.6 * draws.unit());
    let mut of = twin();
    for (slot, usual) in [
        (Slot::Delay, 0.021),
        (Slot::Resistance, 4.0),
        (Slot::Armature, 0.004),
        (Slot::Dynamic(BOTH), 0.03),
        (Slot::Drop(BOTH), 0.02),
        (Slot::Viscous(BOTH), 0.01),
        (Slot::External(BOTH), 0.08),
        (Slot::Motor(BOTH), 0.08),
        (Slot::BristleDamping, 0.006),
    ] {
        of.set(slot, about(usual));
    }
    if let Some(stiffness) = STIFFNESSES[(seed % 6) as usize] {
        of.set(Slot::Compliance, 1.0 / about(stiffness));
    }
    of
}

/// Where the stiffness stands among them.
const STIFFNESS: usize = 3;

/// Ten numbers, from starts that are off by up to a factor of four, the stiffness between 1 and 2,000 N·m/rad.
fn asked(logs: Vec<Given>) -> Question {
    let mut start = twin();
    let mut unknowns = Vec::new();
    for (name, slot, begins, range) in [
        ("dynamic", Slot::Dynamic(BOTH), 0.03, [0.0, 0.2]),
        ("static", Slot::Drop(BOTH), 0.02, [0.0, 0.2]),
        ("viscous", Slot::Viscous(BOTH), 0.01, [0.0, 0.1]),
        ("stiffness", Slot::Compliance, 0.05, [1.0 / 2000.0, 1.0]),
        ("damping", Slot::BristleDamping, 0.0, [0.0, 0.1]),
        ("resistance", Slot::Resistance, 6.0, [1.0, 20.0]),
        ("delay", Slot::Delay, 0.01, [0.0, 0.06]),
        ("armature", Slot::Armature, 0.008, [1e-4, 0.02]),
        ("external", Slot::External(BOTH), 0.02, [0.0, 0.5]),
        ("motor", Slot::Motor(BOTH), 0.02, [0.0, 0.5]),
    ] {
        start.set(slot, begins);
        let above = (name == "static").then_some(Above::Unknown(0));
        unknowns.push(Unknown { name: name.to_owned(), unit: "1", slot, range, above });
    }
    let mut question = from_one_start(start, unknowns, logs);
    question.terms = false;
    question
}

/// By night from twenty logs, by day from six, the last four numbers known.
fn fitted(seed: u64) -> Fit {
    let truth = truth(seed);
    let mut question = asked(logs(&truth, sized(6, 20), 700_000 + 100 * seed));
    for known in question.unknowns.split_off(sized(6, 10)) {
        question.joint.set(known.slot, truth.get(known.slot));
    }
    joint(&question, &Unwatched).unwrap()
}

/// What a campaign counts, by stiffness.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    twins: usize,
    seen: usize,
    /// Intervals of the stiffness, and those that hold; bounds of it, and those that hold.
    intervals: [usize; 2],
    bounds: [usize; 2],
    /// Intervals of the other numbers.
    others: [usize; 2],
}

fn count(seed: u64, fit: &Fit, counts: &mut [Counts; 6]) {
    let truth = truth(seed);
    let of = &mut counts[(seed % 6) as usize];
    let seen = fit.bristle.as_ref().unwrap();
    of.twins += 1;
    of.seen += usize::from(seen.seen);
    let c = truth.gear.compliance;
    let question = asked(Vec::new());
    for (u, p) in question.unknowns.iter().zip(&fit.parameters) {
        assert_eq!(u.name, p.name);
        let known = match u.slot {
            Slot::Compliance => 1.0 / c,
            Slot::Drop(_) => truth.get(u.slot) + truth.get(Slot::Dynamic(BOTH)),
            _ => truth.get(u.slot),
        };
        let is_of_bristle = u.slot == Slot::Compliance;
        let which = if is_of_bristle { &mut of.intervals } else { &mut of.others };
        if let Some([low, high]) = p.estimate.ci95 {
            which[0] += 1;
            which[1] += usize::from((low..=high).contains(&known));
        } else if is_of_bristle && let Some(least) = seen.stiffness_at_least {
            of.bounds[0] += 1;
            of.bounds[1] += usize::from(least <= known);
        }
    }
}

/// A soft bristle, one that the encoder hardly shows, and a rigid gear.
#[test]
fn a_bristle_is_found_where_the_logs_show_it() {
    let soft = fitted(1);
    assert!(soft.bristle.as_ref().unwrap().seen, "{:?}", soft.bristle);
    let stiffness = &soft.parameters[STIFFNESS].estimate;
    let known = 1.0 / truth(1).gear.compliance;
    let value = stiffness.value.unwrap();
    assert!((value - known).abs() < 5.0 * stiffness.stderr.unwrap(), "{stiffness:?} {known}");
    let rigid = fitted(5);
    let seen = rigid.bristle.as_ref().unwrap();
    assert!(!seen.seen && seen.stiffness_at_least.unwrap() > 20.0, "{seen:?}");
    assert_eq!(rigid.joint.gear.compliance, 0.0);
    let said = rigid.parameters[STIFFNESS].estimate.reason.as_ref().unwrap();
    assert!(said.starts_with("these logs show only that it is at least"), "{said}");
}

/// 120 twins of six stiffnesses, with `STICKSLIP_NIGHTLY` set ten numbers sought from twenty logs; the number is that of `STICKSLIP_TWINS`, from
/// `STICKSLIP_FIRST` on, where they are set. Half a minute of processor time each.
#[test]
#[ignore = "an hour"]
fn intervals_of_twins_with_bristles_hold() {
    let number = |key: &str, usual: u64| std::env::var(key).map_or(usual, |n| n.parse().unwrap());
    let first = number("STICKSLIP_FIRST", 12);
    let mut counts = [Counts::default(); 6];
    for seed in first..first + number("STICKSLIP_TWINS", 120) {
        let fit = fitted(seed);
        count(seed, &fit, &mut counts);
        println!(
            "{seed}: {:?} {:?} {:?}",
            1.0 / truth(seed).gear.compliance,
            fit.bristle.as_ref().unwrap(),
            &fit.parameters[STIFFNESS].estimate
        );
    }
    let total = |of: &dyn Fn(&Counts) -> [usize; 2]| {
        counts.iter().map(of).fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
    };
    let [intervals, held] =
        total(&|c| [c.intervals[0] + c.others[0], c.intervals[1] + c.others[1]]);
    counts.iter().zip(STIFFNESSES).for_each(|(c, k)| println!("{k:?}: {c:?}"));
    println!("intervals {intervals}, of which {held} hold");
    let [bounds, below] = total(&|c| c.bounds);
    // 93 % and, of what is bounded on one side, 97.5 %, less two standard errors of so few.
    let least = |of: usize, share: f64| {
        let of = of as f64;
        share * of - 2.0 * (of * share * (1.0 - share)).sqrt()
    };
    assert!(held as f64 >= least(intervals, 0.93), "{held} of {intervals}");
    assert!(below as f64 >= least(bounds, 0.975), "{below} of {bounds}");
    // A bristle that yields by three steps of the encoder or more is seen; a rigid gear has none.
    assert!(counts[..2].iter().all(|c| c.seen == c.twins), "{counts:?}");
    assert!(counts[5].seen * 20 <= counts[5].twins, "{counts:?}");
}

/// What the numbers of twin `seed` are known to when the search begins at the truth: so many unknowns of so many logs.
fn next_to_the_truth(seed: u64, [count, unknowns]: [usize; 2]) -> Vec<(Slot, Option<bool>)> {
    let truth = truth(seed);
    let mut question = asked(logs(&truth, count, 700_000 + 100 * seed));
    question.unknowns.truncate(unknowns);
    let sought = question.sought(&[]);
    let fitted: Vec<&Log> = question.logs.iter().filter(|g| !g.held_out).map(|g| &g.log).collect();
    let found = descend(&truth, &sought, &fitted, 60, &Unwatched).unwrap();
    let near = vec![None; question.logs.len()];
    let sure = Sure::of(&question, &found.joint, &found.starts, &near);
    let held = |(u, p): (&Unknown, Named)| {
        let known = match u.slot {
            Slot::Compliance => 1.0 / truth.gear.compliance,
            Slot::Drop(_) => truth.get(u.slot) + truth.get(Slot::Dynamic(BOTH)),
            _ => truth.get(u.slot),
        };
        (u.slot, p.estimate.ci95.map(|[low, high]| (low..=high).contains(&known)))
    };
    question.unknowns.iter().zip(sure.parameters(&question, &found.joint)).map(held).collect()
}

/// Six twins whose bristle the encoder shows, six numbers each from six logs. Of 36 intervals that hold 95 times of 100 fewer than 30 hold
/// three times in 1,000 sets, of intervals that are half as wide as they should be (67 of 100) 30 or more hold in one set of 40. So this
/// shows intervals that are wrong by a factor. It shows neither a coverage of 90 % nor how often a search ends elsewhere: that is what the
/// campaigns below are for.
#[test]
fn intervals_of_a_few_twins_hold() {
    let seeds = (12..).filter(|seed| seed % 6 < 3).take(6);
    let all: Vec<_> = seeds.flat_map(|seed| next_to_the_truth(seed, [6, 6])).collect();
    let known = all.iter().filter(|(_, held)| held.is_some()).count();
    let holds = all.iter().filter(|(_, held)| *held == Some(true)).count();
    println!("{holds} of {known}");
    assert!(known == 36 && holds >= 30, "{holds} of {known}: {all:?}");
}

/// The same of many: a few seconds of processor time each.
#[test]
#[ignore = "minutes"]
fn intervals_next_to_the_truth_hold() {
    let number = |key: &str, usual: u64| std::env::var(key).map_or(usual, |n| n.parse().unwrap());
    let first = number("STICKSLIP_FIRST", 12);
    let mut counts = [[0usize; 4]; 5];
    for seed in first..first + number("STICKSLIP_TWINS", 300) {
        let k = (seed % 6) as usize;
        if k == 5 {
            continue;
        }
        for (slot, held) in next_to_the_truth(seed, [20, 10]) {
            let of = usize::from(slot == Slot::Compliance) * 2;
            if let Some(held) = held {
                counts[k][of] += 1;
                counts[k][of + 1] += usize::from(held);
            }
        }
        println!("{seed}: {counts:?}");
    }
}

/// Six numbers of the twin and the share up to which its bristle is elastic, from so many logs.
fn with_elastic_range(truth: &Joint, count: usize, first: u64) -> Question {
    let mut question = asked(logs(truth, count, first));
    for known in question.unknowns.split_off(6) {
        question.joint.set(known.slot, truth.get(known.slot));
    }
    question.unknowns.push(Unknown {
        name: "breakaway_share".to_owned(),
        unit: "1",
        slot: Slot::BreakawayShare,
        range: [0.05, 0.95],
        above: None,
    });
    question
}

/// A soft bristle that is elastic up to 0.7 of its limit, and one that yields from the beginning: the elastic range is added to the best
/// bristle without one, and kept where the held-out logs show it.
#[test]
fn an_elastic_range_is_found_where_the_logs_show_it() {
    for share in [0.7, 0.0] {
        let mut truth = truth(6);
        truth.gear.breakaway_share = share;
        let mut question = with_elastic_range(&truth, 6, 800_000);
        // The numbers of the friction itself are known here.
        for known in question.unknowns.drain(..3) {
            question.joint.set(known.slot, truth.get(known.slot));
        }
        let of = |held_out: bool| {
            question.logs.iter().filter(move |g| g.held_out == held_out).map(|g| &g.log)
        };
        let [fitted, scored]: [Vec<&Log>; 2] = [of(false).collect(), of(true).collect()];
        let mut start = truth;
        start.gear.breakaway_share = 0.0;
        let sought = question.of_lugre().unwrap().sought(&[]);
        let lugre = descend(&start, &sought, &fitted, 25, &Unwatched).unwrap().joint;
        let mut work = Work { control: &Unwatched, evaluations: 0 };
        let with = work.with_elastic_range(&question, &lugre, [&fitted, &fitted]).unwrap().joint;
        let why = without_elastic_range(&with, &lugre, &scored);
        if share > 0.0 {
            assert!(why.is_none(), "{why:?}");
            assert!((with.gear.breakaway_share - share).abs() < 0.05, "{:?}", with.gear);
        } else {
            let Some(Withheld::Unknown(said)) = why else { panic!("{why:?}") };
            assert!(said.contains("it is taken to yield from the beginning"), "{said}");
        }
    }
}

/// 24 fresh twins, every other with an elastic range of 0.4 to 0.8, of stiffnesses that the encoder shows; the number is that of
/// `STICKSLIP_TWINS`. Seven numbers from eight logs, of which two are held out.
#[test]
#[ignore = "minutes"]
fn elastic_ranges_of_twins_are_found() {
    let count: u64 = std::env::var("STICKSLIP_TWINS").map_or(24, |n| n.parse().unwrap());
    // Of twins with and without an elastic range: how many there are, and in how many one is found.
    let mut found = [[0usize; 2]; 2];
    let [mut shares, mut others] = [[0usize; 2]; 2];
    for k in 0..count {
        // Stiffnesses of 3 and 10 N·m/rad.
        let seed = 6 * (500 + k / 2) + k / 2 % 2;
        let mut truth = truth(seed);
        let is_elastic = k.is_multiple_of(2);
        if is_elastic {
            truth.gear.breakaway_share = 0.4 + 0.4 * Draws::new(seed, 188).unit();
        }
        let question = with_elastic_range(&truth, 8, 900_000 + 100 * k);
        let fit = joint(&question, &Unwatched).unwrap();
        // What is withheld stands in its place, too.
        let names = question.unknowns.iter().map(|u| &u.name);
        assert!(names.eq(fit.parameters.iter().map(|p| &p.name)));
        let own = &mut found[usize::from(!is_elastic)];
        own[0] += 1;
        own[1] += usize::from(fit.joint.gear.breakaway_share > 0.0);
        for (u, p) in question.unknowns.iter().zip(&fit.parameters) {
            let known = match u.slot {
                Slot::Compliance => 1.0 / truth.gear.compliance,
                Slot::Drop(_) => truth.get(u.slot) + truth.get(Slot::Dynamic(BOTH)),
                _ => truth.get(u.slot),
            };
            let which = if u.slot == Slot::BreakawayShare { &mut shares } else { &mut others };
            if let Some([low, high]) = p.estimate.ci95 {
                which[0] += 1;
                which[1] += usize::from((low..=high).contains(&known));
            }
        }
        println!(
            "{k}: {:.3} {:?} {:?} {:?}",
            truth.gear.breakaway_share,
            fit.parameters[6].estimate.value,
            fit.parameters[6].estimate.ci95,
            fit.parameters[6].estimate.reason
        );
    }
    println!("found {found:?}, shares {shares:?}, others {others:?}");
    let [[elastic, seen], [plain, invented]] = found;
    assert!(2 * seen >= elastic && 10 * invented <= plain, "{found:?}");
    assert!(100 * others[1] >= 88 * others[0], "{others:?}");
}
