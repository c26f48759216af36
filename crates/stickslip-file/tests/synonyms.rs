//! Other words for the same keys, and the units that messages give.

use stickslip_file::{Document, Memory, ModelFile, Override, Reading};

fn read(text: &str, overrides: &[&str]) -> Result<serde_json::Value, String> {
    let work = || {
        let mut document = Document::parse("m.toml", text)?;
        for o in overrides {
            document.apply(&Override::parse("given", o)?)?;
        }
        ModelFile::read(&document, &Reading::new(Memory::default())).map(|m| m.resolved)
    };
    work().map_err(|e: stickslip_file::Diagnostic| e.message().to_owned())
}

fn oscillator(more: &str) -> String {
    format!("run = {{ end = 1.0 }}\noscillator = {{ mass = 1.0, stiffness = 1.0, {more} }}")
}

fn law(law: &str) -> String {
    oscillator(&format!("friction = {{ {law} }}"))
}

#[test]
fn kinetic_is_dynamic_wherever_friction_limits_are_written() {
    let laws = [
        "static-dynamic = { static = 1.2, dynamic = 1.0 }",
        "static-dynamic = { forward = { static = 1.2, dynamic = 1.0 }, backward = { static = 2.0, dynamic = 0.5 } }",
        "stribeck-exponential = { static = 1.2, dynamic = 1.0, velocity = 0.1 }",
        "ageing = { static = 1.2, dynamic = 1.0, time = 2.0, kind = 'exponential' }",
        "ageing = { dynamic = 1.0, kind = 'table', age = [0.0, 1.0], limit = [1.0, 2.0] }",
    ];
    for text in laws {
        let (usual, other) = (law(text), law(&text.replace("dynamic =", "kinetic =")));
        assert_eq!(read(&usual, &[]).unwrap(), read(&other, &[]).unwrap(), "{text}");
    }
    let kinetic = law("static-kinetic = { static = 1.2, kinetic = 1.0 }");
    assert_eq!(read(&kinetic, &[]), read(&law(laws[0]), &[]));
    let slider = |key: &str| {
        let node = "node = [{ name = 'a', mass = 1.0 }]";
        let slider =
            format!("slider = [{{ between = ['a', 'ground'], static = 1.2, {key} = 1.0 }}]");
        format!("network = {{ {node}, {slider} }}\nrun = {{ end = 1.0, step = 0.1 }}")
    };
    assert_eq!(read(&slider("dynamic"), &[]).unwrap(), read(&slider("kinetic"), &[]).unwrap());

    // A value given beside the file replaces what stands there, by whichever word.
    for key in ["dynamic", "kinetic"] {
        let set = format!("oscillator.friction.static-{key}.{key}=0.7");
        let found = read(&kinetic, &[&set]).unwrap();
        assert_eq!(found["oscillator"]["friction"]["static-dynamic"]["dynamic"], 0.7, "{set}");
    }
}

#[test]
fn messages_name_the_key_as_it_was_written() {
    let both = law("static-dynamic = { static = 1.2, dynamic = 1.0, kinetic = 1.0 }");
    assert!(
        read(&both, &[]).unwrap_err().contains("`dynamic` and `kinetic` are two names of one key")
    );
    let wrong = law("static-dynamic = { static = 1.2, kinetic = true }");
    assert!(read(&wrong, &[]).unwrap_err().contains("static-dynamic.kinetic` is true"));
    let stray = law("coulomb = { force = 1.2, kinetic = 1.0 }");
    assert!(
        read(&stray, &[])
            .unwrap_err()
            .contains("unknown key `oscillator.friction.coulomb.kinetic`")
    );
}

/// The rate of a signal is in the signal's unit per second.
#[test]
fn the_rate_of_a_ramp_has_the_unit_of_its_place() {
    let lists = [("drive", "m/s"), ("force", "N/s"), ("support", "m/s²"), ("normal", "N/s")];
    for (list, unit) in lists {
        let text = oscillator(&format!(
            "friction = {{ coulomb = {{ force = 1.0 }} }}, {list} = [{{ ramp = {{ rate = true }} }}]"
        ));
        let message = read(&text, &[]).unwrap_err();
        assert!(message.ends_with(&format!("expected a finite number, in {unit}")), "{message}");
    }
}
