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

/// The least work that a closed loop takes, J: below 0 the contact gives energy out.
fn least_work(law: &dyn Remembers, amplitude: f64, rate: f64) -> f64 {
    let n = 20_000;
    let mut z = [0.0];
    let mut regions = vec![0; law.parts()];
    let h = std::f64::consts::TAU / rate / f64::from(n);
    let mut rates = [0.0];
    let mut works = Vec::new();
    for _ in 0..4 {
        let mut work = 0.0;
        for k in 0..n {
            let phase = rate * h * (f64::from(k) + 0.5);
            let x = amplitude * phase.sin();
            let w = amplitude * rate * phase.cos();
            law.enter(1f64.copysign(w), w.abs(), &z, false, &mut regions);
            let run = Run { side: 1f64.copysign(w), regions: &regions };
            law.rates(run, w, &z, &mut rates);
            let middle = [z[0] + 0.5 * h * rates[0]];
            law.rates(run, w, &middle, &mut rates);
            work += h * law.force(x, w, &middle, &rates) * w;
            z[0] += h * rates[0];
        }
        works.push(work);
    }
    works[3]
}

#[test]
fn the_inequality_of_a_law_separates_what_takes_energy_from_what_gives_it_out() {
    // The numbers of the textbook example: σ₁ (f_s − f_d)/f_d = 50 N·s/m is more than σ₂.
    let active = Lugre::new(limit(1.5), 1e4, 100.0, 0.4).unwrap();
    let condition = active.active().unwrap();
    assert!(condition.contains("0.4 < 50 N·s/m"), "{condition}");
    assert!(Lugre::new(limit(1.5), 1e4, 100.0, 50.0).unwrap().active().is_none());
    assert!(Lugre::new(limit(1.0), 1e4, 100.0, 0.0).unwrap().active().is_none());
    // Wen's condition: with γ > β a small loop that has been bent far gives energy out on its way back.
    assert!(bouc_wen(0.2, 0.6, 1.0).active().is_some());
    assert!(bouc_wen(0.6, 0.2, 1.0).active().is_none());
    assert!(bouc_wen(0.6, -0.59, 1.0).active().is_none());
    assert!(least_work(&bouc_wen(0.6, 0.2, 1.0), 1.0, 1.0) > 0.0);
    assert!(least_work(&bouc_wen(0.6, -0.59, 1.0), 1.0, 1.0) > 0.0);
    // ż = w (A − |z|^n(γ + β sgn)) dissipates z(A w − ż) = |w||z|^(n+1)(β + γ sgn(w z)): negative for γ > β against the bend.
    let law = bouc_wen(0.2, 0.6, 1.0);
    let mut rates = [0.0];
    law.rates(Run { side: -1.0, regions: &[0, 0] }, -1.0, &[1.0], &mut rates);
    assert!(1.0 * (-1.0 - rates[0]) < 0.0);
}

#[test]
fn numbers_that_make_no_law_are_refused_with_the_inequality() {
    let text = |e: Error| e.to_string();
    let negative = text(Lugre::new(limit(1.5), 1e4, -5.0, 0.4).unwrap_err());
    assert!(negative.contains("-5.0") && negative.contains("≥ 0"), "{negative}");
    let shape = Shape { a: 1.0, beta: 0.3, gamma: -0.3, exponent: 1.0 };
    let unbounded = text(BoucWen::new(1.0, 0.0, shape).unwrap_err());
    assert!(unbounded.contains("beta + gamma") && unbounded.contains("> 0"), "{unbounded}");
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
