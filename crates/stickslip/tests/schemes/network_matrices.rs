//! Networks given by matrices: the same motion as that of their masses, springs, dashpots and contacts in other
//! coordinates, and the frequencies of beams.

use crate::common::Random;
use stickslip::Signal;
use stickslip::model::network::Matrices;
use stickslip::model::{Network, NetworkBuilder};
use stickslip::scheme::network;

/// Three masses in a row with dashpots, a spring to the ground at each end, and contacts.
struct Row {
    mass: [f64; 3],
    spring: [f64; 4],
    dashpot: [f64; 4],
    /// Ends (3 is the ground), f_s, f_d.
    contacts: Vec<(usize, usize, f64, f64)>,
    force: [f64; 3],
    x: [f64; 3],
    v: [f64; 3],
}

type Square = [[f64; 3]; 3];

impl Row {
    fn random(r: &mut Random) -> Self {
        let mut three = |a: f64, b: f64| std::array::from_fn(|_| r.uniform(a, b));
        let (mass, force) = (three(0.5, 2.0), three(1.0, 3.0));
        let (x, v) = (three(-1.0, 1.0), three(-1.0, 1.0));
        let spring = std::array::from_fn(|_| r.uniform(0.5, 4.0));
        let dashpot = std::array::from_fn(|_| r.uniform(0.01, 0.2));
        let mut contact = |a: usize, b: usize| {
            let dynamic = r.uniform(0.3, 1.0);
            (a, b, dynamic * r.uniform(1.0, 1.4), dynamic)
        };
        let contacts = vec![contact(0, 3), contact(1, 2)];
        Self { mass, spring, dashpot, contacts, force, x, v }
    }

    fn force(&self, i: usize) -> Signal {
        Signal::harmonic(self.force[i], 0.7 + 0.4 * i as f64, i as f64)
    }

    fn plain(&self) -> Network {
        let names = ["a", "b", "c", "ground"];
        let mut b = Network::builder();
        for i in 0..3 {
            b = b.node(names[i], self.mass[i]).starting_at(names[i], self.x[i], self.v[i]);
            b = b.force(names[i], self.force(i));
        }
        for (i, (p, q)) in [(0, 3), (0, 1), (1, 2), (2, 3)].into_iter().enumerate() {
            b = b.spring(names[p], names[q], self.spring[i]);
            b = b.dashpot(names[p], names[q], self.dashpot[i]);
        }
        for (k, &(p, q, s, d)) in self.contacts.iter().enumerate() {
            b = b.slider(format!("s{k}"), names[p], names[q], s, d);
        }
        b.build().unwrap()
    }

    /// The matrix of four springs.
    fn matrix(k: [f64; 4]) -> Square {
        [[k[0] + k[1], -k[1], 0.0], [-k[1], k[1] + k[2], -k[2]], [0.0, -k[2], k[2] + k[3]]]
    }

    /// The same in coordinates y, x = S y, with its inverse: the contacts lie along directions there.
    fn changed(&self, s: &Square, inverse: &Square) -> NetworkBuilder {
        let [m0, m1, m2] = self.mass;
        let congruent = |a: Square| {
            let entry = |i: usize, j: usize| {
                let terms = (0..9).map(|t| s[t / 3][i] * a[t / 3][t % 3] * s[t % 3][j]);
                terms.sum::<f64>()
            };
            (0..3).map(|i| (0..3).map(|j| entry(i.min(j), i.max(j))).collect()).collect()
        };
        let matrices = Matrices {
            mass: congruent([[m0, 0.0, 0.0], [0.0, m1, 0.0], [0.0, 0.0, m2]]),
            damping: congruent(Self::matrix(self.dashpot)),
            stiffness: congruent(Self::matrix(self.spring)),
        };
        let names = ["p", "q", "r"];
        let times = |a: &[f64; 3], u: &[f64; 3]| a.iter().zip(u).map(|(a, u)| a * u).sum::<f64>();
        let mut b = Network::builder();
        for (i, name) in names.into_iter().enumerate() {
            b = b.node(name, 0.0);
            b = b.starting_at(name, times(&inverse[i], &self.x), times(&inverse[i], &self.v));
            for j in 0..3 {
                b = b.force(name, s[j][i] * self.force(j));
            }
        }
        b = b.matrices(matrices);
        for (k, &(p, q, fs, fd)) in self.contacts.iter().enumerate() {
            let of = |i: usize, j: usize| s.get(i).map_or(0.0, |row| row[j]);
            let direction = (0..3).map(|j| (names[j], of(p, j) - of(q, j)));
            b = b.slider_along(format!("s{k}"), direction, fs, fd);
        }
        b
    }
}

/// A matrix far from singular, and its inverse by Cramer's rule.
fn coordinates(r: &mut Random) -> (Square, Square) {
    loop {
        let s: Square = std::array::from_fn(|_| std::array::from_fn(|_| r.uniform(-1.0, 1.0)));
        let minor = |i: usize, j: usize| {
            let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            s[a][c] * s[b][d] - s[a][d] * s[b][c]
        };
        let det: f64 = (0..3).map(|j| s[0][j] * minor(0, j)).sum();
        if det.abs() > 0.3 {
            return (s, std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / det)));
        }
    }
}

/// The displacements of the first mass and of the contacts, in both descriptions; friction and energies alike.
#[test]
fn other_coordinates_are_the_same_motion() {
    let mut r = Random(7);
    let (mut events, mut negative) = (0, 0);
    for _ in 0..40 {
        let row = Row::random(&mut r);
        let (s, inverse) = coordinates(&mut r);
        let (plain, other) = (row.plain(), row.changed(&s, &inverse).build().unwrap());
        assert!(!other.shared_masses().is_empty());
        negative += other.springs().iter().filter(|k| k.coefficient < 0.0).count();
        let (one, two) =
            (network::exact(&plain, 15.0).unwrap(), network::exact(&other, 15.0).unwrap());
        events += one.events().len();
        assert_eq!(one.events().len(), two.events().len());
        for (a, b) in one.events().iter().zip(two.events()) {
            assert_eq!((a.kind, a.place), (b.kind, b.place));
            assert!((a.time - b.time).abs() < 1e-9, "{} {}", a.time, b.time);
        }
        for i in 0..=60 {
            let (a, b) = (one.state(0.25 * f64::from(i)), two.state(0.25 * f64::from(i)));
            let slips = [a.x[0], a.x[1] - a.x[2]];
            for (k, slip) in slips.into_iter().enumerate() {
                let node = other.sliders()[k].between()[0].unwrap();
                assert!((slip - b.x[node]).abs() < 1e-9);
                assert!((a.friction[k] - b.friction[k]).abs() < 1e-8);
            }
        }
        let (a, b) = (one.energy(&plain), two.energy(&other));
        let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} {b}");
        same(a.kinetic, b.kinetic);
        same(a.elastic, b.elastic);
        same(a.work, b.work);
        same(a.friction, b.friction);
        same(a.viscous, b.viscous);
    }
    assert!(events > 300 && negative > 40, "{events} {negative}");
}

/// Implicit Euler in both descriptions: its solutions do not depend on the coordinates.
#[test]
fn steps_do_not_depend_on_the_coordinates() {
    let mut r = Random(8);
    for _ in 0..5 {
        let row = Row { dashpot: [0.05; 4], ..Row::random(&mut r) };
        let (s, inverse) = coordinates(&mut r);
        let other = row.changed(&s, &inverse).build().unwrap();
        let ends = |n: &Network| {
            let (mut x, mut v) = (Vec::new(), Vec::new());
            let mut prepared = network::Prepared::new(n, 0.01, 1.0).unwrap();
            prepared.run(10.0, &[], |_, a, b, _, _| (x, v) = (a.to_vec(), b.to_vec())).unwrap();
            (x, v)
        };
        let (one, two) = (ends(&row.plain()), ends(&other));
        let node = other.sliders()[1].between()[0].unwrap();
        assert!((one.0[1] - one.0[2] - two.0[node]).abs() < 1e-7);
        assert!((one.1[1] - one.1[2] - two.1[node]).abs() < 1e-7);
    }
}

/// What a massless node between springs does, one of them negative as a condensed frame has it: x = F/K.
#[test]
fn nodes_without_mass_with_positive_entries_beside_the_diagonal() {
    let rows = |rows: [[f64; 2]; 2]| rows.map(|r| r.to_vec()).to_vec();
    let made = |mass: [[f64; 2]; 2], stiffness: [[f64; 2]; 2]| {
        let matrices =
            Matrices { mass: rows(mass), stiffness: rows(stiffness), ..Matrices::default() };
        let b = Network::builder().node("a", 0.0).node("b", 0.0).matrices(matrices);
        b.slider("s", "a", "ground", 0.5, 0.5).force("a", Signal::harmonic(1.0, 1.3, 0.2)).build()
    };
    // Node b follows at −x_a/2, so that a swings on 2 − 1/2 = 3/2.
    let free = made([[1.0, 0.0], [0.0, 0.0]], [[2.0, 1.0], [1.0, 2.0]]).unwrap();
    let alone = Network::builder()
        .node("a", 1.0)
        .spring("a", "ground", 1.5)
        .slider("s", "a", "ground", 0.5, 0.5)
        .force("a", Signal::harmonic(1.0, 1.3, 0.2))
        .build()
        .unwrap();
    let (one, two) = (network::exact(&free, 20.0).unwrap(), network::exact(&alone, 20.0).unwrap());
    for i in 0..=40 {
        let (a, b) = (one.state(0.5 * f64::from(i)), two.state(0.5 * f64::from(i)));
        assert!((a.x[0] - b.x[0]).abs() < 1e-11 && (a.x[1] + 0.5 * a.x[0]).abs() < 1e-12);
    }
    let told = |m, k| made(m, k).unwrap_err().to_string();
    let zero = [[1.0, 0.0], [0.0, 0.0]];
    assert!(told(zero, [[2.0, 1.0], [1.0, -2.0]]).contains("nodes without mass"));
    assert!(told(zero, [[2.0, 1.0], [0.5, 2.0]]).contains("symmetric"));
    assert!(told([[1.0, 1.0], [1.0, 1.0]], zero).contains("kinetic energy"));
    assert!(told([[1.0, 0.5], [0.5, 0.0]], zero).contains("kinetic energy"));
}

#[test]
fn directions_that_depend_on_each_other_are_refused() {
    let b = || Network::builder().node("a", 1.0).node("b", 1.0).spring("a", "b", 1.0);
    let twice = b().slider_along("s", [("a", 0.6), ("b", 0.8)], 1.0, 1.0).slider_along(
        "t",
        [("a", 1.2), ("b", 1.6)],
        1.0,
        1.0,
    );
    assert!(twice.build().unwrap_err().to_string().contains("other contacts"));
    let none = b().slider_along("s", [("a", 0.0)], 1.0, 1.0);
    assert!(none.build().unwrap_err().to_string().contains("no weight"));
    let moved = b().motion("b", Signal::constant(0.0)).slider_along("s", [("b", 2.0)], 1.0, 1.0);
    assert!(moved.build().unwrap_err().to_string().contains("prescribed"));
    // One node or the difference of two needs no coordinate of its own.
    let plain = b().slider_along("s", [("a", 1.0), ("b", -1.0)], 1.0, 1.0).build().unwrap();
    assert_eq!(plain.sliders()[0].between(), [Some(0), Some(1)]);
}
