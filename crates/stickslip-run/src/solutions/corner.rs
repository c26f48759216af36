//! The corner: limits from both sides and the energy-conserving rule, as functions of the angle.

use crate::context::Context;
use crate::export::corner::{self as export, CornerSolutions};
use crate::input::Input;
use crate::product::{Lazy, Product, printed};
use crate::summary::Head;
use serde_json::json;
use std::f64::consts::PI;
use std::sync::Arc;
use stickslip::study::ill_posed::corner;
use stickslip_file::Result;
use stickslip_file::model::CornerModel;

/// Meets the corner at every angle.
pub fn find(model: &CornerModel) -> Result<CornerSolutions> {
    let c = &model.corner;
    let from = corner::narrowest();
    let n = c.angles as f64;
    let angles: Vec<f64> =
        (1..=c.angles).map(|i| (from + (PI - from) * i as f64 / n).min(PI)).collect();
    let submultiples: Vec<f64> = (1..7).map(|n| PI / f64::from(n)).collect();
    let path = |h: f64| corner::solve(c.angle, h, 2.5);
    Ok(CornerSolutions {
        model: model.clone(),
        table: corner::table(&angles)?,
        continuous: corner::table(&submultiples)?,
        paths: [path(c.h)?, path(-c.h)?],
    })
}

/// The table over all angles and the motions in the wedge of the file.
pub fn solutions(input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = CornerModel::read(input.document.root())?;
    let (found, seconds) = context.timed(|| find(&model));
    let found = Arc::new(found?);
    let angles: Vec<f64> = found.continuous.iter().map(|c| c.angle).collect();
    let here = corner::limits(model.corner.angle)?;
    let more = json!({
        "unique": here.jump() < 1e-9,
        "limit_above": here.above,
        "limit_below": here.below,
        "rule": here.rule,
        "continuous_angles": angles,
    });
    let summary = Head::of("solutions", &model, "exact", 0).after(seconds).with(more);
    let drawn = found.clone();
    let wedge = found.clone();
    let said = found.clone();
    let text = Lazy::new(move || printed(|w| export::text(w, &said)));
    let product = Product::new(summary, text)
        .table(export::table(&found))
        .figure("corner", move || export::figure(&drawn))
        .figure("paths", move || export::paths(&wedge));
    Ok(Product { inputs: input.alone(), ..product })
}
