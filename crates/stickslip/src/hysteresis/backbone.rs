//! The virgin loading curve, and what Masing's rules make of it.

/// Force against displacement on first loading: piecewise linear, concave for x > 0, odd.
#[derive(Debug, Clone, PartialEq)]
pub struct Backbone {
    /// r₁ ≤ … ≤ r_n, m.
    breakpoints: Vec<f64>,
    /// Slopes S₀ > S₁ > … > S_n before, between and after the breakpoints, N/m.
    stiffness: Vec<f64>,
    /// Force at each breakpoint, N.
    forces: Vec<f64>,
}

impl Backbone {
    /// Of a cascade with springs k₀ … k_n and thresholds α₁ … α_n, in its order of nodes.
    pub fn cascade(stiffness: &[f64], threshold: &[f64]) -> Self {
        let mut compliance = 0.0;
        let slopes = stiffness.iter().map(|k| {
            compliance += 1.0 / k;
            1.0 / compliance
        });
        let slopes: Vec<f64> = slopes.collect();
        let mut r = 0.0;
        let mut f = 0.0;
        let (breakpoints, forces) = threshold
            .iter()
            .zip(&slopes)
            .map(|(a, s)| {
                r += a / s;
                f += a;
                (r, f)
            })
            .unzip();
        Self { breakpoints, stiffness: slopes, forces }
    }

    /// Of Jenkins elements (a spring k_j and a slider α_j in series) side by side, with a spring
    /// `remaining` (N/m) beside them: the parallel (Maxwell-slip, Iwan) arrangement.
    pub fn parallel(elements: &[(f64, f64)], remaining: f64) -> Self {
        let mut sorted: Vec<(f64, f64)> = elements.iter().map(|&(k, a)| (a / k, k)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From the back, so that the slopes carry no cancellation.
        let mut slopes = vec![remaining];
        slopes.extend(sorted.iter().rev().scan(remaining, |s, &(_, k)| {
            *s += k;
            Some(*s)
        }));
        slopes.reverse();
        let mut r0 = 0.0;
        let mut f = 0.0;
        let forces = sorted
            .iter()
            .zip(&slopes)
            .map(|(&(r, _), s)| {
                f += s * (r - r0);
                r0 = r;
                f
            })
            .collect();
        Self { breakpoints: sorted.iter().map(|e| e.0).collect(), stiffness: slopes, forces }
    }

    /// r₁ ≤ … ≤ r_n, m.
    pub fn breakpoints(&self) -> &[f64] {
        &self.breakpoints
    }

    /// S₀ > … > S_n, N/m.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// Force at each breakpoint, N.
    pub fn forces(&self) -> &[f64] {
        &self.forces
    }

    /// κ_j = S_{j−1} − S_j, j = 1 … n, N/m.
    pub fn weights(&self) -> Vec<f64> {
        self.stiffness.windows(2).map(|s| s[0] - s[1]).collect()
    }

    /// Force on first loading to `x` (m), N.
    pub fn value(&self, x: f64) -> f64 {
        let size = x.abs();
        let f = match self.breakpoints.partition_point(|&r| r <= size) {
            0 => self.stiffness[0] * size,
            j => self.forces[j - 1] + self.stiffness[j] * (size - self.breakpoints[j - 1]),
        };
        f.copysign(x)
    }

    /// Masing's first rule: the branch that leaves a turning point (`x0`, `f0`) of the virgin curve is
    /// the virgin curve at twice the scale, f = f₀ + 2 B((x − x₀)/2).
    pub fn branch(&self, (x0, f0): (f64, f64), x: f64) -> f64 {
        f0 + 2.0 * self.value(0.5 * (x - x0))
    }

    /// The closed loop between ±`amplitude` (m): its corners (x, f), the first repeated at the end.
    pub fn cycle(&self, amplitude: f64) -> Vec<(f64, f64)> {
        let a = amplitude.abs();
        let top = (a, self.value(a));
        let upper: Vec<(f64, f64)> = std::iter::once(top)
            .chain(self.breakpoints.iter().filter(|&&r| r < a).map(|r| {
                let x = a - 2.0 * r;
                (x, self.branch(top, x))
            }))
            .collect();
        let lower = upper.iter().map(|&(x, f)| (-x, -f));
        upper.iter().copied().chain(lower).chain(std::iter::once(top)).collect()
    }

    /// Energy lost to friction in one cycle between ±`amplitude` (m), J: the area of the loop,
    /// Σ_j 4 κ_j r_j (a − r_j) over the plays that slip.
    pub fn dissipated_per_cycle(&self, amplitude: f64) -> f64 {
        let a = amplitude.abs();
        let lost = |(r, s): (&f64, &[f64])| 4.0 * (s[0] - s[1]) * r * (a - r).max(0.0);
        self.breakpoints.iter().zip(self.stiffness.windows(2)).map(lost).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area inside a polygon, by the shoelace formula.
    fn area(corners: &[(f64, f64)]) -> f64 {
        corners.windows(2).map(|c| 0.5 * (c[0].0 * c[1].1 - c[1].0 * c[0].1)).sum::<f64>().abs()
    }

    #[test]
    fn one_jenkins_element_by_hand() {
        // k0 = 2 to the slider α = 1, then k1 = 2 to the ground: slopes 2 and 1.
        let b = Backbone::cascade(&[2.0, 2.0], &[1.0]);
        assert_eq!(b.breakpoints(), [0.5]);
        assert_eq!((b.value(0.25), b.value(-0.5), b.value(1.5)), (0.5, -1.0, 2.0));
        // Unloading from (1.5, 2): elastic over twice the force, then slope 1 again.
        assert_eq!((b.branch((1.5, 2.0), 0.5), b.branch((1.5, 2.0), -1.5)), (0.0, -2.0));
        assert_eq!(b.dissipated_per_cycle(1.5), 4.0 * 0.5);
    }

    #[test]
    fn the_loss_is_the_area_of_the_loop() {
        let cascade = Backbone::cascade(&[3.0, 2.0, 1.5, 1.0, 0.7], &[0.5, 0.8, 0.3, 1.1]);
        let parallel = Backbone::parallel(&[(2.0, 1.0), (1.0, 2.0), (3.0, 0.6)], 0.4);
        for b in [cascade, parallel] {
            for amplitude in [0.1, 0.4, 1.0, 3.0, 10.0] {
                let a = area(&b.cycle(amplitude));
                let d = b.dissipated_per_cycle(amplitude);
                assert!((a - d).abs() < 1e-13 * (1.0 + d), "{amplitude}: {a} {d}");
            }
        }
    }
}
