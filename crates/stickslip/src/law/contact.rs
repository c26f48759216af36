//! Laws that users write.

use super::{Curve, Listed};
use crate::error::Error;
use crate::onestep::{self, Smooth, Step};
use std::fmt;
use std::sync::Arc;

/// A friction law as the schemes see it: what a user implements to bring one.
///
/// Two methods are enough, [`force`](Self::force) and [`slope_range`](Self::slope_range). The others
/// say what is special about the law: a contact that holds more at rest than it drags in motion has a
/// [`limit`](Self::limit) of its own, one that ages uses the time at rest in it, and one whose forces are
/// constant says so in [`constants`](Self::constants), which opens the schemes with closed forms to it.
///
/// | scheme | needs |
/// |---|---|
/// | adaptive, euler, implicit-euler | `force`, `slope_range`, and `limit` where it differs |
/// | exact | `constants` |
/// | quasi-static | `constants`, the same both ways |
///
/// ```
/// use stickslip::law::Contact;
/// use stickslip::scheme::oscillator::adaptive::{self, Options};
/// use stickslip::{Law, Oscillator, Signal};
///
/// /// Holds 3 N at rest; drags with 2 N when it sets out, and less the faster it slides.
/// #[derive(Debug)]
/// struct Rubber;
///
/// impl Contact for Rubber {
///     fn force(&self, _side: f64, speed: f64) -> f64 {
///         2.0 / (1.0 + speed)
///     }
///     fn slope_range(&self, _side: f64, lo: f64, hi: f64) -> (f64, f64) {
///         // the slope −2/(1 + s)² increases
///         (-2.0 / (1.0 + lo).powi(2), -2.0 / (1.0 + hi).powi(2))
///     }
///     fn limit(&self, _side: f64, _age: f64) -> f64 {
///         3.0
///     }
/// }
///
/// # fn main() -> Result<(), stickslip::Error> {
/// let law = Law::custom("rubber", Rubber)?;
/// let o = Oscillator::new(1.0, 1.0, law).with_drive(Signal::ramp(0.1, 0.0));
/// let path = adaptive::solve(&o, 40.0, Options::default())?;
/// assert!((path.events()[0].time - 30.0).abs() < 1e-9); // K·0.1 t = 3 N
/// # Ok(()) }
/// ```
pub trait Contact: fmt::Debug + Send + Sync {
    /// The friction's magnitude while sliding towards `side` (±1) at `speed` ≥ 0 (m/s), N ≥ 0. Continuous in
    /// the speed; at speed 0 what it drags with when sliding begins.
    fn force(&self, side: f64, speed: f64) -> f64;

    /// Bounds (least, greatest) on the slope of [`force`](Self::force) over the speeds [`lo`, `hi`], N·s/m, and
    /// the tighter the shorter the interval. `hi` may be +∞. Steps are proved to have found every solution,
    /// and adaptive steps to have stepped over no bend of the law, by these bounds: they must be true.
    fn slope_range(&self, side: f64, lo: f64, hi: f64) -> (f64, f64);

    /// The load towards `side` beyond which a stick that has lasted `age` (s) ends, N; at least the force at
    /// speed 0.
    fn limit(&self, side: f64, age: f64) -> f64 {
        let _ = age;
        self.force(side, 0.0)
    }

    /// Whether the limit depends on the time at rest.
    fn ages(&self) -> bool {
        false
    }

    /// The next age at which the growth of the limit has a kink, s (+∞: none).
    fn next_kink(&self, age: f64) -> f64 {
        let _ = age;
        f64::INFINITY
    }

    /// (f_s, f_d) forwards and backwards if all are constant, N.
    fn constants(&self) -> Option<[(f64, f64); 2]> {
        None
    }

    /// sup(−dA/d|w|) over both directions, N·s/m: how fast the friction weakens with the speed. 0 where it never
    /// does, +∞ where no bound exists.
    fn weakening(&self) -> f64 {
        let steepest = |side| -self.slope_range(side, 0.0, f64::INFINITY).0;
        steepest(1.0).max(steepest(-1.0)).max(0.0)
    }

    /// The speeds around `speed` (m/s) between two kinks of the friction towards `side`; at a kink those above it where
    /// `rising`. Adaptive steps end at kinks that they know of, and shorten themselves until they are past others.
    fn smooth_around(&self, side: f64, speed: f64, rising: bool) -> Smooth {
        let _ = (side, speed, rising);
        Smooth::EVERYWHERE
    }

    /// Whether the contact holds more at rest than it drags with when sliding begins.
    fn is_rule(&self) -> bool {
        self.ages()
            || [1.0, -1.0].into_iter().any(|side| self.limit(side, 0.0) > self.force(side, 0.0))
    }

    /// One step: w⁺ with p − w⁺ ∈ λ A(w⁺), `lambda` in s/kg, `age` (s) the time at rest if it sticks, `w` the
    /// velocity before. Where the limit exceeds the force, the contact sticks if it can.
    fn step(&self, p: f64, lambda: f64, age: f64, w: f64) -> Step {
        let side = 1f64.copysign(p);
        let limit = self.limit(side, age);
        let force = self.force(side, 0.0);
        if limit > force && p.abs() <= lambda * limit {
            return Step::only(0.0);
        }
        onestep::resolvent(&OneSide { contact: self, side }, p, lambda, w)
    }
}

/// A law whose friction is one curve of the speed, the same both ways, is a contact: its step is the resolvent.
impl<C: Curve + fmt::Debug + Send + Sync> Contact for C {
    fn force(&self, _side: f64, speed: f64) -> f64 {
        self.at(speed)
    }

    fn slope_range(&self, _side: f64, lo: f64, hi: f64) -> (f64, f64) {
        Curve::slope_range(self, lo, hi)
    }

    fn weakening(&self) -> f64 {
        Curve::weakening(self)
    }

    fn smooth_around(&self, _side: f64, speed: f64, rising: bool) -> Smooth {
        Curve::smooth_around(self, speed, rising)
    }

    fn is_rule(&self) -> bool {
        false
    }

    fn step(&self, p: f64, lambda: f64, _age: f64, w: f64) -> Step {
        onestep::resolvent(self, p, lambda, w)
    }
}

/// One step of a contact that slides already, or has just broken away: [`Contact::step`] without what it holds more at rest.
pub(super) fn slide(contact: &(impl Contact + ?Sized), p: f64, lambda: f64, w: f64) -> Step {
    onestep::resolvent(&OneSide { contact, side: 1f64.copysign(p) }, p, lambda, w)
}

/// One half of a contact's graph.
struct OneSide<'a, C: ?Sized> {
    contact: &'a C,
    side: f64,
}

impl<C: Contact + ?Sized> Curve for OneSide<'_, C> {
    fn at(&self, s: f64) -> f64 {
        self.contact.force(self.side, s.max(0.0))
    }

    fn slope(&self, s: f64) -> f64 {
        // Only steers Newton's iteration, which is bracketed.
        let d = 1e-6 * s.max(1e-9);
        let (least, greatest) = Curve::slope_range(self, s, s + d);
        ((self.at(s + d) - self.at(s)) / d).clamp(least, greatest.max(least))
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        self.contact.slope_range(self.side, lo, hi)
    }

    fn weakening(&self) -> f64 {
        (-self.contact.slope_range(self.side, 0.0, f64::INFINITY).0).max(0.0)
    }
}

/// A user's law and its name, which stands for it in messages and wherever problems are compared.
#[derive(Clone)]
pub struct Custom {
    name: Arc<str>,
    contact: Arc<dyn Contact>,
}

impl Custom {
    /// The law called `name`; its numbers at rest are checked.
    ///
    /// # Errors
    /// [`Error::BadLaw`] if the name is empty, a force or a limit at rest is no finite number ≥ 0, a limit
    /// is below the force when sliding begins, or the bounds on the slope are no bounds.
    pub fn new(name: impl Into<String>, contact: impl Contact + 'static) -> Result<Self, Error> {
        let law = Self { name: name.into().into(), contact: Arc::new(contact) };
        let bad = |reason: String| Err(Error::BadLaw { name: law.name.to_string(), reason });
        if law.name.is_empty() {
            return bad("it has no name; give it one, for results are compared by it".into());
        }
        for (side, way) in [(1.0, "forwards"), (-1.0, "backwards")] {
            let force = law.contact.force(side, 0.0);
            let limit = law.contact.limit(side, 0.0);
            let fine = force.is_finite() && limit.is_finite() && 0.0 <= force && force <= limit;
            if !fine {
                return bad(format!(
                    "{way} it drags with {force} N at speed 0 and holds {limit} N; expected finite forces, 0 ≤ force ≤ limit"
                ));
            }
            let (least, greatest) = law.contact.slope_range(side, 0.0, f64::INFINITY);
            if least.is_nan() || greatest.is_nan() || least > greatest {
                return bad(format!(
                    "{way} its slope is bounded by {least} and {greatest} N·s/m over all speeds; expected least ≤ greatest"
                ));
            }
            let constants = law.contact.constants().map(|c| c[usize::from(side < 0.0)]);
            if let Some((fs, fd)) = constants.filter(|c| *c != (limit, force)) {
                return bad(format!(
                    "{way} its constants are {fs} N at rest and {fd} N in motion, but it holds {limit} N and drags with {force} N; \
                     expected the same"
                ));
            }
        }
        Ok(law)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Contact for Custom {
    fn force(&self, side: f64, speed: f64) -> f64 {
        // A scheme that overshoots an event asks for speeds below 0, of which a user's law need not know.
        self.contact.force(side, speed.max(0.0))
    }

    fn slope_range(&self, side: f64, lo: f64, hi: f64) -> (f64, f64) {
        self.contact.slope_range(side, lo, hi)
    }

    fn limit(&self, side: f64, age: f64) -> f64 {
        self.contact.limit(side, age)
    }

    fn ages(&self) -> bool {
        self.contact.ages()
    }

    fn next_kink(&self, age: f64) -> f64 {
        self.contact.next_kink(age)
    }

    fn constants(&self) -> Option<[(f64, f64); 2]> {
        self.contact.constants()
    }

    fn weakening(&self) -> f64 {
        self.contact.weakening()
    }

    fn smooth_around(&self, side: f64, speed: f64, rising: bool) -> Smooth {
        self.contact.smooth_around(side, speed, rising)
    }

    fn is_rule(&self) -> bool {
        self.contact.is_rule()
    }

    fn step(&self, p: f64, lambda: f64, age: f64, w: f64) -> Step {
        self.contact.step(p, lambda, age, w)
    }
}

impl Listed for Custom {
    fn canonical(&self) -> Result<String, Error> {
        Ok(format!("custom({:?})", self.name()))
    }

    fn user_functions(&self) -> Vec<Option<String>> {
        vec![Some(self.name().to_owned())]
    }
}

impl PartialEq for Custom {
    /// The same law under the same name.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.contact, &other.contact)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Custom").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (force, limit, least and greatest slope, constants) forwards and backwards.
    #[derive(Debug, Clone, Copy)]
    struct Sides([(f64, f64, (f64, f64)); 2], Option<[(f64, f64); 2]>);

    impl Sides {
        fn at(&self, side: f64) -> (f64, f64, (f64, f64)) {
            self.0[usize::from(side < 0.0)]
        }
    }

    impl Contact for Sides {
        fn force(&self, side: f64, _: f64) -> f64 {
            self.at(side).0
        }
        fn limit(&self, side: f64, _: f64) -> f64 {
            self.at(side).1
        }
        fn slope_range(&self, side: f64, _: f64, _: f64) -> (f64, f64) {
            self.at(side).2
        }
        fn constants(&self) -> Option<[(f64, f64); 2]> {
            self.1
        }
    }

    /// 1/(1 + s³), as [`Stribeck`](crate::law::Stribeck) has it with a = d = 1, and b = c = 0.
    #[derive(Debug)]
    struct Weak;

    impl Contact for Weak {
        fn force(&self, _: f64, s: f64) -> f64 {
            1.0 / (1.0 + s.powi(3))
        }
        fn slope_range(&self, _: f64, lo: f64, hi: f64) -> (f64, f64) {
            let slope = |s: f64| -3.0 * s * s / (1.0 + s.powi(3)).powi(2);
            let ends = [slope(lo), if hi.is_finite() { slope(hi) } else { 0.0 }];
            let steepest = 0.5f64.cbrt();
            let inside = lo < steepest && steepest < hi;
            let least = if inside { slope(steepest) } else { ends[0].min(ends[1]) };
            (least, ends[0].max(ends[1]))
        }
    }

    /// The same law written by a user and built in: the same step where it is one of several, at rest and in motion.
    #[test]
    fn a_law_that_weakens_has_all_its_steps() {
        let built_in = crate::law::Stribeck::new(1.0, 0.0, 0.0, 1.0).unwrap();
        for i in 1..100 {
            let p = 0.06 * f64::from(i);
            for lambda in [0.5, 4.0] {
                for before in [0.0, 1.0, 3.0] {
                    let got = Weak.step(p, lambda, 0.0, before);
                    let want = onestep::resolvent(&built_in, p, lambda, before);
                    let gap = (got.w - want.w).abs();
                    assert!(gap < 1e-13 && got.several == want.several, "{p} {lambda} {before}");
                }
            }
        }
        // 3.5 ≤ 4·A(0), so that rest is one; in fast motion the greatest root is nearer.
        assert!(Weak.step(3.5, 4.0, 0.0, 3.0).w > 3.0);
    }

    const FINE: (f64, f64, (f64, f64)) = (1.0, 2.0, (0.0, 0.0));

    /// Each number that is wrong is found in both directions, and the message says in which.
    #[test]
    fn wrong_numbers_are_refused_in_both_directions() {
        let nan = f64::NAN;
        let inf = f64::INFINITY;
        let wrong = [
            (nan, 2.0, (0.0, 0.0)),
            (-1.0, 2.0, (0.0, 0.0)),
            (-inf, 2.0, (0.0, 0.0)),
            (1.0, nan, (0.0, 0.0)),
            (1.0, inf, (0.0, 0.0)),
            (1.0, 0.5, (0.0, 0.0)),
            (1.0, 2.0, (nan, 0.0)),
            (1.0, 2.0, (0.0, nan)),
            (1.0, 2.0, (1.0, 0.0)),
        ];
        let refused = |sides| Custom::new("law", sides).unwrap_err().to_string();
        for one in wrong {
            assert!(refused(Sides([one, FINE], None)).contains("forwards"), "{one:?}");
            assert!(refused(Sides([FINE, one], None)).contains("backwards"), "{one:?}");
        }
        let said = [(2.0, 1.0); 2];
        assert!(Custom::new("law", Sides([FINE; 2], Some(said))).is_ok());
        for other in [(2.5, 1.0), (2.0, 1.5)] {
            let first = [other, said[1]];
            let second = [said[0], other];
            assert!(refused(Sides([FINE; 2], Some(first))).contains("forwards"));
            assert!(refused(Sides([FINE; 2], Some(second))).contains("backwards"));
        }
        assert!(Custom::new("", Sides([FINE; 2], None)).is_err());
    }

    #[test]
    fn laws_are_compared_by_name_and_identity() {
        let law = |name| Custom::new(name, Sides([FINE; 2], None)).unwrap();
        let one = law("a");
        assert_eq!(one, one.clone());
        assert_ne!(one, law("a"));
        assert_ne!(one, Custom { name: "b".into(), ..one.clone() });
    }

    /// A limit above the force in either direction makes the rule of two phases.
    #[test]
    fn two_phases_in_one_direction_are_a_rule() {
        let equal = (1.0, 1.0, (0.0, 0.0));
        let is_rule = |sides| Custom::new("law", Sides(sides, None)).unwrap().is_rule();
        assert!(is_rule([FINE, equal]) && is_rule([equal, FINE]) && !is_rule([equal, equal]));
    }
}
