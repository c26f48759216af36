//! Setting and getting: what each variable of the interface means for the instance.

use super::motion::Motion;
use super::{Answer, Fault, Stage, Unit, wrong};
use stickslip::scheme::guarded::Added;
use stickslip_file::interface::{Meaning, Variable};

impl Unit {
    /// Sets a number.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or the number is outside its range.
    pub fn set(&mut self, reference: u32, value: f64) -> Answer {
        let fixed = self.fixed.clone();
        let Some(Variable { name, meaning, least, tunable, .. }) =
            fixed.interface.variables.get(reference as usize)
        else {
            return self.variable(reference).map(|_| ());
        };
        if !value.is_finite() {
            return wrong(format!("`{name}` was set to {value}; expected a finite number"));
        }
        match *meaning {
            Meaning::Input(i) => self.set_input(i, Some(value), None),
            Meaning::Rate(i) => self.set_input(i, None, Some(value)),
            Meaning::Parameter(_)
                if self.stage > Stage::Running
                    || self.stage > Stage::Initialization && !tunable =>
            {
                wrong(format!(
                    "`{name}` is fixed once the initialization is over; reset the instance first"
                ))
            }
            Meaning::Parameter(_) if least.is_some_and(|l| value < l) => {
                let than = if *least == Some(0.0) { "not below 0" } else { "above 0" };
                wrong(format!("`{name}` was set to {value}; expected a number {than}"))
            }
            Meaning::Parameter(_) if self.stage == Stage::Running => {
                self.tune(reference as usize, value)
            }
            Meaning::Parameter(_) => {
                self.values.insert(reference as usize, value);
                self.motion = None;
                Ok(())
            }
            _ if self.exchanged && self.state_number(reference).is_some() => {
                let i = self.state_number(reference).unwrap_or_default();
                let mut states = vec![0.0; self.fixed.interface.states.len()];
                let motion = self.exchange()?;
                motion.states(&mut states);
                states[i] = value;
                Ok(motion.set_states(&states)?)
            }
            _ => wrong(format!("`{name}` is computed and cannot be set")),
        }
    }

    /// Sets the rate of an input by the reference of the input.
    ///
    /// # Errors
    /// If it is not an input, or the rate not finite.
    pub fn set_rate_of(&mut self, reference: u32, rate: f64) -> Answer {
        let Variable { name, meaning, .. } = self.variable(reference)?;
        match *meaning {
            Meaning::Input(_) if !rate.is_finite() => {
                wrong(format!("the rate of `{name}` was set to {rate}; expected a finite number"))
            }
            Meaning::Input(i) => self.set_input(i, None, Some(rate)),
            _ => wrong(format!("`{name}` is not an input, so its derivative cannot be set")),
        }
    }

    fn set_input(&mut self, i: usize, value: Option<f64>, rate: Option<f64>) -> Answer {
        if self.stage < Stage::Running {
            let held = &mut self.inputs[i];
            (held.value, held.rate) = (value.unwrap_or(held.value), rate.unwrap_or(held.rate));
            self.motion = None;
            return Ok(());
        }
        let motion = self.begun()?;
        let since = motion.time();
        let held = &mut motion.inputs_mut()[i];
        let value = value.unwrap_or(held.at(since));
        let rate = rate.unwrap_or(held.rate);
        *held = Added { value, rate, since };
        match motion {
            Motion::Exchange(e) => Ok(e.load()?),
            Motion::Run(_) | Motion::Joint(_) => Ok(()),
        }
    }

    /// The number of a state among the states; `None` for other variables.
    pub(super) fn state_number(&self, reference: u32) -> Option<usize> {
        self.fixed.interface.states.iter().position(|s| *s == reference as usize)
    }

    /// A number.
    ///
    /// # Errors
    /// If there is no such variable, or it is not known yet. [`Fault::Discard`] if it is too large for a number.
    pub fn get(&mut self, reference: u32) -> Answer<f64> {
        let value = self.found(reference)?;
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.too_large(&format!("`{}`", self.variable(reference)?.name)))
    }

    /// Why `what` is discarded.
    pub(super) fn too_large(&self, what: &str) -> Fault {
        Fault::Discard(format!(
            "at t = {} s {what} is not finite: a state or an input is so large that numbers overflow; try a shorter step",
            self.time()
        ))
    }

    /// A number, finite or not.
    fn found(&mut self, reference: u32) -> Answer<f64> {
        let (meaning, start) = self.variable(reference).map(|v| (v.meaning, v.start))?;
        let held = |unit: &Self, i: usize| match &unit.motion {
            Some(motion) => (motion.inputs()[i].at(motion.time()), motion.inputs()[i].rate),
            None => (unit.inputs[i].value, unit.inputs[i].rate),
        };
        match meaning {
            Meaning::Time => Ok(self.time()),
            Meaning::Input(i) => Ok(held(self, i).0),
            Meaning::Rate(i) => Ok(held(self, i).1),
            Meaning::Parameter(_) => {
                let tuned = self.tuned.iter().rfind(|t| t.reference == reference as usize);
                let set = tuned.map(|t| t.value);
                let set = set.or_else(|| self.values.get(&(reference as usize)).copied());
                Ok(set.or(start).unwrap_or_default())
            }
            Meaning::Output(i) => {
                let mut row = std::mem::take(&mut self.row);
                self.begun()?.row(&mut row);
                self.row = row;
                Ok(self.row[i])
            }
            computed => self.computed(computed),
        }
    }

    /// What is neither set nor a number of the solution.
    fn computed(&mut self, meaning: Meaning) -> Answer<f64> {
        if let (true, Meaning::Inner(i) | Meaning::Derivative(i) | Meaning::Indicator(i)) =
            (self.exchanged, meaning)
        {
            let (states, indicators) = self.sizes();
            let motion = self.exchange()?;
            let mut all = vec![0.0; states.max(indicators)];
            match meaning {
                Meaning::Inner(_) => motion.states(&mut all[..states]),
                Meaning::Derivative(_) => motion.derivatives(&mut all[..states]),
                _ => motion.indicators(&mut all[..indicators]),
            }
            return Ok(all[i]);
        }
        let motion = self.begun()?;
        Ok(match meaning {
            Meaning::Lost => motion.lost(),
            Meaning::Phase(i) => f64::from(motion.phase(i)),
            Meaning::Count(kind) => f64::from(motion.count(kind)),
            Meaning::Inner(_) | Meaning::Derivative(_) | Meaning::Indicator(_) => 0.0,
            _ => return wrong("this variable has no value here"),
        })
    }
}
