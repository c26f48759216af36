//! The signals of a model that other programs may act on.

use std::fmt;

/// A signal of a model to which something may be added while it is being solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inlet {
    /// The displacement of the far end of an oscillator's spring, m.
    Drive,
    /// The force on the mass, N.
    Force,
    /// The velocity of the rubbing support of an oscillator, m/s.
    Support,
    /// The normal force of an oscillator's contact, N, where the model gives one.
    Normal,
    /// The displacement of the mass of a cascade, m, where it is prescribed.
    Displacement,
    /// The force on this node of a network, N.
    NodeForce(usize),
    /// The displacement of this node of a network, m, where it is prescribed.
    NodeMotion(usize),
    /// The normal force of this slider of a network, N, where the model gives one.
    SliderNormal(usize),
    /// The position of the lower wall of an impact model, m, where there is one.
    LowerWall,
    /// The position of the upper wall of an impact model, m, where there is one.
    UpperWall,
}

impl Inlet {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Drive | Self::Displacement | Self::NodeMotion(_) => "m",
            Self::LowerWall | Self::UpperWall => "m",
            Self::Support => "m/s",
            Self::Force | Self::Normal | Self::NodeForce(_) | Self::SliderNormal(_) => "N",
        }
    }

    /// Whether it is a normal force, which is never negative.
    pub fn is_normal(self) -> bool {
        matches!(self, Self::Normal | Self::SliderNormal(_))
    }
}

impl fmt::Display for Inlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Drive => "drive",
            Self::Force | Self::NodeForce(_) => "force",
            Self::Support => "support",
            Self::Normal | Self::SliderNormal(_) => "normal",
            Self::Displacement => "displacement",
            Self::NodeMotion(_) => "motion",
            Self::LowerWall => "wall",
            Self::UpperWall => "upper_wall",
        })
    }
}
