//! What a loss looks at in a motion of several nodes.

/// What a loss looks at, and its derivatives with respect to that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looked<'a> {
    /// Times, s, not decreasing.
    pub times: &'a [f64],
    /// With respect to x and ẋ of each node at the first time, at the second, ….
    pub x: &'a [f64],
    pub v: &'a [f64],
    /// With respect to the times of the events, or nothing.
    pub event_times: &'a [f64],
}

/// What does not enter does not matter, even if it is not known.
pub(crate) fn entering(weight: f64, rate: f64) -> f64 {
    if weight == 0.0 || rate == 0.0 { 0.0 } else { weight * rate }
}

impl Looked<'_> {
    /// The derivative of the loss with respect to number `k` of `count`, from those of the motion: of x and ẋ of each node at each time, and
    /// of the times of the events, each with respect to all numbers.
    pub fn along(&self, k: usize, count: usize, [x, v, event_times]: [&[f64]; 3]) -> f64 {
        let of = |(weights, rates): (&[f64], &[f64])| -> f64 {
            let rows = weights.iter().zip(rates.chunks(count));
            rows.map(|(w, row)| entering(*w, row[k])).sum()
        };
        [(self.x, x), (self.v, v), (self.event_times, event_times)].into_iter().map(of).sum()
    }
}
