//! What all fits are carried out and told by alike.

use crate::context::Context;
use crate::export::remarks;
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::Serialize;
use serde_json::json;
use stickslip_calibrate as calibrate;
use stickslip_file::Result;

/// What all fits have: how long the search took, and what is to be said of it.
pub(super) trait Fit: Serialize {
    /// Of the search alone, s.
    fn took(&mut self, seconds: f64);

    /// What the fit says of itself.
    fn warnings(&self) -> &[String];
}

macro_rules! fits {
    ($($fit:ty),* $(,)?) => {$(
        impl Fit for $fit {
            fn took(&mut self, seconds: f64) {
                self.seconds = seconds;
            }

            fn warnings(&self) -> &[String] {
                &self.warnings
            }
        }
    )*};
}

fits!(
    calibrate::friction_curve::FrictionCurveFit,
    calibrate::hysteresis::HysteresisFit,
    calibrate::hysteresis::laws::LawsFit,
    calibrate::isolator::IsolatorFit,
    calibrate::joint::Fit,
    calibrate::models::ModelFit,
    calibrate::pulled_slider::SliderFit,
    calibrate::rigid_drive::DriveFit,
    calibrate::rock_friction::RockFit,
    calibrate::valve::ValveFit,
);

/// What is fitted, and how: the keys with which a summary begins.
pub(super) struct Question<'a, F: Serialize> {
    /// The fit file with every default filled in.
    pub file: &'a F,
    /// The name of the method.
    pub method: &'static str,
    /// Seed of what is random in it.
    pub seed: u64,
}

/// A fit with its summary; text and figures are put to the product.
pub(super) struct Fitted<T> {
    /// The summary, and what is to be said.
    pub product: Product,
    /// The fit.
    pub fit: T,
    /// What the file and the fit say, in this order.
    pub warnings: Vec<String>,
}

/// Does the `work` of a fit, measures its time, and begins its product. `gathered` is what was said when the file was read.
///
/// # Errors
/// What the work says.
pub(super) fn carried_out<F: Serialize, T: Fit>(
    question: &Question<'_, F>,
    gathered: &[String],
    context: &Context<'_>,
    work: impl FnOnce() -> Result<T>,
) -> Result<Fitted<T>> {
    let (found, seconds) = context.timed(work);
    let mut fit = found?;
    fit.took(seconds);
    let warnings: Vec<_> = gathered.iter().chain(fit.warnings()).cloned().collect();
    let own = remarks::sorted(fit.warnings().to_vec());
    let mut told = serde_json::to_value(&fit).unwrap_or_default();
    told["warning_weights"] = remarks::names(&own);
    told["warnings"] = own.clone().into();
    let head = Head::of("calibrate", question.file, question.method, question.seed)
        .after(seconds)
        .warning(&warnings);
    let product = Product::new(head.with(json!({ "fit": told })), Lazy::ready("")).remarks(own);
    Ok(Fitted { product, fit, warnings })
}
