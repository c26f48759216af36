//! Schatzman's force: bounces out of nothing, and rest, both verified.

use crate::context::Context;
use crate::export::schatzman::{self as export, SchatzmanSolutions};
use crate::input::Input;
use crate::product::{Lazy, Product, printed};
use crate::summary::Head;
use serde_json::json;
use std::sync::Arc;
use stickslip::study::ill_posed::schatzman::{Schatzman, Verdict};
use stickslip_file::Result;
use stickslip_file::model::SchatzmanModel;

/// Steps of the verification on each bounce.
const STEPS: u32 = 4000;

/// Verifies both solutions.
pub fn find(model: SchatzmanModel) -> Result<SchatzmanSolutions> {
    let s = &model.schatzman;
    let force = Schatzman::new(s.early, s.late, s.speed)?;
    let verdicts = force.verify(s.bounces as u32, STEPS);
    Ok(SchatzmanSolutions { model, force, verdicts })
}

/// Both solutions, impact by impact.
pub fn solutions(input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = SchatzmanModel::read(input.document.root())?;
    let (found, seconds) = context.timed(|| find(model));
    let found = Arc::new(found?);
    let SchatzmanSolutions { model, force, verdicts } = &*found;
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
    let summary = Head::of("solutions", model, "exact", 0).after(seconds).with(more);
    let drawn = found.clone();
    let said = found.clone();
    let text = Lazy::new(move || printed(|w| export::text(w, &said)));
    let product = Product::new(summary, text)
        .table(export::solutions(&found))
        .table(export::bounces(&found))
        .figure("schatzman", move || export::figure(&drawn));
    Ok(Product { inputs: input.alone(), ..product })
}
