//! Instants at which a motion has no derivative.

use crate::motion::Warning;
use crate::scheme::gap::Gap;
use std::fmt;

/// An instant at which the motion has no derivative, or where none is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// When, s.
    pub time: f64,
    /// Why.
    pub why: Why,
}

/// Why a motion has no derivative with respect to some number.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// The relative velocity or a stop is touched without being crossed.
    Grazes,
    /// A slip ends under a load at the limit: with a little more load the mass goes on.
    AtLimit,
    /// Two events at one instant, which another number would part.
    Together,
    /// The mass starts at rest, and a push either way has another effect.
    StartsAtRest,
    /// Infinitely many impacts end there, at a time whose derivative is not computed; those of the state go on.
    Bounces,
    /// Nodes without mass jump, and how far they do is not told by a balance of forces alone.
    Jumps,
    /// What the path warns of.
    Warned(Warning),
}

impl From<(f64, Gap)> for Doubt {
    fn from((time, gap): (f64, Gap)) -> Self {
        let why = match gap {
            Gap::Grazes => Why::Grazes,
            Gap::AtLimit => Why::AtLimit,
            Gap::Together => Why::Together,
            Gap::StartsAtRest => Why::StartsAtRest,
            Gap::Jumps => Why::Jumps,
            Gap::Warned(w) => Why::Warned(w),
        };
        Self { time, why }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.time;
        match &self.why {
            Why::Grazes => write!(f, "at t = {t} s an event is touched and not crossed"),
            Why::AtLimit => write!(f, "at t = {t} s the load is at the limit where a slip ends"),
            Why::Together => write!(f, "at t = {t} s two events fall on one instant"),
            Why::StartsAtRest => {
                write!(f, "the mass starts at rest, where a push to either side has another effect")
            }
            Why::Bounces => write!(
                f,
                "at t = {t} s infinitely many impacts end; the derivative of that time is not computed"
            ),
            Why::Jumps => write!(
                f,
                "at t = {t} s a node without mass jumps; the derivative of how far it does is not computed"
            ),
            Why::Warned(w) => w.fmt(f),
        }
    }
}
