//! What one path shows of its thresholds: where it rested, and what made it jump.

use super::SlipPath;
use super::record::BLOCK;
use super::record::{Record, Thresholds};

/// One rest of a path with δ > 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    /// The stretch, from 0.
    pub stretch: usize,
    /// Jumps since the start of the stretch, forward less backward: ξ = ξ₀ + δ·`level`.
    pub level: i64,
    /// The least and the greatest drive during the rest; the greatest is below the least if there was none.
    pub range: [f64; 2],
    /// The drive at the sample that ended it, and the number of jumps there (negative: backward).
    pub end: Option<(f64, i64)>,
}

impl Record {
    /// Every rest of the path of `set`, in order; `starts` as for [`sums`](Self::sums). Blocks in which
    /// it cannot jump are looked at as a whole. Nothing for δ = 0.
    pub fn rests(&self, set: Thresholds, starts: &[f64], mut visit: impl FnMut(Rest)) {
        let Thresholds { rho, delta } = set;
        if delta <= 0.0 {
            return;
        }
        for (stretch, (part, &xi)) in self.stretches.iter().zip(starts).enumerate() {
            let mut path = SlipPath { rho, delta, xi };
            const NONE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];
            let mut level = 0;
            let mut range = NONE;
            let drive = &self.drive[part.samples.0..part.samples.1];
            for (block, extent) in drive.chunks(BLOCK).zip(&self.extents[part.block..]) {
                if extent.high - path.xi <= rho && path.xi - extent.low <= rho {
                    range = [range[0].min(extent.low), range[1].max(extent.high)];
                    continue;
                }
                for &t in block {
                    let count = path.advance(t) as i64;
                    if count != 0 {
                        visit(Rest { stretch, level, range, end: Some((t, count)) });
                        (level, range) = (level + count, NONE);
                    }
                    range = [range[0].min(t), range[1].max(t)];
                }
            }
            visit(Rest { stretch, level, range, end: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two stretches by hand: ρ = 2, δ = 1, from ξ = 0 and from ξ = 5.
    #[test]
    fn rests_of_a_short_path() {
        let drive = [0.0, 1.0, 2.0, 2.5, 1.0, -4.5, -4.0, /* second */ 5.0, 6.0, 4.0];
        let samples: Vec<_> = drive.iter().map(|&t| (t, 0.0, 1.0)).collect();
        let record = Record::new(&samples, &[0, 7]);
        let mut found = Vec::new();
        record.rests(Thresholds { rho: 2.0, delta: 1.0 }, &[0.0, 5.0], |r| found.push(r));
        let rest = |stretch, level, range, end| Rest { stretch, level, range, end };
        assert_eq!(
            found,
            [
                rest(0, 0, [0.0, 2.0], Some((2.5, 1))),
                rest(0, 1, [1.0, 2.5], Some((-4.5, -4))),
                rest(0, -3, [-4.5, -4.0], None),
                rest(1, 0, [4.0, 6.0], None),
            ]
        );
    }
}
