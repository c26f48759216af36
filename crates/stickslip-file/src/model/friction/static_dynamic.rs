//! `static-dynamic = { static, dynamic }`.

use crate::diagnostic::{Diagnostic, Result};
use crate::model::slot::Field;
use crate::reader::{Table, Variant, not_negative};
use serde::Serialize;
use stickslip::Law;

/// Breakaway force f_s and sliding force f_d ≤ f_s.
#[derive(Debug, Clone, Serialize)]
pub struct StaticDynamic {
    #[serde(rename = "static")]
    breakaway: f64,
    dynamic: f64,
}

impl super::Numbers for StaticDynamic {
    fn read(law: &Variant<'_>) -> Result<Self> {
        let (breakaway, dynamic) = forces(&law.table(&["static", "dynamic"])?)?;
        Ok(Self { breakaway, dynamic })
    }

    fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "static" => |law| &mut law.breakaway,
            "dynamic" => |law| &mut law.dynamic,
            _ => return None,
        })
    }

    fn build(&self) -> Result<Law, stickslip::Error> {
        Law::static_dynamic(self.breakaway, self.dynamic)
    }
}

/// `static` and `dynamic`, 0 ≤ dynamic ≤ static.
pub fn forces(t: &Table<'_>) -> Result<(f64, f64)> {
    let breakaway = t.number("static", not_negative("N"))?;
    let dynamic = t.number_opt("dynamic", not_negative("N"))?;
    let Some(dynamic) = dynamic else {
        return Err(t.missing("dynamic", "a finite number ≥ 0 and ≤ `static`, in N"));
    };
    if dynamic.value > breakaway {
        let path = t.path_of("dynamic");
        let found = dynamic.value;
        let message = format!(
            "`{path}` is {found}, above `static` = {breakaway}; expected 0 ≤ dynamic ≤ static, in N"
        );
        return Err(Diagnostic::at(&dynamic.place, message).help(
            "swap the two if they were mixed up, or use friction.coulomb with one force; for friction that rises with the \
             speed use friction.velocity-strengthening = { slow, fast, rate }",
        ));
    }
    Ok((breakaway, dynamic.value))
}
