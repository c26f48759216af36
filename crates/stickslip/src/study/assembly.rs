//! Empirical order of the time-stepping schemes for cascades and networks.
//!
//! The norm is that of the [convergence tables](super::convergence) of one mass: the supremum, here over the nodes
//! of time, of the Euclidean distance of two states: (x, ẋ) of the mass of a cascade; of a network x of
//! every node and ẋ of those with mass. Nodes without mass that jump (f_s > f_d) do so at slightly different times,
//! which no supremum forgives: such networks show no order.

use super::convergence::{Against, Row, with_orders};
use crate::error::Error;
use crate::model::{Cascade, Network};
use crate::motion::{Motion, Path};
use crate::scheme::cascade::{self, CascadePath};
use crate::scheme::network::{self, NetworkPath};

/// A time-stepping scheme for cascades: cascade, end (s) and step (s) to path.
pub type CascadeStepper = fn(&Cascade, f64, f64) -> Result<CascadePath, Error>;

/// The table for steps `step`, `step`/2, … (s): `halvings` rows against itself, one more against the exact
/// solution.
pub fn cascade_table(
    scheme: CascadeStepper,
    model: &Cascade,
    end: f64,
    (step, halvings): (f64, u32),
    against: Against,
) -> Result<Vec<Row>, Error> {
    let truth = match against {
        Against::Itself => None,
        Against::Exact => Some(cascade::exact(model, end)?),
    };
    let distance =
        |a: &CascadePath, b: &CascadePath, h| sup(a, b, h, |u, w| (u.x - w.x).hypot(u.v - w.v));
    table(|h| scheme(model, end, h), truth, distance, (step, halvings))
}

/// A time-stepping scheme for networks: network, end (s) and step (s) to path.
pub type NetworkStepper = fn(&Network, f64, f64) -> Result<NetworkPath, Error>;

/// The same for a network.
pub fn network_table(
    scheme: NetworkStepper,
    model: &Network,
    end: f64,
    (step, halvings): (f64, u32),
    against: Against,
) -> Result<Vec<Row>, Error> {
    let truth = match against {
        Against::Itself => None,
        Against::Exact => Some(network::exact(model, end)?),
    };
    let nodes = model.nodes();
    let distance = |a: &NetworkPath, b: &NetworkPath, h| {
        sup(a, b, h, |u, w| {
            let x = u.x.iter().zip(&w.x).map(|(a, b)| (a - b).powi(2));
            let moving = u.v.iter().zip(&w.v).zip(nodes).filter(|p| p.1.mass > 0.0);
            (x.sum::<f64>() + moving.map(|((a, b), _)| (a - b).powi(2)).sum::<f64>()).sqrt()
        })
    };
    table(|h| scheme(model, end, h), truth, distance, (step, halvings))
}

fn table<P>(
    solve: impl Fn(f64) -> Result<P, Error>,
    truth: Option<P>,
    distance: impl Fn(&P, &P, f64) -> f64,
    (step, halvings): (f64, u32),
) -> Result<Vec<Row>, Error> {
    let h = |j: u32| step / f64::from(1u32 << j);
    let mut rows = Vec::new();
    let mut coarse = solve(h(0))?;
    for j in 0..=halvings {
        match &truth {
            Some(truth) => {
                rows.push((h(j), distance(&coarse, truth, h(j))));
                if j < halvings {
                    coarse = solve(h(j + 1))?;
                }
            }
            None if j < halvings => {
                let fine = solve(h(j + 1))?;
                rows.push((h(j), distance(&coarse, &fine, h(j + 1))));
                coarse = fine;
            }
            None => {}
        }
    }
    Ok(with_orders(&rows))
}

/// The largest distance on a grid of spacing `h` (s).
fn sup<M: Motion>(
    a: &Path<M>,
    b: &Path<M>,
    h: f64,
    norm: impl Fn(&M::State, &M::State) -> f64,
) -> f64 {
    let count = ((a.span().1 - a.span().0) / h).round() as usize + 1;
    let pairs = a.sample(count).zip(b.sample(count));
    pairs.map(|((_, u, _), (_, w, _))| norm(&u, &w)).fold(0.0, f64::max)
}
