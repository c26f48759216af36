//! A backlash: its motion against one of tiny even steps, its derivatives against differences, and twins that this other motion
//! makes.

use super::{
    BOTH, LOAD, angles, apart, from_one_start, gradient_is_that_of_differences, log, small,
};
use crate::control::Unwatched;
use crate::joint::Fit;
use crate::joint::gear::Load;
use crate::joint::logs::{LeftOut, Log};
use crate::joint::motion::{Rig, Running, ShaftState, Told};
use crate::joint::{Given, Joint, Question, Slot, Unknown, joint};
use crate::statistics::random::Draws;

/// Steps of the other motion in a row of 10 ms.
const FINE: usize = 1000;

/// The angles that the encoder sees, by the time-stepping of Moreau (1988): in each step the impulse of the motor's dry friction and that
/// of the teeth are what the velocities at its end need. Nothing is located. Coulomb's friction with that of Stribeck, a viscous part
/// and friction of the load; a delay; the voltage of small servos.
fn fine(of: &Joint, log: &Log) -> Vec<f64> {
    let way = of.gear.ways[0];
    let drive = of.drive;
    let at_motor = of.gear.encoder_at_motor;
    let arm_inertia = log.load.inertia;
    let motor_inertia = of.gear.armature;
    let half = 0.5 * of.gear.backlash;
    let gravity = |arm: f64| -log.load.gravity * (arm - of.vertical[0]).sin();
    let side = match gravity(log.start[0]) {
        0.0 => 0.0,
        torque => -torque.signum(),
    };
    let [mut arm, mut motor] = match at_motor {
        true => [log.start[0] - side * half, log.start[0]],
        false => [log.start[0], log.start[0] + side * half],
    };
    let [mut arm_speed, mut motor_speed] = [log.start[1]; 2];
    let goal = |t: f64| {
        let row = ((t / 0.01).max(0.0) as usize).min(log.goal.len() - 2);
        let share = ((t - 0.01 * row as f64) / 0.01).clamp(0.0, 1.0);
        log.goal[row] + share * (log.goal[row + 1] - log.goal[row])
    };
    let mut all = vec![log.start[0]];
    let dt = 0.01 / FINE as f64;
    for i in 1..log.time.len() {
        for k in 0..FINE {
            let now = log.time[i - 1] + dt * (k as f64 + 0.5);
            let on = log.enabled.get(i - 1).copied().unwrap_or(true);
            let [seen, seen_speed] = if at_motor { [motor, motor_speed] } else { [arm, arm_speed] };
            let error = goal(now - drive.delay) - seen;
            let u = (drive.gain * log.gain * error - drive.derivative * seen_speed)
                .clamp(-drive.limit, drive.limit);
            let u = u * log.supply.get(i - 1).copied().unwrap_or(1.0);
            let k = drive.torque_constant;
            let torque = if on { k / drive.resistance * (u - k * motor_speed) } else { 0.0 };
            let falls = gravity(arm);
            let dry = way.dynamic
                + way.drop * (-(motor_speed.abs() / way.velocity).powf(way.exponent)).exp()
                + (way.external * falls - way.motor * torque).abs();
            // What friction leaves of a speed of this inertia.
            let rubbed = |speed: f64, inertia: f64| {
                let most = dt * (dry + way.viscous * motor_speed.abs()) / inertia;
                if speed.abs() <= most { 0.0 } else { speed - most * speed.signum() }
            };
            let free_arm = arm_speed + dt * falls / arm_inertia;
            let free_motor = motor_speed + dt * torque / motor_inertia;
            let alone = rubbed(free_motor, motor_inertia);
            let gap = motor - arm;
            let closed = gap.abs() >= half - 1e-12 && (alone - free_arm) * gap >= 0.0;
            if closed {
                let both = arm_inertia + motor_inertia;
                let speed = (arm_inertia * free_arm + motor_inertia * free_motor) / both;
                motor_speed = rubbed(speed, both);
                arm_speed = motor_speed;
            } else {
                (motor_speed, arm_speed) = (alone, free_arm);
            }
            motor += dt * motor_speed;
            arm += dt * arm_speed;
            // What the teeth have run into one another within the step is taken back, each side by its lightness.
            let deep = ((motor - arm).abs() - half).max(0.0) * (motor - arm).signum();
            motor -= deep * arm_inertia / (arm_inertia + motor_inertia);
            arm += deep * motor_inertia / (arm_inertia + motor_inertia);
        }
        all.push(if at_motor { motor } else { arm });
    }
    all
}

/// A small servo with a backlash of 0.03 rad.
fn loose(at_motor: bool) -> Joint {
    let mut of = small();
    of.gear.backlash = 0.03;
    of.gear.encoder_at_motor = at_motor;
    of
}

/// With the motor off for a while, and in one log with friction of the load. The backlash makes a difference far above that of the two
/// motions.
#[test]
fn the_motion_is_that_of_tiny_steps() {
    for at_motor in [false, true] {
        for seed in 1..5 {
            let mut of = loose(at_motor);
            of.drive.delay = 0.004;
            if seed == 4 {
                of.set(Slot::External(BOTH), 0.05);
                of.set(Slot::Motor(BOTH), 0.08);
            }
            let mut log = log(seed, LOAD);
            log.enabled = (0..600).map(|i| !(330..380).contains(&i)).collect();
            let other = fine(&of, &log);
            let [most, mean] = apart(&angles(&of, &log), &other);
            of.gear.backlash = 0.0;
            let [_, without] = apart(&angles(&of, &log), &other);
            assert!(most < 1.5e-3 && mean < 1e-4, "{at_motor} {seed}: {most} {mean}");
            assert!(without > 2e-3, "{without}");
        }
    }
}

/// Goals that are told row by row lead to the same angles to the last bit, also where the motion is stored and put back in flight.
#[test]
fn a_motion_is_put_back_in_flight() {
    let mut of = loose(false);
    // A goal that is told row by row is known as far as the delay.
    of.drive.delay = 0.013;
    let log = log(3, LOAD);
    let rig = Rig { load: LOAD, mounting: 0, gain: log.gain };
    let [angle, speed] = log.start;
    let mut running = Running::of(of, rig, log.goal[0], ShaftState { angle, speed });
    let mut other = running.clone();
    let mut apart = 0;
    for (i, known) in angles(&of, &log).iter().enumerate().skip(1) {
        let time = [log.time[i - 1], log.time[i]];
        let goal = [log.goal[i - 1], log.goal[i]];
        running.hear(&Told { time, goal, supply: 1.0, enabled: true });
        assert_eq!(running.at.angle.to_bits(), known.to_bits(), "row {i}");
        let numbers = running.numbers();
        apart += usize::from(numbers[5] == 0.0);
        other.put_back(&numbers).unwrap();
        std::mem::swap(&mut running, &mut other);
    }
    assert!(apart > 20, "{apart} rows in flight");
}

/// What leaves the motion open is refused, each with its reason.
#[test]
fn a_backlash_that_leaves_the_motion_open_is_refused() {
    let refused = |change: fn(&mut Question)| {
        let of = loose(false);
        let mut log = log(1, LOAD);
        log.cleaned();
        let given = Given {
            file: "a.csv".to_owned(),
            log,
            left_out: LeftOut::default(),
            held_out: false,
            labels: Vec::new(),
        };
        let mut question = asked(&of, vec![given]);
        assert!(question.check().is_ok());
        change(&mut question);
        question.check().unwrap_err().to_string()
    };
    let said = refused(|q| q.unknowns[2].range[0] = 0.0);
    assert!(said.contains("a.csv") && said.contains("armature is 0 kg·m²"), "{said}");
    let said = refused(|q| q.logs[0].log.load.inertia = 0.0);
    assert!(said.contains("inertia of the load is 0 kg·m²"), "{said}");
    let said = refused(|q| q.joint.set(Slot::Driving(BOTH), 0.02));
    assert!(said.contains("expected `transmitted` of 0"), "{said}");
}

/// Every derivative against Richardson's of two central differences, on logs with flights, blows, sticks and slips.
#[test]
fn derivatives_are_those_of_differences() {
    let slots = [
        Slot::Backlash,
        Slot::Gain,
        Slot::Delay,
        Slot::Derivative,
        Slot::TorqueConstant,
        Slot::Resistance,
        Slot::Armature,
        Slot::Vertical(None),
        Slot::Dynamic(BOTH),
        Slot::Drop(BOTH),
        Slot::Viscous(BOTH),
        Slot::External(BOTH),
        Slot::Motor(BOTH),
    ];
    for (at_motor, seed) in [(false, 5), (false, 6), (true, 5), (true, 7)] {
        let mut of = loose(at_motor);
        (of.drive.delay, of.drive.derivative) = (0.013, 0.3);
        of.set(Slot::External(BOTH), 0.05);
        of.set(Slot::Motor(BOTH), 0.08);
        let moved = gradient_is_that_of_differences(&of, &slots, seed);
        assert!(moved[0] > 1e-4, "{at_motor} {seed}: {moved:?}");
    }
}

/// Logs of the other motion, with a noise of 5e-4 rad, rounded to 1.5e-3 rad.
fn logs(of: &Joint, count: usize, first: u64) -> Vec<Given> {
    let made = |k: usize| {
        let heavy = (k % 3) as f64;
        let load = Load { inertia: 0.005 + 0.004 * heavy, gravity: 0.3 + 0.2 * heavy };
        let mut log = log(first + k as u64, load);
        log.gain = [1.0, 2.0][k % 2];
        log.enabled = (0..log.time.len()).map(|i| i < 450).collect();
        let mut draws = Draws::new(first + k as u64, 9);
        let seen = |a: &f64| ((a + 5e-4 * draws.normal()) / 1.5e-3).round() * 1.5e-3;
        log.position = fine(of, &log).iter().map(seen).collect();
        let left_out = log.cleaned();
        Given { file: format!("{k}.csv"), log, left_out, held_out: k % 4 == 3, labels: Vec::new() }
    };
    (0..count).map(made).collect()
}

/// Seven numbers, from starts that are off.
fn asked(of: &Joint, logs: Vec<Given>) -> Question {
    let mut start = *of;
    let mut unknowns = Vec::new();
    for (name, slot, begins, range) in [
        ("delay", Slot::Delay, 0.005, [0.0, 0.06]),
        ("resistance", Slot::Resistance, 6.0, [1.0, 20.0]),
        ("armature", Slot::Armature, 0.007, [5e-4, 0.02]),
        ("dynamic", Slot::Dynamic(BOTH), 0.04, [0.0, 0.2]),
        ("drop", Slot::Drop(BOTH), 0.01, [0.0, 0.2]),
        ("viscous", Slot::Viscous(BOTH), 0.02, [0.0, 0.1]),
        ("backlash", Slot::Backlash, 0.0, [0.0, 0.1]),
    ] {
        start.set(slot, begins);
        unknowns.push(Unknown { name: name.to_owned(), unit: "1", slot, range, above: None });
    }
    from_one_start(start, unknowns, logs)
}

/// A twin with this backlash, the encoder on either side by turns, every number within 30 % of a usual one.
fn twin(seed: u64, backlash: f64) -> Joint {
    let mut draws = Draws::new(seed, 43);
    let mut of = loose(seed & 1 == 1);
    for (slot, usual) in [
        (Slot::Resistance, 4.0),
        (Slot::Armature, 0.004),
        (Slot::Dynamic(BOTH), 0.03),
        (Slot::Drop(BOTH), 0.02),
        (Slot::Viscous(BOTH), 0.01),
    ] {
        of.set(slot, usual * (0.7 + 0.6 * draws.unit()));
    }
    of.drive.delay = 0.01 + 0.02 * draws.unit();
    of.gear.backlash = backlash;
    of
}

/// What so many logs of a twin with this backlash say: whether the interval of the backlash holds it, whether the term earns its place, and the fit.
fn told(seed: u64, backlash: f64, count: usize) -> (bool, bool, Fit) {
    let of = twin(seed, backlash);
    let fit = joint(&asked(&of, logs(&of, count, 7000 + 100 * seed)), &Unwatched).unwrap();
    let found = &fit.parameters[6].estimate;
    let holds = found.ci95.is_some_and(|[low, high]| (low..=high).contains(&backlash));
    let earns = fit.terms.iter().any(|t| t.term == "backlash" && t.earns_its_place);
    println!("{seed}: {backlash:.4} {:?} {:?} {earns}", found.value, found.ci95);
    (holds, earns, fit)
}

/// The backlash of a twin comes back and earns its place.
#[test]
fn a_backlash_is_found() {
    let (holds, earns, fit) = told(3, 0.025, 8);
    assert!(holds && earns, "{:?} {:?}", fit.parameters, fit.terms);
}

/// A twin without one is found to have none.
#[test]
fn no_backlash_is_found_where_there_is_none() {
    let (_, earns, fit) = told(4, 0.0, 8);
    assert!(!earns, "{:?}", fit.terms);
}

/// Twenty twins with a backlash of 0.01 to 0.04 rad, of which the intervals hold it in 18 at least, and twenty without, of which
/// 19 at least are found to have none.
#[test]
#[ignore = "minutes"]
fn backlashes_of_twins() {
    let mut hold = 0;
    let mut kept = 0;
    let mut off = 0;
    for seed in 0..20 {
        let (holds, earns, _) = told(100 + seed, 0.01 + 0.0015 * seed as f64, 16);
        hold += usize::from(holds);
        kept += usize::from(earns);
        off += usize::from(!told(200 + seed, 0.0, 16).1);
    }
    println!("{hold} hold, {kept} are kept, {off} are found to be off");
    assert!(hold >= 18 && off >= 19, "{hold} {off}");
}
