//! `stickslip calibrate`: friction parameters from a measured record.

use super::Job;
use crate::args::Calibrate;
use crate::export::Product;
use crate::fault::{Fault, Result};
use crate::file::{self, Fit, Gathered};
use std::path::PathBuf;

/// A record and a method, ready to be fitted.
pub struct Calibration {
    fit: Fit,
    gathered: Gathered,
}

/// Reads and checks a fit file and its data.
pub fn read(args: &Calibrate) -> Result<Calibration> {
    let (document, mut gathered) = file::read(&args.file, &args.overrides()?)?;
    let fit = Fit::read(&document, &mut gathered)?;
    Ok(Calibration { fit, gathered })
}

impl Job for Calibration {
    fn title(&self) -> &'static str {
        "fitting"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let samples = self.fit.data.seconds.len();
        Err(Fault::unsolvable(format!(
            "{samples} samples were read; this build has no calibration"
        )))
    }
}
