//! Columns of tables of results, as the library names them.

use super::super::sandbox::Sandbox;
use super::{Made, Row};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use stickslip_file::{Document, Memory, Paths, Reading};
use stickslip_run as run;
use stickslip_run::{Column, Context, Input, Product};

const SHAW: &str = "oscillator = { mass = 1.0, stiffness = 1.0, bearing_stiffness = 2.0, \
    friction = { static-dynamic = { static = 1.2, dynamic = 1.0 } }, \
    drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5 } }], \
    stops = { lower = -20.0, restitution = 0.5 } }\n\
    run = { end = 5.0 }\n";
const NOISY: &str = "oscillator = { mass = 1.0, stiffness = 1.0, \
    friction = { coulomb = { force = 1.0 } }, \
    force = [{ ornstein-uhlenbeck = { rate = 1.0, intensity = 1.0, scale = 4.0 } }] }\n\
    run = { end = 5.0, step = 0.05 }\n";
const FORCED: &str = "oscillator = { mass = 1.0, stiffness = 1.0, \
    friction = { coulomb = { force = 1.0 } }, \
    force = [{ harmonic = { amplitude = 3.0, angular_frequency = 0.5 } }] }\n\
    run = { end = 5.0 }\n";
const CASCADE: &str = "cascade = { mass = 1.0, stiffness = [2.0, 1.0], threshold = [0.5], \
    force = [{ harmonic = { amplitude = 2.0, angular_frequency = 1.0 } }] }\n\
    run = { end = 5.0 }\n";
const NETWORK: &str = "network = { node = [{ name = 'NAME', mass = 1.0 }], \
    slider = [{ name = 'NAME', between = ['NAME', 'ground'], static = 1.0 }], \
    force = [{ on = 'NAME', harmonic = { amplitude = 2.0, angular_frequency = 1.0 } }] }\n\
    run = { end = 5.0, scheme = 'exact' }\n";
const IMPACT: &str = "impact = { mass = 1.0, wall = 0.0, restitution = 0.5, \
    force = [{ constant = -9.81 }], initial = { displacement = 1.0 } }\n\
    run = { end = 5.0 }\n";

fn product(name: &str) -> Product {
    let context = Context::silent();
    let with = |text: &str, work: &dyn Fn(&Input<'_>) -> stickslip_file::Result<Product>| {
        let reading = Reading::new(Memory::default());
        let document = Document::parse("m.toml", text).unwrap();
        work(&Input::new(&document, &reading)).unwrap()
    };
    let simulated = |text: &str, perturb: Option<f64>| {
        let mut options = run::Simulate::default();
        options.perturb = perturb;
        with(text, &|i| run::simulate(&options, i, &context))
    };
    let measured = |text: &str, scheme: Option<&str>, paths| {
        let mut options = run::Converge::default();
        (options.halvings, options.paths) = (2, paths);
        options.scheme = scheme.map(str::to_owned);
        let text = match scheme {
            Some(s) => text.replace("run = {", &format!("run = {{ scheme = '{s}',")),
            None => text.to_owned(),
        };
        with(&text, &|i| run::converge(&options, i, &context))
    };
    let solved = |text: &str| {
        let mut options = run::Solutions::default();
        options.limit = if text.contains("oscillator") { Some(10) } else { None };
        with(text, &|i| run::solutions(&options, i, &context))
    };
    match name {
        "oscillator" => simulated(SHAW, None),
        "perturbed" => simulated(
            &SHAW.replace(", stops = { lower = -20.0, restitution = 0.5 }", ""),
            Some(1e-3),
        ),
        "cascade" => simulated(CASCADE, None),
        "network" => simulated(NETWORK, None),
        "impact" => simulated(IMPACT, None),
        "converge" => measured(NOISY, None, Some(2)),
        "converge-adaptive" => measured(
            &SHAW.replace(", stops = { lower = -20.0, restitution = 0.5 }", ""),
            Some("adaptive"),
            None,
        ),
        "ensemble" => {
            let mut options = run::Ensemble::new(0..20);
            options.states = true;
            with(NOISY, &|i| run::ensemble(&options, i, &context))
        }
        "solutions" => solved(
            "oscillator = { mass = 1.0, stiffness = 0.0, force = [{ constant = 1.1 }], \
             friction = { static-dynamic = { static = 1.2, dynamic = 1.0 } } }\n\
             run = { end = 1.0, step = 0.2 }",
        ),
        "corner" => solved("corner = { angles = 4 }"),
        "schatzman" => solved("schatzman = { bounces = 4 }"),
        "orbit" => with(FORCED, &|i| run::orbit(&run::Orbit::default(), i, &context)),
        "response" => {
            let mut options = run::Response::new("oscillator.force.0.harmonic.amplitude", 3.0, 4.0);
            options.count = 3;
            with(FORCED, &|i| run::response(&options, i, &context))
        }
        "fleet" => fleet(),
        _ => calibrated(name),
    }
}

/// The built-in record as a fleet of one bearing.
fn fleet() -> Product {
    let (text, files) = (
        "data = { file = 'example:bearing.csv', time = 'time', drive = 'temperature', \
             response = 'displacement', response_unit = 'mm' }\n\
             model = { kind = 'thermal-bearing' }\nfit = { diagnose = false }\n\
             fleet = { changes = false }\n",
        run::synthetic::WithRecords(Memory::default()),
    );
    let document = Document::parse("fleet.toml", text).unwrap();
    let (reading, options) = (Reading::new(files), run::Fleet::default());
    let journal = stickslip_file::Forgotten::default();
    run::fleet(&options, &Input::new(&document, &reading), &journal, &Context::silent()).unwrap()
}

/// The template of a kind of record, calibrated.
fn calibrated(name: &str) -> Product {
    let sandbox = Sandbox::new();
    let kind = name.trim_end_matches("-windows").trim_end_matches("-records");
    let file = format!("{name}.toml");
    let template = if kind == "thermal-bearing" { "calibrate" } else { kind };
    sandbox.run(&["new", template, &file]).done();
    let reading = Reading::new(Paths);
    let path = sandbox.path(&file).display().to_string();
    let mut document = reading.document(&path, &[]).unwrap();
    if name.ends_with("-records") {
        let mut record =
            "time = 'time'\ndrive = 'temperature'\nresponse = 'displacement'\n".to_owned();
        record += "response_unit = 'mm'\nfile = 'bearing.csv'\n";
        let text =
            format!("[[record]]\n{record}[[record]]\n{record}[model]\nkind = 'thermal-bearing'\n");
        document = Document::parse(&path, text).unwrap();
    }
    let mut options = run::Calibrate::default();
    if name.ends_with("-windows") {
        options.windows = Some((60.0 * 86400.0, 30.0 * 86400.0));
    }
    run::calibrate(&options, &Input::new(&document, &reading), &Context::silent()).unwrap()
}

/// The columns of the tables of a product, by their names.
type Tables = HashMap<String, Vec<Column>>;

/// `PRODUCT/TABLE`. Each product is made once.
fn columns(name: &str) -> Vec<Column> {
    static MADE: Mutex<BTreeMap<String, Tables>> = Mutex::new(BTreeMap::new());
    let (of, table) = name.split_once('/').unwrap();
    let mut made = MADE.lock().unwrap();
    let tables = made.entry(of.to_owned()).or_insert_with(|| {
        product(of).tables.into_iter().map(|t| (t.name.clone(), t.columns)).collect()
    });
    let names = tables.keys().cloned().collect::<Vec<_>>();
    let found = tables.get(table).cloned();
    found.unwrap_or_else(|| panic!("{of} has the tables {names:?}, and no {table}"))
}

/// The columns of some tables of results, each column once.
pub fn table(names: &[&str]) -> Made {
    let mut rows: Vec<Row> = Vec::new();
    for column in names.iter().flat_map(|n| columns(n)) {
        let unit = if column.unit.is_empty() { "–" } else { column.unit };
        if !rows.iter().any(|r| r.name == column.name) {
            rows.push(Row { name: column.name, cells: vec![unit.to_owned()] });
        }
    }
    Made { header: &["column", "unit"], rows, meanings: true }
}
