//! Impacts, one and infinitely many.

use super::super::verdict::Tolerance::{Absolute, AtMost, Equal, Relative};
use super::Work;
use stickslip::scheme::impact::{self, moreau};
use stickslip::study::order::{Against, Halving, table};
use stickslip::{EventKind, Impact, Motion, Problem, Scheme, solve};
use stickslip_file::Result;
use stickslip_run::export::motion::impact as figures;

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.impact("impact.toml", include_str!("../../models/impact.toml"))?;
    let m = file.model.clone();
    let end = file.end();
    let u0 = m.initial.displacement;
    let v0 = m.initial.velocity;
    let path = impact::solve(&m, end)?;
    w.svg(
        "impact.svg",
        "Place, velocity and reaction of the elastic impact: the reaction is an impulse (arrow).",
        figures::motion(file.title(), &m, &path),
    );
    let t1 = -u0 / v0;
    let hit = path.events().first().copied();
    let of = |f: fn(&stickslip::Event) -> f64| hit.as_ref().map_or(f64::NAN, f);
    w.verdict(
        "instant of the impact, s",
        (t1, "t_{1} = −u_{0}/v_{0}"),
        of(|e| e.time),
        Relative(1e-15),
    );
    w.verdict("velocity before, m/s", (v0, "(1.41)"), of(|e| e.before), Absolute(0.0));
    w.verdict("velocity after, m/s", (-v0, "(1.41)"), of(|e| e.v), Absolute(0.0));
    w.verdict(
        "impulse R_{1} of the wall, N·s",
        (-2.0 * v0, "jump of the velocity"),
        of(|e| e.impulse),
        Relative(1e-15),
    );
    w.verdict(
        "u at the end, m",
        (-v0 * (end - t1), "u = −v_{0}(t − t_{1})"),
        path.state(end).x,
        Relative(1e-14),
    );
    // R·(u − u_max) = 0: the reaction is an event where u = 0, and nothing else.
    let apart = path
        .segments()
        .iter()
        .map(|s| s.arc.reaction(0.5 * (s.start + s.end)) * s.arc.state(0.5 * (s.start + s.end)).x);
    w.verdict(
        "R·(u − u_{max}) in flight",
        (0.0, "complementarity"),
        apart.fold(0.0, |m: f64, r| m.max(r.abs())),
        Equal,
    );

    bouncing(w)?;
    w.command("stickslip simulate gallery/bouncing-ball.toml --out bouncing-ball");
    Ok(())
}

/// A ball that bounces infinitely often in finite time.
fn bouncing(w: &mut Work) -> Result<()> {
    let file = w.impact("bouncing-ball.toml", include_str!("../../models/bouncing-ball.toml"))?;
    let ball = file.model.clone();
    let path = impact::solve(&ball, 10.0)?;
    w.svg(
        "bouncing-ball.svg",
        "A ball with e = 0.9: infinitely many bounces in finite time, then rest.",
        figures::motion(file.title(), &ball, &path),
    );
    // √(2h/g) (1 + e)/(1 − e).
    let rest = (2.0f64 / 9.81).sqrt() * 1.9 / 0.1;
    let found =
        path.events().iter().find(|e| e.kind == EventKind::Rest).map_or(f64::NAN, |e| e.time);
    w.verdict(
        "the ball: infinitely many bounces end at, s",
        (rest, "closed form: √(2/g)(1 + e)/(1 − e)"),
        found,
        Relative(1e-13),
    );
    let energy = path.energy(&ball);
    w.verdict(
        "the ball: work − stored − dissipated, of the turnover",
        (1e-12, "energy balance"),
        energy.relative_defect(),
        AtMost,
    );
    let seventh = path.events().get(6).map_or(f64::NAN, |e| e.v);
    w.verdict(
        "the ball: velocity after its seventh impact, m/s",
        ((2.0f64 * 9.81).sqrt() * 0.9f64.powi(7), "closed form: √(2g)e^{7}"),
        seventh,
        Relative(1e-13),
    );
    stepping(w, ball)?;

    Ok(())
}

/// The same ball by Moreau's time-stepping scheme.
fn stepping(w: &mut Work, ball: Impact) -> Result<()> {
    let steps = moreau::solve(&ball, 10.0, 1e-4)?;
    w.verdict(
        "Moreau's time-stepping scheme, h = 10^{−4}: x(9.5), m",
        (0.0, "rest"),
        steps.state(9.5).x,
        Absolute(1e-3),
    );
    let problem = Problem::new(ball, 2.0);
    let rows = table(&problem, Halving { step: 0.01, halvings: 8 }, Against::Exact, |step| {
        solve(&problem, &Scheme::Moreau { step })
    })?;
    let first = rows.first().map_or(f64::NAN, |r| r.error);
    let last = rows.last().map_or(f64::NAN, |r| r.error);
    w.verdict(
        "Moreau's scheme: error after eight halvings over the first",
        (1.0 / 64.0, "order near 1"),
        last / first,
        AtMost,
    );
    Ok(())
}
