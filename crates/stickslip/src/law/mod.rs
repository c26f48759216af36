//! What a friction contact does.
//!
//! A law says two things: the force while sliding, and how the velocity advances over one time
//! step. Monotone laws do the latter by their **resolvent** (a contraction: small errors stay
//! small). The two-phase law with f_s > f_d is not monotone, so it has no resolvent; it advances
//! by a **rule** ([`StaticDynamic::advance`]), and that difference is kept visible here.

mod coulomb;
mod static_dynamic;

pub use coulomb::Coulomb;
pub use static_dynamic::StaticDynamic;

use crate::error::Error;

/// What every contact answers, whatever its law.
pub trait Contact: Copy {
    /// f_s: the load's magnitude beyond which a stick ends, N.
    fn breakaway(&self) -> f64;

    /// f_d: the friction's magnitude while sliding, N.
    fn sliding(&self) -> f64;

    /// The velocity V⁺ after one explicit step, from p = V + (h/m) b and h/m (s/kg).
    /// Zero means stick. Source: seed 000 §3.1, §3.2.
    fn advance(&self, p: f64, h_over_m: f64) -> f64;
}

/// A friction law, chosen at run time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// One force, f_s = f_d: maximal monotone.
    Coulomb(Coulomb),
    /// f_d ≤ f_s: a rule in two phases.
    StaticDynamic(StaticDynamic),
}

impl Law {
    /// Coulomb's law with the given force, N.
    pub fn coulomb(force: f64) -> Result<Self, Error> {
        Coulomb::new(force).map(Self::Coulomb)
    }

    /// The two-phase law with breakaway force `static_` and sliding force `dynamic`, N.
    pub fn static_dynamic(static_: f64, dynamic: f64) -> Result<Self, Error> {
        StaticDynamic::new(static_, dynamic).map(Self::StaticDynamic)
    }

    /// f_s, N.
    pub fn breakaway(&self) -> f64 {
        match self {
            Self::Coulomb(l) => l.breakaway(),
            Self::StaticDynamic(l) => l.breakaway(),
        }
    }

    /// f_d, N.
    pub fn sliding(&self) -> f64 {
        match self {
            Self::Coulomb(l) => l.sliding(),
            Self::StaticDynamic(l) => l.sliding(),
        }
    }
}
