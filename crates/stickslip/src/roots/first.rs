//! Marching to the first root.

use super::Jet;
use crate::interrupt::Interrupt;

/// What a function that touches zero without crossing it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// A touch is a root (a velocity that reaches zero is at rest there).
    Counts,
    /// A touch within `noise` is passed over (a load that touches the limit does not exceed it).
    Passes,
    /// So is a function that reaches zero, within `noise`, only where the search ends: what comes after says whether it is exceeded.
    Exceeds,
}

/// The first root found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// Where.
    pub at: f64,
    /// Which of the functions.
    pub which: usize,
}

/// A search without an answer: it was given up after [`MAX_EVALUATIONS`], because a function is not finite, or because
/// somebody has asked to stop (see [`Interrupt`]). This is not the answer that there is no root; where several searches
/// look for the first of their roots, one that is given up leaves all of them without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp;

/// Evaluations after which the isolation of one root is given up: a function so wild that no step
/// gets anywhere, or one with millions of periods on the way.
pub const MAX_EVALUATIONS: usize = 20_000_000;

/// Evaluations between two looks at whether somebody has asked to stop: some milliseconds.
const STRIDE: usize = 1 << 14;

/// The first `s` in [`start`, `end`) at which one of N functions, all ≥ 0 at `start`, falls below
/// zero; `Ok(None)` certifies that none does.
///
/// `eval(s)` gives the jets; `noise` is the size of their rounding errors. A function within
/// `noise` of zero counts as zero: it is a root if it falls there, and none if it rises (or, at the
/// start, stays).
///
/// # Errors
/// [`GivenUp`] if there is no answer.
pub fn first_root<const N: usize>(
    start: f64,
    end: f64,
    noise: f64,
    touch: Touch,
    mut eval: impl FnMut(f64) -> [Jet; N],
) -> Result<Option<Root>, GivenUp> {
    if !noise.is_finite() {
        return Err(GivenUp); // What has overflowed has no roots.
    }
    let mut s = start;
    let mut jets = eval(s);
    if let Some(which) = falls_at_once(&mut jets, noise) {
        return Ok(Some(Root { at: start, which }));
    }
    // Functions that reach zero at the end and not before.
    let mut lasts = [false; N];
    for evaluations in 0..MAX_EVALUATIONS {
        if evaluations % STRIDE == STRIDE - 1 && Interrupt::is_current_requested() {
            break;
        }
        let (step, which) = safe_step(&jets, end - s);
        // The sum alone may fall short of the end by its rounding.
        if s + step >= end || step >= end - s {
            return Ok(None);
        }
        // Arrived when the root is known to a rounding: it is no farther than `slack` beyond `step`.
        let resolution = (2.0 * f64::EPSILON * s.abs().max(end - start)).max(f64::MIN_POSITIVE);
        let slack = jets[which].slack(step);
        let arrived = step <= resolution;
        if touch == Touch::Exceeds && reaches_end(&jets[which], step, end - s, noise) {
            lasts[which] = true;
            jets[which] = Jet::NEVER;
            continue;
        }
        if (arrived && s > start || slack <= resolution)
            && (touch == Touch::Counts || !touches(&jets[which], noise))
        {
            return Ok(Some(Root { at: s + step + 0.5 * slack.min(resolution), which }));
        }
        if touch == Touch::Counts
            && let Some((i, d)) = first_touch(&jets, step, noise)
        {
            return Ok(Some(Root { at: s + d, which: i }));
        }
        if arrived && !jets[which].value.is_finite() {
            break; // Nor does a step lead out of it.
        }
        let before = jets;
        s = if arrived { past(&jets[which], s, resolution, noise) } else { s + step };
        if s >= end {
            return Ok(None);
        }
        jets = eval(s);
        for (which, jet) in jets.iter_mut().enumerate() {
            if lasts[which] {
                *jet = Jet::NEVER;
            }
            if jet.value > noise {
                continue;
            }
            // Zero to rounding. It is a root, unless it rises and rose before: then it has just left one.
            let rises = jet.first > 0.0 && before[which].first >= 0.0 && jet.value >= -noise;
            let last = || touch == Touch::Exceeds && reaches_end(jet, 0.0, end - s, noise);
            let passes = || touches(jet, noise) || last();
            if !rises && (touch == Touch::Counts || !passes()) {
                let late = if touch == Touch::Counts { vertex_of_touch(jet, noise) } else { 0.0 };
                let at = if s + late < end { s + late } else { s };
                return Ok(Some(Root { at, which }));
            }
            jet.value = jet.value.max(0.0);
        }
    }
    Err(GivenUp)
}

/// Which function is zero at the start and falls there; those that are zero to rounding are made zero.
#[inline]
fn falls_at_once<const N: usize>(jets: &mut [Jet; N], noise: f64) -> Option<usize> {
    for (which, jet) in jets.iter_mut().enumerate() {
        if jet.value <= noise {
            jet.value = 0.0;
            if jet.first < 0.0 || (jet.first == 0.0 && jet.second < 0.0) {
                return Some(which);
            }
        }
    }
    None
}

/// How far no function has a root, `most` at the most, and which function limits it.
#[inline]
fn safe_step<const N: usize>(jets: &[Jet; N], most: f64) -> (f64, usize) {
    let mut least = (most, 0);
    let mut confirm = |i: usize| {
        let d = jets[i].safe_step(least.0);
        if d < least.0 {
            least = (d, i);
        }
    };
    // The falling ones first: they shorten the step that the others only have to confirm.
    let falls = |i: usize| jets[i].first < 0.0;
    if N <= 2 {
        let lead = usize::from(N == 2 && !falls(0) && falls(N - 1));
        (0..N).for_each(|i| confirm(i ^ lead));
    } else {
        (0..N).filter(|&i| falls(i)).for_each(&mut confirm);
        (0..N).filter(|&i| !falls(i)).for_each(confirm);
    }
    least
}

/// A function whose parabola has its minimum within `step` and within `noise` of zero, where the
/// parabola is right to `noise`; and how far that is.
fn first_touch<const N: usize>(jets: &[Jet; N], step: f64, noise: f64) -> Option<(usize, f64)> {
    jets.iter().enumerate().find_map(|(i, jet)| {
        let vertex = -jet.first / jet.second;
        let near = jet.second > 0.0 && vertex > 0.0 && vertex <= step;
        let cubic = vertex * vertex * vertex * (jet.third.abs() + jet.bound);
        let depth = jet.value + 0.5 * jet.first * vertex;
        (near && cubic <= noise && depth <= noise).then_some((i, vertex))
    })
}

/// Whether the parabola through the jet has its minimum within `noise` of zero.
fn touches(jet: &Jet, noise: f64) -> bool {
    let depth = if jet.second > 0.0 {
        jet.value - 0.5 * jet.first * jet.first / jet.second
    } else {
        f64::NEG_INFINITY
    };
    depth >= -noise
}

/// Whether a function with a root at `step` falls by no more than `noise` from there to the end of the search, `ahead`.
fn reaches_end(jet: &Jet, step: f64, ahead: f64, noise: f64) -> bool {
    let after = ahead - step;
    let third = jet.third.abs() + jet.bound + ahead * jet.growth;
    let slope = (jet.first + step * jet.second).abs() + 0.5 * step * step * third;
    let curvature = jet.second.abs() + step * third;
    after * (slope + after * (0.5 * curvature + after * third / 6.0)) <= noise
}

/// How far ahead a function that is within `noise` of zero, and touches it, has its minimum; 0 for any other. The root of a
/// touch is its minimum: the first value within the noise comes earlier by the root of a rounding.
fn vertex_of_touch(jet: &Jet, noise: f64) -> f64 {
    let vertex = -jet.first / jet.second;
    let third = jet.third.abs() + jet.bound + vertex * jet.growth;
    let cubic = vertex * vertex * vertex * third;
    if vertex > 0.0 && cubic <= noise && touches(jet, noise) { vertex } else { 0.0 }
}

/// A point right of a touch (or of a start that rises too slowly to see).
fn past(jet: &Jet, s: f64, resolution: f64, noise: f64) -> f64 {
    let hop = if jet.second > 0.0 {
        2.0 * jet.first.abs() / jet.second + (2.0 * noise / jet.second).sqrt()
    } else {
        0.0
    };
    s + hop.max(4.0 * resolution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// offset + Σ aₖ cos(wₖ s + pₖ) with its honest bound.
    fn jet(offset: f64, terms: &[(f64, f64, f64)], s: f64) -> [Jet; 1] {
        let mut j =
            Jet { value: offset, first: 0.0, second: 0.0, third: 0.0, bound: 0.0, growth: 0.0 };
        for &(a, w, p) in terms {
            let (sin, cos) = (w * s + p).sin_cos();
            j.value += a * cos;
            j.first -= a * w * sin;
            j.second -= a * w * w * cos;
            j.bound += a.abs() * w.powi(3);
        }
        [j]
    }

    /// Between times so small that their rounding is no number, the search ends at once.
    #[test]
    fn a_span_below_all_numbers_has_an_end() {
        let start = 1.9984e-315;
        let end = 3.9968e-315;
        let mut evaluations = 0;
        let root = first_root(start, end, 1e-30, Touch::Counts, |_| {
            evaluations += 1;
            let bound = f64::INFINITY;
            [Jet { value: 2e-15, first: 1e300, second: -2e-15, third: 0.0, bound, growth: 0.0 }]
        });
        assert!(root == Ok(None) && evaluations < 10, "{root:?} after {evaluations}");
    }

    /// A line that reaches −δ at the end: within the noise it does not exceed zero, and beyond it does. A touch
    /// that counts is found all the same, and so is the root of another function before the end.
    #[test]
    fn what_is_zero_only_at_the_end_has_no_root_before_it() {
        let line = |s: f64, low: f64| Jet { first: -1.0, ..Jet::constant(1.0 - s - low) };
        let noise = 1e-15;
        let roots =
            |low: f64, touch| first_root(0.0, 1.0, noise, touch, |s| [line(s, low)]).unwrap();
        assert_eq!(roots(5e-16, Touch::Exceeds), None);
        assert!(roots(5e-16, Touch::Counts).is_some());
        for low in [2e-15, 1e-12, 1e-3] {
            assert!((roots(low, Touch::Exceeds).unwrap().at - (1.0 - low)).abs() < 2e-15);
        }
        let curved =
            |s: f64| Jet { first: -2.0 * s, second: -2.0, ..Jet::constant(1.0 - s * s - 5e-16) };
        let both = |s: f64| [curved(s), line(s, 0.25)];
        let root = first_root(0.0, 1.0, noise, Touch::Exceeds, both).unwrap().unwrap();
        assert!(root.which == 1 && (root.at - 0.75).abs() < 1e-15);
        let alone = first_root(0.0, 1.0, noise, Touch::Exceeds, |s| [curved(s), line(s, -0.1)]);
        assert_eq!(alone, Ok(None));
    }

    /// What has overflowed is given up at once.
    #[test]
    fn no_root_is_looked_for_where_numbers_overflow() {
        let mut evaluations = 0;
        let root = first_root(0.0, 1.0, f64::INFINITY, Touch::Passes, |_| {
            evaluations += 1;
            let value = f64::INFINITY;
            let first = f64::INFINITY;
            [Jet { value, first, second: f64::NAN, third: 0.0, bound: f64::NAN, growth: 0.0 }]
        });
        assert!(root == Err(GivenUp) && evaluations < 10, "after {evaluations}");
    }

    /// However large the roundings are, what cannot be met is not met.
    #[test]
    fn what_never_falls_has_no_root_within_any_noise() {
        for touch in [Touch::Counts, Touch::Passes] {
            let falls_at_seven =
                |s: f64| [Jet { first: -1e9, ..Jet::constant(1e9 * (7.0 - s)) }, Jet::NEVER];
            let root = first_root(0.0, 10.0, 1e3, touch, falls_at_seven).unwrap();
            assert!(root.is_some_and(|r| r.which == 0 && (r.at - 7.0).abs() < 1e-5), "{root:?}");
            let alone = first_root(0.0, 10.0, 1e3, touch, |_| [Jet::NEVER]);
            assert_eq!(alone, Ok(None));
        }
    }

    /// A function with millions of periods before its root is not searched to the end where somebody asks to stop.
    #[test]
    fn a_long_search_ends_on_request() {
        let stop = Interrupt::new();
        let mut evaluations = 0;
        let root = stop.during(|| {
            first_root(0.0, 1e9, 1e-15, Touch::Passes, |s| {
                evaluations += 1;
                if evaluations == 100_000 {
                    stop.request();
                }
                jet(1.5, &[(1.0, 1.0, 0.0)], s)
            })
        });
        let ended = root == Err(GivenUp) && evaluations < 100_000 + 2 * STRIDE;
        assert!(ended, "{root:?} after {evaluations}");
    }

    proptest! {
        /// Against the first sign change on a grid a thousand times finer than the fastest term.
        #[test]
        fn finds_the_first_root(
            offset in -1.0f64..3.0,
            terms in proptest::collection::vec((-1.0f64..1.0, 0.1f64..10.0, -3.0f64..3.0), 1..4),
        ) {
            let f = |s: f64| jet(offset, &terms, s)[0].value;
            prop_assume!(f(0.0) > 1e-6);
            let brute = (1..300_000).map(|i| 1e-4 * i as f64).find(|&s| f(s) < 0.0);
            let mut calls = 0;
            let found = first_root(0.0, 30.0, 1e-14, Touch::Counts, |s| { calls += 1; jet(offset, &terms, s) }).unwrap();
            match (found, brute) {
                (Some(r), Some(b)) => {
                    prop_assert!(r.at <= b && f(r.at).abs() < 1e-13 * (1.0 + 10.0 * terms.len() as f64));
                    // what the grid cannot see may come earlier: a dip narrower than its spacing
                    prop_assert!(b - r.at < 1.1e-4 || f(r.at + 1e-9) < 0.0 || f(r.at).abs() < 1e-14);
                }
                (None, None) => {}
                (Some(r), None) => prop_assert!(f(r.at).abs() < 1e-8),
                (None, Some(b)) => prop_assert!(b > 29.999),
            }
            prop_assert!(calls < 3000);
        }
    }

    /// The same with the third derivative known and a bound on the fourth.
    fn sharper(offset: f64, terms: &[(f64, f64, f64)], s: f64) -> [Jet; 1] {
        let [mut j] = jet(offset, terms, s);
        (j.bound, j.growth) = (0.0, terms.iter().map(|t| t.0.abs() * t.1.powi(4)).sum());
        j.third = terms.iter().map(|(a, w, p)| a * w.powi(3) * (w * s + p).sin()).sum();
        [j]
    }

    proptest! {
        /// Both kinds of jets find the same root.
        #[test]
        fn a_known_third_derivative_finds_the_same_root(
            offset in -1.0f64..3.0,
            terms in proptest::collection::vec((-1.0f64..1.0, 0.1f64..10.0, -3.0f64..3.0), 1..4),
        ) {
            let mut calls = [0, 0];
            prop_assume!(jet(offset, &terms, 0.0)[0].value > 1e-6);
            let plain = first_root(0.0, 30.0, 1e-14, Touch::Counts, |s| { calls[0] += 1; jet(offset, &terms, s) }).unwrap();
            let sharp = first_root(0.0, 30.0, 1e-14, Touch::Counts, |s| { calls[1] += 1; sharper(offset, &terms, s) }).unwrap();
            match (plain, sharp) {
                (Some(a), Some(b)) => {
                    let slope = jet(offset, &terms, a.at)[0].first.abs();
                    prop_assert!((a.at - b.at).abs() <= 1e-13 * (1.0 + 1.0 / slope), "{} {}", a.at, b.at);
                }
                (None, None) => {}
                // A touch within the rounding is seen by one and not by the other.
                (Some(r), None) | (None, Some(r)) => {
                    prop_assert!(jet(offset, &terms, r.at)[0].value.abs() < 1e-13);
                }
            }
            prop_assert!(calls[1] <= 2 * calls[0] + 12, "{calls:?}");
        }
    }

    #[test]
    fn a_double_root_is_found_or_passed_by_rule() {
        // 1 + cos s touches zero at π; the next touch is at 3π.
        let eval = |s: f64| jet(1.0, &[(1.0, 1.0, 0.0)], s);
        let hit = first_root(0.0, 8.0, 1e-15, Touch::Counts, eval).unwrap().unwrap();
        assert!((hit.at - std::f64::consts::PI).abs() < 1e-13, "{}", hit.at);
        // (2 − s)², a parabola: its Newton steps halve the distance until the value is within the noise.
        let parabola = |s: f64| {
            let value = (2.0 - s) * (2.0 - s);
            let first = -2.0 * (2.0 - s);
            [Jet { value, first, second: 2.0, third: 0.0, bound: 0.0, growth: 0.0 }]
        };
        let hit = first_root(0.0, 4.0, 2e-15, Touch::Counts, parabola).unwrap().unwrap();
        assert!((hit.at - 2.0).abs() < 1e-15, "{}", hit.at);
        assert_eq!(first_root(0.0, 20.0, 1e-15, Touch::Passes, eval), Ok(None));
    }

    #[test]
    fn a_pair_of_roots_closer_than_any_step_is_not_missed() {
        // Dips below zero by 5e-13 only, between π ± 1e-6.
        let eval = |s: f64| jet(1.0 - 5e-13, &[(1.0, 1.0, 0.0)], s);
        let hit = first_root(0.0, 8.0, 1e-15, Touch::Passes, eval).unwrap().unwrap();
        assert!((hit.at - (std::f64::consts::PI - 1e-6)).abs() < 1e-9);
    }

    /// It begins to fall there, be it for less than the noise.
    #[test]
    fn a_fall_at_the_start_is_a_root_however_shallow() {
        let dip = |s: f64| {
            let value = s * (s - 2e-9);
            let first = 2.0 * (s - 1e-9);
            [Jet { value, first, second: 2.0, ..Jet::constant(0.0) }]
        };
        for touch in [Touch::Passes, Touch::Counts] {
            let root = first_root(0.0, 1.0, 1e-15, touch, dip);
            assert_eq!(root, Ok(Some(Root { at: 0.0, which: 0 })), "{touch:?}");
        }
    }

    #[test]
    fn at_the_start_the_direction_decides() {
        let falling = |s: f64| jet(0.0, &[(1.0, 1.0, std::f64::consts::FRAC_PI_2)], s); // −sin s
        let fall = first_root(0.0, 1.0, 1e-15, Touch::Passes, falling);
        assert_eq!(fall, Ok(Some(Root { at: 0.0, which: 0 })));
        let rising = |s: f64| jet(0.0, &[(1.0, 1.0, -std::f64::consts::FRAC_PI_2)], s); // sin s
        let hit = first_root(0.0, 4.0, 1e-15, Touch::Passes, rising).unwrap().unwrap();
        assert!((hit.at - std::f64::consts::PI).abs() < 1e-14);
    }
}
