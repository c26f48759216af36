//! n clamps a step.

use super::Elements;
use crate::instructions::{Instructions, Kernel, dispatch};
use crate::onestep::pieces;

/// Independent sums in flight: the addition's latency over its throughput, in vector lanes.
const LANES: usize = 16;

type Lanes = [f64; LANES];

/// The operator as plays: p_j ← clamp(p_j, x − r_j, x + r_j), f = Σ κ_j (x − p_j) + κ_∞ x.
///
/// Nothing is accumulated from step to step, so there is no drift however long the run.
#[derive(Debug, Clone)]
pub struct Clamps {
    /// p_j, m; the last lanes are filled up with elements of no weight.
    play: Vec<Lanes>,
    /// r_j, m.
    reach: Vec<Lanes>,
    /// κ_j, N/m.
    weight: Vec<Lanes>,
    /// n.
    elements: usize,
    /// κ_∞, N/m.
    remaining: f64,
    instructions: Instructions,
}

impl Clamps {
    /// Of elements in their initial state, those of a cascade for one.
    pub fn new<'a>(elements: impl Into<Elements<'a>>) -> Self {
        let elements = elements.into();
        let backbone = elements.backbone();
        let x = elements.displacement;
        let play = initial_plays(&elements.pull, backbone.stiffness(), x);
        Self {
            play: lanes(&play),
            reach: lanes(backbone.breakpoints()),
            weight: lanes(&backbone.weights()),
            elements: elements.threshold.len(),
            remaining: backbone.stiffness()[elements.threshold.len()],
            instructions: Instructions::best(),
        }
    }

    /// Moves to `x` (m) without turning on the way; the force k₀(x − v₁), N.
    pub fn advance(&mut self, x: f64) -> f64 {
        let work = |first: usize, play: &mut [Lanes]| {
            let mut force = 0.0;
            let all = first..first + play.len();
            let (reach, weight) = (&self.reach[all.clone()], &self.weight[all]);
            dispatch(self.instructions, Step { x, play, reach, weight, force: &mut force });
            force
        };
        self.remaining * x + pieces(0, &mut self.play[..], &work, &|a, b| a + b)
    }

    /// The force after such a move, N, and how it grows with x there, N/m; nothing is moved.
    pub fn look(&self, x: f64) -> (f64, f64) {
        let (mut force, mut stiffness) = (self.remaining * x, self.remaining);
        let lists = self.plays().iter().zip(self.reach.as_flattened());
        for ((p, reach), weight) in lists.zip(self.weight.as_flattened()) {
            let stretch = x - p;
            if stretch.abs() <= *reach {
                force += weight * stretch;
                stiffness += weight;
            } else {
                force += weight * reach.copysign(stretch);
            }
        }
        (force, stiffness)
    }

    /// p_j, m.
    pub fn plays(&self) -> &[f64] {
        &self.play.as_flattened()[..self.elements]
    }
}

/// The plays of some elements moved to `x`, and Σ κ_j (x − p_j) over them.
struct Step<'a> {
    x: f64,
    play: &'a mut [Lanes],
    reach: &'a [Lanes],
    weight: &'a [Lanes],
    force: &'a mut f64,
}

impl Kernel for Step<'_> {
    #[inline(always)]
    fn run(self) {
        let x = self.x;
        let mut sum = [0.0; LANES];
        for ((play, r), w) in self.play.iter_mut().zip(self.reach).zip(self.weight) {
            // A copy: the compiler need not know that what is written is not what is read.
            let mut p = *play;
            for i in 0..LANES {
                p[i] = clamp(p[i], x - r[i], x + r[i]);
                sum[i] += w[i] * (x - p[i]);
            }
            *play = p;
        }
        *self.force = in_pairs(&sum);
    }
}

/// Numbers in lanes, filled up with zeros.
fn lanes(numbers: &[f64]) -> Vec<Lanes> {
    let fill = |chunk: &[f64]| {
        let mut lanes = [0.0; LANES];
        lanes[..chunk.len()].copy_from_slice(chunk);
        lanes
    };
    numbers.chunks(LANES).map(fill).collect()
}

/// The sum, by the shortest chain of additions. A function of its own, or the lanes above are taken apart.
#[inline(never)]
fn in_pairs(sum: &Lanes) -> f64 {
    let mut four = [0.0; 4];
    for i in 0..4 {
        four[i] = (sum[i] + sum[i + 4]) + (sum[i + 8] + sum[i + 12]);
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

/// Two selects: `f64::clamp` checks its bounds, and `max`, `min` their arguments for NaN.
#[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Cascade;

    /// Lengths that do and do not fill the lanes, and one large enough for two cores.
    #[test]
    fn the_same_bits_on_every_instruction_set() {
        for n in [1, 15, 16, 17, 100, 200_000] {
            let threshold = (0..n).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
            let stiffness = (0..=n).map(|i| 1.0 + 0.3 * (2.3 * i as f64).cos()).collect();
            let cascade = Cascade::new(1.0, stiffness, threshold);
            let reach = cascade.backbone().breakpoints()[n / 2];
            let on = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
            let mut all = on.map(|instructions| Clamps { instructions, ..Clamps::new(&cascade) });
            for step in 0..5 {
                let x = reach * (1.3 * step as f64).sin();
                let [first, others @ ..] = all.each_mut().map(|c| c.advance(x).to_bits());
                assert!(others.iter().all(|f| *f == first), "{n}");
            }
            let [first, others @ ..] = &all;
            assert!(first.plays().len() == n && others.iter().all(|c| c.plays() == first.plays()));
        }
    }
}
