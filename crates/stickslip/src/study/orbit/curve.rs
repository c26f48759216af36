//! Orbits as points of a curve over a parameter: pseudo-arclength (Keller 1977).

use super::forced::{Fixed, Forced};
use super::passage::Passage;
use crate::numeric::Matrix;
use num_complex::Complex64;

/// Makes the model at a value of the parameter; nothing where there is none.
pub(super) type Make<'a> = &'a (dyn Fn(f64) -> Option<Forced> + Sync);

/// The weight of changes of states of typical size; those of larger states count relative to them.
pub(super) const WEIGHT: f64 = 0.1;
/// Corrector steps before a prediction is given up.
const STEPS: usize = 12;
/// The part of the range over which the derivative with respect to the parameter is taken.
const DIFFERENCE: f64 = 1e-6;

/// The curve of the orbits of so many periods over the range of the parameter.
#[derive(Clone)]
pub(super) struct Curve<'a> {
    pub make: Make<'a>,
    pub periods: usize,
    /// The range of the parameter.
    pub range: (f64, f64),
    /// Typical sizes of the state, the same along the whole curve.
    pub scale: Vec<f64>,
    /// How much a change of the state of typical size counts against a change of the parameter over its whole range.
    pub weight: f64,
    /// The same for states of typical size.
    pub own: f64,
}

/// A point of the curve.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    /// The state, in typical sizes, and the parameter, in lengths of its range.
    pub z: Vec<f64>,
    pub passage: Passage,
    pub residual: f64,
    /// The direction of the curve, of length 1.
    pub along: Vec<f64>,
    pub multipliers: Vec<Complex64>,
}

impl Curve<'_> {
    /// The length of the range of the parameter.
    pub fn length(&self) -> f64 {
        (self.range.1 - self.range.0).abs()
    }

    /// The parameter at `z`.
    pub fn value(&self, z: &[f64]) -> f64 {
        z[self.scale.len()] * self.length()
    }

    /// The state at `z`.
    pub fn state(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.scale).map(|(z, s)| z * s).collect()
    }

    /// The coordinates of a state at a value of the parameter.
    pub fn place(&self, state: &[f64], value: f64) -> Vec<f64> {
        let u = state.iter().zip(&self.scale).map(|(u, s)| u / s);
        u.chain(std::iter::once(value / self.length())).collect()
    }

    /// a · b in the metric of the curve.
    pub fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let n = self.scale.len();
        let weight = |i: usize| if i < n { self.weight * self.weight } else { 1.0 };
        a.iter().zip(b).enumerate().map(|(i, (a, b))| weight(i) * a * b).sum()
    }

    /// The point `z` + s · `along`.
    pub fn ahead(&self, z: &[f64], along: &[f64], s: f64) -> Vec<f64> {
        z.iter().zip(along).map(|(z, t)| z + s * t).collect()
    }

    /// The passage from `z`, and how far its end is from there.
    fn passage(&self, z: &[f64], forced: &Forced) -> Option<(Passage, Vec<f64>, f64)> {
        let u = self.state(z);
        let p = forced.passage(&u, self.periods).ok()?;
        let r: Vec<f64> =
            p.end.iter().zip(&u).zip(&self.scale).map(|((e, u), s)| (e - u) / s).collect();
        let size = r.iter().fold(0.0f64, |a, r| a.max(r.abs()));
        size.is_finite().then_some((p, r, size))
    }

    /// The derivative of the end with respect to the parameter.
    fn sensitivity(&self, z: &[f64]) -> Option<Vec<f64>> {
        let u = self.state(z);
        let value = self.value(z);
        let h = DIFFERENCE * self.length();
        let at = |v: f64| (self.make)(v)?.passage(&u, self.periods).ok().map(|p| p.end);
        let a = at(value - h)?;
        let b = at(value + h)?;
        let slope = |((a, b), s): ((&f64, &f64), &f64)| (b - a) / (2.0 * DIFFERENCE) / s;
        Some(a.iter().zip(&b).zip(&self.scale).map(slope).collect())
    }

    /// The matrix of the corrector: D − I and the sensitivity, and below them the direction in the metric.
    fn system(&self, jacobian: &Matrix, sensitivity: &[f64], along: &[f64]) -> Matrix {
        let n = self.scale.len();
        Matrix::from_fn(n + 1, |i, j| match (i < n, j < n) {
            (true, true) => {
                (jacobian.at(i, j) - f64::from(u8::from(i == j))) * self.scale[j] / self.scale[i]
            }
            (true, false) => sensitivity[i],
            (false, true) => self.weight * self.weight * along[j],
            (false, false) => along[j],
        })
    }

    /// The direction of the curve at a point, in the sense of `along`.
    fn direction(&self, jacobian: &Matrix, sensitivity: &[f64], along: &[f64]) -> Option<Vec<f64>> {
        let n = self.scale.len();
        let mut b = vec![0.0; n + 1];
        b[n] = 1.0;
        let (t, _) = self.system(jacobian, sensitivity, along).solve(&b, 1e-15);
        let size = self.product(&t, &t).sqrt();
        let same = self.product(&t, along) >= 0.0;
        let by = if same { size } else { -size };
        (size > 0.0 && size.is_finite()).then(|| t.iter().map(|t| t / by).collect())
    }

    /// The same from one side of a passage that is known.
    fn forward(&self, z: &[f64], here: &Passage) -> Option<Vec<f64>> {
        let u = self.state(z);
        let value = self.value(z);
        let at = |h: f64| {
            let there = (self.make)(value + h * self.length())?;
            Some((h, there.passage(&u, self.periods).ok()?))
        };
        // Next to a change of the order of phases the other side tells nothing of this one.
        let alike = |p: &(f64, Passage)| p.1.pattern == here.pattern;
        let ahead = at(DIFFERENCE);
        let (h, there) = match ahead {
            Some(p) if alike(&p) => p,
            other => at(-DIFFERENCE).filter(alike).or(other)?,
        };
        let slope = |((a, b), s): ((&f64, &f64), &f64)| (b - a) / h / s;
        Some(here.end.iter().zip(&there.end).zip(&self.scale).map(slope).collect())
    }

    /// The point of the curve in the plane through `guess` across `along`; its direction to the accuracy of a step.
    pub fn correct(&self, guess: &[f64], along: &[f64]) -> Option<Spot> {
        let mut z = guess.to_vec();
        let mut sensitivity: Option<Vec<f64>> = None;
        let mut best: Option<(Vec<f64>, Passage, f64)> = None;
        let mut accepted = 0.0;
        let mut by_itself = false;
        for _ in 0..STEPS {
            let forced = (self.make)(self.value(&z))?;
            (accepted, by_itself) = (forced.accepted(), forced.section.is_some());
            let (passage, r, size) = self.passage(&z, &forced)?;
            if sensitivity.is_none() {
                sensitivity = Some(self.forward(&z, &passage)?);
            }
            let system = self.system(&passage.jacobian, sensitivity.as_deref()?, along);
            let mut b: Vec<f64> = r.iter().map(|r| -r).collect();
            let off: Vec<f64> = z.iter().zip(guess).map(|(z, g)| z - g).collect();
            b.push(-self.product(along, &off));
            let size = if passage.lets_go(&self.state(&z)) { 1e2 } else { size };
            let better = best.as_ref().is_none_or(|b| size < b.2);
            if !better && best.as_ref().is_some_and(|b| b.2 <= accepted) || size > 1e3 {
                break;
            }
            if size <= 1e-2 * accepted {
                if better {
                    best = Some((z, passage, size));
                }
                break;
            }
            let state = z.clone();
            let (d, _) = system.solve(&b, 1e-15);
            z.iter_mut().zip(&d).for_each(|(z, d)| *z += d);
            passage.hold(&mut z, |i| self.scale[i]);
            if better {
                best = Some((state, passage, size));
            }
            if z.iter().any(|z| !z.is_finite()) {
                return None;
            }
        }
        let (z, passage, residual) = best.filter(|b| b.2 <= accepted)?;
        // Steady sliding comes back too, but is no orbit.
        if by_itself && !(self.make)(self.value(&z))?.moves(&passage) {
            return None;
        }
        let along = self.direction(&passage.jacobian, sensitivity.as_deref()?, along)?;
        let multipliers = passage.jacobian.eigenvalues();
        Some(Spot { z, passage, residual, along, multipliers })
    }

    /// The first point of a branch: an orbit at `value`, and the direction towards larger values or smaller ones.
    pub fn begin(&self, fixed: &Fixed, value: f64, sign: f64) -> Option<Spot> {
        let n = self.scale.len();
        let z = self.place(&fixed.state, value);
        let mut along = vec![0.0; n + 1];
        along[n] = sign;
        let sensitivity = self.sensitivity(&z)?;
        let along = self.direction(&fixed.passage.jacobian, &sensitivity, &along)?;
        let multipliers = fixed.passage.jacobian.eigenvalues();
        Some(Spot {
            z,
            passage: fixed.passage.clone(),
            residual: fixed.residual,
            along,
            multipliers,
        })
    }

    /// The point between two others of the curve, at this share of their distance.
    pub fn between(&self, a: &Spot, b: &Spot, share: f64) -> Option<Spot> {
        let chord: Vec<f64> = a.z.iter().zip(&b.z).map(|(a, b)| b - a).collect();
        let size = self.product(&chord, &chord).sqrt();
        if size == 0.0 {
            return None;
        }
        let along: Vec<f64> = chord.iter().map(|c| c / size).collect();
        let mut spot = self.correct(&self.ahead(&a.z, &along, share * size), &along)?;
        let sensitivity = self.sensitivity(&spot.z)?;
        spot.along = self.direction(&spot.passage.jacobian, &sensitivity, &along)?;
        Some(spot)
    }

    /// The size of the state at `z`, in typical sizes.
    pub fn size(&self, z: &[f64]) -> f64 {
        z[..self.scale.len()].iter().fold(0.0, |a, z| a.max(z.abs()))
    }

    /// The same curve with the metric for states like that of `spot`, whose direction is made of length 1 in it.
    pub fn near(&self, spot: &mut Spot) -> Self {
        let near = Self { weight: self.own / (1.0 + self.size(&spot.z)), ..self.clone() };
        let size = near.product(&spot.along, &spot.along).sqrt();
        spot.along.iter_mut().for_each(|t| *t /= size);
        near
    }

    /// The rate of the parameter along the curve: 0 at a fold.
    pub fn rate(&self, spot: &Spot) -> f64 {
        spot.along[self.scale.len()]
    }
}
