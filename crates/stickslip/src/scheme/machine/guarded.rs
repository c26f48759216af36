//! A machine whose motion between events somebody else integrates.
//!
//! What may end a motion is a number for each thing that can happen, whether or not it can happen in the present mode, so that there are
//! always equally many:
//!
//! | of each | guards |
//! |---|---|
//! | slider and gear with friction | in a slip its velocity |
//! | side of a stop | the gap, or the push of a soft one; and, where it was entered and does not push, the push that comes back |
//! | spring or normal force that is made of pieces | the distances from both ends of its piece |
//! | controller | the distances from its limits or of what keeps it there, and the velocity for which it feeds forward |
//! | gear | what it hands on |
//! | slider with memory | the distance of each part of its law from the end of its region |
//!
//! and one for everything that is held: how far it is from giving way, in the direction in which it is nearest.
//!
//! The integrator has the displacements and velocities of all masses. Those that are held together have one acceleration, and at events one
//! velocity, so that nothing creeps.

use super::control::{Control, Switch};
use super::flow::{Flow, Instant};
use super::guards::Ends;
use super::impact::SUMMED;
use super::mode::Mode;
use super::parts::Parts;
use super::{MachineState, Masses, Steps, System, first, phases, set_out_from};
use crate::error::Error;
use crate::model::{Bumper, Machine};
use crate::motion::{Event, NetworkPhase, Phase};
use crate::scheme::event_loop::EventDriven as _;
use crate::scheme::oscillator::adaptive::Options;
use std::sync::Arc;

/// Bounces are summed, and bristles have turned, where they are known no better than by such an integrator.
const KNOWN: f64 = 1e-9;
/// Added to a guard, relative to what it compares: a mode that begins at a zero of its own guard does not end there.
const BLUR: f64 = 1e-12;
/// How far ahead a guard of zero is looked at, over the length of the run: whether it falls.
const AHEAD: f64 = 1e-9;
/// Bounces that are fed are over where they rise no higher than so many times what would keep them.
const FED: f64 = 2.0;
/// Guards of a controller: two for its limit, and one for the velocity for which it feeds forward.
const OF_LOOP: usize = 3;

/// The numbers of a machine that an integrator integrates.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineStates {
    /// The nodes whose displacement and whose velocity are states: those with a mass of their own, one of each train of gears.
    pub nodes: Vec<usize>,
    /// How many numbers each continuous controller remembers, by its name; those of all come one after the other.
    pub controllers: Vec<(String, usize)>,
    /// The same of each slider with memory, behind them.
    pub sliders: Vec<(String, usize)>,
    /// How many guards there are.
    pub guards: usize,
}

/// What of `machine` is integrated.
///
/// # Errors
/// If its masses have no inertia, the prescribed motion of a node jumps, or a slider is of rate and state, whose velocities pass over
/// decades at once.
pub fn states(machine: &Machine) -> Result<MachineStates, Error> {
    let parts = Parts::new(machine)?;
    if parts.has_levels() {
        return Err(Error::NotOffered {
            what: "model exchange",
            reason:
                "friction of rate and state is integrated by steps of its own; use co-simulation"
                    .to_owned(),
        });
    }
    let loops = machine.controllers().iter().zip(&parts.loops);
    let loops = loops.map(|(c, slot)| (c.name.to_string(), slot.count));
    let named = machine.network().sliders();
    let bristles = parts.bristles.iter().map(|b| (named[b.row].name.to_string(), b.states));
    let guards = parts.guards();
    Ok(MachineStates {
        controllers: loops.collect(),
        sliders: bristles.collect(),
        guards,
        nodes: parts.node_of,
    })
}

impl Parts {
    /// How many guards there are.
    fn guards(&self) -> usize {
        let bristles = self.bristles.iter().map(|b| b.parts).sum::<usize>();
        let others = OF_LOOP * self.loops.len() + self.meshes.len() + bristles;
        self.sliders + 2 * (self.contacts.len() + self.bends.all.len()) + others + 1
    }

    /// The number of a guard among them; `None` for what is known by its time.
    fn guard_number(&self, guard: Ends) -> Option<usize> {
        let contacts = self.sliders;
        let bends = contacts + 2 * self.contacts.len();
        let loops = bends + 2 * self.bends.all.len();
        let meshes = loops + OF_LOOP * self.loops.len();
        let bristles = meshes + self.meshes.len();
        Some(match guard {
            Ends::Rests(e) => e,
            Ends::Meets(c) | Ends::Lets(c) | Ends::Leaves(c) => contacts + 2 * c,
            Ends::Pushes(c) => contacts + 2 * c + 1,
            Ends::Bends(b, up) => bends + 2 * b + usize::from(up),
            Ends::Switches(c, switch) => {
                loops
                    + OF_LOOP * c
                    + match switch {
                        Switch::Reaches(true) | Switch::Returns | Switch::Leaves => 0,
                        Switch::Reaches(false)
                        | Switch::Pushes
                        | Switch::Relents
                        | Switch::Sinks => 1,
                        Switch::Turns => 2,
                    }
            }
            Ends::Turns(g) => meshes + g,
            Ends::Yields(i, part) => bristles + self.bristles[i].region + part,
            Ends::GivesWay(_) => self.guards() - 1,
            Ends::Ticks | Ends::Settles | Ends::Leaps | Ends::Settled | Ends::Pauses => {
                return None;
            }
        })
    }
}

/// A machine in the hands of an integrator. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Guarded {
    system: System,
    mode: Arc<Mode>,
    status: NetworkPhase,
    /// Where the mode began, or the loads changed, s, and the machine there.
    start: f64,
    base: Masses,
    /// Whether the loads have changed since the last event.
    changed: bool,
    /// Where the integrator is, s, m and m/s, and what controllers and bristles remember there.
    time: f64,
    x: Vec<f64>,
    v: Vec<f64>,
    inner: Vec<f64>,
}

impl Guarded {
    /// `machine` at t = 0, for runs up to `end` (s).
    ///
    /// # Errors
    /// As [`states`] and [`solve`](super::solve).
    pub fn new(machine: &Machine, end: f64) -> Result<Self, Error> {
        states(machine)?;
        let steps = Steps::Adaptive(Options::tolerance(KNOWN));
        let (mut system, (base, status)) =
            set_out_from(machine, &first(machine)?, [0.0, end], steps)?;
        let mode = system.mode(&status)?;
        let mut own = Self {
            mode,
            status,
            start: 0.0,
            base: base.clone(),
            changed: false,
            time: 0.0,
            x: Vec::new(),
            v: Vec::new(),
            inner: Vec::new(),
            system,
        };
        own.take_state();
        Ok(own)
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.system.parts.machine
    }

    /// Where the machine is after an event.
    fn take_state(&mut self) {
        self.x.clone_from(&self.base.x);
        self.v.clone_from(&self.base.v);
        self.inner.clone_from(&self.base.control.states);
    }

    /// Displacement and velocity of each mass, and what controllers and bristles remember.
    pub fn numbers_of_state(&self) -> impl Iterator<Item = f64> + '_ {
        self.x.iter().chain(&self.v).chain(&self.inner).copied()
    }

    /// Puts the machine where the integrator has it.
    pub fn set_numbers_of_state(&mut self, numbers: &[f64]) {
        let own = self.x.iter_mut().chain(&mut self.v).chain(&mut self.inner);
        own.zip(numbers).for_each(|(own, number)| *own = *number);
    }

    /// Puts it to `t` (s).
    pub fn set_time(&mut self, t: f64) {
        self.time = t;
    }

    /// The equations of motion in the present mode, and what they are about: the machine where the integrator has it.
    fn look<T>(&self, of: impl FnOnce(&Flow<'_>, &[f64], &mut Instant) -> T) -> T {
        let parts = &*self.system.parts;
        let flow = Flow {
            parts,
            mode: &self.mode,
            window: parts.window(self.start),
            x0: &self.base.x,
            gap0: &self.base.gap,
            applied: &self.base.control.applied,
            pieces: &self.base.pieces,
        };
        let given: Vec<f64> = flow.window.given.iter().map(|g| g.at(self.time)[1]).collect();
        let ways = self.mode.first.iter().map(|i| self.x[*i] - self.base.x[*i]);
        let mut u: Vec<f64> = ways.collect();
        u.extend(self.mode.group_velocities(parts, &self.v, |g| given[g]));
        u.extend(&self.inner);
        of(&flow, &u, &mut Instant::of(parts))
    }

    /// The rates of [`numbers_of_state`](Self::numbers_of_state).
    pub fn rates(&self) -> Vec<f64> {
        self.look(|flow, u, at| {
            let mut du = vec![0.0; u.len()];
            flow.derivative(self.time, u, &mut du, at);
            [&at.v, &at.a, &du[2 * self.mode.groups..]].concat()
        })
    }

    /// Writes the guards, all of them positive until something happens.
    pub fn guards(&self, out: &mut [f64]) {
        out.fill(1.0);
        let parts = &self.system.parts;
        self.look(|flow, u, at| {
            flow.kinematics(self.time, u, at);
            flow.dynamics(self.time, at);
            let mut nearest = f64::INFINITY;
            for guard in Ends::of(&self.mode, parts, &self.base.pieces) {
                let [value, size] = self.guard(flow, guard, self.time, at);
                let Some(number) = parts.guard_number(guard) else { continue };
                let mut shown = value + BLUR * size;
                if matches!(guard, Ends::GivesWay(_)) {
                    nearest = nearest.min(shown);
                    shown = nearest;
                }
                out[number] = shown;
            }
        });
    }

    fn guard(&self, flow: &Flow<'_>, guard: Ends, t: f64, at: &Instant) -> [f64; 2] {
        let [value, size] = flow.guard(guard, t, &self.base.since, at, self.system.options.atol);
        // All terms of a load may vanish with it: its rounding is that of the forces of which it is one.
        let forces = |most: f64, f: &f64| most.max(f.abs());
        match guard {
            Ends::Turns(_) => [value, at.node_force.iter().fold(size, forces)],
            _ => [value, size],
        }
    }

    /// What ends the mode here: the guard that is furthest beyond its zero, over the size of its terms, or one that passes it just now.
    fn over(&self) -> Option<Ends> {
        let parts = &self.system.parts;
        self.look(|flow, u, at| {
            let mut du = vec![0.0; u.len()];
            flow.derivative(self.time, u, &mut du, at);
            let ahead = AHEAD * self.system.end;
            let later: Vec<f64> = u.iter().zip(&du).map(|(u, du)| u + ahead * du).collect();
            let mut then = Instant::of(parts);
            flow.kinematics(self.time + ahead, &later, &mut then);
            flow.dynamics(self.time + ahead, &mut then);
            let mut found: Option<(f64, Ends)> = None;
            for guard in Ends::of(&self.mode, parts, &self.base.pieces) {
                let [value, size] = self.guard(flow, guard, self.time, at);
                let shown = value + BLUR * size;
                let falls = || self.guard(flow, guard, self.time + ahead, &then)[0] < value;
                // What begins at a zero, all of whose terms are zero, is not over.
                if shown > 0.0 || (shown == 0.0 && !falls()) {
                    continue;
                }
                let far = shown / size.max(f64::MIN_POSITIVE);
                if found.is_none_or(|(least, _)| far < least) {
                    found = Some((far, guard));
                }
            }
            found.map(|(_, guard)| guard)
        })
    }

    /// The masses where the integrator has them, and what is remembered.
    fn masses(&self) -> Masses {
        self.look(|flow, u, at| {
            flow.kinematics(self.time, u, at);
            let Masses { since, settles, control, pieces, levels, .. } = self.base.clone();
            let control = Control { states: at.states.clone(), ..control };
            let at = std::mem::take(at);
            Masses { x: at.x, v: at.v, since, gap: at.gap, settles, control, pieces, levels }
        })
    }

    /// When the next event is that is known by its time, s: one of the machine itself, or a kink of one of its signals.
    pub fn next_event(&self) -> f64 {
        self.due().min(self.smooth_until())
    }

    /// When the machine itself does something next at a known time, s: a tick, the end of bounces that were summed, or a kink of what a
    /// slider holds.
    fn due(&self) -> f64 {
        let settles = self.base.settles.iter().copied().fold(f64::INFINITY, f64::min);
        let kink = self.system.next_kink(self.start, &self.base, &self.status);
        let tick = self.system.parts.next_tick(&self.base.control);
        settles.min(kink).min(tick)
    }

    /// When one of the signals is not smooth next, s.
    fn smooth_until(&self) -> f64 {
        let next = self.machine().signals().map(|s| s.next_breakpoint(self.start));
        next.fold(f64::INFINITY, f64::min)
    }

    /// Takes the loads of `machine`, which is otherwise the same, from here on.
    ///
    /// # Errors
    /// If there is no motion under them.
    pub fn change(&mut self, machine: &Machine) -> Result<(), Error> {
        let base = self.masses();
        self.system.parts = Arc::new(Parts::new(machine)?);
        self.system.known = None;
        self.mode = self.system.mode(&self.status)?;
        (self.base, self.start, self.changed) = (base, self.time, true);
        Ok(())
    }

    /// Event Mode: what comes next, adding to `events` what happened.
    ///
    /// # Errors
    /// If what follows cannot be decided.
    pub fn next(&mut self, events: &mut Vec<Event>) -> Result<(), Error> {
        let kink = self.smooth_until();
        let jumps = kink <= self.here(kink);
        // First what happens to the machine by itself, then jumps of signals, then ticks.
        self.finish(events)?;
        if jumps || self.changed {
            self.time = if jumps { self.here(kink) } else { self.time };
            self.resolve(None, events)?;
        }
        for _ in 0..MOST {
            let due = self.due();
            if due > self.here(due) {
                break;
            }
            self.time = self.here(due);
            let ticks = self.system.parts.next_tick(&self.base.control) <= self.time;
            self.resolve(Some(if ticks { Ends::Ticks } else { Ends::Settles }), events)?;
        }
        self.finish(events)?;
        self.changed = false;
        Ok(())
    }

    /// The present time, s, or `due` where an integrator that has gone there is only by rounding elsewhere.
    fn here(&self, due: f64) -> f64 {
        let rounding = 4.0 * f64::EPSILON * self.time.abs();
        if (due - self.time).abs() <= rounding { due } else { self.time }
    }

    /// Lets everything happen that is over.
    fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), Error> {
        for _ in 0..MOST {
            let Some(hit) = self.over() else { return Ok(()) };
            self.resolve(Some(hit), events)?;
        }
        Err(Error::Stalled { time: self.time, phase: self.system.describe(&self.status) })
    }

    /// Goes on to the mode that comes after `hit`.
    fn resolve(&mut self, hit: Option<Ends>, events: &mut Vec<Event>) -> Result<(), Error> {
        let state = self.masses();
        let mode = self.mode.clone();
        let known = self.system.options;
        // Bounces that the integrator feeds, because it stands beyond the stop, are over.
        self.system.options.atol = known.atol.max(self.fed(hit, &state) / SUMMED);
        let resolved = self.system.resolve(self.time, state, &self.status, hit, &mode, events);
        self.system.options = known;
        let (base, status) = resolved?;
        self.mode = self.system.mode(&status)?;
        (self.base, self.status, self.start) = (base, status, self.time);
        self.take_state();
        Ok(())
    }

    /// How high a bounce may rise from the contact that is hit and never end, m: a mass falls back to a stop from as far `beyond` it as the
    /// integrator has found it, and so keeps v² = 2 a · beyond, of which each impact leaves e².
    fn fed(&self, hit: Option<Ends>, state: &Masses) -> f64 {
        let Some(Ends::Meets(c)) = hit else { return 0.0 };
        let Bumper::Rigid { restitution } = self.system.parts.contacts[c].bumper else {
            return 0.0;
        };
        let kept = restitution * restitution;
        if kept < 1.0 { FED * (-state.gap[c]).max(0.0) * kept / (1.0 - kept) } else { 0.0 }
    }

    /// Everything that a solution tells of the machine here.
    pub fn state(&self) -> MachineState {
        self.look(|flow, u, at| {
            flow.kinematics(self.time, u, at);
            flow.dynamics(self.time, at);
            flow.state(self.time, &self.base.since, &self.base.control, std::mem::take(at))
        })
    }

    /// Everything that decides how it continues from here, besides its loads.
    pub fn numbers(&self) -> Vec<f64> {
        let Masses { x, v, since, gap, settles, control, pieces, .. } = &self.base;
        let status = self.status.iter().map(|s| f64::from(*s));
        let mut all = vec![self.start];
        all.extend(status.chain(pieces.iter().map(|p| f64::from(*p))));
        for list in [x, v, since, gap, settles, &control.states] {
            all.extend(list);
        }
        all.extend(self.numbers_of_state());
        control.write(&mut all);
        all
    }

    /// Puts it to `t` (s), where it was when it gave these `numbers`; whether they are such numbers.
    pub fn put_back(&mut self, t: f64, numbers: &[f64]) -> bool {
        self.read(t, &mut numbers.iter().copied()).is_some()
    }

    fn read(&mut self, t: f64, numbers: &mut impl Iterator<Item = f64>) -> Option<()> {
        let start = numbers.next()?;
        let status: Vec<i8> =
            self.status.iter().map(|_| Some(numbers.next()? as i8)).collect::<Option<_>>()?;
        let parts = &self.system.parts;
        // What stands for no mode or no piece would be looked up beyond the end of a list.
        let known =
            |(e, status): (usize, &i8)| status.abs() <= if e < parts.sliders { 1 } else { 3 };
        if !status.iter().enumerate().take(parts.regions()).all(known) {
            return None;
        }
        let base = &mut self.base;
        for (piece, bend) in base.pieces.iter_mut().zip(&parts.bends.all) {
            let number = numbers.next()? as u32;
            *piece = Some(number).filter(|k| *k as usize <= bend.edges.len())?;
        }
        let states = &mut base.control.states;
        let lists = [&mut base.x, &mut base.v, &mut base.since, &mut base.gap, &mut base.settles];
        for own in lists.into_iter().chain([states]).flatten() {
            *own = numbers.next()?;
        }
        for own in self.x.iter_mut().chain(&mut self.v).chain(&mut self.inner) {
            *own = numbers.next()?;
        }
        base.control.read(numbers)?;
        // Nothing may be left over.
        if numbers.next().is_some() {
            return None;
        }
        self.status = status.into();
        self.mode = self.system.mode(&self.status).ok()?;
        (self.start, self.time, self.changed) = (start, t, false);
        Some(())
    }

    /// What each slider does.
    pub fn phases(&self) -> Vec<Phase> {
        phases(self.machine(), &self.status)
    }
}

/// Changes of mode at one instant after which it is given up.
const MOST: usize = 500;
