//! Points of a curve.

use super::px::Px;
use super::style::{Marker, Style};
use super::svg::{self, Path};
use std::fmt::Write;

/// Draws points of one style as one path.
pub(crate) fn markers(out: &mut String, places: &[(f64, f64)], style: &Style, size: f64) {
    let mut path = Path::of(places.len());
    let r = 0.5 * size;
    let letter = style.ink.letter();
    let opacity = style.opacity_attribute(1.0);
    if style.marker == Marker::Dot {
        let mut data = String::with_capacity(12 * places.len());
        for (x, y) in places {
            let _ = write!(
                data,
                "M{} {}h0",
                Px((x * 10.0).round() / 10.0),
                Px((y * 10.0).round() / 10.0)
            );
        }
        let stroke = format!(
            "class=\"n s{letter}\" stroke-width=\"{}\" stroke-linecap=\"round\"{opacity}",
            Px(size)
        );
        return svg::path(out, &data, &stroke);
    }
    for &(x, y) in places {
        let mut outline = |corners: &[(f64, f64)]| {
            corners.iter().for_each(|(dx, dy)| path.line_to(x + r * dx, y + r * dy));
        };
        match style.marker {
            Marker::Dot => {}
            Marker::Triangle => outline(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::Square => {
                outline(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)])
            }
            Marker::Diamond => outline(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Marker::Plus => outline(&[(-1.2, 0.0), (1.2, 0.0)]),
            Marker::Cross => outline(&[(-0.9, -0.9), (0.9, 0.9)]),
        }
        match style.marker {
            Marker::Plus | Marker::Cross => {
                path.lift();
                let (a, b) = if style.marker == Marker::Plus {
                    ((0.0, -1.2), (0.0, 1.2))
                } else {
                    ((-0.9, 0.9), (0.9, -0.9))
                };
                path.move_to(x + r * a.0, y + r * a.1);
                path.line_to(x + r * b.0, y + r * b.1);
                path.lift();
            }
            _ => path.close(),
        }
    }
    let paint = match style.marker {
        Marker::Plus | Marker::Cross => format!(
            "class=\"n s{letter}\" stroke-width=\"{}\"{opacity}",
            Px(style.width.unwrap_or(2.0))
        ),
        _ => format!("class=\"f{letter}\"{opacity}"),
    };
    svg::path(out, &path.finish(), &paint);
}
