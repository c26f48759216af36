//! Small numerical methods that several rooms share: dense algebra, golden sections, a rule of Gauss, medians, the error function.

mod elimination;
mod general;
pub(crate) mod lu;
mod matrix;
mod symmetric;

pub(crate) use elimination::eliminate;
pub(crate) use general::{determinant, invert, invert_into};
pub use matrix::{Matrix, modulus};
pub use symmetric::{Modes, cholesky, modes, solve_lower, solve_transposed};
pub(crate) use symmetric::{cholesky_into, inverse, times, transposed};

/// Makes the median of absolute values a standard deviation, for a normal law (Hampel 1974).
pub const TO_SIGMA: f64 = 1.482_602_218_505_602;

/// Σ aᵢ bᵢ, summed in order.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// √(k/m), rad/s. Of a stiffness of −0 it is 0, as of one of 0: its root would be −0, and a period of −∞.
#[inline]
pub(crate) fn natural_frequency(stiffness: f64, mass: f64) -> f64 {
    (stiffness / mass).sqrt().abs()
}

/// The middle value, the mean of both where there are two; sorts them. NaN of none.
///
/// ```
/// assert_eq!(stickslip::numeric::median(&mut [3.0, 1.0, 2.0, 10.0]), 2.5);
/// ```
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        _ => 0.5 * (values[(n - 1) / 2] + values[n / 2]),
    }
}

/// The `p`-quantile of sorted values, linear between them (number 7 of Hyndman and Fan 1996); NaN of none.
///
/// ```
/// assert_eq!(stickslip::numeric::quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), 3.0);
/// ```
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * sorted.len().saturating_sub(1) as f64;
    let low = at.floor() as usize;
    let share = at.fract();
    match (sorted.get(low), sorted.get(low + 1)) {
        (Some(a), Some(b)) => a + share * (b - a),
        (Some(a), None) => *a,
        _ => f64::NAN,
    }
}

/// The complementary error function 2/√π ∫ₓ^∞ exp(−t²) dt, to the last digits and with the same bits on every machine.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Nodes in (0, 1) and weights of Gauss's rule with 8 points on [−1, 1], both signs of the node.
pub const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
];

/// Golden sections: narrows [`low`, `high`] `steps` times around a minimum of `f`, and gives the place and the value of the lower of the
/// last two points. Each step leaves 0.618 of the interval and asks `f` once.
///
/// ```
/// let (at, least) = stickslip::numeric::golden(0.0, 4.0, 40, |x| (x - 1.5) * (x - 1.5) + 2.0);
/// assert!((at - 1.5).abs() < 1e-7 && (least - 2.0).abs() < 1e-14);
/// ```
pub fn golden(low: f64, high: f64, steps: usize, mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    let found = try_golden(low, high, steps, |x| Ok::<_, std::convert::Infallible>(f(x)));
    match found {
        Ok(found) => found,
    }
}

/// [`golden`] of a function that may fail.
///
/// # Errors
/// The first of the function.
pub fn try_golden<E>(
    low: f64,
    high: f64,
    steps: usize,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut low = low;
    let mut high = high;
    let mut left = high - RATIO * (high - low);
    let mut right = low + RATIO * (high - low);
    let mut at_left = f(left)?;
    let mut at_right = f(right)?;
    for _ in 0..steps {
        if at_left < at_right {
            high = right;
            right = left;
            at_right = at_left;
            left = high - RATIO * (high - low);
            at_left = f(left)?;
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + RATIO * (high - low);
            at_right = f(right)?;
        }
    }
    Ok(if at_left < at_right { (left, at_left) } else { (right, at_right) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ w p(x) over both signs of the nodes is the integral of every polynomial of degree 15 or less: ∫ x^n = 2/(n + 1) for even n.
    #[test]
    fn the_rule_of_gauss_is_exact_to_degree_15() {
        for n in 0..8 {
            let sum: f64 = GAUSS.iter().map(|(x, w)| 2.0 * w * x.powi(2 * n)).sum();
            assert!((sum - 2.0 / f64::from(2 * n + 1)).abs() < 1e-15, "{n}: {sum}");
        }
        let sum: f64 = GAUSS.iter().map(|(x, w)| 2.0 * w * x.powi(16)).sum();
        assert!((sum - 2.0 / 17.0).abs() > 1e-9, "{sum}");
    }

    /// DLMF, table 7.2: erfc at ½, 1, 2 and 5, and erfc(−x) = 2 − erfc(x).
    #[test]
    fn the_error_function_at_tabulated_points() {
        let known = [
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (2.0, 4.677_734_981_047_266e-3),
            (5.0, 1.537_459_794_428_034_9e-12),
        ];
        for (x, tail) in known {
            assert!((erfc(x) / tail - 1.0).abs() < 1e-15, "{x}: {}", erfc(x));
            assert!((erfc(-x) - (2.0 - tail)).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert!(median(&mut []).is_nan());
        assert_eq!(
            [median(&mut [7.0]), median(&mut [4.0, 1.0]), median(&mut [9.0, 1.0, 4.0])],
            [7.0, 2.5, 4.0]
        );
    }

    /// Minima inside, at an end and at a corner, and each step asks once.
    #[test]
    fn golden_sections_find_the_minimum() {
        let inside = golden(-1.0, 5.0, 60, |x| (x - 2.0).powi(4));
        assert!((inside.0 - 2.0).abs() < 1e-3 && inside.1 < 1e-12, "{inside:?}");
        let end = golden(1.0, 3.0, 60, |x| x);
        assert!((end.0 - 1.0).abs() < 1e-9, "{end:?}");
        let corner = golden(-2.0, 1.0, 60, |x: f64| (x + 0.3).abs());
        assert!((corner.0 + 0.3).abs() < 1e-9, "{corner:?}");
        let mut asked = 0;
        golden(0.0, 1.0, 7, |x| {
            asked += 1;
            x
        });
        assert_eq!(asked, 9);
        assert!(try_golden(0.0, 1.0, 7, |x| if x < 0.1 { Err(x) } else { Ok(x) }).is_err());
    }
}
