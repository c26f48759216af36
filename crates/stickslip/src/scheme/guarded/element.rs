//! A friction element: the integrator moves its flanges, and either integrates it or advances it by steps.

use super::{Added, BLUR, Equations, Integrated, Known, Shared, Unknown};
use crate::scheme::element::{self, Element, Grip};
use crate::{Error, Phase};
use std::sync::Arc;

/// A contact between two flanges. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Contact {
    element: Arc<Element>,
    /// Under its inputs, the relative velocity of the flanges and what is added to the normal force, at the present time.
    grip: Grip,
    /// What happened last: kept, so that a step allocates nothing.
    events: Vec<crate::Event>,
}

/// An unloaded contact at t = 0.
///
/// # Errors
/// If the normal force is negative.
pub fn contact(element: Element, inputs: Vec<Added>) -> Result<Integrated, Error> {
    let grip = element.at_rest();
    let at = Shared::new(inputs);
    let mut contact = Contact { element: Arc::new(element), grip, events: Vec::new() };
    contact.load(&at)?;
    Ok(Integrated::new(contact, at))
}

impl Contact {
    /// Counts what has happened last; whether there was anything.
    fn note(&mut self, at: &mut Shared) -> bool {
        self.events.iter().for_each(|event| at.counts.add(event.kind));
        let happened = !self.events.is_empty();
        self.events.clear();
        happened
    }

    /// How far the force goes with the velocity, N·s/m.
    fn slope(&self) -> f64 {
        let w = self.grip.velocity.value;
        let phase = self.grip.phase;
        if phase == Phase::Stick {
            return self.element.damping;
        }
        let speed = (phase.sign() * w).max(0.0);
        let (least, greatest) = self.element.friction.slope_range(phase.sign(), speed, speed);
        self.grip.normal.value * 0.5 * (least + greatest)
    }

    /// ∂F/∂`known`; `None` for what is neither a state nor an input.
    fn force_with(&self, known: Known) -> Option<f64> {
        let sticks = self.grip.phase == Phase::Stick;
        Some(match known {
            Known::Value(1) if sticks => self.element.stiffness,
            Known::Value(_) => 0.0,
            Known::Input(0) => self.slope(),
            Known::Input(_) if sticks => 0.0,
            Known::Input(_) => {
                let side = self.grip.phase.sign();
                let w = self.grip.velocity.value;
                side * self.element.friction.force(side, (side * w).max(0.0))
            }
            _ => return None,
        })
    }
}

impl Equations for Contact {
    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        let now = at.time;
        let own = self.element.normal;
        let held = |i: usize, base: f64| {
            let input = at.inputs.get(i).copied().unwrap_or_default();
            element::Held { value: base + input.at(now), rate: input.rate }
        };
        let velocity = held(0, 0.0);
        let normal = own.map_or(element::Held { value: 1.0, rate: 0.0 }, |own| held(1, own));
        if normal.value < 0.0 {
            return Err(Error::NegativeNormalForce { time: now, value: normal.value });
        }
        (self.grip.time, self.grip.velocity, self.grip.normal) = (now, velocity, normal);
        Ok(())
    }

    fn moved(&mut self, at: &Shared) -> Result<(), Error> {
        self.load(at)
    }

    fn advance(&mut self, at: &mut Shared, until: f64, to_event: bool) -> Result<bool, Error> {
        let normal = self.grip.normal;
        let value = normal.value + normal.rate * (until - self.grip.time);
        if value < 0.0 {
            return Err(Error::NegativeNormalForce { time: until, value });
        }
        let element = self.element.clone();
        element.settle(&mut self.grip, &mut self.events);
        loop {
            let happened = self.note(at);
            at.time = self.grip.time;
            if at.time >= until {
                return Ok(false);
            }
            if happened && to_event {
                return Ok(true);
            }
            element.advance_to_event(&mut self.grip, until, &mut self.events);
        }
    }

    fn states(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.element.deflection(&self.grip), self.grip.work]);
    }

    fn set_states(&mut self, states: &[f64]) {
        (self.grip.deflection, self.grip.work) = (states[0], states[1]);
    }

    fn derivatives(&self, _at: &Shared, out: &mut [f64]) {
        let w = self.grip.velocity.value;
        let gives = if self.grip.phase == Phase::Stick { w } else { 0.0 };
        out.copy_from_slice(&[gives, self.element.force(&self.grip) * w]);
    }

    fn indicators(&self, _at: &Shared, out: &mut [f64]) {
        let grip = &self.grip;
        let w = self.grip.velocity.value;
        if grip.phase != Phase::Stick {
            out.copy_from_slice(&[grip.phase.sign() * w + BLUR, 1.0]);
            return;
        }
        let force = self.element.force(grip);
        let limits = [1.0, -1.0].map(|side| self.element.limit(grip, side));
        let blur = 2.0 * BLUR * force.abs().max(limits[0]).max(limits[1]).max(f64::MIN_POSITIVE);
        out.copy_from_slice(&[limits[0] - force + blur, limits[1] + force + blur]);
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let before = self.element.deflection(&self.grip);
        // The integrator stands where the velocity has passed zero by as much as it can tell.
        let side = self.grip.phase.sign();
        let w = self.grip.velocity.value;
        if side * w > 0.0 && side * w <= BLUR {
            self.grip.velocity.value = 0.0;
        }
        self.element.clone().settle(&mut self.grip, &mut self.events);
        self.note(at);
        Ok(self.element.deflection(&self.grip) != before)
    }

    fn partial(&self, _at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        let force = self.element.force(&self.grip);
        let by = self.force_with(known)?;
        let w = self.grip.velocity.value;
        let with_w = if known == Known::Input(0) { 1.0 } else { 0.0 };
        Some(match unknown {
            Unknown::Derivative(0) if self.grip.phase == Phase::Stick => with_w,
            Unknown::Derivative(0) => 0.0,
            Unknown::Derivative(1) => by * w + force * with_w,
            Unknown::Value(0) => 0.0 - by,
            _ => return None,
        })
    }

    fn row(&self, _at: &Shared, out: &mut Vec<f64>) {
        let grip = &self.grip;
        out.extend([0.0 - self.element.force(grip), self.element.deflection(grip), grip.work]);
    }

    fn lost(&self, _at: &Shared) -> f64 {
        self.element.lost(&self.grip)
    }

    fn phase(&self, _at: &Shared, _: usize) -> i32 {
        self.grip.phase.sign() as i32
    }

    fn numbers(&self) -> Vec<f64> {
        let g = &self.grip;
        vec![g.deflection, g.phase.sign(), g.since, g.work]
    }

    fn put_back(&mut self, _at: &Shared, numbers: &[f64]) -> bool {
        let &[deflection, phase, since, work] = numbers else { return false };
        let phase = if phase == 0.0 { Phase::Stick } else { Phase::slip(phase) };
        self.grip = Grip { deflection, phase, since, work, ..self.grip };
        true
    }
}
