//! The space–time picture: which element slips when, and which way.

use std::ops::Range;
use stickslip_report::figure::{Axis, Heat, Ink, Panel, Style};

/// Elements that are drawn as strokes, exact in time; more become a picture of cells.
const STROKES: usize = 60;
/// Half the width of a stroke, in elements.
const HALF: f64 = 0.2;
/// Most cells in each direction: a heat map joins more, and would lose short slips then.
const CELLS: usize = 400;

/// A stretch of neighbouring elements, counted from 0, that slip one way (±1) from … to (s).
pub type Slip = (Range<usize>, i8, f64, f64);

/// The picture of `n` elements over the time `span`; `name` is that of element number i from 0.
pub fn picture(
    what: &str,
    n: usize,
    name: impl Fn(usize) -> String,
    span: (f64, f64),
    slips: impl Iterator<Item = Slip>,
) -> Panel<'static> {
    let time = Axis::linear("time t", "s").limits(span.0, span.1);
    let place = if n <= STROKES {
        Axis::places(what, (0..n).map(name))
    } else {
        Axis::linear(format!("{what}, in the order of the file"), "").limits(0.5, n as f64 + 0.5)
    };
    let panel = Panel::new(time, place).height((70.0 + 40.0 * n as f64).min(360.0));
    if n <= STROKES { strokes(panel, n, slips) } else { cells(panel, n, span, slips) }
}

fn strokes(
    mut panel: Panel<'static>,
    n: usize,
    slips: impl Iterator<Item = Slip>,
) -> Panel<'static> {
    let mut of: Vec<Vec<(i8, f64, f64)>> = vec![Vec::new(); n];
    for (elements, sign, start, end) in slips {
        for strokes in &mut of[elements] {
            match strokes.last_mut() {
                Some(last) if last.0 == sign && last.2 == start => last.2 = end,
                _ => strokes.push((sign, start, end)),
            }
        }
    }
    for (way, ink, label) in
        [(1, Ink::Blue, "slips forwards"), (-1, Ink::Orange, "slips backwards")]
    {
        let mut t = Vec::new();
        let mut low = Vec::new();
        let mut high = Vec::new();
        for (i, strokes) in of.iter().enumerate() {
            let y = i as f64 + 1.0;
            for &(_, start, end) in strokes.iter().filter(|s| s.0 == way) {
                t.extend([start, end, end]);
                low.extend([y - HALF, y - HALF, f64::NAN]);
                high.extend([y + HALF, y + HALF, f64::NAN]);
            }
        }
        panel = panel.between(t, low, high, Style::new(ink).opacity(1.0).label(label));
    }
    panel
}

fn cells(
    panel: Panel<'static>,
    n: usize,
    (start, end): (f64, f64),
    slips: impl Iterator<Item = Slip>,
) -> Panel<'static> {
    let rows = n.min(CELLS);
    let mut cells = vec![0.0; CELLS * rows];
    let column = |t: f64| (((t - start) / (end - start) * CELLS as f64) as usize).min(CELLS - 1);
    for (elements, sign, from, to) in slips.filter(|s| !s.0.is_empty()) {
        // Every cell that a slip touches shows it, however short it is.
        let low = elements.start * rows / n;
        let high = (elements.end - 1) * rows / n;
        for row in low..=high {
            cells[row * CELLS + column(from)..=row * CELLS + column(to)].fill(f64::from(sign));
        }
    }
    let heat = Heat::new((start, end), (0.5, n as f64 + 0.5), CELLS, cells);
    panel.heat(heat.label("slip: 1 forwards, 0 none, −1 backwards", ""))
}
