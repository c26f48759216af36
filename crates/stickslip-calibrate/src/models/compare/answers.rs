//! What the laws say about the contact, question by question.

use super::contact::Contact;
use super::{ASTRAY, Answer, BROKEN, Candidate, Tried};

/// Differences of the BIC: positive, strong (Kass and Raftery 1995).
const STEPS_OF_EVIDENCE: [f64; 2] = [2.0, 10.0];

pub fn answers(all: &[Tried]) -> Vec<Answer> {
    let of = |law: &str| all.iter().find(|t| t.candidate.law == law);
    let best = |laws: &[&str]| {
        let found = laws.iter().filter_map(|l| of(l));
        found.min_by(|a, b| a.candidate.bic.total_cmp(&b.candidate.bic))
    };
    let asked: [(&'static str, &[&str], &[&str], &str); 4] = [
        ("dry-friction", &["none", "viscous"], &["coulomb"], "dry friction"),
        (
            "static-above-dynamic",
            &["coulomb"],
            &["static-dynamic"],
            "a friction at rest above that in slip",
        ),
        (
            "stribeck",
            &["coulomb", "static-dynamic"],
            &["stribeck"],
            "a friction that falls with the velocity (Stribeck)",
        ),
        ("asymmetric", &["coulomb"], &["asymmetric"], "another friction forwards than backwards"),
    ];
    let least = all.iter().map(|t| t.candidate.relative).fold(f64::INFINITY, f64::min);
    let one = |(what, poor, rich, words): (&'static str, &[&str], &[&str], &str)| {
        // Where a law has no motion on the record, a question about it has no answer.
        // `viscous` is left out where the model's own damper is sought: `none` stands for it then.
        let missing = poor.iter().chain(rich).find(|l| of(l).is_none() && **l != "viscous");
        if let Some(law) = missing {
            let why = format!("the law `{law}` gave no motion that could be compared");
            return Answer::failed(what, words, &why);
        }
        let (Some(poor), Some(rich)) = (best(poor), best(rich)) else {
            return Answer::failed(what, words, "a law gave no motion that could be compared");
        };
        if let Some(broken) = broken(all, rich).or_else(|| broken(all, poor)) {
            return Answer::failed(what, words, &broken);
        }
        if least > ASTRAY {
            let why = format!(
                "none of these laws follows the record (the best leaves {:.0} % of what was measured)",
                100.0 * least
            );
            return Answer::failed(what, words, &why);
        }
        let astray = |t: &Tried| t.candidate.relative > ASTRAY;
        if !astray(poor) || !astray(rich) {
            let answer = Answer::of(what, words, &poor.candidate, &rich.candidate);
            let other = best(&["static-dynamic", "stribeck"]).filter(|_| what == "asymmetric");
            return answer.unless(other.map(|t| &t.candidate), words, &rich.candidate);
        }
        // Neither moves as the record does, as on a belt that only a falling friction sets going: the one says nothing against
        // the other. Dry friction is shown by any law of it that follows the record.
        let frictional = |t: &&Tried| !matches!(t.contact, Contact::None | Contact::Viscous);
        let follows = all.iter().filter(|t| !astray(t)).filter(frictional);
        let best = follows.min_by(|a, b| a.candidate.bic.total_cmp(&b.candidate.bic));
        match best.filter(|_| what == "dry-friction") {
            Some(other) => Answer::of(what, words, &poor.candidate, &other.candidate),
            None => Answer::failed(what, words, &neither(&poor.candidate, &rich.candidate)),
        }
    };
    asked.into_iter().map(one).collect()
}

fn neither(poor: &Candidate, rich: &Candidate) -> String {
    format!(
        "neither `{}` nor `{}` follows the record (they leave {:.0} % and {:.0} % of what was measured)",
        poor.law,
        rich.law,
        100.0 * poor.relative,
        100.0 * rich.relative
    )
}

/// A law that leaves more than a case of it was not found: its search failed, and the table says nothing of it.
fn broken(all: &[Tried], rich: &Tried) -> Option<String> {
    let poorer = all.iter().filter(|t| rich.contact.holds(t.contact));
    let less =
        poorer.min_by(|a, b| a.rss.total_cmp(&b.rss)).filter(|t| rich.rss > BROKEN * t.rss)?;
    let rich = &rich.candidate;
    let poor = &less.candidate;
    Some(format!(
        "the search for the law `{}` failed, for it leaves {:.2} % where `{}`, which is a case of it, leaves {:.2} %",
        rich.law,
        100.0 * rich.relative,
        poor.law,
        100.0 * poor.relative
    ))
}

impl Answer {
    /// No answer, and why.
    fn failed(what: &'static str, words: &str, why: &str) -> Self {
        let sentence = format!("Nothing is said about {words}: {why}.");
        Self { what, bic: f64::NAN, held_out: f64::NAN, verdict: "failed", sentence }
    }

    fn of(what: &'static str, words: &str, poor: &Candidate, rich: &Candidate) -> Self {
        let bic = poor.bic - rich.bic;
        // The second half, which no law has seen, guards against a law that only fits the noise better.
        let held_out = rich.held_out / poor.held_out;
        Self::worded(what, words, verdict(bic, held_out), [poor, rich])
    }

    /// What a law that is not the poorer one explains as well is not shown by the richer one: a force for each way follows the slips of a
    /// friction that is greater at rest better than one force does.
    fn unless(self, other: Option<&Candidate>, words: &str, rich: &Candidate) -> Self {
        let Some(other) = other.filter(|_| matches!(self.verdict, "yes" | "weakly")) else {
            return self;
        };
        match Self::of(self.what, words, other, rich).verdict {
            "yes" | "weakly" => self,
            _ => Self::worded(self.what, words, "undecided", [other, rich]),
        }
    }

    fn worded(
        what: &'static str,
        words: &str,
        verdict: &'static str,
        [poor, rich]: [&Candidate; 2],
    ) -> Self {
        let bic = poor.bic - rich.bic;
        let held_out = rich.held_out / poor.held_out;
        let said = match verdict {
            "yes" => format!("The record shows {words} (strong evidence"),
            "weakly" => format!("The record speaks for {words} (weak evidence"),
            "no" => format!("The record does not show {words} ("),
            _ => format!("The record does not decide whether there is {words} ("),
        };
        let comma = if said.ends_with('(') { "" } else { ", " };
        let sentence =
            format!("{said}{comma}ΔBIC = {:+.0}, {} against {}).", -bic, rich.law, poor.law);
        Self { what, bic, held_out, verdict, sentence }
    }
}

fn verdict(bic: f64, held_out: f64) -> &'static str {
    let [positive, strong] = STEPS_OF_EVIDENCE;
    match (bic, held_out) {
        (b, h) if b > strong && h < 1.0 => "yes",
        (b, h) if b > positive && h < 1.02 => "weakly",
        (b, _) if b > -positive => "undecided",
        _ => "no",
    }
}
