//! Mechanical systems with dry friction: exact where the mathematics allows it.
//!
//! # The problem
//!
//! A mass `m` on a spring, pushed by a load and held by dry friction:
//!
//! ```text
//! m ẍ + F(ẋ) = b(x, ẋ, t),        b = K (d(t) − x) − c ẋ + f(t)
//!
//! stick:  ẋ = 0 and |b| ≤ f_s     then F = b
//! slip:   otherwise               then F = f_d sign ẋ,     0 ≤ f_d ≤ f_s
//! ```
//!
//! The stick ends as soon as |b| would exceed the breakaway force `f_s`; a slip ends at ẋ = 0 if
//! |b| ≤ f_s there, and goes on with the other sign otherwise (a *reversal*).
//!
//! # An example
//!
//! ```
//! use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve};
//! # fn main() -> Result<(), stickslip::Error> {
//! let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
//!     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
//!     .starting_at(6.0, 0.0);
//! let solution = solve(&Problem::new(shaw, 40.0), &Scheme::Exact)?;
//! assert_eq!(solution.events.len(), 10);
//! assert!(solution.energy().relative_defect() < 1e-12);
//! # Ok(()) }
//! ```
//!
//! # What you need, by what you want to do
//!
//! This is the whole public surface; a check of the project compares the table with the documentation. What else can be
//! reached by a path serves the crates beside this one and changes without notice.
//!
//! | to | there is |
//! |---|---|
//! | say what a contact does | [`Law`] of [`law::Coulomb`], [`law::StaticDynamic`], [`law::Stribeck`], [`law::StribeckExponential`], [`law::Cubic`], [`law::VelocityStrengthening`], [`law::Ageing`] with [`law::Growth`], [`law::Asymmetric`], [`law::General`]; a law of your own is a [`law::Contact`] in [`law::Custom`], its curve a [`law::Curve`] or [`law::Smooth`] |
//! | give a contact memory | a [`model::hysteretic::Hysteretic`] of a [`model::hysteretic::Body`] or another [`model::hysteretic::Carrier`], and a [`law::memory::Memory`] of [`law::memory::Dahl`], [`law::memory::Lugre`], [`law::memory::ElastoPlastic`], [`law::memory::BoucWen`] with [`law::memory::Shape`] and [`law::memory::Degradation`], [`law::memory::MaxwellSlip`], [`law::memory::RateAndState`] with [`law::memory::Direct`] and [`law::memory::Evolution`]; [`law::memory::StribeckLimit`] is the limit of several, [`law::memory::Own`] is one of your own, [`law::memory::Remembers`] with [`law::memory::Run`] and [`law::memory::Way`] what they say |
//! | say what moves it | [`Signal`], of [`signal::Knot`]s and [`signal::Harmonic`]s, or a [`signal::Chirp`] with its [`signal::Sweep`], or a [`signal::Trapezoid`] |
//! | say what noise acts | [`Noise`], [`NoiseOn`] a [`Place`]; [`PathId`] names a path |
//! | say what moves | [`Oscillator`] with [`model::Load`], [`model::Effort`], [`model::Nonlinear`], [`Stops`], [`Bumper`]; [`Cascade`]; [`Impact`], [`Wall`]; [`Initial`] |
//! | connect masses | [`Network`], made by [`model::network::NetworkBuilder`] or from [`model::network::Matrices`]; of [`model::network::Node`], [`model::network::Link`], [`model::network::Slider`], [`model::network::Shared`]; [`model::network::Name`], [`model::network::Remark`] |
//! | put any law, a moving surface, a stop, a gear or a curved spring into a network | [`model::machine::Machine`], [`model::machine::Friction`], [`model::machine::Spring`], [`model::machine::Curve`], [`model::machine::Press`] by a [`model::machine::Presser`], [`model::machine::Stop`], [`model::machine::Gear`], [`model::machine::GearBetween`], [`model::machine::GearFriction`], [`model::machine::Bristle`] |
//! | control it | [`model::machine::ControlLaw`] of a [`model::machine::Controller`]: [`model::machine::Rule`], [`model::machine::Gains`], [`model::machine::StateSpace`], [`model::machine::Quantity`], [`model::machine::Limit`], [`model::machine::AntiWindup`], [`model::machine::Sampling`], [`model::machine::FeedForward`]; does it hunt: [`study::hunt::hunt()`], [`study::hunt::Search`], [`study::hunt::Hunt`], [`study::hunt::Start`], [`study::hunt::Outcome`], [`study::hunt::Cycle`], [`study::hunt::Multipliers`], [`study::hunt::Verdict`] |
//! | let a mass slide on a plane | [`model::planar::Planar`], [`model::planar::Ellipse`], [`model::planar::Bowl`], [`model::planar::Pressure`], [`model::planar::Rim`], [`model::planar::Square`] |
//! | let a slab on isolators slide and turn | [`model::isolated::Isolated`], [`model::isolated::Isolator`], [`model::isolated::Floor`] |
//! | pose a problem | [`Problem`] of a [`Model`]; what others may act on are its [`model::Inlet`]s, [`model::Loads`] what they do |
//! | solve it | [`solve`] with a [`Scheme`]; [`Choice`] finds one. [`solution::Tolerances`], [`solution::Penalty`], [`solution::Rule`], [`solution::Solver`] are parts of schemes |
//! | advance it in pieces | [`start`], [`Cursor`], [`Remaining`], [`RunState`] |
//! | read a solution | [`Solution`], its [`Rows`] and [`Column`]s by [`Role`]; [`Event`], [`EventKind`], [`Phase`], [`Energy`], [`Counts`], [`Warning`] |
//! | read the path of one kind of model | [`Trajectory`], [`motion::Path`], [`motion::Segment`], [`Motion`], [`State`], [`motion::Stretch`]; [`motion::CascadePath`], [`motion::CascadePhase`], [`motion::CascadeState`]; [`solution::NetworkPath`], [`motion::NetworkPhase`], [`motion::NetworkState`]; [`ImpactPath`], [`ImpactArc`], [`Touching`] |
//! | solve many paths under noise | [`study::ensemble::run()`] of a [`study::ensemble::Plan`]; [`study::ensemble::Ensemble`] of [`study::ensemble::Row`], [`study::ensemble::Point`], [`study::ensemble::Distribution`], [`study::ensemble::Contact`], [`study::ensemble::Durations`]; [`study::ensemble::Control`], [`study::ensemble::MergeError`] |
//! | solve many models | [`study::sweep::Sweep`], [`study::sweep::measure`], [`study::sweep::Measures`], [`study::sweep::Point`], [`study::sweep::Span`], [`study::sweep::End`] |
//! | find periodic orbits | [`study::orbit::orbits`], [`study::orbit::orbits_at`], [`study::orbit::search()`], [`study::orbit::attractors`], [`study::orbit::Search`], [`study::orbit::Found`], [`study::orbit::Leads`]; [`study::orbit::Forced`], [`study::orbit::Method`], [`study::orbit::Driven`], [`study::orbit::period_of`]; [`study::orbit::Orbit`], [`study::orbit::InPlane`], [`study::orbit::Kind`], [`study::orbit::Multiplier`], [`study::orbit::Steady`]; of planes and of laws with memory [`study::shooting::repeating()`], [`study::shooting::Repeating`], [`study::shooting::responding`] |
//! | follow them | [`study::orbit::response()`], [`study::orbit::Response`], [`study::orbit::Options`], [`study::orbit::Branch`], [`study::orbit::Point`], [`study::orbit::End`]; [`study::orbit::settled()`], [`study::orbit::Settled`], [`study::orbit::States`]; [`study::orbit::boundaries()`], [`study::orbit::Boundaries`], [`study::orbit::Boundary`], [`study::orbit::Peak`], [`study::orbit::TurningPoint`]; [`study::orbit::basins()`], [`study::orbit::Basins`], [`study::orbit::Attraction`] |
//! | know how a result changes with the model | [`study::sensitivity::derivatives()`] with respect to [`study::sensitivity::Number`]s seen from their [`study::sensitivity::Sides`]: [`study::sensitivity::Derivatives`], of networks [`study::sensitivity::network_derivatives`], [`study::sensitivity::NetworkDerivatives`]; [`study::sensitivity::Doubt`] and [`study::sensitivity::Why`]; for a [`study::sensitivity::Loss`] its [`study::sensitivity::gradient()`], a [`study::sensitivity::Gradient`], also with respect to [`study::sensitivity::Samples`] of a [`model::Inlet`] |
//! | know its spectrum | [`study::spectrum::Welch`], [`study::spectrum::Spectrum`], [`study::spectrum::Density`] |
//! | know what is wrong | [`Error`], its [`error::Kind`] and [`Remedy`]; [`error::Part`], [`error::PartKind`], [`error::Short`], [`error::Obstacle`] |
//! | stop it | [`Interrupt`] |
//!
//! # The modules
//!
//! From the ground up; each module uses itself and what stands before it, and a test keeps it so.
//!
//! | module | what it holds |
//! |---|---|
//! | `error` | what can be wrong, its kind, and what helps |
//! | `interrupt` | stopping a computation from outside |
//! | `portable` | elementary functions with the same bits on every machine |
//! | `roots` | the first root of a function, with a proof that no root came before it |
//! | `grid` | equidistant steps in time |
//! | `numeric` | dense algebra, golden sections, a rule of Gauss, medians, the error function |
//! | `signal` | functions of time and random ones |
//! | `onestep` | the small problems inside a time step |
//! | `hysteresis` | the Prandtl–Ishlinskii operator that a cascade is |
//! | `law` | what a contact does |
//! | `motion` | states, phases, events, energies; what a path is made of, in closed form or on a grid |
//! | `model` | what moves; a problem is a model, its noises and the end of the run |
//! | `scheme` | how it is advanced, one folder for each kind of model, each returning its typed path |
//! | `solution` | one verb, [`solve`], for every model and scheme, and one solution for all |
//! | `lanes` | many paths side by side |
//! | `study` | ensembles, sweeps, orbits, rates of change, spectra; for papers orders and sets of solutions |
//!
//! All quantities are SI. Nothing here reads a file, a clock or a terminal.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the C library"))]

pub mod error;
mod grid;
#[doc(hidden)]
pub mod hysteresis;
mod instructions;
pub mod interrupt;
#[doc(hidden)]
pub mod lanes;
pub mod law;
pub mod model;
pub mod motion;
#[doc(hidden)]
pub mod numeric;
#[doc(hidden)]
pub mod onestep;
#[doc(hidden)]
pub mod portable;
#[doc(hidden)]
pub mod roots;
#[doc(hidden)]
pub mod scheme;
pub mod signal;
pub mod solution;
pub mod study;
#[cfg(feature = "parallel")]
mod threads;

pub use error::{Error, Kind, Remedy};
pub use interrupt::Interrupt;
pub use law::Law;
pub use model::{
    Bumper, Cascade, Impact, Initial, Model, Network, NoiseOn, Oscillator, Place, Problem, Stops,
    Wall,
};
pub use motion::{
    Counts, Energy, Event, EventKind, ImpactArc, ImpactPath, Motion, Phase, State, Touching,
    Trajectory, Warning,
};
pub use signal::Signal;
pub use signal::noise::{Noise, PathId};
pub use solution::{
    Choice, Column, Cursor, Remaining, Role, Rows, RunState, Scheme, Solution, solve, start,
};
