//! Where the work went, between walls.

use super::{ImpactArc, ImpactPath, Motion, Segment, State};
use crate::model::Impact;

/// Energies over a whole run, J. They balance: work + walls = kinetic + elastic + viscous.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpactEnergy {
    /// ∫ f ẋ dt, the work of the force on the mass.
    pub work: f64,
    /// Work of the walls on the mass: what impacts take (negative), what moving walls give.
    pub walls: f64,
    /// Change of m ẋ²/2.
    pub kinetic: f64,
    /// Change of K x²/2.
    pub elastic: f64,
    /// ∫ c ẋ² dt ≥ 0, lost in the damper.
    pub viscous: f64,
}

impl ImpactEnergy {
    /// work + walls − (kinetic + elastic + viscous), J: zero for an exact solution.
    pub fn defect(&self) -> f64 {
        self.work + self.walls - (self.kinetic + self.elastic + self.viscous)
    }

    /// |defect| over the sum of all terms' magnitudes.
    pub fn relative_defect(&self) -> f64 {
        let terms = [self.work, self.walls, self.kinetic, self.elastic, self.viscous];
        let turnover: f64 = terms.iter().map(|t| t.abs()).sum();
        if turnover == 0.0 { 0.0 } else { self.defect().abs() / turnover }
    }
}

/// Nodes in (0, 1) and weights of Gauss's rule with 8 points on [−1, 1], both signs of the node.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
];

impl ImpactPath {
    /// The energy audit of this motion of `model`: works by quadrature along the path, independently of
    /// how it was found; impacts by their velocities.
    pub fn energy(&self, model: &Impact) -> ImpactEnergy {
        let (m, k) = (model.mass, model.stiffness);
        let (start, end) = self.span();
        let before = State { x: model.initial.displacement, v: model.initial.velocity };
        let after = self.state(end);
        let mut e = ImpactEnergy {
            kinetic: 0.5 * m * (after.v - before.v) * (after.v + before.v),
            elastic: 0.5 * k * (after.x - before.x) * (after.x + before.x) + 0.0, // no −0
            ..ImpactEnergy::default()
        };
        if let Some(ImpactArc::Steps(grid)) = self.segments().first().map(|s| &s.arc) {
            // The scheme's own balance: mean velocities against forces at the middle of the steps.
            let h = grid.step;
            let last = grid.states.last().copied().unwrap_or_default();
            e.kinetic = 0.5 * m * (last.v - before.v) * (last.v + before.v);
            e.elastic = 0.5 * k * (last.x - before.x) * (last.x + before.x);
            for (n, (pair, impulse)) in grid.states.windows(2).zip(&grid.impulses[1..]).enumerate()
            {
                let mean = 0.5 * (pair[0].v + pair[1].v);
                e.work += h * model.force.value(h * (n as f64 + 0.5)) * mean;
                e.viscous += h * model.damping * mean * mean;
                e.walls += impulse * mean;
            }
            return e;
        }
        // An impact at the very end happens after the last state.
        let jumps =
            self.events().iter().filter(|j| j.duration == 0.0 && (j.time < end || start == end));
        e.walls = jumps.map(|j| 0.5 * m * (j.v - j.before) * (j.v + j.before)).sum();
        for s in self.segments() {
            let piece = model.force.piece_at(s.start);
            let panels = ((s.end - s.start) * fastest(s, model)).ceil().max(1.0);
            let half = 0.5 * (s.end - s.start) / panels;
            for i in 0..panels as usize {
                let middle = s.start + half * (2.0 * i as f64 + 1.0);
                for (node, weight) in GAUSS {
                    for t in [middle - half * node, middle + half * node] {
                        let State { v, .. } = s.arc.state(t);
                        e.work += half * weight * piece.derivatives(t)[0] * v;
                        e.viscous += half * weight * model.damping * v * v;
                        e.walls += half * weight * s.arc.reaction(t) * v;
                    }
                }
            }
        }
        e
    }
}

/// The fastest rate on which the motion of a segment varies, 1/s.
fn fastest(s: &Segment<ImpactArc>, model: &Impact) -> f64 {
    let signals = model.lower.iter().chain(&model.upper).chain([&model.force]);
    let forced =
        signals.flat_map(|f| f.harmonics()).map(|h| h.angular_frequency).fold(0.0, f64::max);
    match &s.arc {
        ImpactArc::Linear(arc) => forced.max(arc.arc.rates().0),
        _ => forced,
    }
}
