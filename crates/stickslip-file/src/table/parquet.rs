//! Parquet: columns by name, one row group after the other.

use super::builder::Builder;
use super::calendar::{self, PossibleDate};
use super::each::{By, Slot, slot};
use super::numbers::Numbers;
use super::rows::column;
use super::time::{Clock, Looks, Moment, Style, looks};
use super::{Choose, Complaint, DateOrder, Manner, Missing, Record, See, Wanted};
use crate::diagnostic::{Diagnostic, Result};
use crate::place::{Place, Placed, Source};
use crate::resources::{Pieces, Resources, open};
use crate::stated;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use stickslip_parquet::{Column, Damaged, Time};

/// Where a complaint about a value comes from.
struct At<'a> {
    name: &'a str,
    column: &'a str,
    row: u64,
}

impl At<'_> {
    fn fault(&self, (message, help): Complaint) -> Diagnostic {
        let Self { name, column, row } = self;
        Diagnostic::new(format!("{name}, row {row}, column `{column}`: {message}")).help(help)
    }
}

/// See [`super::read`].
pub fn read(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
) -> Result<Record> {
    let file = Opened::new(resources, name, &wanted.place)?;
    let mut table = Table::new(&file, wanted, manner)?;
    stated::check(name, &wanted.columns, &[], &wanted.says)?;
    let mut slot = Slot { builder: None, fault: None };
    for group in 0..file.groups() {
        let Group { time, columns, mut faults } = table.group(group)?;
        for i in 0..columns.first().map_or(0, Vec::len) {
            let fault = faults.remove(&i);
            table.row += 1;
            table.take(&time, &columns, i, (&mut slot, fault))?;
        }
    }
    slot.finish(wanted.columns.len(), &table.notices)?.ok_or_else(|| {
        Diagnostic::new(format!("{name}: the table has no rows"))
            .help("check that the whole table was exported")
    })
}

/// See [`super::read_each`].
pub fn read_each(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
    by: &By,
) -> Result<Vec<Result<Option<Record>>>> {
    let file = Opened::new(resources, name, &wanted.place)?;
    let named = column(name, &file.header, &by.column)?;
    let mut table = Table::new(&file, wanted, manner)?;
    stated::check(name, &wanted.columns, &[], &wanted.says)?;
    let mut slots = Slot::all(by);
    for group in 0..file.groups() {
        if !file.may_hold(group, named, by) {
            table.row += file.rows(group);
            continue;
        }
        let names = file.column(group, named)?;
        let Group { time, columns, mut faults } = table.group(group)?;
        for i in 0..columns.first().map_or(0, Vec::len) {
            table.row += 1;
            let slot = slot(by, &text(&names, i)).map(|at| &mut slots[at]);
            let Some(slot) = slot.filter(|s| s.fault.is_none()) else { continue };
            let fault = faults.remove(&i);
            slot.fault = table.take(&time, &columns, i, (slot, fault)).err();
        }
    }
    let columns = wanted.columns.len();
    let notices = table.notices;
    Ok(slots.into_iter().map(|slot| slot.finish(columns, &notices)).collect())
}

/// See [`super::texts`].
pub fn texts(
    resources: &dyn Resources,
    name: &str,
    known: &Placed<String>,
    choose: &mut Choose<'_>,
    see: &mut See<'_>,
) -> Result<()> {
    let file = Opened::new(resources, name, &known.place)?;
    let columns = choose(&file.header)?;
    for group in 0..file.groups() {
        let read = columns.iter().map(|c| file.column(group, *c)).collect::<Result<Vec<_>>>()?;
        for i in 0..usize::try_from(file.rows(group)).unwrap_or(0) {
            see(&read.iter().map(|c| text(c, i)).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// See [`super::peek_parquet`].
pub fn peek(resources: &dyn Resources, name: &str) -> Result<super::Peek> {
    let source = Arc::new(Source { name: name.to_owned(), text: String::new() });
    let file = Opened::new(resources, name, &Place::new(&source, 0..0))?;
    let mut rows = Vec::new();
    if file.groups() > 0 {
        // A column of lists or of pictures cannot be used, which is no reason to refuse the others.
        let read: Vec<_> = (0..file.header.len()).map(|c| file.column(0, c).ok()).collect();
        let count = usize::try_from(file.rows(0)).unwrap_or(0).min(super::peek::ROWS);
        let field = |c: &Option<Column>, i: usize| c.as_ref().map_or(String::new(), |c| text(c, i));
        rows = (0..count).map(|i| read.iter().map(|c| field(c, i)).collect()).collect();
    }
    Ok(super::Peek { header: file.header, units: Vec::new(), rows, commas: false })
}

/// A file, of which row groups are read when they are needed.
struct Opened<'a> {
    name: &'a str,
    table: stickslip_parquet::Table,
    header: Vec<String>,
}

impl<'a> Opened<'a> {
    fn new(resources: &dyn Resources, name: &'a str, place: &Place) -> Result<Self> {
        let unreadable = |e| Diagnostic::new(format!("{name}: cannot be read: {e}"));
        let opened = match resources.pieces(name) {
            Ok(Some(pieces)) => stickslip_parquet::Table::open(Arc::new(File(pieces))),
            _ => {
                let mut bytes = Vec::new();
                let mut from = open(resources, name).map_err(|f| f.or_at(place))?;
                from.read_to_end(&mut bytes).map_err(unreadable)?;
                stickslip_parquet::Table::of_bytes(bytes)
            }
        };
        let table = opened.map_err(|e| damaged(name, &e))?;
        let header = table.header().to_vec();
        Ok(Self { name, table, header })
    }

    fn groups(&self) -> usize {
        self.table.groups()
    }

    fn rows(&self, group: usize) -> u64 {
        self.table.rows(group)
    }

    /// A column of a row group.
    fn column(&self, group: usize, column: usize) -> Result<Column> {
        self.table.column(group, column).map_err(|e| damaged(self.name, &e))
    }

    /// Whether a row group may hold one of the names, by the least and the greatest name in it.
    fn may_hold(&self, group: usize, column: usize, by: &By) -> bool {
        self.table.extremes(group, column).is_none_or(|(least, most)| {
            by.names.keys().any(|n| least <= n.as_bytes() && n.as_bytes() <= most)
        })
    }
}

fn damaged(name: &str, e: &Damaged) -> Diagnostic {
    Diagnostic::new(format!("{name}: cannot be read as Parquet: {e}"))
        .help("check that the file is whole, or export the table as CSV")
}

/// A file of which pieces are read.
struct File(Box<dyn Pieces>);

impl stickslip_parquet::Source for File {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read(&self, start: u64, piece: &mut [u8]) -> io::Result<()> {
        self.0.read(start, piece)
    }
}

/// The columns of a row group, and what is wrong with some of its rows.
struct Group {
    time: Vec<Column>,
    columns: Vec<Vec<f64>>,
    faults: HashMap<usize, Diagnostic>,
}

struct Table<'a> {
    file: &'a Opened<'a>,
    manner: &'a Manner,
    time: Vec<usize>,
    columns: Vec<usize>,
    /// The order of day and month, once it was looked for.
    order: Option<DateOrder>,
    notices: Vec<String>,
    row: u64,
}

impl<'a> Table<'a> {
    fn new(file: &'a Opened<'a>, wanted: &Wanted, manner: &'a Manner) -> Result<Self> {
        let find = |w: &Placed<String>| column(file.name, &file.header, w);
        if wanted.time.is_empty() {
            let message = format!("{}: a table in Parquet needs a column of times", file.name);
            return Err(Diagnostic::at(&wanted.place, message)
                .help("name it with `time`, or export the table as CSV"));
        }
        let time = wanted.time.iter().map(find).collect::<Result<Vec<_>>>()?;
        let columns = wanted.columns.iter().map(find).collect::<Result<Vec<_>>>()?;
        Ok(Self { file, manner, time, columns, order: None, notices: Vec::new(), row: 0 })
    }

    fn at(&self, column: usize, row: u64) -> At<'a> {
        At { name: self.file.name, column: &self.file.header[column], row }
    }

    fn group(&self, group: usize) -> Result<Group> {
        let time =
            self.time.iter().map(|c| self.file.column(group, *c)).collect::<Result<Vec<_>>>()?;
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut faults = HashMap::new();
        for column in &self.columns {
            columns.push(self.numbers(*column, self.file.column(group, *column)?, &mut faults)?);
        }
        Ok(Group { time, columns, faults })
    }

    /// Takes row `i` of a group into its series.
    fn take(
        &mut self,
        time: &[Column],
        columns: &[Vec<f64>],
        i: usize,
        (slot, fault): (&mut Slot<'a>, Option<Diagnostic>),
    ) -> Result<()> {
        if let Some(fault) = fault {
            return Err(fault);
        }
        let at = self.at(self.time[0], self.row);
        let row: Vec<f64> = columns.iter().map(|column| column[i]).collect();
        let stamp = stamp(time, i);
        if slot.builder.is_none() {
            let clock = self.clock(time, i).map_err(|e| match e {
                Trouble::Time(e) => at.fault(e),
                Trouble::File(e) => e,
            })?;
            let name = self.file.name;
            let count = self.columns.len();
            slot.builder = Some(Builder::new(name, clock, count, self.manner).by("rows"));
        }
        let Some(builder) = &mut slot.builder else { return Ok(()) };
        let moment = match &time[0] {
            Column::Texts(_) => builder.clock().read(&stamp).map_err(|e| at.fault(e))?,
            known => of(known, i).ok_or_else(|| at.fault(super::time::unreadable("")))?,
        };
        builder.take(moment, &stamp, &row, self.row).map_err(|e| at.fault(e))
    }

    /// A column as numbers, NaN where one is missing or wrong; what is wrong stands in `faults`.
    fn numbers(
        &self,
        index: usize,
        column: Column,
        faults: &mut HashMap<usize, Diagnostic>,
    ) -> Result<Vec<f64>> {
        let at = |i: usize| self.at(index, self.row + 1 + i as u64);
        let is_missing =
            |x: f64| self.manner.missing.iter().any(|m| matches!(m, Missing::Number(n) if *n == x));
        match column {
            Column::Numbers(mut numbers) => {
                for (i, x) in numbers.iter_mut().enumerate() {
                    if x.is_infinite() {
                        let message = "the value is not finite; expected a number".to_owned();
                        let help = "leave a missing value empty".to_owned();
                        faults.entry(i).or_insert_with(|| at(i).fault((message, help)));
                    }
                    if is_missing(*x) {
                        *x = f64::NAN;
                    }
                }
                Ok(numbers)
            }
            Column::Texts(texts) => {
                let mut numbers = Numbers::new(self.manner.decimal, &self.manner.missing);
                let mut all = Vec::with_capacity(texts.len());
                for (i, text) in texts.into_iter().enumerate() {
                    let parsed = numbers.parse(text.unwrap_or_default().trim(), 0);
                    all.push(parsed.unwrap_or_else(|e| {
                        faults.entry(i).or_insert_with(|| at(i).fault(e));
                        f64::NAN
                    }));
                }
                Ok(all)
            }
            Column::Times(_) => Err(at(0).fault((
                "the column holds times; expected numbers".to_owned(),
                "check that the right column is named".to_owned(),
            ))),
        }
    }

    /// How times are counted, seen from row `i`.
    fn clock(&mut self, time: &[Column], i: usize) -> Result<Clock, Trouble> {
        let zone = self.manner.zone.as_ref();
        let first = stamp(time, i);
        let unit = match &self.manner.time {
            Some(Style::Number(unit)) => Some(*unit),
            _ => None,
        };
        if let Some(moment) = of(&time[0], i) {
            return Clock::at(moment, unit.unwrap_or(1.0), zone).map_err(Trouble::Time);
        }
        let style = match &self.manner.time {
            Some(style @ (Style::Format(_) | Style::Date(_))) => style.clone(),
            _ => match looks(&first, unit).map_err(Trouble::Time)? {
                Looks::Like(style) => style,
                Looks::DayOrMonth => Style::Date(self.day_or_month(&first)?),
            },
        };
        Clock::of(style, &first, zone).map_err(Trouble::Time)
    }

    /// Looks through the whole file for a date that can only be read in one way.
    fn day_or_month(&mut self, first: &str) -> Result<DateOrder, Trouble> {
        if let Some(order) = self.order {
            return Ok(order);
        }
        for group in 0..self.file.groups() {
            let columns = self.time.iter().map(|c| self.file.column(group, *c));
            let time = columns.collect::<Result<Vec<_>>>().map_err(Trouble::File)?;
            let Column::Texts(texts) = &time[0] else { continue };
            for i in 0..texts.len() {
                if let Some(PossibleDate::Sure(_, order)) = calendar::find(&stamp(&time, i)) {
                    let way = if order == DateOrder::Day { "the day" } else { "the month" };
                    self.notices.push(format!("dates such as {first} begin with {way}"));
                    self.order = Some(order);
                    return Ok(order);
                }
            }
        }
        Err(Trouble::Time(super::ambiguous_date(first)))
    }
}

/// A value as text; empty where it is missing.
fn text(column: &Column, i: usize) -> String {
    match column {
        Column::Numbers(x) if x[i].is_nan() => String::new(),
        Column::Texts(texts) => texts[i].as_deref().unwrap_or_default().trim().to_owned(),
        other => stamp(std::slice::from_ref(other), i),
    }
}

enum Trouble {
    Time(Complaint),
    File(Diagnostic),
}

/// The time of a row, where it is known without being parsed.
fn of(column: &Column, i: usize) -> Option<Moment> {
    match column {
        Column::Numbers(x) => Some(Moment::Number(x[i])).filter(|_| x[i].is_finite()),
        Column::Times(times) => times[i].and_then(moment),
        Column::Texts(_) => None,
    }
}

/// A time of the calendar, unless it lies beyond the years that one can count.
fn moment(time: Time) -> Option<Moment> {
    let t = Timestamp::from_nanosecond(time.nanoseconds).ok()?;
    let in_utc = || t.to_zoned(TimeZone::UTC).datetime();
    Some(if time.is_utc { Moment::Instant(t) } else { Moment::Calendar(in_utc()) })
}

/// The time of a row as messages show it, and as texts give it.
fn stamp(time: &[Column], i: usize) -> String {
    let one = |c: &Column| match c {
        Column::Numbers(x) => x[i].to_string(),
        Column::Texts(texts) => texts[i].clone().unwrap_or_default().trim().to_owned(),
        Column::Times(times) => times[i].and_then(moment).map(Moment::text).unwrap_or_default(),
    };
    time.iter().map(one).collect::<Vec<_>>().join(" ")
}
