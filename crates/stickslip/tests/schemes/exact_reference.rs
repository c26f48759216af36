//! The exact scheme against 30-digit references: every event, every time, every displacement.

use stickslip::scheme::oscillator::exact;
use stickslip::{Law, Oscillator, Signal};

/// Reads `key=value` from a case line.
fn value(line: &str, key: &str) -> f64 {
    let found = line.split_whitespace().find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
    found.unwrap().parse().unwrap()
}

#[test]
fn all_four_cases_to_1e12() {
    let text = include_str!("reference/oscillator.txt");
    let mut cases = 0;
    for block in text.split("case ").skip(1) {
        let mut lines = block.lines();
        let head = lines.next().unwrap();
        let of = |key| value(head, key);
        let law = Law::static_dynamic(of("fs"), of("fd")).unwrap();
        let oscillator = Oscillator::new(of("m"), of("K"), law)
            .with_damping(of("c"))
            .with_drive(Signal::harmonic(of("A"), of("w"), of("phi")))
            .starting_at(of("x0"), of("v0"));
        let path = exact::solve(&oscillator, of("T")).unwrap();
        let mut events = path.events().iter();
        let close = |got: f64, want: f64| (got - want).abs() <= 1e-12 * want.abs().max(1e-3);
        for line in lines.filter(|l| !l.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            let (a, b): (f64, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
            if words[0] == "end" {
                let end = path.state(of("T"));
                assert!(
                    close(end.x, a) && close(end.v, b),
                    "{head}: end {end:?}, expected {a} {b}"
                );
                continue;
            }
            let e = events.next().unwrap_or_else(|| panic!("{head}: missed {line}"));
            assert_eq!(e.kind.name(), words[0], "{head}: {e:?}, expected {line}");
            assert!(close(e.time, a) && close(e.x, b), "{head}: {e:?}, expected {line}");
        }
        assert_eq!(events.next(), None, "{head}: an event too many");
        assert!(
            path.energy(&oscillator).relative_defect() < 1e-12,
            "{head}: {:?}",
            path.energy(&oscillator)
        );
        cases += 1;
    }
    assert_eq!(cases, 4);
}
