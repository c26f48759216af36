//! The terms of each law as columns of a linear problem.

use super::rows::Rows;
use super::{Asked, Motion};
use serde::Serialize;
use stickslip::portable;

/// A law of friction against speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// In proportion to the velocity.
    Viscous,
    /// A constant against the motion, and a part in proportion to the velocity.
    Coulomb,
    /// The same with numbers of its own for each direction.
    ByDirection,
    /// Coulomb's with terms in v|v| and v³.
    Polynomial,
    /// Falls with the speed from one constant to another by an exponential, and a viscous part.
    Stribeck,
}

impl Shape {
    /// All laws; each but the first contains `Viscous`, and each from the third on contains `Coulomb`.
    pub const ALL: [Self; 5] =
        [Self::Viscous, Self::Coulomb, Self::ByDirection, Self::Polynomial, Self::Stribeck];

    /// As fit files name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viscous => "viscous",
            Self::Coulomb => "coulomb",
            Self::ByDirection => "by-direction",
            Self::Polynomial => "polynomial",
            Self::Stribeck => "stribeck",
        }
    }
}

/// What a column of the problem stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Coulomb,
    Viscous,
    CoulombForward,
    CoulombBackward,
    ViscousForward,
    ViscousBackward,
    Quadratic,
    Cubic,
    /// F_s − F_c.
    Excess,
    Load,
    CoulombPerKelvin,
    ViscousPerKelvin,
    Offset,
    Inertia,
    GravitySin,
    GravityCos,
}

impl Term {
    /// Whether it is friction that does not grow with the speed.
    pub fn is_dry(&self) -> bool {
        let of_two_ways = matches!(self, Self::CoulombForward | Self::CoulombBackward);
        of_two_ways || matches!(self, Self::Coulomb | Self::Excess | Self::CoulombPerKelvin)
    }

    /// Whether it is friction that grows with the speed.
    pub fn is_viscous(&self) -> bool {
        let of_two_ways = matches!(self, Self::ViscousForward | Self::ViscousBackward);
        let curved = matches!(self, Self::Quadratic | Self::Cubic);
        of_two_ways || curved || matches!(self, Self::Viscous | Self::ViscousPerKelvin)
    }

    /// Its name in the result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coulomb => "coulomb",
            Self::Viscous => "viscous",
            Self::CoulombForward => "coulomb_forward",
            Self::CoulombBackward => "coulomb_backward",
            Self::ViscousForward => "viscous_forward",
            Self::ViscousBackward => "viscous_backward",
            Self::Quadratic => "quadratic",
            Self::Cubic => "cubic",
            Self::Excess => "excess",
            Self::Load => "load",
            Self::CoulombPerKelvin => "coulomb_per_kelvin",
            Self::ViscousPerKelvin => "viscous_per_kelvin",
            Self::Offset => "offset",
            Self::Inertia => "inertia",
            Self::GravitySin => "gravity_sin",
            Self::GravityCos => "gravity_cos",
        }
    }

    /// Its unit.
    pub fn unit(self, motion: Motion) -> &'static str {
        let [line, axis] = match self {
            Self::Coulomb
            | Self::CoulombForward
            | Self::CoulombBackward
            | Self::Excess
            | Self::Offset
            | Self::GravitySin
            | Self::GravityCos => ["N", "N·m"],
            Self::Viscous | Self::ViscousForward | Self::ViscousBackward => ["N·s/m", "N·m·s/rad"],
            Self::Quadratic => ["N·s²/m²", "N·m·s²/rad²"],
            Self::Cubic => ["N·s³/m³", "N·m·s³/rad³"],
            Self::Load => ["1", "1"],
            Self::CoulombPerKelvin => ["N/K", "N·m/K"],
            Self::ViscousPerKelvin => ["N·s/(m·K)", "N·m·s/(rad·K)"],
            Self::Inertia => ["kg", "kg·m²"],
        };
        match motion {
            Motion::Translation => line,
            Motion::Rotation => axis,
        }
    }

    /// Whether it is friction, and not inertia, gravity or an offset.
    pub fn is_friction(self) -> bool {
        !matches!(self, Self::Offset | Self::Inertia | Self::GravitySin | Self::GravityCos)
    }

    /// The column at row `n`.
    pub fn at(self, rows: &Rows, n: usize, fall: Option<Fall>) -> f64 {
        let column = |c: &Option<Vec<f64>>| c.as_ref().map_or(0.0, |c| c[n]);
        let v = rows.velocity[n];
        let warmer = column(&rows.temperature);
        match self {
            // Friction grows with how hard the contact is pressed, whichever way the load points.
            Self::Load => column(&rows.load).abs() * v.signum(),
            Self::CoulombPerKelvin => warmer * v.signum(),
            Self::ViscousPerKelvin => warmer * v,
            Self::Offset => 1.0,
            Self::Inertia => column(&rows.acceleration),
            Self::GravitySin => rows.gravity.as_ref().map_or(0.0, |[sin, _]| sin[n]),
            Self::GravityCos => rows.gravity.as_ref().map_or(0.0, |[_, cos]| cos[n]),
            _ => self.at_speed(v, fall),
        }
    }

    /// A term that depends on the velocity alone; others are 0.
    pub fn at_speed(self, v: f64, fall: Option<Fall>) -> f64 {
        let forwards = v > 0.0;
        let sign = v.signum();
        let if_true = |yes: bool, value: f64| if yes { value } else { 0.0 };
        match self {
            Self::Coulomb => sign,
            Self::Viscous => v,
            Self::CoulombForward => if_true(forwards, 1.0),
            // The friction on the way back is negative, so that its number comes out positive like that of the
            // way out.
            Self::CoulombBackward => if_true(!forwards, -1.0),
            Self::ViscousForward => if_true(forwards, v),
            Self::ViscousBackward => if_true(!forwards, v),
            Self::Quadratic => v * v.abs(),
            Self::Cubic => v * v * v,
            Self::Excess => fall.map_or(0.0, |f| f.at(v.abs()) * sign),
            _ => 0.0,
        }
    }
}

/// How the friction falls: exp(−(s/v_s)^δ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// v_s, m/s or rad/s.
    pub speed: f64,
    /// δ, 1 or 2.
    pub exponent: i32,
}

impl Fall {
    pub fn at(self, s: f64) -> f64 {
        portable::exp(-(s / self.speed).powi(self.exponent))
    }

    /// The derivative with respect to ln v_s.
    pub fn slope(self, s: f64) -> f64 {
        let u = (s / self.speed).powi(self.exponent);
        // v_s stands in the denominator: a larger one lets the friction fall later.
        f64::from(self.exponent) * u * portable::exp(-u)
    }
}

/// Which terms a record can have.
#[derive(Debug, Clone)]
pub struct Design {
    /// Terms of every law.
    common: Vec<Term>,
    /// Nearly all rows move one way: then an offset and dry friction are one number.
    pub one_way: bool,
    /// All rows have nearly the same speed: then dry and viscous friction are one number.
    pub one_speed: bool,
}

/// A direction with less than this share of the rows does not count.
const BOTH_WAYS: f64 = 0.02;
/// Speeds that vary by less than this share of their median are one speed.
const ONE_SPEED: f64 = 0.2;

impl Design {
    pub fn of(rows: &Rows, asked: &Asked) -> Self {
        // With only a few rows the other way, the difference of the directions would rest on these few.
        let one_way = !(BOTH_WAYS..=1.0 - BOTH_WAYS).contains(&rows.forwards());
        let one_speed = rows.variation() < ONE_SPEED;
        let mut common = Vec::new();
        if rows.load.is_some() {
            common.push(Term::Load);
        }
        if rows.temperature.is_some() {
            common.push(Term::CoulombPerKelvin);
            if !one_speed {
                // At one speed c(T)·v and F_c(T) change alike.
                common.push(Term::ViscousPerKelvin);
            }
        }
        if !one_way {
            common.push(Term::Offset);
        }
        if asked.inertia && rows.acceleration.is_some() {
            common.push(Term::Inertia);
        }
        if rows.gravity.is_some() {
            common.extend([Term::GravitySin, Term::GravityCos]);
        }
        Self { common, one_way, one_speed }
    }

    /// The terms of a law, those of its friction first; `None` if the record cannot tell it from a simpler one.
    pub fn terms(&self, shape: Shape) -> Option<Vec<Term>> {
        use Term::{
            Coulomb, CoulombBackward, CoulombForward, Cubic, Excess, Quadratic, Viscous,
            ViscousBackward, ViscousForward,
        };
        let own: &[Term] = match (shape, self.one_speed) {
            // At one speed only the sum of dry and viscous friction is seen, which Coulomb's term stands for.
            (Shape::Coulomb, true) => &[Coulomb],
            (_, true) => return None,
            (Shape::Viscous, _) => &[Viscous],
            (Shape::Coulomb, _) => &[Coulomb, Viscous],
            (Shape::Polynomial, _) => &[Coulomb, Viscous, Quadratic, Cubic],
            (Shape::Stribeck, _) => &[Coulomb, Viscous, Excess],
            (Shape::ByDirection, _) if self.one_way => return None,
            // An offset is the difference of two dry frictions: with both there is none.
            (Shape::ByDirection, _) => {
                &[CoulombForward, CoulombBackward, ViscousForward, ViscousBackward]
            }
        };
        let offset_is_one_of_them = shape == Shape::ByDirection;
        let common = self.common.iter().filter(|t| !(offset_is_one_of_them && **t == Term::Offset));
        Some(own.iter().chain(common).copied().collect())
    }
}
