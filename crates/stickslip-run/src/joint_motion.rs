//! A fitted servo in motion, with every term of its model: told goals at a fixed rate, it says where the shaft is.

use crate::joint_fit::JointFit;
use stickslip_calibrate::joint::MOUNTINGS;
use stickslip_calibrate::joint::gear::Load;
use stickslip_calibrate::joint::motion::{Rig, Running, State, Told};
use stickslip_file::{Diagnostic, Result};

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
}

impl JointMotion {
    /// Of the joint in the text of a `fit.json`.
    ///
    /// # Errors
    /// Where the text is no such fit, or the joint has no unique acceleration with this load.
    pub fn new(fit: &str, begin: &Begin) -> Result<Self> {
        let joint = JointFit::read("fit", fit.as_bytes())?.joint;
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
        if !joint.gear.is_well_posed(&load) {
            let said = "with this load the friction of what the back-driven gear transmits leaves the acceleration open";
            return Err(Diagnostic::new(said).help("expected a load of less inertia"));
        }
        let rig = Rig { load, mounting: begin.mounting, gain: begin.gain };
        let at = State { angle: begin.angle, speed: begin.speed };
        let running = Running::of(joint, rig, begin.goal, at);
        Ok(Self { running, time: 0.0, goal: begin.goal })
    }

    /// Goes on by `step` seconds, in which the goal goes straight to `goal`.
    pub fn step(&mut self, step: f64, goal: f64, supply: f64, enabled: bool) {
        let time = [self.time, self.time + step];
        self.running.hear(&Told { time, goal: [self.goal, goal], supply, enabled });
        self.time = time[1];
        self.goal = goal;
    }

    /// Time (s), angle (rad) and speed (rad/s).
    pub fn state(&self) -> [f64; 3] {
        [self.time, self.running.at.angle, self.running.at.speed]
    }
}
