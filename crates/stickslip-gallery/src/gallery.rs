//! The gallery: one page, the figures and models as files, the verdicts.

use crate::{Deviation, Item, MISPRINTS, Made, Outcome, Paper, flat, number};
use serde_json::json;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_report::figure::Text;
use stickslip_report::html::{Level, Page, Table};
use stickslip_run::{Lazy, Named, Product};

impl Made {
    fn outcomes(&self) -> impl Iterator<Item = &(Item, Outcome)> {
        self.papers.iter().flat_map(|s| &s.1)
    }

    /// Verdicts that hold, and all.
    fn count(&self) -> (usize, usize) {
        let (holding, all): (Vec<_>, Vec<_>) = self.outcomes().map(|(_, o)| count(o)).unzip();
        (holding.iter().sum(), all.iter().sum())
    }
}

fn count(outcome: &Outcome) -> (usize, usize) {
    (outcome.verdicts.iter().filter(|v| v.holds()).count(), outcome.verdicts.len())
}

/// Everything that `reproduce` delivers.
pub fn product(made: Made) -> Product {
    let mut remarks = Vec::new();
    for (item, outcome) in made.outcomes() {
        let different = outcome.verdicts.iter().filter(|v| !v.holds());
        remarks.extend(different.map(|v| {
            format!(
                "{}: {}: found {:e}, expected {} {:e} ({})",
                item.name,
                v.what,
                v.found,
                v.allowed(),
                v.expected,
                v.source
            )
        }));
        remarks.extend(outcome.skipped.iter().map(|why| format!("{}: skipped: {why}", item.name)));
    }
    let summary = summary(&made);
    let made = Arc::new(made);
    let said = made.clone();
    let text = Lazy::new(move || {
        let mut out = String::new();
        let _ = table(&mut out, &said);
        out
    });
    let mut product = Product::new(summary, text).remarks(remarks);
    let all = made.clone();
    product = product.page("index", move || page(&all));
    for (_, outcome) in made.outcomes() {
        for p in &outcome.pictures {
            let content = Lazy::ready(p.svg.clone());
            let name = p.name.trim_end_matches(".svg").to_owned();
            product.figures.push(Named { name, content });
        }
        for (name, text) in &outcome.files {
            // Two items may have one record.
            if product.texts.iter().all(|f| f.name != *name) {
                let content = Lazy::ready(text.clone());
                product.texts.push(Named { name: (*name).to_owned(), content });
            }
        }
    }
    product
}

fn summary(made: &Made) -> serde_json::Value {
    let (holding, all) = made.count();
    let one = |paper: &Paper, item: &Item, o: &Outcome| {
        json!({
            "name": item.name,
            "paper": paper.name,
            "place": item.place,
            "title": flat(item.title),
            "holds": o.verdicts.iter().all(|v| v.holds()),
            "skipped": o.skipped,
            "seconds": o.seconds,
            "verdicts": o.verdicts.iter().map(|v| v.json()).collect::<Vec<_>>(),
            "figures": o.pictures.iter().map(|p| p.name).collect::<Vec<_>>(),
            "files": o.files.iter().map(|f| f.0).collect::<Vec<_>>(),
        })
    };
    let items: Vec<_> =
        made.papers.iter().flat_map(|(s, items)| items.iter().map(|(i, o)| one(s, i, o))).collect();
    json!({
        "program": "stickslip",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "reproduce",
        "name": made.name,
        "holds": holding == all,
        "verdicts": all,
        "holding": holding,
        "skipped": made.outcomes().filter(|(_, o)| o.skipped.is_some()).count(),
        "solve_seconds": made.seconds,
        "items": items,
    })
}

/// The verdicts for people.
fn table(w: &mut dyn Write, made: &Made) -> fmt::Result {
    for (paper, items) in &made.papers {
        writeln!(w, "{}", paper.title)?;
        for (item, o) in items {
            writeln!(w, "\n  {}, {}: {}", item.name, item.place, flat(item.title))?;
            if let Some(why) = &o.skipped {
                writeln!(w, "    skipped    {why}")?;
            }
            for v in &o.verdicts {
                let holds = if v.holds() { "passed " } else { "FAILED " };
                let [found, expected] = [v.found, v.expected].map(plain);
                let what = flat(&v.what);
                let allowed = flat(&v.allowed());
                let from = flat(v.source);
                writeln!(
                    w,
                    "    {holds}    {what}: {found}, expected {expected} ({allowed}; {from})"
                )?;
            }
        }
        writeln!(w)?;
    }
    let (holding, all) = made.count();
    writeln!(w, "{holding} of {all} checks passed; {:.1} s", made.seconds)
}

/// A number on a terminal.
fn plain(x: f64) -> String {
    flat(&number(x))
}

fn page(made: &Made) -> String {
    let (holding, all) = made.count();
    let mut page = Page::new("Gallery of stickslip");
    page.subtitle(format!(
        "Figures and tables of the papers, computed in {:.1} s by stickslip {}: stickslip reproduce {} --out gallery",
        made.seconds,
        env!("CARGO_PKG_VERSION"),
        made.name
    ));
    let skipped: Vec<&str> =
        made.outcomes().filter(|(_, o)| o.skipped.is_some()).map(|(i, _)| i.name).collect();
    let mut lines = vec![format!(
        "{holding} of {all} checks passed. Each compares a number computed in this run with a number of the paper, a closed form, or an independent scheme, within the tolerance shown."
    )];
    if !skipped.is_empty() {
        lines.push(format!(
            "Skipped, because the measured data were not found: {}.",
            skipped.join(", ")
        ));
    }
    page.summary(lines);
    for (paper, items) in &made.papers {
        page.text(paper.title);
        page.links(items.iter().map(|(i, o)| {
            let (good, all) = count(o);
            let state = match &o.skipped {
                Some(_) => "skipped".to_owned(),
                None => format!("{good}/{all}"),
            };
            (i.name, format!("{}: {} ({state})", i.place, i.title))
        }));
    }
    page.links([("deviations", "Deviations from the papers, with causes")]);
    for (paper, items) in &made.papers {
        page.section(paper.title);
        items.iter().for_each(|(item, outcome)| section(&mut page, item, outcome));
    }
    page.anchor("deviations").section("Deviations from the papers");
    deviations(&mut page, made.outcomes().flat_map(|(_, o)| &o.deviations));
    page.footer(format!(
        "stickslip {}. Nothing on this page comes from the network.",
        env!("CARGO_PKG_VERSION")
    ));
    page.to_html()
}

fn section(page: &mut Page, item: &Item, outcome: &Outcome) {
    page.anchor(item.name).subsection(format!("{}: {}", item.place, item.title));
    page.text(Text::from("The paper: ").then(item.claim));
    page.text(Text::from("Here: ").then(item.ours));
    if let Some(why) = &outcome.skipped {
        page.callout(Level::Note, "Skipped", format!("In this run {why}."));
    }
    outcome.pictures.iter().for_each(|p| {
        page.svg(&p.svg, p.caption.clone());
    });
    outcome.tables.iter().for_each(|t| {
        page.table(t);
    });
    if !outcome.verdicts.is_empty() {
        let head = ["", "check", "found", "expected", "tolerance", "source"];
        let mut table = Table::new(head);
        for v in &outcome.verdicts {
            let mark = if v.holds() { "✓" } else { "✗ failed" };
            let cells = [
                mark.to_owned(),
                v.what.clone(),
                number(v.found),
                number(v.expected),
                v.allowed(),
                v.source.to_owned(),
            ];
            table = table.row(cells);
        }
        page.table(&table);
    }
    outcome.remarks.iter().for_each(|r| {
        page.text(r.as_str());
    });
    page.details("The model, and the commands", |p| {
        let own = format!("stickslip reproduce {} --out gallery", item.name);
        let commands: Vec<&str> = std::iter::once(own.as_str())
            .chain(outcome.commands.iter().map(String::as_str))
            .collect();
        p.code(&commands.join("\n"));
        for (name, text) in outcome.files.iter().filter(|f| f.0.ends_with(".toml")) {
            p.text(*name).code(text);
        }
        let data: Vec<&str> =
            outcome.files.iter().map(|f| f.0).filter(|n| !n.ends_with(".toml")).collect();
        if !data.is_empty() {
            p.text(format!("Files next to this page: {}", data.join(", ")));
        }
    });
}

fn deviations<'a>(page: &mut Page, found: impl Iterator<Item = &'a Deviation>) {
    let head = ["place", "the paper", "here", "cause"];
    let mut table = Table::new(head);
    for d in found {
        table = table.row([d.place.as_str(), &d.paper, &d.ours, &d.cause]);
    }
    for [place, says, should, why] in MISPRINTS {
        table = table.row([place, says, should, &format!("misprint: {why}")]);
    }
    page.text(
        "The first rows are differences between this run and the papers. Below them are misprints of the papers, which are corrected in the program.",
    );
    page.table(&table);
}
