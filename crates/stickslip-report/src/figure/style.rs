//! How a mark looks.

use super::palette::Ink;
use super::text::Text;

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marker {
    /// A dot, the cheapest in bytes.
    #[default]
    Dot,
    /// A triangle on its base.
    Triangle,
    /// A square.
    Square,
    /// A diamond.
    Diamond,
    /// An upright cross.
    Plus,
    /// A diagonal cross.
    Cross,
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In dashes with a dot between two.
    DashDotted,
}

impl Dash {
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Solid => "",
            Self::Dashed => " stroke-dasharray=\"7 4\"",
            Self::Dotted => " stroke-dasharray=\"1.5 3.5\" stroke-linecap=\"round\"",
            Self::DashDotted => " stroke-dasharray=\"9 3 1.5 3\"",
        }
    }
}

/// How a mark looks, and its name in the legend.
#[derive(Debug, Clone, Default)]
pub struct Style {
    pub(crate) ink: Ink,
    pub(crate) width: Option<f64>,
    pub(crate) dash: Dash,
    pub(crate) opacity: Option<f64>,
    pub(crate) marker: Marker,
    pub(crate) size: Option<f64>,
    pub(crate) label: Text,
}

impl Style {
    /// The usual look in `ink`, without an entry in the legend.
    pub fn new(ink: Ink) -> Self {
        Self { ink, ..Self::default() }
    }

    /// The look of the i-th of several lines in one panel: each has a colour and a dash of its own, so that they are told apart in
    /// print without colours too, and so that one which covers another lets it be seen. It starts over after twelve.
    pub fn series(i: usize) -> Self {
        let dashes = [Dash::Solid, Dash::Dashed, Dash::DashDotted, Dash::Dotted];
        Self { dash: dashes[i % dashes.len()], ..Self::new(Ink::series(i)) }
    }

    /// The name in the legend.
    pub fn label(mut self, label: impl Into<Text>) -> Self {
        self.label = label.into();
        self
    }

    /// Width of a line, px.
    pub fn width(mut self, px: f64) -> Self {
        self.width = Some(px);
        self
    }

    /// Breaks the line in dashes.
    pub fn dashed(mut self) -> Self {
        self.dash = Dash::Dashed;
        self
    }

    /// Breaks the line in dots.
    pub fn dotted(mut self) -> Self {
        self.dash = Dash::Dotted;
        self
    }

    /// From 0 (invisible) to 1.
    pub fn opacity(mut self, opacity: f64) -> Self {
        self.opacity = Some(opacity.clamp(0.0, 1.0));
        self
    }

    /// The shape of points.
    pub fn marker(mut self, marker: Marker) -> Self {
        self.marker = marker;
        self
    }

    /// Size of points, px across.
    pub fn size(mut self, px: f64) -> Self {
        self.size = Some(px);
        self
    }

    /// ` opacity="…"` or nothing.
    pub(crate) fn opacity_attribute(&self, usual: f64) -> String {
        let opacity = self.opacity.unwrap_or(usual);
        if opacity < 1.0 { format!(" opacity=\"{opacity}\"") } else { String::new() }
    }

    /// Attributes of a line in this style.
    pub(crate) fn stroke(&self, usual_width: f64) -> String {
        let width = super::px::Px(self.width.unwrap_or(usual_width));
        let letter = self.ink.letter();
        let dash = self.dash.attribute();
        format!(
            "class=\"n s{letter}\" stroke-width=\"{width}\"{dash}{}",
            self.opacity_attribute(1.0)
        )
    }

    /// Attributes of an area in this style.
    pub(crate) fn fill(&self, usual_opacity: f64) -> String {
        format!("class=\"f{}\"{}", self.ink.letter(), self.opacity_attribute(usual_opacity))
    }
}

impl From<Ink> for Style {
    fn from(ink: Ink) -> Self {
        Self::new(ink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_series_look_different() {
        let looks: Vec<_> = (0..12).map(Style::series).map(|s| (s.ink, s.dash)).collect();
        for (i, look) in looks.iter().enumerate() {
            assert!(!looks[..i].contains(look), "{i}: {look:?}");
        }
        // Of four, none needs its colour.
        for i in 0..4 {
            assert!(looks[..i].iter().all(|other| other.1 != looks[i].1), "{i}");
        }
    }
}
