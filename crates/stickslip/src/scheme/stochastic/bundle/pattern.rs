//! Which sliders slip at the end of a step, in every lane: a primal–dual active set for all paths at once.

use super::Lane;
use super::layout::Layout;
use crate::onestep::{Element, Sparse, Status};

/// Corrections of a guess before the solver for every network takes the lane over, beside one for each unknown.
const CORRECTIONS: u64 = 8;

/// What rounding adds to a force at the limit, over that. A node without mass may stay there without sliding: it rests.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// What a slider is held by, in the rule of two phases: by f_s, by f_d after it broke away in this step, or by f_d
/// while it slides by ±1.
const HELD: f64 = 2.0;
const FREE: f64 = 0.0;

/// The one-step problem TᵀAT y + λ = b, λ_i ∈ α_i σ(y_i), of `N` paths.
#[derive(Debug, Clone)]
pub(super) struct Pattern<const N: usize> {
    /// b, N·s.
    pub b: Vec<Lane<N>>,
    /// y, m/s.
    pub y: Vec<Lane<N>>,
    /// α, N·s.
    pub alpha: Vec<Lane<N>>,
    /// ±1 where the slider slips, 0 where it sticks, and where there is none.
    pub signs: Vec<Lane<N>>,
    turn: Vec<Lane<N>>,
    /// h f_s and h f_d in this step, N·s.
    limits: Vec<[f64; 2]>,
    /// 1/pivot, 0 where a slider sticks; and the factor L below the diagonal.
    inverse: Vec<Lane<N>>,
    lower: Vec<Lane<N>>,
    factored: bool,
    /// Corrections so far, and lanes whose pattern comes from elsewhere and is not corrected.
    corrections: [u64; N],
    given: [bool; N],
    any_given: bool,
    pub inexact: [u64; N],
    pub most: u64,
    sparse: Option<Box<Sparse>>,
}

impl<const N: usize> Pattern<N> {
    pub fn new(layout: &Layout) -> Self {
        let n = layout.unknowns.len();
        let lanes = |n: usize| vec![[0.0; N]; n];
        Self {
            b: lanes(n),
            y: lanes(n),
            alpha: lanes(n),
            signs: lanes(n),
            turn: lanes(n),
            limits: vec![[0.0; 2]; n],
            inverse: lanes(n),
            lower: lanes(n * layout.band),
            factored: false,
            corrections: [0; N],
            given: [false; N],
            any_given: false,
            inexact: [0; N],
            most: CORRECTIONS + n as u64,
            sparse: None,
        }
    }

    /// Before the first step, slipping by `signs`.
    pub fn restart(&mut self, signs: impl Iterator<Item = f64>) {
        self.factored = false;
        self.inexact = [0; N];
        self.signs.iter_mut().zip(signs).for_each(|(lane, s)| *lane = [s; N]);
    }

    /// Solves for y, the forces of sliders multiplied by `normal`; by the rule of two phases: a slider at rest is held by
    /// f_s, one that slides by f_d; one that would turn is held by f_s from there on; only when no other does are
    /// those that have broken away released.
    #[inline(always)]
    pub fn solve(&mut self, layout: &Layout, normal: &[f64]) {
        self.begin(layout, normal);
        loop {
            if !self.factored {
                self.factor(layout);
            }
            self.substitute(layout);
            if self.correct(layout) {
                self.factored = false;
                continue;
            }
            if !layout.two_phase || !self.turn_over(layout) {
                return;
            }
        }
    }

    #[inline(always)]
    fn begin(&mut self, layout: &Layout, normal: &[f64]) {
        for (k, unknown) in layout.unknowns.iter().enumerate() {
            let Some(rubs) = &unknown.rubs else { continue };
            let n = normal[rubs.slider];
            let [held, sliding] = [n * rubs.held, n * rubs.sliding];
            self.limits[k] = [held, sliding];
            let s = self.signs[k];
            let (mut alpha, mut turn) = ([0.0; N], [0.0; N]);
            for l in 0..N {
                alpha[l] = if s[l] == 0.0 { held } else { sliding };
                turn[l] = if s[l] == 0.0 { HELD } else { s[l] };
            }
            (self.alpha[k], self.turn[k]) = (alpha, turn);
        }
        self.corrections = [0; N];
        if self.any_given {
            (self.given, self.any_given) = ([false; N], false);
        }
    }

    /// L D Lᵀ of the rows and columns that slip, or have no slider.
    #[inline(always)]
    fn factor(&mut self, layout: &Layout) {
        let band = layout.band;
        for (i, unknown) in layout.unknowns.iter().enumerate() {
            let row = &layout.matrix[i * (band + 1)..(i + 1) * (band + 1)];
            let mut pivot = [row[band]; N];
            for j in i.saturating_sub(band)..i {
                // L_ij D_j = a_ij − Σ_k L_ik D_k L_jk, in place of L_ij until the row is complete.
                let mut entry = [row[band + j - i]; N];
                for k in i.saturating_sub(band)..j {
                    let (a, b) =
                        (self.lower[i * band + (i - k - 1)], self.lower[j * band + (j - k - 1)]);
                    for l in 0..N {
                        entry[l] -= a[l] * b[l];
                    }
                }
                self.lower[i * band + (i - j - 1)] = entry;
            }
            for j in i.saturating_sub(band)..i {
                let (mut entry, inverse) = (self.lower[i * band + (i - j - 1)], self.inverse[j]);
                for l in 0..N {
                    let whole = entry[l];
                    entry[l] = whole * inverse[l];
                    pivot[l] -= whole * entry[l];
                }
                self.lower[i * band + (i - j - 1)] = entry;
            }
            let signs = &self.signs[i];
            let free = unknown.rubs.is_none();
            let mut inverse = [0.0; N];
            for l in 0..N {
                let one = if free || signs[l] != 0.0 { 1.0 } else { 0.0 };
                inverse[l] = one / pivot[l];
            }
            self.inverse[i] = inverse;
        }
        self.factored = true;
    }

    /// y from b − s α.
    #[inline(always)]
    fn substitute(&mut self, layout: &Layout) {
        let (n, band) = (layout.unknowns.len(), layout.band);
        for i in 0..n {
            let (b, s, alpha) = (&self.b[i], &self.signs[i], &self.alpha[i]);
            let mut z = [0.0; N];
            for l in 0..N {
                z[l] = b[l] - s[l] * alpha[l];
            }
            for j in i.saturating_sub(band)..i {
                let (a, before) = (&self.lower[i * band + (i - j - 1)], &self.y[j]);
                for l in 0..N {
                    z[l] -= a[l] * before[l];
                }
            }
            self.y[i] = z;
        }
        for i in (0..n).rev() {
            let (mut y, inverse) = (self.y[i], &self.inverse[i]);
            for l in 0..N {
                y[l] *= inverse[l];
            }
            for j in i + 1..(i + band + 1).min(n) {
                let (a, after) = (&self.lower[j * band + (j - i - 1)], &self.y[j]);
                for l in 0..N {
                    y[l] -= a[l] * after[l];
                }
            }
            self.y[i] = y;
        }
    }

    /// Lets stick what slips against its sign, and slip what is held by more than α; whether anything changed.
    #[inline(always)]
    fn correct(&mut self, layout: &Layout) -> bool {
        let (n, band) = (layout.unknowns.len(), layout.band);
        let (mut changed, mut any) = ([0u64; N], 0u64);
        for (i, unknown) in layout.unknowns.iter().enumerate() {
            if unknown.rubs.is_none() {
                continue;
            }
            // λ = b − TᵀAT y where y_i = 0.
            let mut lambda = self.b[i];
            let row = &layout.matrix[i * (band + 1)..];
            for j in i.saturating_sub(band)..i {
                let (a, y) = (row[band + j - i], &self.y[j]);
                for l in 0..N {
                    lambda[l] -= a * y[l];
                }
            }
            for j in i + 1..(i + band + 1).min(n) {
                let (a, y) = (layout.matrix[j * (band + 1) + band + i - j], &self.y[j]);
                for l in 0..N {
                    lambda[l] -= a * y[l];
                }
            }
            let (mut signs, y, alpha) = (self.signs[i], &self.y[i], &self.alpha[i]);
            let least = NOISE / row[band];
            for l in 0..N {
                let (s, most) = (signs[l], alpha[l] + NOISE * alpha[l]);
                let held = if lambda[l] > most { 1.0 } else { 0.0 };
                let held = if lambda[l] < -most { -1.0 } else { held };
                let slips = if s * y[l] > least * alpha[l] { s } else { 0.0 };
                let new = if s == 0.0 { held } else { slips };
                let differs = u64::from(new != s);
                changed[l] |= differs;
                any |= differs;
                signs[l] = new;
            }
            if self.any_given {
                (0..N).filter(|&l| self.given[l]).for_each(|l| signs[l] = self.signs[i][l]);
            }
            self.signs[i] = signs;
        }
        any != 0 && self.count(layout, &changed)
    }

    /// Counts the lanes that `changed`, and gives those away that do so for too long; whether any is left.
    #[inline(never)]
    fn count(&mut self, layout: &Layout, changed: &[u64; N]) -> bool {
        let mut left = false;
        for l in 0..N {
            if changed[l] == 0 || self.given[l] {
                continue;
            }
            left = true;
            self.corrections[l] += 1;
            if self.corrections[l] > self.most {
                self.give_away(layout, l);
            }
        }
        left
    }

    /// Takes the pattern of a lane from the solver for every network.
    #[cold]
    #[inline(never)]
    fn give_away(&mut self, layout: &Layout, lane: usize) {
        let with_slider = || layout.unknowns.iter().enumerate().filter(|u| u.1.rubs.is_some());
        let sparse = self.sparse.get_or_insert_with(|| {
            let elements = with_slider().map(|(a, _)| Element { a, b: None }).collect();
            Box::new(Sparse::new(layout.unknowns.len(), &layout.entries(), elements))
        });
        let b: Vec<f64> = self.b.iter().map(|b| b[lane]).collect();
        let alpha: Vec<f64> = with_slider().map(|(k, _)| self.alpha[k][lane]).collect();
        sparse.restart();
        let outcome = sparse.solve(&b, &alpha, &vec![0.0; alpha.len()]);
        self.inexact[lane] += u64::from(outcome.status == Status::Inexact);
        for ((k, _), s) in with_slider().zip(sparse.signs()) {
            self.signs[k][lane] = f64::from(*s);
        }
        (self.given[lane], self.any_given) = (true, true);
    }

    /// What stops or turns is held by f_s; where nothing has turned, what has broken away is released. Whether any
    /// lane must be solved again.
    #[inline(always)]
    fn turn_over(&mut self, layout: &Layout) -> bool {
        let (mut turned, mut again) = ([0.0; N], [0u64; N]);
        let with_slider = || layout.unknowns.iter().enumerate().filter(|u| u.1.rubs.is_some());
        for (k, _) in with_slider() {
            let (held, s) = (self.limits[k][0], &self.signs[k]);
            let (mut turn, mut alpha) = (self.turn[k], self.alpha[k]);
            for l in 0..N {
                let stops = turn[l].abs() == 1.0 && s[l] != turn[l];
                let turns = s[l] * turn[l] == -1.0;
                turned[l] = if turns { 1.0 } else { turned[l] };
                again[l] |= u64::from(turns);
                alpha[l] = if stops { held } else { alpha[l] };
                turn[l] = if stops { HELD } else { turn[l] };
            }
            (self.turn[k], self.alpha[k]) = (turn, alpha);
        }
        for (k, _) in with_slider() {
            let (sliding, s) = (self.limits[k][1], &self.signs[k]);
            let (mut turn, mut alpha) = (self.turn[k], self.alpha[k]);
            for l in 0..N {
                let released = turn[l] == HELD && s[l] != 0.0 && turned[l] == 0.0;
                again[l] |= u64::from(released);
                alpha[l] = if released { sliding } else { alpha[l] };
                turn[l] = if released { FREE } else { turn[l] };
            }
            (self.turn[k], self.alpha[k]) = (turn, alpha);
        }
        let mut any = 0;
        for l in 0..N {
            any |= again[l];
            self.corrections[l] = if again[l] != 0 { 0 } else { self.corrections[l] };
            // What no longer has its forces has its pattern no longer.
            self.given[l] &= again[l] == 0;
        }
        any != 0
    }
}
