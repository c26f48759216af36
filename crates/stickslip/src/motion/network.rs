//! States and phases of a network.

use std::sync::Arc;

/// A network at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkState {
    /// x of each node, m.
    pub x: Vec<f64>,
    /// ẋ of each node, m/s; of a massless one in a time-stepping scheme its mean over the last step.
    pub v: Vec<f64>,
    /// The friction of each slider on its first end, N.
    pub friction: Vec<f64>,
}

/// What each slider does: 0 sticks, ±1 slips that way (the sign of ẋ_a − ẋ_b).
pub type NetworkPhase = Arc<[i8]>;

/// States on an equidistant grid, one row for each t_n = n h.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkGrid {
    /// h, s.
    pub step: f64,
    /// Nodes and sliders.
    pub size: (usize, usize),
    /// Rows of x, v and friction.
    pub rows: Vec<f64>,
}

impl NetworkGrid {
    /// Numbers in a row.
    pub fn width(&self) -> usize {
        2 * self.size.0 + self.size.1
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        (self.rows.len() / self.width().max(1)).saturating_sub(1)
    }

    /// Linear interpolation between the steps at `t`; the friction is that of the step.
    pub fn at(&self, t: f64) -> NetworkState {
        // A time that is a node but for its rounding is meant to be the node.
        let q = t / self.step;
        let node = (t / self.step).round();
        let q = if (q - node).abs() <= 1e-9 { node } else { q };
        let n = (q as usize).min(self.steps().saturating_sub(1));
        let a = self.row(n);
        let b = self.row((n + 1).min(self.steps()));
        let s = q - n as f64;
        let mix = |i: usize| a[i] + s * (b[i] - a[i]);
        let nodes = self.size.0;
        NetworkState {
            x: (0..nodes).map(mix).collect(),
            v: (nodes..2 * nodes).map(mix).collect(),
            friction: if s > 0.0 { b } else { a }[2 * nodes..].to_vec(),
        }
    }

    /// Row n.
    pub fn row(&self, n: usize) -> &[f64] {
        &self.rows[n * self.width()..(n + 1) * self.width()]
    }
}
