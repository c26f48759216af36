//! Out of one minimum of the loss into a lower one near it.
//!
//! Whether an arm that swings out comes to rest a little before or after it turns round is decided by a hair of any number: the
//! loss of one log then leaps by more than all other logs together change, and the loss over all logs is a smooth bowl with
//! many steps in it. A descent ends at the first step that it would have to climb. From where it ended numbers are drawn in the
//! shape of the bowl, which the curvature knows: far along what the logs hardly show, near along what they know well.
//! The best of them is the next start.

use super::logs::Log;
use super::search::{FoundJoint, Part, Sought, derivatives, sum, values_from};
use super::{Joint, Slot};
use crate::statistics::random::Draws;
use stickslip::numeric::{cholesky, solve_transposed};
use stickslip::portable;

/// Candidates of one leap.
pub const CANDIDATES: usize = 16;
/// A candidate of length 1 climbs the bowl by this share of the loss on average.
const SHARE: f64 = 0.1;
/// Powers of ten between which the lengths of candidates are.
pub const LENGTHS: [f64; 2] = [-1.5, 0.5];
/// What is added to the curvature, as a share, so that what no log shows is drawn within bounds.
const FLOOR: f64 = 1e-4;

/// Where a search stands, and what its loss is there.
pub struct Stand {
    pub found: FoundJoint,
    pub loss: f64,
}

impl Stand {
    pub fn at(found: FoundJoint, logs: &[&Log]) -> Self {
        let loss = sum(&values_from(&found.joint, logs, &found.starts)).loss;
        Self { found, loss }
    }
}

/// Where candidates are drawn, and by what they are compared.
pub struct Field<'a> {
    pub sought: &'a [Sought],
    /// Logs, or pieces of them, whose loss has its minimum where the leap begins.
    pub around: &'a [&'a Log],
    /// Logs whose loss is to fall.
    pub over: &'a [&'a Log],
    /// Powers of ten between which the lengths of candidates are.
    pub lengths: [f64; 2],
}

/// The best of the candidates around a minimum, itself included.
pub fn leap(stand: &Stand, field: &Field<'_>, draws: &mut Draws) -> Joint {
    let slots: Vec<Slot> = field.sought.iter().map(|s| s.slot).collect();
    let joint = &stand.found.joint;
    // The starts of the logs stay where they are. Candidates are only compared with each other; the descent that follows
    // moves the starts too.
    let loss = |of: &Joint| sum(&values_from(of, field.over, &stand.found.starts)).loss;
    let mut best = (loss(joint), *joint);
    let at = sum(&derivatives(joint, &slots, field.around, &stand.found.starts));
    let Some(bowl) = Bowl::of(&at) else { return *joint };
    for _ in 0..CANDIDATES {
        let other = bowl.candidate(stand, field, draws);
        let lies = loss(&other);
        if lies < best.0 {
            best = (lies, other);
        }
    }
    best.1
}

/// The curvature as L Lᵀ, each number counted in its own scale.
struct Bowl {
    lower: Vec<f64>,
    scale: Vec<f64>,
}

impl Bowl {
    fn of(at: &Part) -> Option<Self> {
        let n = at.gradient.len();
        let own = |i: usize| at.curvature[i * n + i];
        let most = (0..n).map(own).fold(0.0, f64::max);
        // A number that no log shows has no scale of its own. This one keeps the quotients finite, and FLOOR then bounds
        // how far it is drawn.
        let scale: Vec<f64> = (0..n).map(|i| own(i).max(1e-18 * most).sqrt()).collect();
        let mut matrix = vec![0.0; n * n];
        for a in 0..n {
            for b in 0..n {
                matrix[a * n + b] = at.curvature[a * n + b] / (scale[a] * scale[b]);
            }
            matrix[a * n + a] += FLOOR;
        }
        Some(Self { lower: cholesky(&matrix, n)?, scale })
    }

    /// Another joint, within the ranges.
    fn candidate(&self, stand: &Stand, field: &Field<'_>, draws: &mut Draws) -> Joint {
        let [shortest, longest] = field.lengths;
        // How far away the lower minimum lies is not known, not even its order of magnitude: lengths are even in the
        // logarithm.
        let power = shortest + (longest - shortest) * draws.unit();
        // A step as it is drawn climbs the bowl by n/2 on average; this length makes that a share of the loss.
        let unit = (2.0 * SHARE * stand.loss / field.sought.len() as f64).sqrt();
        let length = unit * portable::pow(10.0, power);
        let joint = &stand.found.joint;
        let mut other = *joint;
        for (s, by) in field.sought.iter().zip(self.drawn(draws)) {
            let [low, high] = s.range;
            other.set(s.slot, (joint.get(s.slot) + length * by).clamp(low, high));
        }
        other
    }

    /// A step that climbs the bowl by n/2 on average.
    fn drawn(&self, draws: &mut Draws) -> Vec<f64> {
        let mut step: Vec<f64> = self.scale.iter().map(|_| draws.normal()).collect();
        solve_transposed(&self.lower, &mut step);
        step.iter().zip(&self.scale).map(|(z, scale)| z / scale).collect()
    }
}
