//! Where a motion has no derivative.

use crate::motion::Warning;

/// Why there is no derivative from an instant on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Gap {
    /// An event is touched and not crossed.
    Grazes,
    /// What comes to rest, or starts there, is just at its limit.
    AtLimit,
    /// Two events fall on one instant, and another number parts them.
    Together,
    /// What rests at the start is pushed, and a push either way has another effect.
    StartsAtRest,
    /// Nodes without mass jump, and how far they do depends on more than a balance of forces.
    Jumps,
    /// What the path warns of.
    Warned(Warning),
}
