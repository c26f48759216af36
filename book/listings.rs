//! The listings of the guide and of the README, compiled and run as documentation tests.
//!
//! The crates themselves hold no file from outside their folders, so that each can be packaged alone.

/// The README's listing.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The pages of the guide that have listings in Rust.
#[cfg(doctest)]
pub mod guide {
    macro_rules! pages {
        ($($name:ident $file:literal)*) => { $(
            #[doc = include_str!(concat!("src/", $file))]
            pub struct $name;
        )* };
    }
    pages! {
        FirstSimulation "tutorials/first-simulation.md"
        FirstProgram "tutorials/first-program.md"
        ChooseAScheme "how-to/choose-a-scheme.md"
        Extend "how-to/extend.md"
        SixPrograms "how-to/six-programs.md"
        AdvanceInSteps "how-to/advance-in-steps.md"
        Rust "reference/rust.md"
        StaticAndKinetic "explanation/static-and-kinetic.md"
        Inclusion "explanation/inclusion.md"
        Exact "explanation/exact.md"
        Stepping "explanation/stepping.md"
        SlowDrives "explanation/slow-drives.md"
        Laws "explanation/laws.md"
        Cascades "explanation/cascades.md"
        Impacts "explanation/impacts.md"
        Noise "explanation/noise.md"
        MoreThanOneSolution "explanation/more-than-one-solution.md"
        CalibrateABearing "how-to/calibrate-a-bearing.md"
    }
}

#[cfg(test)]
mod claims;
