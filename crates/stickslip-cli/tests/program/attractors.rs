//! What orbits, responses and basins say of motions that end elsewhere, against an independent integration.

use super::sandbox::Sandbox;

/// x″ + c x′ + x = cos ωt, x ≤ d, and an impact there turns the velocity v into −r v.
#[derive(Clone, Copy)]
struct Impacts {
    omega: f64,
    stop: f64,
}

const DAMPING: f64 = 0.02;
const RESTITUTION: f64 = 0.8;

impl Impacts {
    fn file(self, start: [f64; 2]) -> String {
        format!(
            "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = {DAMPING:?}\nfriction.coulomb = {{ force = 0.0 }}\n\
             stops = {{ upper = {:?}, restitution = {RESTITUTION:?} }}\n\
             initial = {{ displacement = {:?}, velocity = {:?} }}\n\
             [[oscillator.force]]\nharmonic = {{ amplitude = 1.0, angular_frequency = {:?} }}\n",
            self.stop, start[0], start[1], self.omega
        )
    }

    fn period(self) -> f64 {
        std::f64::consts::TAU / self.omega
    }

    /// The motion without impacts that is cos ωt's own, at `t`.
    fn own(self, t: f64) -> [f64; 2] {
        let (a, b) = (1.0 - self.omega * self.omega, DAMPING * self.omega);
        let (s, c) = (self.omega * t).sin_cos();
        let size = a * a + b * b;
        [(a * c + b * s) / size, self.omega * (b * c - a * s) / size]
    }

    /// The state `dt` after the state `u` at `t`, without an impact: the free motion about its own one.
    fn freely(self, u: [f64; 2], t: f64, dt: f64) -> [f64; 2] {
        let (from, to) = (self.own(t), self.own(t + dt));
        let (y, w) = (u[0] - from[0], u[1] - from[1]);
        let zeta = 0.5 * DAMPING;
        let nu = (1.0 - zeta * zeta).sqrt();
        let ((s, c), e) = ((nu * dt).sin_cos(), (-zeta * dt).exp());
        let b = (w + zeta * y) / nu;
        let z = e * (y * c + b * s);
        [to[0] + z, to[1] - zeta * z + e * nu * (b * c - y * s)]
    }

    /// The states after 0, 1, 2, … periods.
    fn strobed(self, start: [f64; 2], periods: usize) -> Vec<[f64; 2]> {
        const PARTS: usize = 500;
        let h = self.period() / PARTS as f64;
        let mut u = start;
        let mut all = vec![u];
        for n in 0..periods {
            for i in 0..PARTS {
                u = self.step(u, (n * PARTS + i) as f64 * h, h);
            }
            all.push(u);
        }
        all
    }

    fn step(self, u: [f64; 2], t: f64, h: f64) -> [f64; 2] {
        let next = self.freely(u, t, h);
        if next[0] <= self.stop {
            return next;
        }
        let (mut low, mut high) = (0.0, h);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let beyond = self.freely(u, t, middle)[0] > self.stop;
            if beyond { high = middle } else { low = middle }
        }
        let at = self.freely(u, t, low);
        let back = [self.stop, -RESTITUTION * at[1].max(0.0)];
        self.freely(back, t + low, h - low)
    }

    /// The least number of periods, up to twelve, after which the motion repeats once `settled` periods have passed.
    fn repeats_after(self, start: [f64; 2], settled: usize) -> Option<usize> {
        let all = self.strobed(start, settled + 12);
        let apart = |n: usize| {
            let (a, b) = (all[settled], all[settled + n]);
            (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
        };
        (1..=12).find(|n| apart(*n) < 1e-6)
    }
}

const AFTER_TWO: &str = "The motion from the initial state of the model repeats after 2 periods of the load; other \
                         starts lead to this orbit.";
const ELSEWHERE: &str = "some motions end elsewhere: they repeat after 2 periods of the load";

/// A linear motion that the stop is out of reach of, and one with an impact every second period.
#[test]
fn a_start_that_leads_to_another_number_of_periods_is_told() {
    let s = Sandbox::new();
    let model = Impacts { omega: 3.9, stop: 0.1 };
    let own = model.own(0.0);
    for (start, periods) in [([0.1, -0.4], 2), ([-1.0, -0.6], 2), ([own[0], own[1] + 0.002], 1)] {
        assert_eq!(model.repeats_after(start, 1500), Some(periods), "{start:?}");
        s.write("m.toml", model.file(start));
        let ended = s.run(&["orbit", "m.toml"]).done();
        assert_eq!(ended.stdout.contains(AFTER_TWO), periods == 2, "{start:?}: {}", ended.stdout);
        assert!(!ended.stdout.contains("had not settled"), "{}", ended.stdout);
        assert!(ended.stderr.contains(ELSEWHERE), "{start:?}: {}", ended.stderr);
    }
    // Asked for two periods, its start leads to what is shown, and nothing ends elsewhere.
    s.write("m.toml", model.file([0.1, -0.4]));
    let ended = s.run(&["orbit", "m.toml", "--periods", "2"]).done();
    assert!(!ended.stdout.contains("The motion from the initial state"), "{}", ended.stdout);
    assert!(!ended.stderr.contains("end elsewhere"), "{}", ended.stderr);
    // It is listed once, though it may begin at either of its two periods; the other orbit is the linear one.
    assert_eq!(ended.stdout.matches("largest multiplier").count(), 1, "{}", ended.stdout);
}

#[test]
fn a_response_tells_of_attractors_of_another_number_of_periods() {
    let s = Sandbox::new();
    let model = Impacts { omega: 3.9, stop: 0.1 };
    let said = |range: &str, periods: &str| {
        let vary = format!("oscillator.force.0.harmonic.angular_frequency={range}");
        s.run(&["response", "m.toml", "--vary", &vary, "--periods", periods]).done()
    };
    s.write("m.toml", model.file(model.own(0.0)));
    for omega in [3.85, 3.89] {
        assert_eq!(Impacts { omega, ..model }.repeats_after([0.1, -0.4], 1500), Some(2));
    }
    let across = said("3.85:3.89:6", "1");
    assert!(across.stdout.contains("No bifurcation was located on what was followed."));
    assert!(across.stderr.contains("angular_frequency = 3.85 some motions repeat after 2 periods"));
    assert!(across.stderr.contains("there are attractors that no branch shows"));
    let both = said("3.85:3.89:6", "2");
    assert!(!both.stderr.contains("no branch shows"), "{}", both.stderr);
}

/// The motion without impacts has the amplitude 1/√((1 − ω²)² + c²ω²): where the stop is as far away, it grazes.
#[test]
fn a_branch_ends_where_its_motion_grazes_the_stop() {
    let s = Sandbox::new();
    s.write("m.toml", Impacts { omega: 2.5, stop: 0.0 }.file([-0.1, -0.3]));
    let said = |range: &str| {
        let vary = format!("oscillator.stops.upper={range}");
        s.run(&["response", "m.toml", "--vary", &vary]).done().stdout
    };
    let grazes = 1.0 / (5.25f64 * 5.25 + (DAMPING * 2.5).powi(2)).sqrt();
    let said_at = |said: &str, sentence: &str| -> Option<f64> {
        let line = said.lines().find(|l| l.starts_with("Branch") && l.contains(sentence))?;
        let (_, rest) = line.split_once(" at ")?;
        rest.split([',', ':', ' ']).next()?.parse().ok()
    };
    let across = said("0.0:1.0:40");
    let end = said_at(&across, ", at a bifurcation (grazing).").unwrap();
    assert!((end - grazes).abs() < 1e-9, "{end} {grazes}");
    // The branch with impacts is lost next to the square root of the grazing, and no reason is made up.
    let lost =
        said_at(&across, "it could not be followed any further, and why is not known").unwrap();
    assert!(lost < grazes && lost > 0.9 * grazes, "{lost}");
    let beyond = said("0.3:1.0:10");
    assert!(!beyond.contains("ends at") && !beyond.contains("was lost"), "{beyond}");
}

/// Undamped resonance with F > 4 f/π (Den Hartog 1931): the amplitude has no limit as ω goes to 1. A typical size is (F + f)/k.
#[test]
fn a_resonance_without_bounds_is_one() {
    let s = Sandbox::new();
    let said = |friction: f64, damping: f64, range: &str| {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = {damping:?}\nfriction.coulomb = {{ force = {friction:?} }}\n\
                 [[oscillator.force]]\nharmonic = {{ amplitude = 1.0, angular_frequency = 0.9 }}\n"
            ),
        );
        let vary = format!("oscillator.force.0.harmonic.angular_frequency={range}");
        s.run(&["response", "m.toml", "--vary", &vary]).done().stdout
    };
    // A = √(V² − f²U²), V = 1/(1 − β²), U = tan(π/2β)/β: the same pole, for tan(π/2β) has one at β = 1.
    let amplitude = |f: f64, beta: f64| {
        let v = 1.0 / (1.0 - beta * beta);
        let u = (0.5 * std::f64::consts::PI / beta).tan() / beta;
        (v * v - f * f * u * u).sqrt()
    };
    let across = said(0.1, 0.0, "0.5:1.0:40");
    let line = across.lines().find(|l| l.contains("more than a thousand typical sizes large"));
    let (_, at) = line.unwrap().split_once("given up at ").unwrap();
    let at: f64 = at.split(',').next().unwrap().parse().unwrap();
    assert!(at < 1.0 && amplitude(0.1, at) > 1000.0, "{at}: {}", amplitude(0.1, at));
    // A damper bounds it; so does the range.
    for bounded in [said(0.1, 0.05, "0.5:1.5:40"), said(0.1, 0.0, "0.5:0.9:40")] {
        assert!(!bounded.contains("given up"), "{bounded}");
        assert!(bounded.contains("No bifurcation was found in between."), "{bounded}");
    }
}

/// Two soft stops and a strong force: orbits of three periods are a closed curve over the frequency.
#[test]
fn a_closed_branch_comes_back_to_where_it_began_once() {
    let s = Sandbox::new();
    s.write(
        "m.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.05\nfriction.coulomb = { force = 0.0 }\n\
         stops = { lower = -0.5, upper = 0.5, stiffness = 2.0 }\ninitial = { displacement = 1.5 }\n\
         [[oscillator.force]]\nharmonic = { amplitude = 3.0, angular_frequency = 4.0 }\n",
    );
    let said = |range: &str| {
        let vary = format!("oscillator.force.0.harmonic.angular_frequency={range}");
        s.run(&["response", "m.toml", "--vary", &vary, "--periods", "3"]).done().stdout
    };
    let round = said("2.9:4.6:400");
    assert!(round.contains("comes back to orbits that are listed already"), "{round}");
    assert!(!round.contains("without an end") && !round.contains("was lost"), "{round}");
    // It turns back twice, at either end of its frequencies, and each is found once: orbits that begin one or two periods later
    // are the same ones.
    assert_eq!(round.matches("  fold").count(), 2, "{round}");
    assert_eq!(round.matches("orbits from").count(), 2, "{round}");
    // A part of it runs from one end of the range to the other.
    let part = said("3.6:3.7:20");
    assert!(!part.contains("comes back") && part.contains("orbits from 3.600000 to 3.700000"));
}

/// Under a belt without a damper the slip about x = f/k is a free oscillation, as large as its start makes it.
#[test]
fn free_oscillations_above_a_belt_are_a_continuum() {
    let s = Sandbox::new();
    let file = |stiffness: f64, start: f64| {
        format!(
            "[oscillator]\nmass = 1.0\nstiffness = {stiffness:?}\nfriction.coulomb = {{ force = 0.1 }}\n\
             initial = {{ displacement = {start:?} }}\n[[oscillator.support]]\nconstant = 0.3\n"
        )
    };
    for start in [0.2, 0.0, 0.35] {
        s.write("m.toml", file(1.0, start));
        let ended = s.run(&["orbit", "m.toml"]).done();
        assert!(ended.stdout.contains("one of a continuum of orbits"), "{}", ended.stdout);
        s.run(&["orbit", "m.toml", "--out", "o"]).done();
        let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
        let number = |key: &str| orbit[key].as_f64().unwrap();
        assert!((number("amplitude") - (start - 0.1f64).abs()).abs() < 1e-9, "{orbit}");
        assert!((number("period") - std::f64::consts::TAU).abs() < 1e-9, "{orbit}");
    }
    // Without a spring it comes to the speed of the belt and stays there, x = v t + …: no spring, no way back.
    s.write("m.toml", file(0.0, 0.2));
    let said = "it has neither a spring nor a stop, so that nothing brings it back";
    s.run(&["orbit", "m.toml"]).failed(3, &[said]);
    let vary = "oscillator.support.0.constant=0.1:0.3:5";
    s.run(&["response", "m.toml", "--vary", vary]).failed(3, &[said]);
}

/// A belt whose friction falls with the speed carries the mass against a soft stop, from which it slips back: no spring is needed.
#[test]
fn a_stop_brings_a_mass_back_without_a_spring() {
    let s = Sandbox::new();
    for stiffness in ["0.0", "1e-6"] {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = {stiffness}\nfriction.stribeck = {{ a = 0.0, c = 3.0, d = 1.0 }}\n\
                 stops = {{ lower = -0.5, upper = 0.5, stiffness = 2.0, damping = 0.01 }}\n\
                 initial = {{ displacement = 0.6 }}\n[[oscillator.support]]\nconstant = 0.3\n"
            ),
        );
        s.run(&["orbit", "m.toml", "--out", "o"]).done();
        let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
        // It sticks until the stop pushes with the 1 N that the belt holds, a + 1 N/κ.
        let most = orbit["max"].as_f64().unwrap();
        assert!(orbit["stops"] == 1 && most >= 1.0 - 0.01 * 0.3 / 2.0 - 1e-6, "{orbit}");
    }
}

/// Motions that strike the stop go on in chaos, beside the linear motion that does not reach it.
#[test]
fn motions_that_do_not_settle_are_told() {
    let s = Sandbox::new();
    let model = Impacts { omega: 2.5, stop: 0.25 };
    let own = "The motion from the initial state of the model had not settled when it was given up; other starts lead to this \
               orbit.";
    let some = "some motions that were followed had not settled when they were given up";
    for (start, settles) in [([-0.1, -0.3], false), ([0.2, 2.0], false), (model.own(0.0), true)] {
        // It is given up after 400 periods.
        assert_eq!(model.repeats_after(start, 400).is_some(), settles, "{start:?}");
        s.write("m.toml", model.file(start));
        let ended = s.run(&["orbit", "m.toml"]).done();
        assert_eq!(ended.stdout.contains(own), !settles, "{start:?}: {}", ended.stdout);
        assert!(ended.stderr.contains(some), "{}", ended.stderr);
    }
    let vary = "oscillator.stops.upper=0.24:0.26:4";
    let ended = s.run(&["response", "m.toml", "--vary", vary]).done();
    let said = "some motions had not settled when they were given up: they may be chaotic";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    // Out of reach there is the linear motion only.
    s.write("m.toml", Impacts { omega: 2.5, stop: 50.0 }.file([-0.1, -0.3]));
    let ended = s.run(&["orbit", "m.toml"]).done();
    assert!(!ended.stderr.contains(some) && !ended.stdout.contains(own), "{}", ended.stderr);
    let vary = "oscillator.stops.upper=50:60:4";
    let ended = s.run(&["response", "m.toml", "--vary", vary]).done();
    assert!(!ended.stderr.contains("had not settled"), "{}", ended.stderr);
}

#[test]
fn starts_that_reach_no_orbit_are_told() {
    let s = Sandbox::new();
    let said = |stop: f64, within: &str| {
        s.write("m.toml", Impacts { omega: 2.5, stop }.file([-0.1, 0.0]));
        let args = ["basins", "m.toml", "--x", "-0.2:0.2:3", "--v", "-1:1:3", "--within", within];
        s.run(&args).done()
    };
    // Of the nine starts, those whose motion repeats a little before it is given up reach the linear motion, and those that do not
    // a little after that reach none.
    let model = Impacts { omega: 2.5, stop: 0.25 };
    let starts: Vec<[f64; 2]> =
        (0..9).map(|i| [0.2 * f64::from(i % 3 - 1), f64::from(i / 3 - 1)]).collect();
    let unsettled = |after: usize| {
        starts.iter().filter(|start| model.repeats_after(**start, after).is_none()).count()
    };
    let ended = said(0.25, "300");
    assert!(ended.stderr.contains("some starts reach none of the orbits"), "{}", ended.stderr);
    let none = ended.stdout.lines().find(|l| l.starts_with(" none")).unwrap();
    let share: f64 = none.split_whitespace().nth(1).unwrap().parse().unwrap();
    let count = (0.09 * share).round() as usize;
    assert!((unsettled(320)..=unsettled(200)).contains(&count) && count > 0, "{}", ended.stdout);
    assert!(!said(50.0, "3000").stderr.contains("reach none of the orbits"));
}

/// Where the only stable motion repeats after two periods, one of one period is not found, and that is all that is said.
#[test]
fn orbits_of_other_periods_are_offered() {
    let s = Sandbox::new();
    for (omega, periods) in [(2.68, 2), (3.0, 2), (2.5, 1)] {
        let model = Impacts { omega, stop: 0.0 };
        assert_eq!(model.repeats_after([-0.1, -0.3], 1500), Some(periods), "{omega}");
        s.write("m.toml", model.file([-0.1, -0.3]));
        let ended = s.run(&["orbit", "m.toml"]);
        let said = "no motion that was followed repeats after 1 period of the load; some repeat after 2: ask for an orbit of 2 periods";
        match periods {
            1 => assert!(!ended.done().stderr.contains("some repeat after")),
            _ => {
                ended.failed(3, &["no periodic orbit was found", said]);
                let two = s.run(&["orbit", "m.toml", "--periods", "2"]).done().stdout;
                assert!(two.starts_with("A periodic orbit of 2 periods of the load"), "{two}");
            }
        }
    }
}

/// A mass that a belt carries to x = f/k leaves it there, swings with x = f/k + (v/ω) sin ωt, and comes back to the belt just
/// as fast: the orbit grazes the velocity of the belt. A slower one does not reach it.
#[test]
fn an_orbit_that_grazes_is_told() {
    let s = Sandbox::new();
    let said = |start: [f64; 2]| {
        s.write(
            "m.toml",
            format!(
                "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = {{ force = 0.1 }}\n\
                 initial = {{ displacement = {:?}, velocity = {:?} }}\n[[oscillator.support]]\nconstant = 0.3\n",
                start[0], start[1]
            ),
        );
        let ended = s.run(&["orbit", "m.toml"]).done();
        let grazes = ended.stderr.contains("the orbit grazes an event: it is at a bifurcation");
        (grazes, ended.stdout.contains("amplitude             0.300000000 m"))
    };
    assert_eq!(said([-1.0, 0.3]), (true, true));
    assert_eq!(said([0.2, 0.0]), (false, false));
}
