//! The rule of two phases inside an implicit step: which friction a contact has that holds more at rest than it drags with.
//!
//! A contact at rest is held by f_s, one that slides by f_d. One that would stop or turn in this step is held by f_s from there
//! on. Only when no other does are those that have broken away released, all together, to go on at f_d: holding comes before
//! releasing, because a contact that stops may hold others back that would have broken away. Each contact changes twice at most,
//! so the rounds come to an end.
//!
//! The exact scheme applies the same rule at an instant, where there is no state at the end of a step to look at: see its
//! `resolve`.

use std::ops::Neg;

/// Where a contact is in the rule. Its way is −1, 0 or 1, a whole number or a float as the scheme has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stage<S> {
    /// It is held by f_s.
    Held,
    /// It has f_d, and slid this way before the step.
    Slides(S),
    /// It has f_d, for it has broken away in this step.
    BrokenAway,
}

impl<S: Copy + Default + PartialEq + Neg<Output = S>> Stage<S> {
    /// At the start of a step before which the contact slid this way.
    #[inline(always)]
    pub fn after(was: S) -> Self {
        if was == S::default() { Self::Held } else { Self::Slides(was) }
    }

    /// Whether it stops or turns in a solution in which it slides this way `now`: it is to be held.
    #[inline(always)]
    pub fn stops(&self, now: S) -> bool {
        matches!(self, Self::Slides(was) if now != *was)
    }

    /// Whether it turns there. What has merely stopped has |λ| ≤ f_d ≤ f_s, and the solution is still one with the higher limit;
    /// what has turned slips at f_d where f_s holds now, and the problem is to be solved again.
    #[inline(always)]
    pub fn turns(&self, now: S) -> bool {
        matches!(self, Self::Slides(was) if now == -*was)
    }

    /// Whether it breaks away there: it is to be released.
    #[inline(always)]
    pub fn breaks_away(&self, now: S) -> bool {
        matches!(self, Self::Held) && now != S::default()
    }
}
