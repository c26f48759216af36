//! A fitted servo as an instance: it moves as the fit does step by step, and as laws of mechanics say.

use crate::units::reference;
use std::path::PathBuf;
use stickslip_file::interface::Interface;
use stickslip_file::joint_motion::{Begin, JointMotion};
use stickslip_file::joint_unit::JointUnit;
use stickslip_fmi::{Fault, Unit};

/// With a delay, a limited goal, ticks, and friction that grows with the load, each way its own.
const WHOLE: &str = r#"{"joint": {"drive": {"gain": 0.5, "delay": 0.03, "speed_limit": 4.9, "start": 0.02, "derivative": 0.01,
    "limit": 0.9, "torque_constant": 0.8, "resistance": 4.0, "tick": 0.004, "current": false}, "gear": {"ways": [
    {"dynamic": 0.06, "drop": 0.02, "velocity": 0.5, "exponent": 1.0, "viscous": 0.02, "quadratic": 0.001, "external": 0.03,
    "motor": 0.02, "rest": 0.5, "driving": 0.05, "back_driven": 0.08}, {"dynamic": 0.07, "drop": 0.01, "velocity": 0.4,
    "exponent": 2.0, "viscous": 0.03, "quadratic": 0.0, "external": 0.01, "motor": 0.03, "rest": 0.0, "driving": 0.02,
    "back_driven": 0.1}], "armature": 0.004}, "vertical": [0.02, -0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}, "usual_gain": 1.1,
    "usual_supply": 12.0, "parameters": {}}"#;

/// A motor whose current is limited to 1 A, with 0.5 N·m/A, on a gear with 0.2 N·m of friction and 0.01 kg·m².
const PLAIN: &str = r#"{"joint": {"drive": {"gain": 1e6, "delay": 0.0, "speed_limit": null, "start": 0.0, "derivative": 0.0,
    "limit": 1.0, "torque_constant": 0.5, "resistance": 1.0, "tick": 0.0, "current": true}, "gear": {"ways": [WAY, WAY],
    "armature": 0.01}, "vertical": 0.0}, "parameters": {}}"#;
const WAY: &str = r#"{"dynamic": 0.2, "drop": 0.0, "velocity": 1.0, "exponent": 1.0, "viscous": 0.0, "quadratic": 0.0,
    "external": 0.0, "motor": 0.0, "rest": 0.0, "driving": 0.0, "back_driven": 0.0}"#;

/// A folder of resources that is removed in the end, and the token of its description.
struct Fitted(PathBuf, String);

impl Drop for Fitted {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Fitted {
    fn of(name: &str, text: &str) -> Self {
        let name = format!("stickslip-fmi-{}-servo-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("fit.json"), text).unwrap();
        let joint = JointUnit::read("fit.json", text.as_bytes()).unwrap();
        Self(folder, Interface::of_joint(&joint).token(text))
    }

    fn location(&self) -> String {
        self.0.display().to_string()
    }

    fn unit(&self) -> Unit {
        Unit::new(&self.location(), &self.1).unwrap()
    }
}

fn set(unit: &mut Unit, name: &str, value: f64) -> Result<(), Fault> {
    let at = reference(unit, name);
    unit.set(at, value)
}

fn outputs(unit: &mut Unit) -> [f64; 2] {
    ["position", "velocity"].map(|name| {
        let at = reference(unit, name);
        unit.get(at).unwrap()
    })
}

fn start(unit: &mut Unit) {
    unit.set_span(0.0, None).unwrap();
    unit.enter_initialization().unwrap();
    unit.exit_initialization().unwrap();
}

/// rad at a row.
fn goal(row: u32) -> f64 {
    0.7 * (0.05 * f64::from(row)).sin() + 0.3 * (0.13 * f64::from(row)).sin()
}

/// Sets what the servo is told from row `k` on, and goes on to the next.
fn tell(unit: &mut Unit, k: u32, every: f64) {
    set(unit, "goal", goal(k)).unwrap();
    set(unit, "goal_rate", (goal(k + 1) - goal(k)) / every).unwrap();
    set(unit, "supply", if k < 200 { 12.0 } else { 11.0 }).unwrap();
    set(unit, "enabled", if k < 300 { 1.0 } else { 0.0 }).unwrap();
    let at = unit.time();
    unit.step(at, every, false).unwrap();
}

#[test]
fn it_moves_as_the_fit_does_step_by_step() {
    let kept = Fitted::of("steps", WHOLE);
    let mut unit = kept.unit();
    let begin = Begin {
        inertia: 0.01,
        gravity_torque: 0.6,
        gain: 1.1,
        mounting: 1,
        goal: 0.0,
        angle: 0.2,
        speed: -0.5,
    };
    let mut want = JointMotion::new(WHOLE, &begin).unwrap();
    for (name, value) in [
        ("load.inertia", 0.01),
        ("load.gravity_torque", 0.6),
        ("mounting", 1.0),
        ("initial.angle", 0.2),
        ("initial.speed", -0.5),
    ] {
        set(&mut unit, name, value).unwrap();
    }
    start(&mut unit);
    let (mut stuck, mut moved) = (0, 0);
    for k in 0..400 {
        tell(&mut unit, k, 0.01);
        want.step(0.01, goal(k + 1), if k < 200 { 12.0 } else { 11.0 }, k < 300);
        let [time, angle, speed] = want.state();
        let [x, v] = outputs(&mut unit);
        assert!((unit.time() - time).abs() < 1e-12);
        assert!(
            (x - angle).abs() < 1e-12 && (v - speed).abs() < 1e-12,
            "{k}: {x} {angle}, {v} {speed}"
        );
        if v == 0.0 { stuck += 1 } else { moved += 1 }
    }
    assert!(stuck > 10 && moved > 100, "{stuck} {moved}");
}

/// (0.5 N·m − 0.2 N·m)/0.01 kg·m² = 30 rad/s², and 80 rad/s² with twice the torque; a step of constant torque is exact.
#[test]
fn a_limited_current_accelerates_evenly() {
    let kept = Fitted::of("even", &PLAIN.replace("WAY", WAY));
    for (constant, acceleration) in [(0.5, 30.0), (1.0, 80.0)] {
        let mut unit = kept.unit();
        set(&mut unit, "drive.torque_constant", constant).unwrap();
        set(&mut unit, "goal", 1e3).unwrap();
        start(&mut unit);
        for k in 0..50 {
            unit.step(0.02 * f64::from(k), 0.02, false).unwrap();
        }
        let [x, v] = outputs(&mut unit);
        assert!(
            (x - 0.5 * acceleration).abs() < 1e-10 && (v - acceleration).abs() < 1e-10,
            "{x} {v}"
        );
        // Switched off it stops by friction alone, 0.2 N·m/0.01 kg·m² = 20 rad/s², after v²/40, and stays.
        set(&mut unit, "enabled", 0.0).unwrap();
        unit.step(1.0, 5.0, false).unwrap();
        let rest = 0.5 * acceleration + acceleration * acceleration / 40.0;
        let found = outputs(&mut unit);
        assert!((found[0] - rest).abs() < 1e-9 && found[1] == 0.0, "{found:?} {rest}");
    }
}

/// A goal that is set anew jumps: at rest before it, and at 30 rad/s² from some point within one step of the motion, 2.6 ms, on.
#[test]
fn a_goal_that_is_held_jumps() {
    let kept = Fitted::of("jump", &PLAIN.replace("WAY", WAY));
    let mut unit = kept.unit();
    start(&mut unit);
    unit.step(0.0, 0.5, false).unwrap();
    assert_eq!(outputs(&mut unit), [0.0, 0.0]);
    set(&mut unit, "goal", -1e3).unwrap();
    unit.step(0.5, 1.0, false).unwrap();
    let [x, v] = outputs(&mut unit);
    assert!((v + 30.0).abs() < 30.0 * 2.6e-3 && (x + 15.0).abs() < 30.0 * 2.6e-3, "{x} {v}");
}

#[test]
fn a_state_goes_on_to_the_bit() {
    let kept = Fitted::of("state", WHOLE);
    let mut unit = kept.unit();
    set(&mut unit, "load.inertia", 0.01).unwrap();
    start(&mut unit);
    (0..123).for_each(|k| tell(&mut unit, k, 0.007));
    let bytes = unit.to_bytes().unwrap();
    let mut copy = unit.clone();
    let mut read = kept.unit().of_bytes(&bytes).unwrap();
    let ends = [&mut unit, &mut copy, &mut read].map(|u| {
        (123..260).for_each(|k| tell(u, k, 0.007));
        outputs(u).map(f64::to_bits)
    });
    assert!(ends[0] == ends[1] && ends[0] == ends[2], "{ends:?}");
    // A reset forgets all of it.
    unit.reset();
    let supply = reference(&unit, "supply");
    assert_eq!(unit.get(supply).unwrap(), 12.0);
    for cut in [8, 16, 40] {
        assert!(kept.unit().of_bytes(&bytes[..bytes.len() - cut]).is_err(), "{cut}");
    }
}

/// Late in a long simulation, where 1e-9 s are less than a digit of the time, the ticks still go on.
#[test]
fn ticks_go_on_late() {
    let ticking = PLAIN.replace("WAY", WAY).replace("\"tick\": 0.0", "\"tick\": 0.1");
    let begin = Begin {
        inertia: 0.0,
        gravity_torque: 0.0,
        gain: 1.0,
        mounting: 0,
        goal: 0.0,
        angle: 0.0,
        speed: 0.0,
    };
    for k in 0..1000 {
        let mut motion = JointMotion::new(&ticking, &begin).unwrap();
        let mut numbers = motion.numbers();
        numbers[0] = 0.1 * f64::from(1_000_000_000 + k);
        assert!(motion.put_back(&numbers));
        motion.step(0.25, 0.0, 1.0, true);
        assert_eq!(motion.state(), [numbers[0] + 0.25, 0.0, 0.0]);
    }
}

#[test]
fn what_cannot_be_is_said() {
    let kept = Fitted::of("faults", WHOLE);
    let said = |fault: Result<(), Fault>| match fault {
        Err(Fault::Error(m) | Fault::Discard(m)) => m,
        Ok(()) => String::new(),
    };
    let made = Unit::new_exchange(&kept.location(), &kept.1).map(|_| ());
    assert!(said(made).contains("integrates itself"));
    assert!(said(Unit::new(&kept.location(), "{another}").map(|_| ())).contains("token"));
    let mut unit = kept.unit();
    let below = said(set(&mut unit, "drive.resistance", 0.0));
    assert!(below.contains("expected a number above 0"), "{below}");
    // 1.5 of what is transmitted with an inertia of 0.1 kg·m² leaves the acceleration open.
    set(&mut unit, "gear.ways.0.back_driven", 1.5).unwrap();
    set(&mut unit, "load.inertia", 0.1).unwrap();
    unit.enter_initialization().unwrap();
    assert!(said(unit.exit_initialization()).contains("leaves the acceleration open"));
    unit.reset();
    set(&mut unit, "mounting", 1.5).unwrap();
    unit.enter_initialization().unwrap();
    assert!(said(unit.exit_initialization()).contains("expected a whole number from 0 to 7"));
    unit.reset();
    // A step would hold more ticks than a number has digits.
    set(&mut unit, "drive.tick", 1e-300).unwrap();
    unit.enter_initialization().unwrap();
    assert!(said(unit.exit_initialization()).contains("expected 0, or 0.000001 s or more"));
    unit.reset();
    start(&mut unit);
    assert!(said(set(&mut unit, "load.inertia", 0.1)).contains("is fixed"));
    assert!(said(unit.step(0.0, 1e9, false).map(|_| ())).contains("take shorter steps"));
    assert_eq!(unit.time(), 0.0);
}
