//! Figures: panels with axes, written as plain SVG.
//!
//! A [`Figure`] is a column of blocks; a block is a panel, a stack of panels with one x axis, panels
//! side by side, or stacks side by side. The file has no script and names nothing outside itself,
//! follows the reader's light or dark setting, and is always light on paper.

mod axis;
mod calendar;
mod colour_bar;
mod decimate;
mod draw;
mod heat;
mod layout;
mod legend;
mod markers;
mod numbers;
mod palette;
mod panel;
mod px;
mod style;
mod svg;
mod text;
mod ticks;

pub use axis::{Axis, Scale};
pub use decimate::extremes;
pub use heat::{Heat, NO_CLASS};
pub use palette::{Ink, viridis};
pub use panel::Panel;
pub use style::{Dash, Marker, Style};
pub use svg::Anchor;
pub use text::Text;
pub use ticks::fixed;
pub(crate) use {numbers::range, text::escape};

/// A figure: blocks of panels from top to bottom.
#[derive(Debug, Clone)]
pub struct Figure<'a> {
    title: Text,
    description: String,
    width: f64,
    blocks: Vec<Vec<Vec<Panel<'a>>>>,
    turned: Option<(Units, Words)>,
}

/// Another unit for a unit, where there is one.
type Units = fn(&str) -> Option<&'static str>;
/// Words, and those that take their place.
type Words = &'static [(&'static str, &'static str)];

impl Default for Figure<'_> {
    fn default() -> Self {
        Self {
            title: Text::default(),
            description: String::new(),
            width: 640.0,
            blocks: Vec::new(),
            turned: None,
        }
    }
}

impl<'a> Figure<'a> {
    /// An empty figure, 640 px wide; its height follows from its panels.
    pub fn new() -> Self {
        Self::default()
    }

    /// A line at the top.
    pub fn title(mut self, title: impl Into<Text>) -> Self {
        self.title = title.into();
        self
    }

    /// What the figure shows, for readers who cannot see it; otherwise the title is read out.
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Width in px; font sizes stay.
    pub fn width(mut self, px: f64) -> Self {
        self.width = px.clamp(200.0, 4000.0);
        self
    }

    /// Adds a panel below.
    pub fn panel(self, panel: Panel<'a>) -> Self {
        self.columns([vec![panel]])
    }

    /// Adds panels one above the other that share their x axis.
    pub fn stack(self, panels: impl IntoIterator<Item = Panel<'a>>) -> Self {
        self.columns([panels.into_iter().collect()])
    }

    /// Adds panels side by side.
    pub fn beside(self, panels: impl IntoIterator<Item = Panel<'a>>) -> Self {
        self.columns(panels.into_iter().map(|p| vec![p]))
    }

    /// Adds stacks side by side; the panels of a stack share their x axis.
    pub fn columns(mut self, columns: impl IntoIterator<Item = Vec<Panel<'a>>>) -> Self {
        self.blocks.push(columns.into_iter().collect());
        self
    }

    /// With other units on the axes and in the colour bars, where `units` knows one for that which was given. There, and in the
    /// description, the second word of each pair takes the place of the first: what is measured in rad is an angle.
    pub fn turned(
        mut self,
        units: fn(&str) -> Option<&'static str>,
        words: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.turned = Some((units, words));
        self
    }

    /// The figure as an SVG document.
    pub fn to_svg(&self) -> String {
        if let Some((of, words)) = self.turned {
            let mut other = Self { turned: None, ..self.clone() };
            for (word, other_word) in words {
                other.description = other.description.replace(word, other_word);
            }
            let panels = other.blocks.iter_mut().flatten().flatten();
            panels.for_each(|p| p.change_units(of, words));
            return other.to_svg();
        }
        let flat = self.title.flat();
        let description = if self.description.is_empty() { &flat } else { &self.description };
        layout::render(&self.title, description, self.width, &self.blocks)
    }
}
