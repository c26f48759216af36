//! Derivatives of what the sensors see.

use super::super::Sensor;
use super::{Instants, PieceMotion, Raw, Setup, Slot, read_as};
use crate::parallel;
use stickslip::study::sensitivity::{Change, Rates, along};
use stickslip::{Problem, State};

impl Setup<'_> {
    /// A step for differences in number `k`, inside its range: less and more.
    fn aside(&self, p: &[f64], k: usize, share: f64) -> (Vec<f64>, Vec<f64>, f64) {
        let [low, high] = self.bounds[k];
        // Relative to the number, and for one near zero relative to its range.
        let h = share * p[k].abs().max(1e-2 * (high - low));
        let mut less = p.to_vec();
        let mut more = p.to_vec();
        (less[k], more[k]) = ((p[k] - h).max(low), (p[k] + h).min(high));
        let apart = more[k] - less[k];
        (less, more, apart)
    }

    /// Derivatives of what the sensors see, gain included, by divided differences of solutions.
    pub fn by_differences(&self, p: &[f64], k: usize) -> Option<Vec<f64>> {
        let (less, more, apart) = self.aside(p, k, 1e-6);
        if apart == 0.0 {
            return Some(self.lined(|_, _, _| 0.0));
        }
        let a = self.raws(&less)?;
        let b = self.raws(&more)?;
        let seen = |p: &[f64], raw: &[Raw], (i, j, k): (usize, usize, usize)| {
            self.tuning[j].gain.of(p) * raw[i][j][k] + self.tuning[j].offset.of(p)
        };
        Some(
            self.lined(|i, j, k| (seen(&more, &b, (i, j, k)) - seen(&less, &a, (i, j, k))) / apart),
        )
    }

    /// The same for all unknowns and starts by the variational equation; `None` where it does not reach.
    pub fn exactly(&self, p: &[f64], motions: &[PieceMotion]) -> Option<Vec<Vec<f64>>> {
        // The force of friction jumps where a slip ends, and the mean over an interval with a jump in it changes with the
        // instant of the jump too, which the derivatives at fixed times do not know.
        let jumps = |s: &Sensor| s.average > 0.0 && s.what == "friction";
        if self.question.sensors.iter().any(jumps) {
            return None;
        }
        let shown: Option<Vec<Derivative>> =
            self.question.sensors.iter().map(|s| derivative(&read_as(s))).collect();
        let shown = shown?;
        let unknowns = self.question.unknowns.len();
        let pairs = parallel::each(unknowns, |k| {
            // Only the forces of the model are differenced here, not solutions: they are smooth in the numbers,
            // and a step that is large against rounding is good.
            let (less, more, apart) = self.aside(p, k, 1e-4);
            if apart == 0.0 {
                return Some(None); // A profile holds it.
            }
            let of = |p: &[f64]| self.problem(p);
            // Where there is no model a step aside, the difference is taken from here.
            let near = |q: Vec<f64>| of(&q).map(|m| (m, q)).or_else(|| Some((of(p)?, p.to_vec())));
            Some(Some((near(less)?, near(more)?, apart)))
        });
        let pairs: Vec<_> = pairs.into_iter().collect::<Option<_>>()?;
        let mut columns = vec![Vec::new(); self.bounds.len()];
        for (i, motion) in motions.iter().enumerate() {
            let o = motion.problem.model.as_oscillator()?;
            let path = motion.solution.oscillator()?;
            let cut = |pair: &Option<(Neighbour, Neighbour, f64)>| match pair {
                None => Some(None),
                Some(((a, pa), (b, pb), apart)) => {
                    Some(Some((self.cut(a, pa, i)?, self.cut(b, pb, i)?, *apart)))
                }
            };
            let cut: Vec<_> = pairs.iter().map(cut).collect::<Option<_>>()?;
            let mut changes = Vec::new();
            for pair in &cut {
                changes.push(match pair {
                    None => Change::Start(State::default()),
                    Some((less, more, apart)) => Change::Number {
                        less: less.model.as_oscillator()?,
                        more: more.model.as_oscillator()?,
                        apart: *apart,
                    },
                });
            }
            // The last two changes are the start of the piece in displacement and in velocity.
            changes.push(Change::Start(State { x: 1.0, v: 0.0 }));
            changes.push(Change::Start(State { x: 0.0, v: 1.0 }));
            let mut known: Option<ReadRates> = None;
            for (j, shown) in shown.iter().enumerate() {
                let instants = self.instants(motion, p, i, j);
                // Sensors without a delay of their own are read at the same instants, so that one pass serves
                // them all.
                let rates = match known.take().filter(|k| k.instants.times == instants.times) {
                    Some(known) => known.rates,
                    None => along(o, path, &changes, &instants.times)?,
                };
                let read = ReadRates { instants, rates };
                self.sort_in(&mut columns, p, i, j, &read, *shown);
                known = Some(read);
            }
        }
        columns.iter().flatten().all(|v| v.is_finite()).then_some(columns)
    }

    /// Puts the derivatives of one piece and sensor into the columns.
    fn sort_in(
        &self,
        columns: &mut [Vec<f64>],
        p: &[f64],
        piece: usize,
        sensor: usize,
        read: &ReadRates,
        shown: Derivative,
    ) {
        let unknowns = self.question.unknowns.len();
        let by = self.tuning[sensor].gain.of(p) / self.sigma[sensor];
        let scale = self.displacement.map_or(1.0, |d| self.tuning[d].gain.of(p));
        for (k, column) in columns.iter_mut().enumerate() {
            let (at, by) = if k < unknowns {
                // One that holds another up moves it too.
                (k, by)
            // The start of one piece moves nothing in the others.
            } else if k >= self.own() && (k - self.own()) / 2 == piece {
                (unknowns + (k - self.own()) % 2, by / scale)
            } else {
                column.extend(std::iter::repeat_n(0.0, self.used[piece][sensor].len()));
                continue;
            };
            let shown = read.rates.chunks(unknowns + 2).map(|row| shown(&row[at]));
            column.extend(read.instants.gathered(shown).into_iter().map(|v| by * v));
        }
    }

    /// Derivatives with respect to the numbers of a sensor, from the motions alone.
    pub fn of_sensors(
        &self,
        p: &[f64],
        motions: &[PieceMotion],
        raw: &[Raw],
        columns: &mut [Vec<f64>],
    ) -> Option<()> {
        // A start that is guessed from a measured displacement moves with the sensor's numbers.
        let moves = |j: usize| self.displacement == Some(j);
        for (j, tuning) in self.tuning.iter().enumerate() {
            let only = |value: &dyn Fn(usize, usize) -> f64| {
                self.lined(|i, s, k| if s == j { value(i, k) } else { 0.0 })
            };
            for (slot, which) in [(tuning.gain, 0), (tuning.offset, 1), (tuning.delay, 2)] {
                let Slot::At(at) = slot else { continue };
                columns[at] = match which {
                    _ if which < 2 && moves(j) => self.by_differences(p, at)?,
                    0 => only(&|i, k| raw[i][j][k]),
                    1 => only(&|_, _| 1.0),
                    _ => {
                        // A delay reads the same motions at other instants: none is computed again.
                        let h = 1e-6 * (self.bounds[at][1] - self.bounds[at][0]);
                        let mut later = p.to_vec();
                        later[at] += h;
                        let late: Option<Vec<Raw>> = motions
                            .iter()
                            .enumerate()
                            .map(|(i, m)| self.raw(m, &later, i))
                            .collect();
                        let late = late?;
                        only(&|i, k| tuning.gain.of(p) * (late[i][j][k] - raw[i][j][k]) / h)
                    }
                };
            }
        }
        Some(())
    }
}

/// A model a step aside, and its numbers.
type Neighbour = (Problem, Vec<f64>);

/// The derivatives of the motion over a piece, at the instants at which it is read.
struct ReadRates {
    instants: Instants,
    rates: Vec<Rates>,
}

/// Which of the derivatives a sensor shows.
type Derivative = fn(&Rates) -> f64;

/// The derivative of what a sensor measures.
fn derivative(what: &str) -> Option<Derivative> {
    match what {
        "x" => Some(|r| r.x),
        "v" => Some(|r| r.v),
        "acceleration" => Some(|r| r.a),
        "friction" => Some(|r| r.friction),
        _ => None,
    }
}
