//! What of a network a message is about.

use std::fmt;

/// The kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A node.
    Node,
    /// A spring.
    Spring,
    /// A dashpot.
    Dashpot,
    /// A slider.
    Slider,
    /// A force on a node.
    Force,
    /// The prescribed motion of a node.
    Motion,
    /// The initial state of a node.
    State,
    /// A stop.
    Stop,
    /// A controller.
    Controller,
    /// A gear.
    Gear,
    /// A row of one of the matrices.
    Matrix,
}

/// A part of a network, as it was given to the [`NetworkBuilder`](crate::model::NetworkBuilder).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its number among those of its kind, from 0.
    pub index: usize,
    /// Its name, or that of the node that it is on; empty where there is none.
    pub name: String,
    /// Which of its properties: `name`, `mass`, `between`, `dynamic`, …; empty for all of it.
    pub property: &'static str,
}

impl Part {
    pub(crate) fn new(kind: PartKind, index: usize, name: &str, property: &'static str) -> Self {
        Self { kind, index, name: name.to_owned(), property }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.index + 1;
        match self.kind {
            PartKind::Node => write!(f, "node `{}`", self.name),
            PartKind::Slider => write!(f, "slider `{}`", self.name),
            PartKind::Stop => write!(f, "stop `{}`", self.name),
            PartKind::Controller => write!(f, "controller `{}`", self.name),
            PartKind::Gear => write!(f, "gear `{}`", self.name),
            PartKind::Spring => write!(f, "spring {number}"),
            PartKind::Dashpot => write!(f, "dashpot {number}"),
            PartKind::Force => write!(f, "force {number}"),
            PartKind::Motion => write!(f, "motion {number}"),
            PartKind::Matrix => write!(f, "row {number} of the {} matrix", self.property),
            PartKind::State => write!(f, "the initial state of node `{}`", self.name),
        }
    }
}
