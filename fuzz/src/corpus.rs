//! Inputs that are in order, from which the changes set out.

#[cfg(feature = "parquet")]
use stickslip_run::{Cell, Column, Format, Table};
use stickslip_run::{synthetic, templates};

/// Fit files that read a table as people write them, and one that reads Parquet.
pub(crate) const TABLE_READERS: [&str; 3] = [
    "[data]\nfile = \"data.csv\"\ntime = \"time\"\ndrive = \"temperature\"\nresponse = \"displacement\"\nresponse_unit = \"mm\"\n\
     [model]\nkind = \"thermal-bearing\"\n",
    "[data]\nfile = \"data.csv\"\ntime = \"time\"\ndrive = \"temperature\"\nresponse = \"displacement\"\nresponse_unit = \"mm\"\n\
     decimal = \",\"\ntime_format = \"day-first\"\nmissing = [-999]\n[model]\nkind = \"thermal-bearing\"\n",
    "[data]\nfile = \"data.csv\"\ntime = \"time\"\ntime_unit = \"s\"\nresponse = \"force\"\nresponse_unit = \"N\"\n\
     [model]\nkind = \"pulled-slider\"\nvelocity = 1e-3\nstiffness = 1e3\nmass = 1.0\n",
];

/// The head of a record, short enough to be changed often.
const RECORD: &str = "time,temperature,displacement\n2024-03-01T00:00:00Z,10.0,1.5\n2024-03-01T01:00:00Z,11.5,1.5\n\
    2024-03-01T02:00:00Z,12.5,1.6\n2024-03-01T03:00:00Z,,1.7\n2024-03-01T04:00:00Z,9.5,-999\n";

/// Models that the templates do not show.
const MODELS: [&str; 5] = [
    "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction = { coulomb = { force = 1.0 } }\ninitial = { displacement = 5.5 }\n\
     [run]\nend = 12.0\nstep = 0.01\n",
    "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\nfriction = { static-dynamic = { static = 1.2, dynamic = 1.0 } }\n\
     drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5 } }]\nsupport = [{ constant = 0.1 }]\n[run]\nend = 40.0\nstep = 0.01\n",
    "[oscillator]\nmass = 1.0\nstiffness = 2.0\nfriction = { stribeck = { a = 0.1, b = 0.2, c = 3.0, d = 1.5 } }\n\
     force = [{ ramp = { rate = 0.5 } }]\n[run]\nend = 10.0\nscheme = \"adaptive\"\n",
    "[cascade]\nmass = 1.0\nstiffness = [1.0, 2.0, 3.0]\nthreshold = [0.5, 1.0]\nforce = [{ harmonic = { amplitude = 3.0, angular_frequency = 1.0 } }]\n\
     [run]\nend = 10.0\nstep = 0.01\n",
    "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction = { coulomb = { force = 0.3 } }\n\
     drive = [{ sampled = { file = \"data.csv\", time = \"time\", value = \"drive\" } }]\n[run]\nend = 3.0\n\
     \n=====\ntime,drive\n0,0\n1,2\n2,-1\n3,0.5\n",
];

/// Models as they lie in FMUs, each with a state that was written down.
const FMUS: [&str; 3] = [
    "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction = { static-dynamic = { static = 1.2, dynamic = 1.0 } }\n\
     drive = [{ harmonic = { amplitude = 6.0, angular_frequency = 0.5 } }]\n[run]\nend = 40.0\n",
    "[cascade]\nmass = 1.0\nstiffness = [1.0, 2.0, 3.0]\nthreshold = [0.5, 1.0]\nforce = [{ harmonic = { amplitude = 3.0, angular_frequency = 1.0 } }]\n\
     [run]\nend = 10.0\n",
    "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\nforce = [{ constant = -9.81 }]\n[impact.initial]\ndisplacement = 1.0\n[run]\nend = 3.0\n",
];

/// The inputs of a target, by its name.
pub fn corpus(target: &str) -> Vec<Vec<u8>> {
    let printed = || templates::ALL.into_iter().map(|t| t.printed());
    let texts: Vec<String> = match target {
        "model" | "solve" => printed().chain(MODELS.map(str::to_owned)).collect(),
        "fit" | "calibrate" => {
            let beside = TABLE_READERS.map(|fit| format!("{fit}\n=====\n{}", record(target)));
            printed().chain(beside).collect()
        }
        "table" => vec![RECORD.to_owned(), RECORD.replace(',', ";"), RECORD.replace('\n', "\r\n")],
        "fmu" => FMUS.map(str::to_owned).to_vec(),
        #[cfg(feature = "parquet")]
        "parquet" => return tables(),
        _ => vec![partial()],
    };
    texts.into_iter().map(String::into_bytes).collect()
}

#[cfg(feature = "parquet")]
/// The record as Parquet: times, texts and numbers, with gaps.
fn tables() -> Vec<Vec<u8>> {
    let rows: [(&str, f64, f64); 4] = [
        ("2024-03-01T00:00:00Z", 10.0, 1.5),
        ("2024-03-01T01:00:00Z", 11.5, 1.5),
        ("2024-03-01T02:00:00Z", f64::NAN, 1.6),
        ("2024-03-01T03:00:00Z", 9.5, -999.0),
    ];
    let table = |time: Column| {
        let columns =
            vec![time, Column::new("temperature", "°C"), Column::new("displacement", "mm")];
        Table::new("data", columns, move |see| {
            rows.iter().try_for_each(|(time, a, b)| {
                see(&[Cell::Text((*time).into()), Cell::finite(*a), Cell::Number(*b)])
            })
        })
    };
    let written = |time: Column| {
        let mut out = Vec::new();
        table(time).write(Format::Parquet, &mut out).ok().map(|()| out)
    };
    [Column::stamps("time"), Column::new("time", "")].into_iter().filter_map(written).collect()
}

/// A record; one that is long enough where it is to be calibrated.
fn record(target: &str) -> String {
    let long = (target == "calibrate").then(|| synthetic::make(synthetic::Record::BEARING).ok());
    let long = long.flatten().map(|text| text.lines().take(400).collect::<Vec<_>>().join("\n"));
    long.unwrap_or_else(|| RECORD.to_owned())
}

/// A partial result of a small ensemble.
fn partial() -> String {
    use stickslip::study::ensemble::{Plan, run};
    use stickslip::{Law, Noise, Oscillator, Place, Problem};
    let made = || {
        let noise = Noise::OrnsteinUhlenbeck { rate: 1.0, intensity: 0.3, scale: 1.0 };
        let mass = Oscillator::new(1.0, 1.0, Law::coulomb(0.1).ok()?);
        let plan =
            Plan::new(Problem::new(mass, 1.0).with_noise(Place::Force, noise), 0.1, 1).with_rows(2);
        let ensemble = run(&plan, 0..8, 1, &mut ()).ok()?;
        let partial =
            stickslip_run::ensemble::SomePaths::new(Default::default(), &plan, ensemble).ok()?;
        Some(partial.to_json())
    };
    made().unwrap_or_default()
}
