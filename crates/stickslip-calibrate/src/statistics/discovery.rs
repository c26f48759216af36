//! Which of many tests to take: the rate of false discoveries.

/// The greatest of the p-values `p` that is taken, 0 if none is: no more than the share `rate` of all that are taken is false on average,
/// whatever the dependence between the tests. Of the values in order, p₁ ≤ … ≤ pₘ, the first k are taken for which
///
/// ```text
/// p_k ≤ k rate / (m (1 + 1/2 + … + 1/m))
/// ```
///
/// (Benjamini and Yekutieli 2001, theorem 1.3.)
///
/// ```
/// // Three tests: the sum is 11/6, so that the limits are 0.0091, 0.0182 and 0.0273 at a rate of 5 %.
/// let taken = stickslip_calibrate::benjamini_yekutieli(&[0.3, 0.017, 0.001], 0.05);
/// assert_eq!(taken, 0.017);
/// ```
pub fn benjamini_yekutieli(p: &[f64], rate: f64) -> f64 {
    let mut p = p.to_vec();
    p.sort_unstable_by(f64::total_cmp);
    let sum: f64 = (1..=p.len()).map(|i| 1.0 / i as f64).sum();
    let allowed = |k: usize| (k + 1) as f64 * rate / (p.len() as f64 * sum);
    (0..p.len()).rev().find(|&k| p[k] <= allowed(k)).map_or(0.0, |k| p[k])
}

#[cfg(test)]
mod tests {
    use super::benjamini_yekutieli as limit;

    /// Ten tests at 5 %: the sum is 2.9290, so that the k-th limit is 0.0017071 k.
    #[test]
    fn the_limit_is_that_of_benjamini_and_yekutieli() {
        let mut p = vec![0.9; 10];
        assert_eq!(limit(&p, 0.05), 0.0);
        (p[3], p[7]) = (0.0016, 0.0033);
        assert_eq!(limit(&p, 0.05), 0.0033);
        p[3] = 0.0035;
        assert_eq!(limit(&p, 0.05), 0.0);
        assert_eq!(limit(&[], 0.05), 0.0);
    }

    /// Of uniform p-values the procedure takes any in no more than the rate of all fleets.
    #[test]
    fn without_a_change_alarms_are_rare() {
        let mut state = 7u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let fleets = 2000;
        let any = (0..fleets)
            .filter(|_| limit(&(0..50).map(|_| uniform()).collect::<Vec<_>>(), 0.05) > 0.0)
            .count();
        // 5 % and four standard deviations of the count.
        assert!(any < 139, "{any} of {fleets}");
    }
}
