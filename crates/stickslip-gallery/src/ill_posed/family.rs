//! The family of solutions.

use super::{Work, member, read};
use crate::verdict::Tolerance::{Absolute, AtMost, Equal};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::study::solutions;
use stickslip::{Trajectory, Warning};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

fn velocity(path: &Trajectory) -> (Vec<f64>, Vec<f64>) {
    path.sample(401).map(|(t, s, _)| (t, s.v)).unzip()
}

pub fn run(w: &mut Work) -> Result<()> {
    let (file, end) = read(w)?;
    let o = &file.model;
    let mut panel = Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("y", "m/s"));
    let mut worst: f64 = 0.0;
    for i in 0..8 {
        let u = f64::from(i) / 8.0;
        let path = solutions::leaving_at(o, end, u, Options::default())?;
        let (t, y) = velocity(&path);
        worst = t.iter().zip(&y).map(|(t, y)| (y - member(u, *t)).abs()).fold(worst, f64::max);
        let known: Vec<f64> = t.iter().map(|t| member(u, *t)).collect();
        let named = |style: Style, name: &str| if i == 0 { style.label(name) } else { style };
        panel = panel.line(t.clone(), y, named(Style::new(Ink::Sky).width(3.0), "followed")).line(
            t,
            known,
            named(Style::new(Ink::Vermillion).width(1.0), "y_{u}, closed form"),
        );
    }
    let stays = adaptive::solve(o, end, Options::default())?;
    let (t, y) = velocity(&stays);
    let rest = y.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
    let panel = panel.line(t, y, Style::new(Ink::Black).dashed().label("y_{T}: stays"));
    w.figure("family.svg", &Figure::new().describe("A family of solutions").panel(panel), "Eight members that leave at u = 0, 1/8, …, and the one that never leaves. All solve one problem.");
    w.verdict("largest distance of a member from y_{u}, m/s", (1e-8, "(20)"), worst, AtMost);
    w.verdict("with the selection rule: max |y|, m/s", (0.0, "y_{T} ≡ 0"), rest, Equal);
    let said = stays.warnings().iter().find_map(|w| match w {
        Warning::NotUnique { from, to } => Some((*from, *to)),
        _ => None,
    });
    let (from, to) = said.unwrap_or((f64::NAN, f64::NAN));
    w.verdict(
        "start of the reported non-uniqueness, s",
        (0.0, "h(t) = F(t) for all t"),
        from,
        Absolute(1e-9),
    );
    w.verdict(
        "end of the reported non-uniqueness, s",
        (1.0, "h(t) = F(t) for all t"),
        to,
        Absolute(1e-9),
    );
    w.command("stickslip simulate gallery/ill-posed.toml");
    w.command("stickslip solutions gallery/ill-posed.toml --out solutions");
    Ok(())
}
