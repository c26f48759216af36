//! Where the work of the force went.

use super::{Cascade, Replay};
use crate::hysteresis::Sweep;
use crate::interrupt::Interrupt;
use crate::motion::{CascadeArc, CascadePath, Energy, Motion, gauss};

impl CascadePath {
    /// The energy audit of this motion of `cascade`. The work is integrated by quadrature along the path,
    /// independently of how it was found; the friction is the slip of each node times its threshold. A path of
    /// [`quasi_static`](crate::scheme::cascade::quasi_static) has no inertia: its work is ∫ F dx, with F the force of the
    /// cascade, jumps of what is prescribed included, and its kinetic energy is zero.
    pub fn energy(&self, cascade: &Cascade) -> Energy {
        if self.segments().iter().all(|s| is_led(&s.arc)) {
            return self.energy_without_inertia(cascade);
        }
        let (start, end) = self.span();
        let a = self.state(start);
        let b = self.state(end);
        let springs = &cascade.stiffness;
        let mut replay = Replay::new(cascade, self);
        let before = replay.to(start).elastic_energy(springs);
        let last = replay.to(end);
        let after = last.elastic_energy(springs);
        let friction = last.lost();
        let mut work = 0.0;
        let fastest = (springs[0] / cascade.mass).sqrt();
        let drive =
            cascade.force.harmonics().iter().map(|h| h.angular_frequency).fold(fastest, f64::max);
        for s in Interrupt::parts_of(self.segments()) {
            match &s.arc {
                CascadeArc::Rest(_) => {}
                CascadeArc::Steps(grid) => {
                    let first = (s.start / grid.step).round() as usize;
                    let last = (s.end / grid.step).round() as usize;
                    for n in first..last {
                        let u = grid.states[n];
                        let w = grid.states[n + 1];
                        let t = n as f64 * grid.step;
                        let f = cascade.force.value(t);
                        let g = cascade.force.value(t + grid.step);
                        work += 0.5 * (f + g) * (w.x - u.x);
                    }
                }
                arc => {
                    let piece = cascade.force.piece_at(s.start);
                    let power = |t: f64| piece.derivatives(t)[0] * arc.state(t).v;
                    let panels = ((s.end - s.start) * drive).ceil().max(1.0);
                    work += gauss(s.start, s.end, panels as usize, power);
                }
            }
        }
        Energy {
            work,
            gross_work: work.abs(),
            kinetic: 0.5 * cascade.mass * (b.v - a.v) * (b.v + a.v),
            elastic: after - before,
            friction,
            ..Energy::default()
        }
        .if_complete()
    }

    /// Between yields the force is a straight line of the displacement, so that trapezoids give its work.
    fn energy_without_inertia(&self, cascade: &Cascade) -> Energy {
        let springs = &cascade.stiffness;
        let mut elements = Sweep::new(cascade);
        let before = elements.elastic_energy(springs);
        let mut work = 0.0;
        let mut gross_work = 0.0;
        let mut last = (elements.displacement(), elements.force());
        let mut add = |x: f64, force: f64| {
            let part = 0.5 * (last.1 + force) * (x - last.0);
            (work, gross_work, last) = (work + part, gross_work + part.abs(), (x, force));
        };
        for s in Interrupt::parts_of(self.segments()) {
            let [from, to] = [s.start, s.end].map(|t| s.arc.state(t));
            // What is prescribed passes at once through the values that it leaves out.
            elements.advance_with(from.x, |e| add(e.displacement(), e.force()));
            add(from.x, from.force);
            elements.advance(to.x);
            add(to.x, to.force);
        }
        let elastic = elements.elastic_energy(springs) - before;
        let friction = elements.lost();
        Energy { work, gross_work, elastic, friction, ..Energy::default() }.if_complete()
    }
}

/// Whether the motion follows from what is prescribed; rest does so with inertia too.
fn is_led(arc: &CascadeArc) -> bool {
    matches!(arc, CascadeArc::Displacement(..) | CascadeArc::Force(..) | CascadeArc::Rest(_))
}
