//! Partial results: what one machine did of a run that is shared among several, as it stands in a file `partial.json`.

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use stickslip_file::{Diagnostic, Result};

/// What a partial result is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Whole {
    /// The paths of one model.
    Ensemble,
    /// The points of a sweep.
    Sweep,
    /// The bearings of a fleet.
    Fleet,
}

impl Whole {
    /// As messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ensemble => "ensemble",
            Self::Sweep => "sweep",
            Self::Fleet => "fleet",
        }
    }

    /// The same with its article.
    pub(crate) fn one(self) -> &'static str {
        match self {
            Self::Ensemble => "an ensemble",
            Self::Sweep => "a sweep",
            Self::Fleet => "a fleet",
        }
    }

    /// What a partial result in `text` says that it is a part of. That of an ensemble says nothing, and neither does a text
    /// that is no partial result.
    pub(crate) fn named_in(text: &[u8]) -> Self {
        let header: Option<Header> = serde_json::from_slice(text).ok();
        header.and_then(|header| header.kind).unwrap_or(Self::Ensemble)
    }

    /// What its partial results write as their kind.
    fn kind(self) -> Option<Self> {
        Some(self).filter(|&whole| whole != Self::Ensemble)
    }
}

/// What a partial result holds of its whole.
pub(crate) trait Content: Serialize + DeserializeOwned {
    /// What it is a part of.
    const WHOLE: Whole;

    /// What does not fit together in it, if anything: the file was damaged.
    fn damage(&self) -> Option<String>;
}

/// What every file of partial results says of itself.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Whole>,
    version: String,
}

/// A file of partial results: its header, and the content that differs with the run.
#[derive(Serialize)]
struct Partial<C> {
    #[serde(flatten)]
    header: Header,
    #[serde(flatten)]
    content: C,
}

/// The text of the file that holds `content`.
pub(crate) fn written<C: Content>(content: &C) -> String {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let partial = Partial { header: Header { kind: C::WHOLE.kind(), version }, content };
    serde_json::to_string(&partial).unwrap_or_default() + "\n"
}

/// What the text of a file called `name` in messages holds.
///
/// # Errors
/// Where it is no partial result of such a run, was written by another version, or is damaged.
pub(crate) fn read<C: Content>(name: &str, text: &[u8]) -> Result<C> {
    let of = C::WHOLE.one();
    let not_one = || {
        Diagnostic::new(format!("{name}: not a partial result of {of}"))
            .help(format!("give files called partial.json, which {of} of this version writes"))
    };
    // The header is read and checked first: another version may have written another content.
    let Header { kind, version } = serde_json::from_slice(text).map_err(|_| not_one())?;
    if kind != C::WHOLE.kind() {
        return Err(not_one());
    }
    let this = env!("CARGO_PKG_VERSION");
    if version != this {
        let message = format!(
            "{name}: was written by stickslip {version}; expected version {this}, for versions may count differently"
        );
        return Err(Diagnostic::new(message).help("run all parts with one version"));
    }
    let BesideHeader(content) =
        serde_json::from_slice::<BesideHeader<C>>(text).map_err(|_| not_one())?;
    match content.damage() {
        None => Ok(content),
        Some(damage) => Err(Diagnostic::new(format!("{name}: {damage}"))
            .help("the file is damaged: run that part again")),
    }
}

/// The content of a file, whose fields stand beside those of its header. `serde(flatten)` would read it too, but neither integers
/// of 128 bits, of which exact sums are made, nor would it refuse fields that nobody knows.
struct BesideHeader<C>(C);

impl<'de, C: DeserializeOwned> Deserialize<'de> for BesideHeader<C> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Fields<C>(PhantomData<C>);
        impl<'de, C: DeserializeOwned> Visitor<'de> for Fields<C> {
            type Value = C;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a partial result")
            }

            fn visit_map<A: MapAccess<'de>>(self, all: A) -> std::result::Result<C, A::Error> {
                C::deserialize(MapAccessDeserializer::new(WithoutHeader(all)))
            }
        }
        from.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

/// The fields of a file but for those of its header.
struct WithoutHeader<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutHeader<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> std::result::Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.0.next_key::<String>()? {
            if !["kind", "version"].contains(&key.as_str()) {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> std::result::Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

/// The content of a partial result that is a range of the items of its whole.
pub(crate) trait Share: Content {
    /// What its items are called.
    const ITEMS: &'static str;
    /// Why none may be missing, put to the message that some are.
    const BECAUSE: &'static str = "";

    /// Which items.
    fn range(&self) -> Range<u64>;

    /// Number of items of the whole.
    fn count(&self) -> u64;

    /// Whether both are of one whole.
    fn is_of_one_whole_with(&self, other: &Self) -> bool;

    /// Puts a share to this one whose items follow.
    fn append(&mut self, next: Self);
}

/// All shares in one, each with the name of its file.
///
/// # Errors
/// Where they are not of one whole, and where items are missing or come twice.
pub(crate) fn joined<T: Share>(mut parts: Vec<(String, T)>) -> Result<T> {
    // By their first item, and by their last where that is the same, so that empty shares come before the one that begins
    // where they end.
    parts.sort_by_key(|(_, p)| (p.range().start, p.range().end));
    let mut parts = parts.into_iter();
    let (_, mut whole) =
        parts.next().ok_or_else(|| Diagnostic::command_line("no partial result is given"))?;
    let wrong = |said| {
        Diagnostic::new(said).help(format!("give every part of one {}, each once", T::WHOLE.name()))
    };
    let missing = |from: u64, to: u64| {
        let items = T::ITEMS;
        let of = T::WHOLE.name();
        let because = T::BECAUSE;
        wrong(format!("{items} {} to {to} of the {of} are in none of the parts{because}", from + 1))
    };
    for (name, part) in parts {
        if !whole.is_of_one_whole_with(&part) {
            return Err(wrong(format!("{name}: is a part of another {}", T::WHOLE.name())));
        }
        if part.range().is_empty() {
            continue;
        }
        let end = whole.range().end;
        if part.range().start < end {
            return Err(wrong(format!("{name}: holds {} that another part holds too", T::ITEMS)));
        }
        if part.range().start > end {
            return Err(missing(end, part.range().start));
        }
        whole.append(part);
    }
    if whole.range().start > 0 {
        return Err(missing(0, whole.range().start));
    }
    if whole.range().end < whole.count() {
        return Err(missing(whole.range().end, whole.count()));
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items that are their own numbers.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Numbers {
        range: Range<u64>,
        count: u64,
        list: String,
    }

    impl Content for Numbers {
        const WHOLE: Whole = Whole::Sweep;

        fn damage(&self) -> Option<String> {
            (self.range.end > self.count).then(|| "it ends too late".to_owned())
        }
    }

    impl Share for Numbers {
        const ITEMS: &'static str = "numbers";

        fn range(&self) -> Range<u64> {
            self.range.clone()
        }

        fn count(&self) -> u64 {
            self.count
        }

        fn is_of_one_whole_with(&self, other: &Self) -> bool {
            self.list == other.list
        }

        fn append(&mut self, next: Self) {
            self.range.end = next.range.end;
        }
    }

    fn numbers(range: Range<u64>, list: &str) -> Numbers {
        Numbers { range, count: 9, list: list.to_owned() }
    }

    /// In any order, with empty parts; and everything that can be wrong with them.
    #[test]
    fn shares_are_joined_or_refused() {
        let join = |ranges: &[Range<u64>]| {
            let part = |r: &Range<u64>| (format!("part {r:?}"), numbers(r.clone(), "a"));
            joined(ranges.iter().map(part).collect()).map(|n| n.range)
        };
        let fails = |ranges: &[Range<u64>]| join(ranges).unwrap_err().message().to_owned();
        assert_eq!(join(&[5..9, 0..2, 2..2, 2..5]).unwrap(), 0..9);
        assert_eq!(join(&[0..0, 0..9, 9..9]).unwrap(), 0..9);
        assert_eq!(fails(&[0..2, 5..9]), "numbers 3 to 5 of the sweep are in none of the parts");
        assert_eq!(
            fails(std::slice::from_ref(&(1..9))),
            "numbers 1 to 1 of the sweep are in none of the parts"
        );
        assert_eq!(
            fails(std::slice::from_ref(&(0..8))),
            "numbers 9 to 9 of the sweep are in none of the parts"
        );
        assert_eq!(fails(&[0..5, 4..9]), "part 4..9: holds numbers that another part holds too");
        assert_eq!(fails(&[]), "no partial result is given");
        let other =
            vec![("a".to_owned(), numbers(0..4, "a")), ("b".to_owned(), numbers(4..9, "b"))];
        assert_eq!(joined(other).unwrap_err().message(), "b: is a part of another sweep");
    }

    /// What is written is read again; another run, another version, a damaged file and a field that nobody knows are refused.
    #[test]
    fn only_a_whole_file_of_this_version_and_run_is_read() {
        let text = written(&numbers(2..5, "a"));
        assert_eq!(read::<Numbers>("p", text.as_bytes()).unwrap(), numbers(2..5, "a"));
        assert_eq!(Whole::named_in(text.as_bytes()), Whole::Sweep);
        let fails = |from: &str, to: &str| {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            read::<Numbers>("p", changed.as_bytes()).unwrap_err().message().to_owned()
        };
        let not_one = "p: not a partial result of a sweep";
        assert_eq!(fails("\"sweep\"", "\"fleet\""), not_one);
        assert_eq!(fails("\"kind\":\"sweep\",", ""), not_one);
        assert_eq!(fails("\"count\":9", "\"count\":-9"), not_one);
        assert_eq!(fails("\"count\"", "\"more\":1,\"count\""), not_one);
        assert_eq!(fails("}\n", ""), not_one);
        assert_eq!(fails("\"end\":5", "\"end\":10"), "p: it ends too late");
        let version = env!("CARGO_PKG_VERSION");
        let said = format!(
            "p: was written by stickslip 0.0.1; expected version {version}, for versions may count differently"
        );
        assert_eq!(fails(version, "0.0.1"), said);
        // Of another version the content is not looked at.
        let later = r#"{"kind":"sweep","version":"0.0.1","other":1}"#;
        assert_eq!(read::<Numbers>("p", later.as_bytes()).unwrap_err().message(), said);
        assert_eq!(Whole::named_in(b"{}"), Whole::Ensemble);
    }
}
