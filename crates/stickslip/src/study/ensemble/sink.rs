//! Where the paths of an ensemble go.

use super::looks::Looks;
use super::whole::Whole;
use crate::lanes::Durations;

/// Where paths go.
pub(super) struct Sink<'a> {
    /// States at the rows.
    pub looks: &'a mut Looks,
    /// Durations of slips by contacts.
    pub durations: &'a mut [Durations],
    /// Whole paths.
    pub whole: &'a mut dyn FnMut(&Whole),
}
