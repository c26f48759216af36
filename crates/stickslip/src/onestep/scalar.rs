//! One unknown.

/// min ½ a p² − r p + α |p|: (p, λ) = (soft(r, α)/a, clamp(r, −α, α)), a > 0, α ≥ 0.
#[inline]
pub fn scalar(a: f64, r: f64, alpha: f64) -> (f64, f64) {
    if r.abs() <= alpha {
        (0.0, r)
    } else {
        let lambda = alpha.copysign(r);
        ((r - lambda) / a, lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_nearby_is_lower() {
        for (a, r, alpha) in [(2.0, 3.0, 1.0), (0.5, -0.2, 0.3), (1.0, -4.0, 0.0), (3.0, 1.0, 1.0)]
        {
            let f = |p: f64| 0.5 * a * p * p - r * p + alpha * p.abs();
            let (p, lambda) = scalar(a, r, alpha);
            assert!((r - a * p - lambda).abs() < 1e-15 && lambda.abs() <= alpha);
            for d in [1e-3, -1e-3, 1.0, -1.0] {
                assert!(f(p + d) > f(p));
            }
        }
    }
}
