//! A cascade whose mass an integrator moves; the elements yield one after the other.
//!
//! Between two yields the force of the elements is linear in the displacement. The indicators are those of the library's
//! own event location: how far the mass is from the next yield, and its velocity in the direction of the phase.

use super::{BLUR, Equations, Known, Shared, Unknown};
use crate::hysteresis::Sweep;
use crate::{Cascade, Error, EventKind, Model};

/// A cascade that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct CascadeMotion {
    c: Cascade,
    x: f64,
    v: f64,
    /// The elements at the last event.
    elements: Sweep,
    /// The way that the mass goes; 0 where it stays.
    direction: f64,
    /// Every event so far, as the displacement, and 2 where a node yields, or the way that the mass goes on (0 where it
    /// stays): the elements begun anew and led through them are where they are.
    past: Vec<[f64; 2]>,
}

impl CascadeMotion {
    /// The cascade `c` at t = 0.
    ///
    /// # Errors
    /// If a load is not finite.
    pub fn new(c: &Cascade, at: &Shared) -> Result<Self, Error> {
        let mut motion = Self {
            c: c.clone(),
            x: c.initial.displacement,
            v: c.initial.velocity,
            elements: Sweep::new(c),
            direction: 0.0,
            past: Vec::new(),
        };
        motion.load(at)?;
        if motion.v == 0.0 {
            motion.at_rest(at.time)
        } else {
            motion.go(motion.v.signum())
        }
        Ok(motion)
    }

    /// The force of the elements on the way from the last event, N.
    fn force(&self) -> f64 {
        self.elements.force() + self.elements.stiffness() * (self.x - self.elements.displacement())
    }

    fn acceleration(&self, t: f64) -> f64 {
        (self.c.force.value(t) - self.force()) / self.c.mass
    }

    fn go(&mut self, direction: f64) {
        if direction != self.elements.direction() {
            self.elements.turn(direction);
        }
        self.direction = direction;
    }

    /// From rest on: the way of the net force or, where there is none, of its growth.
    fn at_rest(&mut self, t: f64) {
        let f = self.c.force.value(t);
        let held = self.force();
        let net = f - held;
        let way = if net.abs() > BLUR * f.abs().max(held.abs()) {
            net
        } else {
            self.c.force.derivative(t)
        };
        if way == 0.0 { self.direction = 0.0 } else { self.go(way.signum()) }
    }

    /// How far the mass is from the next yield, m; +∞ when all elements slip.
    fn distance(&self) -> f64 {
        let s = self.elements.direction();
        let far =
            s * self.elements.displacement() + self.elements.margin() / self.elements.stiffness();
        far - s * self.x
    }

    fn size(&self) -> f64 {
        self.x.abs().max(self.elements.displacement().abs()).max(f64::MIN_POSITIVE)
    }

    /// Leads the elements to `x`, where one yields (2) or the mass goes the way of `what` or stays (0): whether they can.
    fn follow(&mut self, x: f64, what: f64) -> bool {
        self.past.push([x, what]);
        if what == 2.0 {
            if self.elements.margin() == f64::INFINITY {
                return false;
            }
            self.elements.give_way(x);
            return true;
        }
        self.elements.shift(x);
        if what != 0.0 && what != self.elements.direction() {
            self.elements.turn(what);
        }
        true
    }
}

impl Equations for CascadeMotion {
    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        if let Some(Model::Cascade(c)) = at.model()? {
            self.c = c;
        }
        Ok(())
    }

    fn states(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.x, self.v]);
    }

    fn set_states(&mut self, states: &[f64]) {
        (self.x, self.v) = (states[0], states[1]);
    }

    fn derivatives(&self, at: &Shared, out: &mut [f64]) {
        let moves = self.direction != 0.0;
        let a = if moves { self.acceleration(at.time) } else { 0.0 };
        out.copy_from_slice(&[if moves { self.v } else { 0.0 }, a]);
    }

    fn indicators(&self, at: &Shared, out: &mut [f64]) {
        let size = BLUR * self.size();
        if self.direction == 0.0 {
            // At rest under a load that does not change: whatever changes it ends the rest.
            let f = self.c.force.value(at.time);
            let held = self.force();
            let rate = self.c.force.derivative(at.time);
            let still = rate == 0.0 && (f - held).abs() <= BLUR * f.abs().max(held.abs());
            out.copy_from_slice(&[if still { 1.0 } else { -1.0 }, 1.0]);
            return;
        }
        let distance = self.distance();
        let yields = if distance.is_finite() { distance + size } else { 1.0 };
        // A motion that sets out has no velocity yet.
        let velocity = self.direction * self.v + BLUR * self.v.abs().max(1.0);
        out.copy_from_slice(&[yields, velocity]);
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let was = self.v;
        let distance = self.distance();
        if self.direction != 0.0 && distance <= BLUR * self.size() {
            self.follow(self.x, 2.0);
            at.counts.add(EventKind::Yield);
        }
        let before = self.direction;
        let rests = before == 0.0
            || self.direction * self.v <= 0.0
                && (self.direction * self.v < 0.0
                    || self.direction * self.acceleration(at.time) <= 0.0);
        if rests {
            let kept = self.elements.clone();
            self.elements.shift(self.x);
            self.v = 0.0;
            self.at_rest(at.time);
            let turned = self.direction;
            self.elements = kept;
            self.follow(self.x, turned);
            if turned * before < 0.0 {
                at.counts.add(EventKind::Reversal);
            }
        }
        Ok(self.v != was)
    }

    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        let moves = self.direction != 0.0;
        let stiffness = self.elements.stiffness();
        let [x, v, force] = match known {
            Known::Value(0) => [1.0, 0.0, 0.0],
            Known::Value(1) => [0.0, 1.0, 0.0],
            _ => [0.0, 0.0, at.input_with(known)?.1],
        };
        Some(match unknown {
            Unknown::Derivative(_) if !moves => 0.0,
            Unknown::Derivative(0) => v,
            Unknown::Derivative(1) => (force - stiffness * x) / self.c.mass,
            Unknown::Value(2) => stiffness * x,
            _ => return None,
        })
    }

    fn row(&self, _at: &Shared, out: &mut Vec<f64>) {
        let mut here = self.elements.clone();
        here.shift(self.x);
        out.extend([self.x, self.v, here.force()]);
        out.extend(here.pulls().iter().map(|q| 0.0 - q));
    }

    fn lost(&self, _at: &Shared) -> f64 {
        let mut here = self.elements.clone();
        here.shift(self.x);
        here.lost()
    }

    fn phase(&self, _at: &Shared, element: usize) -> i32 {
        let slips = self.direction != 0.0 && element < self.elements.slipping();
        if slips { self.direction as i32 } else { 0 }
    }

    fn numbers(&self) -> Vec<f64> {
        let own = [self.x, self.v, self.direction].into_iter();
        own.chain(self.past.as_flattened().iter().copied()).collect()
    }

    fn put_back(&mut self, _at: &Shared, numbers: &[f64]) -> bool {
        let Some((&[x, v, direction], past)) = numbers.split_first_chunk::<3>() else {
            return false;
        };
        let (past, odd) = past.as_chunks::<2>();
        let knows = |[_, what]: &[f64; 2]| what.abs() == 1.0 || *what == 0.0 || *what == 2.0;
        if !odd.is_empty() || !past.iter().all(knows) {
            return false;
        }
        self.elements = Sweep::new(&self.c);
        self.past.clear();
        if !past.iter().all(|[x, what]| self.follow(*x, *what)) {
            return false;
        }
        (self.x, self.v, self.direction) = (x, v, direction);
        true
    }
}
