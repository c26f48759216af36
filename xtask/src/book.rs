//! The guide: the tables of its reference and its pictures, made from the program, and its site.

use crate::shell::{Outcome, is_there, run, run_with, target};

/// Writes the tables of the reference and the pictures anew, then the site where mdBook is there.
pub fn make() -> Vec<Outcome> {
    let tables = "pages::the_reference_says_what_the_program_says";
    let runs = "pages::runs::tables_of";
    let pictures = "pages::pictures::pictures_of";
    let made = |what: &str, tests: &str| match written(what, tests) {
        Ok(()) => Outcome::Passed(what.to_owned()),
        Err(why) => Outcome::Failed(why),
    };
    vec![
        made("the tables of the reference", tables),
        made("the tables of runs and fits", runs),
        made("the pictures", pictures),
        site(),
    ]
}

/// The tests that compare write where they are asked to.
fn written(what: &str, tests: &str) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["test", "--quiet", "-p", "stickslip-cli", "--test", "program", tests];
    let all = [&arguments[..], &["--", "--include-ignored"]].concat();
    run_with(what, &[("STICKSLIP_WRITE_BOOK", "1")], &cargo, &all)
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
