//! Derivatives: their score, and our own against the certified ones.

use stickslip_file::Diagnostic;
use stickslip_reference::{CASES, Certified, Results, find, own, score};
use stickslip_run::{Context, each_of};

/// The certified values themselves as a table with columns of derivatives.
fn perfect(case: &Certified) -> String {
    let rates = case.derivatives.as_ref().unwrap();
    let columns = |of: &str| rates.wrt.iter().map(|k| format!(",{of}/{k}")).collect::<String>();
    let numbers = |all: &[f64]| all.iter().map(|a| format!(",{a:e}")).collect::<String>();
    let none = ",".repeat(rates.wrt.len());
    let mut text =
        format!("event,t,where,x,v{}{}{}\n", columns("dt"), columns("dx"), columns("dv"));
    for (i, e) in case.events.iter().enumerate() {
        let of = rates.event_times.get(i).map_or(none.clone(), |n| numbers(&n.0));
        text +=
            &format!("{},{:e},{},{:e},{:e}{of}{none}{none}\n", e.event, e.t, e.r#where, e.x, e.v);
    }
    for s in &case.states {
        let here = rates.states.iter().find(|r| r.t == s.t && r.r#where == s.r#where);
        let of = here.map_or(none.repeat(2), |r| numbers(&r.x.0) + &numbers(&r.v.0));
        text += &format!("state,{:e},{},{:e},{:e}{none}{of}\n", s.t, s.r#where, s.x, s.v);
    }
    text
}

fn read(text: &str) -> Results {
    Results::read("results", text.as_bytes()).unwrap()
}

#[test]
fn the_certified_derivatives_have_all_digits() {
    for name in ["shaw", "two-blocks", "cascade-four", "five-bounces", "incline-hold"] {
        let case = find(name).unwrap().certified().unwrap();
        let s = score(&case, &read(&perfect(&case)), None);
        assert_eq!((s.digits, s.digits_derivatives), (Some(16.0), Some(16.0)), "{name}");
        assert_eq!((s.missed, s.derivatives_missing), (0, 0), "{name}");
    }
}

#[test]
fn derivatives_that_are_off_or_missing_are_counted() {
    let case = find("free-decay").unwrap().certified().unwrap();
    let rates = case.derivatives.as_ref().unwrap();
    // Six events, four states, and the velocity at the start, with respect to which there is no derivative: it starts at rest.
    assert_eq!((rates.event_times.len(), rates.states.len()), (6, 4));
    assert_eq!(rates.without, ["oscillator.initial.velocity"]);
    let all = perfect(&case);
    // The first event is half a period: t = π √(m/k), ∂t/∂m = π/2.
    let half = format!("{:e}", std::f64::consts::FRAC_PI_2);
    assert!(all.lines().nth(1).unwrap().contains(&format!("{half},-{half},0e0,0e0")), "{all}");
    // The largest of the times with respect to the mass is six times as large.
    let off = format!("{:e}", std::f64::consts::FRAC_PI_2 * (1.0 + 6e-7));
    let s = score(&case, &read(&all.replacen(&half, &off, 1)), None);
    assert!((s.digits_derivatives.unwrap() - 7.0).abs() < 1e-6, "{s:?}");
    assert_eq!(s.digits, Some(16.0));
    let s = score(&case, &read(&all.replacen(&half, "", 1)), None);
    assert_eq!((s.digits_derivatives, s.derivatives_missing), (Some(16.0), 1));
    // One column less: six times.
    let fewer = all.replacen("dt/oscillator.mass", "other", 1);
    let s = score(&case, &read(&fewer), None);
    assert_eq!((s.digits_derivatives, s.derivatives_missing), (Some(16.0), 6));
    // An event that was missed has no derivative of its time either.
    let line = all.lines().nth(1).unwrap().to_owned() + "\n";
    let s = score(&case, &read(&all.replacen(&line, "", 1)), None);
    assert_eq!((s.missed, s.derivatives_missing), (1, 4));
    let wrong = all.replacen(&half, "soon", 1);
    let said = Results::read("r.csv", wrong.as_bytes()).unwrap_err().message().to_owned();
    assert!(said.contains("column `dt/oscillator.mass`") && said.contains("`soon`"), "{said}");
}

#[test]
fn a_table_without_derivatives_is_not_asked_for_them() {
    let case = find("shaw").unwrap().certified().unwrap();
    let s = score(&case, &read("event,t,x,v\nslip,1.28700221,6,0\n"), None);
    assert_eq!((s.digits_derivatives, s.derivatives_missing), (None, 0));
}

/// Of networks eleven digits and of oscillators nine, by equations of their own, and of what moves like them; where a mass of 10⁻⁹ kg makes accelerations of 10⁹ m/s², which multiply what is
/// rounded, three. Of other models differences of motions are worth less, and there are none where two events coincide or one lies next to an instant.
#[test]
fn our_derivatives_are_those_that_are_certified() {
    let scores: Result<Vec<_>, Diagnostic> = each_of(CASES.to_vec(), |case| {
        Ok((case, own(&case, &Context::silent())?, case.certified()?.derivatives.is_some()))
    });
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (case, s, certified) in scores.unwrap() {
        let oscillator = case.model.contains("[oscillator]");
        // Machines are solved by steps, and derivatives of them are differences.
        let exact = case.model.contains("scheme = \"exact\"")
            && !["cascade-four", "plastic-wall"].contains(&case.name);
        let network = case.model.contains("[[network.") && exact;
        let least = match case.name {
            "light-mass" => 2.5,
            _ if network => 11.5,
            _ if oscillator || exact => 9.0,
            _ => 5.0,
        };
        // A stop at a double root has no derivative, which is said of all numbers.
        let equation = oscillator || network;
        let whole = s.derivatives_missing == 0 || !equation || case.name == "double-root-stop";
        seen += usize::from(certified);
        if certified {
            println!("{}: {:?}, missing {}", s.case, s.digits_derivatives, s.derivatives_missing);
        }
        let right = s.digits_derivatives.is_some_and(|d| d >= least) && whole;
        if certified && !right {
            wrong.push(format!("{}: {:?} {}", s.case, s.digits_derivatives, s.derivatives_missing));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 40, "{seen}");
}
