//! The first instant of a step at which something that must stay above zero no longer does.

/// Points of a step at which it is looked at.
const SAMPLES: usize = 16;
/// Halvings that find the instant to rounding.
const HALVINGS: usize = 60;
/// Golden sections about a low point.
const SECTIONS: usize = 30;

/// The first x ∈ (0, 1] at which `f` falls below zero, in a step over which all that moves turns by no more than about a radian. It is looked at in
/// [`SAMPLES`] parts of the step, and the low point is sought wherever the points on both sides of one are higher. A dip that is narrower than
/// that is not seen. With `straight`, for an `f` that is concave, only the end is looked at: a concave function that is positive at both ends is positive between them.
pub(super) fn first_below(straight: bool, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    let samples = if straight { 1 } else { SAMPLES };
    let at = |i: usize| i as f64 / samples as f64;
    let mut before: [Option<f64>; 2] = [None, None];
    for i in 0..=samples {
        let now = f(at(i));
        // Where it begins at zero, the next point says which way it goes.
        if i > 0 && now < 0.0 {
            return Some(halved(at(i - 1), at(i), &mut f));
        }
        if let [Some(first), Some(middle)] = before
            && middle < first
            && middle <= now
            && i >= 2
        {
            let (low, least) = crate::numeric::golden(at(i - 2), at(i), SECTIONS, &mut f);
            if least < 0.0 {
                return Some(halved(at(i - 2), low, &mut f));
            }
        }
        before = [before[1], Some(now)];
    }
    None
}

/// The root between `low`, where `f` is not negative, and `high`, where it is.
fn halved(mut low: f64, mut high: f64, f: &mut impl FnMut(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::first_below;

    #[test]
    fn a_low_point_between_two_samples_is_seen() {
        let f = |x: f64| (x - 0.53).powi(2) - 1e-5;
        let found = first_below(false, f).unwrap();
        assert!((found - (0.53 - 1e-5f64.sqrt())).abs() < 1e-12, "{found}");
        assert_eq!(first_below(false, |x: f64| (x - 0.53).powi(2) + 1e-9), None);
        assert_eq!(first_below(true, |x| 1.0 - 2.0 * x), Some(0.5 + f64::EPSILON / 2.0));
    }

    #[test]
    fn what_begins_at_zero_and_rises_is_not_below_it() {
        assert_eq!(first_below(false, |x| x), None);
        assert!(first_below(false, |x| -x).unwrap() < 1e-15);
    }
}
