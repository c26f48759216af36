//! The forces on an oscillator near one instant, with their derivatives.

use crate::law::Smooth;
use crate::model::Oscillator;
use crate::signal::Piece;

/// Forces and support on the pieces of the signals that hold at one instant, continued to both sides of it.
pub(in crate::study) struct Local<'a> {
    o: &'a Oscillator,
    drive: Piece<'a>,
    force: Piece<'a>,
    support: Piece<'a>,
    normal: Option<Piece<'a>>,
    /// The soft stop that the mass is in: position, m, κ, N/m, γ, N·s/m.
    bed: Option<(f64, f64, f64)>,
    /// p and s in 1/m of p + s x, by which the normal force is multiplied; 0 where the contact is open.
    pressing: [f64; 2],
    /// The speeds over which the friction is smooth, and is continued so.
    speeds: Smooth,
}

/// The friction at rest that nothing exceeds.
pub(in crate::study) struct Limit {
    /// N.
    pub value: f64,
    /// dlimit/dt of a mass that its support carries, N/s.
    pub rate: f64,
    /// The part of the rate that is due to the age alone, N/s.
    pub ages: f64,
    /// ∂limit/∂x, N/m.
    pub along: f64,
}

/// The smallest distance for differences of users' functions, relative to the size of the argument.
const STEP: f64 = 1e-3;

/// Two differences over ±h and ±2h of a smooth function are as 1 to 2 but for this share.
const SMOOTH: f64 = 1e-4;
/// Beside a corner of the function, such as that of a voltage at its limit, the distance is shorter by this factor.
const SHORTER: f64 = 1e-5;

/// The derivative of `f` at `at` by differences over ±`h` and ±2`h`: the error is of order h⁴.
fn slope(f: impl Fn(f64) -> f64, at: f64, h: f64) -> f64 {
    let over = |h: f64| (f(at + h) - f(at - h), f(at + 2.0 * h) - f(at - 2.0 * h));
    let mut h = h;
    let (mut near, mut far) = over(h);
    if (far - 2.0 * near).abs() > SMOOTH * (near.abs() + far.abs() + STEP * f(at).abs()) {
        h *= SHORTER;
        (near, far) = over(h);
    }
    (8.0 * near - far) / (12.0 * h)
}

/// The same from one side.
fn slope_ahead(f: impl Fn(f64) -> f64, at: f64, h: f64) -> f64 {
    let [a, b, c, d, e] = [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| f(at + k * h));
    (-25.0 * a + 48.0 * b - 36.0 * c + 16.0 * d - 3.0 * e) / (12.0 * h)
}

impl<'a> Local<'a> {
    /// At `t` (s), for a mass that is in the soft stop at `x` (m), if there is one, and with the contact closed or open as
    /// it is there.
    pub fn new(o: &'a Oscillator, t: f64, x: f64) -> Self {
        let bed = o.stops.and_then(|s| {
            let (stiffness, damping) = s.spring()?;
            let wall = s.touched(x)?;
            Some((s.at(wall)?, stiffness, damping))
        });
        Self {
            o,
            drive: o.drive.piece_at(t),
            force: o.force.piece_at(t),
            support: o.support.piece_at(t),
            normal: o.normal.as_ref().map(|n| n.piece_at(t)),
            bed,
            pressing: match o.nonlinear.normal_slope {
                s if 1.0 + s * x > 0.0 => [1.0, s],
                _ => [0.0; 2],
            },
            speeds: Smooth::EVERYWHERE,
        }
    }

    /// The same in a slip towards `side` whose speeds are between the two kinks of the friction law around `v` at `t`.
    pub fn sliding_at(self, side: f64, t: f64, v: f64) -> Self {
        let speed = (side * (v - self.support(t)[0])).max(0.0);
        Self { speeds: self.o.friction.smooth_around(side, speed, true), ..self }
    }

    /// For a mass that moves with `v` (m/s) at `x` (m): a soft stop that it leaves faster than the stop follows does not
    /// push it.
    pub fn moving(self, x: f64, v: f64) -> Self {
        let apart = self.o.stops.is_some_and(|s| s.is_apart(x, v));
        Self { bed: self.bed.filter(|_| !apart), ..self }
    }

    /// m, kg.
    pub fn mass(&self) -> f64 {
        self.o.mass
    }

    /// The soft stop that pushes the mass: position, m, κ, N/m, γ, N·s/m.
    pub fn bed(&self) -> Option<(f64, f64, f64)> {
        self.bed
    }

    /// ∂b/∂d of the spring at `x` (m), N/m.
    pub fn spring_slope(&self, t: f64, x: f64) -> f64 {
        let z = x - self.drive.value(t);
        let powers = self.o.nonlinear.stiffness.iter().enumerate().rev();
        self.o.stiffness + z * powers.fold(0.0, |sum, (i, k)| sum * z + (i + 2) as f64 * k)
    }

    /// The drive (m), the force (N) and the normal force (N, or the factor 1) at `t`.
    pub fn signals(&self, t: f64) -> [f64; 3] {
        let normal = self.normal.as_ref().map_or(1.0, |n| n.value(t));
        [self.drive.value(t), self.force.value(t), normal]
    }

    /// The support's velocity and its first two derivatives at `t`.
    pub fn support(&self, t: f64) -> [f64; 3] {
        let [s, s1, s2, _] = self.support.derivatives(t);
        [s, s1, s2]
    }

    /// F_n at `x` and `t`, ∂F_n/∂t and ∂F_n/∂x; 1, 0 and 0 where the law's numbers are forces.
    pub fn normal(&self, t: f64, x: f64) -> [f64; 3] {
        let [n, n1] = self.normal.as_ref().map_or([1.0, 0.0], |n| {
            let [n, n1, ..] = n.derivatives(t);
            [n, n1]
        });
        let [p, s] = self.pressing;
        [n * (p + s * x), n1 * (p + s * x), n * s]
    }

    /// The forces that are not linear in x and v, those of soft stops left out, N.
    fn nonlinear(&self, t: f64, x: f64, v: f64) -> f64 {
        if self.o.nonlinear.is_none() {
            return 0.0;
        }
        self.o.nonlinear.force(x - self.drive.value(t), x, v, t)
    }

    /// b(x, v, t), N.
    pub fn load(&self, t: f64, x: f64, v: f64) -> f64 {
        let o = self.o;
        let linear = o.stiffness * (self.drive.value(t) - x) - o.damping * v + self.force.value(t);
        linear + self.bed.map_or(0.0, |(a, k, c)| k * (a - x) - c * v) + self.nonlinear(t, x, v)
    }

    /// ∂b/∂x and ∂b/∂v at (x, v, t).
    pub fn load_slopes(&self, t: f64, x: f64, v: f64) -> (f64, f64) {
        let o = self.o;
        let mut bx = -o.stiffness;
        let mut bv = -o.damping;
        if let Some((_, k, c)) = self.bed {
            (bx, bv) = (bx - k, bv - c);
        }
        let z = x - self.drive.value(t);
        let powers = o.nonlinear.stiffness.iter().enumerate().rev();
        bx -= z * powers.fold(0.0, |sum, (i, k)| sum * z + (i + 2) as f64 * k);
        bv -= 2.0 * o.nonlinear.damping * v.abs();
        if let Some(b) = &o.nonlinear.load {
            bx += slope(|x| b.at(x, v, t), x, STEP * (1e-3 + x.abs()));
            bv += slope(|v| b.at(x, v, t), v, STEP * (1e-3 + v.abs()));
        }
        (bx, bv)
    }

    /// dA/d|w| of the friction towards `side` at `speed`, N·s/m.
    pub fn friction_slope(&self, side: f64, speed: f64) -> f64 {
        let law = &self.o.friction;
        if let Some([_, _, slope]) = self.speeds.line {
            return slope;
        }
        let (least, greatest) = law.slope_range(side, speed, speed);
        let spread = greatest - least;
        if spread <= 1e-12 * (least.abs() + greatest.abs()) {
            return 0.5 * (least + greatest);
        }
        let f = |s: f64| law.force(side, s);
        let h = STEP * (1e-2 + speed);
        if speed < 2.0 * h { slope_ahead(f, speed.max(0.0), 0.5 * h) } else { slope(f, speed, h) }
    }

    /// The acceleration of a mass that slips towards `side`, m/s².
    pub fn acceleration(&self, side: f64, t: f64, x: f64, v: f64) -> f64 {
        let speed = (side * (v - self.support(t)[0])).max(0.0);
        let friction = side * self.normal(t, x)[0] * self.o.friction.force(side, speed);
        (self.load(t, x, v) - friction) / self.o.mass
    }

    /// ∂a/∂x and ∂a/∂v of the same.
    pub fn slopes(&self, side: f64, t: f64, x: f64, v: f64) -> (f64, f64) {
        let (bx, bv) = self.load_slopes(t, x, v);
        let speed = (side * (v - self.support(t)[0])).max(0.0);
        let [n, _, along] = self.normal(t, x);
        let friction = n * self.friction_slope(side, speed);
        let presses =
            if along == 0.0 { 0.0 } else { along * side * self.o.friction.force(side, speed) };
        ((bx - presses) / self.o.mass, (bv - friction) / self.o.mass)
    }

    /// b − m v̇_s and its rate for a mass at `x` (m) that rests on its support, N and N/s.
    pub fn at_rest(&self, t: f64, x: f64) -> (f64, f64) {
        let o = self.o;
        let [s, s1, s2] = self.support(t);
        let b = self.load(t, x, s) - o.mass * s1;
        let [d, f] = [&self.drive, &self.force].map(|p| p.derivatives(t)[1]);
        let (k, c) = self.bed.map_or((0.0, 0.0), |(_, k, c)| (k, c));
        let mut rate = o.stiffness * (d - s) - k * s + f - (o.damping + c) * s1 - o.mass * s2;
        if !o.nonlinear.is_none() {
            let along = |u: f64| {
                let h = u - t;
                let [v, ..] = self.support(u);
                self.nonlinear(u, x + h * s + 0.5 * h * h * s1, v)
            };
            rate += slope(along, t, STEP * (1e-3 + t.abs()).min(1.0));
        }
        (b, rate)
    }

    /// The limit towards `side` of a mass at `x` (m) that has rested for `age` (s).
    pub fn limit(&self, side: f64, t: f64, x: f64, age: f64) -> Limit {
        let law = &self.o.friction;
        let [n, n1, along] = self.normal(t, x);
        let limit = law.limit(side, age);
        let h = STEP * age.max(1e-6);
        let ages = if law.ages() { n * slope(|a| law.limit(side, a), age, h) } else { 0.0 };
        let carried = along * self.support(t)[0];
        Limit { value: n * limit, rate: (n1 + carried) * limit + ages, ages, along: along * limit }
    }
}
