//! Schatzman's force: bounces out of nothing, and rest, both verified.

use crate::commands::Job;
use crate::export::{self, Product, Writer, summary::Head};
use crate::fault::Result;
use crate::file::{Gathered, Node, SchatzmanModel};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::study::ill_posed::schatzman::{Schatzman, Verdict};

/// A force whose solutions are wanted.
pub struct Search {
    model: SchatzmanModel,
    force: Schatzman,
    gathered: Gathered,
}

/// What was found.
pub struct Found {
    /// The file with every default filled in.
    pub model: SchatzmanModel,
    /// The force.
    pub force: Schatzman,
    /// One for each impact, in order of time.
    pub verdicts: Vec<Verdict>,
}

/// Steps of the verification on each bounce.
const STEPS: u32 = 4000;

/// Reads and checks a document.
pub fn read(document: &Node, gathered: Gathered) -> Result<Search> {
    let model = SchatzmanModel::read(document)?;
    let s = &model.schatzman;
    let force = Schatzman::new(s.early, s.late, s.speed)?;
    Ok(Search { model, force, gathered })
}

impl Search {
    /// Verifies both solutions.
    pub fn find(self) -> Found {
        let Self { model, force, .. } = self;
        let verdicts = force.verify(model.schatzman.bounces as u32, STEPS);
        Found { model, force, verdicts }
    }
}

impl Job for Search {
    fn title(&self) -> &'static str {
        "verifying impulse by impulse"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let warnings = self.gathered.warnings.clone();
        let found = self.find();
        let seconds = clock.elapsed().as_secs_f64();
        let Found { model, force, verdicts } = &found;
        let worst = |f: fn(&Verdict) -> f64| verdicts.iter().map(f).fold(0.0, f64::max);
        let more = json!({
            "solutions": 2,
            "unique": false,
            "gain": force.gain(),
            "centre": force.centre(),
            "worst": {
                "miss": worst(|v| v.miss),
                "inelastic": worst(|v| v.inelastic),
                "energy": worst(|v| v.energy),
            },
        });
        let summary = Head::of("solutions", model, ("exact", 0), seconds, &warnings).with(more);
        let found = Rc::new(found);
        let export = |write: fn(&mut dyn Write, &Found) -> io::Result<()>| -> Writer {
            let found = found.clone();
            Box::new(move |w| write(w, &found))
        };
        let files = vec![
            ("solutions.csv", export(export::schatzman::solutions)),
            ("bounces.csv", export(export::schatzman::bounces)),
            ("schatzman.svg", export(export::schatzman::figure)),
        ];
        let text = export(export::schatzman::text);
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}
