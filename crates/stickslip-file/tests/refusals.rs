//! What needs no rows is refused before the rows are read: a record may be long. The last row of the record here makes no sense, so that
//! whatever is told instead of it was told first.

use stickslip_file::{Document, FitFile, Memory, Reading};

/// Columns t, a, b, c, d; broken in its last row.
fn table() -> String {
    let mut rows = "t,a,b,c,d\n".to_owned();
    for i in 0..300 {
        let t = 0.1 * f64::from(i);
        rows += &format!("{t:.1},{:.6},{:.6},{},{:.6}\n", t.sin(), t.cos(), i % 7, (0.3 * t).sin());
    }
    rows + "30.0,what,is,this,here\n"
}

fn refused(text: &str) -> String {
    let memory = Memory::default().with("r.csv", table()).with("s.csv", table());
    let document = Document::parse("fit.toml", text).unwrap();
    FitFile::read(&document, &Reading::new(memory)).map(|_| ()).unwrap_err().to_string()
}

/// A kind with what stands in `[data]`, `[model]` and `[fit]`, and in `[fit.unknown]` if it has one.
struct Kind {
    name: &'static str,
    data: &'static str,
    model: &'static str,
    fit: &'static str,
    unknown: &'static str,
}

const OSCILLATOR: &str =
    "[model.oscillator]\nmass = 1.0\nstiffness = 2.0\nfriction.coulomb.force = 0.1";
const ELEMENTS: &str = "displacement = \"a\"\ndisplacement_unit = \"mm\"\nforce = \"b\"";

fn kinds() -> Vec<Kind> {
    let kind = |name, data, model, fit| Kind { name, data, model, fit, unknown: "" };
    vec![
        kind(
            "thermal-bearing",
            "drive = \"c\"\nresponse = \"a\"\nresponse_unit = \"mm\"",
            "bearing_stiffness = 2e9",
            "seed = 1",
        ),
        kind(
            "pulled-slider",
            "response = \"a\"\nresponse_unit = \"N\"",
            "velocity = 1e-4\nstiffness = 100.0\nmass = 0.1",
            "false_alarms = 0.01",
        ),
        kind(
            "rigid-drive",
            "position = \"a\"\nposition_unit = \"mm\"\nforce = \"b\"",
            "",
            "cutoff = 1.0",
        ),
        Kind {
            unknown: "oscillator.friction.coulomb.force = { from = 0.0, to = 1.0 }",
            ..kind(
                "model",
                "[[data.drive]]\ninto = \"oscillator.drive\"\ncolumn = \"b\"\n[[data.measured]]\nwhat = \"x\"\ncolumn = \"a\"",
                OSCILLATOR,
                "seed = 1",
            )
        },
        Kind {
            unknown: "friction.coulomb.force = { from = 0.0, to = 0.1 }",
            ..kind(
                "servo",
                "position = \"a\"\ngoal = \"b\"",
                "gain = 12.0\ntorque_constant = 0.3\narmature = 0.001\nfriction.coulomb.force = 0.02",
                "seed = 1",
            )
        },
        Kind {
            unknown: "friction.coulomb.force = { from = 0.0, to = 0.1 }",
            ..kind(
                "servo",
                "position = \"a\"\ngoal = \"b\"\nenabled = \"c\"",
                "gain = 12.0\ntorque_constant = 0.3\narmature = 0.001\nfriction.coulomb.force = 0.02",
                "seed = 1",
            )
        },
        kind("hysteresis", ELEMENTS, "", "elements = 40"),
        kind("hysteresis", ELEMENTS, "", "laws = [\"dahl\"]"),
        kind(
            "rock-friction",
            "displacement = \"a\"\ndisplacement_unit = \"um\"\nfriction = \"b\"",
            "",
            "trend = false",
        ),
        kind(
            "friction-curve",
            "velocity = \"a\"\nvelocity_unit = \"rad/s\"\neffort = \"b\"\neffort_unit = \"N·m\"",
            "",
            "least_velocity = 0.01",
        ),
    ]
}

impl Kind {
    fn text(&self) -> String {
        let Self { name, data, model, fit, unknown } = self;
        let files =
            if data.contains("enabled") { "files = [\"r.csv\"]" } else { "file = \"r.csv\"" };
        format!(
            "[data]\n{files}\ntime = \"t\"\ntime_unit = \"s\"\n{data}\n[model]\nkind = \"{name}\"\n{model}\n[fit]\n{fit}\n\
             [fit.unknown]\n{unknown}\n"
        )
        .replace("[fit.unknown]\n\n", "")
    }
}

#[test]
fn what_needs_no_rows_is_refused_before_they_are_read() {
    for kind in kinds() {
        let text = kind.text();
        let whole = refused(&text);
        assert!(
            whole.contains("is not a number") && whole.contains("line 302"),
            "{}: {whole}",
            kind.name
        );
        let first = |change: &dyn Fn(String) -> String, says: &str| {
            let changed = change(text.clone());
            assert_ne!(changed, text, "{}", kind.name);
            let said = refused(&changed);
            assert!(said.contains(says), "{}: {said} lacks {says}", kind.name);
        };
        let key = kind.fit.split(' ').next().unwrap();
        first(&|t| t.replace(kind.fit, &format!("{}\nsede = 2", kind.fit)), "sede");
        if key != "laws" {
            first(&|t| t.replace(kind.fit, &format!("{key} = [3.5, -1]")), key);
        }
        first(&|t| t.replace("\"a\"", "\"aa\""), "`aa`");
        first(&|t| t.replace("time_unit = \"s\"", "time_unit = \"fortnight\""), "fortnight");
        first(&|t| t.replace("kind = ", "knd = 1\nkind = "), "knd");
        for key in ["start", "end"] {
            let number = format!("time = \"t\"\n{key} = 5");
            first(&|t| t.replace("time = \"t\"", &number), "a time in quotes");
        }
        if !kind.unknown.is_empty() {
            first(&|t| t.replace("force = { from", "forze = { from"), "forze");
            first(
                &|t| {
                    t.replace("mass = 1.0", "mass = -1.0")
                        .replace("armature = 0.001", "armature = -1.0")
                },
                "-1.0",
            );
        }
    }
}

/// The last of several files is looked for before the first is read.
#[test]
fn a_file_that_is_missing_is_told_first() {
    for (kind, is_list) in
        [("hysteresis", false), ("hysteresis", true), ("servo", true), ("thermal-bearing", true)]
    {
        let chosen = |k: &Kind| {
            k.name == kind && (kind != "hysteresis" || k.fit.starts_with("laws") == is_list)
        };
        let kind = kinds().into_iter().find(chosen).unwrap();
        let text = kind.text();
        assert!(refused(&text).contains("line 302"));
        let both = text.replace("file = \"r.csv\"", "files = [\"r.csv\", \"missing.csv\"]");
        let said = refused(&both);
        assert!(said.contains("missing.csv") && !said.contains("302"), "{}: {said}", kind.name);
    }
}

/// So is a row of units that contradicts the fit file, in every kind whose columns have units.
#[test]
fn a_unit_that_contradicts_is_told_first() {
    let with = |units: &str| {
        let table = table().replacen('\n', &format!("\n{units}\n"), 1);
        move |text: &str| {
            let memory = Memory::default().with("r.csv", table.as_str());
            let document = Document::parse("fit.toml", text).unwrap();
            FitFile::read(&document, &Reading::new(memory)).map(|_| ()).unwrap_err().to_string()
        }
    };
    // Of the columns a and b: what the fit file says of them, and what it does not.
    for (name, right, wrong) in [
        ("thermal-bearing", "s,mm,,°C,", "s,mm,,°F,"),
        ("pulled-slider", "s,N,,,", "s,kN,,,"),
        ("rigid-drive", "s,mm,N,,", "s,mm,kN,,"),
        ("model", "s,m,m,,", "s,m,mm,,"),
        ("servo", "s,rad,rad,,", "s,deg,rad,,"),
        ("hysteresis", "s,mm,N,,", "s,m,N,,"),
        ("rock-friction", "s,µm,,,", "s,µm,kN,,"),
        // A dash below what has no unit.
        ("rock-friction", "s,µm,-,,", "s,mm,-,,"),
        ("rock-friction", "-,µm,–,,", "-,mm,–,,"),
        ("rigid-drive", "s,mm,N,-,-", "s,mm,daN,-,-"),
        ("friction-curve", "s,rad/s,N·m,,", "s,rpm,N·m,,"),
        ("friction-curve", "s,rad/s,N·m,,", "s,rad/s,kN,,"),
    ] {
        for kind in kinds().into_iter().filter(|k| k.name == name) {
            let text = kind.text();
            let told = with(right)(&text);
            assert!(told.contains("line 303"), "{name}: {told}");
            let told = with(wrong)(&text);
            assert!(
                told.contains("the table gives") && told.contains("says otherwise"),
                "{name}: {told}"
            );
        }
    }
}
