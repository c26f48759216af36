//! Periodic orbits, responses and sections.

use super::sandbox::Sandbox;

/// x″ + x = cos 1.25 t − 0.4 sgn x′: Den Hartog 1931.
const DAMPER: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n\
    [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 1.25 }\n";

#[test]
fn an_orbit_has_den_hartogs_amplitude_and_shaws_multipliers() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    s.run(&["orbit", "damper.toml", "--out", "o"]).done();
    let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
    let number = |key: &str| orbit[key].as_f64().unwrap();
    assert!((number("amplitude") - 1.48004969692525).abs() < 1e-12, "{orbit}");
    assert!((number("period") - std::f64::consts::TAU / 1.25).abs() < 1e-14);
    assert!((number("dissipated") - 1.6 * 1.48004969692525).abs() < 1e-11);
    let first = [orbit["multipliers"][0][0].as_f64(), orbit["multipliers"][0][1].as_f64()];
    assert!((first[0].unwrap() - 0.2463452769).abs() < 1e-9);
    assert!((first[1].unwrap() - 0.6606423998).abs() < 1e-9);
    assert!(orbit["stable"] == true && orbit["family"] == false && orbit["stops"] == 0);
    assert!(s.read("o/orbit.csv").starts_with("t,x,v,friction,phase\n"));
    assert!(s.read("o/orbit.svg").contains("<svg"));

    // On a bearing, whose column z = x + K (d − x)/K_BP motions have, too; here nothing drives the spring.
    let bearing = DAMPER.replace("friction.", "bearing_stiffness = 20.0\nfriction.");
    s.write("bearing.toml", bearing);
    s.run(&["orbit", "bearing.toml", "--out", "b"]).done();
    let table = s.read("b/orbit.csv");
    assert!(table.starts_with("t,x,v,friction,phase,z\n"));
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [x, z] = [1, 5].map(|i| cells[i].parse::<f64>().unwrap());
        assert!((z - 0.95 * x).abs() < 1e-15, "{row}");
    }
}

#[test]
fn a_response_locates_the_onset_of_stops() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let vary = "oscillator.friction.coulomb.force=0.5:0.9:30";
    s.run(&["response", "damper.toml", "--vary", vary, "--out", "r"]).done();
    let table = s.read("r/response.csv");
    assert!(table.starts_with(
        "value,amplitude,max,min,stops,stuck_fraction,dissipated,equivalent_damping,transmissibility,period,multiplier,\
         stable,branch,kind\n"
    ));
    let onset = table.lines().find(|l| l.ends_with(",stops")).unwrap();
    let value: f64 = onset.split(',').next().unwrap().parse().unwrap();
    assert!((value - 0.698821143090012).abs() < 1e-10, "{value}");
}

/// Every number of the table stands in the page, which needs nothing from elsewhere.
#[test]
fn the_page_of_a_response_has_the_numbers_of_its_table() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let vary = "oscillator.friction.coulomb.force=0.5:0.9:30";
    s.run(&["response", "damper.toml", "--vary", vary, "--out", "r"]).done();
    let (page, table) = (s.read("r/response.html"), s.read("r/response.csv"));
    for outside in ["src=", "href=", "@import", "url(h", "fetch(", "XMLHttp"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"b0\">").unwrap();
    let data: serde_json::Value =
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let branches = data["branches"].as_array().unwrap();
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let branch: usize = cells[12].parse().unwrap();
        let before =
            branches[..branch - 1].iter().map(|b| b.as_array().unwrap().len()).sum::<usize>();
        let row = &branches[branch - 1][rows - before];
        for (i, cell) in cells[..11].iter().enumerate() {
            assert_eq!(row[i].as_f64(), cell.parse().ok(), "{line} {row}");
        }
        assert_eq!(
            (row[11].to_string(), row[12].as_str()),
            (cells[11].to_owned(), Some(cells[13]))
        );
        // the multipliers, the largest of which the table has
        let m: Vec<f64> = serde_json::from_value(row[13][0].clone()).unwrap();
        assert!((m[0].hypot(m[1]) - cells[10].parse::<f64>().unwrap()).abs() < 1e-14);
        rows += 1;
    }
    assert_eq!(rows, branches.iter().map(|b| b.as_array().unwrap().len()).sum::<usize>());
    assert!(rows > 30 && data["columns"].as_array().unwrap().len() == 11);
}

/// di Bernardo, Kowalczyk and Nordmark 2003 from a model file: ν = 1.707799714885 by an integration at 30 digits.
#[test]
fn grazing_sliding_is_found_from_a_file() {
    let s = Sandbox::new();
    s.write(
        "belt.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
         friction.cubic = { static = 1.5, weakening = 1.5, strengthening = 0.45 }\n\
         initial = { displacement = 1.0 }\n[[oscillator.support]]\nconstant = 1.0\n\
         [[oscillator.force]]\nharmonic = { amplitude = 0.1, angular_frequency = 1.7079 }\n\
         [run]\nscheme = \"adaptive\"\n",
    );
    let vary = "oscillator.force.0.harmonic.angular_frequency=1.7079:1.7077:2";
    s.run(&["response", "belt.toml", "--vary", vary, "--periods", "4", "--out", "r"]).done();
    let table = s.read("r/response.csv");
    let grazing = table.lines().find(|l| l.ends_with(",grazing-sliding")).unwrap();
    let value: f64 = grazing.split(',').next().unwrap().parse().unwrap();
    assert!((value - 1.707799714885).abs() < 1e-9, "{value}");
    s.run(&["orbit", "belt.toml", "--periods", "4", "--out", "o"]).done();
    let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
    assert!(orbit["stops"] == 0 && orbit["stable"] == true, "{orbit}");
}

/// Friction that ages, from a file: the state has the time at rest.
#[test]
fn an_orbit_under_friction_that_ages_has_its_time_at_rest() {
    let s = Sandbox::new();
    let law =
        "friction.ageing = { dynamic = 0.8, static = 0.9, time = 1e-3, kind = \"exponential\" }";
    let model = DAMPER.replace("friction.coulomb = { force = 0.4 }", law).replace("1.25", "0.75");
    s.write("aged.toml", model + "[run]\nscheme = \"adaptive\"\n");
    s.run(&["orbit", "aged.toml", "--out", "o"]).done();
    let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
    // It ages at once, and is the orbit of a static limit.
    assert!((orbit["amplitude"].as_f64().unwrap() - 1.35621003292222).abs() < 1e-9, "{orbit}");
    assert_eq!(orbit["state"].as_array().map(Vec::len), Some(3));
}

/// A force on a mass on a friction damper: the ground holds A + f, A = √(V² − f²U²) (Den Hartog 1931), at every point.
#[test]
fn a_response_has_the_transmissibility_and_the_equivalent_damping() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let vary = "oscillator.force.0.harmonic.angular_frequency=1.3:2.2:10";
    s.run(&["response", "damper.toml", "--vary", vary, "--out", "r"]).done();
    for line in s.read("r/response.csv").lines().skip(1) {
        let cells: Vec<f64> = line.split(',').take(9).map(|x| x.parse().unwrap()).collect();
        let beta = cells[0];
        let v = 1.0 / (1.0 - beta * beta);
        let u = (std::f64::consts::FRAC_PI_2 / beta).tan() / beta;
        let a = (v * v - 0.16 * u * u).sqrt();
        assert!((cells[8] - (a + 0.4)).abs() < 1e-9, "{line}");
        // 4 f A = π c β A²
        let c = 1.6 / (std::f64::consts::PI * beta * a);
        assert!((cells[6] - 1.6 * a).abs() < 1e-9 && (cells[7] - c).abs() < 1e-9, "{line}");
    }
    let said = s.run(&["orbit", "damper.toml"]).done().stdout;
    assert!(said.contains("transmissibility      1.880049697"), "{said}");
}

/// Over friction and frequency: Den Hartog's limit of motion without stops, |V|/√(U² + β⁻⁴).
#[test]
fn a_second_number_makes_curves_of_bifurcations() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let f = "oscillator.friction.coulomb.force=0.3:0.95:20";
    let beta = "oscillator.force.0.harmonic.angular_frequency=0.75:2.95:12";
    s.run(&["response", "damper.toml", "--vary", f, "--vary", beta, "--out", "r"]).done();
    let table = s.read("r/boundaries.csv");
    let mut rows = table.lines();
    assert_eq!(
        rows.next(),
        Some(
            "oscillator.force.0.harmonic.angular_frequency,oscillator.friction.coulomb.force,kind,curve"
        )
    );
    let mut seen = Vec::new();
    for row in rows.map(|r| r.split(',').collect::<Vec<_>>()) {
        let (beta, f): (f64, f64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let v = 1.0 / (1.0 - beta * beta);
        let u = (std::f64::consts::FRAC_PI_2 / beta).tan() / beta;
        let limit = v.abs() / (u * u + beta.powi(-4)).sqrt();
        assert!((f - limit).abs() < 1e-9, "{row:?} {limit}");
        seen.push((row[2].to_owned(), row[3].to_owned()));
    }
    for kind in ["crossing-sliding", "stops"] {
        let curves: Vec<_> = seen.iter().filter(|r| r.0 == kind).map(|r| &r.1).collect();
        assert!(curves.len() == 12 && curves.iter().all(|c| *c == curves[0]), "{table}");
    }
    assert!(s.read("r/boundaries.svg").contains("crossing-sliding"));
}

/// Over the frequency Den Hartog's limit rises and falls. Two curves over the frequency are one that turns where it is greatest: by
/// golden sections of the formula with 40 digits.
#[test]
fn a_curve_that_turns_back_in_the_second_number_is_one() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let beta = "oscillator.force.0.harmonic.angular_frequency=0.7:1.05:20";
    let f = "oscillator.friction.coulomb.force=0.78:0.88:3";
    s.run(&["response", "damper.toml", "--vary", beta, "--vary", f, "--out", "r"]).done();
    let found: serde_json::Value = serde_json::from_str(&s.read("r/summary.json")).unwrap();
    let (limit, at) = (0.8264473489952525, 0.8491588488344822);
    let turns = found["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 2, "{found}");
    for (turn, kind) in turns.iter().zip(["crossing-sliding", "stops"]) {
        assert!((turn["second"].as_f64().unwrap() - limit).abs() < 1e-14, "{turn}");
        assert!(
            (turn["value"].as_f64().unwrap() - at).abs() < 1e-7 && turn["kind"] == kind,
            "{turn}"
        );
    }
    let table = s.read("r/boundaries.csv");
    let one: Vec<_> = table.lines().filter(|l| l.ends_with("crossing-sliding,1")).collect();
    assert!(one.len() > 8 && table.lines().all(|l| !l.ends_with(",3")), "{table}");
}

#[test]
fn a_section_lists_states_that_repeat() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let vary = "oscillator.friction.coulomb.force=0.3:0.6:4";
    s.run(&["sweep", "damper.toml", "--end", "1", "--vary", vary, "--section", "5", "--out", "p"])
        .done();
    let table = s.read("p/section.csv");
    assert_eq!(table.lines().next(), Some("oscillator.friction.coulomb.force,x,v"));
    assert_eq!(table.lines().count(), 1 + 4 * 5);
    assert_eq!(s.read("p/section_down.csv").lines().count(), 1 + 4 * 5);
}

/// The logarithms of Shaw's multipliers, per second.
#[test]
fn exponents_stand_beside_a_section() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    let vary = "oscillator.friction.coulomb.force=0.4:0.4:1";
    s.run(&[
        "sweep",
        "damper.toml",
        "--end",
        "1",
        "--vary",
        vary,
        "--lyapunov",
        "200",
        "--out",
        "l",
    ])
    .done();
    let table = s.read("l/lyapunov.csv");
    assert!(
        table.starts_with("oscillator.friction.coulomb.force,lyapunov1,lyapunov2\n"),
        "{table}"
    );
    let row: Vec<f64> =
        table.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    // |μ| = r = 0.705077567245 for both
    let want = 0.705077567245f64.ln() * 1.25 / std::f64::consts::TAU;
    assert!(
        (row[1] - want).abs() < 0.02 * want.abs() && (row[1] + row[2] - 2.0 * want).abs() < 1e-9
    );
    assert!(s.read("l/lyapunov.svg").contains("<svg") && !s.path("l/section.csv").exists());
}

/// f_d < P < f_s with damping, at resonance: a mass at rest stays there, and one that moves goes on.
#[test]
fn basins_tell_rest_from_motion() {
    let s = Sandbox::new();
    let law = "friction.static-dynamic = { static = 1.1, dynamic = 0.6 }\ndamping = 0.2";
    let model = DAMPER.replace("friction.coulomb = { force = 0.4 }", law).replace("1.25", "1.0");
    s.write("two.toml", &model);
    s.run(&["basins", "two.toml", "--x", "-4:4:9", "--v", "-4:4:7", "--out", "b"]).done();
    let table = s.read("b/basins.csv");
    assert!(table.starts_with("x,v,orbit\n-4.0,-4.0,"), "{table}");
    assert_eq!(table.lines().count(), 1 + 63);
    let found: serde_json::Value = serde_json::from_str(&s.read("b/basins.json")).unwrap();
    let share = |i: usize| found["orbits"][i]["share"].as_f64().unwrap();
    assert!((share(0) + share(1) - 1.0).abs() < 1e-12 && share(0) > 0.0 && share(1) > 0.0);
    assert!(s.read("b/basins.svg").contains("<svg"));
    s.run(&["basins", "two.toml", "--x", "-4:4"]).failed(2, &["FROM:TO:COUNT"]);
}

/// A floor on a friction damper: its loop encloses 4 f (A − f/k).
#[test]
fn an_orbit_of_a_network_is_that_of_the_node_asked_for() {
    let s = Sandbox::new();
    s.write(
        "storey.toml",
        "[[network.node]]\nname = \"floor\"\nmass = 1.0\n[[network.node]]\nname = \"joint\"\nmass = 0.0\n\
         [[network.spring]]\nbetween = [\"floor\", \"ground\"]\nstiffness = 1.0\n\
         [[network.spring]]\nbetween = [\"floor\", \"joint\"]\nstiffness = 0.8\n\
         [[network.dashpot]]\nbetween = [\"floor\", \"ground\"]\ndamping = 0.05\n\
         [[network.slider]]\nname = \"damper\"\nbetween = [\"joint\", \"ground\"]\nstatic = 0.25\n\
         [[network.force]]\non = \"floor\"\nharmonic = { amplitude = 0.3, angular_frequency = 1.2 }\n",
    );
    s.run(&["orbit", "storey.toml", "--out", "o"]).done();
    let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
    let number = |key: &str| orbit[key].as_f64().unwrap();
    let a = number("amplitude");
    assert!((number("dissipated") - (a - 0.25 / 0.8)).abs() < 1e-9, "{orbit}");
    assert!(orbit["state"]["floor"].as_array().is_some_and(|u| u.len() == 2));
    let table = s.read("o/orbit.csv");
    assert!(table.starts_with("t,x_floor,v_floor,x_joint,v_joint,friction_damper\n"), "{table}");
    s.run(&["orbit", "storey.toml", "--point", "joint", "--out", "p"]).done();
    let joint: serde_json::Value = serde_json::from_str(&s.read("p/orbit.json")).unwrap();
    // the joint slips by what the spring cannot take
    let slips = joint["amplitude"].as_f64().unwrap();
    assert!((slips - (a - 0.25 / 0.8)).abs() < 1e-9, "{joint}");
    s.run(&["orbit", "storey.toml", "--point", "roof"]).failed(2, &["roof", "floor, joint"]);
    let over = "network.force.0.harmonic.angular_frequency=1.1:1.3:5";
    let slip = "network.slider.0.static=0.2:0.3:2";
    s.run(&["response", "storey.toml", "--vary", over, "--vary", slip, "--out", "r"]).done();
    assert_eq!(s.read("r/peaks.csv").lines().count(), 3);
}

/// An absorber of a quarter of the mass, tuned to its frequency: over all dampings the peak is least where it is the fixed point at
/// ω² = 2/3, 1/|1 − (1 + μ)ω²| = 6 high, at ζ² = μ(μ + 3)(1 + √(μ/(μ + 2)))/(8(1 + μ)) (Den Hartog, Mechanical Vibrations).
#[test]
fn the_least_peak_is_found_between_the_values() {
    let s = Sandbox::new();
    s.write(
        "absorber.toml",
        "[[network.node]]\nname = \"main\"\nmass = 1.0\n[[network.node]]\nname = \"absorber\"\nmass = 0.25\n\
         [[network.spring]]\nbetween = [\"main\", \"ground\"]\nstiffness = 1.0\n\
         [[network.spring]]\nbetween = [\"absorber\", \"main\"]\nstiffness = 0.25\n\
         [[network.dashpot]]\nbetween = [\"absorber\", \"main\"]\ndamping = 0.1\n\
         [[network.slider]]\nname = \"rail\"\nbetween = [\"main\", \"ground\"]\nstatic = 0.0\n\
         [[network.force]]\non = \"main\"\nharmonic = { amplitude = 1.0, angular_frequency = 1.2 }\n",
    );
    let over = "network.force.0.harmonic.angular_frequency=0.7:0.95:10";
    let damping = "network.dashpot.0.damping=0.09:0.25:3";
    s.run(&["response", "absorber.toml", "--vary", over, "--vary", damping, "--out", "r"]).done();
    let summary: serde_json::Value = serde_json::from_str(&s.read("r/summary.json")).unwrap();
    let found = |key: &str| summary["least_peak"][key].as_f64().unwrap();
    let mu = 0.25f64;
    let zeta2 = mu * (mu + 3.0) * (1.0 + (mu / (mu + 2.0)).sqrt()) / (8.0 * (1.0 + mu));
    assert!((found("amplitude") - 6.0).abs() < 1e-5, "{summary}");
    assert!((found("second") - 2.0 * mu * zeta2.sqrt()).abs() < 1e-3, "{summary}");
    assert!((found("value") - (2.0f64 / 3.0).sqrt()).abs() < 1e-3, "{summary}");
}

#[test]
fn what_has_no_orbit_says_why() {
    let s = Sandbox::new();
    s.write("damper.toml", DAMPER);
    s.run(&["orbit", "damper.toml", "--scheme", "euler", "--step", "0.1"])
        .failed(1, &["exact and adaptive"]);
    s.write(
        "free.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.coulomb = { force = 0.4 }\n",
    );
    s.run(&["orbit", "free.toml"]).failed(3, &["no periodic orbit"]);
    s.run(&["response", "damper.toml", "--vary", "oscillator.mass"]).failed(2, &["FROM:TO"]);
}

/// A mass between a spring and a belt at V, f_s = 1.2, f_d = 1: with D = f_s − f_d slip lasts 2π − 2 atan(D/V) and stick 2D/V, with
/// the amplitude √(D² + V²). As a network and as an oscillator, alone and over the velocity of the belt.
#[test]
fn models_on_a_belt_have_orbits_and_responses() {
    let s = Sandbox::new();
    s.write(
        "network.toml",
        "[[network.node]]\nname = \"belt\"\nmass = 0\n[[network.node]]\nname = \"m\"\nmass = 1\nvelocity = 0.2\n\
         [[network.motion]]\non = \"belt\"\nramp = { rate = 0.2 }\n\
         [[network.spring]]\nbetween = [\"m\", \"ground\"]\nstiffness = 1\n\
         [[network.slider]]\nbetween = [\"m\", \"belt\"]\nstatic = 1.2\ndynamic = 1.0\n",
    );
    s.write(
        "oscillator.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\nfriction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
         [[oscillator.support]]\nconstant = 0.2\n",
    );
    let want = |v: f64| (std::f64::consts::TAU - 2.0 * (0.2 / v).atan() + 0.4 / v, 0.2f64.hypot(v));
    let keys = ["network.motion.0.ramp.rate", "oscillator.support.0.constant"];
    for (name, key) in ["network", "oscillator"].into_iter().zip(keys) {
        s.run(&["orbit", &format!("{name}.toml"), "--out", name]).done();
        let orbit: serde_json::Value =
            serde_json::from_str(&s.read(&format!("{name}/orbit.json"))).unwrap();
        let number = |key: &str| orbit[key].as_f64().unwrap();
        assert!((number("period") - want(0.2).0).abs() < 1e-10, "{orbit}");
        assert!((number("amplitude") - want(0.2).1).abs() < 1e-10 && orbit["periods"] == 0);
        let out = format!("{name}-response");
        let vary = format!("{key}=0.1:0.5:8");
        s.run(&["response", &format!("{name}.toml"), "--vary", &vary, "--out", &out]).done();
        let table = s.read(&format!("{out}/response.csv"));
        assert!(table.lines().count() > 8, "{table}");
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |i: usize| cells[i].parse::<f64>().unwrap();
            let (period, amplitude) = want(number(0));
            if cells[12] == "2" {
                // Without damping, slip at less than V about x = 1 goes on for ever.
                let tau = std::f64::consts::TAU;
                assert!((number(9) - tau).abs() < 1e-9 && number(1) <= number(0) + 1e-9, "{line}");
                continue;
            }
            assert!((number(9) - period).abs() < 1e-10, "{line}");
            assert!((number(1) - amplitude).abs() < 1e-10 && cells[11] == "true", "{line}");
        }
    }
}

/// A hammer on a spring above a rigid anvil, with a slider whose friction falls with the speed: its orbit hits the anvil once a period,
/// and what the load does is what friction, impacts and dampers take.
#[test]
fn orbits_responses_and_basins_take_machines() {
    let s = Sandbox::new();
    s.write(
        "hammer.toml",
        "[[network.node]]\nname = \"hammer\"\nmass = 1.0\n\
         [[network.spring]]\nbetween = [\"hammer\", \"ground\"]\nstiffness = 1.0\n\
         [[network.dashpot]]\nbetween = [\"hammer\", \"ground\"]\ndamping = 0.1\n\
         [[network.slider]]\nname = \"guide\"\nbetween = [\"hammer\", \"ground\"]\n\
         friction.stribeck-exponential = { static = 0.2, dynamic = 0.1, velocity = 0.1, exponent = 1 }\n\
         [[network.stop]]\nname = \"anvil\"\nbetween = [\"hammer\", \"ground\"]\nlower = -0.1\nrestitution = 0.6\n\
         [[network.force]]\non = \"hammer\"\nharmonic = { amplitude = 1.0, angular_frequency = 2.3 }\n",
    );
    s.run(&["orbit", "hammer.toml", "--out", "o"]).done();
    let orbit: serde_json::Value = serde_json::from_str(&s.read("o/orbit.json")).unwrap();
    assert!((orbit["min"].as_f64().unwrap() + 0.1).abs() < 1e-12, "{orbit}");
    assert!(orbit["residual"].as_f64().unwrap() < 1e-10 && orbit["stable"] == true);
    let table = s.read("o/orbit.csv");
    assert!(
        table.starts_with("t,x_hammer,v_hammer,friction_guide,gap_anvil,force_anvil\n"),
        "{table}"
    );
    // The same mass as `[oscillator]`, which other code follows.
    s.write(
        "same.toml",
        "[oscillator]\nmass = 1.0\nstiffness = 1.0\ndamping = 0.1\n\
         friction.stribeck-exponential = { static = 0.2, dynamic = 0.1, velocity = 0.1, exponent = 1 }\n\
         stops = { lower = -0.1, restitution = 0.6 }\n\
         [[oscillator.force]]\nharmonic = { amplitude = 1.0, angular_frequency = 2.3 }\n",
    );
    s.run(&["orbit", "same.toml", "--out", "p"]).done();
    let same: serde_json::Value = serde_json::from_str(&s.read("p/orbit.json")).unwrap();
    let of = |o: &serde_json::Value, key: &str| o[key].as_f64().unwrap();
    assert!((of(&orbit, "amplitude") - of(&same, "amplitude")).abs() < 1e-9, "{orbit} {same}");
    assert!((of(&orbit, "dissipated") - of(&same, "dissipated")).abs() < 1e-9);
    let largest = |o: &serde_json::Value| {
        let [re, im] = [0, 1].map(|i| o["multipliers"][0][i].as_f64().unwrap());
        re.hypot(im)
    };
    assert!((largest(&orbit) - largest(&same)).abs() < 1e-6, "{orbit} {same}");
    let over = "network.force.0.harmonic.angular_frequency=2.2:2.4:4";
    s.run(&["response", "hammer.toml", "--vary", over, "--out", "r"]).done();
    assert!(s.read("r/response.csv").lines().count() > 4);
    s.run(&["basins", "hammer.toml", "--x", "0:1:3", "--v", "-1:1:3", "--out", "b"]).done();
    assert_eq!(s.read("b/basins.csv").lines().count(), 10);
}
