//! `convergence.csv`: `h,error,ratio,order`; the last row has no ratio and no order. With noise the
//! error is the mean over the paths, and `spread,standard_error` follow.

use crate::number::exact;
use std::io::{self, Write};
use stickslip::study::order::Row;
use stickslip::study::order::noisy::NoisyRow;

/// Writes the table, the largest step first.
pub fn write(w: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    writeln!(w, "h,error,ratio,order")?;
    let cell = |x: Option<f64>| x.map(exact).unwrap_or_default();
    for r in rows {
        writeln!(w, "{},{},{},{}", exact(r.h), exact(r.error), cell(r.ratio), cell(r.order))?;
    }
    Ok(())
}

/// Writes the table of a model with noise.
pub fn write_noisy(w: &mut dyn Write, rows: &[NoisyRow]) -> io::Result<()> {
    writeln!(w, "h,error,ratio,order,spread,standard_error")?;
    let cell = |x: Option<f64>| x.map(exact).unwrap_or_default();
    for NoisyRow { row: r, spread, standard_error } in rows {
        let (ratio, order) = (cell(r.ratio), cell(r.order));
        let (spread, standard_error) = (exact(*spread), exact(*standard_error));
        writeln!(w, "{},{},{ratio},{order},{spread},{standard_error}", exact(r.h), exact(r.error))?;
    }
    Ok(())
}
