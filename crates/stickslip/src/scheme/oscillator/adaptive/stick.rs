//! Sticks: when the load leaves the limits, and what begins at rest.

use super::polish::secant;
use super::window::Window;
use super::{Ends, MOST_STEPS, Rest, System};
use crate::error::Error;
use crate::motion::{Phase, Warning};
use crate::motion::{Poly, TERMS};
use crate::roots::{GivenUp, Root, Touch, first_root};
use crate::scheme::event_loop::{EventDriven, Failure, Hit};
use crate::scheme::oscillator::uniqueness::NEAR;

/// Ahead and back.
const SIDES: [f64; 2] = [1.0, -1.0];

/// Limit less load on both sides over a stretch of a stick, as polynomials.
pub(super) struct Panel {
    start: f64,
    width: f64,
    polys: [Poly; 2],
    /// Size of the terms, N, and of the last terms of the polynomials: how well they follow, N.
    scale: f64,
    tail: f64,
}

impl Panel {
    /// `margin` gives the margin of a side at a time, N, and the size of its terms.
    pub fn new(start: f64, width: f64, margin: impl Fn(f64, f64) -> (f64, f64)) -> Self {
        let mut scale = 0.0f64;
        let mut tail = 0.0f64;
        let polys = SIDES.map(|side| {
            let values = std::array::from_fn::<f64, TERMS, _>(|j| {
                let (m, s) = margin(side, start + width * Poly::node(j));
                scale = if m.is_finite() { scale.max(s) } else { f64::INFINITY };
                m
            });
            let (p, last) = Poly::interpolate(&values);
            tail = tail.max(last);
            p
        });
        Self { start, width, polys, scale, tail }
    }

    /// Whether the polynomials follow the margins to `tolerance`.
    pub fn is_smooth(&self, tolerance: f64) -> bool {
        self.is_finite() && self.tail <= tolerance * self.scale
    }

    pub fn is_finite(&self) -> bool {
        self.scale.is_finite()
    }

    /// Where one of the margins first falls below zero, but for rounding.
    pub fn first_root(&self) -> Result<Option<Root>, GivenUp> {
        self.first_below(-64.0 * f64::EPSILON * self.scale)
    }

    /// Where one of the margins first falls below `less`, N.
    fn first_below(&self, less: f64) -> Result<Option<Root>, GivenUp> {
        let Self { start, width, polys, .. } = self;
        let bounds = polys.map(|p| p.third_bound(*width));
        first_root(*start, start + width, 0.0, Touch::Passes, |s| {
            let jet = |i: usize| {
                let mut j = polys[i].jet((s - start) / width, *width, bounds[i]);
                j.value -= less;
                j
            };
            [jet(0), jet(1)]
        })
    }

    /// The least margin just after `near`, N.
    fn least(&self, near: Root) -> f64 {
        self.polys[near.which].least((near.at - self.start) / self.width)
    }
}

impl System {
    /// The stick from `start`: panels on which the margins are polynomials, until one is crossed.
    pub(super) fn stick(
        &mut self,
        start: f64,
        rest: &Rest,
        until: f64,
    ) -> Result<Option<Hit<Ends>>, Failure> {
        let o = self.o.clone();
        let window = Window::new(&o, start, rest.pushed());
        let mut t = start;
        let mut panels = 0;
        while t < until {
            self.interrupt.check(t)?;
            panels += 1;
            if panels > MOST_STEPS {
                return Ok(Some(Hit { time: t, what: Ends::Pauses }));
            }
            let (exit, width) = self.panel(&window, t, start, rest, until)?;
            if let Some((time, side)) = exit {
                return Ok(Some(Hit { time, what: Ends::Leaves(side) }));
            }
            t = if t + width >= until { until } else { t + width };
        }
        Ok(None)
    }

    /// Margins on a panel from `t`: when and towards which side the load first leaves them on it, and its width.
    fn panel(
        &mut self,
        window: &Window<'_>,
        t: f64,
        start: f64,
        rest: &Rest,
        until: f64,
    ) -> Result<(Option<(f64, f64)>, f64), Failure> {
        let margin = |side: f64, at: f64| window.margin(side, at, rest.u.x, start, rest.since);
        let tolerance = (0.1 * self.options.rtol).max(1e-14);
        // However narrow the last panel of the last stick was, this one begins with a share of what is ahead.
        self.panel = self.panel.max(1e-6 * (until - t));
        loop {
            let width = self.panel.min(until - t);
            let panel = Panel::new(t, width, margin);
            // Late in a long run an instant itself is known to its rounding only.
            let climbs = |side: f64| (margin(side, t + width).0 - margin(side, t).0).abs() / width;
            let slope = climbs(SIDES[0]).max(climbs(SIDES[1]));
            let rounding = 4.0 * f64::EPSILON * (t + width).abs() * slope;
            let accepted = (tolerance * panel.scale).max(rounding);
            let smooth = panel.scale.is_finite() && panel.tail <= accepted;
            if !smooth && width > self.shortest(t).max(1e-9 * (until - t)) {
                self.panel = 0.5 * width;
                continue;
            }
            if !smooth && !panel.scale.is_finite() {
                return Err(Error::NotFinite { time: t, step: 0.0 }.into());
            }
            if smooth && self.panel <= width {
                let wide = panel.tail <= 1e-2 * tolerance * panel.scale;
                self.panel *= if wide { 2.0 } else { 1.2 };
            }
            let noise = (64.0 * f64::EPSILON).max(NEAR) * panel.scale;
            // At the limit, to rounding, counts as at the limit: beyond it is what exceeds `noise`.
            let mut root = panel.first_below(-noise)?;
            if !smooth && SIDES.iter().all(|&s| margin(s, t + width).0 >= -noise) {
                root = None; // the polynomial follows too badly to be believed
            }
            if let Some(root) = root {
                let side = SIDES[root.which];
                let f = |at: f64| margin(side, at).0;
                let at = secant(f, t, root.at, t + width, 1e-3 * width);
                return Ok((Some((at, side)), width));
            }
            if self.o.friction.is_rule() {
                let band = 10.0 * self.options.rtol * panel.scale;
                let inside = |at: f64| SIDES.iter().all(|&s| margin(s, at).0 > band);
                // Where the contact holds more than it slides; within 1e-12 it is told as a solution
                // that is not unique.
                if inside(t)
                    && inside(t + width)
                    && let Some(near) = panel.first_below(band)?
                    && window.surplus(
                        SIDES[near.which],
                        near.at,
                        window.carried(rest.u.x, start, near.at).x,
                        rest.since,
                    ) > band
                    && panel.least(near).abs() > 2.0 * noise
                {
                    self.warn(Warning::NearMiss { time: near.at });
                }
            }
            return Ok((None, width));
        }
    }

    /// The slip that the load can drive from rest, if it can.
    pub(super) fn leave_at_will(&mut self, t: f64, rest: &Rest) -> Result<Phase, Error> {
        let b = self.o.load_at_rest(rest.u.x, t);
        let slides = b.abs() >= self.o.normal_force(rest.u.x, t) * self.o.friction.force(b, 0.0);
        if slides { Ok(Phase::slip(b)) } else { self.at_rest(t, rest) }
    }

    /// The phase that begins at rest: slip where the load is beyond a limit or just about to be.
    pub(super) fn at_rest(&mut self, t: f64, rest: &Rest) -> Result<Phase, Error> {
        let o = self.o.clone();
        let window = Window::new(&o, t, rest.pushed());
        for side in [1.0, -1.0] {
            let (m, scale) = window.margin(side, t, rest.u.x, t, rest.since);
            if m < -NEAR * scale {
                return Ok(Phase::slip(side));
            }
        }
        let until = self.smooth_until(t).min(self.end);
        if t < until {
            let (exit, width) = self
                .panel(&window, t, t, rest, until)
                .map_err(|failure| failure.at(t, || Phase::Stick.to_string()))?;
            // A stick that would end where it begins does not begin.
            if let Some((at, side)) = exit
                && at - t <= 1e-9 * width
            {
                return Ok(Phase::slip(side));
            }
        }
        Ok(Phase::Stick)
    }
}
