//! Calibrations of bearings: what they are told, what they say, and how they are stopped.

use std::sync::Mutex;
use stickslip_file::{Document, Kind, Memory, Reading};
use stickslip_run::{Calibrate, Context, Input, Product, calibrate, synthetic};

const FIT: &str = "[data]\nfile = \"bearing.csv\"\ntime = \"time\"\ndrive = \"temperature\"\n\
    response = \"displacement\"\nresponse_unit = \"mm\"\n[fit]\ndiagnose = false\n\
    [model]\nkind = \"thermal-bearing\"\nbearing_stiffness = 2.0e9\n";

fn run(text: &str, context: &Context<'_>) -> Result<Product, stickslip_file::Diagnostic> {
    let memory =
        Memory::default().with("bearing.csv", synthetic::make(synthetic::Record::BEARING).unwrap());
    let reading = Reading::new(memory);
    let document = Document::parse("fit.toml", text).unwrap();
    calibrate(&Calibrate::default(), &Input::new(&document, &reading), context)
}

/// The rows of the fit carry the dates of the record; the result is also said in five lines, in numbers as long as their
/// errors allow.
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
    assert_eq!(brief.lines().count(), 5, "{brief}");
    assert!(brief.contains("f_s = ") && brief.contains(" ± ") && !brief.contains('{'), "{brief}");
    let text = product.text.get();
    let breakaway = text.lines().find(|l| l.starts_with("f_s ")).unwrap();
    let (value, error) = breakaway[4..].split_once('±').unwrap();
    assert!(value.trim().starts_with("47") && value.trim().ends_with("00"), "{breakaway}");
    assert!(error.trim_start().contains(" N "), "{breakaway}");
    assert!(text.contains("K_BP is taken as exact"), "{text}");
}

#[test]
fn the_error_of_the_bearing_stiffness_is_read() {
    let text = format!("{FIT}bearing_stiffness_error = 2.0e8\n");
    let product = run(&text, &Context::silent()).unwrap();
    assert!(product.text.get().contains("contain that of K_BP, 10 %"), "{}", product.text.get());
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
    assert_eq!(stopped.unwrap_err().kind(), Kind::Interrupted);
}
