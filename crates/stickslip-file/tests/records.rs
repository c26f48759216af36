//! Records as people have them: each file is read correctly, or refused with a message that says what
//! to do. None is silently read as something else.

use crate::common::{
    DATA, ROWS, but, comma, day, displacement, fit_of, gzip, is_the_record, iso, plain, row, table,
    temperature, wide, with,
};

/// The record is read as it was written; `said` is in the warnings, and nothing else is.
#[track_caller]
fn reads_as(data: &str, bytes: impl AsRef<[u8]>, said: &[&str]) {
    let (fit, warnings) = fit_of(data, &[("r.csv", bytes.as_ref())]).unwrap();
    assert_eq!(warnings.len(), said.len(), "{warnings:?}");
    said.iter().zip(&warnings).for_each(|(s, w)| assert!(w.contains(s), "{w:?} lacks {s:?}"));
    is_the_record(&fit);
}

#[track_caller]
fn reads(bytes: impl AsRef<[u8]>, said: &[&str]) {
    reads_as(DATA, bytes, said);
}

#[track_caller]
fn refused_as(data: &str, bytes: impl AsRef<[u8]>, said: &[&str]) {
    let message = fit_of(data, &[("r.csv", bytes.as_ref())]).map(|f| f.1).unwrap_err();
    said.iter().for_each(|s| assert!(message.contains(s), "{message:?} lacks {s:?}"));
}

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, said: &[&str]) {
    refused_as(DATA, bytes, said);
}

#[test]
fn ends_of_lines_and_encodings() {
    reads(plain(), &[]);
    reads(plain().trim_end(), &[]);
    reads(plain().replace('\n', "\r\n"), &[]);
    reads(plain().replace('\n', "\r"), &[]);
    reads(format!("\u{feff}{}", plain()), &[]);
    reads(wide(&format!("\u{feff}{}", plain()), true), &[]);
    reads(wide(&format!("\u{feff}{}", plain()), false), &[]);
    reads(wide(&plain(), true), &[]);
    reads(gzip(plain()), &[]);
    reads(gzip(wide(&format!("\u{feff}{}", plain()), true)), &[]);
    let degrees = plain().replace("temperature", "T °C");
    let latin: Vec<u8> = degrees.chars().map(|c| c as u8).collect();
    reads_as(&but("\"temperature\"", "\"T °C\""), latin, &[]);
    reads_as(&but("\"temperature\"", "\"T °C\""), degrees, &[]);
}

#[test]
fn separators_and_decimal_marks() {
    let semicolons = |i| format!("{};{};{}", iso(i), temperature(i), displacement(i));
    let commas = |s: &str| {
        let s = s.to_owned();
        move |i| [iso(i), comma(temperature(i)), comma(displacement(i))].join(&s)
    };
    let head = |s: &str| ["time", "temperature", "displacement"].join(s);
    reads(table(&head(";"), semicolons), &["separated by semicolons"]);
    let said = ["separated by semicolons", "decimal commas"];
    reads(table(&head(";"), commas(";")), &said);
    reads(table(&head("\t"), commas("\t")), &["separated by tabs", "decimal commas"]);
    reads(table(&head("|"), commas("|")), &["separated by bars", "decimal commas"]);
    reads_as(&with("decimal = \",\""), table(&head(";"), commas(";")), &said[..1]);
    reads_as(&with("decimal = \".\""), plain(), &[]);
    let quoted =
        |i| format!("{},\"{}\",\"{}\"", iso(i), comma(temperature(i)), comma(displacement(i)));
    reads(table(&head(","), quoted), &["decimal commas"]);

    refused_as(
        &with("decimal = \".\""),
        table(&head(";"), commas(";")),
        &["row 1", "decimal comma"],
    );
    refused_as(&with("decimal = \",\""), plain(), &["row 1", "decimal point"]);
    refused(
        table(&head(","), commas(",")),
        &["row 1 (line 2 of the file): 4 fields, but the header names 3 columns", "decimal commas"],
    );
    let mixed = table(&head(";"), |i| if i == 9 { commas(";")(i) } else { semicolons(i) });
    refused(mixed, &["row 10 (line 11 of the file), column `temperature`", "decimal comma"]);
    let thousands = |i| format!("{};1,{};2,{}", iso(i), 100 + i, 200 + i);
    refused(
        table(&head(";"), thousands),
        &["line 2: `1,100` may be 1.100 or 1100", "`decimal = \",\"`"],
    );
    refused(plain().replace(&row(5), &format!("{},1,\"1,234.5\"", iso(5))), &["not a number"]);
    refused(
        plain().replace(&row(5), &(row(5) + " mm")),
        &["is not a number", "remove what stands behind"],
    );
    refused(plain().replace(&row(5), &format!("{},1,inf", iso(5))), &["not finite"]);
    refused(plain().replace(&row(5), &format!("{},1,x", iso(5))), &["is not a number"]);
}

#[test]
fn quotes_remarks_and_other_columns() {
    let all = |i| row(i).split(',').map(|f| format!("\"{f}\"")).collect::<Vec<_>>().join(",");
    reads(table("\"time\",\"temperature\",\"displacement\"", all), &[]);
    let note = |i| format!("{},\"a \"\"note\"\",\non two lines\"", row(i));
    reads(table("time,temperature,displacement,note", note), &[]);
    let spaced = |i| row(i).replace(',', " , ");
    reads(table(" time , temperature , displacement ", spaced), &[]);
    let turned = |i| format!("{},{i},{},{}", displacement(i), iso(i), temperature(i));
    reads(table("displacement,count,time,temperature", turned), &[]);
    let science = |i| format!("{},{:+e},{:E}", iso(i), temperature(i), displacement(i));
    reads(table("time,temperature,displacement", science), &[]);
    reads(format!("# made by hand\n\n#x,y\n{}", plain()), &[]);
    reads(format!("# {}", plain()), &[]);
    let preamble = "Bridge, south abutment\nSerial;17\n\n";
    reads(format!("{preamble}{}", plain()), &["2 lines above the names of the columns"]);
    reads(
        plain()
            .replace("T00:00:00Z,", "T00:00:00Z ,")
            .replace("\n2013-01-09T00", "\n\n2013-01-09T00"),
        &[],
    );
    reads(format!("{}\n,,\n,,\n", plain().trim_end()), &["2 rows without any value"]);
    reads(
        table("time,temperature,displacement", |i| row(i) + ","),
        &["504 rows with empty fields beyond"],
    );

    let line = |i: usize, to: &str| plain().replace(&row(i), to);
    refused(line(30, "2013-01-02T06:00:00Z,1"), &["row 31 (line 32", "the row ends after 2 of 3"]);
    refused(line(30, &(row(30) + ",5")), &["4 fields", "name every column"]);
    // A quote that is never closed takes the rest of the file for one field.
    refused(
        line(30, "2013-01-02T06:00:00Z,\"1,5"),
        &["row 31 (line 32", "runs over several lines", "close it"],
    );
    let after_note = table("time,temperature,displacement,note", |i| {
        let bad = if i == 40 { "x" } else { "" };
        format!("{bad}{},\"on\ntwo lines\"", row(i))
    });
    refused(after_note, &["row 41 (line 82 of the file), column `time`"]);
    let crlf = line(30, &format!("x{}", row(30))).replace('\n', "\r\n");
    refused(crlf, &["row 31 (line 32 of the file)"]);
    refused(plain().replace("time,", "time,time,"), &["two columns are called `time`"]);
    refused(plain().replace("temperature", "temprature"), &["did you mean `temprature`?"]);
    refused(plain().lines().skip(1).collect::<Vec<_>>().join("\n"), &["no column is called"]);
    refused(plain().replace(',', "~"), &["separated by commas, semicolons, tabs or blanks"]);
}

#[test]
fn loggers_and_units() {
    let toa5 = "\"TOA5\",\"CR1000\",\"CR1000\",\"1234\",\"CPU:bridge.CR1\"\n\
                \"TIMESTAMP\",\"RECORD\",\"T_Avg\",\"Z_Avg\"\n\"TS\",\"RN\",\"degC\",\"mm\"\n\
                \"\",\"\",\"Avg\",\"Avg\"";
    let logged = |i| {
        let (day, hour) = day(i);
        let stamp = format!("\"2013-01-{day:02} {hour:02}:00:00\"");
        let value = |x: f64| if i % 50 == 7 { "\"NAN\"".to_owned() } else { x.to_string() };
        format!("{stamp},{i},{},{}", value(temperature(i)), value(displacement(i)))
    };
    let keys = but("\"time\"", "\"TIMESTAMP\"").replace("temperature", "T_Avg");
    let keys = keys.replace("displacement", "Z_Avg");
    let bytes = table(toa5, logged);
    let (fit, said) = fit_of(&keys, &[("r.csv", bytes.as_bytes())]).unwrap();
    assert!(fit.data.drive_values[7].is_nan() && fit.data.response_values[57].is_nan());
    assert!((fit.data.drive_values[503] - temperature(503)).abs() < 1e-9);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("one line above") && said[1].contains("2 rows were left out between"));

    let units = plain().replacen('\n', "\n,°C,mm\n", 1);
    reads(&units, &["1 row was left out between"]);
    refused(
        units.replace(",°C,mm", "UTC,[°F],[mm]"),
        &["gives `temperature` in °F, but `drive_unit` says otherwise"],
    );
    reads_as(
        &with("missing = [-999, \"out\"]"),
        plain().replacen("\n2013", "\n2012-12-31T23:00:00Z,-999,out\n2013", 0),
        &[],
    );
    let gaps = table("time,temperature,displacement", |i| match i % 100 {
        1 => format!("{},-999,{}", iso(i), displacement(i)),
        k @ 2..9 => format!(
            "{},{},{}",
            iso(i),
            temperature(i),
            ["", "NA", "-", "---", "#N/A", "n/a", "null"][k - 2]
        ),
        9 => format!("{},{},out", iso(i), temperature(i)),
        _ => row(i),
    });
    let (fit, said) =
        fit_of(&with("missing = [-999, \"out\"]"), &[("r.csv", gaps.as_bytes())]).unwrap();
    assert!(said.is_empty() && fit.data.drive_values[1].is_nan());
    assert!(fit.data.response_values[2..10].iter().all(|z| z.is_nan()));
    assert_eq!(fit.data.response_values.iter().filter(|z| z.is_nan()).count(), 5 * 8 + 2);
    refused_as(&with("missing = [true]"), gaps, &["`data.missing` holds true"]);
}

fn dated(stamp: impl Fn(usize, usize) -> String) -> String {
    table("time,temperature,displacement", |i| {
        let (day, hour) = day(i);
        format!("{},{},{}", stamp(day, hour), temperature(i), displacement(i))
    })
}

#[test]
fn dates_of_every_country() {
    reads(dated(|d, h| format!("2013-01-{d:02} {h:02}:00")), &[]);
    reads(dated(|d, h| format!("2013-01-{d:02}T{h:02}:00:00+01:00")), &[]);
    reads(dated(|d, h| format!("{d:02}.01.2013 {h:02}:00")), &[]);
    reads(dated(|d, h| format!("{d}.1.2013 {h}:00:00,000").replace(',', ".")), &[]);
    reads(dated(|d, h| format!("2013/01/{d:02} {h:02}:00")), &[]);
    reads(dated(|d, h| format!("{d:02}-Jan-2013 {h:02}:00:00")), &[]);
    reads(dated(|d, h| format!("{d:02}/01/2013 {h:02}:00")), &["begin with the day"]);
    let noon = |h: usize| {
        let twelve = if h.is_multiple_of(12) { 12 } else { h % 12 };
        format!("{twelve}:00:00 {}", if h < 12 { "AM" } else { "PM" })
    };
    reads(dated(|d, h| format!("1/{d}/2013 {}", noon(h))), &["begin with the month"]);
    let midnight = |d: usize, h: usize| match h {
        0 => format!(
            "{:02}.{}.{} 24:00",
            if d == 1 { 31 } else { d - 1 },
            if d == 1 { 12 } else { 1 },
            if d == 1 { 2012 } else { 2013 }
        ),
        _ => format!("{d:02}.01.2013 {h:02}:00"),
    };
    reads(dated(midnight), &[]);
    let formatted = |d, h| format!("{d:02}Jan13 {h:02}h");
    reads_as(&with("time_format = \"%d%b%y %Hh\""), dated(formatted), &[]);
    let compact = |d, h| format!("201301{d:02}{h:02}00");
    reads_as(&with("time_format = \"%Y%m%d%H%M\""), dated(compact), &[]);
    reads_as(
        &with("time_zone = \"Europe/Berlin\""),
        dated(|d, h| format!("2013-01-{d:02} {h:02}:00")),
        &[],
    );
    let two = dated(|d, h| format!("{d:02}.01.2013,{h:02}:00"));
    let two = two.replacen("time,", "date,clock,", 1);
    reads_as(&but("\"time\"", "[\"date\", \"clock\"]"), two, &[]);

    refused(dated(compact), &["row 1", "may be a date or a number", "time_format", "time_unit"]);
    refused(dated(formatted), &["is not a time", "time_format"]);
    let bad = with("time_format = \"%d.%m.%Y %H:%M\"");
    refused_as(&bad, dated(formatted), &["not written as `time_format` says"]);
    refused_as(&with("time_format = \"dd.mm.yyyy\""), plain(), &["says nothing about how times"]);
    refused_as(&with("time_zone = \"Mars\""), plain(), &["not a known time zone"]);
    let both = with("time_format = \"%d.%m.%Y\"\ntime_unit = \"h\"");
    refused_as(&both, plain(), &["both `time_unit` and `time_format`"]);
    let zones = plain().replacen("05:00:00Z", "05:00:00", 1);
    refused(zones, &["row 6", "without a zone, but the first row is a calendar time with a zone"]);
}

#[test]
fn dates_that_could_be_two() {
    // The first twelve days of months: nothing tells the day from the month.
    let doubtful = |order: fn(usize, usize) -> String| {
        let rows: Vec<_> = (0..ROWS).map(|i| (1 + i / 42, i % 42)).collect();
        let row = |&(d, k): &(usize, usize)| {
            format!("{} {:02}:{:02},{},{}", order(d, 2), k / 2, 30 * (k % 2), d * k, 3 * k + d)
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        format!("time,temperature,displacement\n{}\n", rows.join("\n"))
    };
    let day_first = doubtful(|d, m| format!("{d:02}/{m:02}/2013"));
    refused(&day_first, &["row 1", "may begin with the day or with the month", "\"day-first\""]);
    let length = |keys: &str, bytes: &str| {
        let (fit, said) = fit_of(&with(keys), &[("r.csv", bytes.as_bytes())]).unwrap();
        assert!(said.is_empty(), "{said:?}");
        fit.data.seconds[ROWS - 1]
    };
    let days = 11.0 * 86_400.0 + 41.0 * 1800.0;
    assert_eq!(length("time_format = \"day-first\"", &day_first), days);
    let month_first = doubtful(|d, m| format!("{m:02}/{d:02}/2013"));
    assert_eq!(length("time_format = \"month-first\"", &month_first), days);
    // The wrong word is found out by a day beyond 12.
    let long = dated(|d, h| format!("{d:02}/01/2013 {h:02}:00"));
    refused_as(
        &with("time_format = \"month-first\""),
        long,
        &["row 289", "not written like the first time"],
    );
}

#[test]
fn times_that_are_numbers() {
    let times = |unit: &str, scale: f64, first: f64| {
        let number =
            |i| format!("{},{},{}", first + scale * i as f64, temperature(i), displacement(i));
        (with(&format!("time_unit = \"{unit}\"")), table("time,temperature,displacement", number))
    };
    for (unit, scale) in [("s", 3600.0), ("min", 60.0), ("h", 1.0), ("ms", 3.6e6)] {
        let (keys, bytes) = times(unit, scale, 0.0);
        reads_as(&keys, bytes, &[]);
    }
    let (keys, bytes) = times("h", 1.0, 17.0);
    reads_as(&keys, bytes, &[]);
    let half = |i: usize| {
        [comma(0.5 * i as f64 + 0.5), comma(temperature(i)), comma(displacement(i))].join(";")
    };
    let keys = with("time_unit = \"h\"");
    let bytes = table("time;temperature;displacement", half);
    let (fit, _) = fit_of(&keys, &[("r.csv", bytes.as_bytes())]).unwrap();
    assert_eq!(fit.data.seconds[..3], [0.0, 1800.0, 3600.0]);
    reads_as(&with("time_unit = \"h\""), plain(), &["`time_unit` is not used"]);
}

#[test]
fn order_of_rows() {
    let order = |order: Vec<usize>| {
        let rows: Vec<_> = order.into_iter().map(row).collect();
        format!("time,temperature,displacement\n{}\n", rows.join("\n"))
    };
    let backwards = order((0..ROWS).rev().collect());
    let swapped = order((0..ROWS).map(|i| if i < 480 { i ^ 1 } else { i }).collect());
    let sort = with("sort = true");
    reads_as(&sort, &backwards, &["503 rows came before the row above"]);
    reads_as(&sort, &swapped, &["240 rows came before"]);
    reads_as(&sort, plain(), &[]);
    refused(&backwards, &["row 2", "comes before the row above", "sort = true"]);
    refused(&swapped, &["row 2", "comes before the row above"]);
    let twice = order((0..ROWS).flat_map(|i| vec![i; 1 + usize::from(i % 100 == 7)]).collect());
    reads(&twice, &["5 rows repeat earlier ones"]);
    reads_as(&sort, &twice, &["5 rows repeat others"]);
    let other = |text: String| text.replacen(&row(9), &format!("{}\n{},1,1", row(9), iso(9)), 1);
    refused(other(plain()), &["row 11", "repeats the time of line 11 with other values"]);
    refused_as(&sort, other(plain()), &["lines 11 and 12 give the same time with other values"]);
    refused_as(&with("sort = 1"), plain(), &["`data.sort` is 1; expected true or false"]);
}

#[test]
fn units_by_name() {
    let converted = |drive: fn(f64) -> f64, response: fn(f64) -> f64| {
        table("time,temperature,displacement", |i| {
            format!("{},{},{}", iso(i), drive(temperature(i)), response(displacement(i)))
        })
    };
    for name in ["°F", "F"] {
        let bytes = converted(|c| 32.0 + 1.8 * c, |z| z);
        reads_as(&with(&format!("drive_unit = \"{name}\"")), bytes, &[]);
    }
    reads_as(&with("drive_unit = \"K\""), converted(|c| c + 273.15, |z| z), &[]);
    reads_as(&with("drive_unit = \"°C\""), plain(), &[]);
    for (name, mm) in [("in", 25.4), ("ft", 304.8), ("cm", 10.0), ("um", 1e-3), ("µm", 1e-3)] {
        let bytes = table("time,temperature,displacement", |i| {
            format!("{},{},{}", iso(i), temperature(i), displacement(i) / mm)
        });
        reads_as(&but("\"mm\"", &format!("\"{name}\"")), bytes, &[]);
    }
    refused_as(&with("drive_unit = \"R\""), plain(), &["unit of temperature `R`", "°F"]);
    refused_as(&but("\"mm\"", "\"inch\""), plain(), &["unit of length `inch`", "in, ft"]);
}

#[test]
fn two_files() {
    let drive = table("time,temperature", |i| format!("{},{}", iso(i), temperature(i)));
    let response = table("time,displacement", |i| format!("{},{}", iso(i), displacement(i)));
    let keys = but("file = \"r.csv\"", "drive_file = \"d.csv\"\nresponse_file = \"r.csv\"");
    let read = |keys: &str, drive: &str, response: &str| {
        fit_of(keys, &[("d.csv", drive.as_bytes()), ("r.csv", response.as_bytes())])
    };
    let (fit, said) = read(&keys, &drive, &response).unwrap();
    is_the_record(&fit);
    assert!(said.is_empty(), "{said:?}");
    let (fit, _) = read(&with("drive_file = \"d.csv\""), &drive, &response).unwrap();
    is_the_record(&fit);

    // A response that begins two hours and a half later.
    let later = table("time,displacement", |i| {
        format!("{},{}", iso(i).replace("00:00Z", "30:00Z"), displacement(i))
    });
    let later = later.replacen(&format!("2013-01-01T00:30:00Z,{}\n", displacement(0)), "", 1);
    let later = later.replacen(&format!("2013-01-01T01:30:00Z,{}\n", displacement(1)), "", 1);
    let (fit, said) = read(&keys, &drive, &later).unwrap();
    assert!(said[0].contains("measured at different times"), "{said:?}");
    assert_eq!(fit.data.tolerance, Some(3600.0));
    assert_eq!(fit.data.seconds[..5], [0.0, 3600.0, 7200.0, 9000.0, 10_800.0]);
    assert!(fit.data.response_values[2].is_nan() && fit.data.drive_values[3].is_nan());
    assert!((1e3 * fit.data.response_values[3] - displacement(2)).abs() < 1e-9);
    let (fit, said) = read(&format!("{keys}tolerance = \"30 min\"\n"), &drive, &later).unwrap();
    assert!(said.is_empty() && fit.data.tolerance == Some(1800.0));

    let local = response.replace('Z', "");
    let message = read(&keys, &drive, &local).unwrap_err();
    assert!(message.contains("in ways that cannot be compared"), "{message}");
    let missing = read(&but("file = \"r.csv\"", "response_file = \"r.csv\""), &drive, &response);
    assert!(missing.unwrap_err().contains("`data.drive_file` is missing"));
    let missing = read(&but("file = \"r.csv\"", "drive_file = \"d.csv\""), &drive, &response);
    assert!(missing.unwrap_err().contains("`data.response_file` is missing"));

    // In one file, but never in the same row.
    let in_turn = table("time,temperature,displacement", |i| match i % 2 {
        0 => format!("{},{},", iso(i), temperature(i)),
        _ => format!("{},,{}", iso(i), displacement(i)),
    });
    refused(&in_turn, &["have values in the same row 0 times only", "tolerance"]);
    let (fit, _) = fit_of(&with("tolerance = \"1h\""), &[("r.csv", in_turn.as_bytes())]).unwrap();
    assert_eq!(fit.options().tolerance, Some(3600.0));
}

#[test]
fn shift_and_noise_are_passed_on() {
    let keys = with("shift = \"-1h\"\ndrive_noise = 0.18\ndrive_unit = \"°F\"");
    let (fit, _) = fit_of(&keys, &[("r.csv", plain().as_bytes())]).unwrap();
    let options = fit.options();
    assert_eq!(options.shift, stickslip_calibrate::Shift::Fixed(-3600.0));
    assert!((options.drive_noise.unwrap() - 0.1).abs() < 1e-12);
    let (fit, _) = fit_of(&with("shift = \"fit\""), &[("r.csv", plain().as_bytes())]).unwrap();
    assert_eq!(fit.options().shift, stickslip_calibrate::Shift::Fitted);
    refused_as(&with("shift = \"soon\""), plain(), &["`soon` is not a duration"]);
}

#[test]
fn start_and_end_in_the_zone_of_the_record() {
    let keys = with("start = 2013-01-03\nend = \"2013-01-08T12:00\"");
    for bytes in [plain(), dated(|d, h| format!("{d:02}.01.2013 {h:02}:00"))] {
        let (fit, _) = fit_of(&keys, &[("r.csv", bytes.as_bytes())]).unwrap();
        let seconds = &fit.data.seconds;
        assert_eq!((seconds[0], seconds[seconds.len() - 1]), (172_800.0, 648_000.0));
    }
    refused_as(&with("start = \"soon\""), plain(), &["`soon` is not a time"]);
}

#[test]
fn what_is_no_table() {
    refused("", &["r.csv: the file is empty"]);
    refused("\n \n", &["the file is empty"]);
    refused("time,temperature,displacement\n", &["no row below the header"]);
    refused("time,temperature,displacement\n,°C,mm\n", &["no row below the header"]);
    refused(b"PAR1\x15\x04", &["Parquet"]);
    refused(b"PK\x03\x04rest", &["spreadsheet", "export"]);
    refused(b"\0\0\0\0", &["binary"]);
    let whole = gzip(plain());
    refused(&whole[..whole.len() / 2], &["cannot be read"]);
    let said = match cfg!(feature = "parquet") {
        true => "r.parquet: cannot be opened",
        false => "Parquet cannot be read by this program",
    };
    refused_as(&but("r.csv", "r.parquet"), plain(), &[said]);
    refused_as(&but("r.csv", "x.csv"), plain(), &["x.csv: cannot be opened", "fit.toml:2:8"]);
    // From standard input, which a program offers under this name.
    let keys = but("r.csv", "-");
    let (fit, _) = fit_of(&keys, &[("-", plain().as_bytes())]).unwrap();
    is_the_record(&fit);
}
