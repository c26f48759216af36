//! What holds for every law. A new law joins by one line in [`laws`].

use crate::common::paths::distance;
use stickslip::law::{Ageing, General, Growth};
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::scheme::oscillator::{euler, implicit_euler};
use stickslip::{Error, Law, Oscillator, Signal, Trajectory};

/// Every law, with its name.
pub fn laws() -> Vec<(&'static str, Law)> {
    let speeds: Vec<f64> = (0..40).map(|i| 0.25 * f64::from(i)).collect();
    let forces: Vec<f64> = speeds.iter().map(|s| 0.6 + 0.4 / (1.0 + s) + 0.05 * s).collect();
    vec![
        ("coulomb", Law::coulomb(0.8).unwrap()),
        ("static-dynamic", Law::static_dynamic(1.0, 0.7).unwrap()),
        ("stribeck", Law::stribeck(0.01, 0.2, 0.01, 1.0).unwrap()),
        ("cubic", Law::cubic(1.0, 0.6, 0.3).unwrap()),
        ("exponential", Law::stribeck_exponential(1.0, 0.6, 0.5, 1.0, 0.1).unwrap()),
        ("gaussian", Law::stribeck_exponential(1.0, 0.6, 0.5, 2.0, 0.0).unwrap()),
        ("strengthening", Law::velocity_strengthening(0.6, 1.0, 2.0).unwrap()),
        (
            "function",
            Law::General(
                General::function(
                    |s| 0.7 + 0.2 * (-s).exp() + 0.1 * s * s / (1.0 + s),
                    (-0.2, 0.1),
                )
                .unwrap(),
            ),
        ),
        ("table", Law::General(General::table(&speeds, &forces).unwrap())),
        (
            "asymmetric",
            Law::asymmetric(
                Law::coulomb(0.6).unwrap(),
                Law::stribeck(0.01, 0.2, 0.01, 1.0).unwrap(),
            )
            .unwrap(),
        ),
        (
            "ageing",
            Law::Ageing(
                Ageing::new(0.7, Growth::Exponential { breakaway: 1.0, time: 1.0 }).unwrap(),
            ),
        ),
    ]
}

/// Every time-stepping scheme with every law is of order one, against the adaptive solution.
#[test]
fn order_one_with_every_law() {
    for (name, law) in laws() {
        let o = Oscillator::new(1.0, 1.0, law)
            .with_damping(0.05)
            .with_drive(Signal::harmonic(2.0, 0.6, 0.0))
            .starting_at(1.7, 0.0);
        let truth = adaptive::solve(&o, 12.0, Options::tolerance(1e-11)).unwrap();
        assert!(truth.events().len() >= 2, "{name}: {:?}", truth.events());
        type Solve = fn(&Oscillator, f64, f64) -> Result<Trajectory, Error>;
        let solves: [(&str, Solve); 2] =
            [("euler", euler::solve), ("implicit-euler", implicit_euler::solve)];
        for (scheme, solve) in solves {
            let errors: Vec<f64> = (0..6)
                .map(|j| distance(&solve(&o, 12.0, 0.02 / f64::from(1 << j)).unwrap(), &truth))
                .collect();
            let order = (errors[1] / errors[5]).log2() / 4.0;
            println!(
                "{name:15} {scheme:15} order {order:.3}  errors {:.2e} … {:.2e}",
                errors[0], errors[5]
            );
            // events on a grid make single ratios jump; over four halvings the order shows
            assert!(order > 0.75 && order < 1.35, "{name} {scheme}: {errors:?}");
        }
    }
}

/// Functions of the user are told from each other by their names, and a law in two directions tells both.
#[test]
fn the_names_of_functions_are_told() {
    let function = || General::function(|s| 1.0 + s, (1.0, 1.0)).unwrap();
    let named = || Law::General(function().named("rising"));
    assert_eq!(named().user_functions(), [Some("rising".to_owned())]);
    assert_eq!(Law::General(function()).user_functions(), [None]);
    let both = Law::asymmetric(named(), Law::General(function())).unwrap();
    assert_eq!(both.user_functions(), [Some("rising".to_owned()), None]);
    assert!(Law::coulomb(1.0).unwrap().user_functions().is_empty());
}
