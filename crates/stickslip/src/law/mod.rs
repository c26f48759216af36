//! What a friction contact does.
//!
//! A law says three things about the velocity w of the mass relative to its support: the friction
//! while sliding, A(w); the limits of the friction at rest; and how w advances over one time step.
//!
//! * **Graphs** ([`Coulomb`], [`Cubic`], [`Stribeck`], [`StribeckExponential`], [`VelocityStrengthening`], [`General`]) have the
//!   limits ±A(0±): the friction is one (multivalued) function of w. Their step is the **resolvent**
//!   w ∈ (I + λ A)⁻¹ p, found by [`onestep`](crate::onestep). It is unique while λ · sup(−A′) < 1.
//! * **Rules** ([`StaticDynamic`], [`Ageing`]) can hold more at rest than in motion. They have no
//!   resolvent, whatever the step: "stick as long as the limit allows" decides
//!   ([`StaticDynamic::advance`](TwoForces::advance)). That difference is kept visible here.
//!
//! Laws with memory are a kind of their own, in [`memory`].
//!
//! [`Asymmetric`] takes one law for each direction, [`Law::custom`] a user's own [`Contact`].

mod ageing;
mod asymmetric;
mod contact;
mod coulomb;
mod cubic;
mod general;
pub mod memory;
mod static_dynamic;
mod stribeck;
mod stribeck_exponential;
mod velocity_strengthening;

pub use crate::onestep::{Curve, Smooth};
pub use ageing::{Ageing, Growth};
pub use asymmetric::Asymmetric;
pub use contact::{Contact, Custom};
pub use coulomb::Coulomb;
pub use cubic::Cubic;
pub use general::General;
pub use static_dynamic::StaticDynamic;
pub use stribeck::Stribeck;
pub use stribeck_exponential::StribeckExponential;
pub use velocity_strengthening::VelocityStrengthening;

use crate::error::Error;
use crate::onestep::Step;

/// A contact with two constant forces, as the tightest loops see it.
#[doc(hidden)]
pub trait TwoForces: Copy {
    /// f_s: the load's magnitude beyond which a stick ends, N.
    fn breakaway(&self) -> f64;

    /// f_d: the friction's magnitude while sliding, N.
    fn sliding(&self) -> f64;

    /// The velocity V⁺ after one explicit step, from p = V + (h/m) b and h/m (s/kg).
    /// Zero means stick. Source: Bensoussan et al. 2021, §3.1, §3.2.
    fn advance(&self, p: f64, h_over_m: f64) -> f64;
}

/// What a law of the list says besides what it does.
trait Listed: Contact {
    /// The law as text, its numbers with all their digits.
    ///
    /// # Errors
    /// [`Error::Unnamed`] for a function of a user that has no name.
    fn canonical(&self) -> Result<String, Error>;

    /// The names of the user's functions in the law, `None` for one without a name.
    fn user_functions(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

/// Makes [`Law`] from the list of laws: each is a type that implements [`Contact`], itself or because it is a
/// [`Curve`], and [`Listed`]. The list is closed so that the loops over time steps call a law without a pointer.
macro_rules! laws {
    ($($(#[$doc:meta])* $Law:ident),+ $(,)?) => {
        /// A friction law, chosen at run time.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Law {
            $($(#[$doc])* $Law($Law)),+
        }

        impl Law {
            /// The law as text, its numbers with all their digits: equal for equal laws, and for functions of users where
            /// their names are.
            ///
            /// # Errors
            /// [`Error::Unnamed`] for a function without a name.
            pub fn canonical(&self) -> Result<String, Error> {
                match self { $(Self::$Law(law) => Listed::canonical(law)),+ }
            }

            /// The names of the user's functions in the law; `None` stands for one without a name, so that two such
            /// laws cannot be told apart by anything but their identity.
            pub fn user_functions(&self) -> Vec<Option<String>> {
                match self { $(Self::$Law(law) => Listed::user_functions(law)),+ }
            }

            /// The load towards `side` (±1) beyond which a stick that has lasted `age` (s) ends, N ≥ 0.
            pub fn limit(&self, side: f64, age: f64) -> f64 {
                match self { $(Self::$Law(law) => Contact::limit(law, side, age)),+ }
            }

            /// The friction's magnitude while sliding towards `side` (±1) at `speed` = |w| (m/s), N.
            /// At 0 the limit A(0±); below 0 continued, for schemes that overshoot an event.
            #[inline]
            pub fn force(&self, side: f64, speed: f64) -> f64 {
                match self { $(Self::$Law(law) => Contact::force(law, side, speed)),+ }
            }

            /// Bounds on dA/d|w| over the speeds [`lo`, `hi`] (m/s, `hi` may be +∞) towards `side`, N·s/m: certified,
            /// and tight as the interval shrinks.
            pub fn slope_range(&self, side: f64, lo: f64, hi: f64) -> (f64, f64) {
                match self { $(Self::$Law(law) => Contact::slope_range(law, side, lo, hi)),+ }
            }

            /// sup(−dA/d|w|), N·s/m: how fast the friction weakens with the speed. 0 for monotone laws.
            pub fn weakening(&self) -> f64 {
                match self { $(Self::$Law(law) => Contact::weakening(law)),+ }
            }

            /// The speeds around `speed` (m/s) between two kinks of the friction towards `side`: see [`Smooth`].
            pub fn smooth_around(&self, side: f64, speed: f64, rising: bool) -> Smooth {
                match self { $(Self::$Law(law) => Contact::smooth_around(law, side, speed, rising)),+ }
            }

            /// Whether the contact holds more at rest than when sliding begins: then leaving early is a
            /// solution of the inclusion as well, and the rule decides.
            pub fn is_rule(&self) -> bool {
                match self { $(Self::$Law(law) => Contact::is_rule(law)),+ }
            }

            /// Whether a contact whose load stands at its limit may stay or leave, both of which solve the inclusion: it holds
            /// more at rest than when sliding begins, or its friction falls infinitely fast with the first motion, as that of
            /// Stribeck's exponential with an exponent below 1 (w′ = c wⁿ has w = 0 and another solution from any
            /// instant on).
            pub fn leaves_at_will(&self) -> bool {
                self.is_rule() || self.weakening() == f64::INFINITY
            }

            /// Whether the limits depend on the time at rest.
            pub fn ages(&self) -> bool {
                match self { $(Self::$Law(law) => Contact::ages(law)),+ }
            }

            /// The next age at which the growth of the limits has a kink, s (+∞: none).
            pub fn next_kink(&self, age: f64) -> f64 {
                match self { $(Self::$Law(law) => Contact::next_kink(law, age)),+ }
            }

            /// (f_s, f_d) forwards and backwards when all are constant, N; what `exact` can treat.
            pub fn constants(&self) -> Option<[(f64, f64); 2]> {
                match self { $(Self::$Law(law) => Contact::constants(law)),+ }
            }

            /// One step: w⁺ with p − w⁺ ∈ λ A(w⁺), λ in s/kg, `age` (s) the time at rest if it sticks.
            /// Rules stick if they can. Where a graph leaves several solutions, the one nearest to `w`,
            /// the velocity before; the step then says so.
            pub fn step(&self, p: f64, lambda: f64, age: f64, w: f64) -> Step {
                match self { $(Self::$Law(law) => Contact::step(law, p, lambda, age, w)),+ }
            }

            /// The same where the contact slides already, or has just broken away, and holds no more than it drags with.
            pub(crate) fn slide(&self, p: f64, lambda: f64, w: f64) -> Step {
                match self { $(Self::$Law(law) => contact::slide(law, p, lambda, w)),+ }
            }
        }
    };
}

laws! {
    /// One force, f_s = f_d: maximal monotone.
    Coulomb,
    /// f_d ≤ f_s: a rule in two phases.
    StaticDynamic,
    /// D/(A|w|³ + Bw² + C|w| + 1): falls with the speed.
    Stribeck,
    /// α₀ − α₁|w| + α₂|w|³: falls with the speed and rises again.
    Cubic,
    /// From f_s to f_d by an exponential of the speed, and a viscous part.
    StribeckExponential,
    /// From a slow force to a fast one, rising with the speed.
    VelocityStrengthening,
    /// α_S σ(w) + Ψ(w): any function or table.
    General,
    /// A limit that grows with the time at rest: a rule.
    Ageing,
    /// One law forwards, another backwards.
    Asymmetric,
    /// A user's.
    Custom,
}

impl Law {
    /// Coulomb's law with the given force, N.
    ///
    /// # Errors
    /// If the force is not a finite number ≥ 0 N.
    pub fn coulomb(force: f64) -> Result<Self, Error> {
        Coulomb::new(force).map(Self::Coulomb)
    }

    /// The two-phase law with breakaway force `breakaway` and sliding force `dynamic`, N.
    ///
    /// # Errors
    /// If a force is not a finite number ≥ 0 N, or the dynamic one exceeds the static one.
    pub fn static_dynamic(breakaway: f64, dynamic: f64) -> Result<Self, Error> {
        StaticDynamic::new(breakaway, dynamic).map(Self::StaticDynamic)
    }

    /// Stribeck's law of Bastien, Bernardin, Lamarque 2013, (1.38), d/(a|w|³ + b w² + c|w| + 1).
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn stribeck(a: f64, b: f64, c: f64, d: f64) -> Result<Self, Error> {
        Stribeck::new(a, b, c, d).map(Self::Stribeck)
    }

    /// α₀ − α₁|w| + α₂|w|³ (di Bernardo, Kowalczyk and Nordmark 2003), by α₀, N, α₁, N·s/m, and α₂, N·s³/m³.
    ///
    /// # Errors
    /// If a number is outside its range, or the friction would be negative at some speed.
    pub fn cubic(breakaway: f64, weakening: f64, strengthening: f64) -> Result<Self, Error> {
        Cubic::new(breakaway, weakening, strengthening).map(Self::Cubic)
    }

    /// f_d + (f_s − f_d) exp(−|w/w_s|^δ) + c|w|.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn stribeck_exponential(
        breakaway: f64,
        dynamic: f64,
        velocity: f64,
        exponent: f64,
        viscous: f64,
    ) -> Result<Self, Error> {
        StribeckExponential::new(breakaway, dynamic, velocity, exponent, viscous)
            .map(Self::StribeckExponential)
    }

    /// `fast` − (`fast` − `slow`) exp(−`rate` |w|), which rises with the speed; N and s/m.
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn velocity_strengthening(slow: f64, fast: f64, rate: f64) -> Result<Self, Error> {
        VelocityStrengthening::new(slow, fast, rate).map(Self::VelocityStrengthening)
    }

    /// `forward` for w > 0, `backward` for w < 0 (its forces given as magnitudes).
    ///
    /// # Errors
    /// [`Error::Nested`] if one of the two is itself asymmetric.
    pub fn asymmetric(forward: Law, backward: Law) -> Result<Self, Error> {
        Asymmetric::new(forward, backward).map(Self::Asymmetric)
    }

    /// A law of your own; `name` stands for it in messages and wherever problems are compared.
    ///
    /// # Errors
    /// [`Error::BadLaw`] if its forces at rest are no finite numbers with 0 ≤ force ≤ limit.
    ///
    /// ```
    /// use stickslip::law::Contact;
    /// use stickslip::{Law, Oscillator, scheme::oscillator::exact};
    ///
    /// /// Two constant forces, stronger backwards.
    /// #[derive(Debug)]
    /// struct Pawl;
    ///
    /// impl Contact for Pawl {
    ///     fn force(&self, side: f64, _speed: f64) -> f64 {
    ///         if side > 0.0 { 0.5 } else { 2.0 }
    ///     }
    ///     fn slope_range(&self, _: f64, _: f64, _: f64) -> (f64, f64) {
    ///         (0.0, 0.0)
    ///     }
    ///     fn constants(&self) -> Option<[(f64, f64); 2]> {
    ///         Some([(0.5, 0.5), (2.0, 2.0)])
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let o = Oscillator::new(1.0, 1.0, Law::custom("pawl", Pawl)?).starting_at(-3.0, 0.0);
    /// // forwards around 0.5 − …: x = −0.5 − 2.5 cos t until t = π, x = 2, where 2 N hold it
    /// let path = exact::solve(&o, 10.0)?;
    /// assert!((path.state(10.0).x - 2.0).abs() < 1e-14);
    /// # Ok(()) }
    /// ```
    pub fn custom(name: impl Into<String>, contact: impl Contact + 'static) -> Result<Self, Error> {
        Custom::new(name, contact).map(Self::Custom)
    }

    /// f_s, N: the load's magnitude beyond which a fresh stick ends, in the stronger direction.
    pub fn breakaway(&self) -> f64 {
        self.limit(1.0, 0.0).max(self.limit(-1.0, 0.0))
    }

    /// f_d, N: the friction's magnitude when sliding begins, in the stronger direction.
    pub fn sliding(&self) -> f64 {
        self.force(1.0, 0.0).max(self.force(-1.0, 0.0))
    }

    /// How far the friction is from a straight line over the speeds [`lo`, `hi`] towards `side`, over what
    /// one adaptive step may take for granted: above 1 the step could miss a bend of the law. Certified by
    /// the bounds on the slope; where the friction is monotone its change bounds it too.
    pub(crate) fn bend(&self, side: f64, lo: f64, hi: f64) -> f64 {
        let (least, greatest) = self.slope_range(side, lo, hi);
        if least == greatest {
            return 0.0;
        }
        let [rest, a, b] = [0.0, lo, hi].map(|s| self.force(side, s));
        let mut deviates = (greatest - least) * (hi - lo);
        if greatest <= 0.0 || least >= 0.0 {
            deviates = deviates.min((a - b).abs());
        }
        let change = (rest - a).abs().max((rest - b).abs());
        deviates / (0.25 * change.max(1e-3 * rest.max(a).max(b)))
    }
}

#[cfg(test)]
pub(crate) mod curve_tests {
    use super::Curve;

    /// The certified bounds hold the difference quotients, and the slope is their limit.
    pub fn slopes_are_bounded(curve: &impl Curve, until: f64) {
        for i in 0..400 {
            let lo = until * f64::from(i) / 400.0;
            let width = until / f64::from(1 + i % 50);
            let (least, greatest) = curve.slope_range(lo, lo + width);
            for j in 0..20 {
                let a = lo + width * f64::from(j) / 20.0;
                let b = lo + width * f64::from(j + 1) / 20.0;
                let quotient = (curve.at(b) - curve.at(a)) / (b - a);
                let slack = 1e-9 * (1.0 + quotient.abs());
                assert!(
                    least - slack <= quotient && quotient <= greatest + slack,
                    "{a} {b}: {quotient}"
                );
            }
        }
    }

    /// sup(−A′) on a fine grid.
    pub fn steepest_on_a_grid(curve: &impl Curve, until: f64) -> f64 {
        (0..=20_000).map(|i| -curve.slope(until * f64::from(i) / 20_000.0)).fold(0.0, f64::max)
    }
}
