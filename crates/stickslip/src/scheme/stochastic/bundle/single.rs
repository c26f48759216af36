//! Which sliders of one path slip at the end of a step: a primal–dual active set, and the rule of two phases.

use super::layout::{Layout, Rubs, Unknown};
use crate::onestep::{Element, Sparse, Status};
use crate::scheme::two_phases::Stage;

/// What rounding adds to a force at the limit, over that. A node without mass may stay there without sliding: it rests.
pub(super) const NOISE: f64 = 16.0 * f64::EPSILON;

/// Corrections of a guess before the solver for every network takes over, beside one for each unknown.
const CORRECTIONS: usize = 8;

/// One unknown of a path. All that a step needs of it stands together: the lists are short, and the way to many of them takes longer
/// than what is done with one number of each.
#[derive(Debug, Clone)]
pub(super) struct Row {
    rubs: Option<Rubs>,
    /// Of TᵀAT, its entry on the diagonal and the one before that.
    own: f64,
    before: f64,
    /// b, N·s.
    pub b: f64,
    /// y, m/s.
    pub y: f64,
    /// α, N·s.
    pub alpha: f64,
    /// ±1 where the slider slips, 0 where it sticks, and where there is none.
    pub sign: f64,
    stage: Stage<f64>,
    /// h f_s and h f_d in this step, N·s.
    limits: [f64; 2],
    /// 1/pivot, 0 where the slider sticks.
    pub inverse: f64,
}

impl Row {
    /// The forces of sliders multiplied by `normal`, or not.
    fn begin(&mut self, normal: Option<&[f64]>) {
        let Some(rubs) = &self.rubs else { return };
        let n = normal.map_or(1.0, |n| n[rubs.slider]);
        let [held, sliding] = [n * rubs.held, n * rubs.sliding];
        self.limits = [held, sliding];
        self.alpha = if self.sign == 0.0 { held } else { sliding };
        self.stage = Stage::after(self.sign);
    }

    fn slips(&self) -> bool {
        self.rubs.is_none() || self.sign != 0.0
    }

    /// Lets it stick if it slips against its sign, and slip if it is held by more than α, `lambda` being λ where y = 0; whether that
    /// changed anything.
    #[inline(always)]
    fn correct(&mut self, lambda: f64) -> bool {
        if self.rubs.is_none() {
            return false;
        }
        // Without it a slider at its limit could slip and stick in turn, as rounding decides.
        let noise = NOISE * self.alpha;
        let stays = match self.sign {
            // NaN keeps the pattern: what is not finite is found at the end of the run, and the corrections come to
            // an end.
            0.0 => lambda.abs() <= self.alpha + noise || lambda.is_nan(),
            s => s * self.y * self.own > noise,
        };
        if !stays {
            self.sign = if self.sign == 0.0 { 1f64.copysign(lambda) } else { 0.0 };
        }
        !stays
    }

    /// Holds it by f_s if it stops or turns; whether it turns.
    fn stop(&mut self) -> bool {
        let turns = self.stage.turns(self.sign);
        if self.stage.stops(self.sign) {
            self.stage = Stage::Held;
            self.alpha = self.limits[0];
        }
        turns
    }

    /// Releases it if it has broken away; whether it has.
    fn release(&mut self) -> bool {
        let breaks_away = self.stage.breaks_away(self.sign);
        if breaks_away {
            self.stage = Stage::BrokenAway;
            self.alpha = self.limits[1];
        }
        breaks_away
    }
}

/// The one-step problem TᵀAT y + λ = b, λ_i ∈ α_i σ(y_i), of one path.
#[derive(Debug, Clone)]
pub(super) struct Single {
    pub rows: Vec<Row>,
    /// The factor L beside the diagonal.
    pub lower: Vec<f64>,
    /// Most corrections.
    pub most: usize,
    sparse: Option<Box<Sparse>>,
}

impl Single {
    pub fn new(layout: &Layout) -> Self {
        let n = layout.unknowns.len();
        let width = layout.band + 1;
        let row = |(unknown, entries): (&Unknown, &[f64])| Row {
            rubs: unknown.rubs,
            own: entries[layout.band],
            // Only the quick way for a tridiagonal matrix reads it; the general one has the whole row.
            before: if layout.band > 0 { entries[layout.band - 1] } else { 0.0 },
            b: 0.0,
            y: 0.0,
            alpha: 0.0,
            sign: 0.0,
            stage: Stage::Held,
            limits: [0.0; 2],
            inverse: 0.0,
        };
        Self {
            rows: layout.unknowns.iter().zip(layout.matrix.chunks(width)).map(row).collect(),
            lower: vec![0.0; n * layout.band],
            most: CORRECTIONS + n,
            sparse: None,
        }
    }

    /// Before the first step, slipping by `signs`.
    pub fn restart(&mut self, layout: &Layout, signs: impl Iterator<Item = f64>) {
        for (row, sign) in self.rows.iter_mut().zip(signs) {
            row.y = 0.0;
            row.sign = sign;
            row.begin(None);
        }
        self.factor(layout);
    }

    /// Solves for y from b, the signs in the step before and what they give for y, the forces of sliders multiplied by `normal`; whether to
    /// the tolerance. By the rule of [two phases](crate::scheme::two_phases).
    pub fn solve(&mut self, layout: &Layout, normal: &[f64]) -> bool {
        self.rows.iter_mut().for_each(|row| row.begin(Some(normal)));
        let mut solved = true;
        loop {
            let mut corrections = 0;
            // The y that comes in is that of the pattern before: most often nothing is to be corrected, and nothing
            // is factored.
            while corrections <= self.most && self.correct(layout) {
                corrections += 1;
                if corrections > self.most {
                    // The signs go in circles, or are far from what they were.
                    solved &= self.hand_over(layout);
                }
                self.factor(layout);
                self.substitute(layout);
            }
            if !layout.two_phase || !self.turn_over() {
                break;
            }
            // Other limits, but the same rows: the factors still hold.
            self.substitute(layout);
        }
        // What broke away and stopped at once is held by f_s from now on.
        for row in &mut self.rows {
            row.alpha = row.limits[usize::from(row.sign != 0.0)];
        }
        solved
    }

    /// L D Lᵀ of the rows and columns that slip, or have no slider.
    fn factor(&mut self, layout: &Layout) {
        let band = layout.band;
        if band == 1 {
            // Each pivot needs the one before only.
            let mut last = 0.0;
            for (row, lower) in self.rows.iter_mut().zip(&mut self.lower) {
                let entry = row.before * last;
                // A row that sticks has 1/pivot = 0 and hands nothing on to the next one: the matrix falls apart
                // there.
                last = if row.slips() { 1.0 / (row.own - row.before * entry) } else { 0.0 };
                (*lower, row.inverse) = (entry, last);
            }
            return;
        }
        let at = |i: usize, j: usize| i * band + (i - j - 1);
        for i in 0..self.rows.len() {
            let row = &layout.matrix[i * (band + 1)..(i + 1) * (band + 1)];
            let mut pivot = row[band];
            let first = i.saturating_sub(band);
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
                let entry = whole * self.rows[j].inverse;
                pivot -= whole * entry;
                self.lower[at(i, j)] = entry;
            }
            self.rows[i].inverse = if self.rows[i].slips() { 1.0 / pivot } else { 0.0 };
        }
    }

    /// y from b − s α.
    fn substitute(&mut self, layout: &Layout) {
        let n = self.rows.len();
        let band = layout.band;
        if band == 1 {
            let mut last = 0.0;
            for (row, lower) in self.rows.iter_mut().zip(&self.lower) {
                last = (row.b - row.sign * row.alpha) - lower * last;
                row.y = last;
            }
            let mut last = 0.0;
            // Backwards, the division by the pivots in the same loop.
            let mut lower_next = 0.0;
            for (row, lower) in self.rows.iter_mut().zip(&self.lower).rev() {
                last = row.y * row.inverse - lower_next * last;
                row.y = last;
                lower_next = *lower;
            }
            return;
        }
        for i in 0..n {
            let mut z = self.rows[i].b - self.rows[i].sign * self.rows[i].alpha;
            for j in i.saturating_sub(band)..i {
                z -= self.lower[i * band + (i - j - 1)] * self.rows[j].y;
            }
            self.rows[i].y = z;
        }
        for i in (0..n).rev() {
            let mut y = self.rows[i].y * self.rows[i].inverse;
            for j in i + 1..(i + band + 1).min(n) {
                y -= self.lower[j * band + (j - i - 1)] * self.rows[j].y;
            }
            self.rows[i].y = y;
        }
    }

    /// Lets stick what slips against its sign, and slip what is held by more than α; whether anything changed.
    fn correct(&mut self, layout: &Layout) -> bool {
        let n = self.rows.len();
        let band = layout.band;
        let mut changed = false;
        let mut rows = &mut self.rows[..];
        if band == 1 {
            let mut last = 0.0;
            while let [row, after @ ..] = rows {
                // The entry after the diagonal is the one before the diagonal of the next row, the matrix being
                // symmetric.
                let beyond = after.first().map_or(0.0, |next| next.before * next.y);
                let lambda = (row.b - row.before * last) - beyond;
                last = row.y;
                changed |= row.correct(lambda);
                rows = after;
            }
            return changed;
        }
        for i in 0..n {
            let mut lambda = rows[i].b;
            for j in i.saturating_sub(band)..i {
                lambda -= layout.matrix[i * (band + 1) + band + j - i] * rows[j].y;
            }
            for j in i + 1..(i + band + 1).min(n) {
                lambda -= layout.matrix[j * (band + 1) + band + i - j] * rows[j].y;
            }
            changed |= rows[i].correct(lambda);
        }
        changed
    }

    /// Takes the signs of the solver for every network; whether it has solved the problem.
    #[cold]
    #[inline(never)]
    fn hand_over(&mut self, layout: &Layout) -> bool {
        let places = self.rows.iter().enumerate().filter(|(_, row)| row.rubs.is_some());
        let places: Vec<usize> = places.map(|(k, _)| k).collect();
        let sparse = self.sparse.get_or_insert_with(|| {
            let elements = places.iter().map(|&a| Element { a, b: None }).collect();
            Box::new(Sparse::new(layout.unknowns.len(), &layout.entries(), elements))
        });
        let alpha: Vec<f64> = places.iter().map(|&k| self.rows[k].alpha).collect();
        let b: Vec<f64> = self.rows.iter().map(|row| row.b).collect();
        // From rest: the result must not depend on the paths that were handed over before.
        sparse.restart();
        let outcome = sparse.solve(&b, &alpha, &vec![0.0; alpha.len()]);
        for (&k, s) in places.iter().zip(sparse.signs()) {
            self.rows[k].sign = f64::from(*s);
        }
        outcome.status != Status::Inexact
    }

    /// What stops or turns is held by f_s; where nothing has turned, what has broken away is released. Whether the problem
    /// is another one.
    fn turn_over(&mut self) -> bool {
        // No short cut inside the folds: every row is to be looked at.
        let turned = self.rows.iter_mut().fold(false, |any, row| any | row.stop());
        turned || self.rows.iter_mut().fold(false, |any, row| any | row.release())
    }
}
