//! The report: how well the joint follows its logs, its numbers, what each term is worth, what is not determined.

use super::{Fitted, figures, words};
use crate::export::estimates::{Units, short, table};
use crate::export::remarks;
use stickslip_report::html::{Page, Table, number};

/// The page.
pub fn html(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    let mut page = Page::new(fitted.title());
    let held = fit.logs.iter().filter(|l| l.held_out).count();
    page.subtitle(format!(
        "{} logs, {held} of them held out; {} angles",
        fit.logs.len(),
        fit.samples
    ));
    page.summary(found(fitted));
    remarks::boxes(&mut page, &fitted.warnings);
    table(page.section("What was found"), &fitted.estimates(), Units::Si);
    page.text(
        "Standard errors take each log together with its repetitions as one observation, or each tenth of a log where a warning \
         says so; they do not allow for effects that the model leaves out.",
    );
    undetermined(&mut page, fitted);
    page.section("Does it follow the logs?");
    page.figure(
        &figures::logs(fitted),
        "The log that is followed best, the median one, and the one that is followed worst.",
    );
    groups(&mut page, fitted);
    terms(&mut page, fitted);
    simplified(&mut page, fitted);
    page.section("How does the gear rub?");
    page.figure(
        &figures::friction(fitted),
        "Friction of the gear at an even speed, without a load and while it carries the largest load of the logs.",
    );
    page.section("Method");
    page.text(format!(
        "The motion over each log with steps of at most 2.6 ms, stick and slip located within a step, and its derivatives with \
         respect to every unknown in the same pass; Levenberg and Marquardt's method on a loss that grows like the square of \
         errors below 0.01 rad and like the size of larger ones; the drive first, then the friction, then everything, from {} \
         starts. {} passes over a log, {} s.",
        fitted.file.starts,
        fit.evaluations,
        number(fit.seconds, 2)
    ));
    remarks::footnote(&mut page, &fitted.file.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

/// The errors, a sentence each.
pub fn errors(fitted: &Fitted) -> Vec<String> {
    let error = &fitted.fit.error;
    let logs = &fitted.fit.logs;
    let held = logs.iter().filter(|l| l.held_out).count();
    let mut lines = vec![format!(
        "The mean absolute error of the angle is {} rad on the {} logs that were fitted.",
        number(error.fitted, 3),
        logs.len() - held
    )];
    lines.extend(
        error
            .held_out
            .map(|e| format!("It is {} rad on the {held} logs that were held out.", number(e, 3))),
    );
    lines.extend(error.repeatability.map(|e| {
        format!("Repetitions of the same log differ by {} rad on average.", number(e, 3))
    }));
    lines
}

pub fn found(fitted: &Fitted) -> Vec<String> {
    let mut lines = errors(fitted);
    let known = fitted.fit.parameters.iter();
    lines.extend(known.map(|n| format!("{}: {}.", n.name, short(&n.estimate))));
    lines.extend(fitted.fit.bristle.iter().map(|b| said(&b.reason)));
    lines.extend(fitted.fit.undetermined.iter().map(|u| format!("Not determined: {}.", u.reason)));
    lines.push(remarks::last_line(&fitted.warnings));
    lines
}

/// A verdict as a sentence by itself.
pub fn said(reason: &str) -> String {
    let mut rest = reason.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).chain(['.']).collect()
}

fn undetermined(page: &mut Page, fitted: &Fitted) {
    if fitted.fit.undetermined.is_empty() {
        return;
    }
    page.section("What these logs do not determine");
    let said = fitted.fit.undetermined.iter();
    page.list(
        said.map(|u| {
            format!("{} (ratio {} to what they know best).", u.reason, number(u.ratio, 2))
        }),
    );
}

fn groups(page: &mut Page, fitted: &Fitted) {
    if fitted.fit.by.is_empty() {
        return;
    }
    let rows = fitted.fit.by.iter().fold(
        Table::new(["column of the index", "value", "logs", "mean absolute error (rad)"]),
        |table, g| {
            table.row([g.column.clone(), g.value.clone(), g.logs.to_string(), number(g.error, 3)])
        },
    );
    page.section("Which logs are followed worse?");
    page.figure(
        &figures::groups(fitted),
        "Mean absolute error by the columns of the index, on the logs that were held out, or else on all.",
    );
    page.table(&rows);
}

fn terms(page: &mut Page, fitted: &Fitted) {
    if fitted.fit.terms.is_empty() {
        return;
    }
    page.section("What is each term worth?");
    page.figure(
        &figures::terms(fitted),
        "The error without a term, everything else fitted anew; the farther to the right of the line, the more the term is worth.",
    );
    let rows = fitted.fit.terms.iter().fold(
        Table::new(["term", "error without it (rad)", "earns its place"]),
        |table, t| {
            let verdict = if t.earns_its_place { "yes" } else { "no" };
            let named = format!("{} ({})", words::term(&t.term), t.term);
            table.row([named, number(t.error_without, 4), verdict.to_owned()])
        },
    );
    page.table(&rows);
    page.text(
        "Everything else is fitted anew without the term, on at most 80 logs; the error is that of the logs that were held \
         out, or else of those that were fitted. A term earns its place where the error grows by more than 1 %.",
    );
}

fn simplified(page: &mut Page, fitted: &Fitted) {
    if fitted.fit.simplified.is_empty() {
        return;
    }
    page.section("What does a simulator's joint cost?");
    let rows = fitted.fit.simplified.iter().fold(
        Table::new(["", "dry friction (N·m)", "viscous friction (N·m·s/rad)", "error (rad)"]),
        |table, s| {
            let what = match s.what {
                "alone" => "dry and viscous friction alone",
                "lugre" => {
                    "LuGre's friction as MuJoCo has it, goals delayed and limited as in the drive"
                }
                _ => "the same, goals delayed and limited as in the drive",
            };
            table.row([
                what.to_owned(),
                number(s.friction, 4),
                number(s.viscous, 4),
                number(s.error, 3),
            ])
        },
    );
    page.table(&rows);
}
