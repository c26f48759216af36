//! How the forces on an oscillator change with a number of its model, at a state that is held.

use super::number::Number;
use super::signals::signal_rate;
use crate::error::Error;
use crate::law::Law;
use crate::model::{Bumper, Oscillator, Stops, Wall};
use crate::signal::{Signal, SignalRate};
use crate::study::orbit::local::Local;

/// The derivatives with respect to one number of everything that stands in the equation of motion.
#[derive(Debug, Default)]
pub(super) struct Partial<'a> {
    number: Option<Number<&'a Oscillator>>,
    pub mass: f64,
    pub stiffness: f64,
    pub damping: f64,
    drive: Option<SignalRate<'a>>,
    force: Option<SignalRate<'a>>,
    support: Option<SignalRate<'a>>,
    normal: Option<SignalRate<'a>>,
    normal_slope: f64,
    /// Whether the friction law, and the forces that are not linear, differ.
    law: bool,
    nonlinear: bool,
    pub stops: StopRates,
}

/// Of the positions of the stops, of their restitution, and of the stiffness and damping of soft ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StopRates {
    at: [f64; 2],
    pub restitution: f64,
    pub stiffness: f64,
    pub damping: f64,
}

impl StopRates {
    /// ∂ₚ of the position of a stop.
    pub fn at(&self, wall: Wall) -> f64 {
        self.at[wall.index()]
    }

    /// The same, to add to it.
    pub fn at_mut(&mut self, wall: Wall) -> &mut f64 {
        &mut self.at[wall.index()]
    }

    /// Σ of the products of both.
    pub fn of(&self, rates: &Self) -> f64 {
        let all = |s: &Self| [s.at[0], s.at[1], s.restitution, s.stiffness, s.damping];
        let pairs = all(self).into_iter().zip(all(rates));
        pairs.filter(|(_, r)| *r != 0.0).map(|(s, r)| s * r).sum()
    }

    fn new(own: &Oscillator, number: &Number<&Oscillator>) -> Self {
        let rate = |of: fn(&Stops) -> f64| number.rate(&own, |o| o.stops.as_ref().map_or(0.0, of));
        Self {
            at: [rate(|s| s.lower.unwrap_or(0.0)), rate(|s| s.upper.unwrap_or(0.0))],
            restitution: rate(|s| s.restitution().unwrap_or(0.0)),
            stiffness: rate(|s| s.spring().map_or(0.0, |(k, _)| k)),
            damping: rate(|s| s.spring().map_or(0.0, |(_, c)| c)),
        }
    }
}

/// Where the forces are looked at: a mass in slip towards `side`, or at rest (0), with the forces that hold near there.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub near: &'a Local<'a>,
    /// The pieces of the signals are those that hold at this time, s.
    pub from: f64,
    pub t: f64,
    pub side: f64,
    pub x: f64,
    pub v: f64,
}

impl<'a> Partial<'a> {
    pub fn new(o: &'a Oscillator, number: Number<&'a Oscillator>) -> Result<Self, Error> {
        let differs = |of: &dyn Fn(&Oscillator) -> bool| number.models().any(|m| !of(m));
        let signal = |pick: fn(&Oscillator) -> &Signal| match number.of(|m| Some(pick(m))) {
            Some(of_signal) => signal_rate(pick(o), &of_signal),
            None => Ok(None),
        };
        let rate = |of: fn(&Oscillator) -> f64| number.rate(&o, |m| of(m));
        let kind = |s: &Option<Stops>| {
            s.map(|s| {
                (s.lower.is_some(), s.upper.is_some(), matches!(s.bumper, Bumper::Soft { .. }))
            })
        };
        let pressed = o.normal.is_some();
        if differs(&|m| kind(&m.stops) == kind(&o.stops) && m.normal.is_some() == pressed) {
            return Err(other_parts());
        }
        let normal = if pressed {
            // There is one, so what stands for none is never read.
            signal(|o| o.normal.as_ref().unwrap_or(&o.force))
        } else {
            Ok(None)
        };
        Ok(Self {
            mass: rate(|o| o.mass),
            stiffness: rate(|o| o.stiffness),
            damping: rate(|o| o.damping),
            drive: signal(|o| &o.drive).map_err(|()| other_parts())?,
            force: signal(|o| &o.force).map_err(|()| other_parts())?,
            support: signal(|o| &o.support).map_err(|()| other_parts())?,
            normal: normal.map_err(|()| other_parts())?,
            normal_slope: rate(|o| o.nonlinear.normal_slope),
            law: differs(&|m| m.friction == o.friction),
            nonlinear: differs(&|m| m.nonlinear == o.nonlinear),
            stops: StopRates::new(o, &number),
            number: Some(number),
        })
    }

    /// Whether it changes nothing that is not linear in x and v.
    pub fn is_linear(&self) -> bool {
        self.has_constant_law() && !self.nonlinear && self.normal_slope == 0.0
    }

    /// ∂ₚ of a sliding friction towards `side` that does not depend on the speed.
    pub fn sliding(&self, o: &Oscillator, side: f64) -> f64 {
        let Some(number) = self.number.as_ref().filter(|_| self.law) else { return 0.0 };
        number.rate(&o, |m| m.friction.force(side, 0.0))
    }

    /// ∂ₚ of the drive, the force and the normal force.
    pub fn signals(&self) -> [Option<&SignalRate<'a>>; 3] {
        [&self.drive, &self.force, &self.normal].map(Option::as_ref)
    }

    /// ∂ₚ of the drive, the force, the support's velocity and the normal force.
    pub fn each_signal(&self) -> [Option<&SignalRate<'a>>; 4] {
        [&self.drive, &self.force, &self.support, &self.normal].map(Option::as_ref)
    }

    /// Whether it changes the friction law.
    pub fn changes_law(&self) -> bool {
        self.law
    }

    /// Whether it changes the forces that are not linear.
    pub fn changes_forces(&self) -> bool {
        self.nonlinear
    }

    /// Whether it leaves the friction in slip independent of the speed, where it is so.
    pub fn has_constant_law(&self) -> bool {
        let constant =
            |n: &Number<&Oscillator>| n.models().all(|m| m.friction.constants().is_some());
        !self.law || self.number.as_ref().is_none_or(constant)
    }

    /// Whether it changes the normal force.
    pub fn presses(&self) -> bool {
        self.normal.is_some() || self.normal_slope != 0.0
    }

    /// ∂ₚ of the slope of the normal force, 1/m.
    pub fn normal_slope(&self) -> f64 {
        self.normal_slope
    }

    /// Whether it moves a breakpoint of the signals.
    pub fn moves(&self) -> bool {
        self.each_signal().into_iter().flatten().any(SignalRate::moves)
    }

    /// ∂ₚ of what `of` says of the model.
    pub fn rate(&self, o: &Oscillator, of: impl Fn(&Oscillator) -> f64) -> f64 {
        self.number.as_ref().map_or(0.0, |n| n.rate(&o, |m| of(m)))
    }

    /// ∂ₚ of what `of` says of the friction law.
    pub fn law_rate(&self, o: &Oscillator, of: impl Fn(&Law) -> f64) -> f64 {
        self.rate(o, |m| of(&m.friction))
    }

    /// ∂ₚ of the support's velocity and of its acceleration.
    pub fn support(&self, from: f64, t: f64) -> [f64; 2] {
        self.support.as_ref().map_or([0.0; 2], |s| s.at(from, t))
    }

    /// By how much the breakpoint of the signals at `t` moves, s; `None` where none of those that change has one there.
    pub fn breakpoint(&self, t: f64) -> Option<f64> {
        let all = [&self.drive, &self.force, &self.support, &self.normal];
        all.into_iter().flatten().find_map(|s| s.breakpoint(t).filter(|moved| *moved != 0.0))
    }

    /// ∂ₚb.
    pub fn load(&self, o: &Oscillator, h: &Here<'_>) -> f64 {
        let value = |s: &Option<SignalRate<'_>>| s.as_ref().map_or(0.0, |s| s.at(h.from, h.t)[0]);
        let [d, ..] = h.near.signals(h.t);
        let z = h.x - d;
        let mut b = value(&self.force) - self.stiffness * z - self.damping * h.v;
        let drive = value(&self.drive);
        if drive != 0.0 {
            b += h.near.spring_slope(h.t, h.x) * drive;
        }
        if self.nonlinear
            && let Some(number) = &self.number
        {
            b += number.rate(&o, |m| m.nonlinear.force(z, h.x, h.v, h.t));
        }
        if let Some((at, stiffness, _)) = h.near.bed() {
            let wall = if h.x >= at { Wall::Upper } else { Wall::Lower };
            b += self.stops.stiffness * (at - h.x) + stiffness * self.stops.at(wall)
                - self.stops.damping * h.v;
        }
        b
    }

    /// ∂ₚF_n.
    fn normal(&self, h: &Here<'_>) -> f64 {
        let [n, _, _] = h.near.normal(h.t, h.x);
        let [_, _, here] = h.near.signals(h.t);
        let presses = if n != 0.0 { here * self.normal_slope * h.x } else { 0.0 };
        let Some(normal) = &self.normal else { return presses };
        let factor = if here == 0.0 { 1.0 } else { n / here };
        presses + normal.at(h.from, h.t)[0] * factor
    }

    /// ∂ₚa of a mass that slips and has the acceleration `a`.
    pub fn acceleration(&self, o: &Oscillator, h: &Here<'_>, a: f64) -> f64 {
        let speed = (h.side * (h.v - h.near.support(h.t)[0])).max(0.0);
        let mut b = self.load(o, h) - a * self.mass;
        let [n, ..] = h.near.normal(h.t, h.x);
        if self.normal.is_some() || self.normal_slope != 0.0 {
            b -= h.side * self.normal(h) * o.friction.force(h.side, speed);
        }
        if self.law
            && let Some(number) = &self.number
        {
            b -= h.side * n * number.rate(&o, |m| m.friction.force(h.side, speed));
        }
        let [support, _] = self.support(h.from, h.t);
        if support != 0.0 {
            b += n * h.near.friction_slope(h.side, speed) * support;
        }
        b / o.mass
    }

    /// ∂ₚ of the load at rest, b − m v̇_s.
    pub fn load_at_rest(&self, o: &Oscillator, h: &Here<'_>) -> f64 {
        let [s, s1, _] = h.near.support(h.t);
        let at = Here { v: s, ..*h };
        let [support, change] = self.support(h.from, h.t);
        let (_, bv) = h.near.load_slopes(h.t, h.x, s);
        self.load(o, &at) + bv * support - self.mass * s1 - o.mass * change
    }

    /// ∂ₚ of the limit towards `side` of a mass that has rested for `age` (s).
    pub fn limit(&self, o: &Oscillator, h: &Here<'_>, age: f64) -> f64 {
        let [n, ..] = h.near.normal(h.t, h.x);
        let mut limit = self.normal(h) * o.friction.limit(h.side, age);
        if self.law
            && let Some(number) = &self.number
        {
            limit += n * number.rate(&o, |m| m.friction.limit(h.side, age));
        }
        limit
    }
}

pub(super) fn other_parts() -> Error {
    let reason =
        "the models aside have other parts: a number switches one of them on or off".into();
    Error::NotOffered { what: "sensitivity", reason }
}
