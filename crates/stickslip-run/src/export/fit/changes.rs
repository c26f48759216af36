//! Change over time: a table, a figure, and a section of the report.

use super::figures::Times;
use super::sure::symbol_and_unit;
use super::{Fitted, findings};
use crate::export::estimates::{Units, with_interval};
use crate::product::{self as data, Column};
use std::sync::Arc;
use stickslip_calibrate::{Estimate, Windows};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};
use stickslip_report::html::{Level, Page, Table, number};

const DAY: f64 = 86_400.0;

/// A quantity's name in figures, its unit there and the factor from SI.
fn shown(name: &str) -> (&'static str, &'static str, f64) {
    let (symbol, unit) = symbol_and_unit(name);
    let (factor, unit) = Units::Structure.of(unit);
    (symbol, unit, factor)
}

/// `window,from,to,samples,slips` and value, low, high of every quantity in SI units; empty where
/// unknown.
pub fn table(fitted: &Arc<Fitted>) -> data::Table {
    let head = [("window", ""), ("from", "s"), ("to", "s"), ("samples", ""), ("slips", "")];
    let mut columns = head.map(|c| Column::new(c.0, c.1)).to_vec();
    for name in fitted.windows.iter().flat_map(|w| &w.quantities) {
        columns.extend(
            ["", "_low", "_high"]
                .map(|s| Column::new(format!("{name}{s}"), symbol_and_unit(name).1)),
        );
    }
    let fitted = fitted.clone();
    data::Table::new("windows", columns, move |rows| {
        for (i, w) in fitted.windows.iter().flat_map(|w| &w.windows).enumerate() {
            let samples = w.samples.into();
            let slips = w.slips.into();
            let mut row = vec![i.into(), w.from.into(), w.to.into(), samples, slips];
            w.estimates.iter().for_each(|e| row.extend(with_interval(e)));
            rows(&row)?;
        }
        Ok(())
    })
}

/// Quantities that any window knows: the forces if K_BP is given, else the ratios; and β.
fn drawn(all: &Windows) -> Vec<usize> {
    let known = |k: usize| all.windows.iter().any(|w| w.estimates[k].value.is_some());
    let forces: Vec<usize> = (0..all.quantities.len()).filter(|&k| k < 4 && known(k)).collect();
    if forces.len() > 1 {
        forces
    } else {
        (3..all.quantities.len()).filter(|&k| known(k)).collect()
    }
}

/// Each quantity over time with its 95 % interval; alarms are marked.
pub fn figure(fitted: &Fitted) -> Figure<'static> {
    let figure = Figure::new().describe("Parameters over time, from sliding windows");
    let Some(all) = &fitted.windows else { return figure };
    let times = Times::of(fitted);
    let scale = |t: f64| times.scale * t;
    let panel = |(i, k): (usize, usize)| {
        // One legend for all panels.
        let named = |style: Style, label| if i == 0 { style.label(label) } else { style };
        let (name, unit, factor) = shown(all.quantities[k]);
        let of = |get: fn(&Estimate) -> Option<f64>| -> Vec<f64> {
            let value = |e: &Estimate| get(e).map_or(f64::NAN, |v| factor * v);
            all.windows.iter().map(|w| value(&w.estimates[k])).collect()
        };
        let middle: Vec<f64> = all.windows.iter().map(|w| scale(0.5 * (w.from + w.to))).collect();
        let value = of(|e| e.value);
        let low = of(|e| e.ci95.map(|c| c[0]));
        let high = of(|e| e.ci95.map(|c| c[1]));
        let alarms = all.alarms.iter().filter(|a| a.name == all.quantities[k]);
        let (x, y): (Vec<f64>, Vec<f64>) =
            alarms.map(|a| (middle[a.window], factor * a.value)).unzip();
        let mut panel = Panel::new(times.axis.clone(), Axis::linear(name, unit))
            .between(
                middle.clone(),
                low,
                high,
                named(Style::new(Ink::Sky).opacity(0.4), "95 % interval"),
            )
            .line(middle.clone(), value.clone(), Style::new(Ink::Blue).width(1.2))
            .points(middle, value, named(Style::new(Ink::Blue).size(5.0), "windows"))
            .height(150.0);
        if !x.is_empty() {
            let mark = Style::new(Ink::Vermillion).marker(Marker::Diamond).size(12.0);
            panel = panel.points(x, y, mark.label("significant change"));
        }
        panel
    };
    figure.stack(drawn(all).into_iter().enumerate().map(panel))
}

/// The section of the report.
pub fn section(page: &mut Page, fitted: &Fitted) {
    let Some(all) = &fitted.windows else { return };
    page.section("Change over time");
    page.text(format!(
        "{} windows of {} d, {} d apart, each fitted like a record of its own with the same K_{{BP}}. A change is called \
         significant beyond {} standard errors: the chance of any false alarm in the whole record is then below 1 %.",
        all.windows.len(),
        number(all.length / DAY, 3),
        number(all.step / DAY, 3),
        number(all.threshold, 3)
    ));
    for sentence in findings::sentences(fitted, &all.changes) {
        page.callout(Level::Warning, "Change of the friction", sentence);
    }
    let known = all.windows.iter().any(findings::is_known);
    if !known {
        page.text(
            "No window determines a parameter, so nothing is said about changes between windows.",
        );
    } else if !all.are_compared() {
        page.text(
            "Fewer than four windows with six slips or more know a parameter, so windows were not compared.",
        );
    } else if all.alarms.is_empty() && all.changes.is_empty() {
        page.callout(Level::Good, "Steady", "No parameter changed significantly.");
    } else if !all.alarms.is_empty() {
        page.callout(Level::Warning, "Alarm", format!("{} significant changes.", all.alarms.len()));
        let mut table =
            Table::new(["quantity", "window", "from", "value", "usual", "unit", "standard errors"]);
        for a in &all.alarms {
            let (name, unit, factor) = shown(a.name);
            table = table.row([
                name.to_owned(),
                a.window.to_string(),
                fitted.when(all.windows[a.window].from),
                number(factor * a.value, 4),
                number(factor * a.usual, 4),
                unit.to_owned(),
                number(a.deviations, 2),
            ]);
        }
        page.table(&table);
    }
    page.figure(
        &figure(fitted),
        "Parameters over time with 95 % intervals; the table of windows has the numbers.",
    );
}
