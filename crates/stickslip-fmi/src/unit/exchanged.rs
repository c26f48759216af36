//! What an importer that integrates asks of an instance.

use super::{Answer, Unit, wrong};
use crate::exchange::{STATES, Update};
use stickslip_file::interface::Meaning;

impl Unit {
    /// Numbers of continuous states and of event indicators.
    pub fn sizes(&self) -> (usize, usize) {
        let variables = &self.fixed.interface.variables;
        let indicators = variables.iter().filter(|v| matches!(v.meaning, Meaning::Indicator(_)));
        if self.exchanged { (STATES, indicators.count()) } else { (0, 0) }
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
        let update = self.exchange()?.update()?;
        Ok(Update { next: update.next.map(|t| t + start), ..update })
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
        self.exchange().map(|_| false)
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
        self.exchange()?.time = t - start;
        Ok(())
    }

    /// Sets the continuous states.
    ///
    /// # Errors
    /// If there are not as many, or one is not finite.
    pub fn set_states(&mut self, states: &[f64]) -> Answer {
        let Ok(states) = <[f64; STATES]>::try_from(states) else {
            return wrong(format!("{} states were set; expected {STATES}", states.len()));
        };
        if states.iter().any(|x| !x.is_finite()) {
            return wrong("a state was set to a number that is not finite");
        }
        self.exchange()?.set_states(states);
        Ok(())
    }

    /// The continuous states.
    ///
    /// # Errors
    /// If the importer does not integrate this instance, or asks for another number of them.
    pub fn states(&mut self, out: &mut [f64]) -> Answer {
        fill(out, &self.exchange()?.states())
    }

    /// Their derivatives.
    ///
    /// # Errors
    /// As [`states`](Self::states).
    pub fn derivatives(&mut self, out: &mut [f64]) -> Answer {
        fill(out, &self.exchange()?.derivatives())
    }

    /// The event indicators.
    ///
    /// # Errors
    /// As [`states`](Self::states).
    pub fn indicators(&mut self, out: &mut [f64]) -> Answer {
        let e = self.exchange()?;
        if out.len() != e.indicator_count() {
            return wrong(format!(
                "{} event indicators were asked for; there are {}",
                out.len(),
                e.indicator_count()
            ));
        }
        e.indicators(out);
        Ok(())
    }

    /// How `unknowns` change with `knowns` in the direction `seed`, by central differences within the phase.
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
        let kept = self.clone();
        let size = knowns.iter().zip(seed).map(|(_, s)| s.abs()).fold(0.0, f64::max);
        out.fill(0.0);
        if size == 0.0 {
            return Ok(());
        }
        for sign in [1.0, -1.0] {
            let h = sign * 1e-5 / size;
            for (known, seed) in knowns.iter().zip(seed) {
                self.nudge(*known, h * seed)?;
            }
            for (unknown, to) in unknowns.iter().zip(&mut *out) {
                *to += self.get(*unknown)? / (2.0 * h);
            }
            self.clone_from(&kept);
        }
        Ok(())
    }

    /// Moves a state or an input by a little.
    fn nudge(&mut self, reference: u32, by: f64) -> Answer {
        let meaning = self.variable(reference)?.meaning;
        let e = self.exchange()?;
        let mut states = e.states();
        match meaning {
            Meaning::Output(i @ 0..2) => {
                states[i] += by;
                e.set_states(states);
                Ok(())
            }
            Meaning::Lost => Ok(()),
            Meaning::Input(i) => {
                e.inputs[i].value += by;
                Ok(e.load()?)
            }
            Meaning::Rate(i) => {
                e.inputs[i].rate += by;
                Ok(e.load()?)
            }
            _ => wrong(format!("the variable {reference} is neither a state nor an input")),
        }
    }
}

fn fill(out: &mut [f64], values: &[f64]) -> Answer {
    if out.len() != values.len() {
        return wrong(format!("{} values were asked for; there are {}", out.len(), values.len()));
    }
    out.copy_from_slice(values);
    Ok(())
}
