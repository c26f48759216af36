//! `velocity-strengthening = { slow, fast, rate }`.

use crate::diagnostic::{Diagnostic, Result};
use crate::model::slot::Field;
use crate::reader::{Variant, not_negative, positive};
use serde::Serialize;
use stickslip::Law;

/// fast − (fast − slow) exp(−rate·|w|).
#[derive(Debug, Clone, Serialize)]
pub struct VelocityStrengthening {
    slow: f64,
    fast: f64,
    rate: f64,
}

impl super::Numbers for VelocityStrengthening {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let t = law.table(&["slow", "fast", "rate"])?;
        let slow = t.number("slow", not_negative("N"))?;
        let Some(fast) = t.number_opt("fast", not_negative("N"))? else {
            return Err(t.missing("fast", "a finite number ≥ `slow`, in N"));
        };
        if fast.value < slow {
            let path = t.path_of("fast");
            let found = fast.value;
            let message =
                format!("`{path}` is {found}, below `slow` = {slow}; expected slow ≤ fast, in N");
            return Err(Diagnostic::at(&fast.place, message).help(
                "swap the two if they were mixed up; for friction that falls with the speed use \
                 friction.stribeck-exponential",
            ));
        }
        Ok(Self { slow, fast: fast.value, rate: t.number("rate", positive("s/m"))? })
    }

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "slow" => |law| &mut law.slow,
            "fast" => |law| &mut law.fast,
            "rate" => |law| &mut law.rate,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::velocity_strengthening(self.slow, self.fast, self.rate)
    }
}
