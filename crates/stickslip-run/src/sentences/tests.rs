//! The list is whole: each entry says everything, and each variant of the enumerations whose texts are verdicts is in it.

use super::{all, fits, of};
use std::collections::BTreeSet;
use stickslip::Warning;
use stickslip::model::Network;

#[test]
fn texts_fit_what_is_printed() {
    assert!(fits("it falls by {force} N", "it falls by 3.5 N"));
    assert!(fits("{n} value{s} left out", "1 value left out"));
    assert!(!fits("it falls by {force} N", "it falls by 3.5 N/m"));
    assert!(!fits("it falls", "it falls down") && !fits("it falls", "that it falls"));
    assert!(fits("a {x} b {y} c", "a b b c c") && !fits("a {x} b {y} c", "a c b"));
    // The name of a record may stand before it, and what it does not say is not read into it.
    assert!(of("Pier 3: no change of the friction was found").is_some());
    assert!(of("no change of the friction was looked for").is_none());
}

/// Every entry has a condition, advice and both kinds of tests; no text stands twice, and none is so loose that it fits anything.
#[test]
fn every_entry_is_whole() {
    let mut seen = BTreeSet::new();
    for s in all() {
        let name = s.texts[0];
        assert!(!s.chapter.is_empty() && !s.when.is_empty() && !s.advice.is_empty(), "{name}");
        assert!(!s.right.is_empty() && !s.wrong.is_empty(), "{name}");
        for text in &s.texts {
            assert!(seen.insert(*text), "twice: {text}");
            let words: usize = super::pieces(text)
                .iter()
                .flat_map(|p| p.split_whitespace())
                .filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 1)
                .count();
            assert!(words > 1, "fits nearly anything: {text}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
        }
    }
    assert!(seen.len() > 250, "{}", seen.len());
}

/// The variants of an enumeration, from its source.
fn variants(source: &str, name: &str) -> BTreeSet<String> {
    let (_, rest) = source.split_once(&format!("pub enum {name} {{\n")).expect(name);
    let (body, _) = rest.split_once("\n}\n").expect(name);
    let heads = body
        .lines()
        .filter_map(|l| l.strip_prefix("    "))
        .filter(|l| l.starts_with(|c: char| c.is_ascii_uppercase()));
    let name = |l: &str| l.split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned);
    heads.filter_map(name).collect()
}

/// The variants that the list knows of an enumeration, which it names before `::` but for the warnings of a motion.
fn listed(prefix: &str) -> BTreeSet<String> {
    let all = all();
    let of = all.iter().flat_map(|s| &s.variants);
    of.filter_map(|v| match v.split_once("::") {
        Some((kind, name)) => (kind == prefix).then(|| name.to_owned()),
        None => (prefix == "Warning").then(|| (*v).to_owned()),
    })
    .collect()
}

/// The source of each enumeration holds all of its variants; none may be missing from the list.
#[test]
fn every_variant_is_listed() {
    let core = concat!(env!("CARGO_MANIFEST_DIR"), "/../stickslip/src");
    let calibrate = concat!(env!("CARGO_MANIFEST_DIR"), "/../stickslip-calibrate/src");
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for (name, file) in [
        ("Warning", format!("{core}/motion/warning.rs")),
        ("Remark", format!("{core}/model/network/posed.rs")),
        ("What", format!("{calibrate}/bearing/finding.rs")),
        ("Status", format!("{run}/fleet/judge.rs")),
    ] {
        let source = std::fs::read_to_string(&file).unwrap();
        let mut there = variants(&source, name);
        // A record that cannot be read is an error, whose text is the reason.
        there.remove("Unusable");
        assert!(there.len() > usize::from(name != "Remark"), "{name}: {there:?}");
        assert_eq!(listed(name), there, "{name} of {file}");
    }
}

/// One of each kind of warning, as it is printed.
fn warnings() -> Vec<Warning> {
    let names = || vec!["a".to_owned(), "b".to_owned()];
    vec![
        Warning::NotUnique { from: 1.0, to: 1.0 },
        Warning::NotUnique { from: 1.0, to: 2.0 },
        Warning::SlidersNotUnique { sliders: names(), from: 1.0, to: 1.0 },
        Warning::SlidersNotUnique { sliders: vec!["a".to_owned()], from: 1.0, to: 2.0 },
        Warning::ReachedTogether { sliders: names(), time: 1.0 },
        Warning::OrderDecides { sliders: names(), time: 1.0 },
        Warning::ImpactsTogether { stops: names(), time: 1.0 },
        Warning::StartsOutOfBalance { node: "a".to_owned(), distance: 1.0, energy: 1.0 },
        Warning::SeveralSolutions { count: 3, first: 1.0, below: 0.1 },
        Warning::SeveralSolutions { count: 3, first: 1.0, below: 0.0 },
        Warning::NearMiss { time: 1.0 },
        Warning::RestsAtLimit { time: 1.0, margin: 1e-9 },
        Warning::SlidersRestAtLimit { sliders: names(), time: 1.0, margin: 1e-9 },
        Warning::GrazesRest { time: 1.0, margin: 1e-9 },
        Warning::LiftsOff { time: 1.0 },
        Warning::LedFromElsewhere { start: 0.0, lead: 1.0 },
        Warning::StartsBeyondLimit { load: 2.0, limit: 1.0 },
        Warning::FastDrive { time: 1.0, share: 0.2 },
        Warning::WhiteNoise,
        Warning::ActiveLaw { slider: None, condition: "viscous ≥ 0.1".to_owned() },
        Warning::ActiveLaw {
            slider: Some("joint".to_owned()),
            condition: "viscous ≥ 0.1".to_owned(),
        },
        Warning::EnergyDefect { defect: 1e-3 },
        Warning::LongSteps { step: 1.0, defect: 0.2 },
        Warning::WildArc { time: 1.0, excess: 10.0 },
        Warning::InexactSteps { inexact: 1, steps: 2, worst_residual: 1e-9 },
        Warning::Unlisted { count: 2, last: Box::new(Warning::NearMiss { time: 1.0 }) },
    ]
}

/// What each variant prints is the text of an entry that names this variant.
#[test]
fn the_text_of_a_variant_is_its_entry() {
    let mut seen = BTreeSet::new();
    for warning in warnings() {
        let debug = format!("{warning:?}");
        let name = debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let entry = of(&warning.to_string()).unwrap_or_else(|| panic!("not listed: {warning}"));
        assert!(entry.variants.contains(&name), "{name}: {:?}", entry.variants);
        seen.insert(name.to_owned());
    }
    assert_eq!(seen, listed("Warning"), "one of each kind is to be printed here");
    let pair = Network::builder().node("a", 1.0).spring("a", "ground", 1.0);
    let pair = pair.slider("s", "a", "ground", 1.0, 1.0).slider("t", "a", "ground", 1.0, 1.0);
    let said = pair.build().unwrap().remarks()[0].to_string();
    assert!(of(&said).unwrap().variants.contains(&"Remark::ForcesNotUnique"), "{said}");
}
