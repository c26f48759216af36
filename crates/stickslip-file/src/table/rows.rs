//! A file of separated values, read row by row.

use super::builder::{Builder, Built};
use super::calendar::{self, Order as DateOrder, PossibleDate};
use super::cells::Rows;
use super::decode::{decode, refuse_other_formats};
use super::dialect::{Layout, layout};
use super::each::{By, Slot, slot};
use super::numbers::Numbers;
use super::time::{Clock, Looks, Style, looks};
use super::{Complaint, Manner, Record, Wanted, ambiguous_date, clip};
use crate::diagnostic::{Diagnostic, Result, did_you_mean};
use crate::place::Placed;
use crate::resources::{Resources, open};
use crate::stated;

/// So many rows below the header may hold units and the like.
const UNIT_ROWS: usize = 3;

/// A table while it is read.
struct Sheet<'a> {
    resources: &'a dyn Resources,
    name: &'a str,
    manner: &'a Manner,
    layout: Layout,
    time: Vec<usize>,
    columns: Vec<usize>,
    /// What a row of units says of the times.
    time_unit: Option<String>,
    warnings: Vec<String>,
    notices: Vec<String>,
}

/// See [`super::read`].
pub fn read(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
) -> Result<Record> {
    let (mut sheet, rows) = opened(resources, name, (wanted, None), manner)?;
    sheet.describe();
    sheet.read(rows, wanted)
}

/// See [`super::read_each`].
pub fn read_each(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
    by: &By,
) -> Result<Vec<Result<Option<Record>>>> {
    let (sheet, rows) = opened(resources, name, (wanted, Some(&by.column)), manner)?;
    let column = column(name, &sheet.layout.header, &by.column)?;
    sheet.each(rows, column, by)
}

/// Finds the header of a table and its columns.
fn opened<'a>(
    resources: &'a dyn Resources,
    name: &'a str,
    (wanted, more): (&Wanted, Option<&Placed<String>>),
    manner: &'a Manner,
) -> Result<(Sheet<'a>, Rows<'a>)> {
    let bytes = open(resources, name).map_err(|f| f.or_at(&wanted.place))?;
    let text = decode(name, bytes)?;
    refuse_other_formats(name, &text.head)?;
    let all: Vec<_> = wanted.time.iter().chain(&wanted.columns).chain(more).cloned().collect();
    let layout = layout(&text.head, &all).ok_or_else(|| empty(name))?;
    let column = |wanted: &Placed<String>| column(name, &layout.header, wanted);
    let time = wanted.time.iter().map(column).collect::<Result<Vec<_>>>()?;
    let columns = wanted.columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    let rows = Rows::new(name, text, layout.clone())?;
    let sheet = Sheet {
        resources,
        name,
        manner,
        layout,
        time,
        columns,
        time_unit: None,
        warnings: Vec::new(),
        notices: Vec::new(),
    };
    Ok((sheet, rows))
}

/// There is nothing in the file `name`.
pub fn empty(name: &str) -> Diagnostic {
    Diagnostic::new(format!("{name}: the file is empty; expected a header row and rows of numbers"))
        .help("the first row names the columns, for example: time,temperature,displacement")
}

/// The position of a column named in another file.
pub fn column(name: &str, header: &[String], wanted: &Placed<String>) -> Result<usize> {
    let mut found = header.iter().enumerate().filter(|h| *h.1 == wanted.value);
    match (found.next(), found.next()) {
        (Some((i, _)), None) => Ok(i),
        (Some(_), Some(_)) => {
            let message = format!("{name}: two columns are called `{}`", wanted.value);
            Err(Diagnostic::at(&wanted.place, message).help("rename one of them in the header row"))
        }
        (None, _) => Err(no_such_column(name, header, wanted)),
    }
}

fn no_such_column(name: &str, header: &[String], wanted: &Placed<String>) -> Diagnostic {
    let names = || header.iter().map(String::as_str);
    let near = did_you_mean(&wanted.value, names());
    let message = format!("{name}: no column is called `{}`{near}", wanted.value);
    let help = if names().all(|h| h.parse::<f64>().is_ok()) {
        "the first row holds numbers: put a row with the names of the columns above it".to_owned()
    } else if header.len() == 1 {
        format!(
            "the header row is one column, `{}`: expected names separated by commas, semicolons, \
             tabs or blanks",
            clip(&header[0])
        )
    } else {
        let list: Vec<_> = names().take(20).map(clip).collect();
        format!("the columns are: {}", list.join(", "))
    };
    Diagnostic::at(&wanted.place, message).help(help)
}

/// Rows that were left out, to be told.
#[derive(Default)]
struct Counts {
    blank: usize,
    surplus: usize,
    headers: usize,
}

impl Sheet<'_> {
    /// What is unusual about the file.
    fn describe(&mut self) {
        let separator = match self.layout.separator {
            b';' => "semicolons",
            b'\t' => "tabs",
            b'|' => "bars",
            b' ' => "blanks",
            _ => "",
        };
        if !separator.is_empty() {
            self.note(format!("columns are separated by {separator}"));
        }
        match self.layout.skipped {
            0 => {}
            1 => self.note("one line above the names of the columns was left out".to_owned()),
            n => self.note(format!("{n} lines above the names of the columns were left out")),
        }
    }

    fn note(&mut self, what: String) {
        self.notices.push(format!("{}: {what}", self.name));
    }

    fn read(mut self, mut rows: Rows<'_>, wanted: &Wanted) -> Result<Record> {
        let units = self.units(&mut rows)?.ok_or_else(|| self.no_row())?;
        // A contradiction is told before the rows are read, of which there may be millions.
        stated::check(self.name, &wanted.columns, &units, &wanted.says)?;
        self.notices.extend(stated::assumed(self.name, &wanted.columns, &units, &wanted.says));
        self.check_time(&rows, wanted)?;
        let mut numbers = Numbers::new(self.manner.decimal, &self.manner.missing);
        let read = self.rows(&mut rows, &mut numbers)?;
        check_numbers(self.name, &numbers)?;
        if numbers.guessed_commas() {
            self.note("numbers are written with decimal commas".to_owned());
        }
        let Built { clock, seconds, values } = read;
        let Self { warnings, notices, .. } = self;
        Ok(Record { seconds, values, units, clock, warnings, notices })
    }

    /// Times that are numbers against the unit that the table states of them.
    fn check_time(&self, rows: &Rows<'_>, wanted: &Wanted) -> Result<()> {
        let [column] = wanted.time.as_slice() else { return Ok(()) };
        let seconds = match self.manner.time {
            Some(Style::Number(seconds)) => seconds,
            None if self.stamp(rows).is_ok_and(|s| s.trim().parse::<f64>().is_ok()) => 1.0,
            _ => return Ok(()),
        };
        stated::check_time(self.name, column, self.time_unit.as_deref(), seconds)
    }

    fn no_row(&self) -> Diagnostic {
        Diagnostic::new(format!("{}: no row below the header; expected rows of numbers", self.name))
            .help("check that the whole table was exported")
    }

    /// Reads the series that `by` names in the column `named`.
    fn each(
        mut self,
        mut rows: Rows<'_>,
        named: usize,
        by: &By,
    ) -> Result<Vec<Result<Option<Record>>>> {
        self.units(&mut rows)?.ok_or_else(|| self.no_row())?;
        let mut slots = Slot::all(by);
        let mut numbers: Vec<_> =
            slots.iter().map(|_| Numbers::new(self.manner.decimal, &self.manner.missing)).collect();
        let mut style = None;
        let mut counts = Counts::default();
        let mut stamps = Stamps::new(&self.time);
        loop {
            let at = rows.field(named).and_then(|name| slot(by, &name));
            if let Some(at) = at.filter(|at| slots[*at].fault.is_none()) {
                let taken =
                    self.take(&rows, &mut slots[at], (&mut stamps, &mut numbers[at]), &mut style);
                slots[at].fault = taken.err();
            }
            if !self.next(&mut rows, &mut counts)? {
                break;
            }
        }
        self.count(&counts);
        let columns = self.columns.len();
        let finish = |(slot, numbers): (Slot<'_>, Numbers<'_>)| {
            let record = slot.finish(columns, &self.notices)?;
            check_numbers(self.name, &numbers)?;
            Ok(record)
        };
        Ok(slots.into_iter().zip(numbers).map(finish).collect())
    }

    /// Takes a row into its series. The first row whose time can be read says how times are written.
    fn take<'s>(
        &mut self,
        rows: &Rows<'_>,
        slot: &mut Slot<'s>,
        (stamps, numbers): (&mut Stamps, &mut Numbers<'_>),
        style: &mut Option<Style>,
    ) -> Result<()>
    where
        Self: 's,
    {
        let time = self.time_column();
        rows.has_surplus()?;
        let text = rows.text();
        let stamp = stamps.of(rows, text)?;
        if style.is_none() {
            *style = Some(self.times(&stamp).map_err(|e| self.or_in_row(rows, e))?);
        }
        let Some(style) = style else { return Ok(()) };
        if slot.builder.is_none() {
            let clock = Clock::of(style.clone(), &stamp, self.manner.zone.as_ref());
            let clock = clock.map_err(|e| rows.fault(time, e))?;
            slot.builder = Some(Builder::new(self.name, clock, self.columns.len(), self.manner));
        }
        let Some(builder) = &mut slot.builder else { return Ok(()) };
        let moment = builder.clock().read(&stamp).map_err(|e| rows.fault(time, e))?;
        let number = |column: &usize| {
            let field = rows.cut(text, *column)?;
            numbers.parse(&field, rows.line()).map_err(|e| rows.fault(*column, e))
        };
        let row = self.columns.iter().map(number).collect::<Result<Vec<_>>>()?;
        builder.take(moment, &stamp, &row, rows.line()).map_err(|e| rows.fault(time, e))
    }

    /// Steps over rows of units and the like, to the first row of numbers; `None` without one.
    fn units(&mut self, rows: &mut Rows<'_>) -> Result<Option<Vec<Option<String>>>> {
        let mut units = vec![None; self.columns.len()];
        let mut found = 0;
        while rows.next()? {
            if rows.is_blank() || self.names_columns(rows)? {
                rows.leave_out();
                continue;
            }
            if found == UNIT_ROWS || !self.is_of_units(rows) {
                if found > 0 {
                    let s = if found == 1 { " was" } else { "s were" };
                    self.note(format!(
                        "{found} row{s} left out between the header and the numbers"
                    ));
                }
                rows.is_whole()?;
                return Ok(Some(units));
            }
            if found == 0 {
                let text = |c: &usize| rows.field(*c).filter(|f| !f.is_empty());
                units = self.columns.iter().map(|c| text(c).map(|f| f.into_owned())).collect();
                self.time_unit = self.stamp(rows).ok().map(|s| s.trim().to_owned());
            }
            rows.leave_out();
            found += 1;
        }
        Ok(None)
    }

    /// Whether neither the time nor any value is one.
    fn is_of_units(&self, rows: &Rows<'_>) -> bool {
        let stamp = self.stamp(rows).unwrap_or_default();
        let is_time = match &self.manner.time {
            _ if self.time.is_empty() => false,
            Some(style @ (Style::Format(_) | Style::Date(_))) => style.parse(&stamp).is_some(),
            _ => looks(&stamp, Some(1.0)).is_ok(),
        };
        let mut numbers = Numbers::new(None, &[]);
        let mut text = |c: &usize| match rows.field(*c) {
            Some(field) if !matches!(&*field, "" | "–" | "—") => {
                numbers.parse(&field, 0).is_err()
            }
            _ => false,
        };
        let texts = self.columns.iter().filter(|c| text(c)).count();
        // A dash is what people write below a column without a unit.
        let empty =
            |c: &&usize| rows.field(**c).is_none_or(|f| matches!(f.trim(), "" | "-" | "–" | "—"));
        let empties = self.columns.iter().filter(empty).count();
        !is_time && texts > 0 && texts + empties == self.columns.len()
    }

    /// Whether the row is the header once more.
    fn names_columns(&self, rows: &Rows<'_>) -> Result<bool> {
        rows.names_columns(self.time.iter().chain(&self.columns).copied())
    }

    /// Goes to the next row of numbers: blank rows, and headers that come again with their units, are left out.
    fn next(&self, rows: &mut Rows<'_>, counts: &mut Counts) -> Result<bool> {
        let mut below = UNIT_ROWS;
        while rows.next()? {
            if rows.is_blank() {
                counts.blank += usize::from(rows.has_fields());
            } else if self.names_columns(rows)? {
                counts.headers += 1;
                below = 0;
            } else if below < UNIT_ROWS && self.is_of_units(rows) {
                below += 1;
            } else {
                rows.is_whole()?;
                return Ok(true);
            }
            rows.leave_out();
        }
        Ok(false)
    }

    /// The column that a message about a time points at: of a table without times, whose rows are counted, the first one.
    fn time_column(&self) -> usize {
        self.time.first().or(self.columns.first()).copied().unwrap_or(0)
    }

    /// The time of a row as it is written; a date and a time of day are put together. Without times the first row is number 0.
    fn stamp(&self, rows: &Rows<'_>) -> Result<String> {
        let [first, more @ ..] = self.time.as_slice() else { return Ok("0".to_owned()) };
        let mut stamp = rows.get(*first)?.into_owned();
        for column in more {
            stamp.push(' ');
            stamp.push_str(&rows.get(*column)?);
        }
        Ok(stamp)
    }

    /// Reads the present row and all that follow.
    fn rows(&mut self, rows: &mut Rows<'_>, numbers: &mut Numbers<'_>) -> Result<Built> {
        let time = self.time_column();
        let first = self.stamp(rows)?;
        let clock = self.clock(&first).map_err(|e| self.or_in_row(rows, e))?;
        let mut builder = Builder::new(self.name, clock, self.columns.len(), self.manner);
        let mut counts = Counts::default();
        let mut stamps = Stamps::new(&self.time);
        let mut row = Vec::with_capacity(self.columns.len());
        loop {
            counts.surplus += usize::from(rows.has_surplus()?);
            let text = rows.text();
            let stamp = stamps.of(rows, text)?;
            let moment = builder.clock().read(&stamp).map_err(|e| rows.fault(time, e))?;
            row.clear();
            for column in &self.columns {
                let field = rows.cut(text, *column)?;
                let x = numbers.parse(&field, rows.line()).map_err(|e| rows.fault(*column, e))?;
                row.push(x);
            }
            builder.take(moment, &stamp, &row, rows.line()).map_err(|e| rows.fault(time, e))?;
            if !self.next(rows, &mut counts)? {
                break;
            }
        }
        let built = builder.finish(&mut self.warnings, &mut self.notices)?;
        self.count(&counts);
        Ok(built)
    }

    fn count(&mut self, counts: &Counts) {
        let rows = |n: usize| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") };
        if counts.blank > 0 {
            self.note(format!("{} without any value left out", rows(counts.blank)));
        }
        if counts.headers > 0 {
            let times = if counts.headers == 1 { "once" } else { "several times" };
            self.note(format!("the header comes again {times}, and was left out there"));
        }
        if counts.surplus > 0 {
            self.note(format!("{} with empty fields beyond the last column", rows(counts.surplus)));
        }
    }

    /// An error that a clock made before its row was looked at belongs to that row.
    fn or_in_row(&self, rows: &Rows<'_>, error: Trouble) -> Diagnostic {
        match error {
            Trouble::Time(complaint) => rows.fault(self.time_column(), complaint),
            Trouble::File(diagnostic) => diagnostic,
        }
    }

    /// How times are counted, seen from the first.
    fn clock(&mut self, first: &str) -> Result<Clock, Trouble> {
        let style = self.times(first)?;
        Clock::of(style, first, self.manner.zone.as_ref()).map_err(Trouble::Time)
    }

    /// How times are written, seen from the first.
    fn times(&mut self, first: &str) -> Result<Style, Trouble> {
        let style = match &self.manner.time {
            Some(style @ (Style::Format(_) | Style::Date(_))) => style.clone(),
            Some(Style::Number(unit)) => self.style(first, Some(*unit))?,
            _ => self.style(first, None)?,
        };
        if matches!(self.manner.time, Some(Style::Number(_))) && !matches!(style, Style::Number(_))
        {
            self.note(
                match style {
                    Style::Elapsed => {
                        "times are hours, minutes and seconds; `time_unit` is not used"
                    }
                    _ => "times are calendar times; `time_unit` is not used",
                }
                .to_owned(),
            );
        }
        Ok(style)
    }

    fn style(&mut self, first: &str, unit: Option<f64>) -> Result<Style, Trouble> {
        match looks(first, unit).map_err(Trouble::Time)? {
            Looks::Like(style) => Ok(style),
            Looks::DayOrMonth => {
                let order = self.day_or_month().map_err(Trouble::File)?;
                let order = order.ok_or_else(|| Trouble::Time(ambiguous_date(first)))?;
                let way = if order == DateOrder::Day { "the day" } else { "the month" };
                self.note(format!("dates such as {} begin with {way}", clip(first)));
                Ok(Style::Date(order))
            }
        }
    }

    /// Looks through the whole file for a date that can only be read in one way.
    fn day_or_month(&self) -> Result<Option<DateOrder>> {
        let text = decode(self.name, open(self.resources, self.name)?)?;
        let mut rows = Rows::new(self.name, text, self.layout.clone())?;
        while rows.next()? {
            let stamp = self.stamp(&rows).unwrap_or_default();
            if let Some(PossibleDate::Sure(_, order)) = calendar::find(&stamp) {
                return Ok(Some(order));
            }
        }
        Ok(None)
    }
}

/// Refuses numbers that can be read in two ways.
fn check_numbers(name: &str, numbers: &Numbers<'_>) -> Result<()> {
    let Some((line, text)) = numbers.ambiguous() else { return Ok(()) };
    let plain = text.replace(',', "");
    let message = format!(
        "{name}, line {line}: `{text}` may be {} or {plain}, and no other number tells which",
        text.replace(',', ".")
    );
    Err(Diagnostic::new(message).help(
        "write `decimal = \",\"` if the comma begins the fraction; otherwise remove \
                       the separators of thousands",
    ))
}

/// Where the trouble lies.
enum Trouble {
    /// In the time of the row.
    Time(Complaint),
    /// Elsewhere.
    File(Diagnostic),
}

/// The times of rows as they are written, without a new text for each.
struct Stamps {
    time: Vec<usize>,
    joined: String,
    /// Rows so far, which stand for times in a table without them.
    count: u64,
}

impl Stamps {
    fn new(time: &[usize]) -> Self {
        Self { time: time.to_vec(), joined: String::new(), count: 0 }
    }

    fn of<'a>(
        &'a mut self,
        rows: &'a Rows<'_>,
        text: Option<&'a str>,
    ) -> Result<std::borrow::Cow<'a, str>> {
        let [first, more @ ..] = self.time.as_slice() else {
            self.joined = self.count.to_string();
            self.count += 1;
            return Ok(self.joined.as_str().into());
        };
        if more.is_empty() {
            return rows.cut(text, *first);
        }
        self.joined.clear();
        self.joined.push_str(&rows.cut(text, *first)?);
        for column in more {
            self.joined.push(' ');
            self.joined.push_str(&rows.cut(text, *column)?);
        }
        Ok(self.joined.as_str().into())
    }
}
