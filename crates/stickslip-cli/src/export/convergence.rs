//! `convergence.csv`: `h,error,ratio,order`; the last row has no ratio and no order.

use crate::number::exact;
use std::io::{self, Write};
use stickslip::study::convergence::Row;

/// Writes the table, the largest step first.
pub fn write(w: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    writeln!(w, "h,error,ratio,order")?;
    let cell = |x: Option<f64>| x.map(exact).unwrap_or_default();
    for r in rows {
        writeln!(w, "{},{},{},{}", exact(r.h), exact(r.error), cell(r.ratio), cell(r.order))?;
    }
    Ok(())
}
