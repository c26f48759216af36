//! Keys of files, as their reader knows them: its errors name the keys of a table, and what a value must be;
//! the resolved file has the defaults.

use super::{Made, Row, Written};
use serde_json::{Value, json};
use stickslip_file::fit::Records;
use stickslip_file::model::{CornerModel, ElementFile, SchatzmanModel};
use stickslip_file::{Document, FitFile, FleetFile, Memory, ModelFile, Reading, Result};

const RUN: &str = "run = { end = 1.0 }";
const MODEL: &str = "mass = 1.0, stiffness = 1.0, friction = { coulomb = { force = 1.0 } }";
const NODE_AND_SPRING: &str = "node = [{ name = 'a', mass = 1.0 }], spring = [{ between = ['a', 'ground'], stiffness = 1.0 }]";
const GEARED: &str = "node = [{ name = 'a', mass = 1.0 }, { name = 'b', mass = 1.0 }]";
const DATA: &str =
    "data = { file = 'r.csv', time = 't', drive = 'a', response = 'b', response_unit = 'm' }";
const SLIDER: &str = "data = { file = 'r.csv', time = 't', response = 'b', response_unit = 'N' }";
const AXIS: &str = "data = { file = 'r.csv', time = 't', position = 'a', force = 'b', position_unit = 'm', reference = 'a' }";

/// A run of a model that only steps treat.
const STEPPED: &str = "run = { end = 1.0, step = 0.1 }";
/// One isolator of a slab.
const PAD: &str = "isolator = [{ at = [0.0, 0.0], friction = { coulomb = { force = 1.0 } } }]";

/// The first line of a fleet file, here.
const FLEET: &str = "# a fleet";

/// A table of a file.
struct Place {
    /// How its keys are shown.
    shown: String,
    /// A file in which `@` stands for the entries of the table.
    file: String,
    /// Entries of a table that can be read; `?key` where another key could stand instead.
    entries: Vec<(&'static str, &'static str)>,
    /// Where the table is in the resolved file.
    pointer: &'static str,
    /// Only these keys, if there are any here.
    only: &'static [&'static str],
}

fn at(shown: &str, file: String, pointer: &'static str) -> Place {
    Place { shown: shown.to_owned(), file, entries: Vec::new(), pointer, only: &[] }
}

impl Place {
    fn with(mut self, entries: &[(&'static str, &'static str)]) -> Self {
        self.entries = entries.to_vec();
        self
    }
}

impl Place {
    fn resolved(mut self, pointer: &'static str) -> Self {
        self.pointer = pointer;
        self
    }
}

fn oscillator(more: &str) -> String {
    format!("oscillator = {{ {MODEL}, {more} }}\n{RUN}")
}

fn law(name: &str) -> Place {
    let file = format!(
        "oscillator = {{ mass = 1.0, stiffness = 1.0, friction = {{ {name} = {{ @ }} }} }}\n{RUN}"
    );
    at(&format!("friction.{name}."), file, "")
}

fn signal(list: &str, name: &str, pointer: &'static str) -> Place {
    at(&format!("{name}."), oscillator(&format!("{list} = [{{ {name} = {{ @ }} }}]")), pointer)
}

fn network(list: &str) -> Place {
    let others = match list {
        "node" => NODE_AND_SPRING.split_once("], ").map_or("", |(_, spring)| spring).to_owned(),
        "spring" => NODE_AND_SPRING.split_once(", spring").map_or("", |(node, _)| node).to_owned(),
        _ => NODE_AND_SPRING.to_owned(),
    };
    let file =
        format!("network = {{ {others}, {list} = [{{ @ }}] }}\nrun = {{ end = 1.0, step = 0.1 }}");
    at(&format!("network.{list}."), file, "")
}

#[rustfmt::skip] // one line for each table
fn place(name: &str) -> Place {
    let cascade = "cascade = { mass = 1.0, stiffness = [1.0, 1.0], threshold = [1.0], initial = { @ } }";
    let impact = "mass = 1.0, wall = 0.0, restitution = 1.0";
    match name {
        "run" => at("run.", format!("oscillator = {{ {MODEL} }}\nrun = {{ @ }}"), "/run").with(&[("end", "1.0")]),
        "oscillator" => {
            let mut p = at("oscillator.", format!("oscillator = {{ @ }}\n{RUN}"), "/oscillator")
                .with(&[("mass", "1.0"), ("stiffness", "1.0"), ("friction", "{ coulomb = { force = 1.0 } }")]);
            p.only = &["!", "inertia"];
            p
        }
        "oscillator.turning" => {
            let mut p = at("oscillator.", format!("oscillator = {{ rotation = true, @ }}\n{RUN}"), "/oscillator")
                .with(&[("inertia", "1.0"), ("stiffness", "1.0"), ("friction", "{ coulomb = { force = 1.0 } }")]);
            p.only = &["inertia"];
            p
        }
        "oscillator.initial" => at("oscillator.initial.", oscillator("initial = { @ }"), "/oscillator/initial"),
        "oscillator.stops" => at("oscillator.stops.", oscillator("stops = { @ }"), "").with(&[("?lower", "-1.0"), ("?stiffness", "1.0")]),
        "friction.coulomb" => law("coulomb").with(&[("force", "1.0")]),
        "friction.static-dynamic" => law("static-dynamic").with(&[("static", "1.0"), ("dynamic", "0.5")]),
        "friction.stribeck" => { let mut p = law("stribeck").with(&[("a", "1.0"), ("d", "1.0")]); p.pointer = "/oscillator/friction/stribeck"; p }
        "friction.stribeck-exponential" => {
            let mut p = law("stribeck-exponential").with(&[("static", "1.0"), ("dynamic", "0.5"), ("velocity", "1.0")]);
            p.pointer = "/oscillator/friction/stribeck-exponential";
            p
        }
        "friction.velocity-strengthening" => law("velocity-strengthening").with(&[("slow", "0.5"), ("fast", "1.0"), ("rate", "1.0")]),
        "friction.cubic" => law("cubic").with(&[("static", "1.5"), ("weakening", "1.5"), ("strengthening", "0.45")]),
        "friction.ageing" => law("ageing").with(&[("kind", "'power'"), ("dynamic", "1.0"), ("static", "2.0"), ("time", "1.0"), ("exponent", "1.0")]),
        "friction.ageing-table" => {
            let mut p = law("ageing").with(&[("kind", "'table'"), ("age", "[0.0, 1.0]"), ("limit", "[1.0, 2.0]")]);
            p.only = &["age", "limit"];
            p
        }
        "friction.dahl" => law("dahl").with(&[("force", "1.0"), ("stiffness", "100.0")]).resolved("/oscillator/friction/dahl"),
        "friction.lugre" => law("lugre").with(&[("static", "1.0"), ("dynamic", "0.5"), ("velocity", "1.0"), ("stiffness", "100.0")]).resolved("/oscillator/friction/lugre"),
        "friction.elasto-plastic" => law("elasto-plastic")
            .with(&[("static", "1.0"), ("dynamic", "0.5"), ("velocity", "1.0"), ("stiffness", "100.0"), ("breakaway", "1e-4")])
            .resolved("/oscillator/friction/elasto-plastic"),
        "friction.bouc-wen" => law("bouc-wen").with(&[("stiffness", "1.0"), ("beta", "0.5"), ("gamma", "0.3")]).resolved("/oscillator/friction/bouc-wen"),
        "friction.maxwell-slip" => law("maxwell-slip")
            .with(&[("stiffness", "[1.0]"), ("weight", "[1.0]"), ("static", "1.0"), ("dynamic", "0.5"), ("velocity", "1.0"), ("attraction", "1.0")])
            .resolved("/oscillator/friction/maxwell-slip"),
        "friction.rate-and-state" => {
            let mut p = law("rate-and-state").with(&[("coefficient", "0.6"), ("a", "0.01"), ("b", "0.02"), ("distance", "1e-5"), ("speed", "1e-6")]);
            p.file = p.file.replace("friction =", "normal = [{ constant = 1.0 }], friction =");
            p.resolved("/oscillator/friction/rate-and-state")
        }
        "memory.initial" => {
            let oscillator = "mass = 1.0, stiffness = 1.0, friction = { dahl = { force = 1.0, stiffness = 1.0 } }";
            let mut p = at("oscillator.initial.", format!("oscillator = {{ {oscillator}, initial = {{ @ }} }}\n{RUN}"), "");
            p.only = &["z"];
            p
        }
        "element.led" => at("element.", format!("element = {{ @ }}\n{RUN}"), "")
            .with(&[("displacement", "[{ constant = 0.0 }]"), ("friction", "{ dahl = { force = 1.0, stiffness = 1.0 } }")]),
        "friction.table" => law("table").with(&[("velocity", "[0.0, 1.0]"), ("force", "[1.0, 1.0]")]),
        "ramp" => signal("drive", "ramp", "/oscillator/drive/0/ramp").with(&[("rate", "1.0")]),
        "step" => signal("drive", "step", "/oscillator/drive/0/step").with(&[("time", "1.0"), ("after", "1.0")]),
        "harmonic" => signal("drive", "harmonic", "/oscillator/drive/0/harmonic").with(&[("amplitude", "1.0"), ("angular_frequency", "1.0")]),
        "chirp" => signal("drive", "chirp", "/oscillator/drive/0/chirp")
            .with(&[("amplitude", "1.0"), ("from", "1.0"), ("to", "2.0"), ("duration", "1.0")]),
        "pulses" => signal("drive", "pulses", "/oscillator/drive/0/pulses").with(&[("amplitude", "1.0"), ("period", "1.0"), ("width", "0.5")]),
        "trapezoids" => signal("drive", "trapezoids", "/oscillator/drive/0/trapezoids")
            .with(&[("amplitude", "1.0"), ("period", "8.0"), ("?top", "0.5")]),
        "sampled" => signal("drive", "sampled", "/oscillator/drive/0/sampled").with(&[("file", "'r.csv'"), ("time", "'t'"), ("value", "'a'")]),
        "white" => signal("force", "white", "/oscillator/force/0/white").with(&[("intensity", "1.0")]),
        "ornstein-uhlenbeck" => signal("drive", "ornstein-uhlenbeck", "/oscillator/drive/0/ornstein-uhlenbeck").with(&[("rate", "1.0"), ("intensity", "1.0")]),
        "kanai-tajimi" => signal("drive", "kanai-tajimi", "/oscillator/drive/0/kanai-tajimi")
            .with(&[("angular_frequency", "1.0"), ("damping_ratio", "0.5"), ("intensity", "1.0")]),
        "cascade" => at("cascade.", format!("cascade = {{ @ }}\n{RUN}"), "").with(&[("mass", "1.0"), ("stiffness", "[1.0, 1.0]"), ("threshold", "[1.0]")]),
        "cascade.initial" => at("cascade.initial.", format!("{cascade}\n{RUN}"), "/cascade/initial"),
        "network" => { let mut p = at("network.", format!("network = {{ {NODE_AND_SPRING}, @ }}\nrun = {{ end = 1.0, step = 0.1 }}"), ""); p.only = &["motion", "rotation"]; p }
        "network.node" => {
            let mut p = network("node").with(&[("name", "'a'"), ("mass", "1.0")]);
            p.pointer = "/network/node/0";
            p.only = &["!", "inertia"];
            p
        }
        "network.turning" => {
            let mut p = network("node").with(&[("name", "'a'"), ("inertia", "1.0")]);
            p.file = p.file.replacen("network = {", "network = { rotation = true,", 1);
            p.only = &["inertia"];
            p
        }
        "network.spring" => network("spring").with(&[("between", "['a', 'ground']"), ("stiffness", "1.0")]),
        "network.sine" => at("network.spring.sine.", format!("network = {{ {NODE_AND_SPRING}, spring = [{{ between = ['a', 'ground'], sine = {{ @ }} }}] }}\nrun = {{ end = 1.0 }}").replacen(", spring = [{ between = ['a', 'ground'], stiffness = 1.0 }]", "", 1), "")
            .with(&[("amplitude", "1.0"), ("wave_number", "1.0")]),
        "network.table" => at("network.spring.table.", format!("network = {{ {NODE_AND_SPRING}, spring = [{{ between = ['a', 'ground'], table = {{ @ }} }}] }}\nrun = {{ end = 1.0 }}").replacen(", spring = [{ between = ['a', 'ground'], stiffness = 1.0 }]", "", 1), "")
            .with(&[("elongation", "[0.0, 1.0]"), ("force", "[0.0, 1.0]")]),
        "network.press" => at("network.slider.normal_from.", format!("network = {{ {NODE_AND_SPRING}, slider = [{{ between = ['a', 'ground'], static = 1.0, normal_from = {{ @ }} }}] }}\nrun = {{ end = 1.0 }}").replace("stiffness = 1.0", "stiffness = 1.0, name = 'k'"), "/network/slider/0/normal_from")
            .with(&[("?spring", "'k'")]),
        "network.dashpot" => network("dashpot").with(&[("between", "['a', 'ground']"), ("damping", "1.0")]),
        "network.slider" => network("slider").with(&[("between", "['a', 'ground']"), ("static", "1.0")]),
        "network.stop" => network("stop").with(&[("between", "['a', 'ground']"), ("?lower", "-1.0"), ("?restitution", "0.5")]),
        "network.gear" => at("network.gear.", format!("network = {{ {GEARED}, gear = [{{ @ }}] }}\n{RUN}"), "").with(&[("between", "['a', 'b']"), ("ratio", "2.0")]),
        "network.gear.friction" => at("network.gear.friction.", format!("network = {{ {GEARED}, gear = [{{ between = ['a', 'b'], ratio = 2.0, friction = {{ @ }} }}] }}\n{RUN}"), ""),
        "network.controller" => network("controller").with(&[("of", "'a'"), ("on", "'a'"), ("?proportional", "1.0")]),
        "network.states" => at("network.controller.state_space.", format!("network = {{ {NODE_AND_SPRING}, controller = [{{ of = 'a', on = 'a', state_space = {{ @ }} }}] }}\n{RUN}"), "")
            .with(&[("?a", "[[1.0]]"), ("?b", "[1.0]"), ("?c", "[1.0]")]),
        "network.force" => { let mut p = network("force").with(&[("on", "'a'"), ("constant", "1.0")]); p.only = &["on"]; p }
        "network.motion" => { let mut p = network("motion").with(&[("on", "'a'"), ("constant", "0.0")]); p.only = &["on"]; p }
        "network.matrices" => at("network.matrices.", format!("network = {{ {NODE_AND_SPRING}, matrices = {{ @ }} }}\nrun = {{ end = 1.0, step = 0.1 }}"), ""),
        "impact" => at("impact.", format!("impact = {{ @ }}\n{RUN}"), "/impact").with(&[("mass", "1.0"), ("?wall", "0.0"), ("restitution", "1.0")]),
        "impact.penalty" => at("impact.penalty.", format!("impact = {{ {impact}, penalty = {{ @ }} }}\n{RUN}"), ""),
        "impact.initial" => at("impact.initial.", format!("impact = {{ {impact}, initial = {{ @ }} }}\n{RUN}"), "/impact/initial"),
        "element" => at("element.", format!("element = {{ @ }}\n{RUN}"), "/element")
            .with(&[("stiffness", "1.0"), ("friction", "{ coulomb = { force = 1.0 } }")]),
        "corner" => at("corner.", "corner = { @ }".to_owned(), "/corner"),
        "schatzman" => at("schatzman.", "schatzman = { @ }".to_owned(), "/schatzman"),
        _ => plane_place(name),
    }
}

#[rustfmt::skip] // one line for each table
fn plane_place(name: &str) -> Place {
    match name {
        "planar" => at("planar.", format!("planar = {{ @ }}\n{RUN}"), "").with(&[("mass", "1.0"), ("friction", "{ coulomb = { force = 1.0 } }")]),
        "planar.pendulum" => at("planar.pendulum.", format!("planar = {{ mass = 1.0, friction = {{ coulomb = {{ force = 1.0 }} }}, pendulum = {{ @ }} }}\n{RUN}"), "")
            .with(&[("radius", "1.0"), ("weight", "1.0")]),
        "planar.pressure" => at("planar.pressure.", format!("planar = {{ mass = 1.0, friction = {{ coulomb = {{ force = 1.0 }} }}, normal = [{{ constant = 1.0 }}], pressure = {{ @ }} }}\n{RUN}"), "")
            .with(&[("reference", "1.0"), ("scale", "1.0")]),
        "planar.rim" => at("planar.rim.", format!("planar = {{ mass = 1.0, friction = {{ coulomb = {{ force = 1.0 }} }}, rim = {{ @ }} }}\n{RUN}"), "")
            .with(&[("radius", "1.0"), ("?stiffness", "1.0")]),
        "planar.initial" => at("planar.initial.", format!("planar = {{ mass = 1.0, friction = {{ coulomb = {{ force = 1.0 }} }}, initial = {{ @ }} }}\n{RUN}"), ""),
        "planar.slab" => {
            let mut p = at("planar.", format!("planar = {{ @ }}\n{STEPPED}"), "")
                .with(&[("mass", "1.0"), ("inertia", "1.0"), ("isolator", "[{ at = [0.0, 0.0], stiffness = [1.0, 1.0], friction = { coulomb = { force = 1.0 } } }]")]);
            p.only = &["inertia", "moment"];
            p
        }
        "planar.isolator" => at("planar.isolator.", format!("planar = {{ mass = 1.0, inertia = 1.0, normal = [{{ constant = 1.0 }}], isolator = [{{ @ }}] }}\n{STEPPED}"), "")
            .with(&[("at", "[0.0, 0.0]"), ("friction", "{ coulomb = { force = 1.0 } }"), ("share", "1.0")]),
        "planar.isolator.pendulum" => at("planar.isolator.pendulum.", format!("planar = {{ mass = 1.0, inertia = 1.0, isolator = [{{ at = [0.0, 0.0], friction = {{ coulomb = {{ force = 1.0 }} }}, pendulum = {{ @ }} }}] }}\n{STEPPED}"), "")
            .with(&[("radius", "1.0"), ("weight", "1.0")]),
        "planar.floor" => at("planar.floor.", format!("planar = {{ mass = 1.0, inertia = 1.0, {PAD}, floor = [{{ @ }}] }}\n{STEPPED}"), "")
            .with(&[("mass", "1.0"), ("inertia", "1.0"), ("stiffness", "[1.0, 1.0]"), ("torsion", "1.0")]),
        "planar.slab.initial" => {
            let mut p = at("planar.initial.", format!("planar = {{ mass = 1.0, inertia = 1.0, {PAD}, initial = {{ @ }} }}\n{STEPPED}"), "/planar/initial");
            p.only = &["rotation", "spin"];
            p
        }
        _ => fit_place(name),
    }
}

#[rustfmt::skip] // one line for each table
fn fit_place(name: &str) -> Place {
    let bearing = "model = { kind = 'thermal-bearing' }";
    let slider = "model = { kind = 'pulled-slider', velocity = 1.0, stiffness = 1.0, mass = 1.0 }";
    let axis = "model = { kind = 'rigid-drive', controller = { position_gain = 1.0, velocity_gain = 1.0 } }";
    let record: &[_] = &[("file", "'r.csv'"), ("time", "'t'"), ("response", "'b'"), ("response_unit", "'m'"), ("drive", "'a'")];
    match name {
        "bearing.table" | "bearing.data" => {
            let mut p = at("data.", format!("data = {{ @ }}\n{bearing}"), "").with(record);
            let table: &[_] = &["time", "time_unit", "time_format", "time_zone", "decimal", "missing", "sort"];
            p.only = if name == "bearing.table" { table } else { &["!", "time", "time_unit", "time_format", "time_zone", "decimal", "missing", "sort"] };
            p
        }
        "bearing.record" => {
            let mut p = at("record.", format!("record = [{{ @ }}]\n{bearing}"), "").with(record);
            p.only = &["title", "bearing_stiffness"];
            p
        }
        "bearing.model" => at("model.", format!("{DATA}\nmodel = {{ @ }}"), "").with(&[("kind", "'thermal-bearing'")]),
        "bearing.fit" => at("fit.", format!("{DATA}\n{bearing}\nfit = {{ @ }}"), "/"),
        "slider.data" => {
            let mut p = at("data.", format!("data = {{ @ }}\n{slider}"), "").with(&[("file", "'r.csv'"), ("time", "'t'"), ("response", "'b'"), ("response_unit", "'N'")]);
            p.only = &["!", "time", "time_unit", "time_format", "time_zone", "decimal", "missing", "sort"];
            p
        }
        "slider.model" => at("model.", format!("{SLIDER}\nmodel = {{ @ }}"), "/")
            .with(&[("kind", "'pulled-slider'"), ("velocity", "1.0"), ("stiffness", "1.0"), ("mass", "1.0")]),
        "slider.fit" => at("fit.", format!("{SLIDER}\n{slider}\nfit = {{ @ }}"), "/"),
        "axis.data" => {
            let mut p = at("data.", format!("data = {{ @ }}\n{axis}"), "")
                .with(&[("file", "'r.csv'"), ("time", "'t'"), ("position", "'a'"), ("force", "'b'"), ("position_unit", "'m'"), ("reference", "'a'")]);
            p.only = &["!", "time", "time_unit", "time_format", "time_zone", "decimal", "missing", "sort"];
            p
        }
        "axis.model" => at("model.", format!("{AXIS}\nmodel = {{ @ }}"), "").with(&[("kind", "'rigid-drive'")]),
        "axis.controller" => at("model.controller.", format!("{AXIS}\nmodel = {{ kind = 'rigid-drive', controller = {{ @ }} }}"), "/controller")
            .with(&[("position_gain", "1.0"), ("velocity_gain", "1.0")]),
        "axis.fit" => at("fit.", format!("{AXIS}\n{axis}\nfit = {{ @ }}"), "/"),
        "fleet.data" => {
            let mut p = at("data.", format!("{FLEET}\ndata = {{ @ }}\n{bearing}"), "").with(record);
            p.entries[0].0 = "?file";
            p.only = &["file", "files", "bearing", "responses", "drive_file"];
            p
        }
        "fleet.bearings" => at("bearings.", format!("{FLEET}\n{DATA}\n{bearing}\nbearings = {{ @ }}"), "").with(&[("file", "'k.csv'")]),
        "fleet.fleet" => at("fleet.", format!("{FLEET}\n{DATA}\n{bearing}\nfleet = {{ @ }}"), "/"),
        _ => panic!("no table of a file is called {name}"),
    }
}

/// The file with these entries, resolved.
fn read(place: &Place, entries: &[(String, String)]) -> Result<Value> {
    let inner: Vec<_> = entries.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    let text = place.file.replace('@', &inner.join(", "));
    let document = Document::parse("f.toml", text.as_str())?;
    let mut table = "t,a,b\n".to_owned();
    for i in 0..200 {
        table += &format!("{},{},{}\n", 3600 * i, i % 7, i % 11);
    }
    let files = Memory::default().with("r.csv", table).with("k.csv", "bearing\nr\n");
    let reading = Reading::new(files);
    if text.contains("element =") && !text.contains("displacement =") {
        return ElementFile::read(&document, &reading).map(|(file, _)| file.resolved);
    }
    if text.starts_with(FLEET) {
        let resolved = |f: FleetFile| json!({ "false_discoveries": f.false_discoveries, "changes": f.changes });
        return FleetFile::read(&document, &reading).map(resolved);
    }
    if text.contains("corner =") {
        return CornerModel::read(document.root()).map(|m| serde_json::to_value(m).unwrap());
    }
    if text.contains("schatzman =") {
        return SchatzmanModel::read(document.root()).map(|m| serde_json::to_value(m).unwrap());
    }
    if !text.contains("model =") {
        return ModelFile::read(&document, &reading).map(|m| m.resolved);
    }
    FitFile::read(&document, &reading).map(|f| match f.records {
        Records::Bearings { fits, .. } => serde_json::to_value(&fits[0]).unwrap(),
        Records::Slider(s) => serde_json::to_value(s).unwrap(),
        Records::Drive(d) => serde_json::to_value(d).unwrap(),
        _ => Value::Null,
    })
}

/// The entries of the place, without `key` and then with it as `value`, if there is one.
fn entries(place: &Place, key: &str, value: Option<&str>) -> Vec<(String, String)> {
    let others = place.entries.iter().map(|(k, v)| (k.trim_start_matches('?'), *v));
    let others = others.filter(|(k, _)| *k != key);
    others.chain(value.map(|v| (key, v))).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// The keys that the table knows.
fn known(place: &Place) -> Vec<String> {
    let stray = read(place, &entries(place, "no_such_key", Some("1"))).unwrap_err();
    let help = stray.help_text().unwrap_or_default();
    let list = help.split_once(": ").map_or("", |(_, list)| list);
    let keys = list.split(", ").map(str::to_owned);
    let wanted = |k: &String| match place.only {
        [] => true,
        ["!", others @ ..] => !others.contains(&k.as_str()),
        only => only.contains(&k.as_str()),
    };
    // `model.kind` says which keys there are; it stands above all tables.
    let keys: Vec<_> =
        keys.filter(wanted).filter(|k| !(place.shown == "model." && k == "kind")).collect();
    if keys.is_empty() && !place.only.is_empty() {
        return place.only.iter().map(|k| (*k).to_owned()).collect();
    }
    keys
}

/// What the reader expects where a key has this value.
fn expected(place: &Place, key: &str, value: &str) -> Option<String> {
    let error = read(place, &entries(place, key, Some(value))).err()?;
    let message = error.message();
    if message.contains("unknown key") {
        return Some(String::new());
    }
    if let (true, Some((_, words))) =
        (message.starts_with("unknown"), error.help_text()?.split_once("one of: "))
    {
        return Some(format!("one of {words}"));
    }
    Some(message.split_once("; expected ")?.1.to_owned())
}

/// Unit and range, from what the reader expects.
fn unit_and_range(place: &Place, key: &str) -> Option<(String, String)> {
    let (shown, list) = (|s: &str| s.replace('|', "\\|"), "a list of signals, which are summed");
    let text = ["true", "1", "[true]"].iter().find_map(|v| expected(place, key, v));
    let text = text.unwrap_or_else(|| panic!("{}{key}: what may it be?", place.shown));
    let none = "–".to_owned();
    Some(if text.is_empty() {
        return None;
    } else if text == list {
        let number = expected(place, key, "[{ constant = true }]").unwrap_or_default();
        let unit = number.rsplit_once(", in ").map_or(none, |n| n.1.to_owned());
        let kinds = expected(place, key, "[{ no_such_signal = 1 }]").unwrap_or_default();
        let noise = if kinds.contains("white") { ", noise allowed" } else { "" };
        (unit, format!("list of signals{noise}"))
    } else if text.contains("finite number") {
        let (text, unit) =
            text.rsplit_once(", in ").map_or((text.as_str(), none), |(t, u)| (t, u.to_owned()));
        let list = if text.starts_with("a list") { "list, each " } else { "" };
        let range = text.rsplit_once("finite number").map_or("", |t| t.1.trim());
        let range = if range.is_empty() { "finite" } else { range };
        // Whether there is an upper limit shows only beyond it.
        let beyond = expected(place, key, "1e9").unwrap_or_default();
        let limited = beyond.strip_prefix("a number ").map(|t| t.trim_start_matches("from "));
        let range = limited.unwrap_or(range);
        (unit, format!("{list}{range}"))
    } else if let Some((_, words)) = text.split_once("one of ") {
        let words: Vec<_> = words.split(", ").map(|w| format!("`{w}`")).collect();
        (none, words.join(", "))
    } else {
        let text =
            text.strip_prefix("a whole number").map_or(text.clone(), |t| format!("whole,{t}"));
        (none, shown(text.strip_prefix("the ").or(text.strip_prefix("a ")).unwrap_or(&text)))
    })
}

/// A number without an empty decimal.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Number(n) => {
            let text = n.to_string();
            Some(text.strip_suffix(".0").map_or(text.clone(), str::to_owned))
        }
        Value::Bool(b) => Some(format!("`{b}`")),
        Value::String(s) => Some(format!("`{s}`")),
        _ => None,
    }
}

fn default(place: &Place, key: &str, written: &Written) -> String {
    if place.entries.iter().any(|(k, _)| *k == key) {
        let error = read(place, &entries(place, key, None)).unwrap_err();
        let message = error.message();
        assert!(message.contains("missing") || message.contains("has no"), "{key}: {message}");
        return "required".to_owned();
    }
    let resolved = read(place, &entries(place, key, None)).ok();
    let usual = || read(place, &entries(place, "", None));
    let resolved = resolved.map_or_else(usual, Ok);
    let resolved = resolved.unwrap_or_else(|e| panic!("{}{key}: {}", place.shown, e.message()));
    let given = place.entries.iter().any(|(k, _)| k.trim_start_matches('?') == key);
    let table =
        if place.pointer == "/" { Some(&resolved) } else { resolved.pointer(place.pointer) };
    let found = table.filter(|_| !given && !place.pointer.is_empty()).and_then(|t| t.get(key));
    let kept = || written.get(&format!("{}{key}", place.shown)).and_then(|w| w.get(1)).cloned();
    found.and_then(plain).or_else(kept).unwrap_or_else(|| "none".to_owned())
}

/// The keys of some tables of files.
pub fn table(names: &[&str], written: &Written) -> Made {
    let mut rows = Vec::new();
    for name in names {
        let place = place(name);
        for key in known(&place) {
            let Some((unit, range)) = unit_and_range(&place, &key) else { continue };
            // The keys of a table below this one stand in rows of their own.
            if range == "table" && !written.contains_key(&format!("{}{key}", place.shown)) {
                continue;
            }
            // A signal has the unit of the list that it stands in, here a drive.
            let of_list = !place.shown.contains("oscillator") && place.file.contains("drive = [");
            let unit = match unit.as_str() {
                "m" if of_list => "U".to_owned(),
                "m/s" if of_list => "U/s".to_owned(),
                _ => unit,
            };
            let default = default(&place, &key, written);
            rows.push(Row {
                name: format!("{}{key}", place.shown),
                cells: vec![unit, default, range],
            });
        }
    }
    Made { header: &["key", "unit", "default", "range"], rows, meanings: true }
}

/// The schemes of each kind of model, the default first.
pub fn schemes() -> Made {
    let models = [
        ("oscillator", MODEL),
        ("cascade", "mass = 1.0, stiffness = [1.0, 1.0], threshold = [1.0]"),
        ("network", NODE_AND_SPRING),
        ("impact", "mass = 1.0, wall = 0.0, restitution = 1.0"),
        ("planar", "mass = 1.0, friction = { coulomb = { force = 1.0 } }"),
    ];
    let rows = models.map(|(name, model)| {
        let file = format!("{name} = {{ {model} }}\nrun = {{ end = 1.0, step = 0.1, @ }}");
        let place = at("run.", file, "/run");
        let all = expected(&place, "scheme", "'no such scheme'").unwrap();
        let resolved = read(&place, &[]).unwrap();
        let first = resolved["run"]["scheme"].as_str().unwrap().to_owned();
        let all: Vec<_> =
            all.trim_start_matches("one of ").split(", ").map(|w| format!("`{w}`")).collect();
        Row { name: name.to_owned(), cells: vec![format!("`{first}`"), all.join(", ")] }
    });
    Made {
        header: &["model", "default", "values of `run.scheme`"],
        rows: rows.into(),
        meanings: false,
    }
}
