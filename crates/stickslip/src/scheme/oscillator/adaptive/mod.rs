//! Any load, any law, any support: Dormand–Prince 8(5,3) arcs in the common event loop.
//!
//! # What is guaranteed
//!
//! A slip is a chain of steps whose estimated error is below `atol + rtol·|u|` for displacement and
//! velocity. Inside each step the relative velocity is a polynomial of degree 7 (dense output) less
//! the support's velocity; the event is its **first** root, isolated with a bound on the third
//! derivative, so no pair of roots of the polynomial is passed over. The event is then polished by
//! Newton's method on the step itself. A stick ends at the first root of the limit less the load,
//! interpolated by polynomials of degree 8 whose last terms are below the tolerance, and polished on
//! the function itself. Stops are met where the distance to their positions, a polynomial too, first
//! falls below zero; bounces on a rigid one are summed to rest once their sum is within the tolerance.
//!
//! A law that bends on a scale of velocities of its own (a narrow Stribeck peak) bounds the steps: the
//! bounds on its slope prove that over the speeds of one step the friction is straight to a quarter of its
//! change, so no bend lies between two stages unseen.
//!
//! What remains is the difference between polynomial and motion. It is watched: the residual of the
//! equation of motion is taken at two points of every step, a step where it is large is halved, and
//! [`Warning::WildArc`] tells where that did not help; [`Warning::NearMiss`] tells where the motion
//! came nearer to an event than the tolerance can decide.

pub(crate) mod dop853;
pub(crate) mod dormand_prince;
mod held;
mod kinks;
mod polish;
mod slip;
mod stick;
mod stops;
mod window;

use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::model::{Model, Oscillator, Wall};
use crate::motion::{
    Event, EventKind, Frame, Motion, Phase, Segment, State, Stretch, Trajectory, Warning, Warnings,
};
use crate::scheme::audit::audit;
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    Begins, EventDriven, Failure, Hit, Leg, fixed_signals, most_events,
};
use crate::scheme::oscillator::jump::is_jump;
use crate::scheme::oscillator::uniqueness;
use std::sync::Arc;
use window::Window;

/// How accurate, and what else to ask for.
///
/// ```
/// use stickslip::scheme::oscillator::adaptive::Options;
/// let options = Options::tolerance(1e-10).with_atol(1e-14);
/// assert_eq!((options.rtol, options.atol), (1e-10, 1e-14));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Relative tolerance of each step; 1e-9.
    pub rtol: f64,
    /// Absolute tolerance of each step, m and m/s; 1e-12.
    pub atol: f64,
    /// A stick that holds at this instant (s) ends there, if the contact slips under its load: one
    /// solution of many where it stands at the limit.
    pub leave_at: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rtol: 1e-9, atol: 1e-12, leave_at: None }
    }
}

impl Options {
    /// Both tolerances: `rtol`, and `rtol`/1000 for small values.
    pub fn tolerance(rtol: f64) -> Self {
        Self { rtol, atol: 1e-3 * rtol, leave_at: None }
    }

    /// Refuses tolerances that no step can meet, and no tolerance.
    ///
    /// # Errors
    /// With the number that is outside its range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { rtol, atol, .. } = *self;
        require("rtol", rtol, (1e-14..1.0).contains(&rtol), "a number from 1e-14 to 1")?;
        require("atol", atol, atol > 0.0, "a finite number > 0, m and m/s")
    }

    /// With another absolute tolerance, m and m/s.
    pub fn with_atol(self, atol: f64) -> Self {
        Self { atol, ..self }
    }

    /// With a stick that holds at `time` (s) ending there, if the contact slips under its load.
    pub fn leaving_at(self, time: f64) -> Self {
        Self { leave_at: Some(time), ..self }
    }
}

/// Solves `oscillator` on [0, `end`] (s).
///
/// # Errors
/// If the oscillator or the options are out of range, a step falls below what rounding allows, or the
/// motion has more events than any sensible run.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::adaptive::{self, Options}};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = adaptive::solve(&o, 12.0, Options::tolerance(1e-9))?;
/// assert!((path.state(12.0).x - 0.5).abs() < 1e-7);
/// # Ok(()) }
/// ```
pub fn solve(oscillator: &Oscillator, end: f64, options: Options) -> Result<Trajectory, Error> {
    let mut path = unexamined(oscillator, end, options)?;
    // The energies are summed along the path, independently of how it was found: what the steps have missed shows
    // there.
    let energy = path.energy(oscillator);
    audit(&mut path, &energy, end, options.rtol)?;
    uniqueness::examine_all(oscillator, &mut path);
    let band = 100.0 * options.rtol;
    uniqueness::examine_rests(oscillator, &mut path, |_| band);
    // A velocity known to ε is known to touch zero where the acceleration is below √ε.
    let graze = band.sqrt().min(0.1);
    uniqueness::examine_grazes(oscillator, &mut path, |_| graze);
    Ok(path)
}

/// The same motion, without the audit of its energies and without the search for loads at the limit: for fits, which try
/// thousands of motions and tell of none of them.
///
/// # Errors
/// As [`solve`], but for what the audit finds.
pub(crate) fn unexamined(
    oscillator: &Oscillator,
    end: f64,
    options: Options,
) -> Result<Trajectory, Error> {
    oscillator.check_until(end)?;
    oscillator.check_effort(end)?;
    let mut cursor = cursor(oscillator, 0.0, end, options)?;
    let mut path = Trajectory::default();
    cursor.advance(end, &mut path)?;
    cursor.system().warnings.told().for_each(|w| path.warn(w));
    Ok(path)
}

/// The run from `start` to `end` (s at the latest), at the caller's pace: see [`Cursor`]. The oscillator's initial
/// state holds at `start`. Pieces of a run have the same steps, events and states as the whole run.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::scheme::oscillator::adaptive::{self, Options};
/// use stickslip::{Law, Oscillator};
/// # fn main() -> Result<(), stickslip::Error> {
/// let law = Law::stribeck(0.0, 0.0, 3.0, 1.0)?;
/// let o = Oscillator::new(1.0, 1.0, law).with_damping(0.01).starting_at(5.0, 0.0);
/// let (mut cursor, mut events) = (adaptive::cursor(&o, 0.0, 20.0, Options::default())?, Vec::new());
/// for i in 1..=200 {
///     cursor.advance(0.1 * f64::from(i), &mut events)?;
/// }
/// assert_eq!(events, adaptive::solve(&o, 20.0, Options::default())?.events());
/// # Ok(()) }
/// ```
pub fn cursor(
    oscillator: &Oscillator,
    start: f64,
    end: f64,
    options: Options,
) -> Result<Cursor<System>, Error> {
    cursor_rested(oscillator, 0.0, start, end, options)
}

/// The same, a mass that starts at rest having rested for `rested` (s) already: friction ages in that time.
pub(crate) fn cursor_rested(
    oscillator: &Oscillator,
    rested: f64,
    start: f64,
    end: f64,
    options: Options,
) -> Result<Cursor<System>, Error> {
    oscillator.check_until(end)?;
    options.check()?;
    let mut system = System { rested, ..System::new(oscillator, options, end) };
    let initial = oscillator.initial;
    let begins = system.place(start, &State { x: initial.displacement, v: initial.velocity })?;
    Cursor::new(system, begins, start, end, most_events())
}

/// The state, and since when the mass rests.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    u: State,
    since: f64,
    /// The rigid stop at which the mass rests, or the soft one that it is in.
    stop: Option<Wall>,
    /// The mass leaves that soft stop faster than it follows: the stop does not push.
    apart: bool,
    /// The mass is at rest at that rigid stop while its support rubs past it.
    held: bool,
    /// Bounces on a rigid stop that are being summed: when they end (s), and their impulse (N·s).
    bounces: Option<(f64, f64)>,
}

impl Rest {
    /// The soft stop that pushes the mass, or the rigid one that holds it.
    fn pushed(&self) -> Option<Wall> {
        self.stop.filter(|_| !self.apart)
    }
}

/// The oscillator as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    o: Arc<Oscillator>,
    frame: Option<Arc<Frame>>,
    options: Options,
    end: f64,
    /// Next step in slip and next panel in stick, s.
    h: f64,
    panel: f64,
    /// How long a mass that starts at rest has rested already, s.
    rested: f64,
    /// What the soft stop that the mass is in had given it when the motion in progress began, N·s.
    impulse: f64,
    /// Arcs in a row that got nowhere.
    stalls: u32,
    warnings: Warnings,
    interrupt: Interrupt,
}

/// Residual of the equation of motion over the tolerance beyond which a step is halved.
const WILD: f64 = 1e4;
/// Halvings after which a wild step is taken as it is, with a warning.
const TAMINGS: u32 = 12;
/// Steps or panels after which a motion ends and the next goes on from there, so that whoever watches a run can stop it
/// within a fraction of a second.
const MOST_STEPS: usize = 20_000;

impl System {
    fn new(o: &Oscillator, options: Options, end: f64) -> Self {
        let frame = (!o.support.is_zero()).then(|| Arc::new(Frame::new(&o.support)));
        Self {
            o: Arc::new(o.clone()),
            frame,
            options,
            end,
            // Guesses only: the first step of a slip and the first panel of a stick are fitted to what they meet.
            h: 1e-3 * end,
            panel: 1e-2 * end,
            rested: 0.0,
            impulse: 0.0,
            stalls: 0,
            warnings: Warnings::default(),
            interrupt: Interrupt::current(),
        }
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    fn shortest(&self, t: f64) -> f64 {
        16.0 * f64::EPSILON * t.abs().max(1e-3 * self.end)
    }
}

/// What of the stops ends a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landing {
    /// The mass is at this stop's position.
    Stop(Wall),
    /// This soft stop, which the mass is in, ceases to push or begins to again.
    Turn(Wall),
}

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// The load leaves the limits towards this side, ±1: a stick is over.
    Leaves(f64),
    /// The relative velocity is zero: a slip is over.
    Rests,
    /// A stop.
    Lands(Landing),
    /// The contact opens or closes.
    Reseats,
    /// A rigid stop lets go of the mass that it held.
    LetsGo,
    /// The support that rubs past a mass at a stop comes to a halt.
    Halts,
    /// Bounces that were summed are over.
    Settles,
    /// Nothing: it is long enough.
    Pauses,
}

/// Why a motion is over.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cause {
    /// By itself.
    Hit(Ends),
    /// The support jumps to another velocity.
    Kick,
    /// The loads are not smooth there.
    Loads,
}

impl System {
    /// What comes after a stick at `t`; a support that jumps gives the mass the relative velocity `kick`, m/s.
    fn after_stick(
        &mut self,
        t: f64,
        state: Rest,
        cause: Cause,
        kick: f64,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let u = State { x: state.u.x, v: self.o.support.value(t) };
        let rest = Rest { u, ..state };
        let next = match cause {
            Cause::Kick => Phase::slip(kick),
            Cause::Hit(Ends::Leaves(side)) => Phase::slip(side),
            _ if self.options.leave_at == Some(t) => self.leave_at_will(t, &rest)?,
            _ => self.at_rest(t, &rest)?,
        };
        if next == Phase::Stick {
            return Ok((rest, next));
        }
        // Where the support is kicked away the mass keeps its own velocity.
        let moving = if cause == Cause::Kick { state } else { rest };
        events.push(Event::new(EventKind::Slip, t, 0, moving.u));
        Ok((self.let_go(Rest { since: t, ..moving }), next))
    }

    /// What comes after a motion in `phase` that is over at `t` in `state`: state and phase, adding to `events` what
    /// happened.
    fn follow(
        &mut self,
        t: f64,
        state: Rest,
        phase: Phase,
        cause: Cause,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        if let Some(wall) = self.rigid_stop_at(&state)
            && self.frame.is_some()
            && (state.held || phase == Phase::Stick)
        {
            return self.stay(t, wall, state, phase, cause, events);
        }
        if let Cause::Hit(Ends::Lands(landing)) = cause {
            return match landing {
                Landing::Stop(wall) => self.meet(t, wall, state, phase, events),
                Landing::Turn(wall) => Ok(self.turn(t, wall, state, phase, events)),
            };
        }
        if let Some((_, impulse)) = state.bounces {
            return self.end_bounces(t, state, impulse, events);
        }
        let since = if phase == Phase::Stick { state.since } else { t };
        match cause {
            Cause::Hit(Ends::Reseats) => {
                // The forces are continuous there; on the place itself the way out says which side it is.
                let u = State { x: -1.0 / self.o.nonlinear.normal_slope, ..state.u };
                return Ok((Rest { u, since: t, ..state }, phase));
            }
            Cause::Hit(Ends::Pauses) => return Ok((Rest { since, ..state }, phase)),
            _ => {}
        }
        let support = self.o.support.value(t);
        let State { x, v } = state.u;
        let mut w = v - support;
        if cause != Cause::Kick && w * phase.sign() <= 0.0 {
            w = 0.0; // the motion is continuous: only rounding leads beyond rest
        }
        if phase == Phase::Stick {
            return self.after_stick(t, state, cause, w, events);
        }
        // Whatever ends a slip here by itself is a velocity that has come to zero.
        let hit = matches!(cause, Cause::Hit(_));
        let moving = Rest { u: State { x, v }, since: t, ..state };
        let resting = Rest { u: State { x, v: support }, since: t, ..state };
        // Only the loads change, and the mass is still on its way.
        if !hit && w * phase.sign() > 0.0 {
            return Ok((moving, phase));
        }
        if hit {
            self.warn_near_stop(t, x, phase.sign());
        }
        // Here w is zero, or of the other sign after a jump of the support.
        let rests = hit || w == 0.0;
        let next = if rests { self.at_rest(t, &resting)? } else { Phase::slip(w) };
        // A velocity that touches zero and keeps its sign is no event.
        if let Some(kind) = EventKind::between(phase, next) {
            let carried = hit || kind == EventKind::Stick;
            let u = State { x, v: if carried { support } else { v } };
            events.push(Event::new(kind, t, 0, u));
        }
        Ok((if rests { resting } else { moving }, next))
    }
}

impl EventDriven for System {
    type State = Rest;
    type Motion = Stretch;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let o = &self.o;
        let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
        let next = signals.into_iter().flatten().map(|s| s.next_breakpoint(t));
        // A stick that is to be left at an instant must end there, like one at which the loads change.
        let leave = self.options.leave_at.filter(|&u| u > t);
        next.chain(leave).fold(f64::INFINITY, f64::min)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Rest,
        phase: &Phase,
        until: f64,
    ) -> Result<(Stretch, Option<Hit<Ends>>), Failure> {
        let (arc, hit) = match (phase, state.bounces) {
            (_, Some((end, _))) => {
                (Stretch::Rest(state.u.x), Some(Hit { time: end, what: Ends::Settles }))
            }
            _ if state.held => {
                (Stretch::Rest(state.u.x), self.holding(t, state, phase.sign(), until)?)
            }
            (Phase::Stick, _) => {
                // Kinks of an ageing limit are panels' ends.
                let mut from = t;
                let mut hit = None;
                while from < until && hit.is_none() {
                    let kink = state.since + self.o.friction.next_kink(from - state.since);
                    // Rounding may put the kink of an age at the present instant: it is behind us then.
                    let to = if kink > from { kink.min(until) } else { until };
                    let u = Window::new(&self.o, t, None).carried(state.u.x, t, from);
                    let here = Rest { u, ..*state };
                    hit = self.stick(from, &here, to)?;
                    from = to;
                }
                // What comes before the end of the stick ends it, so it is looked for up to there.
                let leaves = hit.map_or(until, |hit| hit.time);
                hit = self.carried_to_a_stop(t, state, leaves)?.or(hit);
                let arc = match &self.frame {
                    None => Stretch::Rest(state.u.x),
                    Some(f) => {
                        let relative = Box::new(Stretch::Rest(state.u.x - f.at(t, t).x));
                        Stretch::Carried { relative, support: f.clone(), start: t }
                    }
                };
                (arc, hit)
            }
            _ => {
                let (dense, hit) = self.slip(t, state, phase.sign(), until)?;
                (Stretch::Dense(Arc::new(dense)), hit)
            }
        };
        self.stalls = if hit.is_some_and(|hit| hit.time == t) { self.stalls + 1 } else { 0 };
        // A motion may end where it began (a stop that is left at once, a law at a kink), but not again and again.
        if self.stalls > 100 {
            let phase = phase.to_string();
            return Err(Error::StepTooShort { time: t, step: 0.0, phase }.into());
        }
        Ok((arc, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> Rest {
        Rest { u: leg.motion.state(t), ..leg.state }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Rest,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        self.add_impulse(&leg.state, &leg.motion, leg.start, leg.stop);
        let cause = match (leg.hit, &self.frame) {
            (Some(what), _) => Cause::Hit(what),
            // A motion that has ended by itself did so before any jump of the support.
            (None, Some(f)) if f.jump(leg.stop) != 0.0 => Cause::Kick,
            _ => Cause::Loads,
        };
        self.follow(leg.stop, state, leg.phase, cause, events)
    }

    fn is_finite(&self, state: &Rest) -> bool {
        state.u.x.is_finite() && state.u.v.is_finite()
    }

    fn place(&mut self, t: f64, at: &State) -> Result<Begins<Self>, Error> {
        let support = self.o.support.value(t);
        let State { x, mut v } = *at;
        self.o.stops.map_or(Ok(()), |s| s.check(x))?;
        let rounding = self.frame.as_ref().map_or(0.0, |f| f.rounding(t));
        // A mass that was set down on a moving support rests on it, though both velocities carry roundings.
        let moves = (v - support).abs() > rounding;
        if !moves {
            v = support; // a support that sets out from rest as a harmonic, say
        }
        let stop = stops::at_start(&self.o, State { x, v });
        let since = if moves { t } else { t - self.rested };
        let apart = self.o.stops.is_some_and(|s| s.is_apart(x, v));
        let state = Rest { u: State { x, v }, since, stop, apart, held: false, bounces: None };
        self.impulse = 0.0;
        if let Some(wall) = self.rigid_stop_at(&state)
            && self.frame.is_some()
        {
            return self.at_wall(t, wall, state);
        }
        let phase = if moves {
            Phase::slip(v - support)
        } else if self.options.leave_at == Some(t) {
            self.leave_at_will(t, &state)?
        } else {
            self.at_rest(t, &state)?
        };
        Ok((state, phase))
    }

    fn describe(&self, phase: &Phase) -> String {
        phase.to_string()
    }

    fn halt(&mut self, leg: &Leg<Self>, t: f64) -> Rest {
        self.add_impulse(&leg.state, &leg.motion, leg.start, t);
        self.arrive(leg, t, None)
    }

    fn change(
        &mut self,
        t: f64,
        state: Rest,
        phase: Phase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Oscillator(o) = model else { return Err(fixed_signals()) };
        let before = self.o.support.value(t);
        self.frame = (!o.support.is_zero()).then(|| Arc::new(Frame::new(&o.support)));
        self.o = Arc::new(o.clone());
        // The velocity of the support jumps if that of the new loads is another one at the same instant.
        let kicked = is_jump(before, self.o.support.value(t));
        self.follow(t, state, phase, if kicked { Cause::Kick } else { Cause::Loads }, events)
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, segment: &Segment) -> f64 {
        self.o.lost_in(segment)
    }
}
