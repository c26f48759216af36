//! The stack of turning points: a step costs what it changes.

use super::Elements;
use super::clamps::initial_plays;

/// The operator by its memory. The plays p_j of the slipping part 1 … J are x − s r_j; below lie the
/// parts that earlier turning points left, each of the form X − s r_j, and at the bottom the initial
/// state. A turn pushes one, passing an earlier turning point wipes it out.
///
/// Sums over a part are differences of prefix sums, so a step costs O(1) amortised and a search in
/// O(log of the elements that begin to slip in it), whatever n.
#[derive(Debug, Clone)]
pub struct TurningPoints {
    /// r_j, m.
    reach: Vec<f64>,
    /// p_j at the start, m.
    first: Vec<f64>,
    /// S_j, N/m, j = 0 … n.
    stiffness: Vec<f64>,
    /// Σ_{i≤j} κ_i r_i and Σ_{i≤j} κ_i p_i(0), j = 0 … n, N.
    reach_sum: Vec<f64>,
    first_sum: Vec<f64>,
    turns: Vec<Turn>,
    x: f64,
    /// s, ±1.
    direction: f64,
    /// J.
    slipping: usize,
}

/// What a turning point left behind.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// X, m.
    x: f64,
    /// s before the turn.
    direction: f64,
    /// It holds for the elements up to this one.
    end: usize,
    /// Σ κ_j p_j beyond `end`, N.
    beyond: f64,
}

impl TurningPoints {
    /// Of elements in their initial state, those of a cascade for one.
    pub fn new<'a>(elements: impl Into<Elements<'a>>) -> Self {
        let elements = elements.into();
        let backbone = elements.backbone();
        let x = elements.displacement;
        let stiffness = backbone.stiffness().to_vec();
        let reach = backbone.breakpoints().to_vec();
        let first = initial_plays(&elements.pull, &stiffness, x);
        let weight = backbone.weights();
        let sums = |of: &[f64]| {
            let mut sum = 0.0;
            let terms = of.iter().zip(&weight).map(|(a, w)| {
                sum += a * w;
                sum
            });
            std::iter::once(0.0).chain(terms).collect()
        };
        let reach_sum = sums(&reach);
        let first_sum = sums(&first);
        let turns = Vec::with_capacity(64);
        let direction = 1.0;
        Self { reach, first, stiffness, reach_sum, first_sum, turns, x, direction, slipping: 0 }
    }

    /// Moves to `x` (m) without turning on the way; the force k₀(x − v₁), N.
    pub fn advance(&mut self, x: f64) -> f64 {
        if (x - self.x) * self.direction < 0.0 {
            self.turn();
        }
        self.x = x;
        self.extend();
        let j = self.slipping;
        let s = self.direction;
        // S_J x = (S_0 − Σ_{i≤J} κ_i) x: the slipping part has no x in it.
        self.stiffness[j] * x + s * self.reach_sum[j] - self.beyond(j)
    }

    /// How many turning points are remembered.
    pub fn depth(&self) -> usize {
        self.turns.len()
    }

    /// J, the number of elements that slip.
    pub fn slipping(&self) -> usize {
        self.slipping
    }

    fn turn(&mut self) {
        if self.slipping > 0 {
            let x = self.x;
            let direction = self.direction;
            let end = self.slipping;
            let beyond = self.beyond(end);
            self.turns.push(Turn { x, direction, end, beyond });
        }
        self.slipping = 0;
        self.direction = -self.direction;
    }

    /// Lets elements slip as far as x demands, wiping out the turning points passed.
    fn extend(&mut self) {
        loop {
            let end = self.turns.last().map_or(self.reach.len(), |t| t.end);
            self.slipping = self.search(end);
            if self.slipping < end || self.turns.pop().is_none() {
                return;
            }
        }
    }

    /// The number of slipping elements, at least J and at most `end`: doubling steps, then halving.
    fn search(&self, end: usize) -> usize {
        let mut low = self.slipping;
        let mut step = 1;
        let mut high = end;
        while low < end {
            let probe = (low + step).min(end);
            if !self.slips(probe - 1) {
                high = probe - 1;
                break;
            }
            (low, step) = (probe, 2 * step);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.slips(middle - 1) { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// Whether x pulls element `j` (from 0) along: s (x − p_j) ≥ r_j.
    fn slips(&self, j: usize) -> bool {
        let r = self.reach[j];
        let p = self.turns.last().map_or(self.first[j], |t| t.x - t.direction * r);
        self.direction * (self.x - p) >= r
    }

    /// Σ_{i>j} κ_i p_i, for j inside the uppermost part.
    fn beyond(&self, j: usize) -> f64 {
        match self.turns.last() {
            Some(t) => {
                let weight = self.stiffness[j] - self.stiffness[t.end];
                let reach = self.reach_sum[t.end] - self.reach_sum[j];
                t.beyond + weight * t.x - t.direction * reach
            }
            None => self.first_sum[self.reach.len()] - self.first_sum[j],
        }
    }
}
