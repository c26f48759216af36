//! The periodic orbit of a mass on a plane or of a contact with memory: its table, its numbers, its figure and what is said of it.

use super::motion::{self, Solved};
use super::orbit::rows;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Lazy, Product, Remark, Table, pretty, printed};
use crate::summary::Head;
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::Multiplier;
use stickslip::study::shooting::{Repeating, extremes};
use stickslip::study::sweep::Measures;
use stickslip::{EventKind, Role};
use stickslip_file::ModelFile;

/// An orbit with what is measured of it.
struct Shown {
    period: f64,
    periods: usize,
    /// The numbers of the state, by name.
    state: Vec<(String, f64)>,
    /// Each displacement: its name, and its least and its greatest value, m.
    ranges: Vec<(String, [f64; 2])>,
    multipliers: Vec<Multiplier>,
    stable: bool,
    family: bool,
    residual: f64,
    measures: Measures,
    solved: Solved,
    rows: usize,
}

/// Everything that is shown of such an orbit.
pub fn product(
    head: &Head<'_, Value>,
    heading: Heading,
    model: &ModelFile,
    orbit: Repeating,
) -> Product {
    let solution = &orbit.solution;
    let columns = solution.columns().iter().enumerate();
    let ranges = columns
        .filter(|(_, c)| matches!(c.role, Role::Position | Role::Gap))
        .map(|(i, c)| (c.name.to_string(), extremes(solution, i)))
        .collect();
    let measures = Measures::of_solution(solution);
    let mut problem = model.problem.clone();
    problem.model = orbit.model;
    problem.end = orbit.period;
    let solved = Solved {
        heading,
        scheme: model.run.scheme.name(),
        chosen: None,
        problem,
        solution: orbit.solution,
        rows: model.run.rows,
        bearing_stiffness: None,
    };
    let shown = Arc::new(Shown {
        period: orbit.period,
        periods: orbit.periods,
        state: orbit.names.into_iter().zip(orbit.state).collect(),
        ranges,
        multipliers: orbit.multipliers,
        stable: orbit.stable,
        family: orbit.family,
        residual: orbit.residual,
        measures,
        solved,
        rows: rows(model),
    });
    let numbers = shown.numbers();
    let mut more = numbers.clone();
    more["others"] = json!([]);
    // Only the model's own motion was followed.
    more["complete"] = json!(false);
    more["start_leads_to"] = json!("orbit");
    let said = shown.clone();
    let drawn = shown.clone();
    let text = Lazy::new(move || printed(|w| said.text(w)));
    Product::new(head.with(more), text)
        .table(shown.table())
        .document("orbit", move || pretty(&numbers))
        .figure("orbit", move || motion::round(&drawn.solved))
        .remarks(shown.remarks())
}

impl Shown {
    fn stops(&self) -> usize {
        self.solved.solution.count(EventKind::Stick)
    }

    /// Half the range of the first displacement, m.
    fn amplitude(&self) -> f64 {
        self.ranges.first().map_or(f64::NAN, |(_, [low, high])| 0.5 * (high - low))
    }

    /// The numbers, for machines: those of any orbit, and the range of each displacement.
    fn numbers(&self) -> Value {
        let multipliers: Vec<[f64; 2]> =
            self.multipliers.iter().map(|m| [m.re + 0.0, m.im + 0.0]).collect();
        let state: Vec<f64> = self.state.iter().map(|s| s.1).collect();
        let names: Vec<&str> = self.state.iter().map(|s| s.0.as_str()).collect();
        let ranges: serde_json::Map<String, Value> =
            self.ranges.iter().map(|(name, r)| (name.clone(), json!(r))).collect();
        let [min, max] = self.ranges.first().map_or([f64::NAN; 2], |r| r.1);
        json!({
            "period": self.period, "periods": self.periods, "state": state, "names": names, "drift": 0.0,
            "amplitude": self.amplitude(), "max": max, "min": min, "ranges": ranges,
            "multipliers": multipliers, "stable": self.stable, "family": self.family,
            "stops": self.stops(), "stuck_fraction": self.measures.stick_share,
            "dissipated": self.measures.dissipated, "equivalent_damping": null, "transmissibility": null,
            "residual": self.residual, "transversality": null,
        })
    }

    fn table(self: &Arc<Self>) -> Table {
        let solution = &self.solved.solution;
        let of = solution.columns().iter().map(|c| Column::new(c.name.to_string(), c.unit));
        let columns = std::iter::once(Column::new("t", "s")).chain(of);
        let shown = self.clone();
        Table::new("orbit", columns.collect(), move |rows| {
            let solution = &shown.solved.solution;
            let mut read = solution.rows();
            let mut row = vec![0.0; solution.columns().len()];
            for t in solution.equally_spaced(shown.rows) {
                read.at(t, &mut row);
                let all = std::iter::once(t).chain(row.iter().copied());
                rows(&all.map(Cell::Number).collect::<Vec<_>>())?;
            }
            Ok(())
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        let several = match self.periods {
            1 => String::new(),
            n => format!(" of {n} periods of the load"),
        };
        writeln!(w, "A periodic orbit{several}, to which the initial state of the model leads")?;
        let line =
            |w: &mut dyn Write, name: &str, value: String| writeln!(w, "  {name:<22}{value}");
        line(w, "period", format!("{} s", readable(self.period, 9)))?;
        let state = self.state.iter().map(|(name, u)| format!("{name} = {}", readable(*u, 9)));
        line(w, "state at its start", state.collect::<Vec<_>>().join(", "))?;
        for (name, [low, high]) in &self.ranges {
            let range = format!("from {} m to {} m", readable(*low, 9), readable(*high, 9));
            line(w, name, range)?;
        }
        // Differences of motions know no more digits.
        let one = |m: &Multiplier| match m.im {
            0.0 => readable(m.re, 4),
            im => {
                let sign = if im < 0.0 { '-' } else { '+' };
                format!("{} {sign} {} i", readable(m.re, 4), readable(im.abs(), 4))
            }
        };
        let shown: Vec<String> = self.multipliers.iter().map(one).collect();
        line(w, "multipliers", shown.join(", "))?;
        let stability = match (self.stable, self.family) {
            (true, true) => "one of a continuum of orbits; motions near it stay near it",
            (true, false) => "stable",
            (false, _) => "unstable",
        };
        line(w, "stability", stability.to_owned())?;
        let share = 100.0 * self.measures.stick_share;
        line(w, "stops in a period", format!("{}, {share:.2} % of the time", self.stops()))?;
        let lost = readable(self.measures.dissipated, 9);
        line(w, "lost to friction", format!("{lost} J in a period"))
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut all = vec![Remark::from(
            "only the motion from the initial state of the model was followed: other starts may lead to other orbits".to_owned(),
        )];
        if self.family {
            all.push(Remark::from(
                "the orbit is one of a continuum: other starts end at orbits next to it".to_owned(),
            ));
        }
        all
    }
}
