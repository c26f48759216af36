//! The score itself, on results whose score is known.

use stickslip_reference::{Certified, Results, find, score};

fn certified(name: &str) -> Certified {
    find(name).unwrap().certified().unwrap()
}

/// The certified values themselves as results.
fn perfect(case: &Certified) -> Results {
    let mut results = Results::default();
    for e in &case.events {
        results.push(&e.event, e.t, &e.r#where, [e.x, e.v]);
    }
    for s in &case.states {
        results.push("state", s.t, &s.r#where, [s.x, s.v]);
    }
    results
}

#[test]
fn the_certified_values_have_all_digits() {
    for name in ["shaw", "three-blocks", "cascade-four", "bouncing-ball", "double-root-stop"] {
        let case = certified(name);
        let s = score(&case, &perfect(&case), None);
        assert_eq!((s.digits, s.missed, s.invented, s.states_missing), (Some(16.0), 0, 0, 0));
        assert_eq!((s.creep, s.energy), (0.0, 0.0), "{name}");
    }
}

#[test]
fn events_are_missed_and_invented() {
    let case = certified("shaw");
    let mut results = perfect(&case);
    results.rows.remove(3);
    results.push("stick", 0.5, "", [6.0, 0.0]);
    results.push("slip", 0.75, "elsewhere", [6.0, 0.0]);
    let s = score(&case, &results, None);
    assert_eq!((s.missed, s.invented), (1, 2));
}

#[test]
fn digits_are_those_of_the_relative_error() {
    let case = certified("free-slide");
    let mut results = perfect(&case);
    results.rows[0].t *= 1.0 + 1e-8;
    let s = score(&case, &results, None);
    assert!((s.digits_times.unwrap() - 8.0).abs() < 1e-6);
    // The greatest displacement, 4 m, is the scale of all.
    results.rows[1].x += 4e-5;
    let s = score(&case, &results, None);
    assert!((s.digits.unwrap() - 5.0).abs() < 1e-6);
}

/// Who gives two answers to one question has the digits of the worse one, in whatever order they stand.
#[test]
fn a_state_that_is_given_twice_is_as_good_as_the_worse() {
    let case = certified("free-slide");
    let right = perfect(&case);
    let state = case.states[0].clone();
    for (by, digits) in [(0.0, 16.0), (4e-5, 5.0), (1.0, f64::log10(4.0)), (f64::NAN, 0.0)] {
        let mut after = right.clone();
        after.push("state", state.t, &state.r#where, [state.x + by, state.v]);
        let mut before = Results::default();
        before.push("state", state.t, &state.r#where, [state.x + by, state.v]);
        before.rows.extend(right.rows.iter().cloned());
        for results in [after, before] {
            let s = score(&case, &results, None);
            let found = s.digits.unwrap();
            assert!((found - digits).abs() < 1e-6, "{by}: {found}");
            assert_eq!((s.missed, s.invented), (0, 0));
        }
    }
    // An error of the size of what is certified leaves 0 digits, not −0.
    let case = certified("incline-hold");
    let mut results = perfect(&case);
    results.rows[0].x += 1.0;
    let digits = score(&case, &results, None).digits.unwrap();
    assert!(digits == 0.0 && digits.is_sign_positive());
}

#[test]
fn a_double_root_counts_its_digits_twice() {
    let case = certified("double-root-stop");
    let mut results = perfect(&case);
    results.rows[0].t *= 1.0 + 1e-7;
    let s = score(&case, &results, None);
    assert!((s.digits_times.unwrap() - 14.0).abs() < 1e-6);
}

#[test]
fn creep_is_the_greater_of_the_velocity_and_the_way_over_the_time() {
    let case = certified("incline-hold");
    let mut results = perfect(&case);
    for row in &mut results.rows {
        row.x += 1e-6 * row.t;
    }
    assert!((score(&case, &results, None).creep - 1e-6).abs() < 1e-15);
    results.rows.iter_mut().for_each(|r| r.v = 2e-6);
    let s = score(&case, &results, None);
    assert!((s.creep - 2e-6).abs() < 1e-15 && s.energy > 0.0);
}

#[test]
fn energy_beyond_the_certified_one_is_seen() {
    let case = certified("free-decay");
    let mut results = perfect(&case);
    // Half a joule of spring and none of motion where the certified mass rests at −0.5 m: x = −1 m has 0.5 J.
    for row in results.rows.iter_mut().filter(|r| r.t >= 20.0) {
        row.x = -1.0;
    }
    let greatest = case.states.iter().map(|s| 0.5 * (s.x * s.x + s.v * s.v)).fold(0.0, f64::max);
    let s = score(&case, &results, None);
    assert!((s.energy - (0.5 - 0.125) / greatest).abs() < 1e-12);
}

#[test]
fn an_ill_posed_case_counts_if_it_is_reported_in_time() {
    let case = certified("limit-touched");
    let reported = |event: &str, t: f64| {
        let mut results = Results::default();
        results.push(event, t, "", [f64::NAN; 2]);
        let s = score(&case, &results, None);
        (s.reported, s.missed)
    };
    assert_eq!(reported("not-unique", 2.0), (Some(true), 0));
    assert_eq!(reported("not-unique", 2.1), (Some(false), 1));
    assert_eq!(reported("no-solution", 2.0), (Some(false), 1));
}

#[test]
fn samples_of_another_law_are_told_from_those_of_the_right_one() {
    let case = certified("brownian");
    let law = &case.law.as_ref().unwrap().distribution;
    // Between the points of the distribution function, evenly spread samples.
    let mut samples = Vec::new();
    for pair in law.windows(2) {
        let count = ((pair[1].probability - pair[0].probability) * 4000.0).round() as usize;
        let step = (pair[1].v - pair[0].v) / count.max(1) as f64;
        samples.extend((0..count).map(|k| pair[0].v + (k as f64 + 0.5) * step));
    }
    let of = |factor: f64| {
        let mut results = Results::default();
        samples.iter().for_each(|v| results.push("sample", 1.0, "", [f64::NAN, factor * v]));
        score(&case, &results, None)
    };
    assert!(of(1.0).probability.unwrap() > 0.9);
    assert_eq!((of(1.0).missed, of(1.2).missed), (0, 1));
}

#[test]
fn a_table_with_a_wrong_cell_is_refused_by_row_and_column() {
    let read = |text: &str| Results::read("r.csv", text.as_bytes()).unwrap_err().to_string();
    let said = read("event,t,where,x,v\nstick,soon,,0,0\n");
    assert!(said.contains("row 2, column `t`: found `soon`"), "{said}");
    let said = read("t,x,v\n0,0,0\n");
    assert!(said.contains("no column `event`"), "{said}");
    let ok = Results::read("r.csv", b"t,event,x,v,other\n1.5,stick,,,7\n").unwrap();
    assert!(ok.rows[0].x.is_nan() && ok.rows[0].t == 1.5);
}

/// What a case asks for and does not get has no digits: numbers that are empty, rows that are missing, events without states.
#[test]
fn what_is_not_given_has_no_digits() {
    let read = |text: &str| Results::read("r.csv", text.as_bytes()).unwrap();
    for name in ["shaw", "incline-hold", "free-decay", "two-blocks", "bouncing-ball"] {
        let case = certified(name);
        let all = perfect(&case);
        let states = case.states.len();
        // Every number of the states is NaN.
        let mut nan = all.clone();
        nan.rows
            .iter_mut()
            .filter(|r| r.event == "state")
            .for_each(|r| (r.x, r.v) = (f64::NAN, f64::NAN));
        let s = score(&case, &nan, None);
        assert_eq!(
            (s.digits, s.digits_states, s.states_missing),
            (Some(0.0), Some(0.0), states),
            "{name}"
        );
        // One velocity of one state.
        let mut one = all.clone();
        one.rows.iter_mut().rfind(|r| r.event == "state").unwrap().v = f64::NAN;
        let s = score(&case, &one, None);
        assert_eq!((s.digits, s.states_missing), (Some(0.0), 1), "{name}");
        // One row.
        let mut short = all.clone();
        let i = short.rows.iter().position(|r| r.event == "state").unwrap();
        short.rows.remove(i);
        let s = score(&case, &short, None);
        assert_eq!((s.digits, s.states_missing), (Some(0.0), 1), "{name}");
        // Nothing at all.
        let s = score(&case, &Results::default(), None);
        assert_eq!(
            (s.digits, s.missed, s.states_missing),
            (Some(0.0), case.events.len(), states),
            "{name}"
        );
        assert_eq!(score(&case, &all, None).digits, Some(16.0), "{name}");
    }
    // Events whose places are empty, and no states.
    let text = "event,t,where,x,v\nslip,1.2870022175865687489,,,\nreversal,6.4251701975209693631,,,\n\
                stick,12.27669184409736088,,,\nslip,13.649735513391264877,,,\n";
    let case = certified("shaw");
    let s = score(&case, &read(text), None);
    assert_eq!((s.digits, s.states_missing), (Some(0.0), case.states.len()));
    // One state of fourteen, as it is certified.
    let case = certified("incline-hold");
    let s = score(&case, &read("event,t,where,x,v\nstate,83.3333,,0,0\n"), None);
    assert_eq!((s.digits, s.states_missing), (Some(0.0), case.states.len() - 1));
    // A simulator that failed has no digits either.
    let s = stickslip_reference::Score::failed(&case, "out of memory".into());
    assert_eq!((s.digits, s.states_missing), (Some(0.0), case.states.len()));
}

/// A report where nothing is ill-posed is an invention, and so is one at another instant: nobody scores by reporting everything.
#[test]
fn false_reports_are_inventions() {
    for name in ["shaw", "free-slide", "three-blocks", "brownian"] {
        let case = certified(name);
        let mut results = perfect(&case);
        for k in 0..10 {
            results.push("not-unique", 0.1 * f64::from(k) * case.end, "", [f64::NAN; 2]);
        }
        results.push("no-solution", 0.5 * case.end, "", [f64::NAN; 2]);
        assert_eq!(score(&case, &results, None).invented, 11, "{name}");
    }
    for name in ["limit-touched", "ageing-ill-posed", "walls-meet"] {
        let case = certified(name);
        let report = case.report.clone().unwrap();
        let mut results = Results::default();
        results.push(&report.what, report.from, "", [f64::NAN; 2]);
        let s = score(&case, &results, None);
        assert_eq!((s.reported, s.invented), (Some(true), 0), "{name}");
        for k in 0..=1000 {
            for what in ["not-unique", "no-solution"] {
                results.push(what, case.end * f64::from(k) / 1000.0, "", [f64::NAN; 2]);
            }
        }
        let s = score(&case, &results, None);
        assert!(s.reported == Some(true) && s.invented > 1990, "{name} {}", s.invented);
    }
}
