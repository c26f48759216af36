//! A function of time in closed form with a proved error: a cubic and damped waves, some of which grow with time.

use super::ball::{Ball, up};
use super::functions::{exp, sin_cos};
use super::near::Number;
use stickslip::signal::{Harmonic, Signal};

/// How many derivatives are looked at, the function itself included.
pub(super) const ORDERS: usize = 6;

/// The two coefficients a and b of each derivative.
type Sizes = [[Ball; 2]; ORDERS];

/// e^{−decay·s} ((a + a′s) cos θ + (b + b′s) sin θ), θ = frequency·s + phase, with s since the origin; and its derivatives.
#[derive(Debug, Clone)]
pub(super) struct Wave {
    /// Whether θ is counted from the curve's origin; from t = 0 otherwise.
    pub own: bool,
    pub decay: Ball,
    pub frequency: Ball,
    pub phase: Ball,
    /// a and b of each derivative.
    pub sizes: Sizes,
    /// a′ and b′ of each, at resonance and at critical damping.
    pub growth: Option<Box<Sizes>>,
}

impl Wave {
    pub fn new(own: bool, [decay, frequency, phase]: [Ball; 3], first: [Ball; 2]) -> Self {
        let mut sizes = [first; ORDERS];
        for n in 1..ORDERS {
            sizes[n] = slope(decay, frequency, sizes[n - 1]);
        }
        Self { own, decay, frequency, phase, sizes, growth: None }
    }

    /// The same with `growth`·s added to the coefficients.
    #[must_use]
    pub fn growing(mut self, growth: [Ball; 2]) -> Self {
        let mut grown = Box::new([growth; ORDERS]);
        for n in 1..ORDERS {
            let before = grown[n - 1];
            grown[n] = slope(self.decay, self.frequency, before);
            let plain = slope(self.decay, self.frequency, self.sizes[n - 1]);
            self.sizes[n] = [plain[0] + before[0], plain[1] + before[1]];
        }
        self.growth = Some(grown);
        self
    }

    /// `first`·cos + `second`·sin of a harmonic's angle.
    pub fn of_harmonic(h: &Harmonic, first: [Ball; 2]) -> Self {
        let [frequency, phase] = [h.angular_frequency, h.phase].map(Ball::from);
        Self::new(false, [Ball::ZERO, frequency, phase], first)
    }

    /// A bound on |derivative `n`| for 0 ≤ s ≤ `length`, and a little before: as long as e^{−decay·s} ≤ 1 + 10⁻¹².
    fn bound(&self, n: usize, length: f64) -> f64 {
        let plain = radius(self.sizes[n]);
        let Some(growth) = &self.growth else { return plain * (1.0 + 2e-12) };
        // s e^{−δs} ≤ 1/(e δ)
        let decay = self.decay.lower();
        let longest = if decay > 0.0 { length.min(up(0.368 / decay)) } else { length };
        up(plain + up(radius(growth[n]) * longest)) * (1.0 + 2e-12)
    }
}

/// The coefficients of the derivative of a wave.
fn slope(decay: Ball, frequency: Ball, [a, b]: [Ball; 2]) -> [Ball; 2] {
    [frequency * b - decay * a, -(frequency * a) - decay * b]
}

/// A bound on |a cos θ + b sin θ|.
fn radius(pair: [Ball; 2]) -> f64 {
    let [a, b] = pair.map(Ball::size);
    up((a * a + b * b).sqrt())
}

/// Σ cₙ sⁿ + Σ waves.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    /// s = t − origin.
    pub origin: Ball,
    pub cubic: [Ball; 4],
    pub waves: Vec<Wave>,
    /// How far each derivative may be from this.
    pub spread: [f64; ORDERS],
}

impl Curve {
    /// This and another that begins with it and is known exactly.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        for (a, b) in self.cubic.iter_mut().zip(other.cubic) {
            *a = *a + b;
        }
        self.waves.extend(other.waves);
        self
    }

    /// Derivatives `n` and `n` + 1 at `t`.
    pub fn two<N: Number>(&self, t: Ball, n: usize) -> [N; 2] {
        let own = N::of(t - self.origin);
        let t = N::of(t);
        let mut out = [self.power(own, n), self.power(own, n + 1)];
        for w in &self.waves {
            let s = if w.own { own } else { t };
            let [decay, frequency, phase] = [w.decay, w.frequency, w.phase].map(N::of);
            let (sin, cos) = sin_cos(frequency * s + phase);
            let damped = (w.decay != Ball::ZERO).then(|| exp(N::of(Ball::ZERO) - decay * s));
            for (i, o) in out.iter_mut().enumerate() {
                let [mut a, mut b] = w.sizes[n + i].map(N::of);
                if let Some(growth) = &w.growth {
                    let [a1, b1] = growth[n + i].map(N::of);
                    (a, b) = (a + a1 * own, b + b1 * own);
                }
                let wave = a * cos + b * sin;
                *o = *o + damped.map_or(wave, |e| e * wave);
            }
        }
        let [f, g] = out;
        [f.widened(self.spread[n]), g.widened(self.spread[n + 1])]
    }

    /// Derivative `n` of the cubic.
    fn power<N: Number>(&self, s: N, n: usize) -> N {
        let falling = |k: usize| (0..n).map(|i| (k - i) as f64).product::<f64>();
        (n..4).rev().fold(N::of(Ball::ZERO), |sum, k| {
            sum * s + N::of(self.cubic[k] * Ball::from(falling(k)))
        })
    }

    /// A bound on |derivative `n`| over [origin, `until`].
    pub fn bound(&self, n: usize, until: f64) -> f64 {
        let s = (Ball::from(until) - self.origin).size();
        let falling = |k: usize| (0..n).map(|i| (k - i) as f64).product::<f64>();
        let cubic =
            (n..4).rev().fold(0.0, |sum, k| up(sum * s + self.cubic[k].size() * falling(k)));
        self.waves.iter().fold(up(cubic + self.spread[n]), |sum, w| up(sum + w.bound(n, s)))
    }

    /// c₀ + c₁ s of `factor`·`signal` on the piece that holds at `t`, added to this; s from the origin.
    pub fn add_affine(&mut self, factor: Ball, signal: &Signal, piece: usize) {
        let knot = signal.knots()[piece];
        let [value, rate, time] = [knot.value, knot.rate, knot.time].map(Ball::from);
        self.cubic[0] = self.cubic[0] + factor * (value + rate * (self.origin - time));
        self.cubic[1] = self.cubic[1] + factor * rate;
    }
}
