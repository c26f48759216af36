//! The heading of what is shown of a model, and the units in which it moves.

use crate::product::Product;
use serde_json::Value;
use std::fmt;
use stickslip_file::{ModelFile, about_an_axis};
use stickslip_report::figure::Figure;

/// The title of a model file, and whether its model turns about an axis: then rad stand for m, N·m for N, kg·m² for kg.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heading {
    title: String,
    rotation: bool,
}

/// What is measured along a line, and what is about an axis in its place.
const WORDS: [(&str, &str); 6] = [
    ("displacement", "angle"),
    ("Displacement", "Angle"),
    ("velocit", "angular velocit"),
    ("Velocit", "Angular velocit"),
    ("force", "torque"),
    ("Force", "Torque"),
];

impl Heading {
    /// Of a title; `rotation` of a model that turns.
    pub fn new(title: impl Into<String>, rotation: bool) -> Self {
        Self { title: title.into(), rotation }
    }

    /// That of a model file; its title is empty where the file has none.
    pub fn of(file: &ModelFile) -> Self {
        Self::new(file.title.clone().unwrap_or_default(), file.rotation)
    }

    /// That of a model with every default filled in.
    pub(crate) fn of_resolved(model: &Value) -> Self {
        let turns = |table: &str| model[table]["rotation"].as_bool().unwrap_or(false);
        let rotation = turns("oscillator") || turns("network");
        Self::new(model["title"].as_str().unwrap_or_default(), rotation)
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether the model turns about an axis.
    pub fn rotation(&self) -> bool {
        self.rotation
    }

    /// The unit here of what is in `straight` along a line.
    pub fn unit(&self, straight: &'static str) -> &'static str {
        let turned = self.rotation.then(|| about_an_axis(straight));
        turned.flatten().unwrap_or(straight)
    }

    /// What is called `straight` along a line, in the words of the model.
    pub fn name(&self, straight: &str) -> String {
        let words = if self.rotation { &WORDS[..] } else { &[] };
        words.iter().fold(straight.to_owned(), |said, (word, turned)| said.replace(word, turned))
    }

    /// A figure under the title, the units of whose axes are those of the model.
    pub fn figure<'a>(&self) -> Figure<'a> {
        self.on(Figure::new().title(self.title.as_str()))
    }

    /// The same for a figure that has its title.
    pub fn on<'a>(&self, figure: Figure<'a>) -> Figure<'a> {
        if self.rotation { figure.turned(about_an_axis, &WORDS) } else { figure }
    }

    /// A product the columns of whose tables have the units of the model. A force that presses stays one.
    pub fn units_of(&self, mut product: Product) -> Product {
        let columns = product.tables.iter_mut().flat_map(|t| &mut t.columns);
        for column in columns.filter(|c| !c.name.contains("normal")) {
            column.unit = self.unit(column.unit);
        }
        product
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::Heading;
    use stickslip_report::figure::{Axis, Ink, Panel, Style};

    #[test]
    fn units_are_those_of_an_axis_where_the_model_turns() {
        let straight = Heading::new("a", false);
        let turning = Heading::new("a", true);
        for (unit, turned) in
            [("m", "rad"), ("N", "N·m"), ("N·s/m", "N·m·s/rad"), ("s", "s"), ("J", "J")]
        {
            assert_eq!((straight.unit(unit), turning.unit(unit)), (unit, turned));
        }
    }

    #[test]
    fn what_turns_has_an_angle_and_what_moves_along_a_line_a_displacement() {
        let panel = || {
            Panel::new(Axis::linear("time t", "s"), Axis::linear("displacement x", "m")).line(
                vec![0.0, 1.0],
                vec![0.0, 1.0],
                Style::new(Ink::Blue),
            )
        };
        let drawn = |turns: bool| Heading::new("a", turns).figure().panel(panel()).to_svg();
        let (straight, turning) = (drawn(false), drawn(true));
        assert!(straight.contains("displacement x (m)") && !straight.contains("angle"));
        assert!(turning.contains("angle x (rad)") && !turning.contains("displacement"));
        assert!(turning.contains("time t (s)"), "{turning}");
        let name = Heading::new("a", true).name("largest displacement");
        assert_eq!(name, "largest angle");
    }
}
