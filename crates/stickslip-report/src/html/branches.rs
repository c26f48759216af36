//! Branches of orbits over a number, point by point: hover, keys, bifurcations by name.

use super::plot::string;
use std::fmt::Write;

/// A point of a branch.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its numbers, one for each quantity; what is not finite is not shown.
    pub values: Vec<f64>,
    /// Whether the orbit is stable.
    pub stable: bool,
    /// The bifurcation there, or an empty text.
    pub kind: &'static str,
    /// (real part, imaginary part) of the multipliers that are shown.
    pub multipliers: Vec<(f64, f64)>,
}

/// An interactive plot of branches: a number over the first one, solid where the orbits are stable. Pointing at the curve,
/// arrow keys and a list of the bifurcations choose an orbit, whose numbers stand beside it; dragging and the keys + and −
/// zoom.
#[derive(Debug, Clone)]
pub struct Branches {
    quantities: Vec<(String, &'static str)>,
    branches: Vec<Vec<Point>>,
}

impl Branches {
    /// Of these quantities with their units; the first one is the axis to the right.
    pub fn new(quantities: Vec<(String, &'static str)>) -> Self {
        Self { quantities, branches: Vec::new() }
    }

    /// Adds a branch.
    pub fn branch(mut self, points: Vec<Point>) -> Self {
        self.branches.push(points);
        self
    }

    /// The element and its data. `id` tells the plots of a page apart.
    pub(super) fn html(&self, id: usize, out: &mut String) {
        let mut data = String::from("{\"columns\":[");
        for (i, (name, unit)) in self.quantities.iter().enumerate() {
            data.push_str(if i > 0 { ",[" } else { "[" });
            string(&mut data, name);
            let _ = write!(data, ",\"{unit}\"]");
        }
        data.push_str("],\"branches\":[");
        for (i, points) in self.branches.iter().enumerate() {
            data.push_str(if i > 0 { ",[" } else { "[" });
            for (k, p) in points.iter().enumerate() {
                data.push_str(if k > 0 { ",\n[" } else { "\n[" });
                p.values.iter().for_each(|v| number(&mut data, *v));
                let _ = write!(data, "{},\"{}\",[", p.stable, p.kind);
                for (m, (re, im)) in p.multipliers.iter().enumerate() {
                    let _ = write!(data, "{}[{re:?},{im:?}]", if m > 0 { "," } else { "" });
                }
                data.push_str("]]");
            }
            data.push(']');
        }
        data.push_str("]}");
        let _ = write!(
            out,
            "<div data-branches=\"b{id}\"></div>\n<script type=\"application/json\" id=\"b{id}\">{data}</script>\n\
             <p class=\"hint js\">Point at the curve, or use the arrow keys, to see the numbers of an orbit. Drag to zoom, \
             double-click to see all. Solid lines are stable orbits, dashed lines unstable ones.</p>\n\
             <noscript><p class=\"hint\">This plot is interactive and needs JavaScript.</p></noscript>\n"
        );
    }
}

/// A number and a comma.
fn number(out: &mut String, v: f64) {
    let _ = if v.is_finite() { write!(out, "{v:?},") } else { write!(out, "null,") };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_texts_end_nothing() {
        let values = vec![1.25, f64::NAN, 1e-7];
        let multipliers = vec![(-0.5, 0.25)];
        let point = Point { values, stable: true, kind: "fold", multipliers };
        let quantities = ["</script>", "b", "c"].map(|n| (n.to_owned(), "m")).to_vec();
        let mut out = String::new();
        Branches::new(quantities).branch(vec![point.clone(), point]).html(3, &mut out);
        assert_eq!(out.matches("</script>").count(), 1);
        let row = "[1.25,null,1e-7,true,\"fold\",[[-0.5,0.25]]]";
        assert_eq!(out.matches(row).count(), 2, "{out}");
    }
}
