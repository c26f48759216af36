//! Fits what a fit file asks for and prints it: `cargo run --release -p stickslip-run --example calibrate -- FIT.toml`.

use std::borrow::Cow;
use std::time::Instant;
use stickslip_file::{Reading, Resources};
use stickslip_run::synthetic::WithRecords;
use stickslip_run::{Calibrate, Context, Input, calibrate};

/// Files of the file system.
struct Disk;

impl Resources for Disk {
    fn read(&self, name: &str) -> std::io::Result<Cow<'_, [u8]>> {
        std::fs::read(name).map(Cow::Owned)
    }
}

fn main() {
    let begun = Instant::now();
    let clock = || begun.elapsed().as_secs_f64();
    for name in std::env::args().skip(1) {
        let reading = Reading::new(WithRecords(Disk));
        let found = reading.document(&name, &[]).and_then(|document| {
            let context = Context { clock: &clock, ..Context::silent() };
            calibrate(&Calibrate::default(), &Input::new(&document, &reading), &context)
        });
        match found {
            Ok(product) => {
                println!("{}", product.text.get());
                product.remarks.iter().for_each(|r| println!("remark: {}", r.text));
                println!("{:?} s\n", product.summary["solve_seconds"]);
            }
            Err(e) => println!("{e}\n  {}\n", e.help_text().unwrap_or_default()),
        }
    }
}
