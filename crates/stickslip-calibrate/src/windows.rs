//! Change over time: the record fitted in sliding windows.
//!
//! Every window is fitted like a record of its own, with the same K_BP and the same lag. A quantity's value
//! in a window is alarming if it differs from the median of all windows by more than
//!
//! ```text
//! z √(s² + s_med²),   z = √(2 ln(m/0.01))
//! ```
//!
//! with s its standard error, s_med the median standard error over √windows, and m the number of comparisons: for
//! normal errors the chance of any false alarm in the whole record is then below 1 % (Bonferroni, and
//! P(|N| > z) ≤ e^{−z²/2}).

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::calibrate::calibrate;
use crate::error::Error;
use crate::estimate::Estimate;
use crate::fit::Fit;
use crate::lag::Lag;
use crate::options::{Method, Options, ThermalBearing};
use crate::parallel;
use crate::series::Series;
use crate::stats::median;

/// Chance of a false alarm in the whole record.
const FALSE_ALARM: f64 = 0.01;
/// Fewer windows than this have no usual value to differ from.
const FEWEST: usize = 4;

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
    /// The median over all windows.
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
    /// Significant changes.
    pub alarms: Vec<Alarm>,
    /// Standard errors beyond which a change is significant.
    pub threshold: f64,
}

const NAMES: [&str; 6] = ["f_s", "f_d", "K", "beta", "f_s_over_K", "f_d_over_K"];

fn estimates(fit: &Fit) -> Vec<Estimate> {
    let p = &fit.parameters;
    [&p.f_s, &p.f_d, &p.K, &p.beta, &fit.f_s_over_K, &fit.f_d_over_K].map(Clone::clone).into()
}

/// Fits windows of `length` s, each `step` s after the one before; `whole` is the fit of the whole
/// record, whose lag is used; `progress` is told how many windows are done, of how many.
pub fn windows(
    series: &Series,
    model: &ThermalBearing,
    options: &Options,
    whole: &Fit,
    (length, step): (f64, f64),
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Windows, Error> {
    let positive = |what, found: f64| match found.is_finite() && found > 0.0 {
        true => Ok(()),
        false => Err(Error::OutOfRange { what, found, expected: "a time > 0 s" }),
    };
    positive("the length of a window", length)?;
    positive("the step between windows", step)?;
    let time = series.time();
    let (first, last) = (time[0], time[time.len() - 1]);
    let count = (((last - first - length) / step).floor() + 1.0).max(1.0) as usize;
    let lag = match (options.lag, whole.lag.as_ref().and_then(|l| l.value)) {
        (Lag::Fitted, Some(seconds)) => Lag::Fixed(seconds),
        (Lag::Fitted, None) => Lag::None,
        (other, _) => other,
    };
    let options = Options { method: Method::Global, bootstrap: 0, lag, ..options.clone() };
    let done = AtomicUsize::new(0);
    let one = |i: usize| -> Window {
        let (from, to) = (first + step * i as f64, first + step * i as f64 + length);
        let (a, b) = (time.partition_point(|&t| t < from), time.partition_point(|&t| t <= to));
        let (drive, response) = (&series.drive()[a..b], &series.response()[a..b]);
        let fit = Series::new(&time[a..b], drive, response)
            .and_then(|part| calibrate(&part, model, &options));
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
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
    let comparisons = (windows.len() * NAMES.len()) as f64;
    let threshold = (2.0 * (comparisons / FALSE_ALARM).ln()).sqrt();
    let alarms =
        NAMES.iter().enumerate().flat_map(|(k, name)| alarms(&windows, k, name, threshold));
    let alarms = alarms.collect();
    Ok(Windows { length, step, quantities: NAMES.into(), windows, alarms, threshold })
}

/// Where quantity `k` differs from its median.
fn alarms(windows: &[Window], k: usize, name: &'static str, threshold: f64) -> Vec<Alarm> {
    let known = |w: &Window| {
        let e = &w.estimates[k];
        e.value.zip(e.stderr).filter(|(v, s)| v.is_finite() && s.is_finite())
    };
    let all: Vec<(usize, f64, f64)> =
        windows.iter().enumerate().filter_map(|(i, w)| known(w).map(|(v, s)| (i, v, s))).collect();
    if all.len() < FEWEST {
        return Vec::new();
    }
    let usual = median(&mut all.iter().map(|w| w.1).collect::<Vec<_>>());
    let error =
        median(&mut all.iter().map(|w| w.2).collect::<Vec<_>>()) / (all.len() as f64).sqrt();
    all.into_iter()
        .map(|(window, value, stderr)| {
            let deviations = (value - usual) / stderr.hypot(error);
            Alarm { name, window, value, usual, deviations }
        })
        .filter(|a| a.deviations.abs() > threshold)
        .collect()
}
