mod common;
use common::*;
use stickslip_calibrate::*;
#[test]
#[ignore]
fn probe() {
    let n: u64 = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(12);
    let samples: usize = std::env::var("S").ok().and_then(|s| s.parse().ok()).unwrap_or(43200);
    let (time, temp) = weather(samples, 300.0 * 86400.0 / samples as f64, 3);
    let mut bad = 0;
    let (mut cover, mut total) = ([0usize; 5], 0usize);
    for seed in 0..n {
        let mut r = Noise::new(1000 + seed);
        for _ in 0..10 {
            r.unit();
        }
        let mut t = Truth { start: 2.0 * r.unit() - 1.0, ..Truth::default() };
        if seed > 0 {
            // rho between 0.5 and 12 K, ratio fd/fs anywhere
            let rho = 0.8 * 14f64.powf(r.unit());
            let share = r.unit();
            t.static_ = rho * t.beta * t.stiffness;
            t.dynamic = t.static_ * (1.0 - share);
        }
        let z = respond(&t, &temp, 5e-5, seed + 5);
        let z_clean = respond(&t, &temp, 0.0, seed + 5);
        let truth_rmse = (z.iter().zip(&z_clean).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            / z.len() as f64)
            .sqrt();
        let series = Series::new(&time, &temp, &z).unwrap();
        let t0 = std::time::Instant::now();
        let fit = global(
            &series,
            &ThermalBearing { bearing_stiffness: Some(t.bearing) },
            &Options::default(),
        )
        .unwrap();
        let dt = t0.elapsed().as_secs_f64();
        let p = &fit.parameters;
        let truths = [t.z0, t.beta, t.static_ / t.stiffness, t.dynamic / t.stiffness, t.stiffness];
        let ests = [&p.z0, &p.beta, &fit.f_s_over_K, &fit.f_d_over_K, &p.K];
        let e: Vec<f64> = ests
            .iter()
            .zip(truths)
            .map(|(e, t)| e.value.map_or(f64::NAN, |v| 100.0 * (v - t) / t))
            .collect();
        let z: Vec<f64> = ests
            .iter()
            .zip(truths)
            .map(|(e, t)| e.value.map_or(f64::NAN, |v| (v - t) / e.stderr.unwrap()))
            .collect();
        total += 1;
        for i in 0..5 {
            if z[i].abs() < 1.96 {
                cover[i] += 1;
            }
        }
        let flag = if fit.rmse > truth_rmse * 1.0001 {
            bad += 1;
            "BAD"
        } else {
            ""
        };
        println!(
            "{seed:3} rho {:6.3} share {:5.3} | err% {:6.2} {:6.2} {:6.2} {:6.2} {:6.2} | z {:5.1} {:5.1} {:5.1} {:5.1} {:5.1} | rmse {:.3} truth {:.3} um| slips {} ev {} tau {:.1} {:.0} ms {flag}",
            t.static_ / t.stiffness / t.beta,
            1.0 - t.dynamic / t.static_,
            e[0],
            e[1],
            e[2],
            e[3],
            e[4],
            z[0],
            z[1],
            z[2],
            z[3],
            z[4],
            fit.rmse * 1e6,
            truth_rmse * 1e6,
            fit.slips,
            fit.evaluations,
            fit.autocorrelation,
            dt * 1e3
        );
    }
    println!("bad {bad} of {total}; coverage {cover:?}");
}
