//! Three blocks in a row, pulled over the ground by a plate: a table of their places against time.
//!
//! `cargo run -p stickslip --example chain`

use stickslip::{Network, Problem, Scheme, Signal, solve};

fn main() -> Result<(), stickslip::Error> {
    let mut chain = Network::builder().node("plate", 0.0).motion("plate", Signal::ramp(0.13, 0.0));
    for i in 1..=3 {
        let block = format!("block {i}");
        chain = chain.node(&block, 1.0).spring("plate", &block, 1.0).slider(
            format!("under {block}"),
            &block,
            "ground",
            1.0,
            0.6,
        );
    }
    let chain =
        chain.spring("block 1", "block 2", 20.0).spring("block 2", "block 3", 20.0).build()?;

    let solution = solve(&Problem::new(chain, 60.0), &Scheme::Exact)?;
    let columns = solution.columns();
    println!("t/s  {}", columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join("  "));
    let mut row = vec![0.0; columns.len()];
    let mut rows = solution.rows();
    for t in solution.equally_spaced(7) {
        rows.at(t, &mut row);
        println!("{t:4.0} {}", row.iter().map(|x| format!("{x:9.4}")).collect::<String>());
    }
    for warning in &solution.warnings {
        println!("note: {warning}");
    }
    Ok(())
}
