//! The guide: the tables of its reference, made from the program, and its site.

use crate::shell::{Outcome, is_there, run, run_with, target};

/// Writes the tables of the reference anew, then the site where mdBook is there.
pub fn make() -> Vec<Outcome> {
    let tables = "the tables of the reference";
    let made = match reference(tables) {
        Ok(()) => Outcome::Passed(tables.to_owned()),
        Err(why) => Outcome::Failed(why),
    };
    vec![made, site()]
}

/// The test that compares them writes them where it is asked to.
fn reference(what: &str) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let test = "pages::the_reference_says_what_the_program_says";
    let arguments = ["test", "--quiet", "-p", "stickslip-cli", "--test", "program", test];
    run_with(what, &[("STICKSLIP_WRITE_BOOK", "1")], &cargo, &arguments)
}

fn site() -> Outcome {
    let what = "the site, in target/book";
    if !is_there("mdbook") {
        let how = "there is no mdbook; install it with `cargo install mdbook --version 0.4.52`";
        return Outcome::Skipped(format!("{what} ({how})"));
    }
    let folder = target().join("book").display().to_string();
    let built = run(what, "mdbook", &["build", "book", "--dest-dir", &folder]);
    built.map_or_else(Outcome::Failed, |()| Outcome::Passed(what.to_owned()))
}
