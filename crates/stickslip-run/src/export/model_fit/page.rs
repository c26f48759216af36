//! The report: what was found and how sure it is, then everything that lets a reader check it.

use super::{Fitted, figures};
use crate::export::estimates::{Units, autocorrelated, samples, short, table};
use crate::export::remarks;
use stickslip_report::html::{Page, Table, number};

/// The page.
pub fn html(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    let data = &fitted.data;
    let mut page = Page::new(fitted.title());
    page.subtitle(samples(&data.file, fit.samples, &data.origin));
    page.summary(found(fitted));
    remarks::boxes(&mut page, &fitted.warnings);
    table(page.section("What was found"), &fitted.estimates(), Units::Si);
    let known = fit.combinations.iter().map(|c| {
        format!(
            "{} = {} is known to {} %.",
            c.what,
            number(c.value, 5),
            number(100.0 * c.relative_error, 2)
        )
    });
    page.list(known.collect::<Vec<_>>());
    page.figure(
        &figures::record(fitted),
        "The record and the fitted motion; the mass sticks where it is grey.",
    );
    contact(&mut page, fitted);
    quality(&mut page, fitted);
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

pub fn found(fitted: &Fitted) -> Vec<String> {
    let fit = &fitted.fit;
    let mut lines: Vec<String> =
        fit.parameters.iter().map(|n| format!("{}: {}.", n.name, short(&n.estimate))).collect();
    lines.extend(fit.measured.iter().map(|m| {
        format!("The model leaves {} % of the measured {}.", number(100.0 * m.relative, 3), m.what)
    }));
    lines.push(remarks::last_line(&fitted.warnings));
    lines
}

/// The laws beside each other.
fn contact(page: &mut Page, fitted: &Fitted) {
    let Some(comparison) = &fitted.fit.comparison else { return };
    page.section("Which friction law?");
    page.list(comparison.answers.iter().map(|a| a.sentence.clone()).collect::<Vec<_>>());
    let head = ["law", "numbers", "left (%)", "held out (%)", "AIC", "BIC"];
    let all = comparison.candidates.iter().fold(Table::new(head), |table, c| {
        let numbers: Vec<String> =
            c.numbers.iter().map(|(n, v)| format!("{n} {}", number(*v, 4))).collect();
        table.row([
            c.law.to_owned(),
            numbers.join(", "),
            number(100.0 * c.relative, 4),
            number(100.0 * c.held_out, 4),
            number(c.aic, 5),
            number(c.bic, 5),
        ])
    });
    page.table(&all);
    page.text(format!(
        "The first {} rows, with every other unknown fitted anew for each law. Held out: the error on the second half of \
         these rows, if only the first half is fitted. AIC and BIC count {} neighbouring rows as one, for what is left \
         lasts that long; a difference of the BIC of 2 to 10 speaks for a law, more than 10 speaks strongly.",
        comparison.rows,
        number(comparison.together, 2)
    ));
}

fn quality(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    page.section("How good the fit is");
    page.text(autocorrelated(fit.samples, fit.autocorrelation));
    page.svg(
        &figures::residuals(fitted),
        "What is left: over time, distribution, autocorrelation.",
    );
    page.section("Method");
    let derivatives = match fit.gradient {
        "exact" => "exact derivatives through stick and slip",
        _ => "divided differences of the solution",
    };
    page.text(format!(
        "Differential evolution over the ranges of the unknowns on short pieces of the record, each of which starts from what \
         was measured; then least squares over the record in {} piece(s) by Levenberg and Marquardt's method with \
         {derivatives}. Standard errors from the curvature, with the long-run variance of residuals that remember their \
         neighbours. {} motions, {} s.",
        fit.pieces,
        fit.evaluations,
        number(fit.seconds, 2)
    ));
}
