//! `stickslip simulate`: one motion, of whatever the model file describes.

pub mod oscillator;

use super::Job;
use crate::args::Problem;
use crate::fault::Result;
use crate::file::{self, Kind};

/// Reads and checks a model file; the job depends on what moves.
pub fn read(problem: &Problem) -> Result<Box<dyn Job>> {
    let (document, gathered) = file::read(&problem.file, &problem.overrides()?)?;
    Ok(match Kind::of(&document)? {
        Kind::Oscillator => Box::new(oscillator::read(&document, gathered)?),
    })
}
