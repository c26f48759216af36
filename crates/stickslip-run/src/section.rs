//! Poincaré sections and Lyapunov exponents over a number: what motions settle to, upwards and downwards.

use crate::each::each_of;
use crate::number::readable;
use crate::orbit::method;
use crate::product::{Cell, Column, Lazy, Product, Remark, Table};
use std::sync::Arc;
use stickslip::study::orbit::{Driven, Forced, period_of};
use stickslip_file::{Diagnostic, ModelFile, Result};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// Periods before the first state that is listed: after a start of its own, and after the neighbouring point.
const TRANSIENT: (usize, usize) = (400, 100);
/// Points that follow each other from one start; the next ones begin anew, on another core.
const TOGETHER: usize = 32;

/// Periods in which the directions of small differences settle before their growth is measured.
const TURNING: usize = 50;

/// The states of one point, after each period.
type States = Vec<[f64; 2]>;
/// What is found at a point: its states, and its Lyapunov exponents, 1/s.
type Of = (States, Option<[f64; 2]>);

/// What a section consists of.
pub(crate) struct Sections {
    title: String,
    keys: Vec<String>,
    values: Vec<Vec<f64>>,
    /// With the number rising, and falling: each point starts where the one before ended.
    up: Vec<States>,
    down: Vec<States>,
    /// Of each point, with the number rising.
    exponents: Vec<[f64; 2]>,
    /// What was asked for.
    asked: (Option<usize>, Option<usize>),
}

/// The points of a sweep.
pub(crate) struct Grid<'a> {
    /// The numbers that vary.
    pub keys: Vec<String>,
    /// Their values at each point.
    pub values: Vec<Vec<f64>>,
    /// States that are listed at each point, if any are.
    pub rows: Option<usize>,
    /// Periods over which the Lyapunov exponents are taken, if they are.
    pub exponents: Option<usize>,
    /// The model of a point.
    pub model: &'a (dyn Fn(usize) -> Result<ModelFile> + Sync),
}

impl Grid<'_> {
    /// The states of every point after each period, rising and falling.
    pub fn sections(self, title: &str) -> Result<Sections> {
        let all: Vec<usize> = (0..self.values.len()).collect();
        let up = all.chunks(TOGETHER).map(<[usize]>::to_vec).collect();
        let down = all.chunks(TOGETHER).map(|c| c.iter().rev().copied().collect()).collect();
        let (up, exponents) = self.runs(up, self.exponents)?;
        let (down, _) = match self.rows {
            Some(_) => self.runs(down, None)?,
            None => Default::default(),
        };
        let asked = (self.rows, self.exponents);
        let title = title.to_owned();
        Ok(Sections { title, keys: self.keys, values: self.values, up, down, exponents, asked })
    }

    /// The states along some runs of points, in the order of the points, and their exponents over so many periods.
    fn runs(
        &self,
        runs: Vec<Vec<usize>>,
        exponents: Option<usize>,
    ) -> Result<(Vec<States>, Vec<[f64; 2]>)> {
        let found = each_of(runs, |run| -> Result<Vec<(usize, Of)>> {
            let (mut out, mut from) = (Vec::with_capacity(run.len()), None);
            for i in run {
                let forced = forced(&(self.model)(i)?)?;
                let start = from.unwrap_or_else(|| forced.start());
                let before = if out.is_empty() { TRANSIENT.0 } else { TRANSIENT.1 };
                let mut states = forced.states(&start, before + self.rows.unwrap_or(0))?;
                let end = states.last().map_or(start, |s| s.to_vec());
                let kept = states.split_off(before);
                let growth = exponents.map(|n| forced.lyapunov(&end, TURNING, n)).transpose()?;
                from = Some(end);
                out.push((i, (kept, growth)));
            }
            Ok(out)
        })?;
        let mut all: Vec<(usize, Of)> = found.into_iter().flatten().collect();
        all.sort_by_key(|s| s.0);
        let (states, growth): (Vec<_>, Vec<_>) = all.into_iter().map(|s| s.1).unzip();
        Ok((states, growth.into_iter().flatten().collect()))
    }
}

fn forced(model: &ModelFile) -> Result<Forced> {
    match period_of(&model.problem.model)? {
        Driven::Every(period) => Ok(Forced::new(&model.problem.model, period, method(model)?)?),
        Driven::ByItself => Err(Diagnostic::unsolvable(
            "nothing drives the model, so that there is no period after which its state could be listed",
        )
        .help("add a harmonic drive or force")),
    }
}

impl Sections {
    /// Everything that the sections leave.
    pub fn product(self, summary: serde_json::Value) -> Product {
        let text = match self.asked.0 {
            Some(rows) => self.text(rows),
            None => self.text_of_exponents(),
        };
        let sections = Arc::new(self);
        let drawn = sections.clone();
        let name = if sections.asked.0.is_some() { "section" } else { "lyapunov" };
        let mut product = Product::new(summary, Lazy::ready(text))
            .figure(name, move || drawn.figure())
            .remarks(sections.remark());
        if sections.asked.0.is_some() {
            product = product.table(sections.table("section", |s| &s.up));
            product = product.table(sections.table("section_down", |s| &s.down));
        }
        match sections.asked.1 {
            Some(_) => product.table(sections.exponent_table()),
            None => product,
        }
    }

    fn remark(&self) -> Option<Remark> {
        let apart = self.up.iter().zip(&self.down).filter(|(a, b)| differ(a, b)).count();
        (apart > 0).then(|| {
            Remark::from(format!("at {apart} points the motion depends on where it comes from: there are several attractors"))
        })
    }

    /// The exponents; one that is −∞, where a stick forgets a direction altogether, is left empty.
    fn exponent_table(self: &Arc<Self>) -> Table {
        let mut columns: Vec<Column> =
            self.keys.iter().map(|k| Column::new(k.as_str(), "")).collect();
        columns.extend([Column::new("lyapunov1", "1/s"), Column::new("lyapunov2", "1/s")]);
        let sections = self.clone();
        Table::new("lyapunov", columns, move |rows| {
            for (values, found) in sections.values.iter().zip(&sections.exponents) {
                let numbers = values.iter().copied().map(Cell::Number);
                let cells: Vec<Cell<'_>> =
                    numbers.chain(found.iter().map(|x| Cell::finite(*x))).collect();
                rows(&cells)?;
            }
            Ok(())
        })
    }

    fn text_of_exponents(&self) -> String {
        let mut text = format!("{:>18}  Lyapunov exponents, 1/s\n", self.keys.join(", "));
        for (values, found) in self.values.iter().zip(&self.exponents) {
            let values: Vec<String> = values.iter().map(|v| readable(*v, 6)).collect();
            let found = found.map(|x| if x.is_finite() { readable(x, 6) } else { "-∞".to_owned() });
            text += &format!("{:>18}  {:>12} {:>12}\n", values.join(", "), found[0], found[1]);
        }
        text
    }

    fn table(self: &Arc<Self>, name: &str, of: fn(&Self) -> &Vec<States>) -> Table {
        let mut columns: Vec<Column> =
            self.keys.iter().map(|k| Column::new(k.as_str(), "")).collect();
        columns.extend([Column::new("x", "m"), Column::new("v", "m/s")]);
        let sections = self.clone();
        Table::new(name, columns, move |rows| {
            for (values, states) in sections.values.iter().zip(of(&sections)) {
                for state in states {
                    let cells: Vec<Cell<'_>> =
                        values.iter().chain(state).copied().map(Cell::Number).collect();
                    rows(&cells)?;
                }
            }
            Ok(())
        })
    }

    fn text(&self, rows: usize) -> String {
        let mut text = format!(
            "{:>18}  periods of the load after which the motion repeats\n",
            self.keys.join(", ")
        );
        for (values, n) in self.values.iter().zip(self.up.iter().map(distinct)) {
            let values: Vec<String> = values.iter().map(|v| readable(*v, 6)).collect();
            let n = if n < rows { n.to_string() } else { format!("more than {rows}") };
            text += &format!("{:>18}  {n}\n", values.join(", "));
        }
        text
    }

    fn figure(&self) -> String {
        let axis = || Axis::linear(self.keys[0].as_str(), "").tight();
        let points = |of: &Vec<States>| -> (Vec<f64>, Vec<f64>) {
            let each = self.values.iter().zip(of);
            each.flat_map(|(v, s)| s.iter().map(|s| (v[0], s[0]))).unzip()
        };
        let mut panels = Vec::new();
        if self.asked.0.is_some() {
            let ((x, y), (p, q)) = (points(&self.up), points(&self.down));
            let panel = Panel::new(axis(), Axis::linear("displacement after a period", "m"))
                .points(p, q, Style::new(Ink::Vermillion).size(2.0).label("falling"))
                .points(x, y, Style::new(Ink::Blue).size(2.0).label("rising"));
            panels.push(panel.height(320.0));
        }
        if self.asked.1.is_some() {
            let of = |k: usize| -> (Vec<f64>, Vec<f64>) {
                let each = self.values.iter().zip(&self.exponents);
                each.map(|(v, e)| (v[0], if e[k].is_finite() { e[k] } else { f64::NAN })).unzip()
            };
            let ((x, y), (p, q)) = (of(0), of(1));
            let style = |ink| Style::new(ink).size(2.5);
            let panel = Panel::new(axis(), Axis::linear("Lyapunov exponent", "1/s"))
                .horizontal(0.0, Style::new(Ink::Grey).dotted())
                .points(p, q, style(Ink::Grey).label("second"))
                .points(x, y, style(Ink::Blue).label("largest"));
            panels.push(panel.height(160.0));
        }
        let figure = Figure::new()
            .title(self.title.as_str())
            .describe("What motions settle to, over a parameter");
        figure.stack(panels).to_svg()
    }
}

/// After how many periods states repeat; their number if they do not.
fn distinct(states: &States) -> usize {
    let size = states.iter().flatten().fold(0.0f64, |a, x| a.max(x.abs()));
    let near =
        |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-6 * size);
    let n = states.len();
    (1..n).find(|k| (0..n - k).all(|i| near(&states[i], &states[i + k]))).unwrap_or(n)
}

/// Whether two sets of states do not belong to one attractor, as far as their extremes tell.
fn differ(a: &States, b: &States) -> bool {
    let range = |s: &States| {
        s.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s[0]), h.max(s[0])))
    };
    let ((l, h), (m, k)) = (range(a), range(b));
    let size = h.abs().max(l.abs()).max(k.abs()).max(m.abs());
    distinct(a) < a.len()
        && distinct(b) < b.len()
        && ((l - m).abs() > 1e-4 * size || (h - k).abs() > 1e-4 * size)
}
