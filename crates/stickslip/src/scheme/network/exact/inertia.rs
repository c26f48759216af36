//! Masses that clusters share: the mass matrix of a slip pattern, inverted.

use super::power::ROUNDING;
use crate::model::network::Shared;
use crate::onestep::Ldl;
use std::collections::BTreeMap;

/// The inverse of the mass matrix of the clusters that have mass.
#[derive(Debug, Clone)]
pub(super) struct Inertia {
    /// The row of each cluster, if it has one.
    row: Vec<Option<usize>>,
    size: usize,
    /// M⁻¹, row by row.
    inverse: Vec<f64>,
}

impl Inertia {
    /// Of the own `mass` of each node and the masses that nodes share; `set` is the cluster of each node, and `massive` are the
    /// clusters that move with a mass of their own. `None` where no mass is shared.
    pub fn new(mass: &[f64], shared: &[Shared], set: &[usize], massive: &[bool]) -> Option<Self> {
        if shared.is_empty() {
            return None;
        }
        let mut row = vec![None; massive.len()];
        let mut size = 0;
        for (row, _) in row.iter_mut().zip(massive).filter(|m| *m.1) {
            *row = Some(size);
            size += 1;
        }
        // The diagonal is always there.
        let mut entries: BTreeMap<_, _> = (0..size).map(|i| ((i, i), 0.0)).collect();
        for (i, &c) in set.iter().enumerate() {
            if let Some(k) = row[c] {
                *entries.entry((k, k)).or_default() += mass[i];
            }
        }
        for s in shared {
            if let [Some(k), Some(l)] = s.between.map(|i| row[set[i]]) {
                // Mass that is shared inside a cluster stands on both sides of the diagonal of M, and both add to the
                // cluster's own.
                let twice = if k == l { 2.0 } else { 1.0 };
                *entries.entry((k.min(l), k.max(l))).or_default() += twice * s.mass;
            }
        }
        let (pairs, values): (Vec<_>, Vec<f64>) = entries.into_iter().unzip();
        let mut ldl = Ldl::new(size, &pairs);
        ldl.factor(&values);
        // The whole inverse, since the magnitudes of its entries are what bounds the rounding errors.
        let mut inverse = vec![0.0; size * size];
        for (k, column) in inverse.chunks_mut(size.max(1)).enumerate() {
            column[k] = 1.0;
            ldl.solve(column);
        }
        Some(Self { row, size, inverse })
    }

    /// M⁻¹ `sum`, by clusters and in place, and the rounding errors that come of those of the sum, `doubt`. `room` has two
    /// numbers for each cluster.
    pub fn solve(&self, sum: &mut [f64], doubt: &mut [f64], room: &mut [f64]) {
        let (of, errors) = room.split_at_mut(self.size);
        for (c, k) in self.row.iter().enumerate() {
            if let Some(k) = *k {
                // Copied first: every result needs all sums, and results take their places.
                (of[k], errors[k]) = (sum[c], doubt[c] + ROUNDING * sum[c].abs());
            }
        }
        for (c, k) in self.row.iter().enumerate() {
            let Some(k) = *k else { continue };
            let line = &self.inverse[k * self.size..(k + 1) * self.size];
            (sum[c], doubt[c]) = (0.0, 0.0);
            for ((m, f), e) in line.iter().zip(&*of).zip(&*errors) {
                sum[c] += m * f;
                doubt[c] += m.abs() * e;
            }
        }
    }

    /// The size of the rates of the free motion, 1/s, within a factor of two, for the sums of what pulls at each node per displacement and per
    /// velocity: √‖M⁻¹K‖ + ‖M⁻¹C‖. The clusters are the nodes.
    pub fn fastest(&self, stiffness: impl Fn(usize) -> f64, damping: impl Fn(usize) -> f64) -> f64 {
        let nodes: Vec<usize> = (0..self.row.len()).filter(|&i| self.row[i].is_some()).collect();
        let rate = |line: &[f64]| {
            let sum = |of: &dyn Fn(usize) -> f64| {
                line.iter().zip(&nodes).map(|(m, i)| m.abs() * of(*i)).sum::<f64>()
            };
            sum(&stiffness).sqrt() + sum(&damping)
        };
        self.inverse.chunks(self.size.max(1)).map(rate).fold(0.0, f64::max)
    }
}
