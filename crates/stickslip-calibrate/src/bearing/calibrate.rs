//! The whole calibration of a bearing that temperature drives.

use std::borrow::Cow;

use crate::bearing::averages::{self, judged_means};
use crate::bearing::clean::Clean;
use crate::bearing::creep;
use crate::bearing::delay::{self, DelayKind, Node, delayed};
use crate::bearing::finding::Logged;
use crate::bearing::fit::Fit;
use crate::bearing::intervals::sizes::Excess;
use crate::bearing::judge::{Judged, Judgement, judged};
use crate::bearing::means::{banded, means};
use crate::bearing::options::{Method, Options, ThermalBearing};
use crate::bearing::remarks;
use crate::bearing::search::prepared::Prepared;
use crate::control::{Control, Parts, Span};
use crate::error::Error;
use crate::record::lag::{Lag, Shift};
use crate::record::plausible;
use crate::record::series::Series;
use crate::record::stuck::Stuck;
use crate::record::trend::Creep;
use crate::statistics::estimate::Estimate;
use stickslip::Interrupt;

/// The share of the work that is done when a record is freed of what is no measurement, and when a lag or a shift is found.
const PREPARED: f64 = 0.05;
const SCANNED: f64 = 0.6;

/// Fits z₀, K, f_d, f_s and β by global search, whatever the method in `options`.
///
/// # Errors
/// As [`calibrate`].
pub fn global(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    calibrate(series, model, &Options { method: Method::Global, ..options.clone() })
}

/// Fits z₀, K, f_d, f_s and β.
///
/// # Errors
/// If an option is out of its range, or what is left of the record is too little.
pub fn calibrate(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    calibrate_watched(series, model, options, &Interrupt::current())
}

/// [`calibrate`], which tells `control` how far it is and stops when it is asked to.
///
/// # Errors
/// As `calibrate`, and [`Error::Interrupted`].
pub fn calibrate_watched(
    series: &Series,
    model: &ThermalBearing,
    options: &Options,
    control: &dyn Control,
) -> Result<Fit, Error> {
    check(model, options)?;
    averages::check(series, options)?;
    let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
    check_gap(series, max_gap)?;
    let mut clean = Clean::of(series, options)?;
    // Before any lag is fitted: a spike that was none belongs to the drive that lags.
    clean.reconsidered(series.time(), options)?;
    if let Some(drive) = clean.given(series.time(), max_gap, options)? {
        clean.drive = drive.into();
    }
    let record = clean.series(series.time())?;
    let asked = options.trend.creep;
    let options = &*creep::settled(&record, options);
    let before = Span { control, part: [PREPARED, SCANNED] };
    let (nodes, control) = match fitted(options)? {
        Some(kind) => {
            let nodes = nodes(&record, options, kind, &before)?;
            (Some((kind, nodes)), Span { control, part: [SCANNED, 1.0] })
        }
        None => (None, Span { control, part: [PREPARED, 1.0] }),
    };
    control.progress(0.0);
    let drive = match &nodes {
        Some((kind, nodes)) => {
            let value = nodes.first().map_or(0.0, |n| n.value);
            Cow::from(delayed(&record, max_gap, *kind, value))
        }
        None => Cow::from(&*clean.drive),
    };
    let behind = Series::new(series.time(), &drive, &clean.response)?;
    let around = nodes.as_ref().map(|(kind, nodes)| (&record, *kind, nodes.as_slice()));
    let case = Judged { series: &behind, model, options, around, control: &control };
    let judgement = match options.average {
        Some(length) => judged_means(&case, length),
        None => judged(&case),
    };
    let Judgement { mut fit, late, number } = judgement?;
    clean.left_out.extend(late);
    (fit.lag, fit.shift) = numbers(options, nodes.as_ref().map(|n| (n.0, n.1.as_slice())));
    // The scan knows the squares only; the instants of the slips may say more about how uncertain it is.
    for e in [&mut fit.lag, &mut fit.shift].into_iter().flatten() {
        widen(e, number);
    }
    // Of the drive that the bearing feels, but for the dead band, which shows in the readings themselves.
    if options.average.is_none() {
        means(&behind, &mut fit);
    }
    banded(series, &mut fit);
    remarks::left_out(&mut fit, series, clean);
    if asked == Creep::Fitted && options.trend.creep == Creep::None {
        let said = "no creep of the reading was seen: the record is fitted without one";
        fit.warnings.push(said.to_owned());
    }
    doubts(series, model.bearing_stiffness, options.outliers.is_none(), &mut fit);
    seldom(series, &mut fit);
    remarks::sparse_drive(&mut fit, series);
    control.progress(1.0);
    Ok(fit)
}

fn check(model: &ThermalBearing, options: &Options) -> Result<(), Error> {
    let positive = |what, found: Option<f64>, expected| match found {
        Some(found) if !(found.is_finite() && found > 0.0) => {
            Err(Error::OutOfRange { what, found, expected })
        }
        _ => Ok(()),
    };
    positive("the bearing stiffness", model.bearing_stiffness, "a finite stiffness > 0 N/m")?;
    let error = "the error of the bearing stiffness";
    positive(error, model.bearing_stiffness_error, "a finite standard error > 0 N/m")?;
    positive("outliers", options.outliers, "a number of standard deviations > 0, 6 is usual")?;
    let creep = if let Creep::Within(time) = options.trend.creep { Some(time) } else { None };
    positive("creep", creep, "a time constant > 0 s")?;
    let lag = if let Lag::Fixed(seconds) = options.lag { Some(seconds) } else { None };
    positive("lag", lag, "a time constant > 0 s")?;
    if let Shift::Fixed(found) = options.shift
        && !found.is_finite()
    {
        return Err(Error::OutOfRange { what: "shift", found, expected: "a finite time, in s" });
    }
    match options.drive_noise {
        Some(found) if !(found.is_finite() && found >= 0.0) => Err(Error::OutOfRange {
            what: "the noise of the drive",
            found,
            expected: "a standard deviation ≥ 0, in the drive's unit",
        }),
        _ => Ok(()),
    }
}

/// A gap that is shorter than the time between rows leaves every row alone.
fn check_gap(series: &Series, max_gap: f64) -> Result<(), Error> {
    let step = series.usual_step();
    if max_gap > 0.0 && max_gap < step {
        return Err(Error::GapBelowStep { max_gap, step });
    }
    Ok(())
}

/// Which number is fitted, if one is.
fn fitted(options: &Options) -> Result<Option<DelayKind>, Error> {
    match (options.lag, options.shift) {
        // Both delay the response, one by a time constant and one as a whole.
        (Lag::Fitted, Shift::Fitted) => Err(Error::Undetermined {
            what: "a lag of the deck and a shift of the clocks can hardly be told apart",
            expected: "one of the two to be given",
        }),
        (Lag::Fitted, _) => Ok(Some(DelayKind::Lag)),
        (_, Shift::Fitted) => Ok(Some(DelayKind::Shift)),
        _ => Ok(None),
    }
}

/// The values of a fitted lag or shift with their shares; one of 0 if the record shows none.
fn nodes(
    record: &Series,
    options: &Options,
    kind: DelayKind,
    control: &dyn Control,
) -> Result<Vec<Node>, Error> {
    // One trial more is the record without a lag or shift.
    let parts = Parts::new(control, delay::trials(record, kind) + 1);
    let scan = delay::scan(record, options, kind, &parts)?;
    if scan.seen() {
        return scan.nodes(record, options, &parts);
    }
    Ok(vec![Node { value: 0.0, share: 1.0, points: scan.none.points }])
}

/// Lag and shift as they are reported.
fn numbers(
    options: &Options,
    nodes: Option<(DelayKind, &[Node])>,
) -> (Option<Estimate>, Option<Estimate>) {
    let stated = |value: f64| Estimate {
        value: Some(value),
        unit: "s",
        stderr: None,
        ci95: None,
        identifiable: true,
        reason: Some("given".to_owned()),
    };
    let found = |kind: DelayKind| {
        let (_, nodes) = nodes.filter(|n| n.0 == kind)?;
        Some(match nodes.first() {
            // A lag that is not seen is none, and no number.
            Some(best) if best.value != 0.0 => delay::estimate(nodes),
            _ if kind == DelayKind::Lag => {
                Estimate::unknown("s", "no lag seen: the record is fitted as well without one")
            }
            _ => Estimate::unknown("s", "no shift seen: the record is fitted as well without one"),
        })
    };
    let lag = match options.lag {
        Lag::Fixed(seconds) => Some(stated(seconds)),
        _ => found(DelayKind::Lag),
    };
    let shift = match options.shift {
        Shift::Fixed(seconds) => Some(stated(seconds)),
        _ => found(DelayKind::Shift),
    };
    (lag, shift)
}

/// A lag or a shift that was fitted is as uncertain as the instants of the slips say, at least.
fn widen(e: &mut Estimate, number: Option<Excess>) {
    // The interval only grows: what either of the two says stays inside.
    if let (Some(value), Some([low, high]), Some((sd, [least, most]))) = (e.value, e.ci95, number) {
        e.stderr = e.stderr.map(|s| s.max(sd));
        e.ci95 = Some([low.min(value + least), high.max(value + most)]);
    }
}

/// Rows that are this far apart, s, miss the swing of a day: of four readings of a sine a day the largest is 0.71 of its
/// amplitude at worst, and slips happen at the swings.
const SELDOM: f64 = 6.0 * 3600.0;

/// Records of a deck that is read too seldom.
fn seldom(series: &Series, fit: &mut Fit) {
    let step = series.usual_step();
    if step < 0.99 * SELDOM {
        return;
    }
    let said = format!(
        "the rows are {:.0} h apart: the swings of the temperature within a day, at which bearings slip, are not in the record, \
         whether it holds readings or means; record at least every hour",
        step / 3600.0
    );
    fit.refuse(&said);
    fit.warnings.push(said);
}

/// Is this the record that its owner thinks it is?
fn doubts(series: &Series, stiffness: Option<f64>, kept: bool, fit: &mut Fit) {
    let slope = fit.slope.as_ref().and_then(|s| s.value);
    // Without β the slope of the straight line is near enough to tell what is plausible.
    let beta = fit.parameters.beta.value.or(slope).unwrap_or(0.0);
    if let Some(said) = plausible::expansion(beta) {
        fit.remark(Logged::Expansion, said);
    }
    if let (Some(force), Some(stiffness)) = (fit.parameters.f_s.value, stiffness) {
        fit.warnings.extend(plausible::breakaway(force, stiffness));
    }
    // With a lag or a shift asked for, a response that leads has been allowed for already.
    if fit.lag.is_none()
        && fit.shift.is_none()
        && let Some(said) = plausible::leads(series, beta)
    {
        fit.remark(Logged::LateDrive, said);
    }
    // Readings that are known to be coarse repeat themselves.
    let coarse = |s: &Stuck| s.column == "response" && !s.left_out && fit.rounding.is_some();
    let stuck = Stuck::find(series).into_iter().filter(|s| !coarse(s));
    let said: Vec<String> = stuck.filter_map(|s| s.remark(series.time(), kept)).collect();
    said.into_iter().for_each(|said| fit.remark(Logged::Stuck, said));
}
