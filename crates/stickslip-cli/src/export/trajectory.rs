//! `trajectory.csv` of an oscillator: `t,x,v,friction,phase` (+ `stop`, `z`).

use crate::file::Rows;
use crate::number::exact;
use std::io::{self, Write};
use stickslip::motion::Arc;
use stickslip::{Motion, Oscillator, Phase, State, Trajectory};

/// Writes the motion at the rows asked for. Between stops there is a column with their force on the
/// mass (N); with `bearing_stiffness` K_BP (N/m) a last one, z = x + K (d − x)/K_BP.
pub fn write(
    w: &mut dyn Write,
    oscillator: &Oscillator,
    path: &Trajectory,
    rows: Rows,
    bearing_stiffness: Option<f64>,
) -> io::Result<()> {
    let z_name = if bearing_stiffness.is_some() { ",z" } else { "" };
    let stop_name = if oscillator.stops.is_some() { ",stop" } else { "" };
    writeln!(w, "t,x,v,friction,phase{stop_name}{z_name}")?;
    for (t, state, phase) in sample(path, rows) {
        let State { x, v } = state;
        let f = oscillator.friction_force(t, state, phase);
        write!(w, "{},{},{},{},{phase}", exact(t), exact(x), exact(v), exact(f))?;
        if oscillator.stops.is_some() {
            write!(w, ",{}", exact(oscillator.stop_force(t, state, phase)))?;
        }
        if let Some(bearing) = bearing_stiffness {
            let z = x + oscillator.stiffness * (oscillator.drive.value(t) - x) / bearing;
            write!(w, ",{}", exact(z))?;
        }
        writeln!(w)?;
    }
    Ok(())
}

/// The rows: equally spaced, or every step of the scheme (for event-driven schemes the ends of the
/// segments).
pub fn sample(path: &Trajectory, rows: Rows) -> Box<dyn Iterator<Item = (f64, State, Phase)> + '_> {
    if let Rows::Count(count) = rows {
        return Box::new(path.sample(count));
    }
    let end = path.span().1;
    let segments = path.segments();
    if let Some(Arc::Steps(grid)) = segments.first().map(|s| &s.arc) {
        let mut i = 0;
        return Box::new(grid.states.iter().enumerate().map(move |(n, &state)| {
            let t = n as f64 * grid.step;
            while segments.get(i + 1).is_some_and(|s| s.start <= t) {
                i += 1;
            }
            // The last step may reach beyond the end of the run.
            if t > end {
                (end, segments[i].arc.state(end), segments[i].phase)
            } else {
                (t, state, segments[i].phase)
            }
        }));
    }
    let starts = segments.iter().map(|s| (s.start, s.arc.state(s.start), s.phase));
    let last = segments.last().map(|s| (s.end, s.arc.state(s.end), s.phase));
    Box::new(starts.chain(last))
}
