//! A sparse symmetric factorisation L D Lᵀ whose pattern is analysed once.
//!
//! The up-looking algorithm of T. A. Davis (Direct Methods for Sparse Linear Systems, SIAM 2006, §4.8)
//! under a reverse Cuthill–McKee ordering: chains and narrow grids, which networks of masses mostly
//! are, keep their band. Refactoring and solving allocate nothing.

/// The pattern, its ordering and room for a factor.
#[derive(Debug, Clone)]
pub(crate) struct Ldl {
    n: usize,
    /// order[k]: the unknown eliminated as number k.
    order: Vec<usize>,
    /// The upper triangle of the reordered matrix by columns: start, row, and place of the value.
    start: Vec<usize>,
    row: Vec<usize>,
    place: Vec<usize>,
    parent: Vec<usize>,
    l_start: Vec<usize>,
    l_row: Vec<usize>,
    l: Vec<f64>,
    d: Vec<f64>,
    // Room for the numeric phase.
    y: Vec<f64>,
    flag: Vec<usize>,
    pattern: Vec<usize>,
    filled: Vec<usize>,
    x: Vec<f64>,
}

const NONE: usize = usize::MAX;

impl Ldl {
    /// For a symmetric matrix of order n with entries at `pairs` (each once, either triangle); values
    /// are given later in the same order.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let order = cuthill_mckee(n, pairs);
        let mut rank = vec![0; n];
        for (k, &i) in order.iter().enumerate() {
            rank[i] = k;
        }
        let mut entries: Vec<(usize, usize, usize)> = pairs
            .iter()
            .enumerate()
            .map(|(place, &(i, j))| {
                let (a, b) = (rank[i], rank[j]);
                (a.max(b), a.min(b), place)
            })
            .collect();
        entries.sort_unstable();
        let mut start = vec![0; n + 1];
        entries.iter().for_each(|e| start[e.0 + 1] += 1);
        for k in 0..n {
            start[k + 1] += start[k];
        }
        let row: Vec<usize> = entries.iter().map(|e| e.1).collect();
        let place = entries.iter().map(|e| e.2).collect();
        let (mut parent, mut count, mut flag) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
        for k in 0..n {
            flag[k] = k;
            for &i in &row[start[k]..start[k + 1]] {
                let mut i = i;
                while flag[i] != k {
                    if parent[i] == NONE {
                        parent[i] = k;
                    }
                    count[i] += 1;
                    flag[i] = k;
                    i = parent[i];
                }
            }
        }
        let mut l_start = vec![0; n + 1];
        for k in 0..n {
            l_start[k + 1] = l_start[k] + count[k];
        }
        let entries = l_start[n];
        Self {
            n,
            order,
            start,
            row,
            place,
            parent,
            l_start,
            l_row: vec![0; entries],
            l: vec![0.0; entries],
            d: vec![1.0; n],
            y: vec![0.0; n],
            flag,
            pattern: vec![0; n],
            filled: vec![0; n],
            x: vec![0.0; n],
        }
    }

    /// Factors the matrix with these `values`, in the order of the pairs.
    pub fn factor(&mut self, values: &[f64]) {
        let n = self.n;
        self.flag.fill(NONE);
        for k in 0..n {
            let mut top = n;
            self.flag[k] = k;
            self.filled[k] = 0;
            let mut pivot = 0.0;
            for p in self.start[k]..self.start[k + 1] {
                let (mut i, value) = (self.row[p], values[self.place[p]]);
                if i == k {
                    pivot += value;
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
            for t in top..n {
                let i = self.pattern[t];
                let yi = std::mem::take(&mut self.y[i]);
                let from = self.l_start[i];
                let end = from + self.filled[i];
                for p in from..end {
                    self.y[self.l_row[p]] -= self.l[p] * yi;
                }
                let lki = yi * self.d[i];
                pivot -= lki * yi;
                self.l_row[end] = k;
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
        for k in 0..n {
            let xk = x[k];
            for p in self.l_start[k]..self.l_start[k + 1] {
                x[self.l_row[p]] -= self.l[p] * xk;
            }
        }
        for k in (0..n).rev() {
            let mut xk = x[k] * self.d[k];
            for p in self.l_start[k]..self.l_start[k + 1] {
                xk -= self.l[p] * x[self.l_row[p]];
            }
            x[k] = xk;
            b[self.order[k]] = xk;
        }
    }
}

/// Breadth-first from a far node of each component, nodes of small degree first; reversed.
pub(crate) fn cuthill_mckee(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut degree = vec![0usize; n];
    let off = || pairs.iter().filter(|p| p.0 != p.1);
    off().for_each(|&(i, j)| {
        degree[i] += 1;
        degree[j] += 1;
    });
    let mut start = vec![0; n + 1];
    for i in 0..n {
        start[i + 1] = start[i] + degree[i];
    }
    let (mut next, mut around) = (start.clone(), vec![0; start[n]]);
    off().for_each(|&(i, j)| {
        around[next[i]] = j;
        around[next[j]] = i;
        next[i] += 1;
        next[j] += 1;
    });
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let search = |root: usize, seen: &mut [bool], order: &mut Vec<usize>| {
        let first = order.len();
        order.push(root);
        seen[root] = true;
        let mut head = first;
        while head < order.len() {
            let i = order[head];
            head += 1;
            let from = order.len();
            for &j in &around[start[i]..start[i + 1]] {
                if !seen[j] {
                    seen[j] = true;
                    order.push(j);
                }
            }
            order[from..].sort_unstable_by_key(|&j| degree[j]);
        }
        first
    };
    for i in 0..n {
        if !seen[i] {
            let first = search(i, &mut seen, &mut order);
            let far = order[order.len() - 1];
            order[first..].iter().for_each(|&j| seen[j] = false);
            order.truncate(first);
            search(far, &mut seen, &mut order);
        }
    }
    order.reverse();
    order
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
            }
        }
    }
}
