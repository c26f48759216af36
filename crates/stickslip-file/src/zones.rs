//! Time zones by their names.

use jiff::tz::TimeZone;
use std::sync::OnceLock;

/// Gives the data of a zone, as a file of the IANA database holds them (TZif, RFC 9636).
pub type ZoneData = fn(name: &str) -> Option<Vec<u8>>;

static GIVEN: OnceLock<ZoneData> = OnceLock::new();

/// Where zones are taken from that this program has no database of: a program that is built without the feature `zones` may
/// load the data of the zone that a file names. The first source is kept.
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

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{Timestamp, tz::Offset};

    /// A file of version 1 as RFC 9636 has it: no transitions, and one kind of local time, 9000 s ahead of UTC.
    fn file(name: &str) -> Option<Vec<u8>> {
        let counts = [0, 0, 0, 0, 1, 4].map(u32::to_be_bytes).concat();
        let kind = [&9000i32.to_be_bytes()[..], &[0, 0], b"LMT\0"].concat();
        (name == "Test/Ahead").then(|| [b"TZif", &[0; 16][..], &counts, &kind].concat())
    }

    #[test]
    fn a_zone_that_no_database_has_comes_from_the_source_that_was_given() {
        zones_from(file);
        let ahead = zone("Test/Ahead").map(|z| z.to_offset(Timestamp::UNIX_EPOCH));
        assert_eq!(ahead, Offset::from_seconds(9000).ok());
        assert!(zone("Test/Nowhere").is_none());
        let clock = crate::table::Style::Instant;
        let clock = crate::table::Clock::of(clock, "1970-01-01T02:30+02:30[Test/Ahead]", None);
        let noon = clock.and_then(|c| c.seconds("1970-01-01T12:00"));
        // 12:00 there is 9:30 in UTC.
        assert_eq!(noon, Ok(9.5 * 3600.0));
    }
}
