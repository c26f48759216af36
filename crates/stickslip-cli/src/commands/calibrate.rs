//! `stickslip calibrate`: friction parameters from measured records.

use super::{Job, experiment};
use crate::args::Calibrate;
use crate::export::fit::{Fitted, export};
use crate::export::{Product, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{self, Fit, Gathered, seconds_in};
use crate::screen::advance;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use stickslip_calibrate::{Series, ThermalBearing, calibrate, windows};

/// Records and a method, ready to be fitted.
pub struct Calibration {
    title: Option<String>,
    fits: Vec<Fit>,
    gathered: Gathered,
    windows: Option<(f64, f64)>,
}

/// Reads and checks a fit file and its data.
pub fn read(args: &Calibrate) -> Result<Box<dyn Job>> {
    let windows = args.windows.as_deref().map(window).transpose()?;
    let (document, mut gathered) = file::read(&args.file, &args.overrides()?)?;
    if let Some(job) = experiment::read(&document, &mut gathered)? {
        return Ok(job);
    }
    let (title, fits) = Fit::read(&document, &mut gathered)?;
    Ok(Box::new(Calibration { title, fits, gathered, windows }))
}

/// `30d` or `30d:7d`: length and step, s. Without a step windows do not overlap.
fn window(text: &str) -> Result<(f64, f64)> {
    let (length, step) = text.split_once(':').unwrap_or((text, text));
    let seconds = |part: &str| {
        seconds_in(part).map_err(|(m, _)| {
            Fault::new(format!("--windows {text}: {m}"))
                .help("write --windows 30d or --windows 30d:7d")
        })
    };
    Ok((seconds(length)?, seconds(step)?))
}

/// Fits one record; `progress` is told of its windows.
fn one(
    file: Fit,
    windows_of: Option<(f64, f64)>,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Fitted> {
    let data = &file.data;
    let named = |e: stickslip_calibrate::Error| {
        let fault = Fault::new(format!("{}: {e}", data.file));
        match e.remedy() {
            Some(remedy) => fault.help(remedy),
            None => fault,
        }
    };
    let series = Series::new(&data.seconds, &data.drive_values, &data.response_values);
    let series = series.map_err(named)?;
    let model = ThermalBearing { bearing_stiffness: file.bearing_stiffness };
    let options = file.settings.options(data.max_gap);
    let clock = Instant::now();
    let mut fit = calibrate(&series, &model, &options).map_err(named)?;
    let windows = match windows_of {
        Some(lengths) => {
            let found = windows(&series, &model, &options, &fit, lengths, progress);
            Some(found.map_err(named)?)
        }
        None => None,
    };
    fit.seconds = clock.elapsed().as_secs_f64();
    let warnings = fit.warnings.clone();
    Ok(Fitted { file, fit, windows, warnings })
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
        let Self { title, fits, gathered, windows } = *self;
        let clock = Instant::now();
        // The windows of one record, or else the records, are what the bar counts.
        let (count, done) = (fits.len() as u64, AtomicU64::new(0));
        let single = |now: usize, of: usize| {
            if count == 1 {
                advance(now as u64, of as u64);
            }
        };
        let fitted = |file: Fit| {
            let fitted = one(file, windows, single);
            if count > 1 {
                advance(done.fetch_add(1, Ordering::Relaxed) + 1, count);
            }
            fitted
        };
        let all: Result<Vec<Fitted>> = fits.into_par_iter().map(fitted).collect();
        let (mut all, seconds) = (all?, clock.elapsed().as_secs_f64());
        let several = all.len() > 1;
        let mut remarks = Vec::new();
        for (i, fitted) in all.iter_mut().enumerate() {
            fitted.file.title = fitted.file.title.take().or_else(|| match several {
                true => Some(format!("Record {}: {}", i + 1, fitted.file.data.file)),
                false => title.clone(),
            });
            let name = fitted.title().to_owned();
            let named = |w: &String| if several { format!("{name}: {w}") } else { w.clone() };
            remarks.extend(fitted.warnings.iter().map(named));
            if !several {
                fitted.warnings.splice(0..0, gathered.warnings.iter().cloned());
            }
        }
        let warnings: Vec<_> = gathered.warnings.iter().chain(&remarks).cloned().collect();
        let (method, seed) =
            all.first().map_or(("global", 1), |f| (f.fit.method, f.file.settings.seed));
        let files: Vec<&Fit> = all.iter().map(|f| &f.file).collect();
        let values: Vec<_> = all.iter().map(Fitted::value).collect();
        let summary = match (files.as_slice(), values.as_slice()) {
            ([file], [value]) => Head::of("calibrate", file, (method, seed), seconds, &warnings)
                .with(json!({ "fit": value })),
            _ => Head::of("calibrate", &files, (method, seed), seconds, &warnings)
                .with(json!({ "records": values })),
        };
        let (files, text) = export(title.as_deref().unwrap_or("Calibration"), all);
        Ok(Product { summary, files, text, remarks })
    }
}
