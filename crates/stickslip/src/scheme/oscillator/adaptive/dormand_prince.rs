//! One Dormand–Prince step of ẋ = v, v̇ = a(t, x, v).

use super::dop853::{A, C, D, E3, E5, EXTENDED, STAGES};
use crate::motion::Poly;
use crate::motion::State;

/// A step, its stages and its error.
pub struct Step {
    pub t: f64,
    pub h: f64,
    pub from: State,
    pub to: State,
    /// v and a at every stage.
    k: [[f64; 2]; EXTENDED],
}

impl Step {
    /// From `u` at `t` over `h`; `a0` is the acceleration there.
    pub fn new(t: f64, u: State, a0: f64, h: f64, a: &impl Fn(f64, f64, f64) -> f64) -> Self {
        let mut k = [[0.0; 2]; EXTENDED];
        k[0] = [u.v, a0];
        let mut to = u;
        for i in 1..=STAGES {
            let s = stage(&k, i, h, u);
            // Row 12 gives the end of the step; its slope is the first stage of the next one, and the estimators need
            // it.
            k[i] = [s.v, a(t + C[i] * h, s.x, s.v)];
            to = s;
        }
        Self { t, h, from: u, to, k }
    }

    /// Acceleration at the end.
    pub(crate) fn last_acceleration(&self) -> f64 {
        self.k[STAGES][1]
    }

    /// Error over the tolerance (≤ 1: accept): the combination of both estimators, of order 8.
    pub fn error(&self, rtol: f64, atol: f64) -> f64 {
        let mut e5 = 0.0;
        let mut e3 = 0.0;
        for (i, (from, to)) in
            [(self.from.x, self.to.x), (self.from.v, self.to.v)].into_iter().enumerate()
        {
            let scale = atol + rtol * from.abs().max(to.abs());
            let sum =
                |e: &[f64; 13]| self.k.iter().zip(e).map(|(k, e)| k[i] * e).sum::<f64>() / scale;
            e5 += sum(&E5).powi(2);
            e3 += sum(&E3).powi(2);
        }
        // Where both estimates vanish, as under a constant acceleration, 0/0 would refuse the step.
        let denominator = e5 + 0.01 * e3;
        if denominator == 0.0 { 0.0 } else { self.h * e5 / (2.0 * denominator).sqrt() }
    }

    /// The dense output of order 7, displacement and velocity.
    pub fn dense(&mut self, a: &impl Fn(f64, f64, f64) -> f64) -> [Poly; 2] {
        let u = self.from;
        let h = self.h;
        for (i, c) in C.iter().enumerate().skip(STAGES + 1) {
            let s = stage(&self.k, i, h, u);
            self.k[i] = [s.v, a(self.t + c * h, s.x, s.v)];
        }
        let component = |i: usize, from: f64, to: f64| {
            let delta = to - from;
            let f0 = self.k[0][i];
            let f1 = self.k[STAGES][i];
            // The first three coefficients make a cubic that has the values and the slopes of both ends; the others
            // are the method's.
            let mut f = [delta, h * f0 - delta, 2.0 * delta - h * (f0 + f1), 0.0, 0.0, 0.0, 0.0];
            for (fj, row) in f[3..].iter_mut().zip(&D) {
                *fj = h * self.k.iter().zip(row).map(|(k, d)| k[i] * d).sum::<f64>();
            }
            Poly::from_nested(from, &f)
        };
        [component(0, u.x, self.to.x), component(1, u.v, self.to.v)]
    }
}

/// u + h Σ A_ij k_j.
fn stage(k: &[[f64; 2]; EXTENDED], i: usize, h: f64, u: State) -> State {
    // Side by side: one vector holds both.
    let mut sums = [0.0; 2];
    for (kj, aij) in k[..i].iter().zip(&A[i]) {
        for (sum, slope) in sums.iter_mut().zip(kj) {
            *sum += aij * slope;
        }
    }
    State { x: u.x + h * sums[0], v: u.v + h * sums[1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Order 8 of the step (local 9), order 7 of the dense output (local 8), on ẍ = −x.
    #[test]
    fn orders_on_the_circle() {
        let a = |_: f64, x: f64, _: f64| -x;
        let errors = |h: f64| {
            let mut s = Step::new(0.0, State { x: 1.0, v: 0.0 }, -1.0, h, &a);
            let end = (s.to.x - h.cos()).abs().max((s.to.v + h.sin()).abs());
            let dense = s.dense(&a);
            let inside = (1..40).map(|i| {
                let th = f64::from(i) / 40.0;
                (dense[0].at(th) - (th * h).cos())
                    .abs()
                    .max((dense[1].at(th) + (th * h).sin()).abs())
            });
            (end, inside.fold(0.0, f64::max))
        };
        let (e1, d1) = errors(1.0);
        let (e2, d2) = errors(0.5);
        assert!((e1 / e2).log2() > 8.5, "{}", (e1 / e2).log2());
        assert!((d1 / d2).log2() > 7.5, "{}", (d1 / d2).log2());
    }
}
