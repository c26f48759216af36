//! Products with the matrix.

/// A by rows, both triangles, for products with it.
#[derive(Debug, Clone)]
pub struct Rows {
    start: Vec<u32>,
    /// Columns, increasing in each row, and their entries.
    entries: Vec<(u32, f64)>,
}

impl Rows {
    /// Of the symmetric matrix of order n with the entries `a` at `pairs`, which are sorted.
    pub fn new(n: usize, pairs: &[(usize, usize)], a: &[f64]) -> Self {
        // Two places later than its row, each count becomes by the running sums the start of that row one place
        // later; filling the row moves this to its end, which is where the next one starts.
        let mut start = vec![0; n + 2];
        for &(i, j) in pairs {
            start[i + 2] += 1;
            start[j + 2] += u32::from(i != j);
        }
        for i in 0..n + 1 {
            start[i + 1] += start[i];
        }
        let mut entries = vec![(0, 0.0); start[n + 1] as usize];
        let mut add = |i: usize, j: usize, a: f64| {
            entries[start[i + 1] as usize] = (j as u32, a);
            start[i + 1] += 1;
        };
        for (&(i, j), a) in pairs.iter().zip(a) {
            // The pairs are sorted and have i ≤ j, so that row j gets its columns below the diagonal first, in
            // order.
            add(i, j, *a);
            if i != j {
                add(j, i, *a);
            }
        }
        start.pop();
        Self { start, entries }
    }

    /// r − A x.
    pub fn balance(&self, r: &[f64], x: &[f64], rest: &mut [f64]) {
        let rows = self.start.windows(2).map(|s| &self.entries[s[0] as usize..s[1] as usize]);
        for ((rest, r), row) in rest.iter_mut().zip(r).zip(rows) {
            *rest = row.iter().fold(*r, |sum, &(j, a)| sum - a * x[j as usize]);
        }
    }
}
