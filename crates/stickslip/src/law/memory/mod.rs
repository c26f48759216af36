//! Laws with memory: the friction depends on what the contact remembers, not on the velocity alone.
//!
//! A contact of this kind keeps numbers z of its own, the deflections of bristles (m) or the age of its asperities (s), with
//!
//! ```text
//! ż = Z(w, z),        F = N · R(ξ, w, z, ż),        w = ξ̇: velocity relative to the support
//! ```
//!
//! N is the normal force where there is one and 1 otherwise. The formulas of most laws change where w turns or where z
//! passes a bound. Each stretch between two such instants is smooth: a [`Run`] says towards which side the contact moves and
//! in which *region* its numbers are, [`Remembers::margins`] how far they are from the end of the region.
//!
//! | law | source | its numbers | slips when |
//! |---|---|---|---|
//! | [`Dahl`] | Dahl 1968 | bounded by F_c/σ | the bristle yields nine tenths of the motion |
//! | [`Lugre`] | Canudas de Wit et al. 1995 | bounded by f_s/σ₀ | the same |
//! | [`ElastoPlastic`] | Dupont et al. 2002 | the same | the bristle leaves its elastic range |
//! | [`BoucWen`] | Bouc 1967, Wen 1976 | bounded by (A/(β + γ))^(1/n), and the work done where it degrades | the bristle yields nine tenths of the motion |
//!
//! | [`MaxwellSlip`] | Al-Bender et al. 2005 | each bounded by α_i f_s/k_i | all its elements slide |
//! | [`RateAndState`] | Dieterich 1979, Ruina 1983 | θ > 0 | it is faster than V₀ |
//!
//! [`Own`] takes whatever else implements [`Remembers`].
//!
//! A slip of bristles begins by this criterion and ends where the velocity turns: there they are elastic again.

mod bouc_wen;
mod dahl;
mod elasto_plastic;
mod lugre;
mod maxwell_slip;
mod own;
mod rate_and_state;
mod stribeck_limit;

pub use bouc_wen::{BoucWen, Degradation, Shape};
pub use dahl::Dahl;
pub use elasto_plastic::ElastoPlastic;
pub use lugre::Lugre;
pub use maxwell_slip::MaxwellSlip;
pub use own::Own;
pub use rate_and_state::{Direct, Evolution, RateAndState};
pub use stribeck_limit::StribeckLimit;

use crate::error::Error;
use std::fmt::Debug;

/// The share of a motion that a bristle without an elastic range must yield before its contact counts as slipping.
pub(crate) const YIELDS: f64 = 0.9;

/// What the contact does between two changes of its formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run<'a> {
    /// +1 or −1: the side to which it moves.
    pub side: f64,
    /// In which region each of its parts is.
    pub regions: &'a [u8],
}

/// A motion to one side, as far as its numbers follow from it in closed form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Displacement relative to the support, m, with its sign.
    pub length: f64,
    /// How long it takes, s.
    pub time: f64,
}

impl Way {
    /// +1 or −1.
    pub fn side(&self) -> f64 {
        1f64.copysign(self.length)
    }
}

/// What a law with memory says.
pub trait Remembers: Debug {
    /// How many numbers it remembers.
    fn states(&self) -> usize {
        1
    }

    /// The unit of number `state`.
    fn unit(&self, state: usize) -> &'static str {
        let _ = state;
        "m"
    }

    /// What number `state` is unless something else is said.
    fn fresh(&self, state: usize) -> f64 {
        let _ = state;
        0.0
    }

    /// How many of its parts are elements whose yielding is an event of its own.
    fn elements(&self) -> usize {
        0
    }

    /// The law, if it is of rate and state, whose equations are solved in logarithms.
    fn as_rate_and_state(&self) -> Option<&RateAndState> {
        None
    }

    /// The size of its numbers, in their unit: what a tolerance is relative to.
    fn scale(&self, state: usize) -> f64;

    /// An error unless the contact can have these numbers.
    ///
    /// # Errors
    /// With the range that was expected.
    fn check_state(&self, z: &[f64]) -> Result<(), Error>;

    /// How many parts of it change their formulas.
    fn parts(&self) -> usize {
        1
    }

    /// The regions of a contact that sets out to `side` with the speed `speed` = |w| (m/s); `slips` says whether it slipped to
    /// that side before.
    fn enter(&self, side: f64, speed: f64, z: &[f64], slips: bool, regions: &mut [u8]);

    /// How far each part is from the end of its region, relative to the size of the bound: negative beyond it.
    fn margins(&self, run: Run<'_>, w: f64, z: &[f64], margins: &mut [f64]);

    /// The region of a part after it has left `region`.
    fn leave(&self, part: usize, region: u8) -> u8;

    /// Whether the contact slips.
    fn slips(&self, regions: &[u8]) -> bool;

    /// ż, continued beyond the ends of the regions.
    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]);

    /// F against the motion, N (or a coefficient), at the displacement `x` (m).
    fn force(&self, x: f64, w: f64, z: &[f64], rates: &[f64]) -> f64;

    /// Whether [`flow`](Self::flow) is the solution: along every way to one side, or along those of constant velocity
    /// (`steady`).
    fn flows(&self, steady: bool) -> bool {
        let _ = steady;
        false
    }

    /// Moves its numbers along `way` in closed form, where there is one.
    fn flow(&self, way: Way, z: &mut [f64]) {
        let _ = (way, z);
    }

    /// Moves its numbers along `way` as a step of a fixed length does: in closed form where there is one at constant velocity,
    /// by exponentials otherwise, so that they stay within their bounds. `regions` are those before the step, of the other
    /// side if the velocity `turned`.
    fn stride(&self, way: Way, turned: bool, regions: &[u8], z: &mut [f64]) {
        let _ = (turned, regions);
        self.flow(way, z);
    }

    /// The inequality that its numbers violate so that the contact can give out energy, if they do.
    fn active(&self) -> Option<String> {
        None
    }

    /// The law as text, its numbers with all their digits.
    fn canonical(&self) -> String;
}

/// Makes [`Memory`] from the list of laws.
macro_rules! memories {
    ($($(#[$doc:meta])* $Law:ident),+ $(,)?) => {
        /// A law with memory, chosen at run time.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Memory {
            $($(#[$doc])* $Law($Law),)+
            /// A law of yours.
            Own(Own),
        }

        impl Memory {
            /// What it says.
            pub fn law(&self) -> &dyn Remembers {
                match self {
                    $(Self::$Law(law) => law,)+
                    Self::Own(own) => own.law(),
                }
            }
        }

        $(impl From<$Law> for Memory {
            fn from(law: $Law) -> Self {
                Self::$Law(law)
            }
        })+
    };
}

impl From<Own> for Memory {
    fn from(law: Own) -> Self {
        Self::Own(law)
    }
}

memories! {
    /// A bristle that yields as its force approaches Coulomb's.
    Dahl,
    /// A bristle with damping and Stribeck's limit.
    Lugre,
    /// The same with an elastic range.
    ElastoPlastic,
    /// A hysteretic spring.
    BoucWen,
    /// Elements in parallel that stick and slide.
    MaxwellSlip,
    /// A contact whose asperities age.
    RateAndState,
}

/// dF/dx (N/m) and dF/dw (N·s/m) of small motions of a fresh contact.
pub(crate) fn small_motions(law: &dyn Remembers) -> [f64; 2] {
    let fresh: Vec<f64> = (0..law.states()).map(|i| law.fresh(i)).collect();
    let mut regions = vec![0; law.parts()];
    law.enter(1.0, 0.0, &fresh, false, &mut regions);
    let run = Run { side: 1.0, regions: &regions };
    // A millionth of a bristle in a second.
    let w = 1e-6 * law.scale(0);
    let still = vec![0.0; fresh.len()];
    let mut rates = still.clone();
    law.rates(run, w, &fresh, &mut rates);
    let rest = law.force(0.0, 0.0, &fresh, &still);
    let dashpot = (law.force(0.0, w, &fresh, &rates) - rest) / w;
    let moved: Vec<f64> = fresh.iter().zip(&rates).map(|(z, rate)| z + rate).collect();
    [(law.force(w, 0.0, &moved, &still) - rest) / w, dashpot]
}

/// (1 − e^−q)/q, 1 at q = 0.
fn relaxed(q: f64) -> f64 {
    if q.abs() < 1e-8 { 1.0 - 0.5 * q } else { -crate::portable::exp_m1(-q) / q }
}

/// The error of numbers that make no law of this name.
fn bad(name: &str, reason: impl Into<String>) -> Error {
    Error::BadLaw { name: name.to_owned(), reason: reason.into() }
}

/// An error unless a bristle's deflection stays below its bound (m).
fn within(z: f64, bound: f64) -> Result<(), Error> {
    if z.abs() <= bound * (1.0 + 1e-12) {
        return Ok(());
    }
    let reason = format!(
        "its bristle starts at z = {z:?} m; expected |z| ≤ {bound:?} m, what its greatest force bends it by"
    );
    Err(Error::BadState { reason })
}

#[cfg(test)]
mod tests;
