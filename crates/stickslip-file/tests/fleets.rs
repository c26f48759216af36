//! Fleet files: where the records of many bearings are found, and what one bad record does to the others.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip_file::{Diagnostic, Document, FleetFile, Memory, Reading, Resources};

const ROWS: usize = 240;

fn drive(i: usize) -> f64 {
    10.0 + 8.0 * (0.26 * i as f64).sin() + 0.01 * i as f64
}

fn response(bearing: usize, i: usize) -> f64 {
    3.0 * (0.26 * i as f64 + 0.1 * bearing as f64).sin()
}

fn stamp(i: usize) -> String {
    format!("2024-01-{:02}T{:02}:00:00Z", 1 + i / 24, i % 24)
}

fn record(bearing: usize) -> String {
    let row = |i| format!("{},{},{}\n", stamp(i), drive(i), response(bearing, i));
    "time,temperature,z\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

/// Rows `range` of three bearings, one below the other or mixed.
fn long(range: std::ops::Range<usize>) -> String {
    let mut out = "sensor,time,temperature,z\n".to_owned();
    for i in range {
        for b in 0..3 {
            out += &format!("s{b},{},{},{}\n", stamp(i), drive(i), response(b, i));
        }
    }
    out
}

fn wide() -> String {
    let row = |i| {
        let [a, b, c] = [0, 1, 2].map(|b| response(b, i));
        format!("{},{},{a},{b},{c}\n", stamp(i), drive(i))
    };
    "time,temperature,s0,s1,s2\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

const TAIL: &str = "time = \"time\"\ndrive = \"temperature\"\nresponse_unit = \"mm\"\n\
                    [model]\nkind = \"thermal-bearing\"\nbearing_stiffness = 2.0e9\n";

fn fleet(data: &str, files: Memory) -> Result<FleetFile, Diagnostic> {
    let document = Document::parse("fleet.toml", format!("[data]\n{data}\n{TAIL}")).unwrap();
    FleetFile::read(&document, &Reading::new(files))
}

/// Every record: its name, and its displacements or what is wrong with it.
fn records(fleet: &FleetFile) -> Vec<(String, Result<Vec<f64>, String>)> {
    let mut all = Vec::new();
    for group in fleet.groups(0..fleet.members.len()) {
        let shelf = fleet.open(group.clone()).unwrap();
        for i in group {
            let fit = shelf.fit(i).map_err(|e| e.to_string());
            let values = fit.map(|(fit, _)| {
                assert_eq!(fit.data.seconds.len(), fit.data.drive_values.len());
                assert_eq!(fit.data.seconds[1], 3600.0);
                fit.data.response_values
            });
            all.push((fleet.members[i].name.clone(), values));
        }
    }
    all
}

#[track_caller]
fn are_the_three(fleet: &FleetFile) {
    let found = records(fleet);
    assert_eq!(found.len(), 3);
    for (b, (name, values)) in found.into_iter().enumerate() {
        assert_eq!(name, format!("s{b}"));
        let values = values.unwrap();
        assert_eq!(values.len(), ROWS);
        for (i, z) in values.iter().enumerate() {
            assert!((z - 1e-3 * response(b, i)).abs() < 1e-18, "{name} row {i}: {z}");
        }
    }
}

#[test]
fn the_same_records_in_every_form() {
    let apart = (0..3).fold(Memory::default(), |m, b| m.with(format!("data/s{b}.csv"), record(b)));
    are_the_three(&fleet("file = \"data/*.csv\"\nresponse = \"z\"", apart).unwrap());
    let one = Memory::default().with("all.csv", long(0..ROWS));
    are_the_three(
        &fleet("file = \"all.csv\"\nbearing = \"sensor\"\nresponse = \"z\"", one).unwrap(),
    );
    // Months that overlap by a row.
    let months = Memory::default().with("m1.csv", long(0..100)).with("m2.csv", long(99..ROWS));
    let text = "files = \"m?.csv\"\nbearing = \"sensor\"\nresponse = \"z\"";
    are_the_three(&fleet(text, months).unwrap());
    let table = Memory::default().with("wide.csv", wide());
    let text = "file = \"wide.csv\"\nresponses = [\"s0\", \"s1\", \"s2\"]";
    are_the_three(&fleet(text, table).unwrap());
}

#[test]
fn all_bearings_may_share_a_drive() {
    let air = |i| format!("{},{}\n", stamp(i), drive(i));
    let air = "time,temperature\n".to_owned() + &(0..ROWS).map(air).collect::<String>();
    let files = Memory::default().with("air.csv", air).with("wide.csv", wide());
    let text =
        "file = \"wide.csv\"\ndrive_file = \"air.csv\"\nresponses = [\"s0\", \"s1\", \"s2\"]";
    are_the_three(&fleet(text, files).unwrap());
}

/// What is wrong with one bearing is said in its place, and the others are read.
#[test]
fn one_bad_record_does_not_touch_the_others() {
    let broken = long(0..ROWS).replace(&format!("s1,{}", stamp(50)), "s1,yesterday");
    let one = Memory::default().with("all.csv", broken);
    let found = fleet("file = \"all.csv\"\nbearing = \"sensor\"\nresponse = \"z\"", one).unwrap();
    let found = records(&found);
    assert!(found[0].1.is_ok() && found[2].1.is_ok());
    let said = found[1].1.as_ref().unwrap_err();
    assert!(said.contains("row 152") && said.contains("`yesterday` is not a time"), "{said}");

    let broken =
        wide().replace(&format!("{},{}", stamp(50), drive(50)), &format!("{},oops", stamp(50)));
    let table = Memory::default().with("wide.csv", broken);
    let text = "file = \"wide.csv\"\nresponses = [\"s0\", \"s1\", \"s2\"]";
    assert!(records(&fleet(text, table).unwrap()).iter().all(|r| r.1.is_err()));
    let broken = wide().replace(&format!(",{},", response(1, 60)), ",oops,");
    let table = Memory::default().with("wide.csv", broken);
    let found = records(&fleet(text, table).unwrap());
    assert!(found[0].1.is_ok() && found[1].1.is_err() && found[2].1.is_ok());

    let files = Memory::default().with("a.csv", record(0)).with("b.csv", "time,temperature,z\n");
    let found = records(
        &fleet("file = [\"a.csv\", \"b.csv\", \"c.csv\"]\nresponse = \"z\"", files).unwrap(),
    );
    assert!(found[0].1.is_ok());
    assert!(found[1].1.as_ref().unwrap_err().contains("no row below the header"));
    assert!(found[2].1.as_ref().unwrap_err().contains("c.csv: cannot be opened"));
}

/// Files one of which is written to whenever it is looked at, for so many times.
struct Written {
    files: Memory,
    name: &'static str,
    left: AtomicU64,
}

impl Resources for Written {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let whole = self.files.read(name)?;
        // While it is written to, the file ends within a row.
        let torn = name == self.name && self.left.load(Ordering::Relaxed) > 0;
        let length = if torn { whole.len() / 2 - 3 } else { whole.len() };
        Ok(Cow::Owned(whole[..length].to_vec()))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.files.list(folder)
    }

    fn version(&self, name: &str) -> Option<u64> {
        let less = |left: u64| Some(left.saturating_sub(1));
        let left = |l: &AtomicU64| l.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if name == self.name { left(&self.left).ok() } else { Some(0) }
    }
}

/// A file that changes while it is read is read again; if it still does, its bearing alone is without a fit.
#[test]
fn a_file_that_changes_while_it_is_read() {
    let asked = |left: u64| {
        let files = (0..3).fold(Memory::default(), |m, b| m.with(format!("s{b}.csv"), record(b)));
        let files = Written { files, name: "s1.csv", left: AtomicU64::new(left) };
        let text = format!("[data]\nfile = \"s*.csv\"\nresponse = \"z\"\n{TAIL}");
        let document = Document::parse("fleet.toml", text).unwrap();
        FleetFile::read(&document, &Reading::new(files)).unwrap()
    };
    are_the_three(&asked(1));
    let found = records(&asked(1000));
    assert!(found[0].1.is_ok() && found[2].1.is_ok());
    let said = found[1].1.as_ref().unwrap_err();
    assert!(said.contains("s1.csv: the file changed while it was read"), "{said}");
}

#[test]
fn what_is_known_of_each_bearing_is_used() {
    let apart = (0..3).fold(Memory::default(), |m, b| m.with(format!("s{b}.csv"), record(b)));
    let known = "bearing,bearing_stiffness,name,installed,colour\ns0,1e9,North,,red\n\
                 s2,,South,2024-01-02T00:00:00Z,blue\ns9,3e9,,,\n";
    let text = "file = \"s*.csv\"\nresponse = \"z\"";
    let document = Document::parse(
        "fleet.toml",
        format!("[bearings]\nfile = \"known.csv\"\n[data]\n{text}\n{TAIL}"),
    );
    let reading = Reading::new(apart.with("known.csv", known));
    let fleet = FleetFile::read(&document.unwrap(), &reading).unwrap();
    let shelf = fleet.open(0..3).unwrap();
    let fits: Vec<_> = (0..3).map(|i| shelf.fit(i).unwrap().0).collect();
    assert_eq!(fits[0].bearing_stiffness, Some(1e9));
    assert_eq!(fits[1].bearing_stiffness, Some(2e9));
    assert_eq!(
        (fits[0].title.as_deref(), fits[2].title.as_deref()),
        (Some("North"), Some("South"))
    );
    assert_eq!(fits[2].data.seconds.len(), ROWS - 24);
    let said = fleet.warnings.join("\n");
    for part in
        ["1 bearings of the fleet have no row", "1 rows are for bearings", "not used: colour"]
    {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_is_wrong_with_a_fleet_file_is_named() {
    let files = || Memory::default().with("a.csv", record(0)).with("b/a.csv", record(1));
    let refused = |data: &str, said: &str| {
        let e = fleet(data, files()).unwrap_err();
        assert!(e.to_string().contains(said), "{e}");
        assert!(e.place().is_some() && e.help_text().is_some(), "{e}");
    };
    refused("file = \"x*.csv\"\nresponse = \"z\"", "no file is called `x*.csv`");
    refused("file = \"*/a.csv\"\nresponse = \"z\"", "in the name of a folder");
    refused("file = [\"a.csv\", \"b/a.csv\"]\nresponse = \"z\"", "are both for `a`");
    refused("file = \"a.csv\"", "`data.response` is missing");
    refused(
        "file = \"a.csv\"\nresponse = \"z\"\nresponses = [\"z\"]",
        "both `response` and `responses`",
    );
    refused(
        "file = \"a.csv\"\nresponse = \"z\"\nbearing = \"sensor\"",
        "no column is called `sensor`",
    );
    refused("response = \"z\"", "`data.file` is missing");
}
