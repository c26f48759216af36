//! Every item of the gallery, in this process: every verdict holds.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use stickslip_file::{Document, Memory, Paths, Reading, Resources};
use stickslip_gallery::{PAPERS, make, product, reproduce};
use stickslip_run::{
    Calibrate, Context, Input, Product, Simulate, Solutions, calibrate, simulate, solutions,
};

/// The files of a folder.
struct Folder(PathBuf);

impl Resources for Folder {
    fn read(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let path = self.0.join(name).display().to_string();
        Paths.read(&path).map(|bytes| Cow::Owned(bytes.into_owned()))
    }
}

/// The folder of measured data, if there is one.
fn data() -> Option<PathBuf> {
    let named = std::env::var_os("STICKSLIP_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    named.into_iter().chain([beside]).find(|p| p.is_dir())
}

#[test]
fn every_verdict_holds() {
    let reading = match data() {
        Some(folder) => Reading::new(Folder(folder)),
        None => Reading::new(Memory::default()),
    };
    let made = make("all", &reading, &Context::silent()).unwrap();
    let (mut verdicts, mut pictures) = (0, HashSet::new());
    for (paper, items) in &made.papers {
        for (item, outcome) in items {
            if outcome.skipped.is_some() {
                assert!(data().is_none() && paper.name == "measured", "{}", item.name);
                continue;
            }
            assert!(!outcome.verdicts.is_empty(), "{}", item.name);
            verdicts += outcome.verdicts.len();
            for v in &outcome.verdicts {
                let (found, expected) = (v.found, v.expected);
                let what = &v.what;
                assert!(v.holds(), "{}: {what}: {found:e}, expected {expected:e}", item.name);
            }
            for p in &outcome.pictures {
                assert!(p.svg.starts_with("<svg") && !p.svg.contains("NaN"), "{}", p.name);
                assert!(pictures.insert(p.name), "{} twice", p.name);
            }
            assert!(outcome.files.iter().any(|f| f.0.ends_with(".toml")), "{}", item.name);
        }
    }
    let items: usize = made.papers.iter().map(|s| s.1.len()).sum();
    assert!(items == PAPERS.iter().map(|s| s.items.len()).sum::<usize>() && items >= 33);
    assert!(verdicts >= if data().is_some() { 180 } else { 150 }, "{verdicts}");
    let product = product(made);
    the_page_is_whole(&product);
    the_models_run(&product);
}

/// The page shows everything by itself, and its figures and files are there.
fn the_page_is_whole(product: &Product) {
    let page = product.pages[0].content.get();
    for part in ["Deviations from the papers", "prefers-color-scheme:dark", "30-digit arithmetic"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for item in product.summary["items"].as_array().unwrap() {
        for name in item["figures"].as_array().unwrap() {
            let name = name.as_str().unwrap().trim_end_matches(".svg");
            assert!(product.figures.iter().any(|f| f.name == name), "{name}");
        }
        for name in item["files"].as_array().unwrap() {
            assert!(product.texts.iter().any(|f| f.name == name.as_str().unwrap()), "{name}");
        }
    }
}

/// The files beside the page are what simulations, searches for solutions and calibrations take.
fn the_models_run(product: &Product) {
    let files = product
        .texts
        .iter()
        .fold(Memory::default(), |files, text| files.with(text.name.as_str(), text.content.get()));
    let reading = Reading::new(files);
    let context = Context::silent();
    for name in product.texts.iter().map(|t| &t.name).filter(|n| n.ends_with(".toml")) {
        // Their records are not among the files.
        if ["drive.toml", "slider.toml"].contains(&name.as_str()) {
            continue;
        }
        let mut document = reading.document(name, &[]).unwrap();
        let has = |d: &Document, key: &str| d.root().get(key).is_some();
        let ended = if has(&document, "data") {
            document.set("fit.method", "global").unwrap();
            calibrate(&Calibrate::default(), &Input::new(&document, &reading), &context)
        } else if has(&document, "corner") || has(&document, "schatzman") {
            solutions(&Solutions::default(), &Input::new(&document, &reading), &context)
        } else {
            simulate(&Simulate::default(), &Input::new(&document, &reading), &context)
        };
        assert!(ended.is_ok(), "{name}: {ended:?}");
    }
}

#[test]
fn measured_items_without_data_are_skipped() {
    let reading = Reading::new(Memory::default());
    let made = make("rigid-drive", &reading, &Context::silent()).unwrap();
    let outcome = &made.papers[0].1[0].1;
    assert!(outcome.skipped.as_deref().is_some_and(|s| s.contains("emps/emps.csv")));
    assert!(outcome.verdicts.is_empty());
    let product = reproduce("measured", &reading, &Context::silent()).unwrap();
    assert_eq!(product.summary["skipped"], 3);
    let unknown = make("shawn", &reading, &Context::silent()).unwrap_err();
    assert!(unknown.message().contains("did you mean `shaw`"), "{unknown}");
}
