//! The library that goes into FMUs, and a program that carries it.

use crate::shell::{Outcome, run, run_with, target};

/// The cargo that runs this.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Without names of functions. Cargo forgets the profile's `strip` where a package has an entry of its own.
const STRIPPED: [&str; 3] = ["--", "-C", "strip=symbols"];

/// Builds the library in a profile of cargo's: its path.
pub fn library(profile: &str) -> Result<String, String> {
    // For tests beside the program and as that was built, which compiles nothing twice. Else alone and as nothing but a
    // shared library: only then does the linker see, and remove, what nobody calls.
    let asked: &[&str] = match profile {
        "dev" => &[
            "build",
            "-p",
            "stickslip-fmi",
            "-p",
            "stickslip-cli",
            "--features",
            "stickslip-cli/parquet",
        ],
        _ => &[
            "rustc",
            "-p",
            "stickslip-fmi",
            "--lib",
            "--crate-type",
            "cdylib",
            "--profile",
            profile,
        ],
    };
    let rest = if profile == "dev" { &[][..] } else { &STRIPPED };
    run("the library of FMUs", &cargo(), &[asked, rest].concat())?;
    let folder = target().join(if profile == "dev" { "debug" } else { profile });
    let name =
        format!("{}stickslip_fmi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(folder.join(name).display().to_string())
}

/// Builds the program as it is given to others, and says where it is.
pub fn program() -> Outcome {
    let built = library("fmu").and_then(|library| {
        let arguments =
            ["build", "--profile", "dist", "-p", "stickslip-cli", "--features", "fmu,parquet"];
        run_with("the program", ("STICKSLIP_FMI_LIBRARY", &library), &cargo(), &arguments)
    });
    let path = target().join("dist").join(format!("stickslip{}", std::env::consts::EXE_SUFFIX));
    built.map_or_else(Outcome::Failed, |()| Outcome::Passed(path.display().to_string()))
}
