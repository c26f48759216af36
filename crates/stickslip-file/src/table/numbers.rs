//! Numbers in the cells of a table: decimal points and commas, and what stands for a missing value.

use super::{Complaint, clip};

/// How the fraction of a number is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`.
    Point,
    /// `1,5`.
    Comma,
}

/// What stands for a missing value, besides the usual words.
#[derive(Debug, Clone, PartialEq)]
pub enum Missing {
    /// A number such as −999.
    Number(f64),
    /// A word.
    Word(String),
}

/// Words that stand for a missing value in every file.
const MISSING: [&str; 16] = [
    "NA", "N/A", "NaN", "null", "none", "nil", "missing", "-", "--", "---", "?", "#N/A", "#NA",
    "#NV", "#VALUE!", "#DIV/0!",
];

/// Reads numbers, and learns how they are written.
#[derive(Debug)]
pub struct Numbers<'a> {
    declared: Option<Decimal>,
    missing: &'a [Missing],
    /// A number with a decimal point has been seen.
    points: bool,
    /// A number with a decimal comma has been seen.
    commas: bool,
    /// The first number that may be one with a separator of thousands instead, and its line.
    doubtful: Option<(u64, String)>,
    /// A number that can only have a decimal comma has been seen.
    certain: bool,
}

/// A number with the minus sign of typography, or an exponent of Fortran, as it is usually written.
pub(super) fn usual(field: &str) -> std::borrow::Cow<'_, str> {
    let field: std::borrow::Cow<'_, str> = match field.strip_prefix('\u{2212}') {
        Some(rest) => format!("-{rest}").into(),
        None => field.into(),
    };
    match field.split_once(['d', 'D']) {
        Some((digits, exponent))
            if digits.ends_with(|c: char| c.is_ascii_digit() || c == '.')
                && exponent.starts_with(['+', '-'])
                && exponent[1..].bytes().all(|b| b.is_ascii_digit()) =>
        {
            format!("{digits}e{exponent}").into()
        }
        _ => field,
    }
}

impl<'a> Numbers<'a> {
    /// Numbers of a file that are written as `declared` says.
    pub fn new(declared: Option<Decimal>, missing: &'a [Missing]) -> Self {
        let points = false;
        let commas = false;
        let certain = false;
        Self { declared, missing, points, commas, doubtful: None, certain }
    }

    /// A finite number, or NaN for a missing value; `line` is that of the field.
    pub fn parse(&mut self, field: &str, line: u64) -> Result<f64, Complaint> {
        if self.is_missing(field) {
            return Ok(f64::NAN);
        }
        let x = self.number(field, line)?;
        let is_missing = |m: &Missing| matches!(m, Missing::Number(n) if *n == x);
        Ok(if self.missing.iter().any(is_missing) { f64::NAN } else { x })
    }

    /// A finite number.
    pub fn number(&mut self, written: &str, line: u64) -> Result<f64, Complaint> {
        let usual = usual(written);
        let field = usual.as_ref();
        match field.parse::<f64>() {
            Ok(x) if !x.is_finite() => Err((
                format!("`{}` is not finite; expected a number", clip(written)),
                "leave the field empty if the value is missing".to_owned(),
            )),
            Ok(_) if self.expects_commas() && field.contains('.') => Err((
                format!(
                    "`{}` is written with a decimal point; expected a decimal comma",
                    clip(written)
                ),
                "write all numbers of the file in the same way".to_owned(),
            )),
            Ok(x) => {
                self.points = self.points || field.contains('.');
                Ok(x)
            }
            Err(_) => self.with_comma(field, line).ok_or_else(|| self.no_number(written)),
        }
    }

    fn expects_commas(&self) -> bool {
        self.declared.map_or(self.commas, |d| d == Decimal::Comma)
    }

    /// A number with a decimal comma, where one may be written so.
    fn with_comma(&mut self, field: &str, line: u64) -> Option<f64> {
        let allowed = match self.declared {
            Some(decimal) => decimal == Decimal::Comma,
            None => !self.points,
        };
        let x = comma_number(field).filter(|x| allowed && x.is_finite())?;
        self.commas = true;
        if may_be_thousands(field) {
            self.doubtful.get_or_insert_with(|| (line, clip(field)));
        } else {
            self.certain = true;
        }
        Some(x)
    }

    fn no_number(&self, field: &str) -> Complaint {
        let shown = clip(field);
        if field.contains('\n') {
            return (
                format!("`{shown}` runs over several lines"),
                "a quote that is opened here is closed further down or never: close it, or remove it"
                    .to_owned(),
            );
        }
        if comma_number(&usual(field)).is_some() {
            return (
                format!("`{shown}` is written with a decimal comma; expected a decimal point"),
                "export the table with decimal points, or replace the commas".to_owned(),
            );
        }
        let number = field.trim_end_matches(|c: char| !c.is_ascii_digit()).trim_end();
        let help = match number.parse::<f64>() {
            Ok(_) if number.len() < field.len() => {
                "remove what stands behind the number: units belong into the fit file"
            }
            _ => "correct the value, or leave the field empty (or NA) if it is missing",
        };
        (format!("`{shown}` is not a number"), help.to_owned())
    }

    /// Whether decimal commas were found without having been declared.
    pub fn guessed_commas(&self) -> bool {
        self.commas && self.declared.is_none()
    }

    /// The line and the text of a number that may be meant in two ways, if nothing decided it.
    pub fn ambiguous(&self) -> Option<&(u64, String)> {
        self.doubtful.as_ref().filter(|_| self.declared.is_none() && !self.certain)
    }

    fn is_missing(&self, field: &str) -> bool {
        let is_word = |m: &Missing| matches!(m, Missing::Word(w) if w == field);
        field.is_empty()
            || (!starts_number(field) && MISSING.iter().any(|m| field.eq_ignore_ascii_case(m)))
            || self.missing.iter().any(is_word)
    }
}

/// Whether a field cannot be one of the usual words: most fields, found quickly.
fn starts_number(field: &str) -> bool {
    let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

fn comma_number(field: &str) -> Option<f64> {
    let one = field.matches(',').count() == 1 && !field.contains('.');
    one.then(|| field.replace(',', ".").parse().ok()).flatten()
}

/// Whether `1,234` may be 1234 as well as 1.234.
fn may_be_thousands(field: &str) -> bool {
    let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
    let Some((whole, rest)) = digits.split_once(',') else { return false };
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    (1..=3).contains(&whole.len())
        && !whole.starts_with('0')
        && all_digits(whole)
        && rest.len() == 3
        && all_digits(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_commas_are_understood_where_nothing_speaks_against_them() {
        let mut n = Numbers::new(None, &[]);
        assert_eq!(n.parse("1,25", 2), Ok(1.25));
        assert_eq!(n.parse("3", 3), Ok(3.0));
        assert_eq!(n.parse("-0,5e3", 4), Ok(-500.0));
        assert!(n.parse("1.5", 5).unwrap_err().0.contains("decimal point"));
        assert!(n.ambiguous().is_none() && n.guessed_commas());
        let mut n = Numbers::new(None, &[]);
        assert_eq!(n.parse("1.5", 2), Ok(1.5));
        assert!(n.parse("1,5", 3).unwrap_err().0.contains("decimal comma"));
        let mut n = Numbers::new(Some(Decimal::Comma), &[]);
        assert_eq!(n.parse("1,234", 2), Ok(1.234));
        assert!(n.ambiguous().is_none());
        assert!(n.parse("1.234", 2).is_err());
        let mut n = Numbers::new(Some(Decimal::Point), &[]);
        assert!(n.parse("1,5", 2).is_err());
    }

    #[test]
    fn thousands_are_not_taken_for_fractions_silently() {
        let mut n = Numbers::new(None, &[]);
        assert_eq!(n.parse("1,234", 7), Ok(1.234));
        assert_eq!(n.ambiguous(), Some(&(7, "1,234".to_owned())));
        assert_eq!(n.parse("0,234", 8), Ok(0.234));
        assert!(n.ambiguous().is_none());
        assert!(Numbers::new(None, &[]).parse("1,234,567", 1).is_err());
        assert!(Numbers::new(None, &[]).parse("1,234.5", 1).is_err());
        // A message shows what stands in the file.
        let mut n = Numbers::new(Some(Decimal::Point), &[]);
        assert_eq!(n.parse("-1.5D+02", 1), Ok(-150.0));
        let said = n.parse("1,5D+02", 2).unwrap_err().0;
        assert!(said.contains("`1,5D+02` is written with a decimal comma"), "{said}");
    }

    #[test]
    fn missing_values_are_words_or_declared() {
        let declared = [Missing::Number(-999.0), Missing::Word("out".into())];
        let mut n = Numbers::new(None, &declared);
        for field in ["", "NA", "nan", "---", "#N/A", "-999", "-999.0", "out"] {
            assert!(n.parse(field, 1).unwrap().is_nan(), "{field}");
        }
        assert_eq!(n.parse("-998", 1), Ok(-998.0));
        for field in ["inf", "warm", "21.5 °C", "1e", "Out"] {
            assert!(n.parse(field, 1).is_err(), "{field}");
        }
    }
}
