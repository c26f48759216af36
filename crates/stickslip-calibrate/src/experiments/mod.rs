//! Records of experiments other than a bearing's: each its own model and its own fit.

mod curvature;
pub mod friction_curve;
pub mod hysteresis;
pub mod isolator;
pub mod joint;
pub mod pulled_slider;
pub mod rigid_drive;
pub mod rock_friction;
pub mod servo;
pub mod valve;
