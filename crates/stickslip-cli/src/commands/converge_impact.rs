//! `stickslip converge` for masses between walls: how fast time steps and soft walls come to the exact,
//! rigid solution.

use super::Job;
use super::simulate::impact::{self, Simulation};
use crate::args::Converge;
use crate::export::{self, Product, Writer, summary::Head};
use crate::fault::{Fault, Result};
use crate::file::{Gathered, ImpactModel, ImpactScheme, MOST_STEPS, Node, Schemes};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::order::{Against, Halving, Row, Softness, table};
use stickslip::{Problem, Scheme, solve};
use stickslip_report::compose;

/// A table to be made.
pub struct Study {
    simulation: Simulation,
    /// Step, s, or compliance of the walls, m/N.
    coarsest: f64,
    halvings: u32,
}

/// Reads and checks the document of a model file.
pub fn read(args: &Converge, document: &Node, gathered: Gathered) -> Result<Study> {
    let mut simulation = impact::read(document, gathered)?;
    let run = &mut simulation.model.run;
    if run.scheme == ImpactScheme::Exact {
        run.scheme = ImpactScheme::Moreau;
    }
    let coarsest = match (run.scheme, &run.step) {
        (ImpactScheme::Moreau, Some(step)) => step.value,
        (ImpactScheme::Moreau, None) => run.end.value / 100.0,
        (soft, _) => 1.0 / simulation.model.impact.penalty(soft)?.stiffness,
    };
    let end = simulation.model.run.end.value;
    let finest = coarsest * 0.5f64.powi(args.halvings as i32);
    if simulation.model.run.scheme == ImpactScheme::Moreau && end / finest > MOST_STEPS {
        let n = args.halvings;
        return Err(Fault::new(format!(
            "--halvings {n}: the smallest step {finest:e} s means {:.3e} steps; expected at most {MOST_STEPS:e}",
            end / finest
        ))
        .help("halve less often, or start from a larger step"));
    }
    Ok(Study { simulation, coarsest, halvings: args.halvings })
}

impl Study {
    fn rows(&self) -> Result<Vec<Row>> {
        let Simulation { model, impact, .. } = &self.simulation;
        let problem = Problem::new(impact.clone(), model.run.end.value);
        let halving = Halving { step: self.coarsest, halvings: self.halvings };
        Ok(table(&problem, halving, Against::Exact, |h| {
            let scheme = match model.run.scheme {
                ImpactScheme::Spring => Scheme::Penalised(Softness::Spring.at(h)),
                ImpactScheme::Yosida => Scheme::Penalised(Softness::Yosida.at(h)),
                _ => Scheme::Moreau { step: h },
            };
            solve(&problem, &scheme)
        })?)
    }
}

impl Job for Study {
    fn title(&self) -> &'static str {
        "halving"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.simulation.inputs()
    }

    fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let rows = self.rows()?;
        let seconds = clock.elapsed().as_secs_f64();
        let Simulation { model, gathered, .. } = self.simulation;
        let scheme = model.run.scheme;
        let lines: Vec<_> = rows
            .iter()
            .map(|r| json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order }))
            .collect();
        let how = (scheme.name(), model.run.seed);
        let summary = Head::of("converge", &model, how, seconds, &gathered.warnings)
            .with(json!({ "against": "exact", "halvings": self.halvings, "table": lines }));
        let solved = Rc::new((model, rows));
        let export = |write: fn(&mut dyn Write, &ImpactModel, &[Row]) -> io::Result<()>| -> Writer {
            let solved = solved.clone();
            Box::new(move |w| write(w, &solved.0, &solved.1))
        };
        let files = vec![
            ("convergence.csv", export(|w, _, rows| export::convergence::write(w, rows))),
            ("convergence.svg", export(figure)),
        ];
        Ok(Product { remarks: Vec::new(), summary, files, text: export(text) })
    }
}

fn figure(w: &mut dyn Write, model: &ImpactModel, rows: &[Row]) -> io::Result<()> {
    let (h, error): (Vec<f64>, Vec<f64>) = rows.iter().map(|r| (r.h, r.error)).unzip();
    let label = model.run.scheme.name();
    let series = [compose::Errors { label, h: &h, error: &error }];
    let title = model.title.as_deref().unwrap_or_default();
    let order = if model.run.scheme == ImpactScheme::Moreau { 1.0 } else { 0.5 };
    let figure = compose::Convergence { title, series: &series, order, error: "" }.figure();
    w.write_all(figure.to_svg().as_bytes())
}

fn text(w: &mut dyn Write, model: &ImpactModel, rows: &[Row]) -> io::Result<()> {
    if let Some(title) = &model.title {
        writeln!(w, "{title}")?;
    }
    let scheme = model.run.scheme;
    let what = if scheme == ImpactScheme::Moreau { "h [s]" } else { "1/stiffness [m/N]" };
    let (name, end) = (scheme.name(), model.run.end.value);
    writeln!(w, "{name} against rigid walls, 0 to {end:?} s: sup |x| + mean |v|\n")?;
    writeln!(w, "{what:>24} {:>14} {:>10} {:>10}", "error", "ratio", "order")?;
    let cell = |x: Option<f64>| x.map(|x| format!("{x:.4}")).unwrap_or_default();
    for r in rows {
        writeln!(w, "{:>24e} {:>14.6e} {:>10} {:>10}", r.h, r.error, cell(r.ratio), cell(r.order))?;
    }
    if scheme == ImpactScheme::Moreau
        && let [first, .., last] = rows
    {
        let order = (first.error / last.error).ln() / (first.h / last.h).ln();
        writeln!(
            w,
            "\norder over all rows {order:.2}: where in its step an impact falls is chance, so rows scatter"
        )?;
    }
    Ok(())
}
