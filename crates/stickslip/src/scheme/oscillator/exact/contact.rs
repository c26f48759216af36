//! The oscillator's contact towards both sides, made from its loads.

use super::{Doubts, System};
use crate::error::{Error, Obstacle};
use crate::model::Oscillator;
use crate::motion::{Frame, Medium};
use crate::signal::{Harmonic, Piece, Signal};
use std::sync::Arc;

/// The contact towards one side.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub medium: Arc<Medium>,
    /// The same inside a soft stop.
    pub bed: Option<Arc<Medium>>,
    /// f_s and f_d, N; per N of normal force where that varies.
    pub breakaway: f64,
    pub sliding: f64,
    /// The load in slip; with a varying normal force it contains the friction.
    pub load: Arc<Signal>,
    /// f_s F_n(t), N, where F_n varies.
    pub limit: Option<Signal>,
}

impl Side {
    /// Friction as a constant beside `load`, N.
    pub fn friction(&self) -> f64 {
        if self.limit.is_some() { 0.0 } else { self.sliding }
    }

    /// f_s at `t`, N.
    pub(crate) fn breakaway_at(&self, t: f64) -> f64 {
        self.limit.as_ref().map_or(self.breakaway, |limit| limit.value(t))
    }

    /// f_s from `t` on, N. A constant is a piece too: where there is no signal, no byte of a piece is unset that
    /// optimised code might look at ahead of time.
    pub(crate) fn limit_from(&self, t: f64) -> Piece<'_> {
        self.limit.as_ref().map_or(Piece::constant(self.breakaway), |limit| limit.piece_at(t))
    }

    /// f_d at `t`, N.
    pub(crate) fn sliding_at(&self, t: f64) -> f64 {
        match &self.limit {
            None => self.sliding,
            Some(limit) => limit.value(t) * (self.sliding / self.breakaway.max(f64::MIN_POSITIVE)),
        }
    }

    /// At rest |b| is at least at the limit, whatever the rounding: what then accelerates, N.
    pub fn least(&self, t: f64) -> f64 {
        self.breakaway_at(t) - self.sliding_at(t)
    }
}

/// What keeps the closed forms from treating `o`, if anything does.
pub(super) fn obstacle(o: &Oscillator) -> Option<&'static str> {
    if o.nonlinear.normal_slope != 0.0 {
        return Some("the normal force depends on the displacement");
    }
    if !o.is_linear_in_pieces() {
        return Some("the load is not linear in x and v");
    }
    if o.friction.constants().is_none() {
        return Some("the friction depends on the velocity or on the time at rest");
    }
    if !o.support.is_zero() && o.stops.is_some() {
        return Some("the support moves past the stops");
    }
    None
}

/// f_s and f_d ahead and back of what the scheme solves; an error for anything else.
fn constants(o: &Oscillator) -> Result<[(f64, f64); 2], Error> {
    match (obstacle(o), o.friction.constants()) {
        (None, Some(constants)) => Ok(constants),
        (obstacle, _) => {
            let part = obstacle.unwrap_or_default();
            let reason = Obstacle::Part { part, schemes: "use adaptive" };
            Err(Error::Unsuitable { scheme: "exact", reason })
        }
    }
}

/// Whether two loads swing at the same frequencies, in the same order.
fn has_frequencies_of(a: &Signal, b: &Signal) -> bool {
    let frequency = |h: &Harmonic| h.angular_frequency.to_bits();
    a.harmonics().iter().map(frequency).eq(b.harmonics().iter().map(frequency))
}

/// Both sides under the load `plain`, with a normal force that is `varying`, or the `scale` of one that does not vary; `known` is
/// their medium where it has been made before.
fn sides(
    o: &Oscillator,
    constants: [(f64, f64); 2],
    plain: &Arc<Signal>,
    varying: Option<&Signal>,
    scale: f64,
    known: Option<Arc<Medium>>,
) -> [Side; 2] {
    let medium =
        |load: &Signal| Arc::new(Medium::new(o.mass, o.damping, o.stiffness, load.harmonics()));
    // A medium has the responses to all harmonics, which depend on their frequencies only: it is made anew only for
    // new ones.
    let common = known.unwrap_or_else(|| medium(plain));
    let bed = |load: &Signal| {
        let (k, c) = o.stops?.spring()?;
        // Inside a soft stop its spring and its damper act next to those of the mass.
        Some(Arc::new(Medium::new(o.mass, o.damping + c, o.stiffness + k, load.harmonics())))
    };
    let side = |(fs, fd): (f64, f64), sign: f64| match varying {
        None => {
            let load = plain.clone();
            let medium = common.clone();
            let bed = bed(plain);
            Side { medium, bed, breakaway: scale * fs, sliding: scale * fd, load, limit: None }
        }
        Some(n) => {
            // A normal force that varies makes the sliding friction a load like others; friction itself is then zero.
            let load = Arc::new((**plain).clone() + (-sign * fd) * n.clone());
            let limit = Some(fs * n.clone());
            let medium = medium(&load);
            let bed = bed(&load);
            Side { medium, bed, breakaway: fs, sliding: fd, load, limit }
        }
    };
    [side(constants[0], 1.0), side(constants[1], -1.0)]
}

impl System {
    pub(super) fn new(o: &Oscillator, end: f64) -> Result<Self, Error> {
        Self::after(o, end, None, Arc::default())
    }

    /// The same after another one, whose media serve again where the loads have the same frequencies; the load is put
    /// into `room` if nobody else uses it.
    pub(super) fn after(
        o: &Oscillator,
        end: f64,
        before: Option<&Self>,
        mut room: Arc<Signal>,
    ) -> Result<Self, Error> {
        let constants = constants(o)?;
        let frame = (!o.support.is_zero()).then(|| Frame::new(&o.support));
        match Arc::get_mut(&mut room) {
            Some(load) => o.put_load_signal(load),
            None => room = Arc::new(o.load_signal()),
        }
        let mut plain = room;
        if frame.is_some() {
            // its breakpoints are breakpoints of all
            plain = Arc::new((*plain).clone() + 0.0 * o.support.clone());
        }
        let scale = o.normal.as_ref().and_then(Signal::as_constant);
        let varying = o.normal.as_ref().filter(|_| scale.is_none());
        if let Some(n) = varying {
            plain = Arc::new((*plain).clone() + 0.0 * n.clone());
        }
        // Of what may change a medium depends on the frequencies alone, so a run whose loads change at every step of another
        // program keeps it.
        let known = before.map(|b| &b.sides[0]).filter(|s| has_frequencies_of(&s.load, &plain));
        let known = known.filter(|_| varying.is_none()).map(|side| side.medium.clone());
        let sides = sides(o, constants, &plain, varying, scale.unwrap_or(1.0), known);
        Ok(Self {
            o: None,
            spare: None,
            mass: o.mass,
            damping: o.damping,
            stiffness: o.stiffness,
            load: plain,
            sides,
            frame: frame.map(Arc::new),
            piece: 0,
            rule: o.friction.is_rule(),
            stands: false,
            doubts: Doubts::default(),
            stops: o.stops,
            end,
            impulse: 0.0,
        })
    }
}
