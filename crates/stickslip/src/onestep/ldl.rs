//! A sparse symmetric factorisation L D Lᵀ whose pattern is analysed once.
//!
//! The up-looking algorithm of T. A. Davis (Direct Methods for Sparse Linear Systems, SIAM 2006, §4.8).
//! The order of elimination is approximate minimum degree, or reverse Cuthill–McKee where that fills no
//! more: chains and narrow grids keep their band. Refactoring and solving allocate nothing.

use super::order::{cuthill_mckee, minimum_degree, sorted, tree};

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
    /// The column, if there is one, whose rows are this column and its rows where nothing is held; whether, so far, every row
    /// of this column is also one of that.
    heir: Vec<u32>,
    alike: Vec<bool>,
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
        // The one that is eliminated later is the column: only the upper triangle is stored.
        let ranked = |&(i, j): &(usize, usize)| (rank[i].max(rank[j]), rank[i].min(rank[j]));
        let entries: Vec<(usize, usize)> = pairs.iter().map(ranked).collect();
        let place = sorted(n, &entries);
        let mut start = vec![0; n + 1];
        entries.iter().for_each(|e| start[e.0 + 1] += 1);
        for k in 0..n {
            start[k + 1] += start[k];
        }
        let row = place.iter().map(|p| entries[*p].1).collect();
        Self { start, row, place }
    }

    fn rows(&self, k: usize) -> &[usize] {
        &self.row[self.start[k]..self.start[k + 1]]
    }
}

const NONE: usize = usize::MAX;

/// So many columns with the same rows are taken together.
const TOGETHER: usize = 4;

impl Ldl {
    /// For a symmetric matrix of order n with entries at `pairs` (each once, either triangle); values
    /// are given later in the same order.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let mut order = cuthill_mckee(n, pairs);
        let mut upper = Upper::new(&order, pairs);
        let other = minimum_degree(n, pairs);
        let other_upper = Upper::new(&other, pairs);
        let (mut forest, fill) = tree(n, |k| other_upper.rows(k), usize::MAX).unwrap_or_default();
        // The band is preferred at equal fill, and counting it ends as soon as it has more.
        match tree(n, |k| upper.rows(k), fill) {
            Some((band, _)) => forest = band,
            None => (order, upper) = (other, other_upper),
        }
        let mut l_start = vec![0; n + 1];
        for k in 0..n {
            l_start[k + 1] = l_start[k] + forest.count[k];
        }
        let entries = l_start[n];
        let mut heir = vec![u32::MAX; n];
        // The rows of a column are its parent and some rows of its parent. With one row more than the parent,
        // it has all of these.
        for (i, &next) in forest.parent.iter().enumerate().filter(|p| *p.1 != NONE) {
            if forest.count[i] == forest.count[next] + 1 {
                heir[next] = i as u32;
            }
        }
        Self {
            n,
            order,
            upper,
            parent: forest.parent,
            l_start,
            filled: vec![0; n],
            heir,
            alike: vec![false; n],
            l_row: vec![0; entries],
            l: vec![0.0; entries],
            d: vec![1.0; n],
            y: vec![0.0; n],
            flag: vec![NONE; n],
            pattern: vec![0; n],
            x: vec![0.0; n],
        }
    }

    /// Factors the matrix with these `values`, in the order of the pairs.
    pub fn factor(&mut self, values: &[f64]) {
        self.factor_free(values, |_| true);
    }

    /// Factors the rows and columns that are `free`; a solution is 0 in the others.
    pub(crate) fn factor_free(&mut self, values: &[f64], free: impl Fn(usize) -> bool) {
        let n = self.n;
        self.flag.fill(NONE);
        for k in 0..n {
            (self.filled[k], self.alike[k]) = (0, false);
            // A held row keeps this zero, by which the later rows know it.
            self.d[k] = 0.0;
            if !free(self.order[k]) {
                continue;
            }
            // The pattern of row k is filled from the end of the array, each path in front of those found
            // before it: a column then always stands before those that it changes.
            let mut top = n;
            self.flag[k] = k;
            let mut pivot = 0.0;
            for p in self.upper.start[k]..self.upper.start[k + 1] {
                let mut i = self.upper.row[p];
                let value = values[self.upper.place[p]];
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
                // It ends at k at the latest, which is flagged. A held column on the way is skipped by
                // `eliminate`.
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
            while top < n {
                top += self.eliminate(k, top, &mut pivot);
            }
            self.d[k] = 1.0 / pivot;
        }
    }

    /// Takes columns out of row `k`, from the one at `place` in its pattern on: one, or up to [`TOGETHER`] that have the same
    /// rows, with the bits of one after the other. How many.
    fn eliminate(&mut self, k: usize, place: usize, pivot: &mut f64) -> usize {
        let next = self.pattern[place];
        // A held column, or one of which this row has nothing: the pattern is that of the whole matrix, of
        // which more may be zero now.
        if self.d[next] == 0.0 || self.y[next] == 0.0 {
            self.y[next] = 0.0;
            return 1;
        }
        let most = (self.pattern.len() - place).min(TOGETHER);
        let mut columns = [next; TOGETHER];
        let mut taken = [0.0; TOGETHER];
        let mut count = 0;
        while count < most {
            let i = self.pattern[place + count];
            if count > 0 && !self.follows(columns[count - 1], i) {
                break;
            }
            // The rows of a column that others follow begin with those.
            let mut yi = self.y[i];
            for c in 0..count {
                yi -= self.l[self.l_start[columns[c]] + count - 1 - c] * taken[c];
            }
            if self.d[i] == 0.0 || yi == 0.0 {
                break;
            }
            (columns[count], taken[count]) = (i, yi);
            count += 1;
        }
        // One pass over the rows for four columns loads and stores each y once instead of four times.
        match count {
            TOGETHER => self.subtract_all(&columns, taken),
            // The first rows of each column are the later columns of the group, which have had their part
            // above.
            _ => (0..count).for_each(|c| self.subtract(columns[c], count - 1 - c, taken[c])),
        }
        for (&i, yi) in columns.iter().zip(&taken[..count]) {
            self.y[i] = 0.0;
            let lki = yi * self.d[i];
            *pivot -= lki * yi;
            self.append(i, k, lki);
        }
        count
    }

    /// Whether the rows of column `i` are column `next` and its rows.
    #[inline(always)]
    fn follows(&self, i: usize, next: usize) -> bool {
        self.alike[next] && self.heir[next] as usize == i && self.filled[i] == self.filled[next] + 1
    }

    /// Takes column `i` but for its first rows, times what was `taken` of it, out of the row that is eliminated.
    #[inline(always)]
    fn subtract(&mut self, i: usize, first: usize, taken: f64) {
        let range = self.l_start[i] + first..self.l_start[i] + self.filled[i];
        for (row, l) in self.l_row[range.clone()].iter().zip(&self.l[range]) {
            self.y[*row as usize] -= l * taken;
        }
    }

    /// The same for columns with the same rows.
    #[inline(always)]
    fn subtract_all(&mut self, of: &[usize; TOGETHER], taken: [f64; TOGETHER]) {
        let count = self.filled[of[TOGETHER - 1]];
        let rows = &self.l_row[self.l_start[of[TOGETHER - 1]]..][..count];
        let column = |c: usize| &self.l[self.l_start[of[c]] + TOGETHER - 1 - c..][..count];
        let pairs = column(0).iter().zip(column(1)).zip(column(2).iter().zip(column(3)));
        for (row, ((a, b), (c, d))) in rows.iter().zip(pairs) {
            let y = &mut self.y[*row as usize];
            // From left to right, so that the bits are those of one column after the other.
            *y = *y - a * taken[0] - b * taken[1] - c * taken[2] - d * taken[3];
        }
    }

    /// Adds row `k` to column `i`.
    #[inline(always)]
    fn append(&mut self, i: usize, k: usize, l: f64) {
        // Nothing speaks against a group as long as k is the first row of the column that it would follow.
        if self.filled[i] == 0 && self.heir[k] as usize == i {
            self.alike[k] = true;
        }
        // The other column stands earlier in the pattern of this row, and so has the row already if it gets it
        // at all.
        if self.alike[i] {
            let heir = self.heir[i] as usize;
            let last = self.l_start[heir] + self.filled[heir] - 1;
            self.alike[i] = self.l_row[last] as usize == k;
        }
        let end = self.l_start[i] + self.filled[i];
        (self.l_row[end], self.l[end]) = (k as u32, l);
        self.filled[i] += 1;
    }

    /// Solves in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let mut room = std::mem::take(&mut self.x);
        self.solve_in(b, &mut room);
        self.x = room;
    }

    /// Solves in place; `x` is room of the same length.
    pub(crate) fn solve_in(&self, b: &mut [f64], x: &mut [f64]) {
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
            // d is 0 for what is held, so that the solution is 0 there whatever b was.
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
                let i = next() % n;
                let j = next() % n;
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
