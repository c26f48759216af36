//! Runs of masses between walls in progress.

use super::{Begun, Kind, begun, refuse};
use crate::error::Error;
use crate::model::{Impact, Model};
use crate::motion::{Event, ImpactArc, Phase, Segment, State, Touching, Wall};
use crate::scheme::cursor::{Advance, Cursor};
use crate::scheme::event_loop::{EventDriven, Observer};
use crate::scheme::impact::{self, moreau, penalised};
use crate::scheme::stepper::Stepper;
use crate::solution::Scheme;
use std::fmt;

pub(super) fn start(i: &Impact, end: f64, scheme: &Scheme) -> Result<Begun, Error> {
    let kind = ImpactKind { impulse: 0.0 };
    let run = match *scheme {
        Scheme::Exact => {
            let (cursor, events) = impact::cursor(i, end)?;
            return Ok((begun(kind, cursor), events));
        }
        Scheme::Moreau { step } => begun(kind, moreau::cursor(i, end, step)?),
        Scheme::Penalised(p) => begun(kind, penalised::cursor(i, p, end)?),
        _ => return Err(refuse(scheme, "impact", Model::IMPACT)),
    };
    Ok((run, Vec::new()))
}

/// What can be advanced and knows the impulse of the walls.
trait Pushed:
    Advance<State = State, Phase = Touching> + Clone + fmt::Debug + Send + Sync + 'static
{
    /// Advances as [`Advance::advance_while`] does, adding to `impulse` what the walls gave the mass (N·s).
    fn advance_pushed(
        &mut self,
        until: f64,
        told: (&mut Vec<Event>, &mut f64),
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error>;
}

/// Collects events and adds up impulses.
struct Adding<'a> {
    from: f64,
    impulse: &'a mut f64,
    events: &'a mut Vec<Event>,
    goes_on: &'a mut dyn FnMut(f64) -> bool,
}

impl Observer<ImpactArc> for Adding<'_> {
    fn segment(&mut self, s: Segment<ImpactArc>) {
        *self.impulse += s.arc.impulse(self.from.max(s.start), s.end);
    }

    fn event(&mut self, event: Event) {
        *self.impulse += if event.duration == 0.0 { event.impulse } else { 0.0 };
        self.events.push(event);
    }

    fn goes_on(&mut self, t: f64) -> bool {
        (self.goes_on)(t)
    }
}

impl<S> Pushed for Cursor<S>
where
    S: EventDriven<Motion = ImpactArc> + Clone + fmt::Debug + Send + Sync + 'static,
    S::State: Send + Sync,
    S::What: Send + Sync,
{
    fn advance_pushed(
        &mut self,
        until: f64,
        (events, impulse): (&mut Vec<Event>, &mut f64),
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        let from = self.time();
        let mut adding = Adding { from, impulse: &mut *impulse, events, goes_on };
        let advanced = self.advance(until, &mut adding);
        let last = self.segment();
        *impulse += last.arc.impulse(from.max(last.start), last.end);
        advanced
    }
}

impl Pushed for Stepper<moreau::Steps> {
    fn advance_pushed(
        &mut self,
        until: f64,
        (events, impulse): (&mut Vec<Event>, &mut f64),
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        let before = self.scheme().impulse();
        let advanced = self.advance_while(until, events, goes_on);
        *impulse += self.scheme().impulse() - before;
        advanced
    }
}

#[derive(Debug, Clone)]
struct ImpactKind {
    /// Of the walls during the last advance, N·s.
    impulse: f64,
}

impl<C: Pushed> Kind<C> for ImpactKind {
    fn advance(
        &mut self,
        cursor: &mut C,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        self.impulse = 0.0;
        cursor.advance_pushed(until, (events, &mut self.impulse), goes_on)
    }

    fn points(&self, state: State) -> Vec<State> {
        vec![state]
    }

    fn row(&self, cursor: &C, out: &mut [f64]) {
        let State { x, v } = cursor.state();
        out.copy_from_slice(&[x, v, self.impulse + 0.0]);
    }

    fn phases(&self, touching: Touching) -> Vec<Phase> {
        let phase = |wall: Wall| match touching {
            Touching::Contact(at) if at == wall => Phase::Stick,
            _ => Phase::slip(wall.sign()),
        };
        Wall::ALL.map(phase).to_vec()
    }

    fn state(&self, points: &[State], _: State) -> Result<State, Error> {
        Ok(points[0])
    }
}
