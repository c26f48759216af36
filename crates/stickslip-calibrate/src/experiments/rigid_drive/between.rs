//! What may lie between the place where the force of a drive is measured and that of its position: play, or a soft coupling.
//!
//! ```text
//! measured position = position + κ p        p = ½ sign F: play of width κ;   p = F: a coupling of stiffness 1/κ
//! M x″ + F_v x′ + … = F  ⇒  y = X b − κ q,   q = M p″ + F_v p′
//! ```
//!
//! The column q tells at once whether there is anything, for either; only then is the record fitted again without κ p, which moves the
//! reversals of the velocity, too.

use super::Signals;
use crate::error::Error;
use crate::statistics::filter::derivative;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::regress::{Regression, Solved, solve_noisy};
use crate::statistics::stats::{scatter, square};
use stickslip::portable::ln;

/// What it must bring: rows that count as one times the logarithm of the ratio of the squares. One number is looked for in two ways.
const EVIDENT: f64 = 20.0;
/// And this share of the squared residual at least: what else a model leaves out, such as a ripple, is explained in part, too.
const MOST: f64 = 1.0 / 3.0;
/// What explains more than this share of what the best does may be what it is.
const NEARLY: f64 = 0.75;
/// What does nearly as well is not told apart: 95 % of a χ² of two degrees of freedom.
const ALIKE: f64 = 6.0;
/// The force has turned if it has gone beyond zero by so many times its noise.
const TURNED: f64 = 3.0;

/// What lies between force and position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    Play,
    Coupling,
}

/// Something that lies between force and position.
#[derive(Clone)]
pub(super) struct Between {
    what: What,
    /// m of play, or m/N.
    size: f64,
    /// The share of the squared residual that it explains.
    pub explains: f64,
    /// Squared residual of a row without it and with it.
    now: f64,
    left: f64,
    /// Rows that count as one.
    rows: f64,
    /// What explains nearly as much.
    other: Option<(What, f64)>,
}

/// A size of κ, what it leaves of the square of a row, and how many rows count as one.
#[derive(Clone, Copy)]
struct Tried {
    size: f64,
    left: f64,
    tau: f64,
}

impl Between {
    /// In words; of a delay of the force, s, that leaves so much of the squared residual of a row, too.
    pub(super) fn said(&self, delay: Option<(f64, f64)>) -> String {
        let share = 100.0 * self.explains;
        let what = self.what.words(self.size);
        let or =
            self.other.map_or(String::new(), |(what, size)| format!("; or {}", what.words(size)));
        let late = |by: f64| {
            let way = if by > 0.0 { "later" } else { "earlier" };
            format!("the force comes {:.2} ms {way} than the position says", 1e3 * by.abs())
        };
        let delay = delay.map(|(by, left)| {
            let beyond = self.rows * ln(left / self.left);
            (late(by), 1.0 - left / self.now, beyond)
        });
        // Which of the two it is, the record may not say.
        match delay {
            Some((late, explains, beyond)) if beyond < -ALIKE => {
                let or = if self.explains > NEARLY * explains {
                    format!("; or {what}, which explains nearly as much")
                } else {
                    String::new()
                };
                format!(
                    "{late}{or}: correct the times of one of them, for a delay makes the dry friction come out wrong"
                )
            }
            Some((late, _, beyond)) if beyond < ALIKE => format!(
                "{what}{or}; or {late}, which explains {share:.0} % of the squared residual: the numbers do not allow for it; \
                 measure force and position on the same side of it, at the same times"
            ),
            _ => format!(
                "{what}{or}, which explains {share:.0} % of the squared residual: the numbers do not allow for it; measure force and \
                 position on the same side of it"
            ),
        }
    }
}

impl What {
    fn words(self, size: f64) -> String {
        let size = size.abs();
        match self {
            Self::Play => format!(
                "the position goes further by {:.3} mm where the force changes its sign, as of play, or something soft, between the two",
                1e3 * size
            ),
            Self::Coupling => format!(
                "the position moves with the force by {size:.2e} m/N, as of a soft coupling between the two"
            ),
        }
    }
}

impl Signals {
    /// What moves the position with the force: its sign where it has turned for sure, or itself; and how it goes into the force.
    fn moved(&self, what: What, [mass, viscous]: [f64; 2]) -> Result<[Vec<f64>; 2], Error> {
        let force = &self.record.columns[1];
        let smooth = self.early(force)?;
        let p = match what {
            What::Coupling => smooth,
            What::Play => {
                let far = TURNED * scatter(&smooth).max(0.3 * scatter(force));
                let mut side = 0.0;
                let mut all: Vec<f64> = smooth
                    .iter()
                    .map(|f| {
                        if f.abs() > far {
                            side = 0.5 * f.signum();
                        }
                        side
                    })
                    .collect();
                // Before it has turned for the first time it stands on the side on which it is then.
                let first = all.iter().copied().find(|s| *s != 0.0).unwrap_or(0.0);
                all.iter_mut().take_while(|s| **s == 0.0).for_each(|s| *s = first);
                all
            }
        };
        let step = self.record.step;
        // The sign leaps. Its derivatives compare with those of the position only after the filter that the position has
        // gone through.
        let once = derivative(&if what == What::Play { self.early(&p)? } else { p.clone() }, step);
        let twice = derivative(&once, step);
        let q: Vec<f64> = once.iter().zip(&twice).map(|(v, a)| mass * a + viscous * v).collect();
        let q = self.slow(&self.as_force(&q))?;
        Ok([p, self.at_rows(&q, 0)])
    }

    /// Play or a coupling, if one of them explains the residuals far better than noise; `again` is the fit of the record with another
    /// position.
    pub(super) fn between(
        &self,
        columns: &[Vec<f64>],
        y: &[f64],
        noise: &[f64],
        fit: &Regression,
        again: &dyn Fn(Vec<f64>) -> Result<Option<Regression>, Error>,
    ) -> Result<Option<Between>, Error> {
        let mean = |r: &[f64]| square(r) / r.len() as f64;
        let now = mean(&fit.residuals);
        let mut all_found: Vec<Between> = Vec::new();
        for what in [What::Play, What::Coupling] {
            let [p, q] = self.moved(what, [fit.coefficients[0], fit.coefficients[1]])?;
            let mut all = columns.to_vec();
            all.push(q);
            let Some(with) = solve_noisy(&all, y, noise).map(Solved::with_errors) else { continue };
            let size = -with.coefficients[columns.len()];
            let evidence = |left: f64, tau: f64| y.len() as f64 / tau.max(1.0) * ln(now / left);
            // A column costs one solution, another position a whole fit: that is spent only on what the column has
            // shown.
            if evidence(mean(&with.residuals), with.autocorrelation) < EVIDENT {
                continue;
            }
            let start = Tried { size, left: mean(&with.residuals), tau: 1.0 };
            let Some(Tried { size, left, tau }) = self.least(&p, now, start, again)? else {
                continue;
            };
            let explains = 1.0 - left / now;
            let is_clear = explains > MOST && evidence(left, tau) > EVIDENT;
            if is_clear {
                let rows = y.len() as f64 / tau;
                all_found.push(Between { what, size, explains, now, left, rows, other: None });
            }
        }
        all_found.sort_by(|a, b| a.left.total_cmp(&b.left));
        let other = all_found.get(1).map(|b| (b.what, b.size, b.explains));
        let best = all_found.into_iter().next().map(|mut best| {
            // Where the force is of nearly one size, its sign and the force itself make the same column, and both are
            // named.
            let near = other.filter(|other| other.2 > NEARLY * best.explains);
            best.other = near.map(|(what, size, _)| (what, size));
            best
        });
        Ok(best)
    }

    /// The size of κ with which the least squares leave less than `now`, from the one that the column tells: without the reversals that κ p moves
    /// it is too large, or too small.
    fn least(
        &self,
        p: &[f64],
        now: f64,
        told: Tried,
        again: &dyn Fn(Vec<f64>) -> Result<Option<Regression>, Error>,
    ) -> Result<Option<Tried>, Error> {
        let at = |size: f64| -> Result<Option<Tried>, Error> {
            let position = &self.record.columns[0];
            let without = position.iter().zip(p).map(|(x, p)| x - size * p).collect();
            let Some(found) = again(without)? else { return Ok(None) };
            let left = square(&found.residuals) / found.residuals.len() as f64;
            let tau = autocorrelation_time(std::slice::from_ref(&found.residuals)).max(1.0);
            Ok(Some(Tried { size, left, tau }))
        };
        let Some(first) = at(told.size)? else { return Ok(None) };
        // The parabola with the slope at 0 that the column tells, through what was found there.
        let drop = now - told.left;
        let bend = first.left - now + 2.0 * drop;
        let share = if bend > 0.0 { (drop / bend).clamp(0.2, 2.0) } else { 2.0 };
        let mut best = first;
        if let Some(second) = at(share * told.size)? {
            // Then the one through both and 0.
            let [a, b] = [(first.size, first.left), (second.size, second.left)]
                .map(|(size, left)| (size / told.size, (left - now) / (size / told.size)));
            let bend = (a.1 - b.1) / (a.0 - b.0);
            let third = 0.5 * (a.0 - a.1 / bend);
            let all = if bend > 0.0 && (0.1..3.0).contains(&third) {
                [Some(second), at(third * told.size)?]
            } else {
                [Some(second), None]
            };
            for tried in all.into_iter().flatten().filter(|t| t.left.is_finite()) {
                if tried.left < best.left {
                    best = tried;
                }
            }
        }
        Ok(Some(best))
    }
}
