//! The keys of a motion's summary.

use super::Solved;
use serde_json::{Map, Value, json};
use stickslip::model::Isolated;
use stickslip::{EventKind, Model};

/// Counts, the energy audit and the last state.
pub fn summary(solved: &Solved) -> Value {
    let solution = &solved.solution;
    let counts = &solved.solution.counts;
    let mut events: Map<String, Value> =
        [("total".to_owned(), solution.events.len().into())].into_iter().collect();
    let mut kinds = solved.kinds().to_vec();
    // Every oscillator says how often it hit a stop.
    if solution.oscillator().is_some() && !kinds.contains(&EventKind::Impact) {
        kinds.push(EventKind::Impact);
    }
    events.extend(kinds.iter().map(|k| (k.name().to_owned(), solution.count(*k).into())));
    let mut counted = json!({ "steps": counts.steps, "segments": counts.segments });
    if counts.iterations > 0 {
        counted["iterations"] = counts.iterations.into();
    }
    if matches!(solved.problem.model, Model::Cascade(_) | Model::Network(_)) {
        counted["inexact_steps"] = counts.inexact.into();
        counted["worst_residual"] = counts.worst_residual.into();
    }
    counted["events"] = events.into();
    let e = solution.energy();
    let [work, elastic] = meanings(&solved.problem.model);
    let mut all = json!({
        "counts": counted,
        "energy": {
            "unit": "J",
            "work_is": work,
            "elastic_is": elastic,
            "work": e.work,
            "kinetic": e.kinetic,
            "elastic": e.elastic,
            "friction": e.friction,
            "viscous": e.viscous,
            "impacts": e.impacts,
            "jumps": e.jumps,
            "defect": e.defect(),
            "relative_defect": e.relative_defect(),
        },
        "end_state": end_state(solved),
    });
    if let Some(n) = solved.problem.model.network_in() {
        all["remarks"] = n.remarks().iter().map(ToString::to_string).collect();
    }
    if let Some(path) = solution.impact() {
        all["impulse"] = path.impulse(f64::NEG_INFINITY, path.span().1).into();
    }
    all
}

/// What is counted as work and as elastic energy. The far end of an oscillator's spring moves, so its energy is
/// K (d − x)²/2; counted are the part that depends on x alone and, as a load, K d.
pub fn meanings(model: &Model) -> [&'static str; 2] {
    match model {
        Model::Oscillator(_) => ["work of K d + F on the mass", "elastic, K x²/2"],
        Model::Impact(_) => ["work of the force", "elastic, K x²/2"],
        Model::Planar(p) => {
            // A sphere and a rim hold energy as well.
            let linear = p.bowl.is_none() && p.rim.is_none();
            let elastic = if linear { "elastic, rᵀ K r/2" } else { "elastic" };
            ["work of F − m a on the mass, and of its surface", elastic]
        }
        Model::Isolated(_) => ["work of F − M a on slab and floors", "elastic, qᵀ K q/2"],
        _ => ["work of the load", "elastic"],
    }
}

fn end_state(solved: &Solved) -> Value {
    let solution = &solved.solution;
    let last = solved.last();
    let t = solution.span().1;
    if let Some(n) = solved.problem.model.network_in() {
        let node = |(n, s): (&stickslip::model::network::Node, &[f64])| {
            (n.name.to_string(), json!({ "x": s[0], "v": s[1] }))
        };
        let nodes: Map<String, Value> =
            n.nodes().iter().zip(last.chunks_exact(2)).map(node).collect();
        return json!({ "t": t, "nodes": nodes });
    }
    if let Model::Isolated(slab) = &solved.problem.model {
        return of_slab(solved, slab, &last);
    }
    if solution.planar().is_some() {
        let [x, y, vx, vy] = [last[0], last[1], last[2], last[3]];
        return json!({ "t": t, "x": x, "y": y, "vx": vx, "vy": vy, "phase": phase(solved) });
    }
    let mut state = json!({ "t": t, "x": last[0], "v": last[1] });
    if solution.cascade().is_some() {
        state["force"] = last[2].into();
    } else if let Some(phase) = phase(solved) {
        state["phase"] = phase.into();
    }
    state
}

/// The last state of a slab, its floors and its isolators.
fn of_slab(solved: &Solved, slab: &Isolated, last: &[f64]) -> Value {
    let end = solved.solution.span().1;
    let body = |u: &[f64]| json!({ "x": u[0], "y": u[1], "theta": u[2], "vx": u[3], "vy": u[4], "vtheta": u[5] });
    let floors: Map<String, Value> = (slab.floors.iter().zip(last[6..].chunks_exact(6)))
        .map(|(floor, u)| (floor.name.to_string(), body(u)))
        .collect();
    let rests = solved.solution.isolated().map(|p| p.phase(end));
    let isolators: Map<String, Value> = last[6 * (1 + slab.floors.len())..]
        .chunks_exact(4)
        .zip(&slab.isolators)
        .enumerate()
        .map(|(k, (u, isolator))| {
            let held = rests.as_ref().is_some_and(|r| r[k]);
            let phase = if held { "stick" } else { "slip" };
            (isolator.name.to_string(), json!({ "x": u[0], "y": u[1], "phase": phase }))
        })
        .collect();
    json!({ "t": end, "slab": body(last), "floors": floors, "isolators": isolators })
}

/// The phase at the end, where a model has one.
pub fn phase(solved: &Solved) -> Option<&'static str> {
    let solution = &solved.solution;
    let end = solved.solution.span().1;
    let friction = solution.oscillator().map(|p| p.phase(end).name());
    let friction = friction.or_else(|| solution.planar().map(|p| p.phase(end).name()));
    friction.or_else(|| solution.impact().map(|p| p.phase(end).name()))
}
