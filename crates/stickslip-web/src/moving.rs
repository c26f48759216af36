//! Studies of what moves.

use crate::page::CONTEXT;
use serde_json::Value;
use stickslip::study::sweep::Span;
use stickslip_file::Diagnostic;
use stickslip_run::{self as run, Input, Product};

/// The product of a command about what moves; `None` where there is no such command.
pub fn asked(
    command: &str,
    options: &str,
    input: &Input<'_>,
) -> Option<Result<Product, Diagnostic>> {
    let options = Options::read(options);
    Some(match command {
        "simulate" => run::simulate(&run::Simulate::default(), input, &CONTEXT),
        "ensemble" => {
            let from = options.whole("from").unwrap_or(0);
            let mut ensemble = run::Ensemble::new(from..options.whole("to").unwrap_or(from + 1000));
            // Workers are the threads of a page.
            ensemble.threads = 1;
            run::ensemble(&ensemble, input, &CONTEXT)
        }
        "orbit" => {
            let mut orbit = run::Orbit::default();
            orbit.periods = options.whole("periods").unwrap_or(1) as usize;
            run::orbit(&orbit, input, &CONTEXT)
        }
        "response" => response(&options).and_then(|r| run::response(&r, input, &CONTEXT)),
        "basins" => {
            let mut basins = run::Basins::default();
            basins.periods = options.whole("periods").unwrap_or(1) as usize;
            basins.x = options.span("x");
            basins.v = options.span("v");
            run::basins(&basins, input, &CONTEXT)
        }
        "certify" => run::certify(input, &CONTEXT),
        "solutions" => {
            let mut solutions = run::Solutions::default();
            solutions.limit = options.whole("limit").map(|n| n as usize);
            run::solutions(&solutions, input, &CONTEXT)
        }
        _ => return None,
    })
}

fn response(options: &Options) -> Result<run::Response, Diagnostic> {
    let given = options.0["key"].as_str().zip(options.number("low")).zip(options.number("high"));
    let Some(((key, low), high)) = given else {
        return Err(Diagnostic::command_line(
            "a response needs a number that varies, and its range",
        )
        .with_remedy(stickslip_file::Remedy::Omit("response")));
    };
    let mut response = run::Response::new(key, low, high);
    response.count = options.whole("count").map_or(response.count, |n| n as usize);
    response.periods = options.whole("periods").unwrap_or(1) as usize;
    Ok(response)
}

/// What the page asks for beside the text.
struct Options(Value);

impl Options {
    fn read(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    fn whole(&self, key: &str) -> Option<u64> {
        let number = self.0[key].as_f64()?;
        (number >= 0.0).then_some(number as u64)
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.0[key].as_f64()
    }

    /// `[from, to, count]`.
    fn span(&self, key: &str) -> Option<Span> {
        let of = |i: usize| self.0[key][i].as_f64();
        Some(Span { from: of(0)?, to: of(1)?, count: of(2)?.max(1.0) as usize })
    }
}
