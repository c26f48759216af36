//! Solutions of an oscillator: all of the discrete problem, and members of the continuous family.

use crate::args::Solutions;
use crate::commands::Job;
use crate::commands::simulate::oscillator::{self, Simulation};
use crate::export::{self, Product, Writer, summary::Head};
use crate::fault::Result;
use crate::file::{Gathered, Model, Node};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::scheme::adaptive;
use stickslip::study::solutions::{self, Family, Jump};
use stickslip::{Trajectory, Warning};

/// A solution set to be found.
pub struct Search {
    simulation: Simulation,
    step: f64,
    limit: usize,
}

/// What was found.
pub struct Found {
    /// The file with every default filled in.
    pub model: Model,
    /// All solutions of the discrete problem.
    pub family: Family,
    /// Intervals on which the load stands at the breakaway force, s.
    pub degenerate: Vec<(f64, f64)>,
    /// Solutions that leave at instants of these intervals, s.
    pub continuous: Vec<(f64, Trajectory)>,
    /// The last state with a perturbed force.
    pub jump: Vec<Jump>,
}

/// Members of the continuous family that are shown for each interval.
const MEMBERS: usize = 5;

/// Reads and checks a model file.
pub fn read(args: &Solutions, document: &Node, gathered: Gathered) -> Result<Search> {
    let mut simulation = oscillator::read(document, gathered)?;
    let run = &simulation.model.run;
    let step = match &run.step {
        Some(step) => step.value,
        None => {
            let step = run.end.value / 20.0;
            let said =
                format!("`run.step` is not given: the discrete problem takes end/20 = {step:?} s");
            simulation.gathered.warnings.push(said);
            step
        }
    };
    Ok(Search { simulation, step, limit: args.limit })
}

impl Search {
    fn find(&self) -> Result<Found, stickslip::Error> {
        let Simulation { model, oscillator: o, .. } = &self.simulation;
        let (end, options) = (model.run.end.value, self.simulation.options());
        let family = solutions::discrete(o, end, self.step, self.limit)?;
        let stays = adaptive::solve(o, end, options)?;
        let interval = |w: &Warning| match w {
            Warning::NotUnique { from, to } => Some((*from, *to)),
            _ => None,
        };
        let degenerate: Vec<(f64, f64)> = stays.warnings().iter().filter_map(interval).collect();
        let mut continuous = Vec::new();
        for &(from, to) in &degenerate {
            let count = if from == to { 1 } else { MEMBERS };
            for k in 0..count {
                let u = from + (to - from) * k as f64 / count as f64;
                continuous.push((u, solutions::leaving_at(o, end, u, options)?));
            }
        }
        let sizes = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6];
        let scale = o.friction.breakaway().max(f64::MIN_POSITIVE) * o.normal_force(0.0).max(1e-3);
        let below = sizes.iter().map(|e| -e * scale);
        let above = sizes.iter().rev().map(|e| e * scale);
        let epsilons: Vec<f64> = below.chain(above).collect();
        let jump = solutions::jump(o, end, &epsilons, options)?;
        Ok(Found { model: model.clone(), family, degenerate, continuous, jump })
    }
}

impl Job for Search {
    fn title(&self) -> &'static str {
        "listing solutions"
    }

    fn inputs(&self) -> &[PathBuf] {
        self.simulation.inputs()
    }

    fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let found = self.find()?;
        let seconds = clock.elapsed().as_secs_f64();
        let mut remarks = Vec::new();
        if found.family.truncated {
            remarks.push(format!(
                "there are more than {} solutions: only these are listed; raise --limit or enlarge `run.step`",
                self.limit
            ));
        }
        let h = found.family.step;
        let leaves =
            |m: &solutions::Member| m.leaves.iter().map(|&n| n as f64 * h).collect::<Vec<_>>();
        let more = json!({
            "step": h,
            "solutions": found.family.members.len(),
            "truncated": found.family.truncated,
            "unique": found.family.members.len() == 1 && found.degenerate.is_empty(),
            "leaves": found.family.members.iter().map(leaves).collect::<Vec<_>>(),
            "degenerate": found.degenerate,
            "jump": found.jump.iter().map(|j| json!({ "epsilon": j.epsilon, "x": j.end.x, "v": j.end.v })).collect::<Vec<_>>(),
        });
        let warnings: Vec<String> = self.warnings().iter().chain(&remarks).cloned().collect();
        let seed = found.model.run.seed;
        let summary =
            Head::of("solutions", &found.model, ("implicit-euler", seed), seconds, &warnings)
                .with(more);
        let found = Rc::new(found);
        let export = |write: fn(&mut dyn Write, &Found) -> io::Result<()>| -> Writer {
            let found = found.clone();
            Box::new(move |w| write(w, &found))
        };
        let files = vec![
            ("solutions.csv", export(export::solutions::discrete)),
            ("family.csv", export(export::solutions::family)),
            ("jump.csv", export(export::solutions::jump)),
            ("solutions.svg", export(export::solutions::figure)),
            ("jump.svg", export(export::solutions::jump_figure)),
        ];
        let text = export(export::solutions::text);
        Ok(Product { remarks, summary, files, text })
    }
}
