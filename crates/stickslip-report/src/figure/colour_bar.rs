//! The colour bar beside a heat map.

use super::axis::{Axis, Ruler, Scale, axis_title};
use super::draw::Frame;
use super::heat::Heat;
use super::palette::viridis;
use super::px::{Px, TICK};
use super::svg::{self, Anchor, Lettering};
use super::text::Text;
use std::fmt::Write;

/// Room to the right of a heat map.
pub(crate) fn width(heat: &Heat<'_>, height: f64) -> f64 {
    let Some(range) = heat.range().filter(|_| !heat.classes) else { return 0.0 };
    let axis = bar_axis(heat, range);
    let ticks = Ruler::new(&axis, Some(range), height, 0.0).ticks(&axis, TICK, false);
    let widest = ticks.major.iter().map(|(_, l)| l.width(TICK)).fold(0.0, f64::max);
    let title = if heat.label.is_empty() { 0.0 } else { 1.5 * TICK };
    14.0 + 14.0 + widest + title + 6.0
}

/// The colour bar of a heat map, from (x, top) down, with its ticks.
pub(crate) fn draw(heat: &Heat<'_>, x: f64, frame: &Frame, out: &mut String) {
    let Some(range) = heat.range().filter(|_| !heat.classes) else { return };
    let axis = bar_axis(heat, range);
    let ruler = Ruler::new(&axis, Some(range), frame.bottom(), frame.top());
    const PARTS: usize = 64;
    let part = frame.y.length() / PARTS as f64;
    for i in 0..PARTS {
        let [r, g, b] = viridis((i as f64 + 0.5) / PARTS as f64);
        let y = frame.bottom() - (i + 1) as f64 * part;
        // Overlapping by a little, so that no seam shows.
        svg::rect(out, (x, y), (14.0, part + 0.5), &format!("fill=\"#{r:02x}{g:02x}{b:02x}\""));
    }
    let ticks = ruler.ticks(&axis, TICK, false);
    // Counts have no tick between two of them, and no decimals where such ticks would have been.
    let between = heat.is_whole() && ticks.major.iter().any(|t| t.0.fract() != 0.0);
    for (v, label) in ticks.major.iter().filter(|t| !between || t.0.fract() == 0.0) {
        if let Some(px) = ruler.inside(*v) {
            let count = between.then(|| Text::plain(format!("{v}")));
            let _ = writeln!(out, "<path d=\"M{} {}h4\" class=\"ax\"/>", Px(x + 14.0), Px(px));
            let at = (x + 21.0, px + 0.35 * TICK);
            svg::text(
                out,
                Lettering::new(at, TICK, Anchor::Start),
                count.as_ref().unwrap_or(label),
            );
        }
    }
    let title = axis_title(&heat.label, &ticks.unit, &heat.unit, axis.scale);
    let line =
        (x + 18.0 + width(heat, frame.y.length()) - 26.0, frame.top() + 0.5 * frame.y.length());
    svg::text_upwards(out, line, TICK, &title);
}

/// The axis of a colour bar.
fn bar_axis(heat: &Heat<'_>, range: (f64, f64)) -> Axis {
    let mut axis = Axis::linear("", heat.unit.clone()).limits(range.0, range.1).tight();
    axis.scale = if heat.log { Scale::Log } else { Scale::Linear };
    axis
}
