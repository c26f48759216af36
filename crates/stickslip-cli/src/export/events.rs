//! `events.csv`: `event,t,x,v` (+ `where,impulse` between stops).

use crate::number::exact;
use std::io::{self, Write};
use stickslip::{Event, EventKind, Oscillator, Wall};

/// Writes the events in order of time; between stops with the one that is met and its impulse (N·s).
pub fn write(w: &mut dyn Write, oscillator: &Oscillator, events: &[Event]) -> io::Result<()> {
    let Some(stops) = &oscillator.stops else {
        writeln!(w, "event,t,x,v")?;
        for e in events {
            writeln!(w, "{},{},{},{}", e.kind, exact(e.time), exact(e.x), exact(e.v))?;
        }
        return Ok(());
    };
    writeln!(w, "event,t,x,v,where,impulse")?;
    for e in events {
        let met = matches!(e.kind, EventKind::Impact | EventKind::Touch);
        let wall = stops.touched(e.x).filter(|_| met).map_or("", Wall::name);
        let (t, x, v, impulse) = (exact(e.time), exact(e.x), exact(e.v), exact(e.impulse));
        writeln!(w, "{},{t},{x},{v},{wall},{impulse}", e.kind)?;
    }
    Ok(())
}
