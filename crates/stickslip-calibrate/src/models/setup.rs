//! Residuals of a record; their derivatives in `gradient`, and the instants at which a motion is read in `instants`.

mod gradient;
mod instants;

use super::least_squares::Misfit;
use super::{Family, Question, Sought};
use crate::control::Control;
use crate::error::Error;
use crate::parallel;
use instants::{Instants, read_as};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip::{
    Initial, Model, Motion, Oscillator, Problem, Scheme, Solution, State, Trajectory,
    solution::unexamined, solve,
};

/// A part of the record that is one motion.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its rows.
    pub rows: Range<usize>,
    /// Where it starts and ends, s.
    pub span: [f64; 2],
    /// What was measured of displacement and velocity at its start.
    pub guess: State,
}

/// A number that is known, or the place where it stands among those that are sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slot {
    Known(f64),
    At(usize),
}

impl Slot {
    pub fn of(self, p: &[f64]) -> f64 {
        match self {
            Self::Known(v) => v,
            Self::At(i) => p[i],
        }
    }
}

/// Gain, offset and delay of a sensor.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub gain: Slot,
    pub offset: Slot,
    pub delay: Slot,
}

/// The beginning of a record: so many rows, of which every so manyth is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beginning {
    pub rows: usize,
    pub stride: usize,
}

/// Everything that the residuals depend on.
pub struct Setup<'a> {
    pub family: &'a dyn Family,
    pub question: &'a Question,
    pub control: &'a dyn Control,
    pub pieces: Vec<Piece>,
    /// Rows of each piece and sensor that count.
    pub used: Vec<Vec<Vec<usize>>>,
    pub tuning: Vec<Tuning>,
    /// The sensor of the displacement, from which starts are guessed, if the model is an oscillator.
    pub displacement: Option<usize>,
    /// Whether the starts of the pieces are sought too.
    pub free_starts: bool,
    /// Ranges of all numbers that are sought: unknowns, sensors, starts.
    pub bounds: Vec<[f64; 2]>,
    /// What a residual of each sensor is divided by.
    pub sigma: Vec<f64>,
    /// How much of the record counts.
    beginning: Beginning,
    pub scheme: Scheme,
    /// Motions that were computed, by this and by others made of it.
    pub tried: Arc<AtomicUsize>,
}

/// What is read from one solution: for each sensor a value at each of its rows.
type Raw = Vec<Vec<f64>>;

/// The model on one piece of the record, and how it moves there.
pub struct PieceMotion {
    pub problem: Problem,
    pub solution: Solution,
}

/// The motions over all pieces, and what is read from each.
pub struct Seen {
    motions: Vec<PieceMotion>,
    raw: Vec<Raw>,
}

impl<'a> Setup<'a> {
    /// Without pieces yet.
    pub fn new(family: &'a dyn Family, question: &'a Question, control: &'a dyn Control) -> Self {
        let mut bounds: Vec<[f64; 2]> = Vec::new();
        for u in &question.unknowns {
            // A number that is never below another is sought as what it has more than that one: a box alone
            // could not keep the two in order.
            let low = u.above.map_or(0.0, |i| question.unknowns[i].range[0]);
            let high = u.above.map_or(u.range[1], |_| u.range[1] - low);
            bounds.push(if u.above.is_some() { [0.0, high] } else { u.range });
        }
        let mut slot = |sought: Sought| match sought {
            Sought::Known(v) => Slot::Known(v),
            Sought::Within(range) => {
                bounds.push(range);
                Slot::At(bounds.len() - 1)
            }
        };
        let tuning = question.sensors.iter().map(|s| Tuning {
            gain: slot(s.gain),
            offset: slot(s.offset),
            delay: slot(s.delay),
        });
        let tuning = tuning.collect();
        let displacement = question.sensors.iter().position(|s| s.what == "x");
        // A tenth of what each sensor measures, until a first fit has shown what is left of each (`weighed`).
        let sigma = question.sensors.iter().map(|s| 0.1 * spread(&s.values)).collect();
        Self {
            family,
            question,
            control,
            pieces: Vec::new(),
            used: Vec::new(),
            tuning,
            displacement: displacement.filter(|_| question.start),
            free_starts: false,
            bounds,
            sigma,
            beginning: Beginning { rows: question.time.len(), stride: 1 },
            scheme: question.scheme,
            tried: Arc::default(),
        }
    }

    /// A step of the work: what it gave in an earlier run that was stopped later, or what it gives now. No numbers stand
    /// for `None`.
    ///
    /// # Errors
    /// If the work shall stop.
    pub fn step(
        &self,
        work: &mut dyn FnMut() -> Option<Vec<f64>>,
    ) -> Result<Option<Vec<f64>>, Error> {
        if let Some(mut kept) = self.control.recall() {
            // The last number that is kept is how many motions the step took: a fit that was stopped and goes
            // on then reports as many as one that was not.
            let motions = kept.pop().unwrap_or_default();
            self.tried.fetch_add(motions as usize, Ordering::Relaxed);
            return Ok(Some(kept).filter(|k| !k.is_empty()));
        }
        let before = self.tried.load(Ordering::Relaxed);
        let found = work();
        // A step that was stopped on the way is not kept: its result may be half done.
        if self.stop() {
            return Err(Error::Interrupted);
        }
        let motions = (self.tried.load(Ordering::Relaxed) - before) as f64;
        let numbers = found.as_deref().unwrap_or_default();
        self.control.keep(&[numbers, &[motions]].concat());
        Ok(found)
    }

    /// Numbers beside the starts.
    pub fn own(&self) -> usize {
        let starts = if self.free_starts { 2 * self.pieces.len() } else { 0 };
        self.bounds.len() - starts
    }

    /// Rows that count, from the first.
    pub fn rows(&self) -> usize {
        self.beginning.rows
    }

    /// The same on a beginning of the record, without pieces yet.
    pub fn beginning(&self, beginning: Beginning) -> Self {
        Self { beginning, ..self.in_pieces(&[], false) }
    }

    /// Where the pieces start as it was measured, if their starts are sought.
    pub fn guesses(&self) -> Vec<f64> {
        let pieces = self.pieces.iter().filter(|_| self.free_starts);
        pieces.flat_map(|p| [p.guess.x, p.guess.v]).collect()
    }

    /// The same record in pieces of these rows; with starts of their own, if there can be any.
    pub fn in_pieces(&self, pieces: &[Range<usize>], free: bool) -> Self {
        let mut bounds = self.bounds[..self.own()].to_vec();
        let free = free && self.displacement.is_some();
        let made: Vec<Piece> = pieces.iter().map(|rows| self.piece(rows.clone())).collect();
        if let (true, Some(at)) = (free, self.displacement) {
            let values = &self.question.sensors[at].values;
            // Starts are sought in the sensor's own readings: a gain or offset that is not known yet does not
            // move their box.
            let (range, speed) = self.largest(values);
            let near = |v: f64, by: f64| [v - by, v + by];
            for piece in &made {
                bounds.push(near(piece.guess.x, 0.25 * range));
                bounds.push(near(piece.guess.v, speed));
            }
        }
        let used = made.iter().map(|p| self.rows_of(p)).collect();
        Self {
            pieces: made,
            used,
            bounds,
            free_starts: free,
            tuning: self.tuning.clone(),
            sigma: self.sigma.clone(),
            tried: Arc::clone(&self.tried),
            ..*self
        }
    }

    /// The range of a column, and its largest rate.
    fn largest(&self, values: &[f64]) -> (f64, f64) {
        let t = &self.question.time;
        let seen = values.iter().filter(|v| v.is_finite());
        let (low, high) =
            seen.fold((f64::INFINITY, f64::NEG_INFINITY), |r, v| (r.0.min(*v), r.1.max(*v)));
        // Over five rows, so that the noise of a single reading does not make the rate.
        let rates =
            (5..values.len()).map(|i| ((values[i] - values[i - 5]) / (t[i] - t[i - 5])).abs());
        (high - low, rates.filter(|r| r.is_finite()).fold(0.0, f64::max))
    }

    fn piece(&self, rows: Range<usize>) -> Piece {
        let t = &self.question.time;
        let guess = self.displacement.map_or(State::default(), |i| {
            // Rows of another record say nothing about this one.
            let first = self.question.breaks.iter().filter(|b| **b <= rows.start).max();
            let first = first.copied().unwrap_or(0);
            // A mean shows what was there half an interval before the end of it.
            let at = |s: &super::Sensor| slope(t, &s.values, first, rows.start, 0.5 * s.average);
            let own = at(&self.question.sensors[i]);
            let speed = self.question.sensors.iter().find(|s| s.what == "v");
            // A measured velocity is better than the slope of noisy displacements.
            let v = speed.map_or(own.v, |s| at(s).x);
            State { x: own.x, v }
        });
        Piece { span: [t[rows.start], t[rows.end - 1]], rows, guess }
    }

    /// The rows that are there, and inside the piece whatever the delay is.
    fn rows_of(&self, piece: &Piece) -> Vec<Vec<usize>> {
        let t = &self.question.time;
        let inside = |s: &super::Sensor| {
            let [least, most] = match s.delay {
                Sought::Known(v) => [v, v],
                Sought::Within(range) => range,
            };
            let [from, to] = piece.span;
            // A row at an end of the piece must not drop out by rounding.
            let slack = 1e-9 * (to - from);
            // Whatever the delay that is tried, the same rows count: the number of residuals stays the same.
            let fits = |i: &usize| {
                s.values[*i].is_finite()
                    && t[*i] - most - s.average >= from - slack
                    && t[*i] - least <= to + slack
            };
            piece.rows.clone().step_by(self.beginning.stride).filter(fits).collect()
        };
        self.question.sensors.iter().map(inside).collect()
    }

    /// Values of the unknowns.
    pub fn values(&self, p: &[f64]) -> Vec<f64> {
        let unknowns = self.question.unknowns.iter().enumerate();
        unknowns.map(|(i, u)| u.above.map_or(p[i], |j| p[j] + p[i])).collect()
    }

    /// Where a piece starts, if it does not start as the model says.
    fn start(&self, p: &[f64], piece: usize) -> Option<State> {
        let sensor = self.tuning[self.displacement?];
        let gain = sensor.gain.of(p);
        let offset = sensor.offset.of(p);
        let seen = if self.free_starts {
            let at = self.own() + 2 * piece;
            State { x: p[at], v: p[at + 1] }
        } else {
            self.pieces[piece].guess
        };
        // The start is in readings; the model moves in what the sensor measures.
        Some(State { x: (seen.x - offset) / gain, v: seen.v / gain })
    }

    /// A motion over one piece of the record, not examined: the search tries thousands.
    pub fn motion(&self, problem: &Problem, p: &[f64], piece: usize) -> Option<PieceMotion> {
        self.moved_by(unexamined, problem, p, piece)
    }

    /// The same motion, refused where its energies do not close: for what is reported.
    pub fn examined(&self, problem: &Problem, p: &[f64], piece: usize) -> Option<PieceMotion> {
        self.moved_by(solve, problem, p, piece)
    }

    fn moved_by(
        &self,
        solve: fn(&Problem, &Scheme) -> Result<Solution, stickslip::Error>,
        problem: &Problem,
        p: &[f64],
        piece: usize,
    ) -> Option<PieceMotion> {
        let problem = self.cut(problem, p, piece)?;
        self.tried.fetch_add(1, Ordering::Relaxed);
        let solution = solve(&problem, &self.scheme).ok()?;
        Some(PieceMotion { problem, solution })
    }

    /// Why these numbers have no motion: what the model, or the scheme for the first piece without one, says.
    pub fn refusal(&self, p: &[f64]) -> Option<stickslip::Error> {
        let problem = match self.family.problem(&self.values(p)) {
            Ok(problem) => problem,
            Err(e) => return Some(e),
        };
        (0..self.pieces.len()).find_map(|i| solve(&self.cut(&problem, p, i)?, &self.scheme).err())
    }

    /// The model on one piece, its time counted from the start of the piece.
    fn cut(&self, problem: &Problem, p: &[f64], piece: usize) -> Option<Problem> {
        let [from, to] = self.pieces[piece].span;
        let start = self.start(p, piece);
        let end = to - from;
        if let Some(part) = self.family.part(&self.values(p), [from, to]) {
            let mut part = part.ok()?;
            if let (Model::Oscillator(o), Some(s)) = (&mut part.model, start) {
                o.initial = Initial { displacement: s.x, velocity: s.v };
            }
            return Some(part);
        }
        let Model::Oscillator(o) = &problem.model else {
            // Only an oscillator can be started anywhere in the record; another model knows no start but its
            // own.
            return (from == 0.0).then(|| Problem { end, ..problem.clone() });
        };
        let initial = start.map_or(o.initial, |s| Initial { displacement: s.x, velocity: s.v });
        // Not every signal can be cut: where the whole record is asked for, none is.
        let whole = from == 0.0 && to >= problem.end;
        let cut = if whole {
            Oscillator { initial, ..o.clone() }
        } else {
            window(o, [from, to], initial)?
        };
        Some(Problem::new(cut, end).with_most_events(problem.most_events))
    }

    /// What the sensors would measure with a gain of one and no offset.
    fn raw(&self, motion: &PieceMotion, p: &[f64], piece: usize) -> Option<Raw> {
        let PieceMotion { problem, solution } = motion;
        let columns = solution.columns();
        let mut row = vec![0.0; columns.len()];
        let of = |name: &str| columns.iter().position(|c| c.name == name);
        let sensors = self.question.sensors.iter().enumerate();
        let read = sensors.map(|(j, sensor)| {
            let instants = self.instants(motion, p, piece, j);
            let times = &instants.times;
            let what = read_as(sensor);
            let mut rows = solution.rows();
            if what == "acceleration" {
                let o = problem.model.as_oscillator()?;
                let x = of("x")?;
                let v = of("v")?;
                let f = of("friction")?;
                let mut at = |t: &f64| {
                    rows.at(*t, &mut row);
                    // The column `friction` is the force on the mass, so that it is added to the load.
                    (o.load(row[x], row[v], *t) + row[f]) / o.mass
                };
                return Some(instants.gathered(times.iter().map(&mut at)));
            }
            // Displacement and velocity come from the arcs directly, which is far cheaper than whole rows.
            if let (Some(path), "x" | "v") = (solution.oscillator(), what.as_ref()) {
                let seen = states(path, times, |s| if what == "x" { s.x } else { s.v });
                return Some(instants.gathered(seen.into_iter()));
            }
            let at = of(&what)?;
            let mut read = |t: &f64| {
                rows.at(*t, &mut row);
                row[at]
            };
            Some(instants.gathered(times.iter().map(&mut read)))
        });
        read.collect()
    }

    /// The instants at which the motion over a piece is read for the rows of a sensor, counted from the start of the piece.
    fn instants(&self, motion: &PieceMotion, p: &[f64], piece: usize, sensor: usize) -> Instants {
        let [from, to] = self.pieces[piece].span;
        let delay = self.tuning[sensor].delay.of(p);
        // A row at an end of the piece may lie outside by rounding.
        let at = |i: &usize| (self.question.time[*i] - delay - from).clamp(0.0, to - from);
        let ends: Vec<f64> = self.used[piece][sensor].iter().map(at).collect();
        let asked = &self.question.sensors[sensor];
        if asked.average == 0.0 {
            return Instants::of_readings(ends);
        }
        let rows = self.pieces[piece].rows.clone();
        let corners = self.question.time[rows].iter().map(|t| t - from);
        Instants::of_means(&asked.what, ends, asked.average, || {
            instants::parts(&motion.problem, &motion.solution, corners)
        })
    }

    /// The model with these numbers, from which pieces are cut. A family that makes its own model of each piece is not asked for the whole:
    /// a log of a million rows would be copied for every trial.
    fn problem(&self, p: &[f64]) -> Option<Problem> {
        let values = self.values(p);
        let first = self.pieces.first().and_then(|piece| self.family.part(&values, piece.span));
        first.unwrap_or_else(|| self.family.problem(&values)).ok()
    }

    fn motions(&self, p: &[f64]) -> Option<Vec<PieceMotion>> {
        let problem = self.problem(p)?;
        (0..self.pieces.len()).map(|i| self.motion(&problem, p, i)).collect()
    }

    fn raws(&self, p: &[f64]) -> Option<Vec<Raw>> {
        let motions = self.motions(p)?;
        motions.iter().enumerate().map(|(i, m)| self.raw(m, p, i)).collect()
    }

    /// Σ r² piece by piece; `None` where there is none, or as soon as it exceeds `most`.
    pub fn squares_below(&self, p: &[f64], most: f64) -> Option<f64> {
        let problem = self.problem(p)?;
        let mut sum = 0.0;
        for piece in 0..self.pieces.len() {
            let raw = self.raw(&self.motion(&problem, p, piece)?, p, piece)?;
            for (j, values) in raw.iter().enumerate() {
                let rows = self.used[piece][j].iter().zip(values);
                let one = |(&i, v): (&usize, &f64)| self.left(p, j, i, *v);
                sum += rows.map(one).map(|r| r * r).sum::<f64>();
            }
            // Squares only grow from piece to piece: a candidate that is worse already needs no more motions.
            if sum > most || !sum.is_finite() {
                return None;
            }
        }
        Some(sum)
    }

    /// What a sensor shows in a row beyond what it would show of a `raw` value, in units of its sigma.
    fn left(&self, p: &[f64], sensor: usize, row: usize, raw: f64) -> f64 {
        let Tuning { gain, offset, .. } = self.tuning[sensor];
        let seen = self.question.sensors[sensor].values[row];
        (seen - (gain.of(p) * raw + offset.of(p))) / self.sigma[sensor]
    }

    /// In the order of all residuals: piece by piece, sensor by sensor.
    fn each(&self, of: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.used.iter().flatten().map(Vec::len).sum());
        for (i, sensors) in self.used.iter().enumerate() {
            for (j, rows) in sensors.iter().enumerate() {
                out.extend((0..rows.len()).map(|k| of(i, j, k)));
            }
        }
        out
    }

    /// The same, in units of the sigmas.
    fn lined(&self, of: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
        self.each(|i, j, k| of(i, j, k) / self.sigma[j])
    }

    fn differ(&self, p: &[f64], raw: &[Raw]) -> Vec<f64> {
        self.each(|i, j, k| self.left(p, j, self.used[i][j][k], raw[i][j][k]))
    }

    /// The residuals of each sensor, in units of its sigma.
    pub fn leftovers(&self, residuals: &[f64]) -> Vec<Vec<f64>> {
        let mut out = vec![Vec::new(); self.question.sensors.len()];
        let mut at = 0;
        for sensors in &self.used {
            for (j, rows) in sensors.iter().enumerate() {
                out[j].extend_from_slice(&residuals[at..at + rows.len()]);
                at += rows.len();
            }
        }
        out
    }
}

impl Misfit for Setup<'_> {
    type Seen = Seen;

    fn bounds(&self) -> Vec<[f64; 2]> {
        self.bounds.clone()
    }

    fn see(&self, p: &[f64]) -> Option<(Seen, Vec<f64>)> {
        let motions = self.motions(p)?;
        let raw: Option<Vec<Raw>> =
            motions.iter().enumerate().map(|(i, m)| self.raw(m, p, i)).collect();
        let raw = raw?;
        let r = self.differ(p, &raw);
        r.iter().all(|v| v.is_finite()).then_some((Seen { motions, raw }, r))
    }

    fn columns(&self, p: &[f64], Seen { motions, raw }: &Seen) -> Option<Vec<Vec<f64>>> {
        let mut columns = match self.exactly(p, motions) {
            Some(columns) => columns,
            None => {
                let unknowns = self.question.unknowns.len();
                let none = || self.lined(|_, _, _| 0.0);
                let one = |k: usize| {
                    // The numbers of sensors change no motion: their columns are filled from the motions
                    // below.
                    let sensor = k >= unknowns && k < self.own();
                    if sensor { none() } else { self.by_differences(p, k).unwrap_or_else(none) }
                };
                parallel::each(self.bounds.len(), one)
            }
        };
        self.of_sensors(p, motions, raw, &mut columns)?;
        Some(columns)
    }

    fn stop(&self) -> bool {
        self.control.stop() || stickslip::Interrupt::current().is_requested()
    }
}

/// The oscillator on a part of the record, its time counted from the start of the part.
fn window(o: &Oscillator, [from, to]: [f64; 2], initial: Initial) -> Option<Oscillator> {
    let normal = match &o.normal {
        Some(n) => Some(n.window(from, to)?),
        None => None,
    };
    Some(Oscillator {
        drive: o.drive.window(from, to)?,
        force: o.force.window(from, to)?,
        support: o.support.window(from, to)?,
        normal,
        initial,
        friction: o.friction.clone(),
        nonlinear: o.nonlinear.clone(),
        ..*o
    })
}

/// What `of` takes from the states at `times`, in order, in one walk along the path.
fn states(path: &Trajectory, times: &[f64], of: impl Fn(State) -> f64) -> Vec<f64> {
    let mut segments = path.segments().iter().peekable();
    let mut here = segments.next();
    let mut read = |t: &f64| {
        // At an event it is the later of the two arcs that counts.
        while let Some(next) = segments.next_if(|s| s.start <= *t) {
            here = Some(next);
        }
        here.map_or(f64::NAN, |s| of(s.arc.state(t.clamp(s.start, s.end))))
    };
    times.iter().map(&mut read).collect()
}

/// Standard deviation of what is there; 1 where that is nothing.
pub fn spread(values: &[f64]) -> f64 {
    let seen: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let sd = crate::statistics::stats::sd(&seen);
    if sd > 0.0 { sd } else { 1.0 }
}

/// Rows on either side that a value and its rate are taken from.
const ABOUT: usize = 4;

/// A parabola through the rows about row `at`, none before `first`: its value and its slope there, or `later` (s).
fn slope(t: &[f64], values: &[f64], first: usize, at: usize, later: f64) -> State {
    let rows = at.saturating_sub(ABOUT).max(first)..(at + ABOUT + 1).min(t.len());
    let seen: Vec<usize> = rows.filter(|&i| values[i].is_finite()).collect();
    let columns: Vec<Vec<f64>> =
        (0..3).map(|n| seen.iter().map(|&i| (t[i] - t[at] - later).powi(n)).collect()).collect();
    let y: Vec<f64> = seen.iter().map(|&i| values[i]).collect();
    let nearest = || seen.first().map_or(0.0, |&i| values[i]);
    // Too few rows for a parabola leave the nearest reading and no rate.
    match crate::statistics::regress::solve(&columns, &y) {
        Some(fit) => State { x: fit.coefficients[0], v: fit.coefficients[1] },
        None => State { x: nearest(), v: 0.0 },
    }
}

#[cfg(test)]
mod tests;
