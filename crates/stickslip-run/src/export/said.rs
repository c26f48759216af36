//! What the columns of tables are called along the axes of figures, for all front ends.

use super::{response, sweep};

/// The lag of a valve's loop.
pub(super) const LAG: &str = "lag of the process variable";
/// The share of paths that stick at a time.
pub(crate) const STICKS: &str = "share that sticks";

/// Columns that many tables have, and their words for motions along a line.
const SHARED: [(&str, &str); 20] = [
    ("t", "time"),
    ("x", "displacement"),
    ("y", "displacement along y"),
    ("z", "displacement"),
    ("v", "velocity"),
    ("vx", "velocity along x"),
    ("vy", "velocity along y"),
    ("f", "force"),
    ("h", "step h"),
    ("T", "temperature"),
    ("rtol", "relative tolerance"),
    ("lag", LAG),
    ("velocity", "velocity"),
    ("displacement_x", "displacement along x"),
    ("stick_fraction", STICKS),
    ("friction_x", "friction along x"),
    ("friction_y", "friction along y"),
    ("end_x", "displacement at the end"),
    ("end_y", "displacement along y at the end"),
    ("end_sd", "standard deviation at the end"),
];

/// The words for a column of a table, such as `response` or `sweep`; none of a column that its own name says. Where the parts of a
/// model stand on isolators, the table is called `slab`.
pub fn column(table: &str, column: &str) -> Option<&'static str> {
    use sweep::Measured::{Friction, Impacts, Plane, Slab};
    let swept = if table == "slab" { [Slab; 3] } else { [Friction, Impacts, Plane] };
    let swept = swept.into_iter().flat_map(sweep::Measured::named);
    let found = response::named();
    let both: Vec<_> = if table == "response" {
        found.chain(swept).collect()
    } else {
        swept.chain(found).collect()
    };
    both.into_iter().chain(SHARED).find(|(name, _)| *name == column).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::{SHARED, column};

    #[test]
    fn the_words_of_a_column_are_those_of_its_table() {
        assert_eq!(column("sweep", "dissipated"), Some("lost to dry friction"));
        assert_eq!(column("response", "dissipated"), Some("lost to friction in a period"));
        assert_eq!(column("sweep", "peak"), Some("greatest distance from the origin"));
        assert_eq!(column("slab", "peak"), Some("greatest displacement of an isolator"));
        assert_eq!(column("trajectory", "v"), Some("velocity"));
        assert_eq!(column("trajectory", "friction_mass"), None);
        // What a study measures is said with the study, and nowhere else.
        let twice: Vec<_> =
            SHARED.iter().filter(|(name, words)| column("", name) != Some(*words)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
