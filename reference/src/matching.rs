//! Which event of a table of results is which certified one.

use crate::certified::{Certified, Row};
use crate::results::{Entry, NO_SOLUTION, NOT_UNIQUE, Results, SAMPLE, STATE};

/// An event is looked for in this share of the run on either side of its certified instant, or half way to the
/// next event of its kind and place, whichever is nearer.
const WINDOW: f64 = 0.01;

/// Events that belong together, and those that do not.
pub(crate) struct Found<'a> {
    pub pairs: Vec<(&'a Row, &'a Entry)>,
    pub missed: usize,
    pub invented: usize,
}

/// Whether a row is an event.
fn is_event(entry: &Entry) -> bool {
    ![STATE, SAMPLE, NOT_UNIQUE, NO_SOLUTION, "end", ""].contains(&entry.event.as_str())
}

/// Pairs each certified event with the nearest given one of its kind and place.
pub(crate) fn matched<'a>(certified: &'a Certified, results: &'a Results) -> Found<'a> {
    let given: Vec<&Entry> = results.rows.iter().filter(|r| is_event(r)).collect();
    let mut taken = vec![false; given.len()];
    let mut found = Found { pairs: Vec::new(), missed: 0, invented: 0 };
    for right in &certified.events {
        let window = window(certified, right);
        let near = (0..given.len())
            .filter(|&i| !taken[i] && same(given[i], right))
            .map(|i| (i, (given[i].t - right.t).abs()))
            .filter(|(_, apart)| *apart <= window)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match near {
            Some((i, _)) => {
                taken[i] = true;
                found.pairs.push((right, given[i]));
            }
            None if certified.does_not_count(&right.event, right.t) => {}
            None => found.missed += 1,
        }
    }
    let left = given.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(e, _)| e);
    found.invented = left.filter(|e| !certified.does_not_count(&e.event, e.t)).count();
    found
}

fn same(given: &Entry, right: &Row) -> bool {
    given.event == right.event && given.place == right.r#where
}

fn window(certified: &Certified, right: &Row) -> f64 {
    let others = certified
        .events
        .iter()
        .filter(|e| e.event == right.event && e.r#where == right.r#where && e.t != right.t);
    let gap = others.map(|e| (e.t - right.t).abs()).fold(f64::INFINITY, f64::min);
    (0.5 * gap).min(WINDOW * certified.end)
}
