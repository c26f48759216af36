//! Whether files can be opened, before any is read.

use crate::diagnostic::Result;
use crate::place::Placed;
use crate::reading::Gathered;
use crate::resources::open;

/// Checks that each of these files can be opened, before any of them is read: the last of many may be the one that is missing.
///
/// # Errors
/// That of the first that cannot.
pub(super) fn are_there(files: &[Placed<String>], gathered: &Gathered) -> Result<()> {
    // A single one is opened next in any case.
    for file in files.iter().skip(1) {
        let resources = gathered.reading.resources();
        let name = resources.resolve(&gathered.name, &file.value);
        open(resources, &name).map_err(|f| f.or_at(&file.place))?;
    }
    Ok(())
}
