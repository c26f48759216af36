//! Records as they are: spikes, drift, steps, a slow deck, swapped columns, change over time.

use crate::common::{Noise, Truth, respond, sized, weather};
use stickslip_calibrate::{
    Fit, Lag, Options, Series, ThermalBearing, Trend, Unwatched, calibrate, windows,
};

const MODEL: ThermalBearing =
    ThermalBearing { bearing_stiffness: Some(2.0e9), bearing_stiffness_error: None };

fn fit(time: &[f64], drive: &[f64], response: &[f64], options: &Options) -> Fit {
    calibrate(&Series::new(time, drive, response).unwrap(), &MODEL, options).unwrap()
}

fn assert_near(fit: &Fit, truth: &Truth, tolerance: f64) {
    let p = &fit.parameters;
    for (name, e, truth) in [
        ("beta", &p.beta, truth.beta),
        ("K", &p.K, truth.stiffness),
        ("f_s", &p.f_s, truth.breakaway),
        ("f_d", &p.f_d, truth.dynamic),
    ] {
        let value = e.value.unwrap();
        assert!((value / truth - 1.0).abs() < tolerance, "{name}: {value} for {truth}");
    }
}

#[test]
fn spikes_are_left_out_and_counted() {
    let (time, drive) = weather(7200, 3600.0, 3);
    let mut response = respond(&Truth::default(), &drive, 5e-5, 4);
    let mut draw = Noise::new(5);
    let mut rows: Vec<usize> = (0..20).map(|_| (draw.unit() * 7200.0) as usize).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.iter().for_each(|&row| response[row] += if row % 2 == 0 { 0.03 } else { -0.01 });
    let fit = fit(&time, &drive, &response, &Options::default());
    let numbered: Vec<usize> = rows.iter().map(|r| r + 1).collect();
    // Not those at a slip, where the fit may as well be late; and a neighbour may go with a spike.
    let found = numbered.iter().filter(|r| fit.outlier_rows.contains(r)).count();
    assert!(
        found + 1 >= rows.len() && fit.outliers <= rows.len() + 1,
        "{:?} {numbered:?}",
        fit.outlier_rows
    );
    assert!((fit.rmse / 5e-5 - 1.0).abs() < 0.03);
    assert_near(&fit, &Truth::default(), 0.03);
}

#[test]
fn drift_and_steps_come_back() {
    let (time, drive) = weather(7200, 3600.0, 6);
    let mut response = respond(&Truth::default(), &drive, 5e-5, 7);
    let (drift, reset) = (1e-3 / (365.25 * 86_400.0), 4000.0 * 3600.0);
    for (t, z) in time.iter().zip(&mut response) {
        *z += drift * t + if *t >= reset { 2e-3 } else { 0.0 };
    }
    let trend = Trend { drift: true, steps: vec![reset], ..Trend::default() };
    let fit = fit(&time, &drive, &response, &Options { trend, ..Options::default() });
    let found = fit.trend.as_ref().unwrap();
    assert!((found.drift.unwrap() / drift - 1.0).abs() < 0.05, "{found:?}");
    assert!((found.steps[0].1 / 2e-3 - 1.0).abs() < 0.02, "{found:?}");
    assert!((fit.rmse / 5e-5 - 1.0).abs() < 0.03, "{}", fit.rmse);
    assert_near(&fit, &Truth::default(), 0.03);
}

/// The deck follows the air with a time constant of four hours, by a recursion of its own.
#[test]
fn the_time_constant_of_the_deck() {
    let (time, air) = weather(6000, 3600.0, 8);
    let (mut deck, mut state) = (Vec::new(), air[0]);
    for pair in air.windows(2) {
        deck.push(state);
        // Sixty small steps of the differential equation between two samples.
        for k in 0..60 {
            let t = pair[0] + (pair[1] - pair[0]) * (f64::from(k) + 0.5) / 60.0;
            state += (t - state) * (1.0 - (-60.0f64 / 14_400.0).exp());
        }
    }
    deck.push(state);
    let response = respond(&Truth::default(), &deck, 5e-5, 9);
    let found = fit(&time, &air, &response, &Options { lag: Lag::Fitted, ..Options::default() });
    let lag = found.lag.as_ref().unwrap();
    println!("lag {lag:?}, rmse {}", found.rmse);
    assert!((lag.value.unwrap() / 14_400.0 - 1.0).abs() < 0.03);
    assert_near(&found, &Truth::default(), 0.03);
    // Where there is none, none is claimed.
    let response = respond(&Truth::default(), &air, 5e-5, 9);
    let found = fit(&time, &air, &response, &Options { lag: Lag::Fitted, ..Options::default() });
    assert!(found.lag.as_ref().unwrap().value.is_none(), "{:?}", found.lag);
}

#[test]
fn swapped_columns_and_wrong_units_are_told() {
    let (time, drive) = weather(sized(3600, 7200), 3600.0, 10);
    let response = respond(&Truth::default(), &drive, 5e-5, 11);
    let told = |fit: &Fit, part: &str| fit.warnings.iter().any(|w| w.contains(part));
    let good = fit(&time, &drive, &response, &Options::default());
    assert!(!told(&good, "swapped") && !told(&good, "belongs to a deck"), "{:?}", good.warnings);
    let swapped = fit(&time, &response, &drive, &Options::default());
    assert!(told(&swapped, "swapped"), "{:?}", swapped.warnings);
    let kilo: Vec<f64> = response.iter().map(|z| 1e3 * z).collect();
    let kilo = fit(&time, &drive, &kilo, &Options::default());
    assert!(told(&kilo, "belongs to a deck") && told(&kilo, "1000 times smaller"));
}

/// Friction halves in the middle of the record: windows after it differ, and a steady record has no alarm.
#[test]
fn a_change_is_found_and_none_is_invented() {
    // By day in a shorter record, in windows that do not overlap.
    let (days, step) = sized((200, 40), (300, 20));
    let (time, drive) = weather(24 * days, 3600.0, 12);
    let half = 24 * days * 2 / 3;
    let truth = Truth { breakaway: 0.25e6, dynamic: 0.2e6, ..Truth::default() };
    let steady = respond(&truth, &drive, 5e-5, 13);
    let weak = Truth { breakaway: 0.15e6, dynamic: 0.12e6, ..truth };
    let after = respond(&weak, &drive[half..], 5e-5, 14);
    let changed: Vec<f64> = steady[..half].iter().chain(&after).copied().collect();
    for (response, change) in [(&steady, false), (&changed, true)] {
        let series = Series::new(&time, &drive, response).unwrap();
        let options = Options::default();
        let whole = calibrate(&series, &MODEL, &options).unwrap();
        let day = 86_400.0;
        let found =
            windows(&series, &MODEL, &options, &whole, 40.0 * day, step as f64 * day, &Unwatched)
                .unwrap();
        assert_eq!(found.windows.len(), (24 * (days - 40) - 1) / (24 * step) + 1);
        let alarms: Vec<_> = found.alarms.iter().map(|a| (a.name, a.window)).collect();
        println!("{alarms:?}");
        println!("{:?}", found.changes);
        assert_eq!(found.changes.len(), usize::from(change));
        for c in &found.changes {
            assert!((c.time / 3600.0 - half as f64).abs() < 240.0 && c.low <= 0.6 && 0.6 <= c.high);
        }
        if !change {
            assert!(alarms.is_empty());
        }
    }
}
