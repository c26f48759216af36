//! Who factors the matrix of a sparse one-step problem.

use super::ldl::Ldl;
#[cfg(feature = "faer")]
use super::supernodal::Supernodal;

/// Which factorisation a sparse one-step problem uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Factorisation {
    /// Entry by entry, in this crate. What sticks to the ground costs nothing.
    Simplicial,
    /// Block by block, by the crate `faer`, whatever sticks.
    #[cfg(feature = "faer")]
    Supernodal,
}

/// Multiplications in a factorisation from which blocks are quicker, measured on grids and random graphs.
#[cfg(feature = "faer")]
const LARGE: usize = 20_000_000;

/// A factor of the free rows and columns of a sparse symmetric positive definite matrix.
#[derive(Debug, Clone)]
pub(super) enum Factor {
    Simplicial(Box<Ldl>),
    #[cfg(feature = "faer")]
    Supernodal(Box<Supernodal>),
    /// Whichever is quicker for what is held; `blocks` says which it was last.
    #[cfg(feature = "faer")]
    Either {
        ldl: Box<Ldl>,
        supernodal: Box<Supernodal>,
        blocks: bool,
    },
}

impl Factor {
    /// The quicker one for matrices of order n with entries at `pairs`, each once, either triangle.
    pub fn best(n: usize, pairs: &[(usize, usize)]) -> Self {
        let ldl = Box::new(Ldl::new(n, pairs));
        #[cfg(feature = "faer")]
        if ldl.work() > LARGE
            && let Some(supernodal) = Supernodal::new(n, pairs)
        {
            return Self::Either { ldl, supernodal: Box::new(supernodal), blocks: false };
        }
        Self::Simplicial(ldl)
    }

    /// The one asked for.
    pub fn new(by: Factorisation, n: usize, pairs: &[(usize, usize)]) -> Self {
        match by {
            Factorisation::Simplicial => Self::Simplicial(Box::new(Ldl::new(n, pairs))),
            #[cfg(feature = "faer")]
            Factorisation::Supernodal => Supernodal::new(n, pairs).map_or_else(
                || Self::new(Factorisation::Simplicial, n, pairs),
                |s| Self::Supernodal(Box::new(s)),
            ),
        }
    }

    /// Factors the matrix with these `values`, in the order of the pairs, without what is `held`.
    pub fn factor(&mut self, values: &[f64], held: &[bool]) {
        match self {
            Self::Simplicial(ldl) => ldl.factor_free(values, |i| !held[i]),
            #[cfg(feature = "faer")]
            Self::Supernodal(s) => s.factor(values, held),
            #[cfg(feature = "faer")]
            Self::Either { ldl, supernodal, blocks } => {
                // Blocks take no notice of what is held.
                let free = held.iter().filter(|h| !**h).count();
                *blocks = 2 * free > held.len();
                match blocks {
                    true => supernodal.factor(values, held),
                    false => ldl.factor_free(values, |i| !held[i]),
                }
            }
        }
    }

    /// Solves in place; what is held becomes 0.
    pub fn solve(&mut self, b: &mut [f64]) {
        match self {
            Self::Simplicial(ldl) => ldl.solve(b),
            #[cfg(feature = "faer")]
            Self::Supernodal(s) => s.solve(b),
            #[cfg(feature = "faer")]
            Self::Either { supernodal, blocks: true, .. } => supernodal.solve(b),
            #[cfg(feature = "faer")]
            Self::Either { ldl, .. } => ldl.solve(b),
        }
    }
}
