//! Sixteen parameter sets in one pass.

use super::record::{BLOCK, Extent, ROUNDING, Record, Running, Stretch, Thresholds};
use super::{Instructions, Kernel, dispatch};

/// Parameter sets per pass.
pub const LANES: usize = 16;

type Lanes = [f64; LANES];

/// What one path contributes to a least-squares fit; w are the samples' weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// Σ w ξ.
    pub xi: f64,
    /// Σ w ξ².
    pub xi_xi: f64,
    /// Σ w ξ T.
    pub xi_drive: f64,
    /// Σ w ξ z.
    pub xi_response: f64,
    /// Number of jumps (δ = 0: of samples at which ξ moved).
    pub jumps: f64,
}

impl Record {
    /// The sums of every parameter set, with the fastest instructions this machine has.
    ///
    /// `starts` holds ξ at the first sample of every stretch: all stretches of set 0, then of set
    /// 1, …; `out` is as long as `sets`. Does not allocate.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn sums(&self, sets: &[Thresholds], starts: &[f64], out: &mut [Sums]) {
        self.sums_with(Instructions::best(), sets, starts, out);
    }

    /// [`sums`](Self::sums) with chosen instructions; those the machine lacks are replaced by the
    /// portable ones. The result is the same to the last bit.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn sums_with(
        &self,
        on: Instructions,
        sets: &[Thresholds],
        starts: &[f64],
        out: &mut [Sums],
    ) {
        let per_set = self.stretches.len();
        assert_eq!(sets.len(), out.len(), "one result per set");
        assert_eq!(sets.len() * per_set, starts.len(), "one starting state per set and stretch");
        for (group, out) in out.chunks_mut(LANES).enumerate() {
            let first = group * LANES;
            // A group that is not full repeats its last set.
            let set = |lane: usize| first + lane.min(out.len() - 1);
            let rho = std::array::from_fn(|l| sets[set(l)].rho);
            let delta = std::array::from_fn(|l| sets[set(l)].delta);
            let start =
                |stretch: usize| std::array::from_fn(|l| starts[set(l) * per_set + stretch]);
            let sums = run(on, self, rho, delta, start);
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

/// Runs the lanes' paths over the record; `start(k)` gives their states at the start of stretch `k`.
pub(super) fn run(
    on: Instructions,
    record: &Record,
    rho: Lanes,
    delta: Lanes,
    start: impl Fn(usize) -> Lanes,
) -> [Sums; LANES] {
    let mut state = State::new(rho, delta);
    for (k, stretch) in record.stretches.iter().enumerate() {
        state.begin(start(k), record.before(k));
        dispatch(on, Pass { record, stretch, state: &mut state });
        state.finish(record.before(k + 1));
    }
    state.sums()
}

struct Pass<'a> {
    record: &'a Record,
    stretch: &'a Stretch,
    state: &'a mut State,
}

impl Kernel for Pass<'_> {
    #[inline(always)]
    fn run(self) {
        body(self.record, self.stretch, self.state);
    }
}

/// The pass over one stretch. Always inlined, so that it is compiled with its caller's features.
#[inline(always)]
fn body(record: &Record, stretch: &Stretch, state: &mut State) {
    let (from, to) = stretch.samples;
    let drive = &record.drive[from..to];
    let extents = &record.extents[stretch.block..];
    // A copy, which can live in registers.
    let mut now = *state;
    let rounding = record.rounding + ROUNDING * state.rho.iter().copied().fold(0.0, f64::max);
    let mut calm = now.calm(rounding);
    for (k, extent) in extents.iter().take(drive.len().div_ceil(BLOCK)).enumerate() {
        if calm.holds(extent) {
            continue;
        }
        let mut moved = false;
        // The sums before sample `next`: brought to where a lane slips, and no further.
        let mut before = record.running[stretch.block + k];
        let mut next = k * BLOCK;
        for (i, &t) in drive.iter().enumerate().take((k + 1) * BLOCK).skip(k * BLOCK) {
            if (!moved && calm.has(t)) || !now.slips(t) {
                continue;
            }
            if let Some(sums) = record.each.get(from + i) {
                before = *sums;
            }
            while record.each.is_empty() && next < i {
                record.add(&mut before, from + next);
                next += 1;
            }
            now.slip(t, &before);
            moved = true;
        }
        if moved {
            calm = now.calm(rounding);
        }
    }
    *state = now;
}

/// The lanes' paths and their sums so far.
#[derive(Clone, Copy)]
struct State {
    rho: Lanes,
    delta: Lanes,
    per_delta: Lanes,
    xi: Lanes,
    sum: [Lanes; 4],
    jumps: Lanes,
}

impl Extent {
    /// Whether the other lies inside.
    #[inline(always)]
    fn holds(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether a drive lies inside.
    #[inline(always)]
    fn has(&self, drive: f64) -> bool {
        self.low <= drive && drive <= self.high
    }
}

/// The least (`sign` = 1) or greatest (−1) number: by halves, as vectors do it.
#[inline(always)]
fn least(mut x: Lanes, sign: f64) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            x[l] = if sign * x[l + width] < sign * x[l] { x[l + width] } else { x[l] };
        }
        width /= 2;
    }
    x[0]
}

impl State {
    fn new(rho: Lanes, delta: Lanes) -> Self {
        let zero = [0.0; LANES];
        Self { rho, delta, per_delta: delta.map(f64::recip), xi: zero, sum: [zero; 4], jumps: zero }
    }

    /// Drives at which no lane slips: max(ξ − ρ) to min(ξ + ρ), less what rounding may add to a sum of
    /// two numbers and to a difference.
    #[inline(always)]
    fn calm(&self, rounding: f64) -> Extent {
        let mut low = [0.0; LANES];
        let mut high = [0.0; LANES];
        for l in 0..LANES {
            low[l] = self.xi[l] - self.rho[l];
            high[l] = self.xi[l] + self.rho[l];
        }
        Extent { low: least(low, -1.0) + rounding, high: least(high, 1.0) - rounding }
    }

    /// Whether any lane slips at the drive `t`. Nothing else is handed on to [`slip`](Self::slip): arrays that are, are kept in
    /// memory, and the compiler then takes vectors of half the width.
    #[inline(always)]
    fn slips(&self, t: f64) -> bool {
        let mut excess = [0.0; LANES];
        for l in 0..LANES {
            excess[l] = (t - self.xi[l]).abs() - self.rho[l];
        }
        let mut any = false;
        for l in 0..LANES / 2 {
            let a = excess[l];
            let b = excess[l + LANES / 2];
            any |= (if a > b { a } else { b }) > 0.0;
        }
        any
    }

    /// [`SlipPath::advance`](super::SlipPath::advance) in every lane, and summation by parts.
    #[inline(always)]
    fn slip(&mut self, t: f64, before: &Running) {
        for l in 0..LANES {
            let xi = self.xi[l];
            let rho = self.rho[l];
            let delta = self.delta[l];
            let lead = t - xi;
            let excess = lead.abs() - rho;
            let count = (excess * self.per_delta[l]).ceil();
            let jumped = xi + (count * delta).copysign(lead);
            let played = t - rho.copysign(lead);
            let moved = if delta > 0.0 { jumped } else { played };
            let new = if excess > 0.0 { moved } else { xi };
            self.jumps[l] += if excess > 0.0 { if delta > 0.0 { count } else { 1.0 } } else { 0.0 };
            let drop = xi - new;
            self.sum[0][l] += drop * before.weight;
            self.sum[1][l] += (xi * xi - new * new) * before.weight;
            self.sum[2][l] += drop * before.drive;
            self.sum[3][l] += drop * before.response;
            self.xi[l] = new;
        }
    }

    /// A stretch begins with the states `xi`.
    fn begin(&mut self, xi: Lanes, before: Running) {
        self.xi = xi;
        self.close(before, -1.0);
    }

    /// A stretch ends.
    fn finish(&mut self, after: Running) {
        self.close(after, 1.0);
    }

    fn close(&mut self, at: Running, sign: f64) {
        for l in 0..LANES {
            let xi = sign * self.xi[l];
            self.sum[0][l] += xi * at.weight;
            self.sum[1][l] += xi * self.xi[l] * at.weight;
            self.sum[2][l] += xi * at.drive;
            self.sum[3][l] += xi * at.response;
        }
    }

    fn sums(&self) -> [Sums; LANES] {
        std::array::from_fn(|l| Sums {
            xi: self.sum[0][l],
            xi_xi: self.sum[1][l],
            xi_drive: self.sum[2][l],
            xi_response: self.sum[3][l],
            jumps: self.jumps[l],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Instructions, Record, SlipPath, Sums, Thresholds};

    /// Two stretches, a sixth of the samples without weight.
    fn samples() -> Vec<(f64, f64, f64)> {
        let mut noise = 12345u64;
        let mut draw = || {
            noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (noise >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        (0..3001)
            .map(|i| {
                let t = 11.0 * (0.002 * i as f64).sin() + 5.0 * (0.05 * i as f64).sin() + draw();
                (t, 0.3 * t + draw(), if i % 6 == 0 { 0.0 } else { 1.0 })
            })
            .collect()
    }

    fn sets() -> Vec<Thresholds> {
        let set = |i: usize| {
            let rho = 0.05 + 0.15 * i as f64;
            Thresholds { rho, delta: [0.0, 0.1, 0.7, 1.0, 2.0][i % 5] * rho }
        };
        (0..61).map(set).collect()
    }

    fn by_hand(
        samples: &[(f64, f64, f64)],
        starts: &[usize],
        set: Thresholds,
        states: &[f64],
    ) -> Sums {
        let mut s = Sums::default();
        let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
        for (i, &(t, z, w)) in samples.iter().enumerate() {
            if let Some(k) = starts.iter().position(|&s| s == i) {
                path.xi = states[k];
            }
            s.jumps += path.advance(t).abs();
            s.xi += w * path.xi;
            s.xi_xi += w * path.xi * path.xi;
            s.xi_drive += w * path.xi * t;
            s.xi_response += w * path.xi * z;
        }
        s
    }

    #[test]
    fn lanes_agree_with_the_reference_path() {
        let samples = samples();
        let cuts = [0, 1203];
        let sets = sets();
        let record = Record::new(&samples, &cuts);
        let starts: Vec<f64> = (0..2 * sets.len()).map(|i| 0.1 * (i % 7) as f64).collect();
        let mut out = vec![Sums::default(); sets.len()];
        record.sums(&sets, &starts, &mut out);
        for (i, got) in out.iter().enumerate() {
            let want = by_hand(&samples, &cuts, sets[i], &starts[2 * i..2 * i + 2]);
            assert_eq!(got.jumps, want.jumps);
            for (g, w) in [
                (got.xi, want.xi),
                (got.xi_xi, want.xi_xi),
                (got.xi_drive, want.xi_drive),
                (got.xi_response, want.xi_response),
            ] {
                assert!((g - w).abs() <= 1e-11 * want.xi_xi.max(1.0), "{sets:?}[{i}]: {g} {w}");
            }
        }
    }

    /// Those of a long record, which keeps its running sums at every sixteenth sample, and of a short one.
    #[test]
    fn sums_that_are_added_up_again_have_the_same_bits() {
        let sets = sets();
        let short = Record::new(&samples(), &[0, 1203]);
        let mut long = short.clone();
        assert_eq!(long.each.len(), 3001);
        long.each.clear();
        let starts = vec![0.3; 2 * sets.len()];
        let [a, b] = [short, long].map(|record| {
            let mut out = vec![Sums::default(); sets.len()];
            record.sums(&sets, &starts, &mut out);
            out
        });
        assert!(a.iter().all(|s| s.jumps > 0.0));
        assert_eq!(a, b);
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let record = Record::new(&samples(), &[0, 1203]);
        let sets = sets();
        let starts = vec![0.3; 2 * sets.len()];
        let bits = |on: Instructions| {
            let mut out = vec![Sums::default(); sets.len()];
            record.sums_with(on, &sets, &starts, &mut out);
            let all =
                |s: &Sums| [s.xi, s.xi_xi, s.xi_drive, s.xi_response, s.jumps].map(f64::to_bits);
            out.iter().map(all).collect::<Vec<_>>()
        };
        let portable = bits(Instructions::Portable);
        for on in [Instructions::Avx2, Instructions::Avx512] {
            println!("{on:?}: {}", if on.available() { "compared" } else { "not on this machine" });
            assert_eq!(bits(on), portable);
        }
    }
}
