//! Which columns a log has, and what makes a log one that cannot be followed.

use super::super::experiment::Columns;
use super::index::Row;
use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::stated::{Dimension, Says};
use stickslip_calibrate::joint::logs::Log;
use stickslip_calibrate::servo::turned_over;

/// The longest time between two rows of a log, s. The goal is taken as straight between rows, and a servo has ended its motion
/// within less; a unit of time that is wrong by a factor of a thousand leaves gaps beyond this.
const LONGEST_GAP: f64 = 1.0;

/// Which columns of a log are read.
pub struct Layout {
    /// Those of the goal, of the angle and of what else is named, in the order in which they are read.
    names: Vec<Placed<String>>,
    /// rad for each unit of the angles.
    unit: f64,
    /// Whether a column says when the motor is on.
    enabled: bool,
    supply: Supply,
}

/// Where the supply comes from.
enum Supply {
    /// There is no supply; the gain is in V/rad.
    Absent,
    /// The same in every row, V.
    Known(f64),
    /// The last column.
    Column,
}

impl Layout {
    pub fn read(t: &Table<'_>) -> Result<Self> {
        let unit = t.angle("position_unit")?.unwrap_or(1.0);
        let goal = t.text("goal", "the name of the column of goals")?;
        let position = t.text("position", "the name of the column of angles")?;
        if goal.value == position.value {
            let message = format!("`goal` and `position` both name the column `{}`", goal.value);
            return Err(Diagnostic::at(&position.place, message)
                .help("name the column of what was sent, and that of what was measured"));
        }
        let enabled =
            t.text_opt("enabled", "the name of the column that says whether the motor is on")?;
        let expected = "the name of the column of supply voltages, or a number of V";
        let mut names = vec![goal, position];
        names.extend(enabled.clone());
        let supply = if t.has_number("supply") {
            Supply::Known(t.number("supply", positive("V"))?)
        } else if let Some(name) = t.text_opt("supply", expected)? {
            names.push(name);
            Supply::Column
        } else {
            Supply::Absent
        };
        Ok(Self { names, unit, enabled: enabled.is_some(), supply })
    }

    /// Reads one log.
    pub fn log(&self, t: &Table<'_>, row: &Row, gathered: &mut Gathered) -> Result<Log> {
        let says = [Says::factor(Dimension::Angle, self.unit, "position_unit"); 2];
        let read = Columns::read_file(t, &row.file, &self.names, &says, gathered)?;
        self.check(&row.file, &read)?;
        let rows = read.seconds.len();
        let first = read.seconds[0];
        let mut values = read.values.into_iter();
        let mut column = || values.next().unwrap_or_default();
        let scaled = |column: Vec<f64>| column.into_iter().map(|v| v * self.unit).collect();
        let goal = scaled(column());
        let position = scaled(column());
        let enabled = match self.enabled {
            true => column().into_iter().map(|v| v != 0.0).collect(),
            false => Vec::new(),
        };
        let supply = match self.supply {
            Supply::Absent => Vec::new(),
            Supply::Known(volts) => vec![volts; rows],
            Supply::Column => column(),
        };
        Ok(Log {
            time: read.seconds.iter().map(|s| s - first).collect(),
            goal,
            position,
            enabled,
            supply,
            gain: row.gain.unwrap_or(1.0),
            load: row.load.load(),
            mounting: 0,
            start: [0.0; 2],
            anchors: Vec::new(),
        })
    }

    /// Refuses a log that cannot be replayed or compared.
    fn check(&self, file: &Placed<String>, read: &Columns) -> Result<()> {
        let file = &file.value;
        let at =
            |column: usize, message: String| Diagnostic::at(&self.names[column].place, message);
        let cut = "fill the gap, or choose a part of the log without gaps by `start` and `end`";
        let rows = read.seconds.len();
        if rows < 3 {
            let message = format!("{file}: {rows} rows; expected a log of some seconds");
            return Err(at(1, message).help("remove the log from the list"));
        }
        for column in (0..self.names.len()).filter(|c| *c != 1) {
            if let Some(empty) = read.values[column].iter().position(|v| v.is_nan()) {
                let name = &self.names[column].value;
                let message = format!("{file}: row {}: the column `{name}` is empty", empty + 1);
                return Err(at(column, message).help(cut));
            }
        }
        let angles = read.values[1].iter().filter(|v| !v.is_nan()).count();
        if angles < 3 {
            let name = &self.names[1].value;
            let message = format!(
                "{file}: the column `{name}` holds {angles} angles in {rows} rows; expected at least three"
            );
            return Err(at(1, message).help("name the column of the angle, or remove the log"));
        }
        if let Supply::Column = self.supply {
            let last = self.names.len() - 1;
            if read.values[last].iter().all(|v| *v <= 0.0) {
                let name = &self.names[last].value;
                let message =
                    format!("{file}: the column `{name}` is never above 0; expected volts");
                return Err(at(last, message)
                    .help("name the column of the supply, or write its voltage as a number"));
            }
        }
        let gap = read.seconds.windows(2).position(|w| w[1] - w[0] > LONGEST_GAP);
        if let Some(i) = gap {
            let message = format!(
                "{file}: rows {} and {} are {} s apart; expected at most {LONGEST_GAP} s",
                i + 1,
                i + 2,
                read.seconds[i + 1] - read.seconds[i]
            );
            return Err(at(1, message).help(
                "check `time_unit`, or choose a part of the log without gaps by `start` and `end`",
            ));
        }
        Ok(())
    }

    /// Refuses an angle that starts anew after each turn.
    pub fn check_turns(&self, file: &Placed<String>, position: &[f64]) -> Result<()> {
        let Some(at) = turned_over(position) else { return Ok(()) };
        let name = &self.names[1];
        let message = format!(
            "{}: row {}: the column `{}` jumps by a turn, as of an encoder that starts anew after each",
            file.value,
            at + 1,
            name.value
        );
        Err(Diagnostic::at(&name.place, message)
            .help("unwrap it: add or take a turn after each jump, in all rows that follow"))
    }
}
