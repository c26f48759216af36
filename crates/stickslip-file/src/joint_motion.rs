//! A fitted servo in motion, with every term of its model: told goals at a fixed rate, it says where the shaft is.

use crate::diagnostic::{Diagnostic, Result};
use crate::joint_fit::JointFit;
use stickslip_calibrate::joint::gear::Load;
use stickslip_calibrate::joint::motion::{Rig, Running, STEP, ShaftState, Told};
use stickslip_calibrate::joint::{Joint, MOUNTINGS};

/// What the servo moves, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Begin {
    /// Of the load, kg·m².
    pub inertia: f64,
    /// m g l of the load, N·m.
    pub gravity_torque: f64,
    /// Factor of the gain.
    pub gain: f64,
    /// Which mounting of the load, in the order of the index.
    pub mounting: usize,
    /// The goal that the controller has had for long, rad.
    pub goal: f64,
    /// rad.
    pub angle: f64,
    /// rad/s.
    pub speed: f64,
}

/// A fitted servo in motion.
#[derive(Debug, Clone)]
pub struct JointMotion {
    running: Running,
    time: f64,
    goal: f64,
    /// s; infinite where there is none.
    tick: f64,
}

/// Ticks that are shorter, s, would be lost in the digits of the time.
const SHORTEST_TICK: f64 = 1e-6;

impl JointMotion {
    /// Of the joint in the text of a `fit.json`.
    ///
    /// # Errors
    /// Where the text is no such fit, or the joint has no unique acceleration with this load.
    pub fn new(fit: &str, begin: &Begin) -> Result<Self> {
        Self::of(JointFit::read("fit", fit.as_bytes())?.joint, begin)
    }

    /// Of this joint.
    ///
    /// # Errors
    /// Where it has no unique acceleration with this load, or there is no such mounting.
    pub fn of(joint: Joint, begin: &Begin) -> Result<Self> {
        if begin.mounting >= MOUNTINGS {
            let said =
                format!("the mounting is {}; expected a number below {MOUNTINGS}", begin.mounting);
            return Err(Diagnostic::new(said).help("mountings are counted from 0"));
        }
        let load = Load { inertia: begin.inertia, gravity: begin.gravity_torque };
        if joint.gear.armature + load.inertia <= 0.0 {
            let said =
                "neither the armature nor the load has an inertia; expected a sum above 0 kg·m²";
            return Err(Diagnostic::new(said).help("give the load an inertia"));
        }
        let tick = joint.drive.tick;
        if tick != 0.0 && (tick < SHORTEST_TICK || tick.is_nan()) {
            let said = format!(
                "the time between two outputs of the controller is {tick} s; expected 0, or {SHORTEST_TICK} s or more"
            );
            return Err(Diagnostic::new(said).help("leave it out where it is that short"));
        }
        if let Some(refused) = joint.gear.refuses_bristle() {
            return Err(Diagnostic::new(refused).help("set `compliance` or the other number to 0"));
        }
        if let Some(refused) = joint.gear.refuses_backlash(&load) {
            return Err(Diagnostic::new(refused).help(
                "give the load an inertia and the motor an armature, or set the backlash to 0",
            ));
        }
        if !joint.gear.is_well_posed(&load) {
            let said = "with this load the friction of what the back-driven gear transmits leaves the acceleration open";
            return Err(Diagnostic::new(said).help("expected a load of less inertia"));
        }
        let rig = Rig { load, mounting: begin.mounting, gain: begin.gain };
        let at = ShaftState { angle: begin.angle, speed: begin.speed };
        let running = Running::of(joint, rig, begin.goal, at);
        let tick = if tick > 0.0 { tick } else { f64::INFINITY };
        Ok(Self { running, time: 0.0, goal: begin.goal, tick })
    }

    /// Goes on by `step` seconds, in which the goal goes straight to `goal`.
    pub fn step(&mut self, step: f64, goal: f64, supply: f64, enabled: bool) {
        self.advance(self.time + step, [self.goal, goal], supply, enabled);
    }

    /// Goes on to the time `until`, s, while the goal goes straight from the first of these to the second, rad. Where it was
    /// elsewhere it jumps to the first.
    pub fn advance(&mut self, until: f64, goal: [f64; 2], supply: f64, enabled: bool) {
        self.running.hear(&Told { time: [self.time, until], goal, supply, enabled });
        self.time = until;
        self.goal = goal[1];
    }

    /// How many steps of the motion a time, s, holds.
    pub fn steps_in(&self, time: f64) -> f64 {
        (time / STEP.min(self.tick)).ceil()
    }

    /// Everything that changes as it goes on.
    pub fn numbers(&self) -> Vec<f64> {
        let mut all = vec![self.time, self.goal];
        all.extend(self.running.numbers());
        all
    }

    /// Puts back what [`numbers`](Self::numbers) has given for the same joint; whether it was that.
    pub fn put_back(&mut self, numbers: &[f64]) -> bool {
        let Some(([time, goal], rest)) = numbers.split_first_chunk::<2>() else { return false };
        (self.time, self.goal) = (*time, *goal);
        self.running.put_back(rest).is_some()
    }

    /// Where it is, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Time (s), angle (rad) and speed (rad/s).
    pub fn state(&self) -> [f64; 3] {
        [self.time, self.running.at.angle, self.running.at.speed]
    }
}
