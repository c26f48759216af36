//! The report: what was found and how sure it is, then everything that lets a reader check it.

use super::{Seen, figures};
use crate::export::estimates::{Units, samples, short, table};
use crate::export::remarks;
use stickslip_calibrate::pulled_slider::Distribution;
use stickslip_report::figure::{Axis, Ink, Style};
use stickslip_report::html::{Interactive, Level, Page, Table, number};

/// Longer lists of slips are cut; the table of slips has them all.
const MOST_SLIPS: usize = 300;

/// The page.
pub fn html(seen: &Seen) -> String {
    let fit = &seen.fit;
    let data = &seen.file.data;
    let mut page = Page::new(seen.title());
    page.subtitle(samples(&data.file, data.seconds.len(), &data.origin));
    page.summary(found(seen));
    remarks::boxes(&mut page, &seen.warnings);
    table(page.section("Friction"), &seen.estimates(), Units::Si);

    page.section("The record");
    let bands: Vec<(f64, f64)> = fit.events.iter().map(|s| (s.time, s.end)).collect();
    page.interactive(
        &Interactive::new(Axis::linear("time", "s"), &data.seconds)
            .panel("F/(m g)", "", 300.0)
            .line(&data.values[0], Style::new(Ink::Sky).label("measured"))
            .line(&fit.clean, Style::new(Ink::Vermillion).label("without spikes").width(0.8))
            .bands(&bands),
    );
    page.paper(&figures::record(seen), "The spring force; every slip that was found is marked.");

    detection(&mut page, seen);
    if fit.slips_seen {
        statistics(&mut page, seen);
    }
    remarks::footnote(&mut page, &seen.file.data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

/// How the threshold was chosen.
fn detection(page: &mut Page, seen: &Seen) {
    let fit = &seen.fit;
    page.section("How slips were distinguished from noise");
    let d = &fit.detection;
    page.text(format!(
        "A slip is a fall of the force by more than θ = z s within T = π√(m/k), between means over {} samples of a \
         running median over {}. z = Φ^{{−1}}(1 − α/N) = {} for α = {} and N = {} samples; s = {} from a noise of {} per \
         sample{}; so θ = {} of m g. A record of this length without slips would show {} false slips at most, on \
         average.",
        d.window,
        d.median,
        number(d.z, 4),
        d.false_alarms,
        d.samples,
        number(d.spread, 3),
        number(d.noise, 3),
        if d.coloured { ", raised because the noise is not independent" } else { "" },
        number(d.threshold, 3),
        d.false_alarms
    ));
}

/// What the slips say about friction.
fn statistics(page: &mut Page, seen: &Seen) {
    let fit = &seen.fit;
    page.section("What the slips show");
    page.figure(&figures::distributions(seen), "Each slip counts once. Dashed: theory.");
    page.table(&spread(seen));
    let at_speed = fit.theory_slip_duration_at_speed.unwrap_or(fit.theory_slip_duration);
    page.text(format!(
        "Theory: in stick the force rises with kV/(m g) = {} per second; a slip lasts π√(m/k) = {} ms, or {} ms if the \
         far end moves on meanwhile. Static friction is the force at breakaway, sliding friction the mean of \
         the forces before and after the slip.",
        number(fit.theory_stick_slope, 4),
        number(1e3 * fit.theory_slip_duration, 4),
        number(1e3 * at_speed, 4)
    ));
    page.figure(&figures::slips(seen), "Friction along the record.");

    page.section("Ageing");
    page.figure(&figures::ageing(seen), "Static friction against the time at rest before.");
    page.callout(Level::Note, "Before you rely on ageing", fit.ageing.caution);

    page.section("Slips");
    page.text(format!("{} slips; the table of slips has them all.", fit.slips));
    page.details("The list", |page| {
        page.table(&list(seen));
    });
}

pub fn found(seen: &Seen) -> Vec<String> {
    let fit = &seen.fit;
    let p = &seen.fit.parameters;
    if !fit.slips_seen {
        return vec![
            "No slip was seen in this record.".to_owned(),
            "The slider rests or slides steadily: there is no breakaway to measure.".to_owned(),
        ];
    }
    let lasts = seen.file.data.seconds.last().unwrap_or(&0.0)
        - seen.file.data.seconds.first().unwrap_or(&0.0);
    let forces = match (&p.mu_s.reason, &p.mu_d.reason) {
        (Some(why), Some(same)) if why == same => {
            format!("Neither μ_{{s}} nor μ_{{d}} is known: {why}.")
        }
        _ => format!(
            "The slider breaks away at μ_{{s}} = {} and slides at μ_{{d}} = {}.",
            short(&p.mu_s),
            short(&p.mu_d)
        ),
    };
    let mut lines =
        vec![forces, format!("It slipped {} times in {} s.", fit.slips, number(lasts, 4))];
    if let Some(d) = &fit.distributions {
        lines.push(format!(
            "From slip to slip μ_{{s}} scatters by {} (standard deviation); 90 % range {} to {}.",
            number(d.mu_s.sd, 2),
            apart(d.mu_s.quantiles[0], d.mu_s.sd),
            apart(d.mu_s.quantiles[4], d.mu_s.sd)
        ));
    }
    lines.push(remarks::last_line(&seen.warnings));
    lines
}

/// A value in as many digits as tell it from one that is its scatter away.
fn apart(value: f64, scatter: f64) -> String {
    crate::export::estimates::plain(value, scatter)[0].clone()
}

fn spread(seen: &Seen) -> Table {
    let head = [
        "",
        "slips",
        "mean",
        "± (95 %)",
        "scatter (sd)",
        "5 %",
        "25 %",
        "50 %",
        "75 %",
        "95 %",
        "unit",
    ];
    let mut table = Table::new(head);
    let Some(d) = &seen.fit.distributions else { return table };
    let rows: [(&str, &Distribution, f64, &str); 7] = [
        ("μ_{s}: breakaway", &d.mu_s, 1.0, ""),
        ("force after", &d.bottom, 1.0, ""),
        ("μ_{d}", &d.mu_d, 1.0, ""),
        ("fall", &d.drop, 1.0, ""),
        ("waiting time", &d.waiting, 1.0, "s"),
        ("duration", &d.duration, 1e3, "ms"),
        ("stick slope / kV", &d.stick_slope_ratio, 1.0, ""),
    ];
    for (name, d, by, unit) in rows {
        let text = |v: Option<f64>, digits| v.map_or("—".to_owned(), |v| number(by * v, digits));
        let mut row = vec![
            name.to_owned(),
            format!("{}", d.count),
            text(d.mean.value, 4),
            text(d.mean.stderr.map(|s| 1.96 * s), 2),
            text(Some(d.sd), 2),
        ];
        row.extend(d.quantiles.iter().map(|q| text(Some(*q), 3)));
        row.push(unit.to_owned());
        table = table.row(row);
    }
    table
}

fn list(seen: &Seen) -> Table {
    let mut table = Table::new([
        "#",
        "t (s)",
        "μ_{s}",
        "after",
        "μ_{d}",
        "waited (s)",
        "lasts (ms)",
        "slope / kV",
    ]);
    for (i, s) in seen.fit.events.iter().take(MOST_SLIPS).enumerate() {
        let maybe = |v: Option<f64>| v.map_or("—".to_owned(), |v| number(v, 3));
        table = table.row([
            format!("{}", i + 1),
            number(s.time, 6),
            number(s.top, 4),
            number(s.bottom, 4),
            number(s.mu_d, 4),
            maybe(s.waiting),
            number(1e3 * s.duration, 3),
            maybe(s.slope.map(|v| v / seen.fit.theory_stick_slope)),
        ]);
    }
    table
}
