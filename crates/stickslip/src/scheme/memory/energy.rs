//! Where the work of a contact with memory went.

use super::{MemoryArc, MemoryPath};
use crate::model::hysteretic::{Body, Carrier};
use crate::motion::{Energy, Motion, Segment, gauss};

/// Gauss panels of a way in closed form.
const PANELS: usize = 4;

impl MemoryPath {
    /// Where the work went, J. What the contact stores in its bristles counts as friction: it is F·w, integrated.
    pub fn energy(&self) -> Energy {
        let (Some(first), Some(last)) = (self.segments().first(), self.segments().last()) else {
            return Energy::default();
        };
        let mut energy = Energy::default();
        if let Carrier::Mass(body) = &first.arc.model.carrier {
            let [before, after] =
                [(first, first.start), (last, last.end)].map(|(s, t)| stored(body, s, t));
            energy.kinetic = after[0] - before[0];
            energy.elastic = after[1] - before[1];
        }
        self.segments().iter().for_each(|s| add(s, &mut energy));
        energy.if_complete()
    }
}

/// Kinetic and elastic energy, J.
fn stored(body: &Body, segment: &Segment<MemoryArc>, t: f64) -> [f64; 2] {
    let at = segment.arc.state(t);
    [0.5 * body.mass * at.v * at.v, 0.5 * body.stiffness * at.x * at.x]
}

/// Adds what happens in a segment: Gauss's rule on each of its steps.
fn add(segment: &Segment<MemoryArc>, energy: &mut Energy) {
    let arc = &segment.arc;
    let mut spans: Vec<[f64; 2]> = match &arc.steps {
        Some(steps) => steps.spans.iter().map(|[t, h]| [*t, (t + h).min(segment.end)]).collect(),
        None => vec![[segment.start, segment.end]],
    };
    spans.retain(|[from, to]| to > from);
    let panels = if arc.steps.is_some() { 1 } else { PANELS };
    let flow = arc.flow();
    arc.look(|look| {
        let look = std::cell::RefCell::new(look);
        for [from, to] in spans {
            let of = |power: &dyn Fn(f64, super::flow::Point, f64) -> f64| {
                gauss(from, to, panels, |t| {
                    let (at, force) = (look.borrow_mut())(t);
                    power(t, at, force)
                })
            };
            let work = |t: f64, at: super::flow::Point, force: f64| match &flow.window {
                super::flow::Window::Mass { body, drive, force: load, support } => {
                    let driven = body.stiffness * drive.value(t) + load.value(t);
                    // The friction takes F·w; the rest of F·v is the support's.
                    driven * at.v - force * support.value(t)
                }
                super::flow::Window::Led(_) => force * at.v,
            };
            energy.work += of(&work);
            energy.gross_work += of(&|t, at, f| work(t, at, f).abs());
            energy.friction += of(&|_, at, f| f * at.w);
            if let Carrier::Mass(body) = &arc.model.carrier {
                energy.viscous += of(&|_, at, _| body.damping * at.v * at.v);
            }
        }
    });
}
