#[path = "../tests/common/mod.rs"]
mod common;
use common::twin::*;
use stickslip_calibrate::*;
fn main() {
    let m = measured();
    let want = std::env::args().nth(1).unwrap_or_default();
    let (a, b): (u64, u64) = (
        std::env::args().nth(2).map_or(0, |v| v.parse().unwrap()),
        std::env::args().nth(3).map_or(2, |v| v.parse().unwrap()),
    );
    for name in [
        "clean", "late", "early", "lag", "step", "drift", "change", "sentinel", "thermo05",
        "thermo1", "thermo2", "round1", "round2", "round5", "spikes1", "spikes5", "viscous", "ar",
    ] {
        if !want.is_empty() && !want.split(',').any(|w| w == name) {
            continue;
        }
        for seed in a..b {
            let make = || {
                Record::new(bearing(), temperature(m.as_deref(), 200.0, 3600.0, seed), 5e-5, seed)
            };
            let r = match name {
                "late" => make().shifted(1),
                "early" => make().shifted(-1),
                "lag" => {
                    let mut r = make();
                    let deck = behind(&r.drive, 3600.0, 7200.0);
                    r.response = common::respond(&bearing(), &deck, 5e-5, seed + 1);
                    r
                }
                "step" => make().reset(5e-4, 0.37),
                "drift" => make().drifting(3e-4),
                "change" => {
                    let mut r = make();
                    r.response = changed(bearing(), &r.drive, 1.3, 0.5, 5e-5, seed + 9);
                    r
                }
                "sentinel" => make().sentinels(-0.999, 0.01, seed),
                "thermo05" => make().thermometer(0.05, seed),
                "thermo1" => make().thermometer(0.1, seed),
                "thermo2" => make().thermometer(0.2, seed),
                "round1" => make().rounded(1e-4),
                "round2" => make().rounded(2e-4),
                "round5" => make().rounded(5e-4),
                "spikes1" => make().spiked(0.01, seed),
                "spikes5" => make().spiked(0.05, seed),
                "viscous" => {
                    let mut r = make();
                    let deck = behind(&r.drive, 3600.0, 36000.0);
                    let mut d = common::Noise::new(seed + 3);
                    r.response = deck
                        .iter()
                        .zip(&r.drive)
                        .map(|(x, t)| 0.009 + 2.7e-4 * x + 0.3e-4 * t + 5e-5 * d.normal())
                        .collect();
                    r
                }
                "ar" => {
                    let mut r = make();
                    let clean = common::respond(&bearing(), &r.drive, 0.0, 1);
                    let mut d = common::Noise::new(seed + 3);
                    let mut s = 0.0;
                    r.response = clean
                        .iter()
                        .map(|z| {
                            s = 0.9 * s + 0.436 * 5e-5 * d.normal();
                            z + s
                        })
                        .collect();
                    r
                }
                _ => make(),
            };
            let clock = std::time::Instant::now();
            let s = Series::new(&r.time, &r.drive, &r.response).unwrap();
            let f = calibrate(
                &s,
                &ThermalBearing { bearing_stiffness: Some(2e9) },
                &Options::default(),
            )
            .unwrap();
            let t = bearing();
            let err = |e: &Estimate, x: f64| {
                e.ci95.map_or("unknown".into(), |[l, h]| {
                    format!(
                        "{:+.2}% [{:+.2},{:+.2}]{}",
                        100.0 * (e.value.unwrap() / x - 1.0),
                        100.0 * (l / x - 1.0),
                        100.0 * (h / x - 1.0),
                        if l <= x && x <= h { "" } else { " MISS" }
                    )
                })
            };
            println!(
                "{name} {seed} {:.2?} slips {} ev {} tau {:.2} rmse {:.1} µm dn {:?} q {:?} out {} | fs/K {} fd/K {} b {} K {}",
                clock.elapsed(),
                f.slips,
                f.evaluations,
                f.autocorrelation,
                1e6 * f.rmse,
                f.drive_noise,
                f.rounding,
                f.outliers,
                err(&f.f_s_over_K, t.static_ / t.stiffness),
                err(&f.f_d_over_K, t.dynamic / t.stiffness),
                err(&f.parameters.beta, t.beta),
                err(&f.parameters.K, t.stiffness)
            );
            for d in &f.diagnosis {
                println!(
                    "      {} {:.2} {:?}",
                    d.what.name(),
                    d.strength,
                    d.estimate.as_ref().map(|e| e.value)
                );
            }
        }
    }
}
