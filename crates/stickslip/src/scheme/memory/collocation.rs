//! Collocation at Radau's points: five stages, order 9, stable however stiff (Hairer and Wanner, *Solving ordinary differential
//! equations II*, §IV.5, §IV.8).
//!
//! A step solves for the polynomials of degree 5 through the state at its start that satisfy the equations at five instants,
//! the last of which is its end. These polynomials are the dense output, and their last coefficients in Legendre's
//! polynomials say how well they describe the motion.

use crate::numeric::lu;

/// Stages.
pub(in crate::scheme) const STAGES: usize = 5;

/// Instants of the stages, over the step: zeros of P₅ − P₄.
const C: [f64; STAGES] = [
    0.057_104_196_114_517_682,
    0.276_843_013_638_123_83,
    0.583_590_432_368_916_8,
    0.860_240_135_656_219_4,
    1.0,
];

/// a_ij = ∫₀^{c_i} of the Lagrange polynomial j.
const A: [[f64; STAGES]; STAGES] = [
    [
        0.072_998_864_317_903_32,
        -0.026_735_331_107_945_57,
        0.018_676_929_763_984_354,
        -0.012_879_106_093_306_44,
        0.005_042_839_233_882_015,
    ],
    [
        0.153_775_231_479_182_47,
        0.146_214_867_847_493_5,
        -0.036_444_568_905_128_09,
        0.021_233_063_119_304_72,
        -0.007_935_579_902_728_778,
    ],
    [
        0.140_063_045_684_809_87,
        0.298_967_129_491_283_5,
        0.167_585_070_135_248_96,
        -0.033_969_101_686_617_746,
        0.010_944_288_744_192_252,
    ],
    [
        0.144_894_308_109_534_76,
        0.276_500_068_760_159_2,
        0.325_797_922_910_421_03,
        0.128_756_753_254_909_76,
        -0.015_708_917_378_805_328,
    ],
    [
        0.143_713_560_791_225_94,
        0.281_356_015_149_462_06,
        0.311_826_522_975_741_25,
        0.223_103_901_083_570_74,
        0.04,
    ],
];

/// Coefficients of θ, …, θ⁵ from the stages.
const MONOMIALS: [[f64; STAGES]; STAGES] = [
    [
        27.780_933_944_064_637,
        -3.641_478_498_049_213,
        1.252_547_721_169_118_7,
        -0.592_003_167_184_542_9,
        0.2,
    ],
    [
        -208.027_857_300_901_34,
        77.883_376_055_117_83,
        -29.167_414_317_829_697,
        14.111_895_563_613_205,
        -4.8,
    ],
    [
        524.187_883_969_491_8,
        -264.894_913_568_226_35,
        137.902_904_404_134_78,
        -72.395_874_805_400_26,
        25.2,
    ],
    [
        -543.828_356_036_132_5,
        317.675_869_079_952_73,
        -202.090_870_943_607_43,
        123.043_357_899_787_18,
        -44.8,
    ],
    [
        199.887_395_423_477_36,
        -127.022_853_068_795,
        92.102_833_136_133_22,
        -64.167_375_490_815_58,
        25.2,
    ],
];

/// Newton iterations after which a step is given up.
const ITERATIONS: usize = 12;
/// The share of the tolerance to which a step's equations are solved.
const SOLVED: f64 = 1e-3;
/// The share of the tolerance below which changes that do not fall are taken for rounding.
const ROUNDED: f64 = 0.1;
/// Changes of this size relative to a number are its rounding: no iteration makes them smaller.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// (A⁻¹)_ij: h times the rates at the stages from Z.
const RATES: [[f64; STAGES]; STAGES] = {
    let mut rates = [[0.0; STAGES]; STAGES];
    let mut i = 0;
    while i < STAGES {
        let mut j = 0;
        while j < STAGES {
            // The derivative of the monomials at the node.
            let mut power = 1.0;
            let mut k = 0;
            while k < STAGES {
                rates[i][j] += (k + 1) as f64 * power * MONOMIALS[k][j];
                power *= C[i];
                k += 1;
            }
            j += 1;
        }
        i += 1;
    }
    rates
};

/// The equations of a motion, y′ = f(t, y), or m(y) y′ = f(t, y) in some rows.
pub(in crate::scheme) trait Equations {
    /// f at `t` (s).
    fn rates(&self, t: f64, y: &[f64], rates: &mut [f64]);

    /// m of row `i` and its derivative by number `i`, unless the row is y′ = f: 0 for a balance of forces, 0 = f. What a great
    /// factor of f says about a motion next to a balance is then said by a small m, and the derivatives of f hardly change.
    fn weight(&self, i: usize, y: &[f64]) -> Option<[f64; 2]>;

    /// What an error of number `i` may be at the value `y`.
    fn tolerance(&self, i: usize, y: f64) -> f64;
}

/// A step, and the room for the next one.
#[derive(Debug, Clone, Default)]
pub(in crate::scheme) struct Step {
    pub t: f64,
    pub h: f64,
    pub from: Vec<f64>,
    /// Z_i = Y_i − y₀, stage by stage.
    stages: Vec<f64>,
    /// The coefficients of θ, …, θ⁵ of each number, number by number.
    pub poly: Vec<f64>,
    scale: Vec<f64>,
    jacobian: Vec<f64>,
    matrix: Vec<f64>,
    pivots: Vec<usize>,
    /// The greatest number of each row of the matrix.
    sizes: Vec<f64>,
    residual: Vec<f64>,
    rates: Vec<f64>,
    y: Vec<f64>,
}

/// A step whose equations were not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scheme) struct Unsolved;

impl Step {
    /// Room for `n` numbers.
    pub fn of(n: usize) -> Self {
        let m = n * STAGES;
        Self {
            from: vec![0.0; n],
            stages: vec![0.0; m],
            poly: vec![0.0; m],
            scale: vec![0.0; n],
            jacobian: vec![0.0; n * n],
            matrix: vec![0.0; m * m],
            pivots: vec![0; m],
            sizes: vec![0.0; m],
            residual: vec![0.0; m],
            rates: vec![0.0; m],
            y: vec![0.0; n],
            ..Self::default()
        }
    }

    /// Sets out from `y` at `t` (s).
    pub fn begin(&mut self, t: f64, y: &[f64], equations: &impl Equations) {
        self.t = t;
        self.from.copy_from_slice(y);
        for (i, y) in y.iter().enumerate() {
            self.scale[i] = equations.tolerance(i, *y);
        }
        self.differentiate(equations);
    }

    /// The derivatives of f at the start, by differences.
    fn differentiate(&mut self, equations: &impl Equations) {
        let n = self.from.len();
        let mut base = std::mem::take(&mut self.rates);
        equations.rates(self.t, &self.from, &mut base[..n]);
        self.y.copy_from_slice(&self.from);
        for j in 0..n {
            // Large against the rounding of the rates, and against the tolerance of the number.
            let about = (1e-7 * self.from[j].abs()).max(1e3 * self.scale[j]);
            self.y[j] = self.from[j] + about;
            // The step as it is in floating point, not as it was meant.
            let exact = self.y[j] - self.from[j];
            let (before, changed) = base.split_at_mut(n);
            equations.rates(self.t, &self.y, &mut changed[..n]);
            for i in 0..n {
                self.jacobian[i * n + j] = (changed[i] - before[i]) / exact;
            }
            self.y[j] = self.from[j];
        }
        self.rates = base;
    }

    /// Solves for a step of `h` (s). The stages begin where the polynomials of `guess` lead, or at the start.
    ///
    /// # Errors
    /// If Newton's iterations do not converge.
    pub fn make(
        &mut self,
        h: f64,
        guess: Option<&Self>,
        equations: &impl Equations,
    ) -> Result<(), Unsolved> {
        self.h = h;
        let n = self.from.len();
        match guess.filter(|g| g.h > 0.0) {
            // The polynomials of the step before, continued: over a smooth motion hardly an iteration is left
            // to do.
            Some(g) => {
                let offset = self.t - g.t;
                for (i, c) in C.iter().enumerate() {
                    let theta = (offset + c * h) / g.h;
                    (0..n).for_each(|m| {
                        self.stages[i * n + m] = g.number(m, theta) - self.from[m];
                    });
                }
            }
            None => self.stages.fill(0.0),
        }
        // The derivatives are those at the start: one factorisation serves all iterations.
        self.factor(equations)?;
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            self.evaluate(equations);
            lu::solve(&self.matrix, &self.pivots, &mut self.residual);
            // A rate that is not finite will not become so by further iterations.
            if !self.residual.iter().all(|d| d.is_finite()) {
                return Err(Unsolved);
            }
            let mut change = 0.0f64;
            for (k, d) in self.residual.iter().enumerate() {
                self.stages[k] -= d;
                let rounding = ROUNDING * (self.from[k % n] + self.stages[k]).abs();
                if d.abs() > rounding {
                    change = change.max((d / self.scale[k % n]).abs());
                }
            }
            // What all further iterations would change; of the first one nothing is known.
            let ratio = (change / last).min(0.99);
            let further = if last.is_finite() { (ratio / (1.0 - ratio)).max(1e-3) } else { 1.0 };
            if change * further <= SOLVED {
                self.finish();
                return Ok(());
            }
            // What no iteration makes smaller is rounding, and harmless below the tolerance.
            if change > 0.5 * last && last <= ROUNDED {
                self.finish();
                return Ok(());
            }
            // It moves away from the solution: a shorter step is needed, and sooner known.
            if change > 2.0 * last {
                return Err(Unsolved);
            }
            last = change;
        }
        Err(Unsolved)
    }

    /// Factors the derivatives of the step's equations with respect to the stages.
    fn factor(&mut self, equations: &impl Equations) -> Result<(), Unsolved> {
        let n = self.from.len();
        let m = n * STAGES;
        self.matrix.fill(0.0);
        for i in 0..STAGES {
            self.look(i);
            for r in 0..n {
                let row = (i * n + r) * m;
                // A balance holds at each stage by itself, whatever the others do.
                if let Some([weight, slope]) = equations.weight(r, &self.y) {
                    (0..n).for_each(|s| self.matrix[row + i * n + s] = self.jacobian[r * n + s]);
                    for j in 0..STAGES {
                        self.matrix[row + j * n + r] -= weight * RATES[i][j] / self.h;
                    }
                    self.matrix[row + i * n + r] -= slope * self.rate(i, r);
                    continue;
                }
                for j in 0..STAGES {
                    for s in 0..n {
                        self.matrix[row + j * n + s] = -self.h * A[i][j] * self.jacobian[r * n + s];
                    }
                }
                self.matrix[row + i * n + r] += 1.0;
            }
        }
        let regular = lu::factor(&mut self.matrix, &mut self.pivots, &mut self.sizes);
        if regular { Ok(()) } else { Err(Unsolved) }
    }

    /// The residual of the step's equations.
    fn evaluate(&mut self, equations: &impl Equations) {
        let n = self.from.len();
        for i in 0..STAGES {
            self.look(i);
            equations.rates(self.t + C[i] * self.h, &self.y, &mut self.rates[i * n..(i + 1) * n]);
        }
        // A differential row is Y_i = y₀ + h Σ a_ij f_j, in Z.
        for i in 0..STAGES {
            self.look(i);
            for r in 0..n {
                let weight = equations.weight(r, &self.y);
                self.residual[i * n + r] = if let Some([weight, _]) = weight {
                    self.rates[i * n + r] - weight * self.rate(i, r)
                } else {
                    let sum: f64 = (0..STAGES).map(|j| A[i][j] * self.rates[j * n + r]).sum();
                    self.stages[i * n + r] - self.h * sum
                };
            }
        }
    }

    /// Puts the numbers at stage `i` into `y`.
    fn look(&mut self, i: usize) {
        let n = self.from.len();
        for m in 0..n {
            self.y[m] = self.from[m] + self.stages[i * n + m];
        }
    }

    /// The rate of number `r` at stage `i`.
    fn rate(&self, i: usize, r: usize) -> f64 {
        let n = self.from.len();
        let sum: f64 = (0..STAGES).map(|j| RATES[i][j] * self.stages[j * n + r]).sum();
        sum / self.h
    }

    fn finish(&mut self) {
        let n = self.from.len();
        for m in 0..n {
            for (k, row) in MONOMIALS.iter().enumerate() {
                self.poly[m * STAGES + k] =
                    row.iter().enumerate().map(|(i, c)| c * self.stages[i * n + m]).sum();
            }
        }
    }

    /// Number `m` at θ.
    pub fn number(&self, m: usize, theta: f64) -> f64 {
        self.from[m] + along(&self.poly[m * STAGES..(m + 1) * STAGES], theta)
    }

    /// The state at the end, without the rounding of the polynomials.
    pub fn end(&self, y: &mut [f64]) {
        let n = self.from.len();
        for (m, y) in y.iter_mut().enumerate() {
            // The last stage is the end: the method is stiffly accurate.
            *y = self.from[m] + self.stages[(STAGES - 1) * n + m];
        }
    }

    /// What the polynomials leave out, over the tolerance: their last coefficient in Legendre's polynomials, times the ratio
    /// by which the last ones fall.
    pub fn error(&self) -> f64 {
        let mut fifth = 0.0f64;
        let mut fourth = 0.0f64;
        let mut third = 0.0f64;
        for (m, scale) in self.scale.iter().enumerate() {
            let a = &self.poly[m * STAGES..(m + 1) * STAGES];
            // θⁿ in Legendre's polynomials of 2θ − 1.
            let c5 = a[4] / 252.0;
            let c4 = a[3] / 70.0 + a[4] / 28.0;
            let c3 = a[2] / 20.0 + a[3] / 10.0 + a[4] * (5.0 / 36.0);
            fifth = fifth.max((c5 / scale).abs());
            fourth = fourth.max((c4 / scale).abs());
            third = third.max((c3 / scale).abs());
        }
        // Terms that do not fall are not resolved: then the last one is the error.
        let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 1.0 };
        fifth * over(fifth, fourth).max(over(fourth, third)).min(1.0)
    }
}

/// Σ a_k θ^k, k from 1.
pub(super) fn along(a: &[f64], theta: f64) -> f64 {
    // Horner's rule without a constant.
    a.iter().rev().fold(0.0, |sum, a| (sum + a) * theta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_integrate_polynomials() {
        for i in 0..STAGES {
            for k in 0..STAGES {
                let by_rule: f64 = (0..STAGES).map(|j| A[i][j] * C[j].powi(k as i32)).sum();
                let exact = C[i].powi(k as i32 + 1) / (k as f64 + 1.0);
                assert!((by_rule - exact).abs() < 1e-15, "{i} {k}");
                let terms = (0..STAGES).map(|j| MONOMIALS[i][j] * C[j].powi(k as i32 + 1));
                let size: f64 = terms.clone().map(f64::abs).sum();
                let monomial = terms.sum::<f64>() - f64::from(u8::from(i == k));
                // Constants of 17 digits, multiplied and added.
                assert!(monomial.abs() < 8.0 * f64::EPSILON * (1.0 + size), "{i} {k}: {monomial}");
            }
        }
        // The end of a step has order 9: it integrates θ⁸.
        for k in 0..9 {
            let by_rule: f64 = (0..STAGES).map(|j| A[STAGES - 1][j] * C[j].powi(k)).sum();
            assert!((by_rule - 1.0 / (f64::from(k) + 1.0)).abs() < 1e-15, "{k}");
        }
    }

    /// y′ = −10⁹ (y − cos t) − sin t has y = cos t, and a balance 0 = u − y² beside it.
    struct Stiff;

    impl Equations for Stiff {
        fn rates(&self, t: f64, y: &[f64], rates: &mut [f64]) {
            rates[0] = -1e9 * (y[0] - t.cos()) - t.sin();
            rates[1] = y[1] - y[0] * y[0];
        }
        fn weight(&self, i: usize, _: &[f64]) -> Option<[f64; 2]> {
            (i == 1).then_some([0.0; 2])
        }
        fn tolerance(&self, _: usize, y: f64) -> f64 {
            1e-12 + 1e-12 * y.abs()
        }
    }

    #[test]
    fn long_steps_through_stiff_equations_and_balances_stay_on_the_solution() {
        let mut step = Step::of(2);
        let mut y = [1.0, 1.0];
        for k in 0..20 {
            step.begin(0.1 * f64::from(k), &y, &Stiff);
            step.make(0.1, None, &Stiff).unwrap();
            step.end(&mut y);
        }
        assert!((y[0] - 2f64.cos()).abs() < 1e-11, "{}", y[0] - 2f64.cos());
        assert!((y[1] - 2f64.cos().powi(2)).abs() < 1e-11);
        let middle = step.number(0, 0.5) - 1.95f64.cos();
        assert!(middle.abs() < 1e-11, "{middle}");
    }
}
