//! Units that a table states itself, in a row of units or in brackets in the name of a column, against those of the fit file. A
//! contradiction is an error: a factor of a thousand is no matter of taste.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::units::{TEMPERATURES, Unit};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dimension {
    Length,
    Force,
    Angle,
    Torque,
    Velocity,
    AngularVelocity,
    Temperature,
    /// A pure number.
    Number,
}

impl Dimension {
    /// That of the SI unit of this name.
    pub fn of(si: &str) -> Option<Self> {
        LIKE.iter().find(|like| like.0 == si).map(|like| like.1)
    }
}

const LIKE: [(&str, Dimension); 6] = [
    ("m", Dimension::Length),
    ("N", Dimension::Force),
    ("rad", Dimension::Angle),
    ("N·m", Dimension::Torque),
    ("m/s", Dimension::Velocity),
    ("rad/s", Dimension::AngularVelocity),
];

/// What makes SI units (°C of temperatures) of a number: a factor, and what is added before.
pub type Scale = (f64, f64);

/// What the unit of this name measures, if it is one of those.
fn known(name: &str) -> Option<(Dimension, Scale)> {
    let temperature = || {
        let found = TEMPERATURES.iter().find(|u| u.0 == name)?;
        Some((Dimension::Temperature, found.1))
    };
    let unit = || {
        let unit = Unit::parse(name)?;
        let which = unit.one_of(&LIKE.map(|l| l.0))?;
        Some((LIKE[which].1, (unit.factor, 0.0)))
    };
    unit().or_else(temperature)
}

/// The text in brackets at the end of the name of a column: `F [kN]`, `x (mm)`.
fn in_brackets(column: &str) -> Option<&str> {
    let open = column.rfind(['[', '('])?;
    let end = column.trim_end().strip_suffix([']', ')'])?;
    end.get(open + 1..)
}

/// What a fit file says of the unit of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Says {
    pub dimension: Dimension,
    pub scale: Scale,
    /// The key that says so.
    pub key: &'static str,
}

impl Says {
    /// A unit without a zero of its own.
    pub fn factor(dimension: Dimension, factor: f64, key: &'static str) -> Option<Self> {
        Some(Self { dimension, scale: (factor, 0.0), key })
    }
}

/// Columns against what the fit file says of each, if it does.
///
/// # Errors
/// Where the table states another unit of one of them.
pub fn check(
    file: &str,
    columns: &[Placed<String>],
    units: &[Option<String>],
    says: &[Option<Says>],
) -> Result<()> {
    for (i, (column, says)) in columns.iter().zip(says).enumerate() {
        let Some(Says { dimension, scale, key }) = *says else { continue };
        let unit = units.get(i).and_then(Option::as_deref);
        Stated { column, unit, dimension, scale, key }.check(file)?;
    }
    Ok(())
}

/// One column against what the fit file says of it.
pub struct Stated<'a> {
    /// The name of the column, and where the fit file has it.
    pub column: &'a Placed<String>,
    /// What the row of units says.
    pub unit: Option<&'a str>,
    /// What the fit file says.
    pub dimension: Dimension,
    /// Likewise.
    pub scale: Scale,
    /// The key that says so.
    pub key: &'a str,
}

impl Stated<'_> {
    /// # Errors
    /// Where the table states a unit that is another one than that of the fit file.
    pub fn check(&self, file: &str) -> Result<()> {
        let name = self.unit.or_else(|| in_brackets(&self.column.value));
        let Some(name) = name.map(|n| n.trim_matches(|c: char| "[]() ".contains(c))) else {
            return Ok(());
        };
        let Some((dimension, scale)) = known(name) else { return Ok(()) };
        // `F` is a force as well as degrees Fahrenheit, `C` and `K` are other things elsewhere.
        let letter = dimension == Dimension::Temperature && name.chars().count() == 1;
        if letter && self.dimension != Dimension::Temperature {
            return Ok(());
        }
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let same = near(scale.0, self.scale.0) && near(scale.1, self.scale.1);
        if dimension == self.dimension && same {
            return Ok(());
        }
        let message = format!(
            "{file}: the table gives `{}` in {name}, but `{}` says otherwise",
            self.column.value, self.key
        );
        let help = if dimension == self.dimension {
            format!("write `{} = \"{name}\"`, or correct the table", self.key)
        } else {
            "check that the right column is named, and correct its unit in the table".to_owned()
        };
        Err(Diagnostic::at(&self.column.place, message).help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, Source};
    use std::sync::Arc;

    fn check(column: &str, unit: Option<&str>, dimension: Dimension, scale: Scale) -> bool {
        let source = Arc::new(Source { name: "f".into(), text: String::new() });
        let column = Placed { value: column.to_owned(), place: Place::new(&source, 0..0) };
        let stated = Stated { column: &column, unit, dimension, scale, key: "force_unit" };
        stated.check("r.csv").is_ok()
    }

    #[test]
    fn only_contradictions_are_errors() {
        use Dimension::{Angle, Force, Length, Temperature};
        let one = (1.0, 0.0);
        assert!(check("F", None, Force, one));
        assert!(check("F", Some("N"), Force, one) && check("F", Some("[N]"), Force, one));
        assert!(!check("F", Some("kN"), Force, one) && !check("F [kN]", None, Force, one));
        assert!(check("F [kN]", None, Force, (1e3, 0.0)));
        assert!(!check("x (mm)", None, Length, one) && check("x (mm)", None, Length, (1e-3, 0.0)));
        assert!(!check("x", Some("kN"), Length, one));
        assert!(!check("angle", Some("deg"), Angle, one));
        assert!(!check("v", Some("mm/s"), Dimension::Velocity, one));
        assert!(!check("v", Some("rpm"), Dimension::AngularVelocity, one));
        assert!(!check("torque", Some("kN"), Dimension::Torque, one));
        assert!(!check("mu", Some("kN"), Dimension::Number, one));
        assert!(check("mu", Some("-"), Dimension::Number, one));
        assert!(
            !check("T", Some("°F"), Temperature, one) && check("T", Some("C"), Temperature, one)
        );
        // What is no unit of these says nothing.
        assert!(check("x", Some("counts"), Length, one) && check("x (left)", None, Length, one));
        assert!(check("force (F)", None, Force, one));
    }
}
