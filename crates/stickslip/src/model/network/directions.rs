//! Contacts along directions: the slip of one is a sum g·x of displacements of several nodes.
//!
//! Such a displacement y = g·x becomes a coordinate of its own and takes the place of the node p that has the greatest
//! weight in it,
//!
//! ```text
//! x_p = (y − Σ_{j≠p} g_j x_j)/g_p,     x = S y,     M → Sᵀ M S,  C → Sᵀ C S,  K → Sᵀ K S,  F → Sᵀ F
//! ```
//!
//! and the contact is a slider between that coordinate and the ground: nothing is approximated.

use super::matrices::{Matrices, dense, mass};
use super::{Ends, Network, Part, PartKind};
use crate::error::Error;
use crate::signal::Signal;

/// What is less than this share of the greatest weight is the rounding of a sum.
const ROUNDING: f64 = 1e-12;

/// A contact along a direction.
#[derive(Debug, Clone)]
pub(super) struct Along {
    /// Its number among the sliders.
    pub index: usize,
    /// The weight of each node.
    pub weights: Vec<f64>,
}

/// Gives every contact of `along` a coordinate.
pub(super) fn resolve(n: &mut Network, mut along: Vec<Along>) -> Result<(), Error> {
    for k in 0..along.len() {
        let Along { index, weights } = along[k].clone();
        let place = Part::new(PartKind::Slider, index, &n.sliders[index].name, "direction");
        let p = replaced(n, &weights).map_err(|(reason, remedy)| Error::BadNetwork {
            place,
            reason,
            remedy,
        })?;
        replace(n, p, &weights, index)?;
        for other in &mut along[k + 1..] {
            let share = other.weights[p] / weights[p];
            let size = other.weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
            for (j, w) in other.weights.iter_mut().enumerate() {
                let less = if j == p { 0.0 } else { share * weights[j] };
                *w = if j == p { share } else { *w - less };
                *w = if w.abs() <= ROUNDING * (size + less.abs()) { 0.0 } else { *w };
            }
        }
    }
    Ok(())
}

/// The node whose place the displacement takes, or why there is none.
fn replaced(n: &Network, weights: &[f64]) -> Result<usize, (String, String)> {
    let given = |i: &usize| n.nodes[*i].motion.is_some();
    let used = |i: &usize| n.sliders.iter().any(|s| s.between().contains(&Some(*i)));
    let weighted = || (0..weights.len()).filter(|&i| weights[i] != 0.0);
    if let Some(i) = weighted().find(given) {
        return Err((
            format!("the motion of node `{}` in its direction is prescribed", n.nodes[i].name),
            "use displacements relative to the moving support".into(),
        ));
    }
    let free = weighted().filter(|i| !used(i));
    free.max_by(|i, j| weights[*i].abs().total_cmp(&weights[*j].abs())).ok_or_else(|| {
        (
            "its direction follows from those of the other contacts; expected contacts whose directions do not depend on \
             one another"
                .into(),
            "leave it out, or add its limits to those of the others".into(),
        )
    })
}

/// Puts the displacement with these `weights` in the place of node p; slider `index` holds it to the ground.
fn replace(n: &mut Network, p: usize, weights: &[f64], index: usize) -> Result<(), Error> {
    let size = n.nodes.len();
    let main = weights[p];
    let column = |j: usize| if j == p { 1.0 / main } else { -weights[j] / main };
    let changed = |a: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        let right: Vec<Vec<f64>> = a
            .iter()
            .map(|row| {
                let own = |j: usize| if j == p { 0.0 } else { row[j] };
                (0..size).map(|j| own(j) + row[p] * column(j)).collect()
            })
            .collect();
        let own = |i: usize, j: usize| if i == p { 0.0 } else { right[i][j] };
        (0..size)
            .map(|i| (0..size).map(|j| own(i, j) + column(i) * right[p][j]).collect())
            .collect()
    };
    let matrices = Matrices {
        mass: changed(mass(n)),
        damping: changed(dense(size, &n.dashpots)),
        stiffness: changed(dense(size, &n.springs)),
    };
    n.springs.clear();
    n.dashpots.clear();
    n.shared.clear();
    n.nodes.iter_mut().for_each(|node| node.mass = 0.0);
    let sum = |of: &dyn Fn(usize) -> f64| (0..size).map(|i| weights[i] * of(i)).sum::<f64>();
    let x = sum(&|i| n.nodes[i].displacement);
    let v = sum(&|i| n.nodes[i].velocity);
    let force = std::mem::take(&mut n.nodes[p].force);
    if force != Signal::default() {
        for j in (0..size).filter(|&j| column(j) != 0.0) {
            n.nodes[j].force = std::mem::take(&mut n.nodes[j].force) + column(j) * force.clone();
        }
    }
    (n.nodes[p].displacement, n.nodes[p].velocity) = (x, v);
    n.nodes[p].name.clone_from(&n.sliders[index].name);
    n.sliders[index].ends = Ends::new([Some(p), None]);
    matrices.add_to(n)
}
