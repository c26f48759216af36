//! Basins of attraction: to which orbit of a driven oscillator each start leads.

use crate::axis;
use crate::context::Context;
use crate::each::each_of;
use crate::export;
use crate::input::{self, Applies, Input};
use crate::orbit::{method, model, node};
use crate::product::Product;
use crate::summary::carried_out;
use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::study::orbit::{Attraction, Driven, Forced, Search, attractors, period_of};
use stickslip::study::sweep::Span;
use stickslip_file::{Diagnostic, FailureKind, Result};

/// Starts along an axis for which no number is given.
const COUNT: usize = 101;
/// The range of an axis for which none is given, in typical sizes.
const WIDTH: f64 = 3.0;
/// The most starts.
const MOST: usize = 100_000_000;

/// What is asked of basins beside the model.
#[derive(Debug, Clone, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Basins {
    /// Displacements of the starts, m [default: 101 values, up to three typical displacements to each side].
    #[serde(deserialize_with = "axis::span")]
    #[arg(long, value_name = "FROM:TO:COUNT", value_parser = axis::span_of, allow_hyphen_values = true)]
    pub x: Option<Span>,
    /// Velocities of the starts, m/s [default: likewise].
    #[serde(deserialize_with = "axis::span")]
    #[arg(long, value_name = "FROM:TO:COUNT", value_parser = axis::span_of, allow_hyphen_values = true)]
    pub v: Option<Span>,
    /// Periods of the load in a period of the orbits; other orbits are found where motions come to them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::typed::count)]
    pub periods: usize,
    /// Periods of the load after which a motion that has reached no orbit is given up.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = crate::typed::count)]
    pub within: usize,
    /// The node of a network whose displacement and velocity vary; all others start as in the model [default: the first whose motion
    /// is not given].
    #[arg(long, value_name = "NAME")]
    pub point: Option<String>,
}

impl Default for Basins {
    fn default() -> Self {
        Self { x: None, v: None, periods: 1, within: 500, point: None }
    }
}

impl Basins {
    /// The starts along both axes.
    fn spans(&self, forced: &Forced) -> Result<(Span, Span)> {
        let around = |size: f64| Span { from: -WIDTH * size, to: WIDTH * size, count: COUNT };
        let typical = forced.looked()?.map(|i| forced.typical()[i]);
        let x = self.x.unwrap_or_else(|| around(typical[0]));
        let v = self.v.unwrap_or_else(|| around(typical[1]));
        x.check()?;
        v.check()?;
        if x.count.saturating_mul(v.count) > MOST {
            let said = format!("the grid has more than {MOST} starts");
            return Err(Diagnostic::command_line(said).help("take fewer of them"));
        }
        Ok((x, v))
    }
}

/// Follows the motions from a grid of starts until each has come to an orbit.
///
/// # Errors
/// Where an option or the model is wrong, or there is no orbit.
pub fn basins(options: &Basins, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let model = model(input.document, input.reading)?;
    let how = method(&model)?;
    input.check(&Applies { rows: false, ..Applies::to_motion(&model) })?;
    let Driven::Every(period) = period_of(&model.problem.model)? else {
        return Err(Diagnostic::unsolvable(
            "nothing drives the model, so that there is no period after which its state could be looked at",
        )
        .help("add a harmonic drive or force"));
    };
    let point = node(&model, options.point.as_deref())?;
    let forced = Forced::new(&model.problem.model, period, how)?.looked_at(point);
    let (x, v) = options.spans(&forced)?;
    let mut wanted = Search::default();
    wanted.periods = options.periods.max(1);
    let ((found, reached), head) = carried_out("basins", &model, context, || -> Result<_> {
        let found = attractors(&forced, &wanted)?;
        let attraction = Attraction::new(&forced, &found.orbits, options.within.max(1))?;
        let done = AtomicU64::new(0);
        let row = |j: usize| {
            if (context.cancelled)() {
                let said = format!("interrupted after {} rows", done.load(Ordering::Relaxed));
                return Err(
                    Diagnostic::of(FailureKind::Interrupted, said).help("take fewer starts")
                );
            }
            let row = attraction.row(&x, v.value(j));
            let made = done.fetch_add(1, Ordering::Relaxed) + 1;
            (context.progress)(made, v.count as u64);
            Ok(row)
        };
        let rows = each_of((0..v.count).collect(), row)?;
        let reached: Vec<u32> = rows.into_iter().flatten().collect();
        Ok((found, reached))
    })?;
    let places = forced.looked()?;
    let shown = export::basins::Shown::new(input::heading(&model), (x, v), found, reached);
    let shown = shown.at(places);
    let product = shown.product(&head);
    Ok(Product { inputs: model.inputs, ..product })
}
