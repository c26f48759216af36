//! The Euler scheme of the extended variational inequality (Bensoussan et al. 2021, §3.1, §3.2).

use crate::error::Error;
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::law::{Law, TwoForces};
use crate::model::{Forces, Oscillator};
use crate::motion::{Grid, State, Trajectory, Warning};
use crate::scheme::oscillator::predictor_step::{self, Predictor, Steps};
use crate::scheme::stepper::Stepper;
use crate::signal::equidistant::StepReader;
use crate::signal::{Read, Signal};

/// Solves `oscillator` on [0, `end`] (s) with steps `step` (s); first order. The last step may
/// reach beyond `end` when `end` is not a multiple of `step`; the path then ends at `end`.
///
/// Serves every law, moving supports and normal forces: friction is implicit in the relative
/// velocity, everything else explicit. With velocity weakening the step's equation has one solution
/// for h < m/sup(−A′); beyond, the path carries a [`Warning::SeveralSolutions`] with that step.
///
/// # Errors
/// If a number is outside its range, a signal too short, a stop rigid, the path too long to be kept, or the motion leaves the range of
/// finite numbers.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::euler};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = euler::solve(&o, 12.0, 1e-4)?;
/// assert!((path.state(12.0).x - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn solve(oscillator: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    predictor_step::path(oscillator, end, step, |states| {
        advance(oscillator, end, step, |n, state| states[n] = state)
    })
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`solve`].
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    advance(oscillator, end, step, observe).map(|_| ())
}

/// The run from `start` to `end` (s at the latest), at the caller's pace: see
/// [`Stepper`]. The oscillator's initial state holds at `start`; from 0 on the nodes are those of
/// [`solve`], to the last bit. Between two nodes the state is interpolated.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::scheme::cursor::Advance;
/// use stickslip::{Law, Oscillator, scheme::oscillator::euler};
/// # fn main() -> Result<(), stickslip::Error> {
/// let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?).starting_at(6.0, 0.0);
/// let (mut stepper, mut events) = (euler::cursor(&o, 0.0, 20.0, 1e-3)?, Vec::new());
/// while stepper.time() < 20.0 {
///     stepper.advance_to((stepper.time() + 0.37).min(20.0), &mut events)?;
/// }
/// assert_eq!(events, euler::solve(&o, 20.0, 1e-3)?.events());
/// # Ok(()) }
/// ```
pub fn cursor(
    oscillator: &Oscillator,
    start: f64,
    end: f64,
    step: f64,
) -> Result<Stepper<impl Steps + use<>>, Error> {
    oscillator.check_until(end)?;
    oscillator.refuse_rigid_stops("euler")?;
    // The general step, not the quick one: it may be stopped, copied and given other loads between any two nodes.
    let explicit = Explicit { m: oscillator.mass, h: step };
    predictor_step::stepper(oscillator, explicit, step, [start, end])
}

fn advance(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<Option<Warning>, Error> {
    oscillator.check_until(end)?;
    oscillator.refuse_rigid_stops("euler")?;
    let count = step_count(end, step)?;
    let o = oscillator;
    let run = Run { count, h: step, observe };
    let (last, warning) = match &o.friction {
        // Two constant forces on the ground answer in closed form and have one solution each: nothing is left to warn
        // of.
        Law::Coulomb(law) if o.is_plain() => (with_force(o, *law, run), None),
        Law::StaticDynamic(law) if o.is_plain() => (with_force(o, *law, run), None),
        _ => predictor_step::march(o, &Explicit { m: o.mass, h: step }, count, step, run.observe)?,
    };
    predictor_step::check_finite(last, end, step)?;
    Ok(warning)
}

/// p = V + (h/m) b(X, V, t), λ = h/m; X⁺ = X + h V.
#[derive(Debug, Clone, Copy)]
pub(super) struct Explicit {
    m: f64,
    h: f64,
}

impl Predictor for Explicit {
    fn predict<R: Read>(&self, f: &mut Forces<'_, R>, u: State, t: f64, _: f64) -> (f64, f64) {
        let h_over_m = self.h / self.m;
        // Everything but friction is explicit, so that a stiff spring limits the step.
        (u.v + h_over_m * f.load(u.x, u.v, t), h_over_m)
    }

    fn displacement(&self, u: State, _: f64) -> f64 {
        u.x + self.h * u.v
    }

    fn step_for(&self, lambda: f64) -> f64 {
        // λ = h/m.
        lambda * self.m
    }
}

/// Picks how the force is read. Without one, −0 is added: that changes no bit and costs nothing.
fn with_force<C: TwoForces>(o: &Oscillator, law: C, run: Run<impl FnMut(usize, State)>) -> State {
    if o.force == Signal::default() {
        return with_drive(o, law, |_| -0.0, run);
    }
    let mut force = StepReader::new(&o.force, run.h);
    with_drive(o, law, |n| force.value(n), run)
}

/// Picks how the drive is read at step n: a series alone by index where its knots stand at the
/// steps, anything else in blocks. The bits are the same.
fn with_drive<C: TwoForces>(
    o: &Oscillator,
    law: C,
    force: impl FnMut(usize) -> f64,
    run: Run<impl FnMut(usize, State)>,
) -> State {
    let h = run.h;
    if let (knots, []) = (o.drive.knots(), o.drive.harmonics()) {
        let mut drive = o.drive.cursor();
        let time = |n: usize| n as f64 * h;
        let on_step = |n: usize| match knots.get(n) {
            // The step's own knot: at its time the piece has the knot's value.
            Some(k) if k.time == time(n) => k.value,
            _ => drive.piece(time(n)).at(time(n)),
        };
        return with_damping(o, law, on_step, force, run);
    }
    let mut drive = StepReader::new(&o.drive, h);
    with_damping(o, law, |n| drive.value(n), force, run)
}

/// Without damping, two operations fewer stand between one velocity and the next.
fn with_damping<C: TwoForces>(
    o: &Oscillator,
    law: C,
    mut drive: impl FnMut(usize) -> f64,
    mut force: impl FnMut(usize) -> f64,
    run: Run<impl FnMut(usize, State)>,
) -> State {
    let k = o.stiffness;
    let c = o.damping;
    if c == 0.0 {
        march(o, law, |x, _, n| k * (drive(n) - x) + force(n), run)
    } else {
        march(o, law, |x, v, n| k * (drive(n) - x) - c * v + force(n), run)
    }
}

/// How far, how finely, and who watches.
struct Run<F> {
    count: usize,
    h: f64,
    observe: F,
}

/// The scheme: X⁺ = X + h V;  p = V + (h/m) b(X, V, t_n);  V⁺ = the law's answer to p.
///
/// Not inlined: on its own the state stays in registers.
#[inline(never)]
fn march<C: TwoForces>(
    o: &Oscillator,
    law: C,
    mut b: impl FnMut(f64, f64, usize) -> f64,
    run: Run<impl FnMut(usize, State)>,
) -> State {
    let Run { count, h, mut observe } = run;
    let h_over_m = h / o.mass;
    let mut x = o.initial.displacement;
    let mut v = o.initial.velocity;
    observe(0, State { x, v });
    // In ranges, so that the loop inside need not ask whether somebody wants to stop.
    for steps in Interrupt::current().ranges(count) {
        for n in steps {
            // Before x moves: the load is that of the start of the step.
            let p = v + h_over_m * b(x, v, n);
            // The velocity before, which the next line replaces.
            x += h * v;
            v = law.advance(p, h_over_m);
            observe(n + 1, State { x, v });
        }
    }
    State { x, v }
}

/// The phases of a grid on the ground.
pub(crate) fn phases(grid: Grid, end: f64) -> Trajectory {
    predictor_step::phases(grid, end, &Signal::default())
}
