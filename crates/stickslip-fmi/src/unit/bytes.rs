//! A state of an instance, written down as bytes and read again.

use super::motion::Motion;
use super::tuning::Tune;
use super::{Answer, Fault, Stage, Unit, wrong};
use stickslip::scheme::guarded::Added;

impl Unit {
    /// Everything that decides how it goes on, to be written down.
    ///
    /// # Errors
    /// If its inputs have changed too often to be kept.
    pub fn to_bytes(&self) -> Answer<Vec<u8>> {
        let many =
            "the inputs have changed more often than is kept, so this state cannot be written down";
        let history = match &self.motion {
            Some(Motion::Run(run)) => run.history().ok_or_else(|| Fault::Discard(many.into()))?,
            Some(Motion::Exchange(e)) => e.numbers(),
            Some(Motion::Joint(joint)) => joint.motion.numbers(),
            None => Vec::new(),
        };
        if self.forgets && !self.exchanged {
            let many = "parameters were tuned more often than is kept, so this state cannot be written down";
            return Err(Fault::Discard(many.into()));
        }
        let inputs = self.motion.as_ref().map_or(&self.inputs[..], Motion::inputs);
        let mut numbers = vec![self.stage as u8 as f64, self.start, self.stop.unwrap_or(f64::NAN)];
        numbers.extend([
            self.motion.as_ref().map_or(f64::NAN, Motion::time),
            self.values.len() as f64,
        ]);
        numbers.extend(self.values.iter().flat_map(|(k, v)| [*k as f64, *v]));
        numbers.push(self.tuned.len() as f64);
        let tuned = self.tuned.iter();
        numbers.extend(tuned.flat_map(|t| [t.after as f64, t.reference as f64, t.value]));
        numbers.extend(inputs.iter().chain(&self.inputs).flat_map(|h| [h.value, h.rate, h.since]));
        numbers.extend(history);
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes());
        Ok(self.fixed.token.bytes().chain(bytes).collect())
    }

    /// The instance in a state that was written down.
    ///
    /// # Errors
    /// If the bytes are no state of this model.
    pub fn of_bytes(&self, bytes: &[u8]) -> Answer<Self> {
        self.read(bytes).unwrap_or_else(|| wrong("the bytes are not a state of this model"))
    }

    fn read(&self, bytes: &[u8]) -> Option<Answer<Self>> {
        let numbers = bytes.strip_prefix(self.fixed.token.as_bytes())?;
        let number = |c: &[u8]| Some(f64::from_le_bytes(c.try_into().ok()?));
        let all: Vec<f64> = numbers.chunks(8).map(number).collect::<Option<_>>()?;
        let [stage, start, stop, now, count] = *all.first_chunk::<5>()?;
        let (values, rest) = all[5..].split_at_checked((count as usize).checked_mul(2)?)?;
        let (count, rest) = rest.split_first()?;
        let (tuned, rest) = rest.split_at_checked((*count as usize).checked_mul(3)?)?;
        let tune = |t: &[f64]| Tune { after: t[0] as usize, reference: t[1] as usize, value: t[2] };
        let (held, history) = rest.split_at_checked(6 * self.fixed.inlets)?;
        let held: Vec<Added> =
            held.chunks_exact(3).map(|h| Added { value: h[0], rate: h[1], since: h[2] }).collect();
        let (inputs, first) = held.split_at(self.fixed.inlets);
        let stages =
            [Stage::Instantiated, Stage::Initialization, Stage::Running, Stage::Terminated];
        let mut unit = Self {
            fixed: self.fixed.clone(),
            stage: stages.into_iter().find(|s| *s as u8 as f64 == stage)?,
            values: values.chunks_exact(2).map(|v| (v[0] as usize, v[1])).collect(),
            tuned: tuned.chunks_exact(3).map(tune).collect(),
            forgets: false,
            start,
            stop: Some(stop).filter(|s| !s.is_nan()),
            inputs: first.to_vec(),
            exchanged: self.exchanged,
            motion: None,
            row: Vec::new(),
        };
        let known = |r: &usize| self.fixed.interface.variables.get(*r).is_some();
        let tuned = unit.tuned.iter().map(|t| &t.reference);
        if !unit.values.keys().chain(tuned).all(known) {
            return None;
        }
        if now.is_nan() {
            return Some(Ok(unit));
        }
        Some(unit.put_back(inputs.to_vec(), history, now).map(|()| unit))
    }

    /// Puts the motion where it was at `now` (s).
    fn put_back(&mut self, inputs: Vec<Added>, numbers: &[f64], now: f64) -> Answer {
        let begins = (0..self.tuned.len())
            .map(|i| Ok((self.tuned[i].after, self.signals(&self.tuned[..=i])?)));
        let tuned = if self.exchanged { Vec::new() } else { begins.collect::<Answer<Vec<_>>>()? };
        let known = match self.begun()? {
            Motion::Run(run) => {
                **run = run.replayed(numbers, tuned, inputs, now)?;
                true
            }
            Motion::Exchange(e) => e.put_back(inputs, now, numbers)?,
            Motion::Joint(joint) => joint.put_back(inputs, numbers),
        };
        if known {
            return Ok(());
        }
        wrong("the bytes are not a state of this model")
    }
}
