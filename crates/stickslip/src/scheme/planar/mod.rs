//! One mass on a plane, where friction is a vector: three schemes.
//!
//! [`solve`] goes from event to event. In a slip it takes steps of order 8 in polar velocities with the length of the way in
//! place of the time (`polar`), in which a rest lies infinitely far away: no step can pass over it, and how the direction
//! turns while the velocity dies is smooth. Where a slip begins, and wherever friction turns the velocity much faster than
//! the motion changes, steps of collocation take over (`collocation`). Where the velocity changes little up to the next breakpoint,
//! as between two samples of a record, one step in time goes there (`cartesian`). The last piece of a slip has a closed form. At rest
//! nothing moves; the instant at which the load leaves the disc is the certified first root of a function of the signals.
//!
//! A rigid rim throws the mass back (`contact`). Where bounces become infinitely many they are summed (`bounces`), and the mass goes
//! along the rim (`along`), rests there, or leaves it.
//!
//! [`euler_steps::euler`] and [`euler_steps::implicit_euler`] are time stepping schemes of first order.

mod along;
mod arc;
mod bounces;
mod cartesian;
mod circle;
mod collocation;
mod contact;
mod energy;
pub mod euler_steps;
mod polar;
mod rest;
mod rim;
mod side;
mod slip;
mod window;

pub use arc::{Node, PlanarArc};
pub use side::Side;

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::model::{Model, Planar};
use crate::motion::{Event, EventKind, Path, PlanarPhase, PlanarState, State, Warning};
use crate::scheme::audit::audit;
use crate::scheme::cursor::Cursor;
use crate::scheme::effort::check_periods;
use crate::scheme::event_loop::{
    Begins, EventDriven, Failure, Followed, Hit, Leg, fixed_signals, most_events,
};
use crate::scheme::oscillator::adaptive::Options;
use crate::signal::Signal;
use arc::Course;
use bounces::Series;
use contact::Settles;
use polar::Sliding;
use std::sync::Arc;
use window::Window;

/// The path of a mass on a plane.
pub type PlanarPath = Path<PlanarArc>;

/// Solves `planar` on [0, `end`] (s).
///
/// # Errors
/// If a number is outside its range, the run longer than anybody waits for, a signal too short, the normal force negative from the start, or a step falls below what
/// rounding allows. Where the normal force falls below zero later, the run ends, with [`Warning::LiftsOff`].
///
/// ```
/// use stickslip::model::Planar;
/// use stickslip::scheme::{oscillator::adaptive::Options, planar};
/// use stickslip::{Law, Signal};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Under a rotating force the mass ends on a circle of radius √(F² − f²)/(m ω²).
/// let force = [Signal::harmonic(2.0, 1.5, 0.0), Signal::harmonic(2.0, 1.5, -std::f64::consts::FRAC_PI_2)];
/// let mass = Planar::new(1.0, Law::static_dynamic(1.4, 1.2)?).with_force(force);
/// let path = planar::solve(&mass, 60.0, Options::tolerance(1e-10))?;
/// let v = path.state(60.0).v;
/// assert!((v[0].hypot(v[1]) - 1.6 / 1.5).abs() < 1e-8);
/// # Ok(()) }
/// ```
pub fn solve(planar: &Planar, end: f64, options: Options) -> Result<PlanarPath, Error> {
    planar.check_until(end)?;
    let stands = planar.support.iter().all(Signal::is_zero);
    let stops = stands && planar.friction.sliding() > 0.0;
    check_periods(if stops { 0.0 } else { planar.swings() }, planar.signals(), end)?;
    let lifts = planar.lifts_off(end)?;
    let end = lifts.unwrap_or(end);
    let mut cursor = begin(planar, end, options)?;
    let mut path = PlanarPath::default();
    cursor.advance(end, &mut path)?;
    lifts.into_iter().for_each(|time| path.warn(Warning::LiftsOff { time }));
    // Energies are summed by other rules than the motion: what they lack shows an error that the steps did not
    // see.
    let energy = path.energy();
    audit(&mut path, &energy, end, options.rtol)?;
    Ok(path)
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`].
///
/// # Errors
/// As [`solve`]; a normal force that falls below zero before the end is refused.
pub fn cursor(planar: &Planar, end: f64, options: Options) -> Result<Cursor<System>, Error> {
    planar.check_until(end)?;
    planar.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    begin(planar, end, options)
}

/// The run up to `end` (s), before which the normal force does not fall below zero.
fn begin(planar: &Planar, end: f64, options: Options) -> Result<Cursor<System>, Error> {
    // A slip asks for accelerations of the surface, and how far it carries a mass at rest.
    for surface in &planar.support {
        surface.require_closed_form("the velocity of the surface", "adaptive")?;
    }
    options.check()?;
    let interrupt = Interrupt::current();
    let model = Arc::new(planar.clone());
    let mut system = System {
        model,
        options,
        end,
        h: f64::INFINITY,
        stalls: 0,
        bounces: Series::default(),
        ends: None,
        work: None,
        interrupt,
    };
    let at = PlanarState { x: planar.displacement, v: planar.velocity, friction: [0.0; 2] };
    let begins = system.place(0.0, &at)?;
    Cursor::new(system, begins, 0.0, end, most_events())
}

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The sliding velocity is zero.
    Rests,
    /// The load exceeds what holds the mass.
    GivesWay,
    /// The mass meets its rim.
    Meets,
    /// The rim, which the mass is beyond, ceases to push.
    Lets,
    /// The mass comes back inside a rim that does not push.
    Leaves,
    /// The rim, which the mass is beyond, pushes again.
    Pushes,
    /// The bounces on a rigid rim are over.
    Settles,
    /// Nothing: it is long enough.
    Pauses,
}

/// A planar model as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    model: Arc<Planar>,
    options: Options,
    end: f64,
    /// Next step in polar velocities.
    h: f64,
    /// Motions in a row that took no time.
    stalls: u32,
    /// The impacts on a rigid rim in a row.
    bounces: Series,
    /// The end of the bounces in progress that were summed.
    ends: Option<Settles>,
    work: Option<slip::Workspace>,
    interrupt: Interrupt,
}

/// Motions in a row that take no time, after which the run is given up.
const MOST_STALLS: u32 = 500;

impl System {
    /// The shortest step at `t` (s) that rounding allows.
    fn shortest(&self, t: f64) -> f64 {
        16.0 * f64::EPSILON * t.abs().max(1e-3 * self.end)
    }

    /// What a mass with this sliding velocity does at `t`, s.
    fn phase(&self, t: f64, at: &Node) -> PlanarPhase {
        // The velocity is zero to the last bit at rest, so that the comparison is exact.
        if at.w == [0.0; 2] && Window::new(&self.model, t).holds(t, at.r) {
            PlanarPhase::Stick
        } else {
            PlanarPhase::Slip
        }
    }
}

impl System {
    /// What the rim does after `hit` to a mass at `r` (m) with `w` (m/s).
    fn beyond(&self, side: Side, hit: Option<&Ends>, r: [f64; 2], w: [f64; 2]) -> Side {
        // What follows at a rigid rim needs the loads.
        if self.model.rigid_rim().is_some() {
            return side;
        }
        match hit {
            Some(Ends::Meets | Ends::Pushes) => Side::Pressed,
            // Without a dashpot it pushes as far as the mass is beyond it.
            Some(Ends::Lets) if self.model.cushion().is_some_and(|rim| rim.damping == 0.0) => {
                Side::Inside
            }
            Some(Ends::Lets) => Side::Apart,
            Some(Ends::Leaves) => Side::Inside,
            // What rests beyond a rim is pushed, and what rests inside is not.
            Some(Ends::Rests) => Side::of(self.model.cushion(), r, w),
            _ => side,
        }
    }

    /// The state after a breakpoint at `t` (s) that `arc` leads to.
    fn carried_over(&self, t: f64, arc: &PlanarArc, state: Node) -> Node {
        // Where the surface's velocity jumps, the mass keeps its own; its sliding velocity jumps.
        let before = arc.window(t).surface(t);
        let after = Window::new(&self.model, t).surface(t);
        if before == after {
            return state;
        }
        Node { w: [0, 1].map(|i| state.w[i] + (before[i] - after[i])), ..state }
    }
}

/// An event at the mass.
fn event(kind: EventKind, t: f64, window: &Window<'_>, at: &Node) -> Event {
    let place =
        usize::from(matches!(kind, EventKind::Touch | EventKind::Release | EventKind::Impact));
    Event::new(kind, t, place, State { x: at.r[0], v: at.w[0] + window.surface(t)[0] })
}

impl EventDriven for System {
    type State = Node;
    type Motion = PlanarArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.model.signals().map(|s| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Node,
        phase: &PlanarPhase,
        until: f64,
    ) -> Result<Followed<Self>, Failure> {
        let side = state.side;
        let (course, hit) = match phase {
            PlanarPhase::Stick => {
                let window = Window::on(&self.model, t, side);
                let ends = match side {
                    Side::Closed => window.gives_way_at_rim(state.r, t, until)?,
                    _ => window.gives_way(state.r, t, until)?,
                };
                let hit = ends.map(|time| Hit { time, what: Ends::GivesWay });
                (Course::Rest { r: state.r }, hit)
            }
            PlanarPhase::Slip => {
                let at = Sliding { t, r: state.r, w: state.w };
                let (links, hit) = match (self.model.rim, side) {
                    (Some(rim), Side::Closed) => self.along(rim, at, until)?,
                    (Some(rim), Side::Bouncing) => self.bouncing(rim, &at),
                    _ => self.follow(at, side, until)?,
                };
                (Course::Slip(Arc::new(links)), hit)
            }
        };
        let moved = hit.as_ref().is_none_or(|hit| hit.time > t);
        self.stalls = if moved { 0 } else { self.stalls + 1 };
        if self.stalls > MOST_STALLS {
            // Phases that follow each other at one instant would do so forever.
            let error = Error::Stalled { time: t, phase: self.describe(phase) };
            return Err(Failure::Met(error));
        }
        Ok((PlanarArc { model: self.model.clone(), start: t, side, course }, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Ends>) -> Node {
        let Sliding { r, w, .. } = leg.motion.sliding(&leg.motion.window(t), t);
        // The root is near zero only to rounding, and a rest is exact.
        let w = if hit == Some(&Ends::Rests) { [0.0; 2] } else { w };
        Node { r, w, side: self.beyond(leg.motion.side, hit, r, w) }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Node,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        let state = match leg.hit {
            // The mass keeps its own velocity where that of the surface jumps.
            None => self.carried_over(t, &leg.motion, state),
            Some(_) => state,
        };
        if let Some((rim, restitution)) = self.model.rigid_rim()
            && let Some(begins) = self.next_at_rim(leg, state, rim, restitution, events)
        {
            return Ok(begins);
        }
        let after = match leg.hit {
            Some(
                Ends::Pauses
                | Ends::Meets
                | Ends::Lets
                | Ends::Leaves
                | Ends::Pushes
                | Ends::Settles,
            ) => leg.phase,
            Some(Ends::GivesWay) => PlanarPhase::Slip,
            Some(Ends::Rests) => self.phase(t, &state),
            // A breakpoint: what rests may be let go by a load that jumps.
            None if leg.phase == PlanarPhase::Stick => self.phase(t, &state),
            // A slip goes on over a breakpoint: if it is to rest, the next motion finds that.
            None => PlanarPhase::Slip,
        };
        let kind = match (leg.phase, after) {
            (PlanarPhase::Stick, PlanarPhase::Slip) => Some(EventKind::Slip),
            (PlanarPhase::Slip, PlanarPhase::Stick) => Some(EventKind::Stick),
            // It came to a halt against the load, which throws it back: only what moves on a line does.
            (PlanarPhase::Slip, PlanarPhase::Slip) if leg.hit == Some(Ends::Rests) => {
                Some(EventKind::Reversal)
            }
            _ => match leg.hit {
                Some(Ends::Meets | Ends::Pushes) => Some(EventKind::Touch),
                Some(Ends::Lets) => Some(EventKind::Release),
                _ => None,
            },
        };
        if let Some(kind) = kind {
            events.push(event(kind, t, &Window::new(&self.model, t), &state));
        }
        Ok((state, after))
    }

    fn is_finite(&self, state: &Node) -> bool {
        state.r.iter().chain(&state.w).all(|x| x.is_finite())
    }

    fn describe(&self, phase: &PlanarPhase) -> String {
        phase.name().to_owned()
    }

    fn place(&mut self, t: f64, at: &PlanarState) -> Result<Begins<Self>, Error> {
        self.model.check_place(t, at.x)?;
        let surface = Window::new(&self.model, t).surface(t);
        let w = [at.v[0] - surface[0], at.v[1] - surface[1]];
        if let Some((rim, _)) = self.model.rigid_rim() {
            return self.place_in_rim(t, rim, Node { r: at.x, w, side: Side::Inside });
        }
        let state = Node { r: at.x, w, side: Side::of(self.model.cushion(), at.x, at.v) };
        Ok((state, self.phase(t, &state)))
    }

    fn change(
        &mut self,
        t: f64,
        state: Node,
        phase: PlanarPhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Planar(planar) = model else { return Err(fixed_signals()) };
        let before = Window::new(&self.model, t).surface(t);
        self.model = Arc::new(planar.clone());
        let window = Window::new(&self.model, t);
        let after = window.surface(t);
        // The mass keeps its own velocity where the surface jumps.
        let state = Node { w: [0, 1].map(|i| state.w[i] + before[i] - after[i]), ..state };
        self.bounces.clear();
        if let Some((rim, _)) = self.model.rigid_rim()
            && state.side != Side::Inside
        {
            return Ok(self.goes_on_at_rim(t, rim, state, phase, events));
        }
        let next = self.phase(t, &state);
        if let (PlanarPhase::Stick, PlanarPhase::Slip) = (phase, next) {
            events.push(event(EventKind::Slip, t, &window, &state));
        }
        Ok((state, next))
    }
}
