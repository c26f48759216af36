//! One smooth force, two solutions.

use super::super::verdict::Tolerance::{AtLeast, AtMost};
use super::Work;
use stickslip_file::Result;
use stickslip_file::model::SchatzmanModel;
use stickslip_run::export::schatzman as export;
use stickslip_run::solutions::schatzman;

pub fn run(w: &mut Work) -> Result<()> {
    let text = include_str!("../../models/schatzman.toml");
    let document = w.document("schatzman.toml", text)?;
    let found = schatzman::find(SchatzmanModel::read(document.root())?)?;
    w.svg("schatzman.svg", "Both solutions, as they are, on a logarithmic scale, with each bounce magnified, and the force that holds the one at rest.", export::figure(&found));
    let worst = |f: fn(&stickslip::study::ill_posed::schatzman::Verdict) -> f64| {
        found.verdicts.iter().map(f).fold(0.0, f64::max)
    };
    let n = found.verdicts.len();
    w.verdict(
        format!(
            "{n} bounces: largest distance from the wall at its impacts, over the bounce's height"
        ),
        (1e-9, "u(t_{n}) = 0"),
        worst(|v| v.miss),
        AtMost,
    );
    w.verdict(
        "largest |u̇^{+} + u̇^{−}| over the speed",
        (1e-9, "elastic, (1.41)"),
        worst(|v| v.inelastic),
        AtMost,
    );
    w.verdict(
        "largest energy defect of a bounce, relative",
        (1e-6, "energy is conserved"),
        worst(|v| v.energy),
        AtMost,
    );
    let lowest = found.verdicts.iter().map(|v| v.lowest).fold(f64::INFINITY, f64::min);
    w.verdict(
        "lowest place between impacts over the height",
        (-1e-12, "u ≥ u_{max} = 0"),
        lowest,
        AtLeast,
    );
    let push = found.verdicts.iter().map(|v| v.largest_force).fold(f64::NEG_INFINITY, f64::max);
    w.verdict("rest: largest f, N", (0.0, "the reaction −f pushes"), push, AtMost);
    // All derivatives vanish at 0: the k-th is of the size r^{−n} n^{2k + 2} on arc n.
    let gain = found.force.gain();
    let decay = |n: f64, k: f64| (-n * gain.ln() + (2.0 * k + 2.0) * n.ln()).exp();
    w.verdict(
        "size of the fourth derivative on arc 400 over that on arc 40",
        (1e-6, "f is C^{∞} at 0"),
        decay(400.0, 4.0) / decay(40.0, 4.0),
        AtMost,
    );
    w.verdict(
        "gain of speed from bounce to bounce",
        (1.0, "amplitudes vanish as t → 0"),
        gain,
        AtLeast,
    );
    w.command("stickslip solutions gallery/schatzman.toml --out schatzman");
    Ok(())
}
