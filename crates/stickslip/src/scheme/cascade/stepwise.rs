//! The time-stepping schemes of cascades one step at a time.

use super::steps::{Middle, Projection, Restoring, at_start, check};
use crate::error::Error;
use crate::hysteresis::{Clamps, Elements, Sweep};
use crate::model::{Cascade, Model};
use crate::motion::{Blend, CascadePhase, CascadeState, Event, EventKind, State};
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{Stepper, Stepping};
use std::fmt;
use std::sync::Arc;

/// The time steps of a cascade, the force by `R`.
#[derive(Debug, Clone)]
pub struct Steps<R> {
    cascade: Arc<Cascade>,
    /// The elements at the newest node, as the scheme has them.
    elements: R,
    /// The elements at the first node, one yield after the other.
    seen: Sweep,
}

/// [`implicit_euler`](super::implicit_euler) up to `end` (s at the latest), in your own pace: see [`Stepper`]. Where its
/// state is set, the elements follow the mass to its new place without turning on the way.
///
/// # Errors
/// As [`implicit_euler`](super::implicit_euler).
pub fn implicit_euler_cursor(
    cascade: &Cascade,
    end: f64,
    step: f64,
) -> Result<Stepper<impl CascadeSteps>, Error> {
    check(cascade, end, "implicit-euler")?;
    Steps::<Projection>::stepper(cascade, end, step)
}

/// [`hysteresis`](super::hysteresis()) in the same way.
///
/// # Errors
/// As [`hysteresis`](super::hysteresis()).
pub fn hysteresis_cursor(
    cascade: &Cascade,
    end: f64,
    step: f64,
) -> Result<Stepper<impl CascadeSteps>, Error> {
    check(cascade, end, "hysteresis")?;
    Steps::<Clamps>::stepper(cascade, end, step)
}

/// [`theta`](super::theta()) in the same way.
///
/// # Errors
/// As [`theta`](super::theta()).
pub fn theta_cursor(
    cascade: &Cascade,
    end: f64,
    step: f64,
) -> Result<Stepper<impl CascadeSteps>, Error> {
    check(cascade, end, "theta")?;
    Steps::<Middle>::stepper(cascade, end, step)
}

/// The time steps of a cascade.
pub trait CascadeSteps:
    Stepping<State = CascadeState, Phase = CascadePhase, Node = CascadeState> + Send + Sync + 'static
{
    /// The elements as the mass comes to `x` (m) in the step in progress.
    fn elements_at(&self, x: f64) -> Sweep;
}

impl<R: Restoring + Clone + fmt::Debug> Steps<R> {
    fn stepper(cascade: &Cascade, end: f64, step: f64) -> Result<Stepper<Self>, Error> {
        let elements = R::of(&cascade.into())?;
        let scheme =
            Self { cascade: Arc::new(cascade.clone()), elements, seen: Sweep::new(cascade) };
        Stepper::new(scheme, at_start(cascade), step, [0.0, end])
    }
}

/// Moves the `elements` on to a node at `t` (s), adding those that yield in the step up to it.
fn pass(elements: &mut Sweep, t: f64, node: &CascadeState, events: &mut Vec<Event>) {
    let CascadeState { x, v, .. } = *node;
    elements.advance_with(x, |elements| {
        events.push(Event::new(EventKind::Yield, t, elements.slipping(), State { x, v }));
    });
}

impl<R: Restoring + Clone + fmt::Debug + Send + Sync + 'static> CascadeSteps for Steps<R> {
    fn elements_at(&self, x: f64) -> Sweep {
        let mut elements = self.seen.clone();
        elements.advance(x);
        elements
    }
}

impl<R: Restoring + Clone + fmt::Debug> Stepping for Steps<R> {
    type Node = CascadeState;
    type State = CascadeState;
    type Phase = CascadePhase;

    fn step(&mut self, [t, next]: [f64; 2], h: f64, from: &CascadeState, to: &mut CascadeState) {
        let lengths = [h, h / self.cascade.mass];
        let at = t + R::AT * (next - t);
        *to = self.elements.next(*from, self.cascade.force.value(at), lengths);
    }

    fn arrive(&mut self, t: f64, nodes: &[CascadeState], events: &mut Vec<Event>) {
        pass(&mut self.seen, t, &nodes[0], events);
        if (nodes[1].x - nodes[0].x) * self.seen.direction() < 0.0 {
            let CascadeState { x, v, .. } = nodes[0];
            events.push(Event::new(EventKind::Reversal, t, 0, State { x, v }));
        }
    }

    fn finish(&mut self, t: f64, nodes: &[CascadeState], events: &mut Vec<Event>) {
        pass(&mut self.seen.clone(), t, &nodes[1], events);
    }

    const COUNTS_LOSSES: bool = true;

    /// What the elements lose on the way from node to node.
    fn lost(&self, _: f64, _: f64, [_, to]: [&CascadeState; 2]) -> f64 {
        self.seen.loss_to(to.x)
    }

    fn state(&self, nodes: &[CascadeState], s: f64) -> CascadeState {
        nodes[0].blend(nodes[1], s)
    }

    fn phase(&self, nodes: &[CascadeState]) -> CascadePhase {
        let (a, b) = (nodes[0].x, nodes[1].x);
        let mut elements = self.seen.clone();
        elements.advance(b);
        let direction = (b > a) as i8 - (b < a) as i8;
        CascadePhase { direction, slipping: elements.slipping() }
    }

    fn is_finite(&self, node: &CascadeState) -> bool {
        node.x.is_finite() && node.v.is_finite() && node.force.is_finite()
    }

    fn place(
        &mut self,
        _: f64,
        state: CascadeState,
        (nodes, s): (&[CascadeState], f64),
    ) -> Result<CascadeState, Error> {
        let CascadeState { x, v, .. } = state;
        self.seen.advance(self.state(nodes, s).x);
        self.seen.advance(x);
        let elements = Elements {
            stiffness: &self.cascade.stiffness,
            threshold: &self.cascade.threshold,
            pull: self.seen.pulls().to_vec(),
            displacement: x,
        };
        self.elements = R::of(&elements)?;
        self.seen = Sweep::new(elements);
        Ok(CascadeState { x, v, force: self.seen.force() })
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Cascade(c) = model else { return Err(fixed_signals()) };
        self.cascade = Arc::new(c.clone());
        Ok(())
    }
}
