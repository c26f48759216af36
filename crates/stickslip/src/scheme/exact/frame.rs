//! The oscillator seen from its moving support: y = x − X_s, w = ẋ − v_s.
//!
//! ```text
//! m ÿ + F(w) = K d + f − K X_s − c v_s − m v̇_s − c w − K y
//! ```
//!
//! As long as the right-hand side is again affine pieces plus harmonics, the closed forms hold. So
//! v_s may have steps and harmonics, and ramps where K = 0.

use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::State;
use crate::signal::{Integral, Signal};

/// The motion of the support.
#[derive(Debug, Clone)]
pub struct Frame {
    motion: Integral,
    jumps: Vec<(f64, f64)>,
}

impl Frame {
    /// None when the support rests.
    pub(super) fn new(o: &Oscillator) -> Option<Self> {
        if o.support.is_zero() {
            return None;
        }
        Some(Self::of(o))
    }

    /// Whatever the support does.
    pub(crate) fn of(o: &Oscillator) -> Self {
        Self { motion: Integral::new(o.support.clone()), jumps: o.support.jumps() }
    }

    /// −K X_s − c v_s − m v̇_s, N.
    pub(super) fn load(&self, o: &Oscillator) -> Result<Signal, Error> {
        let v = self.motion.signal();
        let inertia = (-o.mass) * v.differentiated() + (-o.damping) * v.clone();
        if o.stiffness == 0.0 {
            return Ok(inertia);
        }
        match self.motion.as_signal() {
            Some(x) => Ok(inertia + (-o.stiffness) * x),
            None => Err(Error::Unsuitable {
                scheme: "exact",
                reason: "the support's velocity has ramps or samples, which bend the spring force quadratically; use adaptive"
                    .into(),
            }),
        }
    }

    /// Position and velocity of the support at `t`, on the piece that holds at `from`.
    pub(crate) fn at(&self, from: f64, t: f64) -> State {
        let (x, v) = self.motion.on_piece(self.motion.signal().piece(from), t);
        State { x, v }
    }

    /// How much the support's velocity jumps at `t`, m/s.
    pub(crate) fn jump(&self, t: f64) -> f64 {
        self.jumps.iter().find(|j| j.0 == t).map_or(0.0, |j| j.1)
    }
}
