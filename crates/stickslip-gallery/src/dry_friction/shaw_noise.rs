//! Fig. 2 A, B, C.

use super::super::verdict::Tolerance::{AtLeast, AtMost, Equal, Relative};
use super::Work;
use crate::work::Given;
use stickslip::scheme::oscillator::exact;
use stickslip::scheme::stochastic::{self, PathId, Rule};
use stickslip::study::ensemble::{self, Plan};
use stickslip::{EventKind, Law, Noise, Oscillator, Phase, Place, Problem, Trajectory};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_run::Heading;
use stickslip_run::export::motion::oscillator as figures;

const MODEL: &str = include_str!("../../models/shaw-noise.toml");

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("shaw-noise.toml", MODEL)?;
    let noisy = file.noisy();
    let h = file.step()?;
    let end = file.end();
    let id = PathId { seed: file.seed(), path: 0 };
    let steps = stochastic::solve(&noisy, id, h, Rule::Euler)?;
    let known = file.known(id, h)?;
    let path = exact::solve(&known, end)?;
    w.svg("shaw-noise.svg", "A and B: displacement with the drive βT, velocity, load K(βT − x) and friction; stick phases shaded.", figures::motion(&Heading::new(file.title(), false), &known, &path));
    let mut stretch = Vec::new();
    let mut v = Vec::new();
    for (t, s, _) in path.sample(8001) {
        stretch.push(known.drive.value(t) - s.x);
        v.push(s.v);
    }
    let mark = || Style::new(Ink::Black).dashed().width(1.0);
    let panel = Panel::new(Axis::linear("βT − x", "m"), Axis::linear("velocity ẋ", "m/s"))
        .height(320.0)
        .vertical(1.2, mark().label("± f_{s}/K"))
        .vertical(-1.2, mark())
        .line(stretch, v, Style::new(Ink::Blue).width(1.3));
    w.figure(
        "shaw-noise-plane.svg",
        &Figure::new().describe("Velocity against relative displacement").panel(panel),
        "C: dynamic phases are cycles in the plane of βT − x and ẋ; static phases lie on ẋ = 0 between the dashed lines.",
    );

    phases(w, &known, &path);
    let apart = path
        .sample(8001)
        .zip(steps.sample(8001))
        .map(|((_, a, _), (_, b, _))| (a.x - b.x).hypot(a.v - b.v))
        .fold(0.0, f64::max);
    w.verdict(
        format!("Euler scheme, h = {h} s, against the exact path under the same noise"),
        (0.1, "order 1"),
        apart,
        AtMost,
    );

    refinable(w, &file, end)?;
    let text = "The Ornstein–Uhlenbeck path is refined, not drawn again, when the step is halved.";
    w.remark(text);
    w.command("stickslip simulate gallery/shaw-noise.toml --scheme exact --out shaw-noise");
    w.command("stickslip ensemble gallery/shaw-noise.toml --paths 100000 --out statistics");
    Ok(())
}

/// The same points on a finer grid, and the right law: Var v(t) = (1 − e^{−2t})/2 from v(0) = 0.
fn refinable(w: &mut Work, file: &Given<Oscillator>, end: f64) -> Result<()> {
    let id = PathId { seed: 1, path: 0 };
    let [coarse, fine] = [0.02, 0.01].map(|h| file.known(id, h));
    let coarse = coarse?;
    let fine = fine?;
    let nodes = (0..=(end / 0.02) as usize).map(|n| 0.02 * n as f64);
    let apart =
        nodes.map(|t| (coarse.drive.value(t) - fine.drive.value(t)).abs()).fold(0.0, f64::max);
    w.verdict(
        "distance of the noise at h and h/2 on common points",
        (1e-12, "refinement"),
        apart,
        AtMost,
    );

    // A mass without spring or friction, pushed by the noise: its velocity is ∫ v dt, of variance
    // t − 2 (1 − e^{−t}) + (1 − e^{−2t})/2.
    let free = Oscillator::new(1.0, 0.0, Law::coulomb(0.0)?);
    let ou = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 1.0, scale: 1.0 };
    let noisy = Problem::new(free, 5.0).with_noise(Place::Force, ou);
    let plan = Plan::new(noisy, 0.005, 1).with_rows(2).with_rule(Rule::Euler);
    let many = ensemble::run(&plan, 0..40_000, 0, &mut ())?;
    let expected = 5.0 - 2.0 * (1.0 - (-5.0f64).exp()) + 0.5 * (1.0 - (-10.0f64).exp());
    w.verdict(
        "variance of ∫v dt over [0, 5], 40 000 paths",
        (expected, "closed form"),
        many.points[0].rows[1].v.variance(),
        Relative(0.03),
    );
    Ok(())
}

/// The rule of the two phases, at every event and inside every stick.
fn phases(w: &mut Work, known: &Oscillator, path: &Trajectory) {
    let of = |kind| path.events().iter().filter(|e| e.kind == kind).count() as f64;
    w.verdict(
        "sub-phases (reversals) on this path",
        (1.0, "the paper: there are some"),
        of(EventKind::Reversal),
        AtLeast,
    );
    let rest = path.events().iter().filter(|e| {
        let b = known.load(e.x, 0.0, e.time).abs();
        match e.kind {
            EventKind::Reversal => b <= 1.2 - 1e-9,
            EventKind::Stick => b > 1.2 + 1e-9,
            EventKind::Slip => (b - 1.2).abs() > 1e-9,
            // There are no stops here.
            _ => true,
        }
    });
    w.verdict(
        "events that break the rule (reversal: |b| > f_{s}; stick: |b| ≤ f_{s}; slip: |b| = f_{s})",
        (0.0, "§2.1"),
        rest.count() as f64,
        Equal,
    );
    let moving = path.phases().iter().filter(|p| p.0 == Phase::Stick).all(|p| {
        let middle = 0.5 * (p.1 + p.2);
        known.load(path.state(middle).x, 0.0, middle).abs() <= 1.2
    });
    w.verdict(
        "static phases with |b| > f_{s} inside",
        (0.0, "§2.1"),
        f64::from(u8::from(!moving)),
        Equal,
    );
}
