//! Every number of a model file, for those who let people change them.

use super::{CornerModel, ElementFile, ModelFile, ModelKind, SchatzmanModel};
use crate::asked::{Asked, Number};
use crate::diagnostic::Result;
use crate::document::Document;
use crate::node::{Node, Value};
use crate::reading::Reading;
use crate::units;

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
    match ModelKind::of(document.root())? {
        ModelKind::Corner => CornerModel::read_asking(document.root(), Some(&asked)).map(drop),
        ModelKind::Schatzman => {
            SchatzmanModel::read_asking(document.root(), Some(&asked)).map(drop)
        }
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

/// The document with plain numbers, in SI units, in place of those that are written with a unit: for those who read its
/// numbers by themselves.
///
/// ```
/// use stickslip_file::model::{numbers, without_units};
/// use stickslip_file::{Document, Memory, Reading};
/// let text = "[impact]\nmass = \"1.5 t\"\nwall = 0.0\nrestitution = 0.5\n[run]\nend = \"2 min\"\n";
/// let (document, reading) = (Document::parse("ball.toml", text)?, Reading::new(Memory::default()));
/// let plain = without_units(&document, &reading)?;
/// let mass = plain.root().get("impact").and_then(|t| t.node.get("mass"));
/// assert_eq!(mass.map(|m| m.node.value.describe()), Some("1500".to_owned()));
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// As [`numbers`], where there are units.
pub fn without_units(document: &Document, reading: &Reading) -> Result<Document> {
    let mut plain = document.clone();
    if has_units(document.root()) {
        for number in numbers(document, reading)? {
            plain.set(&number.path, number.value)?;
        }
    }
    Ok(plain)
}

/// Whether a text below `node` may be a number with a unit.
fn has_units(node: &Node) -> bool {
    match &node.value {
        Value::Text(text) => units::quantity(text).is_some(),
        Value::Array(items) => items.iter().any(has_units),
        Value::Table(entries) => entries.iter().any(|e| has_units(&e.node)),
        _ => false,
    }
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

    /// Numbers with units in every place where numbers stand, against the same file without them.
    #[test]
    fn numbers_may_have_units() {
        let plain = "[[network.node]]\nname = \"a\"\nmass = 1500.0\ndisplacement = 0.5\nvelocity = 0.25\n\
                     [[network.node]]\nname = \"b\"\nmass = 2.0\n\
                     [[network.spring]]\nbetween = [\"a\", \"b\"]\nstiffness = [3e6, 0.0, 5e9]\n\
                     [[network.slider]]\nbetween = [\"a\", \"ground\"]\nstatic = 0.5\ndynamic = 0.25\n\
                     normal = [{ constant = 4000.0 }]\n\
                     [[network.slider]]\nbetween = [\"b\", \"ground\"]\n\
                     friction.stribeck-exponential = { static = 4.0, dynamic = 2.0, velocity = 0.5, viscous = 8.0 }\n\
                     [[network.stop]]\nbetween = [\"a\", \"b\"]\nstiffness = 1e6\nupper = 2.0\n\
                     [[network.force]]\non = \"a\"\nharmonic = { amplitude = 2000.0, angular_frequency = 3.0, phase = 0.5 }\n\
                     [run]\nend = 120.0\nrtol = 1e-9\n";
        let united = plain
            .replace("mass = 1500.0", "mass = \"1.5 t\"")
            .replace("= 0.5\nvelocity = 0.25", "= \"50 cm\"\nvelocity = \"0.9 km/h\"")
            .replace("[3e6, 0.0, 5e9]", "[\"3 kN/mm\", 0.0, \"5e6 kN/m^3\"]")
            .replace("static = 0.5\n", "static = \"50 %\"\n")
            .replace("4000.0", "\"4 kN\"")
            .replace("viscous = 8.0", "viscous = \"8 N*s/m\"")
            .replace("upper = 2.0", "upper = \"2000 mm\"")
            .replace("2000.0, angular_frequency = 3.0", "\"2 kN\", angular_frequency = \"3 rad/s\"")
            .replace("end = 120.0", "end = \"2 min\"");
        let reading = Reading::new(Memory::default());
        let of = |text: &str| {
            ModelFile::read(&Document::parse("m.toml", text).unwrap(), &reading).unwrap()
        };
        let a = of(plain);
        let b = of(&united);
        assert_eq!(a.resolved, b.resolved);
        assert_eq!(format!("{:?}", a.problem.model), format!("{:?}", b.problem.model));
        let document = Document::parse("m.toml", &united).unwrap();
        let back = without_units(&document, &reading).unwrap();
        assert!(!has_units(back.root()));
        assert_eq!(ModelFile::read(&back, &reading).unwrap().resolved, a.resolved);
    }

    #[test]
    fn wrong_units_are_told_with_what_is_expected() {
        let told = |from: &str, to: &str, what: &[&str]| {
            let text = "[oscillator]\nmass = 1.0\nstiffness = 2.0\nfriction.coulomb.force = 1.0\n\
                        normal = [{ constant = 9.0 }]\n[run]\nend = 1.0\n";
            let text = text.replace(from, to);
            let document = Document::parse("m.toml", text).unwrap();
            let said = ModelFile::read(&document, &Reading::new(Memory::default())).unwrap_err();
            let said = format!("{said} / {}", said.help_text().unwrap_or_default());
            assert!(what.iter().all(|w| said.contains(w)), "{said}");
        };
        told("mass = 1.0", "mass = \"3 N\"", &["\"3 N\"", "> 0, in kg", "unit of something else"]);
        told("mass = 1.0", "mass = \"-3 kg\"", &["> 0, in kg"]);
        told("mass = 1.0", "mass = \"3 stone\"", &["`stone` is no unit"]);
        told("stiffness = 2.0", "stiffness = \"3 N/m·s\"", &["is no unit"]);
        told("force = 1.0", "force = \"1 N\"", &["coefficients"]);
        told("constant = 9.0", "constant = \"9 kg\"", &["in N"]);
        told("end = 1.0", "end = \"1 m\"", &["in s"]);
        told("end = 1.0", "end = \"1e999 s\"", &["in s"]);
        told(
            "stiffness = 2.0",
            "stiffness = [\"2 N/m\", \"3 N/m\"]",
            &["`oscillator.stiffness.1`", "N/mⁿ"],
        );
    }
}
