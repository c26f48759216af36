//! Where the paths of an ensemble go.

use super::path_summary::PathSummary;
use super::row_buffer::RowBuffer;
use crate::lanes::Durations;

/// Where paths go.
pub(super) struct Sink<'a> {
    /// States at the rows.
    pub looks: &'a mut RowBuffer,
    /// Durations of slips by contacts.
    pub durations: &'a mut [Durations],
    /// PathSummary paths.
    pub whole: &'a mut dyn FnMut(&PathSummary),
}
