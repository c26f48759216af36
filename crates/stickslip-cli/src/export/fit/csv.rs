//! `fit.csv`: `t,drive,measured,fitted,x,phase`, and `events.csv`. Lengths in m; an empty field where
//! there is no value.

use super::Fitted;
use crate::number::exact;
use std::io::{self, Write};
use stickslip::Phase;

/// One row for every row of the record.
pub fn fit(w: &mut dyn Write, fitted: &Fitted) -> io::Result<()> {
    writeln!(w, "t,drive,measured,fitted,x,phase")?;
    let (data, curve) = (&fitted.file.data, &fitted.fit.curve);
    let cell = |values: &[f64], i: usize| {
        values.get(i).filter(|v| v.is_finite()).map(|v| exact(*v)).unwrap_or_default()
    };
    for (i, t) in data.seconds.iter().enumerate() {
        let phase = match curve.phase.get(i) {
            Some(0) | None => Phase::Stick,
            Some(&sign) => Phase::slip(sign.into()),
        };
        let (drive, measured) = (cell(&data.drive_values, i), cell(&data.response_values, i));
        let (fit, x) = (cell(&curve.fitted, i), cell(&curve.x, i));
        writeln!(w, "{},{drive},{measured},{fit},{x},{phase}", exact(*t))?;
    }
    Ok(())
}

/// A slip and the stick after it, for every slip of the fitted path.
pub fn events(w: &mut dyn Write, fitted: &Fitted) -> io::Result<()> {
    writeln!(w, "event,t,x,v")?;
    for s in &fitted.fit.events {
        writeln!(w, "slip,{},{},0.0", exact(s.time), exact(s.from))?;
        writeln!(w, "stick,{},{},0.0", exact(s.end), exact(s.to))?;
    }
    Ok(())
}
