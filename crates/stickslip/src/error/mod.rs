//! What can be wrong with a problem, as values.

mod obstacle;
mod part;
mod short;

pub use obstacle::Obstacle;
pub use part::{Part, PartKind};
pub use short::Short;

use std::fmt;

/// Why a problem could not be posed or solved. The text says what was found, what was expected
/// (with its unit) and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of the model is outside its range.
    #[error("{what} is {}; expected {expected}", Plain(*found))]
    OutOfRange {
        /// The quantity, by its name in the model.
        what: &'static str,
        /// What was found.
        found: f64,
        /// The range, with its unit.
        expected: &'static str,
    },
    /// The dynamic friction exceeds the static one.
    #[error(
        "the dynamic friction {dynamic} N exceeds the static friction {breakaway} N; expected 0 ≤ dynamic ≤ static: \
         swap the two if they were mixed up, or use Coulomb's law with one force; friction that rises with the speed has a \
         law of its own, velocity-strengthening"
    )]
    DynamicAboveStatic {
        /// f_s, N.
        breakaway: f64,
        /// f_d, N.
        dynamic: f64,
    },
    /// The friction at rest does not grow.
    #[error(
        "the limit of the friction at rest goes from {dynamic} N to {breakaway} N; expected static > dynamic, a limit that \
         grows with the time at rest: if it does not, use Coulomb's law"
    )]
    NotIncreasing {
        /// h(0), N.
        dynamic: f64,
        /// What it should grow to, N.
        breakaway: f64,
    },
    /// A tabulated law is no function, or not the kind that was expected.
    #[error("{what}, point {index}: {reason}")]
    BadTable {
        /// Which table.
        what: &'static str,
        /// Position in the table, from 0.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A user's law is no law.
    #[error("the law {name:?}: {reason}")]
    BadLaw {
        /// Its name.
        name: String,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
    /// A user's function of time has no name, breakpoints that do not increase, or bounds that are not finite.
    #[error("the function {name:?}: {reason}")]
    BadFunction {
        /// Its name.
        name: String,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
    /// A direction of an asymmetric law is asymmetric itself.
    #[error(
        "the law of one direction is asymmetric itself; expected one plain law forwards and one backwards"
    )]
    Nested,
    /// The normal force pulls.
    #[error(
        "the normal force is {value} N at t = {time} s; expected ≥ 0 N throughout: a contact that opens is no friction \
         problem any more; shorten the run or add a constant load",
        value = Short(*value), time = Short(*time)
    )]
    NegativeNormalForce {
        /// First time at which it is negative, s.
        time: f64,
        /// Its value there or shortly after, N.
        value: f64,
    },
    /// A step has no solution.
    #[error("the scheme {scheme} has no solution at step {step} (t = {} s): {reason}", Short(*time))]
    StepWithoutSolution {
        /// The scheme's name.
        scheme: &'static str,
        /// n of the value u_n that does not exist.
        step: usize,
        /// t_n, s.
        time: f64,
        /// Why, and what to use instead.
        reason: String,
    },
    /// An adaptive step became too short.
    #[error(
        "the step fell to {step} s at t = {time} s ({phase}) without reaching the tolerance: the load may be discontinuous \
         there, or the tolerance below what rounding allows; loosen rtol and atol",
        step = Short(*step), time = Short(*time)
    )]
    StepTooShort {
        /// Time reached, s.
        time: f64,
        /// Step, s.
        step: f64,
        /// Phase at that time.
        phase: String,
    },
    /// A list of the model has the wrong length.
    #[error("the list {what} has {found} entries; expected {expected}")]
    WrongLength {
        /// The list, by its name in the model.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The right length.
        expected: &'static str,
    },
    /// A number in a list of the model is outside its range.
    #[error("{what}[{index}] is {}; expected {expected}", Plain(*found))]
    BadEntry {
        /// The list, by its name in the model.
        what: &'static str,
        /// Position in the list, from 0.
        index: usize,
        /// What was found.
        found: f64,
        /// The range, with its unit.
        expected: &'static str,
    },
    /// A network is not well posed, or a part of it is not what it should be.
    #[error("{place}: {reason}; {remedy}")]
    BadNetwork {
        /// Which node, spring, dashpot, slider, force or motion.
        place: Part,
        /// What was found.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// The points of a sampled signal do not make a function of time.
    #[error("sample {index} of the signal: {reason}")]
    BadSample {
        /// Position in the series, from 0.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A sampled signal does not cover the time of the run.
    #[error(
        "the {what} is sampled from t = {from} s to {to} s, but the run needs it from {needed_from} s to {needed_to} s: \
         shorten the run or extend the series"
    )]
    SignalTooShort {
        /// Which signal.
        what: &'static str,
        /// First sample, s.
        from: f64,
        /// Last sample, s.
        to: f64,
        /// Start of the run, s.
        needed_from: f64,
        /// End of the run, s.
        needed_to: f64,
    },
    /// The scheme cannot treat this model.
    #[error("the scheme {scheme} cannot treat this model: {reason}")]
    Unsuitable {
        /// The scheme's name.
        scheme: &'static str,
        /// Why, and what to use instead.
        reason: Obstacle,
    },
    /// The model holds what cannot be solved by any scheme.
    #[error("this model cannot be solved: {reason}")]
    BadModel {
        /// What it is, and what to use instead.
        reason: String,
    },
    /// A study, or another use of a model, is not made for one like this.
    #[error("{what} is not offered for this model: {reason}")]
    NotOffered {
        /// What was asked for.
        what: &'static str,
        /// Why it cannot be had, and what to do instead.
        reason: String,
    },
    /// The derivatives of a loss are not those of the motion that it looks at.
    #[error("the loss does not fit the motion: {reason}")]
    BadLoss {
        /// What does not fit, and what is expected.
        reason: String,
    },
    /// A run in progress keeps its signals.
    #[error(
        "the signals of this run were fixed at its start and cannot be changed on the way; use exact or adaptive"
    )]
    FixedSignals,
    /// A motion of which not everything can be proved.
    #[error("this motion cannot be certified: {reason}")]
    Uncertified {
        /// Why.
        reason: String,
    },
    /// More events than the caller allowed for.
    #[error(
        "more than {limit} events before t = {time} s (last phase: {phase}): \
         shorten the run, or give `run.events` if more are expected",
        time = Short(*time)
    )]
    TooManyEvents {
        /// The limit that was passed.
        limit: usize,
        /// Time reached, s.
        time: f64,
        /// Phase at that time.
        phase: String,
    },
    /// An impact model, or an oscillator's stops, without any wall.
    #[error(
        "there is no wall; expected a lower or an upper one: without any this is an oscillator without stops"
    )]
    NoWall,
    /// The mass starts on the wrong side of a wall.
    #[error(
        "the mass starts at x = {x:?} m, beyond the {wall} wall at {at:?} m: start it inside, or move the wall"
    )]
    BeyondWall {
        /// x(0), m.
        x: f64,
        /// Which wall: `lower` or `upper`.
        wall: &'static str,
        /// Its position, m.
        at: f64,
    },
    /// The lower stop is not below the upper one.
    #[error(
        "the lower stop at {lower:?} m is not below the upper one at {upper:?} m; expected lower < upper: swap them"
    )]
    StopsCross {
        /// a₋, m.
        lower: f64,
        /// a₊, m.
        upper: f64,
    },
    /// Two walls leave no room for the mass.
    #[error(
        "the walls meet at t = {time} s: the mass is blocked by one and the other moves into it, so the problem has \
         no solution from there on; end the run before, or keep the walls apart",
        time = Short(*time)
    )]
    WallsMeet {
        /// When, s.
        time: f64,
    },
    /// The problem has no solution beyond an instant.
    #[error("there is no solution beyond t = {time} s: {reason}", time = Short(*time))]
    NoSolution {
        /// When, s.
        time: f64,
        /// Why, and what to change.
        reason: String,
    },
    /// The first event of a motion could not be isolated with a sensible number of evaluations.
    #[error(
        "no event could be isolated after t = {time} s (phase: {phase}): the motion has millions of periods before \
         the next event, or rates too different for double precision; shorten the run, or use a scheme for slow drives \
         (quasi-static) or check the magnitudes of the model",
        time = Short(*time)
    )]
    Stalled {
        /// Time reached, s.
        time: f64,
        /// Phase at that time.
        phase: String,
    },
    /// A function of the user has no name by which problems could be told apart.
    #[error(
        "{what} is a function without a name; expected a named one, for partial results can be told apart and put \
         together only by the names of the functions in them"
    )]
    Unnamed {
        /// Which function.
        what: String,
    },
    /// A noise acts where a model of this kind has nothing.
    #[error("a noise acts on the {place}, which this {kind} does not have")]
    NoSuchPlace {
        /// The kind of the model.
        kind: &'static str,
        /// Where the noise acts.
        place: String,
    },
    /// A run in progress cannot be put into a state.
    #[error("the state cannot be set: {reason}")]
    BadState {
        /// Why, and what was expected.
        reason: String,
    },
    /// The caller stopped the run.
    #[error("the run was stopped at t = {time} s", time = Short(*time))]
    Interrupted {
        /// Time reached, s.
        time: f64,
    },
    /// The run would take longer than anybody waits, or need more memory than any machine has.
    #[error(
        "the run would have about {count:.0e} {what}, because {reason}; at most {most:.0e} are sensible: shorten the run, or \
         check the magnitudes and units of the model"
    )]
    TooLong {
        /// What there would be so many of: events, steps, periods.
        what: &'static str,
        /// How many, about.
        count: f64,
        /// How many are accepted.
        most: f64,
        /// What makes so many.
        reason: String,
    },
    /// There is no periodic orbit of the kind that was asked for, or none was found.
    #[error("no periodic orbit was found: {reason}")]
    NoOrbit {
        /// What was found instead, and what to do.
        reason: String,
    },
    /// A state left the range of finite numbers.
    #[error("the motion is not finite at t = {time} s: {}", beyond_numbers(*step), time = Short(*time))]
    NotFinite {
        /// Time reached, s.
        time: f64,
        /// Step, s (0 for an event-driven scheme).
        step: f64,
    },
}

/// Why a motion is not finite: with steps of this length (s), or without steps of a fixed length (0).
fn beyond_numbers(step: f64) -> String {
    if step > 0.0 {
        let step = Short(step);
        format!(
            "the step {step} s is too large for this stiffness or damping; otherwise check the magnitudes of the model"
        )
    } else {
        "it has grown beyond the largest numbers; check the magnitudes of the model, and whether something in it is unstable".into()
    }
}

/// What an error is about, so that whoever shows it can say whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The input is wrong: a number, a list, a table or a signal.
    Input,
    /// The problem has no solution, or more than one can be asked for.
    Unsolvable,
    /// The scheme, or its step or tolerance, does not suit the problem: another one may.
    Scheme,
}

impl Error {
    /// What it is about.
    pub fn kind(&self) -> Kind {
        match self {
            Self::OutOfRange { .. }
            | Self::DynamicAboveStatic { .. }
            | Self::NotIncreasing { .. }
            | Self::BadTable { .. }
            | Self::BadLaw { .. }
            | Self::BadFunction { .. }
            | Self::Nested
            | Self::NegativeNormalForce { .. }
            | Self::WrongLength { .. }
            | Self::BadEntry { .. }
            | Self::BadNetwork { .. }
            | Self::BadSample { .. }
            | Self::SignalTooShort { .. }
            | Self::NoWall
            | Self::BeyondWall { .. }
            | Self::StopsCross { .. }
            | Self::NoSuchPlace { .. }
            | Self::BadState { .. }
            | Self::BadModel { .. }
            | Self::BadLoss { .. }
            | Self::Unnamed { .. }
            | Self::TooLong { .. } => Kind::Input,
            Self::WallsMeet { .. } | Self::NoSolution { .. } | Self::NoOrbit { .. } => {
                Kind::Unsolvable
            }
            Self::StepWithoutSolution { .. }
            | Self::StepTooShort { .. }
            | Self::Unsuitable { .. }
            | Self::NotOffered { .. }
            | Self::FixedSignals
            | Self::Uncertified { .. }
            | Self::TooManyEvents { .. }
            | Self::Stalled { .. }
            | Self::Interrupted { .. }
            | Self::NotFinite { .. } => Kind::Scheme,
        }
    }

    /// What helps, where it can be said in general.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::StepTooShort { .. } => Some(Remedy::LoosenTolerances),
            Self::NotFinite { step, .. } if *step > 0.0 => Some(Remedy::ShortenStep),
            _ => None,
        }
    }
}

/// What helps against a warning or an error. A library cannot know how it is operated: the words for it are up to
/// whoever shows the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Solve again with a slightly smaller and a slightly larger force, and compare.
    Perturb,
    /// List all solutions of the problem.
    ListSolutions,
    /// Use the adaptive scheme.
    UseAdaptive,
    /// Use a shorter step.
    ShortenStep,
    /// Tighten the tolerances.
    TightenTolerances,
    /// Loosen the tolerances.
    LoosenTolerances,
}

/// A number in a message: with an exponent where its digits would fill lines.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(x) = *self;
        if x == 0.0 || (1e-5..1e16).contains(&x.abs()) {
            write!(f, "{x}")
        } else {
            write!(f, "{x:e}")
        }
    }
}

/// Checks that `found` is finite and `≥ 0` (`strict`: `> 0`).
pub(crate) fn require(
    what: &'static str,
    found: f64,
    ok: bool,
    expected: &'static str,
) -> Result<(), Error> {
    if found.is_finite() && ok { Ok(()) } else { Err(Error::OutOfRange { what, found, expected }) }
}
