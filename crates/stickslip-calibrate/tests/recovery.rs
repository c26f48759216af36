//! Known parameters come back from noisy records with holes.

use crate::common::{Noise, Truth, respond, shared, sized, weather};
use stickslip_calibrate::{Estimate, Fit, Options, Series, ThermalBearing, global};

fn fit(time: &[f64], drive: &[f64], response: &[f64], bearing: Option<f64>) -> Fit {
    let series = Series::new(time, drive, response).unwrap();
    global(
        &series,
        &ThermalBearing { bearing_stiffness: bearing, ..Default::default() },
        &Options::default(),
    )
    .unwrap()
}

/// Relative error of an estimate; prints it with its error in standard errors.
fn error(name: &str, estimate: &Estimate, truth: f64) -> f64 {
    let (value, stderr) = (estimate.value.unwrap(), estimate.stderr.unwrap());
    let relative = (value - truth) / truth;
    println!(
        "  {name}: {:+.3} % ({:+.1} standard errors)",
        100.0 * relative,
        (value - truth) / stderr
    );
    relative.abs()
}

/// The bounds that a user is promised: 1 % for β and the ratios, 3 % for K.
fn assert_recovers(fit: &Fit, truth: &Truth) {
    println!("{} slips, rmse {:.2} µm, {} sets tried", fit.slips, 1e6 * fit.rmse, fit.evaluations);
    let p = &fit.parameters;
    assert!(fit.friction_seen);
    assert!(error("beta", &p.beta, truth.beta) < 0.01);
    assert!(error("f_s/K", &fit.f_s_over_K, truth.breakaway / truth.stiffness) < 0.01);
    assert!(error("f_d/K", &fit.f_d_over_K, truth.dynamic / truth.stiffness) < 0.01);
    assert!(error("K", &p.K, truth.stiffness) < 0.03);
    assert!(error("f_s", &p.f_s, truth.breakaway) < 0.03);
    assert!(error("f_d", &p.f_d, truth.dynamic) < 0.03);
    assert!(error("z0", &p.z0, truth.z0) < 0.01);
}

/// Single values missing, three outages of the drive (two of them long), one of the response.
fn with_holes(drive: &mut [f64], response: &mut [f64], per_hour: usize, seed: u64) {
    let mut draw = Noise::new(seed);
    let n = drive.len();
    for _ in 0..n / 100 {
        drive[(draw.unit() * n as f64) as usize] = f64::NAN;
        response[(draw.unit() * n as f64) as usize] = f64::NAN;
    }
    for (start, hours) in [(n / 4, 4), (n / 2, 30), (3 * n / 4, 75)] {
        drive[start..start + hours * per_hour].fill(f64::NAN);
    }
    response[n / 3..n / 3 + 40 * per_hour].fill(f64::NAN);
}

#[test]
fn table_two_from_ten_minute_data() {
    for (seed, start) in [(1, 0.3), (2, -0.9), (3, 0.0)].into_iter().take(sized(1, 3)) {
        let truth = Truth { start, ..Truth::default() };
        let (time, mut drive) = weather(43_200, 600.0, seed);
        let mut response = respond(&truth, &drive, 5e-5, 10 + seed);
        with_holes(&mut drive, &mut response, 6, 20 + seed);
        let fit = fit(&time, &drive, &response, Some(truth.bearing));
        assert_recovers(&fit, &truth);
        assert_eq!(fit.long_gaps, 2);
        assert_eq!(fit.outliers, 0); // there are no spikes in it
        assert!(fit.samples + fit.missing + fit.outliers >= 43_200);
        assert!((fit.rmse - 5e-5).abs() < 1e-6);
    }
}

/// Three years of ten-minute readings, of which long descents look at some only, and short ones at all.
#[test]
fn a_bearing_of_several_years() {
    let truth = Truth::default();
    let (time, drive) = weather(150_000, 600.0, 5);
    let response = respond(&truth, &drive, 5e-5, 15);
    let fit = fit(&time, &drive, &response, Some(truth.bearing));
    assert_recovers(&fit, &truth);
    assert!((fit.rmse - 5e-5).abs() < 1e-6);
}

#[test]
fn other_bearings_from_hourly_data() {
    // (ρ in K, f_d/f_s)
    for (i, (rho, ratio)) in
        [(3.0, 0.8), (6.0, 0.3), (5.0, 0.97), (10.0, 0.9)].into_iter().enumerate()
    {
        // By day the one with the fewest slips, which take the time.
        if i != 1 && sized(true, false) {
            continue;
        }
        let base = Truth::default();
        let breakaway = rho * base.beta * base.stiffness;
        let truth = Truth { breakaway, dynamic: ratio * breakaway, start: -0.4, ..base };
        let (time, mut drive) = weather(8760, 3600.0, 40 + i as u64);
        let mut response = respond(&truth, &drive, 5e-5, 50 + i as u64);
        with_holes(&mut drive, &mut response, 1, 60 + i as u64);
        println!("rho = {rho} K, f_d/f_s = {ratio}");
        assert_recovers(&fit(&time, &drive, &response, Some(truth.bearing)), &truth);
    }
}

/// f_s = f_d: the path slides continuously.
#[test]
fn equal_forces() {
    let truth = Truth { dynamic: 0.45e6, breakaway: 0.45e6, ..Truth::default() };
    let (time, drive) = weather(8760, 3600.0, 7);
    let response = respond(&truth, &drive, 5e-5, 8);
    let fit = fit(&time, &drive, &response, Some(truth.bearing));
    assert_recovers(&fit, &truth);
}

/// β < 0: the sensor points the other way.
#[test]
fn a_sensor_that_points_the_other_way() {
    let truth = Truth::default();
    let (time, drive) = weather(8760, 3600.0, 9);
    let mirrored: Vec<f64> = respond(&truth, &drive, 5e-5, 8).iter().map(|z| -z).collect();
    let fit = fit(&time, &drive, &mirrored, Some(truth.bearing));
    assert_recovers(&fit, &Truth { z0: -truth.z0, beta: -truth.beta, ..truth });
    // Every slip lies before a row that is marked with its direction.
    for slip in &fit.events {
        let row = time.partition_point(|&t| t < slip.time);
        assert_eq!(f64::from(fit.curve.phase[row]), (slip.to - slip.from).signum());
    }
}

#[test]
fn the_curve_is_the_fit() {
    let truth = Truth::default();
    let (time, mut drive) = weather(8760, 3600.0, 11);
    let mut response = respond(&truth, &drive, 5e-5, 12);
    with_holes(&mut drive, &mut response, 1, 13);
    let fit = fit(&time, &drive, &response, Some(truth.bearing));
    let squares: Vec<f64> = (0..time.len())
        .filter(|&i| !drive[i].is_nan() && !response[i].is_nan())
        .map(|i| (response[i] - fit.curve.fitted[i]).powi(2))
        .collect();
    assert_eq!(squares.len(), fit.samples);
    let rmse = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!((rmse / fit.rmse - 1.0).abs() < 1e-9);
    assert_eq!(fit.slips, fit.events.len());
    assert!(fit.events.windows(2).all(|w| w[0].time <= w[1].time));
    // Inside a long gap nothing is claimed; across a short one the drive is linear.
    assert!(fit.curve.fitted[4385].is_nan());
    assert!(!fit.curve.fitted[2192].is_nan());
}

#[test]
fn real_temperatures() {
    let Some(path) = shared("temperature_dtu/temperature_10min.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut drive: Vec<f64> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).and_then(|v| v.parse().ok()).unwrap_or(f64::NAN))
        .collect();
    let time: Vec<f64> = (0..drive.len()).map(|i| 600.0 * i as f64).collect();
    // The slider moves through the holes of the temperature too: linearly filled.
    let mut filled = drive.clone();
    for i in 1..filled.len() {
        if filled[i].is_nan() {
            let next = (i..filled.len()).find(|&j| !drive[j].is_nan()).unwrap_or(i - 1);
            filled[i] = filled[i - 1] + (filled[next] - filled[i - 1]) / (next - i + 1) as f64;
        }
    }
    let truth = Truth { start: -0.5, ..Truth::default() };
    let mut response = respond(&truth, &filled, 5e-5, 3);
    with_holes(&mut drive, &mut response, 6, 4);
    assert_recovers(&fit(&time, &drive, &response, Some(truth.bearing)), &truth);
}

/// The bundled example, as its README describes it.
#[test]
fn bearing_year() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bearing-year/bearing.csv");
    let (mut time, mut drive, mut response) = (Vec::new(), Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let cell: Vec<&str> = line.split(',').collect();
        // 2013-MM-DDTHH:…: days since the start of the year.
        let number = |range: std::ops::Range<usize>| cell[0][range].parse::<usize>().unwrap();
        let days = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][number(5..7) - 1]
            + number(8..10)
            - 1;
        time.push(3600.0 * (24 * days + number(11..13)) as f64);
        drive.push(cell[1].parse().unwrap_or(f64::NAN));
        response.push(cell[2].parse().map_or(f64::NAN, |mm: f64| 1e-3 * mm));
    }
    let truth = Truth::default();
    let series = Series::new(&time, &drive, &response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() };
    let options = Options { max_gap: Some(6.0 * 3600.0), ..Options::default() };
    let fit = global(&series, &model, &options).unwrap();
    assert_recovers(&fit, &truth);
    // What the README says of it: within one standard error, which is 0.8 % for the forces (that of f_s is 4 kN of 470).
    let p = &fit.parameters;
    for (name, found, true_value) in [
        ("z0", &p.z0, truth.z0),
        ("K", &p.K, truth.stiffness),
        ("f_d", &p.f_d, truth.dynamic),
        ("f_s", &p.f_s, truth.breakaway),
        ("beta", &p.beta, truth.beta),
    ] {
        assert!(error(name, found, true_value) < 0.004, "{name}");
    }
    assert_eq!(fit.long_gaps, 2);
    // The script that made the record counts 124 jumps, of which some fall into the two long gaps.
    assert!((118..=124).contains(&fit.slips), "{}", fit.slips);
}
