//! Records as dataloggers make them: no wrong number without a word.

use crate::common::twin::{DAY, HOUR, Record, bearing, behind, changed, temperature};
use crate::common::{Noise, Truth, respond, sized};
use stickslip_calibrate::{
    Estimate, Fit, Lag, Method, Options, Remedy, Series, Shift, ThermalBearing, Trend, Unwatched,
    What, calibrate, changes, windows,
};

const NOISE: f64 = 5e-5;

fn model() -> ThermalBearing {
    ThermalBearing { bearing_stiffness: Some(bearing().bearing), ..Default::default() }
}

fn record(seed: u64) -> Record {
    Record::new(bearing(), temperature(None, 200.0, HOUR, seed), NOISE, seed)
}

fn fit(record: &Record, options: &Options) -> Fit {
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    calibrate(&series, &model(), options).unwrap()
}

/// The names of what was found, strongest first.
fn named(fit: &Fit) -> Vec<&'static str> {
    fit.diagnosis.iter().map(|f| f.what.name()).collect()
}

fn near(e: &Estimate, truth: f64, within: f64) {
    let value = e.value.unwrap();
    assert!((value / truth - 1.0).abs() < within, "{value} for {truth}");
}

fn holds(e: &Estimate, truth: f64) {
    let [low, high] = e.ci95.unwrap();
    let slack = 0.5 * (high - low);
    assert!(low - slack <= truth && truth <= high + slack, "{truth} in [{low}, {high}]");
}

fn recovered(fit: &Fit) {
    let t = bearing();
    near(&fit.f_s_over_K, t.breakaway / t.stiffness, 0.012);
    near(&fit.f_d_over_K, t.dynamic / t.stiffness, 0.012);
    near(&fit.parameters.beta, t.beta, 0.012);
}

#[test]
fn on_a_clean_record_nothing_is_named() {
    for seed in 0..3 {
        let fit = fit(&record(seed), &Options::default());
        assert!(fit.diagnosis.is_empty() && fit.warnings.is_empty(), "{:?}", fit.warnings);
        recovered(&fit);
    }
}

/// An hour late and an hour early: named, measured, and with the shift fitted the truth comes back.
#[test]
fn clocks_that_differ() {
    for (seed, rows) in [(1, 1i64), (2, -1)] {
        let record = record(seed).shifted(rows);
        let found = fit(&record, &Options::default());
        assert_eq!(found.diagnosis[0].what, What::Shift, "{:?}", named(&found));
        assert_eq!(found.diagnosis[0].remedy, Some(Remedy::Shift));
        let size = found.diagnosis[0].estimate.as_ref().unwrap().value.unwrap();
        assert!((size - rows as f64 * HOUR).abs() < 400.0, "{size}");
        let later = if rows > 0 { "later than the drive" } else { "earlier than the drive" };
        assert!(found.warnings.iter().any(|w| w.contains(later)), "{:?}", found.warnings);
        let asked = Options { shift: Shift::Fitted, ..Options::default() };
        let again = fit(&record, &asked);
        recovered(&again);
        let shift = again.shift.as_ref().unwrap();
        assert!((shift.value.unwrap() - rows as f64 * HOUR).abs() < 200.0, "{shift:?}");
        let given = Options { shift: Shift::Fixed(rows as f64 * HOUR), ..Options::default() };
        recovered(&fit(&record, &given));
    }
}

#[test]
fn a_lag_is_named_and_fitted_with_its_error() {
    let mut late = record(3);
    let deck = behind(&late.drive, HOUR, 2.0 * HOUR);
    late.response = respond(&bearing(), &deck, NOISE, 77);
    let found = fit(&late, &Options::default());
    assert_eq!(found.diagnosis[0].what, What::Lag, "{:?}", named(&found));
    let again = fit(&late, &Options { lag: Lag::Fitted, ..Options::default() });
    let lag = again.lag.as_ref().unwrap();
    near(lag, 2.0 * HOUR, 0.03);
    assert!(lag.stderr.unwrap() > 0.0);
    holds(lag, 2.0 * HOUR);
    recovered(&again);
}

#[test]
fn a_sensor_that_was_reset() {
    for (seed, size) in [(4, 5e-4), (5, 2e-3)] {
        let record = record(seed).reset(size, 0.37);
        let found = fit(&record, &Options::default());
        assert_eq!(found.diagnosis[0].what, What::Step, "{:?}", named(&found));
        // What hides the friction is no sign that there is none.
        let denied = |w: &String| w.contains("no friction seen");
        assert!(!found.warnings.iter().any(denied), "{:?}", found.warnings);
        let step = &found.diagnosis[0];
        near(step.estimate.as_ref().unwrap(), size, 0.05);
        assert!((step.time.unwrap() - 0.37 * 200.0 * DAY).abs() < DAY);
        let Some(Remedy::Steps(steps)) = step.remedy.clone() else { panic!("{step:?}") };
        let trend = Trend { steps, ..Trend::default() };
        let again = fit(&record, &Options { trend, ..Options::default() });
        recovered(&again);
        // z₀ is the reading as the record begins, not a mean over what the sensor was set to.
        holds(&again.parameters.z0, bearing().z0);
        assert!((again.parameters.z0.value.unwrap() - bearing().z0).abs() < 1e-4);
    }
}

#[test]
fn a_drift_is_named_and_z0_keeps_its_meaning() {
    let record = record(6).drifting(1e-3);
    let found = fit(&record, &Options::default());
    assert_eq!(found.diagnosis[0].what, What::Drift, "{:?}", named(&found));
    let year = 365.25 * DAY;
    near(found.diagnosis[0].estimate.as_ref().unwrap(), 1e-3 / year, 0.1);
    let trend = Trend { drift: true, ..Trend::default() };
    let again = fit(&record, &Options { trend, ..Options::default() });
    recovered(&again);
    // In the middle of the record the reading is 0.27 mm higher.
    let z0 = again.parameters.z0.value.unwrap();
    assert!((z0 - bearing().z0).abs() < 1e-4, "{z0}");
    holds(&again.parameters.z0, bearing().z0);
}

#[test]
fn friction_that_changed_is_one_finding() {
    let mut record = record(7);
    record.response = changed(bearing(), &record.drive, 1.3, 0.5, NOISE, 88);
    let found = fit(&record, &Options::default());
    assert_eq!(found.diagnosis[0].what, What::Change, "{:?}", named(&found));
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let options = Options::default();
    let seen =
        windows(&series, &model(), &options, &found, 40.0 * DAY, 20.0 * DAY, &Unwatched).unwrap();
    let [change] = seen.changes.as_slice() else { panic!("{:?}", seen.changes) };
    assert!((change.time - 100.0 * DAY).abs() < 10.0 * DAY, "{} days", change.time / DAY);
    // Between two slips nothing can be known.
    assert!(change.between[0] <= 100.0 * DAY && change.between[1] >= 100.0 * DAY, "{change:?}");
    assert!((change.ratio - 1.3).abs() < 0.03 && change.probability > 0.99, "{change:?}");
    assert!(change.low <= 1.31 && change.high >= 1.29, "{change:?}");
    assert!(seen.alarms.is_empty(), "{:?}", seen.alarms);
}

#[test]
fn a_bearing_that_does_not_change_raises_no_alarm() {
    for seed in 20..23 {
        let record = record(seed);
        let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
        let options = Options::default();
        let whole = calibrate(&series, &model(), &options).unwrap();
        assert!(changes(&series, &options, &whole).unwrap().is_empty());
        // Ten days hardly hold a slip: such windows take beta K/K_BP for beta.
        let length = 10.0 * DAY;
        let seen =
            windows(&series, &model(), &options, &whole, length, length, &Unwatched).unwrap();
        assert!(seen.alarms.is_empty() && seen.changes.is_empty(), "{:?}", seen.alarms);
    }
}

#[test]
fn codes_for_missing_values() {
    for code in [-0.999, 9.999] {
        let record = record(8).sentinels(code, 0.02, 8);
        let count = record.response.iter().filter(|z| **z == code).count();
        let found = fit(&record, &Options::default());
        assert_eq!((found.sentinels.len(), found.sentinels[0].count), (1, count));
        assert_eq!(found.sentinels[0].value, code);
        assert_eq!(named(&found), ["sentinels"]);
        assert!(found.warnings.iter().any(|w| w.contains(&count.to_string())));
        recovered(&found);
    }
}

#[test]
fn spikes_in_one_and_five_percent_of_the_rows() {
    for (seed, share) in [(9, 0.01), (10, 0.05)] {
        let found = fit(&record(seed).spiked(share, seed), &Options::default());
        assert_eq!(named(&found), ["spikes"]);
        assert!((found.rmse / NOISE - 1.0).abs() < 0.05, "{}", found.rmse);
        recovered(&found);
    }
}

/// What 4, 6 and 10 standard deviations leave out differs.
#[test]
fn the_threshold_of_outliers_matters() {
    let mut record = record(11);
    let mut draw = Noise::new(12);
    for z in record.response.iter_mut().skip(7).step_by(97) {
        *z += (draw.unit() - 0.5).signum() * NOISE * (5.0 + 13.0 * draw.unit());
    }
    let out = |n: f64| fit(&record, &Options { outliers: Some(n), ..Options::default() }).outliers;
    let (few, usual, many) = (out(12.0), out(6.0), out(4.5));
    assert!(few < usual && usual < many, "{few} {usual} {many}");
}

#[test]
fn rounded_readings_are_seen() {
    for (seed, step, coarse) in [(12, 1e-4, false), (13, 2e-4, false), (14, 5e-4, true)] {
        let found = fit(&record(seed).rounded(step), &Options::default());
        near(&Estimate::clone(&found.parameters.z0), bearing().z0, 0.05);
        assert!((found.rounding.unwrap() / step - 1.0).abs() < 1e-6);
        assert!(named(&found).contains(&"rounding"));
        assert_eq!(found.f_s_over_K.identifiable, !coarse, "{:?}", found.f_s_over_K);
        if !coarse {
            holds(&found.f_s_over_K, bearing().breakaway / bearing().stiffness);
        }
    }
}

#[test]
fn noise_of_the_thermometer_widens_the_intervals() {
    let width = |e: &Estimate| e.ci95.map_or(f64::INFINITY, |[low, high]| high - low);
    let clean = fit(&record(15), &Options::default());
    let noisy = fit(&record(15).thermometer(0.1, 15), &Options::default());
    assert!(width(&noisy.f_s_over_K) > 1.8 * width(&clean.f_s_over_K));
    let sigma = noisy.drive_noise.unwrap();
    assert!((0.03..0.4).contains(&sigma), "{sigma}");
    let given = Options { drive_noise: Some(0.1), ..Options::default() };
    let stated = fit(&record(15).thermometer(0.1, 15), &given);
    assert_eq!(stated.drive_noise, Some(0.1));
    holds(&stated.f_s_over_K, bearing().breakaway / bearing().stiffness);
}

/// A bearing that is damped and has no dry friction at all.
#[test]
fn a_damped_bearing_is_no_dry_friction() {
    let mut record = record(16);
    let deck = behind(&record.drive, HOUR, 20.0 * HOUR);
    let mut draw = Noise::new(61);
    record.response = deck
        .iter()
        .zip(&record.drive)
        .map(|(x, t)| 0.01 + 2.7e-4 * x + 0.3e-4 * t + NOISE * draw.normal())
        .collect();
    let found = fit(&record, &Options::default());
    assert_eq!(found.diagnosis[0].what, What::Viscous, "{:?}", named(&found));
    assert!(!found.f_s_over_K.identifiable && !found.parameters.f_s.identifiable);
    assert!(found.f_s_over_K.reason.as_ref().unwrap().contains("not dry friction"));
}

/// Always stuck: the slope is beta K/K_BP, and must not be taken for beta.
#[test]
fn a_bearing_that_never_moves() {
    let truth = Truth { breakaway: 5e6, dynamic: 4e6, start: 0.0, ..bearing() };
    let record = Record::new(truth, temperature(None, 200.0, HOUR, 17), NOISE, 17);
    let found = fit(&record, &Options::default());
    let beta = &found.parameters.beta;
    assert!(!beta.identifiable && beta.value.is_none());
    assert!(beta.reason.as_ref().unwrap().contains("never moves"), "{beta:?}");
    let slope = found.slope.as_ref().unwrap();
    holds(slope, truth.beta * truth.stiffness / truth.bearing);
}

#[test]
fn a_gap_below_the_sampling_interval_is_refused() {
    let record = record(18);
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let options = Options { max_gap: Some(1800.0), ..Options::default() };
    let refused = calibrate(&series, &model(), &options).unwrap_err();
    assert!(refused.to_string().contains("3600 s"), "{refused}");
    assert!(refused.remedy().unwrap().contains("36000 s"));
}

/// The displacement is read a quarter of an hour after the temperature.
#[test]
fn two_instruments_with_clocks_of_their_own() {
    let fine = Record::new(bearing(), temperature(None, 200.0, 900.0, 19), NOISE, 19);
    let keep = |values: &[f64], at: usize| -> Vec<f64> {
        values.iter().enumerate().map(|(i, v)| if i % 4 == at { *v } else { f64::NAN }).collect()
    };
    let (drive, response) = (keep(&fine.drive, 0), keep(&fine.response, 1));
    assert!(Series::new(&fine.time, &drive, &response).is_err());
    let series = Series::apart(&fine.time, &drive, &response).unwrap();
    let options = Options { tolerance: Some(HOUR), ..Options::default() };
    let found = calibrate(&series, &model(), &options).unwrap();
    assert!(found.interpolated > 4000, "{}", found.interpolated);
    near(&found.f_s_over_K, bearing().breakaway / bearing().stiffness, 0.1);
}

/// A code for a missing reading is left out before the response is interpolated to the times of the drive: next to each code two
/// values would otherwise lie between a reading and −999 mm.
#[test]
fn codes_are_left_out_before_the_response_is_interpolated() {
    let fine = Record::new(bearing(), temperature(None, 200.0, 900.0, 19), NOISE, 19);
    let keep = |values: &[f64], at: usize| -> Vec<f64> {
        values.iter().enumerate().map(|(i, v)| if i % 4 == at { *v } else { f64::NAN }).collect()
    };
    let drive = keep(&fine.drive, 0);
    let mut response = keep(&fine.response, 1);
    let coded: Vec<usize> = (1..response.len()).step_by(4 * 37).collect();
    coded.iter().for_each(|&i| response[i] = -0.999);
    let series = Series::apart(&fine.time, &drive, &response).unwrap();
    let options = Options { tolerance: Some(HOUR), ..Options::default() };
    let found = calibrate(&series, &model(), &options).unwrap();
    // A row of the drive has a reading 2,700 s before it and one 900 s after it; where either is a code, the next one is too far away.
    let read = |i: usize| i < response.len() && i % 4 == 1 && !coded.contains(&i);
    let between = (4..drive.len()).step_by(4).filter(|&i| read(i - 3) && read(i + 1)).count();
    assert_eq!(found.interpolated, between);
    assert_eq!(found.sentinels.iter().map(|s| s.count).sum::<usize>(), coded.len());
    near(&found.f_s_over_K, bearing().breakaway / bearing().stiffness, 0.1);
}

/// The headline of an evolution is what its runs found.
#[test]
fn the_best_run_is_the_headline() {
    let method = Method::Evolution { runs: 3 };
    let found = fit(&record(20), &Options { method, ..Options::default() });
    let best = found.runs.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse)).unwrap();
    assert!((found.rmse / best.rmse - 1.0).abs() < 1e-9, "{} {}", found.rmse, best.rmse);
    assert!((found.parameters.beta.value.unwrap() / best.beta - 1.0).abs() < 1e-9);
    assert!((found.f_s_over_K.value.unwrap() / best.f_s_over_K - 1.0).abs() < 1e-9);
}

/// Whoever watches sees a share that rises to 1, and can stop the work.
#[test]
fn long_work_is_watched_and_stopped() {
    use std::sync::Mutex;
    use stickslip_calibrate::{Control, Error, calibrate_watched};
    struct Watch(Mutex<Vec<f64>>, usize);
    impl Control for Watch {
        fn progress(&self, share: f64) {
            self.0.lock().unwrap().push(share);
        }
        fn stop(&self) -> bool {
            self.0.lock().unwrap().len() >= self.1
        }
    }
    let record = record(21);
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let options = Options { lag: Lag::Fitted, ..Options::default() };
    let patient = Watch(Mutex::new(Vec::new()), usize::MAX);
    calibrate_watched(&series, &model(), &options, &patient).unwrap();
    let shares = patient.0.into_inner().unwrap();
    assert!(shares.len() > 5 && shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
    let hasty = Watch(Mutex::new(Vec::new()), 2);
    let stopped = calibrate_watched(&series, &model(), &options, &hasty);
    assert_eq!(stopped.unwrap_err(), Error::Interrupted);
}

/// The size of the drive's noise comes from the instants of the slips; nothing about it is tuned.
#[test]
fn the_noise_of_the_thermometer_is_measured() {
    let found: Vec<f64> = (100..sized(103, 106))
        .map(|seed| fit(&record(seed).thermometer(0.1, seed), &Options::default()))
        .map(|fit| fit.drive_noise.unwrap())
        .collect();
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    assert!((mean / 0.1 - 1.0).abs() < 0.15, "{found:?}");
    assert!(found.iter().all(|s| (0.06..0.16).contains(s)), "{found:?}");
}

/// p % in K_BP are p % in K and in the forces; the ratios do not depend on it.
#[test]
fn the_error_of_the_bearing_stiffness_is_part_of_the_intervals() {
    let record = record(21);
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let known = |error: Option<f64>| {
        let model = ThermalBearing { bearing_stiffness_error: error, ..model() };
        calibrate(&series, &model, &Options::default()).unwrap()
    };
    let (exact, wide) = (known(None), known(Some(0.1 * bearing().bearing)));
    let pairs = |fit: &Fit| {
        let p = &fit.parameters;
        [&p.K, &p.f_d, &p.f_s].map(|e| (e.value.unwrap(), e.stderr.unwrap(), e.ci95.unwrap()))
    };
    for ((value, own, _), (same, both, [low, high])) in pairs(&exact).into_iter().zip(pairs(&wide))
    {
        assert_eq!(value, same);
        assert!((both / own.hypot(0.1 * value) - 1.0).abs() < 1e-9);
        assert!(low < 0.81 * value && high > 1.19 * value, "{low} {high} about {value}");
    }
    assert_eq!(exact.f_s_over_K, wide.f_s_over_K);
    let wrong = ThermalBearing { bearing_stiffness_error: Some(-1.0), ..model() };
    assert!(calibrate(&series, &wrong, &Options::default()).is_err());
}

/// A bearing stiffness in kN/m: forces of 470 N draw a remark.
#[test]
fn a_bearing_stiffness_in_another_unit_is_remarked() {
    let record = record(22);
    let series = Series::new(&record.time, &record.drive, &record.response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(2e6), ..Default::default() };
    let found = calibrate(&series, &model, &Options::default()).unwrap();
    assert!((found.parameters.f_s.value.unwrap() / 470.0 - 1.0).abs() < 0.05);
    assert!(
        found.warnings.iter().any(|w| w.contains("Is the bearing stiffness")),
        "{:?}",
        found.warnings
    );
}

/// K above K_BP is impossible: no number of such a fit is printed.
#[test]
fn nothing_is_estimated_where_the_bearing_would_be_softer_than_its_part() {
    let mut record = record(23);
    let truth = Truth { bearing: 0.75 * bearing().stiffness, ..bearing() };
    record.response = respond(&truth, &record.drive, NOISE, 90);
    let found = fit(&record, &Options::default());
    assert!(found.warnings.iter().any(|w| w.contains("only 0 to 1 is possible")));
    let p = &found.parameters;
    for e in [&p.z0, &p.K, &p.f_d, &p.f_s, &p.beta, &found.f_s_over_K, &found.f_d_over_K] {
        assert!(e.value.is_none() && !e.identifiable, "{e:?}");
    }
}

/// A few values that stand out of the weather are counted, and are no warning.
#[test]
fn a_few_spikes_are_counted() {
    let mut record = record(24);
    for row in [700, 1900, 3100] {
        record.response[row] += 4e-3;
    }
    let found = fit(&record, &Options::default());
    assert_eq!(found.outlier_rows, [701, 1901, 3101]);
    assert!(found.warnings.is_empty() && found.diagnosis.is_empty(), "{:?}", found.warnings);
    recovered(&found);
}

/// Spikes in so many rows that none can be left out: no friction is reported, and why.
#[test]
fn more_spikes_than_can_be_left_out_are_no_friction() {
    let found = fit(&record(25).spiked(0.1, 25), &Options::default());
    assert_eq!(named(&found)[0], "spikes");
    assert!(found.f_s_over_K.value.is_none() && found.parameters.K.value.is_none());
    assert!(found.f_s_over_K.reason.as_ref().unwrap().contains("too many to be left out"));
    // Of more than that nobody can say which is the record: the reader is warned.
    let found = fit(&record(25).spiked(0.2, 25), &Options::default());
    assert!(!found.warnings.is_empty());
}

/// Readings too coarse to show the slips say nothing of the thermometer.
#[test]
fn coarse_readings_are_no_noise_of_the_thermometer() {
    let found = fit(&record(14).rounded(5e-4), &Options::default());
    assert_eq!(named(&found), ["rounding"], "{:?}", found.warnings);
}

/// Large jumps, many slips, and a temperature in steps of 0.1 °C: a slip in the wrong row leaves 150 times the noise. The
/// rests that the response shows are as good as before.
#[test]
fn a_rounded_temperature_is_named_and_the_intervals_hold() {
    let truth = Truth {
        z0: 0.01,
        stiffness: 1e8,
        dynamic: 3.5e5,
        breakaway: 5e5,
        beta: 2e-3,
        bearing: 2e9,
        start: 0.0,
    };
    let mut draw = Noise::new(1);
    let wave = |h: f64, period: f64| (std::f64::consts::TAU * h / period).sin();
    let hours = 0..120 * 24;
    let drive: Vec<f64> = hours
        .map(f64::from)
        .map(|h| 10.0 + 8.0 * wave(h, 2160.0) + 6.0 * wave(h, 24.0) + 0.3 * draw.normal())
        .collect();
    let time: Vec<f64> = (0..drive.len()).map(|i| HOUR * i as f64).collect();
    let response = respond(&truth, &drive, 2e-5, 71);
    let drive = drive.iter().map(|t| (10.0 * t).round() / 10.0).collect();
    let found = fit(&Record { time, drive, response, truth }, &Options::default());
    near(&found.parameters.K, truth.stiffness, 0.01);
    holds(&found.parameters.K, truth.stiffness);
    holds(&found.parameters.beta, truth.beta);
    holds(&found.f_s_over_K, truth.breakaway / truth.stiffness);
    assert_eq!(named(&found), ["thermometer"]);
}
