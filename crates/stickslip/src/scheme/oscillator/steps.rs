//! The time-stepping schemes of oscillators one step at a time.

use super::jump::is_jump;
use super::theta_step::ThetaStep;
use crate::error::Error;
use crate::model::{Model, Oscillator};
use crate::motion::{Blend, Event, EventKind, Phase, State};
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{Stepper, Stepping};
use std::sync::Arc;

/// Which time-stepping scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Method {
    Euler,
    ImplicitEuler,
    Theta(f64),
}

/// A node of a time-stepping scheme.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    u: State,
    /// Velocity relative to the support, m/s.
    w: f64,
    /// Since when the mass rests, s; meaningful while w = 0.
    since: f64,
}

/// A time-stepping scheme of an oscillator.
#[derive(Debug, Clone)]
pub struct Steps {
    o: Arc<Oscillator>,
    method: Method,
    /// The phase in the step before.
    before: Phase,
}

/// The run of `o` over `span` = \[start, end\] (s), with steps `h` (s).
pub(super) fn stepper(
    o: &Oscillator,
    method: Method,
    h: f64,
    span: [f64; 2],
) -> Result<Stepper<Steps>, Error> {
    let u = State { x: o.initial.displacement, v: o.initial.velocity };
    let node = Node { u, w: u.v - o.support.value(span[0]), since: span[0] };
    let scheme = Steps { o: Arc::new(o.clone()), method, before: Phase::Stick };
    Stepper::new(scheme, node, h, span)
}

impl Steps {
    /// The forces that are not linear in x and v, N.
    fn others(&self, u: State, d: f64, t: f64) -> f64 {
        let o = &*self.o;
        if o.is_linear() {
            return 0.0;
        }
        let stops = o.stops.map_or(0.0, |s| s.force(u.x, u.v));
        o.nonlinear.force(u.x - d, u.x, u.v, t) + stops
    }

    /// p (m/s, absolute velocity) and λ (s/kg) of the step.
    fn predict(&self, u: State, [t, t_next]: [f64; 2], h: f64) -> (f64, f64) {
        let o = &*self.o;
        match self.method {
            Method::Euler => {
                let d = o.drive.value(t);
                let linear = o.stiffness * (d - u.x) - o.damping * u.v + o.force.value(t);
                (u.v + h / o.mass * (linear + self.others(u, d, t)), h / o.mass)
            }
            Method::ImplicitEuler => {
                let mass = o.mass + h * (o.damping + h * o.stiffness);
                let d = o.drive.value(t_next);
                let loading = o.stiffness * d + o.force.value(t_next);
                let b = loading + self.others(u, d, t_next) - o.stiffness * u.x;
                ((o.mass * u.v + h * b) / mass, h / mass)
            }
            Method::Theta(theta) => {
                let step = ThetaStep::new(o, h, theta);
                let at = step.between(t, t_next);
                let d = o.drive.value(at);
                let loading = o.stiffness * d + o.force.value(at);
                let load = loading + self.others(State { x: step.ahead(u), v: u.v }, d, at);
                (step.free(u.x, u.v, load), step.push)
            }
        }
    }
}

impl Stepping for Steps {
    type Node = Node;
    type State = State;
    type Phase = Phase;

    fn step(&mut self, span: [f64; 2], h: f64, from: &Node, to: &mut Node) {
        let (o, u, t_next) = (&*self.o, from.u, span[1]);
        let (p, lambda) = self.predict(u, span, h);
        let support = o.support.value(t_next);
        let lambda = lambda * o.normal_force(u.x, t_next);
        let age = if from.w == 0.0 { t_next - from.since } else { 0.0 };
        let w = o.friction.step(p - support, lambda, age, from.w).w;
        let since = if w == 0.0 && from.w != 0.0 { t_next } else { from.since };
        let v = w + support;
        let way = match self.method {
            Method::Euler => h * u.v,
            Method::ImplicitEuler => h * v,
            Method::Theta(theta) => ThetaStep::new(o, h, theta).way(u.v, v),
        };
        *to = Node { u: State { x: u.x + way, v }, w, since };
    }

    fn begin(&mut self, nodes: &[Node]) {
        self.before = self.phase(nodes);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        let next = self.phase(nodes);
        let kind = EventKind::between(self.before, next);
        events.extend(kind.map(|kind| Event::new(kind, t, 0, nodes[0].u)));
        self.before = next;
    }

    fn state(&self, nodes: &[Node], s: f64) -> State {
        nodes[0].u.blend(nodes[1].u, s)
    }

    fn phase(&self, nodes: &[Node]) -> Phase {
        match [nodes[0].w, nodes[1].w] {
            [0.0, 0.0] => Phase::Stick,
            [a, 0.0] => Phase::slip(a),
            [_, b] => Phase::slip(b),
        }
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.u.x.is_finite() && node.u.v.is_finite()
    }

    fn place(&mut self, t: f64, u: State, _: (&[Node], f64)) -> Result<Node, Error> {
        Ok(Node { u, w: u.v - self.o.support.value(t), since: t })
    }

    fn keep(&mut self, t: f64, (nodes, s): (&[Node], f64)) -> Result<Node, Error> {
        let (u, support) = (nodes[0].u.blend(nodes[1].u, s), self.o.support.value(t));
        if nodes[0].w == 0.0 && nodes[1].w == 0.0 && !is_jump(u.v, support) {
            return Ok(Node { u, ..nodes[0] }); // it has been at rest since then
        }
        Ok(Node { u, w: u.v - support, since: t })
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, t: f64, h: f64, [from, to]: [&Node; 2]) -> f64 {
        let Node { u: State { x, v }, w, .. } = to;
        let friction = match *w {
            0.0 => 0.0,
            w => {
                self.o.normal_force(from.u.x, t)
                    * self.o.friction.force(w.signum(), w.abs())
                    * w.abs()
            }
        };
        let stops = self.o.stops.map_or(0.0, |s| s.loss(*x, *v));
        h * (friction + self.o.damping * v * v + stops)
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Oscillator(o) = model else { return Err(fixed_signals()) };
        self.o = Arc::new(o.clone());
        Ok(())
    }
}
