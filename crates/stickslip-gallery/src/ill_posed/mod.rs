//! Schatzman, Lamarque and Bastien (1999): friction that ages, and more than one solution.

use super::verdict::Tolerance::{Absolute, AtMost, Equal};
use super::{Item, Work};
use crate::work::Given;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::study::solutions;
use stickslip::{Oscillator, Trajectory, Warning};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

const MODEL: &str = include_str!("../../models/ill-posed.toml");

/// The items of this paper.
pub const ITEMS: [Item; 3] = [
    Item {
        name: "family",
        place: "Eq. (20)",
        title: "a family y_{u} of solutions",
        claim: "with v = 0, y(0) = 0 and F = h every y_{u}, 0 on [0, u] and ∫_{u}^{t} h − h(0)(t − u) after, solves the problem.",
        ours: "h(a) = 1 + a, so y_{u}(t) = (t² − u²)/2 after u. The program says that the solution is not unique, from when on, and follows the member that leaves at u.",
        run: family,
    },
    Item {
        name: "jump",
        place: "Eqs. (23), (25)",
        title: "a solution that jumps with its data",
        claim: "with F = h + ε the solution Y_{ε} tends to y_{0} as ε → 0^{+} and to 0 as ε → 0^{−}.",
        ours: "Y_{ε} for ε from ±1 down to ±10^{−10}, against y_{0}(t) + εt and 0.",
        run: jump,
    },
    Item {
        name: "discrete-solutions",
        place: "§4, (27)",
        title: "the N solutions of the scheme",
        claim: "the implicit scheme has a solution for every step at which one leaves: N of them.",
        ours: "all of them for N = 20, and their number for other N, by a search that follows both branches wherever both solve the step.",
        run: discrete,
    },
];

/// y_u(t).
fn member(u: f64, t: f64) -> f64 {
    if t <= u { 0.0 } else { 0.5 * (t * t - u * u) }
}

fn velocity(path: &Trajectory) -> (Vec<f64>, Vec<f64>) {
    path.sample(401).map(|(t, s, _)| (t, s.v)).unzip()
}

fn read(w: &mut Work) -> Result<(Given<Oscillator>, f64)> {
    let file = w.oscillator("ill-posed.toml", MODEL)?;
    let end = file.end();
    Ok((file, end))
}

fn family(w: &mut Work) -> Result<()> {
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
    w.verdict("the rule (stick as long as it may): max |y|, m/s", (0.0, "y_{T} ≡ 0"), rest, Equal);
    let said = stays.warnings().iter().find_map(|w| match w {
        Warning::NotUnique { from, to } => Some((*from, *to)),
        _ => None,
    });
    let (from, to) = said.unwrap_or((f64::NAN, f64::NAN));
    w.verdict(
        "\u{201c}not unique\u{201d} is said from t =, s",
        (0.0, "h(t) = F(t) for all t"),
        from,
        Absolute(1e-9),
    );
    w.verdict("until t =, s", (1.0, "h(t) = F(t) for all t"), to, Absolute(1e-9));
    w.command("stickslip simulate gallery/ill-posed.toml");
    w.command("stickslip solutions gallery/ill-posed.toml --out solutions");
    Ok(())
}

fn jump(w: &mut Work) -> Result<()> {
    let (file, end) = read(w)?;
    let o = &file.model;
    let sizes: Vec<f64> = (0..=10).map(|k| 0.1f64.powi(k)).collect();
    let epsilons: Vec<f64> = sizes.iter().map(|e| -e).chain(sizes.iter().rev().copied()).collect();
    let rows = solutions::jump(o, end, &epsilons, Options::default())?;
    let (mut above, mut below): (f64, f64) = (0.0, 0.0);
    for r in &rows {
        if r.epsilon > 0.0 {
            above = above.max((r.end.v - (member(0.0, end) + r.epsilon * end)).abs());
        } else {
            below = below.max(r.end.v.abs());
        }
    }
    let small = rows.iter().filter(|r| r.epsilon.abs() <= 1.01e-10);
    let (mut after, mut before) = (f64::NAN, f64::NAN);
    small.for_each(|r| if r.epsilon > 0.0 { after = r.end.v } else { before = r.end.v });
    let side = |sign: f64| -> (Vec<f64>, Vec<f64>) {
        rows.iter().filter(|r| r.epsilon * sign > 0.0).map(|r| (r.epsilon.abs(), r.end.v)).unzip()
    };
    let ((e1, v1), (e2, v2)) = (side(1.0), side(-1.0));
    let panel = Panel::new(Axis::log("|ε|", "N"), Axis::linear("Y_{ε}(1)", "m/s"))
        .line(e1.clone(), v1.clone(), Ink::Blue)
        .points(e1, v1, Style::new(Ink::Blue).marker(Marker::Triangle).size(8.0).label("ε > 0"))
        .line(e2.clone(), v2.clone(), Ink::Vermillion)
        .points(e2, v2, Style::new(Ink::Vermillion).marker(Marker::Square).size(7.0).label("ε < 0"))
        .horizontal(0.5, Style::new(Ink::Black).dashed().label("y_{0}(1)"));
    w.figure(
        "jump.svg",
        &Figure::new().describe("The jump in ε").panel(panel),
        "The velocity at t = 1 with the force h + ε: the two sides do not meet.",
    );
    w.verdict(
        "ε > 0: largest distance of Y_{ε}(1) from y_{0}(1) + ε, m/s",
        (1e-8, "(23)"),
        above,
        AtMost,
    );
    w.verdict("ε < 0: largest |Y_{ε}(1)|, m/s", (0.0, "(23)"), below, Equal);
    w.verdict(
        "jump at ε = 0, from ∓10^{−10}, m/s",
        (0.5, "y_{0}(1) − y_{T}(1)"),
        after - before,
        Absolute(1e-7),
    );
    w.command("stickslip simulate gallery/ill-posed.toml --perturb 1e-6");
    Ok(())
}

fn discrete(w: &mut Work) -> Result<()> {
    let (file, end) = read(w)?;
    let o = &file.model;
    let mut worst: f64 = 0.0;
    for n in [4, 20, 100] {
        let h = end / f64::from(n);
        let family = solutions::discrete(o, end, h, 1000)?;
        let left = family.members.iter().filter(|m| !m.leaves.is_empty()).count();
        w.verdict(
            format!("N = {n}: solutions that leave"),
            (f64::from(n), "the paper: N"),
            left as f64,
            Equal,
        );
        let stay = family.members.len() - left;
        w.verdict(
            format!("N = {n}: solutions that never leave"),
            (1.0, "(31)"),
            stay as f64,
            Equal,
        );
        // Leaving with Z_n first: Z_m = δ Σ_{j = n}^{m} (h(t_j) − h(0)) = δ² Σ j.
        for m in &family.members {
            let first = m.leaves.first().copied().unwrap_or(usize::MAX);
            let mut z = 0.0;
            for (j, s) in m.states.iter().enumerate() {
                if j >= first {
                    z += h * h * j as f64;
                }
                worst = worst.max((s.v - z).abs());
            }
        }
        if n == 20 {
            let mut panel =
                Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("Z_{n}", "m/s"));
            for (i, m) in family.members.iter().enumerate() {
                let t: Vec<f64> = (0..m.states.len()).map(|k| h * k as f64).collect();
                let z: Vec<f64> = m.states.iter().map(|s| s.v).collect();
                panel = panel
                    .line(t.clone(), z.clone(), Style::new(Ink::series(i % 6)).width(1.0))
                    .points(t, z, Style::new(Ink::series(i % 6)).size(3.0));
            }
            w.figure(
                "discrete-solutions.svg",
                &Figure::new().describe("All discrete solutions").panel(panel),
                "All solutions of the scheme for N = 20.",
            );
        }
    }
    w.verdict(
        "largest distance of any Z_{m} from its closed form, m/s",
        (1e-14, "(33) summed"),
        worst,
        AtMost,
    );
    w.deviation(
        "Schatzman et al. 1999, §4",
        "N solutions",
        "N + 1",
        "N that leave, and the one that stays, which (31) allows at every step",
    );
    w.command("stickslip solutions gallery/ill-posed.toml --out solutions");
    Ok(())
}
