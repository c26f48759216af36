//! What can be tested of the lab's door without a browser; the rest is tested in one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use serde_json::Value;

const TEXT: &str = "# µ\n[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb.force = 1.0\n\
                    [oscillator.initial]\ndisplacement = 3.0\n[run]\nend = 10.0\n";

#[test]
fn a_fault_has_its_place_in_the_units_of_a_page() {
    let fault = stickslip_web::numbers(&TEXT.replace("mass", "mas")).unwrap_err();
    let fault: Value = serde_json::from_str(&fault).unwrap();
    assert_eq!((fault["line"].as_u64(), fault["column"].as_u64()), (Some(3), Some(1)));
    // `µ` is two bytes and one unit.
    assert_eq!((fault["from"].as_u64(), fault["to"].as_u64()), (Some(17), Some(20)));
    assert!(fault["message"].as_str().unwrap().contains("did you mean `mass`?"), "{fault}");
}

#[test]
fn every_number_is_where_it_is_said_to_be() {
    let numbers: Value = serde_json::from_str(&stickslip_web::numbers(TEXT).unwrap()).unwrap();
    let units: Vec<u16> = TEXT.encode_utf16().collect();
    for number in numbers.as_array().unwrap() {
        let at = |key: &str| number[key].as_u64().unwrap() as usize;
        let text = String::from_utf16(&units[at("from")..at("to")]).unwrap();
        assert_eq!(text.parse().ok(), number["value"].as_f64(), "{number}");
    }
    assert_eq!(numbers.as_array().unwrap().len(), 5);
}

#[test]
fn a_motion_comes_with_its_columns_and_events() {
    // From 3 m under friction of 1 N: half a period to −1 m, where the spring holds no more than friction.
    let mut motion = stickslip_web::Motion::new(TEXT, None, None).unwrap();
    let about: Value = serde_json::from_str(&motion.about()).unwrap();
    let last = about["events"].as_array().unwrap().last().unwrap();
    assert_eq!(last[0], "stick");
    assert!((last[1].as_f64().unwrap() - std::f64::consts::PI).abs() < 1e-12, "{last}");
    let count = motion.times(100).len();
    assert_eq!(motion.table().len(), count * about["columns"].as_array().unwrap().len());
}

/// A ball on the floor of a machine: from 1 m under 2 N it is there after 1 s, whichever scheme the page chooses.
#[test]
fn a_machine_moves_by_the_scheme_that_is_chosen() {
    let text = "[network]\nnode = [{ name = \"ball\", mass = 1.0, displacement = 1.0 }]\n\
        stop = [{ name = \"floor\", between = [\"ball\", \"ground\"], lower = 0.0, restitution = 0.5 }]\n\
        force = [{ on = \"ball\", constant = -2.0 }]\n[run]\nend = 1.5\n";
    for scheme in ["adaptive", "exact"] {
        let motion = stickslip_web::Motion::new(text, Some(scheme.to_owned()), None).unwrap();
        let about: Value = serde_json::from_str(&motion.about()).unwrap();
        assert_eq!((&about["scheme"], &about["kind"]), (&scheme.into(), &"network".into()));
        let schemes = about["schemes"].as_array().unwrap();
        assert!(schemes.contains(&scheme.into()), "{schemes:?}");
        let [first] = &about["events"].as_array().unwrap()[..] else { panic!("{about}") };
        assert_eq!((&first[0], &first[2]), (&"impact".into(), &"floor".into()));
        assert!((first[1].as_f64().unwrap() - 1.0).abs() < 1e-12, "{first}");
    }
}
