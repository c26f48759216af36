//! Fewer points, the same picture.

use std::collections::HashSet;

/// Indices of the points of a series (rising x) that a picture of `columns` pixel columns over [low, high]
/// shows: of every column the first, the lowest, the highest and the last point, so that no extreme is
/// lost; one point beyond each end; and the first non-finite point of each gap, so that it stays one.
pub fn extremes(x: &[f64], y: &[f64], low: f64, high: f64, columns: usize) -> Vec<usize> {
    let n = x.len().min(y.len());
    let begin = x[..n].partition_point(|&v| v < low).saturating_sub(1);
    let end = (x[..n].partition_point(|&v| v <= high) + 1).min(n);
    if end.saturating_sub(begin) <= 4 * columns || high <= low {
        return (begin..end).collect();
    }
    let width = (high - low) / columns as f64;
    let column = |i: usize| ((x[i] - low) / width).floor();
    let mut keep = Vec::with_capacity(4 * columns);
    let mut i = begin;
    while i < end {
        if !y[i].is_finite() {
            keep.push(i);
            while i < end && !y[i].is_finite() {
                i += 1;
            }
            continue;
        }
        let first = i;
        let at = column(i);
        let mut min = i;
        let mut max = i;
        while i < end && y[i].is_finite() && column(i) == at {
            if y[i] < y[min] {
                min = i;
            }
            if y[i] > y[max] {
                max = i;
            }
            i += 1;
        }
        for k in [first, min.min(max), min.max(max), i - 1] {
            if keep.last() != Some(&k) {
                keep.push(k);
            }
        }
    }
    keep
}

/// Whether a series rises in x without a break, as [`extremes`] needs.
pub(crate) fn rises(x: &[f64]) -> bool {
    x.windows(2).all(|w| w[0] <= w[1])
}

/// A polyline on the page without the points that lie within `tolerance` px of the line through their
/// neighbours (Reumann and Witkam's corridor). The ends stay.
pub(crate) fn corridor(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    let mut from = 0;
    while from < points.len() {
        out.push(points[from]);
        let (x0, y0) = points[from];
        // Directions (as a wedge of slopes in the frame of the first long chord) that pass all points.
        let mut last = from;
        let mut wedge: Option<(f64, f64)> = None;
        let mut reach = 0.0;
        for (k, &(x, y)) in points.iter().enumerate().skip(from + 1) {
            let dx = x - x0;
            let dy = y - y0;
            let r = dx.hypot(dy);
            if r <= tolerance {
                if wedge.is_some() {
                    break;
                }
                last = k;
                continue;
            }
            // Turning back would cut off a tip.
            if r < reach - tolerance {
                break;
            }
            let angle = dy.atan2(dx);
            let half = (tolerance / r).min(1.0).asin();
            let Some((a, b)) = wedge else {
                wedge = Some((angle - half, angle + half));
                (last, reach) = (k, r);
                continue;
            };
            let middle = 0.5 * (a + b);
            let mut off = angle - middle;
            off -= (off / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            let angle = middle + off;
            if angle < a || angle > b {
                break;
            }
            wedge = Some((a.max(angle - half), b.min(angle + half)));
            last = k;
            reach = f64::max(reach, r);
        }
        from = if last == from { from + 1 } else { last };
        if from == points.len() - 1 {
            out.push(points[from]);
            break;
        }
    }
    out
}

/// Segments of a polyline that were not drawn before, when points are told apart by `grain` px: a
/// path that runs round and round the same loop is drawn once. `None` lifts the pen.
pub(crate) fn unseen(points: &[(f64, f64)], grain: f64) -> Vec<Option<(f64, f64)>> {
    let cell = |p: (f64, f64)| ((p.0 / grain).round() as i32, (p.1 / grain).round() as i32);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    let mut down = false;
    for w in points.windows(2) {
        let a = cell(w[0]);
        let b = cell(w[1]);
        if a == b {
            continue;
        }
        let fresh = seen.insert((a.min(b), a.max(b)));
        if fresh {
            if !down {
                out.extend([None, Some(w[0])]);
            }
            out.push(Some(w[1]));
        }
        down = fresh;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_column_keeps_its_extremes(y in prop::collection::vec(-1e3..1e3f64, 1..3000), columns in 1usize..40) {
            let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
            let high = (y.len() - 1).max(1) as f64;
            let kept = extremes(&x, &y, 0.0, high, columns);
            prop_assert!(kept.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(kept.len() <= 4 * columns + 8);
            let width = high / columns as f64;
            for c in 0..columns {
                let inside = |i: &usize| (x[*i] / width).floor() == c as f64;
                let range = |v: &mut dyn Iterator<Item = usize>| {
                    v.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), i| (a.min(y[i]), b.max(y[i])))
                };
                let all = range(&mut (0..y.len()).filter(inside));
                let few = range(&mut kept.iter().copied().filter(inside));
                prop_assert_eq!(all, few);
            }
        }

        #[test]
        fn the_corridor_stays_near(p in prop::collection::vec((-50.0..50.0f64, -50.0..50.0f64), 1..60)) {
            let kept = corridor(&p, 0.5);
            prop_assert_eq!(kept.first(), p.first());
            prop_assert_eq!(kept.last(), p.last());
            let distance = |q: (f64, f64), a: (f64, f64), b: (f64, f64)| {
                let dx = b.0 - a.0;
                let dy = b.1 - a.1;
                let l = dx * dx + dy * dy;
                let s = if l == 0.0 { 0.0 } else { (((q.0 - a.0) * dx + (q.1 - a.1) * dy) / l).clamp(0.0, 1.0) };
                (q.0 - a.0 - s * dx).hypot(q.1 - a.1 - s * dy)
            };
            for q in &p {
                let near = kept.windows(2).map(|w| distance(*q, w[0], w[1])).fold(f64::INFINITY, f64::min);
                prop_assert!(kept.len() < 2 || near < 1.1, "{} px off", near);
            }
        }
    }

    #[test]
    fn gaps_and_ends_stay() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut y = vec![1.0; 1000];
        y[500..600].fill(f64::NAN);
        let kept = extremes(&x, &y, 0.0, 999.0, 10);
        assert!(kept.contains(&500) && !kept.contains(&501) && kept.contains(&999));
        assert_eq!(extremes(&[], &[], 0.0, 1.0, 10), Vec::<usize>::new());
    }

    #[test]
    fn a_straight_line_is_two_points_and_a_loop_is_drawn_once() {
        let line: Vec<_> = (0..100).map(|i| (f64::from(i), 2.0 * f64::from(i))).collect();
        assert_eq!(corridor(&line, 0.1), [(0.0, 0.0), (99.0, 198.0)]);
        let square = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)];
        let round: Vec<_> = square.iter().copied().cycle().take(401).collect();
        assert_eq!(unseen(&round, 0.5).iter().flatten().count(), 5);
    }
}
