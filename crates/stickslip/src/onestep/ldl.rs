//! A sparse symmetric factorisation L D Lᵀ whose pattern is analysed once.
//!
//! The up-looking algorithm of T. A. Davis (Direct Methods for Sparse Linear Systems, SIAM 2006, §4.8).
//! The order of elimination is approximate minimum degree, or reverse Cuthill–McKee where that fills no
//! more: chains and narrow grids keep their band. Refactoring and solving allocate nothing.

use super::order::{cuthill_mckee, minimum_degree, tree};

/// The pattern, its ordering and room for a factor.
#[derive(Debug, Clone)]
pub(crate) struct Ldl {
    n: usize,
    /// order[k]: the unknown eliminated as number k.
    order: Vec<usize>,
    /// The upper triangle of the reordered matrix by columns.
    upper: Upper,
    parent: Vec<usize>,
    /// L by columns: where each starts and how many entries it has with what is held left out.
    l_start: Vec<usize>,
    filled: Vec<usize>,
    l_row: Vec<u32>,
    l: Vec<f64>,
    /// 1/pivot; 0 for what is held.
    d: Vec<f64>,
    // Room for the numeric phase.
    y: Vec<f64>,
    flag: Vec<usize>,
    pattern: Vec<usize>,
    x: Vec<f64>,
}

/// Start of each column, row of each entry, and place of its value.
#[derive(Debug, Clone)]
struct Upper {
    start: Vec<usize>,
    row: Vec<usize>,
    place: Vec<usize>,
}

impl Upper {
    /// Of the matrix with entries at `pairs`, in this `order`.
    fn new(order: &[usize], pairs: &[(usize, usize)]) -> Self {
        let n = order.len();
        let mut rank = vec![0; n];
        for (k, &i) in order.iter().enumerate() {
            rank[i] = k;
        }
        let ranks = pairs.iter().map(|&(i, j)| (rank[i].min(rank[j]), rank[i].max(rank[j])));
        let (rows, columns): (Vec<_>, Vec<_>) = ranks.unzip();
        // By rows, then by columns, in which they keep that order.
        let all: Vec<_> = (0..pairs.len()).collect();
        let (by_row, _) = counted(n, &all, &rows);
        let (place, start) = counted(n, &by_row, &columns);
        let row = place.iter().map(|&p| rows[p]).collect();
        Self { start, row, place }
    }

    fn rows(&self, k: usize) -> &[usize] {
        &self.row[self.start[k]..self.start[k + 1]]
    }
}

/// Sorts `places` by the numbers below `n` that they have; equal ones keep their order. Also where each number begins.
fn counted(n: usize, places: &[usize], numbers: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut start = vec![0; n + 1];
    places.iter().for_each(|&p| start[numbers[p] + 1] += 1);
    for k in 0..n {
        start[k + 1] += start[k];
    }
    let (mut next, mut sorted) = (start.clone(), vec![0; places.len()]);
    for &p in places {
        let at = &mut next[numbers[p]];
        sorted[*at] = p;
        *at += 1;
    }
    (sorted, start)
}

const NONE: usize = usize::MAX;

impl Ldl {
    /// For a symmetric matrix of order n with entries at `pairs` (each once, either triangle); values
    /// are given later in the same order.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let mut order = cuthill_mckee(n, pairs);
        let mut upper = Upper::new(&order, pairs);
        let other = minimum_degree(n, pairs);
        let other_upper = Upper::new(&other, pairs);
        let (mut forest, fill) = tree(n, |k| other_upper.rows(k), usize::MAX).unwrap_or_default();
        match tree(n, |k| upper.rows(k), fill) {
            Some((band, _)) => forest = band,
            None => (order, upper) = (other, other_upper),
        }
        let mut l_start = vec![0; n + 1];
        for k in 0..n {
            l_start[k + 1] = l_start[k] + forest.count[k];
        }
        let entries = l_start[n];
        Self {
            n,
            order,
            upper,
            parent: forest.parent,
            l_start,
            filled: vec![0; n],
            l_row: vec![0; entries],
            l: vec![0.0; entries],
            d: vec![1.0; n],
            y: vec![0.0; n],
            flag: vec![NONE; n],
            pattern: vec![0; n],
            x: vec![0.0; n],
        }
    }

    /// Multiplications in a factorisation with nothing held: the squares of the columns' lengths.
    #[cfg(feature = "faer")]
    pub fn work(&self) -> usize {
        self.l_start.windows(2).map(|s| (s[1] - s[0]).pow(2)).sum()
    }

    /// Factors the matrix with these `values`, in the order of the pairs.
    pub fn factor(&mut self, values: &[f64]) {
        self.factor_free(values, |_| true);
    }

    /// Factors the rows and columns that are `free`; a solution is 0 in the others.
    pub fn factor_free(&mut self, values: &[f64], free: impl Fn(usize) -> bool) {
        let n = self.n;
        self.flag.fill(NONE);
        for k in 0..n {
            self.filled[k] = 0;
            self.d[k] = 0.0;
            if !free(self.order[k]) {
                continue;
            }
            let mut top = n;
            self.flag[k] = k;
            let mut pivot = 0.0;
            for p in self.upper.start[k]..self.upper.start[k + 1] {
                let (mut i, value) = (self.upper.row[p], values[self.upper.place[p]]);
                if i == k {
                    pivot += value;
                    continue;
                }
                // Held: nothing of it goes into any pivot.
                if self.d[i] == 0.0 {
                    continue;
                }
                self.y[i] += value;
                let mut length = 0;
                while self.flag[i] != k {
                    self.pattern[length] = i;
                    length += 1;
                    self.flag[i] = k;
                    i = self.parent[i];
                }
                while length > 0 {
                    top -= 1;
                    length -= 1;
                    self.pattern[top] = self.pattern[length];
                }
            }
            for &i in &self.pattern[top..n] {
                let yi = std::mem::take(&mut self.y[i]);
                if self.d[i] == 0.0 || yi == 0.0 {
                    continue;
                }
                let from = self.l_start[i];
                let end = from + self.filled[i];
                for (row, l) in self.l_row[from..end].iter().zip(&self.l[from..end]) {
                    self.y[*row as usize] -= l * yi;
                }
                let lki = yi * self.d[i];
                pivot -= lki * yi;
                self.l_row[end] = k as u32;
                self.l[end] = lki;
                self.filled[i] += 1;
            }
            self.d[k] = 1.0 / pivot;
        }
    }

    /// Solves in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let mut room = std::mem::take(&mut self.x);
        self.solve_in(b, &mut room);
        self.x = room;
    }

    /// Solves in place; `x` is room of the same length.
    pub fn solve_in(&self, b: &mut [f64], x: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            x[k] = b[self.order[k]];
        }
        let column = |k: usize| {
            let range = self.l_start[k]..self.l_start[k] + self.filled[k];
            self.l_row[range.clone()].iter().zip(&self.l[range])
        };
        for k in 0..n {
            let xk = x[k];
            column(k).for_each(|(row, l)| x[*row as usize] -= l * xk);
        }
        for k in (0..n).rev() {
            let mut xk = x[k] * self.d[k];
            column(k).for_each(|(row, l)| xk -= l * x[*row as usize]);
            x[k] = xk;
            b[self.order[k]] = xk;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies back on random sparse diagonally dominant matrices.
    #[test]
    fn the_product_with_the_matrix_gives_the_right_hand_side() {
        let mut seed = 7u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize
        };
        for n in [1, 2, 5, 40, 120] {
            let mut pairs: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
            for _ in 0..2 * n {
                let (i, j) = (next() % n, next() % n);
                if i != j && !pairs.contains(&(i, j)) && !pairs.contains(&(j, i)) {
                    pairs.push((i, j));
                }
            }
            let mut values: Vec<f64> =
                pairs.iter().map(|_| -((next() % 1000) as f64) / 500.0).collect();
            values[..n].fill(0.1);
            for p in n..pairs.len() {
                let (i, j) = pairs[p];
                values[i] -= values[p];
                values[j] -= values[p];
            }
            let mut ldl = Ldl::new(n, &pairs);
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            for _ in 0..2 {
                ldl.factor(&values);
                let mut x = b.clone();
                ldl.solve(&mut x);
                let mut ax = vec![0.0; n];
                for (p, &(i, j)) in pairs.iter().enumerate() {
                    ax[i] += values[p] * x[j];
                    if i != j {
                        ax[j] += values[p] * x[i];
                    }
                }
                for (a, b) in ax.iter().zip(&b) {
                    assert!((a - b).abs() < 1e-12, "{n}");
                }
                // With every third unknown held at 0 the other rows still hold.
                let held = |i: usize| i % 3 == 1;
                ldl.factor_free(&values, |i| !held(i));
                let mut x = b.clone();
                ldl.solve(&mut x);
                assert!((0..n).all(|i| !held(i) || x[i] == 0.0));
                let mut ax = vec![0.0; n];
                for (p, &(i, j)) in pairs.iter().enumerate() {
                    ax[i] += values[p] * x[j];
                    if i != j {
                        ax[j] += values[p] * x[i];
                    }
                }
                assert!((0..n).all(|i| held(i) || (ax[i] - b[i]).abs() < 1e-12), "{n}");
            }
        }
    }
}
