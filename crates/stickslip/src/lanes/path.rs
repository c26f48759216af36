//! One path, one sample at a time: the reference.

/// The state ξ of one slider with its thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlipPath {
    /// ρ ≥ 0, in the drive's unit.
    pub rho: f64,
    /// δ, 0 ≤ δ ≤ 2ρ, in the drive's unit.
    pub delta: f64,
    /// ξ, in the drive's unit.
    pub xi: f64,
}

impl SlipPath {
    /// Brings the path to the drive `t`, reached monotonically from the drive before.
    ///
    /// Returns the number of jumps, negative for jumps backward; with δ = 0 (play) it counts ±1 when
    /// ξ moved. All jumps of one call have the same sign: after a jump T − ξ lies in (ρ − 2ρ, ρ].
    #[inline]
    pub fn advance(&mut self, t: f64) -> f64 {
        let lead = t - self.xi;
        let excess = lead.abs() - self.rho;
        if excess > 0.0 {
            let count = if self.delta > 0.0 { (excess * self.delta.recip()).ceil() } else { 1.0 };
            self.xi = if self.delta > 0.0 {
                self.xi + (count * self.delta).copysign(lead)
            } else {
                t - self.rho.copysign(lead)
            };
            count.copysign(lead)
        } else {
            0.0
        }
    }
}

/// One jump of a path, exactly located.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jump {
    /// When |T − ξ| reached ρ, s.
    pub time: f64,
    /// T at that time.
    pub drive: f64,
    /// ξ before.
    pub from: f64,
    /// ξ after.
    pub to: f64,
}

/// All jumps of the path through a drive that is linear between samples, in order of time.
///
/// The k-th jump of an interval falls where T = ξ + kδ ± ρ, so its time is the linear interpolate.
/// A path that starts beyond the thresholds jumps at the first sample. With δ = 0 there are no
/// jumps: the play operator slides continuously, and the list is empty.
pub fn jumps(times: &[f64], drive: &[f64], start: SlipPath) -> Vec<Jump> {
    let mut out = Vec::new();
    let mut path = start;
    let mut before = None;
    for (&time, &t) in times.iter().zip(drive) {
        let old = path.xi;
        let count = path.advance(t);
        if path.delta > 0.0 {
            for k in 0..count.abs() as usize {
                let from = old + (k as f64 * path.delta).copysign(count);
                let to = old + ((k + 1) as f64 * path.delta).copysign(count);
                let level = from + path.rho.copysign(count);
                let (time, drive) = match before {
                    Some((time0, t0)) if t != t0 => {
                        let share = ((level - t0) / (t - t0)).clamp(0.0, 1.0);
                        (time0 + share * (time - time0), t0 + share * (t - t0))
                    }
                    _ => (time, t),
                };
                out.push(Jump { time, drive, from, to });
            }
        }
        before = Some((time, t));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sticks_at_the_limit_and_jumps_beyond() {
        let mut p = SlipPath { rho: 2.0, delta: 1.0, xi: 0.0 };
        assert_eq!((p.advance(2.0), p.xi), (0.0, 0.0));
        assert_eq!((p.advance(2.5), p.xi), (1.0, 1.0));
        assert_eq!((p.advance(-1.0), p.xi), (0.0, 1.0));
        assert_eq!((p.advance(-4.5), p.xi), (-4.0, -3.0));
    }

    #[test]
    fn without_jumps_it_is_the_play_operator() {
        let mut p = SlipPath { rho: 0.7, delta: 0.0, xi: 0.1 };
        let mut clamped = 0.1f64;
        for i in 0..500 {
            let t = 3.0 * (0.05 * i as f64).sin();
            p.advance(t);
            clamped = clamped.clamp(t - 0.7, t + 0.7);
            assert!((p.xi - clamped).abs() < 1e-14);
        }
    }

    /// Rule against a drive cut into a thousand pieces per interval.
    #[test]
    fn jump_times_agree_with_a_fine_march() {
        let times: Vec<f64> = (0..60).map(|i| 10.0 * i as f64).collect();
        let drive: Vec<f64> =
            times.iter().map(|t| 9.0 * (0.011 * t).sin() + 4.0 * (0.05 * t).cos()).collect();
        let start = SlipPath { rho: 2.0, delta: 1.1, xi: 3.0 };
        let exact = jumps(&times, &drive, start);
        let mut fine = Vec::new();
        let mut p = start;
        for i in 1..times.len() {
            for k in 0..=1000 {
                let share = k as f64 / 1000.0;
                for _ in
                    0..p.advance(drive[i - 1] + share * (drive[i] - drive[i - 1])).abs() as usize
                {
                    fine.push(times[i - 1] + share * 10.0);
                }
            }
        }
        assert!(exact.len() > 20);
        assert_eq!(exact.len(), fine.len());
        for (e, f) in exact.iter().zip(&fine) {
            assert!((e.time - f).abs() <= 0.0101, "{} {f}", e.time);
            assert!(((e.drive - e.from).abs() - 2.0).abs() < 1e-12);
        }
    }
}
