//! What is read of a network, and what is said where it is wrong.

use crate::model::ModelFile;
use crate::{Document, Memory, Reading};

const MATRICES: &str = "mass = [[2.0, 0.5], [0.5, 1.0]]\nstiffness = [[3.0, 1.0], [1.0, 2.0]]\n";

fn read(matrices: &str, slider: &str) -> Result<stickslip::model::Network, String> {
    let text = format!(
        "[[network.node]]\nname = \"a\"\n[[network.node]]\nname = \"b\"\n\
         [network.matrices]\n{matrices}[[network.slider]]\nstatic = 1.0\n{slider}[run]\nend = 1.0\nscheme = \"exact\"\n"
    );
    let document = Document::parse("m.toml", &text).map_err(|d| d.message().to_owned())?;
    let reading = Reading::new(Memory::default());
    let file = ModelFile::read(&document, &reading).map_err(|d| d.message().to_owned())?;
    match &file.problem.model {
        stickslip::Model::Network(n) => Ok(n.clone()),
        _ => Err("another kind".into()),
    }
}

#[test]
fn matrices_and_directions_are_read() {
    let n = read(MATRICES, "between = [\"a\", \"ground\"]\n").unwrap();
    assert_eq!((n.nodes()[0].mass, n.shared_masses()[0].mass), (2.0, 0.5));
    let n = read("mass = [2.0, 1.0]\n", "direction = [0.6, 0.8]\n").unwrap();
    // x_b = (y − 0.6 x_a)/0.8
    assert!((n.nodes()[0].mass - (2.0 + 0.75 * 0.75)).abs() < 1e-14);
    assert_eq!(n.nodes()[1].name, "s1");
}

#[test]
fn what_is_wrong_with_matrices_is_said() {
    let free = "between = [\"a\", \"ground\"]\n";
    let told = |m: &str, s: &str, what: &str| {
        let message = read(m, s).unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    told("mass = [[1.0, 2.0], [2.0, 1.0]]\n", free, "kinetic energy");
    told("mass = [[1.0, 0.2], [0.3, 1.0]]\n", free, "row 2 of the mass matrix");
    told("mass = [[1.0, 0.2]]\n", free, "1 rows");
    told("mass = [[1.0], 2.0]\n", free, "a row of numbers");
    told("mass = 3.0\n", free, "a list of rows");
    told(MATRICES, "direction = [1.0]\n", "1 numbers");
    told(MATRICES, &format!("{free}direction = [1.0, 0.0]\n"), "both");
    told(MATRICES, "", "between");
}

fn model(parts: &str, run: &str) -> Result<stickslip::Model, String> {
    let text = format!(
        "[[network.node]]\nname = \"a\"\nmass = 1.0\n[[network.node]]\nname = \"b\"\nmass = 2.0\n\
         [[network.spring]]\nbetween = [\"a\", \"b\"]\nstiffness = 1.0\n{parts}[run]\nend = 1.0\n{run}"
    );
    let document = Document::parse("m.toml", &text).map_err(|d| d.message().to_owned())?;
    let file = ModelFile::read(&document, &Reading::new(Memory::default()));
    file.map(|f| f.problem.model).map_err(|d| d.message().to_owned())
}

const SLIDER: &str = "[[network.slider]]\nname = \"s\"\nbetween = [\"a\", \"ground\"]\n";
const STOP: &str = "[[network.stop]]\nname = \"gap\"\nbetween = [\"a\", \"b\"]\n";

const CONTROLLER: &str = "[[network.controller]]\nof = \"a\"\non = \"a\"\n";

/// Every key of a spring of pieces, and of what presses a slider, gets to the library.
#[test]
fn springs_of_pieces_and_pressed_sliders_are_read() {
    use stickslip::model::machine::{Curve, Press, Presser};
    let of = |parts: &str| match model(parts, "") {
        Ok(stickslip::Model::Machine(m)) => m,
        other => panic!("{other:?}"),
    };
    let ends = "[[network.spring]]\nbetween = [\"b\", \"ground\"]\n";
    let m = of(&format!(
        "{ends}name = \"k\"\nstiffness = 3.0\nplay = [-0.1, 0.2]\n\
         {ends}table = {{ elongation = [0.0, \"5 mm\"], force = [1.0, \"2 kN\"] }}\n\
         {SLIDER}static = 0.3\nnormal_from = {{ spring = \"k\", factor = -2.0 }}\n"
    ));
    assert_eq!(m.springs()[0].curve, Curve::Powers(vec![3.0]).with_play([-0.1, 0.2]));
    assert_eq!(m.springs()[1].curve, Curve::table(&[0.0, 5e-3], &[1.0, 2e3]).unwrap());
    let press = m.frictions()[0].press;
    assert_eq!(press, Some(Press { by: Presser::Spring(0), factor: -2.0 }));
    // A linear spring stays with the network, unless it presses a slider.
    let named = format!("{ends}name = \"k\"\nstiffness = 3.0\n{SLIDER}static = 0.3\n");
    assert!(matches!(model(&named, "").unwrap(), stickslip::Model::Network(_)));
    let m = of(&format!("{named}normal_from.spring = \"k\"\n"));
    assert_eq!((m.network().springs().len(), m.springs().len()), (1, 1));
    let m = of(&format!(
        "{STOP}upper = 0.1\nstiffness = 9.0\n{SLIDER}static = 0.3\nnormal_from.stop = \"gap\"\n"
    ));
    let press = m.frictions()[0].press;
    assert_eq!(press, Some(Press { by: Presser::Stop(0), factor: 1.0 }));
}

#[test]
fn what_is_wrong_with_springs_of_pieces_and_pressed_sliders_is_said() {
    let told = |parts: &str, what: &str| {
        let message = model(parts, "").unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    let ends = "[[network.spring]]\nbetween = [\"b\", \"ground\"]\n";
    told(&format!("{ends}stiffness = 1.0\nplay = [0.2, 0.1]\n"), "ascending");
    told(&format!("{ends}stiffness = 1.0\nplay = [0.2]\n"), "two numbers");
    let table = "table = { elongation = [0.0, 1.0], force = [0.0, 1.0] }\n";
    told(&format!("{ends}{table}play = [0.1, 0.2]\n"), "both `table` and `play`");
    told(&format!("{ends}{table}stiffness = 1.0\n"), "both `stiffness` and `table`");
    told(
        &format!("{ends}table = {{ elongation = [0.0, 1.0], force = [0.0] }}\n"),
        "2 elongations and 1 forces",
    );
    told(
        &format!("{ends}table = {{ elongation = [0.0, 0.0], force = [0.0, 1.0] }}\n"),
        "increasing",
    );
    let pressed = |by: &str| format!("{SLIDER}static = 0.3\nnormal_from = {{ {by} }}\n");
    told(&pressed("spring = \"k\""), "no spring of the name `k`");
    told(&pressed("factor = 2.0"), "the name of a spring");
    told(&pressed("spring = \"k\", stop = \"gap\""), "one of the two");
    let rigid = format!("{STOP}upper = 0.1\nrestitution = 0.5\n");
    told(&format!("{rigid}{}", pressed("stop = \"gap\"")), "rigid");
    let soft = format!("{STOP}upper = 0.1\nstiffness = 5.0\n");
    told(
        &format!("{soft}{}", pressed("stop = \"gap\", factor = -1.0")),
        "expected a finite number > 0",
    );
}

/// Every key of a controller gets to the library.
#[test]
fn controllers_are_read() {
    use stickslip::model::machine::{
        AntiWindup, FeedForward, Gains, Limit, Quantity, Rule, Sampling, StateSpace,
    };
    let of = |parts: &str| match model(parts, "").unwrap() {
        stickslip::Model::Machine(m) => m.controllers()[0].clone(),
        _ => panic!("no machine"),
    };
    let c = of("[[network.controller]]\nname = \"pid\"\nof = [\"a\", \"b\"]\non = \"b\"\n\
         quantity = \"velocity\"\nreference = 0.5\nproportional = 1.0\nintegral = 2.0\n\
         derivative = 3.0\nfilter = 0.1\nlimit = 4.0\nsample_time = 0.2\ndelay = 0.3\n\
         hold = \"zero\"\nquantum = 0.01\nfeed_forward.tanh = { force = 0.7, velocity = 0.2 }\n\
         dither = [{ harmonic = { amplitude = 0.1, angular_frequency = 9.0 } }]\n");
    assert_eq!((&*c.name, c.of(), c.on()), ("pid", [Some(0), Some(1)], 1));
    assert_eq!(c.law.quantity, Quantity::Velocity);
    assert_eq!(c.law.reference.as_constant(), Some(0.5));
    let gains = Gains { proportional: 1.0, integral: 2.0, derivative: 3.0, filter: 0.1 };
    assert_eq!(c.law.rule, Rule::Pid(gains));
    let limit = Limit { force: 4.0, anti_windup: AntiWindup::Clamp };
    assert_eq!(c.law.limit, Some(limit));
    let sampling = Sampling { time: 0.2, delay: 0.3, quantum: 0.01 };
    assert_eq!(c.law.sampling, Some(sampling));
    assert_eq!(c.law.feed_forward, Some(FeedForward::Tanh { force: 0.7, velocity: 0.2 }));
    assert_eq!(c.law.dither.harmonics()[0].angular_frequency, 9.0);
    let c = of(&format!(
        "{CONTROLLER}state_space = {{ a = [[-1.0, 2.0], [0.0, -3.0]], b = [[1.0], [4.0]], c = [0.5, 0.6], d = [[7.0]] }}\nlimit = 2.0\n"
    ));
    let states =
        StateSpace { a: vec![-1.0, 2.0, 0.0, -3.0], b: vec![1.0, 4.0], c: vec![0.5, 0.6], d: 7.0 };
    assert_eq!(c.law.rule, Rule::StateSpace(states));
    assert_eq!(c.law.limit.map(|l| l.anti_windup), Some(AntiWindup::None));
}

#[test]
fn what_is_wrong_with_a_controller_is_said() {
    let told = |keys: &str, what: &str| {
        let message = model(&format!("{CONTROLLER}{keys}"), "").unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    told("", "proportional");
    told("proportional = 1.0\nfilter = 0.1\n", "without `derivative`");
    told("proportional = 1.0\ndelay = 0.1\n", "without `sample_time`");
    told("proportional = 1.0\nanti_windup = \"none\"\n", "without `limit`");
    told("proportional = 1.0\nstate_space = { a = [], b = [], c = [], d = 1.0 }\n", "both");
    told("state_space = { a = [[1.0]], b = [1.0, 2.0], c = [1.0] }\n", "2 in B");
    told("state_space = { a = [[1.0]], b = [1.0], c = [1.0], d = [[1.0, 2.0]] }\n", "one force");
    told("derivative = 1.0\nquantity = \"velocity\"\n", "acceleration");
    told("proportional = 1.0\nsample_time = 1.0\nhold = \"first\"\n", "first");
    told("proportional = 1.0\nfeed_forward.tanh = { force = 1.0 }\n", "velocity");
    let elsewhere = "[[network.controller]]\nof = \"a\"\non = \"ground\"\nproportional = 1.0\n";
    assert!(model(elsewhere, "").unwrap_err().contains("ground"));
}

/// A shaft and what is the same along a line: numbers, model, and messages in other units.
#[test]
fn a_network_may_turn() {
    let turning = "[network]\nrotation = true\n[[network.node]]\nname = \"m\"\ninertia = \"20 kg*cm^2\"\nvelocity = \"30 rpm\"\n\
         [[network.node]]\nname = \"b\"\ninertia = 0.5\n\
         [[network.spring]]\nbetween = [\"m\", \"b\"]\nstiffness = [\"3 N·m/deg\", 0.0, \"2 N·m/rad^3\"]\n\
         [[network.slider]]\nbetween = [\"b\", \"ground\"]\nsupport = [{ constant = \"1 rad/s\" }]\n\
         normal = [{ constant = \"2 kN\" }]\nstatic = \"30 mm\"\n\
         [[network.stop]]\nbetween = [\"m\", \"b\"]\nupper = \"90 deg\"\nstiffness = \"1 N·m/rad\"\n\
         [[network.controller]]\nof = \"m\"\non = \"m\"\nproportional = \"2 N·m/rad\"\nintegral = \"3 N·m/(rad·s)\"\nlimit = \"4 N·m\"\n\
         [[network.force]]\non = \"m\"\nconstant = \"5 N·m\"\n[run]\nend = 1.0\n";
    let pi = std::f64::consts::PI;
    let along = turning
        .replace("rotation = true\n", "")
        .replace("inertia", "mass")
        .replace("\"20 kg*cm^2\"", "2e-3")
        .replace("\"30 rpm\"", &format!("{:?}", 30.0 * (std::f64::consts::TAU / 60.0)))
        .replace("\"3 N·m/deg\"", &format!("{:?}", 3.0 * (1.0 / (pi / 180.0))))
        .replace("\"2 N·m/rad^3\"", "2.0")
        .replace("\"1 rad/s\"", "1.0")
        .replace("\"2 kN\"", "2000.0")
        .replace("\"30 mm\"", "0.03")
        .replace("\"90 deg\"", &format!("{:?}", 90.0 * (pi / 180.0)))
        .replace("\"1 N·m/rad\"", "1.0")
        .replace("\"2 N·m/rad\"", "2.0")
        .replace("\"3 N·m/(rad·s)\"", "3.0")
        .replace("\"4 N·m\"", "4.0")
        .replace("\"5 N·m\"", "5.0");
    let of = |text: &str| {
        let document = Document::parse("m.toml", text).unwrap();
        ModelFile::read(&document, &Reading::new(Memory::default())).map_err(|d| d.to_string())
    };
    let a = of(turning).unwrap();
    let b = of(&along).unwrap();
    assert_eq!((a.rotation, b.rotation), (true, false));
    assert_eq!(format!("{:?}", a.problem.model), format!("{:?}", b.problem.model));
    let nodes = &a.resolved["network"]["node"];
    assert_eq!((&nodes[0]["inertia"], nodes[0].get("mass")), (&2e-3.into(), None));
    // Its own summary is a model file again.
    assert!(a.resolved["network"]["rotation"].as_bool().unwrap());
    let told = |from: &str, to: &str, what: &[&str]| {
        let message = of(&turning.replace(from, to)).unwrap_err();
        assert!(what.iter().all(|w| message.contains(w)), "{message}");
    };
    let word = of(&turning.replace("rotation = true", "motion = \"rotation\"")).unwrap();
    assert!(word.rotation && word.resolved == a.resolved);
    told("rotation = true", "motion = \"spin\"", &["unknown motion `spin`"]);
    told("\"20 kg*cm^2\"", "\"2 kg\"", &["kg·m²"]);
    told("\"3 N·m/deg\"", "\"3 N/m\"", &["N·m/rad"]);
    told("\"90 deg\"", "\"5 mm\"", &["in rad"]);
    told("upper = \"90 deg\"\n", "", &["in rad"]);
    told("\"2 kN\"", "\"2 N·m\"", &["in N"]);
    told("inertia = 0.5", "inertia = -0.5", &["network.node.1.inertia", "kg·m²"]);
    told("inertia = 0.5\n", "", &["`network.node.1.inertia` is missing"]);
    told("inertia = 0.5", "inertia = 0.5\nmass = 0.5", &["both"]);
    let straight = "[[network.node]]\nname = \"m\"\ninertia = 1.0\n[run]\nend = 1.0\n";
    let message = of(straight).unwrap_err();
    assert!(message.contains("`network.node.0.inertia` is for a motion about an axis"));
    // What the library finds, in the units of the file: a name that is a unit stays.
    told("inertia = 0.5", "inertia = 0.0\nvelocity = 2.0", &["node `b`: it has no inertia"]);
}

/// A network stays one as long as it can hold everything.
#[test]
fn a_network_becomes_a_machine_where_it_must() {
    let plain = format!("{SLIDER}friction.coulomb = {{ force = 1.0 }}\n");
    let forces = match model(&plain, "").unwrap() {
        stickslip::Model::Network(n) => n.sliders()[0].breakaway,
        _ => f64::NAN,
    };
    assert_eq!(forces, 1.0);
    let law = "friction.stribeck-exponential = { static = 1.0, dynamic = 0.5, velocity = 0.1 }\n";
    for parts in [
        format!("{SLIDER}{law}"),
        format!("{SLIDER}static = 1.0\nsupport = [{{ constant = 0.5 }}]\n"),
        format!("{STOP}upper = 0.5\nrestitution = 0.5\n"),
        format!("{STOP}lower = [{{ ramp = {{ rate = -0.1 }} }}]\nstiffness = 10.0\n"),
        format!("{CONTROLLER}proportional = 1.0\n"),
        "[[network.spring]]\nbetween = [\"a\", \"ground\"]\nstiffness = [0.0, 1.0]\n".to_owned(),
        "[[network.spring]]\nbetween = [\"a\", \"ground\"]\nsine = { amplitude = 1.0, wave_number = 2.0 }\n"
            .to_owned(),
    ] {
        assert_eq!(model(&parts, "").unwrap().kind(), "machine", "{parts}");
    }
    assert_eq!(model("", "scheme = \"adaptive\"\nrtol = 1e-10\n").unwrap().kind(), "machine");
}

#[test]
fn what_is_wrong_with_a_machine_is_said() {
    let told = |parts: String, run: &str, what: &str| {
        let message = model(&parts, run).unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    told(format!("{STOP}restitution = 0.5\n"), "", "lower");
    told(
        format!("{STOP}upper = []\nrestitution = 0.5\n"),
        "",
        "`network.stop.0.upper` is an empty",
    );
    told(
        format!("{STOP}lower = []\nupper = 1.0\nrestitution = 0.5\n"),
        "",
        "`network.stop.0.lower` is an empty",
    );
    told(format!("{STOP}upper = 1.0\n"), "", "restitution");
    told(format!("{STOP}upper = 1.0\nrestitution = 1.5\n"), "", "0 to 1");
    told(format!("{STOP}upper = 1.0\nlower = 2.0\nrestitution = 0.5\n"), "", "below");
    told(format!("{STOP}upper = 1.0\nrestitution = 0.5\nstiffness = 3.0\n"), "", "both");
    told(format!("{SLIDER}static = 1.0\nfriction.coulomb = {{ force = 1.0 }}\n"), "", "both");
    told(String::new(), "rtol = 1e-9\n", "adaptive");
    let stop = format!("{STOP}upper = 1.0\nrestitution = 0.5\n");
    told(stop, "scheme = \"exact\"\nrtol = 1e-9\n", "solved by `exact`");
    told(STOP.replace("\"b\"", "\"c\"") + "upper = 1.0\nrestitution = 0.5\n", "", "no node `c`");
}
