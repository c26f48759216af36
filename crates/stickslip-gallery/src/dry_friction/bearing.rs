//! Table 2, Figs. 4 and 5: the bridge bearing, on a twin record of known parameters.

use super::super::twin::{self, Record};
use super::super::verdict::Tolerance::{AtMost, Relative};
use super::Work;
use stickslip_calibrate::{Fit, Method, Options, Series, ThermalBearing, calibrate};
use stickslip_file::{Diagnostic, Result};
use stickslip_report::compose;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};
use stickslip_report::html::{Table, number};

const FILE: &str = include_str!("../../models/bearing.toml");

/// Table 2 as printed, run 1 with its misprint: z₀ (m), K (N/m), f_d, f_s (MN), β (m/K).
const PRINTED: [[f64; 5]; 10] = [
    [9.54e-3, 1.75e5, 0.42, 0.47, 2.97e-4],
    [9.18e-3, 2.06e8, 0.42, 0.47, 2.72e-4],
    [9.84e-3, 1.81e8, 0.42, 0.47, 3.18e-4],
    [9.78e-3, 1.93e8, 0.43, 0.49, 3.14e-4],
    [9.77e-3, 1.98e8, 0.44, 0.47, 3.14e-4],
    [9.78e-3, 1.85e8, 0.42, 0.47, 3.13e-4],
    [9.74e-3, 1.8e8, 0.4, 0.45, 3.12e-4],
    [9.72e-3, 1.83e8, 0.42, 0.46, 3.1e-4],
    [9.71e-3, 1.9e8, 0.43, 0.48, 3.08e-4],
    [9.67e-3, 1.97e8, 0.43, 0.45, 3.06e-4],
];
/// Its last line: coefficients of variation.
const VARIATION: [f64; 5] = [1.97e-2, 5.12e-2, 2.65e-2, 2.5e-2, 4.38e-2];
/// The largest of them.
const LARGEST: f64 = 5.12e-2;
const NAMES: [&str; 5] =
    ["z_{0} [mm]", "K [10^{8} N/m]", "f_{d} [MN]", "f_{s} [MN]", "β [10^{−4} m/K]"];
const UNITS: [f64; 5] = [1e-3, 1e8, 1e6, 1e6, 1e-4];
const TRUTH: [f64; 5] = [twin::ZERO, twin::STIFFNESS, twin::DYNAMIC, twin::STATIC, twin::BETA];

fn record(w: &mut Work) -> Result<Record> {
    let time = (0..twin::DAYS * 144).map(|i| twin::STEP * i as f64).collect();
    let record = twin::answer(time, twin::weather()?)?;
    w.file("bearing.toml", FILE);
    w.file("bearing.csv", record.csv(twin::START)?);
    Ok(record)
}

fn fitted(record: &Record, method: Method) -> Result<Fit> {
    let series = Series::new(&record.time, &record.temperature, &record.displacement)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let model = ThermalBearing { bearing_stiffness: Some(twin::BEARING), ..Default::default() };
    let options = Options { method, ..Options::default() };
    calibrate(&series, &model, &options).map_err(|e| Diagnostic::new(e.to_string()))
}

fn estimates(fit: &Fit) -> [f64; 5] {
    let p = &fit.parameters;
    [&p.z0, &p.K, &p.f_d, &p.f_s, &p.beta].map(|e| e.value.unwrap_or(f64::NAN))
}

/// Mean, standard deviation (n − 1) and their ratio.
fn statistics(values: &[f64]) -> [f64; 3] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    [mean, sd, (sd / mean).abs()]
}

/// Table 2.
pub fn runs(w: &mut Work) -> Result<()> {
    let record = record(w)?;
    let evolution = fitted(&record, Method::Evolution { runs: 10 })?;
    let global = fitted(&record, Method::Global)?;
    let nan = f64::NAN;
    let rows: Vec<[f64; 5]> = evolution
        .runs
        .iter()
        .map(|r| [r.z0, r.K.unwrap_or(nan), r.f_d.unwrap_or(nan), r.f_s.unwrap_or(nan), r.beta])
        .collect();
    let column = |j: usize| -> Vec<f64> { rows.iter().map(|r| r[j]).collect() };
    let found: Vec<[f64; 3]> = (0..5).map(|j| statistics(&column(j))).collect();

    let head = std::iter::once("run").chain(NAMES).collect::<Vec<_>>();
    let mut table = Table::new(head);
    let line = |name: String, values: [f64; 5], digits: usize| -> Vec<String> {
        let scaled = values.iter().zip(UNITS).map(|(v, unit)| number(v / unit, digits));
        std::iter::once(name).chain(scaled).collect()
    };
    for (i, r) in rows.iter().enumerate() {
        table = table.row(line((i + 1).to_string(), *r, 5));
    }
    let of = |k: usize| std::array::from_fn(|j| found[j][k]);
    table = table.row(line("mean".into(), of(0), 5)).row(line("st. d.".into(), of(1), 3));
    let variation = |name: &str, v: [f64; 5]| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(v.iter().map(|c| number(*c, 3))).collect()
    };
    table = table
        .row(variation("c. v.", of(2)))
        .row(variation("c. v. of the paper", VARIATION))
        .row(line("global search".into(), estimates(&global), 5))
        .row(line("truth".into(), TRUTH, 5));
    w.table(table.caption("ten independent runs of the evolution on the twin record, 43 200 rows"));

    // Each parameter of each run over its truth, beside the paper's runs over their mean.
    let mut panel = Panel::new(
        Axis::linear("run", ""),
        Axis::linear("parameter over truth (paper: over mean)", ""),
    )
    .height(260.0)
    .horizontal(1.0, Style::new(Ink::Black).dashed());
    let markers = [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Plus];
    for (j, name) in ["z_{0}", "K", "f_{d}", "f_{s}", "β"].into_iter().enumerate() {
        let style = Style::new(Ink::series(j)).marker(markers[j]).size(8.0);
        let runs = |shift: f64| -> Vec<f64> { (1..=10).map(|i| f64::from(i) + shift).collect() };
        let paper: Vec<f64> = corrected().iter().map(|r| r[j]).collect();
        let mean = statistics(&paper)[0];
        let over: Vec<f64> = paper.iter().map(|v| v / mean).collect();
        let ours: Vec<f64> = column(j).iter().map(|v| v / TRUTH[j]).collect();
        panel = panel.points(runs(0.0), over, style.clone().opacity(0.35)).points(
            runs(0.0),
            ours,
            style.label(name),
        );
    }
    w.figure(
        "bearing-runs.svg",
        &Figure::new().describe("Parameters of ten runs").panel(panel),
        "Ten runs: ours over the truth (strong), the paper's over their mean (faint).",
    );

    for j in 0..5 {
        w.verdict(
            format!("{}: coefficient of variation over ten runs", NAMES[j]),
            (LARGEST, "the largest of Table 2"),
            found[j][2],
            AtMost,
        );
        w.verdict(
            format!("{}: mean of ten runs", NAMES[j]),
            (TRUTH[j] / UNITS[j], "what made the record"),
            found[j][0] / UNITS[j],
            Relative(LARGEST),
        );
        let tolerance = if j == 1 { 0.02 } else { 0.01 };
        w.verdict(
            format!("{}: global search", NAMES[j]),
            (TRUTH[j] / UNITS[j], "what made the record"),
            estimates(&global)[j] / UNITS[j],
            Relative(tolerance),
        );
    }
    // The misprint of run 1.
    let stiffness: Vec<f64> = corrected().iter().map(|r| r[1]).collect();
    let [mean, sd, _] = statistics(&stiffness);
    w.verdict(
        "Table 2, mean K with run 1 read as 1.75·10^{8}, N/m",
        (1.89e8, "Table 2"),
        mean,
        Relative(0.003),
    );
    w.verdict(
        "Table 2, standard deviation of K read so, N/m",
        (9.67e6, "Table 2"),
        sd,
        Relative(0.01),
    );
    let as_printed: Vec<f64> = PRINTED.iter().map(|r| r[1]).collect();
    w.deviation(
        "Bensoussan et al. 2021, Table 2",
        format!(
            "K of run 1 is 1.75·10^{{5}}: with it the mean would be {}",
            number(statistics(&as_printed)[0], 3)
        ),
        format!("1.75·10^{{8}}: mean {}, as printed", number(mean, 3)),
        "misprint",
    );
    w.deviation(
        "Bensoussan et al. 2021, Table 2",
        "a measured record of the Paris metro, not public",
        "a twin record made with the paper's mean parameters and 0.05 mm of noise",
        "the parameters to be found are known here",
    );
    w.remark(format!(
        "The search over the two parameters that matter took {} evaluations, the ten evolutions {}; both end at an rmse of {:.4} mm and {:.4} mm.",
        global.evaluations,
        evolution.evaluations,
        1e3 * global.rmse,
        1e3 * evolution.rmse
    ));
    w.command("stickslip calibrate gallery/bearing.toml --out bearing");
    Ok(())
}

/// The printed table with run 1 as its mean needs it.
fn corrected() -> [[f64; 5]; 10] {
    let mut rows = PRINTED;
    rows[0][1] = 1.75e8;
    rows
}

/// Figs. 4 and 5.
pub fn fit(w: &mut Work) -> Result<()> {
    let record = record(w)?;
    let fit = fitted(&record, Method::Global)?;
    let millimetres = |v: &[f64]| -> Vec<f64> { v.iter().map(|z| 1e3 * z).collect() };
    let (measured, model) = (millimetres(&record.displacement), millimetres(&fit.curve.fitted));
    let over_time = compose::Fit {
        title: "",
        time: Axis::calendar(twin::START),
        t: &record.time,
        drive: &record.temperature,
        drive_name: ("T", "°C"),
        measured: &measured,
        fitted: &model,
        response_name: ("z", "mm"),
        zooms: Some([40.0, 215.0].map(|d| (86_400.0 * d, 86_400.0 * (d + 60.0)))),
    };
    w.figure("bearing-fit.svg", &over_time.over_time(), "Displacement, measured (wide) and fitted (thin), above the temperature; two enlargements of two months.");
    // March and April 2016: days 213 to 274 after 2015-08-01.
    let part = 213 * 144..274 * 144;
    let spring = compose::Fit {
        drive: &record.temperature[part.clone()],
        measured: &measured[part.clone()],
        fitted: &model[part.clone()],
        t: &record.time[part.clone()],
        ..over_time.clone()
    };
    w.figure(
        "bearing-loops.svg",
        &spring.plane(),
        "Displacement against temperature in March and April: hysteresis loops.",
    );
    let range = |v: &[f64]| {
        let (low, high) =
            v.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
        high - low
    };
    w.verdict(
        "rmse of the fit, mm",
        (1e3 * twin::NOISE, "the noise put in"),
        1e3 * fit.rmse,
        Relative(0.03),
    );
    w.verdict(
        "height of the loops in March and April, fitted, mm",
        (range(&measured[part.clone()]), "measured"),
        range(&model[part.clone()]),
        Relative(0.05),
    );
    let known = estimates(&fit);
    for (j, name) in ["z_{0}", "K", "f_{d}", "f_{s}", "β"].into_iter().enumerate() {
        w.verdict(
            format!("{name} over its truth"),
            (1.0, "what made the record"),
            known[j] / TRUTH[j],
            Relative(if j == 1 { 0.02 } else { 0.01 }),
        );
    }
    // The width of a loop: 2 f_s/(K β) in temperature between break-aways on the two ways.
    let ratio = fit.f_s_over_K.value.unwrap_or(f64::NAN);
    w.verdict(
        "width of the loops, 2f_{s}/(Kβ), K",
        (2.0 * twin::STATIC / twin::STIFFNESS / twin::BETA, "what made the record"),
        2.0 * ratio / known[4],
        Relative(0.01),
    );
    w.verdict(
        "rmse without friction over rmse with it",
        (5.0, "friction is needed"),
        fit.rmse_without_friction / fit.rmse,
        super::super::verdict::Tolerance::AtLeast,
    );
    w.command("stickslip calibrate gallery/bearing.toml --set fit.method=global --out bearing");
    Ok(())
}
