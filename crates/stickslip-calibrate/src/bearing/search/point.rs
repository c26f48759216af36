//! Points of the search space, and the error at them.

use std::sync::Arc;

use stickslip::lanes::{LANES, Sums, Thresholds};

use crate::bearing::search::linear::{Linear, Moments};
use crate::bearing::search::prepared::{Column, Prepared, Track};
use crate::parallel;

/// A path, up to the scale that the linear part finds.
///
/// The coordinates are chosen so that the error depends on each separately, near enough: the mean
/// lead ρ_d sets the width of the loops, δ the size of the jumps, `lattice` (near the middle of the
/// drive's range, not at its start) where the rest positions lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// ρ_d = ρ − δ/2 = f_d/(Kβ) ≥ 0.
    pub sliding: f64,
    /// δ ≥ 0.
    pub delta: f64,
    /// One rest position; the others are δ apart. Without meaning for δ = 0.
    pub lattice: f64,
    /// For each stretch u ∈ [−1, 1]: it starts at rest next to T + ρu.
    pub starts: Arc<[f64]>,
}

/// A point, its path's best line and its count of jumps.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The point.
    pub point: Point,
    /// The line.
    pub line: Linear,
    /// Jumps of the path (δ = 0: samples at which it moved).
    pub jumps: f64,
}

impl Point {
    /// (ρ, δ).
    pub fn thresholds(&self) -> Thresholds {
        Thresholds { rho: self.sliding + 0.5 * self.delta, delta: self.delta }
    }

    /// ξ at the start of stretch `s`, whose first drive is `t`.
    pub fn start(&self, s: usize, t: f64) -> f64 {
        let rho = self.sliding + 0.5 * self.delta;
        // In stick T − ξ is between −ρ and ρ: a start is where in this band the slider stands.
        let target = t + rho * self.starts.get(s).copied().unwrap_or(0.0);
        if self.delta <= 0.0 {
            return target;
        }
        // Every rest of one record is a whole number of jumps from every other.
        let xi = self.lattice + self.delta * ((target - self.lattice) / self.delta).round();
        // The rest next to it may lie outside the band, by less than a jump: then the one before it is inside.
        if xi - t > rho {
            xi - self.delta
        } else if t - xi > rho {
            xi + self.delta
        } else {
            xi
        }
    }

    /// Near enough to count as the same minimum: thresholds within 2 %.
    pub fn resembles(&self, other: &Self) -> bool {
        let p = self.thresholds();
        let q = other.thresholds();
        // Of small jumps a tenth of ρ is the measure: near δ = 0 a share of δ would tell everything apart.
        let near = |a: f64, b: f64, scale: f64| (a - b).abs() <= 0.02 * scale;
        near(p.rho, q.rho, p.rho) && near(p.delta, q.delta, p.delta.max(0.1 * p.rho))
    }
}

/// Jumps smaller than this share of the drive's range count as none, the play operator.
const SMALLEST_JUMP: f64 = 1.0 / 800.0;

/// δ, or 0 where it is too small to be seen.
pub fn seen(delta: f64, track: &Track) -> f64 {
    if delta < SMALLEST_JUMP * track.range { 0.0 } else { delta }
}

/// Thresholds and starting states of points, as the lanes take them.
fn set_up<'a>(
    track: &Track,
    points: impl Iterator<Item = &'a Point> + Clone,
) -> (Vec<Thresholds>, Vec<f64>) {
    let start = |p: &Point| {
        let openings = track.openings.iter().enumerate();
        openings.map(|(s, o)| p.start(s, o.first)).collect::<Vec<_>>()
    };
    (points.clone().map(Point::thresholds).collect(), points.flat_map(start).collect())
}

/// The sums of every point's path, in lanes, on the calling thread.
pub fn sums<'a>(track: &Track, points: impl Iterator<Item = &'a Point> + Clone) -> Vec<Sums> {
    let (sets, starts) = set_up(track, points);
    let mut sums = vec![Sums::default(); sets.len()];
    track.record.sums(&sets, &starts, &mut sums);
    sums
}

/// From so many samples on the groups of lanes go to several threads.
const LONG: f64 = 16_384.0;

/// Tries every point, in lanes; on the calling thread, unless the record is long.
pub fn score(track: &Track, points: Vec<Point>) -> Vec<Scored> {
    // A short record is scored in less time than threads take to start.
    if track.record.weight() > LONG && points.len() > LANES {
        let groups = points.chunks(LANES).map(<[Point]>::to_vec).collect();
        return parallel::map(groups, |group| scored(track, group)).into_iter().flatten().collect();
    }
    scored(track, points)
}

/// Tries every point on the calling thread.
fn scored(track: &Track, points: Vec<Point>) -> Vec<Scored> {
    let (sets, starts) = set_up(track, points.iter());
    let mut sums = vec![Sums::default(); points.len()];
    track.record.sums(&sets, &starts, &mut sums);
    let on_trend = on_trend(track, &sets, &starts);
    let scored = |(i, (point, sums)): (usize, (Point, Sums))| {
        let on_trend = on_trend.iter().map(|column| column[i].xi_response);
        let line = Moments::new(track, &sums, on_trend).fit();
        Scored { point, line, jumps: sums.jumps }
    };
    points.into_iter().zip(sums).enumerate().map(scored).collect()
}

/// For each trend column q: the sums of every path with q as its response.
pub fn on_trend(track: &Track, sets: &[Thresholds], starts: &[f64]) -> Vec<Vec<Sums>> {
    let of = |column: &Column| {
        let mut sums = vec![Sums::default(); sets.len()];
        column.record.sums(sets, starts, &mut sums);
        sums
    };
    track.columns.iter().map(of).collect()
}

/// The better of the two, the first if they are equal.
pub fn better(a: Scored, b: Scored) -> Scored {
    if b.line.rss < a.line.rss { b } else { a }
}

impl Scored {
    /// This path and line, found in one reading of a record, in the centred variables of another.
    pub fn recentred(mut self, from: &Prepared, to: &Prepared) -> Self {
        let apart = from.drive_centre - to.drive_centre;
        let line = &mut self.line;
        // z = c + aξ + bT keeps its values when ξ and T are both counted from another centre.
        line.constant +=
            from.response_centre - to.response_centre - (line.on_path + line.on_drive) * apart;
        line.mean_path += apart;
        line.mean_drive += apart;
        self.point.lattice += apart;
        self
    }

    /// The starting states that the response shows: ξ = (z − c − bT)/a over the first samples of
    /// each stretch. Where the line has no path (a = 0) or the stretch no response, as before.
    pub fn seen_starts(&self, track: &Track) -> Arc<[f64]> {
        let Linear { constant, on_path, on_drive, .. } = self.line;
        let rho = self.point.thresholds().rho;
        let openings = track.openings.iter().zip(self.point.starts.iter());
        openings
            .map(|(o, &old)| match o.mean {
                Some((t, z)) if on_path != 0.0 && rho > 0.0 => {
                    // With a path and a line the response tells the state: ξ = (z − c − bT)/a.
                    let xi = (z - constant - on_drive * t) / on_path;
                    ((xi - o.first) / rho).clamp(-1.0, 1.0)
                }
                _ => old,
            })
            .collect()
    }
}
