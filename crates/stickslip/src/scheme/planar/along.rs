//! A slip along a rigid rim: one equation, in the length of the arc and the speed along it.
//!
//! With n = r/a outwards, τ across it and v the velocity along τ,
//!
//! ```text
//! m v̇ = τ·(B + R),      the push of the rim P = n·(B + R) + m v²/a ≥ 0
//! ```
//!
//! While v keeps its sign friction is smooth, so that steps of order 8 in time need nothing special at the start of a slip or at its end.

use super::circle::{AlongLink, along, turned};
use super::polar::Sliding;
use super::rim;
use super::slip::{Link, MOST_STEPS};
use super::window::{Window, dot, length};
use super::{Ends, System};
use crate::error::Error;
use crate::model::planar::Rim;
use crate::portable;
use crate::scheme::event_loop::{Failure, Hit};
use crate::scheme::machine::dormand_prince::Step;

/// Length of the arc and speed along it.
const SIZE: usize = 2;

/// A slip along a rim in one direction.
struct Slide<'a> {
    window: Window<'a>,
    radius: f64,
    /// +1 against the clock, −1 with it.
    side: f64,
}

impl Slide<'_> {
    /// Load and friction on a mass at `r` with this speed against the clock, N.
    fn forces(&self, t: f64, r: [f64; 2], speed: f64) -> [[f64; 2]; 2] {
        let ahead = along(r);
        let load = self.window.load(t, r, ahead.map(|x| speed * x));
        let law = &self.window.model.friction;
        // Stages may overshoot the place where the mass stops: the friction is continued beyond it, so that the step stays smooth.
        let fast = self.side * speed;
        let beyond = fast.min(0.0);
        let slope = if beyond < 0.0 { law.slope_range(1.0, 0.0, 0.0).0 } else { 0.0 };
        let f = self.window.normal(t) * (law.force(1.0, fast.max(0.0)) + slope * beyond);
        let across = self.window.model.ellipse.normal(ahead.map(|x| self.side * x));
        [load, across.map(|n| -f * n)]
    }

    /// The push of the rim (N), and the size of its terms.
    fn push(&self, at: &Sliding) -> [f64; 2] {
        let speed = dot(at.w, along(at.r));
        let [load, friction] = self.forces(at.t, at.r, speed);
        let n = Rim::outward(at.r);
        let flies = self.window.model.mass * speed * speed / self.radius;
        let size = length(load) + length(friction) + flies;
        [dot(n, load) + dot(n, friction) + flies, size]
    }
}

impl Window<'_> {
    /// Whether the load of a mass at rest at `r` does not point away from a rigid rim, to rounding: what slides along the rim under a load
    /// along it will be pushed.
    pub(super) fn presses_at_rest(&self, t: f64, r: [f64; 2]) -> bool {
        let n = Rim::outward(r);
        let load = self.load(t, r, [0.0; 2]);
        let e = self.model.ellipse.0;
        let [n, load] = [n, load].map(|u| [u[0] / e[0], u[1] / e[1]]);
        dot(n, load) >= -Rim::ROUNDING * length(n) * length(load)
    }

    /// What a rigid rim pushes with (N) against a mass at `r` at rest, as little as leaves friction the smallest share of its limit:
    /// the P ≥ 0 for which |E⁻¹ (B − P n)| is least.
    pub(super) fn push_at_rest(&self, t: f64, r: [f64; 2]) -> f64 {
        let n = Rim::outward(r);
        let load = self.load(t, r, [0.0; 2]);
        let e = self.model.ellipse.0;
        let scaled = |u: [f64; 2]| [0, 1].map(|i| u[i] / e[i]);
        let [n, load] = [scaled(n), scaled(load)];
        (dot(n, load) / dot(n, n)).max(0.0)
    }

    /// What is left of the load of a mass at rest at `r` against a rigid rim for friction to hold, N.
    pub(super) fn left_at_rest(&self, t: f64, r: [f64; 2]) -> [f64; 2] {
        let push = self.push_at_rest(t, r);
        let n = Rim::outward(r);
        let load = self.load(t, r, [0.0; 2]);
        [0, 1].map(|i| load[i] - push * n[i])
    }

    /// Whether the rim pushes a mass at `r` that slides along it towards `side`, with this `speed` ≥ 0, or is about to, to rounding.
    pub(super) fn is_pushed(&self, t: f64, r: [f64; 2], side: f64, speed: f64) -> bool {
        let slide = Slide { window: Window::new(self.model, t), radius: length(r), side };
        let w = along(r).map(|x| side * speed * x);
        let [push, size] = slide.push(&Sliding { t, r, w });
        push >= -Rim::ROUNDING * size
    }
}

impl System {
    /// Steps along the `rim` from `at`, which is at it, until the mass stops, leaves it, or `until` (s).
    pub(super) fn along(
        &mut self,
        rim: Rim,
        at: Sliding,
        until: f64,
    ) -> Result<(Vec<Link>, Option<Hit<Ends>>), Failure> {
        let model = self.model.clone();
        let window = Window::new(&model, at.t);
        let Sliding { mut t, mut r, w } = at;
        let mut speed = dot(w, along(r));
        // From rest it sets out where the load that is left points.
        let ahead = if speed == 0.0 { dot(window.left_at_rest(t, r), along(r)) } else { speed };
        let side = if ahead < 0.0 { -1.0 } else { 1.0 };
        let mut links = Vec::new();
        let mut step = Step::of(SIZE);
        let mut polys = Vec::with_capacity(SIZE);
        let mut h = 0.25 * self.pace(&window, &at).min(until - t);
        let slide = Slide { window, radius: rim.radius, side };
        let crate::scheme::oscillator::adaptive::Options { rtol, atol, .. } = self.options;
        let mass = model.mass;
        while t < until {
            self.interrupt.check(t)?;
            let start = r;
            let mut f = |t: f64, u: &[f64], du: &mut [f64]| {
                let r = turned(start, u[0], rim.radius);
                let [load, friction] = slide.forces(t, r, u[1]);
                let ahead = along(r);
                du[0] = u[1];
                du[1] = (dot(ahead, load) + dot(ahead, friction)) / mass;
            };
            step.begin(t, &[0.0, speed], &mut f);
            let last = loop {
                self.interrupt.check(t)?;
                // A last step that would leave a ten-thousandth of itself takes it along.
                let last = t + 1.0001 * h >= until;
                let now = if last { until - t } else { h };
                step.make(now, &mut f);
                let fastest = speed.abs().max(step.to[1].abs());
                let scale = [atol + rtol * rim.radius, atol + rtol * fastest];
                // One step turns the mass by a radian at most.
                let turns = step.to[0].abs() / rim.radius;
                let error = step.error(&scale);
                let error = if error.is_finite() { error.max(turns) } else { error };
                if error <= 1.0 {
                    let grow = if error > 0.0 { 0.9 * portable::pow(error, -0.125) } else { 6.0 };
                    if !last || grow < 1.0 {
                        h = now * grow.clamp(0.333, 6.0);
                    }
                    break last;
                }
                let finite = error.is_finite();
                let factor = if finite { 0.9 * portable::pow(error, -0.125) } else { 0.2 };
                h = now * factor.clamp(0.2, 0.9);
                if h <= self.shortest(t) {
                    let error = if finite {
                        Error::StepTooShort { time: t, step: h, phase: "slip".into() }
                    } else {
                        Error::NotFinite { time: t, step: 0.0 }
                    };
                    return Err(error.into());
                }
            };
            polys.clear();
            step.dense(&mut f, &mut polys);
            let link = AlongLink {
                t,
                h: step.h,
                r: start,
                radius: rim.radius,
                arc: polys[0],
                speed: polys[1],
            };
            let fastest = speed.abs().max(step.to[1].abs());
            let guard = |what: Ends, at: &Sliding| match what {
                Ends::Rests => [side * dot(at.w, along(at.r)), fastest],
                _ => slide.push(at),
            };
            let guards = [Ends::Rests, Ends::Lets];
            let found = rim::first(&guards, links.is_empty(), guard, |theta| link.at(theta))?;
            let end = link.at(1.0);
            links.push(Link::Along(Box::new(link)));
            if let Some((time, what)) = found.filter(|f| f.0 < until) {
                return Ok((links, Some(Hit { time, what })));
            }
            t = if last { until } else { t + step.h };
            r = rim.nearest(end.r);
            speed = step.to[1];
            if links.len() >= MOST_STEPS && t < until {
                return Ok((links, Some(Hit { time: t, what: Ends::Pauses })));
            }
        }
        Ok((links, None))
    }
}
