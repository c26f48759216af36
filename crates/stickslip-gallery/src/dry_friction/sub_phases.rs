//! Sub-phases, exactly.

use super::super::verdict::Tolerance::{Absolute, AtMost, Equal, Relative};
use super::Work;
use std::f64::consts::PI;
use stickslip::scheme::oscillator::exact;
use stickslip::{EventKind, Law, Oscillator};
use stickslip_file::Result;
use stickslip_report::html::{Table, number};
use stickslip_run::Heading;
use stickslip_run::export::motion::oscillator as figures;

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sub-phases.toml", include_str!("../../models/sub-phases.toml"))?;
    let o = &file.model;
    let x0 = file.model.initial.displacement;
    let path = file.path(o)?;
    w.svg("sub-phases.svg", "A free decay: one dynamic phase of six sub-phases. The force of the spring is still above f_{s} at each reversal.", figures::motion(&Heading::new(file.title(), false), o, &path));
    // Each half period brings the mass 2 f_d/K nearer: x(kπ) = (−1)^k (x₀ − 2k).
    let mut table = Table::new(["event", "t [s]", "kπ", "x [m]", "(−1)^{k}(11.5 − 2k)"]);
    let (mut in_time, mut in_place): (f64, f64) = (0.0, 0.0);
    for (i, e) in path.events().iter().enumerate() {
        let k = (i + 1) as f64;
        let t = k * PI;
        let x = (x0 - 2.0 * k) * if i % 2 == 0 { -1.0 } else { 1.0 };
        in_time = in_time.max((e.time / t - 1.0).abs());
        in_place = in_place.max((e.x - x).abs());
        let [a, b, c, d] = [e.time, t, e.x, x].map(|v| number(v, 15));
        table = table.row([e.kind.name().to_owned(), a, b, c, d]);
    }
    w.table(table);
    let kinds = |kind| path.events().iter().filter(|e| e.kind == kind).count() as f64;
    // |b| = 11.5 − 2k ≤ 1.2 first at k = 6.
    w.verdict(
        "sub-phases that follow another",
        (5.0, "closed form"),
        kinds(EventKind::Reversal),
        Equal,
    );
    w.verdict("sticks", (1.0, "closed form"), kinds(EventKind::Stick), Equal);
    w.verdict(
        "largest relative error of an instant τ_{0}^{k}",
        (1e-14, "closed form: kπ"),
        in_time,
        AtMost,
    );
    w.verdict("largest error of a place x_{0}^{k}, m", (1e-13, "closed form"), in_place, AtMost);

    against_digits(w)?;
    w.command("stickslip simulate gallery/sub-phases.toml --out sub-phases");
    Ok(())
}

/// A slow drive, and a free decay, beside 30-digit arithmetic.
fn against_digits(w: &mut Work) -> Result<()> {
    let file =
        w.oscillator("sub-phases-peer.toml", include_str!("../../models/sub-phases-peer.toml"))?;
    let path = file.path(&file.model)?;
    let last = path.events().last().map_or(f64::NAN, |e| e.time);
    let end = path.state(200.0);
    w.verdict(
        "slow drive: events in 200 s",
        (39.0, "30-digit arithmetic"),
        path.events().len() as f64,
        Equal,
    );
    w.verdict(
        "slow drive: the last event, s",
        (198.243672285508178, "30-digit arithmetic"),
        last,
        Relative(1e-12),
    );
    w.verdict(
        "slow drive: x(200), m",
        (0.622724599955886648, "30-digit arithmetic"),
        end.x,
        Absolute(1e-11),
    );
    let siconos = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.0, 1.0)?).starting_at(12.0, 6.0);
    let path = exact::solve(&siconos, 30.0)?;
    let rest = path.events().last().map_or((f64::NAN, f64::NAN), |e| (e.time, e.x));
    w.verdict(
        "from x = 12, v = 6: sticks for good at, s",
        (22.4235563506990905, "30-digit arithmetic"),
        rest.0,
        Relative(1e-13),
    );
    w.verdict(
        "from x = 12, v = 6: sticks for good at x, m",
        (0.682178936723646846, "30-digit arithmetic"),
        rest.1,
        Absolute(1e-12),
    );
    Ok(())
}
