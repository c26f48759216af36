//! The time-stepping schemes of cascades at the caller's pace, one step after the other.

use super::restoring_step::{Detector, Middle, Projection, Restoring, at_start, check, load};
use crate::error::Error;
use crate::hysteresis::{Clamps, Elements, Sweep};
use crate::model::{Cascade, Model};
use crate::motion::{Blend, CascadePhase, CascadeState, Event};
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
    /// What is seen up to the first node.
    detector: Detector,
}

/// [`implicit_euler`](super::implicit_euler) up to `end` (s at the latest), at the caller's pace: see [`Stepper`]. Where its
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
        let detector = Detector { seen: Sweep::new(cascade) };
        let scheme = Self { cascade: Arc::new(cascade.clone()), elements, detector };
        Stepper::new(scheme, at_start(cascade), step, [0.0, end])
    }
}

impl<R: Restoring + Clone + fmt::Debug + Send + Sync + 'static> CascadeSteps for Steps<R> {
    fn elements_at(&self, x: f64) -> Sweep {
        let mut elements = self.detector.seen.clone();
        elements.advance(x);
        elements
    }
}

impl<R: Restoring + Clone + fmt::Debug> Stepping for Steps<R> {
    type Node = CascadeState;
    type State = CascadeState;
    type Phase = CascadePhase;

    fn step(&mut self, span: [f64; 2], h: f64, from: &CascadeState, to: &mut CascadeState) {
        // A run at the caller's pace may be copied and taken back, so its load is read anywhere.
        let load = load::<R>(&mut &self.cascade.force, span);
        *to = self.elements.next(*from, load, [h, h / self.cascade.mass]);
    }

    fn arrive(&mut self, t: f64, nodes: &[CascadeState], events: &mut Vec<Event>) {
        // In the order of time: what yields on the way to the node, and then whether the mass turns there.
        self.detector.pass(t, &nodes[0], events);
        self.detector.leave(t, &nodes[0], &nodes[1], events);
    }

    fn finish(&mut self, t: f64, nodes: &[CascadeState], events: &mut Vec<Event>) {
        // On a copy, for the step may be part of a run that goes on.
        self.detector.clone().pass(t, &nodes[1], events);
    }

    const COUNTS_LOSSES: bool = true;

    /// What the elements lose on the way from node to node.
    fn lost(&self, _: f64, _: f64, [_, to]: [&CascadeState; 2]) -> f64 {
        self.detector.seen.loss_to(to.x)
    }

    fn state(&self, nodes: &[CascadeState], s: f64) -> CascadeState {
        nodes[0].blend(nodes[1], s)
    }

    fn phase(&self, nodes: &[CascadeState]) -> CascadePhase {
        // The detector is at the first node, and the phase is that of the way to the second.
        let mut ahead = self.detector.clone();
        ahead.seen.advance(nodes[1].x);
        ahead.phase(&nodes[0], &nodes[1])
    }

    fn is_finite(&self, node: &CascadeState) -> bool {
        node.x.is_finite() && node.v.is_finite() && node.force.is_finite()
    }

    fn place(
        &mut self,
        _: f64,
        state: CascadeState,
        nodes: &[CascadeState],
        s: f64,
    ) -> Result<CascadeState, Error> {
        let CascadeState { x, v, .. } = state;
        let now = self.state(nodes, s).x;
        let seen = &mut self.detector.seen;
        // The elements follow the mass to where it is between two nodes, and from there to where it is put.
        seen.advance(now);
        seen.advance(x);
        let elements = Elements {
            stiffness: &self.cascade.stiffness,
            threshold: &self.cascade.threshold,
            pull: seen.pulls().to_vec(),
            displacement: x,
        };
        // Made anew from the pulls: at the newest node the scheme's own elements are ahead of the state that is set.
        self.elements = R::of(&elements)?;
        // Nothing has turned or yielded yet from here.
        self.detector.seen = Sweep::new(elements);
        Ok(CascadeState { x, v, force: self.detector.seen.force() })
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Cascade(c) = model else { return Err(fixed_signals()) };
        // The elements have a history of their own, which no change of the load touches.
        self.cascade = Arc::new(c.clone());
        Ok(())
    }
}
