//! What a fleet leaves: its table, its page, a summary, and a text.

use super::found::{FoundBearing, QUANTITIES, Seen, Valued};
use super::judge::{Judged, Status};
use super::{Reports, counts, ranking};
use crate::product::{Cell, Column, Table};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Bearings that a text lists.
const LISTED: usize = 12;

/// A fleet that was judged.
pub struct Judgement {
    /// Heading of the page.
    pub title: String,
    /// The share of false alarms among all alarms.
    pub rate: f64,
    /// What was found of each bearing.
    pub found: Vec<FoundBearing>,
    /// What is said of each.
    pub judged: Judged,
    /// Whether each has a report.
    pub reports: Vec<bool>,
    /// The names of the reports, each unlike all others.
    pub names: Vec<String>,
}

impl Judgement {
    /// Without reports.
    pub fn new(title: String, rate: f64, found: Vec<FoundBearing>, judged: Judged) -> Self {
        let names = names(&found);
        let reports = vec![false; found.len()];
        Self { title, rate, found, judged, reports, names }
    }

    /// Which bearings have a report.
    pub fn wanted(&self, reports: Reports) -> Vec<bool> {
        let wants = |(found, verdict): (&FoundBearing, &super::judge::Verdict)| match reports {
            Reports::None => false,
            Reports::All => found.seen.is_ok(),
            Reports::Alarms => verdict.status == Status::Alarm,
            Reports::Watch => {
                found.seen.is_ok() && matches!(verdict.status, Status::Alarm | Status::Watch)
            }
        };
        self.found.iter().zip(&self.judged.verdicts).map(wants).collect()
    }

    /// The name of the report of bearing `i`.
    pub fn report_name(&self, i: usize) -> String {
        format!("report-{}", self.names[i])
    }

    /// How false alarms are held down, in one sentence.
    pub fn promise(&self) -> String {
        let alarms = self.judged.verdicts.iter().filter(|v| v.status == Status::Alarm).count();
        let tested = counted(self.judged.tested, "bearing");
        let rate = 100.0 * self.rate;
        match alarms {
            0 => format!(
                "No alarm: changes of friction were looked for in {tested} (Benjamini and Yekutieli 2001)."
            ),
            n => format!(
                "{}; expected share of false alarms ≤ {rate} % (Benjamini and Yekutieli 2001; changes of friction were \
                 looked for in {tested}).",
                counted(n, "alarm")
            ),
        }
    }

    /// What is known of bearing `i` as it is now: where its friction has changed, from the rows after the change.
    pub fn values(&self, i: usize) -> &[Valued] {
        let Ok(seen) = &self.found[i].seen else { return &[] };
        let after = seen.change.as_ref().map(|c| c.after.as_slice());
        let alarm = self.judged.verdicts[i].status == Status::Alarm;
        after.filter(|a| alarm && !a.is_empty()).unwrap_or(&seen.values)
    }

    pub fn summary(&self) -> Value {
        let counts: serde_json::Map<String, Value> = counts(&self.judged.verdicts)
            .iter()
            .map(|(status, n)| (status.name().to_owned(), json!(n)))
            .collect();
        json!({
            "bearings": self.found.len(),
            "status": counts,
            "alarms": {
                "false_discovery_rate": self.rate,
                "method": "Benjamini and Yekutieli 2001",
                "tested": self.judged.tested,
                "largest_p_value": self.judged.limit,
                "said": self.promise(),
            },
            "usual_f_s_over_K": self.judged.usual.map(|u| u.0),
            "remarks": self.judged.remarks,
        })
    }
}

/// A number of things.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Names of files: what a file system may refuse becomes `_`, and names that would be equal are numbered.
fn names(found: &[FoundBearing]) -> Vec<String> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let one = |f: &FoundBearing| {
        let name: String = f.bearing.chars().map(plain).take(80).collect();
        // Some file systems do not tell capitals from small letters.
        let times = taken.entry(name.to_ascii_lowercase()).or_insert(0);
        *times += 1;
        if *times > 1 { format!("{name}~{times}") } else { name }
    };
    found.iter().map(one).collect()
}

fn columns() -> Vec<Column> {
    let mut all = vec![Column::new("bearing", "")];
    for (name, unit) in QUANTITIES {
        all.extend(["", "_low", "_high"].map(|end| Column::new(format!("{name}{end}"), unit)));
    }
    all.extend([
        Column::new("slips", ""),
        Column::new("rmse", "m"),
        Column::new("samples", ""),
        Column::new("missing", ""),
        Column::stamps("from"),
        Column::new("days", "d"),
        Column::new("diagnosis", ""),
        Column::stamps("change_time"),
    ]);
    let rest = ["change_ratio", "change_low", "change_high"];
    all.extend(rest.map(|name| Column::new(name, "")));
    let before = ["f_s_over_K_before", "f_s_over_K_before_low", "f_s_over_K_before_high"];
    all.extend(before.map(|name| Column::new(name, "m")));
    all.extend(["p", "status", "reason", "name"].map(|name| Column::new(name, "")));
    all
}

/// `fleet`: one row for each bearing, in the order of the records.
pub fn table(done: Arc<Judgement>) -> Table {
    Table::new("fleet", columns(), move |rows| {
        for (i, (found, verdict)) in done.found.iter().zip(&done.judged.verdicts).enumerate() {
            let mut row: Vec<Cell<'_>> = vec![found.bearing.as_str().into()];
            match &found.seen {
                Ok(seen) => cells(seen, done.values(i), &mut row),
                Err(_) => row.extend(std::iter::repeat_n(Cell::Empty, 3 * QUANTITIES.len() + 15)),
            }
            let [status, reason] = [verdict.status.name(), &verdict.reason];
            row.extend([status.into(), reason.into(), found.title.as_str().into()]);
            rows(&row)?;
        }
        Ok(())
    })
}

fn cells<'a>(seen: &'a Seen, values: &[Valued], row: &mut Vec<Cell<'a>>) {
    row.extend(values.iter().flatten().map(|x| Cell::from(*x)));
    let diagnosis: Vec<&str> = seen.diagnosis.iter().map(|d| d.0.as_str()).collect();
    row.extend([
        seen.slips.into(),
        seen.rmse.into(),
        seen.samples[0].into(),
        seen.samples[1].into(),
        seen.from.as_str().into(),
        (seen.length / 86_400.0).into(),
        diagnosis.join(" ").into(),
    ]);
    match &seen.change {
        None => row.extend(std::iter::repeat_n(Cell::Empty, 7)),
        Some(change) => {
            let time = change.time.as_deref().map(Cell::from);
            row.push(time.unwrap_or(Cell::Number(change.seconds)));
            row.extend(change.ratio.map(Cell::from));
            row.extend(change.before.map(Cell::from));
        }
    }
    let p = seen.tested.then(|| seen.change.as_ref().map_or(1.0, |c| c.p));
    row.push(p.into());
}

/// The result for people at a terminal.
pub fn text(w: &mut dyn Write, done: &Judgement) -> fmt::Result {
    let verdicts = &done.judged.verdicts;
    let counts: Vec<String> =
        counts(verdicts).iter().map(|(s, n)| format!("{n} {}", s.name())).collect();
    let bearings = counted(done.found.len(), "bearing");
    writeln!(w, "{}: {bearings}: {}", done.title, counts.join(", "))?;
    writeln!(w, "{}", done.promise())?;
    done.judged.remarks.iter().try_for_each(|said| writeln!(w, "{said}"))?;
    let order = ranking(&done.found, verdicts);
    for i in order.iter().take_while(|i| verdicts[**i].status != Status::Ok).take(LISTED) {
        let found = &done.found[*i];
        let verdict = &verdicts[*i];
        writeln!(w, "{:>9}  {}: {}", verdict.status.name(), found.title, verdict.reason)?;
    }
    let rest = verdicts.iter().filter(|v| v.status != Status::Ok).count().saturating_sub(LISTED);
    if rest > 0 {
        writeln!(w, "and {rest} more, which the table lists")?;
    }
    Ok(())
}
