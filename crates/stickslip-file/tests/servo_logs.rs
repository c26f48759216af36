//! Fit files of a servo with an index of logs: what is read, and what is refused with a remedy.

use stickslip_calibrate::joint::Slot;
use stickslip_file::fit::{JointFile, Records};
use stickslip_file::{Document, FitFile, Memory, Reading};

const FIT: &str = r#"
[data]
index = "logs/index.csv"
time = "t"
time_unit = "s"
goal = "goal"
position = "angle"
supply = "volts"

[model]
kind = "servo"
gain = 0.2
torque_constant = 1.0
resistance = 4.0
armature = 0.02
friction.coulomb.force = 0.1

[fit]
hold_out = { column = "rep", values = [1] }

[fit.unknown]
resistance = { from = 0.5, to = 30.0 }
"#;
const INDEX: &str = "file,load.inertia,gain,rep\na.csv,0.01,4,0\nb.csv,0.02,8,1.0\n";

/// Ten rows, 0.1 s apart. A row is `t,goal,angle,volts`.
fn log(row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..10).map(row).collect();
    format!("t,goal,angle,volts\n{}\n", rows.join("\n"))
}

fn row(i: usize) -> String {
    format!("{},0.5,{},12", 0.1 * i as f64, 0.05 * i as f64)
}

/// A fit file, its index, and the second of its two logs.
struct Files {
    fit: String,
    index: String,
    second: String,
}

fn files() -> Files {
    Files { fit: FIT.to_owned(), index: INDEX.to_owned(), second: log(row) }
}

impl Files {
    fn read(&self) -> Result<(JointFile, Vec<String>), String> {
        let memory = Memory::default()
            .with("logs/index.csv", self.index.clone())
            .with("logs/a.csv", log(row))
            .with("logs/b.csv", self.second.clone());
        let document = Document::parse("fit.toml", self.fit.clone()).map_err(|e| e.to_string())?;
        let read = FitFile::read(&document, &Reading::new(memory));
        let file = read.map_err(|e| format!("{e} help: {}", e.help_text().unwrap_or_default()))?;
        match file.records {
            Records::Joint(joint) => Ok((joint, file.notices)),
            _ => Err("not read as many logs of a servo".to_owned()),
        }
    }

    #[track_caller]
    fn refused(&self, said: &[&str]) {
        let message = self.read().map(|_| ()).unwrap_err();
        said.iter().for_each(|s| assert!(message.contains(s), "{message:?} lacks {s:?}"));
    }
}

#[test]
fn columns_of_the_index_differ_from_log_to_log() {
    let (joint, notices) = files().read().unwrap();
    let logs = &joint.asked().logs;
    assert_eq!(logs.len(), 2);
    assert_eq!((logs[0].log.load.inertia, logs[1].log.load.inertia), (0.01, 0.02));
    assert_eq!((logs[0].log.gain, logs[1].log.gain), (4.0, 8.0));
    // 1 in the fit file is the same number as 1.0 in the index.
    assert_eq!((logs[0].held_out, logs[1].held_out), (false, true));
    assert!(!notices.iter().any(|n| n.contains("not used")), "{notices:?}");
    assert!(logs[0].labels.contains(&("rep".to_owned(), "0".to_owned())));
}

/// A name that differs in each row groups nothing. It is said that it serves nothing, unless it holds logs out.
#[test]
fn a_column_with_another_value_in_each_row_is_no_label() {
    let rows = |i: usize| format!("{i}.csv,0.01,4,{},session {i}", i % 2);
    let rows: Vec<String> = (0..20).map(rows).collect();
    let index = format!("file,load.inertia,gain,rep,original\n{}\n", rows.join("\n"));
    let read = |fit: &str| {
        let mut memory = Memory::default().with("logs/index.csv", index.clone());
        (0..20).for_each(|i| memory.insert(format!("logs/{i}.csv"), log(row)));
        let document = Document::parse("fit.toml", fit).unwrap();
        let file = FitFile::read(&document, &Reading::new(memory)).unwrap();
        let Records::Joint(joint) = file.records else { panic!("not many logs") };
        let columns: Vec<String> =
            joint.asked().logs[0].labels.iter().map(|l| l.0.clone()).collect();
        (columns, file.notices, joint.asked().logs.iter().filter(|g| g.held_out).count())
    };
    let (columns, notices, held) = read(FIT);
    assert_eq!((columns.join(" "), held), ("load.inertia gain rep".to_owned(), 10));
    let unused = "logs/index.csv: columns that are not used: original";
    assert!(notices.iter().any(|n| n == unused), "{notices:?}");
    let by_name =
        FIT.replace("\"rep\"", "\"original\"").replace("[1]", "[\"session 3\", \"session 4\"]");
    let (columns, notices, held) = read(&by_name);
    assert_eq!((columns.join(" "), held), ("load.inertia gain rep".to_owned(), 2));
    assert!(!notices.iter().any(|n| n.contains("not used")), "{notices:?}");
}

#[test]
fn a_list_that_contradicts_itself_is_refused() {
    let index = |text: &str| Files { index: text.to_owned(), ..files() };
    index("file,rep\na.csv,0\nb.csv,1\na.csv,0\n")
        .refused(&["logs/index.csv: rows 1 and 3 name the same log, logs/a.csv", "remove one"]);
    index("file,gain,rep,gain\na.csv,4,0,8\nb.csv,4,1,8\n")
        .refused(&["two columns `gain`", "rename or remove"]);
    index("file,rep\na.csv,0\nc.csv,1\n").refused(&["logs/c.csv", "relative to the folder"]);
    index("file,rep\n").refused(&["no row"]);
    index("file,armature,rep\na.csv,1,0\n").refused(&["cannot differ from log to log"]);
    index("file,gain,rep\na.csv,-4,0\nb.csv,4,1\n").refused(&["row 1", "`-4`"]);
}

#[test]
fn a_log_that_cannot_be_followed_is_refused() {
    let second = |text: String| Files { second: text, ..files() };
    second("t,goal,angle,volts\n0,0,0,12\n0.1,0,0,12\n".to_owned())
        .refused(&["logs/b.csv: 2 rows", "remove the log"]);
    second(String::new()).refused(&["logs/b.csv", "empty"]);
    second(log(|i| format!("{},0.5,NaN,12", 0.1 * i as f64)))
        .refused(&["logs/b.csv: the column `angle` holds 0 angles in 10 rows", "name the column"]);
    second(log(|i| format!("{},{},0,12", 0.1 * i as f64, if i == 4 { "" } else { "1" })))
        .refused(&["logs/b.csv: row 5: the column `goal` is empty", "fill the gap"]);
    // Times in ms that are read as s would be cut into millions of steps.
    second(log(|i| format!("{},0.5,{},12", 100 * i, 0.05 * i as f64)))
        .refused(&["logs/b.csv: rows 1 and 2 are 100 s apart", "check `time_unit`"]);
    second(log(|i| format!("{},0.5,{},0", 0.1 * i as f64, 0.05 * i as f64)))
        .refused(&["the column `volts` is never above 0", "write its voltage"]);
    second(log(|i| {
        format!("{},0.5,{},12", 0.1 * i as f64, (5.0 + 0.3 * i as f64) % std::f64::consts::TAU)
    }))
    .refused(&["jumps by a turn", "unwrap it"]);
    // Single angles may lack.
    let gaps =
        second(log(|i| format!("{},0.5,{},12", 0.1 * i as f64, if i == 4 { "" } else { "1" })));
    assert_eq!(gaps.read().unwrap().0.asked().logs.len(), 2);
}

#[test]
fn a_model_that_contradicts_itself_is_refused() {
    let fit = |from: &str, to: &str| {
        assert!(FIT.contains(from), "{from}");
        Files { fit: FIT.replace(from, to), ..files() }
    };
    fit("position = \"angle\"", "position = \"goal\"").refused(&["both name the column `goal`"]);
    fit("kind = \"servo\"", "kind = \"servo\"\nencoder = \"motor\"")
        .refused(&["`encoder` has no effect without a backlash", "may be 0.0 where it is sought"]);
    let side = "kind = \"servo\"\nbacklash = 0.01\nencoder = \"shaft\"";
    fit("kind = \"servo\"", side).refused(&["`encoder` is \"shaft\"", "\"output\" or \"motor\""]);
    let stribeck =
        "friction.stribeck-exponential = { static = 0.1, dynamic = 0.1, velocity = 1.0 }";
    let mut twice = fit("friction.coulomb.force = 0.1", &format!("damping = 0.01\n{stribeck}"));
    twice.refused(&["are the same friction", "add it to `viscous`"]);
    twice.fit = twice.fit.replace("damping = 0.01\n", "");
    assert!(twice.read().is_ok());
    let mut without = fit("gain = 0.2\n", "");
    assert!(without.read().is_ok(), "the index holds it");
    without.index = "file,rep\na.csv,0\nb.csv,1\n".to_owned();
    without.refused(&["`model.gain` is missing", "a column `gain` of the index"]);
}

/// The backlash, the side of the encoder, and the unknown, where the library has them.
#[test]
fn a_backlash_is_read() {
    let with = "kind = \"servo\"\nbacklash = 0.01\nencoder = \"motor\"";
    let mut fit = files();
    fit.fit = FIT
        .replace("kind = \"servo\"", with)
        .replace("[fit.unknown]", "[fit.unknown]\nbacklash = { from = 0.0, to = 0.05 }");
    let file = fit.read().unwrap().0;
    let asked = file.asked();
    assert_eq!(asked.joint.gear.backlash, 0.01);
    assert!(asked.joint.gear.encoder_at_motor);
    let backlash = asked.unknowns.iter().find(|u| u.name == "backlash").unwrap();
    assert_eq!(
        (backlash.slot, backlash.unit, backlash.range),
        (Slot::Backlash, "rad", [0.0, 0.05])
    );
}

/// A fit file of a servo with one log, as it was before there were indices, is read as before.
#[test]
fn one_log_without_an_index_is_the_servo_of_before() {
    let text = "[data]\nfile = \"a.csv\"\ntime = \"t\"\ntime_unit = \"s\"\ngoal = \"goal\"\nposition = \"angle\"\n\
                [model]\nkind = \"servo\"\ngain = 20.0\ntorque_constant = 1.0\nload = { mass = 0.1, length = 0.1 }\n\
                friction.coulomb.force = 0.1\ndamping = 0.01\n[fit.unknown]\ndamping = { from = 0.0, to = 0.1 }\n";
    let document = Document::parse("fit.toml", text).unwrap();
    let goal = |i: usize| format!("{},{},{},12", 0.1 * i as f64, i % 3, 0.05 * i as f64);
    let read = FitFile::read(&document, &Reading::new(Memory::default().with("a.csv", log(goal))));
    assert!(matches!(read.unwrap().records, Records::Servo(_)));
}

/// With a column of mountings `vertical` is sought for each value that a fitted log has.
#[test]
fn each_mounting_that_is_fitted_has_a_vertical() {
    let mut files = files();
    files.fit = FIT.replace("supply = \"volts\"", "supply = \"volts\"\nmounting = \"arm\"").replace(
        "resistance = {",
        "vertical = { from = -0.2, to = 0.2 }\nfriction.load.external = { from = 0.0, to = 1.0 }\nresistance = {",
    );
    files.fit = files.fit.replace("armature =", "friction.load.external = 0.1\narmature =");
    files.index =
        "file,load.inertia,gain,rep,arm\na.csv,0.01,4,0,short\nb.csv,0.02,8,1,long\n".to_owned();
    let names = |files: &Files| -> Vec<String> {
        files.read().unwrap().0.asked().unknowns.iter().map(|u| u.name.clone()).collect()
    };
    assert_eq!(names(&files), ["friction.load.external", "resistance", "vertical[short]"]);
    let (joint, _) = files.read().unwrap();
    assert_eq!(joint.asked().logs.iter().map(|g| g.log.mounting).collect::<Vec<_>>(), [0, 1]);
    files.index = files.index.replace(",1,long", ",0,long");
    files.fit = files.fit.replace("hold_out", "# hold_out");
    assert_eq!(
        names(&files),
        ["friction.load.external", "resistance", "vertical[short]", "vertical[long]"]
    );
    let with = |from: &str, to: &str| {
        assert!(files.fit.contains(from), "{from}");
        let fit = files.fit.replace(from, to);
        Files { fit, index: files.index.clone(), second: log(row) }
    };
    with("mounting = \"arm\"", "mounting = \"leg\"").refused(&["no column `leg`", "mountings"]);
    with("vertical = {", "# vertical = {").refused(&["`vertical` is not sought", "seek it"]);
    let mut many = with("mounting", "mounting");
    many.index = "file,arm\n".to_owned();
    (0..9).for_each(|i| many.index += &format!("{i}.csv,{i}\n"));
    many.refused(&["`arm` has 9 values; expected at most 8"]);
    // A log of which nothing is said is of no mounting, and not of one of its own.
    let mut blank = with("mounting", "mounting");
    blank.index = files.index.replace(",long", ", ");
    assert_ne!(blank.index, files.index);
    blank.refused(&["nothing in the column `arm` of", "which mounting"]);
}

#[test]
fn a_friction_that_is_larger_at_rest_needs_a_law_that_falls() {
    let mut files = files();
    files.fit =
        FIT.replace("armature =", "friction.load = { external = 0.1, rest = 0.5 }\narmature =");
    files.refused(&["`rest` falls with the speed", "stribeck-exponential"]);
    let stribeck =
        "friction.stribeck-exponential = { static = 0.1, dynamic = 0.1, velocity = 1.0 }";
    files.fit = files.fit.replace("friction.coulomb.force = 0.1", stribeck);
    assert_eq!(files.read().unwrap().0.asked().joint.gear.ways.map(|w| w.rest), [0.5; 2]);
}

/// A drive that controls the current has neither supply nor resistance; its gain is in A/rad, and the joint that is asked for has no
/// counter-voltage. A tick is read, and one that is too short to matter is refused.
#[test]
fn a_drive_controls_the_current_and_holds_its_output() {
    let current = FIT
        .replace("kind = \"servo\"", "kind = \"servo\"\ncontrol = \"current\"\ndrive.tick = 0.02")
        .replace("resistance = 4.0\n", "")
        .replace("resistance = { from = 0.5", "armature = { from = 0.001");
    let with = |fit: &str| Files { fit: fit.to_owned(), ..files() };
    with(&current).refused(&["a current that is controlled does not depend on the supply"]);
    let without_supply = current.replace("supply = \"volts\"\n", "");
    let (file, _) = with(&without_supply).read().unwrap();
    let drive = file.asked().joint.drive;
    assert!(drive.current && drive.tick == 0.02);
    // k² /R is what a voltage would brake with.
    assert_eq!((drive.per_volt(), drive.braking()), (1.0, 0.0));
    assert_eq!(file.gain_unit, "A");
    with(&without_supply.replace("armature = 0.02", "armature = 0.02\nresistance = 4.0"))
        .refused(&["`resistance` has no effect"]);
    with(&without_supply.replace("0.02\ngain", "0.0002\ngain")).refused(&["`tick` is 0.0002 s"]);
    with(&without_supply.replace("\"current\"", "\"power\"")).refused(&["`control` is \"power\""]);
}

/// What grows with the load, and with the square of the speed, may be one number or one each way; both at once are refused.
#[test]
fn the_friction_of_the_load_may_differ_each_way() {
    let with = |friction: &str, sought: &str| Files {
        fit: FIT
            .replace("armature =", &format!("{friction}\narmature ="))
            .replace("resistance = { from", &format!("{sought}\nresistance = {{ from")),
        ..files()
    };
    let each = with(
        "friction.load = { forward = { external = 0.1, transmitted = 0.2 }, backward = { motor = 0.3 } }\n\
         friction.quadratic = { forward = 0.01, backward = 0.02 }",
        "friction.load.forward.external = { from = 0.0, to = 1.0 }\n\
         friction.load.backward.motor = { from = 0.0, to = 1.0 }\n\
         friction.quadratic.backward = { from = 0.0, to = 1.0 }",
    );
    let (file, _) = each.read().unwrap();
    let joint = &file.asked().joint;
    let [forward, backward] = joint.gear.ways;
    assert_eq!((forward.external, forward.motor, forward.quadratic), (0.1, 0.0, 0.01));
    assert_eq!((backward.external, backward.motor, backward.quadratic), (0.0, 0.3, 0.02));
    assert_eq!((forward.driving, forward.back_driven), (0.2, 0.2));
    let sought = file.asked().unknowns.iter();
    // Each key stands for the number that it names.
    let found: Vec<f64> = sought.map(|u| joint.get(u.slot)).collect();
    assert_eq!(found, [0.1, 0.3, 0.02, 4.0]);
    with("friction.load = { external = 0.1, forward = { motor = 0.3 } }", "")
        .refused(&["`external` stands next to numbers of one direction", "in `backward`"]);
    with("friction.load.forward.external = 0.1", "").refused(&["backward"]);
    with("friction.quadratic.forward = 0.1", "").refused(&["backward"]);
}

/// A stiffness is sought as the compliance, 1/stiffness; stiffness and damping are one for both ways.
#[test]
fn a_gear_may_yield_before_it_slips() {
    let with = |friction: &str, unknown: &str| {
        let fit = FIT
            .replace("friction.coulomb.force = 0.1", friction)
            .replace("resistance = { from", &format!("{unknown}\nresistance = {{ from"));
        Files { fit, ..files() }
    };
    let lugre = "friction.lugre = { static = 0.2, dynamic = 0.1, velocity = 0.3, stiffness = 50.0, damping = 0.02 }";
    let sought = "friction.lugre.stiffness = { from = 2.0, to = 400.0 }\n\
                  friction.lugre.damping = { from = 0.0, to = 1.0 }";
    let (joint, _) = with(lugre, sought).read().unwrap();
    let question = joint.asked();
    let gear = question.joint.gear;
    assert_eq!((gear.compliance, gear.bristle_damping), (0.02, 0.02));
    // As everywhere else LuGre's limit falls with the square of the speed.
    assert_eq!((gear.ways[0].drop, gear.ways[1].exponent), (0.1, 2.0));
    let of = |slot| question.unknowns.iter().find(|u| u.slot == slot).unwrap();
    assert_eq!(of(Slot::Compliance).range, [1.0 / 400.0, 0.5]);
    assert_eq!(of(Slot::BristleDamping).range, [0.0, 1.0]);
    let each = "friction.dahl = { stiffness = 40.0, forward.force = 0.1, backward.force = 0.2 }";
    let (joint, _) = with(each, "").read().unwrap();
    let gear = joint.asked().joint.gear;
    assert_eq!((gear.compliance, gear.ways[0].dynamic, gear.ways[1].dynamic), (0.025, 0.1, 0.2));
    with("friction.dahl = { force = 0.1, stiffness = 40.0, exponent = 2.0 }", "")
        .refused(&["exponent 1 alone", "lugre"]);
    with("friction.lugre = { static = 0.2, dynamic = 0.1, velocity = 0.3 }", "")
        .refused(&["stiffness"]);
    let elastic = "friction.elasto-plastic = { static = 0.2, dynamic = 0.1, velocity = 0.3, stiffness = 50.0, breakaway_share = 0.6 }";
    let sought = "friction.elasto-plastic.stiffness = { from = 2.0, to = 400.0 }\n\
                  friction.elasto-plastic.breakaway_share = { from = 0.1, to = 0.9 }";
    let (joint, _) = with(elastic, sought).read().unwrap();
    let question = joint.asked();
    let gear = question.joint.gear;
    assert_eq!((gear.compliance, gear.breakaway_share, gear.ways[0].drop), (0.02, 0.6, 0.1));
    let of = |slot| question.unknowns.iter().find(|u| u.slot == slot).unwrap();
    assert_eq!(of(Slot::BreakawayShare).range, [0.1, 0.9]);
    with(&elastic.replace("0.6", "1.0"), "").refused(&["`breakaway_share` is 1", "less than 1"]);
    with(&elastic.replace(", breakaway_share = 0.6", ""), "").refused(&["breakaway_share"]);
    with(&elastic.replace("elasto-plastic", "lugre"), "").refused(&["breakaway_share"]);
    let twice = "damping = 0.1\nfriction.lugre = { static = 0.1, dynamic = 0.1, stiffness = 50.0 }";
    with(twice, "").refused(&["`damping` and the `viscous`"]);
}
