//! What results become: tables, figures, pages and texts.

pub mod basins;
pub mod boundaries;
pub mod certificate;
pub mod convergence;
pub mod corner;
pub mod damper;
pub mod drive;
pub mod ensemble;
mod estimates;
pub mod fit;
pub mod friction_curve;
pub mod hunt;
pub mod joint;
mod key;
pub mod meshed;
pub mod model_fit;
pub mod motion;
pub mod orbit;
pub mod perturbation;
pub mod remarks;
pub mod repeating;
pub mod response;
pub mod schatzman;
pub mod slider;
pub mod solutions;
pub mod sweep;
pub mod valve;
