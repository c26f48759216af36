//! `[element]`: a friction contact between two flanges whose motion another simulator owns.

use super::friction::Friction;
use crate::asked::{Asked, Number};
use crate::diagnostic::{Diagnostic, Result};
use crate::document::Document;
use crate::reader::{Table, not_negative, positive};
use crate::reading::{Gathered, Reading};
use serde_json::{Value, json};
use stickslip::scheme::element::Element;

const KEYS: [&str; 5] = ["stiffness", "damping", "normal", "motion", "friction"];

/// An element's file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ElementFile {
    /// Heading of figures.
    pub title: Option<String>,
    /// The file with every default filled in.
    pub resolved: Value,
    /// The contact.
    pub element: Element,
    /// Whether its flanges turn: then angles take the place of displacements, and torques that of forces.
    pub rotational: bool,
    /// Where a simulation ends by default, s.
    pub end: f64,
    /// Files that were read, the element's own first.
    pub inputs: Vec<String>,
}

impl ElementFile {
    /// Reads an element, and lists every number that it holds or could hold.
    ///
    /// ```
    /// use stickslip_file::{Document, Memory, Reading, model::ElementFile};
    /// let text = "[element]\nstiffness = 1e6\nfriction.coulomb.force = 12.0\n[run]\nend = 1.0\n";
    /// let document = Document::parse("contact.toml", text)?;
    /// let (file, numbers) = ElementFile::read(&document, &Reading::new(Memory::default()))?;
    /// assert_eq!((file.element.stiffness, numbers[0].path.as_str()), (1e6, "element.stiffness"));
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where the file, or one that it names, is wrong.
    pub fn read(document: &Document, reading: &Reading) -> Result<(Self, Vec<Number>)> {
        let asked = Asked::default();
        let file = Self::read_asking(document, reading, Some(&asked))?;
        let mut numbers = asked.into_numbers();
        numbers.retain(|n| !n.whole && !n.path.starts_with("run."));
        Ok((file, numbers))
    }

    pub(super) fn read_asking(
        document: &Document,
        reading: &Reading,
        asked: Option<&Asked>,
    ) -> Result<Self> {
        let gathered = Gathered::new(reading, document);
        let root = Table::root(document.root(), &["title", "element", "run"])?.asking(asked);
        if root.holds("element", &["displacement"]) {
            let place = root.place_of("element");
            return Err(Diagnostic::at(
                place,
                "the displacement of this element is given, so that nobody else can move it",
            )
            .help("simulate it, or leave out `displacement` to put it into an FMU"));
        }
        let t = root.table("element", &KEYS)?;
        let motion = [("translational", false), ("rotational", true)];
        let rotational = t.choice("motion", "motion", &motion)?.is_some_and(|m| m.value);
        let stiffness = t.number("stiffness", positive("N/m"))?;
        let damping = t.number_or("damping", not_negative("N·s/m"), 0.0)?;
        let normal = t.number_opt("normal", not_negative("N"))?.map(|n| n.value);
        let friction = Friction::read(&t, gathered.reading.resources())?;
        let resolved = json!({ "element": {
            "stiffness": stiffness, "damping": damping, "normal": normal,
            "motion": motion[usize::from(rotational)].0, "friction": friction,
        }});
        let mut element = Element::new(stiffness, friction.build()?)?.with_damping(damping)?;
        if let Some(normal) = normal {
            element = element.with_normal(normal)?;
        }
        let end = root.table("run", &["end"])?.number("end", positive("s"))?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let inputs = gathered.inputs.iter().map(|p| p.display().to_string()).collect();
        Ok(Self { title, resolved, element, rotational, end, inputs })
    }
}
