//! Forces beside the linear ones, and all of them read forwards in time.

use super::Oscillator;
use crate::signal::{Cursor, Knot, Read, Signal};
use std::fmt;
use std::sync::Arc;

/// A load b(x, v, t) given as a function: m, m/s, s ↦ N.
#[derive(Clone)]
pub struct Load {
    function: Arc<dyn Fn(f64, f64, f64) -> f64 + Send + Sync>,
    name: Option<Arc<str>>,
}

impl Load {
    /// Any function, smooth between the breakpoints of the oscillator's signals.
    pub fn new(b: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        Self { function: Arc::new(b), name: None }
    }

    /// The same under a name, which stands for the function wherever problems are compared.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into().into()), ..self }
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// b(x, v, t), N.
    pub fn at(&self, x: f64, v: f64, t: f64) -> f64 {
        (self.function)(x, v, t)
    }
}

impl PartialEq for Load {
    /// Loads are equal when they are the same function.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.function, &other.function)
    }
}

impl fmt::Debug for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Load(function {:?})", self.name.as_deref().unwrap_or_default())
    }
}

/// −(k₂ z² + k₃ z³ + …) − c₂ v|v| + b(x, v, t), z = x − d, and a normal force that depends on x.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nonlinear {
    /// k₂, k₃, … of the spring, N/m², N/m³, …; the linear k₁ is the oscillator's stiffness.
    pub stiffness: Vec<f64>,
    /// c₂ ≥ 0, N·s²/m².
    pub damping: f64,
    /// A further load.
    pub load: Option<Load>,
    /// s, 1/m: the normal force (1 where the law's numbers are forces) is multiplied by max(0, 1 + s x), so that the
    /// contact is open where 1 + s x ≤ 0 (Feeny and Moon 1994).
    pub normal_slope: f64,
}

impl Nonlinear {
    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        let bent = self.normal_slope != 0.0 || self.damping != 0.0 || self.load.is_some();
        !bent && self.stiffness.iter().all(|&k| k == 0.0)
    }

    /// max(0, 1 + s x), by which the normal force is multiplied at `x` (m).
    #[inline]
    pub fn pressing(&self, x: f64) -> f64 {
        (1.0 + self.normal_slope * x).max(0.0)
    }

    /// The force at spring extension `z` (m), in N.
    #[inline]
    pub fn force(&self, z: f64, x: f64, v: f64, t: f64) -> f64 {
        let spring = z * z * self.stiffness.iter().rev().fold(0.0, |sum, k| sum * z + k);
        let load = self.load.as_ref().map_or(0.0, |b| b.at(x, v, t));
        load - spring - self.damping * v * v.abs()
    }
}

/// Every force and the support of an oscillator, read by `R`.
pub(crate) struct Forces<'a, R = Cursor<'a>> {
    o: &'a Oscillator,
    drive: R,
    force: R,
    support: R,
    normal: Option<R>,
    linear: bool,
}

impl<'a> Forces<'a, &'a Signal> {
    /// To be read at any time.
    pub fn anywhere(o: &'a Oscillator) -> Self {
        Self::read_with(o, |signal| signal)
    }
}

impl<'a> Forces<'a> {
    pub fn new(o: &'a Oscillator) -> Self {
        Self::read_with(o, Signal::cursor)
    }

    /// To be read from `t` (s) on, without what is before.
    pub fn from(o: &'a Oscillator, t: f64) -> Self {
        Self::read_with(o, |s| s.cursor_from(t))
    }

    /// Until when drive, force and normal force are on the pieces that were read last, s.
    pub fn until(&self) -> f64 {
        let normal = self.normal.as_ref().map_or(f64::INFINITY, Cursor::until);
        self.drive.until().min(self.force.until()).min(normal)
    }

    /// The affine pieces of drive, force and normal force that hold at `t` (s).
    pub fn pieces(&mut self, t: f64) -> (Knot, Knot, Option<Knot>) {
        let normal = self.normal.as_mut().map(|n| n.piece(t));
        (self.drive.piece(t), self.force.piece(t), normal)
    }
}

impl<'a, R: Read> Forces<'a, R> {
    fn read_with(o: &'a Oscillator, reader: impl Fn(&'a Signal) -> R) -> Self {
        Self {
            o,
            drive: reader(&o.drive),
            force: reader(&o.force),
            support: reader(&o.support),
            normal: o.normal.as_ref().map(&reader),
            linear: o.is_linear(),
        }
    }

    /// Whose forces they are.
    pub fn oscillator(&self) -> &'a Oscillator {
        self.o
    }

    /// K d(t) + f(t), N, and d(t), m.
    pub fn loading(&mut self, t: f64) -> (f64, f64) {
        let d = self.drive.value(t);
        (self.o.stiffness * d + self.force.value(t), d)
    }

    /// The forces that are not linear in x and v, those of soft stops among them, N.
    pub fn nonlinear(&self, d: f64, x: f64, v: f64, t: f64) -> f64 {
        if self.linear {
            return 0.0;
        }
        let stops = self.o.stops.map_or(0.0, |s| s.force(x, v));
        self.o.nonlinear.force(x - d, x, v, t) + stops
    }

    /// b(x, v, t), N.
    pub fn load(&mut self, x: f64, v: f64, t: f64) -> f64 {
        let d = self.drive.value(t);
        let linear = self.o.stiffness * (d - x) - self.o.damping * v + self.force.value(t);
        linear + self.nonlinear(d, x, v, t)
    }

    /// v_s(t), m/s.
    pub fn support(&mut self, t: f64) -> f64 {
        self.support.value(t)
    }

    /// F_n at `x` (m), N; a factor when the law's numbers are forces.
    pub fn normal(&mut self, x: f64, t: f64) -> f64 {
        self.normal.as_mut().map_or(1.0, |n| n.value(t)) * self.o.nonlinear.pressing(x)
    }
}
