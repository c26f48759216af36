//! Dormand–Prince steps of order 8 with dense output of order 7 for a state of many numbers.

use crate::motion::Poly;
use crate::scheme::oscillator::adaptive::dop853::{A, C, D, E3, E5, EXTENDED, STAGES};

/// Numbers of the state that are summed side by side.
const WIDE: usize = 8;
/// The same of those that are left.
const HALF: usize = 4;

/// A row of a tableau without its zeros.
#[derive(Clone, Copy)]
struct Terms {
    count: usize,
    of: [(usize, f64); EXTENDED],
}

impl Terms {
    const fn new(row: &[f64; EXTENDED]) -> Self {
        let mut terms = Self { count: 0, of: [(0, 0.0); EXTENDED] };
        let mut j = 0;
        while j < EXTENDED {
            if row[j] != 0.0 {
                terms.of[terms.count] = (j, row[j]);
                terms.count += 1;
            }
            j += 1;
        }
        terms
    }

    const fn all<const N: usize>(rows: &[[f64; EXTENDED]; N]) -> [Self; N] {
        let mut all = [Self { count: 0, of: [(0, 0.0); EXTENDED] }; N];
        let mut i = 0;
        while i < N {
            all[i] = Self::new(&rows[i]);
            i += 1;
        }
        all
    }

    /// Σ c_j k_j of `W` numbers from the one of number `m` on, of the `n` of which each k has one.
    #[inline(always)]
    fn sum<const W: usize>(&self, k: &[f64], n: usize, m: usize) -> [f64; W] {
        let mut sums = [0.0; W];
        for (j, c) in &self.of[..self.count] {
            let own = &k[j * n + m..][..W];
            for (sum, k) in sums.iter_mut().zip(own) {
                *sum += c * k;
            }
        }
        sums
    }
}

static STAGE: [Terms; EXTENDED] = Terms::all(&A);
static DENSE: [Terms; 4] = Terms::all(&D);
static FIFTH: Terms = Terms::new(&extended(&E5));
static THIRD: Terms = Terms::new(&extended(&E3));

/// Weights of the stages of a step; those of the dense output have none.
const fn extended(row: &[f64; STAGES + 1]) -> [f64; EXTENDED] {
    let mut all = [0.0; EXTENDED];
    let mut j = 0;
    while j <= STAGES {
        all[j] = row[j];
        j += 1;
    }
    all
}

/// A step and its stages; its room is used again.
#[derive(Debug, Clone, Default)]
pub(in crate::scheme) struct Step {
    pub t: f64,
    pub h: f64,
    pub from: Vec<f64>,
    pub to: Vec<f64>,
    /// The derivative at every stage, stage by stage.
    k: Vec<f64>,
    stage: Vec<f64>,
}

/// Writes the derivative of a state at a time (s).
pub(in crate::scheme) trait Derivative: FnMut(f64, &[f64], &mut [f64]) {}
impl<F: FnMut(f64, &[f64], &mut [f64])> Derivative for F {}

impl Step {
    /// Room for `n` numbers.
    pub fn of(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        let k = vec![0.0; n * EXTENDED];
        Self { t: 0.0, h: 0.0, from: zeros(), to: zeros(), k, stage: zeros() }
    }

    fn size(&self) -> usize {
        self.from.len()
    }

    /// Sets out from `u` at `t`: the first stage is known until the next state.
    pub fn begin(&mut self, t: f64, u: &[f64], f: &mut impl Derivative) {
        self.t = t;
        self.from.copy_from_slice(u);
        let n = self.size();
        f(t, &self.from, &mut self.k[..n]);
    }

    /// Goes on from the end of the step.
    pub fn go_on(&mut self, t: f64) {
        self.t = t;
        self.from.copy_from_slice(&self.to);
        let n = self.size();
        // First same as last: the derivative at the end is the first stage of the next step.
        self.k.copy_within(STAGES * n..(STAGES + 1) * n, 0);
    }

    /// u + h Σ A_ij k_j, and its derivative.
    fn make_stage(&mut self, i: usize, f: &mut impl Derivative) {
        let n = self.size();
        let [wide, half] = [n - n % WIDE, n - n % HALF];
        (0..wide).step_by(WIDE).for_each(|m| self.place::<WIDE>(i, m));
        (wide..half).step_by(HALF).for_each(|m| self.place::<HALF>(i, m));
        (half..n).for_each(|m| self.place::<1>(i, m));
        f(self.t + C[i] * self.h, &self.stage, &mut self.k[i * n..(i + 1) * n]);
    }

    /// `W` numbers of the state at stage `i`, from the one of number `m` on.
    #[inline(always)]
    fn place<const W: usize>(&mut self, i: usize, m: usize) {
        let sums: [f64; W] = STAGE[i].sum(&self.k, self.size(), m);
        let stage = &mut self.stage[m..m + W];
        for ((stage, from), sum) in stage.iter_mut().zip(&self.from[m..m + W]).zip(sums) {
            *stage = from + self.h * sum;
        }
    }

    /// A step of `h` (s) from where it began.
    pub fn make(&mut self, h: f64, f: &mut impl Derivative) {
        self.h = h;
        for i in 1..=STAGES {
            self.make_stage(i, f);
        }
        self.to.copy_from_slice(&self.stage);
    }

    /// Error over the tolerance (≤ 1: accept), the greatest of all numbers; `scale` is the tolerance of each.
    pub fn error(&self, scale: &[f64]) -> f64 {
        let n = self.size();
        let half = n - n % HALF;
        let mut worst = 0.0;
        (0..half).step_by(HALF).for_each(|m| self.add_errors::<HALF>(m, scale, &mut worst));
        (half..n).for_each(|m| self.add_errors::<1>(m, scale, &mut worst));
        worst
    }

    /// Raises `worst` to the errors of `W` numbers from the one of number `m` on.
    #[inline(always)]
    fn add_errors<const W: usize>(&self, m: usize, scale: &[f64], worst: &mut f64) {
        let n = self.size();
        let fifth: [f64; W] = FIFTH.sum(&self.k, n, m);
        let third: [f64; W] = THIRD.sum(&self.k, n, m);
        for ((e5, e3), scale) in fifth.iter().zip(third).zip(&scale[m..m + W]) {
            // Hairer's estimate of order 8 from those of orders 5 and 3 (Hairer, Nørsett and Wanner 1993,
            // §II.10).
            let e5 = (e5 / scale).powi(2);
            let e3 = (e3 / scale).powi(2);
            let denominator = e5 + 0.01 * e3;
            // Where both estimates vanish, as under a constant acceleration, 0/0 would refuse the step.
            let error = if denominator == 0.0 { 0.0 } else { self.h * e5 / denominator.sqrt() };
            // A number that is none must not be lost in the maximum.
            *worst = if worst.is_nan() || error.is_nan() { f64::NAN } else { worst.max(error) };
        }
    }

    /// The length of the step times the rate at which neighbouring motions come together, as far as the last two stages tell, which are
    /// both at its end; `scale` is the tolerance of each number. Where it is above some 6, the step is no longer than the method is
    /// stable for, however smooth the motion is (Hairer and Wanner, *Solving ordinary differential equations II*, §IV.2).
    pub fn stiffness(&self, scale: &[f64]) -> f64 {
        let n = self.size();
        let [mut rates, mut apart] = [0.0f64; 2];
        for (m, scale) in scale.iter().enumerate() {
            let [sum] = STAGE[STAGES - 1].sum::<1>(&self.k, n, m);
            let before = self.from[m] + self.h * sum;
            rates += ((self.k[STAGES * n + m] - self.k[(STAGES - 1) * n + m]) / scale).powi(2);
            apart += ((self.to[m] - before) / scale).powi(2);
        }
        if apart > 0.0 { self.h * (rates / apart).sqrt() } else { 0.0 }
    }

    /// The dense output of each number.
    pub fn dense(&mut self, f: &mut impl Derivative, out: &mut Vec<Poly>) {
        // The extra stages of the dense output cost three derivatives, and are made only for steps that are
        // taken.
        for i in STAGES + 1..EXTENDED {
            self.make_stage(i, f);
        }
        let n = self.size();
        let half = n - n % HALF;
        (0..half).step_by(HALF).for_each(|m| self.dense_of::<HALF>(m, out));
        (half..n).for_each(|m| self.dense_of::<1>(m, out));
    }

    /// The dense output of `W` numbers from the one of number `first` on.
    fn dense_of<const W: usize>(&self, first: usize, out: &mut Vec<Poly>) {
        let n = self.size();
        let h = self.h;
        let high: [[f64; W]; 4] = std::array::from_fn(|j| DENSE[j].sum(&self.k, n, first));
        for i in 0..W {
            let m = first + i;
            let delta = self.to[m] - self.from[m];
            let [f0, f1] = [self.k[m], self.k[STAGES * n + m]];
            let mut f = [delta, h * f0 - delta, 2.0 * delta - h * (f0 + f1), 0.0, 0.0, 0.0, 0.0];
            for (f, sums) in f[3..].iter_mut().zip(&high) {
                *f = h * sums[i];
            }
            out.push(Poly::from_nested(self.from[m], &f));
        }
    }
}

/// Steps in order of time, each with a polynomial for every number of the state.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    size: usize,
    /// Start and length of each step, s.
    pub steps: Vec<[f64; 2]>,
    polys: Vec<Poly>,
    /// The state before the first step.
    first: Vec<f64>,
}

impl Dense {
    pub fn new(first: &[f64]) -> Self {
        Self { size: first.len(), steps: Vec::new(), polys: Vec::new(), first: first.to_vec() }
    }

    /// Where the step ends that begins at `t` (s) or goes on there, s; +∞ for the last one.
    pub fn next_step(&self, t: f64) -> f64 {
        let next = self.steps.partition_point(|s| s[0] <= t);
        self.steps.get(next).map_or(f64::INFINITY, |s| s[0])
    }

    /// The state before the first step.
    pub fn first(&self) -> &[f64] {
        &self.first
    }

    /// Adds a step by its dense output.
    pub fn push(&mut self, t: f64, h: f64, polys: &[Poly]) {
        self.steps.push([t, h]);
        self.polys.extend_from_slice(polys);
    }

    /// The state at these times (s) of step number `i`: of each number all of its values.
    pub fn on_step<const N: usize>(&self, i: usize, times: &[f64; N], out: &mut [[f64; N]]) {
        let [start, h] = self.steps[i];
        let thetas = times.map(|t| (t - start) / h);
        let polys = &self.polys[i * self.size..(i + 1) * self.size];
        out.iter_mut().zip(polys).for_each(|(u, p)| *u = p.at_each(&thetas));
    }

    /// The state at `t` (s).
    pub fn at(&self, t: f64, out: &mut [f64]) {
        if self.steps.is_empty() {
            out.copy_from_slice(&self.first);
            return;
        }
        // At the end of a step and the beginning of the next, it is the next one.
        let i = self.steps.partition_point(|s| s[0] <= t).saturating_sub(1);
        let [start, h] = self.steps[i];
        let theta = if h > 0.0 { (t - start) / h } else { 0.0 };
        let polys = &self.polys[i * self.size..(i + 1) * self.size];
        out.iter_mut().zip(polys).for_each(|(u, p)| *u = p.at(theta));
    }
}

impl Step {
    /// The same step, but `h` (s) long, in the room of another.
    pub fn shortened(&self, h: f64, other: &mut Self, f: &mut impl Derivative) {
        let n = self.size();
        other.t = self.t;
        other.from.copy_from_slice(&self.from);
        other.k[..n].copy_from_slice(&self.k[..n]);
        other.make(h, f);
    }
}

impl Step {
    /// The derivative where it begins.
    pub fn slope(&self) -> &[f64] {
        &self.k[..self.size()]
    }
}
