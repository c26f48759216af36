//! Models that turn about an axis: everything that is shown of them has the units of an axis.

use stickslip::study::sweep::Span;
use stickslip_file::{Document, Memory, Reading};
use stickslip_run::{
    Axis, Context, Input, Orbit, Product, Simulate, Sweep, orbit, simulate, sweep,
};

const NETWORK: &str = "[network]\nrotation = true\n[[network.node]]\nname = \"m\"\ninertia = 2.0\n\
    [[network.spring]]\nbetween = [\"m\", \"ground\"]\nstiffness = 3.0\n\
    [[network.slider]]\nbetween = [\"m\", \"ground\"]\nstatic = 1.2\ndynamic = 1.0\n\
    [[network.force]]\non = \"m\"\nharmonic = { amplitude = 4.0, angular_frequency = 1.0 }\n\
    [run]\nend = 10.0\nscheme = \"exact\"\n";
const OSCILLATOR: &str = "[oscillator]\nrotation = true\ninertia = 2.0\nstiffness = 3.0\n\
    friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
    [[oscillator.force]]\nharmonic = { amplitude = 4.0, angular_frequency = 1.0 }\n[run]\nend = 10.0\n";

/// What a command makes of a model that turns, and of the same along a line.
fn both(text: &str, run: impl Fn(&Input<'_>) -> Product) -> [Product; 2] {
    let along = text.replace("rotation = true\n", "").replace("inertia", "mass");
    [text, &along].map(|text| {
        let document = Document::parse("m.toml", text).unwrap();
        run(&Input::new(&document, &Reading::new(Memory::default())))
    })
}

fn units(product: &Product) -> Vec<(String, &'static str)> {
    let tables = product.tables.iter();
    tables.flat_map(|t| t.columns.iter().map(|c| (c.name.clone(), c.unit))).collect()
}

/// Same numbers, same columns; units of an axis in place of those of a line, nowhere both.
fn compared(what: &str, [turning, along]: &[Product; 2]) {
    let [a, b] = [units(turning), units(along)];
    assert_eq!(a.len(), b.len());
    let straight = ["m", "m/s", "N", "N·s", "N·s/m", "N/m"];
    for ((name, turned), (same, unit)) in a.iter().zip(&b) {
        assert_eq!(name, same);
        let want = match *unit {
            "m" => "rad",
            "m/s" => "rad/s",
            "N" => "N·m",
            "N·s/m" => "N·m·s/rad",
            other => other,
        };
        assert_eq!(*turned, want, "{what}: {name}");
        assert!(!straight.contains(turned), "{what}: {name}");
    }
    for (a, b) in turning.tables.iter().zip(&along.tables) {
        let rows = |t: &stickslip_run::Table| {
            let mut all = Vec::new();
            let _ = t.each(&mut |row: &[stickslip_run::Cell<'_>]| {
                all.extend(row.iter().map(|c| format!("{c:?}")));
                Ok(())
            });
            all
        };
        assert_eq!(rows(a), rows(b), "{what}: {}", a.name);
    }
    for (a, b) in turning.figures.iter().zip(&along.figures) {
        let [a, b] = [a.content.get(), b.content.get()];
        for (unit, turned) in [("(m)", "(rad)"), ("(m/s)", "(rad/s)"), ("(N)", "(N·m)")] {
            assert_eq!(a.matches(turned).count(), b.matches(unit).count(), "{what}: {unit}");
            assert!(!a.contains(unit), "{what}: {unit}");
        }
    }
    let [a, b] = [turning.text.get(), along.text.get()];
    for (unit, turned) in
        [("[m]", "[rad]"), ("[m/s]", "[rad/s]"), (" m,", " rad,"), (" m/s", " rad/s")]
    {
        assert_eq!(a.matches(turned).count(), b.matches(unit).count(), "{what}: {unit}");
        assert!(!a.contains(unit), "{what}: {unit}");
    }
}

#[test]
fn what_is_shown_of_a_model_that_turns_has_units_of_an_axis() {
    let context = Context::silent();
    let motion = |input: &Input<'_>| simulate(&Simulate::default(), input, &context).unwrap();
    let network = both(NETWORK, motion);
    compared("a network", &network);
    assert!(network[0].text.get().contains("x [rad]"));
    assert_eq!(network[0].summary["model"]["network"]["node"][0]["inertia"], 2.0);
    assert!(network[1].figures[0].content.get().contains("(m/s)"));
    compared("an oscillator", &both(OSCILLATOR, motion));
    let repeats = |input: &Input<'_>| orbit(&Orbit::default(), input, &context).unwrap();
    let orbits = both(OSCILLATOR, repeats);
    compared("its orbit", &orbits);
    assert!(orbits[0].text.get().contains("N·m·s/rad"));
    compared("the orbit of a network", &both(NETWORK, repeats));
    let swept = |key: &'static str| {
        move |input: &Input<'_>| {
            let axes = vec![Axis::new(key, Span { from: 1.0, to: 2.0, count: 3 })];
            sweep(&Sweep::new(axes), input, &Context::silent()).unwrap()
        }
    };
    compared("a sweep", &both(OSCILLATOR, swept("oscillator.force.0.harmonic.amplitude")));
}
