//! Where the work of the force went.

use super::{Cascade, Replay};
use crate::motion::{CascadeArc, CascadePath, Energy, Motion, gauss};

impl CascadePath {
    /// The energy audit of this motion of `cascade`, for a path with inertia. The work is integrated
    /// by quadrature along the path, independently of how it was found; the friction is the slip of each
    /// node times its threshold.
    pub fn energy(&self, cascade: &Cascade) -> Energy {
        let (start, end) = self.span();
        let (a, b) = (self.state(start), self.state(end));
        let springs = &cascade.stiffness;
        let mut replay = Replay::new(cascade, self);
        let before = replay.to(start).elastic_energy(springs);
        let last = replay.to(end);
        let (after, friction) = (last.elastic_energy(springs), last.lost());
        let mut work = 0.0;
        let fastest = (springs[0] / cascade.mass).sqrt();
        let drive =
            cascade.force.harmonics().iter().map(|h| h.angular_frequency).fold(fastest, f64::max);
        for s in self.segments() {
            match &s.arc {
                CascadeArc::Rest(_) => {}
                CascadeArc::Steps(grid) => {
                    let first = (s.start / grid.step).round() as usize;
                    let last = (s.end / grid.step).round() as usize;
                    for n in first..last {
                        let (u, w) = (grid.states[n], grid.states[n + 1]);
                        let t = n as f64 * grid.step;
                        let (f, g) = (cascade.force.value(t), cascade.force.value(t + grid.step));
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
    }
}
