//! What a run cost.

use super::Warning;

/// What a run cost. An event-driven scheme takes no steps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Steps in time.
    pub steps: usize,
    /// Segments of the path.
    pub segments: usize,
    /// Iterations of the one-step problems, each with one factorisation at most.
    pub iterations: usize,
    /// Steps whose problem needed the fallback of the active-set method.
    pub fallbacks: usize,
    /// Steps whose problem was not solved to [`TOLERANCE`](crate::onestep::TOLERANCE).
    pub inexact: usize,
    /// The largest residual of a step's problem, relative to the forces.
    pub worst_residual: f64,
}

impl Counts {
    /// Of `steps` steps so far without any problem to solve.
    pub(crate) fn of_steps(steps: usize) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Takes down the residual of a step's problem, relative to its forces. One that is no number is worse than any other.
    pub(crate) fn note_residual(&mut self, residual: f64) {
        let residual = if residual.is_nan() { f64::INFINITY } else { residual };
        self.worst_residual = self.worst_residual.max(residual);
    }

    /// What the reader of the results should know, if some steps are inexact.
    pub fn warning(&self) -> Option<Warning> {
        let Self { inexact, steps, worst_residual, .. } = *self;
        (inexact > 0).then_some(Warning::InexactSteps { inexact, steps, worst_residual })
    }
}
