//! Tridiagonal systems on part of the unknowns, eliminated from both ends at once.
//!
//! Elimination is a chain of divisions, each waiting for the last. Two chains, one from each end, meet
//! in the middle: a processor overlaps them, and two cores take one each where n is large. Both
//! ways the operations are the same, and so are the bits.

/// Unknowns from which the two halves go to two cores.
#[cfg(feature = "parallel")]
const LARGE: usize = 1 << 16;

/// A factor of the rows and columns `free` of a symmetric tridiagonal matrix with the diagonal `d`
/// and −`e` beside it.
#[derive(Debug, Clone, Default)]
pub(super) struct Twisted {
    /// 1/pivot; 0 outside `free`, which takes such unknowns out of every formula.
    inverse: Vec<f64>,
    /// Order of the matrix factored last.
    order: usize,
}

impl Twisted {
    pub fn new(n: usize) -> Self {
        Self { inverse: vec![0.0; n], order: 0 }
    }

    /// Order of the matrix factored last.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Eliminates; `free(i)` tells the unknowns.
    pub fn factor(&mut self, d: &[f64], e: &[f64], free: impl Fn(usize) -> bool + Sync) {
        let n = d.len();
        let m = n / 2;
        self.order = n;
        let (left, right) = self.inverse[..n].split_at_mut(m);
        let (middle, right) = right.split_at_mut(1);
        let step = |i: usize, e: f64, inverse: f64| {
            if free(i) { 1.0 / (d[i] - e * e * inverse) } else { 0.0 }
        };
        let forward = |left: &mut [f64]| {
            let mut last = 0.0;
            for (i, inverse) in left.iter_mut().enumerate() {
                last = step(i, if i > 0 { e[i - 1] } else { 0.0 }, last);
                *inverse = last;
            }
        };
        let backward = |right: &mut [f64]| {
            let mut last = 0.0;
            for (j, inverse) in right.iter_mut().enumerate().rev() {
                let i = m + 1 + j;
                last = step(i, if i + 1 < n { e[i] } else { 0.0 }, last);
                *inverse = last;
            }
        };
        if !halves(n, || forward(&mut *left), || backward(&mut *right)) {
            // The same two loops in one, for the processor to overlap.
            let mut a = 0.0;
            let mut b = 0.0;
            let both = left.len().min(right.len());
            for k in 0..both {
                a = step(k, if k > 0 { e[k - 1] } else { 0.0 }, a);
                left[k] = a;
                let i = n - 1 - k;
                b = step(i, if k > 0 { e[i] } else { 0.0 }, b);
                right[i - m - 1] = b;
            }
            // Of an even number of unknowns the left half has one more than the right.
            for k in both..left.len() {
                a = step(k, if k > 0 { e[k - 1] } else { 0.0 }, a);
                left[k] = a;
            }
        }
        // The middle row takes what both eliminations bring; a matrix of one or two rows lacks a side.
        let mut pivot = d[m];
        if m > 0 {
            pivot -= e[m - 1] * e[m - 1] * left[m - 1];
        }
        if m + 1 < n {
            pivot -= e[m] * e[m] * right[0];
        }
        middle[0] = if free(m) { 1.0 / pivot } else { 0.0 };
    }

    /// Solves for `x`, given the right-hand side in it; entries outside `free` become 0.
    pub fn solve(&self, e: &[f64], x: &mut [f64]) {
        let n = x.len();
        let m = n / 2;
        let inverse = &self.inverse;
        let (left, right) = x.split_at_mut(m);
        let (middle, right) = right.split_at_mut(1);
        self.inwards(e, left, right);
        let mut y = middle[0];
        if m > 0 {
            y += e[m - 1] * inverse[m - 1] * left[m - 1];
        }
        if m + 1 < n {
            y += e[m] * inverse[m + 1] * right[0];
        }
        middle[0] = y * inverse[m];
        self.outwards(e, left, middle[0], right);
    }

    /// The forward substitution: from both ends to the middle.
    #[inline]
    fn inwards(&self, e: &[f64], left: &mut [f64], right: &mut [f64]) {
        let ll = left.len();
        let rl = right.len();
        let inverse = &self.inverse;
        let n = ll + 1 + rl;
        // One or two unknowns: a half of at most one has nothing to substitute.
        if ll == 0 || rl == 0 {
            return;
        }
        let forward = |left: &mut [f64]| {
            let mut y = left[0];
            for i in 1..left.len() {
                y = left[i] + e[i - 1] * inverse[i - 1] * y;
                left[i] = y;
            }
        };
        let backward = |right: &mut [f64]| {
            let last = right.len() - 1;
            let mut y = right[last];
            for j in (0..last).rev() {
                let i = ll + 1 + j;
                y = right[j] + e[i] * inverse[i + 1] * y;
                right[j] = y;
            }
        };
        if halves(n, || forward(&mut *left), || backward(&mut *right)) {
            return;
        }
        // Without a second core, the two loops in one, as in `factor`.
        let mut a = 0.0;
        let mut b = 0.0;
        for k in 0..ll.min(rl) {
            a = left[k] + if k > 0 { e[k - 1] * inverse[k - 1] * a } else { 0.0 };
            left[k] = a;
            let i = n - 1 - k;
            b = right[rl - 1 - k] + if k > 0 { e[i] * inverse[i + 1] * b } else { 0.0 };
            right[rl - 1 - k] = b;
        }
        for k in rl..ll {
            a = left[k] + if k > 0 { e[k - 1] * inverse[k - 1] * a } else { 0.0 };
            left[k] = a;
        }
    }

    /// The backward substitution: from the `centre`, the unknown in the middle, to both ends.
    #[inline]
    fn outwards(&self, e: &[f64], left: &mut [f64], centre: f64, right: &mut [f64]) {
        let ll = left.len();
        let rl = right.len();
        let inverse = &self.inverse;
        let out_left = |left: &mut [f64]| {
            let mut last = centre;
            for i in (0..left.len()).rev() {
                last = (left[i] + e[i] * last) * inverse[i];
                left[i] = last;
            }
        };
        let out_right = |right: &mut [f64]| {
            let mut last = centre;
            for (j, x) in right.iter_mut().enumerate() {
                let i = ll + 1 + j;
                last = (*x + e[i - 1] * last) * inverse[i];
                *x = last;
            }
        };
        if halves(ll + 1 + rl, || out_left(&mut *left), || out_right(&mut *right)) {
            return;
        }
        let mut a = centre;
        let mut b = centre;
        for (k, x) in right.iter_mut().enumerate().take(ll) {
            let i = ll - 1 - k;
            a = (left[i] + e[i] * a) * inverse[i];
            left[i] = a;
            let i = ll + 1 + k;
            b = (*x + e[i - 1] * b) * inverse[i];
            *x = b;
        }
        // The rest of a left half that is longer by one.
        for i in (0..ll - ll.min(rl)).rev() {
            a = (left[i] + e[i] * a) * inverse[i];
            left[i] = a;
        }
    }
}

/// Runs both on two cores if the problem is large enough; whether it did.
#[cfg(feature = "parallel")]
fn halves(n: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) -> bool {
    let large = n >= LARGE;
    if large {
        crate::threads::join(a, b);
    }
    large
}

/// One core: never.
#[cfg(not(feature = "parallel"))]
fn halves(_: usize, _: impl FnOnce(), _: impl FnOnce()) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies back, for every length up to 40, masks of all kinds, and one large enough for two cores.
    #[test]
    fn the_product_with_the_matrix_gives_the_right_hand_side() {
        for n in (1..40).chain([70_001]) {
            for mask in 0..4usize {
                let free = |i: usize| mask == 0 || (i * 7 + i / 3) % (mask + 2) != 1;
                let e: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
                let d: Vec<f64> =
                    (0..n).map(|i| 0.1 + e[i] + if i > 0 { e[i - 1] } else { 0.3 }).collect();
                let b: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).cos()).collect();
                let mut t = Twisted::new(n);
                t.factor(&d, &e, free);
                let mut x = b.clone();
                t.solve(&e, &mut x);
                for i in (0..n).filter(|&i| free(i)) {
                    let mut ax = d[i] * x[i];
                    if i > 0 {
                        ax -= e[i - 1] * x[i - 1];
                    }
                    if i + 1 < n {
                        ax -= e[i] * x[i + 1];
                    }
                    assert!((ax - b[i]).abs() < 1e-13, "{n} {mask} {i}");
                }
                assert!((0..n).all(|i| free(i) || x[i] == 0.0));
            }
        }
    }
}
