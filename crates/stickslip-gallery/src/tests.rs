//! The list of items, and the cheap ones run. All of them are run by the program's own tests.

use super::*;
use std::collections::HashSet;

#[test]
fn names_are_told_apart() {
    let names = names();
    let unique: HashSet<&str> = names.iter().map(|n| n.0).collect();
    assert_eq!(unique.len(), names.len());
    for (name, title) in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        assert!(!title.contains('{'), "{title}");
    }
}

#[test]
fn an_item_leaves_figures_models_and_verdicts() {
    let made = Gallery { name: "003".to_owned(), data: None }.make();
    assert_eq!(made.seeds.len(), 1);
    let items = &made.seeds[0].1;
    assert_eq!(items.len(), inclusion::ITEMS.len());
    let mut pictures = HashSet::new();
    for (item, outcome) in items {
        assert!(!outcome.verdicts.is_empty(), "{}", item.name);
        assert!(outcome.files.iter().any(|f| f.0.ends_with(".toml")), "{}", item.name);
        for p in &outcome.pictures {
            assert!(p.svg.starts_with("<svg") && !p.svg.contains("NaN"), "{}", p.name);
            assert!(pictures.insert(p.name), "{} twice", p.name);
        }
    }
}

#[test]
fn what_cannot_be_done_differs_and_what_is_not_there_is_skipped() {
    let broken = Item {
        name: "broken",
        place: "",
        title: "",
        claim: "",
        ours: "",
        run: |w| w.oscillator("broken.toml", "[oscillator]\nmass = -1.0\n").map(|_| ()),
    };
    let outcome = make(&broken, None);
    assert!(
        outcome.verdicts.iter().any(|v| !v.holds() && v.what.contains("could not be finished"))
    );
    let made = Gallery { name: "rigid-drive".to_owned(), data: None }.make();
    let outcome = &made.seeds[0].1[0].1;
    assert!(outcome.skipped.as_deref().is_some_and(|s| s.contains("STICKSLIP_DATA")));
    assert!(outcome.verdicts.is_empty());
}
