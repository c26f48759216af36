//! The adjoint of the variational equation over one step of a motion, by Gauss's collocation.

use crate::motion::State;

/// Nodes of a step.
pub(super) const COUNT: usize = 6;
/// Gauss's rule with six nodes on [−1, 1], half of it: nodes and weights.
const NODES: [(f64, f64); COUNT / 2] = [
    (0.238_619_186_083_196_9, 0.467_913_934_572_691_05),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_34),
];

/// Gauss's collocation with the nodes of the rule: order 12, and with it the order of integrals over the same nodes.
///
/// λ′ = −Aᵀ λ with A = [[0, 1], [∂ₓa, ∂ᵥa]] runs back from the end of a step, in σ from 0 to 1:
/// dλ/dσ = h Aᵀ λ, Λ_i = λ(0) + h Σ_j a_ij A_jᵀ Λ_j.
#[derive(Debug)]
pub(super) struct Collocation {
    /// c_i and b_i on [0, 1].
    pub nodes: [(f64, f64); COUNT],
    a: [[f64; COUNT]; COUNT],
}

/// Unknowns of a step: λ at every node.
const SIZE: usize = 2 * COUNT;

impl Collocation {
    pub fn new() -> Self {
        let nodes = std::array::from_fn(|i| {
            let (node, weight) = NODES[i / 2];
            (0.5 + if i % 2 == 0 { -0.5 } else { 0.5 } * node, 0.5 * weight)
        });
        let lagrange = |j: usize, s: f64| {
            let others = nodes.iter().enumerate().filter(|(i, _)| *i != j);
            others.map(|(_, (c, _))| (s - c) / (nodes[j].0 - c)).product::<f64>()
        };
        // The polynomials have the degree 5, and the rule is exact to 11.
        let integral = |j: usize, to: f64| {
            nodes.iter().map(|(c, b)| to * b * lagrange(j, to * c)).sum::<f64>()
        };
        let a = std::array::from_fn(|i| std::array::from_fn(|j| integral(j, nodes[i].0)));
        Self { nodes, a }
    }

    /// λ at every node, from the end of the step on, and at its beginning: `slopes` are ∂ₓa and ∂ᵥa at the nodes, and `end` is λ at
    /// the end of the step of `h` (s). `None` where the equations of the nodes have no solution.
    pub fn back(
        &self,
        h: f64,
        slopes: &[(f64, f64); COUNT],
        end: State,
    ) -> Option<([State; COUNT], State)> {
        let mut m = [[0.0; SIZE]; SIZE];
        let mut right = [0.0; SIZE];
        for i in 0..COUNT {
            (right[2 * i], right[2 * i + 1]) = (end.x, end.v);
            (m[2 * i][2 * i], m[2 * i + 1][2 * i + 1]) = (1.0, 1.0);
            for (j, (ax, av)) in slopes.iter().enumerate() {
                let by = h * self.a[i][j];
                m[2 * i][2 * j + 1] -= by * ax;
                m[2 * i + 1][2 * j] -= by;
                m[2 * i + 1][2 * j + 1] -= by * av;
            }
        }
        solve(&mut m, &mut right)?;
        let at: [State; COUNT] =
            std::array::from_fn(|i| State { x: right[2 * i], v: right[2 * i + 1] });
        let mut start = end;
        for ((l, (ax, av)), (_, b)) in at.iter().zip(slopes).zip(&self.nodes) {
            start.x += h * b * ax * l.v;
            start.v += h * b * (l.x + av * l.v);
        }
        Some((at, start))
    }
}

/// Gauss's elimination with pivots in their column.
fn solve(m: &mut [[f64; SIZE]; SIZE], right: &mut [f64; SIZE]) -> Option<()> {
    for k in 0..SIZE {
        let pivot = (k..SIZE).max_by(|a, b| m[*a][k].abs().total_cmp(&m[*b][k].abs()))?;
        m.swap(k, pivot);
        right.swap(k, pivot);
        if m[k][k] == 0.0 {
            return None;
        }
        for i in k + 1..SIZE {
            let by = m[i][k] / m[k][k];
            if by != 0.0 {
                for j in k..SIZE {
                    m[i][j] -= by * m[k][j];
                }
                right[i] -= by * right[k];
            }
        }
    }
    for k in (0..SIZE).rev() {
        let known: f64 = (k + 1..SIZE).map(|j| m[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / m[k][k];
    }
    Some(())
}
