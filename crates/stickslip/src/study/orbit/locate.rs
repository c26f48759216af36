//! Where a branch bifurcates between two of its points.

use super::curve::{Curve, Spot};
use super::forced::Forced;
use super::kind::{self, Kind};
use crate::numeric::modulus;
use num_complex::Complex64;

/// A bifurcation and the orbit there.
pub(super) struct Located {
    pub spot: Spot,
    pub kind: Kind,
}

/// Halvings of an interval: to the rounding of its ends.
const HALVINGS: usize = 60;
/// Shares of an interval that cannot be told apart.
const RESOLUTION: f64 = 4e-15;
/// Share of the way between two points within which a bifurcation must lie to be named.
const NARROW: f64 = 1e-3;
/// Values of the parameter that cannot be told apart, relative to its range.
const SAME: f64 = 1e-12;
/// Changes of the order of phases nearer to each other than this, relative to the range of the parameter, are one.
const SETTLED: f64 = 3e-9;
/// States on both sides of a change of the order of phases that are further from each other than this, in typical sizes, are not of
/// one branch: the section of a model that nothing drives, for one, may be met once more or once less in a period.
const CONTINUOUS: f64 = 1e-3;
/// Changes of the order of phases between two points beyond which they are too far apart.
const MOST: usize = 8;
/// How near to its mirror image an orbit must be to count as symmetric, relative to its amplitude.
const SYMMETRIC: f64 = 1e-6;

/// How near to 1 a multiplier of a continuum is.
const NEUTRAL: f64 = 1e-9;

/// What changes its sign at a bifurcation of smooth maps.
#[derive(Clone, Copy, PartialEq)]
enum Test {
    /// The rate of the parameter.
    Rate,
    /// Π (μ + 1).
    Minus,
    /// Π (μ − 1).
    Plus,
    /// |μ|² − 1 of the first pair of conjugate multipliers.
    Modulus,
}

impl Curve<'_> {
    /// The bifurcations between two points of the curve, in order; nothing where the points are not of one branch, or where too much
    /// changes between them to be followed: points nearer to each other show it.
    pub(super) fn bifurcations(&self, a: &Spot, b: &Spot) -> Option<Vec<Located>> {
        let mut out = Vec::new();
        let mut from = a.clone();
        for changes in 0.. {
            if from.passage.pattern == b.passage.pattern {
                break;
            }
            if changes == MOST {
                return None;
            }
            let (last, first) = self.change(&from, b)?;
            if self.apart(&last, &first) > CONTINUOUS {
                return None;
            }
            self.smooth(&from, &last, &mut out)?;
            let (before, first, at) = self.settled(last, first, b);
            self.name_change(&before, &first, at, &mut out);
            // Where the order of phases changes for a rounding only, others may come after that.
            if first.z == b.z {
                return Some(out);
            }
            from = first;
        }
        self.smooth(&from, b, &mut out)?;
        Some(out)
    }

    /// How far two states are from each other, in typical sizes.
    fn apart(&self, a: &Spot, b: &Spot) -> f64 {
        let n = self.scale.len();
        a.z[..n].iter().zip(&b.z[..n]).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
    }

    /// The last point with the order of phases of `a`, and the first with another.
    fn change(&self, a: &Spot, b: &Spot) -> Option<(Spot, Spot)> {
        let mut low = 0.0;
        let mut high = 1.0;
        let mut last = a.clone();
        let mut first = b.clone();
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if high - low <= RESOLUTION || middle <= low || middle >= high {
                break;
            }
            match self.between(a, b, middle) {
                Some(s) if s.passage.pattern == a.passage.pattern => (low, last) = (middle, s),
                Some(s) => (high, first) = (middle, s),
                None => return None,
            }
        }
        Some((last, first))
    }

    /// The last point before a change of the order of phases, the first point after it, and where it is.
    ///
    /// A slip that is about to vanish has velocities below the rounding of those around it, and its phases come in any
    /// order there. Such changes are one, and it is where the phases are those of the side that has fewer of them.
    fn settled(&self, last: Spot, first: Spot, b: &Spot) -> (Spot, Spot, Spot) {
        let mut final_last = last.clone();
        let mut after = first;
        for _ in 0..MOST {
            let Some((l, f)) = self.change(&after, b).filter(|_| after.z != b.z) else { break };
            if (self.value(&l.z) - self.value(&last.z)).abs() > SETTLED * self.length() {
                break;
            }
            (final_last, after) = (l, f);
        }
        let fewer = last.passage.pattern.len() <= after.passage.pattern.len();
        let at = if fewer { last.clone() } else { final_last };
        (last, after, at)
    }

    /// Names a change of the order of phases from one point to another, which is at a third.
    fn name_change(&self, last: &Spot, first: &Spot, spot: Spot, out: &mut Vec<Located>) {
        let stops = |s: &Spot| s.passage.sticks().0;
        // Without friction a velocity that changes its sign once more is no event.
        let rubs = (self.make)(self.value(&spot.z)).is_none_or(|forced| forced.rubs());
        let sliding = kind::of_change(&last.passage, &first.passage);
        let sliding = sliding.filter(|kind| rubs || *kind == Kind::Grazing);
        let counted = (stops(last) != stops(first)).then_some(Kind::Stops);
        for kind in [sliding, counted].into_iter().flatten() {
            // Both halves of a symmetric orbit change at once, but for a rounding.
            let at = self.value(&spot.z);
            let same = |l: &Located| l.kind == kind && self.is_near(self.value(&l.spot.z), at);
            if !out.iter().any(same) {
                out.push(Located { spot: spot.clone(), kind });
            }
        }
    }

    /// Whether two values of the parameter differ by a rounding.
    fn is_near(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= SAME * self.length()
    }

    /// The bifurcations of smooth maps between two orbits with one order of phases; nothing where one is there and cannot be located.
    fn smooth(&self, a: &Spot, b: &Spot, out: &mut Vec<Located>) -> Option<()> {
        // Along a continuum of orbits a multiplier is 1 everywhere, and where the branch goes in it means nothing.
        if a.z == b.z || is_neutral(a) && is_neutral(b) {
            return Some(());
        }
        let changes = |test: Test| {
            let p = self.test(a, test);
            let q = self.test(b, test);
            matches!((p, q), (Some(p), Some(q)) if p * q < 0.0)
        };
        let begin = out.len();
        let fold = changes(Test::Rate);
        for (test, here) in [
            (Test::Rate, fold),
            (Test::Minus, changes(Test::Minus)),
            (Test::Plus, !fold && changes(Test::Plus)),
            (Test::Modulus, changes(Test::Modulus)),
        ] {
            if !here {
                continue;
            }
            let kind = match test {
                Test::Rate => Kind::Fold,
                Test::Minus => Kind::Flip,
                Test::Plus if symmetric(a) && symmetric(b) => Kind::SymmetryBreaking,
                Test::Plus => Kind::Branching,
                Test::Modulus => Kind::NeimarkSacker,
            };
            let halved = || (kind == Kind::SymmetryBreaking).then(|| self.mirrored(a, b))?;
            let spot = halved().or_else(|| self.zero(a, b, test))?;
            out.push(Located { spot, kind });
        }
        let from = |s: &Located| {
            let d: Vec<f64> = s.spot.z.iter().zip(&a.z).map(|(p, q)| p - q).collect();
            self.product(&d, &d)
        };
        out[begin..].sort_by(|a, b| from(a).total_cmp(&from(b)));
        Some(())
    }

    fn test(&self, spot: &Spot, test: Test) -> Option<f64> {
        let product = |by: f64| spot.multipliers.iter().map(|m| m + by).product::<Complex64>().re;
        match test {
            Test::Rate => Some(self.rate(spot)),
            Test::Minus => Some(product(1.0)),
            Test::Plus => Some(product(-1.0)),
            Test::Modulus => {
                spot.multipliers.iter().find(|m| m.im > 0.0).map(|m| m.norm_sqr() - 1.0)
            }
        }
    }

    /// Where the symmetry of the orbits between two points breaks: the map of half a period has the multiplier −1 there.
    /// Along the branch of symmetric orbits that map is regular, while the two other branches that start here make the map
    /// of the whole period degenerate.
    fn mirrored(&self, a: &Spot, b: &Spot) -> Option<Spot> {
        if (self.make)(self.value(&a.z))?.section.is_some() {
            return None;
        }
        let make = |value: f64| (self.make)(value).map(Forced::half);
        let half = Curve { make: &make, ..self.clone() };
        let own = |s: &Spot| {
            let found = half.correct(&s.z, &s.along)?;
            let apart = found.z.iter().zip(&s.z).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
            (apart <= SYMMETRIC).then_some(found)
        };
        let spot = half.zero(&own(a)?, &own(b)?, Test::Minus)?;
        let passage =
            (self.make)(self.value(&spot.z))?.passage(&self.state(&spot.z), self.periods).ok()?;
        Some(Spot { multipliers: passage.jacobian.eigenvalues(), passage, ..spot })
    }

    /// Where a test is zero between two points: the Illinois variant of false position.
    fn zero(&self, a: &Spot, b: &Spot, test: Test) -> Option<Spot> {
        let mut low = 0.0;
        let mut high = 1.0;
        let mut p = self.test(a, test)?;
        let mut q = self.test(b, test)?;
        let mut best: Option<Spot> = None;
        for i in 0..HALVINGS {
            let at = if i % 4 == 3 { 0.5 * (low + high) } else { (low * q - high * p) / (q - p) };
            if high - low <= RESOLUTION || !(low < at && at < high) {
                break;
            }
            let Some(spot) = self.between(a, b, at) else {
                // Next to a zero the corrector may find nothing, for there its matrix is singular; far from it something else is
                // in the way.
                return best.filter(|_| high - low <= NARROW);
            };
            let r = self.test(&spot, test)?;
            if r == 0.0 {
                return Some(spot);
            }
            if (r > 0.0) == (p > 0.0) {
                (low, p, q) = (at, r, 0.5 * q);
            } else {
                (high, q, p) = (at, r, 0.5 * p);
            }
            best = Some(spot);
        }
        best
    }
}

/// Whether a multiplier is 1 to rounding.
fn is_neutral(spot: &Spot) -> bool {
    spot.multipliers.iter().any(|m| modulus(m - 1.0) <= NEUTRAL)
}

/// Whether half a period later the orbit is at its mirror image.
fn symmetric(spot: &Spot) -> bool {
    let p = &spot.passage;
    let (start, end) = p.span();
    let x = |t: f64| p.displacement(t);
    let a = x(start);
    let b = x(0.5 * (start + end));
    let ends = p.instants().into_iter().map(x);
    let (low, high) = ends.fold((a, a), |(l, h), x| (l.min(x), h.max(x)));
    let quarter = 0.25 * (end - start);
    let c = x(start + quarter);
    let d = x(end - quarter);
    let sum = a + b;
    let other = c + d;
    let size = high - low;
    (sum - other).abs() <= SYMMETRIC * size && (sum - low - high).abs() <= SYMMETRIC * size
}
