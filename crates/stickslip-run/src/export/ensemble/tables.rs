//! The tables of an ensemble.

use super::label;
use crate::ensemble::partial::SomePaths;
use crate::product::{Cell, Column, Table};
use std::sync::Arc;
use stickslip::State;

/// `ensemble`: moments and quantiles against time, more quantiles if asked for.
pub fn rows(partial: &Arc<SomePaths>, more: Vec<f64>) -> Table {
    let columns = columns(partial, &more);
    let partial = partial.clone();
    let usual = [0.05, 0.5, 0.95];
    Table::new("ensemble", columns, move |rows| {
        let e = &partial.ensemble;
        for (r, t) in partial.times.iter().enumerate() {
            let mut cells = vec![*t];
            for p in &e.points {
                let x = &p.rows[r].x;
                let v = &p.rows[r].v;
                cells.extend([x.mean(), x.variance(), v.mean(), v.variance()]);
                cells.extend(usual.map(|p| x.quantile(p)));
            }
            cells.extend(e.contacts.iter().map(|c| c.stick_fraction(r)));
            for p in &e.points {
                cells.extend(usual.map(|q| p.rows[r].v.quantile(q)));
            }
            for p in &e.points {
                for d in [&p.rows[r].x, &p.rows[r].v] {
                    cells.extend(more.iter().map(|q| d.quantile(*q)));
                }
            }
            rows(&cells.into_iter().map(Cell::Number).collect::<Vec<_>>())?;
        }
        Ok(())
    })
}

fn columns(partial: &SomePaths, more: &[f64]) -> Vec<Column> {
    let e = &partial.ensemble;
    let mut all = vec![Column::new("t", "s")];
    for p in &e.points {
        let x = label("x", &p.name).0;
        let v = label("v", &p.name).0;
        let moments = [("mean", &x, "m"), ("var", &x, "m²"), ("mean", &v, "m/s")];
        all.extend(moments.map(|(what, of, unit)| Column::new(format!("{what}_{of}"), unit)));
        all.push(Column::new(format!("var_{v}"), "m²/s²"));
        all.extend(["p05", "p50", "p95"].map(|q| Column::new(format!("{q}_{x}"), "m")));
    }
    let contacts = e.contacts.iter().map(|c| label("stick_fraction", &c.name).0);
    all.extend(contacts.map(|name| Column::new(name, "")));
    for p in &e.points {
        let v = label("v", &p.name).0;
        all.extend(["p05", "p50", "p95"].map(|q| Column::new(format!("{q}_{v}"), "m/s")));
    }
    for p in &e.points {
        for (u, unit) in [("x", "m"), ("v", "m/s")] {
            let name = label(u, &p.name).0;
            let column = |p: &f64| Column::new(format!("{}_{name}", percent(*p)), unit);
            all.extend(more.iter().map(column));
        }
    }
    all
}

/// p01 for 0.01, p99.9 for 0.999.
fn percent(share: f64) -> String {
    // A share has a few decimals: what multiplying by 100 adds beyond them is rounding.
    let percent = (share * 1e14).round() / 1e12;
    if percent < 10.0 { format!("p0{percent}") } else { format!("p{percent}") }
}

/// `durations`: how many single slips lasted from … to (less than) so long, s.
pub fn durations(partial: &Arc<SomePaths>) -> Table {
    let several = partial.ensemble.contacts.len() > 1;
    let mut columns =
        vec![Column::new("from", "s"), Column::new("to", "s"), Column::new("count", "")];
    if several {
        columns.insert(0, Column::new("contact", ""));
    }
    let partial = partial.clone();
    Table::new("durations", columns, move |rows| {
        let step = partial.step();
        for c in &partial.ensemble.contacts {
            for (from, to, count) in c.slip_steps.histogram() {
                let from = from as f64 * step;
                let to = to as f64 * step;
                let cells = [c.name.as_str().into(), from.into(), to.into(), Cell::Whole(count)];
                rows(if several { &cells } else { &cells[1..] })?;
            }
        }
        Ok(())
    })
}

/// `final`: every path at the end. `states` by paths, then points.
pub fn finals(partial: &Arc<SomePaths>, states: Vec<State>) -> Table {
    let mut columns = vec![Column::new("path", "")];
    for p in &partial.ensemble.points {
        let units = [("x", "m"), ("v", "m/s")];
        columns.extend(units.map(|(u, unit)| Column::new(label(u, &p.name).0, unit)));
    }
    let points = partial.ensemble.points.len().max(1);
    let first = partial.ensemble.paths().first().map_or(0, |r| r.start);
    Table::new("final", columns, move |rows| {
        let mut row = Vec::with_capacity(1 + 2 * points);
        for (path, states) in (first..).zip(states.chunks(points)) {
            row.clear();
            row.push(Cell::Whole(path));
            row.extend(states.iter().flat_map(|s| [s.x, s.v]).map(Cell::Number));
            rows(&row)?;
        }
        Ok(())
    })
}
