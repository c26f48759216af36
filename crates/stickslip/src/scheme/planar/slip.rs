//! A slip: steps until it comes to rest.

use super::bounces::Bounces;
use super::cartesian::{CartesianLink, InTime};
use super::circle::AlongLink;
use super::collocation::{self, GaussLink};
use super::polar::{Frame, PolarLink, SIZE, Sliding};
use super::rim;
use super::side::Side;
use super::window::{Window, dot, length};
use super::{Ends, System};
use crate::error::Error;
use crate::motion::Poly;
use crate::portable;
use crate::scheme::event_loop::{Failure, Hit};
use crate::scheme::machine::dormand_prince::Step;

/// Steps after which a motion ends and the next goes on from there, so that whoever watches a run can stop it.
pub(super) const MOST_STEPS: usize = 5_000;
/// How much faster friction turns the velocity than the motion changes, above which collocation takes over.
const STIFF: f64 = 30.0;
/// Halvings of a step of collocation before it is given up.
const HALVINGS: u32 = 45;

/// A step of a slip.
#[derive(Debug, Clone)]
pub(super) enum Link {
    /// In polar velocities.
    Polar(Box<PolarLink>),
    /// In time, up to the end of the window.
    Cartesian(Box<CartesianLink>),
    /// By collocation.
    Gauss(Box<GaussLink>),
    /// The end of a slip, straight and with a constant deceleration.
    Last(Last),
    /// Along a rigid rim.
    Along(Box<AlongLink>),
    /// Infinitely many bounces on a rigid rim, drawn as a motion along it.
    Bounces(Bounces),
}

/// The last piece of a slip, which comes to rest after `span` (s).
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub from: Sliding,
    pub span: f64,
    /// How far it slides and is carried, m.
    pub way: [f64; 2],
}

impl Link {
    /// Start and end, s.
    pub fn times(&self) -> [f64; 2] {
        match self {
            Self::Polar(link) => link.times.map(|tau| link.frame.start + tau),
            Self::Cartesian(link) => [link.t, link.t + link.h],
            Self::Gauss(link) => [link.from.t, link.from.t + link.h],
            Self::Last(last) => [last.from.t, last.from.t + last.span],
            Self::Along(link) => [link.t, link.t + link.h],
            Self::Bounces(bounces) => [bounces.t, bounces.t + bounces.span],
        }
    }

    /// The mass at the fraction `theta` of it, which is not one of its time.
    pub fn along(&self, theta: f64) -> Sliding {
        match self {
            Self::Polar(link) => link.at(theta),
            Self::Cartesian(link) => link.at(theta),
            Self::Gauss(link) => link.at(theta),
            Self::Last(last) => last.at(last.from.t + theta * last.span),
            Self::Along(link) => link.at(theta),
            Self::Bounces(bounces) => bounces.at(theta),
        }
    }

    /// The mass at `t`, s.
    pub fn at(&self, t: f64) -> Sliding {
        match self {
            Self::Polar(link) => Sliding { t, ..link.at(link.fraction(t - link.frame.start)) },
            Self::Cartesian(link) => {
                Sliding { t, ..link.at(((t - link.t) / link.h).clamp(0.0, 1.0)) }
            }
            Self::Gauss(link) => {
                Sliding { t, ..link.at(((t - link.from.t) / link.h).clamp(0.0, 1.0)) }
            }
            Self::Last(last) => last.at(t),
            Self::Along(link) => Sliding { t, ..link.at(((t - link.t) / link.h).clamp(0.0, 1.0)) },
            Self::Bounces(bounces) => {
                Sliding { t, ..bounces.at(((t - bounces.t) / bounces.span).clamp(0.0, 1.0)) }
            }
        }
    }
}

impl Last {
    /// The work that is done on the mass and what friction takes, J. Friction takes the kinetic energy relative to the surface
    /// and the work of the load on the way there; its impulse, by which the surface works, is what stops the mass.
    pub(super) fn spent(&self, window: &Window<'_>) -> [f64; 2] {
        let Self { from, span, way } = *self;
        let m = window.model.mass;
        let surface = window.surface(from.t);
        let slides = [0, 1].map(|i| way[i] - span * surface[i]);
        let load = window.load(from.t, from.r, from.w);
        let impulse = [0, 1].map(|i| -m * from.w[i] - span * load[i]);
        let work = dot(window.given(from.t), way) + dot(impulse, surface);
        [work, 0.5 * m * dot(from.w, from.w) + dot(load, slides)]
    }

    fn at(&self, t: f64) -> Sliding {
        let Self { from, span, way } = *self;
        let x = if span > 0.0 { ((t - from.t) / span).clamp(0.0, 1.0) } else { 1.0 };
        Sliding {
            t,
            r: [0, 1].map(|i| from.r[i] + way[i] * x * (2.0 - x)),
            w: from.w.map(|w| w * (1.0 - x)),
        }
    }
}

/// Steps in the making; their room is used again in every slip of a run.
#[derive(Debug, Clone)]
pub(super) struct Workspace {
    /// A step in polar velocities, and the same shortened.
    step: Step,
    short: Step,
    polys: Vec<Poly>,
    /// A step in Cartesian velocities.
    in_time: InTime,
}

impl Default for Workspace {
    fn default() -> Self {
        let [step, short] = [SIZE; 2].map(Step::of);
        Self { step, short, polys: Vec::with_capacity(SIZE), in_time: InTime::default() }
    }
}

/// What one slip is made with.
struct Slip<'a, 'w> {
    window: Window<'a>,
    links: Vec<Link>,
    work: &'w mut Workspace,
    /// The greatest speed so far, m/s.
    fastest: f64,
    until: f64,
}

/// What happens at the rim along the last step of a slip that is not in contact with a rigid one.
fn at_rim(slip: &Slip<'_, '_>, side: Side) -> Result<Option<Hit<Ends>>, Failure> {
    let (Some(rim), Some(link)) = (slip.window.model.rim, slip.links.last()) else {
        return Ok(None);
    };
    let along = |theta: f64| link.along(theta);
    let found = match rim.cushion() {
        Some(soft) => rim::at_soft(soft, side, along)?,
        None => {
            let leaves = slip.links.len() == 1 && rim.is_at(link.along(0.0).r);
            rim::at_rigid(rim.radius, leaves, along)?
        }
    };
    // An event at the very end of the span is the next one's.
    Ok(found.filter(|f| f.0 < slip.until).map(|(time, what)| Hit { time, what }))
}

impl System {
    /// Steps from `at` until the mass rests, or `until` (s).
    pub(super) fn follow(
        &mut self,
        at: Sliding,
        side: Side,
        until: f64,
    ) -> Result<(Vec<Link>, Option<Hit<Ends>>), Failure> {
        let model = self.model.clone();
        let mut work = std::mem::take(&mut self.work).unwrap_or_default();
        let mut slip = Slip {
            window: Window::on(&model, at.t, side),
            links: Vec::new(),
            work: &mut work,
            fastest: 0.0,
            until,
        };
        let hit = self.slide(&mut slip, at, side);
        let links = slip.links;
        self.work = Some(work);
        Ok((links, hit?))
    }

    /// Adds steps to a slip until the mass rests, or the slip's window ends.
    fn slide(
        &mut self,
        slip: &mut Slip<'_, '_>,
        at: Sliding,
        side: Side,
    ) -> Result<Option<Hit<Ends>>, Failure> {
        let until = slip.until;
        let mut now = at;
        while now.t < until {
            self.interrupt.check(now.t)?;
            slip.window.model.check_place(now.t, now.r)?;
            slip.fastest = slip.fastest.max(length(now.w));
            // The last piece is looked for before every step: the nearer it is to rest, the sooner a closed
            // form holds.
            if now.w != [0.0; 2]
                && let Some(last) = self.last(slip, &now)
            {
                let time = last.from.t + last.span;
                if time < until {
                    slip.links.push(Link::Last(last));
                    let hit = at_rim(slip, side)?.unwrap_or(Hit { time, what: Ends::Rests });
                    return Ok(Some(hit));
                }
            }
            now = if self.is_stiff(&slip.window, &now) {
                match self.collocate(slip, &now)? {
                    Some(next) => next,
                    // A step of collocation that finds no solution leaves the step to the other scheme.
                    None => self.polar(slip, &now)?,
                }
            } else if let Some((link, next)) =
                slip.work.in_time.make(&slip.window, &now, until, &self.options)
            {
                slip.links.push(Link::Cartesian(Box::new(link)));
                next
            } else {
                self.polar(slip, &now)?
            };
            if let Some(hit) = at_rim(slip, side)? {
                return Ok(Some(hit));
            }
            if slip.links.len() >= MOST_STEPS && now.t < until {
                return Ok(Some(Hit { time: now.t, what: Ends::Pauses }));
            }
        }
        Ok(None)
    }

    /// Whether friction or the dashpots change the velocity much faster than the motion changes; always so where a slip begins.
    ///
    /// Friction turns the velocity at a rate of up to f e²/(m |E w|), e the larger half-axis of the ellipse: f/(m |w|) on a disc.
    fn is_stiff(&self, window: &Window<'_>, now: &Sliding) -> bool {
        if now.w == [0.0; 2] {
            return true;
        }
        let load = window.load(now.t, now.r, now.w);
        let friction = window.friction(now.t, now.w);
        // The sum of load and friction is how fast the velocity changes: small next to the friction where the
        // two almost balance.
        let moves = length([load[0] + friction[0], load[1] + friction[1]]);
        let model = window.model;
        let [a, b] = model.ellipse.0;
        let f = window.normal(now.t) * model.friction.force(1.0, length(now.w));
        let turns = f * a.max(b).powi(2) / model.ellipse.support(now.w);
        let rim = window.pressing(now.r, now.w).map_or(0.0, |rim| rim.damping);
        let damps = model.damping[0][0] + model.damping[1][1] + rim;
        (turns + damps) * length(now.w) > STIFF * moves
    }

    /// A step of collocation, or nothing where there is none that pays.
    fn collocate(
        &mut self,
        slip: &mut Slip<'_, '_>,
        now: &Sliding,
    ) -> Result<Option<Sliding>, Error> {
        let begins = now.w == [0.0; 2];
        let tolerance = self.options.rtol.clamp(1e-11, 1e-4);
        let mut h = self.pace(&slip.window, now).min(slip.until - now.t);
        // From rest only collocation can set out, so it may take ever shorter steps; in the midst of a slip the
        // other scheme does better.
        let shortest = if begins { self.shortest(now.t) } else { 1e-3 * h };
        for _ in 0..HALVINGS {
            if let Some(link) = collocation::step(&slip.window, now, h, tolerance) {
                // The end of the run is met to the last bit.
                let t = if now.t + h >= slip.until { slip.until } else { now.t + h };
                let next = Sliding { t, ..link.at(1.0) };
                slip.links.push(Link::Gauss(Box::new(link)));
                return Ok(Some(next));
            }
            h *= 0.5;
            if h < shortest {
                break;
            }
        }
        if begins {
            return Err(Error::StepTooShort { time: now.t, step: h, phase: "slip begins".into() });
        }
        Ok(None)
    }

    /// The time in which the load and the springs change, s.
    pub(super) fn pace(&self, window: &Window<'_>, now: &Sliding) -> f64 {
        let m = window.model;
        let stiffest =
            window.slopes(now.r, now.w)[0].iter().flatten().fold(0.0f64, |a, k| a.max(k.abs()));
        let swings = if stiffest > 0.0 { (m.mass / stiffest).sqrt() } else { f64::INFINITY };
        let waves = window.fastest();
        let waves = if waves > 0.0 { 1.0 / waves } else { f64::INFINITY };
        // As long as one radian of the fastest swing or wave, which Gauss's polynomials resolve to rounding.
        swings.min(waves).min(self.end).max(self.shortest(now.t))
    }

    /// A step in polar velocities.
    fn polar(&mut self, slip: &mut Slip<'_, '_>, now: &Sliding) -> Result<Sliding, Error> {
        let frame = Frame::new(now);
        let window = &slip.window;
        let mut f = |_: f64, u: &[f64], du: &mut [f64]| frame.derivative(window, u, du);
        slip.work.step.begin(0.0, &Frame::first(now), &mut f);
        let slope = slip.work.step.slope();
        // One step turns the velocity or changes its logarithm by a few units at most, and passes over no wave.
        let quick = slope[3].abs().max(slope[4].abs());
        let speed = slope[0];
        let waves = window.fastest();
        let wave = if waves > 0.0 { 2.0 / (waves * speed) } else { f64::INFINITY };
        let most = (4.0 / quick).min(wave);
        let left = slip.until - now.t;
        // A little beyond the end, so that a step that would end just before it needs no other.
        let mut h = self.h.min(most).min(1.01 * left / speed);
        loop {
            self.interrupt.check(now.t)?;
            slip.work.step.make(h, &mut f);
            let scale = self.scale(&frame, &slip.work.step);
            let error = slip.work.step.error(&scale);
            // A time that has not grown is a step below what the clock resolves.
            if error <= 1.0 && slip.work.step.to[0] > 0.0 {
                let grow = if error > 0.0 { 0.9 * portable::pow(error, -0.125) } else { 6.0 };
                self.h = h * grow.clamp(0.333, 6.0);
                break;
            }
            let finite = error.is_finite();
            h *= if finite { (0.9 * portable::pow(error, -0.125)).clamp(0.2, 0.9) } else { 0.2 };
            if h * speed <= 1e-3 * self.shortest(now.t) && h * quick < 1e-6 {
                let error = if finite {
                    Error::StepTooShort { time: now.t, step: h * speed, phase: "slip".into() }
                } else {
                    Error::NotFinite { time: now.t, step: 0.0 }
                };
                return Err(slip.window.model.failed(now.t, now.r, error));
            }
        }
        if slip.work.step.to[0] < left {
            slip.work.polys.clear();
            slip.work.step.dense(&mut f, &mut slip.work.polys);
            let link = PolarLink::of(frame, &slip.work.step, &slip.work.polys);
            let next = frame.sliding(&slip.work.step.to);
            slip.links.push(Link::Polar(Box::new(link)));
            return Ok(next);
        }
        // The step reaches beyond the end: the same step, shortened by Newton's method until it ends there.
        slip.work.polys.clear();
        slip.work.step.dense(&mut f, &mut slip.work.polys);
        let long = PolarLink::of(frame, &slip.work.step, &slip.work.polys);
        let mut length = h * long.fraction(left);
        for _ in 0..4 {
            slip.work.step.shortened(length, &mut slip.work.short, &mut f);
            // dt/ds = |w| at the end: Newton's method in the length of the way.
            let by = (slip.work.short.to[0] - left) / portable::exp(slip.work.short.to[3]);
            if by.abs() <= 4.0 * f64::EPSILON * length {
                break;
            }
            length -= by;
        }
        slip.work.polys.clear();
        slip.work.short.dense(&mut f, &mut slip.work.polys);
        let mut link = PolarLink::of(frame, &slip.work.short, &slip.work.polys);
        link.times[1] = left;
        let next = Sliding { t: slip.until, ..frame.sliding(&slip.work.short.to) };
        slip.links.push(Link::Polar(Box::new(link)));
        Ok(next)
    }

    /// The tolerance of each number of the polar state over a step. Near rest the angle and the logarithm count only as far as
    /// they change the velocity.
    fn scale(&self, frame: &Frame, step: &Step) -> [f64; SIZE] {
        let crate::scheme::oscillator::adaptive::Options { rtol, atol, .. } = self.options;
        let place = |i: usize| {
            let x = frame.r[i];
            atol + rtol * (x + step.from[1 + i]).abs().max((x + step.to[1 + i]).abs())
        };
        let speed = portable::exp(step.from[3].max(step.to[3]));
        // Even a velocity below its tolerance keeps its direction to 1e-6, since friction points along it.
        let turn = (rtol + atol / speed).min(1e-6);
        let time = rtol * (frame.start + step.to[0].max(0.0)).max(1e-3 * self.end);
        [time, place(0), place(1), turn, turn]
    }

    /// The closed form of the last piece of a slip, once what it neglects is below the tolerance.
    fn last(&self, slip: &Slip<'_, '_>, now: &Sliding) -> Option<Last> {
        let window = &slip.window;
        let Sliding { t, r, w } = *now;
        let m = window.model.mass;
        let speed = length(w);
        let n = w.map(|w| w / speed);
        let load = window.load(t, r, w);
        let f = window.normal(t) * window.model.friction.force(1.0, speed);
        let pulls = length(load);
        let surface = window.surface(t);
        let carried = |span: f64, way: [f64; 2]| [0, 1].map(|i| way[i] + span * surface[i]);
        // The place where the clock cannot tell the rest of the slip from none: it rests or passes, and the velocity is zero.
        let least = 16.0 * f64::EPSILON * t.max(1e-3 * self.end);
        if m * speed <= 1e-2 * least * (pulls + f) {
            return Some(Last { from: *now, span: 0.0, way: [0.0; 2] });
        }
        // Only near its end: slow against what the slip was, or slow in itself, and under a load that friction
        // stops.
        if speed > 1e-3 * slip.fastest && speed > 1e-3 || window.model.ellipse.gauge(load) >= f {
            return None;
        }
        let across = window.model.ellipse.normal(n);
        let slows = -(dot(load, n) - f * dot(across, n)) / m;
        if slows <= 0.0 {
            return None;
        }
        let tolerance = (1e-4 * self.options.rtol).max(1e-15) * t.max(1e-3 * self.end);
        if !window.model.ellipse.is_disc() {
            // Its direction has no closed form; what is left of the time is below the tolerance.
            let span = speed / slows;
            let way = carried(span, w.map(|w| 0.5 * w * span));
            return (span <= tolerance).then_some(Last { from: *now, span, way });
        }
        let f = f * window.model.ellipse.0[0];
        let (span, way) = dies(m, w, load, f);
        let later = [0, 1].map(|i| r[i] + way[i]);
        let change = window.load(t + span, later, [0.0; 2]);
        let law = &window.model.friction;
        let faster = window.normal(t + span) * law.force(1.0, 0.0) * window.model.ellipse.0[0] - f;
        let varies = length([change[0] - load[0], change[1] - load[1]]) + faster.abs();
        // Load and friction differ by this much from the constant ones, and their difference stops the mass:
        // the time to rest is wrong by about so much.
        let off = span * varies / (f - pulls);
        (off <= tolerance).then_some(Last { from: *now, span, way: carried(span, way) })
    }
}

/// How long (s) a mass slides with the velocity `w` under a constant load (N) below a constant friction `f` (N) before it
/// rests, and how far (m): with κ = f/F and the angle ψ of the load from the velocity,
///
/// ```text
/// t = m v (f + F cos ψ)/(f² − F²)
/// along the load   (m v²/2) [c²/(f − F) − s²/(f + F)],      c = cos² ψ/2,  s = sin² ψ/2
/// across it        m v² sin ψ [c/(2f − F) + s/(2f + F)]
/// ```
fn dies(m: f64, w: [f64; 2], load: [f64; 2], f: f64) -> (f64, [f64; 2]) {
    let v = length(w);
    let pulls = length(load);
    let n = w.map(|w| w / v);
    let along = if pulls > 0.0 { load.map(|b| b / pulls) } else { n };
    let cos = dot(n, along);
    // The side of the velocity: across the load.
    let sin = n[1] * along[0] - n[0] * along[1];
    let c = 0.5 * (1.0 + cos);
    let s = 0.5 * (1.0 - cos);
    let time = m * v * (f + pulls * cos) / ((f - pulls) * (f + pulls));
    let far = 0.5 * m * v * v * (c * c / (f - pulls) - s * s / (f + pulls));
    let aside = m * v * v * sin * (c / (2.0 * f - pulls) + s / (2.0 * f + pulls));
    (time, [far * along[0] - aside * along[1], far * along[1] + aside * along[0]])
}

#[cfg(test)]
mod tests {
    use super::dies;

    /// The closed form against steps of Runge and Kutta with the velocity as it is.
    #[test]
    fn a_slip_under_a_constant_load_ends_where_integration_ends() {
        for (w, load, f) in [
            ([1.0, 0.3], [0.4, -0.2], 1.0),
            ([-0.5, 1.4], [0.8, 0.5], 1.3),
            ([0.2, 0.0], [-0.9, 0.0], 1.0),
            ([0.2, 0.7], [0.0, 0.0], 0.5),
        ] {
            let m = 1.2;
            let (time, way) = dies(m, w, load, f);
            let steps = 200_000;
            let h = time / f64::from(steps);
            let rate = |w: [f64; 2]| {
                let v = w[0].hypot(w[1]).max(1e-300);
                [0, 1].map(|i| (load[i] - f * w[i] / v) / m)
            };
            let mut r = [0.0; 2];
            let mut w = w;
            for _ in 0..steps {
                let a = rate(w);
                let b = rate([0, 1].map(|i| w[i] + 0.5 * h * a[i]));
                let next = [0, 1].map(|i| w[i] + h * b[i]);
                r = [0, 1].map(|i| r[i] + 0.5 * h * (w[i] + next[i]));
                w = next;
            }
            assert!(w[0].hypot(w[1]) < 2e-4, "{w:?}");
            assert!((r[0] - way[0]).hypot(r[1] - way[1]) < 1e-6, "{r:?} {way:?}");
        }
    }
}
