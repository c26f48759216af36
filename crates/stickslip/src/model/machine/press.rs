//! What presses a slider: a spring or a soft stop of the same machine.

use super::{Machine, bad};
use crate::error::{Error, Part};
use crate::model::Bumper;
use crate::model::network::PartKind;

/// The part whose force presses a slider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presser {
    /// The spring of this number among [`Machine::springs`].
    Spring(usize),
    /// The stop of this number among [`Machine::stops`].
    Stop(usize),
}

/// A normal force that follows a force of the machine: max(0, N₀(t) + factor · f), with N₀ the slider's signal, 0 without one,
/// and f the pull of a spring, which is positive where its first end is farther along than its second one by more than its
/// length, or the push of a stop, which is never negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Press {
    /// What presses.
    pub by: Presser,
    /// By how much of its force; of a spring of either sign.
    pub factor: f64,
}

impl Machine {
    /// With the slider of this name pressed by the spring of that name, with `factor` times its pull f(x_first − x_second), added to
    /// the slider's own normal force: the numbers of its law are coefficients. A pull that lifts the slider off leaves no friction.
    ///
    /// # Errors
    /// If there is no such slider or spring, or the factor is 0 or not finite.
    ///
    /// ```
    /// use stickslip::model::{Machine, Network, machine::Curve};
    /// use stickslip::scheme::{machine, oscillator::adaptive::Options};
    /// use stickslip::{Law, Signal};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// // A shoe is led against a sliding block by a spring: at 2 t m its force is 6 t, and the friction 3 t.
    /// let network = Network::builder()
    ///     .unjoined()
    ///     .node("shoe", 0.0)
    ///     .motion("shoe", Signal::ramp(2.0, 0.0))
    ///     .node("block", 1.0)
    ///     .starting_at("block", 0.0, 6.0)
    ///     .slider("pad", "block", "ground", 0.0, 0.0)
    ///     .build()?;
    /// let brake = Machine::new(network)?
    ///     .with_law("pad", Law::coulomb(0.5)?)?
    ///     .with_named_spring("spring", ["shoe", "ground"], Curve::Powers(vec![3.0]))?
    ///     .pressed_by_spring("pad", "spring", 1.0)?;
    /// let path = machine::solve(&brake, 3.0, Options::default())?;
    /// // v = 6 − 3 t²/2
    /// assert!((path.events()[0].time - 2.0).abs() < 1e-12);
    /// # Ok(()) }
    /// ```
    pub fn pressed_by_spring(
        mut self,
        slider: &str,
        spring: &str,
        factor: f64,
    ) -> Result<Self, Error> {
        let e = self.slider(slider, "normal_from")?;
        let place = Part::new(PartKind::Slider, e, slider, "normal_from");
        let named = |s: &super::Spring| s.name.as_ref().is_some_and(|n| n == spring);
        let Some(k) = self.springs.iter().position(named) else {
            let names = self.springs.iter().filter_map(|s| s.name.as_deref());
            return Err(unknown(place, "spring", spring, names));
        };
        if factor == 0.0 || !factor.is_finite() {
            let reason = format!("its factor is {factor}; expected a finite number that is not 0");
            let remedy = "1 where a positive pull presses, -1 where a negative one does";
            return Err(bad(place, reason, remedy));
        }
        self.frictions[e].press = Some(Press { by: Presser::Spring(k), factor });
        Ok(self)
    }

    /// With the slider of this name pressed by the soft stop of that name, with `factor` times its push, added to the slider's own
    /// normal force: the numbers of its law are coefficients.
    ///
    /// # Errors
    /// If there is no such slider or stop, the stop is rigid, or the factor is not positive.
    pub fn pressed_by_stop(mut self, slider: &str, stop: &str, factor: f64) -> Result<Self, Error> {
        let e = self.slider(slider, "normal_from")?;
        let place = Part::new(PartKind::Slider, e, slider, "normal_from");
        let Some(k) = self.stops.iter().position(|s| s.name == stop) else {
            return Err(unknown(place, "stop", stop, self.stops.iter().map(|s| &*s.name)));
        };
        if matches!(self.stops[k].bumper, Bumper::Rigid { .. }) {
            let reason = format!(
                "the stop `{stop}` is rigid: its impacts would press with an impulse, and friction would have one, too"
            );
            return Err(bad(place, reason, "make the stop soft, with `stiffness` and `damping`"));
        }
        if !(factor > 0.0 && factor.is_finite()) {
            let reason = format!("its factor is {factor}; expected a finite number > 0");
            return Err(bad(place, reason, "a stop only pushes: 1 takes all of its push"));
        }
        self.frictions[e].press = Some(Press { by: Presser::Stop(k), factor });
        Ok(self)
    }
}

/// The error of a part that is not there.
fn unknown<'a>(place: Part, kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<&str> = names.collect();
    let reason = format!("there is no {kind} of the name `{name}`");
    let remedy = match names[..] {
        [] => format!("give the {kind} that presses a `name`"),
        _ => format!("name one of: {}", names.join(", ")),
    };
    bad(place, reason, remedy)
}
