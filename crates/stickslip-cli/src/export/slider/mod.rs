//! What a record of slips becomes: `fit.json`, `fit.csv`, `slips.csv`, figures, `report.html`, a table.

pub mod figures;
mod page;

use super::Writer;
use super::estimates::{Named, lines};
use crate::file::SliderFile;
use crate::number::exact;
use std::io::{self, Write};
use std::rc::Rc;
use stickslip_calibrate::pulled_slider::SliderFit;

/// A record whose slips were measured.
pub struct Seen {
    /// The fit file and its data.
    pub file: SliderFile,
    /// What came out.
    pub fit: SliderFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Seen {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Pulled slider")
    }

    fn estimates(&self) -> [Named<'_>; 9] {
        let (p, a) = (&self.fit.parameters, &self.fit.ageing);
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("mu_s", "μ_{s}", "static friction: force at breakaway over m g", &p.mu_s),
            named(
                "mu_d",
                "μ_{d}",
                "sliding friction: mean of the forces before and after",
                &p.mu_d,
            ),
            named("f_s", "f_{s}", "μ_{s} m g", &p.f_s),
            named("f_d", "f_{d}", "μ_{d} m g", &p.f_d),
            named(
                "slope/kV",
                "slope/kV",
                "rise of the force in stick over kV, median",
                &p.stick_slope_ratio,
            ),
            named(
                "duration/T",
                "duration/T",
                "duration of the slips over T = π√(m/k)",
                &p.slip_duration_ratio,
            ),
            named("correlation", "r", "of μ_{s} with log_{10} of the waiting time", &a.correlation),
            named(
                "per decade",
                "∂μ_{s}",
                "change of μ_{s} for ten times the waiting time",
                &a.per_decade,
            ),
            named("drift", "dμ_{s}/dt", "straight drift of μ_{s} along the record", &a.drift),
        ]
    }
}

/// The files, and the table for people.
pub fn export(seen: Seen) -> (Vec<(&'static str, Writer)>, Writer) {
    let seen = Rc::new(seen);
    let make = |write: fn(&mut dyn Write, &Seen) -> io::Result<()>| -> Writer {
        let seen = seen.clone();
        Box::new(move |w| write(w, &seen))
    };
    let files = vec![
        ("fit.json", make(json)),
        ("fit.csv", make(record)),
        ("slips.csv", make(slips)),
        ("record.svg", make(|w, s| svg(w, &figures::record(s)))),
        ("distributions.svg", make(|w, s| svg(w, &figures::distributions(s)))),
        ("ageing.svg", make(|w, s| svg(w, &figures::ageing(s)))),
        ("slips.svg", make(|w, s| svg(w, &figures::slips(s)))),
        ("report.html", make(|w, s| w.write_all(page::html(s).as_bytes()))),
    ];
    (files, make(text))
}

fn svg(w: &mut dyn Write, figure: &stickslip_report::figure::Figure<'_>) -> io::Result<()> {
    w.write_all(figure.to_svg().as_bytes())
}

fn json(w: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *w, &seen.fit)?;
    writeln!(w)
}

/// `t,measured,clean,phase`: F/(m g), as measured and without spikes.
fn record(w: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    writeln!(w, "t,measured,clean,phase")?;
    let (data, mut slips) = (&seen.file.data, seen.fit.events.iter().peekable());
    let cell = |v: f64| if v.is_finite() { exact(v) } else { String::new() };
    for ((&t, &f), &clean) in data.seconds.iter().zip(&data.values[0]).zip(&seen.fit.clean) {
        while slips.next_if(|s| s.end <= t).is_some() {}
        let phase = if slips.peek().is_some_and(|s| s.time <= t) { "slip" } else { "stick" };
        writeln!(w, "{},{},{},{phase}", exact(t), cell(f), cell(clean))?;
    }
    Ok(())
}

/// One row for each slip; forces are F/(m g), times in s.
fn slips(w: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    writeln!(w, "t,end,duration,mu_s,after,mu_d,waiting,stick_slope")?;
    let cell = |v: Option<f64>| v.map(exact).unwrap_or_default();
    for s in &seen.fit.events {
        let [t, end, duration, top, bottom, mu_d] =
            [s.time, s.end, s.duration, s.top, s.bottom, s.mu_d].map(exact);
        let (waiting, slope) = (cell(s.waiting), cell(s.slope));
        writeln!(w, "{t},{end},{duration},{top},{bottom},{mu_d},{waiting},{slope}")?;
    }
    Ok(())
}

fn text(w: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    let (fit, d) = (&seen.fit, &seen.fit.detection);
    writeln!(w, "{}", seen.title())?;
    writeln!(
        w,
        "{} slips in {} samples ({} missing); noise {:.2e}, threshold {:.3e} of m g, at most {} false \
         alarms expected\n",
        fit.slips, fit.samples, fit.missing, d.noise, d.threshold, d.false_alarms
    )?;
    lines(w, &seen.estimates())
}
