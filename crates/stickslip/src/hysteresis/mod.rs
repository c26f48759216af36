//! The Prandtl–Ishlinskii operator: springs and dry friction without inertia.
//!
//! A cascade (Bastien, Lamarque 2007), and any set of Jenkins elements side by side, answers a displacement x(t)
//! with the force
//!
//! ```text
//! f = Σ_j κ_j (x − p_j) + κ_∞ x,     p_j = the play of half-width r_j: |x − p_j| ≤ r_j
//! ```
//!
//! For the cascade the nodes slip in the order 1 … n, and always a first part 1 … J of them at once:
//! node j + 1 feels nothing while node j rests. With the stiffness S_j = 1/Σ_{i≤j} 1/k_i of the first
//! j + 1 springs in series,
//!
//! ```text
//! r_j = Σ_{i≤j} α_i / S_{i−1},     κ_j = S_{j−1} − S_j,     κ_∞ = S_n
//! ```
//!
//! A pre-stress is no exception: with q_i the pull on node i, x − p_j = Σ_{i≤j} q_i / S_{i−1} carries
//! any state in the box |q_i| ≤ α_i into a state of the plays, and back.
//!
//! Three ways to follow it: [`Clamps`] (n clamps a step), [`TurningPoints`] (a stack of turning
//! points: O(1) amortised and a search in the slipping ones) and [`Sweep`] (node by node, with each
//! yield as an event).

mod backbone;
mod clamps;
mod elements;
mod sweep;
mod turning;

pub use backbone::Backbone;
pub use clamps::Clamps;
pub use elements::Elements;
pub use sweep::Sweep;
pub use turning::TurningPoints;
