//! One step of the motion of a joint whose gear yields before it slips: LuGre's law (Canudas de Wit, Olsson, Åström and
//! Lischinsky 1995), of which Dahl's (1968) is that with a constant limit and without damping of the bristle.
//!
//! ```text
//! friction = T + σ₁ ż + viscous θ̇ + quadratic θ̇ |θ̇|,      T = σ₀ z,      ż = θ̇ (1 − s T/g),      s = sign θ̇
//! g = dynamic + (static − dynamic) exp(−(|θ̇|/velocity)^exponent) + L                            (see `gear`)
//! ```
//!
//! Over a way Δ of one direction on which g stays as it is, T follows the way and not the time:
//!
//! ```text
//! T⁺ = s g + (T − s g) exp(−σ₀ |Δ|/g)
//! ```
//!
//! which is exact, never leaves ± g, and is the friction of a rigid gear as σ₀ grows: a step may be as long as that of a rigid gear,
//! however stiff the bristle is. Angle and speed are those of a Runge–Kutta method of two stages, each implicit in its own
//! speed (Alexander 1977), of second order and L-stable: a vibration on the bristle that a step does not resolve dies out. In a stage
//! the speed u solves
//!
//! ```text
//! J (u − u₀)/(γh) + damping u + T⁺(Δ₀ + γh u) + σ₁ u (1 − s T⁺/g) = torques of motor and load − quadratic drag
//! ```
//!
//! whose left side grows with u: there is one solution. What is left explicit (controller, gravity, g) is taken where the
//! stage is expected to end, as the step of a rigid gear takes it. The derivatives of u are those of this equation.
//!
//! With a share β the bristle is elastic up to a load of β g, and nothing drifts below it (Dupont, Hayward, Armstrong and Altpeter
//! 2002): ż = θ̇ (1 − α x) with x = s T/g. They leave open how α grows from 0 at x = β to 1 at x = 1. Here it is
//!
//! ```text
//! α = u²/x,      u = (x − β)/(1 − β),      so that      dx/dw = 1 − u² between β and 1,      w = σ₀ |Δ|/g
//! ```
//!
//! of which the motion has a closed form: x grows like w up to β, then u like tanh(w/(1 − β)). (Their example, a quarter of a sine, has
//! none.) Beyond x = 1, where g has fallen, it is as without a share.
//!
//! A log does not say how the bristle is bent at first. Of a shaft at rest it bears what motor and load push with, of one that
//! moves it is as in an even motion.

use super::dual::Real;
use super::gear::{Gear, Torques};
use super::shaft::{ShaftState, ShaftStep};
use std::f64::consts::FRAC_1_SQRT_2;
use stickslip::portable;

/// γ, the share of a step that a stage is implicit over.
const GAMMA: f64 = 1.0 - FRAC_1_SQRT_2;
/// A shaft slower than this, rad/s, is at rest when its log begins: less than what an encoder of 12 bits shows within a few rows.
const SLOW: f64 = 0.02;
/// Steps of Newton's method for the speed; few are needed.
const NEWTON: usize = 60;
/// The speed is known when it changes by less than this share; one step more, with derivatives, squares that.
const SETTLED: f64 = 1e-9;

/// The bristle.
#[derive(Debug, Clone, Copy)]
pub struct Bristle<R> {
    /// T, N·m.
    pub torque: R,
}

impl<R: Real> Bristle<R> {
    /// Whether a gear has one.
    pub fn is_in(gear: &Gear<R>) -> bool {
        gear.compliance.value() > 0.0
    }

    /// How it is bent at the beginning of a step of `length` seconds, with which a motion begins.
    pub fn begins(step: &ShaftStep<'_, R>, at: ShaftState<R>, length: f64) -> Self {
        let acting = Acting::of(step, at, R::of(length));
        let [forward, backward] = acting.limits;
        let held =
            (acting.push - acting.damping(at.speed.value()) * at.speed).clamp(-backward, forward);
        let s = at.speed.value().signum();
        let slips = acting.limit(s).times(s);
        // Smooth through rest: the speed with which a log begins is sought, and may have either sign.
        let ratio = at.speed.times(1.0 / SLOW);
        let square = ratio * ratio;
        let share = portable::exp(-square.value());
        Self { torque: slips + (held - slips) * square.map(share, -share) }
    }

    /// The shaft at the end of the step of `length` seconds.
    pub fn advance(
        &mut self,
        step: &ShaftStep<'_, R>,
        at: ShaftState<R>,
        length: f64,
    ) -> ShaftState<R> {
        let time = GAMMA * length;
        let ahead = ShaftState { angle: at.angle + at.speed.times(time), speed: at.speed };
        let first = Stage {
            acting: Acting::of(step, ahead, R::of(length - time)),
            before: at.speed,
            way: R::of(0.0),
            time,
            torque: self.torque,
        };
        let middle = first.speed();
        let gained = middle - at.speed;
        let mut ahead = ShaftState {
            angle: at.angle + middle.times(length),
            speed: at.speed + gained.times(1.0 / GAMMA),
        };
        if ahead.speed.value() * middle.value() < 0.0 {
            // A shaft that comes to rest does not turn round for it.
            ahead.speed = R::of(0.0);
        }
        let last = Stage {
            acting: Acting::of(step, ahead, R::of(0.0)),
            before: at.speed + gained.times((1.0 - GAMMA) / GAMMA),
            way: middle.times(length - time),
            time,
            torque: self.torque,
        };
        let speed = last.speed();
        let way = last.way_at(speed);
        self.torque = last.bent(way);
        ShaftState { angle: at.angle + way, speed }
    }
}

/// What acts on the shaft, taken where it is expected to be.
#[derive(Clone, Copy)]
struct Acting<R> {
    /// Torques of motor (without its counter-voltage) and load, less the quadratic drag, N·m.
    push: R,
    /// g, N·m, forwards and backwards.
    limits: [R; 2],
    /// N·m for each rad/s, forwards and backwards.
    dampings: [R; 2],
    /// J, kg·m².
    inertia: R,
    /// 1/σ₀.
    compliance: R,
    /// σ₁.
    bristle_damping: R,
    /// How it yields.
    yielding: Yielding<R>,
}

/// How a bristle of the load x = s T/g yields: dx/dw of a way of w = σ₀ |Δ|/g.
#[derive(Clone, Copy)]
struct Yielding<R> {
    /// β.
    share: R,
}

impl<R: Real> Yielding<R> {
    fn values(&self) -> Yielding<f64> {
        Yielding { share: self.share.value() }
    }

    fn is_elastic_at_first(&self) -> bool {
        self.share.value() > 0.0
    }

    /// u, the place between β and 1.
    fn place(&self, x: R) -> R {
        (x - self.share) * (R::of(1.0) - self.share).inverse()
    }

    /// dx/dw = 1 − α x.
    fn rate(&self, x: R) -> R {
        let one = R::of(1.0);
        if !self.is_elastic_at_first() || x.value() >= 1.0 {
            return one - x;
        }
        if x.value() <= self.share.value() {
            return one;
        }
        let place = self.place(x);
        one - place * place
    }

    /// How this rate changes with x.
    fn bends(&self, x: f64) -> f64 {
        let share = self.share.value();
        if !self.is_elastic_at_first() || x >= 1.0 {
            -1.0
        } else if x <= share {
            0.0
        } else {
            -2.0 * (x - share) / (1.0 - share).powi(2)
        }
    }

    /// x after a way of `way`, with an elastic range.
    fn after(&self, x: R, way: R) -> R {
        let one = R::of(1.0);
        if x.value() >= 1.0 {
            let falls = portable::exp(-way.value());
            return one + (x - one) * way.map(falls, -falls);
        }
        let mut left = way;
        let mut from = R::of(0.0);
        if x.value() < self.share.value() {
            left = x + way - self.share;
            if left.value() <= 0.0 {
                return x + way;
            }
        } else {
            from = self.place(x);
        }
        let range = one - self.share;
        let gone = left * range.inverse();
        let tanh = portable::tanh(gone.value());
        let by = gone.map(tanh, 1.0 - tanh * tanh);
        // The addition theorem of tanh.
        self.share + range * (from + by) * (one + from * by).inverse()
    }
}

impl<R: Real> Acting<R> {
    fn of(step: &ShaftStep<'_, R>, at: ShaftState<R>, left: R) -> Self {
        let gear = &step.joint.gear;
        let driven = step.driven(at.angle, at.speed, step.goal(left));
        let external = step.external(at.angle);
        // The friction of the motor's torque counts the counter-voltage.
        let motor = if step.enabled { driven - step.braking * at.speed } else { driven };
        let torques = Torques { motor, external };
        let each = |of: &dyn Fn(f64) -> R| [of(1.0), of(-1.0)];
        let drag = gear.way(at.speed.value()).quadratic * at.speed * at.speed.abs();
        Self {
            push: driven + external - drag,
            limits: each(&|s| gear.limit(s, at.speed, &torques)),
            dampings: each(&|s| step.damping(s)),
            inertia: gear.armature + R::of(step.load.inertia),
            compliance: gear.compliance,
            bristle_damping: gear.bristle_damping,
            yielding: Yielding { share: gear.breakaway_share },
        }
    }

    fn limit(&self, s: f64) -> R {
        self.limits[usize::from(s < 0.0)]
    }

    fn damping(&self, s: f64) -> R {
        self.dampings[usize::from(s < 0.0)]
    }

    fn values(&self) -> Acting<f64> {
        Acting {
            push: self.push.value(),
            limits: self.limits.map(R::value),
            dampings: self.dampings.map(R::value),
            inertia: self.inertia.value(),
            compliance: self.compliance.value(),
            bristle_damping: self.bristle_damping.value(),
            yielding: self.yielding.values(),
        }
    }
}

/// One stage of a step.
#[derive(Clone, Copy)]
struct Stage<R> {
    acting: Acting<R>,
    /// u₀, rad/s: the speed without what acts in this stage.
    before: R,
    /// Δ₀, rad: the way since the beginning of the step without that of this stage.
    way: R,
    /// γh, s.
    time: f64,
    /// T at the beginning of the step.
    torque: R,
}

/// By how much the left side of a stage's equation exceeds the right one, and how that grows with the speed.
struct Excess<R> {
    torque: R,
    slope: f64,
}

impl<R: Real> Stage<R> {
    /// Δ at the speed `u`.
    fn way_at(&self, u: R) -> R {
        self.way + u.times(self.time)
    }

    /// T at the beginning of the step, as far as the step resolves how it yields. Where the limit has fallen below it, T falls to
    /// the limit on a way of about g/σ₀, and were that fall steeper than the inertia allows for, the equation would have
    /// several solutions: a bristle that is so stiff yields at once.
    fn held(&self) -> R {
        let acting = &self.acting;
        let [forward, backward] = acting.limits;
        let most =
            R::of(1.0) + (acting.compliance * acting.inertia).times(0.5 / (self.time * self.time));
        self.torque.clamp(-(backward * most), forward * most)
    }

    /// T⁺ after the way `way`.
    fn bent(&self, way: R) -> R {
        let s = way.value().signum();
        let limit = self.acting.limit(s);
        let yields = way.times(s) * (self.acting.compliance * limit).inverse();
        let yielding = &self.acting.yielding;
        if yielding.is_elastic_at_first() {
            let load = self.held().times(s) * limit.inverse();
            return limit.times(s) * yielding.after(load, yields);
        }
        let share = portable::exp(-yields.value());
        let slips = limit.times(s);
        slips + (self.held() - slips) * yields.map(share, -share)
    }

    fn excess(&self, u: R) -> Excess<R> {
        let acting = &self.acting;
        let way = self.way_at(u);
        let bent = self.bent(way);
        let s = u.value().signum();
        let limit = acting.limit(s);
        let damping = acting.damping(s);
        let yielding = &acting.yielding;
        let load = (bent * limit.inverse()).times(s);
        let of_rate = yielding.rate(load);
        let each_time = 1.0 / self.time;
        let torque = (acting.inertia * (u - self.before)).times(each_time)
            + damping * u
            + bent
            + acting.bristle_damping * u * of_rate
            - acting.push;
        // dT⁺/du = γh σ₀ (1 − α s T⁺/g), s the direction of the way.
        let along = way.value().signum();
        let load_along = along * bent.value() / acting.limit(along).value();
        let yields = acting.yielding.values().rate(load_along);
        let stiffens = self.time * yields / acting.compliance.value();
        let bends = yielding.bends(load.value());
        let of_bristle = of_rate.value() + u.value().abs() * bends * stiffens / limit.value();
        let least = acting.inertia.value() * each_time;
        let slope =
            least + damping.value() + stiffens + acting.bristle_damping.value() * of_bristle;
        Excess { torque, slope: slope.max(0.25 * least) }
    }

    /// u.
    fn speed(&self) -> R {
        let values = Stage {
            acting: self.acting.values(),
            before: self.before.value(),
            way: self.way.value(),
            time: self.time,
            torque: self.torque.value(),
        };
        // From where the bristle is bent as it was: there the equation has its corner, and beyond it bends one way, so that
        // Newton's method comes from one side.
        let mut u = -values.way / values.time;
        let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
        for _ in 0..NEWTON {
            let Excess { torque, slope } = values.excess(u);
            if torque > 0.0 {
                high = u
            } else {
                low = u
            }
            let mut next = u - torque / slope;
            if next <= low || next >= high {
                next = if (high - low).is_finite() { 0.5 * (low + high) } else { u };
            }
            let change = (next - u).abs();
            u = next;
            if change <= SETTLED * u.abs() {
                break;
            }
        }
        // One step more with the derivatives of the equation, its slope with respect to u left out: the theorem of implicit
        // functions.
        let at = R::of(u);
        let Excess { torque, slope } = self.excess(at);
        at - torque.times(1.0 / slope)
    }
}
