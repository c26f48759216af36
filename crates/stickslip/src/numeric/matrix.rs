//! Small dense matrices: systems with the shortest solution, and eigenvalues.

use super::dot;
use crate::portable;
use num_complex::Complex64;

/// |z|, with the same bits on every machine.
pub fn modulus(z: Complex64) -> f64 {
    portable::hypot(z.re, z.im)
}

/// The square root of z whose real part is not negative, likewise.
fn root(z: Complex64) -> Complex64 {
    let t = (0.5 * (modulus(z) + z.re.abs())).sqrt();
    if t == 0.0 {
        return z;
    }
    let other = 0.5 * z.im / t;
    if z.re >= 0.0 {
        Complex64::new(t, other)
    } else {
        Complex64::new(other.abs(), t.copysign(z.im))
    }
}

/// A square matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    n: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// The identity of size `n`.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, |i, j| f64::from(u8::from(i == j)))
    }

    /// From its entries in row i and column j.
    pub fn from_fn(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        Self { n, entries: (0..n * n).map(|k| entry(k / n, k % n)).collect() }
    }

    /// Rows and columns.
    pub fn size(&self) -> usize {
        self.n
    }

    /// The entry in row `i` and column `j`.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j]
    }

    /// Replaces an entry.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.entries[i * self.n + j] = value;
    }

    /// `self` · `other`.
    pub fn times(&self, other: &Self) -> Self {
        Self::from_fn(self.n, |i, j| (0..self.n).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// `self` · `u`.
    pub fn apply(&self, u: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| u.iter().enumerate().map(|(j, x)| self.at(i, j) * x).sum()).collect()
    }

    /// Every entry times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { n: self.n, entries: self.entries.iter().map(|e| factor * e).collect() }
    }

    /// The largest magnitude of an entry.
    pub fn largest(&self) -> f64 {
        self.entries.iter().fold(0.0, |a, e| a.max(e.abs()))
    }

    /// The shortest solution of `self` · x ≈ `b` in the least-squares sense, singular values below `cut` times the
    /// largest counting as zero, and how many count.
    pub fn solve(&self, b: &[f64], cut: f64) -> (Vec<f64>, usize) {
        let (columns, v) = self.orthogonal_columns();
        let length = |c: &[f64]| dot(c, c).sqrt();
        let largest = columns.iter().map(|c| length(c)).fold(0.0, f64::max);
        let mut x = vec![0.0; self.n];
        let mut rank = 0;
        for (c, v) in columns.iter().zip(&v) {
            let sigma = length(c);
            if sigma > cut * largest && sigma > 0.0 {
                rank += 1;
                let along = dot(c, b) / (sigma * sigma);
                x.iter_mut().zip(v).for_each(|(x, v)| *x += along * v);
            }
        }
        (x, rank)
    }

    /// One-sided Jacobi rotations (Hestenes 1958): `self` · V has orthogonal columns. They and those of V.
    fn orthogonal_columns(&self) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let n = self.n;
        let mut u: Vec<Vec<f64>> =
            (0..n).map(|j| (0..n).map(|i| self.at(i, j)).collect()).collect();
        let mut v: Vec<Vec<f64>> =
            (0..n).map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect()).collect();
        for _ in 0..60 {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    let a = dot(&u[p], &u[p]);
                    let b = dot(&u[q], &u[q]);
                    let c = dot(&u[p], &u[q]);
                    if c.abs() <= 1e-16 * (a * b).sqrt() {
                        continue;
                    }
                    turned = true;
                    let zeta = (b - a) / (2.0 * c);
                    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                    let cos = 1.0 / (1.0 + t * t).sqrt();
                    for w in [&mut u, &mut v] {
                        for i in 0..n {
                            let x = w[p][i];
                            let y = w[q][i];
                            (w[p][i], w[q][i]) = (cos * (x - t * y), cos * (t * x + y));
                        }
                    }
                }
            }
            if !turned {
                break;
            }
        }
        (u, v)
    }

    /// The eigenvalues, those of the largest modulus first; of two that are conjugate the one above the real axis.
    pub fn eigenvalues(&self) -> Vec<Complex64> {
        let mut all = match self.n {
            1 => vec![Complex64::from(self.at(0, 0))],
            2 => pair(self.at(0, 0), self.at(0, 1), self.at(1, 0), self.at(1, 1)).to_vec(),
            _ => self.by_rotations(),
        };
        all.sort_by(|a, b| {
            let p = modulus(*a);
            let q = modulus(*b);
            let alike = (p - q).abs() <= 1e-13 * p.max(q);
            if alike { b.im.total_cmp(&a.im).then(b.re.total_cmp(&a.re)) } else { q.total_cmp(&p) }
        });
        all
    }

    /// Shifted QR iterations on the Hessenberg form, in complex arithmetic.
    fn by_rotations(&self) -> Vec<Complex64> {
        let mut h = self.hessenberg();
        let mut found = Vec::new();
        let mut last = self.n;
        let mut rounds = 0;
        let scale = self.largest().max(f64::MIN_POSITIVE);
        while last > 0 {
            let n = last;
            let small = n == 1 || modulus(h[n - 1][n - 2]) <= 1e-16 * scale;
            if small || rounds > 500 {
                found.push(h[n - 1][n - 1]);
                (last, rounds) = (n - 1, 0);
                continue;
            }
            rounds += 1;
            let a = h[n - 2][n - 2];
            let b = h[n - 2][n - 1];
            let c = h[n - 1][n - 2];
            let d = h[n - 1][n - 1];
            let half = 0.5 * (a + d);
            let det = a * d - b * c;
            let root = root(half * half - det);
            let [p, q] = [half + root, half - root];
            let mut shift = if modulus(p - d) < modulus(q - d) { p } else { q };
            if rounds % 11 == 10 {
                shift += modulus(c);
            }
            turn(&mut h, n, shift);
        }
        // What is real comes out real to rounding.
        found.iter_mut().for_each(|z| {
            if z.im.abs() <= 1e-13 * scale {
                z.im = 0.0;
            }
        });
        found
    }

    /// Similar, with nothing below the first subdiagonal: Householder's reflections.
    fn hessenberg(&self) -> Vec<Vec<Complex64>> {
        let n = self.n;
        let mut a: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| self.at(i, j)).collect()).collect();
        for k in 0..n.saturating_sub(2) {
            let mut v: Vec<f64> = (0..n).map(|i| if i > k { a[i][k] } else { 0.0 }).collect();
            let size = dot(&v, &v).sqrt();
            if size == 0.0 {
                continue;
            }
            v[k + 1] += size.copysign(v[k + 1]);
            let norm2 = dot(&v, &v);
            for j in 0..n {
                let s = 2.0 * (0..n).map(|i| v[i] * a[i][j]).sum::<f64>() / norm2;
                (0..n).for_each(|i| a[i][j] -= s * v[i]);
            }
            for row in &mut a {
                let s = 2.0 * dot(row, &v) / norm2;
                row.iter_mut().zip(&v).for_each(|(a, v)| *a -= s * v);
            }
        }
        a.into_iter().map(|row| row.into_iter().map(Complex64::from).collect()).collect()
    }
}

/// One QR step with a shift on the leading `n` rows and columns.
fn turn(h: &mut [Vec<Complex64>], n: usize, shift: Complex64) {
    (0..n).for_each(|i| h[i][i] -= shift);
    let mut rotations = Vec::with_capacity(n - 1);
    for k in 0..n - 1 {
        let a = h[k][k];
        let b = h[k + 1][k];
        let r = (a.norm_sqr() + b.norm_sqr()).sqrt();
        let (c, s) = if r == 0.0 { (Complex64::ONE, Complex64::ZERO) } else { (a / r, b / r) };
        rotations.push((c, s));
        for j in k..n {
            let x = h[k][j];
            let y = h[k + 1][j];
            h[k][j] = c.conj() * x + s.conj() * y;
            h[k + 1][j] = c * y - s * x;
        }
    }
    for (k, (c, s)) in rotations.into_iter().enumerate() {
        for row in h.iter_mut().take((k + 2).min(n)) {
            let x = row[k];
            let y = row[k + 1];
            row[k] = x * c + y * s;
            row[k + 1] = y * c.conj() - x * s.conj();
        }
    }
    (0..n).for_each(|i| h[i][i] += shift);
}

/// The eigenvalues of a matrix of size 2.
fn pair(a: f64, b: f64, c: f64, d: f64) -> [Complex64; 2] {
    let half = 0.5 * (a + d);
    let det = a * d - b * c;
    let quarter = 0.5 * (a - d);
    let discriminant = quarter * quarter + b * c;
    if discriminant < 0.0 {
        let im = (-discriminant).sqrt();
        return [Complex64::new(half, im), Complex64::new(half, -im)];
    }
    let large = half + discriminant.sqrt().copysign(half);
    let small = if large == 0.0 { 0.0 } else { det / large };
    [Complex64::from(large), Complex64::from(small)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (2 + i)² = 3 + 4i and (1 − 2i)² = −3 − 4i.
    #[test]
    fn roots_of_complex_numbers() {
        let of = |re: f64, im: f64| root(Complex64::new(re, im));
        assert_eq!(
            [of(3.0, 4.0), of(-3.0, -4.0)],
            [Complex64::new(2.0, 1.0), Complex64::new(1.0, -2.0)]
        );
        assert_eq!(
            [of(-4.0, 0.0), of(0.0, 0.0)],
            [Complex64::new(0.0, 2.0), Complex64::new(0.0, 0.0)]
        );
    }

    #[test]
    fn eigenvalues_of_a_companion_matrix_are_the_roots() {
        // (z² + z + 2)(z − 3)(z + 0.5)(z − 0.25)
        let with = |p: &[f64], root: f64| {
            let mut out = vec![0.0; p.len() + 1];
            for (i, c) in p.iter().enumerate() {
                out[i + 1] += c;
                out[i] -= root * c;
            }
            out
        };
        let p = with(&with(&with(&[2.0, 1.0, 1.0], 3.0), -0.5), 0.25);
        let n = p.len() - 1;
        let m =
            Matrix::from_fn(
                n,
                |i, j| {
                    if j == n - 1 { -p[i] } else { f64::from(u8::from(i == j + 1)) }
                },
            );
        let root = 7f64.sqrt() / 2.0;
        let want = [(3.0, 0.0), (-0.5, root), (-0.5, -root), (-0.5, 0.0), (0.25, 0.0)];
        for (z, (re, im)) in m.eigenvalues().into_iter().zip(want) {
            assert!((z - Complex64::new(re, im)).norm() < 1e-12, "{z} {re} {im}");
        }
    }

    #[test]
    fn singular_systems_have_their_shortest_solution() {
        let m = Matrix::from_fn(3, |i, j| (i + 1) as f64 * (j + 1) as f64);
        let (x, rank) = m.solve(&[1.0, 2.0, 3.0], 1e-10);
        assert_eq!(rank, 1);
        x.iter().enumerate().for_each(|(j, x)| assert!((x - (j + 1) as f64 / 14.0).abs() < 1e-14));
        let m = Matrix::from_fn(2, |i, j| [[2.0, 1.0], [1.0, -3.0]][i][j]);
        let (x, rank) = m.solve(&[4.0, -5.0], 1e-12);
        assert!(rank == 2 && (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
    }
}
