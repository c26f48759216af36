//! What a fit is worth.

use super::clock::another_gain;
use super::{HysteresisFit, Record, UNRESOLVED, work};
use crate::record::steady::gain_said;
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{median, roughness, square};

/// More than this share of the force is not explained: then it is no such device.
const UNEXPLAINED: f64 = 0.3;
/// More than this share of the friction in elements that hardly slide: the record is too small to see them.
pub const UNSEEN: f64 = 0.1;

/// Residuals that are so many times the noise, and alike over more rows than this, are no noise.
const SYSTEMATIC: [f64; 2] = [1.5, 2.0];
/// Below this share of the force they are no matter.
const SMALL: f64 = 0.02;
/// Rows between two turns below which corners are lost, and below which nothing is known.
const ROWS_OF_A_STROKE: [f64; 2] = [20.0, 10.0];
/// A damper's column of which friction elements give all but this share.
const ONE_SPEED: f64 = 0.02;
/// A quarter of the record in which so much more or less is dissipated than in all of it.
const CHANGED: f64 = 0.1;
/// Rows that do not count are told of from this share of the record on.
const SKIPPED: f64 = 0.02;

/// What the motion and the grid can show of a device.
pub struct Resolved<'a> {
    /// Range of the displacement, m.
    pub range: f64,
    /// Thresholds of the grid, m.
    pub grid: &'a [f64],
    /// The shortest way that is told apart from noise, sampling and rounding, m.
    pub finest: f64,
    /// Turns of the motion, both ends of the record counted.
    pub turns: usize,
    /// Rows from one turn to the next.
    pub stroke: f64,
    /// Whether a damper was sought.
    pub viscous: bool,
}

/// Takes back what the record does not show, and warns of what the numbers do not cover. Whether the loop is the same along the
/// record, as far as that can be seen.
pub fn judge(found: &mut HysteresisFit, record: &Record<'_>, resolved: &Resolved<'_>) -> bool {
    let Resolved { range, grid, finest, turns, stroke, viscous } = *resolved;
    if found.relative > UNEXPLAINED {
        found.warnings.push(format!(
            "springs and friction elements leave {:.0} % of the force unexplained: check that displacement and force belong \
             together, count in the same direction and have no delay",
            100.0 * found.relative
        ));
    } else if found.relative > SMALL {
        // Not said where most of the force is unexplained anyhow: there the first sentence is the one to act on.
        systematic(found, record);
    }
    let total: f64 = found.spectrum.iter().map(|e| e.force).sum();
    // The last two thresholds of the grid: what slides there stands for all that slides later, or never.
    let largest = grid[grid.len() - 2];
    let late: f64 = found.spectrum.iter().filter(|e| e.threshold >= largest).map(|e| e.force).sum();
    if late > UNSEEN * total {
        found.warnings.push(format!(
            "{:.0} % of the friction is in elements that slide only at the ends of the motion ({:.3e} m): larger displacements \
             than {:.3e} m are needed to see them, and the friction is not known from this record",
            100.0 * late / total,
            largest,
            range
        ));
    }
    // Elements that let go within what is resolved still give the loop its friction, but their stiffness may be any
    // above that.
    let sharp: f64 =
        found.spectrum.iter().filter(|e| e.threshold < UNRESOLVED * finest).map(|e| e.force).sum();
    if sharp > UNSEEN * total {
        found.parameters.stiffness = Estimate::unknown(
            "N/m",
            format!(
                "the friction reverses within {finest:.1e} m, which is all that this record resolves"
            ),
        );
    }
    skipped(found, record);
    if found.next_to_corners > 0 {
        let held = found.samples + found.next_to_corners;
        found.warnings.push(format!(
            "{} of {held} rows do not count, since the velocity jumps next to them: a damper's force belongs to a velocity, and \
             these rows have none",
            found.next_to_corners
        ));
    }
    let mut steady = true;
    // Both ends of the record count: with two turns it never turned round.
    if turns <= 2 {
        one_direction(found, record);
    } else {
        // Before any number is taken back.
        let gain = another_gain(record, found, grid[0], viscous);
        steady = !changed(found, record) && gain.is_none();
        found.warnings.extend(gain.map(|gain| gain_said("the force is", &gain)));
    }
    let [few, too_few] = ROWS_OF_A_STROKE;
    if stroke < few {
        found.warnings.push(format!(
            "there are {stroke:.0} rows from one turn of the motion to the next: too few to see the corners of the loop; sample \
             at least {:.0} times as fast",
            (2.0 * few / stroke).ceil()
        ));
    }
    // After all other verdicts: with so few rows none of them saves the numbers.
    if stroke < too_few {
        let why =
            format!("{stroke:.0} rows from one turn of the motion to the next do not show it");
        found.parameters.friction = Estimate::unknown("N", why.clone());
        found.parameters.stiffness = Estimate::unknown("N/m", why.clone());
        found.parameters.damping = Estimate::unknown("N·s/m", why);
    }
    if viscous && found.apart < ONE_SPEED {
        one_speed(found, record);
    }
    steady
}

/// Residuals that are larger than the noise and alike over many rows.
fn systematic(found: &mut HysteresisFit, record: &Record<'_>) {
    let force: Vec<f64> = record.rows.iter().map(|&i| record.force[i]).collect();
    let noise = roughness(&force);
    let [times, rows] = SYSTEMATIC;
    if found.rmse > times * noise && found.together > rows {
        found.warnings.push(format!(
            "springs, dry friction and a damper leave {:.1} % of the force, {:.1} times its noise and alike over {:.0} rows: the \
             device does something else too, which the intervals do not cover",
            100.0 * found.relative,
            found.rmse / noise.max(f64::MIN_POSITIVE),
            found.together
        ));
    }
}

/// Rows at which the elements may not have slid yet: how many, and what they say.
fn skipped(found: &mut HysteresisFit, record: &Record<'_>) {
    let (before, after) = record.rows.split_at(found.first);
    if (before.len() as f64) < SKIPPED * record.rows.len() as f64 {
        return;
    }
    let left = |rows: &[usize]| {
        let all = rows.iter().map(|&i| record.force[i] - found.fitted[i]);
        let all: Vec<f64> = all.filter(|r| r.is_finite()).collect();
        (square(&all) / all.len() as f64).sqrt()
    };
    found.warnings.push(format!(
        "the first {} rows ({:.0} %) do not count, since elements may not have slid there yet: with these numbers, from a relaxed \
         start, {:.3} N are left there, and {:.3} N in the rest",
        before.len(),
        100.0 * before.len() as f64 / record.rows.len() as f64,
        left(before),
        left(after)
    ));
}

/// Whether there is a quarter of the record in which the loop dissipates more or less than with the numbers that were found.
fn changed(found: &mut HysteresisFit, record: &Record<'_>) -> bool {
    let rows = &record.rows[found.first..];
    let quarter = |k: usize| &rows[k * rows.len() / 4..(k + 1) * rows.len() / 4];
    let force = |f: &[f64], k: usize| work(record, f, quarter(k));
    let fitted: Vec<f64> = (0..4).map(|k| force(&found.fitted, k)).collect();
    // A quarter in which nearly nothing is dissipated has no ratio to speak of.
    let least = 0.05 * fitted.iter().map(|w| w.abs()).fold(0.0, f64::max);
    let ratio = |k: usize| force(record.force, k) / fitted[k];
    let far = (0..4).filter(|&k| fitted[k] > least).map(|k| (k, ratio(k)));
    let Some((k, ratio)) = far.max_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()))
    else {
        return false;
    };
    let changed = (ratio - 1.0).abs() > CHANGED;
    if changed {
        let said = format!(
            "the loop is not the same along the record: the {} quarter dissipates {:+.0} % compared with these numbers, which describe no part of it; fit the parts separately",
            ["first", "second", "third", "last"][k],
            100.0 * (ratio - 1.0)
        );
        found.parameters.friction = Estimate::unknown("N", said.clone());
        found.warnings.push(said);
    }
    changed
}

/// In one direction dry friction and a constant force are one, and where friction elements give the column of the damper, viscous friction
/// is, too: their sum is given, and its parts are not.
fn one_direction(found: &mut HysteresisFit, record: &Record<'_>) {
    let p = &found.parameters;
    let (Some(dry), Some(offset)) = (p.friction.value, p.offset.value) else { return };
    let speed = usual_speed(found, record, |v| v);
    let sum = offset + dry * speed.signum();
    let why = match p.damping.value.filter(|_| found.apart < ONE_SPEED) {
        None => format!(
            "it moves in one direction only, so that dry friction and a constant force are one: together they are {sum:.3} N"
        ),
        Some(damping) => format!(
            "it moves in one direction only, so that dry friction, viscous friction and a constant force cannot be told apart: at \
             {speed:.2e} m/s they are {:.3} N together",
            sum + damping * speed
        ),
    };
    if found.apart < ONE_SPEED {
        found.parameters.damping = Estimate::unknown("N·s/m", why.clone());
    }
    found.parameters.friction = Estimate::unknown("N", why.clone());
    found.parameters.offset = Estimate::unknown("N", why.clone());
    found.warnings.push(why);
}

/// The median of the velocities, or of what `of` makes of them, over the rows that count.
fn usual_speed(found: &HysteresisFit, record: &Record<'_>, of: impl Fn(f64) -> f64) -> f64 {
    let rows = &record.rows[found.first..];
    let speed = |w: &[usize]| {
        let by = record.displacement[w[1]] - record.displacement[w[0]];
        of(by / (record.time[w[1]] - record.time[w[0]]))
    };
    // The median, so that neither turns nor rows at rest decide.
    median(&mut rows.windows(2).map(speed).collect::<Vec<f64>>())
}

/// At one speed dry and viscous friction are one force: it is given, and its parts are not.
fn one_speed(found: &mut HysteresisFit, record: &Record<'_>) {
    let p = &found.parameters;
    let (Some(dry), Some(damping)) = (p.friction.value, p.damping.value) else { return };
    let usual = usual_speed(found, record, f64::abs);
    let why = format!(
        "the motion has one speed, about {usual:.2e} m/s, at which dry and viscous friction cannot be told apart: together they are \
         {:.3} N",
        dry + damping * usual
    );
    found.parameters.friction = Estimate::unknown("N", why.clone());
    found.parameters.damping = Estimate::unknown("N·s/m", why.clone());
    found.warnings.push(why);
}
