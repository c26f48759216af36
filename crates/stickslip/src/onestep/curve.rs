//! Friction as a function of the sliding speed.

/// One half of an odd graph A: the friction's magnitude at speeds s ≥ 0.
pub trait Curve {
    /// A(s), N; A(0) is the limit from above and the breakaway force. For s < 0 a smooth
    /// continuation, where there is one.
    fn at(&self, s: f64) -> f64;

    /// dA/ds, N·s/m.
    fn slope(&self, s: f64) -> f64;

    /// Bounds on dA/ds over [lo, hi], 0 ≤ lo ≤ hi: certified, and tight as the interval shrinks.
    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64);

    /// sup(−dA/ds) ≥ 0 over all speeds, N·s/m; may be +∞.
    fn weakening(&self) -> f64;

    /// The speeds around `s` without a kink between them: see [`Smooth`]. At a kink those above it where `rising`.
    fn smooth_around(&self, s: f64, rising: bool) -> Smooth {
        let _ = (s, rising);
        Smooth::EVERYWHERE
    }
}

/// Speeds between two kinks of a friction law, over which it is one smooth function.
///
/// Schemes of high order take a kink for an event, so that no step comes over one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smooth {
    /// The kink below, m/s; 0 where there is none.
    pub from: f64,
    /// The kink above, m/s; +∞ where there is none.
    pub to: f64,
    /// Where the friction is a straight line between the two: a speed (m/s), the friction there (N), and its slope, N·s/m.
    pub line: Option<[f64; 3]>,
}

impl Smooth {
    /// Of a law without kinks.
    pub(crate) const EVERYWHERE: Self = Self { from: 0.0, to: f64::INFINITY, line: None };

    /// The speeds around `speed` (m/s) between two of the `kinks` (m/s), which increase from above 0; at a kink those above it where
    /// `rising`.
    ///
    /// ```
    /// let speeds = stickslip::law::Smooth::among(&[0.5, 2.0], 0.5, false);
    /// assert_eq!((speeds.from, speeds.to), (0.0, 0.5));
    /// ```
    pub fn among(kinks: &[f64], speed: f64, rising: bool) -> Self {
        let below = kinks.partition_point(|k| if rising { *k <= speed } else { *k < speed });
        let from = below.checked_sub(1).map_or(0.0, |i| kinks[i]);
        Self { from, to: kinks.get(below).copied().unwrap_or(f64::INFINITY), line: None }
    }

    /// The friction (N) at `speed` (m/s), continued beyond both kinks from what it is between them: on the straight line, or by the cubic
    /// through four speeds as far apart as the kink is passed, f(k + d) = 4f(k) − 6f(k − d) + 4f(k − 2d) − f(k − 3d), which joins `law`
    /// with three derivatives.
    pub fn continued(&self, speed: f64, law: impl Fn(f64) -> f64) -> f64 {
        if let Some([s, f, slope]) = self.line {
            return f + slope * (speed - s);
        }
        let kink = if speed > self.to {
            self.to
        } else if speed < self.from {
            self.from
        } else {
            // Between the kinks it is the law itself.
            return law(speed);
        };
        let d = speed - kink;
        4.0 * law(kink) - 6.0 * law(kink - d) + 4.0 * law(kink - 2.0 * d) - law(kink - 3.0 * d)
    }
}
