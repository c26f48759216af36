//! The exact solution: the mass is a linear oscillator between yields and turning points.

use crate::error::{Error, Obstacle};
use crate::hysteresis::Sweep;
use crate::model::{Cascade, Model};
use crate::motion::{CascadeArc, CascadePath, CascadePhase, CascadeState, Event, EventKind, Line};
use crate::motion::{LinearArc, Medium};
use crate::motion::{Motion, Segment, State};
use crate::numeric::natural_frequency;
use crate::portable;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::cursor::Cursor;
use crate::scheme::effort::check_periods;
use crate::scheme::event_loop::{
    self, EventDriven, Failure, Hit, Leg, Observer, fixed_signals, most_events,
};
use crate::signal::Signal;
use std::sync::Arc;

/// Solves `cascade` on [0, `end`] (s) exactly, to rounding.
///
/// # Errors
/// If a number is outside its range, a signal too short or not known in closed form, the displacement is prescribed, or the run is
/// longer than anybody waits for.
///
/// ```
/// use stickslip::{Cascade, Signal, scheme::cascade};
/// # fn main() -> Result<(), stickslip::Error> {
/// let c = Cascade::new(1.0, vec![3.0, 2.0, 1.5, 1.0, 0.7], vec![0.5, 0.8, 0.3, 1.1])
///     .with_force(Signal::harmonic(2.5, 0.9, 0.0));
/// let path = cascade::exact(&c, 20.0)?;
/// assert_eq!(path.events().len(), 28);
/// # Ok(()) }
/// ```
pub fn solve(cascade: &Cascade, end: f64) -> Result<CascadePath, Error> {
    let mut path = CascadePath::default();
    run(cascade, end, most_events(), &mut path)?;
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
///
/// # Errors
/// As [`solve`], and [`Error::TooManyEvents`] beyond `max_events`.
pub fn run(
    cascade: &Cascade,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<CascadeArc>,
) -> Result<(), Error> {
    let (system, state, phase) = begin(cascade, end)?;
    // A mass at rest under a constant force may stay there, and a run of any length is then a single arc. If it does
    // swing, the number of its events ends the run.
    let still = state.v == 0.0 && cascade.force.as_constant().is_some();
    let own = if still { 0.0 } else { natural_frequency(cascade.stiffness[0], cascade.mass) };
    check_periods(own, [&cascade.force].into_iter(), end)?;
    event_loop::run(system, (state, phase), end, max_events, observer)?;
    Ok(())
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`]. Its pieces have the events and
/// states of [`solve`] to the last bit. Where its state is set, the elements follow the mass to its new place without
/// turning on the way.
///
/// # Errors
/// As [`solve`].
pub fn cursor(cascade: &Cascade, end: f64) -> Result<Cursor<System>, Error> {
    let (system, state, phase) = begin(cascade, end)?;
    Cursor::new(system, (state, phase), 0.0, end, most_events())
}

/// The cascade, its state and its phase at t = 0.
fn begin(cascade: &Cascade, end: f64) -> Result<(System, State, CascadePhase), Error> {
    cascade.check_until(end)?;
    cascade.force.require_closed_form("force", "exact")?;
    let motion = cascade.displacement.iter();
    motion.into_iter().try_for_each(|d| d.require_closed_form("displacement", "exact"))?;
    if cascade.displacement.is_some() {
        return Err(Error::Unsuitable { scheme: "exact", reason: Obstacle::Prescribed });
    }
    let mut system = System::new(cascade);
    let state = State::from(cascade.initial);
    let phase = match state.v {
        0.0 => system.at_rest(0.0, None),
        v => system.go(v.signum()),
    };
    Ok((system, state, phase))
}

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// The next element gives way.
    Yield,
    /// The mass comes to rest.
    Rest,
}

/// The cascade as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    mass: f64,
    force: Arc<Signal>,
    elements: Sweep,
    /// The medium for each number of slipping nodes, made when it is first needed.
    media: Vec<Option<Arc<Medium>>>,
    /// The affine piece of the force in use.
    piece: usize,
}

impl System {
    /// The elements at the start of the motion in progress.
    pub(crate) fn elements(&self) -> &Sweep {
        &self.elements
    }

    fn new(cascade: &Cascade) -> Self {
        Self {
            mass: cascade.mass,
            force: Arc::new(cascade.force.clone()),
            elements: Sweep::new(cascade),
            media: vec![None; cascade.elements() + 1],
            piece: 0,
        }
    }

    fn phase(&self) -> CascadePhase {
        let direction = self.elements.direction() as i8;
        CascadePhase { direction, slipping: self.elements.slipping() }
    }

    /// On the move in `direction`: the slipping nodes go on if it is theirs, and stick if not.
    fn go(&mut self, direction: f64) -> CascadePhase {
        if direction != self.elements.direction() {
            self.elements.turn(direction);
        }
        self.phase()
    }

    /// The phase from rest on: the way that the first derivative of the net force that is not zero
    /// points to; where all are, and the force is constant, the mass stays. `was` is the direction
    /// that came to rest.
    fn at_rest(&mut self, t: f64, was: Option<i8>) -> CascadePhase {
        let piece = self.force.piece_at(t);
        let [f, rate, curve, _] = piece.derivatives(t);
        let net = f - self.elements.force();
        let noise = 8.0 * f64::EPSILON * (piece.scale(t) + self.elements.force().abs());
        // A net force of zero that varies sets the mass in motion by its first derivative that is not zero.
        let constant = piece.harmonics.is_empty() && rate == 0.0;
        let way = match (net.abs() > noise, constant) {
            (true, _) => net,
            (false, true) => return CascadePhase { direction: 0, ..self.phase() },
            (false, false) if rate != 0.0 => rate,
            (false, false) if curve != 0.0 => curve,
            _ => f64::from(was.unwrap_or(1)),
        };
        self.go(way.signum())
    }

    fn medium(&mut self) -> Arc<Medium> {
        let stiffness = self.elements.stiffness();
        // Made when it is first needed: of hundreds of elements mostly a few slip at a time.
        let slot = &mut self.media[self.elements.slipping()];
        slot.get_or_insert_with(|| {
            Arc::new(Medium::new(self.mass, 0.0, stiffness, self.force.harmonics()))
        })
        .clone()
    }

    /// The first yield or turning point of `arc`, which begins at `t`, before `until` (s).
    fn first_event(
        &self,
        arc: &LinearArc,
        t: f64,
        until: f64,
        at_rest: bool,
    ) -> Result<Option<Hit<Ends>>, GivenUp> {
        let s = self.elements.direction();
        let k = self.elements.stiffness();
        let m = self.mass;
        // |p‴|/m, and with it the bounds of v‴ and x‴ from the energy of the equation for ẍ.
        let forcing = arc.load().third_bound / m;
        let omega = natural_frequency(k, m);
        let far = s * self.elements.displacement() + self.elements.margin() / k;
        let eval = |at: f64| {
            let (State { x, v }, [p, p1, p2]) = arc.loaded(at - t);
            let mut a = (p - k * x) / m;
            let mut j = (p1 - k * v) / m;
            if at == t && at_rest {
                // The direction was chosen by these; their rounding must not contradict it.
                a = s * (s * a).max(0.0);
                j = if a == 0.0 { s * (s * j).max(0.0) } else { j };
            }
            let snap = (p2 - k * a) / m;
            let bound = portable::hypot(snap, omega * j);
            let velocity = Jet {
                value: s * v,
                first: s * a,
                second: s * j,
                third: 0.0,
                bound,
                growth: forcing,
            };
            // In units of a velocity, so that one noise serves both.
            let distance = Jet {
                value: omega * (far - s * x),
                first: -omega * s * v,
                second: -omega * s * a,
                third: 0.0,
                bound,
                growth: forcing,
            };
            [distance, velocity]
        };
        let noise = arc.velocity_noise(until);
        if far == f64::INFINITY {
            // All elements slip: there is no yield to look for.
            let root = first_root(t, until, noise, Touch::Counts, |at| [eval(at)[1]])?;
            return Ok(root.map(|r| Hit { time: r.at, what: Ends::Rest }));
        }
        let root = first_root(t, until, noise, Touch::Counts, eval)?;
        Ok(root.map(|r| {
            let what = if r.which == 0 { Ends::Yield } else { Ends::Rest };
            Hit { time: r.at, what }
        }))
    }
}

impl System {
    /// What comes after a motion in `phase` that `hit` has ended at `t` in `state`, or a breakpoint of the force.
    fn after(
        &mut self,
        t: f64,
        state: State,
        phase: CascadePhase,
        hit: Option<Ends>,
        events: &mut Vec<Event>,
    ) -> (State, CascadePhase) {
        self.smooth_until(t); // at a breakpoint, read the force on its right
        let State { x, v } = state;
        if hit == Some(Ends::Yield) {
            let element = self.elements.give_way(x);
            events.push(Event::new(EventKind::Yield, t, element, state));
            return (state, self.phase());
        }
        // Up to here the elements have gone with the mass, none of them yielding.
        self.elements.shift(x);
        // Only the force changes, and the mass goes on.
        if hit.is_none() && v * f64::from(phase.direction) > 0.0 {
            return (state, phase);
        }
        let next = self.at_rest(t, Some(phase.direction));
        if next.direction * phase.direction < 0 {
            events.push(Event::new(EventKind::Reversal, t, 0, State { x, v: 0.0 }));
        }
        (State { x, v: 0.0 }, next)
    }
}

impl EventDriven for System {
    type State = State;
    type Motion = CascadeArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let knots = self.force.knots();
        while knots.get(self.piece + 1).is_some_and(|k| k.time <= t) {
            self.piece += 1;
        }
        knots.get(self.piece + 1).map_or(f64::INFINITY, |k| k.time)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &State,
        phase: &CascadePhase,
        until: f64,
    ) -> Result<(CascadeArc, Option<Hit<Ends>>), Failure> {
        let x = state.x;
        let force = self.elements.force();
        if phase.direction == 0 {
            return Ok((CascadeArc::Rest(CascadeState { x, v: 0.0, force }), None));
        }
        let line = Line { x, force, stiffness: self.elements.stiffness() };
        let medium = self.medium();
        // S_J x + (f − S_J x_a): the second part acts like a constant friction.
        let friction = line.at(0.0);
        let arc = LinearArc::new(&medium, &self.force, self.piece, t, *state, friction, until);
        let hit = self.first_event(&arc, t, until, state.v == 0.0)?;
        Ok((CascadeArc::Free(Box::new(arc), line), hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> State {
        let CascadeState { x, v, .. } = leg.motion.state(t);
        State { x, v }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: State,
        events: &mut Vec<Event>,
    ) -> Result<(State, CascadePhase), Error> {
        Ok(self.after(leg.stop, state, leg.phase, leg.hit, events))
    }

    fn is_finite(&self, state: &State) -> bool {
        state.x.is_finite() && state.v.is_finite()
    }

    fn leave(&mut self, leg: &Leg<Self>, t: f64) {
        self.elements.shift(leg.motion.state(t).x);
    }

    fn place(&mut self, t: f64, at: &CascadeState) -> Result<(State, CascadePhase), Error> {
        let CascadeState { x, v, .. } = *at;
        self.smooth_until(t); // at a breakpoint, read the force on its right
        self.elements.advance(x);
        let phase = if v == 0.0 { self.at_rest(t, None) } else { self.go(v.signum()) };
        Ok((State { x, v }, phase))
    }

    fn describe(&self, phase: &CascadePhase) -> String {
        phase.to_string()
    }

    fn change(
        &mut self,
        t: f64,
        state: State,
        phase: CascadePhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<(State, CascadePhase), Error> {
        let Model::Cascade(c) = model else { return Err(fixed_signals()) };
        c.force.require_closed_form("force", "exact")?;
        // A medium holds the responses to the harmonics of the force; the stiffness of the elements is the same as
        // before.
        if self.force.harmonics() != c.force.harmonics() {
            self.media.fill(None);
        }
        self.force = Arc::new(c.force.clone());
        self.piece = 0;
        Ok(self.after(t, state, phase, None, events))
    }

    const COUNTS_LOSSES: bool = true;

    /// What the elements lose is counted as they move.
    fn lost(&self, s: &Segment<CascadeArc>) -> f64 {
        self.elements.moved_to(s.arc.state(s.end).x).lost() - self.elements.lost()
    }
}
