//! Change over time: the record fitted in sliding windows.
//!
//! Two ways. A *change of friction* is looked for in the whole record (`changes`): one finding, with its
//! date, its size and their intervals. And every window is fitted like a record of its own, with the same K_BP and the same lag. A quantity's value
//! in a window is alarming if it differs from the median of all windows by more than
//!
//! ```text
//! z √(s² + s_med²),   z = √(2 ln(m/0.01))
//! ```
//!
//! with s its standard error, s_med the median standard error over √windows, and m the number of comparisons: for
//! normal errors the chance of any false alarm in the whole record is then below 1 % (Bonferroni, and
//! P(|N| > z) ≤ e^{−z²/2}). Windows with fewer than six slips have no say, nor those that straddle a change; the others are
//! compared with those between the same changes.

use serde::Serialize;
use stickslip::portable;

use crate::bearing::averages::Unfolded;
use crate::bearing::calibrate::calibrate_watched;
use crate::bearing::changes::Change;
use crate::bearing::clean::Clean;
use crate::bearing::fit::Fit;
use crate::bearing::options::{Method, Options, ThermalBearing};
use crate::bearing::search::prepared::Prepared;
use crate::bearing::segments::{Part, segmented};
use crate::control::{Control, Parts};
use crate::error::Error;
use crate::parallel;
use crate::record::lag::{Lag, Shift};
use crate::record::series::Series;
use crate::record::trend::{Creep, Trend};
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::median;

/// Chance of a false alarm in the whole record.
const FALSE_ALARM: f64 = 0.01;
/// Fewer windows than this have no usual value to differ from.
const FEWEST: usize = 4;
/// A window with fewer slips has no say.
const VOTING: usize = 6;

/// A control that hears nothing of the progress of one window.
struct Silent<'a>(&'a dyn Control);

impl Control for Silent<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// One window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)]
pub struct Window {
    /// First instant, s.
    pub from: f64,
    /// Last instant, s.
    pub to: f64,
    /// Rows with both values.
    pub samples: usize,
    /// Slips of the fitted path.
    pub slips: usize,
    /// Why there is no fit, if there is none.
    pub failure: Option<String>,
    /// By quantity, in the order of [`Windows::quantities`].
    pub estimates: Vec<Estimate>,
}

/// A value that differs from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alarm {
    /// The quantity.
    pub name: &'static str,
    /// The window, from 0.
    pub window: usize,
    /// Its value there.
    pub value: f64,
    /// The median over the windows that it is compared with: those between the same two changes of the record.
    pub usual: f64,
    /// The difference in standard errors.
    pub deviations: f64,
}

/// All windows of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Windows {
    /// Length of a window, s.
    pub length: f64,
    /// From one window to the next, s.
    pub step: f64,
    /// What is followed over time.
    pub quantities: Vec<&'static str>,
    /// The windows, in order of time.
    pub windows: Vec<Window>,
    /// Windows that differ from the others, and that no change explains.
    pub alarms: Vec<Alarm>,
    /// Changes of the friction, in order of time: looked for in the whole record, not in its windows.
    pub changes: Vec<Change>,
    /// Standard errors beyond which a change is significant.
    pub threshold: f64,
}

const NAMES: [&str; 6] = ["f_s", "f_d", "K", "beta", "f_s_over_K", "f_d_over_K"];

fn estimates(fit: &Fit) -> Vec<Estimate> {
    let p = &fit.parameters;
    [&p.f_s, &p.f_d, &p.K, &p.beta, &fit.f_s_over_K, &fit.f_d_over_K].map(Clone::clone).into()
}

/// Fits windows of `length` s, each `step` s after the one before; `whole` is the fit of the whole
/// record, whose lag and shift are used; `control` is told the share that is done, and may stop the work.
///
/// # Errors
/// If a length is out of range, or as [`calibrate_watched`](crate::calibrate_watched).
pub fn windows(
    series: &Series,
    model: &ThermalBearing,
    options: &Options,
    whole: &Fit,
    length: f64,
    step: f64,
    control: &dyn Control,
) -> Result<Windows, Error> {
    let positive = |what, found: f64| match found.is_finite() && found > 0.0 {
        true => Ok(()),
        false => Err(Error::OutOfRange { what, found, expected: "a time > 0 s" }),
    };
    positive("the length of a window", length)?;
    positive("the step between windows", step)?;
    let time = series.time();
    let first = time[0];
    let last = time[time.len() - 1];
    // A record that is shorter than a window is one window.
    let count = (((last - first - length) / step).floor() + 1.0).max(1.0) as usize;
    let changes = changes(series, options, whole)?;
    // What else may be wrong with the record is asked of the whole of it, where there is most to see it by.
    let options = Options { diagnose: false, ..settled(options, whole) };
    let parts = Parts::new(control, count);
    let one = |i: usize| -> Window {
        let from = first + step * i as f64;
        let to = first + step * i as f64 + length;
        let a = time.partition_point(|&t| t < from);
        let b = time.partition_point(|&t| t <= to);
        let drive = &series.drive()[a..b];
        let response = &series.response()[a..b];
        // Of a record with clocks apart, rows need not hold both values.
        let make = if options.tolerance.is_some() { Series::apart } else { Series::new };
        let fit = make(&time[a..b], drive, response)
            .and_then(|part| calibrate_watched(&part, model, &options, &Silent(control)));
        parts.one();
        match fit {
            Ok(fit) => Window {
                from,
                to,
                samples: fit.samples,
                slips: fit.slips,
                failure: None,
                estimates: estimates(&fit),
            },
            Err(e) => Window {
                from,
                to,
                samples: 0,
                slips: 0,
                failure: Some(e.to_string()),
                estimates: NAMES.map(|_| Estimate::unknown("", e.to_string())).into(),
            },
        }
    };
    let windows: Vec<Window> = parallel::each(count, one);
    if control.stop() {
        return Err(Error::Interrupted);
    }
    // Every quantity in every window is a chance of a false alarm.
    let comparisons = (windows.len() * NAMES.len()) as f64;
    let threshold = (2.0 * portable::log(comparisons / FALSE_ALARM)).sqrt();
    let alarms = NAMES
        .iter()
        .enumerate()
        .flat_map(|(k, name)| alarms(&windows, &changes, k, name, threshold))
        .collect();
    Ok(Windows { length, step, quantities: NAMES.into(), windows, alarms, changes, threshold })
}

/// The options of the whole record, with what was fitted there as given.
fn settled(options: &Options, whole: &Fit) -> Options {
    let value = |e: &Option<Estimate>| e.as_ref().and_then(|e| e.value);
    let lag = match (options.lag, value(&whole.lag)) {
        (Lag::Fitted, Some(seconds)) => Lag::Fixed(seconds),
        // A lag that was not seen in the whole record is not sought again in its parts.
        (Lag::Fitted, None) => Lag::None,
        (other, _) => other,
    };
    let shift = match (options.shift, value(&whole.shift)) {
        (Shift::Fitted, Some(seconds)) => Shift::Fixed(seconds),
        (Shift::Fitted, None) => Shift::None,
        (other, _) => other,
    };
    let drive_noise = options.drive_noise.or(whole.drive_noise);
    let method = Method::Global;
    // From a later beginning on, a creep is the same but for its size.
    let creep = match whole.trend.as_ref().and_then(|t| t.creep) {
        Some(creep) => Creep::Within(creep.time),
        None => Creep::None,
    };
    let trend = Trend { creep, ..options.trend.clone() };
    Options { method, bootstrap: 0, lag, shift, drive_noise, trend, ..options.clone() }
}

/// Changes of the friction in a record, in order of time: instants from which f_s and f_d are some ratio of what they
/// were before. `whole` is the fit of the record.
///
/// # Errors
/// As [`calibrate`](crate::calibrate()).
pub fn changes(series: &Series, options: &Options, whole: &Fit) -> Result<Vec<Change>, Error> {
    let options = settled(options, whole);
    let time = series.time();
    let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
    let mut clean = Clean::of(series, &options)?;
    if let Some(drive) = clean.given(time, max_gap, &options)? {
        clean.drive = drive.into();
    }
    // Rows are told from one.
    for row in &whole.outlier_rows {
        clean.response.to_mut()[row - 1] = f64::NAN;
    }
    // Drift, creep and steps as they were fitted are taken off, since parts of the record could not tell them from
    // changes.
    if let Some(trend) = &whole.trend {
        for (t, z) in time.iter().zip(clean.response.to_mut()) {
            *z -= trend.drift.unwrap_or(0.0) * (t - time[0]);
            *z -= trend.creep.map_or(0.0, |creep| creep.after(t - time[0]));
            *z -= trend.steps.iter().filter(|s| *t >= s.0).map(|s| s.1).sum::<f64>();
        }
    }
    let options = Options { trend: Trend::default(), ..options };
    let unfolded = match options.average {
        Some(length) => Some(Unfolded::without_slips(&clean.series(time)?, length, &whole.curve)),
        None => None,
    };
    let options = match &unfolded {
        Some(_) => Options { average: None, max_gap: Some(max_gap), ..options },
        None => options,
    };
    let record = match &unfolded {
        Some(fine) => Part { time: &fine.time, drive: &fine.drive, response: &fine.response },
        None => Part { time, drive: &clean.drive, response: &clean.response },
    };
    let near = whole.near.as_ref();
    let first = record.one(&options, near);
    Ok(segmented(&record, &options, near, first).changes)
}

impl Windows {
    /// Whether windows were compared at all: four or more between the same changes know one of the numbers, each with six slips or more.
    pub fn are_compared(&self) -> bool {
        let parts = |k: usize| comparable(&self.windows, &self.changes, k);
        (0..self.quantities.len()).flat_map(parts).any(|part| part.len() >= FEWEST)
    }
}

/// The windows that know quantity `k`, with its value and standard error: those before the first change, between it and the next, and
/// so on.
fn comparable(windows: &[Window], changes: &[Change], k: usize) -> Vec<Vec<(usize, f64, f64)>> {
    let known = |w: &Window| {
        let e = &w.estimates[k];
        // A window with hardly a slip knows nothing of friction, and takes beta K/K_BP for beta.
        let votes = e.identifiable && w.slips >= VOTING;
        e.value.zip(e.stderr).filter(|(v, s)| votes && v.is_finite() && s.is_finite())
    };
    let straddles =
        // From the last slip that the old friction explains to the first that only the new one does.
        |w: &Window| changes.iter().any(|c| w.from < c.between[1] && w.to > c.between[0]);
    let part = |w: &Window| changes.iter().filter(|c| c.time <= w.from).count();
    let all: Vec<(usize, f64, f64)> = windows
        .iter()
        .enumerate()
        .filter(|(_, w)| !straddles(w))
        .filter_map(|(i, w)| known(w).map(|(v, s)| (i, v, s)))
        .collect();
    let of = |p: usize| all.iter().copied().filter(|w| part(&windows[w.0]) == p).collect();
    (0..=changes.len()).map(of).collect()
}

/// Where quantity `k` differs from its median over the windows that know it and lie between the same changes.
fn alarms(
    windows: &[Window],
    changes: &[Change],
    k: usize,
    name: &'static str,
    threshold: f64,
) -> Vec<Alarm> {
    let mut out = Vec::new();
    for part in comparable(windows, changes, k).into_iter().filter(|part| part.len() >= FEWEST) {
        // The median is known better than any window, by the root of their number.
        let usual = median(&mut part.iter().map(|w| w.1).collect::<Vec<_>>());
        let error =
            median(&mut part.iter().map(|w| w.2).collect::<Vec<_>>()) / (part.len() as f64).sqrt();
        out.extend(
            part.into_iter()
                .map(|(window, value, stderr)| {
                    let deviations = (value - usual) / portable::hypot(stderr, error);
                    Alarm { name, window, value, usual, deviations }
                })
                .filter(|a| a.deviations.abs() > threshold),
        );
    }
    out
}
