//! The report: what was found and how sure it is, then everything that lets a reader check it.

use super::figures::{self, Curves};
use super::{Fitted, UNITS, changes, findings, looked, sure};
use crate::export::estimates::{autocorrelated, samples, short, table};
use crate::export::remarks;
use stickslip_calibrate::What;
use stickslip_report::figure::{Ink, Style};
use stickslip_report::html::{Interactive, Page, Table, fixed, number};

/// Longer lists of slips are cut; the table of events has them all.
const MOST_SLIPS: usize = 200;

/// The page.
pub fn html(fitted: &Fitted) -> String {
    let data = &fitted.file.data;
    let mut page = Page::new(fitted.title());
    page.subtitle(samples(&data.file, data.seconds.len(), &data.origin));
    body(&mut page, fitted);
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}

/// Everything about one record.
pub fn body(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    page.summary(found(fitted));
    looked::sentences(fitted).into_iter().for_each(|said| _ = page.text(said));
    remarks::boxes(page, &fitted.warnings);
    table(page.section("Parameters"), &fitted.estimates(), UNITS);
    if let Some(said) = stiffness(fitted) {
        page.text(said);
    }

    let curves = Curves::of(fitted);
    findings::section(page, fitted, &curves);
    changes::section(page, fitted);

    record(page, fitted, &curves);
    quality(page, fitted, &curves);
    page.section("Slips");
    if fit.events.is_empty() {
        page.text("The fitted path has no slip.");
    } else {
        page.text(format!(
            "{} slips of the fitted path; the table of events has them all.",
            fit.events.len()
        ));
        page.details("The list", |page| {
            page.table(&slips(fitted));
        });
    }
    method(page, fitted);
}

/// What the error of the bearing stiffness does to the forces.
pub fn stiffness(fitted: &Fitted) -> Option<String> {
    let k = fitted.file.bearing_stiffness?;
    let file = &fitted.file;
    fitted.fit.parameters.K.value?;
    if forces(fitted).is_some() && !is_changing(fitted) {
        // The headline says it.
        return None;
    }
    Some(match file.bearing_stiffness_error {
        Some(error) => format!(
            "The errors of K, f_{{d}} and f_{{s}} contain that of K_{{BP}}, {} %.",
            number(100.0 * error / k, 2)
        ),
        None => "K_{BP} is taken as exact: a 1 % error in it shifts K, f_{d} and f_{s} by 1 %, and their intervals do not \
                 contain that."
            .to_owned(),
    })
}

/// The record as it was measured and fitted.
fn record(page: &mut Page, fitted: &Fitted, curves: &Curves) {
    let fit = &fitted.fit;
    let record = curves.fit(fitted);
    page.section("The record");
    page.interactive(
        &Interactive::new(curves.times.axis.clone(), &curves.times.t)
            .panel("z", "mm", 260.0)
            .line(&curves.measured, Style::new(Ink::Sky).label("measured").width(2.5))
            .line(&curves.fitted, Style::new(Ink::Vermillion).label("fitted"))
            .panel("T", "°C", 140.0)
            .line(&fit.curve.drive, Style::new(Ink::Black).label("temperature"))
            .bands(&record.enlarged()),
    );
    page.paper(&record.whole(), "Measured and fitted displacement, and temperature.");
    if let Some(enlarged) = record.enlargements() {
        page.figure(
            &enlarged,
            "The shaded parts of the record enlarged: measured (wide) and fitted (thin) displacement, and temperature.",
        );
    }
    page.figure(
        &record.plane(),
        "Displacement against temperature: the width of the loop is friction.",
    );
}

/// What the fit leaves over, and how sure it is.
fn quality(page: &mut Page, fitted: &Fitted, curves: &Curves) {
    let fit = &fitted.fit;
    page.section("How good the fit is");
    page.text(format!(
        "The residual is {} mm rms; a straight line without friction leaves {} mm. {}",
        number(1e3 * fit.rmse, 3),
        number(1e3 * fit.rmse_without_friction, 3),
        autocorrelated(fit.samples, fit.autocorrelation)
    ));
    page.figure(
        &curves.residuals(),
        "Measured minus fitted: over time, distribution, autocorrelation.",
    );
    page.text(extras(fitted));
    sure::section(page, fitted);
}

/// How the numbers were found.
fn method(page: &mut Page, fitted: &Fitted) {
    let fit = &fitted.fit;
    page.section("Method");
    page.text(match fit.method {
        "evolution" => format!(
            "{} independent evolutionary searches over all five parameters of the quasi-static model: {} parameter \
             sets in {} s. The numbers above are the best run's path with its least-squares line.",
            fit.runs.len(),
            fit.evaluations,
            number(fit.seconds, 2)
        ),
        _ => format!(
            "Global search over ρ = f_{{s}}/(Kβ) and δ = 2(f_{{s}} − f_{{d}})/(Kβ) of the quasi-static \
             model, with linear least squares for the rest: {} parameter sets in {} s.",
            fit.evaluations,
            number(fit.seconds, 2)
        ),
    });
    sure::searched(page, fitted);
    page.figure(
        &figures::surface(fitted),
        "The error over everything that was searched, as the first survey saw it.",
    );
}

/// Spikes, trend and lag, in a sentence each.
fn extras(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    let mut all = vec![match fit.outliers {
        0 => "No value was left out as a spike.".to_owned(),
        n => format!("{n} values were left out as spikes; the data of the fit list their rows."),
    }];
    if let Some(trend) = &fit.trend {
        const YEAR: f64 = 365.25 * 86_400.0;
        if let Some(drift) = trend.drift {
            all.push(format!("The reading drifts by {} mm a year.", number(1e3 * drift * YEAR, 3)));
        }
        if let Some(creep) = trend.creep {
            all.push(format!(
                "It creeps by {} mm from the beginning of the record on, with a time constant of {} days.",
                number(1e3 * creep.size, 3),
                number(creep.time / 86_400.0, 3)
            ));
        }
        for (t, by) in &trend.steps {
            let by = number(1e3 * by, 3);
            all.push(format!("It steps by {by} mm on {}.", fitted.when(*t)));
        }
    }
    match fit.lag.as_ref().map(|l| (l.value, l.ci95)) {
        Some((Some(v), Some([a, b]))) => all.push(format!(
            "The deck follows the temperature with a time constant of {} h ({} … {} h).",
            number(v / 3600.0, 3),
            number(a / 3600.0, 3),
            number(b / 3600.0, 3)
        )),
        Some((Some(v), None)) => {
            all.push(format!(
                "A time constant of {} h was given for the deck.",
                number(v / 3600.0, 3)
            ));
        }
        Some((None, _)) => {
            all.push("No lag of the deck behind the temperature was seen.".to_owned())
        }
        None => {}
    }
    all.extend(shift(fitted));
    all.join(" ")
}

/// By how much the response comes later than the temperature, if that was asked for.
pub fn shift(fitted: &Fitted) -> Option<String> {
    let shift = fitted.fit.shift.as_ref()?;
    let Some(value) = shift.value else {
        return Some(
            "No shift between the clocks of temperature and displacement was seen.".to_owned(),
        );
    };
    let way = if value < 0.0 { "earlier" } else { "later" };
    let minutes = |seconds: f64| number(seconds / 60.0, 3);
    let size = minutes(value.abs());
    Some(match shift.ci95 {
        Some([low, high]) => format!(
            "The displacement comes {size} min {way} than the temperature (95 %: {} … {} min).",
            minutes(low),
            minutes(high)
        ),
        None => format!("The displacement comes {size} min {way} than the temperature, as given."),
    })
}

/// What a hurried reader needs: what, how sure, what to do.
pub fn found(fitted: &Fitted) -> Vec<String> {
    let fit = &fitted.fit;
    let first = fit.diagnosis.first().map(|f| f.what);
    let hides = |what| {
        matches!(
            what,
            What::Step
                | What::Drift
                | What::Creep
                | What::Lag
                | What::Shift
                | What::Change
                | What::Gain
                | What::Expansion
        )
    };
    if !fit.friction_seen && first.is_some_and(hides) {
        return vec![
            "The friction cannot be told from this record as it is.".to_owned(),
            "It shows something else, which the findings name: allow for it first.".to_owned(),
        ];
    }
    if !fit.friction_seen && !fit.friction_denied {
        return vec![
            "The friction cannot be told from this record as it is.".to_owned(),
            "The test for friction has no power here: see the warnings.".to_owned(),
        ];
    }
    if !fit.friction_seen {
        return vec![
            "No friction was seen in this record.".to_owned(),
            "A straight line through displacement against temperature fits as well as any motion with stick and slip."
                .to_owned(),
        ];
    }
    // One fit over several states is the result of none of them.
    if is_changing(fitted) {
        return vec![changed(fitted), followed(fitted), what_to_do(fitted)];
    }
    let mut lines = Vec::new();
    // Without a value `how_sure` says that there is none, and why.
    if fit.f_s_over_K.value.is_some() {
        lines.push(format!(
            "The bearing breaks away when its spring is stretched by f_{{s}}/K = {}.",
            short(&UNITS.shown(&fit.f_s_over_K))
        ));
    }
    lines.push(how_sure(fitted));
    lines.extend(forces(fitted));
    lines.push(followed(fitted));
    lines.push(what_to_do(fitted));
    lines
}

/// How well the model follows the record. Only where breakaway is known are the slips of the fitted path those of the bearing: the
/// best path through daily means slipped 196 times in 120 rows, one through three states 1972 times where the bearing did 119 times.
fn followed(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    let known = fit.f_s_over_K.value.is_some() && !is_changing(fitted);
    let slips = if known {
        format!("It slipped {} times; the model follows", fit.slips)
    } else {
        "How often it slipped is not told either; the best path that was found follows".to_owned()
    };
    format!(
        "{slips} the record to {} mm rms, a bearing without friction to {} mm.",
        number(1e3 * fit.rmse, 3),
        number(1e3 * fit.rmse_without_friction, 3)
    )
}

/// Whether a change of the friction explains the record best.
fn is_changing(fitted: &Fitted) -> bool {
    fitted.fit.diagnosis.first().is_some_and(|f| f.what == What::Change)
}

/// Of a record whose friction changes: what its numbers are.
fn changed(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    if fit.is_divided() {
        return "The friction of this bearing changes more than once within the record, or steadily: no single set of numbers is \
                given."
            .to_owned();
    }
    if fit.f_s_over_K.value.is_none() {
        return format!(
            "The friction of this bearing changes within the record. {}",
            how_sure(fitted)
        );
    }
    "The friction of this bearing changes within the record: the table of parameters is one fit over both states, and describes \
     neither."
        .to_owned()
}

/// The relative half width of the interval of breakaway, in words: of f_s/K, which is what the record tells. How well K_BP is
/// known is no matter of the record, and is said apart.
fn how_sure(fitted: &Fitted) -> String {
    let e = &fitted.fit.f_s_over_K;
    match (e.value, e.ci95) {
        (Some(v), Some([a, b])) if v != 0.0 => {
            let percent = 50.0 * (b - a) / v.abs();
            let words = match percent {
                p if p < 3.0 => "Breakaway is known well",
                p if p < 15.0 => "Breakaway is known fairly",
                _ => "Breakaway is known poorly",
            };
            format!("{words}: the 95 % interval of f_{{s}}/K is ± {} %.", number(percent, 2))
        }
        _ => format!(
            "Breakaway cannot be known from this record: {}.",
            e.reason.as_deref().unwrap_or("nothing fixes it")
        ),
    }
}

/// The forces, which need K_BP, and what its error does to them: that is no matter of the record.
fn forces(fitted: &Fitted) -> Option<String> {
    let p = &fitted.fit.parameters;
    let file = &fitted.file;
    let k = file.bearing_stiffness?;
    (p.f_s.value.is_some() && p.f_d.value.is_some()).then(|| {
        let [static_force, dynamic] = [&p.f_s, &p.f_d].map(|e| short(&UNITS.shown(e)));
        let error = match file.bearing_stiffness_error {
            Some(error) => format!(
                "The intervals contain the error of K_{{BP}}, {} %.",
                number(100.0 * error / k, 2)
            ),
            None => format!(
                "The intervals take K_{{BP}} = {} kN/mm as exact: a 1 % error in it shifts both forces by 1 %.",
                number(1e-6 * k, 4)
            ),
        };
        format!(
            "With K_{{BP}} as given it breaks away at f_{{s}} = {static_force} and slides at f_{{d}} = {dynamic}. {error}"
        )
    })
}

fn what_to_do(fitted: &Fitted) -> String {
    let fit = &fitted.fit;
    let found = fitted.windows.as_ref().map_or(0, |w| w.changes.len() + w.alarms.len());
    if found > 0 {
        return format!("Changes over time: {found}. Have the bearing looked at.");
    }
    let last = remarks::last_line(&fitted.warnings);
    // A doubt about f_s/K comes before advice on how to find more.
    if remarks::change_the_answer(&fitted.warnings) {
        return last;
    }
    if !fit.parameters.f_s.identifiable && fit.f_s_over_K.identifiable && !is_changing(fitted) {
        let how = match fitted.file.bearing_stiffness {
            None => "To find the forces, give the bearing stiffness K_{BP}.",
            Some(_) => "To find the forces, record longer.",
        };
        return format!("{how} Changes of f_{{s}}/K over time can be monitored without them.");
    }
    last
}

fn slips(fitted: &Fitted) -> Table {
    let mut table = Table::new(["#", "time", "T (°C)", "from x (mm)", "to x (mm)"]);
    for (i, s) in fitted.fit.events.iter().take(MOST_SLIPS).enumerate() {
        table = table.row([
            format!("{}", i + 1),
            fitted.when(s.time),
            fixed(s.drive, 2),
            fixed(1e3 * s.from, 3),
            fixed(1e3 * s.to, 3),
        ]);
    }
    table
}
