//! Which sliders of one path slip at the end of a step: a primal–dual active set, and the rule of two phases.

use super::layout::Layout;
use crate::onestep::{Element, Sparse, Status};

/// What rounding adds to a force at the limit, over that. A node without mass may stay there without sliding: it rests.
pub(super) const NOISE: f64 = 16.0 * f64::EPSILON;

/// Corrections of a guess before the solver for every network takes over, beside one for each unknown.
const CORRECTIONS: usize = 8;

/// Where a slider is in the rule of two phases.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    /// By f_s.
    Held,
    /// At f_d, that way before the step.
    Slides(f64),
    /// At f_d, broken away in this step.
    Free,
}

/// The one-step problem TᵀAT y + λ = b, λ_i ∈ α_i σ(y_i), of one path.
#[derive(Debug, Clone)]
pub(super) struct Single {
    /// b, N·s.
    pub b: Vec<f64>,
    /// y, m/s.
    pub y: Vec<f64>,
    /// α, N·s.
    pub alpha: Vec<f64>,
    /// ±1 where the slider slips, 0 where it sticks, and where there is none.
    pub signs: Vec<f64>,
    turn: Vec<Turn>,
    /// h f_s and h f_d in this step, N·s.
    limits: Vec<[f64; 2]>,
    /// 1/pivot, 0 where a slider sticks; and the factor L beside the diagonal.
    pub inverse: Vec<f64>,
    pub lower: Vec<f64>,
    /// Most corrections.
    pub most: usize,
    sparse: Option<Box<Sparse>>,
}

impl Single {
    pub fn new(layout: &Layout) -> Self {
        let n = layout.unknowns.len();
        let zero = || vec![0.0; n];
        Self {
            b: zero(),
            y: zero(),
            alpha: zero(),
            signs: zero(),
            turn: vec![Turn::Held; n],
            limits: vec![[0.0; 2]; n],
            inverse: zero(),
            lower: vec![0.0; n * layout.band],
            most: CORRECTIONS + n,
            sparse: None,
        }
    }

    /// Before the first step, slipping by `signs`.
    pub fn restart(&mut self, layout: &Layout, signs: impl Iterator<Item = f64>) {
        self.y.fill(0.0);
        self.signs.iter_mut().zip(signs).for_each(|(own, s)| *own = s);
        self.begin(layout, None);
        self.factor(layout);
    }

    /// Solves for y from b, the signs in the step before and what they give for y, the forces of sliders multiplied by `normal`; whether to
    /// the tolerance. By the rule of two phases: a slider at rest is held by f_s, one that slides by f_d; one that would
    /// turn is held by f_s from there on; only when no other does are those that have broken away released.
    pub fn solve(&mut self, layout: &Layout, normal: &[f64]) -> bool {
        self.begin(layout, Some(normal));
        let mut solved = true;
        loop {
            let mut corrections = 0;
            while corrections <= self.most && self.correct(layout) {
                corrections += 1;
                if corrections > self.most {
                    solved &= self.hand_over(layout);
                }
                self.factor(layout);
                self.substitute(layout);
            }
            if !layout.two_phase || !self.turn_over() {
                break;
            }
            self.substitute(layout);
        }
        // What broke away and stopped at once is held by f_s from now on.
        for ((alpha, s), limits) in self.alpha.iter_mut().zip(&self.signs).zip(&self.limits) {
            *alpha = limits[usize::from(*s != 0.0)];
        }
        solved
    }

    fn begin(&mut self, layout: &Layout, normal: Option<&[f64]>) {
        for (k, unknown) in layout.unknowns.iter().enumerate() {
            let Some(rubs) = &unknown.rubs else { continue };
            let n = normal.map_or(1.0, |n| n[rubs.slider]);
            let s = self.signs[k];
            let [held, sliding] = [n * rubs.held, n * rubs.sliding];
            self.limits[k] = [held, sliding];
            (self.alpha[k], self.turn[k]) = match s {
                0.0 => (held, Turn::Held),
                _ => (sliding, Turn::Slides(s)),
            };
        }
    }

    /// L D Lᵀ of the rows and columns that slip, or have no slider.
    fn factor(&mut self, layout: &Layout) {
        let band = layout.band;
        if band == 1 {
            let (mut last, slots) = (0.0, self.lower.iter_mut().zip(&mut self.inverse));
            let rows = layout.matrix.as_chunks().0.iter().zip(&layout.unknowns).zip(&self.signs);
            for (([before, own], (unknown, sign)), (lower, inverse)) in
                rows.map(|((row, u), s)| (row, (u, s))).zip(slots)
            {
                let entry = before * last;
                let slips = unknown.rubs.is_none() || *sign != 0.0;
                last = if slips { 1.0 / (own - before * entry) } else { 0.0 };
                (*lower, *inverse) = (entry, last);
            }
            return;
        }
        let at = |i: usize, j: usize| i * band + (i - j - 1);
        for (i, unknown) in layout.unknowns.iter().enumerate() {
            let row = &layout.matrix[i * (band + 1)..(i + 1) * (band + 1)];
            let (mut pivot, first) = (row[band], i.saturating_sub(band));
            for j in first..i {
                // L_ij D_j = a_ij − Σ_k L_ik D_k L_jk, in place of L_ij until the row is complete.
                let mut entry = row[band + j - i];
                for k in first..j {
                    entry -= self.lower[at(i, k)] * self.lower[at(j, k)];
                }
                self.lower[at(i, j)] = entry;
            }
            for j in first..i {
                let whole = self.lower[at(i, j)];
                let entry = whole * self.inverse[j];
                pivot -= whole * entry;
                self.lower[at(i, j)] = entry;
            }
            let slips = unknown.rubs.is_none() || self.signs[i] != 0.0;
            self.inverse[i] = if slips { 1.0 / pivot } else { 0.0 };
        }
    }

    /// y from b − s α.
    fn substitute(&mut self, layout: &Layout) {
        let (n, band) = (layout.unknowns.len(), layout.band);
        if band == 1 {
            let Self { b, y, alpha, signs, inverse, lower, .. } = self;
            let given = b.iter().zip(signs.iter().zip(alpha.iter())).zip(lower.iter());
            let mut last = 0.0;
            for (y, ((b, (s, alpha)), lower)) in y.iter_mut().zip(given) {
                last = (b - s * alpha) - lower * last;
                *y = last;
            }
            let (mut last, mut lower_next) = (0.0, 0.0);
            for ((y, inverse), lower) in y.iter_mut().zip(inverse).zip(lower).rev() {
                last = *y * *inverse - lower_next * last;
                (*y, lower_next) = (last, *lower);
            }
            return;
        }
        for i in 0..n {
            let mut z = self.b[i] - self.signs[i] * self.alpha[i];
            for j in i.saturating_sub(band)..i {
                z -= self.lower[i * band + (i - j - 1)] * self.y[j];
            }
            self.y[i] = z;
        }
        for i in (0..n).rev() {
            let mut y = self.y[i] * self.inverse[i];
            for j in i + 1..(i + band + 1).min(n) {
                y -= self.lower[j * band + (j - i - 1)] * self.y[j];
            }
            self.y[i] = y;
        }
    }

    /// Lets stick what slips against its sign, and slip what is held by more than α; whether anything changed.
    fn correct(&mut self, layout: &Layout) -> bool {
        let (n, band, y) = (layout.unknowns.len(), layout.band, std::mem::take(&mut self.y));
        let changed = if band == 1 {
            let rows = layout.matrix.as_chunks().0;
            let after = |i: usize| if i < n { (rows[i], y[i]) } else { ([0.0; 2], 0.0) };
            let (mut last, mut now) = (0.0, after(0));
            self.correct_by(layout, |i, b| {
                let ([before, own], y) = now;
                let next = after(i + 1);
                let lambda = (b - before * last) - next.0[0] * next.1;
                (last, now) = (y, next);
                (lambda, own, y)
            })
        } else {
            self.correct_by(layout, |i, mut lambda| {
                let row = &layout.matrix[i * (band + 1)..];
                for j in i.saturating_sub(band)..i {
                    lambda -= row[band + j - i] * y[j];
                }
                for j in i + 1..(i + band + 1).min(n) {
                    lambda -= layout.matrix[j * (band + 1) + band + i - j] * y[j];
                }
                (lambda, row[band], y[i])
            })
        };
        self.y = y;
        changed
    }

    /// [`correct`](Self::correct) with what gives λ where y_i = 0, the entry on the diagonal and y_i.
    #[inline(always)]
    fn correct_by(
        &mut self,
        layout: &Layout,
        mut forces: impl FnMut(usize, f64) -> (f64, f64, f64),
    ) -> bool {
        let mut changed = false;
        let lists = self.b.iter().zip(&self.alpha).zip(&mut self.signs).zip(&layout.unknowns);
        for (i, (((b, alpha), sign), unknown)) in lists.enumerate() {
            let (lambda, own, y) = forces(i, *b);
            if unknown.rubs.is_none() {
                continue;
            }
            let noise = NOISE * alpha;
            let stays = match *sign {
                0.0 => lambda.abs() <= alpha + noise || lambda.is_nan(),
                s => s * y * own > noise,
            };
            if !stays {
                *sign = if *sign == 0.0 { 1f64.copysign(lambda) } else { 0.0 };
                changed = true;
            }
        }
        changed
    }

    /// Takes the signs of the solver for every network; whether it has solved the problem.
    #[cold]
    #[inline(never)]
    fn hand_over(&mut self, layout: &Layout) -> bool {
        let with_slider = || layout.unknowns.iter().enumerate().filter(|u| u.1.rubs.is_some());
        let sparse = self.sparse.get_or_insert_with(|| {
            let elements = with_slider().map(|(a, _)| Element { a, b: None }).collect();
            Box::new(Sparse::new(layout.unknowns.len(), &layout.entries(), elements))
        });
        let alpha: Vec<f64> = with_slider().map(|(k, _)| self.alpha[k]).collect();
        sparse.restart();
        let outcome = sparse.solve(&self.b, &alpha, &vec![0.0; alpha.len()]);
        for ((k, _), s) in with_slider().zip(sparse.signs()) {
            self.signs[k] = f64::from(*s);
        }
        outcome.status != Status::Inexact
    }

    /// What stops or turns is held by f_s; where nothing has turned, what has broken away is released. Whether the problem
    /// is another one.
    fn turn_over(&mut self) -> bool {
        let mut turned = false;
        let lists = self.turn.iter_mut().zip(&mut self.alpha).zip(&self.signs).zip(&self.limits);
        for (((turn, alpha), sign), limits) in lists {
            if let Turn::Slides(was) = *turn
                && *sign != was
            {
                turned |= *sign == -was;
                (*turn, *alpha) = (Turn::Held, limits[0]);
            }
        }
        if turned {
            return true;
        }
        let mut released = false;
        let lists = self.turn.iter_mut().zip(&mut self.alpha).zip(&self.signs).zip(&self.limits);
        for (((turn, alpha), sign), limits) in lists {
            if *turn == Turn::Held && *sign != 0.0 {
                released = true;
                (*turn, *alpha) = (Turn::Free, limits[1]);
            }
        }
        released
    }
}
