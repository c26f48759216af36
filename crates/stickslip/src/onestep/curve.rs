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
}
