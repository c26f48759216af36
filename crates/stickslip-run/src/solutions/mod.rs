//! The solutions of problems that may have several.

pub mod corner;
pub mod oscillator;
pub mod schatzman;

use crate::context::Context;
use crate::input::Input;
use crate::product::Product;
use serde::Deserialize;
use stickslip_file::model::ModelKind;
use stickslip_file::{Diagnostic, Remedy, Result};

/// What is asked of a search for solutions beside the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Solutions {
    /// Stop after this many solutions of an oscillator [default: 1000].
    #[arg(long, value_name = "N", value_parser = crate::typed::limit)]
    pub limit: Option<usize>,
}

/// Lists the solutions of an oscillator, of the corner, or of Schatzman's problem.
///
/// # Errors
/// Where the model or an option is wrong, and for models whose solutions are not listed.
pub fn solutions(options: &Solutions, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
    let kind = ModelKind::of(input.document.root())?;
    if options.limit.is_some() && kind != ModelKind::Oscillator {
        return Err(Diagnostic::command_line(
            "a limit on the number of solutions was given; it applies to an [oscillator] only",
        )
        .help("the number of solutions of this problem is known")
        .with_remedy(Remedy::Omit("limit")));
    }
    match kind {
        ModelKind::Oscillator => oscillator::solutions(options, input, context),
        ModelKind::Corner => corner::solutions(input, context),
        ModelKind::Schatzman => schatzman::solutions(input, context),
        ModelKind::Impact | ModelKind::Cascade | ModelKind::Network | ModelKind::Planar | ModelKind::Element => {
            Err(Diagnostic::new(format!(
                "solutions are listed for [oscillator], [corner] and [schatzman] models only; this is a model of the kind `{}`",
                kind.table()
            ))
            .with_remedy(Remedy::Simulate))
        }
    }
}
