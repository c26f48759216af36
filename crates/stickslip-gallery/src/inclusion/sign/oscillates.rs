//! Fig. 1.3: the explicit scheme.

use super::{MODEL, Work};
use crate::verdict::Tolerance::{AtLeast, AtMost};
use stickslip::scheme::oscillator::sign as usual_sign;
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sign.toml", MODEL)?;
    let mut panels = Vec::new();
    for (h, ink) in [(0.02, Ink::Blue), (0.005, Ink::Vermillion)] {
        let path = usual_sign::sign_euler(&file.model, 1.0, h)?;
        let count = (1.0f64 / h).round() as usize + 1;
        let (t, u): (Vec<f64>, Vec<f64>) = path.sample(count).map(|(t, s, _)| (t, s.v)).unzip();
        let most = u.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        w.verdict(format!("h = {h}: max |u_{{n}}|"), (2.0 * h, "(1.23)"), most, AtMost);
        w.verdict(
            format!("h = {h}: max |u_{{n}}|, not at rest"),
            (0.5 * h, "it oscillates"),
            most,
            AtLeast,
        );
        let changes = u.windows(2).filter(|p| p[0] * p[1] < 0.0).count();
        w.verdict(
            format!("h = {h}: changes of sign"),
            (0.45 / h, "about half the steps"),
            changes as f64,
            AtLeast,
        );
        let style = Style::new(ink).label(format!("h = {h}")).width(1.2);
        panels.push(
            Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("u", "m/s"))
                .height(150.0)
                .line(t, u, style)
                .horizontal(0.0, Style::new(Ink::Black).width(0.8)),
        );
    }
    w.figure(
        "sign-euler.svg",
        &Figure::new().describe("Oscillations of the explicit scheme").stack(panels),
        "The explicit scheme with sign(0) = 0, two steps. The solution of the inclusion is 0 (line).",
    );
    w.command("stickslip simulate gallery/sign.toml --out sign");
    Ok(())
}
