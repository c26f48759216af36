//! Fit files and records that are wrong: each error names the place and the remedy; no file is left.

use super::sandbox::{MODEL, Sandbox};
use std::fmt::Write;
use std::fs::File;

const FIT: &str = r#"[data]
file = "bearing.csv"
time = "time"
drive = "temperature"
response = "displacement"
response_unit = "mm"

[model]
kind = "thermal-bearing"
bearing_stiffness = 2.0e9
"#;

/// A record of `rows` rows.
fn record(rows: usize) -> String {
    let mut text = String::from("time,temperature,displacement\n");
    for i in 0..rows {
        let (day, hour, wave) = (1 + i / 24, i % 24, (0.3 * i as f64).sin());
        writeln!(text, "2013-01-{day:02}T{hour:02}:00:00Z,{:.2},{:.3}", 9.0 * wave, 3.0 * wave)
            .unwrap();
    }
    text
}

/// Calibrates with this fit file and record, and expects exit code 1 and the parts.
#[track_caller]
fn wrong(fit: &str, data: impl AsRef<[u8]>, parts: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write("fit.toml", fit).write("bearing.csv", data);
    let parts: Vec<&str> = parts.iter().copied().chain(["help: "]).collect();
    sandbox.run(&["calibrate", "fit.toml", "--out", "results"]).failed(1, &parts);
    assert_eq!(sandbox.list("."), ["bearing.csv", "fit.toml", "model.toml"]);
}

fn replaced(row: &str, by: &str) -> String {
    let data = record(200);
    assert!(data.contains(row), "{row}");
    data.replace(row, by)
}

#[test]
fn fit_files() {
    let change = |from: &str, to: &str, parts: &[&str]| {
        assert!(FIT.contains(from));
        wrong(&FIT.replace(from, to), record(200), parts);
    };
    change("drive =", "drives =", &["fit.toml:4:1", "did you mean `drive`?"]);
    change(
        "\"temperature\"",
        "\"temprature\"",
        &["fit.toml:4:9", "no column is called `temprature`; did you mean `temperature`?"],
    );
    change("\"temperature\"", "\"x\"", &["the columns are: time, temperature, displacement"]);
    change("\"mm\"", "\"inch\"", &["unit of length `inch`", "m, cm, mm, um"]);
    change("\"mm\"", "1", &["fit.toml:6:17"]);
    change("response_unit = \"mm\"\n", "", &["`data.response_unit` is missing"]);
    change("2.0e9", "-2.0e9", &["fit.toml:10:21", "> 0, in N/m"]);
    change("2.0e9", "nan", &["NaN"]);
    change(
        "thermal-bearing",
        "pulled-sled",
        &["unknown kind of model `pulled-sled`", "thermal-bearing"],
    );
    change("[model]", "[fit]\nmethod = \"genetic\"\n[model]", &["`genetic`", "global, evolution"]);
    change("[model]", "max_gap = \"6 weeks\"\n[model]", &["not a duration", "6h"]);
    change(
        "[model]",
        "start = \"2014-01-01T00:00:00Z\"\n[model]",
        &["no row lies between", "fit.toml:8:9"],
    );
    change("[model]", "[fit]\nlag = \"slow\"\n[model]", &["`slow` is not a duration"]);
    change("[model]", "[fit]\nsteps = [\"soon\"]\n[model]", &["`soon` is not a time"]);
    change("[model]", "[fit]\noutliers = -1\n[model]", &["> 0, in robust standard deviations"]);
    change("[model]", "[fit]\ntrend = \"cubic\"\n[model]", &["trend `cubic`", "none, drift"]);
    change("\"bearing.csv\"", "[\"bearing.csv\", 3]", &["`data.file` holds 3"]);
    change("[model]", "[[record]]\nfiel = \"a\"\n[model]", &["unknown key `record.0.fiel`"]);
    change("[model]", "start = \"soon\"\n[model]", &["`soon` is not a time"]);
    change("bearing.csv", "nowhere.csv", &["fit.toml:2:8", "nowhere.csv: cannot be opened"]);
    wrong(MODEL, record(200), &["this is a model file", "stickslip simulate"]);
    change("[model]", "[oscillator]\nmass = 1.0\n[model]", &["unknown table or key `oscillator`"]);
    wrong("", record(200), &["fit.toml: the file is empty"]);
}

#[test]
fn cells() {
    let row = "2013-01-03T02:00:00Z";
    let bad = |to: &str, parts: &[&str]| wrong(FIT, replaced(row, to), parts);
    bad(
        "03/01/2013 02:00",
        &[
            "bearing.csv, row 51 (line 52 of the file), column `time`: `03/01/2013 02:00` is not a time",
            "ISO-8601",
        ],
    );
    bad("", &["row 51", "the time is missing"]);
    bad("17.5", &["row 51", "is a number, but the first row is a calendar time"]);
    bad("2013-01-03T02:00:00", &["without a zone"]);
    bad("2013-01-03T01:00:00Z", &["row 51", "repeats the time of line 51 with other values"]);
    bad("2013-01-03T00:59:00Z", &["row 51", "comes before the row above"]);
    bad("2013-02-30T00:00:00Z", &["not a time"]);
    let cell = |to: &str, parts: &[&str]| {
        let data = record(200);
        let line = data.lines().nth(51).unwrap().to_owned();
        let stamp = line.split(',').next().unwrap();
        wrong(FIT, data.replace(&line, &format!("{stamp},{to}")), parts);
    };
    cell(
        "warm,1.0",
        &["row 51 (line 52 of the file), column `temperature`: `warm` is not a number"],
    );
    cell("inf,1.0", &["column `temperature`: `inf` is not finite"]);
    cell("1.0,-Infinity", &["column `displacement`"]);
    cell("1.0", &["the row ends after 2 of 3 columns"]);
    cell("\"1,5\",1.0", &["decimal comma"]);
}

#[test]
fn whole_files() {
    wrong(FIT, record(99), &["bearing.csv: 99 samples with both values; expected 100 or more"]);
    wrong(FIT, "", &["bearing.csv: the file is empty", "header"]);
    wrong(FIT, "\n\n", &["bearing.csv: the file is empty"]);
    wrong(FIT, "time,temperature,displacement\n", &["no row below the header"]);
    wrong(
        FIT,
        record(200).lines().skip(1).map(|l| format!("{l}\n")).collect::<String>(),
        &["no column is called"],
    );
    wrong(FIT, record(200).replace(',', "~"), &["separated by commas, semicolons, tabs or blanks"]);
    wrong(FIT, b"PAR1\x15\x04", &["Parquet", "export"]);
    wrong(FIT, b"PK\x03\x04rest", &["spreadsheet"]);
    wrong(FIT, b"\0\0\0\0", &["binary"]);
    wrong(FIT, record(200).replace("time,", "time,time,"), &["two columns are called `time`"]);
    let constant = |column: usize| {
        let line = |l: &str| {
            let mut cells: Vec<&str> = l.split(',').collect();
            if !l.starts_with("time") {
                cells[column] = "4.5";
            }
            cells.join(",") + "\n"
        };
        record(200).lines().map(line).collect::<String>()
    };
    wrong(FIT, constant(1), &["fit.toml:4:9", "`temperature` is 4.5 in every row"]);
    wrong(FIT, constant(2), &["fit.toml:5:12", "`displacement` is 4.5"]);
}

#[test]
fn a_huge_line_is_refused_without_reading_it_all() {
    let sandbox = Sandbox::new();
    // Sparse: a gigabyte of zero bytes after the header, without a line end.
    sandbox.write("fit.toml", FIT).write("bearing.csv", "time,temperature,displacement\n1");
    File::options()
        .write(true)
        .open(sandbox.path("bearing.csv"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    sandbox.run(&["calibrate", "fit.toml"]).failed(1, &["bearing.csv, line 2: longer than 1 MiB"]);
    File::create(sandbox.path("bearing.csv")).unwrap().set_len(1 << 30).unwrap();
    sandbox.run(&["calibrate", "fit.toml"]).failed(1, &["bearing.csv, line 1: longer than 1 MiB"]);
}

#[test]
fn paths_that_are_no_readable_file() {
    let sandbox = Sandbox::new();
    sandbox.write("fit.toml", FIT);
    sandbox
        .run(&["calibrate", "fit.toml"])
        .failed(1, &["bearing.csv: cannot be opened", "fit.toml:2:8"]);
    std::fs::create_dir(sandbox.path("bearing.csv")).unwrap();
    sandbox
        .run(&["calibrate", "fit.toml"])
        .failed(1, &["bearing.csv: is a directory", "fit.toml:2:8"]);
    sandbox.write("fit.toml", FIT.replace("bearing.csv", "bearing.parquet"));
    let said = match cfg!(feature = "parquet") {
        true => "bearing.parquet: cannot be opened",
        false => "Parquet cannot be read by this program",
    };
    sandbox.run(&["calibrate", "fit.toml"]).failed(1, &[said]);
}

/// Before its keys are called unknown.
#[test]
fn a_misspelt_kind_is_named_first() {
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "servo", "fit.toml"]).done();
    let text = sandbox.read("fit.toml").replace("kind = \"servo\"", "kind = \"sevo\"");
    sandbox.write("fit.toml", text);
    let said = sandbox.run(&["calibrate", "fit.toml"]).stderr;
    assert!(said.contains("unknown kind of model `sevo`; did you mean `servo`?"), "{said}");
}
