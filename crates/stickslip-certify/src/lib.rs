//! Certificates: every claim of an exact run in a form that can be checked without this library.
//!
//! The claim is: *the solution of the problem with these doubles has exactly these events, in this order, each between two
//! neighbouring doubles, and it is unique*. What proves it:
//!
//! * for each arc, an enclosure of the state at its start and of the coefficients of its closed form;
//! * for each event, a bracket at whose ends a function has opposite signs while its slope has one sign inside;
//! * for each gap, a chain of steps on each of which a Taylor bound keeps the function from zero ([`ProofStep`]);
//! * for each decision, the margin by which the phase rule holds: none is taken at a limit, so no other solution begins there;
//! * the energies at both ends and what friction takes, as intervals.
//!
//! All of it is computed with outward rounding from `+ − × ÷ √` of doubles alone: see `ball.rs` and `functions.rs`.
//! What is certified: one mass on a spring with constant friction in each direction, with a damper, loads that are straight
//! in pieces, and harmonics; on a support that moves in the same way, or between stops, rigid or soft ([`certify`]); a
//! [`cascade`], led or with its mass; and a mass between rigid walls ([`impact`]). What is not
//! known of an instant and a displacement of an oscillator is carried on as a box, which grows by up to √2 with each reversal that
//! follows another without a stick: after some 200 of them nothing is left to prove with.

mod ball;
pub mod cascade;
mod curve;
mod functions;
mod ground;
pub mod impact;
mod near;
mod nodes;
mod pieces;
mod proof;
mod scene;
mod slip;
mod walk;

pub use proof::ProofStep;

use proof::unproved;
use scene::Scene;
use stickslip::error::Error;
use stickslip::model::Oscillator;
use stickslip::motion::Phase;
use stickslip::scheme::oscillator::exact;
use stickslip::signal::Signal;

/// How an arc ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The load passes the limit: a slip begins.
    Slip,
    /// The load jumps beyond the limit: a slip begins; of a cascade: what leads it jumps.
    Jump,
    /// The mass comes to rest and stays.
    Stick,
    /// The mass comes to rest and slips back; of a cascade: it turns.
    Reversal,
    /// The next node of a cascade yields, with those after it that stand at their thresholds.
    Yield,
    /// A load has a knot; the phase goes on.
    Knot,
    /// The support, or the wall that the mass rests on, jumps to another velocity: a slip begins, goes on or turns; the mass
    /// leaves the wall or meets it.
    Kick,
    /// The mass meets a rigid stop or wall, and leaves it or rests against it.
    Impact,
    /// It is at rest on a wall after infinitely many impacts.
    Rest,
    /// It leaves a wall that it rested on.
    Release,
    /// It enters the spring of a soft stop.
    Touch,
    /// It leaves that spring.
    Leave,
    /// The run ends.
    End,
}

/// One arc of the motion with its proof. Pairs are bounds from below and above.
#[derive(Debug, Clone, PartialEq)]
pub struct CertifiedArc<P = Phase> {
    /// Stick or slip; which nodes of a cascade slip, and which way.
    pub phase: P,
    /// When it begins, s.
    pub from: [f64; 2],
    /// When it ends, s.
    pub to: [f64; 2],
    /// Displacement at its start, m.
    pub x: [f64; 2],
    /// Velocity at its start, m/s.
    pub v: [f64; 2],
    /// k₀ (x − v₁) of a cascade there, N.
    pub force: Option<[f64; 2]>,
    /// The two coefficients of the free part of a slip relative to the support, m: of e^{−δs} cos ωs and e^{−δs} sin ωs; of
    /// e^{−s/τ₁} and e^{−s/τ₂}, slower first, with strong damping; of e^{−δs} and s e^{−δs} (m/s) with critical damping; of 1
    /// and s (m/s) without spring and damper. s is the time since its start.
    pub free: Option<[[f64; 2]; 2]>,
    /// The steps of the proof that it lasts so long; of a stick those ahead and back, and none towards a rigid stop.
    pub steps: Vec<Vec<ProofStep>>,
    /// How it ends.
    pub ending: Ending,
    /// By how much at least the rule for what follows holds, N; N/s for a load that passes the limit, m/s for the speed at a
    /// knot, at a stop and after a kick.
    pub margins: Vec<f64>,
}

impl<P: std::fmt::Display> CertifiedArc<P> {
    /// The same with its phase in words.
    pub fn worded(self) -> CertifiedArc<String> {
        let Self { phase, from, to, x, v, force, free, steps, ending, margins } = self;
        let phase = phase.to_string();
        CertifiedArc { phase, from, to, x, v, force, free, steps, ending, margins }
    }
}

/// The energies of a run, J; pairs are bounds from below and above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CertifiedEnergy {
    /// ½ m v² + ½ K x² at first.
    pub first: [f64; 2],
    /// The same at last.
    pub last: [f64; 2],
    /// Lost to dry friction; of an impact model: at impacts, ½ m (1 − e²) u² each.
    pub friction: [f64; 2],
    /// The work of the loads, the support, the stops and the walls less what the damper takes: what balances the rest.
    pub supplied: [f64; 2],
}

/// A certified run.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate<P = Phase> {
    /// The arcs in order of time.
    pub arcs: Vec<CertifiedArc<P>>,
    /// Displacement at the end, m.
    pub x: [f64; 2],
    /// Velocity there, m/s.
    pub v: [f64; 2],
    /// k₀ (x − v₁) of a cascade there, N.
    pub force: Option<[f64; 2]>,
    /// W₁ … W_n of a cascade there, N.
    pub elements: Vec<[f64; 2]>,
    /// The energies.
    pub energy: CertifiedEnergy,
}

/// Solves `oscillator` on [0, `end`] (s) exactly and proves what it finds.
///
/// # Errors
/// As [`exact::solve`]; [`Error::Uncertified`] for what is not certified yet, and where the load or the velocity comes so near
/// to a limit that nothing can be proved.
///
/// ```
/// use stickslip::{Law, Oscillator, Signal};
/// use stickslip_certify::{Ending, certify};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let proof = certify(&shaw, 40.0)?;
/// let first = &proof.arcs[0];
/// // 6 cos(t/2) = 6 − 1.2
/// let exit = 2.0 * 0.8f64.acos();
/// assert_eq!(first.ending, Ending::Slip);
/// assert!(first.to[0] <= exit.next_up() && exit.next_down() <= first.to[1] && first.to[1] - first.to[0] < 1e-15);
/// # Ok(()) }
/// ```
pub fn certify(oscillator: &Oscillator, end: f64) -> Result<Certificate, Error> {
    let scene = Scene::new(oscillator)?;
    let path = exact::solve(oscillator, end)?;
    let proof = walk::Walk::new(&scene)?.along(&path)?;
    in_order(proof, &[&oscillator.drive, &oscillator.force, &oscillator.support])
}

/// Refuses a proof of which nobody could tell on which piece of a signal an event lies: time must go forward from each bracket to the next,
/// and no signal may have a knot in the bracket of an event.
fn in_order<P>(proof: Certificate<P>, signals: &[&Signal]) -> Result<Certificate<P>, Error> {
    for arc in &proof.arcs {
        let [low, high] = arc.to;
        let ends_at_knot = |s: &&&Signal| {
            let first = s.knots().partition_point(|k| k.time < low);
            s.knots().get(first).is_some_and(|k| first > 0 && k.time <= high)
        };
        if arc.from[1] >= low || (low < high && signals.iter().any(|s| ends_at_knot(&s))) {
            return Err(unproved(low));
        }
    }
    Ok(proof)
}
