//! A whole calibration, global, of 43,200 samples (300 days every ten minutes), on one core.
//!
//! `cargo bench -p stickslip-calibrate`

use divan::{Bencher, black_box};
use stickslip_calibrate::{Options, Series, ThermalBearing, global};

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    divan::main();
}

/// f_s and f_d of Table 2 of seed 000, and a bearing with a third of that friction.
#[divan::bench(args = [1.0, 0.33], sample_count = 10)]
fn whole_calibration(bencher: Bencher, friction: f64) {
    let base = common::Truth::default();
    let truth = common::Truth {
        static_: friction * base.static_,
        dynamic: friction * base.dynamic,
        ..base
    };
    let (time, drive) = common::weather(43_200, 600.0, 3);
    let response = common::respond(&truth, &drive, 5e-5, 4);
    let model = ThermalBearing { bearing_stiffness: Some(truth.bearing) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
    bencher.bench_local(|| {
        let run = || {
            let series = Series::new(black_box(&time), &drive, &response)?;
            global(&series, &model, &Options::default())
        };
        match &pool {
            Some(pool) => pool.install(run),
            None => run(),
        }
    });
}
