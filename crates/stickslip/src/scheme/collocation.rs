//! Collocation at seven nodes: Gauss's, of order 14 and A-stable, and Radau's, of order 13 and L-stable.
//!
//! No node lies at the start of a step, so that none asks for the direction of a velocity that is zero there. With Radau's the last one is the end,
//! and what friction forces into its place at once is there without a memory of its rounding. Source: Hairer & Wanner, Solving Ordinary
//! Differential Equations II, §IV.5.

use std::sync::LazyLock;

/// Stages.
pub(super) const NODES: usize = 7;

/// A method on [0, 1].
pub(super) struct Collocation {
    /// Nodes.
    pub c: [f64; NODES],
    /// Weights.
    pub b: [f64; NODES],
    /// ∫₀^{c_i} ℓ_j and the same applied twice.
    pub a: [[f64; NODES]; NODES],
    pub aa: [[f64; NODES]; NODES],
    /// P_k(2 c_j − 1).
    pub legendre: [[f64; NODES]; NODES],
}

/// P_0 … P_NODES at u ∈ [−1, 1].
fn legendre(u: f64) -> [f64; NODES + 1] {
    let mut p = [1.0, u, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for k in 1..NODES {
        let n = k as f64;
        p[k + 1] = ((2.0 * n + 1.0) * u * p[k] - n * p[k - 1]) / (n + 1.0);
    }
    p
}

/// ∫₀^x P_k(2ξ − 1) dξ for k = 0 … NODES − 1.
pub(super) fn integrals(x: f64) -> [f64; NODES] {
    let p = legendre(2.0 * x - 1.0);
    std::array::from_fn(|k| match k {
        0 => x,
        // ∫ P_k = (P_{k+1} − P_{k−1})/(2k + 1), and du = 2 dξ.
        _ => (p[k + 1] - p[k - 1]) / (2.0 * (2 * k + 1) as f64),
    })
}

/// The coefficients of x, …, x^NODES in ∫₀^x P_k(2ξ − 1) dξ, for k = 0 … NODES − 1.
pub(super) fn antiderivatives() -> &'static [[f64; NODES]; NODES] {
    static TABLE: LazyLock<[[f64; NODES]; NODES]> = LazyLock::new(|| {
        std::array::from_fn(|k| {
            // P_k(2x − 1) = Σ_i (−1)^{k+i} C(k, i) C(k + i, i) x^i, whose numbers are whole.
            let mut coefficient = if k % 2 == 0 { 1.0 } else { -1.0 };
            std::array::from_fn(|i| {
                let own = if i <= k { coefficient / (i + 1) as f64 } else { 0.0 };
                let next = (i + 1) as f64;
                coefficient *= -((k as f64 - i as f64) * (k + i + 1) as f64) / (next * next);
                own
            })
        })
    });
    &TABLE
}

pub(super) static GAUSS: LazyLock<Collocation> = LazyLock::new(|| {
    // Nodes and weights on [−1, 1]: Abramowitz & Stegun, table 25.4.
    let half = [
        (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
        (0.741_531_185_599_394_5, 0.279_705_391_489_276_7),
        (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    ];
    let mut c = [0.5; NODES];
    let mut b = [0.5 * 0.417_959_183_673_469_4; NODES];
    for (i, (node, weight)) in half.into_iter().enumerate() {
        c[i] = 0.5 * (1.0 - node);
        c[NODES - 1 - i] = 0.5 * (1.0 + node);
        b[i] = 0.5 * weight;
        b[NODES - 1 - i] = 0.5 * weight;
    }
    Collocation::new(c, b)
});

/// The zeros of P₇(2x − 1) − P₆(2x − 1), computed with 40 digits, and their weights.
pub(super) static RADAU: LazyLock<Collocation> = LazyLock::new(|| {
    let c = [
        0.029_316_427_159_784_89,
        0.148_078_599_668_484_3,
        0.336_984_690_281_154_3,
        0.558_671_518_771_550_1,
        0.769_233_862_030_054_5,
        0.926_945_671_319_741_1,
        1.0,
    ];
    let b = [
        0.074_494_235_556_010_32,
        0.159_102_115_733_650_74,
        0.212_351_889_502_977_8,
        0.223_554_914_507_283_23,
        0.190_474_936_822_115_58,
        0.119_613_744_612_656_2,
        0.020_408_163_265_306_12,
    ];
    Collocation::new(c, b)
});

impl Collocation {
    /// With these nodes and weights, of a rule that is exact to degree 12 at least.
    fn new(c: [f64; NODES], b: [f64; NODES]) -> Self {
        let at: [[f64; NODES + 1]; NODES] = std::array::from_fn(|j| legendre(2.0 * c[j] - 1.0));
        let legendre: [[f64; NODES]; NODES] =
            std::array::from_fn(|k| std::array::from_fn(|j| at[j][k]));
        // The polynomial through the values at the nodes, in Legendre's polynomials: the weights make them orthogonal at these nodes as
        // well, since the products have degree 12.
        let a: [[f64; NODES]; NODES] = std::array::from_fn(|i| {
            let whole = integrals(c[i]);
            std::array::from_fn(|j| {
                (0..NODES).map(|k| (2 * k + 1) as f64 * b[j] * legendre[k][j] * whole[k]).sum()
            })
        });
        let aa = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..NODES).map(|k| a[i][k] * a[k][j]).sum())
        });
        Self { c, b, a, aa, legendre }
    }
}

#[cfg(test)]
mod tests {
    use super::{GAUSS, NODES, RADAU, antiderivatives, integrals};

    /// Powers and Legendre's recurrence give the same integrals.
    #[test]
    fn both_forms_of_the_integrals_agree() {
        for i in 0..=20 {
            let x = 0.05 * f64::from(i);
            for (powers, want) in antiderivatives().iter().zip(integrals(x)) {
                let sum = powers.iter().rev().fold(0.0, |sum, c| (sum + c) * x);
                assert!((sum - want).abs() < 1e-12, "{sum} {want}");
            }
        }
    }

    /// Σ_j a_ij c_j^k = c_i^{k+1}/(k + 1) for k < 7, and the weights to the degree of the rule, and not beyond.
    #[test]
    fn both_methods_integrate_polynomials() {
        for (rule, degree) in [(&*GAUSS, 13), (&*RADAU, 12)] {
            for k in 0..NODES as i32 {
                for i in 0..NODES {
                    let sum: f64 = (0..NODES).map(|j| rule.a[i][j] * rule.c[j].powi(k)).sum();
                    let exact = rule.c[i].powi(k + 1) / f64::from(k + 1);
                    assert!((sum - exact).abs() < 1e-15, "{i} {k}");
                }
            }
            let whole = |k: i32| -> f64 { (0..NODES).map(|j| rule.b[j] * rule.c[j].powi(k)).sum() };
            for k in 0..=degree {
                assert!((whole(k) - 1.0 / f64::from(k + 1)).abs() < 1e-15, "{k}");
            }
            assert!((whole(degree + 1) - 1.0 / f64::from(degree + 2)).abs() > 1e-10);
        }
    }
}
