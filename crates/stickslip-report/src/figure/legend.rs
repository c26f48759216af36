//! The legend: a row above the panel, where it cannot cover data.

use super::markers::markers;
use super::panel::{Mark, Panel};
use super::px::{Px, TICK};
use super::style::Style;
use super::svg::{self, Anchor, Lettering};
use std::fmt::Write;

/// Width of the sample before a name, px.
const SAMPLE: f64 = 22.0;
/// The same for points.
const POINT: f64 = 11.0;

fn sample(mark: &Mark<'_>) -> f64 {
    if matches!(mark, Mark::Points { .. } | Mark::Vertical { .. }) { POINT } else { SAMPLE }
}

/// An entry: the mark it stands for, and where it goes: row and distance from the left.
struct Entry<'p, 'a> {
    mark: &'p Mark<'a>,
    style: &'p Style,
    row: usize,
    x: f64,
}

fn entries<'p, 'a>(panel: &'p Panel<'a>, width: f64) -> Vec<Entry<'p, 'a>> {
    let mut row = 0;
    let mut x = 0.0;
    let mut out = Vec::new();
    for mark in &panel.marks {
        let Some(style) = mark.entry() else { continue };
        let needed = sample(mark) + 6.0 + style.label.width(TICK);
        if x > 0.0 && x + needed > width {
            (row, x) = (row + 1, 0.0);
        }
        out.push(Entry { mark, style, row, x });
        x += needed + 16.0;
    }
    out
}

/// Height of the legend of a panel of this width, px.
pub(crate) fn height(panel: &Panel<'_>, width: f64) -> f64 {
    entries(panel, width).last().map_or(0.0, |e| (e.row + 1) as f64 * 1.35 * TICK)
}

/// Draws the legend with its top left corner at `at`.
pub(crate) fn draw(panel: &Panel<'_>, at: (f64, f64), width: f64, out: &mut String) {
    for e in entries(panel, width) {
        let x = at.0 + e.x;
        let line = at.1 + (e.row as f64 * 1.35 + 0.95) * TICK;
        let middle = line - 0.35 * TICK;
        match e.mark {
            Mark::Points { .. } => markers(
                out,
                &[(x + 0.5 * POINT, middle)],
                e.style,
                e.style.size.unwrap_or(5.0).clamp(5.0, 10.0),
            ),
            Mark::Between { .. } => patch(out, x, middle, &e.style.fill(0.25)),
            Mark::Outline { .. } => patch(out, x, middle, &e.style.fill(0.12)),
            Mark::Bars { .. } => patch(out, x, middle, &e.style.fill(0.75)),
            Mark::Bands { .. } => patch(out, x, middle, &e.style.fill(0.16)),
            Mark::Vertical { .. } => {
                let _ = writeln!(
                    out,
                    "<path d=\"M{} {}v14\" {}/>",
                    Px(x + 0.5 * POINT),
                    Px(middle - 7.0),
                    e.style.stroke(1.2)
                );
            }
            _ => {
                let _ = writeln!(
                    out,
                    "<path d=\"M{} {}h{}\" {}/>",
                    Px(x),
                    Px(middle),
                    Px(SAMPLE),
                    e.style.stroke(1.8)
                );
            }
        }
        let name = Lettering::new((x + sample(e.mark) + 6.0, line), TICK, Anchor::Start);
        svg::text(out, name, &e.style.label);
    }
}

fn patch(out: &mut String, x: f64, middle: f64, fill: &str) {
    svg::rect(out, (x, middle - 6.0), (SAMPLE, 12.0), fill);
}
