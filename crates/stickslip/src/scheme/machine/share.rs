//! The forces of what rests.

use super::balance::Question;
use super::complementarity;
use super::flow::{Flow, Instant};

/// The rows that are held, with the force of each on its first end, N.
///
/// Where several hold the same masses only what they hold together is determined. Then a set of forces within the limits is
/// taken, which exists as long as the mode lasts.
pub(super) fn held(flow: &Flow<'_>, t: f64, since: &[f64], at: &Instant) -> Vec<(usize, f64)> {
    let Flow { parts, mode, .. } = flow;
    let rows: Vec<usize> =
        (0..mode.status.len()).filter(|&e| parts.holds(e, mode.status[e])).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    // At the very end of a mode a force is at its limit but for a rounding.
    let status = &mode.status;
    let window = &flow.window;
    let q = Question { t, window, held: &rows, status, since, slack: 1.0 + 1e-9 };
    if (0..parts.meshes.len()).any(|g| parts.is_loaded(g)) {
        // What a gear holds depends on its load.
        let forces = parts.balance(&q, &mut at.clone()).map(|found| found.lambda);
        let forces = forces.unwrap_or_else(|| vec![f64::NAN; rows.len()]);
        return rows.iter().copied().zip(forces).collect();
    }
    let n = parts.masses();
    // The forces that accelerate the masses beyond what acts on them, seen at each row: A λ = J M⁻¹ Q = J (a − M⁻¹ F).
    let lacking: Vec<f64> = (0..n)
        .map(|i| {
            let free: f64 = (0..n).map(|j| parts.inverse[i * n + j] * at.force[j]).sum();
            at.a[i] - free
        })
        .collect();
    let u: Vec<f64> = rows.iter().map(|e| -parts.rows[*e].of_masses(&lacking)).collect();
    let limits: Vec<[f64; 2]> =
        rows.iter().map(|&e| parts.limits(e, &q, at).map(|limit| limit * q.slack)).collect();
    let a = parts.compliance(&rows);
    let forces = complementarity::solve(&a, &u, &limits).map(|found| found.0);
    rows.iter().copied().zip(forces.unwrap_or_else(|| vec![f64::NAN; rows.len()])).collect()
}
