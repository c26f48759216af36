//! A whole calibration with its intervals, of 43,200 samples (300 days every ten minutes), on one core.
//!
//! `cargo bench -p stickslip-calibrate`

#![allow(
    clippy::disallowed_methods,
    reason = "records that are made up may differ in the last digit"
)]

use divan::{Bencher, black_box};
use stickslip_calibrate::{Method, Options, Series, ThermalBearing, calibrate};

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    divan::main();
}

/// A record of 300 days every ten minutes with `friction` times the forces of Table 2 of Bensoussan et al. 2021.
fn record(friction: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>, ThermalBearing) {
    let base = common::Truth::default();
    let truth = common::Truth {
        breakaway: friction * base.breakaway,
        dynamic: friction * base.dynamic,
        ..base
    };
    let (time, drive) = common::weather(43_200, 600.0, 3);
    let response = common::respond(&truth, &drive, 5e-5, 4);
    (
        time,
        drive,
        response,
        ThermalBearing { bearing_stiffness: Some(truth.bearing), ..Default::default() },
    )
}

/// The whole calibration on one thread.
fn calibration(bencher: Bencher, friction: f64, method: Method) {
    let (time, drive, response, model) = record(friction);
    let options = Options { method, ..Options::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
    bencher.bench_local(|| {
        let run = || {
            let series = Series::new(black_box(&time), &drive, &response)?;
            calibrate(&series, &model, &options)
        };
        match &pool {
            Some(pool) => pool.install(run),
            None => run(),
        }
    });
}

/// 134 slips, as in Bensoussan et al. 2021; and a third of the friction: 5010 slips.
#[divan::bench(args = [1.0, 0.33], sample_count = 10)]
fn global(bencher: Bencher, friction: f64) {
    calibration(bencher, friction, Method::Global);
}

/// Ten independent runs: Table 2. The peer is `benches/peers/calibration.py`.
#[divan::bench(sample_count = 10)]
fn ten_evolutionary_runs(bencher: Bencher) {
    calibration(bencher, 1.0, Method::Evolution { runs: 10 });
}
