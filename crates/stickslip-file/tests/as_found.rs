//! Files as they are found: each is read as the record that it holds, or refused with a message that says what to do.
//! None is silently read as something else. `cargo test -p stickslip-file as_found -- --nocapture` prints the list.

use crate::common::{
    DATA, ROWS, but, comma, day, displacement, fit_of, gzip, is_the_record, iso, plain, row, table,
    temperature, wide, with,
};

/// What becomes of a file.
enum Verdict {
    /// Read as the record; these words stand in its warnings, one in each.
    Read(&'static [&'static str]),
    /// Refused; these words stand in the message and its help.
    Refused(&'static [&'static str]),
}

use Verdict::{Read, Refused};

/// A file as it is found.
struct Found {
    /// Where such files come from.
    name: &'static str,
    /// What `[data]` says of it.
    keys: String,
    bytes: Vec<u8>,
    verdict: Verdict,
}

fn found(name: &'static str, bytes: impl AsRef<[u8]>, verdict: Verdict) -> Found {
    keyed(name, DATA.to_owned(), bytes, verdict)
}

fn keyed(name: &'static str, keys: String, bytes: impl AsRef<[u8]>, verdict: Verdict) -> Found {
    Found { name, keys, bytes: bytes.as_ref().to_vec(), verdict }
}

/// The record with times written in another way.
fn dated(stamp: impl Fn(usize, usize) -> String) -> String {
    table("time,temperature,displacement", |i| {
        let (day, hour) = day(i);
        format!("{},{},{}", stamp(day, hour), temperature(i), displacement(i))
    })
}

/// The record with times that are numbers.
fn counted(time: impl Fn(usize) -> String) -> String {
    table("time,temperature,displacement", |i| {
        format!("{},{},{}", time(i), temperature(i), displacement(i))
    })
}

/// German columns, as spreadsheets export them.
fn german(i: usize) -> String {
    let (day, hour) = day(i);
    format!("{day:02}.01.2013 {hour:02}:00;{};{}", comma(temperature(i)), comma(displacement(i)))
}

/// The plain file with one row in another form.
fn line(i: usize, to: &str) -> String {
    plain().replacen(&row(i), to, 1)
}

fn epoch(i: usize) -> u64 {
    1_356_998_400 + 3600 * i as u64
}

fn twelve(h: usize) -> (usize, &'static str) {
    (if h.is_multiple_of(12) { 12 } else { h % 12 }, if h < 12 { "AM" } else { "PM" })
}

/// Exports of programs.
fn exports() -> Vec<Found> {
    let semicolons = "time;temperature;displacement";
    let hobo = table("\"#\",\"Date Time, GMT+00:00\",\"Temp, °C\",\"Disp, mm\"", |i| {
        let (day, (hour, half)) = (day(i).0, twelve(day(i).1));
        let (t, z) = (temperature(i), displacement(i));
        format!("{},\"01/{day:02}/13 {hour:02}:00:00 {half}\",{t},{z}", i + 1)
    });
    let hobo_keys = but("\"time\"", "\"Date Time, GMT+00:00\"")
        .replace("\"temperature\"", "\"Temp, °C\"")
        .replace("\"displacement\"", "\"Disp, mm\"");
    let toa5 = table(
        "\"TOA5\",\"CR1000\",\"CR1000\",\"1234\",\"CPU:bridge.CR1\"\n\"time\",\"n\",\"temperature\",\"displacement\"\n\
         \"TS\",\"RN\",\"degC\",\"mm\"\n\"\",\"\",\"Avg\",\"Smp\"",
        |i| {
            let (day, hour) = day(i);
            format!(
                "\"2013-01-{day:02} {hour:02}:00:00\",{i},{},{}",
                temperature(i),
                displacement(i)
            )
        },
    );
    let index = table(",time,temperature,displacement", |i| format!("{i},{}", row(i)));
    let influx = table("name,time,temperature,displacement", |i| {
        format!("bridge,{}000000000,{},{}", epoch(i), temperature(i), displacement(i))
    });
    let sql = table("time\ttemperature\tdisplacement", |i| {
        let (day, hour) = day(i);
        format!("2013-01-{day:02} {hour:02}:00:00.000000\t{}\t{}", temperature(i), displacement(i))
    });
    vec![
        found("pandas, without an index", plain(), Read(&[])),
        found("pandas, with an index column without a name", index, Read(&[])),
        found(
            "German spreadsheet",
            table(semicolons, german),
            Read(&["separated by semicolons", "decimal commas"]),
        ),
        found(
            "spreadsheet that names its separator",
            format!("sep=;\r\n{}", table(semicolons, german).replace('\n', "\r\n")),
            Read(&["separated by semicolons", "one line above", "decimal commas"]),
        ),
        found(
            "spreadsheet text in UTF-16 with tabs",
            wide(&format!("\u{feff}{}", table(semicolons, german).replace(';', "\t")), true),
            Read(&["separated by tabs", "decimal commas"]),
        ),
        found(
            "Swiss spreadsheet, points and semicolons",
            table(semicolons, |i| row(i).replace(',', ";")),
            Read(&["separated by semicolons"]),
        ),
        keyed(
            "HOBO logger, years of two digits",
            hobo_keys.clone(),
            &hobo,
            Refused(&["row 1", "time_format"]),
        ),
        keyed(
            "HOBO logger with its time_format",
            hobo_keys + "time_format = \"%m/%d/%y %I:%M:%S %p\"\n",
            hobo,
            Read(&[]),
        ),
        found("Campbell TOA5", toa5, Read(&["one line above", "2 rows were left out"])),
        keyed("InfluxDB, nanoseconds", with("time_unit = \"ns\""), &influx, Read(&[])),
        found("InfluxDB, nanoseconds without a unit", influx, Refused(&["time_unit"])),
        found("SQL dump with tabs", sql, Read(&["separated by tabs"])),
        found(
            "R, write.csv with row names",
            table("\"\",\"time\",\"temperature\",\"displacement\"", |i| {
                format!("\"{}\",\"{}\",{},{}", i + 1, iso(i), temperature(i), displacement(i))
            }),
            Read(&[]),
        ),
        found("MATLAB, datestr", dated(|d, h| format!("{d:02}-Jan-2013 {h:02}:00:00")), Read(&[])),
        found("gzip", gzip(plain()), Read(&[])),
        found(
            "zip",
            b"PK\x03\x04\x14\0\0\0",
            Refused(&["spreadsheet or archive", "export the table"]),
        ),
        found(
            "old spreadsheet",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
            Refused(&["Excel workbook", "CSV UTF-8"]),
        ),
        found(
            "web page instead of a file",
            "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n",
            Refused(&["no column is called"]),
        ),
        found(
            "JSON",
            "[{\"time\": \"2013-01-01\", \"temperature\": 1.5}]\n",
            Refused(&["no column is called"]),
        ),
    ]
}

/// Times.
fn times() -> Vec<Found> {
    let at = |d: usize, h: usize| format!("2013-01-{d:02}T{h:02}:00:00");
    let berlin = |name, stamp: &dyn Fn(usize, usize) -> String, verdict| {
        keyed(name, with("time_zone = \"Europe/Berlin\""), dated(stamp), verdict)
    };
    let unit = |name, unit: &str, time: &dyn Fn(usize) -> String, verdict| {
        keyed(name, with(&format!("time_unit = \"{unit}\"")), counted(time), verdict)
    };
    vec![
        found("offset without a colon", dated(|d, h| at(d, h) + "+0100"), Read(&[])),
        found(
            "offset after a space",
            dated(|d, h| at(d, h).replace('T', " ") + " +01:00"),
            Refused(&["row 1", "is not a time"]),
        ),
        found(
            "the word UTC after the time",
            dated(|d, h| at(d, h).replace('T', " ") + " UTC"),
            Refused(&["row 1", "is not a time"]),
        ),
        found("fractions of a second", dated(|d, h| at(d, h) + ".250Z"), Read(&[])),
        found("seconds left out", dated(|d, h| format!("2013-01-{d:02} {h:02}:00")), Read(&[])),
        berlin("local times with their zone", &|d, h| at(d, h), Read(&[])),
        found(
            "day first, a day beyond 12",
            dated(|d, h| format!("{d:02}/01/2013 {h:02}:00")),
            Read(&["begin with the day"]),
        ),
        found(
            "month first, afternoon",
            dated(|d, h| format!("1/{d}/2013 {}:00 {}", twelve(h).0, twelve(h).1)),
            Read(&["begin with the month"]),
        ),
        found(
            "years of two digits",
            dated(|d, h| format!("{d:02}.01.13 {h:02}:00")),
            Refused(&["row 1", "is not a time", "time_format"]),
        ),
        keyed(
            "years of two digits with time_format",
            with("time_format = \"%d.%m.%y %H:%M\""),
            dated(|d, h| format!("{d:02}.01.13 {h:02}:00")),
            Read(&[]),
        ),
        found(
            "weekday in front",
            dated(|d, h| format!("Tue Jan {d:02} {h:02}:00:00 2013")),
            Refused(&["row 1", "is not a time"]),
        ),
        found(
            "digits only",
            dated(|d, h| format!("201301{d:02}{h:02}00")),
            Refused(&["may be a date or a number"]),
        ),
        unit("seconds since 1970", "s", &|i| epoch(i).to_string(), Read(&[])),
        found("seconds since 1970 without a unit", counted(|i| epoch(i).to_string()), Read(&[])),
        unit("milliseconds since 1970", "ms", &|i| format!("{}000", epoch(i)), Read(&[])),
        unit(
            "milliseconds since 1970 called seconds",
            "s",
            &|i| format!("{}000", epoch(i)),
            Refused(&["time_unit", "years"]),
        ),
        found(
            "milliseconds since 1970 without a unit",
            counted(|i| format!("{}000", epoch(i))),
            Refused(&["time_unit"]),
        ),
        unit("days of a spreadsheet", "d", &|i| (41275.0 + i as f64 / 24.0).to_string(), Read(&[])),
        found(
            "days of a spreadsheet without a unit",
            counted(|i| (41275.0 + i as f64 / 24.0).to_string()),
            Refused(&["time_unit"]),
        ),
        found(
            "day of the year without a unit",
            counted(|i| (1.0 + i as f64 / 24.0).to_string()),
            Refused(&["time_unit"]),
        ),
        found("hours without a unit", counted(|i| i.to_string()), Refused(&["time_unit"])),
        unit("hours with decimal points", "h", &|i| format!("{i}.0"), Read(&[])),
        found(
            "a time is missing",
            line(30, &format!(",{},{}", temperature(30), displacement(30))),
            Refused(&["row 31", "the time is missing"]),
        ),
        found(
            "a clock that was reset to 1970",
            line(30, &format!("1970-01-01T00:00:00Z,{},{}", temperature(30), displacement(30))),
            Refused(&["row 31", "comes before the row above"]),
        ),
        found(
            "a row of the year 2103",
            line(30, &format!("2103-01-02T06:00:00Z,{},{}", temperature(30), displacement(30))),
            Refused(&["row 32", "comes before the row above"]),
        ),
        found(
            "zones mixed",
            line(30, &row(30).replace('Z', "")),
            Refused(&["row 31", "without a zone"]),
        ),
        found(
            "newest first",
            table("time,temperature,displacement", |i| row(ROWS - 1 - i)),
            Refused(&["row 2", "sort = true"]),
        ),
        keyed(
            "newest first, sorted",
            with("sort = true"),
            table("time,temperature,displacement", |i| row(ROWS - 1 - i)),
            Read(&["503 rows came before"]),
        ),
    ]
}

/// Values.
fn values() -> Vec<Found> {
    let every = |to: &dyn Fn(usize) -> String| table("time,temperature,displacement", to);
    let point = |i: usize| format!("{:.2}", temperature(i));
    let word = |name, word: &str, verdict| {
        found(name, line(30, &format!("{},{word},{}", iso(30), displacement(30))), verdict)
    };
    vec![
        found(
            "decimal commas between commas",
            every(&|i| format!("{},{},{}", iso(i), comma(temperature(i)), comma(displacement(i)))),
            Refused(&["4 fields", "decimal commas"]),
        ),
        found(
            "decimal commas in quotes",
            every(&|i| {
                format!("{},\"{}\",\"{}\"", iso(i), comma(temperature(i)), comma(displacement(i)))
            }),
            Read(&["decimal commas"]),
        ),
        found(
            "points and commas mixed",
            table("time;temperature;displacement", |i| {
                if i == 9 { format!("{};1,5;2,5", iso(i)) } else { row(i).replace(',', ";") }
            }),
            Refused(&["row 10", "decimal comma"]),
        ),
        found(
            "thousands with a point and a comma",
            table("time;temperature;displacement", |i| {
                format!("{};{};1.{:03},5", iso(i), comma(temperature(i)), 100 + i)
            }),
            Refused(&["row 1", "not a number"]),
        ),
        found(
            "thousands with a blank",
            line(30, &format!("{},1.5,1 234.5", iso(30))),
            Refused(&["row 31", "not a number"]),
        ),
        found(
            "thousands with an apostrophe",
            line(30, &format!("{},1.5,1'234.5", iso(30))),
            Refused(&["row 31", "not a number"]),
        ),
        found(
            "a minus sign of a text program",
            every(&|i| {
                format!("{},{},{}", iso(i), point(i).replace('-', "\u{2212}"), displacement(i))
            }),
            Read(&[]),
        ),
        found(
            "units behind the numbers",
            every(&|i| format!("{},{} °C,{} mm", iso(i), temperature(i), displacement(i))),
            Refused(&["row 1", "not a number", "remove what stands behind"]),
        ),
        found(
            "brackets for negative numbers",
            line(30, &format!("{},(1.5),{}", iso(30), displacement(30))),
            Refused(&["row 31", "not a number"]),
        ),
        word("a word for overflow", "OVER", Refused(&["row 31", "`OVER` is not a number"])),
        keyed(
            "a word for overflow, declared",
            with("missing = [\"OVER\"]"),
            line(30, &format!("{},OVER,{}", iso(30), displacement(30))).replacen(
                &format!("{},OVER", iso(30)),
                &format!("{},{}", iso(30), temperature(30)),
                1,
            ),
            Read(&[]),
        ),
        word("infinity", "inf", Refused(&["row 31", "not finite"])),
        word("a number beyond all bounds", "1e400", Refused(&["row 31", "not finite"])),
        word("hexadecimal", "0x1F", Refused(&["row 31", "not a number"])),
        word("an error of a spreadsheet", "#REF!", Refused(&["row 31", "not a number"])),
        word("a remark behind the number", "1.5 # check", Refused(&["row 31", "not a number"])),
        word("true instead of a number", "TRUE", Refused(&["row 31", "not a number"])),
        found(
            "an empty column",
            every(&|i| format!("{},,{}", iso(i), displacement(i))),
            Refused(&["`temperature` holds no number"]),
        ),
        found(
            "a constant column",
            every(&|i| format!("{},21.5,{}", iso(i), displacement(i))),
            Refused(&["21.5 in every row"]),
        ),
    ]
}

/// Rows and columns.
fn rows() -> Vec<Found> {
    let text = plain();
    let (head, body) = text.split_once('\n').unwrap();
    let halves: Vec<&str> = body.lines().collect();
    let halves = halves.split_at(halves.len() / 2);
    let appended = format!("{head}\n{}\n{head}\n{}\n", halves.0.join("\n"), halves.1.join("\n"));
    let summary = format!("{text}Mean,0.1,4.0\n");
    vec![
        found("two exports one after the other", appended, Read(&["the header comes again once"])),
        found("a summary at the end", summary, Refused(&["row 505", "is not a time"])),
        found(
            "a file that ends in the middle of a row",
            &text[..text.len() - 12],
            Refused(&["row 504"]),
        ),
        found(
            "zeros of a lost battery at the end",
            [text.as_bytes(), &[0u8; 64]].concat(),
            Refused(&["row 505"]),
        ),
        found("ends of lines of two kinds", text.replacen('\n', "\r\n", 200), Read(&[])),
        found("blank lines between the rows", text.replace('\n', "\n\n"), Read(&[])),
        found(
            "a row that is too short",
            line(30, "2013-01-02T06:00:00Z,1"),
            Refused(&["row 31", "ends after 2 of 3"]),
        ),
        found(
            "a row that is too long",
            line(30, &(row(30) + ",5")),
            Refused(&["row 31", "4 fields"]),
        ),
        found(
            "separators at the end of every row",
            table("time,temperature,displacement,", |i| row(i) + ","),
            Read(&[]),
        ),
        found(
            "names with blanks",
            text.replacen(
                "time,temperature,displacement",
                " time , temperature , displacement ",
                1,
            ),
            Read(&[]),
        ),
        found(
            "names in capitals",
            text.replacen("temperature", "Temperature", 1),
            Refused(&["no column is called `temperature`", "did you mean `Temperature`"]),
        ),
        found("no names at all", body, Refused(&["no column is called"])),
        found(
            "the same name twice",
            text.replacen("time,temperature", "temperature,time,temperature", 1),
            Refused(&["two columns are called `temperature`"]),
        ),
        found("columns of blanks", text.replace(',', "    "), Read(&["separated by blanks"])),
        found(
            "repeated rows",
            text.replacen(&row(30), &format!("{}\n{}", row(30), row(30)), 1),
            Read(&["1 row repeats"]),
        ),
        found(
            "two values for one time",
            text.replacen(&row(30), &format!("{}\n{},1,1", row(30), iso(30)), 1),
            Refused(&["row 32", "repeats the time of line 32"]),
        ),
        found(
            "a quote that is never closed",
            line(30, &format!("{},\"1.5", iso(30))),
            Refused(&["row 31"]),
        ),
        found("nothing", "", Refused(&["empty"])),
        found("names only", format!("{head}\n"), Refused(&["no row below the header"])),
        found(
            "fifty rows",
            text.lines().take(51).collect::<Vec<_>>().join("\n"),
            Refused(&["50 samples", "longer record"]),
        ),
    ]
}

#[test]
fn every_file_is_read_or_refused() {
    let all: Vec<Found> = [exports(), times(), values(), rows()].into_iter().flatten().collect();
    let mut wrong = Vec::new();
    let mut count = [0, 0];
    for file in &all {
        let outcome = fit_of(&file.keys, &[("r.csv", &file.bytes)]);
        let (right, said) = match (&outcome, &file.verdict) {
            (Ok((fit, warnings)), Read(said)) => {
                is_the_record(fit);
                let each = said.iter().zip(warnings).all(|(s, w)| w.contains(s));
                (each && said.len() == warnings.len(), warnings.join("; "))
            }
            (Err(message), Refused(said)) => {
                (said.iter().all(|s| message.contains(s)), message.clone())
            }
            (Ok((_, warnings)), _) => (false, format!("read: {}", warnings.join("; "))),
            (Err(message), _) => (false, message.clone()),
        };
        count[usize::from(outcome.is_err())] += 1;
        println!("{} | {} | {said}", file.name, if outcome.is_ok() { "read" } else { "refused" });
        if !right {
            wrong.push(format!("{}: {said}", file.name));
        }
    }
    println!("{} files: {} read, {} refused", all.len(), count[0], count[1]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut names: Vec<&str> = all.iter().map(|f| f.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "two files of one name");
    assert!(all.len() >= 60);
}
