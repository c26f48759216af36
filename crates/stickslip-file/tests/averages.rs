//! Fit files whose columns are means over an interval.

use stickslip_file::fit::Records;
use stickslip_file::{Document, FitFile, Memory, Reading};

/// A row every 20 ms; one of them 2 ms early if `uneven`.
fn table(uneven: bool) -> String {
    let mut rows = "t,base,x,v\n".to_owned();
    for i in 0..200 {
        let t = 0.02 * f64::from(i) - if uneven && i == 50 { 0.002 } else { 0.0 };
        let wave = (7.0 * t).sin();
        rows += &format!("{t},{},{wave},{}\n", 0.1 * wave, 7.0 * (7.0 * t).cos());
    }
    rows
}

fn read(text: &str, uneven: bool) -> Result<Records, String> {
    let memory = Memory::default().with("r.csv", table(uneven));
    let document = Document::parse("fit.toml", text).map_err(|e| e.to_string())?;
    FitFile::read(&document, &Reading::new(memory))
        .map(|f| f.records)
        .map_err(|e| format!("{e} help: {}", e.help_text().unwrap_or_default()))
}

/// Two measured columns, the second with `own`; `common` in `[data]`, and another table of it.
fn model(common: &str, own: &str, further: &str) -> String {
    format!(
        "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n{common}\n{further}\n\
         [[data.measured]]\nwhat = \"x\"\ncolumn = \"x\"\n\
         [[data.measured]]\nwhat = \"v\"\ncolumn = \"v\"\n{own}\n\
         [model]\nkind = \"model\"\n[model.oscillator]\nmass = 1.0\nstiffness = 49.0\n\
         friction.coulomb.force = 0.1\n[model.run]\nend = 1.0\n\
         [fit.unknown]\n\"oscillator.friction.coulomb.force\" = {{ from = 0.0, to = 1.0 }}\n"
    )
}

const DRIVE: &str = "[[data.drive]]\ninto = \"oscillator.drive\"\ncolumn = \"base\"\n";

/// What the two columns are means over, s; 0 of readings.
fn lengths(text: &str, uneven: bool) -> [f64; 2] {
    let Records::Model(file) = read(text, uneven).unwrap() else { panic!("no model") };
    let sensors = file.asked().1.sensors;
    [sensors[0].average, sensors[1].average]
}

#[test]
fn an_interval_is_that_of_the_rows_or_a_duration() {
    let near = |found: [f64; 2], expected: [f64; 2]| {
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-12, "{found:?} {expected:?}");
    };
    near(lengths(&model("", "", ""), false), [0.0, 0.0]);
    near(lengths(&model("average = true", "", ""), false), [0.02, 0.02]);
    near(lengths(&model("average = false", "", ""), true), [0.0, 0.0]);
    near(lengths(&model("average = \"0.1 s\"", "", ""), true), [0.1, 0.1]);
    near(lengths(&model("average = true", "average = \"5 ms\"", ""), false), [0.02, 0.005]);
    // A column of means next to what drives, which are readings.
    near(lengths(&model("", "average = true", DRIVE), false), [0.0, 0.02]);
}

#[test]
fn what_is_no_interval_is_refused() {
    for (text, uneven, says) in [
        (
            model("average = true", "", ""),
            true,
            ["not evenly spaced", "0.018000 s", "as a duration"],
        ),
        (model("average = \"3 s\"", "", ""), false, ["3.000000 s", "lasts 3.980000 s", "unit"]),
        (
            model("average = 0.02", "", ""),
            false,
            ["`data.average`", "true or a duration", "average = true"],
        ),
        (
            model("average = \"20\"", "", ""),
            false,
            ["`20` is not a duration", "a unit", "write it as"],
        ),
        (
            model("average = true", "", DRIVE),
            false,
            ["`base` drives the model", "each instant", "[[data.measured]]"],
        ),
    ] {
        let said = read(&text, uneven).unwrap_err();
        says.iter().for_each(|s| assert!(said.contains(s), "{said} lacks {s}"));
    }
}

fn servo(drive: &str, model: &str) -> String {
    format!(
        "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\naverage = true\n{drive} = \"base\"\nposition = \"x\"\n\
         [model]\nkind = \"servo\"\ntorque_constant = 0.3\narmature = 0.002\n{model}\nfriction.coulomb.force = 0.02\n\
         [fit.unknown]\n\"friction.coulomb.force\" = {{ from = 0.0, to = 0.2 }}\n"
    )
}

#[test]
fn a_servo_takes_means_of_its_angle_under_a_goal() {
    let Records::Servo(file) = read(&servo("goal", "gain = 12.0"), false).unwrap() else {
        panic!("no servo")
    };
    assert!((file.asked().unwrap().1.sensors[0].average - 0.02).abs() < 1e-12);
    let said = read(&servo("voltage", ""), false).unwrap_err();
    for s in ["mean of the voltage", "when it changed", "record readings"] {
        assert!(said.contains(s), "{said} lacks {s}");
    }
}

/// Kinds that read slips, reversals and forces from the rows say why they take no means.
#[test]
fn other_kinds_say_why_they_take_no_means() {
    for (kind, columns) in [
        ("pulled-slider", "response = \"x\"\nresponse_unit = \"N\""),
        ("rigid-drive", "position = \"x\""),
        ("hysteresis", "displacement = \"x\"\ndisplacement_unit = \"mm\"\nforce = \"v\""),
        ("valve", "output = \"x\"\nprocess_variable = \"v\""),
        (
            "friction-curve",
            "velocity = \"v\"\nvelocity_unit = \"m/s\"\neffort = \"x\"\neffort_unit = \"N\"",
        ),
        ("isolator", "displacement_x = \"x\""),
        ("rock-friction", "displacement = \"x\""),
    ] {
        let model = if kind == "pulled-slider" {
            "velocity = 1.0\nstiffness = 1.0\nmass = 1.0"
        } else {
            ""
        };
        let text = format!(
            "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n{columns}\naverage = true\n[model]\nkind = \"{kind}\"\n{model}\n"
        );
        let said = read(&text, false).unwrap_err();
        for s in ["unknown key `data.average`", "a mean smooths them", "record readings"] {
            assert!(said.contains(s), "{kind}: {said} lacks {s}");
        }
    }
}

/// A record of a bearing with a row every 20 ms takes the interval of its means, too.
#[test]
fn a_bearing_takes_means() {
    let of = |average: &str| {
        let text = format!(
            "[data]\nfile = \"r.csv\"\ntime = \"t\"\ntime_unit = \"s\"\n{average}\ndrive = \"base\"\nresponse = \"x\"\nresponse_unit = \"mm\"\n\
             [model]\nkind = \"thermal-bearing\"\n"
        );
        let Records::Bearings { fits, .. } = read(&text, false)? else { panic!("no bearing") };
        Ok::<_, String>(fits[0].options().average)
    };
    assert_eq!(of(""), Ok(None));
    assert_eq!(of("average = false"), Ok(None));
    let length = |said: &str| of(said).unwrap().unwrap();
    assert!((length("average = true") - 0.02).abs() < 1e-12);
    assert!((length("average = \"10 ms\"") - 0.01).abs() < 1e-12);
    let said = of("average = 0.02").unwrap_err();
    assert!(said.contains("true or a duration"), "{said}");
}
