//! `stickslip simulate`: one motion, of whatever the model file describes.

pub mod cascade;
pub mod impact;
pub mod network;
pub mod oscillator;

use super::Job;
use crate::args::Simulate;
use crate::fault::{Fault, Result};
use crate::file::{self, Kind};

/// Reads and checks a model file; the job depends on what moves.
pub fn read(args: &Simulate) -> Result<Box<dyn Job>> {
    let problem = &args.problem;
    let (document, gathered) = file::read(&problem.file, &problem.overrides()?)?;
    Ok(match Kind::of(&document)? {
        Kind::Impact => Box::new(impact::read(&document, gathered)?),
        Kind::Oscillator => {
            let simulation = oscillator::read(&document, gathered)?;
            Box::new(simulation.perturbed_by(args.perturb))
        }
        Kind::Cascade => Box::new(cascade::read(&document, gathered)?),
        Kind::Corner | Kind::Schatzman => {
            let message = "this problem has more than one solution; there is no one to simulate";
            return Err(Fault::new(message).help("`stickslip solutions` lists them"));
        }
        Kind::Network => Box::new(network::read(&document, gathered)?),
    })
}
