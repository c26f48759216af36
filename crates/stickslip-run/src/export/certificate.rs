//! A certificate as JSON: the problem in the numbers that were used, and the proof.

use crate::canonical::canonical;
use crate::product::{Lazy, Product, pretty, printed};
use crate::summary::Head;
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::motion::{CascadePhase, Touching};
use stickslip::signal::Knot;
use stickslip::{Cascade, Impact, Oscillator, Signal, Stops};
use stickslip_certify::{Certificate, CertifiedArc, Ending, ProofStep};
use stickslip_file::Sha256;

/// Says which form the document has.
const KIND: &str = "stickslip 3";

/// What is proved of a problem, which is given in the numbers that were used.
pub struct Certified {
    problem: Value,
    /// What takes energy away.
    lost: &'static str,
    certificate: Certificate<String>,
}

/// The motion of `o` on [0, `end`] (s).
pub fn oscillator(o: &Oscillator, end: f64, certificate: Certificate) -> Certified {
    let [ahead, back] = o
        .friction
        .constants()
        .unwrap_or_default()
        .map(|(fs, fd)| json!({ "static": fs, "dynamic": fd }));
    let problem = json!({
        "kind": "oscillator",
        "mass": o.mass,
        "stiffness": o.stiffness,
        "damping": o.damping,
        "friction": { "ahead": ahead, "back": back },
        "drive": load(&o.drive, end),
        "force": load(&o.force, end),
        "support": joined(&o.support, end),
        "normal": o.normal.as_ref().and_then(Signal::as_constant).unwrap_or(1.0),
        "stops": o.stops.as_ref().map(stops),
        "x": o.initial.displacement,
        "v": o.initial.velocity,
        "end": end,
    });
    Certified { problem, lost: "friction", certificate: worded(certificate) }
}

/// The same for a cascade, `led` without inertia or with its mass.
pub fn cascade(
    c: &Cascade,
    led: bool,
    end: f64,
    certificate: Certificate<CascadePhase>,
) -> Certified {
    let problem = json!({
        "kind": "cascade",
        "mass": (!led).then_some(c.mass),
        "stiffness": c.stiffness,
        "threshold": c.threshold,
        "prestress": c.prestress,
        "displacement": c.displacement.as_ref().map(|d| joined(d, end)),
        "force": c.displacement.is_none().then(|| joined(&c.force, end)),
        "x": c.initial.displacement,
        "v": c.initial.velocity,
        "end": end,
    });
    Certified { problem, lost: "friction", certificate: worded(certificate) }
}

/// The same for a mass between walls.
pub fn impact(i: &Impact, end: f64, certificate: Certificate<Touching>) -> Certified {
    let problem = json!({
        "kind": "impact",
        "mass": i.mass,
        "stiffness": i.stiffness,
        "damping": i.damping,
        "restitution": i.restitution,
        "force": joined(&i.force, end),
        "lower": i.lower.as_ref().map(|w| joined(w, end)),
        "upper": i.upper.as_ref().map(|w| joined(w, end)),
        "x": i.initial.displacement,
        "v": i.initial.velocity,
        "end": end,
    });
    Certified { problem, lost: "impacts", certificate: worded(certificate) }
}

/// The same with phases in words.
fn worded<P: fmt::Display>(certificate: Certificate<P>) -> Certificate<String> {
    let Certificate { arcs, x, v, force, elements, energy } = certificate;
    let arcs = arcs.into_iter().map(CertifiedArc::worded).collect();
    Certificate { arcs, x, v, force, elements, energy }
}

impl Certified {
    /// The document, bound to the resolved model and to the files that were sampled for it: names in the model and SHA-256.
    pub fn of(self, resolved: &Value, files: &[(String, String)]) -> Value {
        let Self { problem, lost, certificate } = self;
        let files = files.iter().map(|(name, digest)| json!({ "name": name, "sha256": digest }));
        let energy = &certificate.energy;
        let mut document = json!({
            "certificate": KIND,
            "model": {
                "sha256": Sha256::of(canonical(resolved).as_bytes()),
                "resolved": resolved,
                "files": files.collect::<Vec<_>>(),
            },
            "problem": problem,
            "arcs": certificate.arcs.iter().map(arc).collect::<Vec<_>>(),
            "x": certificate.x,
            "v": certificate.v,
            "energy": {
                "first": energy.first,
                "last": energy.last,
                lost: energy.friction,
                "supplied": energy.supplied,
            },
        });
        if let Some(force) = certificate.force {
            document["force"] = json!(force);
            document["elements"] = json!(certificate.elements);
        }
        document
    }
}

/// The pieces (time, value, rate) of a load up to `end`, and its harmonics (A, ω, φ). The first piece has held since ever.
fn load(signal: &Signal, end: f64) -> Value {
    let knots = signal.knots();
    let first = knots.partition_point(|k| k.time <= 0.0).max(1) - 1;
    let held = knots[first..].iter().enumerate();
    let held = held.filter(|(i, k)| *i == 0 || k.time <= end);
    let piece = |(i, k): (usize, &Knot)| {
        // Where the first piece begins later, it is continued to t = 0.
        if i == 0 && k.time > 0.0 {
            json!([0.0, k.at(0.0), k.rate])
        } else {
            json!([k.time, k.value, k.rate])
        }
    };
    let waves =
        signal.harmonics().iter().map(|h| json!([h.amplitude, h.angular_frequency, h.phase]));
    json!({ "pieces": held.map(piece).collect::<Vec<_>>(), "harmonics": waves.collect::<Vec<_>>() })
}

/// The same for what moves continuously but for its jumps. Without a rate, a piece leads straight to the next.
fn joined(signal: &Signal, end: f64) -> Value {
    let mut written = load(signal, f64::INFINITY);
    let jumps = signal.jumps();
    if let Some(pieces) = written["pieces"].as_array_mut() {
        let times: Vec<f64> = pieces.iter().filter_map(|p| p[0].as_f64()).collect();
        for (piece, next) in pieces.iter_mut().zip(&times[1..]) {
            if !jumps.iter().any(|j| j.0 == *next) {
                piece[2] = Value::Null;
            }
        }
        // The first piece that is not needed is the one after the first that begins at the end.
        pieces.truncate(times.partition_point(|t| *t < end) + 1);
        if let Some(last) = pieces.last_mut().filter(|p| p[2].is_null()) {
            last[2] = json!(0.0);
        }
    }
    written
}

/// Stops by their positions and what they are made of.
fn stops(stops: &Stops) -> Value {
    let soft = stops.spring();
    let restitution = stops.restitution();
    json!({
        "lower": stops.lower,
        "upper": stops.upper,
        "restitution": restitution,
        "stiffness": soft.map(|s| s.0),
        "damping": soft.map(|s| s.1),
    })
}

fn arc(arc: &CertifiedArc<String>) -> Value {
    let mut written = json!({
        "phase": arc.phase,
        "from": arc.from,
        "to": arc.to,
        "x": arc.x,
        "v": arc.v,
        "free": arc.free,
        "ending": ending(arc.ending),
        "margins": arc.margins,
        "steps": arc.steps.iter().map(|s| s.iter().map(step).collect()).collect::<Vec<Vec<Value>>>(),
    });
    if let Some(force) = arc.force {
        written["force"] = json!(force);
    }
    written
}

/// [from, to, order of the derivative (negative: minus that), least].
fn step(step: &ProofStep) -> Value {
    let order = if step.falls { -(step.order as i64) } else { step.order as i64 };
    json!([step.from, step.to, order, step.least])
}

/// A word for how an arc ends.
fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Slip => "slip",
        Ending::Jump => "jump",
        Ending::Stick => "stick",
        Ending::Reversal => "reversal",
        Ending::Yield => "yield",
        Ending::Knot => "knot",
        Ending::Kick => "kick",
        Ending::Impact => "impact",
        Ending::Rest => "rest",
        Ending::Release => "release",
        Ending::Touch => "touch",
        Ending::Leave => "leave",
        _ => "end",
    }
}

/// Everything that is delivered with a certificate.
pub fn product(head: &Head<'_, Value>, document: Value) -> Product {
    let arcs = document["arcs"].as_array().map_or(&[][..], Vec::as_slice);
    let steps = |a: &Value| a["steps"].as_array().into_iter().flatten().map(count).sum::<usize>();
    let summary = head.with(json!({
        "model_sha256": document["model"]["sha256"],
        "files_sha256": document["model"]["files"],
        "events": arcs.iter().filter(|a| is_event(a)).count(),
        "arcs": arcs.len(),
        "steps": arcs.iter().map(steps).sum::<usize>(),
        "unique": true,
        "energy": document["energy"],
    }));
    let said = Arc::new(document.clone());
    let shared = Arc::new(document);
    let text = Lazy::new(move || printed(|w| list(w, &said)));
    Product::new(summary, text).document("certificate", move || pretty(&*shared))
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Whether an arc ends with an event.
fn is_event(arc: &Value) -> bool {
    !matches!(arc["ending"].as_str(), Some("knot" | "end"))
}

/// The events with their brackets, for people.
fn list(w: &mut dyn Write, document: &Value) -> fmt::Result {
    let arcs = document["arcs"].as_array().map_or(&[][..], Vec::as_slice);
    let events: Vec<&Value> = arcs.iter().filter(|a| is_event(a)).collect();
    writeln!(
        w,
        "Proved: {} events, each between the two times given, no others, and no other solution.\n",
        events.len()
    )?;
    writeln!(w, "{:<10} {:>24} {:>24}", "event", "not before, s", "not after, s")?;
    for event in events {
        let kind = event["ending"].as_str().unwrap_or_default();
        let slips = kind == "jump" && document["problem"]["kind"] == "oscillator";
        let kind = if slips { "slip" } else { kind };
        let [from, to] = [0, 1].map(|i| event["to"][i].as_f64().unwrap_or(f64::NAN));
        writeln!(w, "{kind:<10} {from:>24} {to:>24}")?;
    }
    let energy = &document["energy"];
    let (lost, to) = match &energy["impacts"] {
        Value::Null => (&energy["friction"], "to dry friction"),
        lost => (lost, "in impacts"),
    };
    writeln!(w, "\nLost {to}: between {} and {} J.", lost[0], lost[1])?;
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    writeln!(w, "\nModel: SHA-256 {}", text(&document["model"]["sha256"]))?;
    for file in document["model"]["files"].as_array().into_iter().flatten() {
        writeln!(w, "{}: SHA-256 {}", text(&file["name"]), text(&file["sha256"]))?;
    }
    Ok(())
}
