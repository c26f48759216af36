//! The quasi-static approximation (Bensoussan et al. 2021, §2.3.4): the drive stands still during a slip.
//!
//! With the effective drive D = d + f/K and r = f_s/K, the mass sticks until |D(t) − x_j| exceeds
//! r; it then jumps by δ = (1 + q)(f_s − f_d)/K towards the drive within half a period,
//!
//! ```text
//! x_{j+1} = x_j + ε_j δ,     τ_{j+1} = τ_{j+½} + π/(ω √(1 − ζ²)),     q = e^{−πζ/√(1−ζ²)}
//! ```
//!
//! with the damping ratio ζ < 1 (the paper has ζ = 0: δ = 2 (f_s − f_d)/K in π/ω). With more damping than that (or with a
//! drive too fast for the little overshoot that is left) the mass does not come to rest: after a way of
//! (f_s − f_d)/K it slides behind the drive, |D − x| = f_d/K, until the drive turns or stands still.
//!
//! For f_s = f_d there are no jumps; the limit is the play operator x = clamp(x, D − r, D + r),
//! whose stretches at the edge of the play are reported as slips.

mod jump;

use crate::error::{Error, Obstacle, require};
use crate::interrupt::Interrupt;
use crate::model::Oscillator;
use crate::motion::{Event, EventKind, Phase, Segment, State, Stretch, Trajectory, Warning};
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::effort::check_periods;
use crate::scheme::event_loop::most_events;
use crate::scheme::oscillator::uniqueness;
use crate::signal::{Piece, Signal};
use jump::Jump;
use std::cell::Cell;
use std::sync::Arc;

/// How much of a slip the drive may change before the path carries a warning.
const HASTE: f64 = 0.1;

/// Solves `oscillator` on [0, `end`] (s) in the quasi-static approximation, good when the drive moves little while a
/// slip lasts. Needs K > 0 and an initial velocity of 0. Warns of a drive that is too fast, and of a start beyond the limit.
///
/// # Errors
/// If a number is outside its range, a signal too short or not known in closed form, the stiffness is 0, the initial velocity is not,
/// or the friction is not one pair of constant forces.
pub fn solve(oscillator: &Oscillator, end: f64) -> Result<Trajectory, Error> {
    solve_from(oscillator, [0.0, end])
}

/// The same over \[start, end\] (s); the initial state holds at the start.
pub(crate) fn solve_from(
    oscillator: &Oscillator,
    [start, end]: [f64; 2],
) -> Result<Trajectory, Error> {
    oscillator.check_until(end)?;
    oscillator.require_closed_forms("quasi-static")?;
    oscillator.refuse_stops("quasi-static")?;
    // The mass itself does not swing; what takes time is to follow the drive.
    check_periods(0.0, [&oscillator.drive, &oscillator.force].into_iter(), end - start)?;
    let unsuitable = |reason| Err(Error::Unsuitable { scheme: "quasi-static", reason });
    let part = |part, schemes| Some(Obstacle::Part { part, schemes });
    let o = oscillator;
    if o.stiffness == 0.0 {
        return unsuitable(Obstacle::NoStiffness);
    }
    if o.initial.velocity != 0.0 {
        return unsuitable(Obstacle::InitialVelocity);
    }
    let obstacle = match o.friction.constants() {
        None => part("the friction depends on the velocity or on the time at rest", "use adaptive"),
        Some([ahead, back]) if ahead != back => {
            part("the friction differs between the two directions", "use exact")
        }
        _ if o.normal.is_some() => part(
            "a normal force is given, and it knows only friction forces",
            "write these, or use exact",
        ),
        _ if !o.support.is_zero() => part("the support moves", "use exact"),
        _ if !o.is_linear() => part("the load is not linear in x and v", "use adaptive"),
        _ => None,
    };
    if let Some(obstacle) = obstacle {
        return unsuitable(obstacle);
    }
    let k = o.stiffness;
    let longest = (o.friction.breakaway() + o.force.largest_magnitude(end)) / k;
    let sensible =
        "less than 1e140 m: the stiffness is too small for these forces, check their units";
    require("the forces over the stiffness (m)", longest, longest < 1e140, sensible)?;
    let mut run = Run {
        // A force on the mass acts like a drive that is f/K farther.
        drive: Arc::new(o.drive.clone() + (1.0 / k) * o.force.clone()),
        stiffness: k,
        reach: o.friction.breakaway() / k,
        sliding: o.friction.sliding() / k,
        jump: Jump::of(o),
        worst: (0.0, start),
        end,
        t: start,
        x: o.initial.displacement,
        quiet: start,
        suspects: Vec::new(),
        known: Cell::new((f64::NAN, f64::NAN)),
        path: Trajectory::default(),
    };
    run.examine_start();
    if run.jump.length == 0.0 {
        run.play()?
    } else {
        run.jumps()?
    }
    run.examine_haste();
    uniqueness::examine_at(o, &mut run.path, &run.suspects);
    Ok(run.path)
}

struct Run {
    /// D(t), m.
    drive: Arc<Signal>,
    /// K, N/m.
    stiffness: f64,
    /// r = f_s/K, m.
    reach: f64,
    /// f_d/K, m.
    sliding: f64,
    /// A slip under a drive that stands still.
    jump: Jump,
    /// The largest share of a slip that the drive changes, and when, s.
    worst: (f64, f64),
    end: f64,
    t: f64,
    x: f64,
    /// No exceedance is looked for before this time, s.
    quiet: f64,
    /// Instants of sticks that come so near the limit that leaving might be possible, s.
    suspects: Vec<f64>,
    /// The last time (s) at which D was asked for, and D there, m: the end of a slip asks twice.
    known: Cell<(f64, f64)>,
    path: Trajectory,
}

impl Run {
    /// D − x now, m.
    fn gap(&self) -> f64 {
        if self.known.get().0 != self.t {
            self.known.set((self.t, self.drive.value(self.t)));
        }
        self.known.get().1 - self.x
    }

    fn piece(&self) -> Piece<'_> {
        self.drive.piece_at(self.t)
    }

    /// Rounding of D − x.
    fn noise(&self) -> f64 {
        8.0 * f64::EPSILON * (self.piece().scale(self.t) + self.x.abs() + self.reach)
    }

    /// End of the smooth piece at t, or of the run.
    fn until(&self) -> f64 {
        self.drive.next_breakpoint(self.t).min(self.end)
    }

    fn push(&mut self, phase: Phase, end: f64, arc: Stretch) {
        self.path.push(Segment { phase, start: self.t, end, arc });
        self.t = end;
    }

    fn record(&mut self, kind: EventKind) -> Result<(), Error> {
        self.path.record(Event::new(kind, self.t, 0, State { x: self.x, v: 0.0 }));
        // A drive that swings fast over a small reach has a jump in each half of its period.
        if self.path.events().len() > most_events() {
            return Err(Error::TooManyEvents {
                limit: most_events(),
                time: self.t,
                phase: kind.to_string(),
            });
        }
        Ok(())
    }

    /// Sticks until |D − x| exceeds r; the side, or `None` at the end.
    fn stick(&mut self) -> Result<Option<f64>, Error> {
        let start = self.t;
        let interrupt = Interrupt::current();
        while self.t < self.end {
            interrupt.check(self.t)?;
            // Beyond the reach already (a jump of the drive, or the end of a slip)?
            let gap = self.gap();
            if gap.abs() > self.reach + self.noise() {
                let side = self.leave(start, self.t, gap);
                self.note_haste(side, gap.abs() - self.reach);
                return Ok(Some(side));
            }
            let until = self.until();
            let from = self.t.max(self.quiet).min(until);
            let near = uniqueness::SUSPECT * (self.x.abs() + self.reach);
            let mut suspect = self.reach - gap.abs() <= near;
            let exit = self.piece().first_exceedance_seen(self.x, self.reach, from, until, |jet| {
                suspect |= jet.turns_within(near);
            });
            let exit = exit.map_err(|GivenUp| self.stalled("stick"))?;
            if suspect {
                self.suspects.push(self.t);
            }
            match exit {
                Some((time, side)) => {
                    let side = self.leave(start, time, side);
                    self.note_haste(side, 0.0);
                    return Ok(Some(side));
                }
                None => self.t = until,
            }
        }
        self.leave(start, self.end, 0.0);
        Ok(None)
    }

    fn stalled(&self, phase: &str) -> Error {
        Interrupt::of_search(self.t, phase.into())
    }

    /// Closes the stick phase [start, time], if it has any length.
    fn leave(&mut self, start: f64, time: f64, side: f64) -> f64 {
        self.t = time;
        if time > start {
            let arc = Stretch::Rest(self.x);
            self.path.push(Segment { phase: Phase::Stick, start, end: time, arc });
        }
        side.signum()
    }

    /// Whether the run starts where the mass cannot stick: inertia then decides where it goes.
    fn examine_start(&mut self) {
        let load = self.gap().abs();
        if load > self.reach + self.noise() && self.jump.oscillates() {
            let k = self.stiffness;
            self.path.warn(Warning::StartsBeyondLimit { load: k * load, limit: k * self.reach });
        }
    }

    /// Warns if the drive was too fast for what it did.
    fn examine_haste(&mut self) {
        let (share, time) = self.worst;
        if share > HASTE {
            self.path.warn(Warning::FastDrive { time, share });
        }
    }

    /// Notes how fast the drive pushes towards `side`, and how far it has jumped beyond the reach.
    fn note_haste(&mut self, side: f64, beyond: f64) {
        let speed = (side * self.drive.derivative(self.t)).max(0.0);
        // Without jumps the way to compare with is the width of the play.
        let size = if self.jump.length > 0.0 { self.jump.length } else { 2.0 * self.reach };
        // Beyond the reach out of a stick: what a start there does is another warning.
        let stuck = self.path.segments().last().is_some_and(|s| s.phase == Phase::Stick);
        let jumped = if stuck && self.jump.oscillates() { beyond / size } else { 0.0 };
        let share = self.jump.haste(speed, self.reach).max(jumped);
        if share > self.worst.0 {
            self.worst = (share, self.t);
        }
    }

    /// f_s > f_d: stick, slip, stick, …
    fn jumps(&mut self) -> Result<(), Error> {
        while let Some(side) = self.stick()? {
            let slipping = self.path.segments().last().map(|s| s.phase);
            match slipping {
                Some(phase) if phase == Phase::slip(side) => {} // another jump without a rest between
                Some(Phase::Stick) => self.record(EventKind::Slip)?,
                // Back without a rest: the drive has jumped to the other side while the mass slipped.
                Some(_) => self.record(EventKind::Reversal)?,
                None => debug_assert!(self.path.events().is_empty()),
            }
            let speed = || side * self.drive.derivative(self.t);
            // With so little overshoot that the drive carries the mass on it does not come to rest, and slides behind
            // the drive.
            let complete =
                if self.jump.comes_to_rest(speed) { self.jump(side) } else { self.slide(side)? };
            if require("the displacement", self.x, true, "a finite displacement, m").is_err() {
                return Err(Error::NotFinite { time: self.t, step: 0.0 });
            }
            if !complete {
                return Ok(());
            }
            if self.rests() {
                self.record(EventKind::Stick)?;
            }
        }
        Ok(())
    }

    /// A slip that comes to rest; whether it does so before the end.
    fn jump(&mut self, side: f64) -> bool {
        let jump = side * self.jump.length;
        let stop = self.t + self.jump.duration;
        let end = stop.min(self.end);
        let arc = self.jump.arc([self.t, end], self.x, jump);
        self.push(Phase::slip(side), end, arc);
        // If the run ends within the slip nobody asks for the end of it.
        self.x += jump;
        stop < self.end
    }

    /// A slip that does not come to rest until the drive turns or stands still: the mass goes to where the sliding friction balances the
    /// spring, and stays there as the drive moves on. Whether it comes to rest before the end.
    fn slide(&mut self, side: f64) -> Result<bool, Error> {
        let stop = self.t + self.jump.settling;
        let end = stop.min(self.end);
        let edge = |run: &Self, t: f64| run.drive.value(t) - side * run.sliding;
        // The drive may have moved on meanwhile, or turned.
        let ahead = if stop <= self.end { edge(self, stop) } else { edge(self, self.t) };
        let target = side * (side * ahead).max(side * edge(self, self.t));
        let arc = self.jump.settle([self.t, end], self.x, target - self.x);
        self.push(Phase::slip(side), end, arc);
        self.x = target;
        if stop >= self.end {
            return Ok(false);
        }
        if side * (edge(self, self.t) - target) >= -self.noise() {
            // While it slides, f_d holds against the spring: the mass is f_d/K behind the drive.
            self.follow(side, self.sliding)?;
        }
        Ok(self.t < self.end)
    }

    /// Whether a stick of some length begins now: inside the reach, or on its edge going inwards.
    fn rests(&self) -> bool {
        let gap = self.gap();
        let edge = self.reach;
        let noise = self.noise();
        gap.abs() < edge - noise
            || (gap.abs() <= edge + noise && self.drive.derivative(self.t) * gap <= 0.0)
    }

    /// f_s = f_d: the play operator. A start outside the play, or a jump of the drive, moves x to
    /// the edge at once.
    fn play(&mut self) -> Result<(), Error> {
        while let Some(side) = self.stick()? {
            // A start outside the play is moved to its edge before anything happens, which is no event.
            let at_start = self.path.segments().is_empty();
            if !at_start {
                self.record(EventKind::Slip)?;
            }
            self.x = self.drive.value(self.t) - side * self.reach;
            let from = self.t;
            self.follow(side, self.reach)?;
            if self.t < self.end && !(at_start && self.t == from) {
                self.record(EventKind::Stick)?;
            }
        }
        Ok(())
    }

    /// Moves behind the drive, x = D − side·`reach`, while the drive pushes that way.
    fn follow(&mut self, side: f64, reach: f64) -> Result<(), Error> {
        let interrupt = Interrupt::current();
        while self.t < self.end {
            interrupt.check(self.t)?;
            let until = self.until();
            let turn = self.turning_point(side, until).map_err(|GivenUp| self.stalled("slip"))?;
            if turn.is_some_and(|at| at <= self.t) {
                return Ok(()); // it does not push that way
            }
            self.note_haste(side, 0.0);
            let arc = Stretch::Follow { drive: self.drive.clone(), offset: -side * reach };
            let end = turn.unwrap_or(until);
            self.x = self.piece().derivatives(end)[0] - side * reach;
            self.push(Phase::slip(side), end, arc);
            // At a jump of the drive the edge after it is elsewhere; the piece before ends at the value from the left.
            let edge = self.drive.value(end) - side * reach;
            if turn.is_some() {
                // Just after the turn the mass stands at the edge to rounding, and no exceedance is to be seen in
                // that.
                self.quiet = end + self.turning_width();
                return Ok(());
            }
            if (edge - self.x) * side < -self.noise() {
                return Ok(()); // the drive jumped back
            }
            self.x = edge;
        }
        Ok(())
    }

    /// Time after a turning point within which the drive has not left the edge of the play by more
    /// than a rounding: it cannot be crossed there, but seems to be.
    fn turning_width(&self) -> f64 {
        let curvature = self.piece().derivatives(self.t)[2].abs();
        if curvature > 0.0 { (8.0 * self.noise() / curvature).sqrt() } else { 0.0 }
    }

    /// When the drive, which pushes towards `side`, stops doing so before `until`; the present time where it does not push.
    fn turning_point(&self, side: f64, until: f64) -> Result<Option<f64>, GivenUp> {
        let piece = self.piece();
        let rate = side * piece.affine.rate;
        if piece.harmonics.is_empty() {
            // A straight piece pushes all the time or never.
            return Ok(if rate > 0.0 { None } else { Some(self.t) });
        }
        // The function searched is the rate of the drive, so its third derivative is the fourth of the drive.
        let bound = self.drive.derivative_bound(4);
        let noise = 1e-15 * (rate.abs() + self.drive.derivative_bound(1));
        let root = first_root(self.t, until, noise, Touch::Passes, |t| {
            let d = piece.derivatives(t);
            [Jet {
                value: side * d[1],
                first: side * d[2],
                second: side * d[3],
                third: 0.0,
                bound,
                growth: 0.0,
            }]
        })?;
        Ok(root.map(|r| r.at))
    }
}
