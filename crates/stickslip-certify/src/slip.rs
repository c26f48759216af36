//! The arc of a slip: the solution of m ÿ + c ẏ + k y = load − 𝔽 with 𝔽 constant, as a [`Curve`].

use super::ball::{Ball, up};
use super::curve::{Curve, ORDERS, Wave};
use stickslip::error::{Error, Short};

/// Where an arc begins: at a middle, with what is not known of the true state there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// s; known exactly.
    pub time: Ball,
    /// m and m/s.
    pub x: Ball,
    pub v: Ball,
}

/// What the mass moves in: m y″ + c y′ + k y = load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Medium {
    pub mass: f64,
    pub damping: Ball,
    pub stiffness: Ball,
}

/// The arc from `start` under `load`, friction included, until `until` (s), and the coefficients of the free part of the true
/// one, which begins `here`: what is not known of its instant is not known of them either.
pub(super) fn arc(
    medium: &Medium,
    (start, here): (Start, Start),
    load: &Curve,
    until: f64,
) -> Result<(Curve, [Ball; 2]), Error> {
    let mut arc = Curve { waves: Vec::new(), ..load.clone() };
    arc.cubic = polynomial_response(medium, load.cubic);
    for wave in &load.waves {
        arc.waves.push(response(medium, wave)?);
    }
    let [p, p1] = arc.two(here.time, 0);
    let (known, _) = free(medium, [here.x - p, here.v - p1])?;
    let [p, p1] = arc.two(start.time, 0);
    let (middle, kind) = free(medium, [start.x.middle() - p, start.v.middle() - p1])?;
    kind.add(&mut arc, middle);
    let length = (Ball::from(until) - start.time).size();
    arc.spread = spread(medium, [start.x.radius(), start.v.radius()], length);
    Ok((arc, known))
}

/// The particular solution for a harmonic load; at resonance the one that grows from zero displacement.
fn response(medium: &Medium, wave: &Wave) -> Result<Wave, Error> {
    let m = Ball::from(medium.mass);
    let c = medium.damping;
    let k = medium.stiffness;
    let w = wave.frequency;
    let [a, b] = wave.sizes[0];
    let of = |first| Wave::new(false, [Ball::ZERO, w, wave.phase], first);
    if medium.resonates(w) {
        let size = (m * w).scaled(2.0);
        return Ok(of([Ball::ZERO; 2]).growing([-(b / size), a / size]));
    }
    let re = k - m * w * w;
    let im = c * w;
    if c == Ball::ZERO && re.size() < 1e-7 * k.size() {
        return Err(refused(
            "the frequency of a load is next to the natural frequency of a mass without a damper, but not equal to it",
        ));
    }
    let norm = re * re + im * im;
    let [cosine, sine] = [a * re - b * im, a * im + b * re];
    Ok(of([cosine / norm, sine / norm]))
}

impl Medium {
    /// Whether a load of this frequency acts at resonance: k = m w², exactly, without a damper. Where w² has more digits than a
    /// double, so has m w².
    fn resonates(&self, frequency: Ball) -> bool {
        let w = frequency.value();
        self.damping == Ball::ZERO
            && Ball::is_product(w * w, [w, w])
            && self.stiffness == Ball::from(self.stiffness.value())
            && Ball::is_product(self.stiffness.value(), [self.mass, w * w])
    }

    /// Whether c² = 4 m k, exactly.
    fn is_critical(&self) -> bool {
        let [c, k] = [self.damping, self.stiffness];
        let exact = [c, k].into_iter().all(|b| b == Ball::from(b.value()));
        exact && Ball::equal_products([c.value(), c.value()], [4.0 * self.mass, k.value()])
    }
}

/// The error of what cannot be certified yet.
pub(super) fn refused(reason: &str) -> Error {
    Error::Uncertified { reason: reason.to_owned() }
}

/// The particular solution for a load l₀ + l₁ s + l₂ s²; l₂ = 0 where there is no spring.
fn polynomial_response(medium: &Medium, [l0, l1, l2, _]: [Ball; 4]) -> [Ball; 4] {
    let m = Ball::from(medium.mass);
    let c = medium.damping;
    let k = medium.stiffness;
    if k != Ball::ZERO {
        let bend = l2 / k;
        let slope = (l1 - (c * bend).scaled(2.0)) / k;
        return [(l0 - c * slope - (m * bend).scaled(2.0)) / k, slope, bend, Ball::ZERO];
    }
    if c != Ball::ZERO {
        let growth = l1 / c;
        return [Ball::ZERO, (l0 - m * growth) / c, growth.scaled(0.5), Ball::ZERO];
    }
    let third = l1 / (m * Ball::from(6.0));
    [Ball::ZERO, Ball::ZERO, (l0 / m).scaled(0.5), third]
}

/// What a free motion is made of.
enum Free {
    /// 1 and s.
    Line,
    /// e^{−δs} and s e^{−δs}.
    Critical(Ball),
    /// e^{−δs} cos ωs and e^{−δs} sin ωs.
    Swinging(Ball, Ball),
    /// e^{−s/τ₁} and e^{−s/τ₂}, slower first.
    Creeping([Ball; 2]),
}

impl Free {
    /// Adds the motion with these coefficients.
    fn add(self, arc: &mut Curve, [a, b]: [Ball; 2]) {
        let wave = |[decay, frequency]: [Ball; 2], sizes| {
            Wave::new(true, [decay, frequency, Ball::ZERO], sizes)
        };
        match self {
            Self::Line => {
                arc.cubic[0] = arc.cubic[0] + a;
                arc.cubic[1] = arc.cubic[1] + b;
            }
            Self::Critical(decay) => {
                let plain = wave([decay, Ball::ZERO], [a, Ball::ZERO]);
                arc.waves.push(plain.growing([b, Ball::ZERO]));
            }
            Self::Swinging(decay, frequency) => arc.waves.push(wave([decay, frequency], [a, b])),
            Self::Creeping(rates) => {
                for (rate, size) in rates.into_iter().zip([a, b]) {
                    arc.waves.push(wave([rate, Ball::ZERO], [size, Ball::ZERO]));
                }
            }
        }
    }
}

/// The coefficients of the free motion with displacement `q` and velocity `w` at first, and what it is made of.
fn free(medium: &Medium, [q, w]: [Ball; 2]) -> Result<([Ball; 2], Free), Error> {
    let m = Ball::from(medium.mass);
    let c = medium.damping;
    let k = medium.stiffness;
    if k == Ball::ZERO && c == Ball::ZERO {
        return Ok(([q, w], Free::Line));
    }
    let decay = (c / m).scaled(0.5);
    if medium.is_critical() {
        return Ok(([q, w + decay * q], Free::Critical(decay)));
    }
    let square = k / m - decay * decay;
    if square.lower() > 0.0 {
        let frequency = square.sqrt();
        return Ok(([q, (w + decay * q) / frequency], Free::Swinging(decay, frequency)));
    }
    if square.may_be_zero() {
        return Err(refused("the damping is critical but for a rounding"));
    }
    let fast = decay + (-square).sqrt();
    let slow = k / m / fast;
    let first = (w + fast * q) / (fast - slow);
    Ok(([first, q - first], Free::Creeping([slow, fast])))
}

/// How far two arcs under one load may come apart within `length` (s) when they are `x` (m) and `v` (m/s) apart at first:
/// their difference is a free motion, whose energy does not grow.
fn spread(medium: &Medium, [x, v]: [f64; 2], length: f64) -> [f64; ORDERS] {
    let m = medium.mass;
    let c = medium.damping.size();
    let k = medium.stiffness.size();
    let mut apart = [0.0; ORDERS];
    if x == 0.0 && v == 0.0 {
        return apart;
    }
    if medium.stiffness != Ball::ZERO {
        let energy = up(k * x * x + m * v * v);
        apart[0] = up(up(energy / medium.stiffness.lower()).sqrt());
        apart[1] = up(up(energy / m).sqrt());
    } else {
        (apart[0], apart[1]) = (up(x + v * length), v);
    }
    for n in 2..ORDERS {
        apart[n] = up((c * apart[n - 1] + k * apart[n - 2]) / m);
    }
    apart
}

/// The state at the middle of the instant at which an arc begins with the state `here`: one that begins a little earlier or
/// later has another speed there, and is elsewhere.
pub(super) fn widened(
    medium: &Medium,
    load: &Curve,
    here: Start,
    until: f64,
) -> Result<Start, Error> {
    let time = here.time.middle();
    let r = here.time.radius();
    if r == 0.0 {
        return Ok(here);
    }
    let m = medium.mass;
    let c = medium.damping;
    let k = medium.stiffness;
    let pushed = load.two::<Ball>(here.time, 0)[0];
    let a = (pushed - k * here.x - c * here.v) / Ball::from(m);
    let speed = here.v.size();
    let k = k.size();
    // |a| ≤ A on the way if A ≥ |a₀| + r (L + K |v₀| + c A + K A r)/m, L the largest rate of the load: hardly more than what
    // A = 0 gives will do. And the waves of the arc grow by 10⁻¹² at most before its origin: see `Wave::bound`.
    if r * (c.size() + k * r) > 1e-12 * m || r.is_nan() {
        return Err(refused(&format!(
            "from t = {} s on the instants of the events are not known well enough; end the run before",
            Short(time.value())
        )));
    }
    let rate = up(load.bound(1, until) + k * speed);
    let most = up((1.0 + 1e-11) * up(a.size() + r * rate / m));
    let gained = up(most * r);
    let x = here.x.widened(up(up(speed + gained) * r));
    let v = here.v.widened(gained);
    Ok(Start { time, x, v })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::signal::Harmonic;

    /// 0.3 + 0.2 t + 0.7 cos(ωt + 0.4), from `origin` on.
    fn load(origin: Ball, frequency: f64) -> Curve {
        let [level, rate] = [0.3, 0.2].map(Ball::from);
        let h = Harmonic { amplitude: 0.7, angular_frequency: frequency, phase: 0.4 };
        let waves = vec![Wave::of_harmonic(&h, [Ball::from(0.7), Ball::ZERO])];
        let cubic = [level + rate * origin, rate, Ball::ZERO, Ball::ZERO];
        Curve { origin, cubic, waves, spread: [0.0; ORDERS] }
    }

    /// Whatever the true instant and state are within what is known of them, the coefficients of the motion that begins there lie in
    /// the bounds.
    #[test]
    fn the_coefficients_of_every_true_arc_lie_in_their_bounds() {
        let known = 1e-9;
        for (damping, stiffness, frequency) in [
            (0.0, 2.0, 1.3),
            (0.4, 2.0, 1.3),
            (2.0, 2.0, 1.3), // critical
            (5.0, 2.0, 1.3),
            (0.7, 0.0, 1.3),
            (0.0, 0.0, 1.3),
            (0.0, 2.0, 2.0), // resonance
        ] {
            let medium = Medium {
                mass: 0.5,
                damping: Ball::from(damping),
                stiffness: Ball::from(stiffness),
            };
            let [time, x, v] = [5.0, 0.8, -0.6].map(Ball::from);
            let here =
                Start { time: time.widened(known), x: x.widened(known), v: v.widened(known) };
            let middle = Start { time, x, v };
            let (_, bounds) = arc(&medium, (middle, here), &load(time, frequency), 9.0).unwrap();
            for corner in 0..8 {
                let [time, x, v] = [(time, 1), (x, 2), (v, 4)].map(|(middle, bit)| {
                    let side = if corner & bit == 0 { -0.99 } else { 0.99 };
                    middle + Ball::from(side * known)
                });
                let start = Start { time, x, v };
                let load = load(time, frequency);
                let (_, free) = arc(&medium, (start, start), &load, 9.0).unwrap();
                for (true_one, bound) in free.into_iter().zip(bounds) {
                    let inside =
                        bound.lower() <= true_one.lower() && true_one.upper() <= bound.upper();
                    assert!(inside, "{damping} {stiffness}: {true_one:?} {bound:?}");
                    assert!(bound.upper() - bound.lower() < 100.0 * known, "{damping} {stiffness}");
                }
            }
        }
    }
}
