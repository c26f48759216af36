//! The paper's procedure, against the global search and against known parameters.

use crate::common::{Truth, respond, weather};
use stickslip_calibrate::{Fit, Method, Options, Series, ThermalBearing, Trend, calibrate, global};

fn both(truth: &Truth, count: usize, step: f64, noise: f64, seed: u64) -> (Fit, Fit) {
    let (time, drive) = weather(count, step, seed);
    let response = respond(truth, &drive, noise, seed + 100);
    let series = Series::new(&time, &drive, &response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() };
    let options = Options { method: Method::Evolution { runs: 10 }, seed, ..Options::default() };
    let clock = std::time::Instant::now();
    let evolution = calibrate(&series, &model, &options).unwrap();
    let between = clock.elapsed();
    let best = global(&series, &model, &Options { seed, ..Options::default() }).unwrap();
    println!("{count} samples: ten runs {between:.2?}, global {:.2?}", clock.elapsed() - between);
    (evolution, best)
}

/// Table 2: ten runs with mean, standard deviation and coefficient of variation; and no run beats the global search.
#[test]
fn global_is_never_worse_than_the_best_of_ten_runs() {
    let base = Truth::default();
    let weak = Truth { breakaway: 0.16e6, dynamic: 0.12e6, start: -0.6, ..base };
    for (truth, count, step, noise, seed) in [
        (base, 43_200, 600.0, 5e-5, 1),
        (weak, 7200, 3600.0, 5e-5, 2),
        (base, 7200, 3600.0, 2e-4, 3),
    ] {
        let (evolution, best) = both(&truth, count, step, noise, seed);
        assert_eq!((evolution.method, evolution.runs.len()), ("evolution", 10));
        let least = evolution.runs.iter().map(|r| r.rmse).fold(f64::INFINITY, f64::min);
        let s = evolution.runs_statistics.as_ref().unwrap();
        println!(
            "  K {:.4e} ± {:.1e}, beta {:.4e} (cv {:.4}), f_s/K cv {:.4}; best run {:.3} µm, global {:.3} µm",
            s.mean.K.unwrap(),
            s.sd.K.unwrap(),
            s.mean.beta,
            s.cv.beta,
            s.cv.f_s_over_K,
            1e6 * least,
            1e6 * best.rmse
        );
        assert!(best.rmse <= least * (1.0 + 1e-9), "{} > {least}", best.rmse);
        assert!(best.rmse <= evolution.rmse * (1.0 + 1e-9));
        // The bounds that the paper's own spread suggests: its coefficients of variation are 2 to 5 %.
        // Where slips are many (weak friction) five-dimensional runs stay on their ruggedness.
        let bound = if truth.breakaway < 0.2e6 { 0.3 } else { 0.1 };
        assert!((s.mean.beta / truth.beta - 1.0).abs() < bound);
        assert!((s.mean.f_s_over_K * truth.stiffness / truth.breakaway - 1.0).abs() < bound);
        // Mean and deviation by hand.
        let k: Vec<f64> = evolution.runs.iter().map(|r| r.K.unwrap()).collect();
        let mean = k.iter().sum::<f64>() / 10.0;
        let sd = (k.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 9.0).sqrt();
        assert!((s.mean.K.unwrap() / mean - 1.0).abs() < 1e-12);
        assert!(
            (s.sd.K.unwrap() - sd).abs() < 1e-9 * mean
                && (s.cv.K.unwrap() - sd / mean).abs() < 1e-9
        );
    }
}

/// z₀ of each run is the reading as the record begins, not its mean over time, where the sensor was reset on the way.
#[test]
fn a_reset_sensor_leaves_z0_of_each_run() {
    let truth = Truth::default();
    let (time, drive) = weather(3600, 7200.0, 6);
    let mut response = respond(&truth, &drive, 5e-5, 7);
    let reset = 2000.0 * 7200.0;
    for (t, z) in time.iter().zip(&mut response) {
        *z += if *t >= reset { 2e-3 } else { 0.0 };
    }
    let series = Series::new(&time, &drive, &response).unwrap();
    let model = ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() };
    let trend = Trend { steps: vec![reset], ..Trend::default() };
    let method = Method::Evolution { runs: 3 };
    let fit = calibrate(&series, &model, &Options { method, trend, ..Options::default() }).unwrap();
    for run in &fit.runs {
        assert!((run.z0 - truth.z0).abs() < 3e-4, "{} m, expected {} m", run.z0, truth.z0);
    }
    // The headline is the best of the runs, and says the same of z₀.
    let best = fit.runs.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse)).unwrap();
    assert!((best.z0 - fit.parameters.z0.value.unwrap()).abs() < 1e-6);
    assert!((best.rmse - fit.rmse).abs() < 1e-12);
}
