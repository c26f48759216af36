//! What a co-simulation step costs: `cargo run --release -p stickslip-fmi --example step_cost`.

use std::time::Instant;
use stickslip_file::interface::Exported;
use stickslip_file::{Document, Memory, Reading};
use stickslip_fmi::Unit;

const SHAW: &str = "[oscillator]\nmass = 1.0\nstiffness = 1.0\n\
    friction.static-dynamic = { static = 1.2, dynamic = 1.0 }\n\
    [[oscillator.drive]]\nharmonic = { amplitude = 6.0, angular_frequency = 0.5 }\n\
    [oscillator.initial]\ndisplacement = 6.0\n[run]\nend = 40.0\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("stickslip-step-cost-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("model.toml"), SHAW)?;
    let document = Document::parse("model.toml", SHAW)?;
    let (_, interface) = Exported::read(&document, &Reading::new(Memory::default()))?;
    let named = |name: &str| interface.variables.iter().position(|v| v.name == name);
    let refs = ["force", "force_rate", "x"].map(|n| named(n).unwrap_or_default() as u32);
    for (what, changes) in [("nothing set", 0), ("a force held", 1), ("a force and its rate", 2)] {
        let mut unit = Unit::new(&folder.display().to_string(), &interface.token(SHAW))
            .map_err(|fault| format!("{fault:?}"))?;
        let mut run = || -> Result<f64, stickslip_fmi::Fault> {
            unit.set_span(0.0, Some(4e4))?;
            unit.enter_initialization()?;
            unit.exit_initialization()?;
            let (steps, h) = (400_000, 0.01);
            let (start, mut sum) = (Instant::now(), 0.0);
            for k in 0..steps {
                let t = f64::from(k) * h;
                for (i, reference) in refs.iter().enumerate().take(changes) {
                    unit.set(*reference, 0.1 * (t + i as f64).sin())?;
                }
                unit.step(t, h, false)?;
                sum += unit.get(refs[2])?;
            }
            let cost = start.elapsed().as_secs_f64() / f64::from(steps);
            println!("{what}: {:.3} µs a step ({sum:.3})", 1e6 * cost);
            Ok(cost)
        };
        run().map_err(|fault| format!("{fault:?}"))?;
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
