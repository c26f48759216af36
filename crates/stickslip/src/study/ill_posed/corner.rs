//! A point in a wedge between two straight elastic walls, sent into the corner.
//!
//! The wedge is {0 ≤ θ ≤ β} in polar coordinates about the corner; the point starts at (1 − h, ½ + h) with the
//! velocity (−1, −½), so that it meets the corner at t = 1 for h = 0, and passes it on one or the
//! other side for h ≠ 0. What it does there depends on β:
//!
//! * for h ≠ 0 it is reflected by one wall after the other until it leaves; the velocity it leaves with
//!   depends on the sign of h only;
//! * at h = 0 the energy-conserving rule is u̇⁺ = 2 P_C u̇⁻ − u̇⁻, P_C the projection onto the wedge.
//!
//! The two limits agree for β = π/n only (unfolding the wedge: the line passes the corner on the left
//! or on the right, and the two images differ by the rotation through 2π, which is a multiple of 2β);
//! for even n they agree with the rule too. Elsewhere the solution is not continuous in h.

use crate::error::{Error, require};
use crate::motion::{Motion, Path};
use crate::portable;
use crate::scheme::event_loop::{self, Begins, EventDriven, Failure, Hit, Leg};

/// A point or a vector of the plane, (x, y).
pub type Vector = [f64; 2];

/// Where the book starts, for a given h, and its velocity.
pub fn start(h: f64) -> (Vector, Vector) {
    ([1.0 - h, 0.5 + h], [-1.0, -0.5])
}

/// Direction of the book's starting point at h = 0, as seen from the corner, rad: the wedge must be wider.
pub fn narrowest() -> f64 {
    portable::atan2(0.5, 1.0)
}

/// Uniform motion from `place` at `start`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Straight {
    start: f64,
    place: Vector,
    velocity: Vector,
}

/// A reflection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reflection {
    /// When, s.
    pub time: f64,
    /// Where, m.
    pub place: Vector,
    /// By the second wall (θ = β), not by the first (θ = 0).
    pub second: bool,
    /// Velocity after, m/s.
    pub velocity: Vector,
}

impl Motion for Straight {
    type Phase = ();
    type State = (Vector, Vector);
    type Event = Reflection;

    fn state(&self, t: f64) -> (Vector, Vector) {
        let s = t - self.start;
        let place = [0, 1].map(|i| self.place[i] + s * self.velocity[i]);
        (place, self.velocity)
    }
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The wedge 0 ≤ θ ≤ β, 0 < β ≤ π, as the event loop sees it.
struct Wedge {
    /// Normals into the wedge, of both walls.
    normals: [Vector; 2],
    /// The wall left last: it is not met again before the other.
    last: Option<usize>,
}

impl Wedge {
    fn new(angle: f64) -> Self {
        let (sin, cos) = portable::sin_cos(angle);
        Self { normals: [[0.0, 1.0], [sin, -cos]], last: None }
    }
}

impl EventDriven for Wedge {
    type State = (Vector, Vector);
    type Motion = Straight;
    /// The wall that is met.
    type What = usize;

    fn smooth_until(&mut self, _: f64) -> f64 {
        f64::INFINITY
    }

    fn motion(
        &mut self,
        t: f64,
        state: &(Vector, Vector),
        _: &(),
        until: f64,
    ) -> Result<(Straight, Option<Hit<usize>>), Failure> {
        let &(place, velocity) = state;
        let meets = |wall: usize| {
            let speed = dot(self.normals[wall], velocity);
            let time = t + (dot(self.normals[wall], place) / -speed).max(0.0);
            let meets = self.last != Some(wall) && speed < 0.0 && time < until;
            meets.then_some(Hit { time, what: wall })
        };
        let hit = match (meets(0), meets(1)) {
            (Some(a), Some(b)) => Some(if b.time < a.time { b } else { a }),
            (a, b) => a.or(b),
        };
        Ok((Straight { start: t, place, velocity }, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&usize>) -> (Vector, Vector) {
        leg.motion.state(t)
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        (place, velocity): (Vector, Vector),
        events: &mut Vec<Reflection>,
    ) -> Result<Begins<Self>, Error> {
        let Some(wall) = leg.hit else { return Ok(((place, velocity), ())) };
        let n = self.normals[wall];
        let speed = dot(n, velocity);
        let velocity = [0, 1].map(|i| velocity[i] - 2.0 * speed * n[i]);
        self.last = Some(wall);
        events.push(Reflection { time: leg.stop, place, second: wall == 1, velocity });
        Ok(((place, velocity), ()))
    }

    fn is_finite(&self, state: &(Vector, Vector)) -> bool {
        state.0.iter().chain(&state.1).all(|x| x.is_finite())
    }

    fn describe(&self, (): &()) -> String {
        "flight".into()
    }
}

/// The motion in the wedge of `angle` (rad) from the book's start with h ≠ 0, on [0, `end`] (s).
///
/// # Errors
/// If a number is outside its range.
pub fn solve(angle: f64, h: f64, end: f64) -> Result<Path<Straight>, Error> {
    check(angle)?;
    require(
        "h",
        h,
        h != 0.0 && h.abs() <= 0.5,
        "a number from −½ to ½, not 0: at the corner the law says nothing",
    )?;
    require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
    let state = start(h);
    let wedge = Wedge::new(angle);
    if wedge.normals.iter().any(|&n| dot(n, state.0) < 0.0) {
        return Err(Error::OutOfRange {
            what: "h",
            found: h,
            expected: "an h whose starting point (1 − h, ½ + h) is inside the wedge",
        });
    }
    let mut path = Path::default();
    event_loop::run(wedge, (state, ()), end, 1_000_000, &mut path)?;
    Ok(path)
}

fn check(angle: f64) -> Result<(), Error> {
    let fits = narrowest() < angle && angle <= std::f64::consts::PI;
    require("the wedge's angle", angle, fits, "an angle from above arctan ½ = 0.4637 to π rad")
}

/// The energy-conserving rule at the corner: 2 P_C v − v, C the wedge of `angle` (rad).
pub fn rule(angle: f64, v: Vector) -> Vector {
    let wedge = Wedge::new(angle);
    let inside = wedge.normals.iter().all(|&n| dot(n, v) >= 0.0);
    let projection = if inside {
        v
    } else {
        // Onto one of the edges, or the corner.
        let (sin, cos) = portable::sin_cos(angle);
        let along = |e: Vector| dot(e, v).max(0.0);
        let first = along([1.0, 0.0]);
        let second = along([cos, sin]);
        if first >= second { [first, 0.0] } else { [second * cos, second * sin] }
    };
    [0, 1].map(|i| 2.0 * projection[i] - v[i])
}

/// What the three ways to the corner give for one angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// β, rad.
    pub angle: f64,
    /// Velocity after the corner for h → 0⁺, m/s.
    pub above: Vector,
    /// For h → 0⁻.
    pub below: Vector,
    /// By the rule 2 P_C u̇⁻ − u̇⁻.
    pub rule: Vector,
    /// Reflections for h → 0⁺ and h → 0⁻.
    pub reflections: [usize; 2],
}

impl Corner {
    /// |above − below|, m/s: the jump of the velocity, as a function of the data, at h = 0.
    pub fn jump(&self) -> f64 {
        distance(self.above, self.below)
    }

    /// Distances of the rule from the limits h → 0⁺ and h → 0⁻, m/s.
    pub fn off_rule(&self) -> [f64; 2] {
        [distance(self.rule, self.above), distance(self.rule, self.below)]
    }
}

fn distance(a: Vector, b: Vector) -> f64 {
    portable::hypot(a[0] - b[0], a[1] - b[1])
}

/// The limits and the rule for the wedge of `angle` (rad). The velocity after the last reflection does
/// not depend on |h|, only on the sign, so a small h gives the limits to rounding.
///
/// # Errors
/// If a number is outside its range.
pub fn limits(angle: f64) -> Result<Corner, Error> {
    check(angle)?;
    // Small enough to start inside any wedge that contains the book's start.
    let h = 1e-3 * (angle - narrowest()).min(narrowest());
    let side = |h: f64| {
        let path = solve(angle, h, 10.0)?;
        let end = path.span().1;
        Ok::<_, Error>((path.state(end).1, path.events().len()))
    };
    let (above, up) = side(h)?;
    let (below, down) = side(-h)?;
    let rule = rule(angle, start(0.0).1);
    Ok(Corner { angle, above, below, rule, reflections: [up, down] })
}

/// [`limits`] for each angle, rad.
///
/// # Errors
/// If a number is outside its range.
pub fn table(angles: &[f64]) -> Result<Vec<Corner>, Error> {
    angles.iter().map(|&a| limits(a)).collect()
}
