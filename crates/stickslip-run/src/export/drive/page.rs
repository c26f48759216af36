//! The report: what was found and how sure it is, then everything that lets a reader check it.

use super::{Driven, figures};
use crate::export::estimates::{Units, autocorrelated, samples, short, table};
use crate::export::remarks;
use stickslip_report::figure::{Axis, Ink, Style};
use stickslip_report::html::{Interactive, Page, Table, number};

/// The page.
pub fn html(driven: &Driven) -> String {
    let fit = &driven.fit;
    let data = &driven.file.data;
    let c = &driven.fit.curves;
    let mut page = Page::new(driven.title());
    page.subtitle(samples(&data.file, fit.samples, &data.origin));
    page.summary(found(driven));
    remarks::boxes(&mut page, &driven.warnings);
    table(page.section("Parameters"), &driven.estimates(), Units::Si);
    page.figure(
        &figures::friction(driven),
        "Friction against velocity: what the force leaves after M a and the offset.",
    );

    page.section("The record");
    page.interactive(
        &Interactive::new(Axis::linear("time", "s"), &c.time)
            .panel("force", "N", 240.0)
            .line(&c.force, Style::new(Ink::Sky).label("measured").width(2.0))
            .line(&c.model, Style::new(Ink::Vermillion).label("model"))
            .panel("velocity", "m/s", 140.0)
            .line(&c.velocity, Style::new(Ink::Black).label("velocity"))
            .panel("position", "m", 140.0)
            .line(&c.position, Style::new(Ink::Black).label("position")),
    );
    page.paper(&figures::record(driven), "Position, velocity, and force with the model's.");

    page.section("Simulation with these parameters");
    if fit.simulations.is_empty() {
        page.text("There is none: see the warnings above.");
    } else {
        page.table(&simulations(driven));
        page.text(
            "Relative errors are ‖measured − simulated‖/‖measured‖ over the record. In closed loop the controller \
             of the fit file drives the simulated drive along the reference; in open loop the measured force \
             does, and nothing brings the drive back, so that small errors of the force pile up.",
        );
        page.figure(&figures::simulation(driven), "The record against the exact simulation.");
    }

    quality(&mut page, driven);
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

/// What the fit leaves over, and how the numbers were found.
fn quality(page: &mut Page, driven: &Driven) {
    let fit = &driven.fit;
    page.section("How good the fit is");
    page.text(format!(
        "The residual is {} N rms, {} % of the force, over {} rows. {} They do not allow for effects that the model \
         leaves out.",
        number(fit.rmse, 3),
        number(100.0 * fit.relative_residual, 3),
        fit.rows,
        autocorrelated(fit.rows, fit.autocorrelation)
    ));
    page.figure(
        &figures::residuals(driven),
        "Residual force: over time, distribution, autocorrelation.",
    );

    page.section("Method");
    page.text(format!(
        "Least squares of M a + F_{{v}} v + F_{{c}} sign v + O = force. Derivatives: five-point differences after a \
         Butterworth filter of order 4, run forwards and backwards (no delay), cut-off {} Hz. All columns and the \
         force once more with {} Hz, one row in {} kept. {} rows at rest were left out, where dry friction may be \
         anything up to its limit, and {} next to jumps of the velocity, to which no acceleration belongs. {} s.",
        number(fit.filtering.cutoff, 4),
        number(fit.filtering.parallel, 4),
        fit.filtering.thinning,
        fit.resting,
        fit.next_to_corners,
        number(fit.seconds, 2)
    ));
}

pub fn found(driven: &Driven) -> Vec<String> {
    let fit = &driven.fit;
    let p = &driven.fit.parameters;
    let mut lines = vec![format!(
        "The drive moves {} against a dry friction of {} and a viscous friction of {}.",
        short(&p.mass),
        short(&p.coulomb),
        short(&p.viscous)
    )];
    lines.extend(fit.simulations.first().map(|s| {
        let force = s
            .force_error
            .map(|e| format!(" and the force to {} %", number(100.0 * e, 2)))
            .unwrap_or_default();
        format!(
            "Simulated in {} with these numbers it follows the measured position to {} %{force}.",
            s.name,
            number(100.0 * s.position_error, 2)
        )
    }));
    lines.push(remarks::last_line(&driven.warnings));
    lines
}

fn simulations(driven: &Driven) -> Table {
    let head = ["", "position (%)", "position (mm rms)", "velocity (%)", "force (%)"];
    driven.fit.simulations.iter().fold(Table::new(head), |table, s| {
        table.row([
            s.name.to_owned(),
            number(100.0 * s.position_error, 3),
            number(1e3 * s.position_rmse, 3),
            number(100.0 * s.velocity_error, 3),
            s.force_error.map_or("given".to_owned(), |e| number(100.0 * e, 3)),
        ])
    })
}
