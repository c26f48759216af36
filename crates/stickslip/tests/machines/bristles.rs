//! Sliders with memory in networks, against the scheme for one contact with memory, which is another one, and by what is kept.

use crate::common::sized;
use std::f64::consts::FRAC_PI_2;
use stickslip::law::memory::{
    BoucWen, Dahl, ElastoPlastic, Lugre, MaxwellSlip, Memory, Shape, StribeckLimit,
};
use stickslip::model::hysteretic::{Body, Hysteretic};
use stickslip::model::{Bumper, Machine, Network};
use stickslip::scheme::machine::theta_method;
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::scheme::{machine, memory};
use stickslip::{Event, EventKind, Problem, Scheme, Signal, solve};

fn laws() -> [Memory; 7] {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let plain = StribeckLimit::new(1.2, 1.2, 0.05, 2.0).unwrap();
    let shape = Shape { a: 1.0, beta: 20.0, gamma: 10.0, exponent: 1.0 };
    let springs = vec![2e3, 800.0, 150.0];
    let weights = vec![0.5, 0.3, 0.2];
    [
        Dahl::new(1.0, 150.0, 1.0).unwrap().into(),
        Lugre::new(limit, 1e3, 5.0, 0.4).unwrap().into(),
        BoucWen::new(40.0, 0.0, shape).unwrap().into(),
        ElastoPlastic::new(limit, 1e3, 5.0, 0.4, 0.7e-3).unwrap().into(),
        BoucWen::new(40.0, 0.3, Shape { exponent: 1.7, ..shape }).unwrap().into(),
        MaxwellSlip::new(limit, springs.clone(), weights.clone(), 60.0, 0.4).unwrap().into(),
        MaxwellSlip::new(plain, springs, weights, 0.0, 0.4).unwrap().into(),
    ]
}

/// A mass on a spring of 25 N/m, pulled and shaken, on a surface that moves under a normal force that varies.
#[test]
fn one_mass_moves_as_an_oscillator_whose_contact_has_memory() {
    let tight = Options::tolerance(1e-11);
    let force = Signal::harmonic(2.0, 3.0, 0.0);
    let support = Signal::harmonic(0.1, 0.7, FRAC_PI_2);
    let normal = Signal::constant(1.0) + Signal::harmonic(0.3, 1.1, 0.0);
    for law in laws() {
        // A spring of its own is one to the ground, which a moving surface does not carry along.
        let elastic = matches!(&law, Memory::BoucWen(law) if law.ratio() > 0.0);
        let support = if elastic { Signal::default() } else { support.clone() };
        let body = Body { force: force.clone(), support: support.clone(), ..Body::new(1.0, 25.0) };
        let remembered = vec![1e-4; law.law().states()];
        let one = Hysteretic::carrying(law.clone(), body)
            .with_normal(normal.clone())
            .remembering(remembered.clone());
        let wanted = memory::solve(&one, 12.0, tight).unwrap();
        let network = Network::builder()
            .node("mass", 1.0)
            .spring("mass", "ground", 25.0)
            .slider("rail", "mass", "ground", 0.0, 0.0)
            .normal(normal.clone())
            .force("mass", force.clone())
            .build()
            .unwrap();
        let rail = Machine::new(network).unwrap();
        let rail = rail.with_memory("rail", law.clone(), remembered).unwrap();
        let rail = rail.with_support("rail", support.clone()).unwrap();
        let found = machine::solve(&rail, 12.0, tight).unwrap();
        let mut off = [0.0f64; 3];
        for k in 0..=200 {
            let t = 0.06 * f64::from(k);
            let (a, b) = (wanted.state(t), found.state(t));
            let z = a.z.iter().zip(&b.bristles).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let all = [a.x - b.x[0], z, a.friction - b.friction[0]];
            off.iter_mut().zip(all).for_each(|(m, d)| *m = m.max(d.abs()));
        }
        println!("{off:?} {} {}", wanted.events().len(), found.events().len());
        assert!(off[0] < 1e-9 && off[1] < 1e-9 && off[2] < 1e-6, "{law:?}: {off:?}");
        assert!(found.energy().relative_defect() < 1e-9, "{:?}", found.energy());
        assert_same_events(&law, wanted.events(), found.events());
    }
}

/// What slips, sticks, turns and yields there does so here, at the same instants and places.
fn assert_same_events(law: &Memory, wanted: &[Event], found: &[Event]) {
    assert!(wanted.len() >= 10, "{law:?}: {wanted:?}");
    // Turns of ever smaller oscillations are told from another size on in each scheme.
    let told = |e: &&Event| e.kind != EventKind::Reversal;
    for (one, other) in [(wanted, found), (found, wanted)] {
        for e in one.iter().filter(told) {
            let meets = |o: &&Event| {
                (o.kind, o.place) == (e.kind, e.place) && (o.time - e.time).abs() < 1e-6
            };
            assert!(other.iter().any(|o| meets(&o)), "{law:?}: {e:?} in {other:?}");
        }
    }
}

/// Nothing outside pulls at two masses that rub on each other: their momentum stays, and the energies close.
#[test]
fn masses_that_rub_on_each_other_keep_their_momentum() {
    for law in laws() {
        let network = Network::builder()
            .node("a", 1.0)
            .starting_at("a", 0.0, 1.0)
            .node("b", 3.0)
            .slider("between", "a", "b", 0.0, 0.0)
            .build()
            .unwrap();
        let pair = Machine::new(network).unwrap().with_memory("between", law, []).unwrap();
        let path = machine::solve(&pair, 20.0, Options::tolerance(1e-11)).unwrap();
        let v = path.state(20.0).v;
        assert!((v[0] + 3.0 * v[1] - 1.0).abs() < 1e-10, "{v:?}");
        assert!(path.energy().relative_defect() < 1e-9, "{:?}", path.energy());
    }
}

/// A bristle with damping settles: its last, ever smaller turns are not told for ever, and it bears the load.
#[test]
fn a_bristle_settles_under_its_load() {
    let [_, lugre, ..] = laws();
    let network = Network::builder()
        .node("mass", 1.0)
        .starting_at("mass", 0.0, 0.5)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .force("mass", Signal::constant(0.3))
        .build()
        .unwrap();
    let rail = Machine::new(network).unwrap().with_memory("rail", lugre, []).unwrap();
    let solution =
        solve(&Problem::new(rail, 200.0), &Scheme::Adaptive(Options::default())).unwrap();
    let state = solution.machine().unwrap().state(200.0);
    assert!((state.friction[0] + 0.3).abs() < 1e-8 && state.v[0].abs() < 1e-8, "{state:?}");
    assert!(solution.events.len() < 300, "{}", solution.events.len());
    let z = solution.columns().iter().position(|c| c.name == "z_rail").unwrap();
    let mut row = vec![0.0; solution.columns().len()];
    solution.row(200.0, &mut row);
    assert!((row[z] - 0.3e-3).abs() < 1e-10, "{row:?}");
}

/// A mass on a bristle bounces between rigid stops: the energies close over the impacts.
#[test]
fn a_mass_on_a_bristle_bounces() {
    let [dahl, ..] = laws();
    let network = Network::builder()
        .node("mass", 1.0)
        .starting_at("mass", 0.0, 2.0)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .build()
        .unwrap();
    let bounds = [Some(Signal::constant(-0.1)), Some(Signal::constant(0.1))];
    let rail = Machine::new(network).unwrap().with_memory("rail", dahl, []).unwrap();
    let rail = rail
        .with_stop("ends", ["mass", "ground"], bounds, Bumper::Rigid { restitution: 0.8 })
        .unwrap();
    let path = machine::solve(&rail, 3.0, Options::tolerance(1e-11)).unwrap();
    let impacts = path.events().iter().filter(|e| e.kind == EventKind::Impact).count();
    assert!(impacts >= 3, "{impacts}");
    assert!(path.energy().relative_defect() < 1e-9, "{:?}", path.energy());
}

#[test]
fn what_a_slider_does_not_remember_is_refused() {
    let network = Network::builder().node("mass", 1.0).slider("rail", "mass", "ground", 0.0, 0.0);
    let rail = Machine::new(network.build().unwrap()).unwrap();
    let dahl = Dahl::new(1.0, 150.0, 1.0).unwrap();
    for (remembered, part) in [
        (vec![1.0], "its bristle starts at z = 1.0 m"),
        (vec![1e-4, 1e-4], "its law remembers 1 numbers, and starts from 2"),
        (vec![f64::NAN], "expected a finite number"),
    ] {
        let said = rail.clone().with_memory("rail", dahl, remembered).unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    }
}

/// x and v of both masses, then what both sliders remember, at ten times: by `memory_networks.py` (SciPy's DOP853 from turn to turn).
const TWO_MASSES: [(f64, [f64; 8]); 10] = [
    (
        1.0,
        [
            1.652_649_575_299_2e-1,
            1.319_192_693_367_0e-1,
            2.634_513_782_970_2e-1,
            3.229_779_521_054_4e-1,
            2.500_556_545_530_6e-4,
            3.750_834_818_295_9e-4,
            1.333_630_157_616_3e-3,
            8.186_309_658_407_7e-2,
        ],
    ),
    (
        2.0,
        [
            -1.947_543_352_654_4e-1,
            -4.718_333_911_016_1e-1,
            -3.097_221_478_424_6e-1,
            -1.005_165_330_369_1e0,
            -2.500_000_000_000_0e-4,
            -3.750_000_000_000_0e-4,
            -1.333_333_333_333_3e-3,
            -1.019_011_792_379_9e-1,
        ],
    ),
    (
        3.0,
        [
            6.397_960_481_617_3e-2,
            1.027_216_219_032_7e0,
            8.319_919_848_387_3e-2,
            1.551_718_583_626_9e0,
            2.500_000_000_000_0e-4,
            3.750_000_000_000_0e-4,
            1.333_333_333_333_3e-3,
            7.840_741_865_722_9e-2,
        ],
    ),
    (
        4.0,
        [
            2.257_841_696_377_6e-1,
            -1.304_509_011_945_4e0,
            3.308_973_727_564_6e-1,
            -1.555_466_594_587_9e0,
            -2.500_000_000_265_5e-4,
            -3.750_000_000_349_6e-4,
            -1.333_333_333_371_1e-3,
            -2.810_651_627_197_3e-2,
        ],
    ),
    (
        5.0,
        [
            -5.070_582_584_556_0e-1,
            5.466_127_321_241_8e-1,
            -7.558_158_674_684_4e-1,
            9.799_463_160_893_1e-1,
            2.500_217_332_171_6e-4,
            3.750_186_454_014_1e-4,
            1.333_333_985_259_7e-3,
            -4.267_661_747_561_4e-2,
        ],
    ),
    (
        6.0,
        [
            5.906_322_202_680_7e-1,
            4.410_932_507_336_8e-1,
            9.619_518_958_889_9e-1,
            3.388_511_275_844_4e-1,
            2.500_000_000_000_0e-4,
            3.750_000_000_000_0e-4,
            1.333_333_333_333_3e-3,
            1.330_392_649_636_6e-1,
        ],
    ),
    (
        7.0,
        [
            -4.549_454_043_174_4e-1,
            -9.743_176_571_233_9e-1,
            -7.713_412_816_036_6e-1,
            -1.925_699_311_352_6e0,
            -2.500_000_000_000_0e-4,
            -3.750_000_000_000_0e-4,
            -1.333_333_333_333_3e-3,
            -1.350_675_818_712_3e-1,
        ],
    ),
    (
        8.0,
        [
            1.765_785_333_630_4e-1,
            1.486_637_717_119_0e0,
            2.031_638_917_499_9e-1,
            2.823_429_506_294_1e0,
            2.500_000_000_000_0e-4,
            3.750_000_000_000_0e-4,
            1.333_333_333_333_3e-3,
            1.314_484_246_676_1e-1,
        ],
    ),
    (
        9.0,
        [
            2.646_350_323_783_1e-1,
            -1.910_199_543_603_7e0,
            5.015_951_800_881_1e-1,
            -2.582_813_298_282_8e0,
            -2.500_000_000_004_2e-4,
            -3.750_000_000_002_3e-4,
            -1.333_333_333_333_3e-3,
            -7.606_692_453_288_1e-2,
        ],
    ),
    (
        10.0,
        [
            -6.877_509_787_601_6e-1,
            1.037_407_176_212_1e0,
            -1.067_310_878_422_7e0,
            1.461_811_158_570_2e0,
            2.500_008_673_878_5e-4,
            3.750_004_509_420_4e-4,
            1.333_333_333_692_2e-3,
            -2.466_623_704_693_4e-2,
        ],
    ),
];

/// Two masses, one on a rail of Maxwell slip whose limit falls with the speed, one on the other by a hysteretic spring of Bouc and Wen
/// with an elastic share.
#[test]
fn two_masses_move_as_an_independent_integration_says() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let rail = MaxwellSlip::new(limit, vec![2e3, 800.0, 150.0], vec![0.5, 0.3, 0.2], 60.0, 0.4);
    let shape = Shape { a: 1.0, beta: 20.0, gamma: 10.0, exponent: 1.7 };
    let network = Network::builder()
        .node("a", 1.0)
        .starting_at("a", 0.0, 0.3)
        .node("b", 2.0)
        .starting_at("b", 0.0, -0.2)
        .spring("a", "ground", 30.0)
        .spring("b", "a", 20.0)
        .slider("rail", "a", "ground", 0.0, 0.0)
        .slider("joint", "b", "a", 0.0, 0.0)
        .force("b", Signal::harmonic(4.0, 2.5, -FRAC_PI_2))
        .build()
        .unwrap();
    let machine = Machine::new(network).unwrap();
    let machine = machine.with_memory("rail", rail.unwrap(), []).unwrap();
    let joint = BoucWen::new(40.0, 0.3, shape).unwrap();
    let machine = machine.with_memory("joint", joint, []).unwrap();
    let solution =
        solve(&Problem::new(machine, 10.0), &Scheme::Adaptive(Options::tolerance(1e-11))).unwrap();
    let columns = ["x_a", "v_a", "x_b", "v_b", "z_rail_1", "z_rail_2", "z_rail_3", "z_joint"];
    let all = solution.columns();
    let mut row = vec![0.0; all.len()];
    for (t, wanted) in TWO_MASSES {
        solution.row(t, &mut row);
        for (name, wanted) in columns.iter().zip(wanted) {
            let found = row[all.iter().position(|c| c.name == *name).unwrap()];
            assert!((found - wanted).abs() < 1e-9, "{t} {name}: {found} {wanted}");
        }
    }
    let yields = solution.events.iter().filter(|e| e.kind == EventKind::Yield);
    // Places behind both sliders are the elements of the rail.
    assert!(yields.clone().all(|e| (2..5).contains(&e.place)) && yields.count() > 10);
    assert!(solution.energy().relative_defect() < 1e-9);
}

/// A run that goes on from an element at its limit slides there at once, and one that begins beyond a moving surface is refused.
#[test]
fn an_element_that_begins_at_its_limit_slides() {
    let plain = StribeckLimit::new(1.2, 1.2, 0.05, 2.0).unwrap();
    let law = MaxwellSlip::new(plain, vec![2e3, 800.0], vec![0.5, 0.5], 0.0, 0.0).unwrap();
    let network = Network::builder()
        .node("mass", 1.0)
        .starting_at("mass", 0.0, 1.0)
        .slider("rail", "mass", "ground", 0.0, 0.0)
        .build()
        .unwrap();
    let rail = Machine::new(network).unwrap();
    let rail = rail.with_memory("rail", law, [0.6 / 2e3, 0.6 / 800.0]).unwrap();
    let path = machine::solve(&rail, 0.5, Options::tolerance(1e-11)).unwrap();
    // Both bear 0.6 N from the start on: v = 1 − 1.2 t.
    assert!((path.state(0.5).v[0] - 0.4).abs() < 1e-10, "{:?}", path.state(0.5));
    // They slide from the start: nothing happens.
    assert!(path.events().is_empty(), "{:?}", path.events());
    let shape = Shape { a: 1.0, beta: 20.0, gamma: 10.0, exponent: 1.0 };
    let elastic = BoucWen::new(40.0, 0.5, shape).unwrap();
    let carried = rail.with_memory("rail", elastic, []).unwrap();
    let carried = carried.with_support("rail", Signal::constant(0.1)).unwrap();
    let said = machine::solve(&carried, 0.5, Options::default()).unwrap_err().to_string();
    assert!(said.contains("a moving surface does not carry along"), "{said}");
}

/// The steps of one mass are those of `[oscillator]`: the same equations, solved by another search.
#[test]
fn steps_of_one_mass_are_those_of_an_oscillator() {
    let (h, end) = (1e-3, 12.0);
    let force = Signal::harmonic(2.0, 3.0, 0.0);
    let normal = Signal::constant(1.0) + Signal::harmonic(0.3, 1.1, 0.0);
    for law in laws() {
        let elastic = matches!(&law, Memory::BoucWen(law) if law.ratio() > 0.0);
        let support =
            if elastic { Signal::default() } else { Signal::harmonic(0.1, 0.7, FRAC_PI_2) };
        let body = Body { force: force.clone(), support: support.clone(), ..Body::new(1.0, 25.0) };
        let remembered = vec![1e-4; law.law().states()];
        let one = Hysteretic::carrying(law.clone(), body)
            .with_normal(normal.clone())
            .remembering(remembered.clone());
        let wanted = memory::fixed::solve(&one, end, h).unwrap();
        let rail = Network::builder()
            .node("mass", 1.0)
            .spring("mass", "ground", 25.0)
            .slider("rail", "mass", "ground", 0.0, 0.0)
            .normal(normal.clone())
            .force("mass", force.clone())
            .build()
            .and_then(Machine::new)
            .and_then(|m| m.with_memory("rail", law.clone(), remembered))
            .and_then(|m| m.with_support("rail", support.clone()))
            .unwrap();
        let (found, counts, _) = theta_method::solve(&rail, end, h, 1.0).unwrap();
        assert_eq!(counts.inexact, 0, "{law:?}");
        let mut off = [0.0f64; 3];
        for k in 0..=12_000 {
            let t = h * f64::from(k);
            let (a, b) = (wanted.state(t), found.state(t));
            let z = a.z.iter().zip(&b.bristles).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let all = [a.x - b.x[0], a.v - b.v[0], z];
            off.iter_mut().zip(all).for_each(|(m, d)| *m = m.max(d.abs()));
        }
        println!("{off:?} {} {}", wanted.events().len(), found.events().len());
        assert!(off.iter().all(|off| *off < 1e-9), "{law:?}: {off:?}");
        let told = |events: &[Event]| {
            let mut all: Vec<(i64, usize, String)> = events
                .iter()
                .filter(|e| e.time < end - h)
                .map(|e| ((e.time / h).round() as i64, e.place, format!("{:?}", e.kind)))
                .collect();
            all.sort();
            all
        };
        assert_eq!(told(wanted.events()), told(found.events()), "{law:?}");
    }
}

/// Two masses with a bristle on the rail and one between them, and a rigid stop: of first order, whatever θ is.
#[test]
fn steps_of_first_order() {
    for (k, law) in laws().into_iter().enumerate() {
        let network = Network::builder()
            .node("a", 1.0)
            .node("b", 0.6)
            .starting_at("a", 0.0, 0.4)
            .spring("a", "b", 15.0)
            .spring("a", "ground", 4.0)
            .slider("rail", "a", "ground", 0.0, 0.0)
            .slider("between", "b", "a", 0.0, 0.0)
            .force("b", Signal::harmonic(3.0, 1.3, 0.4))
            .build()
            .unwrap();
        let between = Dahl::new(0.4, 60.0, 1.0).unwrap();
        let pair = Machine::new(network)
            .and_then(|m| m.with_memory("rail", law.clone(), []))
            .and_then(|m| m.with_memory("between", between, []))
            .unwrap();
        let end = sized(4.0, 8.0);
        let exact = machine::solve(&pair, end, Options::tolerance(1e-10)).unwrap();
        // One value of θ for each law, or by night both.
        for theta in [1.0, 0.5].into_iter().skip(sized(k % 2, 0)).step_by(sized(2, 1)) {
            let error = |h: f64| {
                let (found, counts, energy) = theta_method::solve(&pair, end, h, theta).unwrap();
                assert_eq!(counts.inexact, 0, "{law:?}");
                let mut most = 0.0f64;
                for k in 0..=(50.0 * end) as u32 {
                    let t = 0.02 * f64::from(k);
                    let (a, b) = (exact.state(t), found.state(t));
                    (0..2).for_each(|i| most = most.max((a.x[i] - b.x[i]).abs()));
                }
                [most, energy.relative_defect()]
            };
            let [coarse, fine] = [1e-3, sized(2e-4, 1e-4)].map(error);
            println!("θ = {theta}: {coarse:?} {fine:?}");
            // Five times finer by day, ten times by night, and about as many times better.
            let better = coarse[0] / fine[0] / sized(5.0, 10.0);
            assert!(fine[0] < 2e-3 && (0.6..1.6).contains(&better), "{law:?}");
            assert!(fine[1] < 2e-3, "{law:?}: {fine:?}");
        }
    }
}

/// Bristles so stiff that no explicit step could be long enough: nothing grows, the deflections keep their bounds, and the mass
/// goes where Coulomb's friction takes it.
#[test]
fn steps_are_stable_however_stiff_bristles_are() {
    let network = || {
        Network::builder()
            .node("a", 1.0)
            .node("b", 2.0)
            .starting_at("a", 0.0, 1.0)
            .spring("a", "b", 9.0)
            .slider("rail", "a", "ground", 0.7, 0.7)
            .slider("other", "b", "ground", 0.3, 0.3)
            .force("b", Signal::harmonic(1.5, 1.1, 0.0))
            .build()
            .and_then(Machine::new)
            .unwrap()
    };
    let dry = network();
    let stiff = network()
        .with_memory("rail", Dahl::new(0.7, 1e12, 1.0).unwrap(), [])
        .and_then(|m| m.with_memory("other", Dahl::new(0.3, 1e12, 1.0)?, []))
        .unwrap();
    for theta in [1.0, 0.5] {
        let [(dry, ..), (stiff, counts, _)] =
            [&dry, &stiff].map(|m| theta_method::solve(m, 20.0, 1e-3, theta).unwrap());
        assert_eq!(counts.inexact, 0);
        for k in 0..=2000 {
            let t = 0.01 * f64::from(k);
            let (a, b) = (dry.state(t), stiff.state(t));
            for i in 0..2 {
                assert!((a.x[i] - b.x[i]).abs() < 1e-6, "{t} {:?} {:?}", a.x, b.x);
            }
            assert!(b.bristles[0].abs() <= 0.7e-12 * (1.0 + 1e-9), "{:?}", b.bristles);
        }
    }
}

/// A mass on a bristle that bounces between rigid stops, and another that it rubs on: the momentum of both is kept by every
/// bristle, and the motion approaches that of `adaptive`.
#[test]
fn steps_keep_momentum_and_turn_bristles_at_impacts() {
    for law in laws() {
        // The spring of this law is one to the other mass, and keeps their momentum as well.
        let pair = Network::builder()
            .unjoined()
            .node("a", 1.0)
            .starting_at("a", 0.0, 1.0)
            .node("b", 3.0)
            .slider("between", "a", "b", 0.0, 0.0)
            .build()
            .and_then(Machine::new)
            .and_then(|m| m.with_memory("between", law.clone(), []))
            .and_then(|m| {
                let bounds = [Some(Signal::constant(-0.02)), Some(Signal::constant(0.02))];
                m.with_stop("gap", ["a", "b"], bounds, Bumper::Rigid { restitution: 0.8 })
            })
            .unwrap();
        let exact = machine::solve(&pair, 0.2, Options::tolerance(1e-10)).unwrap();
        let impacts = |events: &[Event]| events.iter().filter(|e| e.impulse != 0.0).count();
        let (found, counts, _) = theta_method::solve(&pair, 0.2, 1e-5, 0.5).unwrap();
        assert_eq!(counts.inexact, 0);
        assert!(impacts(found.events()) == impacts(exact.events()) && impacts(found.events()) > 2);
        let (a, b) = (exact.state(0.2), found.state(0.2));
        assert!((b.v[0] + 3.0 * b.v[1] - 1.0).abs() < 1e-10, "{:?}", b.v);
        println!("{:?} {:?} {}", a.x, b.x, impacts(found.events()));
        assert!((a.x[0] - b.x[0]).abs() < 1e-3, "{law:?} {:?} {:?}", a.x, b.x);
    }
}

/// Three masses in a row, the last of which a spring draws at 0.2 m/s; the first rubs on the ground.
fn drawn_row(breakaway: f64) -> Machine {
    let network = Network::builder()
        .node("a", 1.0)
        .node("b", 0.5)
        .node("c", 2.0)
        .node("end", 1.0)
        .motion("end", Signal::ramp(0.2, 0.0))
        .spring("a", "b", 100.0)
        .spring("b", "c", 200.0)
        .spring("c", "end", 25.0)
        .dashpot("a", "b", 1.0)
        .dashpot("b", "c", 1.0)
        .slider("rail", "a", "ground", breakaway, breakaway)
        .build()
        .unwrap();
    Machine::new(network).unwrap()
}

/// Stiff bristles move the masses as dry friction does, but for the onset of the slip: under a load that rises by Ḟ t it takes a time
/// (F m/(σ Ḟ))^(1/3), and the momentum that is missed meanwhile is as σ^(−2/3). Explicit steps of F/(σ v) would be 10⁹ of them.
#[test]
fn stiff_bristles_in_a_network_are_dry_friction() {
    let options = Options::tolerance(1e-9);
    let wanted = machine::solve(&drawn_row(1.0), 10.0, options).unwrap();
    let off = |law: Memory| -> f64 {
        let stiff = drawn_row(0.0).with_memory("rail", law.clone(), []).unwrap();
        let found = machine::solve(&stiff, 10.0, options).unwrap();
        let steps: usize = found.segments().iter().map(|s| s.arc.steps()).sum();
        assert!(steps < 5_000, "{law:?}: {steps} steps");
        let apart = |k: i32| {
            let t = 0.05 * f64::from(k);
            let (a, b) = (wanted.state(t), found.state(t));
            a.x.iter().zip(&b.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        (0..=200).map(apart).fold(0.0, f64::max)
    };
    let [coarse, fine] = [1e7, 1e9].map(|sigma| off(Dahl::new(1.0, sigma, 1.0).unwrap().into()));
    println!("{coarse:e} {fine:e}");
    assert!(fine < 1e-6 && (coarse / fine / 100f64.powf(2.0 / 3.0) - 1.0).abs() < 0.05);
    // Of the same force against the way as long as it does not turn.
    let shape = Shape { a: 1.0, beta: 0.7e9, gamma: 0.3e9, exponent: 1.0 };
    let bouc_wen = off(BoucWen::new(1e9, 0.0, shape).unwrap().into());
    assert!((bouc_wen / fine - 1.0).abs() < 0.01, "{bouc_wen:e} {fine:e}");
}

/// A bristle of the elasto-plastic law that is bent as far as a steady slide bends it was taken to yield fully and partly in turns, at every
/// step, in thousands of motions of one step.
#[test]
fn a_steady_elasto_plastic_slide_is_one_motion() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let law = ElastoPlastic::new(limit, 1e5, 100.0, 0.4, 0.7e-5).unwrap();
    let stiff = drawn_row(0.0).with_memory("rail", law, []).unwrap();
    let path = machine::solve(&stiff, 10.0, Options::tolerance(1e-8)).unwrap();
    assert!(path.segments().len() < 200, "{} motions", path.segments().len());
    assert!(path.energy().relative_defect() < 1e-6, "{:?}", path.energy());
}

/// One mass on stiff bristles moves as by the oscillator's scheme, which takes implicit steps all the time.
#[test]
fn stiff_bristles_of_one_mass_are_those_of_an_oscillator() {
    let limit = StribeckLimit::new(1.5, 1.0, 0.05, 2.0).unwrap();
    let options = Options::tolerance(1e-10);
    let laws = [1e5, 1e7].into_iter().flat_map(|stiffness: f64| {
        let damping = 2.0 * stiffness.sqrt();
        let lugre = Lugre::new(limit, stiffness, damping, 0.4).unwrap();
        let plastic = ElastoPlastic::new(limit, stiffness, damping, 0.4, 0.7 / stiffness).unwrap();
        [(stiffness, Memory::from(lugre)), (stiffness, plastic.into())]
    });
    for (stiffness, law) in laws {
        let body = Body { drive: Signal::ramp(0.2, 0.0), ..Body::new(1.0, 25.0) };
        let wanted = memory::solve(&Hysteretic::carrying(law.clone(), body), 5.0, options).unwrap();
        let network = Network::builder()
            .node("mass", 1.0)
            .node("end", 1.0)
            .motion("end", Signal::ramp(0.2, 0.0))
            .spring("mass", "end", 25.0)
            .slider("rail", "mass", "ground", 0.0, 0.0)
            .build()
            .unwrap();
        let rail = Machine::new(network).unwrap().with_memory("rail", law, []).unwrap();
        let found = machine::solve(&rail, 5.0, options).unwrap();
        let steps: usize = found.segments().iter().map(|s| s.arc.steps()).sum();
        let mut off = [0.0f64; 2];
        for k in 0..=200 {
            let t = 0.025 * f64::from(k);
            let (a, b) = (wanted.state(t), found.state(t));
            let all = [a.x - b.x[0], (a.friction - b.friction[0]) / 1.5];
            off.iter_mut().zip(all).for_each(|(m, d)| *m = m.max(d.abs()));
        }
        println!("{stiffness:e}: {off:?}, {steps} steps");
        assert!(off[0] < 1e-8 && off[1] < 1e-5 && steps < 10_000, "{stiffness:e}: {off:?} {steps}");
    }
}
