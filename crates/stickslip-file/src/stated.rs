//! Units that a table states itself, in a row of units or in the name of a column, against those of the fit file. A
//! contradiction is an error: a factor of a thousand is no matter of taste.
//!
//! In a name a unit stands in brackets (`F [kN]`), behind a stroke (`F/kN`, ISO 80000-1), behind "in" (`force in kN`), or at the end
//! (`F_kN`, `F kN`, `kN`). At the end one letter is an index as often as a unit (`F_N`, a normal force), but for `F` and `C` of a
//! temperature (`temp_F`), and so are `in` and `cm` (`x_in`, the input; `x_cm`, the centre of mass): of these it is said what was assumed.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::units::{TEMPERATURES, TIMES, Unit};

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

/// Ends of names that are a length as often as an index.
const UNCLEAR: [&str; 2] = ["in", "cm"];

/// What may be a unit in the name of a column without brackets, the longest first.
fn at_the_end(column: &str, dimension: Dimension) -> impl Iterator<Item = &str> {
    let column = column.trim();
    let behind = |mark: &str| column.rfind(mark).and_then(|i| column.get(i + mark.len()..));
    let is_clear = move |name: &&str| {
        let is_scale = dimension == Dimension::Temperature && ["F", "C"].contains(name);
        // A column that is called `F` or `C` as a whole may be anything.
        (is_scale && *name != column) || (name.chars().count() > 1 && !UNCLEAR.contains(name))
    };
    let degrees = ["deg F", "deg C"].into_iter().find(|d| column.ends_with(d));
    let stroke = column.find('/').and_then(|i| column.get(i + 1..));
    let whole = [Some(column), behind("_"), behind(" ")];
    let ends = whole.into_iter().flatten().filter(is_clear);
    degrees.into_iter().chain(stroke).chain(behind(" in ")).chain(ends)
}

/// Another way to write some units.
fn usual(name: &str) -> &str {
    const OTHERS: [(&str, &str); 4] =
        [("inch", "in"), ("inches", "in"), ("deg F", "degF"), ("deg C", "degC")];
    OTHERS.iter().find(|(other, _)| *other == name).map_or(name, |(_, usual)| usual)
}

/// A column of times that are numbers, of units of so many seconds, against what the table says of it.
///
/// # Errors
/// Where the table states another unit.
pub fn check_time(
    file: &str,
    column: &Placed<String>,
    unit: Option<&str>,
    seconds: f64,
) -> Result<()> {
    let bare = |name: &str| name.trim_matches(|c: char| "[]() ".contains(c)).to_owned();
    let in_name = || {
        let name = &column.value;
        let behind = |mark: char| name.rfind(mark).and_then(|i| name.get(i + 1..));
        // `t_d` is a delay as often as days.
        in_brackets(name).or_else(|| behind('/')).or_else(|| behind('_').filter(|n| n.len() > 1))
    };
    let Some(name) = unit.or_else(in_name).map(bare) else { return Ok(()) };
    let Some((name, told)) = TIMES.iter().find(|t| t.0 == name) else { return Ok(()) };
    if (told / seconds - 1.0).abs() < 1e-9 {
        return Ok(());
    }
    let message = format!(
        "{file}: the table gives `{}` in {name}, but `time_unit` (s where it is not given) says otherwise",
        column.value
    );
    Err(Diagnostic::at(&column.place, message)
        .help(format!("write `time_unit = \"{name}\"`, or correct the table")))
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

/// What was assumed of columns of lengths whose names end in what may be a unit or an index.
pub fn assumed(
    file: &str,
    columns: &[Placed<String>],
    units: &[Option<String>],
    says: &[Option<Says>],
) -> Vec<String> {
    let mut all = Vec::new();
    for (i, (column, says)) in columns.iter().zip(says).enumerate() {
        let Some(Says { dimension: Dimension::Length, scale, key }) = *says else { continue };
        let name = column.value.trim();
        if units.get(i).is_some_and(Option::is_some) || in_brackets(name).is_some() {
            continue;
        }
        let end = name.rsplit(['_', ' ']).next().filter(|end| *end != name);
        let unit = UNCLEAR.into_iter().find(|unit| end == Some(unit));
        let Some((unit, (_, told))) = unit.and_then(|u| Some((u, known(u)?))) else { continue };
        if (told.0 / scale.0 - 1.0).abs() > 1e-9 {
            all.push(format!(
                "{file}: the name `{name}` may end in the unit {unit} or in an index; `{key}` was taken, which says otherwise"
            ));
        }
    }
    all
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
    /// The unit that the table states, if it is one of those that are known.
    fn told(&self) -> Option<(&str, (Dimension, Scale))> {
        let of = |name| {
            let name = usual(name);
            known(name).map(|found| (name, found))
        };
        if let Some(name) = self.unit.or_else(|| in_brackets(&self.column.value)) {
            return of(name.trim_matches(|c: char| "[]() ".contains(c)));
        }
        // Without brackets it counts only if it measures what the column does: `force_mm` may be a force at some place.
        at_the_end(&self.column.value, self.dimension)
            .filter_map(of)
            .find(|(_, (d, _))| *d == self.dimension)
    }

    /// # Errors
    /// Where the table states a unit that is another one than that of the fit file.
    pub fn check(&self, file: &str) -> Result<()> {
        let Some((name, (dimension, scale))) = self.told() else { return Ok(()) };
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

    #[test]
    fn a_unit_in_a_name_needs_no_brackets() {
        use Dimension::{AngularVelocity, Force, Length, Number, Temperature, Torque};
        let one = (1.0, 0.0);
        let kilo = (1e3, 0.0);
        for name in ["F/kN", "F_kN", "F kN", "kN", "force in kN", "F / kN"] {
            assert!(!check(name, None, Force, one), "{name}");
            assert!(check(name, None, Force, kilo), "{name}");
        }
        assert!(!check("x", Some("inch"), Length, one) && !check("x/m", None, Length, (1e-3, 0.0)));
        assert!(!check("w_rpm", None, AngularVelocity, one));
        assert!(!check("v/(rad/s)", None, AngularVelocity, (0.1, 0.0)));
        assert!(
            !check("temp_degF", None, Temperature, one) && !check("deg F", None, Temperature, one)
        );
        // Indices are no units, nor is what measures something else.
        for name in ["F_N", "x_in", "x_cm", "F_mean", "m", "N"] {
            assert!(check(name, None, Force, kilo) && check(name, None, Length, kilo), "{name}");
        }
        assert!(check("force_mm", None, Force, kilo));
        assert!(check("F/N", None, Number, one) && check("torque_nm", None, Torque, one));
        assert!(!check("temp_F", None, Temperature, one) && !check("T F", None, Temperature, one));
        assert!(check("temp_F", None, Temperature, (5.0 / 9.0, -32.0)));
        assert!(check("temp_C", None, Temperature, one) && check("F", None, Temperature, one));
        assert!(!check("temp_C", None, Temperature, (5.0 / 9.0, -32.0)));
        for (name, newtons) in
            [("daN", 10.0), ("klbf", 4448.221615260_5), ("kip", 4448.221615260_5)]
        {
            assert!(!check("F", Some(name), Force, one), "{name}");
            assert!(check("F", Some(name), Force, (newtons, 0.0)), "{name}");
        }
        assert!(check("T_K", None, Temperature, one) && check("temp_in", None, Temperature, one));
    }

    #[test]
    fn what_may_be_an_index_is_said() {
        let source = Arc::new(Source { name: "f".into(), text: String::new() });
        let count = |name: &str, unit: Option<&str>, factor| {
            let column = Placed { value: name.to_owned(), place: Place::new(&source, 0..0) };
            let says = Says::factor(Dimension::Length, factor, "position_unit");
            assumed("r.csv", &[column], &[unit.map(str::to_owned)], &[says]).len()
        };
        for name in ["x_cm", "x_in", "disp in"] {
            assert_eq!(count(name, None, 1.0), 1, "{name}");
            assert_eq!(count(name, Some("m"), 1.0), 0, "{name}");
        }
        assert_eq!([count("x_cm", None, 0.01), count("x_in", None, 0.0254)], [0, 0]);
        assert_eq!([count("cm", None, 1.0), count("x [m]", None, 1.0)], [0, 0]);
    }

    #[test]
    fn times_have_units_too() {
        let source = Arc::new(Source { name: "f".into(), text: String::new() });
        let is_right = |name: &str, unit, seconds| {
            let column = Placed { value: name.to_owned(), place: Place::new(&source, 0..0) };
            check_time("r.csv", &column, unit, seconds).is_ok()
        };
        for name in ["t [ms]", "t/ms", "t_ms", "time (ms)"] {
            assert!(!is_right(name, None, 1.0) && is_right(name, None, 1e-3), "{name}");
        }
        assert!(!is_right("t", Some("h"), 1.0) && is_right("t", Some("[s]"), 1.0));
        assert!(is_right("t", Some("TS"), 1.0) && is_right("t_d", None, 1.0));
        assert!(is_right("time", None, 60.0) && is_right("t [s]", None, 1.0));
    }
}
