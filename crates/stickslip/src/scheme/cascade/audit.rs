//! Where the work of the force went.

use super::Replay;
use crate::model::Cascade;
use crate::motion::{CascadeArc, CascadePath};
use crate::motion::{GAUSS, Motion};

/// Energies over a whole run, J. They balance: work = kinetic + elastic + friction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CascadeEnergy {
    /// ∫ F ẋ dt.
    pub work: f64,
    /// Change of m ẋ²/2.
    pub kinetic: f64,
    /// Change of Σ k_i u_i²/2.
    pub elastic: f64,
    /// Σ α_i |Δv_i| ≥ 0, lost to dry friction.
    pub friction: f64,
}

impl CascadeEnergy {
    /// work − (kinetic + elastic + friction), J: zero for an exact solution.
    pub fn defect(&self) -> f64 {
        self.work - (self.kinetic + self.elastic + self.friction)
    }

    /// |defect| over the sum of all terms' magnitudes.
    pub fn relative_defect(&self) -> f64 {
        let turnover =
            self.work.abs() + self.kinetic.abs() + self.elastic.abs() + self.friction.abs();
        if turnover == 0.0 { 0.0 } else { self.defect().abs() / turnover }
    }
}

impl CascadePath {
    /// The energy audit of this motion of `cascade`, for a path with inertia. The work is integrated
    /// by quadrature along the path, independently of how it was found; the friction is the slip of each
    /// node times its threshold.
    pub fn energy(&self, cascade: &Cascade) -> CascadeEnergy {
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
        CascadeEnergy {
            work,
            kinetic: 0.5 * cascade.mass * (b.v - a.v) * (b.v + a.v),
            elastic: after - before,
            friction,
        }
    }
}

/// ∫ f over [`from`, `to`] by Gauss's rule on `panels` equal parts.
fn gauss(from: f64, to: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    let half = 0.5 * (to - from) / panels as f64;
    let panel = |i: usize| {
        let middle = from + half * (2 * i + 1) as f64;
        let pair = |&(node, weight): &(f64, f64)| {
            weight * (f(middle - half * node) + f(middle + half * node))
        };
        half * GAUSS.iter().map(pair).sum::<f64>()
    };
    (0..panels).map(panel).sum()
}
