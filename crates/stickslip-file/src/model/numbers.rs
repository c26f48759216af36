//! Every number of a model file, for those who let people change them.

use super::{CornerModel, ElementFile, Kind, ModelFile, SchatzmanModel};
use crate::asked::{Asked, Number};
use crate::diagnostic::Result;
use crate::document::Document;
use crate::reading::Reading;

/// Every number that stands in a model file, in the order of the text.
///
/// ```
/// use stickslip_file::model::numbers;
/// use stickslip_file::{Document, Memory, Reading};
/// let text = "[impact]\nmass = 1.5\nwall = 0.0\nrestitution = 0.5\n[run]\nend = 1.0\n";
/// let document = Document::parse("ball.toml", text)?;
/// let all = numbers(&document, &Reading::new(Memory::default()))?;
/// let mass = &all[0];
/// assert_eq!((mass.path.as_str(), mass.value, mass.unit), ("impact.mass", 1.5, "kg"));
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// Where the file, or one that it names, is wrong.
pub fn numbers(document: &Document, reading: &Reading) -> Result<Vec<Number>> {
    let asked = Asked::default();
    match Kind::of(document.root())? {
        Kind::Corner => CornerModel::read_asking(document.root(), Some(&asked)).map(drop),
        Kind::Schatzman => SchatzmanModel::read_asking(document.root(), Some(&asked)).map(drop),
        kind if kind.is_moved_by_others(document.root()) => {
            ElementFile::read_asking(document, reading, Some(&asked)).map(drop)
        }
        _ => ModelFile::read_asking(document, reading, Some(&asked)).map(drop),
    }?;
    let start = |n: &Number| n.place.as_ref().map_or(0, |p| p.range.start);
    let mut given = asked.into_numbers();
    given.retain(|n| n.place.is_some());
    given.sort_by_key(start);
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::Range;
    use crate::resources::Memory;

    #[test]
    fn every_number_of_a_file_is_listed_once_in_order() {
        let text = "[cascade]\nmass = 1\nstiffness = [3.0, 2.0]\nthreshold = [0.5]\n\
                    [[cascade.force]]\nharmonic = { amplitude = 2.5, angular_frequency = 0.9 }\n\
                    [run]\nend = 20.0\nseed = 3\n";
        let document = Document::parse("m.toml", text).unwrap();
        let all = numbers(&document, &Reading::new(Memory::default())).unwrap();
        let paths: Vec<_> = all.iter().map(|n| n.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "cascade.mass",
                "cascade.stiffness.0",
                "cascade.stiffness.1",
                "cascade.threshold.0",
                "cascade.force.0.harmonic.amplitude",
                "cascade.force.0.harmonic.angular_frequency",
                "run.end",
                "run.seed",
            ]
        );
        let texts: Vec<_> = all.iter().map(|n| n.place.as_ref().unwrap().text()).collect();
        assert_eq!(texts, ["1", "3.0", "2.0", "0.5", "2.5", "0.9", "20.0", "3"]);
        assert_eq!((all[4].unit, all[4].range, all[6].range), ("N", Range::Any, Range::Positive));
        assert!(all[7].whole && !all[0].whole);
    }

    #[test]
    fn nothing_is_noted_of_a_wrong_file_or_for_the_next_one() {
        let wrong = Document::parse("m.toml", "[impact]\nmass = -1.0\n").unwrap();
        let reading = Reading::new(Memory::default());
        assert!(numbers(&wrong, &reading).is_err());
        let right = Document::parse("m.toml", "[corner]\nangle = 2.4\nh = 0.05\n").unwrap();
        let paths = numbers(&right, &reading).unwrap().into_iter().map(|n| n.path);
        assert_eq!(paths.collect::<Vec<_>>(), ["corner.angle", "corner.h"]);
    }
}
