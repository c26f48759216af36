//! Generalised Maxwell slip (F. Al-Bender, V. Lampaert, J. Swevers, *The generalized Maxwell-slip model*, 2005).

use super::{Remembers, Run, StribeckLimit, Way, bad};
use crate::error::{Error, Short, require};

/// Elements in parallel, F = Σ k_i z_i + σ₂ w. Element i sticks, ż_i = w, until s k_i z_i reaches α_i g(w); from there to the
/// next turn of the velocity it slides, k_i ż_i = s C (α_i − s k_i z_i/g(w)).
#[derive(Debug, Clone, PartialEq)]
pub struct MaxwellSlip {
    limit: StribeckLimit,
    stiffness: Vec<f64>,
    weight: Vec<f64>,
    attraction: f64,
    viscous: f64,
}

/// The most elements: a step solves equations with all of them.
const MOST: usize = 16;
/// How far the sum of the weights may be from 1: they are written with a few digits.
const ROUNDED: f64 = 1e-6;

impl MaxwellSlip {
    /// From the limit, k_i > 0, N/m, α_i > 0 with the sum 1, C ≥ 0, N/s (above 0 where the limit falls), and σ₂ ≥ 0, N·s/m.
    ///
    /// # Errors
    /// If a number is outside its range or a list has the wrong length.
    pub fn new(
        limit: StribeckLimit,
        stiffness: Vec<f64>,
        weight: Vec<f64>,
        attraction: f64,
        viscous: f64,
    ) -> Result<Self, Error> {
        if stiffness.is_empty() || stiffness.len() > MOST {
            let what = "stiffness";
            let found = stiffness.len();
            return Err(Error::WrongLength { what, found, expected: "1 to 16 elements" });
        }
        if weight.len() != stiffness.len() {
            let what = "weight";
            let found = weight.len();
            return Err(Error::WrongLength { what, found, expected: "one for each stiffness" });
        }
        positive("stiffness", &stiffness, "a finite stiffness > 0 N/m")?;
        positive(
            "weight",
            &weight,
            "a finite share > 0: an element of negative weight would push the motion on",
        )?;
        let sum: f64 = weight.iter().sum();
        if (sum - 1.0).abs() > ROUNDED {
            let reason = format!("the weights add up to {sum:?}; expected 1, shares of one force");
            return Err(bad("maxwell-slip", reason));
        }
        require("the attraction", attraction, attraction >= 0.0, "a finite number ≥ 0 N/s")?;
        require("the viscous friction", viscous, viscous >= 0.0, "a finite number ≥ 0 N·s/m")?;
        if attraction == 0.0 && !limit.is_constant() {
            let reason = "the attraction is 0 where static > dynamic; expected > 0 N/s: without it a sliding element would never \
                          come to the lower limit";
            return Err(bad("maxwell-slip", reason));
        }
        Ok(Self { limit, stiffness, weight, attraction, viscous })
    }

    /// The greatest deflection of element `i` at a limit of `g` (N), m.
    fn bound(&self, i: usize, g: f64) -> f64 {
        self.weight[i] * g / self.stiffness[i]
    }
}

/// An error unless every number is above 0.
fn positive(what: &'static str, numbers: &[f64], expected: &'static str) -> Result<(), Error> {
    match numbers.iter().position(|n| !(n.is_finite() && *n > 0.0)) {
        Some(index) => Err(Error::BadEntry { what, index, found: numbers[index], expected }),
        None => Ok(()),
    }
}

impl Remembers for MaxwellSlip {
    fn states(&self) -> usize {
        self.stiffness.len()
    }

    fn elements(&self) -> usize {
        self.stiffness.len()
    }

    fn scale(&self, state: usize) -> f64 {
        self.bound(state, self.limit.breakaway())
    }

    fn check_state(&self, z: &[f64]) -> Result<(), Error> {
        (0..z.len()).try_for_each(|i| super::within(z[i], self.scale(i)))
    }

    fn parts(&self) -> usize {
        self.stiffness.len()
    }

    fn enter(&self, _: f64, _: f64, _: &[f64], slips: bool, regions: &mut [u8]) {
        regions.fill(u8::from(slips));
    }

    fn margins(&self, run: Run<'_>, w: f64, z: &[f64], margins: &mut [f64]) {
        let g = self.limit.at(w);
        for (i, margin) in margins.iter_mut().enumerate() {
            let slides = run.regions[i] == 1;
            *margin = if slides { 1.0 } else { 1.0 - run.side * z[i] / self.bound(i, g) };
        }
    }

    fn leave(&self, _: usize, _: u8) -> u8 {
        1
    }

    fn slips(&self, regions: &[u8]) -> bool {
        regions.iter().all(|r| *r == 1)
    }

    fn rates(&self, run: Run<'_>, w: f64, z: &[f64], rates: &mut [f64]) {
        let g = self.limit.at(w);
        for (i, rate) in rates.iter_mut().enumerate() {
            *rate = if run.regions[i] == 0 {
                w
            } else {
                let short = self.weight[i] - run.side * self.stiffness[i] * z[i] / g;
                run.side * self.attraction * short / self.stiffness[i]
            };
        }
    }

    fn force(&self, _: f64, w: f64, z: &[f64], _: &[f64]) -> f64 {
        z.iter().zip(&self.stiffness).map(|(z, k)| k * z).sum::<f64>() + self.viscous * w
    }

    fn flows(&self, _: bool) -> bool {
        self.limit.is_constant()
    }

    /// Masing: each element is clipped.
    fn flow(&self, way: Way, z: &mut [f64]) {
        for (i, z) in z.iter_mut().enumerate() {
            let bound = self.bound(i, self.limit.dynamic());
            *z = (*z + way.length).clamp(-bound, bound);
        }
    }

    /// Elements that stick are clipped; those that slide follow their limit by the exponential of its attraction.
    fn stride(&self, way: Way, turned: bool, regions: &[u8], z: &mut [f64]) {
        if self.limit.is_constant() {
            return self.flow(way, z);
        }
        let side = way.side();
        let w = if way.time > 0.0 { way.length / way.time } else { 0.0 };
        let g = self.limit.at(w);
        for (i, z) in z.iter_mut().enumerate() {
            let bound = self.bound(i, g);
            let bent = side * *z;
            *z = side
                * if turned || regions[i] == 0 {
                    (bent + way.length.abs()).min(bound.max(bent))
                } else {
                    bound + (bent - bound) * crate::portable::exp(-self.attraction * way.time / g)
                };
        }
    }

    /// Where the limit falls, an element that slid fast and then nearly stops is bent on from α_i f_d to α_i f_s by the attraction, with no
    /// motion that would do the work. Turned back it sticks, and gives that work out: α_i² (f_s² − f_d²)/2k_i at each turn. A viscous
    /// friction does not take it, for the element must be fast at the instant only at which it begins to slide.
    fn active(&self) -> Option<String> {
        let limit = &self.limit;
        (!limit.is_constant()).then(|| {
            format!(
                "static = dynamic does not hold ({} > {} N)",
                Short(limit.breakaway()),
                Short(limit.dynamic())
            )
        })
    }

    fn canonical(&self) -> String {
        let Self { limit, stiffness, weight, attraction, viscous } = self;
        format!(
            "maxwell-slip {}, {stiffness:?}, {weight:?}, {attraction:?}, {viscous:?}",
            limit.canonical()
        )
    }
}
