//! A response: its table, its figure, and what is said of it.

use super::boundaries;
use super::key::Over;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Lazy, Product, Remark, Table, printed};
use serde_json::Value;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::{Branch, End, InPlane, Kind, Orbit, Point, Response};
use stickslip_report::figure::{Axis, Ink, Marker, Panel, Style};
use stickslip_report::html;

/// Amplitudes that differ by more than this factor are drawn on a logarithmic axis.
const WIDE: f64 = 100.0;
/// So many branches are named in the legend.
const NAMED: usize = 6;

/// Multipliers of an orbit that the page shows.
const MULTIPLIERS: usize = 6;

/// A quantity of an orbit: its column, its name, its unit, and its value, NaN where there is none.
type Quantity = (&'static str, &'static str, &'static str, fn(&Orbit) -> f64);

/// Shapes of the kinds of bifurcations that occur.
const MARKERS: [Marker; 5] =
    [Marker::Triangle, Marker::Square, Marker::Diamond, Marker::Plus, Marker::Cross];

/// What the table and the page say of each orbit.
const QUANTITIES: [Quantity; 10] = [
    ("amplitude", "amplitude", "m", Orbit::amplitude),
    ("max", "largest displacement", "m", |o| o.max),
    ("min", "smallest displacement", "m", |o| o.min),
    ("stops", "sticks in a period", "", |o| o.stops as f64),
    ("stuck_fraction", "share of the period in stick", "", |o| o.stuck_fraction),
    ("dissipated", "lost to friction in a period", "J", |o| o.dissipated),
    ("equivalent_damping", "equivalent damping", "N·s/m", |o| {
        o.equivalent_damping().unwrap_or(f64::NAN)
    }),
    ("transmissibility", "transmissibility", "", |o| o.transmissibility.unwrap_or(f64::NAN)),
    ("period", "period", "s", |o| o.period),
    ("multiplier", "largest multiplier", "", Orbit::multiplier),
];

/// What they say of an orbit in a plane besides.
const IN_A_PLANE: [Quantity; 4] = [
    ("amplitude_y", "amplitude along y", "m", |o| in_plane(o, |p| p.amplitude_y())),
    ("max_y", "largest displacement along y", "m", |o| in_plane(o, |p| p.max_y)),
    ("min_y", "smallest displacement along y", "m", |o| in_plane(o, |p| p.min_y)),
    ("peak", "greatest distance from the origin", "m", |o| in_plane(o, |p| p.peak)),
];

/// Their columns and what they are called.
pub(super) fn named() -> impl Iterator<Item = (&'static str, &'static str)> {
    QUANTITIES.iter().chain(&IN_A_PLANE).map(|q| (q.0, q.1))
}

/// A number of an orbit in a plane.
fn in_plane(orbit: &Orbit, of: fn(&InPlane) -> f64) -> f64 {
    orbit.plane.as_ref().map_or(f64::NAN, of)
}

/// A response that is done.
pub struct Shown {
    heading: Heading,
    over: Over,
    response: Response,
    boundaries: Option<boundaries::Shown>,
}

impl Shown {
    /// Over a number.
    pub fn new(heading: Heading, over: Over, response: Response) -> Self {
        Self { heading, over, response, boundaries: None }
    }

    /// With what there is at each value of a second number.
    pub fn with_boundaries(self, boundaries: Option<boundaries::Shown>) -> Self {
        Self { boundaries, ..self }
    }

    /// Everything that a response leaves.
    pub fn product(mut self, summary: Value) -> Product {
        let boundaries = self.boundaries.take();
        let over_both = boundaries.as_ref().map_or_else(String::new, boundaries::Shown::said);
        let heading = self.heading.clone();
        let shown = Arc::new(self);
        let drawn = shown.clone();
        let said = shown.clone();
        let paged = shown.clone();
        let text = Lazy::new(move || printed(|w| said.text(&over_both, w)));
        let product = Product::new(summary, text)
            .table(shown.table())
            .figure("response", move || drawn.figure())
            .page("response", move || paged.page())
            .remarks(shown.remarks());
        let product = match boundaries {
            Some(boundaries) => boundaries.added_to(product),
            None => product,
        };
        heading.units_of(product)
    }

    /// Whether a mass moves in a plane.
    fn is_planar(&self) -> bool {
        self.points().any(|p| p.orbit.plane.is_some())
    }

    /// What is said of each orbit.
    fn quantities(&self) -> impl Iterator<Item = &'static Quantity> {
        let more: &[Quantity] = if self.is_planar() { &IN_A_PLANE } else { &[] };
        QUANTITIES.iter().chain(more)
    }

    fn table(self: &Arc<Self>) -> Table {
        let named = |(name, unit): (&str, &'static str)| Column::new(name, unit);
        let mut columns = vec![named(("value", ""))];
        columns.extend(self.quantities().map(|q| named((q.0, q.2))));
        columns.extend([("stable", ""), ("branch", ""), ("kind", "")].map(named));
        let shown = self.clone();
        Table::new("response", columns, move |rows| {
            for (i, branch) in shown.response.branches.iter().enumerate() {
                for p in &branch.points {
                    let o = &p.orbit;
                    let cell = |q: &Quantity| match q.0 {
                        "stops" => o.stops.into(),
                        _ => Cell::finite((q.3)(o)),
                    };
                    let mut row: Vec<Cell<'_>> = vec![p.value.into()];
                    row.extend(shown.quantities().map(cell));
                    row.push(if o.stable { "true" } else { "false" }.into());
                    row.push((i + 1).into());
                    row.push(p.kind.map_or("", Kind::name).into());
                    rows(&row)?;
                }
            }
            Ok(())
        })
    }

    /// The page on which the orbits can be looked at one by one.
    fn page(&self) -> String {
        let over = self.over.name_and_unit(&self.heading);
        let subtitle = format!("Periodic orbits over {} ({})", over.0, self.over.key);
        let mut quantities = vec![over];
        quantities
            .extend(self.quantities().map(|q| (self.heading.name(q.1), self.heading.unit(q.2))));
        let branches = self.response.branches.iter().map(|b| {
            let point = |p: &Point| html::Point {
                values: std::iter::once(self.over.drawn(p.value))
                    .chain(self.quantities().map(|q| (q.3)(&p.orbit)))
                    .collect(),
                stable: p.orbit.stable,
                kind: p.kind.map_or("", Kind::name),
                multipliers: p
                    .orbit
                    .multipliers
                    .iter()
                    .take(MULTIPLIERS)
                    .map(|m| (m.re + 0.0, m.im + 0.0))
                    .collect(),
            };
            b.points.iter().map(point).collect()
        });
        let all = branches.fold(html::Branches::new(quantities), html::Branches::branch);
        let mut page = html::Page::new(self.heading.title());
        page.subtitle(subtitle).branches(&all);
        page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
        page.to_html()
    }

    /// What is said, beginning with what there is over two numbers.
    fn text(&self, over_both: &str, w: &mut dyn Write) -> fmt::Result {
        w.write_str(over_both)?;
        for (i, b) in self.response.branches.iter().enumerate() {
            let (low, high) = range(b, |p| p.value);
            let (_, most) = range(b, |p| p.orbit.amplitude());
            let unit = self.heading.unit("m");
            let most = readable(most, 6);
            let amplitude = if self.is_planar() {
                let (_, most_y) = range(b, |p| in_plane(&p.orbit, InPlane::amplitude_y));
                format!("{most} {unit} along x and {} {unit} along y", readable(most_y, 6))
            } else {
                format!("{most} {unit}")
            };
            let stable = b.points.iter().filter(|p| p.orbit.stable).count();
            writeln!(
                w,
                "Branch {}: {} orbits from {} to {}, {stable} of them stable, amplitude up to {amplitude}",
                i + 1,
                b.points.len(),
                self.over.said(low, 6),
                self.over.said(high, 6),
            )?;
        }
        self.ends(w)?;
        self.sticks(w)?;
        if let (Some(first), n) = (self.response.steady.first(), self.response.steady.len()) {
            let more = if n > 1 { format!(" and {} other values", n - 1) } else { String::new() };
            writeln!(w, "Motions come to steady sliding at {}{more}.", self.over.said(*first, 6))?;
        }
        if self.response.bifurcations().next().is_none() {
            writeln!(
                w,
                "{}",
                if self.response.is_whole() {
                    "No bifurcation was found in between."
                } else {
                    "No bifurcation was located on what was followed."
                }
            )?;
        } else {
            self.bifurcations(w)?;
        }
        writeln!(
            w,
            "A change that is undone between two neighbouring orbits is not seen; more points may show it."
        )
    }

    /// The table of the bifurcations.
    fn bifurcations(&self, w: &mut dyn Write) -> fmt::Result {
        let amplitude = format!("amplitude ({})", self.heading.unit("m"));
        writeln!(w, "{:>18}  {amplitude:>14}  branch  bifurcation", self.over.head())?;
        for (i, b) in self.response.branches.iter().enumerate() {
            for p in &b.points {
                let Some(kind) = p.kind else { continue };
                let value = readable(self.over.drawn(p.value), 12);
                let a = readable(p.orbit.amplitude(), 8);
                writeln!(w, "{value:>18}  {a:>14}  {:>6}  {kind}", i + 1)?;
            }
        }
        Ok(())
    }

    /// How the branches end that do not reach the ends of the range.
    fn ends(&self, w: &mut dyn Write) -> fmt::Result {
        for (i, b) in self.response.branches.iter().enumerate() {
            for (value, end) in b.inner_ends() {
                let n = i + 1;
                let at = self.over.said(value, 9);
                match end {
                    End::Bifurcation(Kind::GrazingSliding) if ceases(b, value) => writeln!(
                        w,
                        "Branch {n} ends at {at}: stick-slip ends there, because the slip only just comes to rest (grazing-sliding)."
                    )?,
                    End::Bifurcation(Kind::Hopf) => {
                        writeln!(
                            w,
                            "Branch {n} ends at {at}: its orbits shrink to steady sliding (hopf)."
                        )?;
                    }
                    End::Bifurcation(kind) => {
                        writeln!(w, "Branch {n} ends at {at}, at a bifurcation ({kind}).")?;
                    }
                    End::Unbounded => writeln!(
                        w,
                        "Branch {n} was given up at {at}, where its orbits are more than a thousand typical sizes large: a resonance."
                    )?,
                    End::Joined => writeln!(
                        w,
                        "Branch {n} comes back to orbits that are listed already at {at}."
                    )?,
                    End::Unfinished => writeln!(
                        w,
                        "Branch {n} was given up at {at} after {} orbits without an end: follow it over a narrower range around this value.",
                        b.points.len()
                    )?,
                    _ => writeln!(
                        w,
                        "Branch {n} was lost at {at}: it could not be followed any further, and why is not known."
                    )?,
                }
            }
        }
        Ok(())
    }

    /// Where along a branch sticks begin or cease.
    fn sticks(&self, w: &mut dyn Write) -> fmt::Result {
        for (i, b) in self.response.branches.iter().enumerate() {
            for pair in b.points.windows(2) {
                let p = &pair[0];
                let q = &pair[1];
                let before = p.orbit.stops > 0;
                let after = q.orbit.stops > 0;
                // The place is that of a bifurcation that was located, and not of a point next to it.
                let at = [p, q].into_iter().find(|p| p.kind.is_some());
                let Some(at) = at.filter(|_| before != after) else { continue };
                let begins = after == (q.value > p.value);
                let what = if begins { "begin" } else { "cease" };
                let value = self.over.said(at.value, 9);
                writeln!(
                    w,
                    "On branch {}, sticks {what} at {value} as {} grows.",
                    i + 1,
                    self.over.key
                )?;
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut all = Vec::new();
        if let Some((value, n)) = self.response.others.first() {
            let times = if *n == 1 { "1 period".to_owned() } else { format!("{n} periods") };
            all.push(Remark::from(format!(
                "at {} = {} some motions repeat after {times} of the load, which is not what was asked for: there are \
                 attractors that no branch shows",
                self.over.key,
                self.over.said_shortly(*value)
            )));
        }
        if let Some(value) = self.response.unsettled.first() {
            all.push(Remark::from(format!(
                "at {} = {} some motions had not settled when they were given up: they may be chaotic, quasi-periodic, \
                 unbounded or slow, and whether a branch shows what they come to is not known",
                self.over.key,
                self.over.said_shortly(*value)
            )));
        }
        all
    }

    fn figure(&self) -> String {
        let axis = || self.over.axis();
        let mut panels = if self.is_planar() {
            let along_y = |o: &Orbit| in_plane(o, InPlane::amplitude_y);
            vec![
                self.amplitude("amplitude along x", Orbit::amplitude),
                self.amplitude("amplitude along y", along_y),
            ]
        } else {
            vec![self.amplitude("amplitude", Orbit::amplitude)]
        };
        let multiplier = Panel::new(axis(), Axis::linear("multiplier", ""));
        let multiplier = self
            .curves(multiplier, false, |p| p.orbit.multiplier())
            .horizontal(1.0, Style::new(Ink::Grey).dotted());
        let stuck = Panel::new(axis(), Axis::linear("share of time at rest", ""));
        let stuck = self.curves(stuck, false, |p| p.orbit.stuck_fraction);
        let figure = self.heading.figure();
        let figure = figure
            .describe("Periodic orbits over a parameter: stable ones solid, unstable ones dashed");
        panels.extend([multiplier.height(110.0), stuck.height(110.0)]);
        figure.stack(panels).to_svg()
    }

    /// The panel of an amplitude, with the bifurcations on it.
    fn amplitude(&self, name: &str, of: fn(&Orbit) -> f64) -> Panel<'static> {
        // Beside a resonance without a damper everything else would lie on the axis.
        let (least, most) = self
            .points()
            .map(|p| of(&p.orbit))
            .filter(|a| *a > 0.0)
            .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), a| (least.min(a), most.max(a)));
        let scale = if most > WIDE * least { Axis::log } else { Axis::linear };
        let panel = Panel::new(self.over.axis(), scale(name, "m"));
        let panel = self.curves(panel, true, |p| of(&p.orbit));
        let found = || Kind::ALL.iter().filter(|k| self.points().any(|p| p.kind == Some(**k)));
        let kinds = found().count();
        found().enumerate().fold(panel.height(260.0), |panel, (i, kind)| {
            // Two may lie on one point: the earlier one looks out from under the later one.
            let below = kinds.saturating_sub(i + 1).min(3) as f64;
            let here = || self.points().filter(|p| p.kind == Some(*kind));
            let x: Vec<f64> = here().map(|p| self.over.drawn(p.value)).collect();
            let y: Vec<f64> = here().map(|p| of(&p.orbit)).collect();
            // Each that occurs has a shape of its own, and another colour than the one below it.
            let ink = [Ink::Black, Ink::Purple][i % 2];
            let style = Style::new(ink).marker(MARKERS[i % 5]).size(7.0 + 3.0 * below);
            panel.points(x, y, style.label(kind.name()))
        })
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.response.branches.iter().flat_map(|b| &b.points)
    }

    /// One quantity along all branches: solid where the orbits are stable, dashed where they are not.
    fn curves(
        &self,
        panel: Panel<'static>,
        named: bool,
        of: impl Fn(&Point) -> f64,
    ) -> Panel<'static> {
        let named = named && (2..=NAMED).contains(&self.response.branches.len());
        self.response.branches.iter().enumerate().fold(panel, |panel, (i, b)| {
            let part = |stable: bool| {
                let mut x = Vec::new();
                let mut y = Vec::new();
                for w in b.points.windows(2) {
                    if w[0].orbit.stable == stable {
                        x.extend([self.over.drawn(w[0].value), self.over.drawn(w[1].value)]);
                        y.extend([of(&w[0]), of(&w[1])]);
                    } else if x.last().is_some_and(|x: &f64| x.is_finite()) {
                        x.push(f64::NAN);
                        y.push(f64::NAN);
                    }
                }
                (x, y)
            };
            let (x, y) = part(true);
            let (p, q) = part(false);
            let ink = Ink::series(i);
            let solid = Style::new(ink);
            let solid = if named { solid.label(format!("branch {}", i + 1)) } else { solid };
            panel.line(x, y, solid).line(p, q, Style::new(ink).dashed())
        })
    }
}

/// Whether a branch of a model that nothing drives ends at `value` with orbits that stick.
fn ceases(b: &Branch, value: f64) -> bool {
    let there = b.points.iter().filter(|p| p.value == value);
    there.clone().count() > 0 && there.clone().all(|p| p.orbit.periods == 0 && p.orbit.stops > 0)
}

/// The least and the greatest value of a quantity along a branch.
fn range(b: &Branch, of: fn(&Point) -> f64) -> (f64, f64) {
    b.points
        .iter()
        .map(of)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}
