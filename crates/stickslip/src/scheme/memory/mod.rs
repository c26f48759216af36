//! Laws with memory: collocation of order 9 between events, each of which is isolated; closed forms where the way is given.
//!
//! # What is guaranteed
//!
//! Between two events the formulas are smooth. Each step has polynomials whose last terms are below
//! `atol + rtol·|u|` for displacement and velocity, and below `rtol` times the greatest deflection for what the contact
//! remembers. The method is stable however stiff the bristles are, so that a slide that presses them flat takes long steps.
//!
//! A margin that ends inside a step, the velocity's sign or a bound of the law, is looked for at ten places of each step, and
//! between them where it dips; its root is found on the polynomials, and the step made anew until it ends there to rounding.
//! A pair of events closer together than a tenth of a step can be missed if it changes nothing at these places.
//!
//! Where the displacement is given and the law has a closed form along it, that is the motion, and its error is rounding.

mod arc;
pub(in crate::scheme) mod collocation;
mod ends;
mod energy;
pub mod fixed;
mod flow;
mod led;

pub use arc::{MemoryArc, MemoryState};
pub use ends::Ends;

pub(in crate::scheme) use flow::FINEST;

use super::audit::audit;
use super::cursor::Cursor;
use super::effort::check_periods;
use super::event_loop::{
    Begins, EventDriven, Failure, Followed, Hit, Leg, fixed_signals, most_events,
};
use super::oscillator::adaptive::Options;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::law::memory::Run;
use crate::model::Model;
use crate::model::hysteretic::{Carrier, Hysteretic};
use crate::motion::{Event, EventKind, Path, Phase, State};
use crate::portable;
use arc::Steps;
use collocation::Step;
use ends::Search;
use flow::{Flow, carried, kept};
use std::sync::Arc;

/// The path of a contact with memory.
pub type MemoryPath = Path<MemoryArc>;

/// Solves `model` on [0, `end`] (s).
///
/// # Errors
/// If a number is outside its range, the run longer than anybody waits for, a signal too short, or a step falls below what rounding allows.
///
/// ```
/// use stickslip::law::memory::Dahl;
/// use stickslip::model::Hysteretic;
/// use stickslip::scheme::{memory, oscillator::adaptive::Options};
/// use stickslip::Signal;
/// # fn main() -> Result<(), stickslip::Error> {
/// // F = F_c (1 − e^(−σ x/F_c)) along the first way, here 30 mm in 3 s.
/// let contact = Hysteretic::led(Dahl::new(1.0, 150.0, 1.0)?, Signal::ramp(0.01, 0.0));
/// let path = memory::solve(&contact, 3.0, Options::default())?;
/// assert!((path.state(3.0).friction + 1.0 - (-4.5f64).exp()).abs() < 1e-15);
/// # Ok(()) }
/// ```
pub fn solve(model: &Hysteretic, end: f64, options: Options) -> Result<MemoryPath, Error> {
    model.check_until(end)?;
    check_periods(model.swings(), model.signals().into_iter().map(|(_, s)| s), end)?;
    let mut cursor = cursor(model, end, options)?;
    let mut path = MemoryPath::default();
    cursor.advance(end, &mut path)?;
    let energy = path.energy();
    audit(&mut path, &energy, end, options.rtol)?;
    Ok(path)
}

/// Steps after which a motion is cut, so that what follows it is seen.
const MOST_STEPS: usize = 10_000;
/// Motions in a row that take no time, after which the run is given up.
const MOST_STALLS: u32 = 100;
/// How far ln V may be from the balance of forces at a start that gives it.
const BALANCED: f64 = 1e-6;
/// The length of a leap over decades of the velocity, in multiples of the shortest step.
const LEAP: f64 = 1e3;
/// The part of the fastest period of the loads that a step may be long.
const PART_OF_PERIOD: f64 = 0.25;

/// The run up to `end` (s at the latest), at the caller's pace.
///
/// # Errors
/// As [`solve`].
pub fn cursor(model: &Hysteretic, end: f64, options: Options) -> Result<Cursor<System>, Error> {
    model.check_until(end)?;
    options.check()?;
    let fastest = model.signals().into_iter().map(|(_, s)| s.fastest()).fold(0.0, f64::max);
    // A longer step could pass over a whole wave of a load and never see it.
    let longest =
        if fastest > 0.0 { PART_OF_PERIOD * std::f64::consts::TAU / fastest } else { end };
    let mut system = System {
        model: Arc::new(model.clone()),
        options,
        end,
        longest,
        h: (1e-3 * end).min(longest),
        stalls: 0,
        fastest: 0.0,
        interrupt: Interrupt::current(),
    };
    let initial = model.body().map(|b| [b.initial.displacement, b.initial.velocity]);
    let y = initial.into_iter().flatten().chain(model.memory.iter().copied()).collect();
    let begins = system.set_out(0.0, y)?;
    Cursor::new(system, begins, 0.0, end, most_events())
}

/// The numbers of a contact and its mass, and which formulas hold.
#[derive(Debug, Clone)]
pub struct Held {
    /// x and v of a mass, then z.
    y: Vec<f64>,
    /// +1 or −1: the side to which it moves, or moved last.
    side: f64,
    /// The regions of the law's parts.
    regions: Vec<u8>,
}

/// A contact with memory as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    model: Arc<Hysteretic>,
    options: Options,
    end: f64,
    /// The longest step, s.
    longest: f64,
    /// Next step, s.
    h: f64,
    /// Motions in a row that took no time.
    stalls: u32,
    /// The greatest |w| since the velocity turned last, m/s.
    fastest: f64,
    interrupt: Interrupt,
}

impl System {
    fn shortest(&self, t: f64) -> f64 {
        4.0 * f64::EPSILON * t.abs().max(1e-6 * self.end)
    }

    /// What begins at `t` (s) with x, v and z.
    fn set_out(&mut self, t: f64, mut y: Vec<f64>) -> Result<Begins<Self>, Error> {
        let model = self.model.clone();
        let law = model.law();
        // Logarithms of what is shown, from here to the end of the run.
        kept(&model, &mut y[carried(&model)..]);
        let mut held = Held { y, side: 1.0, regions: vec![0; law.parts()] };
        self.put_level(t, &mut held)?;
        let w = {
            // Which formulas hold towards which side is not asked for the velocity.
            let flow = self.flow(t, &held);
            flow.point(t, &held.y).w
        };
        // A contact at rest has no side yet: it is that to which the forces accelerate it.
        held.side = if w == 0.0 { self.departs(t, &held) } else { 1f64.copysign(w) };
        law.enter(held.side, w.abs(), &held.y[carried(&model)..], false, &mut held.regions);
        self.fastest = w.abs();
        let phase = phase(&model, &held);
        Ok((held, phase))
    }

    /// u in place of the velocity, where the friction is of rate and state: from a balance of forces without a mass, which
    /// a velocity other than 0 must agree with.
    fn put_level(&self, t: f64, held: &mut Held) -> Result<(), Error> {
        let (Some(law), Some(body)) = (self.model.law().as_rate_and_state(), self.model.body())
        else {
            return Ok(());
        };
        let w = held.y[1] - body.support.value(t);
        held.y[1] = law.level(w, law.psi(held.y[2]));
        if body.mass > 0.0 {
            return Ok(());
        }
        let given = held.y[1];
        let mut y = held.y.clone();
        self.flow(t, held).balance(t, &mut y)?;
        // A velocity of zero says nothing, and the balance takes its place; any other must agree.
        if w != 0.0 && (y[1] - given).abs() > BALANCED {
            let weight = self.model.normal.as_ref().map_or(1.0, |n| n.value(t)) * law.direct();
            let v = w + body.support.value(t);
            let needed = weight * given + body.damping * v
                - body.stiffness * (body.drive.value(t) - held.y[0]);
            let reason = format!(
                "without a mass the velocity follows from the balance of forces, which {v:?} m/s does not satisfy; give the \
                 force {needed:?} N at t = {t:?} s, or no velocity"
            );
            return Err(Error::BadState { reason });
        }
        held.y[1] = y[1];
        Ok(())
    }

    /// To which side a contact at rest sets out, as far as its acceleration says.
    fn departs(&self, t: f64, held: &Held) -> f64 {
        let a = self.flow(t, held).relative_acceleration(t, &held.y);
        if a < 0.0 { -1.0 } else { 1.0 }
    }

    fn flow<'a>(&'a self, t: f64, held: &'a Held) -> Flow<'a> {
        let run = Run { side: held.side, regions: &held.regions };
        Flow::new(&self.model, t, run, self.options)
    }

    /// Steps from `t` to `until` (s) or to what ends them.
    fn march(
        &mut self,
        t: f64,
        held: &Held,
        until: f64,
    ) -> Result<(Steps, Option<Hit<Ends>>), Error> {
        let model = self.model.clone();
        let run = Run { side: held.side, regions: &held.regions };
        let flow = Flow::new(&model, t, run, self.options);
        let mut steps = Steps::default();
        let mut step = Step::of(held.y.len());
        let mut before = Step::of(held.y.len());
        let mut search = Search::of(&flow, held.y.len());
        let mut y = held.y.clone();
        let mut at = t;
        step.begin(at, &y, &flow);
        while at < until {
            self.interrupt.check(at)?;
            let left = until - at;
            // A step that would leave a remainder of rounding takes it along.
            let last = 1.0001 * self.h >= left;
            let h = if last { left } else { self.h };
            // The first step of a motion has no polynomials before it from which to start.
            let fresh = steps.spans.is_empty();
            let guess = (!fresh).then_some(&before);
            let error = match step.make(h, guess, &flow) {
                Ok(()) => step.error(),
                Err(_) => f64::INFINITY,
            };
            let ends = if error <= 1.0 { search.end(&flow, &mut step, fresh).ok() } else { None };
            let Some(ends) = ends else {
                if self.shorten(at, h, shorter(error), held.side)? {
                    continue;
                }
                return Ok((steps, Some(Hit { time: at, what: Ends::Leaps })));
            };
            self.note_speed(&flow, &step);
            if let Some(what) = ends {
                let time = (at + step.h).min(until);
                steps.push(&step);
                return Ok((steps, Some(Hit { time, what })));
            }
            steps.push(&step);
            step.end(&mut y);
            at = if last { until } else { at + h };
            // The last step of a motion is as short as the motion leaves it: that is no reason to begin the
            // next one with so short a step.
            let grow = if error > 0.0 { 0.9 * portable::pow(error, -1.0 / 6.0) } else { 5.0 };
            if !last || grow < 1.0 {
                self.h = (h * grow.clamp(0.3, 5.0)).min(self.longest);
            }
            // Steps that are solved but too short to be told from none would go over the decades one by one, and the
            // time would stand still.
            let stands = at == step.t || (self.leaps() && self.h <= self.shortest(at));
            if stands && at < until && !self.shorten(at, self.h, 1.0, held.side)? {
                return Ok((steps, Some(Hit { time: at, what: Ends::Leaps })));
            }
            if steps.spans.len() >= MOST_STEPS && at < until {
                return Ok((steps, Some(Hit { time: at, what: Ends::Pauses })));
            }
            // The step that was taken becomes the guess for the next one.
            std::mem::swap(&mut step, &mut before);
            step.begin(at, &y, &flow);
        }
        Ok((steps, None))
    }

    /// The greatest speed of a step, as far as three of its places tell.
    fn note_speed(&mut self, flow: &Flow<'_>, step: &Step) {
        let mut y = step.from.clone();
        for theta in [0.0, 0.5, 1.0] {
            (0..y.len()).for_each(|m| y[m] = step.number(m, theta));
            self.fastest = self.fastest.max(flow.point(step.t + theta * step.h, &y).w.abs());
        }
    }

    /// Shortens the next step after one of `h` from `t` (s); false where a leap takes its place.
    fn shorten(&mut self, t: f64, h: f64, by: f64, side: f64) -> Result<bool, Error> {
        self.h = h * by;
        if self.h > self.shortest(t) {
            return Ok(true);
        }
        if self.leaps() {
            return Ok(false);
        }
        let phase = Phase::slip(side).to_string();
        Err(Error::StepTooShort { time: t, step: self.h, phase })
    }

    /// The contact turns at `t` (s): it is elastic again.
    fn turn(&mut self, t: f64, held: &mut Held, events: &mut Vec<Event>) {
        let model = self.model.clone();
        let law = model.law();
        let slipped = law.slips(&held.regions);
        held.side = -held.side;
        let carried = carried(&model);
        law.enter(held.side, 0.0, &held.y[carried..], false, &mut held.regions);
        let kind = if slipped { EventKind::Stick } else { EventKind::Reversal };
        // Ever smaller oscillations about rest are below what the tolerance resolves.
        if self.fastest > self.options.atol || slipped {
            events.push(Event::new(kind, t, 0, self.place_of(t, held)));
        }
        // A bristle that turns after a short way may be bent enough to slip at once.
        if law.slips(&held.regions) {
            events.push(Event::new(EventKind::Slip, t, 0, self.place_of(t, held)));
        }
        self.fastest = 0.0;
    }

    /// Whether the velocity of a mass goes over decades next to rest.
    fn leaps(&self) -> bool {
        let masses = self.model.body().is_some_and(|b| b.mass > 0.0);
        masses && self.model.law().as_rate_and_state().is_some()
    }

    /// Goes at `t` (s) over the decades of the velocity that lie within rounding of the time.
    ///
    /// From rest, or towards it, a velocity v = a t of rate and state passes all its decades within rounding of `t`, and u ~ ln v with
    /// them. What a step of that length leaves of the velocity is wrong by less than the acceleration times it.
    fn leap(&mut self, t: f64, held: &mut Held, events: &mut Vec<Event>) {
        let h = LEAP * self.shortest(t);
        held.y[1] = self.flow(t, held).leap(t, h, &held.y);
        self.h = 0.1 * h;
        let w = self.flow(t, held).point(t, &held.y).w;
        if w * held.side < 0.0 {
            self.turn(t, held, events);
        }
    }

    fn place_of(&self, t: f64, held: &Held) -> State {
        let at = self.flow(t, held).point(t, &held.y);
        State { x: at.x, v: at.v }
    }
}

/// By how much a step is shortened whose error was this, relative to the tolerance; a search that was given up halves it.
fn shorter(error: f64) -> f64 {
    if error <= 1.0 {
        return 0.5;
    }
    if error == f64::INFINITY {
        return 0.25; // its equations were not solved
    }
    // The error falls with the sixth power of the step.
    let by = if error.is_nan() { 0.1 } else { 0.9 * portable::pow(error, -1.0 / 6.0) };
    by.clamp(0.1, 0.9)
}

/// What the contact does by its law's criterion.
fn phase(model: &Hysteretic, held: &Held) -> Phase {
    if model.law().slips(&held.regions) { Phase::slip(held.side) } else { Phase::Stick }
}

impl EventDriven for System {
    type State = Held;
    type Motion = MemoryArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let signals = self.model.signals();
        signals.into_iter().map(|(_, s)| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Held,
        phase: &Phase,
        until: f64,
    ) -> Result<Followed<Self>, Failure> {
        // A closed form along the given way is taken where the law has one: over straight pieces, or along any
        // way.
        let (steps, hit) = match &self.model.carrier {
            Carrier::Led(way)
                if !way.has_functions() && self.model.law().flows(way.piece_at(t).is_affine()) =>
            {
                (None, self.follow_way(t, state, until)?)
            }
            _ => {
                let (steps, hit) = self.march(t, state, until)?;
                (Some(Arc::new(steps)), hit)
            }
        };
        let moved = hit.as_ref().is_none_or(|hit| hit.time > t);
        self.stalls = if moved { 0 } else { self.stalls + 1 };
        if self.stalls > MOST_STALLS {
            return Err(Failure::Met(Error::Stalled { time: t, phase: phase.to_string() }));
        }
        let model = self.model.clone();
        let from = state.y.clone().into();
        let regions = state.regions.clone().into();
        Ok((MemoryArc { model, start: t, side: state.side, regions, from, steps }, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> Held {
        let mut held = leg.state.clone();
        leg.motion.numbers(&leg.motion.flow(), t, &mut held.y);
        held
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        mut state: Held,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        match leg.hit {
            Some(Ends::Turns) => {
                // The velocity is zero at a turn to the last bit, and not as near as the root was found.
                if let Carrier::Mass(body) = &self.model.carrier {
                    let logs = self.model.law().as_rate_and_state().is_some();
                    state.y[1] = if logs { 0.0 } else { body.support.value_before(t) };
                }
                self.turn(t, &mut state, events);
            }
            Some(Ends::Leaves(part)) => {
                let law = self.model.law();
                let slipped = law.slips(&state.regions);
                // Each part goes to its next region; whether the contact slips follows from all of them.
                state.regions[part] = law.leave(part, state.regions[part]);
                let slips = law.slips(&state.regions);
                let at = self.place_of(t, &state);
                if part < law.elements() {
                    events.push(Event::new(EventKind::Yield, t, 1 + part, at));
                }
                if slips != slipped {
                    let kind = if slips { EventKind::Slip } else { EventKind::Stick };
                    events.push(Event::new(kind, t, 0, at));
                }
            }
            Some(Ends::Leaps) => self.leap(t, &mut state, events),
            Some(Ends::Pauses) => {}
            None => {
                // Without a mass the velocity jumps with the loads.
                let mut y = state.y.clone();
                self.flow(t, &state).balance(t, &mut y)?;
                state.y = y;
                // A velocity that jumps with the loads may turn there.
                let w = self.flow(t, &state).point(t, &state.y).w;
                if w * state.side < 0.0 {
                    self.turn(t, &mut state, events);
                }
            }
        }
        let phase = phase(&self.model, &state);
        Ok((state, phase))
    }

    fn is_finite(&self, state: &Held) -> bool {
        state.y.iter().all(|y| y.is_finite())
    }

    fn describe(&self, phase: &Phase) -> String {
        phase.to_string()
    }

    fn place(&mut self, t: f64, at: &MemoryState) -> Result<Begins<Self>, Error> {
        let mass = self.model.body().map(|_| [at.x, at.v]);
        let y: Vec<f64> = mass.into_iter().flatten().chain(at.z.iter().copied()).collect();
        self.model.law().check_state(&at.z)?;
        self.set_out(t, y)
    }

    fn change(
        &mut self,
        t: f64,
        mut state: Held,
        _: Phase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Hysteretic(model) = model else { return Err(fixed_signals()) };
        self.model = Arc::new(model.clone());
        let mut y = state.y.clone();
        self.flow(t, &state).balance(t, &mut y)?;
        state.y = y;
        let w = self.flow(t, &state).point(t, &state.y).w;
        if w * state.side < 0.0 {
            self.turn(t, &mut state, events);
        }
        let phase = phase(&self.model, &state);
        Ok((state, phase))
    }
}
