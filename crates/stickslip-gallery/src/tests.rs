//! The list of items, and one that cannot be done.

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
fn what_cannot_be_done_differs() {
    let broken = Item {
        name: "broken",
        place: "",
        title: "",
        claim: "",
        ours: "",
        run: |w| w.oscillator("broken.toml", "[oscillator]\nmass = -1.0\n").map(|_| ()),
    };
    let reading = Reading::new(stickslip_file::Memory::default());
    let outcome = run(&broken, &reading, &Context::silent());
    assert!(
        outcome.verdicts.iter().any(|v| !v.holds() && v.what.contains("could not be finished"))
    );
}
