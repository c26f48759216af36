//! `stickslip solutions`: the solution set of an ill-posed problem.

pub mod corner;
pub mod oscillator;
pub mod schatzman;

use super::Job;
use crate::args::Solutions;
use crate::fault::{Fault, Result};
use crate::file::{self, Kind};

/// Reads and checks a model file; the search depends on what moves.
pub fn read(args: &Solutions) -> Result<Box<dyn Job>> {
    let (document, gathered) = file::read(&args.problem.file, &args.problem.overrides()?)?;
    Ok(match Kind::of(&document)? {
        Kind::Oscillator => Box::new(oscillator::read(args, &document, gathered)?),
        Kind::Corner => Box::new(corner::read(&document, gathered)?),
        Kind::Schatzman => Box::new(schatzman::read(&document, gathered)?),
        Kind::Impact | Kind::Cascade | Kind::Network => {
            return Err(Fault::new(
                "this model has one solution only; expected [oscillator], [corner] or [schatzman]",
            )
            .help("`stickslip simulate` finds it"));
        }
    })
}
