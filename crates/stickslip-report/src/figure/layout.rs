//! Where everything goes: margins from labels, panels in columns, columns in blocks.

use super::axis::{Axis, Ruler, Scale, axis_title};
use super::draw::{self, Frame};
use super::numbers::join;
use super::panel::{Mark, Panel};
use super::px::{Px, TICK};
use super::svg::{self, Anchor, Lettering};
use super::text::Text;
use super::ticks::{Ticks, thousands};
use super::{colour_bar, legend, palette};
use std::collections::HashMap;
use std::fmt::Write;

/// Font sizes beside [`TICK`], px.
const LABEL: f64 = 15.5;
const TITLE: f64 = 16.5;
/// From one line of the name of an axis to the next.
const LINE: f64 = 1.15 * LABEL;
/// Against the height of its panel, the length from which the name of an axis takes two lines: the widths of names are bounds, and
/// a name may reach up a little, beside a legend.
const LONGEST: f64 = 1.1;
/// Height of a line of tags.
const TAG: f64 = 1.45 * TICK;
/// Around the figure.
const EDGE: f64 = 8.0;
/// Between columns.
const GAP: f64 = 14.0;
/// Above a panel at least.
const GAP_ABOVE: f64 = 8.0;

/// A power of ten for each unit.
type Powers<'p> = HashMap<&'p str, i32>;

/// Panels one above the other with one x axis.
struct Column<'p, 'a> {
    panels: &'p [Panel<'a>],
    y: Vec<(Ruler, Ticks)>,
    /// The names of the y axes, each in one line or two.
    names: Vec<Vec<Text>>,
    left: f64,
    right: f64,
    x: Ruler,
    x_ticks: Ticks,
}

/// Height of each row: title, legend and tags above; plot; numbers and label below.
#[derive(Clone, Copy, Default)]
struct Row {
    above: f64,
    plot: f64,
    below: f64,
}

fn plot_height(panel: &Panel<'_>, stacked: usize, columns: usize) -> f64 {
    panel.height.unwrap_or(match (stacked, columns) {
        (1, 1) => 290.0,
        (1, _) => 240.0,
        (2, _) => 170.0,
        _ => 140.0,
    })
}

impl<'p, 'a> Column<'p, 'a> {
    /// One of `columns` side by side, from x on, so wide.
    fn new(
        panels: &'p [Panel<'a>],
        columns: usize,
        powers: &Powers<'_>,
        (x, width): (f64, f64),
    ) -> Self {
        let of_figure = |axis: &Axis| axis.clone().with_power(powers.get(axis.unit.as_str()));
        let axis = &of_figure(&panels[panels.len() - 1].x);
        let heights = panels.iter().map(|p| plot_height(p, panels.len(), columns));
        let y: Vec<_> = panels
            .iter()
            .zip(heights)
            .map(|(p, h)| {
                let ruler = Ruler::new(&p.y, p.extent(1), h, 0.0);
                let ruler = fit_areas(ruler, p, 1);
                let shown = p.y.limits.is_some() || p.extent(1).is_some();
                let ticks = if shown {
                    ruler.ticks(&of_figure(&p.y), TICK, false)
                } else {
                    Ticks::named(&p.y.unit)
                };
                (ruler, ticks)
            })
            .collect();
        let numbers =
            y.iter().flat_map(|(_, t)| &t.major).map(|(_, l)| l.width(TICK)).fold(0.0, f64::max);
        let names: Vec<Vec<Text>> = panels
            .iter()
            .zip(&y)
            .map(|(p, (r, t))| {
                let name = axis_title(&p.y.label, &t.unit, &p.y.unit, p.y.scale);
                in_lines(name, LABEL, LONGEST * r.length())
            })
            .collect();
        let left = numbers
            + 10.0
            + match names.iter().map(Vec::len).max().unwrap_or(0) {
                0 => 0.0,
                lines => 1.5 * LABEL + (lines - 1) as f64 * LINE,
            };
        let right = panels
            .iter()
            .zip(&y)
            .map(|(p, (r, _))| right_margin(p, r.length()))
            .fold(6.0, f64::max);
        let limits = panels.iter().find_map(|p| p.x.limits);
        let axis_used = Axis { limits: limits.or(axis.limits), ..axis.clone() };
        let data = panels.iter().fold(None, |r, p| join(r, p.extent(0)));
        let mut ruler = Ruler::new(&axis_used, data, x + left, x + width - right);
        if let [only] = panels {
            ruler = fit_areas(ruler, only, 0);
        }
        let shown = data.is_some() || axis_used.limits.is_some();
        let mut ticks =
            if shown { ruler.ticks(axis, TICK, true) } else { Ticks::named(&axis.unit) };
        // The last number may reach beyond the axis, but not beyond the column.
        let reach = |t: &Ticks, r: &Ruler| {
            t.major
                .iter()
                .chain(&t.context)
                .map(|(v, l)| r.px(*v) + 0.5 * l.width(TICK) - (x + width))
                .fold(0.0, f64::max)
        };
        let over = reach(&ticks, &ruler);
        if over > 0.0 {
            ruler = ruler.over(x + left, x + width - right - over);
            ticks = ruler.ticks(axis, TICK, true);
        }
        Self { panels, y, names, left, right, x: ruler, x_ticks: ticks }
    }

    fn x_axis(&self) -> &Axis {
        &self.panels[self.panels.len() - 1].x
    }

    fn row(&self, i: usize) -> Row {
        let p = &self.panels[i];
        let title = if p.title.is_empty() { 0.0 } else { 1.5 * TITLE };
        let tags = self.tags(p).iter().map(|t| (t.1 + 1) as f64 * TAG).fold(0.0, f64::max);
        let above = title + legend::height(p, self.x.length()) + tags;
        let last = i + 1 == self.panels.len();
        let lines = if !last {
            0.0
        } else if self.x_ticks.context.is_empty() {
            1.0
        } else {
            2.0
        };
        let named = last && !self.x_title().is_empty();
        let below = if last { 12.0 + lines * 1.15 * TICK } else { 0.0 }
            + if named { 1.35 * LABEL } else { 0.0 };
        let above = above + self.gap(i, above);
        Row { above, plot: self.y[i].0.length(), below }
    }

    /// Room above panel `i` beside what stands there: numbers at the ends of two axes, one above the other, must
    /// not touch.
    fn gap(&self, i: usize, above: f64) -> f64 {
        let places = |i: usize| {
            let (ruler, ticks) = &self.y[i];
            ticks.major.iter().filter_map(|(v, _)| ruler.inside(*v)).collect::<Vec<_>>()
        };
        let Some(before) = i.checked_sub(1) else { return GAP_ABOVE };
        if [before, i].iter().all(|&i| self.panels[i].heat_map().is_some()) {
            // Colour bars have numbers of their own, also at their ends.
            return GAP_ABOVE.max(1.1 * TICK - above);
        }
        let height = self.y[before].0.length();
        let lowest = places(before).into_iter().fold(f64::INFINITY, |m, y| m.min(height - y));
        let highest = places(i).into_iter().fold(f64::INFINITY, f64::min);
        GAP_ABOVE.max(1.1 * TICK - lowest - highest - above)
    }

    fn x_title(&self) -> Text {
        let axis = self.x_axis();
        axis_title(&axis.label, &self.x_ticks.unit, &axis.unit, axis.scale)
    }

    fn draw(&self, i: usize, top: f64, row: Row, out: &mut String) {
        let panel = &self.panels[i];
        let plot = top + row.above;
        let frame = Frame { x: self.x, y: self.y[i].0.over(plot + row.plot, plot) };
        self.draw_head(i, plot, out);
        draw::grid(&frame, &self.x_ticks, &self.y[i].1, out);
        self.draw_data(panel, &frame, out);
        draw::axes(&frame, &self.x_ticks, &self.y[i].1, i + 1 == self.panels.len(), out);
        frame.unclipped(panel, out);
        self.right_labels(panel, &frame, out);
        if let Some(heat) = panel.heat_map() {
            colour_bar::draw(heat, frame.left() + frame.x.length() + 12.0, &frame, out);
        }
        self.draw_axis_names(i, &frame, out);
    }

    /// Title, legend and tags stand on the frame, which begins at `plot`; what is not needed stays free
    /// at the top.
    fn draw_head(&self, i: usize, plot: f64, out: &mut String) {
        let panel = &self.panels[i];
        let left = self.x.from;
        let width = self.x.length();
        let mut line = plot - self.row(i).above;
        if !panel.title.is_empty() {
            let size = shrink(&panel.title, TITLE, width + self.right);
            let how = Lettering::new((left, line + TITLE), size, Anchor::Start).class("t");
            svg::text(out, how, &panel.title);
            line += 1.5 * TITLE;
        }
        legend::draw(panel, (left, line), width, out);
        for (x, line, text) in self.tags(panel) {
            let at = (x, plot - 7.0 - line as f64 * TAG);
            svg::text(out, Lettering::new(at, TICK, Anchor::Middle), text);
        }
    }

    fn draw_data(&self, panel: &Panel<'_>, frame: &Frame, out: &mut String) {
        let left = frame.left();
        let top = frame.top();
        let width = frame.x.length();
        let height = frame.bottom() - top;
        if !panel.marks.iter().any(Mark::is_data) {
            let middle = (left + 0.5 * width, top + 0.5 * height + 0.35 * LABEL);
            let how = Lettering::new(middle, LABEL, Anchor::Middle).class("fy");
            return svg::text(out, how, &Text::plain("no data"));
        }
        // A nested picture cuts off what lies outside, without the names that clip paths need.
        let _ = writeln!(
            out,
            "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\" overflow=\"hidden\">",
            Px(left - 1.0),
            Px(top - 1.0),
            Px(width + 2.0),
            Px(height + 2.0)
        );
        frame.clipped(panel, out);
        out.push_str("</svg>\n");
    }

    fn draw_axis_names(&self, i: usize, frame: &Frame, out: &mut String) {
        let left = self.x.from;
        let width = self.x.length();
        let height = frame.bottom() - frame.top();
        let lines = &self.names[i];
        // A name of one line stands as near to the numbers as the second line of the others.
        let most = self.names.iter().map(Vec::len).max().unwrap_or(0);
        let room = height + 0.8 * self.row(i).above;
        let size = lines.iter().map(|l| shrink(l, LABEL, room)).fold(LABEL, f64::min);
        for (k, line) in lines.iter().enumerate() {
            // What is longer than the panel reaches up, beside its legend, and not down to the name of the next panel.
            let lift = 0.5 * (line.width(size) - height).max(0.0);
            let at = left - self.left + 0.95 * LABEL + (most - lines.len() + k) as f64 * LINE;
            svg::text_upwards(out, (at, frame.top() + 0.5 * height - lift), size, line);
        }
        let name = self.x_title();
        if i + 1 == self.panels.len() && !name.is_empty() {
            let lines = if self.x_ticks.context.is_empty() { 1.0 } else { 2.0 };
            let at = (left + 0.5 * width, frame.bottom() + 12.0 + lines * 1.15 * TICK + LABEL);
            let size = shrink(&name, LABEL, width + self.left);
            svg::text(out, Lettering::new(at, size, Anchor::Middle), &name);
        }
    }

    /// Tags with their places and lines: 0 next to the panel, 1 above where they would touch; those with
    /// no place on either are left out.
    fn tags<'m>(&self, panel: &'m Panel<'_>) -> Vec<(f64, usize, &'m Text)> {
        let mut tags: Vec<_> = panel
            .marks
            .iter()
            .filter_map(|m| match m {
                Mark::Tag { x, text } => Some((self.x.inside(*x)?, text)),
                _ => None,
            })
            .collect();
        in_order(&mut tags);
        let mut ends = [f64::NEG_INFINITY; 2];
        let place = |(x, text): (f64, &'m Text)| {
            let half = 0.5 * text.width(TICK);
            let line = ends.iter().position(|end| x - half > end + 3.0)?;
            ends[line] = x + half;
            Some((x, line, text))
        };
        tags.into_iter().filter_map(place).collect()
    }

    /// Names of horizontal lines at their right ends, moved apart where they would touch.
    fn right_labels(&self, panel: &Panel<'_>, frame: &Frame, out: &mut String) {
        let mut labels: Vec<_> = panel
            .marks
            .iter()
            .filter_map(|m| match m {
                Mark::Horizontal { y, style } if !style.label.is_empty() => {
                    Some((frame.height_of(*y)?, style))
                }
                _ => None,
            })
            .collect();
        in_order(&mut labels);
        let apart = 1.08 * TICK;
        // Pairs that touch give way to both sides; a few rounds settle any realistic set.
        for _ in 0..20 {
            for i in 1..labels.len() {
                let lack = apart - (labels[i].0 - labels[i - 1].0);
                if lack > 0.0 {
                    labels[i - 1].0 -= 0.5 * lack;
                    labels[i].0 += 0.5 * lack;
                }
            }
        }
        for (y, style) in labels {
            let at = (self.x.from + self.x.length() + 6.0, y + 0.35 * TICK);
            svg::text(out, Lettering::new(at, TICK, Anchor::Start), &style.label);
        }
    }
}

/// Bars stand on their axis and a heat map fills its panel: no margin there.
fn fit_areas(ruler: Ruler, panel: &Panel<'_>, along: usize) -> Ruler {
    let axis = if along == 0 { &panel.x } else { &panel.y };
    if axis.limits.is_some() {
        return ruler;
    }
    let mut out = ruler;
    for mark in &panel.marks {
        match mark {
            Mark::Heat(h) => {
                let (a, b) = if along == 0 { h.x } else { h.y };
                if a < b && (axis.scale != Scale::Log || a > 0.0) {
                    (out.low, out.high) = (a, b);
                }
            }
            Mark::Bars { heights, .. }
                if along == 1
                    && axis.scale == Scale::Linear
                    && heights.iter().all(|h| h.is_nan() || *h >= 0.0) =>
            {
                out.low = 0.0;
            }
            _ => {}
        }
    }
    if out.low < out.high { out } else { ruler }
}

/// Puts a few items in the order of their places; equal ones keep theirs.
fn in_order<T>(items: &mut [(f64, T)]) {
    for i in 1..items.len() {
        for k in (1..=i).rev() {
            if items[k - 1].0.total_cmp(&items[k].0).is_le() {
                break;
            }
            items.swap(k - 1, k);
        }
    }
}

fn right_margin(panel: &Panel<'_>, height: f64) -> f64 {
    let bar = panel.heat_map().map_or(0.0, |h| colour_bar::width(h, height) + 4.0);
    let names = panel.marks.iter().filter_map(|m| match m {
        Mark::Horizontal { style, .. } if !style.label.is_empty() => {
            Some(style.label.width(TICK) + 8.0)
        }
        _ => None,
    });
    names.fold(bar, f64::max)
}

/// A name in one line, or in two where it is longer than `room`; in none where it is empty.
fn in_lines(name: Text, size: f64, room: f64) -> Vec<Text> {
    if name.is_empty() {
        return Vec::new();
    }
    match name.halves().filter(|_| name.width(size) > room) {
        Some((first, second)) => vec![first, second],
        None => vec![name],
    }
}

/// The font size at which a text has room, not below 60 %.
fn shrink(text: &Text, size: f64, room: f64) -> f64 {
    let width = text.width(size);
    if width <= room { size } else { size * (room / width).max(0.6) }
}

/// The powers of ten by which the linear axes of each unit divide their numbers: that which suits the greatest of them.
fn powers<'p>(blocks: &'p [Vec<Vec<Panel<'_>>>]) -> Powers<'p> {
    let own = |axis: &Axis, data: Option<(f64, f64)>| {
        let (low, high) = axis.limits.or(data)?;
        let shown = axis.scale == Scale::Linear && axis.names.is_empty() && !axis.unit.is_empty();
        let power = thousands(low, high, &axis.unit);
        shown.then(|| axis.power.map_or(power, |agreed| agreed.max(power)))
    };
    let mut agreed = Powers::new();
    for panel in blocks.iter().flatten().flatten() {
        for (along, axis) in [&panel.x, &panel.y].into_iter().enumerate() {
            if let Some(power) = own(axis, panel.extent(along)) {
                let greatest = agreed.entry(axis.unit.as_str()).or_insert(power);
                *greatest = power.max(*greatest);
            }
        }
    }
    agreed
}

/// Writes a figure of the given width: blocks of columns of panels.
pub(crate) fn render(
    title: &Text,
    description: &str,
    width: f64,
    blocks: &[Vec<Vec<Panel<'_>>>],
) -> String {
    let powers = powers(blocks);
    let mut body = String::new();
    let mut y = EDGE;
    if !title.is_empty() {
        let size = shrink(title, 1.1 * TITLE, width - 2.0 * EDGE);
        let how = Lettering::new((EDGE, y + TITLE), size, Anchor::Start).class("t");
        svg::text(&mut body, how, title);
        y += 1.6 * TITLE;
    }
    for block in blocks {
        let columns: Vec<&[Panel<'_>]> =
            block.iter().map(Vec::as_slice).filter(|c| !c.is_empty()).collect();
        let n = columns.len();
        let each = (width - 2.0 * EDGE - GAP * n.saturating_sub(1) as f64) / n.max(1) as f64;
        let columns: Vec<Column<'_, '_>> = columns
            .into_iter()
            .enumerate()
            .map(|(i, panels)| {
                Column::new(panels, n, &powers, (EDGE + i as f64 * (each + GAP), each))
            })
            .collect();
        let rows = columns.iter().map(|c| c.panels.len()).max().unwrap_or(0);
        for i in 0..rows {
            let with: Vec<&Column<'_, '_>> =
                columns.iter().filter(|c| i < c.panels.len()).collect();
            let row = with.iter().map(|c| c.row(i)).fold(Row::default(), |a, b| Row {
                above: a.above.max(b.above),
                plot: a.plot.max(b.plot),
                below: a.below.max(b.below),
            });
            with.iter().for_each(|c| c.draw(i, y, row, &mut body));
            y += row.above + row.plot + row.below + 6.0;
        }
    }
    let mut label = String::new();
    super::text::escape(&mut label, if description.is_empty() { "figure" } else { description });
    let w = Px(width);
    let h = Px(y + 2.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ss\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\" aria-label=\"{label}\">\n{}<rect width=\"{w}\" height=\"{h}\" class=\"bg\"/>\n{body}</svg>\n",
        palette::style()
    )
}
