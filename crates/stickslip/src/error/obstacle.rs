//! What keeps a scheme from treating a model.

use super::Short;

/// What of a model, or of its motion, a scheme cannot treat. The text says what helps.
///
/// The first part is found before a motion begins, by looking at the model; the last one, from [`Jump`](Self::Jump) on, may be
/// met on the way.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// The scheme is for models of other kinds.
    #[error("it is a model of the kind {kind}; use one of {}", schemes.join(", "))]
    Kind {
        /// The kind of the model.
        kind: &'static str,
        /// The schemes of this kind.
        schemes: &'static [&'static str],
    },
    /// Only an oscillator under noise has the paths that were asked for.
    #[error("it is a model of the kind {kind}, not an oscillator")]
    NoOscillator {
        /// The kind of the model.
        kind: &'static str,
    },
    /// A part of the model is treated by other schemes only.
    #[error("{part}; {schemes}")]
    Part {
        /// The part, as a clause.
        part: &'static str,
        /// What treats it, as a clause.
        schemes: &'static str,
    },
    /// Without a closed form of a load only schemes with time steps are left, and no step is given.
    #[error("{part}; give a time step, in s, for a scheme with steps")]
    NeedsStep {
        /// What stands in the way of closed forms, as a clause.
        part: String,
    },
    /// The model is solved whole, not piece by piece at the caller's pace.
    #[error(
        "{part}, and such a model is advanced piece by piece by `adaptive` only; take that scheme"
    )]
    NotInPieces {
        /// What of the model asks for it, as a clause.
        part: &'static str,
    },
    /// A signal is a user's function, and the scheme needs closed forms.
    #[error(
        "the {what} is the function {name:?}, which has no closed form; use a scheme that takes any load, or constants, \
         ramps, steps, samples and harmonics"
    )]
    NoClosedForm {
        /// Which signal.
        what: &'static str,
        /// The function's name.
        name: String,
    },
    /// The scheme knows no stops.
    #[error(
        "it knows no stops; use exact or adaptive (any stops), or euler or implicit-euler (soft ones)"
    )]
    Stops,
    /// The scheme is one of forces and knows no impulse.
    #[error(
        "its steps know forces, not impacts; use exact or adaptive, or give the stops a stiffness instead of a restitution"
    )]
    RigidStops,
    /// θ ≠ ½ for a model that knows θ = ½ only.
    #[error("of cascades it is there with θ = ½ only")]
    OtherTheta,
    /// There are noises that have not been made known.
    #[error("it solves one path of the noises at a time; make them known first")]
    UnknownNoise,
    /// There is noise, and the scheme has no steps.
    #[error("the model has noise, and paths under noise advance in steps: take theta")]
    NoiseWithoutSteps,
    /// Paths of cascades and networks advance by other rules.
    #[error(
        "it is for one mass whose friction stands on the ground; paths of cascades and networks advance by theta or \
         implicit-euler"
    )]
    OneMassOnly,
    /// The sign of the velocity before the step is asked for of elements without mass.
    #[error(
        "the elements of a cascade have no mass, so there is no velocity before the step whose sign could be taken; their \
         rule is the resolvent's"
    )]
    ElementsWithoutMass,
    /// The same of a node without mass.
    #[error(
        "node `{node}` has no mass, so there is no velocity before the step whose sign could be taken; give it a mass > 0 \
         kg, or take implicit-euler"
    )]
    NodeWithoutMass {
        /// Its name.
        node: String,
    },
    /// Two nodes share mass, and the scheme takes each mass by itself.
    #[error(
        "the nodes `{}` and `{}` share mass, and its steps take each mass by itself; use exact or implicit-euler",
        nodes[0], nodes[1]
    )]
    SharedMass {
        /// Their names.
        nodes: [String; 2],
    },
    /// A contact with memory without a mass.
    #[error("without a mass the velocity changes by decades within a step; use adaptive")]
    NoMass,
    /// Nothing brings a mass without inertia to rest.
    #[error("the stiffness is 0, so nothing brings the mass to rest; use exact")]
    NoStiffness,
    /// A mass without inertia begins at rest.
    #[error("it has no inertia, so the initial velocity must be 0 m/s; use exact")]
    InitialVelocity,
    /// A displacement that follows from the loads cannot be set on the way.
    #[error(
        "the displacement of the mass follows from what is prescribed and cannot be set; use exact"
    )]
    CannotBePlaced,
    /// Two causes of one motion.
    #[error("both the displacement and a force are given; give one of them")]
    TwoCauses,
    /// The displacement of the mass is given.
    #[error("the displacement of the mass is prescribed; use quasi-static, or a force")]
    Prescribed,
    /// e = 0 for a wall that is a spring.
    #[error(
        "a soft wall gives every mass some speed back; expected a restitution > 0 (or the scheme exact or moreau)"
    )]
    NoRestitution,
    /// A sampled controller would read or act within a step.
    #[error(
        "the controller `{controller}` reads every {time} s and acts {delay} s later, and both must be whole numbers of \
         steps, of {step} s here; take a step that divides them, or adaptive"
    )]
    TicksOffGrid {
        /// Its name.
        controller: String,
        /// Between two ticks, s.
        time: f64,
        /// From a tick to the force, s.
        delay: f64,
        /// The step, s.
        step: f64,
    },
    /// The masses have no inverse.
    #[error("its masses do not make a positive kinetic energy")]
    Inertia,

    /// A prescribed motion jumps, so that its velocity is infinite.
    #[error(
        "the prescribed motion of node `{node}` jumps at t = {time} s, at an infinite velocity; {remedy}"
    )]
    Jump {
        /// The node.
        node: String,
        /// When, s.
        time: f64,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A prescribed motion is elsewhere than where the node is.
    #[error(
        "the prescribed motion of node `{node}` jumps from {from} m to {to} m at t = {time} s, at an infinite velocity; \
         give it a rate that leads there"
    )]
    JumpBetween {
        /// The node.
        node: String,
        /// Where it is, m.
        from: f64,
        /// Where the motion begins, m.
        to: f64,
        /// When, s.
        time: f64,
    },
    /// A bound of a rigid stop jumps past what it stops.
    #[error(
        "a bound of the stop `{stop}` jumps past what it stops at {time} s; lead it there by a ramp"
    )]
    BoundJumps {
        /// The stop.
        stop: String,
        /// When, s.
        time: f64,
    },
    /// The motion has more arcs than a run may have.
    #[error(
        "its fastest motion takes more than {most} arcs until t = {time:?} s; shorten the run, make stiff springs softer \
         and light masses heavier, or use implicit-euler"
    )]
    TooManyArcs {
        /// How many there may be.
        most: usize,
        /// Until when, s.
        time: f64,
    },
    /// Sliders turn again and again at one instant.
    #[error(
        "sliders begin to slip and stick again without end at t = {} s; use implicit-euler",
        Short(*time)
    )]
    EndlessTurns {
        /// When, s.
        time: f64,
    },
    /// It is not known which sliders stick.
    #[error(
        "whether the sliders {} stick after t = {} s could not be decided within rounding; use implicit-euler",
        sliders.join(", "), Short(*time)
    )]
    Undecided {
        /// The sliders that changed most often.
        sliders: Vec<String>,
        /// When, s.
        time: f64,
    },
    /// The nodes without mass were not brought into balance.
    #[error(
        "the balance of the nodes without mass at t = {time} s was found to a relative residual of {residual:.1e} only; use \
         implicit-euler"
    )]
    Unbalanced {
        /// When, s.
        time: f64,
        /// Relative to the forces.
        residual: f64,
    },
    /// Sliders that stick in loops could give way in too many ways.
    #[error(
        "the sliders {}{} stick together in so many loops that there are too many ways for them to give way; leave some \
         out, or use implicit-euler",
        sliders.join(", "), if *more { ", …" } else { "" }
    )]
    TooManyLoops {
        /// The first of them.
        sliders: Vec<String>,
        /// Whether there are more.
        more: bool,
    },
    /// Sliders and stops hold each other in too many ways.
    #[error(
        "{held} sliders and stops of which {enough} would do hold each other; there are too many ways for them to break"
    )]
    TooManyHolds {
        /// How many there are.
        held: usize,
        /// How many would hold as well.
        enough: usize,
    },
    /// Sliders, stops and gears have no common answer.
    #[error("what its sliders, stops and gears do at one instant cannot be decided")]
    NoAnswer,
    /// Impacts at one instant have no common answer.
    #[error("the impulses of several impacts at one instant cannot be decided")]
    NoImpulse,
    /// Stops that come together squeeze what is between them.
    #[error(
        "at t = {} s its stops squeeze what is between them: no velocities keep within the bounds of `{stop}` and of the \
         others that push; let the bounds leave room for the nodes, or end the run before",
        Short(*time)
    )]
    Squeezed {
        /// One of them.
        stop: String,
        /// When, s.
        time: f64,
    },
    /// The load of a gear is not determined.
    #[error(
        "what the gear `{gear}` hands on is not determined: what is held on both of its sides shares the load with it, so \
         that its friction is not known"
    )]
    LoadUnknown {
        /// The gear.
        gear: String,
    },
    /// Friction that grows with the load would have two accelerations or none.
    #[error("{inequality}")]
    Jams {
        /// Which gears, and the inequality that would have to hold.
        inequality: String,
    },
    /// Friction of a gear that grows with the load would have two motions or none in a step of this length.
    #[error(
        "in steps of {step} s the friction of the gear `{gear}` would have two motions or none: what springs and dashpots hold \
         within a step counts as inertia; take shorter steps"
    )]
    JamsInStep {
        /// The gear.
        gear: String,
        /// h, s.
        step: f64,
    },
    /// A solver of other people's kind refused its step.
    #[error(
        "the solver gave up at t = {} s after {steps} steps, as such solvers may at the jump of the sign; loosen rtol and \
         atol to see it oscillate, or use adaptive, which knows the events",
        Short(*time)
    )]
    GaveUp {
        /// When, s.
        time: f64,
        /// How many steps it had made.
        steps: usize,
    },
}
