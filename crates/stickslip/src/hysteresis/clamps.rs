//! n clamps a step.

use crate::model::Cascade;

/// Independent sums in flight: the addition's latency over its throughput, in vector lanes.
const LANES: usize = 16;

/// The operator as plays: p_j ← clamp(p_j, x − r_j, x + r_j), f = Σ κ_j (x − p_j) + κ_∞ x.
///
/// Nothing is accumulated from step to step, so there is no drift however long the run.
#[derive(Debug, Clone)]
pub struct Clamps {
    /// p_j, m.
    play: Vec<f64>,
    /// r_j, m.
    reach: Vec<f64>,
    /// κ_j, N/m.
    weight: Vec<f64>,
    /// κ_∞, N/m.
    remaining: f64,
}

impl Clamps {
    /// Of a cascade in its initial state.
    pub fn new(cascade: &Cascade) -> Self {
        let backbone = cascade.backbone();
        let x = cascade.initial.displacement;
        let play = initial_plays(&cascade.initial_pull(), backbone.stiffness(), x);
        Self {
            play,
            reach: backbone.breakpoints().to_vec(),
            weight: backbone.weights(),
            remaining: backbone.stiffness()[cascade.elements()],
        }
    }

    /// Moves to `x` (m) without turning on the way; the force k₀(x − v₁), N.
    pub fn advance(&mut self, x: f64) -> f64 {
        let mut sum = [0.0; LANES];
        let mut plays = self.play.chunks_exact_mut(LANES);
        let mut reaches = self.reach.chunks_exact(LANES);
        let mut weights = self.weight.chunks_exact(LANES);
        for ((p, r), w) in plays.by_ref().zip(reaches.by_ref()).zip(weights.by_ref()) {
            for i in 0..LANES {
                p[i] = clamp(p[i], x - r[i], x + r[i]);
                sum[i] += w[i] * (x - p[i]);
            }
        }
        let mut force = self.remaining * x + sum.iter().sum::<f64>();
        let rest = plays.into_remainder().iter_mut().zip(reaches.remainder());
        for ((p, r), w) in rest.zip(weights.remainder()) {
            *p = clamp(*p, x - r, x + r);
            force += w * (x - *p);
        }
        force
    }

    /// p_j, m.
    pub fn plays(&self) -> &[f64] {
        &self.play
    }
}

/// Two selects: `f64::clamp` checks its bounds, and `max`, `min` their arguments for NaN.
#[inline]
fn clamp(p: f64, low: f64, high: f64) -> f64 {
    let p = if p > low { p } else { low };
    if p < high { p } else { high }
}

/// p_j = x − Σ_{i≤j} q_i / S_{i−1}.
pub(super) fn initial_plays(pull: &[f64], stiffness: &[f64], x: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let play = |(q, s): (&f64, &f64)| {
        sum += q / s;
        x - sum
    };
    pull.iter().zip(stiffness).map(play).collect()
}
