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

    /// The friction at `speed` (m/s) on the straight line, continued beyond both kinks, N.
    pub fn on_line(&self, speed: f64) -> Option<f64> {
        self.line.map(|[s, f, slope]| f + slope * (speed - s))
    }
}
