//! A fit file of `kind = "servo"` with many logs, an index of them, or a drive that is described: the joint of a robot.
//!
//! `machine` and `gear` read what the joint is, `index` which logs there are, `groups` which of them belong together, `layout` what
//! stands in them, and `slots` where the numbers that are sought stand.

mod gear;
mod groups;
mod index;
mod layout;
mod machine;
mod slots;

use super::experiment::keys;
use super::model::{Free, unknowns};
use super::there::are_there;
use crate::asked::Asked;
use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::Table;
use crate::reading::Gathered;
use groups::{HoldOut, Mountings, without_groups};
use index::{Row, rows, unique};
use layout::Layout;
use machine::{LoadKeys, MODEL, Machine};
use serde::Serialize;
use slots::sought;
use stickslip_calibrate::joint::{Given, Question, Slot, Unknown};

const DATA: [&str; 8] =
    ["index", "files", "position", "position_unit", "goal", "enabled", "supply", "mounting"];
const FIT: [&str; 5] = ["unknown", "hold_out", "starts", "terms", "seed"];

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct JointFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The table of logs, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Files of the logs.
    pub files: Vec<String>,
    /// `duty` with a supply, `V` without, `A` where the drive controls the current.
    pub gain_unit: &'static str,
    /// Numbers of the model before the fit, under their keys.
    pub model: Vec<(String, f64)>,
    /// What is sought.
    pub unknown: Vec<Free>,
    /// The column of the index that tells the mountings of the load apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mounting: Option<String>,
    /// The logs that are scored and not fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<HoldOut>,
    /// Starts of the search.
    pub starts: u64,
    /// Whether each term is left out in turn.
    pub terms: bool,
    /// Seed of the search.
    pub seed: u64,
    /// How the tables are written.
    #[serde(skip)]
    pub notices: Vec<String>,
    #[serde(skip)]
    question: Question,
}

impl JointFile {
    /// Whether a document of `kind = "servo"` asks for what only this reader knows.
    pub(super) fn is(root: &Node) -> bool {
        let has = |path: &[&str]| {
            let mut node = Some(root);
            for key in path {
                node = node.and_then(|n| n.get(key)).map(|e| &e.node);
            }
            node.is_some()
        };
        has(&["data", "index"])
            || has(&["data", "enabled"])
            || has(&["data", "supply"])
            || has(&["model", "drive"])
            || has(&["model", "backlash"])
            || has(&["model", "encoder"])
            || has(&["model", "control"])
            || has(&["model", "load", "gravity_torque"])
            || has(&["model", "friction", "load"])
            || has(&["model", "friction", "dahl"])
            || has(&["model", "friction", "lugre"])
            || has(&["model", "friction", "elasto-plastic"])
            || has(&["model", "friction", "quadratic"])
            || has(&["fit", "hold_out"])
    }

    /// Reads a document and the logs it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let data = root.table("data", &keys(&DATA))?;
        let fit = root.table("fit", &FIT)?;
        let duty = data.has("supply");
        let asked = Asked::default();
        let machine = Machine::read(root.open("model")?, Some(&asked), duty)?;
        let mut list = List::read(&data, &fit, machine.load, gathered)?;
        let of_index = list.rows.iter().any(|r| r.gain.is_some());
        if !machine.gain && !of_index {
            let expected = "a gain, here or as a column `gain` of the index";
            return Err(root.table("model", &MODEL)?.missing("gain", expected));
        }
        let numbers = asked.into_numbers();
        let model = numbers.iter().map(|n| (n.path.clone(), n.value)).collect();
        let unknown = unknowns(&fit, &numbers)?;
        let unknowns = list.sought(sought(&unknown, &fit, &machine.joint)?)?;
        let index = data.text_opt("index", "the path of the table of logs")?.map(|i| i.value);
        if let Some(index) = &index {
            list.drop_labels_of_many_values(index, gathered);
        }
        let starts = fit.whole_or("starts", 1, 3)?;
        let seed = fit.whole_or("seed", 0, 1)?;
        let terms = fit.flag_or("terms", true)?;
        let logs = list.logs(&data, gathered)?;
        gathered.notices = unique(std::mem::take(&mut gathered.notices));
        let is_sought = unknowns.iter().any(|u| u.slot == Slot::Gain);
        let question = Question {
            joint: machine.joint,
            unknowns,
            gains_may_be_whole: machine.gain && of_index && !is_sought,
            logs,
            starts: usize::try_from(starts).unwrap_or(usize::MAX),
            terms,
            seed,
        };
        Ok(Self {
            title,
            kind: "servo",
            index,
            files: list.rows.iter().map(|r| r.file.value.clone()).collect(),
            gain_unit: machine.gain_unit(duty),
            model,
            unknown,
            mounting: list.mountings.map(|m| m.column.value),
            hold_out: list.hold_out,
            starts,
            terms,
            seed,
            notices: gathered.notices.clone(),
            question,
        })
    }

    /// What is asked of the library.
    pub fn asked(&self) -> &Question {
        &self.question
    }
}

/// The logs in the order of the list, and which of them belong together.
struct List {
    rows: Vec<Row>,
    hold_out: Option<HoldOut>,
    /// Which of the logs are held out.
    held: Vec<bool>,
    mountings: Option<Mountings>,
}

impl List {
    fn read(
        data: &Table<'_>,
        fit: &Table<'_>,
        usual: LoadKeys,
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let rows = rows(data, usual, gathered)?;
        let hold_out = HoldOut::read(fit, &rows)?;
        let held = rows.iter().map(|r| hold_out.as_ref().is_some_and(|h| h.holds(r))).collect();
        let mountings = Mountings::read(data, &rows)?;
        Ok(Self { rows, hold_out, held, mountings })
    }

    /// What is sought, with an angle for each mounting where the mountings are told apart.
    fn sought(&self, sought: Vec<Unknown>) -> Result<Vec<Unknown>> {
        match &self.mountings {
            Some(mountings) => mountings.with_verticals(sought, &self.held),
            None => Ok(sought),
        }
    }

    /// A column with another value in nearly every row groups nothing; it is named where it serves nothing else.
    fn drop_labels_of_many_values(&mut self, index: &str, gathered: &mut Gathered) {
        let unused = without_groups(&mut self.rows, self.hold_out.as_ref());
        if !unused.is_empty() {
            let message = format!("{index}: columns that are not used: {}", unused.join(", "));
            gathered.notices.push(message);
        }
    }

    /// Reads every log.
    fn logs(&self, data: &Table<'_>, gathered: &mut Gathered) -> Result<Vec<Given>> {
        let layout = Layout::read(data)?;
        let files: Vec<_> = self.rows.iter().map(|r| r.file.clone()).collect();
        are_there(&files, gathered)?;
        let mut logs = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            let mut log = layout.log(data, row, gathered)?;
            log.mounting = self.mountings.as_ref().map_or(0, |m| m.of[i]);
            let left_out = log.cleaned();
            layout.check_turns(&row.file, &log.position)?;
            let file = row.file.value.clone();
            logs.push(Given {
                file,
                log,
                left_out,
                held_out: self.held[i],
                labels: row.labels.clone(),
            });
        }
        Ok(logs)
    }
}
