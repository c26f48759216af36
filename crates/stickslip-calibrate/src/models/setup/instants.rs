//! When a motion is read for what a sensor shows: at the times of its rows, or so that its mean over an interval follows.
//!
//! The mean of a velocity is the difference of the displacements at the ends by the length of the interval, and that of an
//! acceleration the difference of the velocities: two instants. The mean of a displacement or a force is an integral of the
//! motion. Between two events the motion is smooth, so that Gauss's rule gives it to rounding once the interval is cut where the
//! motion is not smooth, and where it is long against a swing.

use super::super::Sensor;
use std::borrow::Cow;
use stickslip::numeric::GAUSS;
use stickslip::{Problem, Solution};

/// The instants at which a motion is read, in order, and how much each counts in which row.
pub struct Instants {
    /// s, from the start of a piece, in order.
    pub times: Vec<f64>,
    /// For each instant: the row, and the factor of what is read there.
    counts: Vec<(usize, f64)>,
    rows: usize,
}

/// What is read of a motion for a sensor.
pub fn read_as(sensor: &Sensor) -> Cow<'_, str> {
    if sensor.average == 0.0 {
        return Cow::Borrowed(&sensor.what);
    }
    integral(&sensor.what).unwrap_or(Cow::Borrowed(&sensor.what))
}

/// What a quantity is the derivative of, if a solution shows that too.
fn integral(what: &str) -> Option<Cow<'_, str>> {
    match what {
        "v" => Some("x".into()),
        "acceleration" => Some("v".into()),
        "vx" => Some("x".into()),
        "vy" => Some("y".into()),
        _ => what.strip_prefix("v_").map(|name| format!("x_{name}").into()),
    }
}

/// Where the integral of a motion is taken in parts.
pub struct Parts {
    /// Instants at which it may not be smooth, in order, s.
    pub corners: Vec<f64>,
    /// The longest part that the rule takes at once, s.
    pub longest: f64,
}

/// Parts of a swing, in radians, that Gauss's rule with eight points integrates to 1e-15 of it.
const SWING: f64 = 2.0;

/// The parts of a solution: between its events, and between the `rows` of the record, at which signals that are sampled there have
/// their corners.
pub fn parts(problem: &Problem, solution: &Solution, rows: impl Iterator<Item = f64>) -> Parts {
    let mut corners: Vec<f64> = rows.collect();
    match solution.oscillator() {
        Some(path) => corners.extend(path.segments().iter().map(|s| s.start)),
        None => corners.extend(solution.events.iter().map(|e| e.time)),
    }
    corners.sort_by(f64::total_cmp);
    let longest = problem.model.as_oscillator().map_or(f64::INFINITY, |o| {
        if o.stiffness > 0.0 { SWING * (o.mass / o.stiffness).sqrt() } else { f64::INFINITY }
    });
    Parts { corners, longest }
}

impl Instants {
    /// Of readings: the times of the rows.
    pub fn of_readings(times: Vec<f64>) -> Self {
        let rows = times.len();
        Self { counts: (0..rows).map(|k| (k, 1.0)).collect(), times, rows }
    }

    /// Of means over intervals of one `length` (s) that end at these instants.
    pub fn of_means(
        what: &str,
        ends: Vec<f64>,
        length: f64,
        parts: impl FnOnce() -> Parts,
    ) -> Self {
        let rows = ends.len();
        let mut all: Vec<(f64, (usize, f64))> = Vec::new();
        if integral(what).is_some() {
            for (k, end) in ends.into_iter().enumerate() {
                all.push(((end - length).max(0.0), (k, -1.0 / length)));
                all.push((end, (k, 1.0 / length)));
            }
        } else {
            let parts = parts();
            for (k, end) in ends.into_iter().enumerate() {
                let mut from = (end - length).max(0.0);
                let inside = parts.corners.partition_point(|c| *c <= from);
                let corners = parts.corners[inside..].iter().copied().take_while(|c| *c < end);
                for to in corners.chain([end]) {
                    cut(from, to, &parts, &mut |t, weight| all.push((t, (k, weight / length))));
                    from = to;
                }
            }
        }
        // Intervals may overlap, and those that touch may do so by rounding.
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (times, counts) = all.into_iter().unzip();
        Self { times, counts, rows }
    }

    /// What the rows show, from what is read at the instants.
    pub fn gathered(&self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        for ((row, weight), value) in self.counts.iter().zip(values) {
            out[*row] += weight * value;
        }
        out
    }
}

/// Nodes and weights of the integral over one smooth part.
fn cut(from: f64, to: f64, parts: &Parts, node: &mut impl FnMut(f64, f64)) {
    let count = ((to - from) / parts.longest).ceil().max(1.0);
    let half = 0.5 * (to - from) / count;
    for i in 0..count as usize {
        let middle = from + (2.0 * i as f64 + 1.0) * half;
        for (x, weight) in GAUSS {
            node(middle - half * x, half * weight);
            node(middle + half * x, half * weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        Parts { corners: vec![0.5, 1.25, 2.0], longest: 0.4 }
    }

    /// ∫ of eˣ, of |x − 1.25| with its corner, and the mean of the derivative of x³, over intervals that touch and that overlap.
    #[test]
    fn means_of_functions() {
        for step in [0.5, 0.2] {
            let length = 0.5;
            let ends: Vec<f64> = (0..4).map(|i| 1.0 + step * f64::from(i)).collect();
            let instants = Instants::of_means("x", ends.clone(), length, parts);
            assert!(instants.times.is_sorted());
            let exp = instants.gathered(instants.times.iter().map(|t| t.exp()));
            let corner = instants.gathered(instants.times.iter().map(|t| (t - 1.25).abs()));
            let rates = Instants::of_means("v", ends.clone(), length, parts);
            assert!(rates.times.is_sorted() && rates.times.len() == 8);
            let cubes = rates.gathered(rates.times.iter().map(|t| t.powi(3)));
            for (k, end) in ends.iter().enumerate() {
                let from = end - length;
                let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * b.abs().max(1.0));
                near(exp[k], (end.exp() - from.exp()) / length);
                let signed = |t: f64| 0.5 * (t - 1.25) * (t - 1.25).abs();
                near(corner[k], (signed(*end) - signed(from)) / length);
                // (b³ − a³)/(b − a) = a² + ab + b².
                near(cubes[k], from * from + from * end + end * end);
            }
        }
    }

    #[test]
    fn readings_are_as_they_are() {
        let instants = Instants::of_readings(vec![0.0, 0.5, 0.7]);
        assert_eq!(instants.gathered([3.0, -1.0, 0.25].into_iter()), [3.0, -1.0, 0.25]);
    }

    #[test]
    fn what_has_an_integral_in_the_motion_is_read_as_that() {
        let read = |what: &str, average: f64| {
            let known = super::super::super::Sought::Known;
            let sensor = Sensor {
                what: what.to_owned(),
                unit: "",
                values: Vec::new(),
                gain: known(1.0),
                offset: known(0.0),
                delay: known(0.0),
                average,
            };
            read_as(&sensor).into_owned()
        };
        let pairs = [("v", "x"), ("acceleration", "v"), ("v_a", "x_a"), ("vy", "y")];
        for (what, integral) in pairs {
            assert_eq!(read(what, 0.1), integral);
            assert_eq!(read(what, 0.0), what);
        }
        for what in ["x", "friction", "friction_v_a"] {
            assert_eq!(read(what, 0.1), what);
        }
    }
}
