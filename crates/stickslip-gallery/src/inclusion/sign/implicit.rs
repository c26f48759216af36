//! The implicit scheme.

use super::{MODEL, Work};
use crate::verdict::Tolerance::{Equal, Relative};
use stickslip::Error;
use stickslip::scheme::oscillator::sign as usual_sign;
use stickslip_file::Result;

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sign.toml", MODEL)?;
    for h in [0.1, 0.02, 0.001] {
        let (step, time) = match usual_sign::sign_implicit(&file.model, 1.0, h) {
            Err(Error::StepWithoutSolution { step, time, .. }) => (step as f64, time),
            Err(e) => return Err(e.into()),
            Ok(_) => (f64::NAN, f64::NAN),
        };
        w.verdict(format!("h = {h}: first step without a solution"), (2.0, "(1.27)"), step, Equal);
        w.verdict(
            format!("h = {h}: which would end at, s"),
            (2.0 * h, "(1.27)"),
            time,
            Relative(1e-12),
        );
    }
    w.remark("The program stops with an error, since no value satisfies the step.");
    w.command("stickslip simulate gallery/sign.toml --scheme sign-implicit");
    Ok(())
}
