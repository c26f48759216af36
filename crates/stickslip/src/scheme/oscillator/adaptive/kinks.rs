//! Kinks of a friction law: a slip that comes to such a speed begins a new step there.
//!
//! A step of order 8 that comes over a kink has order 2, and its error is made small by hundreds of short ones. Between two
//! kinks the law is continued, so that each step is smooth, and the crossing is polished as an event is. The forces are
//! continuous there: the motion has no event, and its derivative does not jump.

use super::dormand_prince::Step;
use super::window::Slide;
use crate::law::Smooth;
use crate::motion::{Link, State};
use crate::roots::{GivenUp, Jet, Touch, first_root};

/// Crossings in a row without any progress, after which the law is taken as a whole.
const MOST: u32 = 8;

/// What is known of the kinks around a slip.
#[derive(Default)]
pub(super) struct Kinks {
    /// Whether the step begins at a kink that the slip has just crossed.
    fresh: bool,
    /// Crossings in a row that took no time.
    stalls: u32,
}

/// A kink that a step comes to.
pub(super) struct Cut {
    /// When, s.
    pub at: f64,
    /// Whether it is the upper end of the speeds.
    pub above: bool,
    /// The step up to there; nothing where the slip is there already.
    pub step: Option<Step>,
}

impl Kinks {
    /// The speeds in which a slip begins at `t` (s), with its state and acceleration there.
    pub fn begin(&mut self, slide: &mut Slide<'_>, t: f64, u: State, a: f64) {
        let [support, rate, ..] = slide.window.support.derivatives(t);
        let speed = (slide.side * (u.v - support)).max(0.0);
        let rising = speed == 0.0 || slide.side * (a - rate) > 0.0;
        slide.window.speeds = slide.window.friction_around(slide.side, speed, rising);
        self.fresh = true;
    }

    /// The first kink that a step comes to, if it comes to one.
    pub fn crossed(
        &self,
        slide: &Slide<'_>,
        step: &Step,
        l: &Link,
        a0: f64,
    ) -> Result<Option<Cut>, GivenUp> {
        let Smooth { from, to, .. } = slide.window.speeds;
        let window = &slide.window;
        let side = slide.side;
        let end = l.t + l.h;
        let bound = l.v.third_bound(l.h) + window.support.third_bound;
        let scale = l.v.0.iter().map(|c| c.abs()).sum::<f64>();
        // The distance from a kink that is above (−1) or below (+1), in the speed.
        let mut first: Option<(f64, f64, f64)> = None;
        for (kink, sign) in [(to, -1.0), (from, 1.0)] {
            if !(kink > 0.0 && kink.is_finite()) {
                continue; // the law is smooth to the end on that side
            }
            let noise = 4.0 * f64::EPSILON * (scale + kink);
            let root = first_root(l.t, end, noise, Touch::Passes, |t| {
                let j = l.v.jet((t - l.t) / l.h, l.h, bound);
                let s = window.support.derivatives(t);
                let mut j = Jet {
                    value: sign * (side * (j.value - s[0]) - kink),
                    first: sign * side * (j.first - s[1]),
                    second: sign * side * (j.second - s[2]),
                    ..j
                };
                if self.fresh && t == l.t && j.value.abs() <= noise {
                    j.value = 0.0; // it sets out from the kink, whatever the rounding
                }
                [j]
            })?;
            if let Some(root) = root.filter(|r| first.is_none_or(|first| r.at < first.0)) {
                first = Some((root.at, kink, sign));
            }
        }
        let Some((at, kink, sign)) = first else { return Ok(None) };
        let a = |t: f64, x: f64, v: f64| window.acceleration(side, t, x, v);
        let guard = |t: f64, u: State| {
            let [s, rate, ..] = window.support.derivatives(t);
            let value = sign * (side * (u.v - s) - kink);
            (value, sign * side * (a(t, u.x, u.v) - rate))
        };
        Ok(Some(Cut { at, above: sign < 0.0, step: cut(step, a0, at, guard, &a) }))
    }

    /// The slip has come to a kink; `moved` says whether that took any time.
    pub fn pass(&mut self, slide: &mut Slide<'_>, above: bool, moved: bool) {
        // Crossings that take no time are counted: rounding may send the slip back and forth over a kink at one instant.
        self.stalls = if moved { 0 } else { self.stalls + 1 };
        self.fresh = true;
        let Smooth { from, to, .. } = slide.window.speeds;
        let kink = if above { to } else { from };
        slide.window.speeds = slide.window.friction_around(slide.side, kink, above);
        if self.stalls >= MOST {
            // It stays at the kink to rounding: short steps over it do as well.
            slide.window.speeds = Smooth::EVERYWHERE;
        }
    }

    /// The slip has left the kink.
    pub fn leave(&mut self) {
        self.fresh = false;
        self.stalls = 0;
    }
}

/// The part of a step up to the root of `guard` near `at`: the method of Newton on the step itself.
fn cut(
    step: &Step,
    a0: f64,
    mut at: f64,
    guard: impl Fn(f64, State) -> (f64, f64),
    a: &impl Fn(f64, f64, f64) -> f64,
) -> Option<Step> {
    let least = 4.0 * f64::EPSILON * step.t.abs();
    let mut best = None;
    for _ in 0..3 {
        let h = at - step.t;
        if h.is_nan() || h <= least {
            break;
        }
        let shorter = Step::new(step.t, step.from, a0, h, a);
        let (value, slope) = guard(at, shorter.to);
        best = Some(shorter);
        let by = value / slope;
        if slope >= 0.0 || by.is_nan() || by.abs() > 1e-2 * step.h || by.abs() <= f64::EPSILON * at
        {
            break; // a touch, or done
        }
        at -= by;
    }
    best
}
