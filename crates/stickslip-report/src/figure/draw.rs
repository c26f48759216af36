//! Marks to SVG.

use super::axis::Ruler;
use super::decimate::{corridor, extremes, rises, unseen};
use super::heat::Page;
use super::markers::markers;
use super::panel::{Mark, Panel};
use super::px::{Px, TICK};
use super::style::Style;
use super::svg::{self, Anchor, Lettering, Path};
use super::text::Text;
use super::ticks::Ticks;
use std::collections::HashSet;
use std::fmt::Write;

/// Where a panel lies: its two axes on the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub x: Ruler,
    pub y: Ruler,
}

/// Points within this distance of a line through their neighbours, px, are left out.
const TOLERANCE: f64 = 0.12;
/// A longer path than this is looked at for parts that are drawn already.
const LONG: usize = 20_000;

/// Points from which a cloud is seen and no longer each of them: it lies below the lines, which it would hide.
const CLOUD: usize = 500;

fn is_cloud(mark: &Mark<'_>) -> bool {
    matches!(mark, Mark::Points { x, .. } if x.len() > CLOUD)
}

impl Frame {
    /// Its left edge, px.
    pub fn left(&self) -> f64 {
        self.x.from
    }
    /// Its upper edge, px.
    pub fn top(&self) -> f64 {
        self.y.to
    }
    /// Its lower edge, px.
    pub fn bottom(&self) -> f64 {
        self.y.from
    }

    fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let p = (self.x.px(x), self.y.px(y));
        // Far beyond the frame direction is all that counts.
        (p.0.is_finite() && p.1.is_finite()).then(|| (p.0.clamp(-2e4, 2e4), p.1.clamp(-2e4, 2e4)))
    }

    /// Pieces of a polyline on the page, with as few points as the picture needs.
    fn pieces(&self, x: &[f64], y: &[f64], step: bool) -> Vec<Vec<(f64, f64)>> {
        let n = x.len().min(y.len());
        let x = &x[..n];
        let y = &y[..n];
        let mut pieces = vec![Vec::new()];
        let mut put = |at: Option<(f64, f64)>| match (at, pieces.last_mut()) {
            (Some((px, py)), Some(piece)) => {
                if let (true, Some(&(_, before))) = (step, piece.last()) {
                    piece.push((px, before));
                }
                piece.push((px, py));
            }
            _ => pieces.push(Vec::new()),
        };
        if rises(x) {
            let columns = self.x.length().ceil() as usize;
            let low = self.x.low;
            let high = self.x.high;
            extremes(x, y, low, high, columns).into_iter().for_each(|i| put(self.at(x[i], y[i])));
        } else {
            (0..n).for_each(|i| put(self.at(x[i], y[i])));
        }
        pieces.retain(|p| !p.is_empty());
        pieces.iter().map(|p| corridor(p, TOLERANCE)).collect()
    }

    fn line(&self, out: &mut String, x: &[f64], y: &[f64], step: bool, style: &Style) {
        let pieces = self.pieces(x, y, step);
        let count: usize = pieces.iter().map(Vec::len).sum();
        let mut path = Path::of(count);
        // Where a path fills its panel, coarser and coarser until the file is small.
        let coarse = |grain: f64| -> Vec<_> { pieces.iter().map(|p| unseen(p, grain)).collect() };
        if count > LONG {
            let mut drawn = coarse(0.7);
            for grain in [1.2, 2.0, 3.0] {
                if drawn.iter().map(Vec::len).sum::<usize>() > 2 * LONG {
                    drawn = coarse(grain);
                }
            }
            for point in drawn.iter().flatten() {
                match *point {
                    Some((x, y)) => path.line_to(x, y),
                    None => path.lift(),
                }
            }
        } else {
            for piece in &pieces {
                piece.iter().for_each(|&(x, y)| path.line_to(x, y));
                path.lift();
            }
        }
        // A piece of one point is visible by its round cap.
        let cap =
            if style.dash == super::style::Dash::Solid { " stroke-linecap=\"round\"" } else { "" };
        svg::path(out, &path.finish(), &format!("{}{cap}", style.stroke(1.8)));
    }

    fn points(&self, out: &mut String, x: &[f64], y: &[f64], style: &Style) {
        let inside =
            x.iter().zip(y).filter_map(|(&x, &y)| Some((self.x.inside(x)?, self.y.inside(y)?)));
        let mut places: Vec<(f64, f64)> = inside.collect();
        // Points on the same fraction of a pixel are one.
        for (many, cells) in [(2000, 2.0), (LONG, 1.0), (2 * LONG, 0.6)] {
            if places.len() > many {
                let mut seen = HashSet::new();
                let cell = |v: f64| (cells * v).round() as i32;
                places.retain(|p| seen.insert((cell(p.0), cell(p.1))));
            }
        }
        let usual = if places.len() > CLOUD { 3.0 } else { 5.0 };
        markers(out, &places, style, style.size.unwrap_or(usual));
    }

    fn between(&self, out: &mut String, x: &[f64], low: &[f64], high: &[f64], style: &Style) {
        let n = x.len().min(low.len()).min(high.len());
        // Both edges must break at the same places.
        let mask = |a: &[f64], b: &[f64]| -> Vec<f64> {
            (0..n).map(|i| if b[i].is_finite() { a[i] } else { f64::NAN }).collect()
        };
        let (low, high) = (mask(low, high), mask(high, low));
        let below = self.pieces(&x[..n], &low, false);
        let above = self.pieces(&x[..n], &high, false);
        let mut path = Path::of(below.iter().map(Vec::len).sum());
        for (b, a) in below.iter().zip(&above) {
            b.iter().for_each(|&(x, y)| path.line_to(x, y));
            a.iter().rev().for_each(|&(x, y)| path.line_to(x, y));
            path.close();
        }
        svg::path(out, &path.finish(), &style.fill(0.25));
    }

    fn bars(&self, out: &mut String, edges: &[f64], heights: &[f64], style: &Style) {
        let mut path = Path::of(heights.len());
        let floor = self.y.inside(0.0).unwrap_or(self.bottom());
        for (w, &h) in edges.windows(2).zip(heights) {
            let (Some((a, top)), Some((b, _))) = (self.at(w[0], h), self.at(w[1], h)) else {
                continue;
            };
            // A hair of background between bars that are wide enough for it.
            let gap = if (b - a).abs() > 4.0 { 0.5 } else { 0.0 };
            path.move_to(a + gap, floor);
            path.line_to(a + gap, top);
            path.line_to(b - gap, top);
            path.line_to(b - gap, floor);
            path.close();
        }
        svg::path(out, &path.finish(), &style.fill(0.75));
    }

    fn bands(&self, out: &mut String, spans: &[(f64, f64)], style: &Style) {
        let top = self.top();
        let height = self.y.length();
        let mut path = Path::of(spans.len());
        let mut end = f64::NEG_INFINITY;
        for &(a, b) in spans {
            if a > self.x.high || b < self.x.low || a.is_nan() || b.is_nan() {
                continue;
            }
            let a = self.x.px(a.max(self.x.low));
            let b = self.x.px(b.min(self.x.high));
            // Bands too narrow to be seen apart grow together instead of filling the file.
            if b - end < 0.25 {
                continue;
            }
            path.move_to(a.max(end), top);
            path.line_to(b, top);
            path.line_to(b, top + height);
            path.line_to(a.max(end), top + height);
            path.close();
            end = b;
        }
        svg::path(out, &path.finish(), &style.fill(0.16));
    }

    fn heat(&self, out: &mut String, heat: &super::heat::Heat<'_>) {
        let a = self.x.px(heat.x.0);
        let b = self.x.px(heat.x.1);
        let low = self.y.px(heat.y.0);
        let high = self.y.px(heat.y.1);
        let mut picture = |page: Page, class: &str| {
            let Some(url) = heat.data_url(page) else { return };
            let _ = writeln!(
                out,
                "<image{class} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
                 style=\"image-rendering:pixelated\" href=\"{url}\"/>",
                Px(a),
                Px(high),
                Px(b - a),
                Px(low - high)
            );
        };
        if !heat.classes {
            return picture(Page::Light, "");
        }
        // Classes have the inks of their legend: one picture for each page, of which one is shown.
        picture(Page::Light, " class=\"day\"");
        picture(Page::Dark, " class=\"night\"");
        out.push_str(
            "<style>.ss .night{display:none}@media screen and (prefers-color-scheme:dark){\
             .ss .day{display:none}.ss .night{display:inline}}</style>\n",
        );
    }

    /// What belongs inside the frame and is cut off by it.
    pub fn clipped(&self, panel: &Panel<'_>, out: &mut String) {
        let areas = |m: &&Mark<'_>| {
            matches!(
                m,
                Mark::Bands { .. } | Mark::Heat(_) | Mark::Between { .. } | Mark::Bars { .. }
            ) || is_cloud(m)
        };
        let marks = panel.marks.iter();
        for mark in marks.clone().filter(areas).chain(marks.filter(|m| !areas(m))) {
            match mark {
                Mark::Line { x, y, step, style } => self.line(out, x, y, *step, style),
                Mark::Between { x, low, high, style } => self.between(out, x, low, high, style),
                Mark::Bars { edges, heights, style } => self.bars(out, edges, heights, style),
                Mark::Bands { spans, style } => self.bands(out, spans, style),
                Mark::Heat(heat) => self.heat(out, heat),
                Mark::Outline { x, y, style } => {
                    let mut path = Path::of(x.len());
                    x.iter()
                        .zip(y.iter())
                        .filter_map(|(&x, &y)| self.at(x, y))
                        .for_each(|(x, y)| path.line_to(x, y));
                    path.close();
                    let data = path.finish();
                    svg::path(out, &data, &style.fill(0.12));
                    svg::path(out, &data, &style.stroke(1.3));
                }
                Mark::Horizontal { y, style } => {
                    if let Some(y) = self.y.inside(*y) {
                        let _ = writeln!(
                            out,
                            "<path d=\"M{} {}h{}\" {}/>",
                            Px(self.left()),
                            Px(y),
                            Px(self.x.length()),
                            style.stroke(1.2)
                        );
                    }
                }
                Mark::Vertical { x, style } => self.upright(out, *x, &style.stroke(1.2)),
                Mark::Tag { x, .. } => {
                    self.upright(out, *x, "class=\"n sy\" stroke-dasharray=\"1.5 3\"")
                }
                Mark::Points { x, y, style } if is_cloud(mark) => self.points(out, x, y, style),
                Mark::Points { .. } | Mark::Note { .. } => {}
            }
        }
    }

    fn upright(&self, out: &mut String, x: f64, attributes: &str) {
        if let Some(x) = self.x.inside(x) {
            let _ = writeln!(
                out,
                "<path d=\"M{} {}v{}\" {attributes}/>",
                Px(x),
                Px(self.top()),
                Px(self.y.length())
            );
        }
    }

    /// What may reach beyond the frame: points at its edge, text.
    pub fn unclipped(&self, panel: &Panel<'_>, out: &mut String) {
        for mark in &panel.marks {
            match mark {
                Mark::Points { x, y, style } if !is_cloud(mark) => self.points(out, x, y, style),
                Mark::Note { x, y, text, anchor } => self.note(out, (*x, *y), text, *anchor),
                _ => {}
            }
        }
    }

    fn note(&self, out: &mut String, at: (f64, f64), text: &Text, anchor: Anchor) {
        let (Some(px), Some(py)) = (self.x.inside(at.0), self.y.inside(at.1)) else { return };
        let width = text.width(TICK);
        // A note stays on the panel whatever its anchor.
        let left = self.left();
        let right = self.left() + self.x.length();
        let start = match anchor {
            Anchor::Start => px + 6.0,
            Anchor::Middle => px - 0.5 * width,
            Anchor::End => px - 6.0 - width,
        }
        .min(right - width)
        .max(left + 2.0);
        let above = if anchor == Anchor::Middle { py - 7.0 } else { py + 0.35 * TICK };
        let line = above.clamp(self.top() + TICK, self.bottom() - 4.0);
        let how = Lettering::new((start, line), TICK, Anchor::Start).class("ha");
        svg::text(out, how, text);
    }

    /// Whether a value of y has a place.
    pub fn height_of(&self, y: f64) -> Option<f64> {
        self.y.inside(y)
    }
}

/// Grid lines, axis lines, ticks and their labels. `labels`: the x axis carries numbers.
pub(crate) fn axes(frame: &Frame, x: &Ticks, y: &Ticks, labels: bool, out: &mut String) {
    let left = frame.left();
    let right = frame.left() + frame.x.length();
    let top = frame.top();
    let bottom = frame.bottom();
    let mut ticks = String::new();
    let _ = write!(ticks, "M{} {}V{}H{}", Px(left), Px(top), Px(bottom), Px(right));
    let across = |v: f64, length: f64, ticks: &mut String| {
        if let Some(px) = frame.x.inside(v) {
            let _ = write!(ticks, "M{} {}v{length}", Px(px), Px(bottom));
        }
    };
    x.major.iter().for_each(|t| across(t.0, 5.0, &mut ticks));
    x.minor.iter().for_each(|v| across(*v, 3.0, &mut ticks));
    let up = |v: f64, length: f64, ticks: &mut String| {
        if let Some(px) = frame.y.inside(v) {
            let _ = write!(ticks, "M{} {}h-{length}", Px(left), Px(px));
        }
    };
    y.major.iter().for_each(|t| up(t.0, 5.0, &mut ticks));
    y.minor.iter().for_each(|v| up(*v, 3.0, &mut ticks));
    svg::path(out, &ticks, "class=\"ax\"");
    for (v, label) in &y.major {
        if let Some(px) = frame.y.inside(*v) {
            let at = (left - 8.0, px + 0.35 * TICK);
            svg::text(out, Lettering::new(at, TICK, Anchor::End), label);
        }
    }
    if labels {
        for (line, set) in [&x.major, &x.context].into_iter().enumerate() {
            for (v, label) in set {
                if let Some(px) = frame.x.inside(*v) {
                    let y = bottom + 8.0 + TICK * (0.9 + 1.15 * line as f64);
                    svg::text(out, Lettering::new((px, y), TICK, Anchor::Middle), label);
                }
            }
        }
    }
}

/// Fine lines at the ticks, below the data.
pub(crate) fn grid(frame: &Frame, x: &Ticks, y: &Ticks, out: &mut String) {
    let mut d = String::new();
    for px in y.major.iter().filter_map(|t| frame.y.inside(t.0)) {
        let _ = write!(d, "M{} {}h{}", Px(frame.left()), Px(px), Px(frame.x.length()));
    }
    for px in x.major.iter().filter_map(|t| frame.x.inside(t.0)) {
        let _ = write!(d, "M{} {}v{}", Px(px), Px(frame.top()), Px(frame.y.length()));
    }
    svg::path(out, &d, "class=\"gr\"");
}
