//! Whether a network is well posed.

use super::{Link, Network, Part, PartKind};
use crate::error::Error;
use std::fmt;

/// What is allowed but worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// If all these sliders stick, the motion is unique but their forces are not.
    ForcesNotUnique {
        /// Names of the sliders of one loop.
        sliders: Vec<String>,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForcesNotUnique { sliders } => write!(
                f,
                "while the sliders {} stick together, the motion is unique but the forces in them are not: \
                 one of the possible sets is shown",
                listed(sliders)
            ),
        }
    }
}

/// Sets of nodes, and the ground, that something joins.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Joins two; whether they were apart.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let a = self.root(a);
        let b = self.root(b);
        self.0[a] = b;
        a != b
    }
}

fn bad(place: Part, reason: impl Into<String>, remedy: impl Into<String>) -> Error {
    Error::BadNetwork { place, reason: reason.into(), remedy: remedy.into() }
}

/// Checks the numbers of springs and dashpots that were given one by one.
pub(super) fn check_parts(n: &Network) -> Result<(), Error> {
    check_links(PartKind::Spring, "stiffness", "N/m", &n.springs)?;
    check_links(PartKind::Dashpot, "damping", "N·s/m", &n.dashpots)
}

/// Checks every number and that each step has one solution; what is worth knowing.
pub(super) fn check(n: &Network, unjoined: bool) -> Result<Vec<Remark>, Error> {
    check_nodes(n, unjoined)?;
    check_sliders(n)?;
    // What gears or stops hold is looked at when the machine is complete.
    if !unjoined {
        held_nodes(n)?;
        joined_nodes(n)?;
    }
    Ok(loops(n))
}

/// Whether `x` is finite and `ok`.
fn is(x: f64, ok: bool) -> bool {
    x.is_finite() && ok
}

fn check_nodes(n: &Network, unjoined: bool) -> Result<(), Error> {
    for (i, node) in n.nodes.iter().enumerate() {
        let place = |property| Part::new(PartKind::Node, i, &node.name, property);
        if !is(node.mass, node.mass >= 0.0) {
            let reason = format!("its mass is {}; expected a finite mass ≥ 0 kg", node.mass);
            return Err(bad(place("mass"), reason, "0 makes a massless node"));
        }
        if !is(node.displacement, true) || !is(node.velocity, true) {
            let state = (node.displacement, node.velocity);
            let reason = format!("its initial state is {state:?}; expected finite m and m/s");
            return Err(bad(place(""), reason, "leave it out for rest at 0"));
        }
        if node.mass == 0.0 && node.velocity != 0.0 && node.motion.is_none() && !unjoined {
            let reason = format!("it has no mass but an initial velocity {} m/s", node.velocity);
            return Err(bad(place("velocity"), reason, "give it a mass, or no velocity"));
        }
        node.force.check("the force on a node")?;
        if let Some(m) = &node.motion {
            m.check("the motion of a node")?;
        }
    }
    Ok(())
}

fn check_links(kind: PartKind, what: &'static str, unit: &str, list: &[Link]) -> Result<(), Error> {
    for (i, l) in list.iter().enumerate() {
        let place = |property| Part::new(kind, i, "", property);
        if !is(l.coefficient, l.coefficient > 0.0) {
            let reason =
                format!("its {what} is {}; expected a finite number > 0 {unit}", l.coefficient);
            let part = if kind == PartKind::Spring { "spring" } else { "dashpot" };
            let remedy = format!("leave the {part} out if there is none");
            return Err(bad(place(what), reason, remedy));
        }
        if l.between()[0] == l.between()[1] {
            let remedy = "join two different nodes";
            return Err(bad(place("between"), "both its ends are the same", remedy));
        }
    }
    Ok(())
}

fn check_sliders(n: &Network) -> Result<(), Error> {
    let held = |end: Option<usize>| end.is_none_or(|i| n.nodes[i].motion.is_some());
    for (i, s) in n.sliders.iter().enumerate() {
        let place = |property| Part::new(PartKind::Slider, i, &s.name, property);
        if !(is(s.breakaway, s.breakaway >= 0.0) && is(s.dynamic, s.dynamic >= 0.0)) {
            let reason = format!(
                "static {} and dynamic {}; expected finite forces ≥ 0 N",
                s.breakaway, s.dynamic
            );
            return Err(bad(place("static"), reason, "give magnitudes"));
        }
        if s.dynamic > s.breakaway {
            let reason = format!(
                "its dynamic friction {} exceeds the static friction {}; expected 0 ≤ dynamic ≤ static",
                s.dynamic, s.breakaway
            );
            return Err(bad(place("dynamic"), reason, "swap the two"));
        }
        if let Some(normal) = &s.normal {
            normal.check("a normal force")?;
        }
        if s.between()[0] == s.between()[1] || s.between().iter().all(|e| held(*e)) {
            let reason = "a loop of rigid constraints: the motion of both its ends is given, so that its \
                          friction acts on nothing";
            return Err(bad(place("between"), reason, "leave the slider out, or free one end"));
        }
    }
    Ok(())
}

/// A node that nothing joins to any other or the ground is no part of the network: a name mistyped, most likely.
fn joined_nodes(n: &Network) -> Result<(), Error> {
    let mut joined = vec![false; n.nodes.len()];
    let links = n.springs.iter().chain(&n.dashpots).map(|l| l.between());
    let ends = links.chain(n.sliders.iter().map(|s| s.between())).flatten();
    ends.flatten().for_each(|i| joined[i] = true);
    n.shared.iter().flat_map(|s| s.between).for_each(|i| joined[i] = true);
    match joined.iter().position(|j| !j) {
        None => Ok(()),
        Some(i) => Err(bad(
            Part::new(PartKind::Node, i, &n.nodes[i].name, "name"),
            "no spring, dashpot or slider touches it",
            "join it to another node or the ground, or leave it out",
        )),
    }
}

/// Every group of massless nodes joined by springs and dashpots must hang on something.
fn held_nodes(n: &Network) -> Result<(), Error> {
    let ground = n.nodes.len();
    let mut sets = Sets((0..=ground).collect());
    for (i, node) in n.nodes.iter().enumerate() {
        if node.mass > 0.0 || node.motion.is_some() {
            sets.join(i, ground);
        }
    }
    for l in n.springs.iter().chain(&n.dashpots) {
        sets.join(l.between()[0].unwrap_or(ground), l.between()[1].unwrap_or(ground));
    }
    for (i, node) in n.nodes.iter().enumerate() {
        if sets.root(i) != sets.root(ground) {
            let slides = n.sliders.iter().any(|s| s.between().contains(&Some(i)));
            let reason = if slides {
                "it has no mass, and neither it nor what it is joined to by springs and dashpots hangs on a \
                 mass or the ground: sliders alone do not determine where it is"
            } else {
                "it has no mass, and nothing holds it"
            };
            let remedy =
                "give it a mass, or join it by a spring or dashpot to a mass or the ground";
            let place = Part::new(PartKind::Node, i, &node.name, "name");
            return Err(bad(place, reason, remedy));
        }
    }
    Ok(())
}

/// Loops of sliders: dependent rows of G. Loops that share sliders are one.
fn loops(n: &Network) -> Vec<Remark> {
    let ground = n.nodes.len();
    let end = |e: Option<usize>| e.filter(|&i| n.nodes[i].motion.is_none()).unwrap_or(ground);
    let ends = |k: usize| n.sliders[k].between().map(end);
    let mut sets = Sets((0..=ground).collect());
    let mut closes = |k: &usize| {
        let [a, b] = ends(*k);
        !sets.join(a, b)
    };
    let closing: Vec<usize> = (0..n.sliders.len()).filter(&mut closes).collect();
    if closing.is_empty() {
        return Vec::new();
    }
    let mut tree: Vec<Vec<(usize, usize)>> = vec![Vec::new(); ground + 1];
    for k in (0..n.sliders.len()).filter(|k| closing.binary_search(k).is_err()) {
        let [a, b] = ends(k);
        tree[a].push((b, k));
        tree[b].push((a, k));
    }
    let (above, depth) = rooted(&tree);
    let mut same = Sets((0..n.sliders.len()).collect());
    for &k in &closing {
        // The way from one end to the other through the trees, of which there is one, closes the loop.
        let [mut a, mut b] = ends(k);
        while a != b {
            let lower = if depth[a] >= depth[b] { &mut a } else { &mut b };
            let Some((up, slider)) = above[*lower] else { break };
            same.join(slider, k);
            *lower = up;
        }
    }
    let mut groups = std::collections::BTreeMap::<usize, Vec<String>>::new();
    for (k, slider) in n.sliders.iter().enumerate() {
        groups.entry(same.root(k)).or_default().push(slider.name.to_string());
    }
    let several = groups.into_values().filter(|sliders| sliders.len() > 1);
    several.map(|sliders| Remark::ForcesNotUnique { sliders }).collect()
}

/// What is next on the way to a root from each node of a forest, the slider to it, and how far the root is.
fn rooted(tree: &[Vec<(usize, usize)>]) -> (Vec<Option<(usize, usize)>>, Vec<usize>) {
    let mut above = vec![None; tree.len()];
    let mut depth = vec![usize::MAX; tree.len()];
    for root in 0..tree.len() {
        if depth[root] != usize::MAX {
            continue;
        }
        depth[root] = 0;
        let mut waiting = vec![root];
        while let Some(i) = waiting.pop() {
            for &(j, slider) in &tree[i] {
                if depth[j] == usize::MAX {
                    (above[j], depth[j]) = (Some((i, slider)), depth[i] + 1);
                    waiting.push(j);
                }
            }
        }
    }
    (above, depth)
}

/// Names that one sentence holds; of many the first, and how many more there are.
fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    match names.len() {
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sliders between the same two nodes are one loop, as are loops that share sliders; loops that only meet at a node
    /// are two.
    #[test]
    fn loops_that_share_sliders_are_one() {
        let of = |sliders: &[(&str, &str, &str)]| {
            let mut b = Network::builder().node("a", 1.0).node("b", 1.0).node("c", 1.0);
            // A spring each, for a node that nothing touches is refused.
            for node in ["a", "b", "c"] {
                b = b.spring(node, "ground", 1.0);
            }
            for (name, one, other) in sliders {
                b = b.slider(*name, *one, *other, 1.0, 1.0);
            }
            loops(&b.build().unwrap())
        };
        let one = |names: &[&str]| Remark::ForcesNotUnique {
            sliders: names.iter().map(|n| (*n).to_owned()).collect(),
        };
        assert_eq!(of(&[("s", "a", "ground"), ("t", "b", "a")]), []);
        assert_eq!(
            of(&[("s", "a", "ground"), ("t", "a", "ground"), ("u", "ground", "a")]),
            [one(&["s", "t", "u"])]
        );
        let apart = [("s", "a", "ground"), ("t", "a", "ground"), ("u", "b", "a"), ("v", "a", "b")];
        assert_eq!(of(&apart), [one(&["s", "t"]), one(&["u", "v"])]);
        let ring = [("s", "a", "ground"), ("t", "b", "a"), ("u", "c", "b"), ("v", "c", "ground")];
        assert_eq!(of(&ring), [one(&["s", "t", "u", "v"])]);
        let bridged = [ring[0], ring[1], ring[2], ring[3], ("w", "a", "c")];
        assert_eq!(of(&bridged), [one(&["s", "t", "u", "v", "w"])]);
        // Ten thousand between the same two nodes are one remark, in no time.
        let mut many = Network::builder().node("a", 1.0);
        for i in 0..10_000 {
            many = many.slider(format!("s{i}"), "a", "ground", 1.0, 1.0);
        }
        let remarks = loops(&many.build().unwrap());
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].to_string().contains("and 9988 more"), "{}", remarks[0]);
    }
}
