//! Columns of a table as texts, row by row.

use super::cells::Rows;
use super::decode::{decode, refuse_other_formats};
use super::dialect::layout;
use super::rows::empty;
use super::{Choose, See};
use crate::diagnostic::Result;
use crate::place::Placed;
use crate::resources::{Resources, open};

/// Hands the columns that `choose` takes to `see`, row by row. The table has a column called `known`, by which its
/// header is found.
///
/// # Errors
/// Where the file cannot be read or is no table, and whatever `choose` and `see` refuse.
pub fn texts(
    resources: &dyn Resources,
    name: &str,
    known: &Placed<String>,
    choose: &mut Choose<'_>,
    see: &mut See<'_>,
) -> Result<()> {
    if super::is_parquet(name) {
        #[cfg(feature = "parquet")]
        return super::parquet::texts(resources, name, known, choose, see);
        #[cfg(not(feature = "parquet"))]
        return Err(super::without_parquet(name, &known.place));
    }
    let bytes = open(resources, name).map_err(|f| f.or_at(&known.place))?;
    let text = decode(name, bytes)?;
    refuse_other_formats(name, &text.head)?;
    let layout = layout(&text.head, std::slice::from_ref(known)).ok_or_else(|| empty(name))?;
    let columns = choose(&layout.header)?;
    let mut rows = Rows::new(name, text, layout)?;
    let mut row = vec![String::new(); columns.len()];
    while rows.next()? {
        if rows.is_blank() {
            continue;
        }
        for (field, column) in row.iter_mut().zip(&columns) {
            field.clear();
            field.push_str(&rows.field(*column).unwrap_or_default());
        }
        see(&row)?;
    }
    Ok(())
}
