//! What an importer that integrates asks of an instance: the states of the standard (FMI 2.0, §3.2.3; FMI 3.0, §3.2) and
//! what the importer calls in them. The motion stands in [`stickslip::scheme::guarded`].
//!
//! | state | the importer calls | here |
//! |---|---|---|
//! | Initialization Mode | `ExitInitializationMode` | the first phases |
//! | Event Mode | `UpdateDiscreteStates`, in 2.0 `NewDiscreteStates` | [`Unit::update_discrete_states`] |
//! | Continuous-Time Mode | `SetTime`, `SetContinuousStates`, inputs | [`Unit::set_time`], [`Unit::set_states`] |
//! | | `GetContinuousStateDerivatives`, `GetEventIndicators` | [`Unit::derivatives`], [`Unit::indicators`] |
//! | | `CompletedIntegratorStep` | [`Unit::completed_step`] |
//! | | `GetDirectionalDerivative` | [`Unit::directional`] |

use super::{Answer, Unit, wrong};
use stickslip::scheme::guarded::{Added, Known, Unknown};
use stickslip_file::interface::Meaning;

/// What an importer must know after an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// Whether the states jump.
    pub states_changed: bool,
    /// When the next event is that is known by its time, s.
    pub next: Option<f64>,
}

impl Unit {
    /// Numbers of continuous states and of event indicators.
    pub fn sizes(&self) -> (usize, usize) {
        match self.exchanged {
            true => (self.fixed.interface.states.len(), self.fixed.indicators),
            false => (0, 0),
        }
    }

    /// The importer has found an event.
    ///
    /// # Errors
    /// If it does not integrate this instance.
    pub fn enter_event_mode(&mut self) -> Answer {
        self.exchange().map(|_| ())
    }

    /// What comes next at an event.
    ///
    /// # Errors
    /// If the importer does not integrate this instance.
    pub fn update_discrete_states(&mut self) -> Answer<Update> {
        let start = self.start;
        let motion = self.exchange()?;
        let states_changed = motion.update()?;
        Ok(Update { states_changed, next: motion.next_event().map(|t| t + start) })
    }

    /// The importer integrates from here on.
    ///
    /// # Errors
    /// If it does not integrate this instance.
    pub fn enter_continuous_time(&mut self) -> Answer {
        self.exchange().map(|_| ())
    }

    /// The importer keeps its last step; whether it must look for an event there.
    ///
    /// # Errors
    /// If it does not integrate this instance.
    pub fn completed_step(&mut self) -> Answer<bool> {
        self.exchange()?.completed();
        Ok(false)
    }

    /// Puts it to `t` (s).
    ///
    /// # Errors
    /// If the importer does not integrate this instance, or `t` is no time.
    pub fn set_time(&mut self, t: f64) -> Answer {
        if !t.is_finite() {
            return wrong(format!("the time was set to {t}; expected a finite number, s"));
        }
        let start = self.start;
        Ok(self.exchange()?.set_time(t - start)?)
    }

    /// Sets the continuous states.
    ///
    /// # Errors
    /// If there are not as many, or one is not finite.
    pub fn set_states(&mut self, states: &[f64]) -> Answer {
        let expected = self.fixed.interface.states.len();
        if states.len() != expected {
            return wrong(format!("{} states were set; expected {expected}", states.len()));
        }
        if states.iter().any(|x| !x.is_finite()) {
            return wrong("a state was set to a number that is not finite");
        }
        Ok(self.exchange()?.set_states(states)?)
    }

    /// The continuous states.
    ///
    /// # Errors
    /// If the importer does not integrate this instance, or asks for another number of them.
    pub fn states(&mut self, out: &mut [f64]) -> Answer {
        self.exchange()?;
        expect(out, self.sizes().0)?;
        self.exchange()?.states(out);
        Ok(())
    }

    /// Their derivatives.
    ///
    /// # Errors
    /// As [`states`](Self::states), and if one is too large for a number.
    pub fn derivatives(&mut self, out: &mut [f64]) -> Answer {
        self.exchange()?;
        expect(out, self.sizes().0)?;
        self.exchange()?.derivatives(out);
        self.all_finite(out, "a derivative of the states")
    }

    /// The event indicators.
    ///
    /// # Errors
    /// As [`derivatives`](Self::derivatives).
    pub fn indicators(&mut self, out: &mut [f64]) -> Answer {
        self.exchange()?;
        expect(out, self.sizes().1)?;
        self.exchange()?.indicators(out);
        self.all_finite(out, "an event indicator")
    }

    fn all_finite(&self, values: &[f64], what: &str) -> Answer {
        if values.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        Err(self.too_large(what))
    }

    /// How `unknowns` change with `knowns` in the direction `seed`, within the phase: by formulas where friction and loads
    /// have them, by central differences beside springs that are not linear and in soft stops.
    ///
    /// # Errors
    /// If the importer does not integrate this instance, or the numbers of values do not agree.
    pub fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Answer {
        if knowns.len() != seed.len() || unknowns.len() != out.len() {
            return wrong(
                "a directional derivative needs as many seeds as knowns, and as many results as unknowns",
            );
        }
        self.exchange()?;
        let meaning = |unit: &Self, r: u32| unit.variable(r).map(|v| v.meaning);
        for known in knowns {
            let state = self.state_number(*known).is_some();
            if !state && !matches!(meaning(self, *known)?, Meaning::Input(_) | Meaning::Rate(_)) {
                return wrong(format!("the variable {known} is neither a state nor an input"));
            }
        }
        for (unknown, to) in unknowns.iter().zip(out) {
            let mut sum = 0.0;
            for (known, seed) in knowns.iter().zip(seed) {
                let of = meaning(self, *unknown)?;
                let by = meaning(self, *known)?;
                let found = match self.state_number(*unknown) {
                    Some(_) if unknown == known => Some(1.0),
                    Some(_) => Some(0.0),
                    None => self.partial(of, by)?,
                };
                sum += seed * found.map_or_else(|| self.difference(*unknown, *known), Ok)?;
            }
            *to = sum;
        }
        Ok(())
    }

    /// ∂`unknown`/∂`known` by a formula; `None` where there is none at hand.
    fn partial(&mut self, unknown: Meaning, known: Meaning) -> Answer<Option<f64>> {
        let of = match unknown {
            Meaning::Derivative(i) => Unknown::Derivative(i),
            Meaning::Output(i) => Unknown::Value(i),
            _ => return Ok(None),
        };
        let by = match known {
            Meaning::Output(i) => Known::Value(i),
            Meaning::Lost => Known::Lost,
            Meaning::Input(i) => Known::Input(i),
            Meaning::Rate(i) => Known::Rate(i),
            _ => return Ok(None),
        };
        Ok(self.exchange()?.partial(of, by))
    }

    /// ∂`unknown`/∂`known` by a central difference.
    fn difference(&mut self, unknown: u32, known: u32) -> Answer<f64> {
        let kept = self.clone();
        let h = 1e-5 * self.get(known)?.abs().max(1.0);
        let mut ends = [0.0; 2];
        for (end, by) in ends.iter_mut().zip([h, -h]) {
            self.nudge(known, by)?;
            *end = self.get(unknown)?;
            self.clone_from(&kept);
        }
        Ok((ends[0] - ends[1]) / (2.0 * h))
    }

    /// Moves a state or an input by a little.
    fn nudge(&mut self, reference: u32, by: f64) -> Answer {
        let meaning = self.variable(reference)?.meaning;
        let state = self.state_number(reference);
        let mut states = vec![0.0; self.sizes().0];
        let motion = self.exchange()?;
        match (state, meaning) {
            (Some(i), _) => {
                motion.states(&mut states);
                states[i] += by;
                motion.set_states(&states)?;
            }
            (_, Meaning::Input(i)) => motion.shared.inputs[i].value += by,
            (_, Meaning::Rate(i)) => {
                let since = motion.shared.time;
                let held = &mut motion.shared.inputs[i];
                *held = Added { value: held.at(since), rate: held.rate + by, since };
            }
            _ => return wrong(format!("the variable {reference} is neither a state nor an input")),
        }
        Ok(motion.load()?)
    }
}

/// Whether there is room for as many values as there are.
fn expect(out: &[f64], count: usize) -> Answer {
    if out.len() == count {
        return Ok(());
    }
    wrong(format!("{} values were asked for; there are {count}", out.len()))
}
