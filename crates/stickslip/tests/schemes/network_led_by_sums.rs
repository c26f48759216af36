//! Nodes whose prescribed motion is a sum of several: the twelve of this test are led by two or three signals of all kinds, with and without
//! mass, against small steps that share nothing with the library.

use crate::common::Random;
use stickslip::scheme::network;
use stickslip::{Network, Problem, Scheme, Signal, solve};

/// A displacement as the test computes it: at t, m.
type Lead = Box<dyn Fn(f64) -> f64>;

/// A signal with a displacement that is the same by other means.
fn lead(r: &mut Random, kind: u64) -> (Signal, Lead) {
    let (a, w, p) = (r.uniform(0.2, 1.5), r.uniform(0.4, 4.0), r.uniform(-3.0, 3.0));
    match kind {
        0 => (Signal::ramp(0.3 * a, 0.1 * p), Box::new(move |t| 0.3 * a * t + 0.1 * p)),
        1 => (Signal::harmonic(a, w, p), Box::new(move |t| a * (w * t + p).cos())),
        2 => (Signal::constant(0.2 * p), Box::new(move |_| 0.2 * p)),
        _ => {
            // Up, down and a hold.
            let signal = Signal::sampled(&[0.0, 0.7, 1.9, 4.0], &[0.0, a, -0.4 * a, -0.4 * a]);
            let line = move |t: f64| match t {
                t if t < 0.7 => a * t / 0.7,
                t if t < 1.9 => a - 1.4 * a * (t - 0.7) / 1.2,
                _ => -0.4 * a,
            };
            (signal.unwrap(), Box::new(line))
        }
    }
}

struct Led {
    mass: f64,
    stiffness: [f64; 2],
    damping: f64,
    limit: f64,
    leads: Vec<(Signal, Lead)>,
}

const END: f64 = 4.0;

impl Led {
    fn of(seed: u64) -> Self {
        let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 43);
        let kinds: &[u64] = [&[0, 1][..], &[1, 1], &[0, 3], &[3, 1, 2], &[0, 1, 1], &[2, 0, 3]]
            [(seed % 6) as usize];
        Self {
            mass: r.uniform(0.5, 2.0),
            stiffness: [r.uniform(1.0, 20.0), r.uniform(0.0, 5.0)],
            damping: r.uniform(0.0, 0.6),
            limit: r.uniform(0.1, 0.9),
            leads: kinds.iter().map(|k| lead(&mut r, *k)).collect(),
        }
    }

    /// The led node p pulls the mass a, which rubs on the ground; each signal is an entry of its own.
    fn network(&self, leads: usize) -> Network {
        let [k, back] = self.stiffness;
        let mut b = Network::builder().node("p", 0.0).node("a", self.mass);
        b = b.spring("p", "a", k).spring("a", "ground", back).dashpot("a", "ground", self.damping);
        for (signal, _) in &self.leads[..leads] {
            b = b.motion("p", signal.clone());
        }
        b.slider("s", "a", "ground", self.limit, self.limit).build().unwrap()
    }

    fn lead(&self, t: f64) -> f64 {
        self.leads.iter().map(|(_, at)| at(t)).sum()
    }

    /// Displacement and velocity of the mass after each quarter of a second, by implicit friction and explicit forces in steps of `h`.
    fn stepped(&self, h: f64) -> Vec<[f64; 2]> {
        let [k, back] = self.stiffness;
        let (mut x, mut v, mut found) = (0.0f64, 0.0f64, Vec::new());
        let steps = (END / h).round() as usize;
        let each = steps / 16;
        for n in 0..steps {
            let t = n as f64 * h;
            let force = k * (self.lead(t) - x) - back * x - self.damping * v;
            let free = v + h * force / self.mass;
            let most = h * self.limit / self.mass;
            v = if free.abs() <= most { 0.0 } else { free - most.copysign(free) };
            x += h * v;
            if (n + 1) % each == 0 {
                found.push([x, v]);
            }
        }
        found
    }

    /// Two step lengths, of which the error of the first order is taken away.
    fn expected(&self) -> Vec<[f64; 2]> {
        let [long, short] = [4e-5, 2e-5].map(|h| self.stepped(h));
        long.iter().zip(&short).map(|(l, s)| [0, 1].map(|i| 2.0 * s[i] - l[i])).collect()
    }
}

/// `exact` and θ-steps of the sum are the independent motion; that of a part of the sum is another one.
#[test]
fn a_node_is_led_by_the_sum_of_its_motions() {
    for seed in 0..12 {
        let led = Led::of(seed);
        let expected = led.expected();
        let worst = |of: &dyn Fn(f64) -> [f64; 2]| {
            let apart = expected.iter().enumerate().map(|(i, e)| {
                let found = of(0.25 * (i + 1) as f64);
                (found[0] - e[0]).abs().max((found[1] - e[1]).abs())
            });
            apart.fold(0.0, f64::max)
        };
        let all = led.leads.len();
        let exact = |leads: usize| {
            let path = network::exact(&led.network(leads), END).unwrap();
            worst(&|t| {
                let state = path.state(t);
                [state.x[1], state.v[1]]
            })
        };
        assert!(exact(all) < 1e-4, "{seed}: {}", exact(all));
        assert!(exact(all - 1) > 1e-2, "{seed}: a part of the sum moves alike");
        let scheme = Scheme::Theta { step: 1e-3, theta: 0.5 };
        let stepped = solve(&Problem::new(led.network(all), END), &scheme).unwrap();
        let place = |name: &str| stepped.columns().iter().position(|c| c.name == name).unwrap();
        let places = ["x_a", "v_a"].map(place);
        let error = worst(&|t| {
            let mut row = vec![0.0; stepped.columns().len()];
            stepped.row(t, &mut row);
            places.map(|i| row[i])
        });
        assert!(error < 2e-2, "{seed}: {error}");
    }
}
