//! The time-stepping schemes for networks.

use super::account::{NetworkRun, Observe};
use super::exact::doubts_at_start;
use super::paced::{between, changes};
use super::prepared;
use crate::error::Error;
use crate::grid::step_count;
use crate::model::Network;
use crate::motion::{NetworkGrid, Segment};
use crate::scheme::effort::check_kept;
use crate::scheme::network::{NetworkArc, NetworkPath};
use std::sync::Arc;

/// Solves `network` on [0, `end`] (s) with steps `step` (s): everything at the end of the step. First
/// order. Loads are known at steps only: where one touches a limit without exceeding it the motion may not be unique, and
/// nothing is said of that; [`exact`](super::exact()) says it.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::{Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let n = Network::builder()
///     .node("mass", 1.0)
///     .starting_at("mass", 5.5, 0.0)
///     .spring("mass", "ground", 1.0)
///     .slider("contact", "mass", "ground", 1.0, 1.0)
///     .build()?;
/// let path = network::implicit_euler(&n, 12.0, 1e-4)?;
/// assert!((path.state(12.0).x[0] - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn implicit_euler(network: &Network, end: f64, step: f64) -> Result<NetworkPath, Error> {
    Ok(solve(network, end, step, 1.0)?.0)
}

/// The θ-method, ½ ≤ `theta` ≤ 1: springs, dashpots and forces weighted between the ends of the step, the
/// friction at its end (Moreau and Jean). θ = ½ is second order between events and loses no energy
/// but to friction. What steps cannot see is that of [`implicit_euler`].
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::{Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let n = Network::builder()
///     .node("mass", 1.0)
///     .starting_at("mass", 5.5, 0.0)
///     .spring("mass", "ground", 1.0)
///     .slider("contact", "mass", "ground", 1.0, 1.0)
///     .build()?;
/// let path = network::theta(&n, 12.0, 1e-3, 0.5)?;
/// assert!((path.state(12.0).x[0] - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn theta(network: &Network, end: f64, step: f64, theta: f64) -> Result<NetworkPath, Error> {
    Ok(solve(network, end, step, theta)?.0)
}

/// The θ-method, with its path and what the run reports.
///
/// # Errors
/// If a number is outside its range, a signal too short, the path too long to be kept, or the motion leaves the range of finite
/// numbers.
///
/// ```
/// use stickslip::{Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let n = Network::builder()
///     .node("mass", 1.0)
///     .starting_at("mass", 5.5, 0.0)
///     .spring("mass", "ground", 1.0)
///     .slider("contact", "mass", "ground", 1.0, 1.0)
///     .build()?;
/// let (_, report) = network::solve(&n, 12.0, 1e-4, 1.0)?;
/// // the spring has lost ½(5.5² − 0.5²) J
/// assert!((report.energy.elastic + 15.0).abs() < 0.02 && report.counts.inexact == 0);
/// # Ok(()) }
/// ```
pub fn solve(
    network: &Network,
    end: f64,
    step: f64,
    theta: f64,
) -> Result<(NetworkPath, NetworkRun), Error> {
    let mut report = NetworkRun::default();
    let mut path = recorded(network, end, step, |observe| {
        report = run(network, end, step, theta, observe)?;
        Ok(())
    })?;
    // The first step puts nodes without mass into balance without a word; how far they jump is told by the exact
    // start.
    doubts_at_start(network, end).into_iter().for_each(|w| path.warn(w));
    Ok((path, report))
}

/// The path of a streaming scheme.
pub(super) fn recorded(
    network: &Network,
    end: f64,
    step: f64,
    march: impl FnOnce(Observe<'_>) -> Result<(), Error>,
) -> Result<NetworkPath, Error> {
    let nodes = network.nodes().len();
    let sliders = network.sliders().len();
    let width = 2 * nodes + sliders;
    let count = step_count(end, step)?;
    // Before any memory is asked for: the operating system would end the program instead of refusing.
    check_kept(count, width)?;
    let mut rows = Vec::with_capacity((count + 1) * width);
    let mut patterns: Vec<(usize, Vec<i8>)> = Vec::new();
    let mut before = vec![0; sliders];
    march(&mut |n, x, v, lambda, signs| {
        rows.extend_from_slice(x);
        rows.extend_from_slice(v);
        // λ pulls against the slip, and the friction that is shown acts on the first end; 0 − λ keeps −0 out of tables.
        rows.extend(lambda.iter().map(|l| 0.0 - l));
        let pattern = || before.iter().zip(signs).map(|(a, b)| between(*a, *b));
        if n > 0 && patterns.last().is_none_or(|p| !p.1.iter().copied().eq(pattern())) {
            // What is seen at t_n is a phase of the step that ends there, so the phase begins at t_{n−1}.
            patterns.push((n - 1, pattern().collect()));
        }
        before.copy_from_slice(signs);
    })?;
    let grid = Arc::new(NetworkGrid { step, size: (nodes, sliders), rows });
    Ok(phases(network, &grid, &patterns, end))
}

/// Segments and events from the slip pattern of every step that changed it.
fn phases(
    network: &Network,
    grid: &Arc<NetworkGrid>,
    patterns: &[(usize, Vec<i8>)],
    end: f64,
) -> NetworkPath {
    let mut path = NetworkPath::default();
    let nodes = grid.size.0;
    for (k, (first, signs)) in patterns.iter().enumerate() {
        let time = *first as f64 * grid.step;
        if k > 0 {
            let (x, v) = grid.row(*first).split_at(nodes);
            let was = &patterns[k - 1].1;
            changes(network, time, x, v, was, signs).for_each(|e| path.record(e));
        }
        // The last step may reach beyond the end of the run; the last phase does not.
        let until = patterns.get(k + 1).map_or(end, |p| p.0 as f64 * grid.step);
        let arc = NetworkArc::Steps(grid.clone());
        path.push(Segment { phase: signs.as_slice().into(), start: time, end: until, arc });
    }
    path
}

/// The same, streaming (n, x, ẋ, λ, slip) at t_n, n = 0 … N, to `observe`; nothing is kept, and nothing
/// allocated after the start. At n = 0 no friction is known. For many paths of one network see [`Prepared`](super::Prepared).
///
/// # Errors
/// As [`solve`].
pub fn run(
    network: &Network,
    end: f64,
    step: f64,
    theta: f64,
    mut observe: impl FnMut(usize, &[f64], &[f64], &[f64], &[i8]),
) -> Result<NetworkRun, Error> {
    network.check_until(end)?;
    step_count(end, step)?;
    let mut one = prepared::one_step(network, step, theta)?;
    prepared::march(network, &mut one, end, step, &[], &mut observe)
}
