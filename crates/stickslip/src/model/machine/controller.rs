//! Controllers: forces that follow from what is measured.

use super::bad;
use crate::error::{Error, Part};
use crate::model::network::{Ends, Name};
use crate::signal::Signal;

/// What a controller measures, of its first end relative to its second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// x_first − x_second, m.
    #[default]
    Displacement,
    /// ẋ_first − ẋ_second, m/s.
    Velocity,
}

/// u = P e + I ∫ e dt + D ė of the error e = reference − measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gains {
    /// P, N for each unit of what is measured.
    pub proportional: f64,
    /// I, N for each unit and second.
    pub integral: f64,
    /// D, N·s for each unit.
    pub derivative: f64,
    /// τ, s: the derivative is that of the error behind a filter of first order, (e − z)/τ with ż = (e − z)/τ and z(0) = e(0);
    /// 0 for the derivative itself, which has no part in the jumps of the reference.
    pub filter: f64,
}

/// ẋ = A x + B e, u = C x + D e from x(0) = 0; of a sampled controller x_{k+1} = A x_k + B e_k, u_k = C x_k + D e_k.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateSpace {
    /// A, by rows.
    pub a: Vec<f64>,
    /// B, one number for each state.
    pub b: Vec<f64>,
    /// C, one number for each state.
    pub c: Vec<f64>,
    /// D.
    pub d: f64,
}

/// How the force follows from the error.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Proportional, integral, derivative.
    Pid(Gains),
    /// Linear with inner states.
    StateSpace(StateSpace),
}

/// What an integral does while the force is at its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AntiWindup {
    /// It does not drive the force further beyond its limit.
    #[default]
    Clamp,
    /// It goes on.
    None,
}

/// The force of a controller stays between −force and force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// N.
    pub force: f64,
    /// What its integral does there.
    pub anti_windup: AntiWindup,
}

/// A controller that reads at ticks k·time and holds its force until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// From tick to tick, s.
    pub time: f64,
    /// From reading to acting, s.
    pub delay: f64,
    /// What is measured is read in multiples of this, rounded to the nearest; 0 for the number itself.
    pub quantum: f64,
}

/// What is added for the friction that the reference's velocity lets expect; w is that velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeedForward {
    /// force · sgn w.
    Sign {
        /// N.
        force: f64,
    },
    /// force · tanh(w / velocity).
    Tanh {
        /// N.
        force: f64,
        /// m/s.
        velocity: f64,
    },
    /// (dynamic + (static − dynamic) exp(−(|w| / velocity)^exponent)) sgn w.
    Stribeck {
        /// N.
        breakaway: f64,
        /// N.
        dynamic: f64,
        /// m/s.
        velocity: f64,
        /// n.
        exponent: f64,
    },
}

/// How a controller's force follows from what it measures:
///
/// ```text
/// u = sat(rule(e) + feed-forward(ẇ) + dither(t)),     e = reference − measured
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ControlLaw {
    /// What is measured.
    pub quantity: Quantity,
    /// What it should be, m or m/s.
    pub reference: Signal,
    /// How the force follows from the error.
    pub rule: Rule,
    /// Between which forces it stays.
    pub limit: Option<Limit>,
    /// When it reads; always where there is nothing.
    pub sampling: Option<Sampling>,
    /// What is added for friction.
    pub feed_forward: Option<FeedForward>,
    /// What is added, N.
    pub dither: Signal,
}

impl ControlLaw {
    /// A controller that holds the displacement 0 with these gains.
    pub fn pid(gains: Gains) -> Self {
        Self::of(Rule::Pid(gains))
    }

    /// A controller that holds the displacement 0 by a linear rule.
    pub fn state_space(rule: StateSpace) -> Self {
        Self::of(Rule::StateSpace(rule))
    }

    fn of(rule: Rule) -> Self {
        Self {
            quantity: Quantity::Displacement,
            reference: Signal::default(),
            rule,
            limit: None,
            sampling: None,
            feed_forward: None,
            dither: Signal::default(),
        }
    }

    /// With another reference, m or m/s.
    #[must_use]
    pub fn following(self, reference: Signal) -> Self {
        Self { reference, ..self }
    }

    /// Measuring something else.
    #[must_use]
    pub fn measuring(self, quantity: Quantity) -> Self {
        Self { quantity, ..self }
    }

    /// With a force between −`force` and `force` (N).
    #[must_use]
    pub fn limited(self, force: f64, anti_windup: AntiWindup) -> Self {
        Self { limit: Some(Limit { force, anti_windup }), ..self }
    }

    /// Reading at ticks.
    #[must_use]
    pub fn sampled(self, sampling: Sampling) -> Self {
        Self { sampling: Some(sampling), ..self }
    }

    /// With something for the friction that is expected.
    #[must_use]
    pub fn feeding_forward(self, feed_forward: FeedForward) -> Self {
        Self { feed_forward: Some(feed_forward), ..self }
    }

    /// With something added to its force, N.
    #[must_use]
    pub fn dithered(self, dither: Signal) -> Self {
        Self { dither, ..self }
    }

    /// The unit of what is measured.
    pub fn unit(&self) -> &'static str {
        match self.quantity {
            Quantity::Displacement => "m",
            Quantity::Velocity => "m/s",
        }
    }

    /// An error at `place` unless its numbers are in their ranges.
    pub(super) fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        self.reference.check("the reference of a controller")?;
        self.dither.check("the dither of a controller")?;
        self.check_rule(place)?;
        if let Some(limit) = self.limit {
            let fits = limit.force > 0.0 && limit.force.is_finite();
            require(place, "limit", limit.force, fits, "a finite number > 0, N")?;
            let holds_states = matches!(self.rule, Rule::StateSpace(_));
            if holds_states && limit.anti_windup == AntiWindup::Clamp {
                let reason = "the states of a state space have no integral that could be clamped";
                return Err(bad(place("anti_windup"), reason, "write anti_windup = \"none\""));
            }
        }
        if let Some(Sampling { time, delay, quantum }) = self.sampling {
            let fits = time > 0.0 && time.is_finite();
            require(place, "sample_time", time, fits, "a finite number > 0, s")?;
            require(place, "delay", delay, not_negative(delay), "a finite number ≥ 0, s")?;
            require(place, "quantum", quantum, not_negative(quantum), "a finite number ≥ 0")?;
        }
        self.feed_forward.map_or(Ok(()), |f| f.check(place))
    }

    fn check_rule(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        match &self.rule {
            Rule::Pid(g) => {
                let gains = [
                    ("proportional", g.proportional),
                    ("integral", g.integral),
                    ("derivative", g.derivative),
                ];
                for (key, gain) in gains {
                    require(place, key, gain, gain.is_finite(), "a finite number")?;
                }
                require(
                    place,
                    "filter",
                    g.filter,
                    not_negative(g.filter),
                    "a finite number ≥ 0, s",
                )?;
                let ideal = g.derivative != 0.0 && g.filter == 0.0 && self.sampling.is_none();
                if ideal && self.quantity == Quantity::Velocity {
                    let reason = "the derivative of a velocity is an acceleration, which the force itself changes at once";
                    return Err(bad(
                        place("filter"),
                        reason,
                        "give the derivative a `filter` > 0, in s",
                    ));
                }
                Ok(())
            }
            Rule::StateSpace(s) => {
                let n = s.b.len();
                if s.a.len() != n * n || s.c.len() != n {
                    let reason = format!(
                        "its state space has {} numbers in A, {n} in B and {} in C; expected n², n and n",
                        s.a.len(),
                        s.c.len()
                    );
                    let remedy =
                        "give A by n rows of n numbers, B by n rows of one, C by one row of n";
                    return Err(bad(place("state_space"), reason, remedy));
                }
                let finite =
                    s.a.iter().chain(&s.b).chain(&s.c).chain([&s.d]).all(|x| x.is_finite());
                if finite {
                    return Ok(());
                }
                let reason = "a number of its state space is not finite";
                Err(bad(place("state_space"), reason, "give finite numbers"))
            }
        }
    }
}

impl FeedForward {
    fn check(&self, place: &impl Fn(&'static str) -> Part) -> Result<(), Error> {
        let key = "feed_forward";
        let force = |f: f64| require(place, key, f, f.is_finite(), "a finite number, N");
        let speed =
            |v: f64| require(place, key, v, v > 0.0 && v.is_finite(), "a finite velocity > 0, m/s");
        match *self {
            Self::Sign { force: f } => force(f),
            Self::Tanh { force: f, velocity } => force(f).and(speed(velocity)),
            Self::Stribeck { breakaway, dynamic, velocity, exponent } => {
                force(breakaway).and(force(dynamic)).and(speed(velocity))?;
                let fits = (0.5..=4.0).contains(&exponent);
                require(place, key, exponent, fits, "an exponent from 0.5 to 4")
            }
        }
    }
}

fn not_negative(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// An error at a property whose `value` is not what is `expected`, unless it `fits`.
fn require(
    place: &impl Fn(&'static str) -> Part,
    property: &'static str,
    value: f64,
    fits: bool,
    expected: &str,
) -> Result<(), Error> {
    if fits {
        return Ok(());
    }
    let reason = format!("its {property} is {value}; expected {expected}");
    Err(bad(place(property), reason, "correct the number"))
}

/// A controller between its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Controller {
    /// Its name, unique among controllers.
    pub name: Name,
    pub(super) ends: Ends,
    pub(super) on: usize,
    /// How its force follows.
    pub law: ControlLaw,
}

/// The most ticks of a sampled controller in a run: each ends a motion, which is kept.
const MOST_TICKS: f64 = 1e7;

impl Controller {
    /// An error if it is sampled and has too many ticks until `end` (s).
    pub(super) fn check_ticks(&self, end: f64) -> Result<(), Error> {
        let Some(Sampling { time, .. }) = self.law.sampling else { return Ok(()) };
        let count = end / time;
        if count <= MOST_TICKS {
            return Ok(());
        }
        let reason = format!("the `sample_time` of controller `{}` is {time} s", self.name);
        Err(Error::TooLong { what: "ticks", count, most: MOST_TICKS, reason })
    }

    /// What it measures: of the first end, relative to the second.
    pub fn of(&self) -> [Option<usize>; 2] {
        self.ends.nodes()
    }

    /// The node that gets the force.
    pub fn on(&self) -> usize {
        self.on
    }
}
