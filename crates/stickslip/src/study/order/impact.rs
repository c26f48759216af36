//! How fast approximations of rigid impacts come to the rigid solution.
//!
//! A velocity that jumps a little too late is wrong by the whole jump, so no scheme converges in the
//! supremum of the velocity. The places do, and so do the velocities in the mean:
//!
//! ```text
//! error = sup |x_h − x| + (1/τ) ∫ |v_h − v| dt · 1 s,      over [0, τ]
//! ```

use crate::motion::{ImpactArc, ImpactPath, Motion};
use crate::scheme::impact::penalised::Penalty;

/// The soft walls of an order table: their compliance is what is halved. They are exact in time, so what is left
/// is the softness, of order ½ (a contact lasts π √(m/κ)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Softness {
    /// κ = 1/h, engaged at l with κ l = 1 N, slack at the wall.
    Spring,
    /// λ = h.
    Yosida,
}

impl Softness {
    /// The wall's spring at h, m/N.
    pub fn at(self, h: f64) -> Penalty {
        match self {
            Self::Spring => Penalty::spring(1.0 / h, h),
            Self::Yosida => Penalty::yosida(h),
        }
    }
}

/// sup |x − y| + mean |v − w|, between the instants at which either path is not smooth.
pub fn distance(a: &ImpactPath, b: &ImpactPath) -> f64 {
    const POINTS: usize = 8;
    let start = a.span().0.max(b.span().0);
    let end = a.span().1.min(b.span().1);
    let mut times: Vec<f64> = [a, b].iter().flat_map(|p| nodes(p)).collect();
    times.retain(|&t| start < t && t < end);
    times.extend([start, end]);
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    let mut sup = 0.0f64;
    let mut sum = 0.0;
    let mut i = 0;
    let mut j = 0;
    for pair in times.windows(2) {
        let length = pair[1] - pair[0];
        for (path, index) in [(a, &mut i), (b, &mut j)] {
            let segments = path.segments();
            while segments.get(*index + 1).is_some_and(|s| s.start <= pair[0]) {
                *index += 1;
            }
        }
        let arc = &a.segments()[i].arc;
        let brc = &b.segments()[j].arc;
        for k in 0..POINTS {
            let t = pair[0] + length * (k as f64 + 0.5) / POINTS as f64;
            let p = arc.state(t);
            let q = brc.state(t);
            sup = sup.max((p.x - q.x).abs());
            sum += length / POINTS as f64 * (p.v - q.v).abs();
        }
    }
    sup + sum / (end - start)
}

/// Instants at which a path is not smooth.
fn nodes(path: &ImpactPath) -> Vec<f64> {
    path.segments()
        .iter()
        .flat_map(|s| match &s.arc {
            ImpactArc::Steps(steps) => {
                let grid = &steps.grid;
                let first = (s.start / grid.step) as usize;
                let last = (s.end / grid.step) as usize;
                (first..=last).map(|n| n as f64 * grid.step).collect()
            }
            _ => vec![s.start],
        })
        .collect()
}
