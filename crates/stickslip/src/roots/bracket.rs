//! The root of a function that is known to increase.

/// The root in [`lo`, `hi`] of an increasing `f` with f(lo) ≤ 0 ≤ f(hi), to rounding; `f` gives value
/// and derivative. Newton's method, and halving where that does not halve the step before last.
pub fn increasing_root(mut lo: f64, mut hi: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> f64 {
    let mut at = 0.5 * (lo + hi);
    let mut step = hi - lo;
    let mut before = hi - lo;
    for _ in 0..2200 {
        let (value, slope) = f(at);
        if value == 0.0 {
            break;
        }
        (lo, hi) = if value < 0.0 { (at, hi) } else { (lo, at) };
        let newton = at - value / slope;
        let halves = 2.0 * (value / slope).abs() <= before;
        let next = if halves && newton > lo && newton < hi { newton } else { 0.5 * (lo + hi) };
        (before, step) = (step, (next - at).abs());
        at = next;
        if step <= f64::EPSILON * at.abs() || hi - lo <= f64::EPSILON * lo.abs() {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_all_kinds() {
        // Simple, double at the far end (where Newton is slow), of a steep and a flat function.
        let square = increasing_root(0.0, 3.0, |s| (s * s - 2.0, 2.0 * s));
        assert!((square - 2f64.sqrt()).abs() < 1e-15);
        let sine = |s: f64| (s.sin() - (1.0 - 1e-12), s.cos());
        let near_rest = increasing_root(0.0, std::f64::consts::FRAC_PI_2, sine);
        assert!((near_rest.sin() - (1.0 - 1e-12)).abs() < 1e-15);
        let tiny = increasing_root(0.0, 1.0, |s| (s - 1e-17, 1.0));
        assert!((tiny - 1e-17).abs() < 1e-31);
        let cubic = increasing_root(0.0, 1.0, |s| (s * s * s - 1e-30, 3.0 * s * s));
        assert!((cubic - 1e-10).abs() < 1e-23);
        let from_rest = increasing_root(0.0, 1.0, |s| (0.5 * s * s - 1e-20, s));
        assert!((from_rest - 2f64.sqrt() * 1e-10).abs() < 1e-24);
    }

    /// Where the function is flat Newton's step leads far out of the bracket, in which alone the function is known.
    #[test]
    fn no_step_leaves_the_bracket() {
        for at in [0.01, 0.99] {
            let root = increasing_root(0.0, 1.0, |s| {
                assert!((0.0..=1.0).contains(&s), "{s}");
                let steep = 50.0 * (s - at);
                (steep.atan(), 50.0 / (1.0 + steep * steep))
            });
            assert!((root - at).abs() < 1e-15, "{root}");
        }
    }

    /// Newton's method from the middle of [0, 3] takes 6 steps to √2; halving would take 52.
    #[test]
    fn a_simple_root_is_found_in_few_steps() {
        let mut count = 0;
        increasing_root(0.0, 3.0, |s| {
            count += 1;
            (s * s - 2.0, 2.0 * s)
        });
        assert!(count <= 7, "{count}");
    }
}
