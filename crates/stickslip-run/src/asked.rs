//! What a command takes, stated once. The fields of its options are the options of the command line (with the feature
//! `command-line`), where their comments are the help, the keywords of Python and the fields of the lab.
//!
//! Options come by name from Python and the lab, as a JSON object: [`Asked::read`] reads them.

use crate::context::Context;
use crate::input::Input;
use crate::product::Product;
use crate::{
    Basins, Calibrate, Converge, Ensemble, Hunt, Orbit, Response, Simulate, Solutions, Sweep,
    basins, calibrate, certify, converge, ensemble, hunt, orbit, response, simulate, solutions,
    sweep,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use stickslip_file::{Diagnostic, Result};

/// A command on one file, and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Asked {
    /// Solve a model.
    Simulate(Simulate),
    /// Measure the order of its scheme.
    Converge(Converge),
    /// List its solutions.
    Solutions(Solutions),
    /// Prove what is found.
    Certify,
    /// Statistics of many paths.
    Ensemble(Ensemble),
    /// Solve it over a range.
    Sweep(Sweep),
    /// Find its periodic orbits.
    Orbit(Orbit),
    /// Follow them.
    Response(Response),
    /// Where each start leads.
    Basins(Basins),
    /// Whether a loop hunts.
    Hunt(Hunt),
    /// Fit what a fit file asks for.
    Calibrate(Calibrate),
}

impl Asked {
    /// The command called `name`, with the options in an object of JSON.
    ///
    /// # Errors
    /// Where there is no such command, it has no such option, or the value of one is of another kind.
    pub fn read(name: &str, options: Value) -> Result<Self> {
        Ok(match name {
            "simulate" => Self::Simulate(options_of(name, options)?),
            "converge" => Self::Converge(options_of(name, options)?),
            "solutions" => Self::Solutions(options_of(name, options)?),
            "certify" => Self::Certify,
            "ensemble" => Self::Ensemble(options_of(name, options)?),
            "sweep" => Self::Sweep(options_of(name, options)?),
            "orbit" => Self::Orbit(options_of(name, options)?),
            "response" => Self::Response(options_of(name, options)?),
            "basins" => Self::Basins(options_of(name, options)?),
            "hunt" => Self::Hunt(options_of(name, options)?),
            "calibrate" => Self::Calibrate(options_of(name, options)?),
            _ => {
                return Err(Diagnostic::command_line(format!(
                    "there is no command `{name}` on one file"
                )));
            }
        })
    }

    /// Does it.
    ///
    /// # Errors
    /// Those of the command.
    pub fn run(&self, input: &Input<'_>, context: &Context<'_>) -> Result<Product> {
        match self {
            Self::Simulate(o) => simulate(o, input, context),
            Self::Converge(o) => converge(o, input, context),
            Self::Solutions(o) => solutions(o, input, context),
            Self::Certify => certify(input, context),
            Self::Ensemble(o) => ensemble(o, input, context),
            Self::Sweep(o) => sweep(o, input, context),
            Self::Orbit(o) => orbit(o, input, context),
            Self::Response(o) => response(o, input, context),
            Self::Basins(o) => basins(o, input, context),
            Self::Hunt(o) => hunt(o, input, context),
            Self::Calibrate(o) => calibrate(o, input, context),
        }
    }
}

/// The options of the command `name` in an object of JSON; what is not said there has its default.
///
/// # Errors
/// Where there is no such option, or its value is of another kind.
pub fn options_of<T: DeserializeOwned>(name: &str, options: Value) -> Result<T> {
    serde_json::from_value(options)
        .map_err(|e| Diagnostic::command_line(format!("the options of `{name}`: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(name: &str, options: Value) -> String {
        Asked::read(name, options).expect_err("it should be refused").to_string()
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        let asked = Asked::read("orbit", json!({ "periods": 2 })).unwrap();
        let Asked::Orbit(orbit) = asked else { panic!("{asked:?}") };
        assert_eq!((orbit.periods, orbit.point, orbit.within), (2, None, None));
        let asked = Asked::read("ensemble", json!({ "paths": [5, 9], "final": true })).unwrap();
        let Asked::Ensemble(ensemble) = asked else { panic!("{asked:?}") };
        assert_eq!((ensemble.paths, ensemble.states, ensemble.part), (5..9, true, None));
    }

    #[test]
    fn axes_and_spans_are_lists() {
        let options = json!({ "axes": [["oscillator.mass", [1.0, 2.0]]], "part": [1, 3] });
        let asked = Asked::read("sweep", options).unwrap();
        let Asked::Sweep(sweep) = asked else { panic!("{asked:?}") };
        assert_eq!(sweep.axes, [crate::Axis::new("oscillator.mass", vec![1.0, 2.0])]);
        assert_eq!(sweep.part, Some(crate::Part { number: 1, of: 3 }));
        let asked = Asked::read("basins", json!({ "x": [-1, 1.5, 11] })).unwrap();
        let Asked::Basins(basins) = asked else { panic!("{asked:?}") };
        let x = basins.x.unwrap();
        assert_eq!((x.from, x.to, x.count, basins.v), (-1.0, 1.5, 11, None));
    }

    #[test]
    fn what_a_command_does_not_take_is_refused() {
        assert!(refused("orbit", json!({ "paths": 3 })).contains("unknown field `paths`"));
        assert!(refused("orbit", json!({ "periods": "two" })).contains("the options of `orbit`"));
        assert!(refused("ensemble", json!({ "paths": [5, 3] })).contains("expected FROM < TO"));
        assert!(refused("sweep", json!({ "part": [0, 3] })).contains("K from 1 to N"));
        assert!(
            refused("converge", json!({ "against": "all" })).contains("expected self or exact")
        );
        assert!(refused("place", json!({})).contains("there is no command `place`"));
    }
}
