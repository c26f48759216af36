//! A fitted servo between communication points.

use super::{Answer, Fault};
use stickslip::scheme::guarded::Added;
use stickslip_file::joint_motion::JointMotion;
use stickslip_file::joint_unit::JointUnit;

/// Steps of the motion that are done in one step of the importer: some seconds of work.
const MOST: f64 = 1e7;
/// The places of the inputs.
const GOAL: usize = 0;
const SUPPLY: usize = 1;
const ENABLED: usize = 2;

/// A servo, and what it is told.
#[derive(Debug, Clone)]
pub struct Turning {
    pub motion: JointMotion,
    pub inputs: Vec<Added>,
}

impl Turning {
    /// At its beginning. Its controller has had for long the goal that it has now.
    ///
    /// # Errors
    /// Where the joint has no unique acceleration with its load.
    pub fn new(joint: &JointUnit, inputs: Vec<Added>) -> Answer<Self> {
        let motion = joint.motion(inputs[GOAL].value)?;
        Ok(Self { motion, inputs })
    }

    /// s.
    pub fn time(&self) -> f64 {
        self.motion.time()
    }

    /// The outputs.
    pub fn row(&self, out: &mut Vec<f64>) {
        let [_, angle, speed] = self.motion.state();
        out.clear();
        out.extend([angle, speed]);
    }

    /// Goes on to `until`, s, with the goal that moves at its rate. Supply and switch are those at the beginning of the step, as a
    /// log has them.
    ///
    /// # Errors
    /// [`Fault::Discard`] where the step is so long that it would take minutes.
    pub fn advance(&mut self, until: f64) -> Answer {
        let from = self.time();
        let steps = self.motion.steps_in(until - from);
        if steps > MOST {
            return Err(Fault::Discard(format!(
                "a step of {} s holds about {steps:.0e} steps of the motion; at most {MOST:.0e} are done in one: take shorter steps",
                until - from
            )));
        }
        let goal = self.inputs[GOAL];
        let supply = self.inputs[SUPPLY].at(from);
        let enabled = self.inputs[ENABLED].at(from) > 0.5;
        self.motion.advance(until, [goal.at(from), goal.at(until)], supply, enabled);
        Ok(())
    }

    /// Puts it where it was when these were its numbers; whether they are those of a servo.
    pub fn put_back(&mut self, inputs: Vec<Added>, numbers: &[f64]) -> bool {
        self.inputs = inputs;
        self.motion.put_back(numbers)
    }
}
