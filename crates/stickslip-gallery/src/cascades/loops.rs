//! Loops for n = 1, 2, 5, 50.

use super::super::verdict::Tolerance::{AtMost, Equal, Relative};
use super::Work;
use stickslip::hysteresis::Clamps;
use stickslip::motion::CascadePath;
use stickslip::scheme::cascade;
use stickslip::{Cascade, Motion, Signal};
use stickslip_file::{Diagnostic, Result};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// Springs of one series stiffness and thresholds of one sum, whatever n.
fn of(n: usize) -> Cascade {
    let stiffness: Vec<f64> = (0..=n).map(|i| if i == 0 { 4.0 } else { 1.3 * n as f64 }).collect();
    Cascade::new(1.0, stiffness, vec![2.0 / n as f64; n])
}

/// x(t): to and fro with amplitudes 1, 2, 3, each for one period, by ramps.
fn motion() -> Result<(Signal, f64)> {
    let corners = [0.0, 1.0, -1.0, 1.0, 2.0, -2.0, 2.0, 3.0, -3.0, 3.0];
    let mut times = vec![0.0];
    for pair in corners.windows(2) {
        times.push(times[times.len() - 1] + f64::abs(pair[1] - pair[0]));
    }
    let end = times[times.len() - 1];
    Ok((Signal::sampled(&times, &corners)?, end))
}

pub fn run(w: &mut Work) -> Result<()> {
    let (displacement, end) = motion()?;
    let mut panels = Vec::new();
    for n in [1usize, 2, 5, 50] {
        let c = of(n).with_displacement(displacement.clone());
        c.check()?;
        let path = cascade::quasi_static(&c, end)?;
        let (x, f): (Vec<f64>, Vec<f64>) =
            path.sample(3001).map(|(_, s, _)| (s.x, s.force)).unzip();
        let virgin = c.backbone();
        let r: Vec<f64> = (0..=300).map(|i| 0.01 * f64::from(i)).collect();
        let v: Vec<f64> = r.iter().map(|x| virgin.value(*x)).collect();
        panels.push(
            Panel::new(Axis::linear("x", "m"), Axis::linear("force", "N"))
                .title(format!("n = {n}"))
                .line(x, f, Style::new(Ink::Blue).width(1.5))
                .line(r, v, Style::new(Ink::Vermillion).dashed().width(1.2)),
        );

        judge(w, &c, &path);
    }
    let mut columns = panels.into_iter();
    let mut figure = Figure::new().describe("Hysteresis loops of cascades");
    while let (Some(a), Some(b)) = (columns.next(), columns.next()) {
        figure = figure.beside([a, b]);
    }
    w.figure("cascade-loops.svg", &figure, "Force against displacement for n = 1, 2, 5 and 50 elements: loops of amplitude 1, 2 and 3; dashed, the virgin curve.");

    with_inertia(w)?;
    w.command("stickslip simulate gallery/cascade.toml --out cascade");
    Ok(())
}

/// The same with inertia, against 30-digit arithmetic by independent code.
fn with_inertia(w: &mut Work) -> Result<()> {
    let file = w.cascade("cascade.toml", include_str!("../../models/cascade.toml"))?;
    let c = file.model.clone();
    let path = cascade::exact(&c, file.end())?;
    let (x, f): (Vec<f64>, Vec<f64>) = path.sample(4001).map(|(_, s, _)| (s.x, s.force)).unzip();
    let panel = Panel::new(Axis::linear("x", "m"), Axis::linear("k_{0}(x − v_{1})", "N")).line(
        x,
        f,
        Ink::Blue,
    );
    w.figure(
        "cascade-motion.svg",
        &Figure::new().describe("Loops of a moving mass").panel(panel),
        "The same with inertia: the mass of the model file under a harmonic force.",
    );
    w.verdict(
        "with inertia: events in 20 s",
        (28.0, "30-digit arithmetic"),
        path.events().len() as f64,
        Equal,
    );
    let last = path.state(20.0);
    w.verdict(
        "with inertia: x(20), m",
        (-5.27035812607735, "30-digit arithmetic"),
        last.x,
        Relative(1e-12),
    );
    w.verdict(
        "with inertia: ẋ(20), m/s",
        (-1.2037909661811, "30-digit arithmetic"),
        last.v,
        Relative(1e-12),
    );
    let first = path.events().first().ok_or_else(|| Diagnostic::new("the cascade has no event"))?;
    w.verdict(
        "with inertia: the first element yields at, s",
        (0.373381933225697, "30-digit arithmetic"),
        first.time,
        Relative(1e-13),
    );
    w.verdict(
        "with inertia: work − stored − dissipated, of the turnover",
        (1e-12, "energy balance"),
        path.energy(&c).relative_defect(),
        AtMost,
    );
    Ok(())
}

/// The last loop, between ±3, closed: ∮ f dx = Σ 4 κ_j r_j (A − r_j) over r_j < A.
fn judge(w: &mut Work, c: &Cascade, path: &CascadePath) {
    let n = c.elements();
    let end = path.span().1;
    let virgin = c.backbone();
    let a = 3.0;
    let lost: f64 = virgin
        .breakpoints()
        .iter()
        .zip(virgin.weights())
        .filter(|(r, _)| **r < a)
        .map(|(r, k)| 4.0 * k * r * (a - r))
        .sum();
    let mut area = 0.0;
    for s in path.segments().iter().filter(|s| s.start >= end - 12.0 - 1e-9) {
        let p = s.arc.state(s.start);
        let q = s.arc.state(s.end);
        area += 0.5 * (p.force + q.force) * (q.x - p.x);
    }
    w.verdict(
        format!("n = {n}: energy lost in the loop of amplitude 3, J"),
        (lost, "closed form: Σ 4κ_{j}r_{j}(A − r_{j})"),
        area,
        Relative(1e-11),
    );
    let top = path.state(end).force;
    w.verdict(
        format!("n = {n}: force at its tip, N"),
        (virgin.value(a), "virgin curve (Madelung's rule)"),
        top,
        Relative(1e-13),
    );
    let mut clamps = Clamps::new(c);
    // Every turn, at a whole second, is a sample: clamps must not miss it.
    let off = path.sample(2701).map(|(_, s, _)| (s.force - clamps.advance(s.x)).abs());
    w.verdict(
        format!("n = {n}: events against n clamps, largest distance of the force, N"),
        (1e-12, "Prandtl–Ishlinskii operator"),
        off.fold(0.0, f64::max),
        AtMost,
    );
}
