//! The convex problem inside an implicit step.
//!
//! ```text
//! min  ½ pᵀ A p − rᵀ p + Σ_e α_e |(G p)_e|         A symmetric positive definite
//!
//! r − A p = Gᵀ λ,     λ_e ∈ α_e σ((G p)_e)         σ the graph of the sign
//! ```
//!
//! p is what slips (an increment of displacement, or a velocity), λ the friction forces. The solution
//! p is unique; λ is where the rows of G of the sticking elements are independent.
//!
//! | problem | solver | work |
//! |---|---|---|
//! | one unknown, G = 1 | [`scalar()`] | closed form |
//! | A tridiagonal, G = 1 | [`Chain`] | O(n) an iteration, usually 1 or 2 of them |
//! | A sparse, G arbitrary | [`Sparse`] | a sparse factorisation of what does not stick to the ground, where that has changed |
//!
//! Long chains use every core, with the same bits on any number of them. Sparse matrices are factored entry by entry, and
//! what sticks to the ground is left out. A factorisation in dense blocks would be twice as fast for a grid of 250 × 250 of which
//! everything slips, several times slower where little does, and its bits would depend on the processor.
//!
//! A contact whose friction is a curve of the velocity has a scalar problem of its own, which need not
//! be convex: [`resolvent()`] finds all its solutions.
//!
//! Every solution comes with an [`Outcome`]: its residual of the complementarity conditions is
//! recomputed from p and λ alone, whatever the iteration believed.

mod chain;
mod curve;
mod ldl;
mod order;
mod pieces;
mod resolvent;
mod scalar;
mod sparse;
mod twisted;

pub use chain::Chain;
pub use curve::{Curve, Smooth};
pub(crate) use ldl::Ldl;
pub(crate) use order::cuthill_mckee;
pub(crate) use pieces::{in_pieces, pieces, span};
pub use resolvent::{Roots, Step, resolvent, sliding_roots};
pub use scalar::scalar;
pub use sparse::{Element, Sparse};

/// How a one-step problem was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Active-set iterations, each with one linear solve.
    pub iterations: usize,
    /// max_e |λ_e − clamp(λ_e + ρ_e (Gp)_e, −α_e, α_e)|, N: zero exactly at the solution.
    pub residual: f64,
    /// Size of the forces in the problem, N: the residual's rounding is a few ε times this.
    pub scale: f64,
}

/// How a one-step solution was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// By the active set.
    ActiveSet,
    /// By the fallback, after the active set had run into its cap.
    Fallback,
    /// Not to [`TOLERANCE`]: the residual says how far.
    Inexact,
}

/// Residual over scale up to which a solution counts as one.
pub const TOLERANCE: f64 = 1e-12;

impl Outcome {
    /// residual / scale; at most [`TOLERANCE`] unless the status is [`Status::Inexact`].
    pub fn relative_residual(&self) -> f64 {
        // Without any force nothing can be relative.
        if self.scale > 0.0 { self.residual / self.scale } else { self.residual }
    }
}

/// |λ − clamp(λ + ρ p, −α, α)|: the natural residual of λ ∈ α σ(p).
#[inline]
pub(crate) fn natural_residual(lambda: f64, p: f64, rho: f64, alpha: f64) -> f64 {
    let z = lambda + rho * p;
    let projected = if z > alpha {
        alpha
    } else if z < -alpha {
        -alpha
    } else {
        z
    };
    (lambda - projected).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_told_over_the_forces() {
        let of = |residual, scale| {
            Outcome { status: Status::Inexact, iterations: 1, residual, scale }.relative_residual()
        };
        assert_eq!((of(1.0, 4.0), of(0.5, 0.0)), (0.25, 0.5));
    }
}
