//! Figs. 1.6, 1.7: general-purpose solvers.

use super::super::verdict::Tolerance::{AtLeast, AtMost, Equal};
use super::Work;
use super::sign::exact_velocity;
use stickslip::scheme::oscillator::general_purpose::{self, Solver};
use stickslip::scheme::oscillator::sign as usual_sign;
use stickslip::{Oscillator, Trajectory};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const MODEL: &str = include_str!("../../models/sign.toml");

/// (t, u) at the ends of the solver's own steps and between them.
fn velocity(path: &Trajectory, to: f64) -> (Vec<f64>, Vec<f64>) {
    let count = (path.span().1 / 2e-4).round() as usize + 1;
    path.sample(count).map(|(t, s, _)| (t, s.v)).filter(|p| p.0 <= to).unzip()
}

fn solve(o: &Oscillator, solver: Solver, end: f64) -> Result<Trajectory> {
    // What MATLAB's solvers begin with.
    Ok(general_purpose::solve(o, end, solver, 1e-3, 1e-6)?)
}

/// The two solvers: order and name.
const BOTH: [(Solver, &str); 2] = [(Solver::Rk45, "5(4), ode45"), (Solver::Rk23, "3(2), ode23")];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sign.toml", MODEL)?;
    let o = &file.model;
    let mut panels = Vec::new();
    let mut largest = Vec::new();
    for (i, (solver, name)) in BOTH.into_iter().enumerate() {
        let path = solve(o, solver, 1.0)?;
        let (t, u) = velocity(&path, 1.0);
        let changes = u.windows(2).filter(|p| p[0] * p[1] < 0.0).count();
        let most = u.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        w.verdict(
            format!("{name}: changes of sign on [0, 1]"),
            (10.0, "it oscillates"),
            changes as f64,
            AtLeast,
        );
        w.verdict(
            format!("{name}: max |u| on [0, 1], m/s"),
            (1e-6, "u is 0: above the tolerance"),
            most,
            AtLeast,
        );
        largest.push(most);
        panels.push(
            Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("u", "m/s"))
                .height(140.0)
                .line(t, u, Style::new(Ink::series(i)).width(1.0).label(name)),
        );
    }
    w.figure(
        "sign-solvers.svg",
        &Figure::new().describe("Two adaptive solvers oscillate").stack(panels),
        "Fig. 1.6: the two solvers on [0, 1]. The velocity should be 0.",
    );

    w.verdict(
        "max |u| on [0, 1] of ode23, in units of that of ode45",
        (1.0, "the book: the second solver's oscillations are smaller"),
        largest[1] / largest[0],
        AtMost,
    );
    beyond(w, o)?;
    w.command("stickslip simulate gallery/sign.toml --scheme sign-rk45 --out rk45");
    w.command("stickslip simulate gallery/sign.toml --scheme sign-rk23 --out rk23");
    Ok(())
}

/// Fig. 1.7: three solvers on [0, 2].
fn beyond(w: &mut Work, o: &Oscillator) -> Result<()> {
    let euler = usual_sign::sign_euler(o, 2.0, 0.02)?;
    let mut whole = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("u", "m/s"));
    let mut after: f64 = 0.0;
    let mut late = 0;
    for (i, (solver, name)) in BOTH.into_iter().enumerate() {
        let path = solve(o, solver, 2.0)?;
        let (t, u) = velocity(&path, 2.0);
        after = after.max((path.state(2.0).v - exact_velocity(2.0)).abs());
        late +=
            t.windows(2).zip(u.windows(2)).filter(|(t, u)| t[0] > 1.1 && u[0] * u[1] < 0.0).count();
        whole = whole.line(t, u, Style::series(i).label(name));
    }
    let (t, u): (Vec<f64>, Vec<f64>) = euler.sample(101).map(|(t, s, _)| (t, s.v)).unzip();
    let whole = whole.line(t, u, Style::series(2).label("explicit Euler, h = 0.02").width(1.0));
    w.figure(
        "sign-solvers-2.svg",
        &Figure::new().describe("Three solvers on [0, 2]").panel(whole),
        "Fig. 1.7: on [0, 2]. Beyond t = 1 the mass slips, and the oscillations are gone.",
    );
    w.verdict("changes of sign of both after t = 1.1", (0.0, "the book: none"), late as f64, Equal);
    w.verdict("largest error of both at t = 2, m/s", (0.01, "(1.31)"), after, AtMost);
    Ok(())
}
