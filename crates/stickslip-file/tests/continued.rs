//! Files that continue each other are one record, in every kind of fit that takes one record.

use crate::common::{
    DATA, ROWS, displacement, fit_of, is_the_record, iso, plain, row, temperature,
};
use stickslip_file::fit::Records;
use stickslip_file::{Document, FitFile, Memory, Reading};

const HEADER: &str = "time,temperature,displacement\n";

/// These rows of the record.
fn rows(rows: std::ops::Range<usize>) -> String {
    let rows: Vec<String> = rows.map(row).collect();
    format!("{HEADER}{}\n", rows.join("\n"))
}

fn with_files(files: &str) -> String {
    DATA.replace("file = \"r.csv\"", &format!("files = {files}"))
}

fn read(
    files: &str,
    texts: &[(&str, String)],
) -> Result<(stickslip_file::fit::Fit, Vec<String>), String> {
    let bytes: Vec<(&str, &[u8])> = texts.iter().map(|(n, t)| (*n, t.as_bytes())).collect();
    fit_of(&with_files(files), &bytes)
}

fn thirds() -> [(&'static str, String); 3] {
    [("r-1.csv", rows(0..200)), ("r-2.csv", rows(200..300)), ("r-3.csv", rows(300..ROWS))]
}

/// In whatever order they are named, and by a pattern.
#[test]
fn three_files_are_the_record() {
    for files in ["[\"r-3.csv\", \"r-1.csv\", \"r-2.csv\"]", "\"r-*.csv\""] {
        let (fit, said) = read(files, &thirds()).unwrap();
        is_the_record(&fit);
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(fit.data.file, "r-1.csv … r-3.csv");
    }
    // As one file, which is another key.
    let (one, _) = fit_of(DATA, &[("r.csv", plain().as_bytes())]).unwrap();
    is_the_record(&one);
}

/// What is missing between two files is missing in the record.
#[test]
fn a_gap_between_files_is_a_gap_of_the_record() {
    let [first, _, last] = thirds();
    let (fit, _) = read("\"r-*.csv\"", &[first, last]).unwrap();
    assert_eq!(fit.data.seconds.len(), ROWS - 100);
    assert!((fit.data.seconds[200] - fit.data.seconds[199] - 101.0 * 3600.0).abs() < 1e-6);
    assert!((fit.data.drive_values[200] - temperature(300)).abs() < 1e-9);
}

/// A row that two files hold with the same values is taken once; other values are refused with file, row and time.
#[test]
fn overlaps_are_refused_with_their_place() {
    let [first, _, last] = thirds();
    let same = ("r-2.csv", rows(199..300));
    let (fit, said) = read("\"r-*.csv\"", &[first.clone(), same, last.clone()]).unwrap();
    is_the_record(&fit);
    assert!(said.iter().any(|s| s.contains("r-2.csv: 1 row that the file before")), "{said:?}");

    let other = format!("{HEADER}{}\n{},1.0,2.0\n", row(198), iso(199));
    let e = read("\"r-*.csv\"", &[first, ("r-2.csv", other), last]).unwrap_err();
    for said in ["r-2.csv: row 2 overlaps", "2013-01-09T07:00", "fleet"] {
        assert!(e.contains(said), "{e} lacks {said}");
    }
}

#[test]
fn files_that_do_not_agree_are_refused() {
    let [first, second, _] = thirds();
    let refused = |second: String, said: &[&str]| {
        let texts = [first.clone(), ("r-2.csv", second)];
        let e = read("[\"r-1.csv\", \"r-2.csv\"]", &texts).unwrap_err();
        said.iter().for_each(|s| assert!(e.contains(s), "{e} lacks {s}"));
    };
    // Another header, other times.
    refused(second.1.replace("displacement", "gap"), &["r-2.csv", "displacement"]);
    refused(second.1.replace('Z', ""), &["`r-1.csv` and of `r-2.csv`", "cannot be compared"]);
    // Units below the header.
    let units = |text: &str, unit: &str| text.replacen('\n', &format!("\n,°C,{unit}\n"), 1);
    let both = |unit: &str| {
        let texts = [("r-1.csv", units(&first.1, "mm")), ("r-2.csv", units(&second.1, unit))];
        read("\"r-*.csv\"", &texts)
    };
    let e = both("cm").unwrap_err();
    assert!(
        e.contains("r-2.csv: the unit of the column `displacement`") && e.contains("`cm`"),
        "{e}"
    );
    let (fit, _) = both("mm").unwrap();
    assert!((1e3 * fit.data.response_values[250] - displacement(250)).abs() < 1e-9);
    // Two ways to name them.
    let e = fit_of(&format!("{DATA}files = [\"r-1.csv\"]\n"), &[("r.csv", plain().as_bytes())]);
    assert!(e.unwrap_err().contains("both `data.file` and `data.files`"));
    let e = read("\"s-*.csv\"", &thirds()).unwrap_err();
    assert!(e.contains("no file is called `s-*.csv`"), "{e}");
}

/// The other kinds, each with its keys, the columns of a table of `t`, `a`, `b` and a second pair.
const KINDS: [(&str, &str, &str); 8] = [
    (
        "pulled-slider",
        "response = 'a'\nresponse_unit = 'N'",
        "velocity = 1.0\nstiffness = 1.0\nmass = 1.0",
    ),
    ("rigid-drive", "position = 'a'\nforce = 'b'\nposition_unit = 'm'", ""),
    ("hysteresis", "displacement = 'a'\nforce = 'b'\ndisplacement_unit = 'm'", ""),
    ("valve", "output = 'a'\nprocess_variable = 'b'", ""),
    (
        "isolator",
        "displacement_x = 'a'\ndisplacement_y = 'b'\nforce_x = 'c'\nforce_y = 'd'\ndisplacement_unit = 'm'",
        "load = 1.0",
    ),
    ("rock-friction", "displacement = 'a'\ndisplacement_unit = 'm'\nfriction = 'b'", ""),
    ("friction-curve", "position = 'a'\nposition_unit = 'm'\neffort = 'b'\neffort_unit = 'N'", ""),
    (
        "model",
        "drive = [{ column = 'a', unit = 'm', into = 'oscillator.drive' }]\nmeasured = [{ column = 'b', unit = 'm', what = 'x' }]",
        "oscillator = { mass = 1.0, stiffness = 1.0, friction = { coulomb = { force = 1.0 } } }\nrun = { end = 1.0, step = 0.1 }\n[fit.unknown]\noscillator.stiffness = { from = 0.5, to = 2.0 }",
    ),
];

fn numbers(i: usize) -> String {
    let x = 0.1 * i as f64;
    format!("{x},{},{},{},{}", x.sin(), x.cos(), (2.0 * x).sin(), (2.0 * x).cos())
}

fn kind_of((kind, data, model): (&str, &str, &str), file: &str) -> Result<Records, String> {
    let text = format!(
        "[data]\n{file}\ntime = 't'\ntime_unit = 's'\n{data}\n[model]\nkind = '{kind}'\n{model}\n"
    );
    let part = |rows: std::ops::Range<usize>| {
        format!("t,a,b,c,d\n{}\n", rows.map(numbers).collect::<Vec<_>>().join("\n"))
    };
    let files = Memory::default()
        .with("all.csv", part(0..400))
        .with("p1.csv", part(0..150))
        .with("p2.csv", part(150..400))
        .with("q.csv", format!("t,a,b,c,d\n20,,1,1,1\n{}\n", numbers(201)));
    let document = Document::parse("fit.toml", text).map_err(|e| e.to_string())?;
    FitFile::read(&document, &Reading::new(files)).map(|f| f.records).map_err(|e| e.to_string())
}

fn record(records: Records) -> (Vec<f64>, Vec<Vec<f64>>) {
    let data = match records {
        Records::Slider(f) => f.data,
        Records::Drive(f) => f.data,
        Records::Hysteresis(f) => f.data,
        Records::Valve(f) => f.data,
        Records::Isolator(f) => f.data,
        Records::Rock(f) => f.data,
        Records::FrictionCurve(f) => f.data,
        Records::Model(f) => f.data,
        other => panic!("{other:?}"),
    };
    (data.seconds, data.values)
}

/// Cut anywhere, a record is the same; the files may come in any order.
#[test]
fn every_kind_takes_files_that_continue_each_other() {
    for kind in KINDS {
        let (times, values) = record(kind_of(kind, "file = 'all.csv'").unwrap());
        for files in ["files = ['p2.csv', 'p1.csv']", "files = 'p?.csv'"] {
            let (found, others) =
                record(kind_of(kind, files).unwrap_or_else(|e| panic!("{}: {e}", kind.0)));
            assert_eq!(values, others, "{}", kind.0);
            assert_eq!(times.len(), found.len(), "{}", kind.0);
            for (a, b) in times.iter().zip(&found) {
                assert!((a - b).abs() < 1e-9, "{}: {a} {b}", kind.0);
            }
        }
        let e = kind_of(kind, "file = 'all.csv'\nfiles = ['p1.csv']").unwrap_err();
        assert!(e.contains("both `data.file` and `data.files`"), "{}: {e}", kind.0);
        let e = kind_of(kind, "files = ['all.csv', 'q.csv']").unwrap_err();
        assert!(e.contains("q.csv: row 1 overlaps"), "{}: {e}", kind.0);
    }
    // A value that is missing is said with the file and the row where it is missing.
    let e = kind_of(KINDS[7], "files = ['p1.csv', 'q.csv']").unwrap_err();
    assert!(e.contains("q.csv: row 1: the column `a`"), "{e}");
}

/// Rows without times are counted on, in the order of the list.
#[test]
fn rows_without_times_are_counted_on() {
    let kind = |file: &str| {
        let text = format!(
            "[data]\n{file}\nvelocity = 'a'\nvelocity_unit = 'm/s'\neffort = 'b'\neffort_unit = 'N'\n[model]\nkind = 'friction-curve'\n"
        );
        let part = |rows: std::ops::Range<usize>| {
            let row = |i: usize| format!("{},{}", (0.1 * i as f64).sin(), (0.1 * i as f64).cos());
            format!("a,b\n{}\n", rows.map(row).collect::<Vec<_>>().join("\n"))
        };
        let files = Memory::default()
            .with("all.csv", part(0..400))
            .with("p1.csv", part(0..150))
            .with("p2.csv", part(150..400));
        let document = Document::parse("fit.toml", text).unwrap();
        record(FitFile::read(&document, &Reading::new(files)).unwrap().records)
    };
    assert_eq!(kind("file = 'all.csv'"), kind("files = ['p1.csv', 'p2.csv']"));
}
