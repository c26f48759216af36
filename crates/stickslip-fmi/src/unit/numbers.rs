//! The model of an instance with the numbers that were set.

use super::Answer;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use stickslip_file::interface::{Exported, Interface};
use stickslip_file::joint_unit::JointUnit;
use stickslip_file::{Document, Reading, Varied, VariedModel};

/// What is among the resources.
#[derive(Debug)]
pub enum Source {
    /// A model file.
    Model(Numbers),
    /// The fit of a servo.
    Joint(Box<JointUnit>),
}

impl Source {
    /// What moves with these numbers, by the references of their variables in `interface`.
    ///
    /// # Errors
    /// Where they make none.
    pub fn model(&self, interface: &Interface, numbers: &BTreeMap<usize, f64>) -> Answer<Exported> {
        match self {
            Self::Model(file) => file.model(interface, numbers),
            Self::Joint(joint) => {
                let named =
                    numbers.iter().map(|(i, v)| (interface.variables[*i].name.as_str(), *v));
                Ok(Exported::Joint(Box::new(joint.with(named)?)))
            }
        }
    }
}

/// A model file, and its numbers at the keys that were set last. An importer that tunes sets the same ones again and again: where
/// they lead to is looked up once.
#[derive(Debug)]
pub struct Numbers {
    document: Document,
    reading: Reading,
    /// Of copies of an instance, too, which go on with the same keys.
    last: Mutex<Option<Arc<Set>>>,
}

/// Numbers that are set together.
struct Set {
    /// Their references.
    references: Vec<usize>,
    models: Models,
}

enum Models {
    /// Of a model that moves.
    Moving(Box<VariedModel>),
    /// Of a contact that the other simulator moves.
    Moved(Box<Varied>),
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Set").field("references", &self.references).finish_non_exhaustive()
    }
}

impl Numbers {
    pub fn new(document: Document, reading: Reading) -> Self {
        Self { document, reading, last: Mutex::default() }
    }

    /// The model with these numbers, by the references of their variables in `interface`.
    ///
    /// # Errors
    /// Where they make no model.
    pub fn model(&self, interface: &Interface, numbers: &BTreeMap<usize, f64>) -> Answer<Exported> {
        let set = self.set(interface, numbers)?;
        let values: Vec<f64> = numbers.values().copied().collect();
        Ok(match &set.models {
            Models::Moving(models) => Exported::Model(Box::new(models.read(&values)?)),
            Models::Moved(varied) => {
                varied.read(&values, |d| Ok(Exported::read(d, &self.reading)?.0))?
            }
        })
    }

    /// The last set, or another one where other numbers were set.
    fn set(&self, interface: &Interface, numbers: &BTreeMap<usize, f64>) -> Answer<Arc<Set>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = last.as_ref().filter(|s| s.references.iter().eq(numbers.keys())) {
            return Ok(set.clone());
        }
        let key = |(reference, value): (&usize, &f64)| {
            ("values given", interface.variables[*reference].name.as_str(), *value)
        };
        let varied = Varied::new(&self.document, numbers.iter().map(key))?;
        let models = if Exported::is_moved_by_others(&self.document)? {
            Models::Moved(Box::new(varied))
        } else {
            Models::Moving(Box::new(VariedModel::new(varied, &self.reading)))
        };
        let set = Arc::new(Set { references: numbers.keys().copied().collect(), models });
        *last = Some(set.clone());
        Ok(set)
    }
}
