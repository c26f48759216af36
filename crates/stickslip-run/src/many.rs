//! Many motions of one model, each with numbers of its own: lists of numbers in, lists of numbers out.
//!
//! A motion is that of [`solve`](stickslip::solve) with these numbers, to the bit. It is read off and forgotten before the
//! next one, so what is in memory at any time is what was asked for and one motion for each thread.

use crate::axis::PLACE;
use crate::context::Context;
use crate::product::Column;
use crate::shown::Shown;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::study::parallel;
use stickslip::{Event, Solution};
use stickslip_file::{Diagnostic, Document, Kind, ModelFile, Reading, Result, Varied};

/// Motions that one thread computes in a row.
const IN_A_ROW: usize = 64;
/// Warnings that are kept in words; of the others only their motions are.
const WORDED: usize = 20;

/// What is read off each motion.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Wanted {
    /// Its columns at its end.
    End,
    /// Its columns at these times, s.
    At(Vec<f64>),
    /// What happens.
    Events,
}

/// What is asked for beside the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Many {
    /// Keys of the document, such as `oscillator.mass`, and their values: one for each motion.
    pub vary: Vec<(String, Vec<f64>)>,
    /// What is read off each motion.
    pub wanted: Wanted,
    /// Names of the columns that are read; without it all of them.
    pub columns: Option<Vec<String>>,
    /// What messages call the place where the values were given.
    pub place: String,
    /// A motion that cannot be solved is left out, its numbers are NaN, and the others go on.
    pub keeps_going: bool,
}

impl Many {
    /// Motions with these values of these keys; the first that cannot be solved ends them all.
    pub fn new(vary: Vec<(String, Vec<f64>)>, wanted: Wanted) -> Self {
        Self { vary, wanted, columns: None, place: PLACE.to_owned(), keeps_going: false }
    }

    fn count(&self) -> Result<usize> {
        let Some((first, values)) = self.vary.first() else {
            return Err(Diagnostic::command_line("no number is varied; expected one key at least"));
        };
        let count = values.len();
        for (key, values) in &self.vary {
            if values.len() != count {
                return Err(Diagnostic::command_line(format!(
                    "`{key}` has {} values and `{first}` {count}; expected one of each for every motion",
                    values.len()
                )));
            }
        }
        if count == 0 {
            return Err(Diagnostic::command_line(format!(
                "`{first}` has no values; expected one for every motion"
            )));
        }
        Ok(count)
    }
}

/// What was read off the motions.
#[derive(Debug)]
#[non_exhaustive]
pub struct Motions {
    /// How many there are.
    pub count: usize,
    /// What the lists of `numbers` hold.
    pub columns: Vec<Column>,
    /// For each column the numbers of the first motion, one for each instant that was asked for, then those of the second, ….
    pub numbers: Vec<Vec<f64>>,
    /// What happened in the first motion, in the second, …; `None` where other things were wanted.
    pub events: Option<Happened>,
    /// Names of the places of events.
    pub places: Vec<String>,
    /// Motions that could not be solved, and why.
    pub failed: Vec<(usize, Diagnostic)>,
    /// Motions that should not be read without a warning, in order.
    pub warned: Vec<usize>,
    /// The first of these warnings, and whose they are.
    pub warnings: Vec<(usize, String)>,
}

/// The events of all motions in one list.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Happened {
    /// Those of the first motion, then those of the second, ….
    pub events: Vec<Event>,
    /// Where the events of each motion end in the list.
    pub ends: Vec<usize>,
}

/// Solves the model of a document with each set of numbers, over all cores.
///
/// ```
/// use stickslip_file::{Document, Memory, Reading};
/// use stickslip_run::{Context, many::{Many, Wanted, many}};
/// let text = "[oscillator]\nmass = 1.0\nstiffness = 0.0\nfriction.coulomb.force = 1.0\n\
///             initial.velocity = 2.0\n[run]\nend = 9.0\n";
/// let (document, reading) = (Document::parse("m.toml", text)?, Reading::new(Memory::default()));
/// // A mass that slides to rest goes v₀²/(2 f/m).
/// let vary = vec![("oscillator.initial.velocity".to_owned(), vec![1.0, 2.0, 3.0])];
/// let found = many(&Many::new(vary, Wanted::End), &document, &reading, &Context::silent())?;
/// assert_eq!(found.columns[0].name, "x");
/// assert_eq!(found.numbers[0], [0.5, 2.0, 4.5]);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
///
/// # Errors
/// Where the keys, their values or the times are wrong; that of the first motion that cannot be solved, unless the others
/// go on.
pub fn many(
    asked: &Many,
    document: &Document,
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Motions> {
    let count = asked.count()?;
    let given =
        asked.vary.iter().map(|(key, values)| (asked.place.as_str(), key.as_str(), values[0]));
    let varied = Varied::new(document, given)?;
    let work = Work { asked, context, varied, quiet: reading.without_echo(), count };
    work.done(&AtomicU64::new(0))
}

/// The motions under way.
struct Work<'a> {
    asked: &'a Many,
    context: &'a Context<'a>,
    varied: Varied,
    quiet: Reading,
    count: usize,
}

/// What is known of the columns before anything is solved.
struct Layout {
    columns: Vec<Column>,
    /// Their places in a row.
    chosen: Vec<usize>,
    width: usize,
    places: Vec<String>,
    /// Instants of each motion.
    instants: usize,
}

/// Motions in a row: where their numbers belong, and what else they left.
struct Part<'a> {
    first: usize,
    count: usize,
    numbers: Vec<&'a mut [f64]>,
}

/// What a part leaves beside its numbers.
#[derive(Default)]
struct Left {
    events: Vec<Event>,
    /// Number of events of each motion.
    counts: Vec<usize>,
    failed: Vec<(usize, Diagnostic)>,
    warned: Vec<usize>,
    warnings: Vec<(usize, String)>,
}

impl Work<'_> {
    fn done(&self, done: &AtomicU64) -> Result<Motions> {
        let layout = self.layout()?;
        let mut numbers = self.room(&layout)?;
        let parts = parts(&mut numbers, self.count, layout.instants);
        let left = parallel::try_over(parts, |part| {
            let count = part.count as u64;
            let left = self.part(part, &layout)?;
            let made = done.fetch_add(count, Ordering::Relaxed) + count;
            (self.context.progress)(made, self.count as u64);
            Ok::<_, Diagnostic>(left)
        })?;
        let mut all = Motions {
            count: self.count,
            columns: layout.columns,
            numbers,
            events: matches!(self.asked.wanted, Wanted::Events).then(Happened::default),
            places: layout.places,
            failed: Vec::new(),
            warned: Vec::new(),
            warnings: Vec::new(),
        };
        left.into_iter().for_each(|left| all.add(left));
        Ok(all)
    }

    /// The columns and places, by the first motion that can be solved: they are the same for all.
    fn layout(&self) -> Result<Layout> {
        let instants = match &self.asked.wanted {
            Wanted::End => 1,
            Wanted::At(times) => times.len(),
            Wanted::Events => 0,
        };
        let mut found = self.solved(0);
        for i in 1..self.count {
            if found.is_ok() || !self.asked.keeps_going {
                break;
            }
            found = self.solved(i);
        }
        let (model, solution) = found.map_err(|e| self.of_motion(0, e))?;
        let shown = Shown::new(&model.problem, &solution, model.bearing_stiffness);
        let all: Vec<Column> = shown.columns().into_iter().map(|(c, _)| c).collect();
        let named = |name: &String| {
            let known = || all.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            all.iter().position(|c| c.name == *name).ok_or_else(|| {
                Diagnostic::command_line(format!(
                    "the motions have no column `{name}`; they have {}",
                    known()
                ))
            })
        };
        let chosen = match &self.asked.columns {
            Some(names) => names.iter().map(named).collect::<Result<_>>()?,
            None => (0..all.len()).collect::<Vec<_>>(),
        };
        let columns = chosen.iter().map(|&i| all[i].clone()).collect();
        let places = solution.places().to_vec();
        Ok(Layout { columns, chosen, width: all.len(), places, instants })
    }

    /// Room for all numbers, which may be more than there is memory.
    fn room(&self, layout: &Layout) -> Result<Vec<Vec<f64>>> {
        let too_many = || {
            let (n, k, c) = (self.count, layout.instants, layout.columns.len());
            Diagnostic::new(format!(
                "{n} motions at {k} times in {c} columns do not fit into the memory"
            ))
            .help("ask for fewer columns or times, or for the motions in several calls")
        };
        let size = self.count.checked_mul(layout.instants).ok_or_else(too_many)?;
        let one = |_: &Column| {
            let mut list = Vec::new();
            list.try_reserve_exact(size).map_err(|_| too_many())?;
            list.resize(size, f64::NAN);
            Ok(list)
        };
        layout.columns.iter().map(one).collect()
    }

    fn solved(&self, i: usize) -> Result<(ModelFile, Solution)> {
        let values: Vec<f64> = self.asked.vary.iter().map(|(_, values)| values[i]).collect();
        let model = self.varied.read(&values, |d| ModelFile::read(d, &self.quiet))?;
        let solution = if model.problem.noises.is_empty() {
            stickslip::solve(&model.problem, &model.run.scheme)?
        } else {
            stickslip::solve(&model.known()?, &model.run.scheme)?.as_one_path_of_many()
        };
        Ok((model, solution))
    }

    /// What is wrong with a motion, its number in front.
    fn of_motion(&self, i: usize, e: Diagnostic) -> Diagnostic {
        if e.kind() == Kind::Interrupted {
            return e;
        }
        let told = format!("motion {i} of {}: {}", self.count, e.message());
        e.with_message(told)
    }

    fn part(&self, mut part: Part<'_>, layout: &Layout) -> Result<Left> {
        let mut left = Left::default();
        let mut row = vec![0.0; layout.width];
        for k in 0..part.count {
            if (self.context.cancelled)() {
                let said = format!("interrupted among {} motions", self.count);
                return Err(Diagnostic::of(Kind::Interrupted, said));
            }
            let i = part.first + k;
            let before = left.events.len();
            let read = self.solved(i).and_then(|found| {
                let at = k * layout.instants;
                self.read(&found, layout, at, &mut part.numbers, &mut row)?;
                left.take(i, found, &self.asked.wanted);
                Ok(())
            });
            match read {
                Ok(()) => {}
                Err(e) if self.asked.keeps_going && e.kind() != Kind::Interrupted => {
                    left.failed.push((i, e));
                }
                Err(e) => return Err(self.of_motion(i, e)),
            }
            left.counts.push(left.events.len() - before);
        }
        Ok(left)
    }

    /// Puts the numbers of a motion at `at` of the lists of its part.
    fn read(
        &self,
        (model, solution): &(ModelFile, Solution),
        layout: &Layout,
        at: usize,
        numbers: &mut [&mut [f64]],
        row: &mut [f64],
    ) -> Result<()> {
        let end = [solution.span().1];
        let times: &[f64] = match &self.asked.wanted {
            Wanted::End => &end,
            Wanted::At(times) => times,
            Wanted::Events => return Ok(()),
        };
        let lasts = |t: &&f64| !(**t >= 0.0 && **t <= end[0]);
        if let Some(t) = times.iter().find(lasts) {
            return Err(Diagnostic::new(format!(
                "a time is {t:?} s; the motion lasts from 0 to {:?} s",
                end[0]
            )));
        }
        let mut rows = Shown::new(&model.problem, solution, model.bearing_stiffness).rows();
        for (j, &t) in times.iter().enumerate() {
            rows.at(t, row);
            for (list, &c) in numbers.iter_mut().zip(&layout.chosen) {
                list[at + j] = row[c];
            }
        }
        Ok(())
    }
}

impl Left {
    /// What is kept of a motion beside its numbers.
    fn take(&mut self, i: usize, (model, solution): (ModelFile, Solution), wanted: &Wanted) {
        let of_motion = solution.warnings.iter().map(ToString::to_string);
        let mut all = model.warnings.into_iter().chain(of_motion).peekable();
        if all.peek().is_some() {
            self.warned.push(i);
            let room = WORDED.saturating_sub(self.warnings.len());
            self.warnings.extend(all.take(room).map(|w| (i, w)));
        }
        if matches!(wanted, Wanted::Events) {
            self.events.extend(solution.events);
        }
    }
}

impl Motions {
    fn add(&mut self, left: Left) {
        self.failed.extend(left.failed);
        self.warned.extend(left.warned);
        let room = WORDED.saturating_sub(self.warnings.len());
        self.warnings.extend(left.warnings.into_iter().take(room));
        if let Some(all) = &mut self.events {
            for count in left.counts {
                let last = all.ends.last().copied().unwrap_or(0);
                all.ends.push(last + count);
            }
            all.events.extend(left.events);
        }
    }
}

/// The motions in rows, each with its part of every list.
fn parts(numbers: &mut [Vec<f64>], count: usize, instants: usize) -> Vec<Part<'_>> {
    // So many at least that every thread has some to do.
    let long = count.div_ceil(256).clamp(1, IN_A_ROW);
    let firsts = (0..count).step_by(long);
    let mut parts: Vec<Part<'_>> = firsts
        .map(|first| Part { first, count: long.min(count - first), numbers: Vec::new() })
        .collect();
    if instants > 0 {
        for list in numbers {
            for (part, some) in parts.iter_mut().zip(list.chunks_mut(long * instants)) {
                part.numbers.push(some);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_file::Memory;

    const TEXT: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
                        friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
                        drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5, phase = 0.0 } }]\n\
                        initial.displacement = 6.0\n[run]\nend = 40.0\n";

    fn found(masses: Vec<f64>, wanted: Wanted, keeps_going: bool) -> Result<Motions> {
        let mut asked = Many::new(vec![("oscillator.mass".to_owned(), masses)], wanted);
        asked.keeps_going = keeps_going;
        let document = Document::parse("m.toml", TEXT)?;
        many(&asked, &document, &Reading::new(Memory::default()), &Context::silent())
    }

    /// More motions than a thread computes in a row: each is where it belongs, with the bits of one that is solved alone.
    #[test]
    fn each_motion_stands_in_its_row() {
        let masses: Vec<f64> = (0..200).map(|i| 0.8 + 0.002 * f64::from(i)).collect();
        let times = vec![0.0, 12.5, 40.0];
        let at = found(masses.clone(), Wanted::At(times.clone()), false).unwrap();
        let happened = found(masses.clone(), Wanted::Events, false).unwrap().events.unwrap();
        for (i, &mass) in masses.iter().enumerate() {
            let mut document = Document::parse("m.toml", TEXT).unwrap();
            document.set("oscillator.mass", mass).unwrap();
            let file = ModelFile::read(&document, &Reading::new(Memory::default())).unwrap();
            let one = stickslip::solve(&file.problem, &file.run.scheme).unwrap();
            let mut row = [0.0; 3];
            for (j, &t) in times.iter().enumerate() {
                one.row(t, &mut row);
                let mine = [0, 1, 2].map(|c| at.numbers[c][3 * i + j].to_bits());
                assert_eq!(mine, row.map(f64::to_bits), "motion {i} at {t}");
            }
            let first = if i == 0 { 0 } else { happened.ends[i - 1] };
            assert_eq!(happened.events[first..happened.ends[i]], one.events);
        }
    }

    #[test]
    fn a_motion_that_fails_is_named_or_left_out() {
        let mut masses = vec![1.0; 100];
        (masses[70], masses[90]) = (-1.0, 0.0);
        let said = found(masses.clone(), Wanted::End, false).unwrap_err();
        assert!(said.message().starts_with("motion 70 of 100: `oscillator.mass` is -1"), "{said}");
        assert_eq!(said.place().map(|p| p.text()), Some("-1"));
        let kept = found(masses, Wanted::End, true).unwrap();
        assert_eq!(kept.failed.iter().map(|f| f.0).collect::<Vec<_>>(), [70, 90]);
        let nan: Vec<usize> = (0..100).filter(|&i| kept.numbers[0][i].is_nan()).collect();
        assert_eq!(nan, [70, 90]);
        // The first one that is solved says what the columns are.
        let kept = found(vec![-1.0, 1.0], Wanted::End, true).unwrap();
        assert_eq!((kept.columns[0].name.as_str(), kept.failed[0].0), ("x", 0));
    }

    #[test]
    fn a_run_that_is_cancelled_ends() {
        let asked = Many::new(vec![("oscillator.mass".to_owned(), vec![1.0; 9])], Wanted::End);
        let document = Document::parse("m.toml", TEXT).unwrap();
        let context = Context { cancelled: &|| true, ..Context::silent() };
        let found = many(&asked, &document, &Reading::new(Memory::default()), &context);
        assert_eq!(found.unwrap_err().kind(), Kind::Interrupted);
    }
}
