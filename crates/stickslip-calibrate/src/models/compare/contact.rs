//! The friction laws that are compared: their numbers, where a search for them starts, and the models that have them.

use super::{Candidate, Tried};
use crate::models::Family;
use stickslip::portable;
use stickslip::{Law, Model, Problem};

/// A law of the contact with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contact {
    None,
    Viscous,
    Coulomb,
    StaticDynamic,
    Stribeck,
    Asymmetric,
}

pub const ALL: [(Contact, &str); 6] = [
    (Contact::None, "none"),
    (Contact::Viscous, "viscous"),
    (Contact::Coulomb, "coulomb"),
    (Contact::StaticDynamic, "static-dynamic"),
    (Contact::Stribeck, "stribeck"),
    (Contact::Asymmetric, "asymmetric"),
];

impl Contact {
    /// Its unknowns: names, units, ranges, and whether the first stands above the second. `force` is the size of the
    /// friction, `speed` the largest velocity.
    pub fn unknowns(
        self,
        force: f64,
        speed: f64,
        damping: f64,
    ) -> Vec<(&'static str, &'static str, [f64; 2])> {
        let newtons = |name| (name, "N", [0.0, 6.0 * force]);
        match self {
            Self::None => Vec::new(),
            Self::Viscous => vec![("damping", "N·s/m", [0.0, damping])],
            Self::Coulomb => vec![newtons("force")],
            Self::StaticDynamic => vec![newtons("dynamic"), newtons("static")],
            Self::Stribeck => {
                vec![
                    newtons("dynamic"),
                    newtons("static"),
                    ("velocity", "m/s", [1e-3 * speed, speed]),
                ]
            }
            Self::Asymmetric => vec![newtons("forward"), newtons("backward")],
        }
    }

    /// What [`candidate`] has found of it, with the place where its least squares ended.
    pub fn candidate(self, law: &'static str, found: &[f64]) -> Option<Tried> {
        let (&[count, relative, held_out, aic, bic, rss], rest) = found.split_first_chunk()?;
        // Only the names count here, not the ranges.
        let names = self.unknowns(1.0, 1.0, 1.0);
        let (numbers, p) = rest.split_at_checked(names.len())?;
        let numbers = names.iter().zip(numbers).map(|(n, v)| (n.0, *v)).collect();
        let unknowns = count as usize;
        let candidate = Candidate { law, numbers, unknowns, relative, held_out, aic, bic };
        Some(Tried { contact: self, candidate, rss, p: p.to_vec() })
    }

    /// Where its least squares start, next to a Coulomb force, and from the law that was fitted. What stands above the
    /// dynamic force is counted from it.
    pub fn starts(self, sizes: &Sizes) -> Vec<Vec<f64>> {
        let Sizes { force, speed, damping, rest, slide, fall, ways, .. } = *sizes;
        let above = (rest - slide).max(0.0);
        match self {
            Self::None => vec![Vec::new()],
            Self::Viscous => vec![vec![0.1 * damping]],
            Self::Coulomb => vec![vec![force], vec![slide]],
            Self::StaticDynamic => {
                vec![
                    vec![slide, above],
                    vec![force, 0.02 * force],
                    vec![0.95 * force, 0.25 * force],
                ]
            }
            Self::Stribeck => {
                let near =
                    [0.02, 0.1, 0.4].map(|share| vec![0.97 * force, 0.1 * force, share * speed]);
                std::iter::once(vec![slide, above, fall]).chain(near).collect()
            }
            Self::Asymmetric => vec![vec![force, force], ways.to_vec()],
        }
    }

    /// The numbers with which this law does what a `poorer` one does, and some next to them from which least squares can
    /// leave it; nothing where the poorer one is no case of it.
    pub fn like(self, poorer: Self, n: &[f64], sizes: &Sizes) -> Vec<Vec<f64>> {
        let small = 0.02 * sizes.force;
        let falls = |d: f64, above: f64| {
            [0.003, 0.02, 0.1, 0.4].map(|share| vec![d, above, share * sizes.speed]).to_vec()
        };
        match (poorer, self) {
            (Self::None, Self::Viscous) => vec![vec![0.0], vec![1e-3 * sizes.damping]],
            (Self::None, Self::Coulomb) => vec![vec![0.0], vec![small]],
            (Self::Coulomb, Self::StaticDynamic) => vec![vec![n[0], 0.0], vec![n[0], 0.1 * n[0]]],
            (Self::Coulomb, Self::Stribeck) => {
                [falls(n[0], 0.0), falls(0.97 * n[0], 0.1 * n[0])].concat()
            }
            // A law that falls within a small velocity is one that falls at once.
            (Self::StaticDynamic, Self::Stribeck) => falls(n[0], n[1]),
            (Self::Coulomb, Self::Asymmetric) => vec![vec![n[0], n[0]]],
            _ => Vec::new(),
        }
    }

    /// Whether a `poorer` law is a case of this one.
    pub fn holds(self, poorer: Self) -> bool {
        matches!(
            (poorer, self),
            (
                Self::None,
                Self::Viscous
                    | Self::Coulomb
                    | Self::StaticDynamic
                    | Self::Stribeck
                    | Self::Asymmetric
            ) | (Self::Coulomb, Self::StaticDynamic | Self::Stribeck | Self::Asymmetric)
        )
    }

    fn law(self, n: &[f64], exponent: f64) -> Result<Law, stickslip::Error> {
        match self {
            Self::None | Self::Viscous => Law::coulomb(0.0),
            Self::Coulomb => Law::coulomb(n[0]),
            Self::StaticDynamic => Law::static_dynamic(n[1], n[0]),
            Self::Stribeck => Law::stribeck_exponential(n[1], n[0], n[2], exponent, 0.0),
            Self::Asymmetric => Law::asymmetric(Law::coulomb(n[0])?, Law::coulomb(n[1])?),
        }
    }
}

/// What the starts of the laws are made of.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// A Coulomb force, N.
    pub force: f64,
    /// The largest velocity, m/s.
    pub speed: f64,
    /// The largest damping, N·s/m.
    pub damping: f64,
    /// Of the law that was fitted: friction at rest and in fast slip, N, and the velocity within which it falls from the
    /// one to the other, m/s.
    pub rest: f64,
    pub slide: f64,
    pub fall: f64,
    /// How sharply it does; 1 for a law that does not fall.
    pub exponent: f64,
    /// Its sliding friction either way, N.
    pub ways: [f64; 2],
}

impl Sizes {
    pub fn of(law: &Law, force: f64, speed: f64, damping: f64) -> Self {
        let mean = |of: &dyn Fn(f64) -> f64| 0.5 * (of(1.0) + of(-1.0));
        // Laws that age are at their limit after a long rest.
        let rest = mean(&|side| law.limit(side, 1e9));
        let at = |v: f64| mean(&|side| law.force(side, v));
        let slide = at(1e3 * speed);
        // A law with a viscous part has no friction in fast slip.
        let slide = if slide <= rest { slide } else { rest };
        let share = |v: f64| (at(v) - slide) / (rest - slide);
        // Bisection by factors for the velocity at which 1/e of the fall is left.
        let mut ends = [1e-4 * speed, speed];
        for _ in 0..60 {
            let middle = (ends[0] * ends[1]).sqrt();
            ends[usize::from(share(middle) <= 1.0 / std::f64::consts::E)] = middle;
        }
        let fall = ends[0];
        // At twice the velocity at which 1/e is left, e^(−2^δ) is.
        let exponent = portable::log(-portable::log(share(2.0 * fall))) / std::f64::consts::LN_2;
        // A law that does not fall, or not as an exponential does, gives no exponent.
        let exponent = if (0.2..5.0).contains(&exponent) { exponent } else { 1.0 };
        let ways = [law.force(1.0, 0.5 * speed), law.force(-1.0, 0.5 * speed)];
        Self { force, speed, damping, rest, slide, fall, exponent, ways }
    }
}

/// The models of another family with another contact.
pub struct Other<'a> {
    pub base: &'a dyn Family,
    /// Values of its unknowns, and which of them stay unknown.
    pub values: Vec<f64>,
    pub kept: Vec<usize>,
    pub contact: Contact,
    /// Of a law that falls with the velocity: that of the fitted one.
    pub exponent: f64,
}

impl Family for Other<'_> {
    fn problem(&self, values: &[f64]) -> Result<Problem, stickslip::Error> {
        self.with_contact(self.base.problem(&self.own(values))?, values)
    }

    fn part(&self, values: &[f64], span: [f64; 2]) -> Option<Result<Problem, stickslip::Error>> {
        let part = self.base.part(&self.own(values), span)?;
        Some(part.and_then(|p| self.with_contact(p, values)))
    }
}

impl Other<'_> {
    /// Values of the unknowns of the base.
    fn own(&self, values: &[f64]) -> Vec<f64> {
        let mut own = self.values.clone();
        for (&i, v) in self.kept.iter().zip(values) {
            own[i] = *v;
        }
        own
    }

    fn with_contact(
        &self,
        mut problem: Problem,
        values: &[f64],
    ) -> Result<Problem, stickslip::Error> {
        if let Model::Oscillator(o) = &mut problem.model {
            let numbers = &values[self.kept.len()..];
            o.friction = self.contact.law(numbers, self.exponent)?;
            // The friction of this contact is the damper: its law is without dry friction.
            if self.contact == Contact::Viscous {
                o.damping += numbers[0];
            }
        }
        Ok(problem)
    }
}
