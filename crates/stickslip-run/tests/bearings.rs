//! Calibrations of bearings: what they are told, what they say, and how they are stopped.

use std::sync::Mutex;
use stickslip_file::{Document, FailureKind, Memory, Reading};
use stickslip_run::{Calibrate, Context, Input, Product, calibrate, synthetic};

const FIT: &str = "[data]\nfile = \"bearing.csv\"\ntime = \"time\"\ndrive = \"temperature\"\n\
    response = \"displacement\"\nresponse_unit = \"mm\"\n[fit]\ndiagnose = false\n\
    [model]\nkind = \"thermal-bearing\"\nbearing_stiffness = 2.0e9\n";

fn record() -> String {
    synthetic::make(synthetic::Record::BEARING).unwrap()
}

fn run(text: &str, context: &Context<'_>) -> Result<Product, stickslip_file::Diagnostic> {
    run_on(record(), text, context)
}

fn run_on(
    record: String,
    text: &str,
    context: &Context<'_>,
) -> Result<Product, stickslip_file::Diagnostic> {
    let memory = Memory::default().with("bearing.csv", record);
    let reading = Reading::new(memory);
    let document = Document::parse("fit.toml", text).unwrap();
    calibrate(&Calibrate::default(), &Input::new(&document, &reading), context)
}

/// The rows of the fit carry the dates of the record; the result is also said in a title and five lines, f_s/K first, in kN and
/// mm, in numbers as long as their errors allow.
#[test]
fn rows_have_dates_and_the_result_is_said_in_five_lines() {
    let product = run(FIT, &Context::silent()).unwrap();
    let mut csv = Vec::new();
    product.table_named("fit").unwrap().write_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "t,drive,measured,fitted,x,phase,time");
    assert!(lines[1].starts_with("0.0,") && lines[1].ends_with(",2024-03-01T00:00:00+00:00"));
    assert!(lines[26].ends_with(",2024-03-02T01:00:00+00:00"), "{}", lines[26]);
    let brief = product.brief.unwrap().get();
    assert_eq!(brief.lines().count(), 6, "{brief}");
    let said: Vec<&str> = brief.lines().collect();
    assert!(said[1].contains("f_s/K = 2.4") && said[1].contains(" mm (95 %"), "{brief}");
    assert!(said[2].contains(" ± ") && said[3].contains("f_s = 47"), "{brief}");
    assert!(said[3].contains(" kN (95 %") && said[3].contains("2000 kN/mm"), "{brief}");
    assert!(!brief.contains('{'), "{brief}");
    assert!(said[4].starts_with("It slipped ") && !brief.contains("not told"), "{brief}");
    let text = product.text.get();
    let breakaway = text.lines().find(|l| l.starts_with("f_s ")).unwrap();
    let (value, error) = breakaway[4..].split_once('±').unwrap();
    assert!(value.trim().starts_with("47") && value.trim().contains('.'), "{breakaway}");
    assert!(error.trim_start().contains(" kN "), "{breakaway}");
    // Files keep SI units.
    assert_eq!(product.summary["fit"]["parameters"]["f_s"]["unit"], "N");
    let events = product.pages[0].content.get();
    let (_, list) = events.split_once("<h2>Slips</h2>").unwrap();
    assert!(list.contains("<td>2024-0") || list.contains(">2024-0"), "slips have dates");
}

/// On a clean record all that was looked for is listed as not found. What is there is not in the list, and stands among the
/// warnings with its weight.
#[test]
fn what_was_looked_for_and_not_found_is_said() {
    let asked = FIT.replace("diagnose = false\n", "");
    let clean = run(&asked, &Context::silent()).unwrap().text.get();
    let of = |text: &str, begin: &str| {
        text.lines().find(|l| l.starts_with(begin)).unwrap_or_default().to_owned()
    };
    let absent = of(&clean, "Looked for and not found");
    assert!(absent.contains("codes for missing values") && absent.contains("rounding"), "{clean}");
    assert!(of(&clean, "The residuals are noise").contains("a step of the reading"), "{clean}");
    assert!(clean.contains("can serve as a baseline"), "{clean}");

    let unasked = run(FIT, &Context::silent()).unwrap().text.get();
    assert!(unasked.contains("What else is in the residuals was not looked for."), "{unasked}");
    assert!(!unasked.contains("The residuals are noise"), "{unasked}");

    let coded =
        changed(|i, time, t, z| format!("{time},{t},{}", if i % 97 == 5 { -999.0 } else { z }));
    let coded = run_on(coded, &asked, &Context::silent()).unwrap();
    let text = coded.text.get();
    assert!(!of(&text, "Looked for and not found").contains("codes"), "{text}");
    let fit = &coded.summary["fit"];
    assert_eq!(
        fit["warning_weights"].as_array().map(Vec::len),
        fit["warnings"].as_array().map(Vec::len)
    );
    assert_eq!(fit["warning_weights"][0], "worth knowing", "{fit}");
    // It asks for nothing: the numbers are those of the record without the codes.
    assert!(text.contains("can serve as a baseline"), "{text}");
    assert!(coded.pages[0].content.get().contains("<b>Worth knowing</b>"));

    let step = changed(|i, time, t, z| format!("{time},{t},{}", z + f64::from(i > 1200)));
    let step = run_on(step, &asked, &Context::silent()).unwrap();
    let text = step.text.get();
    let open = of(&text, "The residuals are more than noise");
    assert!(!open.contains("a step of the reading") && open.contains("a lag"), "{text}");
    // What is not tried where a step leaves noise is not said to be absent.
    assert!(!open.contains("gain") && !open.contains("expansion"), "{text}");
    assert!(text.contains("allow for it first") && !text.contains("baseline"), "{text}");
    let fit = &step.summary["fit"];
    assert_eq!(fit["warning_weights"][0], "changes the answer");
    // The step was put at row 1201, on 20 April 2024 at 01:00; it is told by its date.
    let said = fit["warnings"].to_string();
    assert!(said.contains("at 2024-04-20 0"), "{said}");
}

/// From the middle of the record on the deck's friction is 1.3 times what it was. One fit over both states is no result of either, and the
/// headline gives none of its numbers.
#[test]
fn one_change_is_no_result_of_one_state() {
    // The bearing of the built-in record: its travel at breakaway, and how far it is from there after a slip, mm; its expansion,
    // mm/K; and the share of the travel that the sensor sees.
    let travel = 1e3 * 0.47e6 / 1.89e8;
    let jump = 2e3 * (0.47e6 - 0.42e6) / 1.89e8;
    let beta = 1e3 * 3.06e-4;
    let position = std::cell::Cell::new(None);
    let record = changed(|i, time, t, z| {
        let by = if i > 1440 { 1.3 } else { 1.0 };
        let mut x: f64 = position.get().unwrap_or(beta * t);
        while (beta * t - x).abs() > by * travel {
            x += by * jump * (beta * t - x).signum();
        }
        position.set(Some(x));
        if z.is_nan() {
            return format!("{time},{t},");
        }
        // Readings to a micrometre: what is rounded away is the only noise.
        format!("{time},{t},{:.3}", 9.67 + x + 1.89e8 / 2.0e9 * (beta * t - x))
    });
    let found = run_on(record, &FIT.replace("diagnose = false\n", ""), &Context::silent()).unwrap();
    let brief = found.brief.as_ref().unwrap().get();
    assert!(brief.contains("one fit over both states, and describes neither"), "{brief}");
    assert!(!brief.contains("f_s") && !brief.contains("known"), "{brief}");
    assert!(brief.contains("How often it slipped is not told either"), "{brief}");
    assert!(!brief.contains("It slipped"), "{brief}");
    assert_eq!(found.summary["fit"]["diagnosis"][0]["what"], "change", "{brief}");
}

/// Where the gain of the sensor changes half-way, and nobody gave K_BP, the last line says that there is a doubt about f_s/K; what to give to
/// find forces is no matter then.
#[test]
fn a_doubt_comes_before_advice() {
    let text = FIT.replace("bearing_stiffness = 2.0e9\n", "");
    let mut doubted = 0;
    for gain in [0.8, 0.85, 0.9, 1.15] {
        let record = changed(|i, time, t, z| {
            let by = if i > 1440 { gain } else { 1.0 };
            if z.is_nan() {
                return format!("{time},{t},");
            }
            format!("{time},{t},{}", 9.67 + by * (z - 9.67))
        });
        let found = run_on(record, &text, &Context::silent()).unwrap();
        let fit = &found.summary["fit"];
        let brief = found.brief.as_ref().unwrap().get();
        let weights = fit["warning_weights"].to_string();
        let changes = weights.contains("changes the answer");
        assert!(!changes || !brief.contains("can be monitored"), "{gain}: {brief}");
        // A record that gives no number says so instead.
        if brief.contains("breaks away when") {
            assert_eq!(changes, brief.contains("the answer before you use"), "{gain}: {brief}");
            doubted += usize::from(changes);
        }
    }
    assert!(doubted > 0, "no record of these gave a number with a doubt");
    // Without a doubt the advice stands.
    let clean = run(&text, &Context::silent()).unwrap().brief.unwrap().get();
    assert!(clean.contains("give the bearing stiffness") && clean.contains("monitored"), "{clean}");
}

#[test]
fn the_error_of_the_bearing_stiffness_is_read() {
    let text = format!("{FIT}bearing_stiffness_error = 2.0e8\n");
    let product = run(&text, &Context::silent()).unwrap();
    assert!(
        product.text.get().contains("contain the error of K_BP, 10 %"),
        "{}",
        product.text.get()
    );
    let f_s = &product.summary["fit"]["parameters"]["f_s"];
    let share = f_s["stderr"].as_f64().unwrap() / f_s["value"].as_f64().unwrap();
    assert!((0.1..0.11).contains(&share), "{share}");
    let lone = FIT.replace("bearing_stiffness = 2.0e9", "bearing_stiffness_error = 2.0e8");
    assert!(run(&lone, &Context::silent()).unwrap_err().message().contains("bearing_stiffness"));
}

/// A calibration tells how far it is, and stops when it is asked to.
#[test]
fn a_calibration_is_watched_and_stopped() {
    let told = Mutex::new(Vec::new());
    let progress = |done: u64, of: u64| told.lock().unwrap().push((done, of));
    run(FIT, &Context { progress: &progress, ..Context::silent() }).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 3 && told.windows(2).all(|w| w[0].0 <= w[1].0), "{told:?}");
    assert_eq!(told.last(), Some(&(1000, 1000)));
    let stopped = run(FIT, &Context { cancelled: &|| true, ..Context::silent() });
    assert_eq!(stopped.unwrap_err().kind(), FailureKind::Interrupted);
}

/// The record with other fields: row, time, temperature, displacement in mm.
fn changed(row: impl Fn(usize, &str, f64, f64) -> String) -> String {
    let text = record();
    let (head, rows) = text.split_once('\n').unwrap();
    let mut out = format!("{head}\n");
    for (i, line) in rows.lines().enumerate() {
        let mut fields = line.split(',');
        let time = fields.next().unwrap();
        let [t, z] = [(); 2].map(|()| fields.next().unwrap().parse::<f64>().unwrap_or(f64::NAN));
        out += &row(i, time, t, z).replace("NaN", "");
        out.push('\n');
    }
    out
}

/// What the program says to write is what a fit file takes: with it nothing more is found.
#[test]
fn the_line_to_write_can_be_written() {
    let asked = FIT.replace("diagnose = false\n", "");
    let step = changed(|i, time, t, z| format!("{time},{t},{}", z + f64::from(i > 1200)));
    let found = run_on(step.clone(), &asked, &Context::silent()).unwrap();
    let text = found.text.get();
    let line =
        text.lines().find(|l| l.contains("write [fit] steps")).unwrap_or_else(|| panic!("{text}"));
    let (_, line) = line.split_once("write [fit] ").unwrap();
    let again = asked.replace("[fit]\n", &format!("[fit]\n{line}\n"));
    let again = run_on(step, &again, &Context::silent()).unwrap();
    assert!(
        again.summary["fit"]["diagnosis"].as_array().unwrap().is_empty(),
        "{}",
        again.text.get()
    );
    assert!(
        found.pages.iter().any(|page| page.content.get().contains("the instant that was found"))
    );

    let coded =
        changed(|i, time, t, z| format!("{time},{t},{}", if i % 97 == 5 { -999.0 } else { z }));
    let found = run_on(coded, &asked, &Context::silent()).unwrap();
    assert!(found.text.get().contains("write [data] missing = [-999]"), "{}", found.text.get());
}

/// Drive and response in turn, never in one row.
#[test]
fn a_response_between_the_times_of_the_drive() {
    let in_turn = changed(|i, time, t, z| match i % 2 {
        0 => format!("{time},{t},"),
        _ => format!("{time},,{z}"),
    });
    let text = FIT.replace("response_unit", "tolerance = \"2h\"\nresponse_unit");
    let product = run_on(in_turn, &text, &Context::silent()).unwrap();
    let fit = &product.summary["fit"];
    assert!(fit["interpolated"].as_u64().unwrap() > 1000, "{}", fit["interpolated"]);
    let ratio = fit["f_s_over_K"]["value"].as_f64().unwrap() / (4.7e5 / 1.89e8);
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
}

#[test]
fn a_fitted_shift_is_said() {
    let late = changed(|_, time, t, z| format!("{time},{t},{z}"));
    let rows: Vec<&str> = late.lines().collect();
    let field = |line: &str, k: usize| line.split(',').nth(k).unwrap().to_owned();
    let mut shifted = format!("{}\n", rows[0]);
    for pair in rows[1..].windows(2) {
        shifted += &format!("{},{},{}\n", field(pair[1], 0), field(pair[1], 1), field(pair[0], 2));
    }
    let text = FIT.replace("response_unit", "shift = \"fit\"\nresponse_unit");
    let product = run_on(shifted, &text, &Context::silent()).unwrap();
    let said = product.text.get();
    let line = said.lines().find(|l| l.contains("min later than the temperature"));
    assert!(line.is_some_and(|l| l.contains("95 %")), "{said}");
}
