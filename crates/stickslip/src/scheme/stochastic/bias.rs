//! How far the steps bring the statistics of paths off, by estimates: what is above one per cent is said, with the step that
//! keeps below it.
//!
//! | scheme | where | bias of a variance, about |
//! |---|---|---|
//! | any | white noise s_B, friction f_s | −h f_s²/s_B² (of the velocity; a quarter of it of the displacement) |
//! | any | filtered noise of variance σ² and local intensity s (rate r: s² = 2rσ²), friction f | h f² s²/(30 σ⁴) |
//! | any | the same, f_s > f_d | 0.58 s √h (f_s − f_d)/σ² |
//! | any | Kanai–Tajimi noise of ω_g, ζ_g and variance σ², friction f | −(0.4 + 0.04/ζ_g) (ω_g h)^{3/2} √(f/σ), of the velocity |
//! | any | filtered noise of rate r | (r h)²/12, with friction up to twice that |
//! | `theta` | frequency ω, on the way to the stationary state | (ω h)²/4 |
//! | `theta` | networks without massless nodes, up to 16 | none: both equations of Lyapunov are solved; first passages: (ω h)²/12 with the shares of the modes |
//! | `theta` | other networks | (ω h)²/4 with the shares of the modes |
//! | `euler` | damping δ = c/2m | (ω² h/2)/(δ − ω² h/2) |
//! | `implicit-euler` | damping δ = c/2m | −(ω² h/2)/(δ + ω² h/2) |
//! | `implicit-euler` | laws with memory, small motions | the same with what the contact adds to k and c at rest |
//! | `theta` | networks, sliders with memory, small motions | the same with the stiffness of the bristles alone, which move with the velocity of the end of the step |
//! | `implicit-euler` | a plane | the same with bounds on ω and δ |
//!
//! The first line: near v = 0 the friction of a step is −hf only where the noise of the step leaves |p| > hf, so that its mean
//! is a smoothed sign. By quadrature for dv + f sign v dt = s_B dB the bias of the variance of v is −0.80, −0.85 of h f²/s_B² at
//! h f²/s_B² = 0.1, 0.05, and tends to −1. The second and the third were measured against fine steps; the third is the overshoot
//! 0.58 s√h of a random walk over a barrier (Siegmund 1979) that breakaway is late by, over the force. The fourth was measured for
//! ζ_g of 0.25 to 0.9, ω_g of 0.75 to 5 times the frequency of the mass, f of 0.3 σ and σ and steps of T/50 to T/200, and tried on ζ_g of 0.15, 0.35 and 0.6
//! with f of 0.1 σ to 2 σ: it is an upper bound, 11 % where the velocity lacks 7.5 % (ω_g h = 0.38, ζ_g = 0.5, f = σ). Noise of 0.75 times the
//! frequency of the mass had no such bias. The fifth is the rate (2/h) tanh(rh/2) that the mean of both ends of a step has in place of r.

use super::Rule;
use super::covariance::Shaken;
use crate::law::memory::small_motions;
use crate::model::machine::Friction;
use crate::model::network::{Link, Slider};
use crate::model::{Hysteretic, Machine, Model, Network, NoiseOn, Oscillator, Place, Problem};
use crate::numeric::natural_frequency;
use crate::numeric::{Modes, modes};
use crate::portable;
use crate::signal::noise::Noise;

/// What is worth saying.
const WORTH: f64 = 0.01;

/// By how much more than (ωh)²/4 a mode may be off, where the spectrum of the noise is steep. Only where the covariances themselves are
/// not computed.
const RESERVE: f64 = 1.25;

/// So many nodes have their covariances computed: the products of matrices take 10 ms then, and grow with the cube.
const FEW: usize = 16;

/// The mean overshoot of a random walk with normal steps over a barrier, in standard deviations of a step: −ζ(½)/√(2π).
const OVERSHOOT: f64 = 0.5826;

/// What users should know of the statistics of the paths of `problem` with steps `step` (s) by `rule`: each way in which they are
/// off by more than one per cent, and the step that keeps below it. What is not seen here: laws with a velocity or an
/// age, normal forces, belts, noises on a support, and friction in a plane; of machines their stops, controllers, gears and springs that
/// are not linear.
pub fn warnings(problem: &Problem, step: f64, rule: Rule) -> Vec<String> {
    if problem.noises.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(contact_warnings(problem, step));
    found.extend(coarse_noise(problem, step));
    match (&problem.model, rule) {
        (Model::Oscillator(o), _) => found.extend(of_oscillator(o, problem.end, step, rule)),
        (Model::Network(n), Rule::ImplicitEuler) => {
            found.extend(damped_network(n, problem.end, step));
        }
        (Model::Network(_), Rule::ExplicitSign) => found.push(
            "the scheme sign-euler gains energy in its explicit springs; it is there to show what fails: take the scheme \
             theta for statistics"
                .to_owned(),
        ),
        (Model::Network(n), _) => found.extend(coarse_modes(n, problem, step)),
        (Model::Cascade(c), _) => {
            // Nothing yields yet at small displacements: the cascade is as stiff as it ever is, and its frequency the
            // highest.
            let stiffness = c.backbone().stiffness()[0];
            let omega = natural_frequency(stiffness, c.mass);
            found.extend(match rule {
                Rule::Theta => coarse_steps(omega, step),
                _ => driven("implicit-euler", omega, 0.0, problem.end, step),
            });
        }
        (Model::Hysteretic(h), _) => found.extend(on_bristle(h, problem.end, step)),
        (Model::Machine(m), Rule::ImplicitEuler) => found.extend(damped_machine(m, problem.end, step)),
        (Model::Machine(m), _) => {
            found.extend(coarse_modes(m.network(), problem, step));
            found.extend(damped_bristles(m, problem.end, step));
        }
        (Model::Planar(p), _) => {
            let damping = [0, 1].map(|i| p.damping[i][i] / p.mass);
            let least = damping[0].min(damping[1]);
            found.extend(damped_by_steps([p.swings(), 0.5 * least], problem.end, step));
        }
        (Model::Isolated(i), _) => {
            found.extend(damped_by_steps([i.swings(), 0.0], problem.end, step));
        }
        (Model::Impact(_), _) => {}
    }
    found
}

/// The white and the filtered noise on one point.
#[derive(Debug, Clone, Copy, Default)]
struct Rough {
    /// Σ s_B², N²·s.
    white: f64,
    /// Variance of the filtered forces, N², and Σ of the squared intensities with which they change in short times, N²/s.
    variance: f64,
    local: f64,
    /// The largest (0.4 + 0.04/ζ_g)^{2/3} ω_g of a noise of Kanai and Tajimi that is no slower than the mass, rad/s.
    ground: f64,
}

impl Rough {
    /// On a mass of the frequency `omega` (rad/s), 0 where it is not known.
    fn add(&mut self, noise: &Noise, gain: f64, omega: f64) {
        match *noise {
            Noise::White { intensity } => self.white += (gain * intensity).powi(2),
            Noise::OrnsteinUhlenbeck { intensity, scale, .. } => {
                self.local += (gain * scale * intensity).powi(2);
            }
            Noise::KanaiTajimi { angular_frequency, damping_ratio, intensity, scale } => {
                let factor = 2.0 * damping_ratio * angular_frequency;
                self.local += (gain * scale * intensity * factor).powi(2);
                let share = 0.4 + 0.04 / damping_ratio;
                let swings = portable::pow(share, 2.0 / 3.0) * angular_frequency;
                // Of noise slower than the mass no such bias was seen.
                if angular_frequency > 0.75 * omega {
                    self.ground = self.ground.max(swings);
                }
            }
        }
        self.variance += gain * gain * noise.stationary_variance().unwrap_or(0.0);
    }
}

/// Of each contact with the noises that act on it.
fn contact_warnings(problem: &Problem, step: f64) -> Vec<String> {
    let mut found = Vec::new();
    match &problem.model {
        Model::Oscillator(o) => {
            let mut rough = Rough::default();
            let omega = natural_frequency(o.stiffness, o.mass);
            for NoiseOn { place, noise } in &problem.noises {
                match place {
                    Place::Drive => rough.add(noise, o.stiffness, omega),
                    Place::Force | Place::Node(_) => rough.add(noise, 1.0, omega),
                    // What moves the support acts on the mass through friction only: the estimates are for forces.
                    Place::Support => {}
                    // Nor is there one of a plane here.
                    Place::PlaneForce(_) | Place::PlaneBase(_) => {}
                }
            }
            let limits = [o.friction.breakaway(), o.friction.sliding()];
            found.extend(rubs("", limits, rough, step));
        }
        Model::Network(n) => {
            for s in n.sliders() {
                // Many sliders are told by one of them.
                if let Some(said) = on_slider(problem, s, [s.breakaway, s.dynamic], step) {
                    found.push(said);
                    break;
                }
            }
        }
        Model::Machine(m) => {
            for (s, f) in m.network().sliders().iter().zip(m.frictions()) {
                // Bristles are told by what they damp.
                if f.bristle.is_some() {
                    continue;
                }
                let normal = s.normal_at(0.0);
                let limits = [f.law.breakaway(), f.law.sliding()].map(|force| normal * force);
                if let Some(said) = on_slider(problem, s, limits, step) {
                    found.push(said);
                    break;
                }
            }
        }
        // The elements of a cascade have no mass: they follow the motion, which is smooth.
        Model::Cascade(_)
        | Model::Impact(_)
        | Model::Planar(_)
        | Model::Isolated(_)
        | Model::Hysteretic(_) => {}
    }
    found
}

/// Of a slider with friction of `limits` f_s, f_d (N), by the noises on its ends.
fn on_slider(problem: &Problem, s: &Slider, limits: [f64; 2], step: f64) -> Option<String> {
    let mut rough = Rough::default();
    for NoiseOn { place, noise } in &problem.noises {
        if matches!(place, Place::Node(i) if s.between().contains(&Some(*i))) {
            rough.add(noise, 1.0, 0.0);
        }
    }
    rubs(&format!(" of the slider `{}`", s.name), limits, rough, step)
}

/// What the steps do to friction of `limits` f_s, f_d (N) under noise.
fn rubs(of: &str, [held, sliding]: [f64; 2], rough: Rough, step: f64) -> Option<String> {
    let Rough { white, variance, local, ground } = rough;
    // Without friction no line of the table about it applies.
    if held <= 0.0 || !held.is_finite() {
        return None;
    }
    // White noise outweighs any filtered one in short times, so that its line is the one that counts.
    if white > 0.0 {
        let bias = step * held * held / white;
        return (bias > WORTH).then(|| {
            format!(
                "the step {step:?} s is long for the friction{of} under white noise: the variance of the velocity is about \
                 {} too small; expected a step of {} s or less",
                percent(bias.min(1.0)),
                two_digits(WORTH * step / bias)
            )
        });
    }
    if variance <= 0.0 {
        return None;
    }
    let shaken = step * held * held * local / (30.0 * variance * variance);
    let late = OVERSHOOT * (local * step).sqrt() * (held - sliding).max(0.0) / variance;
    let swung = portable::pow(ground * step, 1.5) * (held / variance.sqrt()).sqrt();
    // Each bias goes with a power of h, 1/2, 1 and 3/2: the step that makes it one per cent follows from that power.
    let by_lateness = step * (WORTH / late).powi(2);
    let by_shaking = step * (WORTH / shaken).min(portable::pow(WORTH / swung, 2.0 / 3.0));
    // Of the noise of Kanai and Tajimi only an upper bound is known, of the others the size.
    let about = if swung > shaken { "up to" } else { "about" };
    let shaken = shaken.max(swung);
    if late > WORTH && by_lateness < by_shaking {
        return Some(format!(
            "the step {step:?} s is long for the breakaway{of}, which is seen at the ends of the steps only: statistics are \
             off by up to {}, and by half of that with a quarter of the step; expected a step of {} s or less",
            percent(late.min(1.0)),
            two_digits(by_lateness)
        ));
    }
    (shaken > WORTH).then(|| {
        format!(
            "the step {step:?} s is long for the friction{of} under this noise: variances are off by {about} {}; expected a step \
             of {} s or less",
            percent(shaken.min(1.0)),
            two_digits(by_shaking)
        )
    })
}

/// Of filtered noises that are coarse, though not so coarse that they say so themselves.
fn coarse_noise(problem: &Problem, step: f64) -> Option<String> {
    let rate = problem.noises.iter().map(|n| n.noise.fastest_rate()).fold(0.0, f64::max);
    let rubs = match &problem.model {
        Model::Oscillator(o) => o.friction.breakaway() > 0.0,
        Model::Network(n) => n.sliders().iter().any(|s| s.breakaway > 0.0),
        _ => true,
    };
    // (rh)²/12, and with friction up to twice that.
    let share = if rubs { 1.0 / 6.0 } else { 1.0 / 12.0 };
    let bias = (rate * step).powi(2) * share;
    // Beyond half a time constant the noise itself warns of the step.
    (bias > WORTH && rate * step <= 0.5).then(|| {
        format!(
            "the step {step:?} s is long for the noise, which changes at a rate of {} 1/s: variances are off by up to {}; \
             expected a step of {} s or less",
            two_digits(rate),
            percent(bias),
            two_digits((WORTH / share).sqrt() / rate)
        )
    })
}

/// Implicit Euler damps a motion of frequency ω (rad/s) and decay δ (1/s) by its steps, if nothing slides: a bound where ω is one.
fn damped_by_steps([omega, decay]: [f64; 2], end: f64, step: f64) -> Option<String> {
    let taken = 0.5 * omega * omega * step;
    let own = decay.max(1.0 / end);
    let bias = taken / (own + taken);
    (bias > WORTH).then(|| {
        format!(
            "the scheme implicit-euler damps the motion by its steps: without friction variances would be up to {} too small; expected a \
             step of {} s or less",
            percent(bias),
            two_digits(WORTH / (1.0 - WORTH) * own * 2.0 / (omega * omega))
        )
    })
}

/// A mass on a bristle that does not yield swings on both springs, and implicit Euler damps that as it damps any oscillation.
fn on_bristle(h: &Hysteretic, end: f64, step: f64) -> Option<String> {
    let body = h.body()?;
    let normal = h.normal.as_ref().map_or(1.0, |n| n.value(0.0));
    let [spring, dashpot] = small_motions(h.law()).map(|c| normal * c);
    let square = (body.stiffness + spring) / body.mass;
    let taken = 0.5 * square * step;
    let own = (0.5 * (body.damping + dashpot) / body.mass).max(1.0 / end);
    let bias = taken / (own + taken);
    (bias > WORTH).then(|| {
        format!(
            "the scheme implicit-euler damps the motion by its steps: as long as the contact does not slip variances are up to {} too \
             small; expected a step of {} s or less",
            percent(bias),
            two_digits(WORTH / (1.0 - WORTH) * own * 2.0 / square)
        )
    })
}

fn of_oscillator(o: &Oscillator, end: f64, step: f64, rule: Rule) -> Option<String> {
    let omega = natural_frequency(o.stiffness, o.mass);
    let damping = 0.5 * o.damping / o.mass;
    match rule {
        Rule::Theta => coarse_steps(omega, step),
        Rule::Euler | Rule::ExplicitSign => driven(rule.name(), omega, damping, end, step),
        Rule::ImplicitEuler => {
            let taken = 0.5 * omega * omega * step;
            // In a short run not the damping but its length bounds how far the motion builds up.
            let own = damping.max(1.0 / end);
            let bias = taken / (own + taken);
            (bias > WORTH)
                .then(|| damped(bias, WORTH / (1.0 - WORTH) * own * 2.0 / (omega * omega)))
        }
    }
}

/// The θ-method with θ = ½ turns a little slowly.
fn coarse_steps(omega: f64, step: f64) -> Option<String> {
    let bias = (omega * step).powi(2) / 4.0;
    (bias > WORTH).then(|| {
        format!(
            "the step {step:?} s is long for the period {} s: on the way to the stationary state variances and first passages \
             are off by up to {}; expected a step of {} s or less",
            two_digits(std::f64::consts::TAU / omega),
            percent(bias),
            two_digits(2.0 * WORTH.sqrt() / omega)
        )
    })
}

/// The same for the modes of a network, each by its share in the variance of the velocity of a node, where fast modes have more
/// of it than in that of the displacement. A mode of frequency ω that decays with c (1/s) has φ² S(ω)/2c of it under a noise of
/// the spectrum S. Where that is steep the slower turning changes the noise at the resonance, too: hence the reserve, or the covariances
/// themselves. First passages go with the frequencies, which are too low by (ωh)²/12.
fn coarse_modes(n: &Network, problem: &Problem, step: f64) -> Option<String> {
    let heavy = heavy(n);
    let size = heavy.len();
    let Quadratic { damping, stiffness, .. } = Quadratic::of(n, problem.end)?;
    let at = |i: usize| heavy.binary_search(&i).ok();
    let mut mass = vec![0.0; size * size];
    for (k, &i) in heavy.iter().enumerate() {
        mass[k * size + k] = n.nodes()[i].mass;
    }
    for shared in n.shared_masses() {
        if let [Some(k), Some(l)] = shared.between.map(at) {
            mass[k * size + l] += shared.mass;
            mass[l * size + k] += shared.mass;
        }
    }
    // The modes are those without damping; what they take of it is the diagonal of φᵀCφ.
    let Modes { shapes: phi, squares } = modes(&mass, &stiffness, size)?;
    let of = |node: usize, mode: usize| phi[node * size + mode];
    let shaken: Vec<f64> = (0..size)
        .map(|m| {
            let omega = squares[m].max(0.0).sqrt();
            let force = |on: &NoiseOn| match on.place {
                Place::Node(i) => {
                    at(i).map_or(0.0, |k| of(k, m).powi(2) * spectrum(&on.noise, omega))
                }
                _ => 0.0,
            };
            // The variance of a mode is what the noises give at its frequency over what its damping takes.
            let given: f64 = problem.noises.iter().map(force).sum();
            let taken: f64 = (0..size * size)
                .map(|e| of(e / size, m) * damping.entries[e] * of(e % size, m))
                .sum();
            given / taken
        })
        .collect();
    let biased = |node: usize| {
        let part = |m: usize| of(node, m).powi(2) * shaken[m];
        let off = |m: usize| part(m) * squares[m].max(0.0) * step * step / 4.0;
        let all: f64 = (0..size).map(part).sum();
        let worst = (0..size).max_by(|a, b| off(*a).total_cmp(&off(*b)));
        ((0..size).map(off).sum::<f64>() / all, worst, node)
    };
    let slowest = squares.iter().filter(|w| **w > 0.0).fold(f64::INFINITY, |a, w| a.min(w.sqrt()));
    let known = covariances_off(n, problem, step, [&mass, &stiffness], slowest);
    let by_shares = |node: usize| {
        let (bias, mode, node) = biased(node);
        let bias = match &known {
            // What the first passages are off by, and the variances.
            Some(off) => (bias / 3.0).max(off[node]),
            None => RESERVE * bias,
        };
        (bias, mode, node)
    };
    let found = (0..size).map(by_shares).filter(|b| b.0.is_finite());
    let (bias, mode, node) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (bias > WORTH).then(|| {
        let omega = mode.map_or(0.0, |m| squares[m].max(0.0).sqrt());
        format!(
            "the step {step:?} s is long for the period {} s of a mode of the node `{}`: on the way to the stationary state \
             variances and first passages are off by up to {}; expected a step of {} s or less",
            two_digits(std::f64::consts::TAU / omega),
            n.nodes()[heavy[node]].name,
            percent(bias),
            two_digits(step * (WORTH / bias).sqrt())
        )
    })
}

/// How far the variances of the displacement and velocity of each node are off at the end, at a half, a quarter … of the run down to four
/// periods of the slowest mode, by the covariances of the steps and of the system. Nothing of networks that are large, or have nodes
/// without mass, whose springs are not those of the matrices.
fn covariances_off(
    n: &Network,
    problem: &Problem,
    step: f64,
    [mass, stiffness]: [&[f64]; 2],
    slowest: f64,
) -> Option<Vec<f64>> {
    let heavy = heavy(n);
    let size = heavy.len();
    let free = n.nodes().iter().filter(|node| node.motion.is_none()).count();
    if size > FEW || size < free {
        return None;
    }
    let place = |on: &NoiseOn| match on.place {
        Place::Node(i) => Some((heavy.binary_search(&i).ok()?, on.noise)),
        _ => None,
    };
    let noises: Option<Vec<_>> = problem.noises.iter().map(place).collect();
    // With an endless run nothing is added to the damping for the time that the motion has to grow.
    let damping = Quadratic::of(n, f64::INFINITY)?.damping.entries;
    let shaken = Shaken { size, mass, damping: &damping, stiffness, noises: &noises? };
    let system = shaken.exact(step)?;
    let scheme = shaken.theta(step)?;
    let periods = 4.0 * std::f64::consts::TAU / slowest;
    let mut off = vec![0.0f64; size];
    let mut time = problem.end;
    loop {
        // Both are compared after the same number of whole steps, so that only the law of a step differs.
        let count = (time / step) as u64;
        let exact = system.variances(count);
        let found = scheme.variances(count);
        for half in [0, size] {
            let largest = exact[half..half + size].iter().fold(0.0f64, |a, x| a.max(*x));
            for i in 0..size {
                let [exact, found] = [exact[half + i], found[half + i]];
                // What hardly moves beside the others has no variance that anybody looks at.
                if exact > 1e-9 * largest {
                    off[i] = off[i].max((found / exact - 1.0).abs());
                }
            }
        }
        time *= 0.5;
        if time < periods || periods.is_nan() {
            return Some(off);
        }
    }
}

/// The spectral density of a noise at ω: of white noise of intensity s_B it is s_B².
fn spectrum(noise: &Noise, omega: f64) -> f64 {
    match *noise {
        Noise::White { intensity } => intensity * intensity,
        Noise::OrnsteinUhlenbeck { rate, intensity, scale } => {
            (scale * intensity).powi(2) / (rate * rate + omega * omega)
        }
        Noise::KanaiTajimi { angular_frequency: g, damping_ratio, intensity, scale } => {
            let through = (2.0 * damping_ratio * g * omega).powi(2);
            let apart = (g * g - omega * omega).powi(2);
            (scale * intensity).powi(2) * (g.powi(4) + through) / (apart + through)
        }
    }
}

/// Explicit steps gain ω²h/2 each second, against `damping` (1/s).
fn driven(scheme: &str, omega: f64, damping: f64, end: f64, step: f64) -> Option<String> {
    let gained = 0.5 * omega * omega * step;
    // Without damping what counts is how long it grows.
    let own = damping.max(1.0 / end);
    if gained <= WORTH * own {
        return None;
    }
    let how = if damping > gained {
        format!(
            "while the damping takes away {} 1/s: without friction, variances are {} too large",
            two_digits(damping),
            percent(gained / (damping - gained))
        )
    } else if damping > 0.0 {
        format!(
            "while the damping takes away only {} 1/s: nothing but friction bounds the motion",
            two_digits(damping)
        )
    } else {
        "and there is no damping".to_owned()
    };
    Some(format!(
        "the scheme {scheme} drives the motion: the steps add {} 1/s to the growth of its amplitude, {how}; take the scheme theta, or a \
         step of {} s or less",
        two_digits(gained),
        two_digits(2.0 * WORTH * own / (omega * omega))
    ))
}

fn damped(bias: f64, below: f64) -> String {
    format!(
        "the scheme implicit-euler damps the motion by its steps: variances are up to {} too small; take the scheme theta, or a \
         step of {} s or less",
        percent(bias),
        two_digits(below)
    )
}

/// A coefficient between the ends of a part.
type Between<T> = ([Option<usize>; 2], T);

/// What bristles that do not slip add to springs and dashpots, by the ends of their sliders.
fn bristles(m: &Machine) -> Vec<Between<[f64; 2]>> {
    let both = m.network().sliders().iter().zip(m.frictions());
    let of = |(slider, friction): (&Slider, &Friction)| {
        let law = friction.bristle.as_ref()?.law.law();
        let normal = slider.normal_at(0.0);
        Some((slider.between(), small_motions(law).map(|c| normal * c)))
    };
    both.filter_map(of).collect()
}

/// The largest step that damps no motion of a machine by more than one per cent, of those which add h·k to what the springs k take.
fn undamped(m: &Machine, springs: &[Between<f64>], end: f64, step: f64) -> Option<[f64; 2]> {
    let dashpots = m.network().dashpots().iter().map(|d| (d.between(), d.coefficient));
    let bent = bristles(m).into_iter().map(|(ends, [_, c])| (ends, c));
    let dashpots: Vec<_> = dashpots.chain(bent).collect();
    within(Quadratic::with(m.network(), [&dashpots, springs], end)?, step)
}

/// Implicit Euler damps a machine that does not slip as it damps any network.
fn damped_machine(m: &Machine, end: f64, step: f64) -> Option<String> {
    let springs = m.network().springs().iter().map(|s| (s.between(), s.coefficient));
    let bent = bristles(m).into_iter().map(|(ends, [k, _])| (ends, k));
    let springs: Vec<_> = springs.chain(bent).collect();
    undamped(m, &springs, end, step).map(damped_by)
}

/// Bristles go with the velocity of the end of the step, whatever θ is.
fn damped_bristles(m: &Machine, end: f64, step: f64) -> Option<String> {
    let springs: Vec<_> = bristles(m).into_iter().map(|(ends, [k, _])| (ends, k)).collect();
    let [bias, below] = undamped(m, &springs, end, step)?;
    Some(format!(
        "the step {step:?} s is long for the bristles of the sliders, which damp the motion by it: as long as none slips variances are up \
         to {} too small; expected a step of {} s or less",
        percent(bias),
        two_digits(below)
    ))
}

/// Implicit Euler adds the damping hK to C. With 2M/T for the length T of the run, the largest step for which that is less
/// than one per cent in every direction is that for which C + 2M/T − 100 h K is still positive definite.
fn damped_network(n: &Network, end: f64, step: f64) -> Option<String> {
    within(Quadratic::of(n, end)?, step).map(damped_by)
}

fn damped_by([bias, below]: [f64; 2]) -> String {
    if below > 0.0 {
        return damped(bias, below);
    }
    "the scheme implicit-euler damps the motion by its steps; take the scheme theta".to_owned()
}

/// Of steps that add h K to C: the bias of a variance by the step `step` (s), and the step that keeps it below one per cent, if `step` does
/// not.
fn within(of: Quadratic, step: f64) -> Option<[f64; 2]> {
    let Quadratic { size, mut damping, stiffness } = of;
    let mut positive = |h: f64| damping.test(size, |e| -100.0 * h * stiffness[e]);
    if positive(step) {
        return None;
    }
    // Positive definite at h = 0 and no longer at `step`: the edge is between, since K takes more and more away.
    let mut low = 0.0;
    let mut high = step;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if positive(middle) { low = middle } else { high = middle }
    }
    let share = (step / low * WORTH).min(1.0);
    Some([share / (1.0 + share), low])
}

/// Symmetric matrices of the nodes with mass.
struct Quadratic {
    size: usize,
    damping: Dense,
    stiffness: Vec<f64>,
}

/// A matrix, and room for the factors of another one.
struct Dense {
    entries: Vec<f64>,
    room: Vec<f64>,
}

/// Networks of more nodes are not examined: the factors would take longer than some ensembles.
const MOST: usize = 200;

/// The nodes that have a mass and move freely.
fn heavy(n: &Network) -> Vec<usize> {
    let free = |i: &usize| n.nodes()[*i].motion.is_none() && n.nodes()[*i].mass > 0.0;
    (0..n.nodes().len()).filter(free).collect()
}

impl Quadratic {
    /// C + 2M/T and K between the nodes that have a mass and move freely; `None` of large networks. What stands between
    /// massless nodes is taken to lie at their neighbours, which makes it stiffer than it is.
    fn of(n: &Network, end: f64) -> Option<Self> {
        let of = |links: &[Link]| -> Vec<_> {
            links.iter().map(|l| (l.between(), l.coefficient)).collect()
        };
        Self::with(n, [&of(n.dashpots()), &of(n.springs())], end)
    }

    /// The same with these dashpots (N·s/m) and springs (N/m).
    fn with(n: &Network, [dashpots, springs]: [&[Between<f64>]; 2], end: f64) -> Option<Self> {
        let heavy = heavy(n);
        let size = heavy.len();
        if size == 0 || size > MOST {
            return None;
        }
        // `heavy` is in order; what is not in it does not move freely, and counts as ground.
        let at = |i: Option<usize>| i.and_then(|i| heavy.binary_search(&i).ok());
        let fill = |links: &[Between<f64>]| {
            let mut matrix = vec![0.0; size * size];
            for (between, coefficient) in links {
                let [a, b] = between.map(at);
                for k in [a, b].into_iter().flatten() {
                    matrix[k * size + k] += coefficient;
                }
                if let (Some(a), Some(b)) = (a, b) {
                    matrix[a * size + b] -= coefficient;
                    matrix[b * size + a] -= coefficient;
                }
            }
            matrix
        };
        let mut damping = fill(dashpots);
        for (k, &i) in heavy.iter().enumerate() {
            damping[k * size + k] += 2.0 * n.nodes()[i].mass / end;
        }
        let room = vec![0.0; size * size];
        Some(Self { size, damping: Dense { entries: damping, room }, stiffness: fill(springs) })
    }
}

impl Dense {
    /// Whether the matrix and what is `added` to each entry are positive definite together, by Cholesky's factors.
    fn test(&mut self, n: usize, added: impl Fn(usize) -> f64) -> bool {
        for i in 0..n {
            for j in 0..=i {
                let mut sum = self.entries[i * n + j] + added(i * n + j);
                for k in 0..j {
                    sum -= self.room[i * n + k] * self.room[j * n + k];
                }
                if i != j {
                    self.room[i * n + j] = sum / self.room[j * n + j];
                } else if sum > 0.0 {
                    self.room[i * n + i] = sum.sqrt();
                } else {
                    // A pivot that is not positive refutes it, and so does NaN.
                    return false;
                }
            }
        }
        true
    }
}

/// A share in per cent.
fn percent(share: f64) -> String {
    format!("{} %", two_digits(100.0 * share))
}

/// A number to two digits.
fn two_digits(x: f64) -> String {
    let rounded: f64 = format!("{x:.1e}").parse().unwrap_or(x);
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
