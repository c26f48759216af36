//! The friction elements of a cascade with proved errors: what [`Sweep`](stickslip::hysteresis::Sweep) is in doubles.

use super::ball::{Ball, up};
use stickslip::hysteresis::Elements;
use stickslip::model::Cascade;

/// What is led through a cascade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Displacement,
    Force,
}

/// A value of the control that is known exactly: the sum of two doubles.
pub(super) type Mark = [f64; 2];

/// The state of the elements.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    springs: Vec<Ball>,
    /// S_0 … S_n, N/m.
    slopes: Vec<Ball>,
    threshold: Vec<f64>,
    /// Lost for each metre of the mass while J slip, N.
    loss: Vec<Ball>,
    /// q_i, N; exactly ±α_i from its yield until the nodes before it slip the other way.
    pub pull: Vec<Ball>,
    /// Where and which way the nodes went that stand at their thresholds since the mass turned there: there they will do so
    /// again, if it comes back, whatever happens in between (the memory of the turning point).
    memory: Vec<Option<(f64, Mark)>>,
    /// Displacement of the mass, m, and k₀ (x − v₁), N.
    pub x: Ball,
    pub force: Ball,
    /// ±1.
    pub direction: f64,
    /// J.
    pub slipping: usize,
    /// Lost to friction, J.
    pub lost: Ball,
}

impl Nodes {
    pub fn new(c: &Cascade) -> Self {
        let springs: Vec<Ball> = c.stiffness.iter().copied().map(Ball::from).collect();
        let mut slopes = vec![springs[0]];
        let mut compliance = Ball::ONE / springs[0];
        for k in &springs[1..] {
            compliance = compliance + Ball::ONE / *k;
            slopes.push(Ball::ONE / compliance);
        }
        let pull: Vec<Ball> = Elements::from(c).pull.into_iter().map(Ball::from).collect();
        let x = Ball::from(c.initial.displacement);
        let last = slopes[slopes.len() - 1];
        // Exactly 0 where nothing is loaded.
        let first = if x == Ball::ZERO { x } else { last * x };
        let loaded = pull.iter().zip(&slopes).filter(|(q, _)| **q != Ball::ZERO);
        let force = loaded.fold(first, |sum, (q, s)| sum + *q * (Ball::ONE - last / *s));
        // Node i moves by (1 − S_J/S_{i−1}) dx.
        let lost = |j: usize| {
            let share = |i: usize| Ball::from(c.threshold[i]) * (Ball::ONE - slopes[j] / slopes[i]);
            (0..j).fold(Ball::ZERO, |sum, i| sum + share(i))
        };
        let loss = (0..slopes.len()).map(lost).collect();
        let direction = 1.0;
        let slipping = 0;
        let threshold = c.threshold.clone();
        let mut nodes = Self {
            springs,
            slopes,
            threshold,
            loss,
            memory: vec![None; pull.len()],
            pull,
            x,
            force,
            direction,
            slipping,
            lost: Ball::ZERO,
        };
        nodes.settle();
        nodes
    }

    /// S_J, N/m.
    pub fn slope(&self) -> Ball {
        self.slopes[self.slipping]
    }

    /// How far the force is from letting node J + 1 yield, N; exactly 0 where it stands at its threshold, nothing when all slip.
    pub fn margin(&self) -> Option<Ball> {
        let a = *self.threshold.get(self.slipping)?;
        let q = self.pull[self.slipping];
        let a = Ball::from(self.direction * a);
        Some(if q == a { Ball::ZERO } else { Ball::from(self.direction) * (a - q) })
    }

    /// A bound of the margin from below, for a certificate: nothing where the node touches its threshold.
    pub fn left(&self) -> Option<f64> {
        self.margin().filter(|m| *m != Ball::ZERO).map(Ball::lower)
    }

    pub fn position(&self, lead: Lead) -> Ball {
        if lead == Lead::Force { self.force } else { self.x }
    }

    /// Where the control lets node J + 1 yield.
    pub fn level(&self, lead: Lead) -> Option<Ball> {
        let margin = self.margin()?;
        let reach = if lead == Lead::Force { margin } else { margin / self.slope() };
        Some(self.position(lead) + Ball::from(self.direction) * reach)
    }

    /// Moves to where the control is `u`, with what slips now.
    pub fn shift(&mut self, lead: Lead, u: Ball) {
        let j = self.slipping;
        let slope = self.slope();
        let way = u - self.position(lead);
        let [dx, df] = if lead == Lead::Force { [way / slope, way] } else { [way, slope * way] };
        if let Some(q) = self.pull.get_mut(j) {
            *q = *q + df;
        }
        if j > 0 {
            self.lost = self.lost + Ball::from(self.direction) * self.loss[j] * dx;
        }
        (self.x, self.force) = (self.x + dx, self.force + df);
        *(if lead == Lead::Force { &mut self.force } else { &mut self.x }) = u;
    }

    /// Node J + 1 yields where the control is `u`, and those after it that stand at their thresholds.
    pub fn give_way(&mut self, lead: Lead, u: Ball) {
        let j = self.slipping;
        self.shift(lead, u);
        self.pull[j] = Ball::from(self.direction * self.threshold[j]);
        self.slipping += 1;
        self.settle();
    }

    fn settle(&mut self) {
        while self.margin() == Some(Ball::ZERO) {
            self.slipping += 1;
        }
    }

    /// Whether the next node just touches its threshold where the control is at `mark`.
    pub fn touches(&self, mark: Option<Mark>) -> bool {
        let memory = self.memory.get(self.slipping).copied().flatten();
        memory.is_some_and(|(s, m)| s == self.direction && Some(m) == mark)
    }

    /// The next node touches its threshold here.
    pub fn touch(&mut self) {
        self.pull[self.slipping] = Ball::from(self.direction * self.threshold[self.slipping]);
    }

    /// The mass turns, at `mark` if that is known exactly: every node sticks.
    pub fn turn(&mut self, direction: f64, mark: Option<Mark>) {
        let here = mark.map(|m| (self.direction, m));
        self.memory[..self.slipping].fill(here);
        (self.direction, self.slipping) = (direction, 0);
        self.settle();
    }

    /// Moves to where the control is `u` without turning on the way; nothing where it is not certain which nodes yield.
    pub fn jump(&mut self, lead: Lead, u: Ball) -> Option<()> {
        let gap = u - self.position(lead);
        if u == self.position(lead) {
            return Some(());
        }
        if gap.may_be_zero() {
            // Which way does not matter where the first node is at no threshold.
            let clear = |s: f64| {
                let mut nodes = self.clone();
                nodes.turn(s, None);
                let reach = nodes.level(lead).map(|l| Ball::from(s) * (l - nodes.position(lead)));
                reach.is_some_and(|r| r.lower() > gap.size())
            };
            if self.slipping > 0 || !clear(1.0) || !clear(-1.0) {
                return None;
            }
            self.shift(lead, u);
            return Some(());
        }
        let s = gap.value().signum();
        if s != self.direction {
            self.turn(s, None);
        }
        while let Some(level) = self.level(lead) {
            let beyond = Ball::from(s) * (u - level);
            if beyond.may_be_zero() {
                return None;
            }
            if beyond.value() < 0.0 {
                break;
            }
            self.give_way(lead, level);
        }
        self.shift(lead, u);
        Some(())
    }

    /// k₀, N/m: no S_J is larger.
    pub fn stiffest(&self) -> f64 {
        self.springs[0].size()
    }

    /// What is lost for each metre with what slips now, N.
    pub fn loss(&self) -> f64 {
        self.loss[self.slipping].size()
    }

    /// By how much displacement (m), velocity (m/s) of `mass` (kg) and force (N) differ at most between two states whose difference has the
    /// energy ½ `doubt`²: Σ δf²/k ≤ doubt², δx = Σ δf/k.
    pub fn off(&self, doubt: f64, mass: f64) -> [f64; 3] {
        let last = self.slopes[self.slopes.len() - 1].lower();
        [up(doubt / last.sqrt()), up(doubt / mass.sqrt()), up(doubt * self.stiffest().sqrt())]
            .map(|off| if doubt == 0.0 { 0.0 } else { off })
    }

    /// The same of the pull on node `i` from 0, N.
    pub fn pull_off(&self, i: usize, doubt: f64) -> f64 {
        let size = |i: usize| self.springs.get(i).map_or(0.0, |k| k.size());
        if doubt == 0.0 { 0.0 } else { up(doubt * up(size(i) + size(i + 1)).sqrt()) }
    }

    /// Takes the middles for the state, but that the mass may be `way` (m) from there; √(2 J) of what that leaves out at most.
    pub fn settle_down(&mut self, way: f64) -> f64 {
        let stiff = self.stiffest();
        let pulls = self.pull.iter().fold(0.0, |sum, q| up(sum + q.radius()));
        // Each spring's force is S_n x and a sum of pulls with factors between −1 and 1.
        let off = up(stiff * up(self.x.radius() + 2.0 * way) + 2.0 * pulls);
        self.x = self.x.middle();
        self.pull.iter_mut().for_each(|q| *q = q.middle());
        let last = self.slopes[self.slopes.len() - 1];
        let loaded = self.pull.iter().zip(&self.slopes);
        self.force = loaded.fold(last * self.x, |sum, (q, s)| sum + *q * (Ball::ONE - last / *s));
        self.springs.iter().fold(0.0, |sum, k| up(sum + off / k.lower().sqrt()))
    }

    /// Σ f_i²/(2 k_i), J.
    pub fn elastic_energy(&self) -> Ball {
        let mut f = self.force;
        let mut sum = f * f / self.springs[0];
        for (q, k) in self.pull.iter().zip(&self.springs[1..]) {
            f = f - *q;
            sum = sum + f * f / *k;
        }
        sum.scaled(0.5)
    }
}
