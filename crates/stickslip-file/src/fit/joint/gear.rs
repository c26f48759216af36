//! `[model.friction]`: the friction of the gear.

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{DIRECTIONS, Table, Variant, not_negative, positive};
use stickslip_calibrate::joint::gear::{Gear, Way};

/// Laws that a joint may have.
pub const LAWS: [&str; 6] =
    ["coulomb", "static-dynamic", "stribeck-exponential", "dahl", "lugre", "elasto-plastic"];
pub const FRICTION: [&str; 8] = [
    "coulomb",
    "static-dynamic",
    "stribeck-exponential",
    "dahl",
    "lugre",
    "elasto-plastic",
    "quadratic",
    "load",
];

/// Numbers of the bristle of a law with memory: one for both directions. Dahl's has the first, LuGre's the first two.
const BRISTLE: [&str; 3] = ["stiffness", "damping", "breakaway_share"];

/// Numbers of the load, which may stand below a direction.
const LOAD: [&str; 4] = ["external", "motor", "rest", "transmitted"];
const DRAG: &str = "N·m·s²/rad²";
const NO_FRICTION: Way = Way {
    dynamic: 0.0,
    drop: 0.0,
    velocity: 1.0,
    exponent: 1.0,
    viscous: 0.0,
    quadratic: 0.0,
    external: 0.0,
    motor: 0.0,
    rest: 0.0,
    driving: 0.0,
    back_driven: 0.0,
};

/// `[model.friction]`: one law, and what grows with the speed and the load.
pub fn gear(t: &Table<'_>, armature: f64, damping: f64) -> Result<Gear> {
    let friction = t.table("friction", &FRICTION)?;
    let law = friction.variant_beside(&["quadratic", "load"], "friction law", &LAWS)?;
    let beside = match law.name {
        "elasto-plastic" => BRISTLE.as_slice(),
        "lugre" => &BRISTLE[..2],
        "dahl" => &BRISTLE[..1],
        _ => &[],
    };
    let directions = law.directions_beside(beside)?;
    let mut ways = match &directions {
        Some([forward, backward]) => [way(forward, &[])?, way(backward, &[])?],
        None => [way(&law, beside)?; 2],
    };
    let bristle = Bristle::read(&law, beside, directions.is_some())?;
    ways.iter_mut().for_each(|w| w.viscous += damping);
    if friction.has("quadratic") && !friction.has_number("quadratic") {
        let each = friction.table("quadratic", &DIRECTIONS)?;
        for (way, direction) in ways.iter_mut().zip(DIRECTIONS) {
            way.quadratic = each.number(direction, not_negative(DRAG))?;
        }
    } else {
        let drag = friction.number_or("quadratic", not_negative(DRAG), 0.0)?;
        ways.iter_mut().for_each(|way| way.quadratic = drag);
    }
    let load = friction.table_or_empty("load", &[LOAD.as_slice(), &DIRECTIONS].concat())?;
    let has_directions = DIRECTIONS.into_iter().any(|direction| load.has(direction));
    if let (true, Some(key)) = (has_directions, LOAD.into_iter().find(|key| load.has(key))) {
        let message =
            format!("`{key}` stands next to numbers of one direction; expected one of them");
        return Err(Diagnostic::at(load.place_of(key), message)
            .help("write each number of the load in `forward` and in `backward`"));
    }
    let [forward, backward] = &mut ways;
    if has_directions {
        loaded(&load.table("forward", &LOAD)?, law.name)?.on(forward);
        loaded(&load.table("backward", &LOAD)?, law.name)?.on(backward);
    } else {
        let both = loaded(&load, law.name)?;
        both.on(forward);
        both.on(backward);
    }
    Ok(Gear {
        ways,
        armature,
        backlash: 0.0,
        compliance: bristle.compliance,
        bristle_damping: bristle.damping,
        breakaway_share: bristle.breakaway_share,
        encoder_at_motor: false,
    })
}

/// The bristle of a law; all 0 where there is none.
#[derive(Default)]
struct Bristle {
    compliance: f64,
    damping: f64,
    breakaway_share: f64,
}

impl Bristle {
    fn read(law: &Variant<'_>, keys: &[&'static str], directed: bool) -> Result<Self> {
        if keys.is_empty() {
            return Ok(Self::default());
        }
        let known =
            if directed { [DIRECTIONS.as_slice(), keys].concat() } else { keys_of(law, keys) };
        let t = law.table(&known)?;
        let stiffness = t.number("stiffness", positive("N·m/rad"))?;
        let mut all = Self { compliance: 1.0 / stiffness, ..Self::default() };
        if keys.contains(&"damping") {
            all.damping = t.number_or("damping", not_negative("N·m·s/rad"), 0.0)?;
        }
        if keys.contains(&"breakaway_share") {
            all.breakaway_share = t.number("breakaway_share", positive(""))?;
            if all.breakaway_share >= 1.0 {
                let message =
                    format!("`breakaway_share` is {}; expected less than 1", all.breakaway_share);
                return Err(Diagnostic::at(t.place_of("breakaway_share"), message)
                    .help("it is a share of the torque at which the bristle yields"));
            }
        }
        Ok(all)
    }
}

/// The keys of a law one way, with those of its bristle where they stand there.
fn keys_of(law: &Variant<'_>, bristle: &[&'static str]) -> Vec<&'static str> {
    let own: &[&str] = match law.name {
        "coulomb" => &["force"],
        "dahl" => &["force", "exponent"],
        "static-dynamic" => &["static", "dynamic"],
        _ => &["static", "dynamic", "velocity", "exponent", "viscous"],
    };
    [own, bristle].concat()
}

/// What grows with the load, one way.
struct Loaded {
    external: f64,
    motor: f64,
    rest: f64,
    /// Driving and back-driven.
    transmitted: [f64; 2],
}

impl Loaded {
    fn on(&self, way: &mut Way) {
        way.external = self.external;
        way.motor = self.motor;
        way.rest = self.rest;
        [way.driving, way.back_driven] = self.transmitted;
    }
}

fn loaded(load: &Table<'_>, law: &str) -> Result<Loaded> {
    let share = not_negative("");
    let external = load.number_or("external", share, 0.0)?;
    let motor = load.number_or("motor", share, 0.0)?;
    if load.has("rest") && ["coulomb", "dahl"].contains(&law) {
        let message =
            "`rest` falls with the speed as the friction law does, and Coulomb's and Dahl's do not";
        return Err(Diagnostic::at(load.place_of("rest"), message)
            .help("use the law `stribeck-exponential`, or remove `rest`"));
    }
    let rest = load.number_or("rest", share, 0.0)?;
    let transmitted = if load.has("transmitted") && !load.has_number("transmitted") {
        let each = load.table("transmitted", &["driving", "back_driven"])?;
        [each.number_or("driving", share, 0.0)?, each.number_or("back_driven", share, 0.0)?]
    } else {
        [load.number_or("transmitted", share, 0.0)?; 2]
    };
    Ok(Loaded { external, motor, rest, transmitted })
}

/// One way of a law; `bristle` are the keys of its bristle that stand there.
fn way(law: &Variant<'_>, bristle: &[&'static str]) -> Result<Way> {
    let t = law.table(&keys_of(law, bristle))?;
    let torque = not_negative("N·m");
    let constant =
        |dynamic, fixed| Way { dynamic, drop: fixed, velocity: 1.0, exponent: 1.0, ..NO_FRICTION };
    match law.name {
        "coulomb" => Ok(constant(t.number("force", torque)?, 0.0)),
        "dahl" => {
            if t.number_or("exponent", positive(""), 1.0)? != 1.0 {
                let message = "the bristle of a servo has Dahl's law with the exponent 1 alone";
                return Err(Diagnostic::at(t.place_of("exponent"), message)
                    .help("remove `exponent`, or take `lugre`"));
            }
            Ok(constant(t.number("force", positive("N·m"))?, 0.0))
        }
        "static-dynamic" => {
            let dynamic = t.number("dynamic", torque)?;
            // A velocity far below any that a log shows: the friction falls as soon as the shaft moves.
            let drop = drop(&t, dynamic)?;
            Ok(Way { velocity: 1e-3, ..constant(dynamic, drop) })
        }
        name => {
            // As everywhere else: the limit of a bristle falls with the square of the speed where nothing is said.
            let has_bristle = name != "stribeck-exponential";
            let least = if has_bristle { positive("N·m") } else { torque };
            let dynamic = t.number("dynamic", least)?;
            let drop = drop(&t, dynamic)?;
            let falls = !has_bristle || drop > 0.0 || t.has("velocity");
            Ok(Way {
                dynamic,
                drop,
                velocity: if falls { t.number("velocity", positive("rad/s"))? } else { 1.0 },
                exponent: t.number_or(
                    "exponent",
                    positive(""),
                    if has_bristle { 2.0 } else { 1.0 },
                )?,
                viscous: t.number_or("viscous", not_negative("N·m·s/rad"), 0.0)?,
                ..NO_FRICTION
            })
        }
    }
}

fn drop(t: &Table<'_>, dynamic: f64) -> Result<f64> {
    let at_rest = t.number("static", not_negative("N·m"))?;
    if at_rest < dynamic {
        let message =
            format!("`static` is {at_rest} and `dynamic` {dynamic}; expected static ≥ dynamic");
        return Err(Diagnostic::at(t.place_of("static"), message)
            .help("the friction at rest is at least that in slip"));
    }
    Ok(at_rest - dynamic)
}
