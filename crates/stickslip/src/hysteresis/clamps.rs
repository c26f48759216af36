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
        self.work::<false>(x)[0]
    }

    /// The same, and the stiffness of what did not yield on the way, N/m.
    pub(crate) fn advance_with_tangent(&mut self, x: f64) -> (f64, f64) {
        let [force, stiffness] = self.work::<true>(x);
        (force, stiffness)
    }

    /// The stiffness where nothing yields, N/m.
    pub(crate) fn whole(&self) -> f64 {
        self.remaining + self.weight.as_flattened().iter().sum::<f64>()
    }

    fn work<const TANGENT: bool>(&mut self, x: f64) -> [f64; 2] {
        let work = |first: usize, play: &mut [Lanes]| {
            let mut sums = [0.0; 2];
            let all = first..first + play.len();
            let reach = &self.reach[all.clone()];
            let weight = &self.weight[all];
            let step = Step::<TANGENT> { x, play, reach, weight, sums: &mut sums };
            dispatch(self.instructions, step);
            sums
        };
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let [force, stiffness] = pieces(0, &mut self.play[..], &work, &add);
        [self.remaining * x + force, self.remaining + stiffness]
    }

    /// p_j, m.
    pub fn plays(&self) -> &[f64] {
        &self.play.as_flattened()[..self.elements]
    }
}

/// The plays of some elements moved to `x`, Σ κ_j (x − p_j) over them and, with `TANGENT`, Σ κ_j over those that stay.
struct Step<'a, const TANGENT: bool> {
    x: f64,
    play: &'a mut [Lanes],
    reach: &'a [Lanes],
    weight: &'a [Lanes],
    sums: &'a mut [f64; 2],
}

impl<const TANGENT: bool> Kernel for Step<'_, TANGENT> {
    #[inline(always)]
    fn run(self) {
        let x = self.x;
        let mut sum = [0.0; LANES];
        let mut stays = [0.0; LANES];
        for ((play, r), w) in self.play.iter_mut().zip(self.reach).zip(self.weight) {
            // A copy: the compiler need not know that what is written is not what is read.
            let mut p = *play;
            for i in 0..LANES {
                let new = clamp(p[i], x - r[i], x + r[i]);
                sum[i] += w[i] * (x - new);
                if TANGENT {
                    stays[i] += if new == p[i] { w[i] } else { 0.0 };
                }
                p[i] = new;
            }
            *play = p;
        }
        self.sums[0] = in_pairs(&sum);
        if TANGENT {
            self.sums[1] = in_pairs(&stays);
        }
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
