//! Infinitely many bounces on a rigid rim, summed.
//!
//! The instants t_k of the impacts, the places along the rim and the speeds along it behave as A + B q^k + C q^{2k} + …, where q is the ratio of the
//! radial speeds after two impacts in a row: close to the end the forces are constant, and the motion of a mass under constant forces
//! and friction is the same at every scale. Aitken's extrapolation of what the impacts were, twice, gives where and when they end;
//! how much it changes from one impact to the next tells how well.

use super::circle::{along, turned};
use super::polar::Sliding;
use super::window::{Window, dot};

/// What an impact leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Impact {
    /// When, s.
    pub t: f64,
    /// Where, m: at the rim.
    pub r: [f64; 2],
    /// Radial speed inwards, m/s.
    pub back: f64,
    /// Speed along the rim, against the clock, m/s.
    pub speed: f64,
}

/// Time (s), length of the arc (m) and speed along it (m/s).
type Place = [f64; 3];

/// Where bounces end.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Time, arc and speed, from the impact that they were summed at.
    pub place: Place,
    /// What the impacts to come add up to of the radial speed after the last one, q/(1 − q).
    pub share: f64,
}

/// The impacts in a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Series {
    last: Option<Impact>,
    /// Where the bounces end by the last two impacts, and by the extrapolation of that: time and arc count from the last impact.
    once: Option<Place>,
    twice: Option<Place>,
    /// How much the time of the end changed by the last impact, s.
    off: Option<f64>,
}

/// u + v.
fn plus(u: Place, v: Place) -> Place {
    [0, 1, 2].map(|i| u[i] + v[i])
}

impl Series {
    /// Forgets what was.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds an impact; where the bounces end, once their end is known to `tolerance` (s) or as well as rounding allows, or as far
    /// as it is known at what `is_last` of them that can be seen.
    pub fn add(&mut self, now: Impact, radius: f64, tolerance: f64, is_last: bool) -> Option<End> {
        let before = self.last.replace(now)?;
        let once = self.once.take();
        let twice = self.twice.take();
        let off_before = self.off.take();
        let q = now.back / before.back;
        if !(q > 0.0 && q < 1.0) {
            return None;
        }
        let angle = crate::portable::atan2(
            before.r[0] * now.r[1] - before.r[1] * now.r[0],
            dot(before.r, now.r),
        );
        let went = [now.t - before.t, radius * angle, now.speed - before.speed];
        // Time and arc count from the present impact, the speed from zero.
        let shift = [-went[0], -went[1], 0.0];
        let share = q / (1.0 - q);
        let now_once = plus(went.map(|x| share * x), [0.0, 0.0, now.speed]);
        self.once = Some(now_once);
        let end = |[time, arc, speed]: Place, off: Place, known: bool| {
            // Bounces that end at rest along the rim as well keep their direction, so that both speeds vanish together.
            let rests = speed.abs() <= 1e-3 * now.back + 4.0 * off[2].abs();
            let place = [time, arc, if rests { 0.0 } else { speed }];
            (time > 0.0 && (known || is_last)).then_some(End { place, share })
        };
        let Some(once) = once else { return end(now_once, [0.0; 3], false) };
        let before_once = plus(once, shift);
        let more = q * q / (1.0 - q * q);
        let now_twice = [0, 1, 2].map(|i| now_once[i] + more * (now_once[i] - before_once[i]));
        self.twice = Some(now_twice);
        let Some(twice) = twice else { return end(now_twice, [0.0; 3], false) };
        let before_twice = plus(twice, shift);
        let off = [0, 1, 2].map(|i| now_twice[i] - before_twice[i]);
        let size = off[0].abs();
        self.off = Some(size);
        // What no longer falls, and is small, is rounding.
        let rounds = off_before.is_some_and(|before| size >= before);
        let known = size <= tolerance || rounds && size <= 1e-6 * now_twice[0];
        end(now_twice, off, known)
    }
}

/// The piece of a motion in which they happen, without their heights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounces {
    /// s.
    pub t: f64,
    pub span: f64,
    /// Where they begin, m.
    pub r: [f64; 2],
    pub radius: f64,
    /// How far they go along the rim, m.
    pub arc: f64,
    /// The speed along the rim at the first and at the end, m/s.
    pub speeds: [f64; 2],
}

impl Bounces {
    /// The mass at the fraction `x` of their time: Hermite's cubic along the rim.
    pub fn at(&self, x: f64) -> Sliding {
        let [first, last] = self.speeds;
        let ends = self.arc * x * x * (3.0 - 2.0 * x);
        let starts = x * (1.0 - x) * (first * (1.0 - x) - last * x);
        let r = turned(self.r, ends + self.span * starts, self.radius);
        let speed = first + x * (last - first);
        Sliding { t: self.t + x * self.span, r, w: along(r).map(|a| speed * a) }
    }

    /// What friction takes while `work` (J) is done on the mass and dampers take `viscous` (J): all but what moves it along the rim and
    /// what springs store.
    pub fn rubs(&self, window: &Window<'_>, work: f64, viscous: f64) -> f64 {
        let [first, last] = self.speeds;
        let model = window.model;
        let stored = model.elastic(self.at(1.0).r) - model.elastic(self.r);
        work - viscous - stored + 0.5 * model.mass * (first * first - last * last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball that falls on a floor which rises and rubs a little: the end of the bounces is the sum of a series.
    #[test]
    fn bounces_end_where_their_series_does() {
        let (g, e) = (9.81, 0.6);
        let mut series = Series::default();
        let mut u = 1e-3;
        let mut t = 2.0;
        let end = t + 2.0 * u / (g * (1.0 - e));
        let mut found = None;
        for _ in 0..5 {
            let now = Impact { t, r: [1.0, 0.0], back: u, speed: 0.25 * u };
            found = series.add(now, 1.0, 1e-12, false).map(|f| (t + f.place[0], f.place[2]));
            t += 2.0 * u / g;
            u *= e;
        }
        let (time, speed) = found.unwrap();
        assert!((time - end).abs() < 1e-14 && speed == 0.0, "{time} {end} {speed}");
    }
}
