//! What the terms of a servo's model are called in figures.

/// A term by its key in words: `more friction at rest, backward` for `friction.stribeck.backward.static`. The key itself where it has none.
pub fn term(key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    let way = parts.iter().find(|part| matches!(**part, "forward" | "backward"));
    let rest: Vec<&str> = parts.iter().filter(|part| Some(*part) != way).copied().collect();
    let words = match rest.as_slice() {
        ["drive", "delay"] => "delay of the drive",
        ["drive", "speed_limit"] => "speed limit of the drive",
        ["drive", "start"] => "start offset of the drive",
        ["drive", "derivative"] => "derivative gain of the drive",
        ["vertical"] => "angle at which the load hangs",
        ["backlash"] => "backlash",
        ["damping"] | ["friction", _, "viscous"] => "viscous friction",
        ["friction", "quadratic"] => "quadratic friction",
        ["friction", "load", "external"] => "friction of the load's torque",
        ["friction", "load", "motor"] => "friction of the motor's torque",
        ["friction", "load", "rest"] => "more friction of the load at rest",
        ["friction", "load", "transmitted"] => "friction of the transmitted torque",
        ["friction", "load", "transmitted", "driving"] => {
            "friction of the transmitted torque, motor driving"
        }
        ["friction", "load", "transmitted", "back_driven"] => {
            "friction of the transmitted torque, load driving"
        }
        ["friction", _, "force"] => "dry friction",
        ["friction", _, "dynamic"] => "kinetic friction",
        ["friction", _, "static"] => "more friction at rest",
        ["friction", _, "stiffness"] => "compliance of the bristle",
        ["friction", _, "damping"] => "damping of the bristle",
        ["friction", _, "breakaway_share"] => "elastic range of the bristle",
        _ => return key.to_owned(),
    };
    match way {
        Some(way) => format!("{words}, {way}"),
        None => words.to_owned(),
    }
}

/// A column of the index and its value: `load mass = 0.5`.
pub fn group(column: &str, value: &str) -> String {
    format!("{} = {value}", column.replace(['.', '_'], " "))
}

#[cfg(test)]
mod tests {
    use super::{group, term};

    #[test]
    fn terms_and_groups_have_words_and_not_keys() {
        for (key, words) in [
            ("drive.speed_limit", "speed limit of the drive"),
            ("friction.stribeck.static", "more friction at rest"),
            ("friction.stribeck.backward.static", "more friction at rest, backward"),
            ("friction.quadratic.forward", "quadratic friction, forward"),
            ("friction.load.forward.external", "friction of the load's torque, forward"),
            (
                "friction.load.backward.transmitted.back_driven",
                "friction of the transmitted torque, load driving, backward",
            ),
            ("friction.elasto-plastic.breakaway_share", "elastic range of the bristle"),
        ] {
            assert_eq!(term(key), words);
        }
        assert_eq!(group("load.arm_mass", "0.5"), "load arm mass = 0.5");
    }
}
