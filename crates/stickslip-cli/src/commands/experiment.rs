//! `stickslip calibrate` on the records of experiments: a pulled slider, a rigid drive.

use super::Job;
use crate::export::{Product, drive, slider, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{DriveFile, Gathered, Node, SliderFile, kind};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_calibrate::{pulled_slider, rigid_drive};

/// The job of a fit file, if it is that of an experiment.
pub fn read(document: &Node, gathered: &mut Gathered) -> Result<Option<Box<dyn Job>>> {
    Ok(Some(match kind(document) {
        Some("pulled-slider") => {
            let file = SliderFile::read(document, gathered)?;
            Box::new(Slider { file, gathered: gathered.clone() })
        }
        Some("rigid-drive") => {
            let file = DriveFile::read(document, gathered)?;
            Box::new(Drive { file, gathered: gathered.clone() })
        }
        _ => return Ok(None),
    }))
}

/// What is wrong with the record, and where it is.
fn named(file: &str) -> impl Fn(stickslip_calibrate::Error) -> Fault {
    move |e| {
        let said = e.to_string();
        // Errors of the fit end in their remedy, after the last colon.
        match said.rsplit_once(": ") {
            Some((finding, remedy)) => {
                Fault::new(format!("{file}: {finding}")).help(remedy.to_owned())
            }
            None => Fault::new(format!("{file}: {said}")).help("change it in the fit file"),
        }
    }
}

struct Slider {
    file: SliderFile,
    gathered: Gathered,
}

impl Job for Slider {
    fn title(&self) -> &'static str {
        "looking for slips"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { file, gathered } = *self;
        let clock = Instant::now();
        let found = pulled_slider::slider(&file.data.seconds, &file.data.values[0], &file.rig());
        let mut fit = found.map_err(named(&file.data.file))?;
        fit.seconds = clock.elapsed().as_secs_f64();
        let warnings: Vec<_> = gathered.warnings.iter().chain(&fit.warnings).cloned().collect();
        let summary = Head::of("calibrate", &file, ("slips", 0), fit.seconds, &warnings)
            .with(json!({ "fit": &fit }));
        let remarks = fit.warnings.clone();
        let (files, text) = slider::export(slider::Seen { file, fit, warnings });
        Ok(Product { summary, files, text, remarks })
    }
}

struct Drive {
    file: DriveFile,
    gathered: Gathered,
}

impl Job for Drive {
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
        let Self { file, gathered } = *self;
        let clock = Instant::now();
        let [position, force] = [0, 1].map(|i| file.data.values[i].as_slice());
        let reference = file.data.values.get(2).map(Vec::as_slice);
        let found =
            rigid_drive::drive(&file.data.seconds, position, force, reference, &file.asked());
        let mut fit = found.map_err(named(&file.data.file))?;
        fit.seconds = clock.elapsed().as_secs_f64();
        let warnings: Vec<_> = gathered.warnings.iter().chain(&fit.warnings).cloned().collect();
        let summary = Head::of("calibrate", &file, ("least-squares", 0), fit.seconds, &warnings)
            .with(json!({ "fit": &fit }));
        let remarks = fit.warnings.clone();
        let (files, text) = drive::export(drive::Driven { file, fit, warnings });
        Ok(Product { summary, files, text, remarks })
    }
}
