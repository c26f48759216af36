//! Statistics of some paths of an ensemble, to be merged with those of others.

use crate::heading::Heading;
use crate::partial::{self, Content, Whole};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stickslip::study::ensemble::{Ensemble, Plan};
use stickslip::study::inclusion::Inclusion;
use stickslip::study::spectrum::Spectrum;
use stickslip_file::Result;

/// The content of a partial result of an ensemble.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SomePaths {
    /// The model with every default filled in.
    pub model: Value,
    /// Heading of figures.
    pub title: String,
    /// The scheme's name.
    pub scheme: String,
    /// Seed of the paths.
    pub seed: u64,
    /// Number of steps of a path.
    pub steps: u64,
    /// Times of the rows, s.
    pub times: Vec<f64>,
    /// The scalar inclusion whose law is known, if the model is one.
    pub inclusion: Option<Inclusion>,
    /// Mean spectrum of the first paths, the same for every part; none if they are short.
    pub spectrum: Option<Spectrum>,
    /// The statistics.
    pub ensemble: Ensemble,
}

impl SomePaths {
    /// Heading of figures, and the units of the model.
    pub fn heading(&self) -> Heading {
        Heading::of_resolved(&self.model)
    }

    /// Of an ensemble of a plan.
    pub fn new(model: Value, plan: &Plan, ensemble: Ensemble) -> Result<Self> {
        let title = model["title"].as_str().unwrap_or_default().to_owned();
        let inclusion = Inclusion::of(&plan.problem);
        Ok(Self {
            scheme: plan.scheme().to_owned(),
            title,
            seed: plan.seed,
            steps: plan.steps()? as u64,
            times: (0..plan.rows).map(|r| plan.time_of_row(r)).collect(),
            inclusion,
            spectrum: Spectrum::of(plan)?,
            model,
            ensemble,
        })
    }

    /// Reads the text of a file called `name` in messages.
    ///
    /// # Errors
    /// Where it is no partial result of an ensemble by this version, or is damaged.
    pub fn read(name: &str, text: &[u8]) -> Result<Self> {
        partial::read(name, text)
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        partial::written(self)
    }

    /// h, s.
    pub fn step(&self) -> f64 {
        self.times.last().map_or(f64::NAN, |end| end / self.steps as f64)
    }
}

impl Content for SomePaths {
    const WHOLE: Whole = Whole::Ensemble;

    fn damage(&self) -> Option<String> {
        let rows = self.times.len();
        let even = self.spectrum.iter().all(Spectrum::is_whole);
        let whole = rows >= 2 && even && self.ensemble.is_whole(rows);
        (!whole).then(|| {
            format!(
                "its tables have different lengths; expected {rows} rows (2 at least) for every point and contact"
            )
        })
    }
}
