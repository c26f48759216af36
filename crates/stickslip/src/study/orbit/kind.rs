//! What happens to an orbit where its branch bifurcates.

use super::passage::Passage;
use super::phases::Phases;
use crate::motion::Phase;
use std::fmt;

/// A bifurcation of a periodic orbit.
///
/// Sliding bifurcations are named as by di Bernardo, Kowalczyk and Nordmark 2002: the discontinuity is the velocity
/// zero relative to the support, and to slide along it is to stick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The branch turns back: a multiplier is 1.
    Fold,
    /// A multiplier is −1: an orbit of twice the period branches off.
    Flip,
    /// A multiplier of a symmetric orbit is 1: two orbits that are mirror images branch off.
    SymmetryBreaking,
    /// Another branch crosses: a multiplier is 1, and the branch does not turn back.
    Branching,
    /// Two multipliers that are conjugate have modulus 1.
    NeimarkSacker,
    /// The orbit shrinks to steady sliding, where two conjugate eigenvalues of that cross the imaginary axis.
    Hopf,
    /// A slip touches the velocity zero, and a stick begins there.
    GrazingSliding,
    /// Between a slip and the slip back a stick begins.
    CrossingSliding,
    /// A stick begins with a short slip to the other side.
    SwitchingSliding,
    /// A stick is interrupted by a slip.
    AddingSliding,
    /// The mass begins to touch a stop, or no longer does.
    Grazing,
    /// The number of sticks in a period changes.
    Stops,
}

impl Kind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 12] = [
        Self::Fold,
        Self::Flip,
        Self::SymmetryBreaking,
        Self::Branching,
        Self::NeimarkSacker,
        Self::GrazingSliding,
        Self::CrossingSliding,
        Self::SwitchingSliding,
        Self::AddingSliding,
        Self::Grazing,
        Self::Stops,
        Self::Hopf,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Flip => "flip",
            Self::SymmetryBreaking => "symmetry-breaking",
            Self::Branching => "branching",
            Self::NeimarkSacker => "neimark-sacker",
            Self::Hopf => "hopf",
            Self::GrazingSliding => "grazing-sliding",
            Self::CrossingSliding => "crossing-sliding",
            Self::SwitchingSliding => "switching-sliding",
            Self::AddingSliding => "adding-sliding",
            Self::Grazing => "grazing",
            Self::Stops => "stops",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A phase that lasts for less than this part of the period is about to vanish.
const SHORT: f64 = 2e-3;

/// What changes between two orbits on either side of a change of the order of phases.
pub(super) fn of_change(a: &Passage, b: &Passage) -> Option<Kind> {
    if walls(&a.pattern) != walls(&b.pattern) {
        return Some(Kind::Grazing);
    }
    let m = a.patterns();
    let n = b.patterns();
    let changed = (0..m.len().min(n.len())).filter(|&i| m[i] != n[i]);
    let named = |i: usize| {
        let longer = if m[i].len() >= n[i].len() { a } else { b };
        let phases = longer.contacts().swap_remove(i);
        let (start, end) = longer.span();
        by_duration(phases, start, end).or_else(|| by_count(&m[i], &n[i]))
    };
    changed.filter_map(named).next()
}

/// How often the stops are met.
fn walls(pattern: &[i8]) -> usize {
    pattern.iter().filter(|c| **c >= 2).count()
}

/// By the shortest phase, if it is about to vanish.
fn by_duration(mut phases: Phases, start: f64, end: f64) -> Option<Kind> {
    phases.retain(|p| p.2 > p.1);
    if phases.len() > 1 && phases.first().map(|p| p.0) == phases.last().map(|p| p.0) {
        // one phase goes on over the end
        let last = phases.pop()?;
        phases[0].1 = last.1 - (end - start);
    }
    let n = phases.len();
    let length = |i: &usize| phases[*i].2 - phases[*i].1;
    let i = (0..n).min_by(|a, b| length(a).total_cmp(&length(b)))?;
    if n < 2 || length(&i) > SHORT * (end - start) {
        return None;
    }
    let [before, after] = [phases[(i + n - 1) % n].0, phases[(i + 1) % n].0];
    Some(match (before, phases[i].0, after) {
        (p, Phase::Stick, q) if p == q => Kind::GrazingSliding,
        (_, Phase::Stick, _) => Kind::CrossingSliding,
        (Phase::Stick, _, Phase::Stick) => Kind::AddingSliding,
        _ => Kind::SwitchingSliding,
    })
}

/// By what there is more of on one side than on the other.
fn by_count(a: &[i8], b: &[i8]) -> Option<Kind> {
    let count = |p: &[i8], test: fn(i8, i8, i8) -> bool| {
        let n = p.len();
        (0..n).filter(|&i| test(p[(i + n - 1) % n], p[i], p[(i + 1) % n])).count()
    };
    let differs = |test: fn(i8, i8, i8) -> bool| count(a, test) != count(b, test);
    if differs(|p, q, r| q == 0 && p * r > 0) {
        Some(Kind::GrazingSliding)
    } else if differs(|p, q, r| q == 0 && p * r < 0) {
        Some(Kind::CrossingSliding)
    } else if differs(|p, q, r| p == 0 && q != 0 && r == 0) {
        Some(Kind::AddingSliding)
    } else if differs(|p, q, _| p * q < 0) {
        Some(Kind::SwitchingSliding)
    } else {
        None
    }
}
