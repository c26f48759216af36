//! Where the work of a contact with memory went.

use super::flow::{Point, Window};
use super::{MemoryArc, MemoryPath};
use crate::model::hysteretic::{Body, Carrier};
use crate::motion::{EIGHT, Energy, Motion, Segment};

/// Gauss panels of a way in closed form.
const PANELS: usize = 4;

impl MemoryPath {
    /// Where the work went, J. What the contact stores in its bristles counts as friction: it is F·w, integrated.
    pub fn energy(&self) -> Energy {
        self.audited().unwrap_or_else(|| self.summed())
    }

    /// The same, summed over the path.
    fn summed(&self) -> Energy {
        let (Some(first), Some(last)) = (self.segments().first(), self.segments().last()) else {
            return Energy::default();
        };
        let mut energy = Energy::default();
        if let Carrier::Mass(body) = &first.arc.model.carrier {
            let [before, after] =
                [(first, first.start), (last, last.end)].map(|(s, t)| stored(body, s, t));
            energy.kinetic = after[0] - before[0];
            energy.elastic = after[1] - before[1];
            // A contact that all but rests changes what its spring holds by no more than the rounding of that.
            let levels = self.segments().iter().map(|s| stored(body, s, s.start).iter().sum());
            energy.level = levels.fold(0.0, f64::max);
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
        None => panels(segment.start, segment.end),
    };
    spans.retain(|[from, to]| to > from);
    let flow = arc.flow();
    let damping = match &flow.window {
        Window::Mass { body, .. } => body.damping,
        Window::Led(_) => 0.0,
    };
    arc.look(|look| {
        for [from, to] in spans {
            let times = EIGHT.times(from, to);
            // A look at the motion costs more than all the powers that follow from it.
            let [work, gross_work, friction, viscous] = EIGHT.each(from, to, |k| {
                let (at, force) = look(times[k]);
                let power = power(&flow.window, times[k], at, force);
                [power, power.abs(), force * at.w, damping * at.v * at.v]
            });
            energy.work += work;
            energy.gross_work += gross_work;
            energy.friction += friction;
            energy.viscous += viscous;
        }
    });
}

/// Equal parts of a way in closed form.
fn panels(start: f64, end: f64) -> Vec<[f64; 2]> {
    let at = |i: usize| start + (end - start) * (i as f64 / PANELS as f64);
    (0..PANELS).map(|i| [at(i), if i + 1 < PANELS { at(i + 1) } else { end }]).collect()
}

/// What the drive, the load and the support give at `t` (s), W. The friction takes F·w; the rest of F·v is the support's.
fn power(window: &Window<'_>, t: f64, at: Point, force: f64) -> f64 {
    match window {
        Window::Mass { body, drive, force: load, support } => {
            let driven = body.stiffness * drive.value(t) + load.value(t);
            driven * at.v - force * support.value(t)
        }
        Window::Led(_) => force * at.v,
    }
}
