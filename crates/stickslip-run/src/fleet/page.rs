//! The page of a fleet: which bearing to look at first. One file, without a network; ten thousand rows are shown as they
//! come into sight.

use super::export::Judgement;
use super::found::{BREAKAWAY, FORCE, Valued};
use super::judge::{Status, breakaway};
use super::{counts, ranking};
use serde_json::{Value, json};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const CSS: &str = include_str!("page.css");
const JS: &str = include_str!("page.js");
/// Bars of the distribution.
const BARS: usize = 40;
/// Up to so many bearings are drawn one by one.
const MOST_ROWS: usize = 40;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page.
pub fn html(done: &Judgement) -> String {
    let title = escaped(&done.title);
    let rows: Vec<Value> =
        ranking(&done.found, &done.judged.verdicts).into_iter().map(|i| row(done, i)).collect();
    let remarks = done.judged.remarks.iter();
    let remarks: String = remarks.map(|said| format!("<p>{}</p>\n", escaped(said))).collect();
    // A text inside a script must not end it.
    let data = Value::Array(rows).to_string().replace('<', "\\u003c");
    let filters: String = counts(&done.judged.verdicts)
        .iter()
        .map(|(status, n)| {
            let name = status.name();
            format!(
                "<label class=\"{name}\"><input type=\"checkbox\" value=\"{name}\" checked> {name} <b>{n}</b></label>"
            )
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{CSS}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n{remarks}{}\n\
         <form id=\"filters\">{filters}<input id=\"search\" type=\"search\" placeholder=\"name or reason\" \
         aria-label=\"search\"> <span id=\"count\"></span></form>\n\
         <div id=\"table\" role=\"table\" aria-label=\"bearings\"><div id=\"head\" role=\"row\"></div>\
         <div id=\"rows\" tabindex=\"0\"><div id=\"space\"></div></div></div>\n\
         <noscript>The table needs JavaScript; fleet.csv holds the same rows.</noscript>\n\
         <footer>stickslip {}</footer>\n<script>\nconst DATA = {data};\n{JS}</script>\n</body>\n</html>\n",
        escaped(&done.promise()),
        overview(done),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Bearing, name, status, reason, f_s/K and its interval in mm, ratio of a change and its date, slips, residual in mm,
/// sketch, file of the report, f_s/K before a change and its interval in mm, f_s and its interval in kN.
fn row(done: &Judgement, i: usize) -> Value {
    let found = &done.found[i];
    let verdict = &done.judged.verdicts[i];
    let mm = |x: Option<f64>| x.map(|x| 1e3 * x);
    let report = done.reports[i].then(|| format!("{}.html", done.report_name(i)));
    let mut row = vec![
        json!(found.bearing),
        json!(if found.title == found.bearing { "" } else { &found.title }),
        json!(verdict.status.name()),
        json!(verdict.reason),
    ];
    let Ok(seen) = &found.seen else {
        row.extend(std::iter::repeat_n(Value::Null, 8));
        row.push(json!(report));
        row.extend(std::iter::repeat_n(Value::Null, 6));
        return Value::Array(row);
    };
    let values = done.values(i).get(BREAKAWAY).copied().unwrap_or_default();
    row.extend(values.map(|x| json!(mm(x).map(rounded))));
    let change = seen.change.as_ref();
    row.push(json!(change.and_then(|c| c.ratio[0]).map(rounded)));
    row.push(json!(change.and_then(|c| c.time.as_deref()).and_then(|t| t.get(..10))));
    row.extend([json!(seen.slips), json!(mm(seen.rmse).map(rounded)), json!(seen.sketch)]);
    row.push(json!(report));
    let alarm = change.filter(|c| verdict.status == Status::Alarm && !c.after.is_empty());
    let before = alarm.map_or([None; 3], |c| c.before);
    row.extend(before.map(|x| json!(mm(x).map(rounded))));
    let force = done.values(i).get(FORCE).copied().unwrap_or_default();
    row.extend(force.map(|x| json!(x.map(|x| rounded(1e-3 * x)))));
    Value::Array(row)
}

/// To five digits, which is what a page shows.
fn rounded(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

/// Breakaway over the fleet: of a few bearings each with its interval, of many how it is distributed.
fn overview(done: &Judgement) -> String {
    let known: Vec<(usize, f64)> =
        (0..done.found.len()).filter_map(|i| Some((i, 1e3 * breakaway(&done.found[i])?))).collect();
    if known.len() < 2 {
        return String::new();
    }
    let (figure, note) = match known.len() {
        ..=MOST_ROWS => (
            intervals(done),
            "Bars are 95 % intervals. Of a bearing that has changed, the value after the change is shown and, in grey, the value before it.",
        ),
        _ => match distribution(done, known.iter().map(|k| k.1).collect()) {
            Some(figure) => (figure, "The outer bars include the bearings beyond them."),
            None => return String::new(),
        },
    };
    let svg = figure.width(900.0).to_svg();
    format!(
        "<details open><summary>Breakaway over the fleet</summary>\n{svg}\n<p>{note}</p></details>"
    )
}

/// f_s/K of each bearing with its interval, the largest on top.
fn intervals(done: &Judgement) -> Figure<'static> {
    let mm = |[value, low, high]: Valued| Some([value?, low?, high?].map(|x| 1e3 * x));
    let known = |i: usize| mm(done.values(i).get(BREAKAWAY).copied().unwrap_or_default());
    let mut rows: Vec<(usize, [f64; 3])> =
        (0..done.found.len()).filter_map(|i| Some((i, known(i)?))).collect();
    rows.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
    let names = rows.iter().map(|&(i, _)| done.found[i].title.clone());
    let axis = Axis::linear("f_{s}/K", "mm");
    let mut panel =
        Panel::new(axis, Axis::places("", names)).height(40.0 + 18.0 * rows.len() as f64);
    for (k, &(i, [value, low, high])) in rows.iter().enumerate() {
        let place = (k + 1) as f64;
        let status = done.judged.verdicts[i].status;
        let changed = done.found[i].seen.as_ref().ok().and_then(|seen| seen.change.as_ref());
        let before = changed.filter(|_| status == Status::Alarm).and_then(|c| mm(c.before));
        if let Some([old, from, to]) = before {
            let grey = || Style::new(Ink::Grey).width(1.6);
            panel = panel.line(vec![from, to], vec![place, place], grey()).points(
                vec![old],
                vec![place],
                grey().size(6.0),
            );
        }
        let ink = match status {
            Status::Alarm => Ink::Vermillion,
            Status::Watch => Ink::Orange,
            _ => Ink::Blue,
        };
        panel = panel.line(vec![low, high], vec![place, place], Style::new(ink).width(1.6)).points(
            vec![value],
            vec![place],
            Style::new(ink).size(7.0),
        );
    }
    Figure::new().describe("f_s/K of each bearing with its 95 % interval").panel(panel)
}

/// How many bearings have which f_s/K.
fn distribution(done: &Judgement, mut values: Vec<f64>) -> Option<Figure<'static>> {
    values.sort_unstable_by(f64::total_cmp);
    // The tails of a fleet may be very long: the bars end where one in two hundred is left.
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    let low = at(0.005);
    let high = at(0.995);
    if high <= low {
        return None;
    }
    let edges: Vec<f64> = (0..=BARS).map(|i| low + (high - low) * i as f64 / BARS as f64).collect();
    let mut heights = vec![0.0; BARS];
    for v in &values {
        let place = ((v - low) / (high - low) * BARS as f64).floor().clamp(0.0, BARS as f64 - 1.0);
        heights[place as usize] += 1.0;
    }
    let mut panel = Panel::new(Axis::linear("f_{s}/K", "mm").tight(), Axis::linear("bearings", ""))
        .height(150.0)
        .bars(edges, heights, Style::new(Ink::Sky));
    if let Some((middle, _)) = done.judged.usual {
        panel = panel.vertical(1e3 * middle, Style::new(Ink::Vermillion).label("middle"));
    }
    Some(Figure::new().panel(panel))
}
