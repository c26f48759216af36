//! Parameters that are set while an instance moves.

use super::motion::Motion;
use super::{Answer, Unit, wrong};
use crate::run::Own;
use std::collections::BTreeMap;
use stickslip::scheme::guarded::{self, Added};
use stickslip_file::interface::Exported;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tune {
    /// After how many changes of the loads.
    pub after: usize,
    pub reference: usize,
    pub value: f64,
}

/// So many are kept; an instance that was tuned more often moves on, but its state cannot be written down.
const MOST_TUNED: usize = 1 << 16;

impl Unit {
    /// The model with the parameters that were set, and these that were tuned after them.
    pub(super) fn file(&self, tuned: &[Tune]) -> Answer<Exported> {
        let mut numbers = self.values.clone();
        numbers.extend(tuned.iter().map(|t| (t.reference, t.value)));
        self.fixed.numbers.model(&self.fixed.interface, &numbers)
    }

    /// The signals of the model after these were tuned.
    pub(super) fn signals(&self, tuned: &[Tune]) -> Answer<Own> {
        match self.file(tuned)? {
            Exported::Model(file) => Ok(Own::of(&file.known()?.model)),
            _ => wrong("the signals of an element are its inputs"),
        }
    }

    /// Sets a number of a signal while the instance moves: from now on the signal is as if it had always had this number.
    pub(super) fn tune(&mut self, reference: usize, value: f64) -> Answer {
        if self.tuned.len() == MOST_TUNED {
            // How it goes on depends on the last value of each alone.
            let last: BTreeMap<usize, Tune> =
                self.tuned.iter().map(|t| (t.reference, *t)).collect();
            self.tuned = last.into_values().collect();
            self.forgets = true;
        }
        let after = match &self.motion {
            Some(Motion::Run(run)) => run.changes(),
            _ => 0,
        };
        self.tuned.push(Tune { after, reference, value });
        let done = self.put_tuned();
        if done.is_err() {
            self.tuned.pop();
        }
        done
    }

    /// Lets the motion go on under the signals that were tuned last.
    pub(super) fn put_tuned(&mut self) -> Answer {
        let file = self.file(&self.tuned)?;
        let Exported::Model(file) = file else {
            return wrong("the signals of an element are its inputs");
        };
        let problem = file.known()?;
        match &mut self.motion {
            Some(Motion::Run(run)) => Ok(run.tune(Own::of(&problem.model))?),
            Some(Motion::Exchange(e)) => {
                let mut other =
                    guarded::begin(&problem, vec![Added::default(); self.fixed.inlets])?;
                let inputs = e.shared.inputs.clone();
                let time = e.shared.time;
                if !other.put_back(inputs, time, &e.numbers())? {
                    return wrong("the motion cannot go on under these signals");
                }
                *e = other;
                Ok(())
            }
            Some(Motion::Joint(_)) => wrong("the numbers of a servo are fixed while it moves"),
            None => wrong("the motion has not begun"),
        }
    }
}
