//! Many motions of one model, each with numbers of its own: lists of numbers in, lists of numbers out.
//!
//! A motion is that of [`solve`](stickslip::solve) with these numbers, to the bit. It is read off and forgotten before the
//! next one, so what is in memory at any time is what was asked for and one motion for each thread.

use crate::axis::PLACE;
use crate::context::Context;
use crate::product::Column;
use crate::shown::{Shown, check_times};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::study::parallel;
use stickslip::{Event, Solution};
use stickslip_file::{
    Diagnostic, Document, FailureKind, Posed, Reading, Result, Varied, VariedModel,
};

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

impl Wanted {
    /// Numbers of each column that are read off a motion.
    fn instants(&self) -> usize {
        match self {
            Self::End => 1,
            Self::At(times) => times.len(),
            Self::Events => 0,
        }
    }
}

/// What is asked for, apart from the model.
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
    /// The number of the first of these motions, where they are a part of more; 0 otherwise.
    pub first: usize,
    /// How many motions the whole has of which these are a part; without it these are all.
    pub whole: Option<usize>,
}

impl Many {
    /// Motions with these values of these keys; the first that cannot be solved ends them all.
    pub fn new(vary: Vec<(String, Vec<f64>)>, wanted: Wanted) -> Self {
        Self {
            vary,
            wanted,
            columns: None,
            place: PLACE.to_owned(),
            keeps_going: false,
            first: 0,
            whole: None,
        }
    }

    /// How many motions there are, if what is asked for fits together.
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
        if self.wanted == Wanted::Events && self.columns.is_some() {
            return Err(Diagnostic::command_line(
                "columns are named, but events are asked for; expected columns with times or with the end only",
            ));
        }
        Ok(count)
    }
}

/// What was read off the motions. They have the numbers that they have in the whole, if they are a part of more.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Motions {
    /// How many there are.
    pub count: usize,
    /// How many numbers of each column were read off each motion.
    pub instants: usize,
    /// What the lists of `numbers` hold; empty where events were wanted, and where no motion could be solved.
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
    let models = VariedModel::new(Varied::new(document, given)?, reading);
    let work = Work { asked, context, models, count };
    work.done()
}

/// The motions under way.
struct Work<'a> {
    asked: &'a Many,
    context: &'a Context<'a>,
    models: VariedModel,
    count: usize,
}

/// What all motions have alike, known from the first one that can be solved.
#[derive(Default)]
struct Layout {
    /// The columns that are read, and their places in a row.
    columns: Vec<(usize, Column)>,
    places: Vec<String>,
}

/// Motions in a row, and their part of the list of each column.
struct Part<'a> {
    motions: Range<usize>,
    numbers: Vec<&'a mut [f64]>,
    /// All columns at one instant.
    row: Vec<f64>,
}

/// What a part leaves apart from its numbers.
#[derive(Default)]
struct Left {
    happened: Happened,
    failed: Vec<(usize, Diagnostic)>,
    warned: Vec<usize>,
    warnings: Vec<(usize, String)>,
}

impl Work<'_> {
    fn done(&self) -> Result<Motions> {
        let layout = self.layout()?;
        let instants = self.asked.wanted.instants();
        let mut numbers = self.room(layout.columns.len(), instants)?;
        let parts = parts(&mut numbers, self.count, instants);
        let done = AtomicU64::new(0);
        let all = parallel::try_over(parts, |part| {
            let count = part.motions.len() as u64;
            let left = self.part(part, &layout)?;
            let made = done.fetch_add(count, Ordering::Relaxed) + count;
            (self.context.progress)(made, self.count as u64);
            Ok::<_, Diagnostic>(left)
        })?;
        let mut left = Left::default();
        all.into_iter().for_each(|next| left.append(next));
        Ok(Motions {
            count: self.count,
            instants,
            columns: layout.columns.into_iter().map(|(_, c)| c).collect(),
            numbers,
            events: (self.asked.wanted == Wanted::Events).then_some(left.happened),
            places: layout.places,
            failed: left.failed,
            warned: left.warned,
            warnings: left.warnings,
        })
    }

    /// The columns and places, by the first motion that can be solved.
    fn layout(&self) -> Result<Layout> {
        for i in 0..self.count {
            self.go_on()?;
            match self.solved(i) {
                Ok((model, solution)) => {
                    let shown = Shown::new(&model.problem, &solution, model.bearing_stiffness)
                        .turning(model.rotation);
                    let columns = self.chosen(shown.columns().into_iter().map(|(c, _)| c))?;
                    return Ok(Layout { columns, places: solution.places().to_vec() });
                }
                Err(e) if self.may_fail(&e) => {}
                Err(e) => return Err(self.of_motion(i, e)),
            }
        }
        Ok(Layout::default())
    }

    /// Those of the columns that are read, with their places.
    fn chosen(&self, all: impl Iterator<Item = Column>) -> Result<Vec<(usize, Column)>> {
        let all: Vec<_> = all.enumerate().collect();
        if self.asked.wanted == Wanted::Events {
            return Ok(Vec::new());
        }
        let Some(names) = &self.asked.columns else { return Ok(all) };
        let named = |name: &String| {
            all.iter().find(|(_, c)| c.name == *name).cloned().ok_or_else(|| {
                let known: Vec<_> = all.iter().map(|(_, c)| c.name.as_str()).collect();
                Diagnostic::command_line(format!(
                    "the motions have no column `{name}`; they have {}",
                    known.join(", ")
                ))
            })
        };
        names.iter().map(named).collect()
    }

    /// Room for all numbers, which may be more than there is memory.
    fn room(&self, columns: usize, instants: usize) -> Result<Vec<Vec<f64>>> {
        let too_many = || {
            Diagnostic::new(format!(
                "{} motions at {instants} times in {columns} columns do not fit into the memory",
                self.count
            ))
            .help("ask for fewer columns or times, or for the motions in several calls")
        };
        let size = self.count.checked_mul(instants).ok_or_else(too_many)?;
        let one = |_| {
            let mut list = Vec::new();
            list.try_reserve_exact(size).map_err(|_| too_many())?;
            list.resize(size, f64::NAN);
            Ok(list)
        };
        (0..columns).map(one).collect()
    }

    fn solved(&self, i: usize) -> Result<(Posed, Solution)> {
        let values: Vec<f64> = self.asked.vary.iter().map(|(_, values)| values[i]).collect();
        let model = self.models.posed(&values)?;
        let solution = if model.problem.noises.is_empty() {
            stickslip::solve(&model.problem, &model.run.scheme)?
        } else {
            stickslip::solve(&model.known()?, &model.run.scheme)?.as_one_path_of_many()
        };
        Ok((model, solution))
    }

    /// An error where the run is to end.
    fn go_on(&self) -> Result<()> {
        if (self.context.cancelled)() {
            let said = format!("interrupted among {} motions", self.count);
            return Err(Diagnostic::of(FailureKind::Interrupted, said));
        }
        Ok(())
    }

    /// Whether the others go on without a motion with this error.
    fn may_fail(&self, e: &Diagnostic) -> bool {
        self.asked.keeps_going && e.kind() != FailureKind::Interrupted
    }

    /// What is wrong with a motion, its number in front.
    fn of_motion(&self, i: usize, e: Diagnostic) -> Diagnostic {
        if e.kind() == FailureKind::Interrupted {
            return e;
        }
        let whole = self.asked.whole.unwrap_or(self.count);
        let told = format!("motion {} of {whole}: {}", self.asked.first + i, e.message());
        e.with_message(told).naming_keys()
    }

    fn part(&self, mut part: Part<'_>, layout: &Layout) -> Result<Left> {
        let mut left = Left::default();
        for (k, i) in part.motions.clone().enumerate() {
            self.go_on()?;
            let number = self.asked.first + i;
            let read = self.solved(i).and_then(|(model, solution)| {
                self.read(k, &model, &solution, layout, &mut part)?;
                left.take(number, model, solution, &self.asked.wanted);
                Ok(())
            });
            match read {
                Ok(()) => {}
                Err(e) if self.may_fail(&e) => left.failed.push((number, e)),
                Err(e) => return Err(self.of_motion(i, e)),
            }
            left.happened.ends.push(left.happened.events.len());
        }
        Ok(left)
    }

    /// Puts the numbers of the `k`-th motion of a part into its lists.
    fn read(
        &self,
        k: usize,
        model: &Posed,
        solution: &Solution,
        layout: &Layout,
        part: &mut Part<'_>,
    ) -> Result<()> {
        let end = [solution.span().1];
        let times: &[f64] = match &self.asked.wanted {
            Wanted::End => &end,
            Wanted::At(times) => times,
            Wanted::Events => return Ok(()),
        };
        check_times(times, end[0])?;
        let shown = Shown::new(&model.problem, solution, model.bearing_stiffness);
        part.row.resize(shown.width(), 0.0);
        let mut rows = shown.rows();
        for (j, &t) in times.iter().enumerate() {
            rows.at(t, &mut part.row);
            for (list, (c, _)) in part.numbers.iter_mut().zip(&layout.columns) {
                list[k * times.len() + j] = part.row[*c];
            }
        }
        Ok(())
    }
}

impl Left {
    /// What is kept of a motion apart from its numbers.
    fn take(&mut self, number: usize, model: Posed, solution: Solution, wanted: &Wanted) {
        let of_motion = solution.warnings.iter().map(ToString::to_string);
        let mut all = model.warnings.into_iter().chain(of_motion).peekable();
        if all.peek().is_some() {
            self.warned.push(number);
            let room = WORDED.saturating_sub(self.warnings.len());
            self.warnings.extend(all.take(room).map(|w| (number, w)));
        }
        if *wanted == Wanted::Events {
            self.happened.events.extend(solution.events);
        }
    }

    /// Puts what the next motions left after this.
    fn append(&mut self, next: Self) {
        let before = self.happened.events.len();
        self.happened.ends.extend(next.happened.ends.iter().map(|end| before + end));
        self.happened.events.extend(next.happened.events);
        self.failed.extend(next.failed);
        self.warned.extend(next.warned);
        let room = WORDED.saturating_sub(self.warnings.len());
        self.warnings.extend(next.warnings.into_iter().take(room));
    }
}

/// The motions in rows, each with its part of every list.
fn parts(numbers: &mut [Vec<f64>], count: usize, instants: usize) -> Vec<Part<'_>> {
    // Short enough that every thread has some to do.
    let long = count.div_ceil(256).clamp(1, IN_A_ROW);
    let firsts = (0..count).step_by(long);
    let mut parts: Vec<Part<'_>> = firsts
        .map(|first| Part {
            motions: first..count.min(first + long),
            numbers: Vec::new(),
            row: Vec::new(),
        })
        .collect();
    for list in numbers {
        // At no times the lists are empty, and nothing can be cut into pieces of length 0.
        for (part, some) in parts.iter_mut().zip(list.chunks_mut((long * instants).max(1))) {
            part.numbers.push(some);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_file::{Memory, ModelFile};

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

    /// Motions 40 to 43 of 100: messages and lists name them so, also where not one of them can be solved.
    #[test]
    fn motions_of_a_part_have_the_numbers_of_the_whole() {
        let part = |masses: Vec<f64>, keeps_going| {
            let mut asked =
                Many::new(vec![("oscillator.mass".to_owned(), masses)], Wanted::At(vec![1.0]));
            (asked.first, asked.whole, asked.keeps_going) = (40, Some(100), keeps_going);
            let document = Document::parse("m.toml", TEXT)?;
            many(&asked, &document, &Reading::new(Memory::default()), &Context::silent())
        };
        let said = part(vec![1.0, 1.0, -1.0, 1.0], false).unwrap_err();
        assert!(said.message().starts_with("motion 42 of 100: `oscillator.mass` is -1"), "{said}");
        let failed = |m: &Motions| m.failed.iter().map(|f| f.0).collect::<Vec<_>>();
        assert_eq!(failed(&part(vec![1.0, 1.0, -1.0, 1.0], true).unwrap()), [42]);
        let none = part(vec![-1.0; 4], true).unwrap();
        assert_eq!(failed(&none), [40, 41, 42, 43]);
        assert!(none.columns.is_empty() && none.numbers.is_empty() && none.count == 4);
    }

    #[test]
    fn columns_of_events_are_refused() {
        let mut asked = Many::new(vec![("oscillator.mass".to_owned(), vec![1.0])], Wanted::Events);
        asked.columns = Some(vec!["x".to_owned()]);
        let document = Document::parse("m.toml", TEXT).unwrap();
        let found = many(&asked, &document, &Reading::new(Memory::default()), &Context::silent());
        assert!(found.unwrap_err().message().contains("columns are named, but events"));
    }

    #[test]
    fn a_run_that_is_cancelled_ends() {
        let asked = Many::new(vec![("oscillator.mass".to_owned(), vec![1.0; 9])], Wanted::End);
        let document = Document::parse("m.toml", TEXT).unwrap();
        let context = Context { cancelled: &|| true, ..Context::silent() };
        let found = many(&asked, &document, &Reading::new(Memory::default()), &context);
        assert_eq!(found.unwrap_err().kind(), FailureKind::Interrupted);
    }
}
