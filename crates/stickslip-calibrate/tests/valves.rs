//! Control loops of many plants, tunings and disturbances: which are said to stick.

use crate::campaign::{Tally, campaign};
use crate::common::Noise;
use stickslip_calibrate::valve::{ValveFit, valve};

/// How the valve moves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Valve {
    Free,
    /// It rests until spring and actuator are `at_rest` apart, then moves to where they are `in_slip` apart (He et al. 2007).
    Stem {
        at_rest: f64,
        in_slip: f64,
    },
    /// After a reversal it rests until the output has come back by `dead`, and then jumps by `jump` (Kano et al. 2004).
    Band {
        dead: f64,
        jump: f64,
    },
}

/// A valve and where it stands.
struct Place {
    valve: Valve,
    at: f64,
    before: f64,
    way: f64,
    turn: f64,
    moving: bool,
}

impl Place {
    fn moved(&mut self, output: f64) -> f64 {
        match self.valve {
            Valve::Free => self.at = output,
            Valve::Stem { at_rest, in_slip } => {
                let apart = output - self.at;
                if apart.abs() > at_rest {
                    self.at = output - apart.signum() * in_slip;
                }
            }
            Valve::Band { dead, jump } => {
                let way = (output - self.before).signum();
                if output != self.before && way != self.way {
                    (self.turn, self.moving, self.way) = (self.before, false, way);
                }
                self.moving |= (output - self.turn).abs() > dead;
                if self.moving {
                    self.at = output - self.way * 0.5 * (dead - jump);
                }
                self.before = output;
            }
        }
        self.at
    }
}

/// What moves the loop from outside.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outside {
    Nothing,
    Walk,
    IntegratedWalk,
    Shoulder,
    Ramp,
    Setpoint,
    Sine,
    Coloured,
    TwoSines,
}

const ALL: [Outside; 9] = [
    Outside::Nothing,
    Outside::Walk,
    Outside::IntegratedWalk,
    Outside::Shoulder,
    Outside::Ramp,
    Outside::Setpoint,
    Outside::Sine,
    Outside::Coloured,
    Outside::TwoSines,
];

const BEFORE: usize = 400;
const ROWS: usize = 1000;

/// A loop of a seed: a process of first order with dead time under a PI controller; `tight` where integral action dominates.
struct Loop {
    seed: u64,
    valve: Valve,
    outside: Outside,
    tight: bool,
}

/// The draws of a loop.
struct Drawn {
    gain: f64,
    lag: f64,
    proportional: f64,
    reset: f64,
    noise: f64,
    goal: f64,
    size: f64,
    place: f64,
    period: f64,
    keep: f64,
    steps: [f64; 4],
}

impl Drawn {
    fn new(draw: &mut Noise, tight: bool) -> Self {
        let gain = 0.5 + 1.5 * draw.unit();
        let (proportional, reset) = if tight {
            ((0.05 + 0.15 * draw.unit()) / gain, (0.05 + 0.1 * draw.unit()) / gain)
        } else {
            let p = (0.1 + 0.5 * draw.unit()) / gain;
            (p, p / (2.0 + 10.0 * draw.unit()))
        };
        Self {
            gain,
            lag: 1.0 + 7.0 * draw.unit(),
            proportional,
            reset,
            noise: 0.005 * 10f64.powf(draw.unit()),
            goal: 50.0 * gain + 2.0 * draw.unit() - 1.0,
            size: 1.0 + 4.0 * draw.unit(),
            place: draw.unit(),
            period: 40.0 + 120.0 * draw.unit(),
            keep: (-1.0 / (3.0 + 40.0 * draw.unit())).exp(),
            steps: [(); 4].map(|()| draw.unit()),
        }
    }

    /// Of the setpoint, at a share of the record.
    fn steps(&self, share: f64) -> f64 {
        let passed = self.steps.iter().enumerate().filter(|(_, at)| share > **at);
        passed.map(|(k, _)| if k % 2 == 0 { self.size } else { -self.size }).sum()
    }
}

impl Loop {
    /// Output, and process variable less setpoint.
    fn record(&self) -> [Vec<f64>; 2] {
        let mut draw = Noise::new(self.seed);
        (0..8).for_each(|_| {
            draw.unit();
        });
        let drawn = Drawn::new(&mut draw, self.tight);
        let dead = (3.0 * draw.unit()) as usize;
        let mut pipe = std::collections::VecDeque::from(vec![50.0; dead + 1]);
        let mut stem = Place {
            valve: self.valve,
            at: 50.0,
            before: 50.0,
            way: 0.0,
            turn: 50.0,
            moving: false,
        };
        let (mut y, mut sum, mut u) = (50.0 * drawn.gain, 0.0, 50.0);
        let (mut walk, mut rate, mut slow) = (0.0, 0.0, 0.0);
        let mut out = [Vec::new(), Vec::new()];
        for i in 0..BEFORE + ROWS {
            pipe.push_back(stem.moved(u));
            pipe.pop_front();
            let size = drawn.size;
            let share = (i as f64 - BEFORE as f64) / ROWS as f64;
            rate = 0.998 * rate + 0.002 * draw.normal();
            slow = drawn.keep * slow
                + (1.0 - drawn.keep * drawn.keep).sqrt() * 0.3 * size * draw.normal();
            walk += size / 3.0
                * if self.outside == Outside::Walk { 0.05 * draw.normal() } else { 0.3 * rate };
            let wave = |period: f64| (std::f64::consts::TAU * i as f64 / period).sin();
            let disturbance = match self.outside {
                Outside::Nothing | Outside::Setpoint => 0.0,
                Outside::Walk | Outside::IntegratedWalk => walk,
                Outside::Shoulder => {
                    2.0 * size / (1.0 + (-25.0 * (share - 0.25 - 0.5 * drawn.place)).exp())
                }
                Outside::Ramp => 3.0 * size * share,
                Outside::Sine => 0.6 * size * wave(drawn.period),
                Outside::Coloured => slow,
                Outside::TwoSines => {
                    0.4 * size * (wave(drawn.period) + 0.7 * wave(0.61 * drawn.period))
                }
            };
            let wish = drawn.goal
                + if self.outside == Outside::Setpoint { drawn.steps(share) } else { 0.0 };
            y += (drawn.gain * pipe[0] + disturbance - y) * (1.0 - (-1.0 / drawn.lag).exp());
            let seen = y + drawn.noise * draw.normal();
            if i >= BEFORE {
                out[0].push(u);
                out[1].push(seen - wish);
            }
            sum += drawn.reset * (wish - seen);
            u = 50.0 + drawn.proportional * (wish - seen) + sum;
        }
        out
    }

    fn judged(&self) -> ValveFit {
        let [u, y] = self.record();
        let t: Vec<f64> = (0..u.len()).map(|i| i as f64).collect();
        valve(&t, &u, &y, None).unwrap()
    }
}

/// Output, and process variable less setpoint, of a loop of this seed, whose valve sticks or moves freely while something moves it.
pub fn a_loop(seed: u64, sticks: bool) -> [Vec<f64>; 2] {
    let mut draw = Noise::new(7 * seed + 1);
    (0..5).for_each(|_| {
        draw.unit();
    });
    let (zone, share) = (1.0 + 4.0 * draw.unit(), draw.unit());
    let stem = Valve::Stem { at_rest: zone, in_slip: zone * (0.2 + 0.6 * share) };
    let valve = if sticks { stem } else { Valve::Free };
    let outside = if sticks { Outside::Nothing } else { ALL[seed as usize % ALL.len()] };
    Loop { seed, valve, outside, tight: false }.record()
}

/// How many of so many loops of each kind whose valve moves freely are said to stick.
fn accused(each: u64, first: u64) -> (u64, Vec<String>) {
    let (mut loops, mut wrong) = (0, Vec::new());
    for tight in [false, true] {
        for (kind, outside) in ALL.into_iter().enumerate() {
            for seed in 0..each {
                let seed = first + 1_000_000 * kind as u64 + 500_000 * u64::from(tight) + seed;
                loops += 1;
                if (Loop { seed, valve: Valve::Free, outside, tight }).judged().verdict == "sticks"
                {
                    wrong.push(format!("{outside:?} {seed}"));
                }
            }
        }
    }
    (loops, wrong)
}

/// Of loops that cycle because of their valve: those of which phase and corners speak for it, and those that are said to stick.
fn caught(each: u64, first: u64) -> [u64; 2] {
    let mut count = [0; 2];
    for seed in first..first + each {
        let mut draw = Noise::new(7 * seed + 1);
        (0..5).for_each(|_| {
            draw.unit();
        });
        let (zone, share) = (1.0 + 4.0 * draw.unit(), draw.unit());
        let stem = Valve::Stem { at_rest: zone, in_slip: zone * (0.2 + 0.6 * share) };
        for valve in [stem, Valve::Band { dead: zone, jump: zone * (0.2 + 0.8 * share) }] {
            let one = Loop { seed, valve, outside: Outside::Nothing, tight: false };
            let [_, y] = one.record();
            let found = one.judged();
            let odd = found.oddness.iter().all(|o| *o > 2.0 / 3.0);
            // Three cycles and more of the process variable, noise apart; a valve that rests shows nothing.
            let far = 0.5 * y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let sides: Vec<f64> = y.iter().filter(|v| v.abs() > far).map(|v| v.signum()).collect();
            let cycles = sides.windows(2).filter(|s| s[0] != s[1]).count();
            let ellipse = found.warnings.iter().any(|w| w.contains("ellipse"));
            let noisy = far < 0.25;
            if odd && !ellipse && !noisy && cycles >= 6 {
                count[0] += 1;
                count[1] += u64::from(found.verdict == "sticks");
            }
        }
    }
    count
}

/// A wander, an S, a ramp, steps of the setpoint, a sine, coloured noise and two sines that beat, under tunings of all kinds: of 198
/// loops at most one is said to stick. Of those that cycle by their valve nine of ten are, which some thirty show within three
/// standard deviations of 1.7; the campaign below asks for nine of ten of two hundred.
#[test]
fn what_comes_from_outside_is_not_said_to_stick() {
    let (loops, wrong) = accused(11, 31_000);
    let [odd, found] = caught(200, 95_000_000);
    println!("{} of {loops} said to stick: {wrong:?}; of {odd} that cycle {found}", wrong.len());
    assert!(wrong.len() <= 1, "{wrong:?}");
    assert!(odd >= 20 && found as f64 >= 0.9 * odd as f64 - 5.0, "{found} of {odd}");
}

/// Of valves whose loop cycles by itself three of four are said to stick under weak integral action, too, where the phase lies between
/// the bounds of Horch.
#[test]
fn a_valve_that_cycles_is_found_at_any_phase() {
    let (mut cycling, mut found) = (0, 0);
    for seed in 98_000_000..98_000_120 {
        let mut draw = Noise::new(7 * seed + 1);
        (0..5).for_each(|_| {
            draw.unit();
        });
        let (zone, share) = (1.0 + 4.0 * draw.unit(), draw.unit());
        let stem = Valve::Stem { at_rest: zone, in_slip: zone * (0.2 + 0.6 * share) };
        let one = Loop { seed, valve: stem, outside: Outside::Nothing, tight: false };
        let [_, y] = one.record();
        let far = 0.5 * y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let sides: Vec<f64> = y.iter().filter(|v| v.abs() > far).map(|v| v.signum()).collect();
        let sides = sides.windows(2).filter(|s| s[0] != s[1]).count();
        if far >= 0.25 && sides >= 6 {
            cycling += 1;
            found += u32::from(one.judged().verdict == "sticks");
        }
    }
    println!("{found} of {cycling}");
    assert!(cycling >= 20 && 4 * found >= 3 * cycling, "{found} of {cycling}");
}

/// What is said of a valve that sticks, with or without something else that moves its loop: a loop that cycles by its valve alone is never
/// said to show no sign of it.
fn one_that_sticks(seed: u64, tally: &mut Tally) {
    let mut draw = Noise::new(7 * seed + 13_000_001);
    (0..5).for_each(|_| {
        draw.unit();
    });
    let (zone, share) = (1.0 + 4.0 * draw.unit(), draw.unit());
    let stem = Valve::Stem { at_rest: zone, in_slip: zone * (0.2 + 0.6 * share) };
    let band = Valve::Band { dead: zone, jump: zone * (0.2 + 0.8 * share) };
    let valve = if draw.unit() < 0.5 { stem } else { band };
    let outside = ALL[seed as usize % ALL.len()];
    let one = Loop { seed: 14_000_000 + seed, valve, outside, tight: draw.unit() < 0.5 };
    let alone = Loop { outside: Outside::Nothing, ..one };
    for one in [&one, &alone] {
        let verdict = one.judged().verdict;
        tally.add(match verdict {
            "sticks" => "said to stick",
            "does-not-stick" => "no sign is seen",
            _ => "not decided",
        });
        if verdict == "does-not-stick" {
            let detail = (one.valve, one.outside, one.tight);
            tally.said(seed, "no sign", one.outside != Outside::Nothing, &detail);
        }
    }
}

/// Forty loops whose valve sticks.
#[test]
fn a_valve_that_sticks_is_not_said_to_show_no_sign() {
    let mut tally = Tally::default();
    (0..40).for_each(|seed| one_that_sticks(seed, &mut tally));
    tally.check("valves that stick");
    assert!(tally.of("said to stick") >= 10.0);
}

/// The same on many: `STICKSLIP_PROBLEMS=2000 cargo test -p stickslip-calibrate --test all campaign_of_valves -- --ignored --nocapture`.
#[test]
#[ignore = "a campaign"]
fn campaign_of_valves_that_stick() {
    campaign(one_that_sticks).check("valves that stick");
}

/// The same on 2,160 loops and 2,000 valves. `cargo test -p stickslip-calibrate --test all valves -- --ignored`.
#[test]
#[ignore = "two thousand loops"]
fn two_thousand_loops_are_not_said_to_stick() {
    let (loops, wrong) = accused(120, 47_000_000);
    let [odd, found] = caught(1000, 300_000_000);
    println!("{} of {loops} said to stick: {wrong:?}; of {odd} that cycle {found}", wrong.len());
    assert!(200 * wrong.len() as u64 <= loops, "{wrong:?}");
    assert!(odd >= 80 && 10 * found >= 9 * odd, "{found} of {odd}");
}

/// Each doubt names what is missing.
#[test]
fn a_doubt_about_a_valve_says_why() {
    let doubts = |outside, tight| -> Vec<String> {
        let one =
            |seed: u64| Loop { seed: 600 + seed, valve: Valve::Free, outside, tight }.judged();
        (0..30).flat_map(|seed| one(seed).warnings).collect()
    };
    let said = |list: &[String], words: &str| list.iter().filter(|d| d.contains(words)).count();
    assert!(said(&doubts(Outside::Setpoint, true), "changes sides fewer than six times") > 10);
    assert!(said(&doubts(Outside::Walk, true), "moves by a different amount") > 3);
    assert!(said(&doubts(Outside::TwoSines, true), "glides from side to side") > 1);
    assert!(said(&doubts(Outside::Sine, true), "ellipse") > 20);
    assert!(said(&doubts(Outside::Walk, false), "is between that of a valve") > 3);
}

/// Healthy loops (position = output) of a first-order plant with a delay under loads that have corners and come at an even period. Of
/// thirty each, 17, 24, 16 and 30 were said to stick.
#[test]
fn a_load_with_corners_is_not_said_to_stick() {
    type Load = fn(f64) -> f64;
    let loads: [(&str, Load); 4] = [
        ("sawtooth", |x| 2.0 * x.fract() - 1.0),
        ("harmonics", |x| {
            let wave = |k: f64, by: f64| (std::f64::consts::TAU * k * x + by).sin();
            wave(1.0, 0.0) + 0.5 * wave(2.0, 0.6) + 0.25 * wave(3.0, 0.2)
        }),
        ("pulses", |x| f64::from(u8::from(x.fract() < 0.2))),
        ("batches", |x| (-4.0 * x.fract()).exp()),
    ];
    let mut wrong = Vec::new();
    for (name, load) in loads {
        for seed in 0..10 {
            let mut draw = Noise::new(15_900 + seed);
            let mut within = |low: f64, high: f64| low + (high - low) * draw.unit();
            let (lag, delay) = (within(4.0, 12.0), within(0.0, 4.0) as usize);
            let (gain, size) = (within(0.5, 2.5), within(3.0, 10.0));
            let proportional = lag / (gain * (lag * within(0.8, 2.0) + delay as f64));
            let reset = lag * within(0.6, 1.2);
            let period = (lag + delay as f64) * within(5.0, 25.0);
            let (mut level, mut sum) = (0.0, 0.0);
            let mut waiting = std::collections::VecDeque::from(vec![0.0; delay + 1]);
            let [mut time, mut output, mut process] = [const { Vec::new() }; 3];
            for i in 0..1200 {
                let read = level + 0.05 * draw.normal();
                sum -= proportional / reset * read;
                let moved = sum - proportional * read;
                waiting.push_back(moved);
                let acts = waiting.pop_front().unwrap();
                level += (gain * acts + size * load(f64::from(i) / period) - level) / lag;
                time.push(f64::from(i));
                output.push(50.0 + moved);
                process.push(50.0 + read);
            }
            if valve(&time, &output, &process, None).unwrap().verdict == "sticks" {
                wrong.push(format!("{name} {seed}"));
            }
        }
    }
    println!("{} of 40 said to stick: {wrong:?}", wrong.len());
    assert!(wrong.len() <= 1, "{wrong:?}");
}
