//! Ways of writing one table: each is read right, or asked about; none gives another number in silence.
//!
//! The record is a damper of 80 N with a spring of 500 N/m and a dashpot of 600 N·s/m, a sine of 30 mm at 0.7 Hz, 100 rows a second:
//! the damping is wrong where times are, the friction where values are.

use stickslip::portable;
use stickslip_file::{Document, Memory, Reading};
use stickslip_run::{Calibrate, Context, Input, calibrate};

const FIT: &str = "[data]\nfile = \"a.csv\"\ntime = \"time\"\ndisplacement = \"x\"\n\
    displacement_unit = \"m\"\nforce = \"F\"\n[model]\nkind = \"hysteresis\"\n";

/// What is expected of a way of writing.
enum Expected {
    Right,
    /// An error with this part, or with each of these.
    Question(&'static str),
}
use Expected::{Question, Right};

struct Row {
    t: f64,
    x: f64,
    f: f64,
}

fn record() -> Vec<Row> {
    let (mut stretch, mut before, mut state) = (0.0f64, 0.0, 7u64);
    let rows = 900;
    let row = |i: usize| {
        let t = 0.01 * i as f64;
        let w = std::f64::consts::TAU * 0.7;
        let (x, v) = (0.03 * portable::sin(w * t), 0.03 * w * portable::cos(w * t));
        stretch = (stretch + x - before).clamp(-2e-3, 2e-3);
        before = x;
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = ((state >> 33) as f64 / f64::from(1u32 << 31) - 0.5) * 0.4;
        Row { t, x, f: 40_000.0 * stretch + 500.0 * x + 600.0 * v + noise }
    };
    (0..rows).map(row).collect()
}

/// The three fields of each row.
fn fields(time: impl Fn(f64) -> String) -> Vec<[String; 3]> {
    let one = |r: &Row| [time(r.t), format!("{:.6}", r.x), format!("{:.3}", r.f)];
    record().iter().map(one).collect()
}

fn seconds(t: f64) -> String {
    format!("{t:.3}")
}

fn table(head: &[&str], rows: &[[String; 3]], separator: &str, end: &str) -> String {
    let mut out = head.join(separator) + end;
    for row in rows {
        out += &(row.join(separator) + end);
    }
    out
}

const HEAD: [&str; 3] = ["time", "x", "F"];

fn plain() -> String {
    table(&HEAD, &fields(seconds), ",", "\n")
}

/// Each field of each row changed.
fn each(change: impl Fn(&str) -> String) -> Vec<[String; 3]> {
    fields(seconds).into_iter().map(|row| row.map(|f| change(&f))).collect()
}

/// As `D` of a format of Fortran writes it.
fn fortran(x: f64) -> String {
    let text = format!("{x:.7e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    format!("{digits}D{exponent:+03}")
}

fn commas(field: &str) -> String {
    field.replace('.', ",")
}

/// Rows 100 to 109 hold this instead of values.
fn missing(by: &str) -> String {
    let mut rows = fields(seconds);
    rows[100..110].iter_mut().for_each(|r| (r[1], r[2]) = (by.to_owned(), by.to_owned()));
    table(&HEAD, &rows, ",", "\n")
}

/// The time of day 12:00:00 on 31 January 2024 and after, by hour, minute and second.
fn clock(t: f64) -> (u32, u32, f64) {
    let (minutes, rest) = ((t / 60.0).floor(), t % 60.0);
    (12, minutes as u32, rest)
}

fn iso(t: f64, between: &str, zone: &str) -> String {
    let (h, m, s) = clock(t);
    format!("2024-01-31{between}{h:02}:{m:02}:{s:06.3}{zone}")
}

/// With a column in front of the force, which is not asked for; empty fields of blanks leave no trace.
fn four(separator: &str, more: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = ["time", "x", "T", "F"].join(separator) + "\n";
    for (i, [t, x, f]) in fields(seconds).into_iter().enumerate() {
        out += &([t, x, more(i), f].join(separator) + "\n");
    }
    out.into_bytes()
}

/// Half of one table, and the other half of another.
fn mixed(first: &[u8], second: &[u8]) -> Vec<u8> {
    let end = |all: &[u8]| {
        let ends = all.iter().enumerate().filter(|b| *b.1 == b'\n');
        ends.map(|b| b.0).nth(450).unwrap() + 1
    };
    [&first[..end(first)], &second[end(second)..]].concat()
}

fn separated() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let rows = fields(seconds);
    let with = |separator| table(&HEAD, &rows, separator, "\n").into_bytes();
    let aligned = {
        let line = |r: &[String]| r.iter().map(|f| format!("{f:>14}")).collect::<String>() + "\n";
        let head = HEAD.map(str::to_owned);
        line(&head) + &rows.iter().map(|r| line(r)).collect::<String>()
    };
    let trailing = |text: &str| text.replace('\n', " \n").into_bytes();
    vec![
        ("commas", with(","), Right),
        ("semicolons", with(";"), Right),
        ("tabs", with("\t"), Right),
        ("bars", with("|"), Right),
        ("blanks", with(" "), Right),
        ("several blanks", with("   "), Right),
        ("aligned by blanks", aligned.clone().into_bytes(), Right),
        ("blanks at the ends of lines", trailing(&table(&HEAD, &rows, " ", "\n")), Right),
        ("blanks behind the sign of a remark", [b"# ".to_vec(), with(" ")].concat(), Right),
        ("a column more between blanks", four(" ", |_| "5".to_owned()), Right),
        (
            "a value that is missing between blanks",
            four("  ", |i| if i == 500 { String::new() } else { "5".to_owned() }),
            Question("3 fields, but the header names 4"),
        ),
        (
            "a value that is missing between commas",
            four(",", |i| if i == 500 { String::new() } else { "5".to_owned() }),
            Right,
        ),
        (
            "a text that holds a blank",
            four(" ", |i| if i == 500 { "too hot".to_owned() } else { "fine".to_owned() }),
            Question("5 fields, but the header names 4"),
        ),
        (
            "tabs above, blanks below",
            with(" ").strip_prefix(b"time x F").map(|r| [b"time\tx\tF", r].concat()).unwrap(),
            Question("is not a time"),
        ),
        (
            "commas above, semicolons below",
            mixed(&with(","), &with(";")),
            Question("is not a time"),
        ),
        (
            "semicolons above, commas below",
            mixed(&with(";"), &with(",")),
            Question("is not a time"),
        ),
        ("blanks above, tabs below", mixed(&with(" "), &with("\t")), Right),
        ("a comma and a blank", with(", "), Right),
        ("decimal commas, semicolons", table(&HEAD, &each(commas), ";", "\n").into(), Right),
        ("decimal commas, tabs", table(&HEAD, &each(commas), "\t", "\n").into(), Right),
        ("decimal commas, blanks", table(&HEAD, &each(commas), "  ", "\n").into(), Right),
        (
            "decimal commas, commas",
            table(&HEAD, &each(commas), ",", "\n").into(),
            Question("fields"),
        ),
        ("colons", with(":"), Question("no column is called `time`")),
    ]
}

fn framed() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let rows = fields(seconds);
    let text = plain();
    let body = text.split_once('\n').unwrap().1;
    let half = text.match_indices('\n').nth(400).unwrap().0 + 1;
    let again = |between: &str| format!("{}{between}{}", &text[..half], &text[half..]).into_bytes();
    let turned = |between: &str| {
        let swapped = |l: &str| {
            let [t, x, f] = l.split(',').collect::<Vec<_>>()[..] else { unreachable!() };
            format!("{t},{f},{x}\n")
        };
        let rest: String = text[half..].lines().map(swapped).collect();
        format!("{}{between}time,F,x\n{rest}", &text[..half]).into_bytes()
    };
    let before = |above: &str| format!("{above}{text}").into_bytes();
    let after = |below: &str| format!("{text}{below}").into_bytes();
    let named = |head: &str| format!("{head}\n{body}").into_bytes();
    let utf16: Vec<u8> =
        std::iter::once(0xfeffu16).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut latin = b"time,x,F,\xb0C\n".to_vec();
    body.lines().for_each(|l| latin.extend_from_slice(format!("{l},20\n").as_bytes()));
    let indexed: String =
        rows.iter().enumerate().map(|(i, r)| format!("{i},{}\n", r.join(","))).collect();
    vec![
        ("CR LF", text.replace('\n', "\r\n").into_bytes(), Right),
        ("CR", text.replace('\n', "\r").into_bytes(), Right),
        ("no end of the last line", text.trim_end().as_bytes().to_vec(), Right),
        ("a byte order mark", before("\u{feff}"), Right),
        ("UTF-16", utf16, Right),
        ("Latin-1", latin, Right),
        ("remarks", before("# logger 7\n# 2024\n"), Right),
        ("a preamble", before("Logger,7\nSerial,12345\n\n"), Right),
        ("two headers", before("Zeit,Weg,Kraft\n"), Right),
        ("a row of units", named("time,x,F\ns,m,N"), Right),
        ("units in brackets", named("time,x,F\n[s],[m],[N]"), Right),
        ("a unit that contradicts", named("time,x,F\ns,mm,N"), Question("in mm")),
        ("another unit in the header", named("time,x [mm],F"), Question("no column is called `x`")),
        ("blanks around names", named(" time , x , F "), Right),
        ("other names", named("Time,x,F"), Question("did you mean `Time`")),
        ("a name twice", named("time,x,x"), Question("two columns are called `x`")),
        ("no header", body.as_bytes().to_vec(), Question("first row holds numbers")),
        ("an index without a name", format!(",time,x,F\n{indexed}").into_bytes(), Right),
        ("the header again", again("time,x,F\n"), Right),
        ("the header and units again", again("time,x,F\ns,m,N\n"), Right),
        ("the header at once again", named("time,x,F\ntime,x,F"), Right),
        ("two orders of columns", named("time,x,F\ntime,F,x"), Question("named once more")),
        ("another order of columns further down", turned(""), Question("named once more")),
        (
            "another order behind a repeated header",
            turned("time,x,F\n"),
            Question("named once more"),
        ),
        ("a header with a column more", again("time,x,F,T\n"), Question("named once more")),
        ("a header with other names", again("Zeit,Weg,Kraft\n"), Question("`Zeit` is not a time")),
        ("two files one after the other", again("\u{feff}time,x,F\n"), Right),
        ("blank lines", again("\n\n"), Right),
        ("rows of commas", again(",,\n,,\n"), Right),
        ("a footer", after("Total,900,rows\n"), Question("`Total` is not a time")),
        ("commas at the ends of lines", text.replace('\n', ",\n").into_bytes(), Right),
        ("a short row", again("4.005,0.1\n"), Question("ends after 2 of 3 columns")),
        ("a long row", again("4.005,0.1,2,3\n"), Question("4 fields, but the header names 3")),
        ("a row that was cut off", text.as_bytes()[..text.len() - 9].to_vec(), Question("")),
        ("zeros", again("\0\0\0\0\n"), Question("")),
        (
            "HTML",
            b"<html><table><tr><td>time</td></tr></table></html>".to_vec(),
            Question("no column"),
        ),
    ]
}

fn valued() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let rows =
        |change: &dyn Fn(&str) -> String| table(&HEAD, &each(change), ",", "\n").into_bytes();
    let force = |change: &dyn Fn(f64) -> String| {
        let all = record();
        let one = |r: &Row| [seconds(r.t), format!("{:.6}", r.x), change(r.f)];
        table(&HEAD, &all.iter().map(one).collect::<Vec<_>>(), ";", "\n").into_bytes()
    };
    let scientific = |mark: &'static str| {
        move |f: &str| format!("{:.7e}", f.parse::<f64>().unwrap()).replace('e', mark)
    };
    let thousands = |separator: &'static str| {
        move |f: f64| {
            let whole = (1e3 * f).round();
            let sign = if whole < 0.0 { "-" } else { "" };
            let whole = whole.abs();
            format!("{sign}{}{separator}{:03}.0", (whole / 1e3).floor(), whole % 1e3)
        }
    };
    vec![
        ("quotes", rows(&|f| format!("\"{f}\"")), Right),
        ("quotes, decimal commas", rows(&|f| format!("\"{}\"", commas(f))), Right),
        ("single quotes", rows(&|f| format!("'{f}'")), Question("")),
        ("blanks around numbers", rows(&|f| format!("  {f} ")), Right),
        ("signs", rows(&|f| if f.starts_with('-') { f.into() } else { format!("+{f}") }), Right),
        ("powers of ten", rows(&scientific("e")), Right),
        ("capital powers of ten", rows(&scientific("E")), Right),
        ("powers of ten of Fortran", rows(&|f| fortran(f.parse().unwrap())), Right),
        ("the minus of typography", rows(&|f| f.replace('-', "\u{2212}")), Right),
        ("thousands, commas", force(&thousands(",")), Question("is not a number")),
        ("thousands, apostrophes", force(&thousands("'")), Question("is not a number")),
        ("thousands, blanks", force(&thousands(" ")), Question("is not a number")),
        ("a unit behind the number", force(&|f| format!("{f:.3} N")), Question("is not a number")),
        ("NaN", missing("NaN").into(), Right),
        ("empty", missing("").into(), Right),
        ("NA", missing("NA").into(), Right),
        ("null", missing("null").into(), Right),
        ("a dash", missing("-").into(), Right),
        ("dashes", missing("---").into(), Right),
        ("#N/A", missing("#N/A").into(), Right),
        ("#DIV/0!", missing("#DIV/0!").into(), Right),
        ("inf", missing("inf").into(), Question("is not finite")),
        ("ERR", missing("ERR").into(), Question("is not a number")),
    ]
}

fn timed() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let with = |time: &dyn Fn(f64) -> String| table(&HEAD, &fields(time), ",", "\n").into_bytes();
    let date = |order: &'static str| {
        move |t: f64| {
            let (h, m, s) = clock(t);
            let date = match order {
                "german" => "31.01.2024",
                "american" => "01/31/2024",
                _ => "02/01/2024",
            };
            format!("{date} {h:02}:{m:02}:{s:06.3}")
        }
    };
    let elapsed = |t: f64| {
        let (_, m, s) = clock(t);
        format!("00:{m:02}:{s:06.3}")
    };
    let counted = |first: f64| {
        move |t: f64| {
            let t = first + t;
            let (hours, rest) = ((t / 3600.0).floor(), t % 3600.0);
            format!("{hours:02}:{:02}:{:06.3}", (rest / 60.0).floor(), rest % 60.0)
        }
    };
    let mut reversed = fields(seconds);
    reversed.reverse();
    let twice: Vec<[String; 3]> =
        fields(seconds).into_iter().flat_map(|r| [r.clone(), r]).collect();
    vec![
        ("ISO 8601", with(&|t| iso(t, "T", "")), Right),
        ("ISO 8601 with a blank", with(&|t| iso(t, " ", "")), Right),
        ("ISO 8601 in UTC", with(&|t| iso(t, "T", "Z")), Right),
        ("ISO 8601 with an offset", with(&|t| iso(t, "T", "+01:00")), Right),
        ("a German date", with(&date("german")), Right),
        ("an American date", with(&date("american")), Right),
        ("day or month", with(&date("either")), Question("day or with the month")),
        ("elapsed hh:mm:ss.fff", with(&elapsed), Right),
        (
            "elapsed, decimal commas",
            table(
                &HEAD,
                &fields(elapsed).into_iter().map(|r| r.map(|f| commas(&f))).collect::<Vec<_>>(),
                ";",
                "\n",
            )
            .into(),
            Right,
        ),
        ("elapsed past a day", with(&counted(86_396.5)), Right),
        ("elapsed past four days", with(&counted(360_000.0 - 3.5)), Right),
        (
            "times of day past midnight",
            with(&|t| counted((86_396.5 + t) % 86_400.0)(0.0)),
            Question("begin again at midnight"),
        ),
        // 45,322 s, which a number of days of a spreadsheet might be.
        ("times of day after noon", with(&counted(45_322.0)), Right),
        (
            "powers of ten of Fortran between blanks",
            {
                let all = each(|f| fortran(f.parse().unwrap()));
                table(&HEAD, &all, "  ", "\n").into()
            },
            Right,
        ),
        ("elapsed mm:ss.fff", with(&|t| elapsed(t)[3..].to_owned()), Right),
        ("seconds since 1970", with(&|t| format!("{:.3}", 1_706_702_400.0 + t)), Right),
        (
            "milliseconds since 1970",
            with(&|t| format!("{:.0}", 1e3 * (1_706_702_400.0 + t))),
            Question("milliseconds since 1970"),
        ),
        (
            "days of a spreadsheet",
            with(&|t| format!("{:.9}", 45_322.5 + t / 86_400.0)),
            Question("days since 1900"),
        ),
        ("backwards", table(&HEAD, &reversed, ",", "\n").into(), Question("before the row above")),
        ("every row twice", table(&HEAD, &twice, ",", "\n").into(), Right),
    ]
}

#[test]
fn tables_are_read_right_or_asked_about() {
    let all: Vec<_> = [separated(), framed(), valued(), timed()].into_iter().flatten().collect();
    let count = all.len();
    let right = all.iter().filter(|way| matches!(way.2, Right)).count();
    let mut wrong = Vec::new();
    for (name, text, expected) in all {
        let reading = Reading::new(Memory::default().with("a.csv", text));
        let document = Document::parse("fit.toml", FIT).unwrap();
        let input = Input::new(&document, &reading);
        match (calibrate(&Calibrate::default(), &input, &Context::silent()), expected) {
            (Ok(product), Right) => {
                let of = |name: &str| {
                    product.summary["fit"]["parameters"][name]["value"].as_f64().unwrap_or(f64::NAN)
                };
                let (friction, damping) = (of("friction"), of("damping"));
                let right =
                    (friction / 80.0 - 1.0).abs() < 0.03 && (damping / 600.0 - 1.0).abs() < 0.03;
                if !right {
                    wrong.push(format!("{name}: {friction} N, {damping} N s/m"));
                }
            }
            (Ok(_), Question(_)) => wrong.push(format!("{name}: was not asked about")),
            (Err(e), Right) => wrong.push(format!("{name}: {}", e.message())),
            (Err(e), Question(part)) => {
                let said = format!("{e:?}");
                if !said.contains(part) || !said.contains("help") {
                    wrong.push(format!("{name}: `{part}` is not in {said}"));
                }
            }
        }
    }
    println!("{count} ways: {right} read right, {} asked about", count - right);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
