//! Twin records of a bearing under a measured year of temperature: how well the parameters come back.
//!
//! `STICKSLIP_STUDY=1 cargo test --release -p stickslip-calibrate --test all real_temperature -- --nocapture` prints the
//! table for noise of 0.02, 0.05 and 0.2 mm, 0 to 20 % missing and spikes in 0.1 %; without it, one row.

use crate::common::{Noise, Truth, respond, shared, sized};
use stickslip_calibrate::{Fit, Method, Options, Series, ThermalBearing, calibrate};

/// The measured temperature, and the displacement that a bearing with known parameters shows.
fn twin(text: &str, noise: f64, missing: f64, seed: u64) -> [Vec<f64>; 3] {
    let mut drive: Vec<f64> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).and_then(|v| v.parse().ok()).unwrap_or(f64::NAN))
        .collect();
    let mut last = drive.iter().copied().find(|t| !t.is_nan()).unwrap();
    let held: Vec<f64> = drive
        .iter()
        .map(|t| {
            last = if t.is_nan() { last } else { *t };
            last
        })
        .collect();
    let mut response = respond(&Truth::default(), &held, noise, seed);
    let mut draw = Noise::new(seed + 77);
    for (t, z) in drive.iter_mut().zip(&mut response) {
        if draw.unit() < 1e-3 {
            *z += 0.02 * (draw.unit() - 0.5);
        }
        if draw.unit() < missing {
            *z = f64::NAN;
        }
        if draw.unit() < 0.2 * missing {
            *t = f64::NAN;
        }
    }
    let time = (0..drive.len()).map(|i| 600.0 * i as f64).collect();
    [time, drive, response]
}

fn fit([time, drive, response]: &[Vec<f64>; 3], options: &Options) -> Fit {
    let series = Series::new(time, drive, response).unwrap();
    let model =
        ThermalBearing { bearing_stiffness: Some(Truth::default().bearing), ..Default::default() };
    calibrate(&series, &model, options).unwrap()
}

#[test]
fn parameters_come_back_and_no_evolution_does_better() {
    let Some(path) = shared("temperature_dtu/temperature_10min.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let study = std::env::var_os("STICKSLIP_STUDY").is_some();
    let truth = Truth::default();
    println!(
        "errors in % (in standard errors); rmse in µm; best of the evolutionary runs with the spikes in; time in s"
    );
    println!(
        "noise  missing      beta       f_s/K       f_d/K           K     rmse     best of  spikes  time"
    );
    let noises: &[f64] = if study { &[2e-5, 5e-5, 2e-4] } else { &[5e-5] };
    let holes: &[f64] = if study { &[0.0, 0.1, 0.2] } else { &[0.1] };
    for (i, &noise) in noises.iter().enumerate() {
        for (j, &missing) in holes.iter().enumerate() {
            let record = twin(&text, noise, missing, 10 * i as u64 + j as u64 + 3);
            let clock = std::time::Instant::now();
            let found = fit(&record, &Options::default());
            let seconds = clock.elapsed().as_secs_f64();
            // The same rows for both: spikes stay.
            let keep = Options { outliers: None, ..Options::default() };
            let global = fit(&record, &keep);
            let runs =
                fit(&record, &Options { method: Method::Evolution { runs: sized(4, 10) }, ..keep });
            let best = runs.runs.iter().map(|r| r.rmse).fold(f64::INFINITY, f64::min);
            print!("{:.2} mm  {:4.0} %  ", 1e3 * noise, 100.0 * missing);
            let k = truth.stiffness;
            for (e, exact, within) in [
                (&found.parameters.beta, truth.beta, 0.01),
                (&found.f_s_over_K, truth.breakaway / k, 0.01),
                (&found.f_d_over_K, truth.dynamic / k, 0.01),
                (&found.parameters.K, k, 0.03),
            ] {
                let (off, error) = (e.value.unwrap() - exact, e.stderr.unwrap());
                print!("{:+6.3} ({:+.1})  ", 100.0 * off / exact, off / error);
                assert!(off.abs() < within * exact, "{e:?} for {exact}");
            }
            println!(
                "{:6.1}  {:6.1}  {:5}  {seconds:.2}",
                1e6 * found.rmse,
                1e6 * best,
                found.outliers
            );
            assert!(global.rmse <= best * (1.0 + 1e-9), "{} {best}", global.rmse);
        }
    }
}
