//! `[corner]` and `[schatzman]`: the two ill-posed impact problems.

use crate::diagnostic::Result;
use crate::node::Node;
use crate::reader::{Table, any, positive};
use serde::Serialize;

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
        let root = Table::root(document, &["title", "corner"])?;
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
        let root = Table::root(document, &["title", "schatzman"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let t = root.table("schatzman", &["early", "late", "speed", "bounces"])?;
        let schatzman = Schatzman {
            early: t.number_or("early", positive(""), 2.0)?,
            late: t.number_or("late", positive(""), 0.5)?,
            speed: t.number_or("speed", positive("m/s"), 1.0)?,
            bounces: t.whole_or("bounces", 1, 60)?.min(1000),
        };
        Ok(Self { title, schatzman })
    }
}
