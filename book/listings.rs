//! The listings of the guide and of the README, compiled and run as documentation tests.
//!
//! The crates themselves hold no file from outside their folders, so that each can be packaged alone.

/// The README's listing.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The pages of the guide, and those for developers, that have listings in Rust.
#[cfg(doctest)]
pub mod guide {
    macro_rules! pages {
        ($($name:ident $file:literal)*) => { $(
            #[doc = include_str!($file)]
            pub struct $name;
        )* };
    }
    pages! {
        FirstSimulation "src/tutorials/first-simulation.md"
        FirstProgram "src/tutorials/first-program.md"
        ChooseAScheme "src/how-to/choose-a-scheme.md"
        Extend "src/how-to/extend.md"
        Programs "../docs/programs.md"
        AdvanceInSteps "src/how-to/advance-in-steps.md"
        Rust "src/reference/rust.md"
        StaticAndKinetic "src/explanation/static-and-kinetic.md"
        Inclusion "src/explanation/inclusion.md"
        Exact "src/explanation/exact.md"
        Stepping "src/explanation/stepping.md"
        SlowDrives "src/explanation/slow-drives.md"
        Laws "src/explanation/laws.md"
        Cascades "src/explanation/cascades.md"
        Impacts "src/explanation/impacts.md"
        Noise "src/explanation/noise.md"
        MoreThanOneSolution "src/explanation/more-than-one-solution.md"
        CalibrateABearing "src/how-to/calibrate-a-bearing.md"
    }
}

#[cfg(test)]
mod claims;
