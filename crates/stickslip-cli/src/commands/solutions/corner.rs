//! The corner: limits from both sides and the energy-conserving rule, as functions of the angle.

use crate::commands::Job;
use crate::export::{self, Product, Writer, summary::Head};
use crate::fault::Result;
use crate::file::{CornerModel, Gathered, Node};
use serde_json::json;
use std::f64::consts::PI;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use stickslip::motion::Path;
use stickslip::study::ill_posed::corner::{self, Corner, Straight};

/// A table to be made.
pub struct Search {
    model: CornerModel,
    gathered: Gathered,
}

/// What was found.
pub struct Found {
    /// The file with every default filled in.
    pub model: CornerModel,
    /// One row for each angle.
    pub table: Vec<Corner>,
    /// The angles at which both limits agree.
    pub continuous: Vec<Corner>,
    /// The motions from h and −h in the wedge of the file.
    pub paths: [Path<Straight>; 2],
}

/// Reads and checks a document.
pub fn read(document: &Node, gathered: Gathered) -> Result<Search> {
    Ok(Search { model: CornerModel::read(document)?, gathered })
}

impl Search {
    /// Meets the corner at every angle.
    pub fn find(&self) -> Result<Found> {
        let c = &self.model.corner;
        let from = corner::narrowest();
        let n = c.angles as f64;
        let angles: Vec<f64> =
            (1..=c.angles).map(|i| (from + (PI - from) * i as f64 / n).min(PI)).collect();
        let submultiples: Vec<f64> = (1..7).map(|n| PI / f64::from(n)).collect();
        let path = |h: f64| corner::solve(c.angle, h, 2.5);
        Ok(Found {
            model: self.model.clone(),
            table: corner::table(&angles)?,
            continuous: corner::table(&submultiples)?,
            paths: [path(c.h)?, path(-c.h)?],
        })
    }
}

impl Job for Search {
    fn title(&self) -> &'static str {
        "meeting the corner"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.gathered.inputs
    }

    fn warnings(&self) -> &[String] {
        &self.gathered.warnings
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let clock = Instant::now();
        let found = self.find()?;
        let seconds = clock.elapsed().as_secs_f64();
        let angles: Vec<f64> = found.continuous.iter().map(|c| c.angle).collect();
        let here = corner::limits(found.model.corner.angle)?;
        let more = json!({
            "unique": here.jump() < 1e-9,
            "limit_above": here.above,
            "limit_below": here.below,
            "rule": here.rule,
            "continuous_angles": angles,
        });
        let head =
            Head::of("solutions", &found.model, ("exact", 0), seconds, &self.gathered.warnings);
        let summary = head.with(more);
        let found = Rc::new(found);
        let export = |write: fn(&mut dyn Write, &Found) -> io::Result<()>| -> Writer {
            let found = found.clone();
            Box::new(move |w| write(w, &found))
        };
        let files = vec![
            ("corner.csv", export(export::corner::table)),
            ("corner.svg", export(export::corner::figure)),
            ("paths.svg", export(export::corner::paths)),
        ];
        let text = export(export::corner::text);
        Ok(Product { remarks: Vec::new(), summary, files, text })
    }
}
