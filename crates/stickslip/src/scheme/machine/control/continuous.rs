//! Forces and inner states of continuous controllers.

use super::{BEYOND, CLAMPED, FREE, HELD, Switch};
use crate::model::machine::{AntiWindup, FeedForward, Gains, Limit, Quantity, Rule};
use crate::portable;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::guards::Ends;
use crate::scheme::machine::parts::{Parts, Place, Window};
use crate::scheme::machine::slots::filters;

/// A number and the size of its terms.
pub(in crate::scheme::machine) type Sized = [f64; 2];

/// The error of a controller and its derivatives.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::scheme::machine) struct Deviation {
    pub value: f64,
    pub size: f64,
    /// Its rate, and the size of that; of a velocity, and the second one, after accelerations are known only.
    pub rate: f64,
    pub rate_size: f64,
    pub second: f64,
}

impl Parts {
    /// The acceleration of an end, m/s².
    fn acceleration(&self, end: Option<usize>, at: &Instant) -> f64 {
        match end.map(|i| self.places[i]) {
            None => 0.0,
            Some(Place::With(k, ratio)) => ratio * at.a[k],
            Some(Place::Led(g, ratio)) => ratio * at.given[g][2],
        }
    }

    /// What controller `c` measures, m or m/s.
    pub(super) fn measured(&self, c: usize, at: &Instant) -> f64 {
        let ends = self.machine.controllers()[c].of();
        match self.control(c).quantity {
            Quantity::Displacement => stretch(&at.node_x, ends),
            Quantity::Velocity => stretch(&at.node_v, ends),
        }
    }

    /// What controller `c` sees at `t` (s).
    pub(in crate::scheme::machine) fn deviation(
        &self,
        c: usize,
        t: f64,
        window: &Window<'_>,
        at: &Instant,
    ) -> Deviation {
        let ends = self.machine.controllers()[c].of();
        let wanted = window.references[c].derivatives(t);
        let size = |u: &[f64]| ends.iter().flatten().map(|i| u[*i].abs()).sum::<f64>();
        let a = self.acceleration(ends[0], at) - self.acceleration(ends[1], at);
        let [x, v] = [stretch(&at.node_x, ends), stretch(&at.node_v, ends)];
        match self.control(c).quantity {
            Quantity::Displacement => Deviation {
                value: wanted[0] - x,
                // Only the size of the terms tells the rounding of a difference that nearly vanishes.
                size: wanted[0].abs() + size(&at.node_x),
                rate: wanted[1] - v,
                rate_size: wanted[1].abs() + size(&at.node_v),
                second: wanted[2] - a,
            },
            Quantity::Velocity => Deviation {
                value: wanted[0] - v,
                size: wanted[0].abs() + size(&at.node_v),
                rate: wanted[1] - a,
                rate_size: wanted[1].abs() + a.abs(),
                second: 0.0,
            },
        }
    }

    /// The velocity for which controller `c` feeds forward, and its derivatives.
    pub(in crate::scheme::machine) fn expected(
        &self,
        c: usize,
        t: f64,
        window: &Window<'_>,
    ) -> [f64; 3] {
        let [r, first, second, third] = window.references[c].derivatives(t);
        match self.control(c).quantity {
            Quantity::Displacement => [first, second, third],
            Quantity::Velocity => [r, first, second],
        }
    }

    /// What controller `c` would act with if it had no limits, N, for the sign `side` of the velocity that it feeds forward.
    pub(in crate::scheme::machine) fn wanted(
        &self,
        c: usize,
        t: f64,
        side: i8,
        window: &Window<'_>,
        at: &Instant,
    ) -> Sized {
        let law = self.control(c);
        let e = self.deviation(c, t, window, at);
        let mut sum = 0.0;
        let mut size = 0.0;
        let mut add = |term: f64, its: f64| {
            sum += term;
            size += its.abs();
        };
        let states = self.own_states(c, at);
        match &law.rule {
            Rule::Pid(g) => {
                // Every gain multiplies a size as well, so that a root of the force has the rounding of its
                // terms.
                add(g.proportional * e.value, g.proportional * e.size);
                add(g.integral * states[0], g.integral * states[0]);
                // The derivative of the filtered error is (e − e_f)/T_f, which needs no acceleration.
                if filters(g) {
                    let by = g.derivative / g.filter;
                    add(by * (e.value - states[1]), by * (e.size + states[1].abs()));
                } else if g.derivative != 0.0 {
                    // Without a filter the rate itself enters: of a measured velocity this would be an
                    // acceleration, which the force itself changes; the model refuses it.
                    add(g.derivative * e.rate, g.derivative * e.rate_size);
                }
            }
            Rule::StateSpace(s) => {
                s.c.iter().zip(states).for_each(|(c, x)| add(c * x, c * x));
                add(s.d * e.value, s.d * e.size);
            }
        }
        if let Some(feed) = law.feed_forward {
            let w = self.expected(c, t, window)[0];
            let force = feed.force(w, side);
            add(force, force);
        }
        let dither = window.dithers[c].value(t);
        add(dither, dither);
        [sum, size]
    }

    /// The inner states of controller `c`.
    fn own_states<'a>(&self, c: usize, at: &'a Instant) -> &'a [f64] {
        let slot = self.loops[c];
        &at.states[slot.first..slot.first + slot.count]
    }

    /// The forces of all controllers in `at`, after displacements and velocities are known.
    pub fn actuate(&self, t: f64, window: &Window<'_>, status: &[i8], at: &mut Instant) {
        for c in 0..self.loops.len() {
            let law = self.control(c);
            // Between its ticks a sampled controller holds its force.
            let u = if law.sampling.is_some() {
                at.applied[c]
            } else {
                let [limited, side] = [status[self.status_of(c)], status[self.status_of(c) + 1]];
                match law.limit {
                    // At or beyond a limit the force is the limit; what it would be otherwise matters to the
                    // guards alone.
                    Some(limit) if limited != FREE => f64::from(limited.signum()) * limit.force,
                    _ => self.wanted(c, t, side, window, at)[0],
                }
            };
            at.u[c] = u;
            at.node_force[self.machine.controllers()[c].on()] += u;
        }
    }

    /// The derivatives of the inner states, after accelerations are known.
    pub fn control_rates(
        &self,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
        rates: &mut [f64],
    ) {
        for (c, slot) in self.loops.iter().enumerate().filter(|(_, s)| s.count > 0) {
            let e = self.deviation(c, t, window, at);
            let own = self.own_states(c, at);
            let rates = &mut rates[slot.first..slot.first + slot.count];
            match &self.control(c).rule {
                Rule::Pid(g) => {
                    // An integral that is clamped stands still; one that is held goes just as fast as keeps the
                    // force at its limit.
                    rates[0] = match status[self.status_of(c)].abs() {
                        CLAMPED => 0.0,
                        // What no gain asks for is not summed: it would keep motions from repeating.
                        _ if g.integral == 0.0 => 0.0,
                        HELD => self.holding(c, t, window, at),
                        _ => e.value,
                    };
                    if filters(g) {
                        rates[1] = (e.value - own[1]) / g.filter;
                    }
                }
                Rule::StateSpace(s) => {
                    let n = own.len();
                    for (i, rate) in rates.iter_mut().enumerate() {
                        let row = &s.a[i * n..(i + 1) * n];
                        let mixed: f64 = row.iter().zip(own).map(|(a, x)| a * x).sum();
                        *rate = mixed + s.b[i] * e.value;
                    }
                }
            }
        }
    }

    /// How fast the force of controller `c` would change if its integral stood still, N/s, after accelerations are known.
    pub(super) fn drift(&self, c: usize, t: f64, window: &Window<'_>, at: &Instant) -> f64 {
        let law = self.control(c);
        let Rule::Pid(g) = &law.rule else { return 0.0 };
        let e = self.deviation(c, t, window, at);
        let derivative = if filters(g) {
            // The derivative of (e − e_f)/T_f, with that of e_f from its own equation.
            (e.rate - (e.value - self.own_states(c, at)[1]) / g.filter) / g.filter
        } else {
            e.second
        };
        let [w, rate, _] = self.expected(c, t, window);
        let feed = law.feed_forward.map_or(0.0, |f| f.slope(w) * rate);
        let dither = window.dithers[c].derivatives(t)[1];
        g.proportional * e.rate + g.derivative * derivative + feed + dither
    }

    /// How fast the integral of controller `c` must go for its force to stay at a limit.
    fn holding(&self, c: usize, t: f64, window: &Window<'_>, at: &Instant) -> f64 {
        -self.drift(c, t, window, at) / self.gains(c).integral
    }

    /// The gains of controller `c`; zeros of a state space.
    pub(in crate::scheme::machine) fn gains(&self, c: usize) -> Gains {
        match self.control(c).rule {
            Rule::Pid(g) => g,
            Rule::StateSpace(_) => Gains::default(),
        }
    }

    /// The limit of controller `c` if it is continuous and has one.
    pub(in crate::scheme::machine) fn limit_of(&self, c: usize) -> Option<Limit> {
        let law = self.control(c);
        law.limit.filter(|_| law.sampling.is_none())
    }

    /// Whether the integral of controller `c` is kept from driving it beyond its limit.
    pub(in crate::scheme::machine) fn clamps(&self, c: usize) -> bool {
        let clamps = self.limit_of(c).is_some_and(|l| l.anti_windup == AntiWindup::Clamp);
        clamps && self.gains(c).integral != 0.0
    }

    /// Adds what may switch in these statuses.
    pub fn switches(&self, status: &[i8], guards: &mut Vec<Ends>) {
        for c in 0..self.loops.len() {
            let law = self.control(c);
            let [limited, side] = [status[self.status_of(c)], status[self.status_of(c) + 1]];
            let mut add = |switch| guards.push(Ends::Switches(c, switch));
            // A sampled controller clips its force at its ticks: nothing switches between them.
            if self.limit_of(c).is_some() {
                match limited.abs() {
                    HELD => [Switch::Leaves, Switch::Sinks].into_iter().for_each(&mut add),
                    // Beyond the limit only the wanted force tells the way back; whether the error pushes
                    // decides if the integral may run.
                    BEYOND => {
                        add(Switch::Returns);
                        if self.clamps(c) {
                            add(Switch::Pushes);
                        }
                    }
                    CLAMPED => [Switch::Returns, Switch::Relents].into_iter().for_each(&mut add),
                    // From inside, either limit may be reached.
                    _ => [true, false].into_iter().for_each(|up| add(Switch::Reaches(up))),
                }
            }
            // A velocity of zero has no sign to lose: such a controller waits for the next event.
            if law.feed_forward.is_some_and(FeedForward::jumps) && side != 0 {
                add(Switch::Turns);
            }
        }
    }

    /// What is positive until `switch` of controller `c`, and the size of its terms.
    pub fn switch(
        &self,
        c: usize,
        switch: Switch,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
    ) -> Sized {
        let [limited, side] = [status[self.status_of(c)], status[self.status_of(c) + 1]];
        let upper = f64::from(limited.signum());
        let limit = self.control(c).limit.map_or(f64::INFINITY, |l| l.force);
        let integral = self.gains(c).integral;
        match switch {
            Switch::Reaches(up) => {
                let [u, size] = self.wanted(c, t, side, window, at);
                [limit - if up { u } else { -u }, limit + size]
            }
            Switch::Returns => {
                let [u, size] = self.wanted(c, t, side, window, at);
                [upper * u - limit, limit + size]
            }
            Switch::Pushes | Switch::Relents => {
                let e = self.deviation(c, t, window, at);
                let pushes = upper * integral * e.value;
                let size = (integral * e.size).abs();
                [if switch == Switch::Relents { pushes } else { -pushes }, size]
            }
            // Without the integral's help the rest of the force leaves the limit outwards where its drift does.
            Switch::Leaves => {
                let drift = self.drift(c, t, window, at);
                [-upper * drift, self.drift_size(c, t, window, at)]
            }
            // With the whole integral, drift and all, the force would go inside: the limit can no longer be
            // held.
            Switch::Sinks => {
                let e = self.deviation(c, t, window, at);
                let drift = self.drift(c, t, window, at);
                let size = self.drift_size(c, t, window, at) + (integral * e.size).abs();
                [upper * (drift + integral * e.value), size]
            }
            Switch::Turns => {
                let w = self.expected(c, t, window)[0];
                [f64::from(side) * w, self.expected_size(c, t, window)]
            }
        }
    }

    /// The size of the terms of [`drift`](Self::drift), N/s.
    fn drift_size(&self, c: usize, t: f64, window: &Window<'_>, at: &Instant) -> f64 {
        let g = self.gains(c);
        let e = self.deviation(c, t, window, at);
        // The sizes of the terms of the derivative, as there.
        let derivative = match filters(&g) {
            true => (e.rate_size + e.size / g.filter) / g.filter,
            false => e.second.abs() + e.rate_size,
        };
        let [w, rate, _] = self.expected(c, t, window);
        let feed = self.control(c).feed_forward.map_or(0.0, |f| f.slope(w) * rate);
        let dither = window.dithers[c].derivatives(t)[1];
        (g.proportional * e.rate_size).abs()
            + (g.derivative * derivative).abs()
            + feed.abs()
            + dither.abs()
    }

    /// The size of the terms of the velocity for which controller `c` feeds forward.
    pub(super) fn expected_size(&self, c: usize, t: f64, window: &Window<'_>) -> f64 {
        let piece = &window.references[c];
        match self.control(c).quantity {
            // The reference is a displacement and w its rate: a bound on the rate over the piece is the size of
            // its terms.
            Quantity::Displacement => piece.derivative_bound(1) + piece.affine.rate.abs(),
            Quantity::Velocity => piece.scale(t),
        }
    }
}

impl FeedForward {
    /// Whether it jumps where the velocity changes its sign.
    pub(super) fn jumps(self) -> bool {
        !matches!(self, Self::Tanh { .. })
    }

    /// At the velocity `w` (m/s), whose sign is taken to be `side`, N.
    pub(super) fn force(self, w: f64, side: i8) -> f64 {
        match self {
            Self::Sign { force } => f64::from(side) * force,
            Self::Tanh { force, velocity } => force * portable::tanh(w / velocity),
            Self::Stribeck { breakaway, dynamic, velocity, exponent } => {
                let fall = portable::exp(-portable::pow(w.abs() / velocity, exponent));
                f64::from(side) * (dynamic + (breakaway - dynamic) * fall)
            }
        }
    }

    /// Its derivative with respect to the velocity, N·s/m.
    pub(super) fn slope(self, w: f64) -> f64 {
        match self {
            Self::Sign { .. } => 0.0,
            Self::Tanh { force, velocity } => {
                let tanh = portable::tanh(w / velocity);
                force / velocity * (1.0 - tanh * tanh)
            }
            Self::Stribeck { breakaway, dynamic, velocity, exponent } => {
                // The slope is infinite at zero for exponents below one, but there the sign jumps anyway.
                if w == 0.0 {
                    return 0.0;
                }
                let power = portable::pow(w.abs() / velocity, exponent);
                let fall = (breakaway - dynamic) * portable::exp(-power);
                -fall * exponent * power / w.abs()
            }
        }
    }
}
