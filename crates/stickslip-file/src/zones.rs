//! Time zones by their names.

use jiff::tz::TimeZone;
use std::sync::OnceLock;

/// Gives the data of a zone, as a file of the IANA database holds them (TZif, RFC 9636).
pub type ZoneData = fn(name: &str) -> Option<Vec<u8>>;

static GIVEN: OnceLock<ZoneData> = OnceLock::new();

/// Where zones are taken from that this program has no database of: a program that is built without the feature `zones` may
/// load the data of the zone that a file names. The first source is kept.
///
/// ```
/// // A program that has the file of one zone.
/// stickslip_file::zones_from(|name| (name == "Mars/Gale").then(|| std::fs::read("gale").ok())?);
/// ```
pub fn zones_from(data: ZoneData) {
    let _ = GIVEN.set(data);
}

/// The zone `name`: of the database, or else of the source that was given.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok().or_else(|| given(name))
}

/// The zone `name` of the source that was given.
pub(crate) fn given(name: &str) -> Option<TimeZone> {
    TimeZone::tzif(name, &GIVEN.get()?(name)?).ok()
}
