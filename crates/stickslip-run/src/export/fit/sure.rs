//! How sure the numbers are: runs, intervals, profiles, what was searched.

use super::Fitted;
use crate::export::estimates::Units;
use stickslip_calibrate::{Profile, SearchRun};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, Table, number};

/// D below which 95 % of profiles stay at the truth: χ² with one degree of freedom.
const LIMIT: f64 = 3.841_458_820_694_124;
/// Profiles are drawn up to here.
const HIGHEST: f64 = 12.0;

fn symbol(name: &str) -> &str {
    match name {
        "z0" => "z_{0}",
        "f_d" => "f_{d}",
        "f_s" => "f_{s}",
        "beta" => "β",
        "kappa" => "K/K_{BP}",
        "rho" => "ρ",
        "delta" => "δ",
        "f_s_over_K" => "f_{s}/K",
        "f_d_over_K" => "f_{d}/K",
        other => other,
    }
}

/// Every profile, three in a row, in the units of the table of parameters.
pub fn profiles(fitted: &Fitted) -> Figure<'static> {
    let panel = |p: &Profile| {
        let low = |d: &Option<f64>| d.filter(|d| *d <= HIGHEST).unwrap_or(f64::NAN);
        let deviance: Vec<f64> = p.deviance.iter().map(low).collect();
        let (factor, unit) = Units::Structure.of(p.unit);
        let value: Vec<f64> = p.value.iter().map(|v| factor * v).collect();
        Panel::new(Axis::linear(symbol(p.name), unit), Axis::linear("D", ""))
            .horizontal(LIMIT, Style::new(Ink::Grey).width(1.0))
            .line(value, deviance, Style::new(Ink::Blue).width(1.6))
            .height(130.0)
    };
    let mut figure = Figure::new().describe("Profile likelihoods");
    for row in fitted.fit.profiles.chunks(3) {
        figure = figure.beside(row.iter().map(panel));
    }
    figure
}

/// Rows of Table 2 of the paper, as (name, run).
pub fn runs(fitted: &Fitted) -> Vec<(String, &SearchRun)> {
    let fit = &fitted.fit;
    let Some(s) = &fit.runs_statistics else { return Vec::new() };
    let numbered = fit.runs.iter().enumerate().map(|(i, r)| ((i + 1).to_string(), r));
    let last = [("mean", &s.mean), ("st. dev.", &s.sd), ("coeff. of var.", &s.cv)];
    numbered.chain(last.map(|(n, r)| (n.to_owned(), r))).collect()
}

/// The runs, and what the sections about certainty say.
pub fn section(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    let rows = runs(fitted);
    if !rows.is_empty() {
        page.subsection("Independent runs");
        let mut table = Table::new([
            "run",
            "z_{0} (m)",
            "K (N/m)",
            "f_{d} (N)",
            "f_{s} (N)",
            "β (m/K)",
            "f_{d}/K (m)",
            "f_{s}/K (m)",
            "rmse (m)",
        ]);
        let maybe = |v: Option<f64>| v.map_or("—".to_owned(), |v| number(v, 4));
        for (name, r) in rows {
            let [z0, beta, d, s, e] =
                [r.z0, r.beta, r.f_d_over_K, r.f_s_over_K, r.rmse].map(|v| number(v, 4));
            table = table.row([name, z0, maybe(r.K), maybe(r.f_d), maybe(r.f_s), beta, d, s, e]);
        }
        page.table(&table.caption(
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
        let mut table = Table::new(["quantity", "standard error", "from", "to"]);
        for i in &b.intervals {
            let [low, high] = i.ci95.map(|v| number(v, 5));
            table = table.row([symbol(i.name).to_owned(), number(i.stderr, 2), low, high]);
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
