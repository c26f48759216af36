//! Writes the corpus of each target as files, where the fuzzer that is guided by coverage begins:
//! `cargo run -p stickslip-fuzz --example seeds fuzz/coverage/corpus`.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("expected the folder that the corpus is written to"));
    };
    for target in stickslip_fuzz::TARGETS {
        let of = folder.join(target.name);
        fs::create_dir_all(&of)?;
        for (i, seed) in stickslip_fuzz::corpus(target.name).iter().enumerate() {
            fs::write(of.join(format!("seed-{i:04}")), seed)?;
        }
    }
    Ok(())
}
