//! The linear least squares inside: z = c + a ξ + b T for one path ξ.
//!
//! With x = βξ and z = z₀ + x + K(βT − x)/K_BP, Bensoussan et al. 2021 §4 and κ = K/K_BP,
//!
//! ```text
//! z = z₀ + β(1 − κ) ξ + βκ T        a = β(1 − κ),  b = βκ,  β = a + b,  κ = b/(a + b)
//! ```
//!
//! so the best z₀, β and κ for a given path cost a 2 × 2 system (variable projection).

//!
//! Trend columns (drift, steps) are projected out before, see `trend`: what is fitted is then the part of
//! z, ξ and T that no trend can explain (Frisch, Waugh 1933).

use stickslip::lanes::Sums;

use crate::bearing::search::prepared::Track;

/// The best line for one path, in the centred variables of the record.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linear {
    /// c.
    pub constant: f64,
    /// a, coefficient of ξ.
    pub on_path: f64,
    /// b, coefficient of T.
    pub on_drive: f64,
    /// Σ (z − c − aξ − bT)².
    pub rss: f64,
    /// What the trends add to c at the first sample, so that c + `opening` does not depend on how they are centred.
    pub opening: f64,
    /// −∂`opening`/∂a and −∂`opening`/∂b: 0 without trends.
    pub opening_slopes: [f64; 2],
    /// 1/(variance of c + `opening` for given a and b): Σw without trends.
    pub weight: f64,
    /// −∂(c + `opening`)/∂a: the mean ξ without trends.
    pub mean_path: f64,
    /// −∂(c + `opening`)/∂b: the mean T without trends.
    pub mean_drive: f64,
    /// Inverse of the centred normal matrix of (ξ, T): [ξξ, ξT, TT].
    pub inverse: [f64; 3],
}

/// ξ and T count as parallel when 1 − r² falls below this.
const PARALLEL: f64 = 1e-9;

/// Centred second moments and means of a path with the drive and the response, trends projected out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    n: f64,
    mean: [f64; 3],
    xx: f64,
    xt: f64,
    xz: f64,
    tt: f64,
    tz: f64,
    zz: f64,
    /// Σ_j q_j(first) (q_j·(ξ, T, z)), and Σ_j q_j(first)².
    opening: [f64; 4],
}

impl Moments {
    /// From the sums of a path; `on_trend[j]` is Σ w ξ q_j for the track's trend column q_j.
    pub fn new(track: &Track, sums: &Sums, on_trend: impl Iterator<Item = f64>) -> Self {
        let record = &track.record;
        let n = record.weight();
        let [drive, response] = record.first_moments();
        let [tt, tz, zz] = record.second_moments();
        let mx = sums.xi / n;
        let mt = drive / n;
        let mz = response / n;
        let mut moments = Self {
            n,
            mean: [mx, mt, mz],
            // Little is lost in these differences, since the record is centred already.
            xx: sums.xi_xi - n * mx * mx,
            xt: sums.xi_drive - n * mx * mt,
            xz: sums.xi_response - n * mx * mz,
            tt: tt - n * mt * mt,
            tz: tz - n * mt * mz,
            zz: zz - n * mz * mz,
            opening: [0.0; 4],
        };
        // The columns are orthonormal and centred, and z has been freed of them already.
        for (column, x) in track.columns.iter().zip(on_trend) {
            moments.xx -= x * x;
            moments.xt -= x * column.drive;
            moments.tt -= column.drive * column.drive;
            let first = column.first;
            let along = [first * x, first * column.drive, first * column.response, first * first];
            moments.opening.iter_mut().zip(along).for_each(|(sum, by)| *sum += by);
        }
        moments
    }

    /// Of one record in several parts, each with a path of its own. The parts share one centre and have no trends.
    pub fn joined(parts: &[(&Track, &Sums)]) -> Self {
        // Sums of parts with one centre are the sums of the whole.
        let mut n = 0.0;
        let mut first = [0.0; 3];
        let mut second = [0.0; 6];
        for (track, sums) in parts {
            let [drive, response] = track.record.first_moments();
            let [tt, tz, zz] = track.record.second_moments();
            n += track.record.weight();
            let add = |to: &mut [f64], by: &[f64]| to.iter_mut().zip(by).for_each(|(t, b)| *t += b);
            add(&mut first, &[sums.xi, drive, response]);
            add(&mut second, &[sums.xi_xi, sums.xi_drive, sums.xi_response, tt, tz, zz]);
        }
        let mean = first.map(|s| s / n);
        let [x, t, z] = mean;
        let [xx, xt, xz, tt, tz, zz] = second;
        Self {
            n,
            mean,
            xx: xx - n * x * x,
            xt: xt - n * x * t,
            xz: xz - n * x * z,
            tt: tt - n * t * t,
            tz: tz - n * t * z,
            zz: zz - n * z * z,
            opening: [0.0; 4],
        }
    }

    /// Σ (z − c − aξ − bT)² for a given line, which need not be the best.
    pub fn rss(&self, c: f64, a: f64, b: f64) -> f64 {
        let [mx, mt, mz] = self.mean;
        let off = mz - c - a * mx - b * mt;
        let quadratic = self.zz
            + a * (a * self.xx - 2.0 * self.xz)
            + b * (b * self.tt - 2.0 * self.tz)
            + 2.0 * a * b * self.xt;
        // A perfect fit leaves less than nothing by rounding.
        quadratic.max(0.0) + self.n * off * off
    }

    /// Fits c, a and b. A path that is constant, or parallel to the drive, cannot be told from none:
    /// then a = 0.
    pub fn fit(&self) -> Linear {
        let Self { n, mean: [mx, mt, mz], xx, xt, xz, tt, tz, zz, opening } = *self;
        let determinant = xx * tt - xt * xt;
        let [ox, ot, oz, oo] = opening;
        let mut line = Linear {
            // Var(c + opening) = 1/n + Σ q_j(first)²: the columns are orthonormal.
            weight: (n.recip() + oo).recip(),
            mean_path: mx + ox,
            mean_drive: mt + ot,
            opening_slopes: [ox, ot],
            ..Linear::default()
        };
        // The first condition tells a path that is parallel to the drive, the second one that is constant.
        if determinant > PARALLEL * xx * tt && xx > PARALLEL * tt {
            let inverse = [tt / determinant, -xt / determinant, xx / determinant];
            line.on_path = inverse[0] * xz + inverse[1] * tz;
            line.on_drive = inverse[1] * xz + inverse[2] * tz;
            line.inverse = inverse;
        } else {
            line.on_drive = tz / tt;
            // Only the slope on the drive has a variance here.
            line.inverse = [0.0, 0.0, 1.0 / tt];
        }
        line.rss = (zz - line.on_path * xz - line.on_drive * tz).max(0.0);
        line.constant = mz - line.on_path * mx - line.on_drive * mt;
        line.opening = oz - line.on_path * ox - line.on_drive * ot;
        line
    }
}

impl Linear {
    /// The line with other coefficients c, a and b, and what the trends then add to its c.
    #[must_use]
    pub fn with(self, [c, a, b]: [f64; 3], rss: f64) -> Self {
        let [path, drive] = self.opening_slopes;
        let opening = self.opening - (a - self.on_path) * path - (b - self.on_drive) * drive;
        Self { constant: c, on_path: a, on_drive: b, rss, opening, ..self }
    }

    /// gᵀ C g, with C the covariance of (c + `opening`, a, b) for residuals of unit variance.
    pub fn variance(&self, g: [f64; 3]) -> f64 {
        // Without trends c = z̄ − a ξ̄ − b T̄, and z̄ is uncorrelated with a and b; so are the trends' shares of z.
        let ga = g[1] - g[0] * self.mean_path;
        let gb = g[2] - g[0] * self.mean_drive;
        let [aa, ab, bb] = self.inverse;
        g[0] * g[0] / self.weight + ga * ga * aa + 2.0 * ga * gb * ab + gb * gb * bb
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::lanes::Thresholds;

    fn track(samples: &[(f64, f64, f64)]) -> Track {
        Track::new(samples, &[0], Vec::new(), 16.0, &[])
    }

    fn fit(track: &Track, sums: &Sums) -> Linear {
        Moments::new(track, sums, std::iter::empty()).fit()
    }

    /// Against the full 3 × 3 normal equations, solved by Cramer's rule.
    #[test]
    fn agrees_with_the_normal_equations() {
        let samples: Vec<(f64, f64, f64)> = (0..400)
            .map(|i| {
                let t = 8.0 * (0.03 * i as f64).sin();
                (t, 0.4 + 0.2 * t + (0.7 * i as f64).cos(), 1.0)
            })
            .collect();
        let track = track(&samples);
        let record = &track.record;
        let mut sums = [Sums::default()];
        record.sums(&[Thresholds { rho: 2.0, delta: 0.5 }], &[0.0], &mut sums);
        let line = fit(&track, &sums[0]);
        let [t, z] = record.first_moments();
        let [tt, tz, _] = record.second_moments();
        let s = sums[0];
        let m = [[400.0, s.xi, t], [s.xi, s.xi_xi, s.xi_drive], [t, s.xi_drive, tt]];
        let r = [z, s.xi_response, tz];
        let det = |m: [[f64; 3]; 3]| {
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
                - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        };
        for (column, got) in [line.constant, line.on_path, line.on_drive].into_iter().enumerate() {
            let mut replaced = m;
            (0..3).for_each(|row| replaced[row][column] = r[row]);
            assert!((got - det(replaced) / det(m)).abs() < 1e-11);
        }
        // The error of another line, term by term.
        let moments = Moments::new(&track, &s, std::iter::empty());
        let c = 0.1;
        let a = 0.02;
        let b = 0.3;
        let mut path = stickslip::lanes::SlipPath { rho: 2.0, delta: 0.5, xi: 0.0 };
        let mut by_hand = 0.0;
        for &(t, z, _) in &samples {
            path.advance(t);
            by_hand += (z - c - a * path.xi - b * t).powi(2);
        }
        assert!((moments.rss(c, a, b) - by_hand).abs() < 1e-9 * by_hand);
        // The variance of a is the matching element of the inverse.
        let mut unit = m;
        (0..3).for_each(|row| unit[row][1] = if row == 1 { 1.0 } else { 0.0 });
        assert!((line.variance([0.0, 1.0, 0.0]) - det(unit) / det(m)).abs() < 1e-12);
    }

    #[test]
    fn a_path_along_the_drive_is_left_out() {
        let samples: Vec<(f64, f64, f64)> = (0..400)
            .map(|i| ((0.03 * i as f64).sin(), 0.5 * (0.03 * i as f64).sin(), 1.0))
            .collect();
        let track = track(&samples);
        let record = &track.record;
        let mut sums = [Sums::default(); 2];
        record.sums(
            &[Thresholds::default(), Thresholds { rho: 9.0, delta: 0.0 }],
            &[0.0, 0.0],
            &mut sums,
        );
        for s in &sums {
            let line = fit(&track, s);
            assert_eq!(line.on_path, 0.0);
            assert!((line.on_drive - 0.5).abs() < 1e-12);
        }
    }
}
