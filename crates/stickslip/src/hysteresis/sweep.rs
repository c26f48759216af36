//! The cascade node by node.

use super::Elements;

/// The state of a cascade's elements: which slip, which way, and the pull on each node.
///
/// While nodes 1 … J slip, the forces of springs 0 … J all change by S_J dx, and so does the pull on
/// node J + 1; nothing else changes. Source: Bastien, Lamarque 2007, (2.6) with the first J pulls constant.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// S_0 … S_n, N/m.
    stiffness: Vec<f64>,
    /// α₁ … α_n, N.
    threshold: Vec<f64>,
    /// Energy lost in all nodes for each metre that the mass moves while J slip, N.
    loss: Vec<f64>,
    /// q_i = −W_i, N; entry J is current only at (`x`, `force`).
    pull: Vec<f64>,
    /// Displacement of the mass, m, and the force k₀(x − v₁), N.
    x: f64,
    force: f64,
    /// s, ±1.
    direction: f64,
    /// J.
    slipping: usize,
    /// Energy lost so far, J.
    lost: f64,
}

impl Sweep {
    /// Of elements in their initial state, those of a cascade for one: moving forwards, nothing slips yet.
    pub fn new<'a>(elements: impl Into<Elements<'a>>) -> Self {
        let elements = elements.into();
        let backbone = elements.backbone();
        let stiffness = backbone.stiffness().to_vec();
        // Σ_{i≤J} α_i (1 − S_J/S_{i−1}): node i moves by (1 − S_J/S_{i−1}) dx.
        let slipped = backbone.forces().iter().zip(backbone.breakpoints()).zip(&stiffness[1..]);
        let loss = std::iter::once(0.0).chain(slipped.map(|((f, r), s)| f - s * r)).collect();
        let pull = elements.pull.clone();
        let x = elements.displacement;
        // x = f₀/S_n − Σ q_i (1/S_n − 1/S_{i−1})
        let last = stiffness[elements.threshold.len()];
        let carried: f64 = pull.iter().zip(&stiffness).map(|(q, s)| q * (1.0 - last / s)).sum();
        let force = last * x + carried;
        let threshold = elements.threshold.to_vec();
        let direction = 1.0;
        let slipping = 0;
        let lost = 0.0;
        Self { stiffness, threshold, loss, pull, x, force, direction, slipping, lost }
    }

    /// Displacement of the mass, m.
    pub fn displacement(&self) -> f64 {
        self.x
    }

    /// k₀(x − v₁), N.
    pub fn force(&self) -> f64 {
        self.force
    }

    /// s, ±1.
    pub fn direction(&self) -> f64 {
        self.direction
    }

    /// J: nodes 1 … J slip.
    pub fn slipping(&self) -> usize {
        self.slipping
    }

    /// S_J = d force/dx as long as nothing yields, N/m.
    pub fn stiffness(&self) -> f64 {
        self.stiffness[self.slipping]
    }

    /// The pull q_i of its springs on each node, N; −q_i is the friction W_i.
    pub fn pulls(&self) -> &[f64] {
        &self.pull
    }

    /// How far the force is from letting node J + 1 yield, N; +∞ when all slip.
    pub fn margin(&self) -> f64 {
        match self.threshold.get(self.slipping) {
            Some(a) => (a - self.direction * self.pull[self.slipping]).max(0.0),
            None => f64::INFINITY,
        }
    }

    /// Moves to `x` (m), on the near side of the next yield.
    pub fn shift(&mut self, x: f64) {
        let df = self.go(x);
        if let Some(q) = self.pull.get_mut(self.slipping) {
            *q += df;
        }
    }

    /// A copy at `x` (m), on the near side of the next yield.
    pub(crate) fn moved_to(&self, x: f64) -> Self {
        let mut moved = self.clone();
        moved.shift(x);
        moved
    }

    /// Moves to `x` with what slips now; by how much the force changes, N.
    fn go(&mut self, x: f64) -> f64 {
        let dx = x - self.x;
        let df = self.stiffness() * dx;
        self.lost += self.loss[self.slipping] * dx.abs();
        self.force += df;
        self.x = x;
        df
    }

    /// Node J + 1 yields, at `x` (m); its number, from 1.
    pub fn give_way(&mut self, x: f64) -> usize {
        self.go(x);
        self.pull[self.slipping] = self.direction * self.threshold[self.slipping];
        self.slipping += 1;
        self.slipping
    }

    /// The mass turns: every node sticks.
    pub fn turn(&mut self, direction: f64) {
        self.direction = direction;
        self.slipping = 0;
    }

    /// Moves to `x` (m) without turning on the way, through as many yields as it takes.
    pub fn advance(&mut self, x: f64) {
        self.advance_with(x, |_| ());
    }

    /// The same, showing itself to `yields` just after each yield, that of node [`slipping`](Self::slipping).
    pub fn advance_with(&mut self, x: f64, mut yields: impl FnMut(&Self)) {
        if (x - self.x) * self.direction < 0.0 {
            self.turn(-self.direction);
        }
        loop {
            let reach = self.margin() / self.stiffness();
            if self.direction * (x - self.x) < reach || x == self.x {
                return self.shift(x);
            }
            self.give_way(self.x + self.direction * reach);
            yields(self);
        }
    }

    /// What a move to `x` (m) without turning on the way would lose, J.
    pub(crate) fn loss_to(&self, x: f64) -> f64 {
        let turns = (x - self.x) * self.direction < 0.0;
        let sign = if turns { -self.direction } else { self.direction };
        let mut slipping = if turns { 0 } else { self.slipping };
        let mut left = sign * (x - self.x);
        let mut sum = 0.0;
        while let (Some(a), Some(q)) = (self.threshold.get(slipping), self.pull.get(slipping)) {
            let reach = (a - sign * q).max(0.0) / self.stiffness[slipping];
            if left < reach {
                break;
            }
            sum += self.loss[slipping] * reach;
            left -= reach;
            slipping += 1;
        }
        sum + self.loss[slipping] * left
    }

    /// Σ α_i |Δv_i|, the energy lost to friction since the start, J.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// Σ f_i²/(2 k_i), the energy in the springs k₀ … k_n (N/m), J.
    pub fn elastic_energy(&self, springs: &[f64]) -> f64 {
        let mut f = self.force;
        let mut sum = 0.5 * f * f / springs[0];
        for (q, k) in self.pull.iter().zip(&springs[1..]) {
            f -= q;
            sum += 0.5 * f * f / k;
        }
        sum
    }
}
