//! The arc of a slip: the solution of m ẍ + c ẋ + K x = K d + f − 𝔽 with 𝔽 constant, as a [`Curve`].

use super::ball::{Ball, up};
use super::curve::{Curve, ORDERS, Wave};
use crate::error::Error;
use crate::model::Oscillator;

/// Where an arc begins: at a middle, with what is not known of the true state there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// s; known exactly.
    pub time: Ball,
    /// m and m/s.
    pub x: Ball,
    pub v: Ball,
}

/// The load at rest at x = 0, K d + f, from `time` on, on the pieces that hold at `look` (s).
pub(super) fn load(o: &Oscillator, time: Ball, look: f64) -> Curve {
    let mut load =
        Curve { origin: time, cubic: [Ball::ZERO; 4], waves: Vec::new(), spread: [0.0; ORDERS] };
    for (factor, signal) in [(Ball::from(o.stiffness), &o.drive), (Ball::ONE, &o.force)] {
        load.add_affine(factor, signal, signal.piece(look));
        let waves = signal.harmonics().iter();
        load.waves.extend(
            waves.map(|h| Wave::of_harmonic(h, [factor * Ball::from(h.amplitude), Ball::ZERO])),
        );
    }
    load
}

/// The arc from `start` under `load` with the friction `friction` (N, with the sign of the slip) until `until` (s), and the
/// coefficients of its free part.
pub(super) fn arc(
    o: &Oscillator,
    start: Start,
    load: &Curve,
    friction: Ball,
    until: f64,
) -> Result<(Curve, [Ball; 2]), Error> {
    let [m, c, k] = [o.mass, o.damping, o.stiffness].map(Ball::from);
    let mut arc = Curve { waves: Vec::new(), ..load.clone() };
    arc.cubic = affine_response(o, [load.cubic[0] - friction, load.cubic[1]]);
    for wave in &load.waves {
        let w = wave.frequency;
        let (re, im) = (k - m * w * w, c * w);
        let norm = re * re + im * im;
        if norm.may_be_zero() {
            return Err(refused("a load acts at the resonance of a mass without a damper"));
        }
        let a = wave.sizes[0][0] / norm;
        let response = [a * re, a * im];
        arc.waves.push(Wave::new(false, [Ball::ZERO, w, wave.phase], response));
    }
    let [p, p1] = arc.two(start.time, 0);
    let free = add_free(o, &mut arc, [start.x.middle() - p, start.v.middle() - p1])?;
    let length = (Ball::from(until) - start.time).size();
    arc.spread = spread(o, [start.x.radius(), start.v.radius()], length);
    Ok((arc, free))
}

/// The error of what cannot be certified yet.
pub(super) fn refused(reason: &str) -> Error {
    Error::Uncertified { reason: reason.to_owned() }
}

/// The particular solution for a load that is a straight line.
fn affine_response(o: &Oscillator, [load, rate]: [Ball; 2]) -> [Ball; 4] {
    let [m, c, k] = [o.mass, o.damping, o.stiffness].map(Ball::from);
    if o.stiffness > 0.0 {
        let slope = rate / k;
        return [(load - c * slope) / k, slope, Ball::ZERO, Ball::ZERO];
    }
    if o.damping > 0.0 {
        let growth = rate / c;
        return [Ball::ZERO, (load - m * growth) / c, growth.scaled(0.5), Ball::ZERO];
    }
    let third = rate / (m * Ball::from(6.0));
    [Ball::ZERO, Ball::ZERO, (load / m).scaled(0.5), third]
}

/// Adds the free motion with displacement `q` and velocity `w` at the origin.
fn add_free(o: &Oscillator, arc: &mut Curve, [q, w]: [Ball; 2]) -> Result<[Ball; 2], Error> {
    let [m, c, k] = [o.mass, o.damping, o.stiffness].map(Ball::from);
    if o.stiffness == 0.0 && o.damping == 0.0 {
        arc.cubic[0] = arc.cubic[0] + q;
        arc.cubic[1] = arc.cubic[1] + w;
        return Ok([q, w]);
    }
    let decay = (c / m).scaled(0.5);
    let square = k / m - decay * decay;
    if square.lower() > 0.0 {
        let frequency = square.sqrt();
        let free = [q, (w + decay * q) / frequency];
        arc.waves.push(Wave::new(true, [decay, frequency, Ball::ZERO], free));
        return Ok(free);
    }
    if square.may_be_zero() {
        return Err(refused("the damping is critical"));
    }
    let fast = decay + (-square).sqrt();
    let slow = k / m / fast;
    let first = (w + fast * q) / (fast - slow);
    let free = [first, q - first];
    for (rate, size) in [slow, fast].into_iter().zip(free) {
        arc.waves.push(Wave::new(true, [rate, Ball::ZERO, Ball::ZERO], [size, Ball::ZERO]));
    }
    Ok(free)
}

/// How far two arcs under one load may come apart within `length` (s) when they are `x` (m) and `v` (m/s) apart at first:
/// their difference is a free motion, whose energy does not grow.
fn spread(o: &Oscillator, [x, v]: [f64; 2], length: f64) -> [f64; ORDERS] {
    let (m, c, k) = (o.mass, o.damping, o.stiffness);
    let mut apart = [0.0; ORDERS];
    if x == 0.0 && v == 0.0 {
        return apart;
    }
    if k > 0.0 {
        let energy = up(k * x * x + m * v * v);
        (apart[0], apart[1]) = (up(up(energy / k).sqrt()), up(up(energy / m).sqrt()));
    } else {
        (apart[0], apart[1]) = (up(x + v * length), v);
    }
    for n in 2..ORDERS {
        apart[n] = up((c * apart[n - 1] + k * apart[n - 2]) / m);
    }
    apart
}
