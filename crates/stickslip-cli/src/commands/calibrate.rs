//! `stickslip calibrate`: friction parameters from a measured record.

use super::{Job, experiment};
use crate::args::Calibrate;
use crate::export::fit::{Fitted, export};
use crate::export::{Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Fit, Gathered};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_calibrate::{Options, Series, ThermalBearing, global};

/// A record and a method, ready to be fitted.
pub struct Calibration {
    fit: Fit,
    gathered: Gathered,
}

/// Reads and checks a fit file and its data.
pub fn read(args: &Calibrate) -> Result<Box<dyn Job>> {
    let (document, mut gathered) = file::read(&args.file, &args.overrides()?)?;
    if let Some(job) = experiment::read(&document, &mut gathered)? {
        return Ok(job);
    }
    let fit = Fit::read(&document, &mut gathered)?;
    Ok(Box::new(Calibration { fit, gathered }))
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
        let Self { fit: file, gathered } = *self;
        let data = &file.data;
        let named = |e: stickslip_calibrate::Error| Fault::new(format!("{}: {e}", data.file));
        let series = Series::new(&data.seconds, &data.drive_values, &data.response_values);
        let series = series.map_err(named)?;
        let model = ThermalBearing { bearing_stiffness: file.bearing_stiffness };
        let options = Options { max_gap: data.max_gap, seed: file.seed };
        let clock = Instant::now();
        let mut fit = global(&series, &model, &options).map_err(named)?;
        fit.seconds = clock.elapsed().as_secs_f64();

        let warnings: Vec<_> = gathered.warnings.iter().chain(&fit.warnings).cloned().collect();
        let summary = Head::of("calibrate", &file, ("global", file.seed), fit.seconds, &warnings)
            .with(json!({ "fit": &fit }));
        let remarks = fit.warnings.clone();
        let (files, text) = export(Fitted { file, fit, warnings });
        Ok(Product { summary, files, text, remarks })
    }
}
