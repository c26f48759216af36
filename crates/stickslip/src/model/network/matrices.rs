//! Mass, damping and stiffness as whole matrices, as finite-element programs give them.
//!
//! Every symmetric matrix is one of springs between the nodes and the ground,
//!
//! ```text
//! (K x)_i = Σ_j −K_ij (x_i − x_j) + (Σ_j K_ij) x_i
//! ```
//!
//! some of them perhaps with negative coefficients, as rotations of beams and condensed nodes make them. Entries of the
//! mass matrix beside its diagonal stay what they are: mass that two nodes share.

use super::{Link, Network, Part, PartKind, Shared};
use crate::error::Error;

/// How far apart K_ij and K_ji may be, relative to the largest entry.
const SYMMETRIC: f64 = 1e-9;
/// A pivot below this share of its diagonal entry makes a matrix singular.
const SINGULAR: f64 = 1e-13;
/// The most nodes that matrices are given for.
const MOST: usize = 2_000;

/// The matrices of M ẍ + C ẋ + K x, rows of numbers in the order of the nodes; one without rows is zero. They are added
/// to what masses, dashpots and springs give.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrices {
    /// M, kg.
    pub mass: Vec<Vec<f64>>,
    /// C, N·s/m.
    pub damping: Vec<Vec<f64>>,
    /// K, N/m.
    pub stiffness: Vec<Vec<f64>>,
}

/// A mistake in the matrix `property`, in row number `row`.
fn wrong(
    property: &'static str,
    row: usize,
    reason: impl Into<String>,
    remedy: impl Into<String>,
) -> Error {
    let place = Part::new(PartKind::Matrix, row, "", property);
    Error::BadNetwork { place, reason: reason.into(), remedy: remedy.into() }
}

impl Matrices {
    /// The matrices with their names.
    fn named(&self) -> [(&'static str, &[Vec<f64>]); 3] {
        [("mass", &self.mass), ("damping", &self.damping), ("stiffness", &self.stiffness)]
    }

    /// Adds them to a network.
    pub(super) fn add_to(&self, n: &mut Network) -> Result<(), Error> {
        for (name, rows) in self.named() {
            check_shape(name, rows, n.nodes.len())?;
        }
        for (i, row) in self.mass.iter().enumerate() {
            n.nodes[i].mass += row[i];
            for (j, &m) in row.iter().enumerate().skip(i + 1).filter(|m| *m.1 != 0.0) {
                n.shared.push(Shared { between: [i, j], mass: m });
            }
        }
        n.springs.extend(links(&self.stiffness));
        n.dashpots.extend(links(&self.damping));
        Ok(())
    }
}

/// Checks that a matrix is square, finite and symmetric.
fn check_shape(name: &'static str, rows: &[Vec<f64>], nodes: usize) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    if nodes > MOST {
        let reason =
            format!("the network has {nodes} nodes; whole matrices are read for at most {MOST}");
        return Err(wrong(name, 0, reason, "give masses, springs and dashpots one by one"));
    }
    if rows.len() != nodes {
        let reason =
            format!("it has {} rows; expected one for each of the {nodes} nodes", rows.len());
        return Err(wrong(name, 0, reason, "give the rows in the order of the nodes"));
    }
    let largest = rows.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs()));
    for (i, row) in rows.iter().enumerate() {
        if row.len() != nodes {
            let reason =
                format!("it has {} numbers; expected one for each of the {nodes} nodes", row.len());
            return Err(wrong(name, i, reason, "give the columns in the order of the nodes"));
        }
        if row.iter().any(|a| !a.is_finite()) {
            return Err(wrong(
                name,
                i,
                "it holds a number that is not finite",
                "give finite numbers",
            ));
        }
        for j in 0..i {
            let a = row[j];
            let b = rows[j][i];
            if (a - b).abs() > SYMMETRIC * largest {
                let reason = format!(
                    "its entry {} is {a}, and entry {} of row {} is {b}; expected a symmetric matrix",
                    j + 1,
                    i + 1,
                    j + 1
                );
                let remedy = "gyroscopic and circulatory terms are not supported";
                return Err(wrong(name, i, reason, remedy));
            }
        }
    }
    Ok(())
}

/// The springs or dashpots whose matrix this is: the upper triangle between nodes, and what is left of a row to the ground.
fn links(rows: &[Vec<f64>]) -> Vec<Link> {
    let mut links = Vec::new();
    let at = |i: usize, j: usize| rows[i.min(j)][i.max(j)];
    for i in 0..rows.len() {
        let row = (0..rows.len()).map(|j| at(i, j));
        let (sum, size) = row.fold((0.0, 0.0), |(sum, size), a| (sum + a, size + a.abs()));
        // What is no more than the rounding of the sum holds nothing to the ground.
        if sum.abs() > rows.len() as f64 * f64::EPSILON * size {
            links.push(Link::new([Some(i), None], sum));
        }
        for j in (i + 1..rows.len()).filter(|&j| at(i, j) != 0.0) {
            links.push(Link::new([Some(i), Some(j)], -at(i, j)));
        }
    }
    links
}

/// Checks that what the matrices make of a network has one motion: a positive mass for every motion of the nodes with mass,
/// and a stiffness or a damping that holds those without.
pub(super) fn check(n: &Network) -> Result<(), Error> {
    for s in &n.shared {
        for i in s.between {
            let node = &n.nodes[i];
            let place = |property| Part::new(PartKind::Node, i, &node.name, property);
            if node.motion.is_some() {
                return Err(Error::BadNetwork {
                    place: place("name"),
                    reason: "its motion is prescribed, but the mass matrix joins it to another node".into(),
                    remedy: "use displacements relative to the moving support; its acceleration is then a force \
                             −M a on the nodes"
                        .into(),
                });
            }
        }
    }
    let free = |i: usize| n.nodes[i].motion.is_none();
    let all = 0..n.nodes.len();
    if !n.shared.is_empty() {
        let masses =
            |i: &usize| n.nodes[*i].mass != 0.0 || n.shared.iter().any(|s| s.between.contains(i));
        let which: Vec<usize> = all.clone().filter(masses).collect();
        positive("mass", &which, &mass(n), || {
            "for some motion of the nodes it gives no kinetic energy or a negative one; expected a positive definite \
             matrix on the nodes that have mass"
                .into()
        })?;
    }
    let light: Vec<usize> = all.filter(|&i| free(i) && n.nodes[i].mass == 0.0).collect();
    let touches = |l: &Link| l.between().iter().flatten().any(|i| light.contains(i));
    let negative = |list: &[Link]| list.iter().any(|l| l.coefficient < 0.0 && touches(l));
    if negative(&n.dashpots) {
        let damped = |i: &usize| n.dashpots.iter().any(|l| l.between().contains(&Some(*i)));
        let which: Vec<usize> = light.iter().copied().filter(damped).collect();
        positive("damping", &which, &dense(n.nodes.len(), &n.dashpots), || unheld("damping"))?;
    }
    if negative(&n.springs) {
        let matrix = dense(n.nodes.len(), &n.springs);
        positive("stiffness", &light, &matrix, || unheld("stiffness"))?;
    }
    Ok(())
}

fn unheld(what: &str) -> String {
    format!(
        "it does not hold the nodes without mass: their {what} has a negative or vanishing direction; expected a positive \
         definite matrix on the nodes without mass"
    )
}

/// M as rows.
pub(super) fn mass(n: &Network) -> Vec<Vec<f64>> {
    let size = n.nodes.len();
    let mut rows = vec![vec![0.0; size]; size];
    for (i, node) in n.nodes.iter().enumerate() {
        rows[i][i] = node.mass;
    }
    for s in &n.shared {
        let [i, j] = s.between;
        rows[i][j] += s.mass;
        rows[j][i] += s.mass;
    }
    rows
}

/// The matrix of springs or dashpots, as rows.
pub(super) fn dense(size: usize, list: &[Link]) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; size]; size];
    for l in list {
        for i in l.between().into_iter().flatten() {
            rows[i][i] += l.coefficient;
        }
        if let [Some(i), Some(j)] = l.between() {
            rows[i][j] -= l.coefficient;
            rows[j][i] -= l.coefficient;
        }
    }
    rows
}

/// Checks by Cholesky's factors that the rows and columns `which` make a positive definite matrix.
fn positive(
    name: &'static str,
    which: &[usize],
    rows: &[Vec<f64>],
    reason: impl Fn() -> String,
) -> Result<(), Error> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(which.len());
    for (k, &i) in which.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(k + 1);
        for (l, &j) in which[..k].iter().enumerate() {
            let known: f64 = row.iter().zip(&factor[l]).map(|(a, b)| a * b).sum();
            row.push((rows[i][j] - known) / factor[l][l]);
        }
        let pivot = rows[i][i] - row.iter().map(|a| a * a).sum::<f64>();
        if pivot.is_nan() || pivot <= SINGULAR * rows[i][i].abs() {
            let remedy = "check the signs and the order of the nodes";
            return Err(wrong(name, i, reason(), remedy));
        }
        row.push(pivot.sqrt());
        factor.push(row);
    }
    Ok(())
}
