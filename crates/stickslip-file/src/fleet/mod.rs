//! Fleet files: many bearings, where their records are, and how they are fitted.
//!
//! A record is read when it is fitted. Where each bearing has a file of its own that is one file at a time; where tables
//! hold many bearings, so many of them are read together as fit into some hundred megabytes.

mod known;
mod shelf;

pub use shelf::Shelf;

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::document::Document;
use crate::fit::{Asked, Bearing, DATA_KEYS, Settings};
use crate::glob;
use crate::place::Placed;
use crate::reader::{Table, positive};
use crate::reading::{Gathered, Reading};
use crate::source::keys_with;
use crate::table::{Record, Wanted, texts};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

const KEYS: [&str; 6] = ["title", "data", "bearings", "model", "fit", "fleet"];
/// What `[data]` of a fleet may hold beside what every `[data]` may.
const DATA: [&str; 2] = ["bearing", "responses"];
const MODEL: [&str; 3] = ["kind", Bearing::KEYS[0], Bearing::KEYS[1]];
const FLEET: [&str; 2] = ["false_discoveries", "changes"];

/// The share of false alarms among all alarms, unless another one is asked for.
const FALSE_DISCOVERIES: f64 = 0.05;
/// Columns of a wide table that are read together.
const COLUMNS: usize = 64;
/// Rows of long tables that are read together.
const ROWS: u64 = 4_000_000;

/// A fleet file with every default filled in.
#[derive(Debug)]
#[non_exhaustive]
pub struct FleetFile {
    /// Heading of the page.
    pub title: Option<String>,
    /// The bearings, in the order of their records.
    pub members: Vec<Member>,
    /// The share of false alarms among all alarms of change.
    pub false_discoveries: f64,
    /// Whether changes of the friction over time are looked for.
    pub changes: bool,
    /// Files that were read, the fleet file first.
    pub inputs: Vec<String>,
    /// What users should know.
    pub warnings: Vec<String>,
    /// How tables that all bearings share are written: footnotes, which change no verdict.
    pub notices: Vec<String>,
    document: Document,
    reading: Reading,
    form: Form,
    /// The drive of all bearings and the file that holds it, if they share one.
    drive: Option<(Placed<String>, Arc<Record>)>,
    bearing: Bearing,
}

/// A bearing of a fleet.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Member {
    /// What its records call it.
    pub name: String,
    /// What people call it.
    pub title: Option<String>,
    bearing: Bearing,
    /// m.
    response_unit: Option<f64>,
    /// Rows before this time are not its own.
    installed: Option<Placed<String>>,
    /// Rows of its record, where they are known.
    rows: u64,
}

impl Member {
    fn new(name: String, rows: u64) -> Self {
        let title = None;
        let response_unit = None;
        let installed = None;
        Self { name, title, bearing: Bearing::default(), response_unit, installed, rows }
    }
}

/// How the records lie in their files.
#[derive(Debug)]
enum Form {
    /// Each in a file of its own.
    Apart(Vec<Placed<String>>),
    /// In tables of which a column names the bearing of each row.
    Long(Vec<Placed<String>>, Placed<String>),
    /// In tables with a column for each.
    Wide(Vec<Placed<String>>, Vec<Placed<String>>),
}

impl FleetFile {
    /// Reads a fleet file, what is known of its bearings, and which bearings there are; no record yet.
    ///
    /// ```
    /// use stickslip_file::{Document, FleetFile, Memory, Reading};
    /// let text = "[data]\nfile = \"records/*.csv\"\ntime = \"t\"\ndrive = \"T\"\nresponse = \"z\"\n\
    ///             response_unit = \"mm\"\n[model]\nkind = \"thermal-bearing\"\n";
    /// let files = Memory::default().with("records/a.csv", "").with("records/b.csv", "");
    /// let fleet = FleetFile::read(&Document::parse("fleet.toml", text)?, &Reading::new(files))?;
    /// assert_eq!(fleet.members.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where the file or the table of bearings is wrong, or there is no bearing.
    pub fn read(document: &Document, reading: &Reading) -> Result<Self> {
        let mut gathered = Gathered::new(reading, document);
        let node = document.root();
        // In a fleet file such a key, which an override may have put there, is an unknown key.
        let of_model = node.get("oscillator").or_else(|| node.get("run"));
        if let Some(entry) = of_model.filter(|_| node.get("data").is_none()) {
            let message = "this is a model file; expected a fleet file with [data] and [model]";
            return Err(Diagnostic::at(&entry.key_place, message).with_remedy(Remedy::Simulate));
        }
        let root = Table::root(node, &KEYS)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &MODEL)?;
        let kind = model.choice("kind", "kind of model", &[("thermal-bearing", ())])?;
        kind.ok_or_else(|| model.missing("kind", "the kind of model: thermal-bearing"))?;
        let bearing = Bearing::read(&model)?;
        bearing.whole(&model)?;
        // What is wrong with these tables is wrong for every bearing: it is said before one is read.
        root.table_opt("fit", &Settings::KEYS)?;
        let data = root.table("data", &keys_of_data())?;
        let form = form(&data, &gathered)?;
        let mut members = members(&form, &mut gathered)?;
        asked(&data, form.response(0))?;
        let drive = drive(&data, &form, &mut gathered)?;
        if let Some(t) = root.table_opt("bearings", &known::KEYS)? {
            known::read(&t, &mut members, &mut gathered)?;
        }
        let settings = root.table_opt("fleet", &FLEET)?;
        let (false_discoveries, changes) = match &settings {
            None => (FALSE_DISCOVERIES, true),
            Some(t) => {
                let share = positive("a share of all alarms");
                let rate = t.number_or(FLEET[0], share, FALSE_DISCOVERIES)?;
                if rate >= 1.0 {
                    let message =
                        format!("`fleet.{}` is {rate}; expected a share below 1", FLEET[0]);
                    return Err(Diagnostic::at(t.place_of(FLEET[0]), message)
                        .help("write 0.05 for one false alarm among twenty"));
                }
                (rate, t.flag_or(FLEET[1], true)?)
            }
        };
        let inputs = gathered.inputs.iter().map(|p| p.display().to_string()).collect();
        Ok(Self {
            title,
            members,
            false_discoveries,
            changes,
            inputs,
            warnings: gathered.warnings,
            notices: gathered.notices,
            document: document.clone(),
            reading: reading.clone(),
            form,
            drive,
            bearing,
        })
    }

    /// The bearings of `range` in groups whose records are read together.
    pub fn groups(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        let mut from = range.start;
        let mut rows = 0;
        for i in range.clone() {
            let own = self.members[i].rows;
            let full = match &self.form {
                Form::Apart(_) => false,
                Form::Long(..) => rows + own > ROWS,
                Form::Wide(..) => i - from >= COLUMNS,
            };
            if full && i > from {
                all.push(from..i);
                (from, rows) = (i, 0);
            }
            rows += own;
        }
        if from < range.end {
            all.push(from..range.end);
        }
        all
    }

    /// Whether every record has a file of its own.
    pub fn reads_alone(&self) -> bool {
        matches!(self.form, Form::Apart(_))
    }

    /// The records of a group.
    ///
    /// # Errors
    /// Where a table that holds records of several bearings cannot be read.
    pub fn open(&self, group: Range<usize>) -> Result<Shelf<'_>> {
        Shelf::new(self, group)
    }

    /// The tables of the document that every record needs.
    fn root(&self) -> Result<Table<'_>> {
        Table::root(self.document.root(), &KEYS)
    }

    fn data(&self) -> Result<Table<'_>> {
        self.root()?.table("data", &keys_of_data())
    }

    /// The columns of a table, those of the drive included unless it has a file of its own.
    fn wanted(&self, asked: &Asked, file: &Placed<String>, responses: &[Placed<String>]) -> Wanted {
        let own = self.drive.is_none().then(|| asked.drive.clone());
        let columns = own.into_iter().chain(responses.iter().cloned()).collect();
        Wanted { place: file.place.clone(), time: asked.time.clone(), columns, says: Vec::new() }
    }
}

fn keys_of_data() -> Vec<&'static str> {
    let mut keys = keys_with(&DATA_KEYS);
    keys.retain(|k| *k != "response_file");
    keys.extend(DATA);
    keys
}

/// What `[data]` says of a bearing whose displacements stand in this column.
fn asked(data: &Table<'_>, response: Option<&Placed<String>>) -> Result<Asked> {
    match response {
        Some(response) => Asked::of(data, response.clone()),
        None => Asked::of(data, data.text("response", "the name of the column of displacements")?),
    }
}

impl Form {
    fn files(&self) -> &[Placed<String>] {
        match self {
            Self::Apart(files) | Self::Long(files, _) | Self::Wide(files, _) => files,
        }
    }

    /// The column of displacements of bearing `i`, where it has one of its own.
    fn response(&self, i: usize) -> Option<&Placed<String>> {
        match self {
            Self::Wide(_, responses) => responses.get(i),
            _ => None,
        }
    }
}

/// How the records lie in their files.
fn form(data: &Table<'_>, gathered: &Gathered) -> Result<Form> {
    let mut patterns = data.texts("file", "the path of a table")?;
    patterns.extend(data.texts("files", "the paths of tables")?);
    if patterns.is_empty() {
        return Err(
            data.missing("file", "the path of a table, or a pattern such as \"data/*.csv\"")
        );
    }
    let files = glob::files(&patterns, gathered)?;
    let bearing = data.text_opt("bearing", "the name of the column of bearings")?;
    let responses = data.texts("responses", "the names of the columns of displacements")?;
    match (bearing, responses.as_slice()) {
        (Some(_), [first, ..]) => {
            let message = "both `bearing` and `responses` are given; expected one of them";
            Err(Diagnostic::at(&first.place, message).help(
                "`bearing` names the column of bearings of a long table, `responses` the columns of a wide one",
            ))
        }
        (Some(column), []) => Ok(Form::Long(files, column)),
        (None, []) => Ok(Form::Apart(files)),
        (None, _) if data.has("response") => {
            let message = "both `response` and `responses` are given; expected one of them";
            Err(Diagnostic::at(data.place_of("response"), message)
                .help("`responses` names a column for each bearing of a wide table"))
        }
        (None, _) => Ok(Form::Wide(files, responses)),
    }
}

/// Which bearings there are.
fn members(form: &Form, gathered: &mut Gathered) -> Result<Vec<Member>> {
    let reading = gathered.reading.clone();
    let members: Vec<Member> = match form {
        Form::Apart(files) => {
            let mut known: HashMap<String, String> = HashMap::new();
            let mut all = Vec::with_capacity(files.len());
            for file in files {
                // A table in memory is called as its bearing is.
                let held = reading.resources().is_held(&file.value);
                let name = if held { file.value.clone() } else { stem(&file.value) };
                if let Some(other) = known.insert(name.clone(), file.value.clone()) {
                    let message = format!("`{other}` and `{}` are both for `{name}`", file.value);
                    return Err(Diagnostic::at(&file.place, message).help(
                        "a file holds one bearing and is called by it; `bearing` names the column of \
                         bearings where files hold several",
                    ));
                }
                all.push(Member::new(name, 0));
            }
            all
        }
        Form::Wide(_, responses) => {
            let name = |r: &Placed<String>| Member::new(r.value.clone(), 0);
            responses.iter().map(name).collect()
        }
        Form::Long(files, column) => {
            let mut places: HashMap<String, usize> = HashMap::new();
            let mut all: Vec<Member> = Vec::new();
            let mut unnamed = 0;
            for file in files {
                let mut choose = |header: &[String]| {
                    Ok(vec![crate::table::column(&file.value, header, column)?])
                };
                let mut see = |row: &[String]| {
                    let [name] = row else { return Ok(()) };
                    if name.is_empty() {
                        unnamed += 1;
                    } else if let Some(i) = places.get(name) {
                        all[*i].rows += 1;
                    } else {
                        places.insert(name.clone(), all.len());
                        all.push(Member::new(name.clone(), 1));
                    }
                    Ok(())
                };
                texts(reading.resources(), &file.value, column, &mut choose, &mut see)?;
            }
            if unnamed > 0 {
                let said = format!("{unnamed} rows name no bearing and were left out");
                gathered.warnings.push(said);
            }
            all
        }
    };
    if members.is_empty() {
        let place = form.files().first().map(|f| f.place.clone());
        let none = Diagnostic::new("the fleet has no bearing").help("check the paths of its files");
        return Err(place.map_or_else(|| none.clone(), |p| none.clone().or_at(&p)));
    }
    Ok(members)
}

/// The name of a file without its folder and its ending.
fn stem(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |n| n.0).to_owned()
}

/// The drive that all bearings share, if there is one.
fn drive(
    data: &Table<'_>,
    form: &Form,
    gathered: &mut Gathered,
) -> Result<Option<(Placed<String>, Arc<Record>)>> {
    let Some(file) = data.text_opt("drive_file", "the path of the table of the drive")? else {
        return Ok(None);
    };
    let asked = asked(data, form.response(0))?;
    let name = gathered.input(&file.value);
    let wanted = Wanted {
        place: file.place.clone(),
        time: asked.time.clone(),
        columns: vec![asked.drive.clone()],
        says: Vec::new(),
    };
    let reading = gathered.reading.clone();
    let read = || crate::table::read(reading.resources(), &name, &wanted, &asked.manner);
    let mut record = shelf::unchanging(reading.resources(), &name, read)?;
    gathered.warnings.append(&mut record.warnings);
    gathered.notices.append(&mut record.notices);
    Ok(Some((file, Arc::new(record))))
}
