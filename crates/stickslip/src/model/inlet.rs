//! The signals of a model that other programs may act on.

use super::machine::Quantity;
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
    /// The displacement of the mass of a cascade, m, or of a contact with memory, where it is prescribed.
    Displacement,
    /// The force on this node of a network, N.
    NodeForce(usize),
    /// The displacement of this node of a network, m, where it is prescribed.
    NodeMotion(usize),
    /// The normal force of this slider of a network, N, where the model gives one.
    SliderNormal(usize),
    /// The velocity of the surface under this slider of a machine, m/s, where the model gives one.
    SliderSupport(usize),
    /// What this controller of a machine is to follow: a displacement, m, or a velocity, m/s.
    Reference(usize, Quantity),
    /// The position of the lower wall of an impact model, m, where there is one.
    LowerWall,
    /// The position of the upper wall of an impact model, m, where there is one.
    UpperWall,
    /// The force on a mass on a plane along x (0) or y (1), N.
    PlaneForce(usize),
    /// The acceleration of its ground along x (0) or y (1), m/s².
    PlaneBase(usize),
    /// The velocity of its surface along x (0) or y (1), m/s.
    PlaneSupport(usize),
}

impl Inlet {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Drive | Self::Displacement | Self::NodeMotion(_) => "m",
            Self::LowerWall | Self::UpperWall => "m",
            Self::Support | Self::PlaneSupport(_) | Self::SliderSupport(_) => "m/s",
            Self::Reference(_, Quantity::Displacement) => "m",
            Self::Reference(_, Quantity::Velocity) => "m/s",
            Self::PlaneBase(_) => "m/s²",
            Self::PlaneForce(_) => "N",
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
            Self::Support | Self::SliderSupport(_) => "support",
            Self::Reference(..) => "reference",
            Self::Normal | Self::SliderNormal(_) => "normal",
            Self::Displacement => "displacement",
            Self::NodeMotion(_) => "motion",
            Self::LowerWall => "wall",
            Self::UpperWall => "upper_wall",
            Self::PlaneForce(0) => "force_x",
            Self::PlaneForce(_) => "force_y",
            Self::PlaneBase(0) => "base_x",
            Self::PlaneBase(_) => "base_y",
            Self::PlaneSupport(0) => "support_x",
            Self::PlaneSupport(_) => "support_y",
        })
    }
}
