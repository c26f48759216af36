//! A panel: two axes and what is drawn between them.

use super::axis::Axis;
use super::heat::Heat;
use super::numbers::{Numbers, join, range};
use super::style::Style;
use super::svg::Anchor;
use super::text::Text;
use std::borrow::Cow;

/// One thing drawn in a panel. Where two slices differ in length the shorter one counts.
#[derive(Debug, Clone)]
pub(crate) enum Mark<'a> {
    Line { x: Numbers<'a>, y: Numbers<'a>, step: bool, style: Style },
    Points { x: Numbers<'a>, y: Numbers<'a>, style: Style },
    Outline { x: Numbers<'a>, y: Numbers<'a>, style: Style },
    Between { x: Numbers<'a>, low: Numbers<'a>, high: Numbers<'a>, style: Style },
    Bars { edges: Numbers<'a>, heights: Numbers<'a>, style: Style },
    Bands { spans: Cow<'a, [(f64, f64)]>, style: Style },
    Horizontal { y: f64, style: Style },
    Vertical { x: f64, style: Style },
    Note { x: f64, y: f64, text: Text, anchor: Anchor },
    Tag { x: f64, text: Text },
    Heat(Heat<'a>),
}

impl Mark<'_> {
    /// Style, if the mark has an entry in the legend.
    pub fn entry(&self) -> Option<&Style> {
        let style = match self {
            // What does not occur in a picture has no name below its title: bands of a contact that never sticks.
            Self::Bands { spans, .. } if spans.is_empty() => return None,
            Self::Between { x, .. } if x.is_empty() => return None,
            Self::Line { style, .. }
            | Self::Points { style, .. }
            | Self::Outline { style, .. }
            | Self::Between { style, .. }
            | Self::Bars { style, .. }
            | Self::Bands { style, .. }
            | Self::Vertical { style, .. } => style,
            Self::Horizontal { .. } | Self::Note { .. } | Self::Tag { .. } | Self::Heat(_) => {
                return None;
            }
        };
        (!style.label.is_empty()).then_some(style)
    }

    /// Ranges of finite data in x and y, as far as they should set the axes.
    pub fn extent(&self) -> [Option<(f64, f64)>; 2] {
        match self {
            Self::Line { x, y, .. } | Self::Points { x, y, .. } | Self::Outline { x, y, .. } => {
                [range(x), range(y)]
            }
            Self::Between { x, low, high, .. } => [range(x), join(range(low), range(high))],
            Self::Bars { edges, heights, .. } => {
                [range(edges), join(range(heights), Some((0.0, 0.0)))]
            }
            Self::Horizontal { y, .. } => [None, range(&[*y])],
            Self::Note { x, y, .. } => [range(&[*x]), range(&[*y])],
            Self::Heat(heat) => [Some(heat.x), Some(heat.y)],
            Self::Bands { .. } | Self::Vertical { .. } | Self::Tag { .. } => [None, None],
        }
    }

    /// Whether the mark is data: a panel without any says so.
    pub fn is_data(&self) -> bool {
        let some = |v: &[f64]| v.iter().any(|v| v.is_finite());
        match self {
            Self::Line { x, y, .. } | Self::Points { x, y, .. } | Self::Outline { x, y, .. } => {
                some(x) && some(y)
            }
            Self::Between { x, low, high, .. } => some(x) && (some(low) || some(high)),
            Self::Bars { heights, .. } => some(heights),
            Self::Heat(heat) => some(&heat.values),
            _ => false,
        }
    }
}

/// Two axes and what is drawn between them, in the order of the calls except that areas lie below lines.
#[derive(Debug, Clone, Default)]
pub struct Panel<'a> {
    pub(crate) title: Text,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) height: Option<f64>,
    pub(crate) marks: Vec<Mark<'a>>,
}

impl<'a> Panel<'a> {
    /// An empty panel. In a stack the x axis of the lowest panel serves all.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, ..Self::default() }
    }

    /// A line above the panel.
    pub fn title(mut self, title: impl Into<Text>) -> Self {
        self.title = title.into();
        self
    }

    /// Height between the axes, px.
    pub fn height(mut self, px: f64) -> Self {
        self.height = Some(px.clamp(20.0, 5000.0));
        self
    }

    /// Takes the units that `of` knows for its own, and where it does, the words for what is measured in them.
    pub(crate) fn change_units(
        &mut self,
        of: fn(&str) -> Option<&'static str>,
        words: &[(&str, &str)],
    ) {
        self.x.change_unit(of, words);
        self.y.change_unit(of, words);
        for mark in &mut self.marks {
            if let Mark::Heat(heat) = mark
                && let Some(unit) = of(&heat.unit)
            {
                heat.unit = unit.to_owned();
            }
        }
    }

    fn mark(mut self, mark: Mark<'a>) -> Self {
        self.marks.push(mark);
        self
    }

    /// A line through points; a non-finite number interrupts it. A million points make a small file.
    pub fn line(
        self,
        x: impl Into<Numbers<'a>>,
        y: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Line { x: x.into(), y: y.into(), step: false, style: style.into() })
    }

    /// A line that keeps each value until the next point.
    pub fn step(
        self,
        x: impl Into<Numbers<'a>>,
        y: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Line { x: x.into(), y: y.into(), step: true, style: style.into() })
    }

    /// Points without a line.
    pub fn points(
        self,
        x: impl Into<Numbers<'a>>,
        y: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Points { x: x.into(), y: y.into(), style: style.into() })
    }

    /// A closed outline with a light filling: a slope triangle, a confidence region.
    pub fn outline(
        self,
        x: impl Into<Numbers<'a>>,
        y: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Outline { x: x.into(), y: y.into(), style: style.into() })
    }

    /// The area between two curves: an interval of confidence.
    pub fn between(
        self,
        x: impl Into<Numbers<'a>>,
        low: impl Into<Numbers<'a>>,
        high: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Between {
            x: x.into(),
            low: low.into(),
            high: high.into(),
            style: style.into(),
        })
    }

    /// Bars from 0 to `heights[i]` between `edges[i]` and `edges[i + 1]`: a histogram.
    pub fn bars(
        self,
        edges: impl Into<Numbers<'a>>,
        heights: impl Into<Numbers<'a>>,
        style: impl Into<Style>,
    ) -> Self {
        self.mark(Mark::Bars { edges: edges.into(), heights: heights.into(), style: style.into() })
    }

    /// Shaded stretches of the x axis over the whole height: phases, gaps.
    pub fn bands(self, spans: impl Into<Cow<'a, [(f64, f64)]>>, style: impl Into<Style>) -> Self {
        self.mark(Mark::Bands { spans: spans.into(), style: style.into() })
    }

    /// A horizontal reference line; its label stands at its right end.
    pub fn horizontal(self, y: f64, style: impl Into<Style>) -> Self {
        self.mark(Mark::Horizontal { y, style: style.into() })
    }

    /// A vertical reference line.
    pub fn vertical(self, x: f64, style: impl Into<Style>) -> Self {
        self.mark(Mark::Vertical { x, style: style.into() })
    }

    /// Text beside a point.
    pub fn note(self, x: f64, y: f64, text: impl Into<Text>, anchor: Anchor) -> Self {
        self.mark(Mark::Note { x, y, text: text.into(), anchor })
    }

    /// Text above the panel at `x`, with a fine line down: τ_{3/2}. Tags that would touch the one before
    /// are left out.
    pub fn tag(self, x: f64, text: impl Into<Text>) -> Self {
        self.mark(Mark::Tag { x, text: text.into() })
    }

    /// A heat map.
    pub fn heat(self, heat: Heat<'a>) -> Self {
        self.mark(Mark::Heat(heat))
    }

    /// The heat map of this panel, if it has one.
    pub(crate) fn heat_map(&self) -> Option<&Heat<'a>> {
        self.marks.iter().find_map(|m| if let Mark::Heat(heat) = m { Some(heat) } else { None })
    }

    /// Range of the data along x (0) or y (1).
    pub(crate) fn extent(&self, along: usize) -> Option<(f64, f64)> {
        let all = |positive: bool| {
            self.marks.iter().fold(None, |r, m| {
                let e = if positive { m.positive_extent(along) } else { m.extent()[along] };
                join(r, e)
            })
        };
        let axis = if along == 0 { &self.x } else { &self.y };
        all(axis.scale == super::axis::Scale::Log)
    }
}

impl Mark<'_> {
    /// The range as a logarithmic axis can show it: of the numbers above zero.
    fn positive_extent(&self, along: usize) -> Option<(f64, f64)> {
        let positive = |v: &[f64]| {
            v.iter()
                .filter(|v| v.is_finite() && **v > 0.0)
                .fold(None, |r, &v| join(r, Some((v, v))))
        };
        match self {
            Self::Line { x, y, .. } | Self::Points { x, y, .. } | Self::Outline { x, y, .. } => {
                positive(if along == 0 { x } else { y })
            }
            Self::Between { x, low, high, .. } => {
                if along == 0 {
                    positive(x)
                } else {
                    join(positive(low), positive(high))
                }
            }
            Self::Bars { edges, heights, .. } => positive(if along == 0 { edges } else { heights }),
            other => other.extent()[along].filter(|r| r.0 > 0.0),
        }
    }
}
