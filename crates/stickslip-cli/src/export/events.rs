//! `events.csv`: `event,t,x,v`.

use crate::number::exact;
use std::io::{self, Write};
use stickslip::Event;

/// Writes the events in order of time.
pub fn write(w: &mut dyn Write, events: &[Event]) -> io::Result<()> {
    writeln!(w, "event,t,x,v")?;
    for e in events {
        writeln!(w, "{},{},{},{}", e.kind, exact(e.time), exact(e.x), exact(e.v))?;
    }
    Ok(())
}
