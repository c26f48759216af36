//! `[corner]` and `[schatzman]`: the two ill-posed impact problems.

use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::Node;
use crate::reader::{Table, any, positive};
use serde::Serialize;

/// The most impacts of Schatzman's force that are listed.
const MAX_BOUNCES: u64 = 1000;

/// `[corner]`: a point sent into the corner of a wedge between two elastic walls.
#[derive(Debug, Clone, Serialize)]
pub struct Corner {
    /// The wedge that is drawn, rad.
    pub angle: f64,
    /// The two motions that are drawn start at h and −h.
    pub h: f64,
    /// Angles of the table, equally spaced above arctan ½ up to π.
    pub angles: u64,
}

/// A corner's file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct CornerModel {
    /// Heading of figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The problem.
    pub corner: Corner,
}

impl CornerModel {
    /// Reads a document.
    pub fn read(document: &Node) -> Result<Self> {
        Self::read_asking(document, None)
    }

    pub(super) fn read_asking(document: &Node, asked: Option<&Asked>) -> Result<Self> {
        let root = Table::root(document, &["title", "corner"])?.asking(asked);
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let t = root.table("corner", &["angle", "h", "angles"])?;
        let corner = Corner {
            angle: t.number_or("angle", positive("rad"), 2.4)?,
            h: t.number_or("h", any(""), 0.05)?,
            angles: t.whole_or("angles", 2, 720)?,
        };
        Ok(Self { title, corner })
    }
}

/// `[schatzman]`: a smooth force with two solutions.
#[derive(Debug, Clone, Serialize)]
pub struct Schatzman {
    /// p and q of the bump exp(−p/s − q/(1 − s)), p > q.
    pub early: f64,
    pub late: f64,
    /// v_1, the speed after the last impact, m/s.
    pub speed: f64,
    /// Impacts that are listed and verified, from t = 1 back.
    pub bounces: u64,
}

/// Schatzman's file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct SchatzmanModel {
    /// Heading of figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The problem.
    pub schatzman: Schatzman,
}

impl SchatzmanModel {
    /// Reads a document.
    pub fn read(document: &Node) -> Result<Self> {
        Self::read_asking(document, None)
    }

    pub(super) fn read_asking(document: &Node, asked: Option<&Asked>) -> Result<Self> {
        let root = Table::root(document, &["title", "schatzman"])?.asking(asked);
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let t = root.table("schatzman", &["early", "late", "speed", "bounces"])?;
        let schatzman = Schatzman {
            early: t.number_or("early", positive(""), 2.0)?,
            late: t.number_or("late", positive(""), 0.5)?,
            speed: t.number_or("speed", positive("m/s"), 1.0)?,
            bounces: t.whole_or("bounces", 1, 60)?,
        };
        if schatzman.bounces > MAX_BOUNCES {
            let path = t.path_of("bounces");
            let found = schatzman.bounces;
            let message = format!("`{path}` is {found}; expected at most {MAX_BOUNCES}");
            return Err(Diagnostic::at(t.place_of("bounces"), message)
                .help(format!("write `bounces = {MAX_BOUNCES}` or fewer")));
        }
        Ok(Self { title, schatzman })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn more_bounces_than_can_be_listed_are_refused() {
        let read = |n: u64| {
            let text = format!("[schatzman]\nbounces = {n}\n");
            SchatzmanModel::read(Document::parse("m.toml", &text).unwrap().root())
        };
        assert_eq!(read(MAX_BOUNCES).unwrap().schatzman.bounces, MAX_BOUNCES);
        assert!(read(MAX_BOUNCES + 1).unwrap_err().to_string().contains("at most 1000"));
    }
}
