//! Displacement or force prescribed, no inertia: hysteresis loops with exact events.
//!
//! In terms of the control u (x or F) the elements are the same: while nodes 1 … J slip, dF = S_J dx.
//! A jump of the control is passed through at once, with its yields, at the time of the jump.

use crate::error::{Error, Obstacle};
use crate::hysteresis::Sweep;
use crate::model::{Cascade, Model};
use crate::motion::Motion;
use crate::motion::{
    CascadeArc, CascadePath, CascadePhase, CascadeState, Event, EventKind, Line, Segment, State,
    Warning,
};
use crate::roots::{Jet, Touch, first_root};
use crate::scheme::cursor::Cursor;
use crate::scheme::effort::check_periods;
use crate::scheme::event_loop::{
    self, Begins, EventDriven, Failure, Hit, Leg, fixed_signals, most_events,
};
use crate::signal::Signal;
use std::sync::Arc;

/// Solves `cascade` on [0, `end`] (s) without inertia: its displacement x(t) where it is prescribed,
/// else its force F(t). At t = 0 the elements go from their initial state to the control's value.
///
/// # Errors
/// If a number is outside its range, a signal too short or not known in closed form, or the problem has inertia: an initial velocity.
///
/// ```
/// use stickslip::{Cascade, Signal, scheme::cascade};
/// # fn main() -> Result<(), stickslip::Error> {
/// // The element slips once the spring before it pulls with its 1 N, after 1 m of way.
/// let way = Signal::ramp(1.0, 0.0);
/// let c = Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_displacement(way);
/// let path = cascade::quasi_static(&c, 2.0)?;
/// assert!(path.events().len() == 1 && (path.events()[0].time - 1.0).abs() < 1e-15);
/// # Ok(()) }
/// ```
pub fn solve(cascade: &Cascade, end: f64) -> Result<CascadePath, Error> {
    let (system, begins, events) = begin(cascade, end)?;
    let mut path = CascadePath::default();
    events.into_iter().for_each(|e| path.record(e));
    event_loop::run(system, begins, end, most_events(), &mut path)?;
    if let Some(d) = &cascade.displacement {
        let start = cascade.initial.displacement;
        let lead = d.value(0.0);
        // Two ways to write one place differ by roundings.
        if (lead - start).abs() > 1e-12 * d.piece_at(0.0).scale(0.0).max(start.abs()) {
            path.warn(Warning::LedFromElsewhere { start, lead });
        }
    }
    Ok(path)
}

/// The run up to `end` (s at the latest), at the caller's pace, and what happens at t = 0: see [`Cursor`]. Its pieces have
/// the events and states of [`solve`] to the last bit. Its state cannot be set, for it follows from the control.
///
/// # Errors
/// As [`solve`].
pub fn cursor(cascade: &Cascade, end: f64) -> Result<(Cursor<System>, Vec<Event>), Error> {
    let (system, begins, events) = begin(cascade, end)?;
    Ok((Cursor::new(system, begins, 0.0, end, most_events())?, events))
}

/// The cascade, its state and its phase at t = 0, and what happens there.
fn begin(cascade: &Cascade, end: f64) -> Result<(System, Begins<System>, Vec<Event>), Error> {
    cascade.check_until(end)?;
    cascade.force.require_closed_form("force", "quasi-static")?;
    let motion = cascade.displacement.iter();
    motion.into_iter().try_for_each(|d| d.require_closed_form("displacement", "quasi-static"))?;
    let unsuitable = |reason| Err(Error::Unsuitable { scheme: "quasi-static", reason });
    if cascade.initial.velocity != 0.0 {
        return unsuitable(Obstacle::InitialVelocity);
    }
    let by_force = cascade.displacement.is_none();
    if !by_force && cascade.force != Signal::default() {
        return unsuitable(Obstacle::TwoCauses);
    }
    let control = cascade.displacement.as_ref().unwrap_or(&cascade.force);
    check_periods(0.0, [control].into_iter(), end)?;
    let mut system = System {
        control: Arc::new(control.clone()),
        by_force,
        elements: Sweep::new(cascade),
        size: 0.0,
        fourth: control.derivative_bound(4),
        turn: None,
    };
    // The initial state counts among what the elements have come through.
    system.size = system.position().abs();
    let mut events = Vec::new();
    system.jump(0.0, &mut events);
    let phase = system.depart(0.0);
    let state = system.state(0.0);
    Ok((system, (state, phase), events))
}

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// The next element gives way.
    Yield,
    /// The control turns round.
    Turn,
}

/// A cascade without inertia as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    /// u(t): m, or N.
    control: Arc<Signal>,
    by_force: bool,
    elements: Sweep,
    /// The largest |u| at the end of a motion so far.
    size: f64,
    /// A bound on u⁗ inside every piece.
    fourth: f64,
    /// The turning point before a time (s), if there is one, while the control goes one way.
    turn: Option<(f64, Option<f64>)>,
}

impl System {
    /// The elements at the start of the motion in progress.
    pub(crate) fn elements(&self) -> &Sweep {
        &self.elements
    }

    /// The control that the elements are at.
    fn position(&self) -> f64 {
        if self.by_force { self.elements.force() } else { self.elements.displacement() }
    }

    /// How far the control is from the next yield.
    fn margin(&self) -> f64 {
        let force = self.elements.margin();
        if self.by_force { force } else { force / self.elements.stiffness() }
    }

    /// How far the control at `t` may be from where the elements are, or pass the next yield, by rounding alone. What they have
    /// come through counts too: it has left its roundings in their forces, however small the control is now.
    fn rounding(&self, t: f64) -> f64 {
        let margin = self.margin(); // +∞ where all slip
        let margin = if margin.is_finite() { margin } else { 0.0 };
        16.0 * f64::EPSILON * (self.control.piece_at(t).scale(t) + self.size + margin)
    }

    /// The elements go to `x` (m), no yield between.
    fn shift(&mut self, x: f64) {
        self.elements.shift(x);
        self.size = self.size.max(self.position().abs());
    }

    /// The displacement where the control is `u`, no yield between.
    fn displacement(&self, u: f64) -> f64 {
        let e = &self.elements;
        if self.by_force { e.displacement() + (u - e.force()) / e.stiffness() } else { u }
    }

    fn state(&self, v: f64) -> CascadeState {
        CascadeState { x: self.elements.displacement(), v, force: self.elements.force() }
    }

    fn phase(&self, direction: i8) -> CascadePhase {
        CascadePhase { direction, slipping: self.elements.slipping() }
    }

    /// Moves the elements to the control's value at `t` if they are elsewhere: a jump.
    fn jump(&mut self, t: f64, events: &mut Vec<Event>) {
        let u = self.control.value(t);
        let gap = u - self.position();
        let noise = self.rounding(t);
        if gap.abs() <= noise {
            return;
        }
        let s = gap.signum();
        if s != self.elements.direction() {
            self.turn(t, s, events);
        }
        // A jump goes through all yields on its way, at one instant.
        while s * (u - self.position()) > self.margin() + noise {
            let u = self.position() + s * self.margin();
            self.give_way(t, u, events);
        }
        let x = self.displacement(u);
        self.shift(x);
    }

    fn turn(&mut self, time: f64, s: f64, events: &mut Vec<Event>) {
        let x = self.elements.displacement();
        self.elements.turn(s);
        // At the start the elements have come from nowhere: that they turn is no event.
        if time > 0.0 {
            events.push(Event::new(EventKind::Reversal, time, 0, State { x, v: 0.0 }));
        }
    }

    fn give_way(&mut self, time: f64, u: f64, events: &mut Vec<Event>) {
        let x = self.displacement(u);
        let rate = self.control.derivative(time);
        let v = if self.by_force { rate / self.elements.stiffness() } else { rate };
        let element = self.elements.give_way(x);
        events.push(Event::new(EventKind::Yield, time, element, State { x, v }));
    }

    /// The way the control goes from `t` on; 0 where it is constant. The elements are turned later, by
    /// [`EventDriven::next`], so that it is recorded as an event.
    fn trend(&self, t: f64, at_turn: bool) -> i8 {
        let [_, u1, u2, u3] = self.control.piece_at(t).derivatives(t);
        let noise = 8.0 * f64::EPSILON * (u1.abs() + self.control.derivative_bound(1));
        // Where a turning point was found the rate is zero, whatever its rounding.
        let way = match (u1.abs() > noise && !at_turn, u2 != 0.0) {
            (true, _) => u1,
            (false, true) => u2,
            _ => u3,
        };
        (way > 0.0) as i8 - (way < 0.0) as i8
    }

    /// The phase at the very start: nothing has a direction yet.
    fn depart(&mut self, t: f64) -> CascadePhase {
        let way = self.trend(t, false);
        if way != 0 && f64::from(way) != self.elements.direction() {
            self.elements.turn(f64::from(way));
        }
        self.phase(way)
    }

    /// What comes after a motion in `phase` that `hit` has ended at `t` in `state`, or a breakpoint of the control.
    fn after(
        &mut self,
        t: f64,
        state: CascadeState,
        phase: CascadePhase,
        hit: Option<Ends>,
        events: &mut Vec<Event>,
    ) -> Begins<Self> {
        if hit == Some(Ends::Yield) {
            let u = if self.by_force { state.force } else { state.x };
            self.give_way(t, u, events);
            return (self.state(state.v), self.phase(phase.direction));
        }
        // The turning point that was found belongs to the motion that is over.
        self.turn = None;
        self.shift(state.x);
        if hit.is_none() {
            self.jump(t, events); // a breakpoint may be a jump of the control
        }
        let way = self.trend(t, hit.is_some());
        if way != 0 && f64::from(way) != self.elements.direction() {
            self.turn(t, f64::from(way), events);
        }
        // Under a force the mass moves by dF/S_J; a prescribed displacement is its own rate.
        let slope = if self.by_force { self.elements.stiffness() } else { 1.0 };
        (self.state(self.control.derivative(t) / slope), self.phase(way))
    }
}

impl EventDriven for System {
    type State = CascadeState;
    type Motion = CascadeArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.control.next_breakpoint(t)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &CascadeState,
        phase: &CascadePhase,
        until: f64,
    ) -> Result<(CascadeArc, Option<Hit<Ends>>), Failure> {
        if phase.direction == 0 {
            return Ok((CascadeArc::Rest(CascadeState { v: 0.0, ..*state }), None));
        }
        let line = Line { x: state.x, force: state.force, stiffness: self.elements.stiffness() };
        let control = self.control.clone();
        let arc = match self.by_force {
            true => CascadeArc::Force(control, t, line),
            false => CascadeArc::Displacement(control, t, line),
        };
        let s = f64::from(phase.direction);
        let far = s * self.position() + self.margin();
        let piece = self.control.piece_at(t);
        let jet = |[value, first, second, third]: [f64; 4], bound| {
            [Jet { value, first, second, third, bound, growth: 0.0 }]
        };
        let rate = |at: f64| {
            let [_, u1, u2, u3] = piece.derivatives(at).map(|u| s * u);
            let u1 = if at == t { u1.max(0.0) } else { u1 }; // the trend says which way
            jet([u1, u2, u3, 0.0], self.fourth)
        };
        let margin = |at: f64| {
            let [u, u1, u2, _] = piece.derivatives(at).map(|u| s * u);
            let u1 = if at == t { u1.max(0.0) } else { u1 };
            jet([(far - u).min(f64::MAX), -u1, -u2, 0.0], piece.third_bound)
        };
        // A straight line has no turning point, and its rate no root to look for. A yield on the way does not move one.
        let turn = match self.turn.filter(|known| known.0 == until) {
            Some((_, turn)) => turn,
            None if piece.harmonics.is_empty() => None,
            None => first_root(t, until, 0.0, Touch::Counts, rate)?.map(|r| r.at),
        };
        // A control that comes back just to where it turned before, or stops there, brings an element to its threshold and
        // not beyond. Where it goes on after all, the next piece begins at a yield.
        let last = turn.unwrap_or(until);
        let noise = self.rounding(last);
        let beyond = s * piece.derivatives(last)[0] - far > noise;
        let give = if beyond { first_root(t, last, 0.0, Touch::Counts, margin)? } else { None };
        // Kept for the yields on the way: they do not move the turning point, whose search is the dear one.
        self.turn = Some((until, turn));
        let hit = match give {
            Some(root) => Some(Hit { time: root.at, what: Ends::Yield }),
            None => turn.map(|time| Hit { time, what: Ends::Turn }),
        };
        Ok((arc, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> CascadeState {
        leg.motion.state(t)
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: CascadeState,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        Ok(self.after(leg.stop, state, leg.phase, leg.hit, events))
    }

    fn place(&mut self, _: f64, _: &CascadeState) -> Result<Begins<Self>, Error> {
        let reason = Obstacle::CannotBePlaced;
        Err(Error::Unsuitable { scheme: "quasi-static", reason })
    }

    fn is_finite(&self, state: &CascadeState) -> bool {
        state.x.is_finite() && state.force.is_finite()
    }

    fn describe(&self, phase: &CascadePhase) -> String {
        phase.to_string()
    }

    fn change(
        &mut self,
        t: f64,
        state: CascadeState,
        phase: CascadePhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Cascade(c) = model else { return Err(fixed_signals()) };
        let control = c.displacement.as_ref().unwrap_or(&c.force);
        control.require_closed_form("control", "quasi-static")?;
        self.fourth = control.derivative_bound(4);
        self.control = Arc::new(control.clone());
        Ok(self.after(t, state, phase, None, events))
    }

    const COUNTS_LOSSES: bool = true;

    /// What the elements lose is counted as they move.
    fn lost(&self, s: &Segment<CascadeArc>) -> f64 {
        self.elements.moved_to(s.arc.state(s.end).x).lost() - self.elements.lost()
    }

    fn lost_before(&self) -> Option<f64> {
        Some(self.elements.lost())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pulled by 3 m at once, the element slips once the spring before it pulls with 1 N, and then half of the 2 m that are left: 1 J.
    #[test]
    fn what_a_jump_loses_is_counted_whoever_asks() {
        let c =
            Cascade::new(1.0, vec![1.0, 1.0], vec![1.0]).with_displacement(Signal::constant(3.0));
        let (system, _, events) = begin(&c, 1.0).unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!(system.lost_before(), Some(1.0));
    }
}
