//! The table of a calibration, row by row of the record, and its events. Lengths in m; an empty cell
//! where there is no value.

use super::Fitted;
use crate::export::motion;
use crate::product::{Cell, Column, Table};
use std::sync::Arc;
use stickslip::Phase;

/// `t,drive,measured,fitted,x,phase`: one row for every row of the record. Where the record has dates, a last column `time` holds
/// them.
pub fn fit(fitted: &Arc<Fitted>) -> Table {
    let dated = fitted.file.data.epoch.is_some();
    let columns = [
        ("t", "s"),
        ("drive", "°C"),
        ("measured", "m"),
        ("fitted", "m"),
        ("x", "m"),
        ("phase", ""),
    ];
    let columns = columns.into_iter().map(|c| Column::new(c.0, c.1));
    let columns = columns.chain(dated.then(|| Column::stamps("time"))).collect();
    let fitted = fitted.clone();
    Table::new("fit", columns, move |rows| {
        let data = &fitted.file.data;
        let curve = &fitted.fit.curve;
        let cell =
            |values: &[f64], i: usize| values.get(i).map_or(Cell::Empty, |v| Cell::finite(*v));
        for (i, t) in data.seconds.iter().enumerate() {
            let phase = match curve.phase.get(i) {
                Some(0) | None => Phase::Stick,
                Some(&sign) => Phase::slip(sign.into()),
            };
            let stamp = if dated { data.clock.stamp(*t) } else { None };
            let row = [
                Cell::Number(*t),
                cell(&data.drive_values, i),
                cell(&data.response_values, i),
                cell(&curve.fitted, i),
                cell(&curve.x, i),
                phase.name().into(),
                stamp.map_or(Cell::Empty, |s| Cell::Text(s.into())),
            ];
            rows(&row[..6 + usize::from(dated)])?;
        }
        Ok(())
    })
}

/// A slip and the stick after it, for every slip of the fitted path.
pub fn events(fitted: &Arc<Fitted>) -> Table {
    let fitted = fitted.clone();
    Table::new("events", motion::event_columns(false), move |rows| {
        for s in &fitted.fit.events {
            let slip = (s.time, s.from);
            let stick = (s.end, s.to);
            for (name, (t, x)) in [("slip", slip), ("stick", stick)] {
                rows(&[name.into(), t.into(), Cell::Empty, x.into(), 0.0.into()])?;
            }
        }
        Ok(())
    })
}
