//! Friction parameters from measured records.

mod any_model;
mod experiment;
mod fitted;
mod steps;

use crate::context::Context;
use crate::each::{each_of, on_threads};
use crate::export::fit::{Fitted, export, several};
use crate::export::remarks;
use crate::input::Input;
use crate::product::{Lazy, Product, printed};
use crate::summary::Head;
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::Interrupt;
use stickslip_calibrate::{Control, Error, Series, ThermalBearing, calibrate_watched, windows};
use stickslip_file::fit::{Fit, Records};
use stickslip_file::{Diagnostic, FailureKind, FitFile, Remedy, Result};

/// What is asked of a calibration beside the fit file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Calibrate {
    /// Also fit sliding windows of this length and step, to detect changes: 30d or 30d:7d.
    #[arg(long, value_name = "LENGTH[:STEP]", value_parser = crate::typed::windows)]
    pub windows: Option<(f64, f64)>,
    /// Whether the steps of the fit must be kept in the journal of the context. Kinds of fits that are not done in steps are
    /// then refused.
    #[arg(skip)]
    pub kept: bool,
    /// Number of threads (default: one for each core); the result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// Fits what the fit file asks for: a thermal bearing, a pulled slider, a rigid drive, a damper, a valve, a servo, or any model.
///
/// # Errors
/// Where the file or its record is wrong, or the record cannot be fitted.
pub fn calibrate(options: &Calibrate, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    on_threads(options.threads.map_or(0, usize::from), || fitted(options, input, context))
}

fn fitted(options: &Calibrate, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let file = FitFile::read(input.document, input.reading)?;
    if options.windows.is_some() && !matches!(file.records, Records::Bearings { .. }) {
        return Err(no_windows(file.kind()));
    }
    if options.kept
        && !matches!(file.records, Records::Model(_) | Records::Servo(_) | Records::Joint(_))
    {
        return Err(no_steps(file.kind()));
    }
    let FitFile { records, inputs, warnings, notices, .. } = file;
    context.warn_all(&warnings);
    let digest = || steps::digest(&inputs, input.reading);
    let product = match records {
        Records::Bearings { title, fits } => {
            let (all, seconds) = context.timed(|| fit_all(fits, options.windows, context));
            bearings(title, all?, &warnings, seconds)
        }
        Records::Slider(file) => experiment::slider(file, &warnings, context)?,
        Records::Drive(file) => experiment::drive(file, &warnings, context)?,
        Records::Hysteresis(file) => experiment::damper(file, &warnings, context)?,
        Records::Laws(file) => experiment::laws(file, &warnings, context)?,
        Records::Valve(file) => experiment::valve(file, &warnings, context)?,
        Records::Isolator(file) => experiment::isolator(file, &warnings, context)?,
        Records::Rock(file) => experiment::rock_friction(file, &warnings, context)?,
        Records::FrictionCurve(file) => experiment::friction_curve(file, &warnings, context)?,
        Records::Servo(file) => any_model::servo(file, (&warnings, digest()), context)?,
        Records::Joint(file) => any_model::joint(file, (&warnings, digest()), context)?,
        Records::Model(file) => any_model::model(file, (&warnings, digest()), context)?,
        _ => return Err(Diagnostic::unsolvable("records of this kind cannot be fitted")),
    };
    Ok(with_notices(Product { inputs, ..product }, notices))
}

/// How the tables are written, as a footnote of the text and a key of the summary.
fn with_notices(mut product: Product, notices: Vec<String>) -> Product {
    product.summary["notices"] = json!(notices);
    let text = product.text.clone();
    product.text = Lazy::new(move || text.get() + &printed(|w| remarks::footnotes(w, &notices)));
    product
}

fn no_windows(kind: &str) -> Diagnostic {
    Diagnostic::command_line(format!(
        "sliding windows were asked for; they apply to records of thermal bearings, and this is `{kind}`"
    ))
    .with_remedy(Remedy::Omit("windows"))
}

fn no_steps(kind: &str) -> Diagnostic {
    Diagnostic::command_line(format!(
        "the state of the fit was to be kept; it is kept of the kinds `model` and `servo`, and this is `{kind}`"
    ))
    .with_remedy(Remedy::Omit("state"))
}

/// How many parts the work on one record has.
const PARTS: f64 = 1000.0;

/// Passes on to a context how far the work on a record is, and from it whether it shall stop.
pub(crate) struct Watch<'a> {
    context: &'a Context<'a>,
    /// Whether this is the only record.
    alone: bool,
    /// The share with which this part of the work begins, and that with which it ends.
    part: [f64; 2],
    /// Who else may stop the work.
    interrupt: Interrupt,
}

impl<'a> Watch<'a> {
    /// The whole work of a command.
    pub(crate) fn whole(context: &'a Context<'a>) -> Self {
        Self { context, alone: true, part: [0.0, 1.0], interrupt: Interrupt::current() }
    }
}

impl Control for Watch<'_> {
    fn progress(&self, share: f64) {
        if self.alone {
            let [from, to] = self.part;
            (self.context.progress)((PARTS * (from + (to - from) * share)) as u64, PARTS as u64);
        }
    }

    fn stop(&self) -> bool {
        self.interrupt.is_requested() || (self.context.cancelled)()
    }
}

/// Fits every record. The share of one record, or else the number of records, is what progress counts.
fn fit_all(
    fits: Vec<Fit>,
    windows: Option<(f64, f64)>,
    context: &Context<'_>,
) -> Result<Vec<Fitted>> {
    let count = fits.len() as u64;
    let done = AtomicU64::new(0);
    each_of(fits, |file| {
        let fitted = one(file, windows, (context, count == 1));
        if count > 1 {
            (context.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        }
        fitted
    })
}

/// Fits one record, which may be the only one.
fn one(
    file: Fit,
    lengths: Option<(f64, f64)>,
    (context, alone): (&Context<'_>, bool),
) -> Result<Fitted> {
    let data = &file.data;
    let named = |e: Error| {
        if matches!(e, Error::Interrupted) {
            return Diagnostic::of(FailureKind::Interrupted, format!("{}: {e}", data.file));
        }
        let found = Diagnostic::new(format!("{}: {e}", data.file));
        match e.remedy() {
            Some(remedy) => found.help(remedy),
            None => found,
        }
    };
    // Where drive and response are measured at different times, no row need hold both.
    let make = if data.tolerance.is_some() { Series::apart } else { Series::new };
    let series = make(&data.seconds, &data.drive_values, &data.response_values);
    let series = series.map_err(named)?;
    let model = ThermalBearing {
        bearing_stiffness: file.bearing_stiffness,
        bearing_stiffness_error: file.bearing_stiffness_error,
    };
    let options = file.options();
    let (found, seconds) = context.timed(|| {
        // The windows of a record take longer than the record itself.
        let own = if lengths.is_some() { 0.2 } else { 1.0 };
        let interrupt = Interrupt::current();
        let watch =
            |from, to| Watch { context, alone, part: [from, to], interrupt: interrupt.clone() };
        let fit = calibrate_watched(&series, &model, &options, &watch(0.0, own))?;
        let control = watch(own, 1.0);
        let sliding = |(length, step): (f64, f64)| {
            windows(&series, &model, &options, &fit, length, step, &control)
        };
        let found = lengths.map(sliding).transpose()?;
        Ok((fit, found))
    });
    let (mut fit, windows) = found.map_err(named)?;
    fit.seconds = seconds;
    let mut fitted = Fitted { file, fit, windows, warnings: Vec::new() };
    let said = fitted.fit.warnings.iter().map(|w| fitted.dated(w)).collect();
    fitted.warnings = remarks::sorted(said);
    Ok(fitted)
}

fn bearings(
    title: Option<String>,
    mut all: Vec<Fitted>,
    gathered: &[String],
    seconds: f64,
) -> Product {
    let several_records = all.len() > 1;
    let mut remarks = Vec::new();
    for (i, fitted) in all.iter_mut().enumerate() {
        fitted.file.title = fitted.file.title.take().or_else(|| match several_records {
            true => Some(format!("Record {}: {}", i + 1, fitted.file.data.file)),
            false => title.clone(),
        });
        let name = fitted.title().to_owned();
        let named = |w: &String| if several_records { format!("{name}: {w}") } else { w.clone() };
        remarks.extend(fitted.warnings.iter().map(named));
        if !several_records {
            fitted.warnings.splice(0..0, gathered.iter().cloned());
        }
    }
    let warnings: Vec<_> = gathered.iter().chain(&remarks).cloned().collect();
    let (method, seed) =
        all.first().map_or(("global", 1), |f| (f.fit.method, f.file.settings.seed));
    let files: Vec<&Fit> = all.iter().map(|f| &f.file).collect();
    let values: Vec<_> = all.iter().map(Fitted::value).collect();
    let summary = match (files.as_slice(), values.as_slice()) {
        ([file], [value]) => {
            let head = Head::of("calibrate", file, method, seed);
            head.after(seconds).warning(&warnings).with(json!({ "fit": value }))
        }
        _ => {
            let head = Head::of("calibrate", &files, method, seed);
            head.after(seconds).warning(&warnings).with(json!({ "records": values }))
        }
    };
    let product = Product::new(summary, Lazy::ready("")).remarks(remarks);
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => export(product, only),
        (last, _) => {
            let title = title.as_deref().unwrap_or("Calibration");
            several::export(product, title, all.into_iter().chain(last).collect())
        }
    }
}
