//! One mass held by a cascade of springs and dry-friction elements (Bastien, Lamarque 2007).

mod audit;
mod replay;

pub use replay::Replay;

use super::Initial;
use crate::error::{Error, require};
use crate::hysteresis::{Backbone, Elements};
use crate::signal::Signal;

/// A mass, n + 1 springs k₀ … k_n in a row and n nodes that rub on the ground:
///
/// ```text
/// m ẍ = F − k₀ (x − v₁)
/// W = K V − k₀ x e₁,   |W_i| ≤ α_i,   V̇ ∈ −∂ψ_C(W)
/// ```
///
/// Spring k₀ joins the mass and node 1, k_i nodes i and i + 1, k_n node n and the ground; node i has
/// no mass, the displacement v_i and the threshold α_i. W_i is the friction on node i, minus the
/// pull of its springs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cascade {
    /// m > 0, kg.
    pub mass: f64,
    /// k₀ … k_n > 0, N/m.
    pub stiffness: Vec<f64>,
    /// α₁ … α_n ≥ 0, N.
    pub threshold: Vec<f64>,
    /// F(t), force on the mass, N.
    pub force: Signal,
    /// x(t), m, prescribed instead of the force: for the quasi-static scheme.
    pub displacement: Option<Signal>,
    /// State of the mass at t = 0.
    pub initial: Initial,
    /// W(0), N, inside the box |W_i| ≤ α_i; empty for zeros.
    pub prestress: Vec<f64>,
}

impl Cascade {
    /// A mass (kg) on springs k₀ … k_n (N/m) and elements α₁ … α_n (N): undriven, at rest, unloaded.
    pub fn new(mass: f64, stiffness: Vec<f64>, threshold: Vec<f64>) -> Self {
        Self {
            mass,
            stiffness,
            threshold,
            force: Signal::default(),
            displacement: None,
            initial: Initial::default(),
            prestress: Vec::new(),
        }
    }

    /// With a force F(t) on the mass, N.
    pub fn with_force(self, force: Signal) -> Self {
        Self { force, ..self }
    }

    /// With the displacement x(t) of the mass prescribed, m (quasi-static).
    pub fn with_displacement(self, displacement: Signal) -> Self {
        Self { displacement: Some(displacement), ..self }
    }

    /// Starting from `displacement` (m) and `velocity` (m/s) at t = 0.
    pub fn starting_at(self, displacement: f64, velocity: f64) -> Self {
        Self { initial: Initial { displacement, velocity }, ..self }
    }

    /// With W(0) = `prestress` (N), one number for each element.
    pub fn with_prestress(self, prestress: Vec<f64>) -> Self {
        Self { prestress, ..self }
    }

    /// n, the number of friction elements.
    pub fn elements(&self) -> usize {
        self.threshold.len()
    }

    /// The virgin loading curve of the force k₀(x − v₁) against x.
    pub fn backbone(&self) -> Backbone {
        Backbone::cascade(&self.stiffness, &self.threshold)
    }

    /// Checks every number and length; each `solve` calls it first.
    ///
    /// # Errors
    /// With the first number that is outside its range, or the first list that has a wrong length.
    pub fn check(&self) -> Result<(), Error> {
        require("the mass", self.mass, self.mass > 0.0, "a finite mass > 0 kg")?;
        let n = self.elements();
        length("threshold", n, n > 0, "one or more friction elements")?;
        length("stiffness", self.stiffness.len(), self.stiffness.len() == n + 1, {
            "one spring more than there are thresholds: k0 … kn for alpha1 … alphan"
        })?;
        for (index, &k) in self.stiffness.iter().enumerate() {
            entry("stiffness", index, k, k > 0.0, "a finite stiffness > 0 N/m")?;
        }
        for (index, &a) in self.threshold.iter().enumerate() {
            entry("threshold", index, a, a >= 0.0, "a finite force ≥ 0 N")?;
        }
        if !self.prestress.is_empty() {
            let found = self.prestress.len();
            length("prestress", found, found == n, "one number for each threshold, or none")?;
        }
        for (index, (&w, &a)) in self.prestress.iter().zip(&self.threshold).enumerate() {
            entry("prestress", index, w, w.abs() <= a, "a force within ± the threshold, N")?;
        }
        let Initial { displacement, velocity } = self.initial;
        require("the initial displacement", displacement, true, "a finite displacement, m")?;
        require("the initial velocity", velocity, true, "a finite velocity, m/s")?;
        self.force.check("the force")?;
        self.displacement.as_ref().map_or(Ok(()), |d| d.check("the displacement"))
    }

    /// [`check`](Self::check), and that the signals cover [0, end] (s).
    ///
    /// # Errors
    /// As [`check`](Self::check), and if a signal is too short.
    pub fn check_until(&self, end: f64) -> Result<(), Error> {
        self.check()?;
        require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
        self.force.require_domain("force", 0.0, end)?;
        self.displacement
            .as_ref()
            .map_or(Ok(()), |d| d.require_domain("displacement", 0.0, end))?;
        self.check_magnitudes(end)
    }

    /// Refuses magnitudes whose squares or works would not be finite numbers.
    fn check_magnitudes(&self, end: f64) -> Result<(), Error> {
        let least = self.stiffness.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.stiffness.iter().copied().fold(0.0, f64::max);
        let swing = end.min((self.mass / least).sqrt());
        let way = self.displacement.as_ref().map_or(0.0, |d| d.largest_magnitude(end));
        let start = self.initial.displacement.abs() + way;
        let held: f64 = self.threshold.iter().sum();
        let pushes = self.force.largest_magnitude(end) + most * start;
        let speed = self.initial.velocity.abs() + pushes / self.mass * swing;
        let length = start + speed * swing;
        let advice = "less than 1e140, so that its square is a finite number: check the magnitudes and units of the model";
        let largest = |what: &'static str, found: f64| require(what, found, found < 1e140, advice);
        largest("the largest force in the model (N)", held.max(pushes))?;
        largest("the largest displacement in the model (m)", length)
    }

    /// −W(0): the pull of its springs on each node, N.
    pub(crate) fn initial_pull(&self) -> Vec<f64> {
        let n = self.elements();
        if self.prestress.is_empty() {
            vec![0.0; n]
        } else {
            self.prestress.iter().map(|w| -w).collect()
        }
    }
}

impl<'a> From<&'a Cascade> for Elements<'a> {
    fn from(cascade: &'a Cascade) -> Self {
        Self {
            stiffness: &cascade.stiffness,
            threshold: &cascade.threshold,
            pull: cascade.initial_pull(),
            displacement: cascade.initial.displacement,
        }
    }
}

/// An error unless the list `what` has the right length.
fn length(what: &'static str, found: usize, ok: bool, expected: &'static str) -> Result<(), Error> {
    if ok { Ok(()) } else { Err(Error::WrongLength { what, found, expected }) }
}

/// An error unless entry `index` of the list `what` is finite and `ok`.
fn entry(
    what: &'static str,
    index: usize,
    found: f64,
    ok: bool,
    expected: &'static str,
) -> Result<(), Error> {
    if found.is_finite() && ok {
        Ok(())
    } else {
        Err(Error::BadEntry { what, index, found, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_input_is_named_with_its_place() {
        let good = || Cascade::new(1.0, vec![3.0, 2.0, 1.0], vec![0.5, 0.8]);
        assert!(good().check().is_ok());
        let text = |c: Cascade| c.check().unwrap_err().to_string();
        assert!(text(Cascade { mass: 0.0, ..good() }).contains("mass"));
        assert!(text(Cascade { stiffness: vec![1.0, 2.0], ..good() }).contains("2 entries"));
        let negative = text(Cascade { stiffness: vec![1.0, -2.0, 1.0], ..good() });
        assert!(negative.contains("stiffness[1]") && negative.contains("-2"));
        assert!(text(Cascade { threshold: vec![0.5, -0.1], ..good() }).contains("threshold[1]"));
        assert!(
            text(Cascade { threshold: vec![0.5, f64::NAN], ..good() }).contains("threshold[1]")
        );
        assert!(text(Cascade::new(1.0, vec![1.0], vec![])).contains("threshold"));
        assert!(text(good().with_prestress(vec![0.6, 0.0])).contains("prestress[0]"));
        assert!(text(good().with_prestress(vec![0.1])).contains("prestress"));
        assert!(good().with_prestress(vec![-0.5, 0.8]).check().is_ok());
    }
}
