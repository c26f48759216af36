//! What cannot be known is not printed; what is found is the best there is.

use crate::common::{Noise, Truth, respond, weather};
use stickslip_calibrate::{Error, Fit, Options, Series, ThermalBearing, global};

const BEARING: Option<f64> = Some(2.0e9);

fn fit(time: &[f64], drive: &[f64], response: &[f64], bearing_stiffness: Option<f64>) -> Fit {
    let series = Series::new(time, drive, response).unwrap();
    global(
        &series,
        &ThermalBearing { bearing_stiffness, ..Default::default() },
        &Options::default(),
    )
    .unwrap()
}

#[test]
fn without_the_bearings_stiffness_no_force() {
    let (time, drive) = weather(4000, 3600.0, 1);
    let response = respond(&Truth::default(), &drive, 5e-5, 2);
    let fit = fit(&time, &drive, &response, None);
    for e in [&fit.parameters.K, &fit.parameters.f_d, &fit.parameters.f_s] {
        assert!(e.value.is_none() && e.stderr.is_none() && e.ci95.is_none() && !e.identifiable);
        assert!(e.reason.as_ref().unwrap().contains("K_BP is not given"));
    }
    assert!(fit.f_s_over_K.identifiable && fit.f_d_over_K.identifiable);
}

#[test]
fn a_stiff_bearing_hides_the_stiffness() {
    let truth = Truth { bearing: 1e14, ..Truth::default() };
    let (time, drive) = weather(4000, 3600.0, 1);
    let response = respond(&truth, &drive, 5e-5, 2);
    let fit = fit(&time, &drive, &response, Some(truth.bearing));
    let k = &fit.parameters.K;
    assert!(k.value.is_none() && k.reason.as_ref().unwrap().contains("too close to 0"), "{k:?}");
    assert!(fit.f_s_over_K.identifiable);
}

#[test]
fn no_friction_is_seen_where_there_is_none() {
    let (time, drive) = weather(4000, 3600.0, 3);
    for noise in [0.0, 5e-5, 1e-3] {
        let mut draw = Noise::new(4);
        let response: Vec<f64> =
            drive.iter().map(|t| 0.01 + 3e-4 * t + noise * draw.normal()).collect();
        let fit = fit(&time, &drive, &response, BEARING);
        assert!(!fit.friction_seen);
        assert_eq!((fit.slips, fit.events.len()), (0, 0));
        let p = &fit.parameters;
        for e in [&p.K, &p.f_d, &p.f_s, &fit.f_s_over_K, &fit.f_d_over_K] {
            assert!(e.value.is_none() && e.reason.as_ref().unwrap().contains("no friction seen"));
        }
        // The slope is beta of a bearing that moves freely; one that never moves would show another.
        assert!(p.beta.value.is_none() && p.beta.reason.as_ref().unwrap().contains("never moves"));
        let slope = fit.slope.as_ref().unwrap();
        assert!((slope.value.unwrap() - 3e-4).abs() < 4.0 * slope.stderr.unwrap() + 1e-15);
    }
}

/// Noise of the thermometer is followed a little less than the temperature, as by a bearing with very little friction; in many readings
/// that is more than chance.
#[test]
fn noise_of_the_thermometer_is_no_friction() {
    for seed in [3, 5] {
        let (time, drive) = weather(50_000, 600.0, seed);
        let mut draw = Noise::new(seed + 1);
        let response: Vec<f64> =
            drive.iter().map(|t| 0.01 + 1.8e-4 * t + 2e-6 * draw.normal()).collect();
        let read: Vec<f64> = drive.iter().map(|t| t + 0.02 * draw.normal()).collect();
        let fit = fit(&time, &read, &response, Some(7e8));
        assert!(!fit.friction_seen, "{seed}: {:?} over {} slips", fit.f_s_over_K, fit.slips);
    }
}

/// The drive is too small to move the slider.
#[test]
fn a_slider_that_never_moves_shows_no_friction() {
    let (time, drive) = weather(4000, 3600.0, 3);
    let truth = Truth { breakaway: 5e6, dynamic: 4e6, start: 0.0, ..Truth::default() };
    let fit = fit(&time, &drive, &respond(&truth, &drive, 5e-5, 1), BEARING);
    assert!(!fit.friction_seen);
    assert!(fit.f_s_over_K.value.is_none());
}

/// Pulled one way only: each slip shows ρ plus the unknown start, never ρ.
#[test]
fn one_way_is_not_enough() {
    let time: Vec<f64> = (0..2000).map(|i| 3600.0 * i as f64).collect();
    let drive: Vec<f64> =
        (0..2000).map(|i| 0.02 * i as f64 + 0.3 * (0.3 * i as f64).sin()).collect();
    let fit = fit(&time, &drive, &respond(&Truth::default(), &drive, 5e-5, 1), BEARING);
    assert!(fit.friction_seen && fit.slips > 5);
    assert!(fit.f_s_over_K.value.is_none());
    assert!(fit.f_s_over_K.reason.as_ref().unwrap().contains("one way"));
}

/// A fine grid by brute force, paths and sums written out by hand.
#[test]
fn never_worse_than_a_fine_grid() {
    let (time, drive) = weather(1200, 3600.0, 17);
    let truth = Truth { breakaway: 0.3e6, dynamic: 0.22e6, ..Truth::default() };
    let response = respond(&truth, &drive, 1e-4, 5);
    let found = fit(&time, &drive, &response, BEARING);
    let n = drive.len() as f64;
    let (tm, zm) = (drive.iter().sum::<f64>() / n, response.iter().sum::<f64>() / n);
    let (t, z): (Vec<f64>, Vec<f64>) =
        drive.iter().zip(&response).map(|(t, z)| (t - tm, z - zm)).unzip();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (tt, tz, zz) = (dot(&t, &t), dot(&t, &z), dot(&z, &z));
    let mut best = f64::INFINITY;
    let mut tried = 0;
    for i in 1..=60 {
        let rho = 0.2 * i as f64;
        for j in 0..=40 {
            let delta = 2.0 * rho * j as f64 / 40.0;
            for s in -5..=5 {
                let mut xi = drive[0] + 0.2 * rho * s as f64;
                let mut path = Vec::with_capacity(drive.len());
                for &t in &drive {
                    if delta > 0.0 {
                        while t - xi > rho {
                            xi += delta;
                        }
                        while xi - t > rho {
                            xi -= delta;
                        }
                    } else {
                        xi = xi.clamp(t - rho, t + rho);
                    }
                    path.push(xi);
                }
                let mean = path.iter().sum::<f64>() / n;
                path.iter_mut().for_each(|x| *x -= mean);
                let (xx, xt, xz) = (dot(&path, &path), dot(&path, &t), dot(&path, &z));
                let det = xx * tt - xt * xt;
                if det > 1e-9 * xx * tt {
                    let (a, b) = ((tt * xz - xt * tz) / det, (xx * tz - xt * xz) / det);
                    best = best.min(zz - a * xz - b * tz);
                }
                tried += 1;
            }
        }
    }
    let grid = (best / n).sqrt();
    println!(
        "grid of {tried}: {:.3} µm; search of {}: {:.3} µm",
        1e6 * grid,
        found.evaluations,
        1e6 * found.rmse
    );
    assert!(found.rmse <= grid);
    // The truth itself is one of the paths, and its line one of the lines.
    let clean = respond(&truth, &drive, 0.0, 5);
    let noise = response.iter().zip(&clean).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    assert!(found.rmse <= (noise / n).sqrt());
}

#[test]
fn the_same_bits_on_one_thread_and_two() {
    let (time, drive) = weather(20_000, 1800.0, 5);
    let response = respond(&Truth::default(), &drive, 5e-5, 6);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&time, &drive, &response, BEARING))
    };
    // Debug text shows every number so that it reads back to the same bits.
    assert_eq!(format!("{:?}", on(1)), format!("{:?}", on(2)));
}

#[test]
fn units_of_the_record_do_not_matter() {
    let (time, drive) = weather(4000, 3600.0, 21);
    let response = respond(&Truth::default(), &drive, 5e-5, 22);
    let fahrenheit: Vec<f64> = drive.iter().map(|t| 1.8 * t + 32.0).collect();
    let (c, f) =
        (fit(&time, &drive, &response, BEARING), fit(&time, &fahrenheit, &response, BEARING));
    let ratio = c.parameters.beta.value.unwrap() / f.parameters.beta.value.unwrap();
    assert!((ratio / 1.8 - 1.0).abs() < 1e-3);
    let ratio = c.parameters.f_s.value.unwrap() / f.parameters.f_s.value.unwrap();
    assert!((ratio - 1.0).abs() < 3e-3);
}

#[test]
fn what_is_out_of_range_is_refused() {
    let (time, drive) = weather(200, 3600.0, 3);
    let response = respond(&Truth::default(), &drive, 5e-5, 2);
    let series = Series::new(&time, &drive, &response).unwrap();
    for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let model = ThermalBearing { bearing_stiffness: Some(stiffness), ..Default::default() };
        let refused = global(&series, &model, &Options::default());
        assert!(matches!(refused, Err(Error::OutOfRange { what: "the bearing stiffness", .. })));
    }
    for max_gap in [0.0, -1.0, f64::NAN] {
        let options = Options { max_gap: Some(max_gap), ..Options::default() };
        let refused = global(&series, &ThermalBearing::default(), &options);
        assert!(matches!(refused, Err(Error::OutOfRange { what: "max_gap", .. })));
    }
}

/// The file that users get: names as in the interface, missing values as null.
#[test]
fn the_result_as_json() {
    let (time, drive) = weather(4000, 3600.0, 1);
    let response = respond(&Truth::default(), &drive, 5e-5, 2);
    let json = serde_json::to_value(fit(&time, &drive, &response, None)).unwrap();
    for name in ["z0", "K", "f_d", "f_s", "beta"] {
        let p = &json["parameters"][name];
        assert_eq!(p["identifiable"], serde_json::json!(["z0", "beta"].contains(&name)));
        assert_eq!(p["value"].is_null(), !["z0", "beta"].contains(&name));
        assert!(p["unit"].is_string());
    }
    assert!(json["f_s_over_K"]["ci95"][1].is_f64() && json["f_d_over_K"]["stderr"].is_f64());
    for name in ["rmse", "samples", "missing", "slips", "evaluations", "seconds"] {
        assert!(json[name].is_number(), "{name}");
    }
    assert!(json["runs"].is_array() && json["warnings"].is_array());
}

/// Numbers near the ends of the range of f64 give an answer or none, never a panic.
#[test]
fn absurd_magnitudes_are_survived() {
    let (time, drive) = weather(300, 3600.0, 3);
    let response = respond(&Truth::default(), &drive, 5e-5, 2);
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        let big: Vec<f64> = drive.iter().map(|t| t * scale).collect();
        let far: Vec<f64> = response.iter().map(|t| t * scale).collect();
        fit(&time, &big, &response, BEARING);
        fit(&time, &drive, &far, BEARING);
    }
}

#[test]
fn hardly_any_data_is_no_trouble() {
    let (time, drive) = weather(120, 3600.0, 3);
    let response = respond(&Truth::default(), &drive, 0.0, 2);
    let fit = fit(&time, &drive, &response, BEARING);
    assert!(fit.rmse.is_finite() && (fit.slope.is_some() || fit.friction_seen));
}
