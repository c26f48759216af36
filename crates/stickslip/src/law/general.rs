//! Any friction: A(w) = α_S σ(w) + Ψ(w) (Bastien, Bernardin, Lamarque 2013, (1.35)), from a function or a table.

use super::{Curve, Listed, Smooth};
use crate::error::Error;
use std::fmt;
use std::sync::Arc;

/// The friction's magnitude against the speed: a function with bounds on its slope, or a table.
#[derive(Clone)]
pub struct General {
    shape: Shape,
    /// Bounds on dA/ds, N·s/m.
    least: f64,
    greatest: f64,
    /// What the function is called.
    name: Option<Arc<str>>,
    /// Speeds at which the function has a kink, m/s, increasing.
    kinks: Arc<[f64]>,
}

#[derive(Clone)]
enum Shape {
    Function(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
    /// (speed, force), linear between the points, constant after the last.
    Table(Arc<[(f64, f64)]>),
}

impl General {
    /// `friction` maps the speed s ≥ 0 (m/s) to A(s) = α_S + Ψ(s) ≥ 0 (N), A(0) being the breakaway
    /// force. `slope` = (least, greatest) bounds dA/ds (N·s/m) at all speeds: what proves that the
    /// steps find every solution. A negative `least` means weakening.
    ///
    /// # Errors
    /// If the force at rest is not a finite number ≥ 0 N, or the bounds on the slope are not two finite numbers in order.
    pub fn function(
        friction: impl Fn(f64) -> f64 + Send + Sync + 'static,
        slope: (f64, f64),
    ) -> Result<Self, Error> {
        let (least, greatest) = slope;
        let at_rest = friction(0.0);
        if !(at_rest.is_finite() && at_rest >= 0.0) {
            return Err(Error::OutOfRange {
                what: "the friction function at speed 0",
                found: at_rest,
                expected: "a finite force ≥ 0 N",
            });
        }
        if !(least.is_finite() && greatest.is_finite() && least <= greatest) {
            return Err(Error::OutOfRange {
                what: "the bounds on the friction's slope",
                found: least,
                expected: "two finite numbers, least ≤ greatest, N·s/m",
            });
        }
        let shape = Shape::Function(Arc::new(friction));
        Ok(Self { shape, least, greatest, name: None, kinks: Arc::new([]) })
    }

    /// Linear through (`speeds[i]`, `forces[i]`): speeds from 0, strictly increasing, m/s; forces
    /// ≥ 0, N, the first one the breakaway force. Constant beyond the last point.
    ///
    /// # Errors
    /// If the speeds do not increase from 0, or a force is not a finite number ≥ 0 N.
    pub fn table(speeds: &[f64], forces: &[f64]) -> Result<Self, Error> {
        let bad =
            |index, reason| Err(Error::BadTable { what: "the friction table", index, reason });
        if speeds.len() != forces.len() || speeds.is_empty() {
            let n = speeds.len();
            let m = forces.len();
            return bad(
                n.min(m),
                format!("{n} speeds and {m} forces; expected equally many, one or more"),
            );
        }
        let mut least = 0.0f64;
        let mut greatest = 0.0f64; // the constant end
        for (index, (&s, &f)) in speeds.iter().zip(forces).enumerate() {
            if !(s.is_finite() && f.is_finite() && f >= 0.0) {
                return bad(
                    index,
                    format!("({s} m/s, {f} N); expected finite numbers and a force ≥ 0 N"),
                );
            }
            if index == 0 {
                if s != 0.0 {
                    return bad(
                        0,
                        format!(
                            "the first speed is {s} m/s; expected 0, where the force is the breakaway force"
                        ),
                    );
                }
                continue;
            }
            let before = speeds[index - 1];
            let force = forces[index - 1];
            if s <= before {
                return bad(
                    index,
                    format!(
                        "speed {s} m/s does not come after {before} m/s; expected increasing speeds"
                    ),
                );
            }
            let slope = (f - force) / (s - before);
            (least, greatest) = (least.min(slope), greatest.max(slope));
        }
        let points = speeds.iter().copied().zip(forces.iter().copied()).collect();
        let kinks = Arc::new([]);
        Ok(Self { shape: Shape::Table(points), least, greatest, name: None, kinks })
    }

    /// The same function, whose slope jumps at the speeds `kinks` (m/s). `adaptive` takes them for events, so that its steps are long between
    /// them; a kink that is not named costs dozens of short steps at each passage. A table knows its own.
    ///
    /// ```
    /// use stickslip::{Law, law::General};
    /// # fn main() -> Result<(), stickslip::Error> {
    /// let worn = General::function(|s| 1.0 - 0.5 * f64::min(s, 0.2), (-0.5, 0.0))?.with_kinks(&[0.2])?;
    /// let law = Law::General(worn);
    /// # let _ = law; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the speeds are not finite and increasing from above 0.
    pub fn with_kinks(self, kinks: &[f64]) -> Result<Self, Error> {
        let mut before = 0.0;
        for &kink in kinks {
            if !(kink.is_finite() && kink > before) {
                return Err(Error::OutOfRange {
                    what: "a kink of the friction function",
                    found: kink,
                    expected: "finite speeds > 0 m/s, each greater than the one before",
                });
            }
            before = kink;
        }
        Ok(Self { kinks: kinks.into(), ..self })
    }

    /// The same under a name, which stands for a function in messages and wherever problems are compared.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into().into()), ..self }
    }
}

/// Slope of the table's piece that begins at point `i`.
fn piece_slope(points: &[(f64, f64)], i: usize) -> f64 {
    match points.get(i + 1) {
        Some(&(s, f)) => (f - points[i].1) / (s - points[i].0),
        None => 0.0,
    }
}

/// Index of the piece that holds at `s`.
fn piece(points: &[(f64, f64)], s: f64) -> usize {
    points.partition_point(|p| p.0 <= s).saturating_sub(1)
}

impl Curve for General {
    fn at(&self, s: f64) -> f64 {
        match &self.shape {
            Shape::Function(f) => f(s.max(0.0)),
            Shape::Table(points) => {
                let i = piece(points, s);
                points[i].1 + piece_slope(points, i) * (s - points[i].0)
            }
        }
    }

    fn slope(&self, s: f64) -> f64 {
        match &self.shape {
            Shape::Function(f) => {
                // Only steers Newton's iteration, which is bracketed.
                let d = 1e-6 * s.max(1e-9);
                ((f(s + d) - f(s)) / d).clamp(self.least, self.greatest)
            }
            Shape::Table(points) => piece_slope(points, piece(points, s)),
        }
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        match &self.shape {
            Shape::Function(_) => (self.least, self.greatest),
            Shape::Table(points) => {
                let pieces = piece(points, lo)..=piece(points, hi);
                pieces
                    .map(|i| piece_slope(points, i))
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s), b.max(s)))
            }
        }
    }

    fn weakening(&self) -> f64 {
        (-self.least).max(0.0)
    }

    fn smooth_around(&self, s: f64, rising: bool) -> Smooth {
        let Shape::Table(points) = &self.shape else {
            return Smooth::among(&self.kinks, s, rising);
        };
        let mut i = piece(points, s);
        if !rising && s == points[i].0 {
            i = i.saturating_sub(1);
        }
        let to = points.get(i + 1).map_or(f64::INFINITY, |p| p.0);
        let line = Some([points[i].0, points[i].1, piece_slope(points, i)]);
        Smooth { from: points[i].0, to, line }
    }
}

impl PartialEq for General {
    /// Functions are equal when they are the same function with the same kinks.
    fn eq(&self, other: &Self) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Function(a), Shape::Function(b)) => {
                Arc::ptr_eq(a, b) && self.kinks == other.kinks
            }
            (Shape::Table(a), Shape::Table(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Function(_) if self.name.is_some() => {
                let name = self.name.as_deref().unwrap_or_default();
                write!(f, "General(function {name:?}, slope {}..{})", self.least, self.greatest)
            }
            Shape::Function(_) => {
                write!(f, "General(function, slope {}..{})", self.least, self.greatest)
            }
            Shape::Table(points) => f.debug_tuple("General").field(points).finish(),
        }
    }
}

impl Listed for General {
    fn canonical(&self) -> Result<String, Error> {
        let slope = (self.least, self.greatest);
        match (&self.shape, &self.name) {
            (Shape::Table(points), _) => Ok(format!("table({points:?}, {slope:?})")),
            (Shape::Function(_), Some(name)) => {
                let kinks = &self.kinks;
                Ok(if kinks.is_empty() {
                    format!("function({name:?}, {slope:?})")
                } else {
                    format!("function({name:?}, {slope:?}, {kinks:?})")
                })
            }
            (Shape::Function(_), None) => Err(Error::Unnamed { what: "the friction law".into() }),
        }
    }

    fn user_functions(&self) -> Vec<Option<String>> {
        match self.shape {
            Shape::Function(_) => vec![self.name.as_deref().map(str::to_owned)],
            Shape::Table(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::curve_tests::slopes_are_bounded;

    #[test]
    fn a_table_is_linear_between_its_points() {
        let law = General::table(&[0.0, 1.0, 3.0], &[2.0, 1.0, 4.0]).unwrap();
        for (s, f) in [(0.0, 2.0), (0.5, 1.5), (1.0, 1.0), (2.0, 2.5), (3.0, 4.0), (9.0, 4.0)] {
            assert_eq!(law.at(s), f);
        }
        assert_eq!(law.weakening(), 1.0);
        slopes_are_bounded(&law, 5.0);
    }

    /// Of 2 + s², whose slope is 2s.
    #[test]
    fn the_slope_of_a_function_is_near_its_derivative() {
        let law = General::function(|s| 2.0 + s * s, (0.0, 10.0)).unwrap();
        for s in [0.5, 1.0, 4.0] {
            assert!((law.slope(s) - 2.0 * s).abs() < 1e-4);
        }
        assert_eq!(law.slope(50.0), 10.0);
    }

    /// A cubic goes on as itself beyond its kinks.
    #[test]
    fn what_is_between_kinks_goes_on_beyond_them() {
        let cubic = |s: f64| 2.0 - s + 0.5 * s * s * s;
        let law = General::function(move |s| cubic(s.clamp(0.5, 2.0)), (-1.0, 20.0));
        let law = law.unwrap().with_kinks(&[0.5, 2.0]).unwrap();
        let speeds = law.smooth_around(0.5, true);
        assert_eq!((speeds.from, speeds.to), (0.5, 2.0));
        for s in [0.4, 0.5, 1.0, 1.9, 2.2] {
            assert!((speeds.continued(s, |s| law.at(s)) - cubic(s)).abs() < 1e-12, "{s}");
        }
        let below = law.smooth_around(0.5, false);
        assert_eq!((below.from, below.to), (0.0, 0.5));
        assert_eq!(law.smooth_around(2.0, true).to, f64::INFINITY);
        for bad in [&[0.0][..], &[1.0, 1.0], &[f64::NAN], &[2.0, 1.0]] {
            assert!(law.clone().with_kinks(bad).is_err());
        }
    }

    #[test]
    fn bad_tables_say_where() {
        let place = |s: &[f64], f: &[f64]| match General::table(s, f) {
            Err(Error::BadTable { index, .. }) => index,
            other => panic!("{other:?}"),
        };
        assert_eq!(place(&[0.0, 1.0, 1.0], &[1.0; 3]), 2);
        assert_eq!(place(&[0.1, 1.0], &[1.0; 2]), 0);
        assert_eq!(place(&[0.0, 1.0], &[1.0, -1.0]), 1);
        assert_eq!(place(&[0.0, f64::NAN], &[1.0, 1.0]), 1);
        assert_eq!(place(&[0.0], &[]), 0);
    }

    #[test]
    fn functions_need_honest_numbers() {
        assert!(General::function(|_| -1.0, (0.0, 0.0)).is_err());
        assert!(General::function(|s| s, (1.0, 0.0)).is_err());
        assert!(General::function(|s| 1.0 + s, (1.0, 1.0)).is_ok());
    }
}
