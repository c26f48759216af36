//! The record of a joint as it enters the fit.

use super::rows::{check, unwrapped};
use super::{Asked, Motion, Record};
use crate::error::Error;
use crate::record::entry::{Column, Holds, entered, saturated, whole_range};
use crate::record::logger::held_readings;
use crate::record::play::Play;
use std::borrow::Cow;

/// Columns without what no instrument has measured.
pub struct Entry<'a> {
    given: Record<'a>,
    velocity: Option<Cow<'a, [f64]>>,
    position: Option<Cow<'a, [f64]>>,
    effort: Cow<'a, [f64]>,
    /// What was left out.
    pub said: Vec<String>,
    /// What speaks against any number.
    pub doubts: Vec<String>,
    /// How often the angle jumped by a turn.
    pub wraps: usize,
}

impl<'a> Entry<'a> {
    pub fn of(record: &Record<'a>, asked: &Asked) -> Result<Self, Error> {
        check(record)?;
        // Whatever moves, an effort that never changes is that of no joint: it would be fitted for a long time, and refused in the end.
        let mut efforts = record.effort.iter().copied().filter(|e| e.is_finite());
        if let Some(value) = efforts.next()
            && efforts.all(|e| e == value)
        {
            return Err(Error::Constant { column: "effort", value });
        }
        let mut out = Self {
            given: *record,
            velocity: record.velocity.map(Cow::from),
            position: record.position.map(Cow::from),
            effort: record.effort.into(),
            said: Vec::new(),
            doubts: Vec::new(),
            wraps: 0,
        };
        // Dwells have no neighbours.
        if record.time.is_some() {
            out.look(asked)?;
        }
        let (position, wraps) = unwrapped(out.position.as_deref(), asked.motion);
        if wraps > 0 {
            out.position = position.map(Cow::from);
            out.wraps = wraps;
        }
        if let (Some(position), Motion::Rotation) = (&out.position, asked.motion) {
            whole_range("position", position)?;
        }
        Ok(out)
    }

    fn look(&mut self, asked: &Asked) -> Result<(), Error> {
        let angle = match asked.motion {
            Motion::Translation => Holds::Motion,
            // An angle may start anew after each turn.
            Motion::Rotation => Holds::Angle,
        };
        let given = self.given;
        let motions =
            [("velocity", given.velocity, Holds::Motion), ("position", given.position, angle)];
        let mut columns: Vec<Column<'a>> = motions
            .into_iter()
            .filter_map(|(name, values, holds)| Some(Column { name, values: values?, holds }))
            .collect();
        columns.push(Column { name: "effort", values: given.effort, holds: Holds::Force });
        let found = entered(given.time, &columns)?;
        self.said = found.said;
        self.doubts = found.doubts;
        for (column, values) in columns.iter().zip(found.columns) {
            match column.name {
                "velocity" => self.velocity = Some(values),
                "position" => self.position = Some(values),
                _ => self.effort = values,
            }
        }
        // The velocity is formed from the position only where none is given.
        if self.velocity.is_none()
            && let Some(position) = &mut self.position
        {
            let cut = saturated(position, &self.effort);
            let rows = cut.iter().filter(|c| **c).count();
            if rows > 0 {
                self.said.push(format!(
                    "the position stands at an end of its range in {rows} rows while the effort still changes, as of a sensor that is cut off: these \
                     rows were left out"
                ));
                let own = position.to_mut();
                cut.iter().zip(own).filter(|c| *c.0).for_each(|c| *c.1 = f64::NAN);
            }
            if let Some(play) = Play::of(position, &self.effort) {
                let unit = if asked.motion == Motion::Rotation { "rad" } else { "m" };
                self.said.push(play.said(["position", "effort"], unit));
                play.take_off(position);
            }
        }
        for (name, values) in [("velocity", &self.velocity), ("position", &self.position)] {
            let Some((rows, _)) = values.as_ref().and_then(|v| held_readings(v)) else { continue };
            self.doubts.push(format!(
                "each value of the {name} stands for about {rows} rows, as of a slower sensor whose last value is held: no velocity or \
                 acceleration is that of its row; keep only the rows at which it changes"
            ));
        }
        Ok(())
    }

    /// The record to be fitted.
    pub fn record(&self) -> Record<'_> {
        Record {
            velocity: self.velocity.as_deref(),
            position: self.position.as_deref(),
            effort: &self.effort,
            ..self.given
        }
    }
}
