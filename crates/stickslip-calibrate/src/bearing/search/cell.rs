//! All the points that share a path's jumps: a convex cell.
//!
//! A path with level n at ξ = ℓ + δn rests there while |T − ξ| ≤ ρ and jumps up at the first T > ξ + ρ. With
//! ρ = ρ_d + δ/2 both are linear in y = (ρ_d, δ, ℓ):
//!
//! ```text
//! rests at n from T_lo to T_hi     ρ_d + δ(n + ½) + ℓ ≥ T_hi,     −ρ_d + δ(n − ½) + ℓ ≤ T_lo
//! jumps up from n at T             ρ_d + δ(n + ½) + ℓ < T
//! jumps down from n at T           −ρ_d + δ(n − ½) + ℓ > T
//! ```
//!
//! so one pass along the path gives four planes for each level, and no evaluation is needed to move inside.
//! The error is constant there. A path with δ = 0 has no jumps and no cell.

use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Track;
use crate::statistics::random::Draws;

/// (ρ_d, δ, ℓ).
pub type Vector = [f64; 3];

/// Rounds of whitening, and steps in each.
const ROUNDS: usize = 4;
const STEPS: usize = 24;

/// The coordinates of a point.
pub fn coordinates(p: &Point) -> Vector {
    [p.sliding, p.delta, p.lattice]
}

/// y + t d.
pub fn along(y: Vector, t: f64, d: Vector) -> Vector {
    [0, 1, 2].map(|i| y[i] + t * d[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A direction: normal deviates along three axes.
pub fn direction(axes: &[Vector; 3], draws: &mut Draws) -> Vector {
    axes.iter().fold([0.0; 3], |sum, axis| along(sum, draws.normal(), *axis))
}

/// The four bounds that one level sets.
#[derive(Clone, Copy)]
struct Level {
    top: f64,
    bottom: f64,
    up: f64,
    down: f64,
}

/// A convex cell.
#[derive(Debug, Clone)]
pub struct Cell {
    /// g·y ≤ h.
    planes: Vec<(Vector, f64)>,
    /// Level at the start of each stretch.
    starts: Vec<f64>,
    /// A point inside.
    pub inside: Vector,
    /// Axes of a normal law about as wide as the cell.
    pub axes: [Vector; 3],
}

impl Cell {
    /// The cell that a point with δ > 0 lies in.
    pub fn of(track: &Track, point: &Point, draws: &mut Draws) -> Option<Self> {
        let Point { delta, lattice, .. } = *point;
        if delta <= 0.0 {
            return None;
        }
        let states: Vec<f64> =
            track.openings.iter().enumerate().map(|(s, o)| point.start(s, o.first)).collect();
        let starts: Vec<f64> = states.iter().map(|xi| ((xi - lattice) / delta).round()).collect();
        let far = f64::INFINITY;
        let near = f64::NEG_INFINITY;
        // Of a level where the path never rests no bound comes: the infinite ones are left out below.
        let empty = Level { top: near, bottom: far, up: far, down: near };
        // Levels from −reach to reach: rest positions lie within the drive's range and ρ of it.
        let reach = ((track.range + lattice.abs() + 2.0 * point.sliding) / delta).ceil() as i64 + 2;
        let mut levels = vec![empty; 2 * reach as usize + 1];
        // A path from outside the search's box may go beyond; its bounds then fall on the outermost level.
        let at = |n: i64| (n + reach).clamp(0, 2 * reach) as usize;
        track.record.rests(point.thresholds(), &states, |rest| {
            let n = rest.level + starts[rest.stretch] as i64;
            let level = &mut levels[at(n)];
            level.bottom = level.bottom.min(rest.range[0]);
            level.top = level.top.max(rest.range[1]);
            if let Some((t, count)) = rest.end {
                // The last of several jumps decides.
                let level = &mut levels[at(n + count - count.signum())];
                match count > 0 {
                    true => level.up = level.up.min(t),
                    false => level.down = level.down.max(t),
                }
            }
        });
        let range = track.range;
        // The box of the search: ρ_d and δ are positive, and nothing beyond the drive's range slips.
        let mut planes = vec![
            ([-1.0, 0.0, 0.0], 0.0),
            ([1.0, 0.0, 0.0], range),
            ([0.0, -1.0, 0.0], 0.0),
            ([0.0, 1.0, 0.0], range),
            ([0.0, 0.0, 1.0], range),
            ([0.0, 0.0, -1.0], range),
        ];
        for (i, level) in levels.into_iter().enumerate() {
            let n = i as i64 - reach;
            // The normals of the module's planes: (1, n + ½, 1) above the level, (−1, n − ½, 1) below it.
            let above = [1.0, n as f64 + 0.5, 1.0];
            let below = [-1.0, n as f64 - 0.5, 1.0];
            let less = |g: Vector| g.map(|x: f64| -x);
            for (g, h) in [
                (less(above), -level.top),
                (below, level.bottom),
                (above, level.up),
                (less(below), -level.down),
            ] {
                if h.is_finite() {
                    planes.push((g, h));
                }
            }
        }
        let inside = coordinates(point);
        let mut cell = Self { planes, starts, inside, axes: [[0.0; 3]; 3] };
        cell.whiten(draws);
        Some(cell)
    }

    /// The point at y, with this cell's levels at the starts.
    pub fn point(&self, track: &Track, y: Vector) -> Point {
        let [sliding, delta, lattice] = y;
        let rho = sliding + 0.5 * delta;
        let start = |(level, o): (&f64, &crate::bearing::search::prepared::Opening)| {
            // The inverse of `Point::start`, so that the path begins on the same level everywhere in the cell.
            ((lattice + delta * level - o.first) / rho).clamp(-1.0, 1.0)
        };
        let starts = self.starts.iter().zip(&track.openings).map(start).collect();
        Point { sliding, delta, lattice, starts }
    }

    /// Whether y lies inside. (Of a path with the same levels at the starts.)
    pub fn holds(&self, y: Vector) -> bool {
        self.planes.iter().all(|&(g, h)| dot(g, y) <= h)
    }

    /// How far one can go from y, backward (≤ 0) and forward (≥ 0), along d.
    pub fn chord(&self, y: Vector, d: Vector) -> [f64; 2] {
        let mut back = f64::NEG_INFINITY;
        let mut ahead = f64::INFINITY;
        for &(g, h) in &self.planes {
            // A point on a wall is outside by rounding, and must not be sent backwards.
            let rate = dot(g, d);
            let room = (h - dot(g, y)).max(0.0);
            if rate > 0.0 {
                ahead = ahead.min(room / rate);
            } else if rate < 0.0 {
                back = back.max(room / rate);
            }
        }
        // Without a wall there is no chord: one stays.
        [back, ahead].map(|t: f64| if t.is_finite() { t } else { 0.0 })
    }

    /// Uniform in the cell, after `steps` of hit and run (Smith 1984) from y in it.
    pub fn walk(&self, mut y: Vector, steps: usize, draws: &mut Draws) -> Vector {
        for _ in 0..steps {
            let d = direction(&self.axes, draws);
            let [back, ahead] = self.chord(y, d);
            y = along(y, back + (ahead - back) * draws.unit(), d);
        }
        y
    }

    /// Finds the axes: those of the points that a walk along the present ones visits, several times.
    fn whiten(&mut self, draws: &mut Draws) {
        // First along the coordinates, by the chords through the point.
        for i in 0..3 {
            let mut unit = [0.0; 3];
            unit[i] = 1.0;
            let [back, ahead] = self.chord(self.inside, unit);
            self.axes[i] = unit.map(|u| u * (ahead - back));
        }
        for _ in 0..ROUNDS {
            let mut seen = [[0.0; 3]; STEPS];
            for y in &mut seen {
                self.inside = self.walk(self.inside, 1, draws);
                *y = self.inside;
            }
            let mean = [0, 1, 2].map(|i| seen.iter().map(|y| y[i]).sum::<f64>() / STEPS as f64);
            let covariance = |i: usize, j: usize| {
                let sum: f64 = seen.iter().map(|y| (y[i] - mean[i]) * (y[j] - mean[j])).sum();
                sum / STEPS as f64
            };
            // The columns of the Cholesky factor.
            let mut axes = [[0.0; 3]; 3];
            for j in 0..3 {
                for i in j..3 {
                    let known: f64 = (0..j).map(|k| axes[k][i] * axes[k][j]).sum();
                    let left = covariance(i, j) - known;
                    axes[j][i] = match i == j {
                        // A walk that stayed within a plane would never leave it again.
                        true => left.max(1e-12 * covariance(j, j)).sqrt(),
                        false if axes[j][j] > 0.0 => left / axes[j][j],
                        false => 0.0,
                    };
                }
            }
            self.axes = axes;
        }
    }

    /// Proportional to the volume, roughly.
    pub fn volume(&self) -> f64 {
        self.axes[0][0] * self.axes[1][1] * self.axes[2][2]
    }

    /// Points just outside, behind the walls that `count` chords end at.
    pub fn neighbours(&self, track: &Track, count: usize, draws: &mut Draws) -> Vec<Point> {
        let mut out = Vec::with_capacity(2 * count);
        let mut y = self.inside;
        for _ in 0..count {
            y = self.walk(y, 2, draws);
            let d = direction(&self.axes, draws);
            let [back, ahead] = self.chord(y, d);
            // Just behind the wall another path begins, whose jumps differ by one.
            let beyond = 1e-6 * (ahead - back);
            for t in [back - beyond, ahead + beyond] {
                let z = along(y, t, d);
                if z[0] > 0.0 && z[1] > 0.0 {
                    out.push(self.point(track, z));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearing::search::point::score;

    fn track() -> Track {
        let drive = |i: usize| {
            let i = i as f64;
            9.0 * (0.004 * i).sin() + 4.0 * (0.13 * i).sin() + 0.3 * (1.7 * i).sin()
        };
        let samples: Vec<_> = (0..4000).map(|i| (drive(i), drive(i + 900), 1.0)).collect();
        let opening =
            |i: usize| crate::bearing::search::prepared::Opening { first: drive(i), mean: None };
        Track::new(&samples, &[0, 1500], vec![opening(0), opening(1500)], 26.0, &[])
    }

    /// Inside the error stays the same; behind a wall the path is another.
    #[test]
    fn the_error_is_constant_inside_and_changes_behind_the_walls() {
        let track = track();
        let mut draws = Draws::new(3, 9);
        for (sliding, delta) in [(2.0, 1.3), (4.0, 0.4), (0.5, 0.9)] {
            let point = Point { sliding, delta, lattice: 0.2, starts: vec![0.3, -0.4].into() };
            let cell = Cell::of(&track, &point, &mut draws).unwrap();
            let home = score(&track, vec![point])[0].line.rss;
            let inside: Vec<Point> = (0..200)
                .map(|_| cell.point(&track, cell.walk(cell.inside, 8, &mut draws)))
                .collect();
            let spread = inside.iter().map(|p| p.delta).fold(0.0, f64::max)
                - inside.iter().map(|p| p.delta).fold(f64::INFINITY, f64::min);
            assert!(spread > 1e-6);
            for s in score(&track, inside) {
                assert!((s.line.rss - home).abs() < 1e-9 * home, "{} {home}", s.line.rss);
            }
            let outside = score(&track, cell.neighbours(&track, 100, &mut draws));
            let same = outside.iter().filter(|s| (s.line.rss - home).abs() < 1e-9 * home).count();
            assert!(same == 0, "{same} of {}", outside.len());
        }
    }

    /// The quarter of a triangle's corner: exact moments of a uniform law, from a cell made by hand.
    #[test]
    fn walks_are_uniform() {
        let third = 1.0 / 3.0;
        // The simplex x, y, z ≥ 0, x + 100 y + z ≤ 1: means 1/4, 1/400, 1/4.
        let planes = vec![
            ([-1.0, 0.0, 0.0], 0.0),
            ([0.0, -1.0, 0.0], 0.0),
            ([0.0, 0.0, -1.0], 0.0),
            ([1.0, 100.0, 1.0], 1.0),
        ];
        let inside = [third * 0.1, 1e-5, 0.9];
        let mut cell = Cell { planes, starts: vec![], inside, axes: [[0.0; 3]; 3] };
        let mut draws = Draws::new(1, 1);
        cell.whiten(&mut draws);
        let mut y = cell.inside;
        let mut mean = [0.0; 3];
        let n = 20_000;
        for _ in 0..n {
            y = cell.walk(y, 4, &mut draws);
            mean = along(mean, 1.0 / f64::from(n), y);
        }
        for (found, exact) in mean.into_iter().zip([0.25, 0.0025, 0.25]) {
            assert!((found / exact - 1.0).abs() < 0.03, "{found} {exact}");
        }
    }
}
