//! What many records do to a model: quantiles over them, for each value of the number that varies.

use super::{Column, Swept};
use crate::export::key::{axis_of, unit_of};
use crate::number::readable;
use crate::product::{self as data, Cell, Table};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::numeric::quantile;
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// Which quantiles: the median, and those one standard deviation of a normal law to both sides of it.
const LEVELS: [(f64, &str); 3] = [(0.16, "q16"), (0.5, "median"), (0.84, "q84")];

/// The columns of which there are quantiles: not the spread under noise, which records do not have.
fn shown(swept: &Swept) -> Vec<usize> {
    let wanted = |c: &usize| !swept.columns[*c].0.starts_with("end_");
    (0..swept.columns.len()).filter(wanted).collect()
}

/// For each value of the number: the value, if there is one, and the quantiles of each column.
fn rows(swept: &Swept) -> Vec<(Option<f64>, Vec<[f64; 3]>)> {
    let count = swept.records.len();
    let blocks = swept.grid.chunks(count).zip(swept.measures.chunks(count));
    let of = |measures: &[Vec<f64>], c: usize| {
        let mut sorted: Vec<f64> = measures.iter().map(|m| m[c]).collect();
        sorted.sort_by(f64::total_cmp);
        LEVELS.map(|(level, _)| quantile(&sorted, level))
    };
    blocks
        .map(|(grid, measures)| {
            let value = grid.first().and_then(|g| g.first().copied());
            (value, shown(swept).into_iter().map(|c| of(measures, c)).collect())
        })
        .collect()
}

fn named(column: &Column) -> impl Iterator<Item = String> + '_ {
    LEVELS.iter().map(|(_, name)| format!("{}_{name}", column.0))
}

/// One row for each value of the number.
pub fn table(swept: &Arc<Swept>) -> Table {
    let keys = swept.axes.iter().map(|a| data::Column::new(a.key.as_str(), unit_of(&a.key)));
    let columns = shown(swept).into_iter().flat_map(|c| {
        let column = &swept.columns[c];
        named(column).map(|name| data::Column::new(name, column.2)).collect::<Vec<_>>()
    });
    let all = keys.chain(columns).collect();
    let swept = swept.clone();
    Table::new("quantiles", all, move |write| {
        for (value, quantiles) in rows(&swept) {
            let numbers = value.into_iter().chain(quantiles.into_iter().flatten());
            write(&numbers.map(Cell::Number).collect::<Vec<_>>())?;
        }
        Ok(())
    })
}

/// The quantiles for people.
pub fn text(swept: &Swept, w: &mut dyn Write) -> fmt::Result {
    let count = swept.records.len();
    writeln!(w, "Quantiles over {count} record{}", if count == 1 { "" } else { "s" })?;
    let keys = swept.axes.iter().map(|a| a.key.rsplit('.').next().unwrap_or_default().to_owned());
    let names = shown(swept).into_iter().flat_map(|c| named(&swept.columns[c]).collect::<Vec<_>>());
    let header: Vec<String> = keys.chain(names).map(|c| format!("{c:>18}")).collect();
    writeln!(w, "{}", header.join(" "))?;
    for (value, quantiles) in rows(swept) {
        let numbers = value.into_iter().chain(quantiles.into_iter().flatten());
        let cells: Vec<String> = numbers.map(|x| format!("{:>18}", readable(x, 6))).collect();
        writeln!(w, "{}", cells.join(" "))?;
    }
    Ok(())
}

/// The median of each column with the band between the other two, over the number that varies; without one, record by record.
pub fn figure(swept: &Swept) -> String {
    let panels = shown(swept).into_iter().enumerate().map(|(k, c)| {
        let (_, name, unit) = &swept.columns[c];
        let y = Axis::linear(name.as_str(), *unit);
        let Some(axis) = swept.axes.first() else {
            let x: Vec<f64> = (1..=swept.records.len()).map(|i| i as f64).collect();
            let values = swept.measures.iter().map(|m| m[c]).collect::<Vec<f64>>();
            return Panel::new(Axis::linear("record", ""), y)
                .points(x, values, Style::new(Ink::series(c)))
                .height(150.0);
        };
        let rows = rows(swept);
        let x: Vec<f64> = rows.iter().filter_map(|r| r.0).collect();
        let line = |q: usize| rows.iter().map(|r| r.1[k][q]).collect::<Vec<f64>>();
        let ink = Ink::series(c);
        Panel::new(axis_of(&axis.key), y)
            .line(x.clone(), line(0), Style::new(ink).dotted().label("16 %"))
            .line(x.clone(), line(1), Style::new(ink).width(1.8).label("median"))
            .line(x, line(2), Style::new(ink).dashed().label("84 %"))
            .height(150.0)
    });
    let figure = swept.heading.figure().describe("Quantiles over records");
    figure.stack(panels).to_svg()
}
