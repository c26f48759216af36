//! A cascade whose displacement is prescribed from outside: there is nothing to integrate, only events to find.
//!
//! The force depends on the places where the mass has turned, and on where it is. The indicators are how far it is from the
//! next yield, its velocity in the direction of its way, and how far it is from where it was when the integrator last kept a
//! step. The last one finds a turn of an input whose rate the integrator does not say.

use super::{BLUR, Counts, Equations, Known, Shared, Unknown};
use crate::hysteresis::Sweep;
use crate::{Cascade, Error, EventKind, Model, Signal};

/// A cascade that somebody else moves. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct PrescribedMotion {
    /// The prescribed displacement, with what the integrator adds to it.
    displacement: Signal,
    start: Cascade,
    /// The elements at the last event.
    elements: Sweep,
    /// The way that the mass goes; 0 before it sets out.
    direction: f64,
    /// The farthest place on it where the integrator has kept a step, m.
    far: f64,
    /// Every event so far, as the displacement and the way on from there: the elements begun anew and led through them are
    /// where they are.
    past: Vec<[f64; 2]>,
}

impl PrescribedMotion {
    /// The cascade `c` at t = 0.
    ///
    /// # Errors
    /// Where its displacement is no valid signal.
    pub fn new(c: &Cascade, at: &mut Shared) -> Result<Self, Error> {
        let mut motion = Self {
            displacement: Signal::default(),
            start: c.clone(),
            elements: Sweep::new(c),
            direction: 0.0,
            far: c.initial.displacement,
            past: Vec::new(),
        };
        motion.load(at)?;
        let [x, v, a, jerk] = motion.displacement.piece_at(0.0).derivatives(0.0);
        motion.set_out(x - motion.far, x, at);
        // The way on from there is that of the first derivative that says one.
        let way = [v, a, jerk].into_iter().find(|d| *d != 0.0);
        motion.set_out(way.unwrap_or(0.0), x, at);
        Ok(motion)
    }

    /// Displacement (m) and velocity (m/s) of the mass.
    fn place(&self, at: &Shared) -> [f64; 2] {
        [self.displacement.value(at.time), self.displacement.derivative(at.time)]
    }

    /// How far rounding may take a displacement, m.
    fn blur(&self, x: f64) -> f64 {
        BLUR * x.abs().max(self.elements.displacement().abs()).max(f64::MIN_POSITIVE)
    }

    /// Goes the way of `way` to `x`.
    fn set_out(&mut self, way: f64, x: f64, at: &mut Shared) {
        if way != 0.0 {
            let from = self.far;
            (self.direction, self.far) = (way.signum(), x);
            self.lead(from, self.direction, &mut at.counts);
            self.lead(x, self.direction, &mut at.counts);
        }
    }

    /// Leads the elements to `x` and on the way `direction` from there.
    fn lead(&mut self, x: f64, direction: f64, counts: &mut Counts) {
        self.elements.advance_with(x, |_| counts.add(EventKind::Yield));
        if direction != self.elements.direction() {
            self.elements.turn(direction);
        }
        self.past.push([x, direction]);
    }

    /// The elements where the mass is now.
    fn here(&self, at: &Shared) -> Sweep {
        let mut here = self.elements.clone();
        here.advance(self.far);
        here.advance(self.place(at)[0]);
        here
    }
}

impl Equations for PrescribedMotion {
    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        if let Some(Model::Cascade(Cascade { displacement: Some(signal), .. })) = at.model()? {
            self.displacement = signal;
        }
        Ok(())
    }

    fn states(&self, _out: &mut [f64]) {}

    fn set_states(&mut self, _states: &[f64]) {}

    fn derivatives(&self, _at: &Shared, _out: &mut [f64]) {}

    fn indicators(&self, at: &Shared, out: &mut [f64]) {
        let [x, v] = self.place(at);
        let ahead = self.direction * (x - self.far);
        if self.direction == 0.0 {
            out.copy_from_slice(&[1.0, 1.0, self.blur(x) - (x - self.far).abs()]);
            return;
        }
        let left = self.elements.margin() / self.elements.stiffness();
        let gone = self.direction * (x - self.elements.displacement());
        let yields = if left.is_finite() { left - gone + self.blur(x) } else { 1.0 };
        out.copy_from_slice(&[yields, self.direction * v + BLUR, ahead + self.blur(x)]);
    }

    fn completed(&mut self, at: &Shared) {
        let x = self.place(at)[0];
        if self.direction * (x - self.far) > 0.0 {
            self.far = x;
        }
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        self.completed(at);
        let [x, v] = self.place(at);
        let way = self.direction;
        let behind = way * (x - self.far) < -self.blur(x);
        if way == 0.0 {
            self.set_out(x - self.far, x, at);
        } else if behind || way * v <= -BLUR {
            self.lead(self.far, way, &mut at.counts);
            at.counts.add(EventKind::Reversal);
            self.set_out(-way, x, at);
        } else {
            self.lead(self.far, way, &mut at.counts);
        }
        Ok(false)
    }

    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        let (_, x, v) = at.input_with(known)?;
        Some(match unknown {
            Unknown::Value(0) => x,
            Unknown::Value(1) => v,
            Unknown::Value(2) => self.here(at).stiffness() * x,
            _ => return None,
        })
    }

    fn row(&self, at: &Shared, out: &mut Vec<f64>) {
        let here = self.here(at);
        out.extend(self.place(at));
        out.push(here.force());
        out.extend(here.pulls().iter().map(|q| 0.0 - q));
    }

    fn lost(&self, at: &Shared) -> f64 {
        self.here(at).lost()
    }

    fn phase(&self, at: &Shared, element: usize) -> i32 {
        let here = self.here(at);
        if element < here.slipping() { here.direction() as i32 } else { 0 }
    }

    fn numbers(&self) -> Vec<f64> {
        let own = [self.far, self.direction].into_iter();
        own.chain(self.past.as_flattened().iter().copied()).collect()
    }

    fn put_back(&mut self, _at: &Shared, numbers: &[f64]) -> bool {
        let Some((&[far, direction], past)) = numbers.split_first_chunk::<2>() else {
            return false;
        };
        let (past, odd) = past.as_chunks::<2>();
        let led = |[x, way]: &[f64; 2]| x.is_finite() && way.abs() == 1.0;
        let sound = far.is_finite() && [-1.0, 0.0, 1.0].contains(&direction);
        if !sound || !odd.is_empty() || !past.iter().all(led) {
            return false;
        }
        self.elements = Sweep::new(&self.start);
        self.past.clear();
        past.iter().for_each(|[x, way]| self.lead(*x, *way, &mut Counts::default()));
        (self.far, self.direction) = (far, direction);
        true
    }
}
