//! The rows of a motion and its events.

use super::Solved;
use crate::product::{Cell, Column, Flow, Rows as Sink, Table};
use std::sync::Arc;
use stickslip::motion::Path;
use stickslip::{Event, Model, Motion, Solution};
use stickslip_file::model::Rows;

/// `trajectory`: `t` and the columns of the solution. An oscillator and a mass on a plane add their phase after the friction,
/// and an oscillator z where the stiffness of the bearing is known.
pub fn trajectory(solved: &Arc<Solved>) -> Table {
    let mut columns = vec![Column::new("t", "s")];
    let phase = phase_column(solved);
    for (c, _) in solved.shown().columns() {
        columns.push(c);
        if phase == Some(columns.len()) {
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
    let phase_at = phase_column(solved);
    let mut phases = names_of_phases(solution);
    let mut reader = shown.rows();
    let mut cells = Vec::new();
    for t in times {
        reader.at(t, &mut values);
        cells.clear();
        cells.push(Cell::Number(t));
        for value in &values {
            // No −0: a force that is nothing has no sign.
            cells.push(Cell::Number(*value + 0.0));
            if phase_at == Some(cells.len())
                && let Some(phases) = &mut phases
            {
                cells.push(phases(t).into());
            }
        }
        rows(&cells)?;
    }
    Ok(())
}

/// Which column of a trajectory is the phase, the time being column 0; nothing of a model without.
fn phase_column(solved: &Solved) -> Option<usize> {
    match (solved.solution.oscillator(), solved.solution.planar()) {
        (Some(_), _) => Some(4),
        (_, Some(_)) => Some(7),
        _ => None,
    }
}

/// Says the name of a phase at times that do not go back.
type Phases<'a> = Box<dyn FnMut(f64) -> &'static str + 'a>;

/// The names of the phases of a model that has them: at an event the one that begins there.
fn names_of_phases(solution: &Solution) -> Option<Phases<'_>> {
    if let Some(path) = solution.oscillator() {
        let mut at = phases(path);
        return Some(Box::new(move |t| at(t).map_or("", |phase| phase.name())));
    }
    let mut at = phases(solution.planar()?);
    Some(Box::new(move |t| at(t).map_or("", |phase| phase.name())))
}

/// The phase at times that do not go back: at an event the one that begins there.
fn phases<M: Motion>(path: &Path<M>) -> impl FnMut(f64) -> Option<M::Phase> + '_ {
    let mut i = 0;
    move |t| {
        while path.segments().get(i + 1).is_some_and(|s| s.start <= t) {
            i += 1;
        }
        path.segments().get(i).map(|s| s.phase.clone())
    }
}

/// The columns of events: the same for every kind of model, and the impulse where there are impacts.
pub fn event_columns(impacts: bool) -> Vec<Column> {
    let all = [("event", ""), ("t", "s"), ("where", ""), ("x", "m"), ("v", "m/s")];
    let mut columns = all.map(|c| Column::new(c.0, c.1)).to_vec();
    columns.extend(impacts.then(|| Column::new("impulse", "N·s")));
    columns
}

/// `events`: what happened, when, where, and the displacement and velocity there. A mass on a plane and the isolators of a slab add those along y.
pub fn events(solved: &Arc<Solved>) -> Table {
    let impacts = solved.has_impacts();
    let plane = matches!(solved.problem.model, Model::Planar(_) | Model::Isolated(_));
    let solved = solved.clone();
    let mut columns = event_columns(impacts);
    columns.extend(
        plane.then(|| [Column::new("y", "m"), Column::new("vy", "m/s")]).into_iter().flatten(),
    );
    Table::new("events", columns, move |rows| {
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
            if let Some([y, vy]) = across(&solved.solution, e) {
                let mut cells = cells[..if impacts { 6 } else { 5 }].to_vec();
                cells.extend([y.into(), vy.into()]);
                return rows(&cells);
            }
            rows(if impacts { &cells } else { &cells[..5] })
        })
    })
}

/// The displacement and the velocity along y at an event of a mass on a plane, or of an isolator.
pub fn across(solution: &Solution, e: &Event) -> Option<[f64; 2]> {
    if let Some(path) = solution.isolated() {
        let at = path.segments().first()?.arc.model().isolators.get(e.place)?.at;
        let state = path.state(e.time);
        return Some([state.displacement(at)[1] + 0.0, state.velocity(at)[1] + 0.0]);
    }
    let state = solution.planar()?.state(e.time);
    Some([state.x[1] + 0.0, state.v[1] + 0.0])
}
