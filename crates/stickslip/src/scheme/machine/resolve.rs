//! What comes after an event: who rests, who slips, what pushes.

use super::balance::{Balance, Question};
use super::complementarity::Stand;
use super::flow::{Instant, stretch};
use super::guards::{Ends, IDLE};
use super::impact::Met;
use super::mode::Mode;
use super::orders::Over;
use super::parts::{APART, CLOSED, OPEN, PUSHES, Window, ZERO, speed};
use super::{Masses, System, unsuitable};
use crate::error::{Error, Obstacle};
use crate::model::Bumper;
use crate::model::machine::FITS;
use crate::motion::{Event, EventKind, NetworkPhase, Phase, State};
use crate::scheme::event_loop::Begins;

/// A load above this share of its terms has a clear sign.
const CLEAR: f64 = 1e-9;
/// An acceleration against a slip below this share of that which its friction causes is rounding.
const DRIVEN: f64 = 1e-9;
/// An acceleration below this share of its terms is zero.
pub(super) const STILL: f64 = 1e-11;

impl System {
    /// What begins at `t` in a state that was not reached by a motion: what does not move rests if it can.
    ///
    /// # Errors
    /// If a rigid stop is passed.
    pub(super) fn set_out(&mut self, t: f64, mut state: Masses) -> Result<Begins<Self>, Error> {
        let parts = self.parts.clone();
        let window = parts.window(t);
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let mut status: Vec<i8> = vec![0; parts.statuses()];
        // A load without a sign yet is taken as positive; the first balance corrects it.
        (0..parts.meshes.len()).for_each(|g| status[parts.sign_of(g)] = 1);
        for (e, row) in parts.rows.iter().enumerate().take(parts.sliders) {
            let [w, size] = speed(row, &state.v, &given);
            if w.abs() > ZERO * size {
                status[e] = if w > 0.0 { 1 } else { -1 };
            }
        }
        for (c, contact) in parts.contacts.iter().enumerate() {
            let [gap, size] = self.gap(t, c, &state, &window);
            // A gap of rounding is closed.
            state.gap[c] = if gap.abs() <= FITS * size { 0.0 } else { gap };
            let row = parts.sliders + c;
            let [u, size] = speed(&parts.rows[row], &state.v, &given);
            status[row] = match contact.bumper {
                Bumper::Rigid { .. } if state.gap[c] < 0.0 => {
                    let name = &parts.machine.stops()[contact.stop].name;
                    let reason = format!(
                        "the rigid stop `{name}` is passed by {} m at {t} s",
                        -state.gap[c]
                    );
                    return Err(Error::BadState { reason });
                }
                // Closed is only what also stays: a body that touches and moves away is open, and one that
                // comes is about to collide.
                Bumper::Rigid { .. } if state.gap[c] == 0.0 && u.abs() <= ZERO * size => CLOSED,
                Bumper::Soft { stiffness, damping } if state.gap[c] < 0.0 => {
                    if stiffness * state.gap[c] + damping * u < 0.0 { PUSHES } else { APART }
                }
                _ => OPEN,
            };
        }
        self.enter_pieces(t, &window, &mut state, None);
        self.bristle(t, &window, &state, &mut status)?;
        // First impacts, which change velocities; then ticks, which read them; then rest and slip, which depend
        // on both forces.
        self.collide(t, &window, &mut state, &mut status)?;
        self.enter_pieces(t, &window, &mut state, None);
        self.enter(t, &window, &state, None, None, &mut status);
        self.tick(t, &window, &mut state);
        self.aim(t, &window, &state, &mut status, None);
        self.decide(t, &window, &mut state, &mut status)?;
        self.level(t, &window, &mut state, &mut status, None)?;
        for e in (0..parts.sliders).filter(|e| status[*e] != 0) {
            state.since[e] = t;
        }
        Ok((state, status.into()))
    }

    /// What sampled controllers do at `t`.
    fn tick(&self, t: f64, window: &Window<'_>, state: &mut Masses) {
        if self.parts.next_tick(&state.control) <= t {
            let mut at = Instant::of(&self.parts);
            self.show(t, state, window, &mut at);
            self.parts.tick(t, window, &at, &mut state.control);
        }
    }

    /// The gap of contact `c` and the size of its terms, m.
    fn gap(&self, t: f64, c: usize, state: &Masses, window: &Window<'_>) -> [f64; 2] {
        let parts = &self.parts;
        let contact = parts.contacts[c];
        let mut at = Instant::of(parts);
        self.show(t, state, window, &mut at);
        let z = stretch(&at.node_x, parts.machine.stops()[contact.stop].between());
        let bound = parts.signal(contact.bound()).map_or(0.0, |s| s.value(t));
        [contact.side * (z - bound), z.abs() + bound.abs()]
    }

    /// What comes after a motion in `phase` that is over at `t` in `state`, adding to `events` what happened.
    ///
    /// # Errors
    /// If a bound jumps into what it stops, or what follows cannot be decided.
    pub(super) fn resolve(
        &mut self,
        t: f64,
        mut state: Masses,
        phase: &NetworkPhase,
        hit: Option<Ends>,
        mode: &Mode,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let parts = self.parts.clone();
        let window = parts.window(t);
        let mut status = phase.to_vec();
        for (c, gap) in state.gap.iter_mut().enumerate() {
            // What was held has had no gap all the time: rounding of the steps must not make one.
            if parts.holds(parts.sliders + c, phase[parts.sliders + c]) {
                *gap = 0.0;
            }
        }
        let row = |c: usize| parts.sliders + c;
        // Before anything is looked at: a force that was held at its limit is there to the last bit.
        self.snap(t, &window, &mut state, phase);
        match hit {
            // A bristle goes on to the other side.
            Some(Ends::Rests(e)) if parts.memory(e).is_some() => {
                status[e] = -status[e];
                self.turn_level(t, &window, &mut state, mode, e);
            }
            Some(Ends::Rests(e)) => {
                status[e] = 0;
                self.rest_with(t, &window, &mut state, &mut status)?;
            }
            // Not only the first row of a direction slips: all of its rows leave each other.
            Some(Ends::GivesWay(d)) => {
                for (e, w) in &mode.directions[d].rows {
                    status[*e] = if *w > 0.0 { 1 } else { -1 };
                }
            }
            Some(Ends::Meets(c)) => {
                state.gap[c] = 0.0;
                if matches!(parts.contacts[c].bumper, Bumper::Soft { .. }) {
                    status[row(c)] = PUSHES;
                }
            }
            Some(Ends::Lets(c)) => {
                let Bumper::Soft { damping, .. } = parts.contacts[c].bumper else {
                    return Ok((state, phase.clone()));
                };
                // A damper that pulls lets go while the body is still inside; only without one is the way out
                // the end.
                let apart = damping > 0.0 && state.gap[c] < 0.0;
                status[row(c)] = if apart { APART } else { OPEN };
                if !apart {
                    state.gap[c] = 0.0;
                }
            }
            Some(Ends::Leaves(c)) => {
                status[row(c)] = OPEN;
                state.gap[c] = 0.0;
            }
            Some(Ends::Pushes(c)) => status[row(c)] = PUSHES,
            Some(Ends::Leaps) => self.leap(t, &window, &mut state, mode, &mut status),
            Some(Ends::Settled) => self.take_sides(&state, mode, &mut status),
            Some(Ends::Yields(i, part)) => self.leave_region(i, part, &mut status),
            Some(Ends::Ticks) => self.tick(t, &window, &mut state),
            // These are settled by `enter_pieces`, `aim`, `take_signs` and `tell`, or change nothing.
            Some(
                Ends::Switches(..)
                | Ends::Turns(_)
                | Ends::Bends(..)
                | Ends::Settles
                | Ends::Pauses,
            ) => {}
            None => self.jump(t, &window, &mut state, &mut status)?,
        }
        self.enter_pieces(t, &window, &mut state, hit);
        let met = self.collide(t, &window, &mut state, &mut status)?;
        if !met.is_empty() {
            // What was met may go back from the end of a piece.
            self.enter_pieces(t, &window, &mut state, None);
        }
        // What a stop holds still does not slide any more: until something gives way its sliders rest.
        let closes = |e: usize| status[e] == CLOSED && phase[e] != CLOSED && parts.holds(e, CLOSED);
        if (parts.sliders..parts.rows.len()).any(closes) {
            self.rest_with(t, &window, &mut state, &mut status)?;
        }
        // An impact at the same instant may take a part back out of the region that it has just entered.
        let left = match hit {
            Some(Ends::Yields(i, part)) if met.is_empty() => Some((i, part)),
            _ => None,
        };
        self.enter(t, &window, &state, Some(phase), left, &mut status);
        self.aim(t, &window, &state, &mut status, hit);
        // What has just come to rest has not rested yet: a law that ages holds what it holds at once.
        for e in (0..parts.sliders).filter(|&e| phase[e] != 0 && status[e] == 0) {
            state.since[e] = t;
        }
        let reached = if let Some(Ends::GivesWay(d)) = hit { Some(d) } else { None };
        let mut base = status.clone();
        for (e, _) in reached.iter().flat_map(|d| &mode.directions[*d].rows) {
            base[*e] = phase[*e];
        }
        self.decide(t, &window, &mut state, &mut status)?;
        let over = Over { mode, t, window: &window, state: &state };
        self.note_orders(&over, &base, &status, reached)?;
        if let Some(Ends::Rests(e)) = hit.filter(|_| met.is_empty())
            && base[e] == 0
        {
            self.note_rest(&over, &base, e)?;
        }
        self.level(t, &window, &mut state, &mut status, hit)?;
        // Rows are told below with their events; of controllers and loads only the time is kept.
        for i in parts.rows.len()..status.len() {
            if status[i] != phase[i] {
                state.since[i] = t;
            }
        }
        if let Some(Ends::Turns(g)) = hit {
            // It passes zero: what is left of it is rounding, which says nothing about its sign.
            let sign = parts.sign_of(g);
            status[sign] = -phase[sign];
            state.since[sign] = t;
        }
        self.tell_bristles(t, &mut state, &window, [phase, &status], events);
        for e in (0..parts.sliders).filter(|e| parts.memory(*e).is_none()) {
            let changed = EventKind::between(Phase::of_sign(phase[e]), Phase::of_sign(status[e]));
            let Some(kind) = changed else { continue };
            state.since[e] = t;
            events.push(self.event(kind, t, e, &state, &window));
        }
        self.tell_loads(t, &state, &window, [phase, &status], events);
        self.tell(t, &mut state, &window, [phase, &status], &met, events);
        Ok((state, status.into()))
    }

    /// Lets every slider rest that what has come to rest leaves no velocity: those on the same mass, and the frictions of all
    /// gears of a train. To decide about them one by one would let some push another on.
    fn rest_with(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
    ) -> Result<(), Error> {
        // First one velocity for all that is held, or rounding would keep some of them sliding.
        self.join(window, t, state, status)?;
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        for (e, row) in self.parts.rows.iter().enumerate().take(self.parts.sliders) {
            let [w, size] = speed(row, &state.v, &given);
            if status[e] != 0 && w.abs() <= ZERO * size && self.parts.memory(e).is_none() {
                status[e] = 0;
            }
        }
        Ok(())
    }

    /// Adds the signs that changed of what sliding gears hand on to `events`.
    fn tell_loads(
        &self,
        t: f64,
        state: &Masses,
        window: &Window<'_>,
        [before, after]: [&[i8]; 2],
        events: &mut Vec<Event>,
    ) {
        for (g, mesh) in self.parts.meshes.iter().enumerate() {
            // Where the friction does not grow with the load nobody watches its sign, and it would be told late.
            let Some(row) = mesh.row.filter(|_| self.parts.is_loaded(g)) else { continue };
            let sign = self.parts.sign_of(g);
            // A gear that has just begun to slide, or come to rest, has no reversal besides.
            if before[sign] != after[sign] && before[row] != 0 && after[row] != 0 {
                events.push(self.event(EventKind::LoadReversal, t, row, state, window));
            }
        }
    }

    /// Adds what happened at the stops to `events`, where the statuses were the first and are now the second.
    fn tell(
        &self,
        t: f64,
        state: &mut Masses,
        window: &Window<'_>,
        [before, after]: [&[i8]; 2],
        met: &[Met],
        events: &mut Vec<Event>,
    ) {
        let parts = &self.parts;
        for (c, contact) in parts.contacts.iter().enumerate() {
            let row = parts.sliders + c;
            let hit = met.iter().find(|m| m.contact == c);
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            let pending = state.settles[c];
            let closes = rigid && after[row] == CLOSED;
            let kind = match (rigid, before[row], after[row]) {
                // Bounces that are summed are over when their time has come, or what was closed for them opens.
                (true, ..) if pending <= t || (pending < f64::INFINITY && !closes) => {
                    state.settles[c] = f64::INFINITY;
                    Some(EventKind::Contact)
                }
                (true, _, CLOSED) if hit.is_some() && pending == f64::INFINITY => {
                    Some(EventKind::Contact)
                }
                (true, ..) if hit.is_some() => Some(EventKind::Impact),
                (true, CLOSED, OPEN) => Some(EventKind::Release),
                (true, OPEN, CLOSED) => Some(EventKind::Contact),
                (false, PUSHES, PUSHES) => None,
                (false, _, PUSHES) => Some(EventKind::Contact),
                (false, PUSHES, _) => Some(EventKind::Release),
                _ => None,
            };
            if before[row] != after[row] {
                state.since[row] = t;
            }
            let Some(kind) = kind else { continue };
            let mut event = self.event(kind, t, row, state, window);
            // Events tell velocities of one end against the other: that of the bound is added to the opening
            // velocity.
            if let Some(m) = hit {
                let bound = event.v - contact.side * self.opens(t, row, state, window);
                event.before = contact.side * m.before + bound;
                event.impulse = contact.side * m.impulse;
            }
            events.push(event);
            // What opens at once after its bounces were summed is told, too.
            if kind == EventKind::Contact && before[row] == CLOSED && rigid && !closes {
                events.push(self.event(EventKind::Release, t, row, state, window));
            }
        }
    }

    /// The velocity with which `row` opens, m/s.
    fn opens(&self, t: f64, row: usize, state: &Masses, window: &Window<'_>) -> f64 {
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        speed(&self.parts.rows[row], &state.v, &given)[0]
    }

    /// Signals may jump: what is given may go on at another velocity, and carries nothing along that only friction or a push
    /// holds; and a bound may be elsewhere.
    fn jump(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
    ) -> Result<(), Error> {
        let parts = self.parts.clone();
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        for (e, row) in parts.rows.iter().enumerate().take(parts.sliders) {
            let [w, size] = speed(row, &state.v, &given);
            let kicked = w.abs() > ZERO * size;
            // A slip goes on unless its velocity is now against it.
            if kicked && (status[e] == 0 || w * f64::from(status[e]) < 0.0) {
                status[e] = if w > 0.0 { 1 } else { -1 };
            } else if !kicked && parts.memory(e).is_none() {
                status[e] = 0;
            }
        }
        for (c, contact) in parts.contacts.iter().enumerate() {
            let row = parts.sliders + c;
            if let Some(bound) = parts.signal(contact.bound()) {
                let [before, after] = [bound.value_before(t), bound.value(t)];
                let moved = contact.side * (after - before);
                if moved.abs() > FITS * before.abs().max(after.abs()) {
                    // The gap follows a bound that jumps; the body itself does not move at once.
                    state.gap[c] -= moved;
                }
            }
            let [u, size] = speed(&parts.rows[row], &state.v, &given);
            match contact.bumper {
                Bumper::Rigid { .. } if state.gap[c] < 0.0 => {
                    let stop = parts.machine.stops()[contact.stop].name.to_string();
                    return Err(unsuitable(Obstacle::BoundJumps { stop, time: t }));
                }
                Bumper::Rigid { .. } => {
                    let leaves = state.gap[c] > 0.0 || u > ZERO * size;
                    if status[row] == CLOSED && leaves {
                        status[row] = OPEN;
                    }
                }
                Bumper::Soft { stiffness, damping } => {
                    let pushes = stiffness * state.gap[c] + damping * u < 0.0;
                    status[row] = match (state.gap[c] < 0.0, pushes) {
                        (false, _) => OPEN,
                        (true, true) => PUSHES,
                        (true, false) => APART,
                    };
                }
            }
        }
        Ok(())
    }

    /// An event of `row`: a slider, or a contact.
    pub(super) fn event(
        &self,
        kind: EventKind,
        t: f64,
        row: usize,
        state: &Masses,
        window: &Window<'_>,
    ) -> Event {
        let parts = &self.parts;
        let mut at = Instant::of(parts);
        self.show(t, state, window, &mut at);
        let sliders = parts.machine.network().sliders();
        let stops = parts.machine.stops();
        let (ends, place) = match (row.checked_sub(parts.sliders), parts.mesh(row)) {
            (Some(c), _) => {
                let stop = parts.contacts[c].stop;
                (stops[stop].between(), sliders.len() + stop)
            }
            (None, Some(g)) => {
                ([Some(parts.meshes[g].first), None], sliders.len() + stops.len() + g)
            }
            (None, None) => (sliders[row].between(), row),
        };
        let u = State { x: stretch(&at.node_x, ends), v: stretch(&at.node_v, ends) };
        Event::new(kind, t, place, u)
    }

    /// Displacements and velocities in `state` at `t`.
    pub(super) fn show(&self, t: f64, state: &Masses, window: &Window<'_>, at: &mut Instant) {
        for (now, piece) in at.given.iter_mut().zip(&window.given) {
            *now = piece.at(t);
        }
        at.x.copy_from_slice(&state.x);
        at.v.copy_from_slice(&state.v);
        at.gap.copy_from_slice(&state.gap);
        at.states.copy_from_slice(&state.control.states);
        at.applied.copy_from_slice(&state.control.applied);
        at.pieces.copy_from_slice(&state.pieces);
        self.parts.nodes(t, window, at);
        self.parts.show_levels(&state.levels, at);
    }

    /// Lets those of the rows at rest slip or open that cannot stay, and gives what rests one velocity.
    pub(super) fn decide(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
    ) -> Result<(), Error> {
        let parts = self.parts.clone();
        let mut at = Instant::of(&parts);
        let mut began: Vec<usize> = Vec::new();
        let mut turned = vec![false; parts.sliders];
        // Each round lets something give way, and nothing is taken back twice: it ends.
        loop {
            let held: Vec<usize> =
                (0..parts.rows.len()).filter(|&e| parts.holds(e, status[e])).collect();
            // What is held has one velocity before forces are asked for: a difference of rounding would look
            // like a slip.
            self.join(window, t, state, status)?;
            self.show(t, state, window, &mut at);
            let q = Question { t, window, held: &held, status, since: &state.since, slack: 1.0 };
            let Some(found) = parts.balance(&q, &mut at) else {
                return Err(unsuitable(Obstacle::NoAnswer));
            };
            let Balance { lambda, stands, compliance: a, free: u, loads } = found;
            let mut slips = false;
            let mut opens = Vec::new();
            for (k, &e) in held.iter().enumerate() {
                let m = held.len();
                let terms = (0..m).map(|j| a[k * m + j] * lambda[j]);
                let acceleration = terms.clone().sum::<f64>() + u[k];
                let size = terms.map(f64::abs).sum::<f64>() + u[k].abs();
                // In the solution of the complementarity problem what gives way is accelerated, and what holds
                // is not.
                if stands[k] == Stand::Inside || acceleration.abs() <= STILL * size {
                    continue;
                }
                if e < parts.sliders {
                    status[e] = if acceleration > 0.0 { 1 } else { -1 };
                    if !turned[e] {
                        began.push(e);
                    }
                    slips = true;
                } else {
                    opens.push(e);
                }
            }
            if slips {
                // Less friction may close what would have opened.
                continue;
            }
            opens.iter().for_each(|e| status[*e] = OPEN);
            if began.len() > 1
                && let Some(k) = self.driven_back(t, window, state, status, &began)?
            {
                let e = began.remove(k);
                turned[e] = true;
                status[e] = 0;
                continue;
            }
            if opens.is_empty() {
                // Without what is pulled at the ground, which stands behind the nodes.
                let forces = at.node_force[..parts.places.len()].iter();
                let forces = forces.fold(0.0, |m: f64, f| m.max(f.abs()));
                self.take_signs(&loads, forces, state, status);
                return Ok(());
            }
            // What opens changes the loads of gears.
            if parts.meshes.is_empty() {
                return Ok(());
            }
        }
    }

    /// Which of the rows that began to slip together does not: where others drag with less than they held, it is driven back at once, and
    /// what is left of the load does not move it.
    pub(super) fn driven_back(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        status: &[i8],
        began: &[usize],
    ) -> Result<Option<usize>, Error> {
        let at = self.look(t, window, state, status)?;
        let parts = &self.parts;
        Ok(began.iter().position(|&e| {
            let side = f64::from(status[e]);
            let acceleration = side * parts.rows[e].value(&at.a, |g| at.given[g][2]);
            // Next to what its own friction does to it.
            let limit = parts.limit(e, side, 0.0, parts.normal(e, t, window, status, &at));
            acceleration < -DRIVEN * limit * parts.compliance_of(e, e)
        }))
    }

    /// Takes the signs of what gears hand on, where they are clear. `forces` is the greatest force on a node, N.
    fn take_signs(&self, loads: &[[f64; 2]], forces: f64, state: &mut Masses, status: &mut [i8]) {
        for (g, [load, size]) in loads.iter().enumerate() {
            let sign = self.parts.sign_of(g);
            // Of a gear behind which nothing acts all terms vanish, and only the forces elsewhere tell their rounding.
            if load.abs() > (CLEAR * size).max(IDLE * forces) {
                status[sign] = if *load > 0.0 { 1 } else { -1 };
            } else {
                // It passes zero just now: the step that follows looks which way.
                state.since[sign] = f64::NEG_INFINITY;
            }
        }
    }

    /// Gives masses that are held together one velocity: that which keeps their momentum.
    fn join(
        &mut self,
        window: &Window<'_>,
        t: f64,
        state: &mut Masses,
        status: &[i8],
    ) -> Result<(), Error> {
        let mode = Mode::without_forces(&self.parts, status.to_vec())?;
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let groups = mode.group_velocities(&self.parts, &state.v, |g| given[g]);
        for (v, carried) in state.v.iter_mut().zip(&mode.carried) {
            let own = carried.group.map_or(0.0, |g| carried.ratio * groups[g]);
            *v = own + carried.given.iter().map(|(g, c)| c * given[*g]).sum::<f64>();
        }
        Ok(())
    }
}
