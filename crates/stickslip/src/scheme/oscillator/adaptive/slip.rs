//! Slips: chains of steps, and where they end.

use super::dormand_prince::Step;
use super::kinks::Kinks;
use super::polish::{link, polish, residual};
use super::stops::is_open;
use super::window::{Slide, Window};
use super::{Ends, MOST_STEPS, Options, Rest, System, TAMINGS, WILD};
use crate::error::Error;
use crate::motion::{Dense, Link};
use crate::motion::{Phase, State, Warning};
use crate::portable;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::event_loop::{Failure, Hit};

impl System {
    /// A first step by the size of the derivatives (Hairer, Nørsett & Wanner I, §II.4).
    fn first_step(
        &self,
        t: f64,
        u: State,
        a0: f64,
        until: f64,
        a: &impl Fn(f64, f64, f64) -> f64,
    ) -> f64 {
        let Options { rtol, atol, .. } = self.options;
        let scale = |y: f64| atol + rtol * y.abs();
        let norm = |x: f64, v: f64| portable::hypot(x / scale(u.x), v / scale(u.v));
        let d0 = norm(u.x, u.v);
        let d1 = norm(u.v, a0);
        // Near zero neither quotient means anything.
        let h0 = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 * self.end } else { 0.01 * d0 / d1 };
        let h0 = h0.min(until - t);
        let a1 = a(t + h0, u.x + h0 * u.v, u.v + h0 * a0);
        let d2 = norm(h0 * a0, a1 - a0) / h0;
        let most = d1.max(d2);
        // The error of a step goes with its eighth power.
        let h1 = if most <= 1e-15 {
            (1e-3 * h0).max(1e-6 * self.end)
        } else {
            portable::pow(0.01 / most, 0.125)
        };
        (100.0 * h0).min(h1).min(until - t)
    }

    /// The slip from `start`: steps until the relative velocity is zero, a stop's position is reached,
    /// or `until`.
    pub(super) fn slip(
        &mut self,
        start: f64,
        rest: &Rest,
        side: f64,
        until: f64,
    ) -> Result<(Dense, Option<Hit<Ends>>), Failure> {
        let o = self.o.clone();
        let open = is_open(&o, rest.u, side);
        let window = Window::new(&o, start, rest.pushed()).with_contact(open);
        let mut slide = Slide { window, side, start, stop: rest.stop, apart: rest.apart, open };
        let Options { rtol, atol, .. } = self.options;
        let mut dense = Dense::default();
        let mut kinks = Kinks::default();
        let mut tamings = 0;
        let mut t = start;
        let mut u = rest.u;
        let mut a0 = slide.window.acceleration(side, t, u.x, u.v);
        kinks.begin(&mut slide, t, u, a0);
        let a = |t: f64, x: f64, v: f64| slide.window.acceleration(side, t, x, v);
        self.h = self.first_step(t, u, a0, until, &a).max(self.h.min(1e-3 * (until - t)));
        while t < until {
            self.interrupt.check(t)?;
            let a = |t: f64, x: f64, v: f64| slide.window.acceleration(side, t, x, v);
            self.h = self.unbent(&slide.window, side, t, u, a0);
            // A last step that would leave a ten-thousandth of itself takes it along.
            let last = t + 1.0001 * self.h >= until;
            let h = if last { until - t } else { self.h };
            let mut step = Step::new(t, u, a0, h, &a);
            let error = step.error(rtol, atol);
            if error.is_nan() || error > 1.0 {
                self.shorten(t, h, error, side)?;
                continue;
            }
            let l = link(&mut step, &a);
            let excess = residual(&l, &a) / (atol + rtol * step.to.v.abs().max(step.from.v.abs()));
            // The error estimate sees differences between formulas of the same stages; what no stage has seen it cannot see. The
            // residual of the dense output looks between them.
            let wild = excess > WILD && tamings < TAMINGS;
            if wild || self.bends(&slide.window, side, &l) {
                tamings += u32::from(wild);
                self.h = 0.5 * h;
                continue;
            }
            if excess > WILD {
                self.warn(Warning::WildArc { time: t, excess });
            }
            tamings = 0;
            let ends = self.end_inside(&slide, &step, &l, a0)?;
            let kink = kinks.crossed(&slide, &step, &l, a0)?;
            // A kink on the way comes first: beyond it the law is another one, and the end of the slip is looked for
            // again.
            if let Some(cut) = kink.filter(|c| ends.as_ref().is_none_or(|e| c.at < e.0.time)) {
                let shorter = cut.step.map(|mut shorter| {
                    t = shorter.t + shorter.h;
                    u = shorter.to;
                    a0 = shorter.last_acceleration();
                    link(&mut shorter, &a)
                });
                let moved = shorter.is_some();
                dense.links.extend(shorter);
                kinks.pass(&mut slide, cut.above, moved);
                continue;
            }
            if let Some((hit, l)) = ends {
                dense.links.push(l);
                return Ok((dense, Some(hit)));
            }
            kinks.leave();
            dense.links.push(l);
            let grow = if error > 0.0 {
                (0.9 * portable::pow(error, -0.125)).clamp(0.333, 6.0)
            } else {
                6.0
            };
            // A last step is short because the run or the loads end: it says nothing about the next one.
            if !last || grow < 1.0 {
                self.h = h * grow;
            }
            t = if last { until } else { t + h };
            u = step.to;
            a0 = step.last_acceleration();
            if dense.links.len() >= MOST_STEPS && t < until {
                return Ok((dense, Some(Hit { time: t, what: Ends::Pauses })));
            }
        }
        Ok((dense, None))
    }

    /// Shortens the next step after one of `h` from `t` whose `error` was too large.
    ///
    /// # Errors
    /// If that leads nowhere: the step would be below what rounding allows, or the forces are not finite.
    fn shorten(&mut self, t: f64, h: f64, error: f64, side: f64) -> Result<(), Error> {
        let finite = error.is_finite();
        self.h = h * if finite { (0.9 * portable::pow(error, -0.125)).max(0.2) } else { 0.2 };
        if self.h > self.shortest(t) {
            Ok(())
        } else if finite {
            let phase = Phase::slip(side).to_string();
            Err(Error::StepTooShort { time: t, step: self.h, phase })
        } else {
            Err(Error::NotFinite { time: t, step: 0.0 })
        }
    }

    /// Where a step of the slip ends it, at rest or at a stop's position, and the step up to there.
    fn end_inside(
        &mut self,
        slide: &Slide<'_>,
        step: &Step,
        l: &Link,
        a0: f64,
    ) -> Result<Option<(Hit<Ends>, Link)>, GivenUp> {
        let Slide { window, start, .. } = slide;
        let side = slide.side;
        let fresh = l.t == *start;
        let end = l.t + l.h;
        let a = |t: f64, x: f64, v: f64| window.acceleration(side, t, x, v);
        let rests = self.first_rest(l, window, side, fresh, end)?;
        let crosses = self.first_crossing(l, slide, fresh, end)?;
        // A mass that comes to rest at a stop has reached it.
        if let Some(crossing) = crosses.filter(|c| rests.is_none_or(|r| c.at <= r)) {
            let guard = |t: f64, u: State| crossing.guard(u, a(t, u.x, u.v));
            let (time, l) = polish(step, l, a0, crossing.at, guard, &a);
            return Ok(Some((Hit { time, what: crossing.what }, l)));
        }
        let guard = |t: f64, u: State| {
            let [s, rate, ..] = window.support.derivatives(t);
            (side * (u.v - s), side * (a(t, u.x, u.v) - rate))
        };
        Ok(rests.map(|at| {
            let (time, l) = polish(step, l, a0, at, guard, &a);
            (Hit { time, what: Ends::Rests }, l)
        }))
    }

    /// The next step, shortened until the speeds that it is likely to come through leave the friction
    /// nearly straight.
    fn unbent(&self, window: &Window<'_>, side: f64, t: f64, u: State, a0: f64) -> f64 {
        if window.speeds.line.is_some() {
            return self.h;
        }
        let law = &self.o.friction;
        let [support, rate, ..] = window.support.derivatives(t);
        let speed = (side * (u.v - support)).max(0.0);
        let gains = side * (a0 - rate);
        let mut h = self.h;
        while h > 16.0 * self.shortest(t) {
            let then = (speed + gains * h).max(0.0);
            if law.bend(side, speed.min(then), speed.max(then)) <= 1.0 {
                break;
            }
            h *= 0.5;
        }
        h
    }

    /// Whether the speeds that a step came through bend the friction so much that it may have stepped over
    /// a feature of the law, which no stage would then have seen.
    fn bends(&self, window: &Window<'_>, side: f64, l: &Link) -> bool {
        if window.speeds.line.is_some() || l.h <= 16.0 * self.shortest(l.t) {
            return false;
        }
        let speed = |i: i32| {
            let theta = 0.125 * f64::from(i);
            (side * (l.v.at(theta) - window.support.value(l.t + theta * l.h))).max(0.0)
        };
        let (lo, hi) =
            (0..=8).map(speed).fold((f64::INFINITY, 0.0f64), |(lo, hi), s| (lo.min(s), hi.max(s)));
        self.o.friction.bend(side, lo, hi) > 1.0
    }

    /// The first zero of the relative velocity inside a step.
    fn first_rest(
        &mut self,
        l: &Link,
        window: &Window<'_>,
        side: f64,
        fresh: bool,
        end: f64,
    ) -> Result<Option<f64>, GivenUp> {
        let bound = l.v.third_bound(l.h) + window.support.third_bound;
        let scale = l.v.0.iter().map(|c| c.abs()).sum::<f64>();
        let jet = |t: f64, less: f64| {
            let j = l.v.jet((t - l.t) / l.h, l.h, bound);
            let s = window.support.derivatives(t);
            Jet {
                value: side * (j.value - s[0]) - less,
                first: side * (j.first - s[1]),
                second: side * (j.second - s[2]),
                ..j
            }
        };
        let root = first_root(l.t, end, 0.0, Touch::Counts, |t| {
            let mut j = jet(t, 0.0);
            if fresh && t == l.t && j.value <= 1e-13 * scale {
                // From rest the mass sets out towards `side`, whatever the rounding.
                j.value = 0.0;
                if j.first < 1e-12 * scale / l.h {
                    j.first = j.first.max(0.0);
                    j.second = j.second.max(0.0);
                }
            }
            [j]
        })?;
        if let Some(root) = root {
            return Ok(Some(root.at));
        }
        let band = 10.0 * (self.options.atol + self.options.rtol * scale);
        if !self.o.friction.leaves_at_will() {
            return Ok(None); // a stop that is missed has the length 0: the motion after it is the same
        }
        if jet(l.t, band).value > 0.0 && jet(end, band).value > 0.0 {
            let near = first_root(l.t, end, 0.0, Touch::Counts, |t| [jet(t, band)])?;
            if let Some(near) = near {
                self.warn(Warning::NearMiss { time: near.at });
            }
        }
        Ok(None)
    }
}
