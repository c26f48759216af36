use super::*;

fn limit(breakaway: f64) -> StribeckLimit {
    StribeckLimit::new(breakaway, 1.0, 0.05, 2.0).unwrap()
}

fn bouc_wen(beta: f64, gamma: f64, exponent: f64) -> BoucWen {
    BoucWen::new(2.0, 0.2, Shape { a: 1.0, beta, gamma, exponent }).unwrap()
}

/// z after a way to one side by many steps of the rates, regions and all: Heun's rule, error O(steps⁻²).
fn marched(law: &dyn Remembers, way: Way, z0: f64, steps: usize) -> f64 {
    let side = way.side();
    let w = way.length / way.time;
    let h = way.time / steps as f64;
    let mut z = [z0];
    for _ in 0..steps {
        let mut regions = vec![0; law.parts()];
        law.enter(side, w.abs(), &z, false, &mut regions);
        let run = Run { side, regions: &regions };
        let mut first = [0.0];
        let mut second = [0.0];
        law.rates(run, w, &z, &mut first);
        law.rates(run, w, &[z[0] + h * first[0]], &mut second);
        z[0] += 0.5 * h * (first[0] + second[0]);
    }
    z[0]
}

/// Short strides of a law without a closed form lead to where its rates do, from bristles bent to either side.
#[test]
fn strides_lead_where_the_rates_do() {
    for memory in [bouc_wen(80.0, 30.0, 1.7), bouc_wen(80.0, -30.0, 1.3), bouc_wen(20.0, 60.0, 1.5)]
    {
        let law: &dyn Remembers = &memory;
        assert!(!law.flows(true), "{}", law.canonical());
        for share in [-0.9, -0.3, 0.0, 0.6] {
            for length in [0.001, 0.02, -0.004, -0.05] {
                let z0 = share * law.scale(0);
                let mut z = [z0];
                let part = Way { length: length / 10_000.0, time: 3e-5 };
                (0..10_000).for_each(|_| law.stride(part, false, &[0], &mut z));
                let other = marched(law, Way { length, time: 0.3 }, z0, 10_000);
                let error = (z[0] - other).abs() / law.scale(0);
                assert!(error < 1e-3, "{} {z0} {length}: {} {other}", law.canonical(), z[0]);
            }
        }
    }
}

#[test]
fn closed_forms_are_what_the_rates_lead_to() {
    let laws: Vec<Memory> = vec![
        Dahl::new(1.0, 150.0, 1.0).unwrap().into(),
        Dahl::new(1.0, 150.0, 2.0).unwrap().into(),
        Dahl::new(1.0, 150.0, 1.5).unwrap().into(),
        Lugre::new(limit(1.5), 200.0, 3.0, 0.4).unwrap().into(),
        bouc_wen(80.0, 30.0, 1.0).into(),
        bouc_wen(80.0, -30.0, 1.0).into(),
        bouc_wen(50.0, 50.0, 1.0).into(),
        bouc_wen(20000.0, -7000.0, 2.0).into(),
        bouc_wen(6000.0, 2000.0, 2.0).into(),
        bouc_wen(2000.0, 6000.0, 2.0).into(),
        bouc_wen(4000.0, 4000.0, 2.0).into(),
    ];
    for memory in &laws {
        let law = memory.law();
        assert!(law.flows(true), "{}", law.canonical());
        for share in [-0.9, -0.3, 0.0, 0.6] {
            for length in [0.001, 0.02, -0.004, -0.05] {
                let way = Way { length, time: 0.3 };
                let z0 = share * law.scale(0);
                let mut z = [z0];
                law.flow(way, &mut z);
                let other = marched(law, way, z0, 40_000);
                let error = (z[0] - other).abs() / law.scale(0);
                assert!(error < 2e-7, "{} {z0} {length}: {} {other}", law.canonical(), z[0]);
            }
        }
    }
}

#[test]
fn a_way_in_two_parts_is_the_way() {
    for memory in [
        Memory::from(Dahl::new(1.0, 150.0, 1.5).unwrap()),
        bouc_wen(80.0, 30.0, 1.0).into(),
        bouc_wen(20000.0, -7000.0, 2.0).into(),
    ] {
        let law = memory.law();
        let mut whole = [-0.7 * law.scale(0)];
        let mut parts = [-0.7 * law.scale(0)];
        law.flow(Way { length: 0.02, time: 1.0 }, &mut whole);
        law.flow(Way { length: 0.003, time: 0.15 }, &mut parts);
        law.flow(Way { length: 0.017, time: 0.85 }, &mut parts);
        assert!((whole[0] - parts[0]).abs() < 1e-14 * law.scale(0), "{}", law.canonical());
    }
}

/// A motion at a constant speed.
fn at(speed: f64, length: f64) -> Way {
    Way { length, time: (length / speed).abs() }
}

/// The work that a fresh contact takes along `ways`, J, and z at their end: midpoint rule over the rates, regions and all. Shares of a way
/// that is as long as others are short are fine enough for those.
fn work(law: &dyn Remembers, ways: &[Way]) -> (f64, Vec<f64>) {
    const STEPS: usize = 4000;
    let n = law.states();
    let mut z: Vec<f64> = (0..n).map(|i| law.fresh(i)).collect();
    let mut regions = vec![0; law.parts()];
    let mut margins = vec![0.0; law.parts()];
    let mut rates = vec![0.0; n];
    let mut x = 0.0;
    let mut work = 0.0;
    let mut before = 0.0;
    for way in ways {
        let side = way.side();
        let w = way.length / way.time;
        let h = way.time / STEPS as f64;
        if side != before {
            law.enter(side, w.abs(), &z, false, &mut regions);
        }
        before = side;
        for _ in 0..STEPS {
            law.margins(Run { side, regions: &regions }, w, &z, &mut margins);
            for (part, margin) in margins.iter().enumerate() {
                if *margin < 0.0 {
                    regions[part] = law.leave(part, regions[part]);
                }
            }
            let run = Run { side, regions: &regions };
            law.rates(run, w, &z, &mut rates);
            let middle: Vec<f64> = z.iter().zip(&rates).map(|(z, r)| z + 0.5 * h * r).collect();
            law.rates(run, w, &middle, &mut rates);
            work += h * w * law.force(x + 0.5 * h * w, w, &middle, &rates);
            z.iter_mut().zip(&rates).for_each(|(z, rate)| *z += h * rate);
            x += h * w;
        }
    }
    (work, z)
}

/// A bristle that is bent to f_s in a slow slide and then moved fast: σ₁ż pulls it on by σ₁w (f_s − f_d)/f_d at first. A little less viscous
/// friction than that, and a closed way gives out energy; a little more, and none of these does.
#[test]
fn the_bound_of_a_bristles_damping_separates_what_takes_energy_from_what_gives_it_out() {
    // The numbers of the textbook example: σ₁ (f_s − f_d)/f_d = 50 N·s/m.
    let lugre = |viscous| Memory::from(Lugre::new(limit(1.5), 1e4, 100.0, viscous).unwrap());
    let elastic = |viscous| {
        ElastoPlastic::new(limit(1.5), 1e4, 100.0, viscous, 0.3e-4).map(Memory::from).unwrap()
    };
    let condition = lugre(0.4).law().active().unwrap();
    assert!(condition.contains("0.4 < 50 N·s/m"), "{condition}");
    assert!(Lugre::new(limit(1.0), 1e4, 100.0, 0.0).unwrap().active().is_none());
    // 1 N bends it by 0.1 mm. Its steady deflection at the fast speeds is that of f_d.
    let burst = 0.02 * 1e-4;
    let least = |law: &Memory| {
        let of = |speed: f64| {
            let ways = [at(1e-9, 20e-4), at(speed, burst), at(1e-9, -(20e-4 + burst))];
            work(law.law(), &ways).0
        };
        (0..15).map(|k| of(10f64.powi(k - 2))).fold(f64::INFINITY, f64::min)
    };
    for law in [lugre, elastic] {
        let [outside, inside] = [law(49.0), law(51.0)];
        assert!(outside.law().active().is_some() && inside.law().active().is_none());
        assert!(least(&outside) < 0.0, "{}", least(&outside));
        assert!(least(&inside) > 0.0, "{}", least(&inside));
    }
}

/// An element of Maxwell slip that nearly stops is bent on by its limit, which no motion pays for: α² (f_s² − f_d²)/2k at each turn, less what the
/// short fast ways take.
#[test]
fn a_falling_limit_lets_elements_in_parallel_give_out_energy_and_a_constant_one_does_not() {
    let law = |breakaway, viscous| {
        MaxwellSlip::new(limit(breakaway), vec![1e4], vec![1.0], 30.0, viscous).unwrap()
    };
    // From −f_s/k to f_d/k, the last of it faster than v_s by far; then nearly at rest, until f_s is reached.
    let half = |side: f64, breakaway: f64| {
        let all = side * (1.0 + breakaway) / 1e4;
        [at(1e-6, 0.999 * all), at(1.0, 0.002 * all), Way { length: 1e-9 * all, time: 5.0 }]
    };
    let taken = |breakaway: f64, viscous: f64| {
        let law = law(breakaway, viscous);
        let first = [half(1.0, breakaway), half(-1.0, breakaway)].concat();
        let ways: Vec<Way> = first.iter().copied().cycle().take(18).collect();
        work(&law, &ways).0 - work(&law, &ways[..12]).0
    };
    let condition = law(1.5, 0.4).active().unwrap();
    assert!(condition.contains("1.5 > 1 N"), "{condition}");
    let expected = -(1.5f64.powi(2) - 1.0) / 1e4;
    assert!((taken(1.5, 0.0) / expected - 1.0).abs() < 0.05, "{} {expected}", taken(1.5, 0.0));
    // However viscous: a shorter fast way would do, too.
    assert!(taken(1.5, 50.0) < 0.5 * expected, "{}", taken(1.5, 50.0));
    assert!(law(1.0, 0.0).active().is_none());
    assert!(taken(1.0, 0.0) >= 0.0, "{}", taken(1.0, 0.0));
}

/// Whatever a spring of Bouc and Wen may be, what it gives back along any way is below E(z) = (1 − α) k ∫ z dz/(A − (γ − β) zⁿ), what it gives on its way
/// back to z = 0: there dz/dx = A − (γ − β) zⁿ, and to bend it takes no less. For γ > β, where Wen's condition |γ| ≤ β does not hold, that is more than
/// the spring's z²/2 and still never more than was put in.
#[test]
fn no_spring_of_bouc_and_wen_gives_out_more_than_it_was_given() {
    for (beta, gamma) in [(0.2, 0.6), (0.6, 0.2), (0.6, -0.59), (0.0, 0.5), (0.3, 0.3)] {
        let law = bouc_wen(beta, gamma, 1.0);
        assert!(law.active().is_none());
        let stored = |z: f64| {
            let n = 2000;
            let dz = z.abs() / f64::from(n);
            let part = |k: i32| {
                let z = (f64::from(k) + 0.5) * dz;
                z * dz / (1.0 - (gamma - beta) * z)
            };
            (0..n).map(part).sum::<f64>()
        };
        // Ways of ±0.1 to ±1.9, changing sides now and then, as Weyl's sequence has it; and the way home, so that the spring in parallel is straight.
        let length = |k: usize| 2.0 * ((0.618_034 * k as f64).fract() - 0.45);
        let mut ways: Vec<Way> = Vec::new();
        for k in 1..40 {
            ways.push(at(1.0, length(k)));
            let (taken, z) = work(&law, &ways);
            let x: f64 = ways.iter().map(|w| w.length).sum();
            let elastic = 2.0 * (0.2 * 0.5 * x * x + 0.8 * stored(z[0]));
            assert!(
                taken > elastic - 1e-4 * (1.0 + elastic),
                "{beta} {gamma} {k}: {taken} {elastic}"
            );
        }
    }
}

#[test]
fn numbers_that_make_no_law_are_refused_with_the_inequality() {
    let text = |e: Error| e.to_string();
    let negative = text(Lugre::new(limit(1.5), 1e4, -5.0, 0.4).unwrap_err());
    assert!(negative.contains("-5.0") && negative.contains("≥ 0"), "{negative}");
    let shape = Shape { a: 1.0, beta: 0.3, gamma: -0.3, exponent: 1.0 };
    let unbounded = text(BoucWen::new(1.0, 0.0, shape).unwrap_err());
    assert!(unbounded.contains("beta + gamma") && unbounded.contains("> 0"), "{unbounded}");
    let wears =
        |law: BoucWen, strength, stiffness| law.degrading(Degradation { strength, stiffness });
    let soft = text(wears(bouc_wen(0.2, 0.6, 1.0), 0.1, 0.0).unwrap_err());
    assert!(soft.contains("|gamma| ≤ beta"), "{soft}");
    assert!(wears(bouc_wen(0.2, 0.6, 1.0), 0.0, 0.0).is_ok());
    assert!(wears(bouc_wen(0.4, 0.4, 1.0), 0.1, 0.1).is_ok());
    assert!(wears(bouc_wen(0.4, 0.4, 1.0), -0.1, 0.0).is_err());
    let late = text(ElastoPlastic::new(limit(1.0), 1e3, 1.0, 0.0, 1e-3).unwrap_err());
    assert!(late.contains("dynamic/stiffness"), "{late}");
    assert!(ElastoPlastic::new(limit(1.0), 1e3, 1.0, 0.0, 0.999e-3).is_ok());
    assert!(Dahl::new(1.0, 1.0, 0.5).is_err());
    assert!(StribeckLimit::new(1.0, 1.5, 0.1, 2.0).is_err());
    assert!(Dahl::new(1.0, 10.0, 1.0).unwrap().check_state(&[0.2]).is_err());
    assert!(Dahl::new(1.0, 10.0, 1.0).unwrap().check_state(&[-0.1]).is_ok());
}

#[test]
fn the_elastic_share_is_continuous_and_ends_where_it_is_said_to() {
    let law = ElastoPlastic::new(limit(1.5), 1e3, 1.0, 0.0, 0.5e-3).unwrap();
    let mut regions = [9];
    for (bent, expected) in [(-2e-3, 0), (0.5e-3, 0), (0.6e-3, 1), (1.4999e-3, 1), (1.6e-3, 2)] {
        law.enter(-1.0, 0.0, &[-bent], false, &mut regions);
        assert_eq!(regions[0], expected, "{bent}");
    }
    let rate = |region: u8, bent: f64| {
        let mut rates = [0.0];
        law.rates(Run { side: 1.0, regions: &[region] }, 1e-9, &[bent], &mut rates);
        rates[0] / 1e-9
    };
    assert!((rate(0, 0.5e-3) - rate(1, 0.5e-3)).abs() < 1e-12);
    assert!((rate(1, 1.5e-3) - rate(2, 1.5e-3)).abs() < 1e-12);
    assert!((rate(1, 1e-3) - (1.0 - 0.5 * 1.0 / 1.5)).abs() < 1e-12);
}
