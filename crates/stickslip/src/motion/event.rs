//! Phases and the events between them.

use super::State;
use std::fmt;

/// What the contact is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The relative velocity is zero on an interval.
    Stick,
    /// Sliding with a positive relative velocity.
    SlipForward,
    /// Sliding with a negative relative velocity.
    SlipBackward,
}

impl Phase {
    /// The slip phase in the direction of `sign` (forward for `sign` ≥ 0).
    pub fn slip(sign: f64) -> Self {
        if sign < 0.0 { Self::SlipBackward } else { Self::SlipForward }
    }

    /// The phase with this sign: 0 is stick.
    pub fn of_sign(sign: i8) -> Self {
        if sign == 0 { Self::Stick } else { Self::slip(f64::from(sign)) }
    }

    /// ε: +1, −1, or 0 in stick.
    pub fn sign(self) -> f64 {
        match self {
            Self::Stick => 0.0,
            Self::SlipForward => 1.0,
            Self::SlipBackward => -1.0,
        }
    }

    /// `stick`, `slip+` or `slip-`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::SlipForward => "slip+",
            Self::SlipBackward => "slip-",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A slip phase begins (τ_{j+½}).
    Slip,
    /// A stick phase begins (τ_j).
    Stick,
    /// The slip goes on with the other sign (τ_j^k); the mass of a cascade turns, and every element sticks.
    Reversal,
    /// An element of a cascade begins to slip.
    Yield,
    /// A rigid wall, stop or rim turns the velocity, or the mass leaves the spring of a soft one: the impulse is
    /// delivered.
    Impact,
    /// A sustained contact with a wall begins, after infinitely many impacts too small to count one by one or
    /// after a last one.
    Rest,
    /// A sustained contact with a wall or a rigid rim ends: the reaction would pull; or a soft rim ceases to push.
    Release,
    /// The mass enters the spring of a soft wall or stop, a soft rim begins to push, or a sustained contact with a rigid rim begins.
    Touch,
    /// A closed contact of two bodies of a machine begins: from here on they push each other.
    Contact,
    /// The force that a gear hands on changes its sign while its friction slides: the other flank of the teeth carries.
    LoadReversal,
}

impl EventKind {
    /// Every kind, in the order in which summaries list them.
    pub const ALL: [Self; 10] = [
        Self::Slip,
        Self::Stick,
        Self::Reversal,
        Self::Yield,
        Self::Impact,
        Self::Rest,
        Self::Release,
        Self::Touch,
        Self::Contact,
        Self::LoadReversal,
    ];

    /// What a contact does where one phase follows the other: a slip or a stick begins, or the slip turns round. Nothing
    /// happens where the phase stays what it was.
    ///
    /// ```
    /// use stickslip::{EventKind, Phase};
    /// let between = EventKind::between;
    /// assert_eq!(between(Phase::Stick, Phase::SlipForward), Some(EventKind::Slip));
    /// assert_eq!(between(Phase::SlipForward, Phase::Stick), Some(EventKind::Stick));
    /// assert_eq!(between(Phase::SlipForward, Phase::SlipBackward), Some(EventKind::Reversal));
    /// assert_eq!(between(Phase::SlipForward, Phase::SlipForward), None);
    /// ```
    pub fn between(before: Phase, after: Phase) -> Option<Self> {
        match (before, after) {
            _ if before == after => None,
            (Phase::Stick, _) => Some(Self::Slip),
            (_, Phase::Stick) => Some(Self::Stick),
            _ => Some(Self::Reversal),
        }
    }

    /// Its name in files: `slip`, `stick`, `reversal`, `yield`, `impact`, `rest`, `release`, `touch`, `contact` or `load-reversal`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slip => "slip",
            Self::Stick => "stick",
            Self::Reversal => "reversal",
            Self::Yield => "yield",
            Self::Impact => "impact",
            Self::Rest => "rest",
            Self::Release => "release",
            Self::Touch => "touch",
            Self::Contact => "contact",
            Self::LoadReversal => "load-reversal",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An event of a model of any kind.
///
/// `place` numbers the places of the model, as [`Solution::places`](crate::Solution::places) names them: of an
/// oscillator 0 is its contact and 1 and 2 are its lower and its upper stop; of a cascade 0 is the mass and i is
/// element i; of a network it is the slider; of a mass on a plane 1 is its rim; of an impact model 0 is the lower and 1 the upper wall.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// What happens.
    pub kind: EventKind,
    /// When, s.
    pub time: f64,
    /// Where: the number of the contact, element, slider or wall.
    pub place: usize,
    /// Displacement of the mass there, m; of a slider, of its first end relative to its second.
    pub x: f64,
    /// Velocity after the event, m/s; of a slider, of its first end relative to its second.
    pub v: f64,
    /// Velocity before the event, m/s.
    pub before: f64,
    /// Impulse of the wall on the mass, N·s (signed; along +x for the lower wall); of a rigid rim its size, along the radius
    /// inwards; 0 where there is no impact.
    pub impulse: f64,
    /// The time that it took, up to now, s: 0 if nothing is soft.
    pub duration: f64,
}

impl Event {
    /// An event without an impact: the velocity does not change.
    pub(crate) fn new(kind: EventKind, time: f64, place: usize, State { x, v }: State) -> Self {
        Self { kind, time, place, x, v, before: v, impulse: 0.0, duration: 0.0 }
    }

    /// An event of a mass at `x` (m) that receives `impulse` (N·s), with its velocities before and after it, m/s.
    pub(crate) fn impact(
        kind: EventKind,
        time: f64,
        place: usize,
        x: f64,
        [before, v]: [f64; 2],
        impulse: f64,
    ) -> Self {
        Self { kind, time, place, x, v, before, impulse, duration: 0.0 }
    }
}
