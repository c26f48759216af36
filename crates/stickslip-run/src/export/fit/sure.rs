//! How sure the numbers are: runs, intervals, profiles, what was searched.

use super::Fitted;
use crate::export::estimates::Units;
use stickslip_calibrate::{Profile, SearchRun};
use stickslip_report::figure::{Anchor, Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, Table, number};

/// D below which 95 % of profiles stay at the truth: χ² with one degree of freedom.
const LIMIT: f64 = 3.841_458_820_694_124;
/// Profiles are drawn up to here.
const HIGHEST: f64 = 12.0;

/// The symbol of a quantity in figures and pages, and its SI unit.
pub fn symbol_and_unit(name: &str) -> (&'static str, &'static str) {
    match name {
        "z0" => ("z_{0}", "m"),
        "K" => ("K", "N/m"),
        "f_d" => ("f_{d}", "N"),
        "f_s" => ("f_{s}", "N"),
        "beta" => ("β", "m/K"),
        "kappa" => ("K/K_{BP}", ""),
        "rho" => ("ρ", "K"),
        "delta" => ("δ", "K"),
        "f_d_over_K" => ("f_{d}/K", "m"),
        "f_s_over_K" => ("f_{s}/K", "m"),
        _ => ("", ""),
    }
}

/// Every profile, three in a row, in the units of the table of parameters.
pub fn profiles(fitted: &Fitted) -> Figure<'static> {
    let panel = |p: &Profile| {
        let low = |d: &Option<f64>| d.filter(|d| *d <= HIGHEST).unwrap_or(f64::NAN);
        let deviance: Vec<f64> = p.deviance.iter().map(low).collect();
        let (factor, unit) = Units::Structure.of(p.unit);
        let value: Vec<f64> = p.value.iter().map(|v| factor * v).collect();
        let within = value.iter().zip(&deviance).filter(|(_, d)| **d <= LIMIT).map(|(v, _)| *v);
        let (low, high) =
            within.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let axis = Axis::linear(symbol_and_unit(p.name).0, unit);
        let panel = Panel::new(axis, Axis::linear("deviance D", ""))
            .horizontal(LIMIT, Style::new(Ink::Grey).width(1.0));
        let panel = if low <= high {
            panel.note(0.5 * (low + high), LIMIT, "95 %", Anchor::Middle)
        } else {
            panel
        };
        panel.line(value, deviance, Style::new(Ink::Blue).width(1.6)).height(130.0)
    };
    let mut figure = Figure::new().describe("Profile likelihoods");
    for row in fitted.fit.profiles.chunks(3) {
        figure = figure.beside(row.iter().map(panel));
    }
    figure
}

/// The row of [`runs`] that holds ratios.
const VARIATION: &str = "coeff. of var.";

/// Rows of Table 2 of the paper, as (name, run).
pub fn runs(fitted: &Fitted) -> Vec<(String, &SearchRun)> {
    let fit = &fitted.fit;
    let Some(s) = &fit.runs_statistics else { return Vec::new() };
    let numbered = fit.runs.iter().enumerate().map(|(i, r)| ((i + 1).to_string(), r));
    let last = [("mean", &s.mean), ("st. dev.", &s.sd), (VARIATION, &s.cv)];
    numbered.chain(last.map(|(n, r)| (n.to_owned(), r))).collect()
}

/// A number of a run; a force has none without K_BP.
type OfRun = fn(&SearchRun) -> Option<f64>;

/// The columns of the runs on a page, by the names of their quantities.
const OF_RUNS: [(&str, OfRun); 7] = [
    ("z0", |r| Some(r.z0)),
    ("K", |r| r.K),
    ("f_d", |r| r.f_d),
    ("f_s", |r| r.f_s),
    ("beta", |r| Some(r.beta)),
    ("f_d_over_K", |r| Some(r.f_d_over_K)),
    ("f_s_over_K", |r| Some(r.f_s_over_K)),
];

/// The runs in the units of the table of parameters.
fn table_of_runs(rows: Vec<(String, &SearchRun)>) -> Table {
    let columns = OF_RUNS.map(|(name, of)| {
        let (symbol, unit) = symbol_and_unit(name);
        let (factor, unit) = Units::Structure.of(unit);
        (format!("{symbol} ({unit})"), factor, of)
    });
    let (to_mm, mm) = Units::Structure.of("m");
    let heads = columns.iter().map(|c| c.0.clone());
    let heads = std::iter::once("run".to_owned()).chain(heads).chain([format!("rmse ({mm})")]);
    rows.into_iter().fold(Table::new(heads), |table, (name, run)| {
        let scaled = |value: f64, factor: f64| {
            number(if name == VARIATION { value } else { factor * value }, 4)
        };
        let cell = |(_, factor, of): &(String, f64, OfRun)| {
            of(run).map_or("—".to_owned(), |value| scaled(value, *factor))
        };
        let mut cells = vec![name.clone()];
        cells.extend(columns.iter().map(cell));
        cells.push(scaled(run.rmse, to_mm));
        table.row(cells)
    })
}

/// The runs, and what the sections about certainty say.
pub fn section(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    let rows = runs(fitted);
    if !rows.is_empty() {
        page.subsection("Independent runs");
        page.table(&table_of_runs(rows).caption(
            "Each run is an evolutionary search of its own from random starts. Their spread says how well \
             the search works, not how well the record fixes a parameter: that is the interval.",
        ));
    }
    if let Some(b) = &fit.bootstrap {
        page.subsection("Moving-block bootstrap");
        page.text(format!(
            "{} records made of the fitted curve and blocks of {} residuals, each fitted again.",
            b.replicates, b.block
        ));
        let mut table = Table::new(["quantity", "standard error", "from", "to", "unit"]);
        for i in &b.intervals {
            let (symbol, unit) = symbol_and_unit(i.name);
            let (factor, unit) = Units::Structure.of(unit);
            let [low, high] = i.ci95.map(|v| number(factor * v, 5));
            let error = number(factor * i.stderr, 2);
            table = table.row([symbol.to_owned(), error, low, high, unit.to_owned()]);
        }
        page.table(&table);
    }
    if !fit.profiles.is_empty() {
        page.subsection("Profile likelihoods");
        page.figure(
            &profiles(fitted),
            "How much worse the fit gets when one quantity is held at a value; where D is below the grey line the value \
             is within the 95 % interval. Steps are real: a slip falls into one sampling interval or the next.",
        );
    }
}

/// What was searched, and the best minima.
pub fn searched(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    let c = &fit.coverage;
    page.text(format!(
        "The survey covers ρ from {} to {} °C in {} equal ratios and 1 − f_{{d}}/f_{{s}} from {} to {} in {} equal steps: all that \
         the range of this drive can show. Along the best valleys a comb tries every δ down to 1/120 of the range (1/400 \
         where jumps are small) and six positions of the lattice of rests; from the best distinct points it descends. \
         Jumps below 1/800 of the range count as continuous sliding. If the residual of a first, quick descent is white, no \
         other path can leave much less, and it ends there; otherwise more teeth of the comb are followed, further.",
        number(c.rho[0], 3),
        number(c.rho[1], 3),
        c.rho_count,
        number(c.share[0], 2),
        number(c.share[1], 2),
        c.share_count
    ));
    if fit.minima.len() > 1 {
        let mut table = Table::new(["minimum", "ρ (°C)", "δ (°C)", "rms error (mm)"]);
        for (i, m) in fit.minima.iter().enumerate() {
            table = table.row([
                (i + 1).to_string(),
                number(m.rho, 5),
                number(m.delta, 5),
                number(1e3 * m.rmse, 5),
            ]);
        }
        page.table(&table.caption("The best distinct minima (thresholds more than 2 % apart)."));
    }
}
