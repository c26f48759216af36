//! Where the work went, between walls.

use super::Impact;
use crate::interrupt::Interrupt;
use crate::motion::{Energy, ImpactArc, ImpactPath, Motion, Segment, State, gauss};
use crate::numeric::GAUSS;

impl ImpactPath {
    /// The energy audit of this motion of `model`: works by quadrature along the path, independently of
    /// how it was found; impacts by their velocities.
    pub fn energy(&self, model: &Impact) -> Energy {
        let m = model.mass;
        let k = model.stiffness;
        let (start, end) = self.span();
        let before = State::from(model.initial);
        let after = self.state(end);
        let mut e = Energy {
            kinetic: 0.5 * m * (after.v - before.v) * (after.v + before.v),
            elastic: 0.5 * k * (after.x - before.x) * (after.x + before.x) + 0.0, // no −0
            ..Energy::default()
        };
        if let Some(ImpactArc::Steps(steps)) = self.segments().first().map(|s| &s.arc) {
            // The scheme's own balance: mean velocities against forces at the middle of the steps.
            let h = steps.grid.step;
            let states = &steps.grid.states;
            let last = states.last().copied().unwrap_or_default();
            e.kinetic = 0.5 * m * (last.v - before.v) * (last.v + before.v);
            e.elastic = 0.5 * k * (last.x - before.x) * (last.x + before.x);
            for (n, (pair, impulse)) in states.windows(2).zip(&steps.impulses[1..]).enumerate() {
                let mean = 0.5 * (pair[0].v + pair[1].v);
                e.work += h * model.force.value(h * (n as f64 + 0.5)) * mean;
                e.viscous += h * model.damping * mean * mean;
                e.impacts -= impulse * mean;
            }
            return e;
        }
        // An impact at the very end happens after the last state.
        let jumps =
            self.events().iter().filter(|j| j.duration == 0.0 && (j.time < end || start == end));
        e.impacts = jumps.map(|j| 0.5 * m * (j.before - j.v) * (j.v + j.before)).sum();
        for s in self.segments() {
            let piece = model.force.piece_at(s.start);
            let panels = ((s.end - s.start) * fastest(s, model)).ceil().max(1.0);
            let half = 0.5 * (s.end - s.start) / panels;
            for i in Interrupt::parts_of(0..panels as usize) {
                let middle = s.start + half * (2.0 * i as f64 + 1.0);
                for (node, weight) in GAUSS {
                    for t in [middle - half * node, middle + half * node] {
                        let State { v, .. } = s.arc.state(t);
                        e.work += half * weight * piece.derivatives(t)[0] * v;
                        e.viscous += half * weight * model.damping * v * v;
                        e.impacts -= half * weight * s.arc.reaction(t) * v;
                    }
                }
            }
        }
        e.if_complete()
    }
}

/// Energy lost in a segment to a damper (N·s/m) and to what presses the mass back, without impacts, J; a part of it
/// where somebody asks to stop. `forced` is the fastest harmonic of the loads, rad/s.
pub(crate) fn lost_in_segment(s: &Segment<ImpactArc>, damping: f64, forced: f64) -> f64 {
    let free = matches!(&s.arc, ImpactArc::Linear(arc) if arc.spring.is_none());
    if damping == 0.0 && free {
        return 0.0;
    }
    let panels = ((s.end - s.start) * rate(s, forced)).ceil().max(1.0) as usize;
    gauss(s.start, s.end, panels, |t| {
        let State { v, .. } = s.arc.state(t);
        (damping * v - s.arc.reaction(t)) * v
    })
}

/// The fastest rate on which the motion of a segment varies, 1/s.
fn fastest(s: &Segment<ImpactArc>, model: &Impact) -> f64 {
    let signals = model.lower.iter().chain(&model.upper).chain([&model.force]);
    let forced =
        signals.flat_map(|f| f.harmonics()).map(|h| h.angular_frequency).fold(0.0, f64::max);
    rate(s, forced)
}

/// The same with the fastest harmonic `forced` of the loads, rad/s.
fn rate(s: &Segment<ImpactArc>, forced: f64) -> f64 {
    match &s.arc {
        ImpactArc::Linear(arc) => forced.max(arc.arc.rates().0),
        _ => forced,
    }
}
