//! How an instance moves: by itself, as the importer integrates it, or as a servo that is told goals.

use super::turning::Turning;
use crate::run::Run;
use stickslip::EventKind;
use stickslip::scheme::guarded::{Added, Integrated};

#[derive(Debug, Clone)]
pub enum Motion {
    /// By itself, from one communication point to the next.
    Run(Box<Run>),
    /// As the importer integrates it; a contact as the importer moves its flanges, in either way.
    Exchange(Integrated),
    /// A servo that is told goals.
    Joint(Box<Turning>),
}

impl Motion {
    pub fn time(&self) -> f64 {
        match self {
            Self::Run(run) => run.time(),
            Self::Joint(joint) => joint.time(),
            Self::Exchange(e) => e.shared.time,
        }
    }

    pub fn inputs(&self) -> &[Added] {
        match self {
            Self::Run(run) => &run.inputs,
            Self::Joint(joint) => &joint.inputs,
            Self::Exchange(e) => &e.shared.inputs,
        }
    }

    pub fn inputs_mut(&mut self) -> &mut [Added] {
        match self {
            Self::Run(run) => &mut run.inputs,
            Self::Joint(joint) => &mut joint.inputs,
            Self::Exchange(e) => &mut e.shared.inputs,
        }
    }

    pub fn row(&self, out: &mut Vec<f64>) {
        match self {
            Self::Run(run) => run.row(out),
            Self::Joint(joint) => joint.row(out),
            Self::Exchange(e) => e.row(out),
        }
    }

    pub fn lost(&self) -> f64 {
        match self {
            Self::Run(run) => run.lost(),
            Self::Joint(_) => 0.0,
            Self::Exchange(e) => e.lost(),
        }
    }

    pub fn phase(&self, contact: usize) -> i32 {
        match self {
            Self::Run(run) => run.phase(contact),
            Self::Joint(_) => 0,
            Self::Exchange(e) => e.phase(contact),
        }
    }

    pub fn count(&self, kind: EventKind) -> i32 {
        match self {
            Self::Run(run) => run.count(kind),
            Self::Joint(_) => 0,
            Self::Exchange(e) => e.shared.counts.of(kind),
        }
    }
}
