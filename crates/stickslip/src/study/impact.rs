//! How fast approximations of rigid impacts come to the rigid solution.
//!
//! A velocity that jumps a little too late is wrong by the whole jump, so no scheme converges in the
//! supremum of the velocity. The places do, and so do the velocities in the mean:
//!
//! ```text
//! error = sup |x_h − x| + (1/τ) ∫ |v_h − v| dt · 1 s,      over [0, τ]
//! ```

use super::convergence::{Row, with_orders};
use crate::error::Error;
use crate::model::Impact;
use crate::motion::{ImpactArc, ImpactPath, Motion};
use crate::scheme::impact::{self, moreau, penalised, penalised::Penalty};

/// The soft walls of a convergence table.
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

/// `moreau` with steps `step`, `step`/2, … (s) against the exact solution.
pub fn moreau_table(model: &Impact, end: f64, step: f64, halvings: u32) -> Result<Vec<Row>, Error> {
    table(model, end, step, halvings, |h| moreau::solve(model, end, h))
}

/// Soft walls of compliance `compliance`, half of it, … (m/N) against rigid ones. Both are exact in
/// time: what is left is the softness, of order ½ (a contact lasts π √(m/κ)).
pub fn penalty_table(
    model: &Impact,
    end: f64,
    softness: Softness,
    compliance: f64,
    halvings: u32,
) -> Result<Vec<Row>, Error> {
    table(model, end, compliance, halvings, |h| penalised::solve(model, softness.at(h), end))
}

fn table(
    model: &Impact,
    end: f64,
    coarsest: f64,
    halvings: u32,
    solve: impl Fn(f64) -> Result<ImpactPath, Error>,
) -> Result<Vec<Row>, Error> {
    let truth = impact::solve(model, end)?;
    let row = |j: u32| {
        let h = coarsest * 0.5f64.powi(j as i32);
        Ok((h, distance(&solve(h)?, &truth)))
    };
    let rows: Result<Vec<_>, Error> = (0..=halvings).map(row).collect();
    Ok(with_orders(&rows?))
}

/// sup |x − y| + mean |v − w|, between the instants at which either path is not smooth.
pub fn distance(a: &ImpactPath, b: &ImpactPath) -> f64 {
    const POINTS: usize = 8;
    let (start, end) = (a.span().0.max(b.span().0), a.span().1.min(b.span().1));
    let mut times: Vec<f64> = [a, b].iter().flat_map(|p| nodes(p)).collect();
    times.retain(|&t| start < t && t < end);
    times.extend([start, end]);
    times.sort_by(f64::total_cmp);
    times.dedup();
    let (mut sup, mut sum) = (0.0f64, 0.0);
    let (mut i, mut j) = (0, 0);
    for pair in times.windows(2) {
        let length = pair[1] - pair[0];
        for (path, index) in [(a, &mut i), (b, &mut j)] {
            let segments = path.segments();
            while segments.get(*index + 1).is_some_and(|s| s.start <= pair[0]) {
                *index += 1;
            }
        }
        let (arc, brc) = (&a.segments()[i].arc, &b.segments()[j].arc);
        for k in 0..POINTS {
            let t = pair[0] + length * (k as f64 + 0.5) / POINTS as f64;
            let (p, q) = (arc.state(t), brc.state(t));
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
                let (first, last) = ((s.start / grid.step) as usize, (s.end / grid.step) as usize);
                (first..=last).map(|n| n as f64 * grid.step).collect()
            }
            _ => vec![s.start],
        })
        .collect()
}
