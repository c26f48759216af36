//! The rows of a motion and its events.

use super::Solved;
use crate::product::{Cell, Column, Flow, Rows as Sink, Table};
use std::sync::Arc;
use stickslip::{Phase, Trajectory};
use stickslip_file::model::Rows;

/// `trajectory`: `t` and the columns of the solution. An oscillator adds its phase after the friction, and z where
/// the stiffness of the bearing is known.
pub fn trajectory(solved: &Arc<Solved>) -> Table {
    let mut columns = vec![Column::new("t", "s")];
    for (c, _) in solved.shown().columns() {
        let friction = c.name == "friction";
        columns.push(c);
        if solved.solution.oscillator().is_some() && friction {
            columns.push(Column::new("phase", ""));
        }
    }
    let solved = solved.clone();
    Table::new("trajectory", columns, move |rows| match solved.rows {
        Rows::Count(count) => each(&solved, solved.solution.equally_spaced(count), rows),
        Rows::Steps => each(&solved, solved.solution.nodes().into_iter(), rows),
    })
}

fn each(solved: &Solved, times: impl Iterator<Item = f64>, rows: &mut Sink<'_>) -> Flow {
    let solution = &solved.solution;
    let shown = solved.shown();
    let mut values = vec![0.0; shown.width()];
    let phase_at = solution.oscillator().map(|_| 3);
    let mut phases = solution.oscillator().map(phases);
    let (mut reader, mut cells) = (shown.rows(), Vec::new());
    for t in times {
        reader.at(t, &mut values);
        cells.clear();
        cells.push(Cell::Number(t));
        for value in &values {
            // No −0: a force that is nothing has no sign.
            cells.push(Cell::Number(*value + 0.0));
            if phase_at == Some(cells.len() - 1)
                && let Some(phases) = &mut phases
            {
                cells.push(phases(t).name().into());
            }
        }
        rows(&cells)?;
    }
    Ok(())
}

/// The phase at times that do not go back: at an event the one that begins there.
fn phases(path: &Trajectory) -> impl FnMut(f64) -> Phase + '_ {
    let mut i = 0;
    move |t| {
        while path.segments().get(i + 1).is_some_and(|s| s.start <= t) {
            i += 1;
        }
        path.segments().get(i).map_or(Phase::Stick, |s| s.phase)
    }
}

/// The columns of events: the same for every kind of model, and the impulse where there are impacts.
pub fn event_columns(impacts: bool) -> Vec<Column> {
    let all = [("event", ""), ("t", "s"), ("where", ""), ("x", "m"), ("v", "m/s")];
    let mut columns = all.map(|c| Column::new(c.0, c.1)).to_vec();
    columns.extend(impacts.then(|| Column::new("impulse", "N·s")));
    columns
}

/// `events`: what happened, when, where, and the displacement and velocity there.
pub fn events(solved: &Arc<Solved>) -> Table {
    let impacts = solved.has_impacts();
    let solved = solved.clone();
    Table::new("events", event_columns(impacts), move |rows| {
        let places = solved.solution.places();
        solved.solution.events.iter().try_for_each(|e| {
            let place = places.get(e.place).map_or("", String::as_str);
            let cells = [
                e.kind.name().into(),
                e.time.into(),
                place.into(),
                e.x.into(),
                e.v.into(),
                e.impulse.into(),
            ];
            rows(if impacts { &cells } else { &cells[..5] })
        })
    })
}
