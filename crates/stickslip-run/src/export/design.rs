//! What a design of logs becomes: a table that a controller can play, what is expected of it, a figure, a report and a text.

use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::joint::Design;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{self, Page, number};

/// A design with the keys and units of the numbers.
pub struct Planned {
    /// What was designed.
    pub made: Design,
    /// Key and unit of each number.
    pub named: Vec<(String, String)>,
}

/// Adds everything that a design leaves.
pub fn export(summary: Value, planned: Planned) -> Product {
    let planned = Arc::new(planned);
    let make = |of: fn(&Planned) -> String| {
        let planned = planned.clone();
        move || of(&planned)
    };
    let text = Lazy::new(make(|p| printed(|w| text(w, p))));
    Product::new(summary, text)
        .document("design", make(|p| pretty(&document(p))))
        .table(played(&planned))
        .table(expected(&planned))
        .figure("goals", make(|p| figure(p).to_svg()))
        .page("report", make(page))
}

fn document(planned: &Planned) -> Value {
    let named = planned.named.iter().zip(&planned.made.expected);
    let expected: serde_json::Map<String, Value> = named
        .map(|((name, unit), e)| {
            (name.clone(), json!({ "unit": unit, "now": e.now, "then": e.then, "worst": e.worst }))
        })
        .collect();
    json!({ "trajectories": planned.made.trajectories, "expected": expected,
        "candidates": planned.made.candidates, "refused": planned.made.refused })
}

/// Every row of every log that is to be recorded.
fn played(planned: &Arc<Planned>) -> Table {
    let columns = [("log", ""), ("t", "s"), ("goal", "rad"), ("enabled", "")];
    let planned = planned.clone();
    Table::new("design", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for (k, log) in planned.made.trajectories.iter().enumerate() {
            for i in 0..log.time.len() {
                let on = log.enabled.get(i).copied().unwrap_or(true);
                rows(&[
                    ((k + 1) as f64).into(),
                    log.time[i].into(),
                    log.goal[i].into(),
                    f64::from(u8::from(on)).into(),
                ])?;
            }
        }
        Ok(())
    })
}

fn expected(planned: &Arc<Planned>) -> Table {
    let columns = [("number", ""), ("unit", ""), ("now", ""), ("then", ""), ("worst", "")];
    let planned = planned.clone();
    Table::new("expected", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for ((name, unit), e) in planned.named.iter().zip(&planned.made.expected) {
            rows(&[
                Cell::Text(name.as_str().into()),
                Cell::Text(unit.as_str().into()),
                e.now.into(),
                e.then.into(),
                e.worst.into(),
            ])?;
        }
        Ok(())
    })
}

fn figure(planned: &Planned) -> Figure<'_> {
    let panels = planned.made.trajectories.iter().enumerate().map(|(k, log)| {
        let mut panel =
            Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("goal", "rad"))
                .title(format!("log {}: {}", k + 1, log.shape))
                .line(&log.time, &log.goal, Style::new(Ink::Blue).width(1.4).label("goal"));
        if let Some(off) = log.enabled.iter().position(|on| !on) {
            let ends: Vec<f64> = vec![log.time[off]; 2];
            let span = log
                .goal
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], g| [a.min(*g), b.max(*g)]);
            panel = panel.line(
                ends,
                span.to_vec(),
                Style::new(Ink::Black).width(0.8).dashed().label("motor off from here"),
            );
        }
        panel.height(150.0)
    });
    Figure::new().describe("Goals of the logs to record").stack(panels)
}

/// How much better a number will be known.
fn gains(planned: &Planned) -> Vec<String> {
    let named = planned.named.iter().zip(&planned.made.expected);
    let one = |((name, unit), e): (&(String, String), &stickslip_calibrate::joint::Expected)| {
        format!("{name}: ± {} {unit} now, ± {} then", number(e.now, 2), number(e.then, 2))
    };
    named.map(one).collect()
}

const EXPECTED: &str = "Halves of 95 % intervals. Those to come are from 24 refits: a joint within the present errors is taken as \
    the truth, records these logs with errors of the logs that there are, and is fitted anew. Recorded with another rig, or with a \
    term that the model lacks, they do not hold.";

fn page(planned: &Planned) -> String {
    let mut page = Page::new("Logs to record next");
    let made = &planned.made;
    page.subtitle(format!(
        "{} logs, chosen from {}, of which {} would go beyond the limits",
        made.trajectories.len(),
        made.candidates,
        made.refused
    ));
    page.summary(gains(planned));
    page.section("What to record");
    let heads = [
        "log",
        "goal",
        "load, mounting and gain of",
        "torque (N·m)",
        "speed (rad/s)",
        "angle (rad)",
    ];
    let rows = made.trajectories.iter().enumerate().fold(html::Table::new(heads), |t, (k, log)| {
        let [torque, speed, angle] = log.largest.map(|x| number(x, 3));
        t.row([(k + 1).to_string(), log.shape.clone(), log.like.clone(), torque, speed, angle])
    });
    page.table(&rows);
    page.text(
        "The largest torque, speed and angle are those of eight joints within the present errors.",
    );
    page.figure(&figure(planned), "Goals; design.csv holds them row by row.");
    page.section("How well will the numbers be known?");
    let heads = ["number", "unit", "now", "then", "worst refit"];
    let named = planned.named.iter().zip(&made.expected);
    let rows = named.fold(html::Table::new(heads), |t, ((name, unit), e)| {
        let [now, then, worst] = [e.now, e.then, e.worst].map(|x| number(x, 2));
        t.row([name.clone(), unit.clone(), now, then, worst])
    });
    page.table(&rows);
    page.text(EXPECTED);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

fn text(w: &mut dyn Write, planned: &Planned) -> fmt::Result {
    for (k, log) in planned.made.trajectories.iter().enumerate() {
        writeln!(
            w,
            "log {}: {}, with the load, mounting and gain of {}",
            k + 1,
            log.shape,
            log.like
        )?;
        let [torque, speed, angle] = log.largest.map(|x| number(x, 3));
        writeln!(w, "  up to {torque} N·m, {speed} rad/s, {angle} rad")?;
    }
    writeln!(w, "\nhalves of 95 % intervals, expected from 24 refits:")?;
    gains(planned).iter().try_for_each(|line| writeln!(w, "  {line}"))
}
