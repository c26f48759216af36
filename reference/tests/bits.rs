//! The digests that are compared between machines.

use std::collections::HashSet;
use stickslip_file::Sha256;
use stickslip_reference::{Bits, CASES, bits};
use stickslip_run::Context;

/// Twice the same; every item is there, and holds something. (Two masses that rest at zero for ever share a digest.)
#[test]
fn every_item_has_a_digest_and_the_same_when_it_is_computed_again() {
    let (once, again) = (bits(&Context::silent()).unwrap(), bits(&Context::silent()).unwrap());
    assert_eq!(once, again);
    let names: HashSet<&str> = once.items.iter().map(|i| i.0.as_str()).collect();
    assert!(CASES.iter().all(|c| names.contains(c.name)) && names.len() == CASES.len() + 6);
    let nothing = Sha256::of(b"");
    let empty: Vec<_> = once.items.iter().filter(|i| i.1 == nothing).collect();
    assert!(empty.is_empty(), "{empty:?}");
}

/// One other letter in one digest, or another order, is another number for all.
#[test]
fn the_digest_of_all_depends_on_each() {
    let of = |items: &[(&str, &str)]| Bits {
        items: items.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect(),
    };
    let all = of(&[("a", "0"), ("b", "1")]).all();
    for other in [&[("a", "0"), ("b", "2")][..], &[("b", "1"), ("a", "0")], &[("a", "0")]] {
        assert_ne!(of(other).all(), all);
    }
}
