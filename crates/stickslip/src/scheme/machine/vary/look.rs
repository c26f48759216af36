//! A machine in one mode, asked at any state: its rates, what ends the mode, and what an impact does to velocities.
//!
//! A state is a list of numbers here: the displacements and the velocities of the free masses, the gaps of the contacts, the inner
//! states of continuous controllers and what sliders remember, and the forces that sampled controllers hold. In a mode of a machine of linear
//! parts everything that is asked is affine in them; elsewhere it bends with some of them (`slopes`).

use super::super::control::Control;
use super::super::flow::{Flow, Instant};
use super::super::guards::Ends;
use super::super::mode::Mode;
use super::super::parts::{Lists, Parts, Source};
use super::super::{Masses, unsuitable};
use crate::error::{Error, Obstacle};
use crate::model::Bumper;
use crate::numeric::invert;
use crate::signal::Signal;

/// Where the numbers of a state stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub masses: usize,
    pub contacts: usize,
    pub states: usize,
    pub loops: usize,
}

impl Layout {
    pub fn of(parts: &Parts) -> Self {
        Self {
            masses: parts.masses(),
            contacts: parts.contacts.len(),
            states: parts.states(),
            loops: parts.loops.len(),
        }
    }

    /// How many there are.
    pub fn size(self) -> usize {
        2 * self.masses + self.contacts + self.states + self.loops
    }

    /// Where the gaps begin.
    pub fn gaps(self) -> usize {
        2 * self.masses
    }

    /// Where the inner states begin.
    pub fn inner(self) -> usize {
        self.gaps() + self.contacts
    }

    /// Where the forces that are held begin.
    pub fn applied(self) -> usize {
        self.inner() + self.states
    }

    /// The numbers of `state`.
    pub fn pack(self, state: &Masses) -> Vec<f64> {
        let Masses { x, v, gap, control: Control { states, applied, .. }, .. } = state;
        [&x[..], v, gap, states, applied].concat()
    }

    /// The same of a machine at an instant.
    pub fn pack_instant(self, at: &Instant, y: &mut Vec<f64>) {
        y.clear();
        for list in [&at.x, &at.v, &at.gap, &at.states, &at.applied] {
            y.extend_from_slice(list);
        }
    }
}

/// Next to a number as large as this one everything that does not depend on it is below rounding.
pub(super) const LARGE: f64 = 1.606_938_044_258_990_3e60;

/// An impact: the rows whose impulses are not zero, whether each was met or was closed, and whether its bounces are summed.
#[derive(Debug, Clone, Default)]
pub(super) struct Blow {
    pub rows: Vec<(usize, bool, bool)>,
}

/// A machine in a mode.
pub(super) struct Look<'a> {
    pub flow: Flow<'a>,
    pub layout: Layout,
}

impl<'a> Look<'a> {
    /// In this mode and on these pieces, from `start` (s) on; signals are those pieces that the ones of `own` are on then.
    pub fn new(
        parts: &'a Parts,
        own: &Parts,
        mode: &'a Mode,
        pieces: &'a [u32],
        start: f64,
    ) -> Self {
        // A signal whose knots come at other times is seen on the piece of the same number.
        let window = Lists::default().window_by(parts, start, |source, signal| {
            let same = signal_of(own, source).map_or(0, |s| s.piece(start));
            signal.nth_piece(same.min(signal.knots().len() - 1))
        });
        let flow = Flow { parts, mode, window, x0: &[], gap0: &[], applied: &[], pieces };
        Self { flow, layout: Layout::of(parts) }
    }

    /// Displacements and velocities in the state `y` at `t` (s).
    pub fn show(&self, t: f64, y: &[f64], at: &mut Instant) {
        let Flow { parts, window, pieces, .. } = &self.flow;
        let layout = self.layout;
        let n = layout.masses;
        for (now, piece) in at.given.iter_mut().zip(&window.given) {
            *now = piece.at(t);
        }
        at.x.copy_from_slice(&y[..n]);
        at.v.copy_from_slice(&y[n..2 * n]);
        at.gap.copy_from_slice(&y[layout.gaps()..layout.inner()]);
        at.states.copy_from_slice(&y[layout.inner()..layout.applied()]);
        at.applied.copy_from_slice(&y[layout.applied()..]);
        at.pieces.copy_from_slice(pieces);
        parts.nodes(t, window, at);
    }

    /// The rates of the state `y` at `t` (s).
    pub fn rates(&self, t: f64, y: &[f64], out: &mut [f64], at: &mut Instant) {
        self.show(t, y, at);
        self.flow.dynamics(t, at);
        let Flow { parts, window, mode, .. } = &self.flow;
        let layout = self.layout;
        let n = layout.masses;
        out[..n].copy_from_slice(&at.v);
        out[n..2 * n].copy_from_slice(&at.a);
        for c in 0..layout.contacts {
            let row = &parts.rows[parts.sliders + c];
            out[layout.gaps() + c] = row.value(&at.v, |g| at.given[g][1]);
        }
        let rates = &mut out[layout.inner()..layout.applied()];
        parts.control_rates(t, window, &mode.status, at, rates);
        parts.bend(&mode.status, at, rates);
        out[layout.applied()..].fill(0.0);
    }

    /// What `what` watches in the state `y` at `t` (s), and the size of its terms. `signs` are those of the loads of gears that
    /// give way, and `since` says when each slider came to rest, s.
    pub fn guard(
        &self,
        what: Ends,
        signs: &[f64],
        since: &[f64],
        t: f64,
        y: &[f64],
        at: &mut Instant,
    ) -> [f64; 2] {
        self.show(t, y, at);
        self.flow.dynamics(t, at);
        let Flow { parts, mode, window, .. } = &self.flow;
        match what {
            Ends::Rests(e) => {
                let [w, size] = self.flow.speed(e, at);
                [f64::from(mode.status[e]) * w, size]
            }
            Ends::GivesWay(d) => self.flow.margin_under(d, t, since, at, Some(signs)),
            Ends::Meets(c) => [at.gap[c], at.gap[c].abs()],
            Ends::Leaves(c) => [-at.gap[c], at.gap[c].abs()],
            Ends::Lets(c) => self.flow.push(c, at),
            Ends::Pushes(c) => self.flow.push(c, at).map(|p| -p),
            Ends::Turns(g) => {
                let [load, size] = self.flow.handed(g, at);
                [f64::from(mode.status[parts.sign_of(g)]) * load, size]
            }
            Ends::Bends(b, up) => self.flow.to_edge(b, up, t, at),
            Ends::Switches(c, switch) => parts.switch(c, switch, t, window, &mode.status, at),
            Ends::Yields(i, part) => parts.bristle_margin(i, part, &mode.status, at),
            Ends::Ticks | Ends::Settles | Ends::Leaps | Ends::Settled | Ends::Pauses => [1.0, 1.0],
        }
    }

    /// The signs of the loads of the gears that give way in the state `y` at `t` (s), if that is what ends the mode.
    pub fn signs(
        &self,
        what: Ends,
        since: &[f64],
        t: f64,
        y: &[f64],
        at: &mut Instant,
    ) -> Vec<f64> {
        let Ends::GivesWay(d) = what else { return Vec::new() };
        self.show(t, y, at);
        self.flow.dynamics(t, at);
        self.flow.torn_signs(d, t, since, at)
    }

    /// The velocities and the accelerations of what is given at `t` (s).
    pub fn given(&self, t: f64) -> [Vec<f64>; 2] {
        let all = self.flow.window.given.iter().map(|g| g.at(t));
        let (v, a) = all.map(|[_, v, a]| (v, a)).unzip();
        [v, a]
    }

    /// The gap of contact `c` by displacements and the bound in the state `y` at `t` (s).
    pub fn gap(&self, c: usize, t: f64, y: &[f64], at: &mut Instant) -> f64 {
        self.show(t, y, at);
        let Flow { parts, window, .. } = &self.flow;
        let contact = parts.contacts[c];
        let ends = parts.machine.stops()[contact.stop].between();
        let z = super::super::flow::stretch(&at.node_x, ends);
        let bound = parts.given.iter().position(|g| *g == contact.bound());
        contact.side * (z - bound.map_or(0.0, |g| window.given[g].place(t)))
    }

    /// The velocities `v` after the impact, where what is given moves at `given`: linear in both. False where its rows depend on each
    /// other.
    pub fn strike(&self, blow: &Blow, v: &mut [f64], given: &[f64]) -> bool {
        let parts = self.flow.parts;
        let rows: Vec<usize> = blow.rows.iter().map(|r| r.0).collect();
        let m = rows.len();
        let Some(inverse) = invert(parts.compliance(&rows), m) else { return false };
        let taken = |&(row, met, summed): &(usize, bool, bool)| {
            let u = parts.rows[row].value(v, |g| given[g]);
            match parts.contacts[row - parts.sliders].bumper {
                Bumper::Rigid { restitution } if met && !summed => (1.0 + restitution) * u,
                _ => u,
            }
        };
        let taken: Vec<f64> = blow.rows.iter().map(taken).collect();
        let n = parts.masses();
        for (i, row) in rows.iter().enumerate() {
            let p: f64 = (0..m).map(|j| -inverse[i * m + j] * taken[j]).sum();
            for (j, c) in &parts.rows[*row].masses {
                for (k, v) in v.iter_mut().enumerate() {
                    *v += parts.inverse[k * n + j] * c * p;
                }
            }
        }
        true
    }

    /// The velocities `v` when what is held has one velocity, by the sums of momenta: linear in them and in those of what is given.
    pub fn join(&self, v: &mut [f64], given: &[f64]) {
        let Flow { parts, mode, .. } = self.flow;
        let groups = mode.group_velocities(parts, v, |g| given[g]);
        for (v, carried) in v.iter_mut().zip(&mode.carried) {
            let own = carried.group.map_or(0.0, |g| carried.ratio * groups[g]);
            *v = own + carried.given.iter().map(|(g, c)| c * given[*g]).sum::<f64>();
        }
    }

    /// What the sampled controllers remember when everything is done that is due at `t` (s), in the state `y`; they remembered `control`.
    pub fn tick(&self, t: f64, y: &[f64], control: &Control, at: &mut Instant) -> Control {
        self.show(t, y, at);
        let mut control = control.clone();
        self.flow.parts.tick(t, &self.flow.window, at, &mut control);
        control
    }
}

/// The signal of `source`.
fn signal_of(parts: &Parts, source: Source) -> Option<&Signal> {
    let network = parts.machine.network();
    let law = |c: usize| &parts.machine.controllers()[c].law;
    match source {
        Source::Given(g) => parts.signal(parts.given[g]),
        Source::Force(i) => Some(&network.nodes()[i].force),
        Source::Normal(e) => network.sliders()[e].normal.as_ref(),
        Source::Reference(c) => Some(&law(c).reference),
        Source::Dither(c) => Some(&law(c).dither),
    }
}

/// The modes of these statuses in all `parts`, in which the same ways to break have the same numbers.
///
/// # Errors
/// If a mode cannot be made, or what is held breaks otherwise where a number differs.
pub(super) fn modes<'p>(
    parts: impl Iterator<Item = &'p Parts>,
    status: &[i8],
) -> Result<Vec<Mode>, Error> {
    let modes = parts.map(|p| Mode::new(p, status.to_vec())).collect::<Result<Vec<_>, _>>()?;
    let ways = |m: &Mode| -> Vec<Vec<(usize, bool)>> {
        let of = |d: &super::super::mode::Direction| {
            d.rows.iter().map(|(e, w)| (*e, *w > 0.0)).collect()
        };
        m.directions.iter().map(of).collect()
    };
    let carried = |m: &Mode| m.carried.iter().map(|c| c.group).collect::<Vec<_>>();
    let first = modes.first().map(|m| (ways(m), carried(m)));
    if modes.iter().any(|m| Some((ways(m), carried(m))) != first) {
        return Err(unsuitable(Obstacle::NoAnswer));
    }
    Ok(modes)
}
