//! The one-step problems of many paths. In most steps of most paths the same sliders slip as in the step before: then
//! one substitution for all of them and a look at each friction force is all. A path in which another slider slips or sticks
//! goes on [alone](Single).

use super::Lane;
use super::layout::Layout;
use super::single::{NOISE, Single};

/// The one-step problem TᵀAT y + λ = b, λ_i ∈ α_i σ(y_i), of `N` paths.
#[derive(Debug, Clone)]
pub(super) struct Pattern<const N: usize> {
    /// b, N·s.
    pub b: Vec<Lane<N>>,
    /// y, m/s.
    pub y: Vec<Lane<N>>,
    /// α by the rule of two phases where nothing changes, N·s: h f_s where a slider sticks, h f_d where it slips.
    pub alpha: Vec<Lane<N>>,
    /// ±1 where the slider slips, 0 where it sticks, and where there is none.
    signs: Vec<Lane<N>>,
    /// 1/pivot, 0 where a slider sticks; and the factor L beside the diagonal.
    inverse: Vec<Lane<N>>,
    lower: Vec<Lane<N>>,
    pub inexact: [u64; N],
    /// For the path in which something changes.
    pub single: Single,
    /// Whether the forces of sliders change with time.
    pressed: bool,
}

impl<const N: usize> Pattern<N> {
    pub fn new(layout: &Layout, pressed: bool) -> Self {
        let n = layout.unknowns.len();
        let lanes = |n: usize| vec![[0.0; N]; n];
        Self {
            b: lanes(n),
            y: lanes(n),
            alpha: lanes(n),
            signs: lanes(n),
            inverse: lanes(n),
            lower: lanes(n * layout.band),
            inexact: [0; N],
            single: Single::new(layout),
            pressed,
        }
    }

    /// Before the first step, slipping by `signs`.
    pub fn restart(&mut self, layout: &Layout, signs: impl Iterator<Item = f64>) {
        self.inexact = [0; N];
        self.single.restart(layout, signs);
        // All paths start alike, so that one factorisation serves them all.
        (0..N).for_each(|l| self.take(l));
    }

    /// Solves for y, the forces of sliders multiplied by `normal`.
    #[inline(always)]
    pub fn solve(&mut self, layout: &Layout, normal: &[f64]) {
        if self.pressed {
            self.press(layout, normal);
        }
        self.substitute(layout);
        let changes = self.check(layout);
        let mut any = 0;
        for l in 0..N {
            any |= changes[l];
        }
        if any != 0 {
            // A copy, so that the lanes above need not have an address.
            self.change(layout, normal, &{ changes });
        }
    }

    /// α in this step.
    #[inline(always)]
    fn press(&mut self, layout: &Layout, normal: &[f64]) {
        for (k, unknown) in layout.unknowns.iter().enumerate() {
            let Some(rubs) = &unknown.rubs else { continue };
            let n = normal[rubs.slider];
            let [held, sliding] = [n * rubs.held, n * rubs.sliding];
            let s = &self.signs[k];
            let mut alpha = [0.0; N];
            for l in 0..N {
                alpha[l] = if s[l] == 0.0 { held } else { sliding };
            }
            self.alpha[k] = alpha;
        }
    }

    /// y from b − s α.
    #[inline(always)]
    fn substitute(&mut self, layout: &Layout) {
        let n = layout.unknowns.len();
        let band = layout.band;
        for i in 0..n {
            let b = &self.b[i];
            let s = &self.signs[i];
            let alpha = &self.alpha[i];
            // Friction of what slips is on the right-hand side; where it sticks the sign is 0, and so is 1/pivot
            // below: y = 0.
            let mut z = [0.0; N];
            for l in 0..N {
                z[l] = b[l] - s[l] * alpha[l];
            }
            for j in i.saturating_sub(band)..i {
                z = minus(z, &self.lower[i * band + (i - j - 1)], &self.y[j]);
            }
            self.y[i] = z;
        }
        for i in (0..n).rev() {
            let z = &self.y[i];
            let inverse = &self.inverse[i];
            let mut y = [0.0; N];
            for l in 0..N {
                y[l] = z[l] * inverse[l];
            }
            for j in i + 1..(i + band + 1).min(n) {
                y = minus(y, &self.lower[j * band + (j - i - 1)], &self.y[j]);
            }
            self.y[i] = y;
        }
    }

    /// In which lanes something slips against its sign, or is held by more than α.
    #[inline(always)]
    fn check(&self, layout: &Layout) -> [u64; N] {
        let n = layout.unknowns.len();
        let band = layout.band;
        let mut changes = [0u64; N];
        for (i, unknown) in layout.unknowns.iter().enumerate() {
            if unknown.rubs.is_none() {
                continue;
            }
            // λ = b − TᵀAT y where y_i = 0.
            let mut lambda = self.b[i];
            let row = &layout.matrix[i * (band + 1)..];
            for j in i.saturating_sub(band)..i {
                lambda = minus(lambda, &[row[band + j - i]; N], &self.y[j]);
            }
            for j in i + 1..(i + band + 1).min(n) {
                let entry = layout.matrix[j * (band + 1) + band + i - j];
                lambda = minus(lambda, &[entry; N], &self.y[j]);
            }
            let signs = &self.signs[i];
            let y = &self.y[i];
            let alpha = &self.alpha[i];
            // Times the diagonal the velocity is an impulse, and is compared with the rounding of one.
            let own = row[band];
            for l in 0..N {
                let noise = NOISE * alpha[l];
                let breaks = lambda[l].abs() > alpha[l] + noise;
                let slips_on = signs[l] * y[l] * own > noise;
                let stays = if signs[l] == 0.0 { !breaks } else { slips_on };
                changes[l] |= u64::from(!stays);
            }
        }
        changes
    }

    /// Solves the problems of the lanes in which something `changes`.
    #[inline(never)]
    fn change(&mut self, layout: &Layout, normal: &[f64], changes: &[u64; N]) {
        for l in (0..N).filter(|&l| changes[l] != 0) {
            // The path goes on from the pattern and the y that were tried for all lanes.
            for (k, row) in self.single.rows.iter_mut().enumerate() {
                row.b = self.b[k][l];
                row.y = self.y[k][l];
                row.sign = self.signs[k][l];
            }
            self.inexact[l] += u64::from(!self.single.solve(layout, normal));
            self.take(l);
        }
    }

    /// Puts what was found for a path alone into its lane.
    fn take(&mut self, l: usize) {
        for (k, row) in self.single.rows.iter().enumerate() {
            (self.y[k][l], self.alpha[k][l]) = (row.y, row.alpha);
            (self.signs[k][l], self.inverse[k][l]) = (row.sign, row.inverse);
        }
        self.lower.iter_mut().zip(&self.single.lower).for_each(|(lane, x)| lane[l] = *x);
    }
}

/// a − f b.
#[inline(always)]
fn minus<const N: usize>(a: Lane<N>, f: &Lane<N>, b: &Lane<N>) -> Lane<N> {
    let mut c = [0.0; N];
    for l in 0..N {
        c[l] = a[l] - f[l] * b[l];
    }
    c
}
