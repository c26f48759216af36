//! The factorisation of the crate `faer`: columns with the same pattern as dense blocks.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// The pattern, its analysis and room for a factor. One thread, whose sums have a fixed order.
pub(super) struct Supernodal {
    /// The lower triangle by columns; entry p of it is value `place[p]`.
    pattern: SymbolicSparseColMat<usize>,
    place: Vec<usize>,
    /// Row and column of each value.
    pairs: Vec<(usize, usize)>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<f64>,
    l: Vec<f64>,
    held: Vec<bool>,
    room: MemBuffer,
}

impl Supernodal {
    /// For a symmetric matrix of order n with entries at `pairs`, each once, either triangle; none if the
    /// analysis found no room.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Option<Self> {
        let mut entries: Vec<(usize, usize, usize)> = (pairs.iter().enumerate())
            .map(|(place, &(i, j))| (i.min(j), i.max(j), place))
            .collect();
        entries.sort_unstable();
        let mut start = vec![0; n + 1];
        entries.iter().for_each(|e| start[e.0 + 1] += 1);
        for k in 0..n {
            start[k + 1] += start[k];
        }
        let (row, place) = entries.iter().map(|e| (e.1, e.2)).unzip();
        let pattern = SymbolicSparseColMat::new_checked(n, n, start, None, row);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        );
        let symbolic = Arc::new(symbolic.ok()?);
        Some(Self::with(pattern, place, pairs.to_vec(), symbolic))
    }

    fn with(
        pattern: SymbolicSparseColMat<usize>,
        place: Vec<usize>,
        pairs: Vec<(usize, usize)>,
        symbolic: Arc<SymbolicCholesky<usize>>,
    ) -> Self {
        let n = symbolic.nrows();
        let factor = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let solve = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        Self {
            values: vec![0.0; place.len()],
            l: vec![0.0; symbolic.len_val()],
            held: vec![false; n],
            room: MemBuffer::new(factor.or(solve)),
            pattern,
            place,
            pairs,
            symbolic,
        }
    }

    /// Factors the matrix with these `values`; rows and columns that are `held` are those of the unit
    /// matrix.
    pub fn factor(&mut self, values: &[f64], held: &[bool]) {
        self.held.copy_from_slice(held);
        for (value, &place) in self.values.iter_mut().zip(&self.place) {
            let (i, j) = self.pairs[place];
            *value = match held[i] || held[j] {
                true => f64::from(i == j),
                false => values[place],
            };
        }
        let none = LdltRegularization {
            dynamic_regularization_signs: None,
            dynamic_regularization_delta: 0.0,
            dynamic_regularization_epsilon: 0.0,
        };
        let done = self.symbolic.factorize_numeric_ldlt(
            &mut self.l,
            SparseColMatRef::new(self.pattern.as_ref(), &self.values),
            Side::Lower,
            none,
            Par::Seq,
            MemStack::new(&mut self.room),
            Default::default(),
        );
        if done.is_err() {
            self.l.fill(f64::NAN); // a zero pivot: the residual says so
        }
    }

    /// Solves in place; what is held becomes 0.
    pub fn solve(&mut self, b: &mut [f64]) {
        for (b, _) in b.iter_mut().zip(&self.held).filter(|x| *x.1) {
            *b = 0.0;
        }
        let n = b.len();
        LdltRef::new(&self.symbolic, &self.l).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            MemStack::new(&mut self.room),
        );
    }
}

impl Clone for Supernodal {
    fn clone(&self) -> Self {
        let (pattern, place) = (self.pattern.clone(), self.place.clone());
        let mut copy = Self::with(pattern, place, self.pairs.clone(), self.symbolic.clone());
        copy.l.copy_from_slice(&self.l);
        copy.held.copy_from_slice(&self.held);
        copy
    }
}

impl std::fmt::Debug for Supernodal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supernodal").field("order", &self.held.len()).finish_non_exhaustive()
    }
}
