//! What moves together while nothing changes between rest and slip: coordinates in which what rests cannot drift.
//!
//! Every row that is held joins two masses, or a mass to what is given. Masses that are joined move as one: the velocity of
//! each is a multiple of the velocity of its group, plus given velocities. Only the groups are integrated, so that a
//! velocity that is held at zero is zero to the last bit.

use super::loads::{Loads, Torn};
use super::parts::Parts;
use super::places::Levels;
use super::plan::Plan;
use super::unsuitable;
use crate::error::{Error, Obstacle};
use crate::numeric::{dot, inverse};

/// How a mass moves with its group: ẋ = ratio · Ẏ + Σ c g.
#[derive(Debug, Clone, Default)]
pub(super) struct Carried {
    /// The group, unless its motion is given.
    pub group: Option<usize>,
    pub ratio: f64,
    pub given: Vec<(usize, f64)>,
}

/// A virtual velocity of masses in which rows that are held would leave each other.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    /// Its masses, with their velocities.
    pub masses: Vec<(usize, f64)>,
    /// The rows that it opens, with their relative velocities.
    pub rows: Vec<(usize, f64)>,
    /// The gears among them whose friction grows with the load.
    pub torn: Vec<Torn>,
}

/// Masses that move as one, and how what holds them may break.
#[derive(Debug, Clone)]
pub(super) struct Mode {
    /// What each row does: a slider rests (0) or slips that way (±1), a contact is closed, open, …; then the sign of what
    /// each gear hands on.
    pub status: Vec<i8>,
    /// How each mass moves.
    pub carried: Vec<Carried>,
    /// How many groups there are.
    pub groups: usize,
    /// The mass whose displacement stands for that of a group.
    pub first: Vec<usize>,
    /// The inverse of the groups' mass matrix, by rows.
    pub inverse: Vec<f64>,
    pub plan: Plan,
    /// Sliding velocities that stand in the place of velocities of groups.
    pub levels: Levels,
    pub directions: Vec<Direction>,
    /// What gears hand on.
    pub loads: Loads,
}

/// Rows that hold nothing more than others do make directions by many choices; more than so many are not looked at.
const MOST_DIRECTIONS: usize = 20_000;

impl Mode {
    /// The mode in which each row has this status.
    ///
    /// # Errors
    /// If there are too many ways for what is held to break, or a gear jams.
    pub fn new(parts: &Parts, status: Vec<i8>) -> Result<Self, Error> {
        let mut mode = Self::without_forces(parts, status)?;
        let held = mode.held(parts);
        // Without directions a mode can tell how masses move, but not when it ends.
        mode.directions = directions(parts, &held)?;
        for direction in &mut mode.directions {
            direction.torn = parts.torn(direction, &held)?;
        }
        mode.loads = parts.loads(&mode.status, &mode.carried, &held, &mode.inverse)?;
        Ok(mode)
    }

    /// How the masses move in a mode, without what its forces do: for statuses that are still to be decided.
    pub fn without_forces(parts: &Parts, status: Vec<i8>) -> Result<Self, Error> {
        let held: Vec<usize> = (0..status.len()).filter(|&e| parts.holds(e, status[e])).collect();
        let (carried, first) = carry(parts, &held);
        let groups = first.len();
        let mass = reduced(parts, &carried, groups);
        let inverse = inverse(&mass, groups).ok_or_else(|| unsuitable(Obstacle::Inertia))?;
        let mut plan = Plan::default();
        for (mass, one) in carried.iter().enumerate() {
            if let Some(group) = one.group {
                plan.add(mass, group, one.ratio, &inverse);
            }
            plan.led |= !one.given.is_empty();
        }
        let own = |(mass, one): (usize, &Carried)| one.group == Some(mass) && one.ratio == 1.0;
        plan.alone = !plan.led && carried.iter().enumerate().all(own);
        let levels = Levels::of(parts, &carried, groups);
        Ok(Self {
            status,
            plan,
            levels,
            carried,
            groups,
            first,
            inverse,
            directions: Vec::new(),
            loads: Loads::default(),
        })
    }

    /// The rows that are held.
    fn held(&self, parts: &Parts) -> Vec<usize> {
        (0..self.status.len()).filter(|&e| parts.holds(e, self.status[e])).collect()
    }

    /// The velocities of all groups that carry on the momenta of their masses, which move at `v`.
    pub fn group_velocities(
        &self,
        parts: &Parts,
        v: &[f64],
        given: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        let mut groups = Groups::default();
        self.group_velocities_in(parts, v, given, &mut groups);
        groups.velocities
    }

    /// The same, for whoever asks again and again.
    pub fn group_velocities_in<'a>(
        &self,
        parts: &Parts,
        v: &[f64],
        given: impl Fn(usize) -> f64,
        groups: &'a mut Groups,
    ) -> &'a [f64] {
        let n = parts.masses();
        let Groups { own, momenta, velocities } = groups;
        own.clear();
        own.extend(
            (0..n).map(|i| {
                v[i] - self.carried[i].given.iter().map(|(g, c)| c * given(*g)).sum::<f64>()
            }),
        );
        // Sums of momenta: what begins to hold acts on both of its ends alike, and changes no sum.
        momenta.clear();
        momenta.resize(self.groups, 0.0);
        for (i, carried) in self.carried.iter().enumerate() {
            if let Some(g) = carried.group {
                let p: f64 = (0..n).map(|j| parts.mass[i * n + j] * own[j]).sum();
                momenta[g] += carried.ratio * p;
            }
        }
        let alone = |g: usize| self.carried.iter().filter(|c| c.group == Some(g)).count() == 1;
        velocities.clear();
        velocities.extend((0..self.groups).map(|g| {
            // A mass that goes alone keeps its velocity to the last bit.
            if alone(g) {
                return own[self.first[g]];
            }
            let row = &self.inverse[g * self.groups..(g + 1) * self.groups];
            row.iter().zip(&*momenta).map(|(w, p)| w * p).sum()
        }));
        velocities
    }
}

/// The velocities of groups, and what they follow from.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    /// The velocity of each mass beyond what is given, m/s.
    own: Vec<f64>,
    /// The momentum of each group, kg·m/s, and its velocity, m/s.
    momenta: Vec<f64>,
    velocities: Vec<f64>,
}

/// How the masses move when these rows are held, and the first mass of each group.
pub(super) fn carry(parts: &Parts, held: &[usize]) -> (Vec<Carried>, Vec<usize>) {
    let n = parts.masses();
    let mut carried: Vec<Option<Carried>> = vec![None; n];
    // First what hangs on given motions, then the rest from a first mass each.
    for &e in held {
        let row = &parts.rows[e];
        // One mass against what is given: it is carried at once, and its neighbours through it.
        if let [(i, c)] = row.masses[..]
            && carried[i].is_none()
        {
            let given = row.given.iter().map(|(g, d)| (*g, -d / c)).collect();
            carried[i] = Some(Carried { group: None, ratio: 0.0, given });
            spread(parts, held, &mut carried);
        }
    }
    let mut first = Vec::new();
    for i in 0..n {
        if carried[i].is_none() {
            carried[i] = Some(Carried { group: Some(first.len()), ratio: 1.0, given: Vec::new() });
            first.push(i);
            spread(parts, held, &mut carried);
        }
    }
    (carried.into_iter().map(Option::unwrap_or_default).collect(), first)
}

/// Follows the rows that are held from masses whose motion is known to their neighbours.
fn spread(parts: &Parts, held: &[usize], carried: &mut [Option<Carried>]) {
    let mut again = true;
    while again {
        again = false;
        for &e in held {
            let row = &parts.rows[e];
            let [(a, ca), (b, cb)] = row.masses[..] else { continue };
            // From the end that is known to the other: c_a ẋ_a + c_b ẋ_b + Σ d g = 0.
            let (from, to, cf, ct) = match (&carried[a], &carried[b]) {
                (Some(known), None) => (known.clone(), b, ca, cb),
                (None, Some(known)) => (known.clone(), a, cb, ca),
                _ => continue,
            };
            let factor = -cf / ct;
            let mut given: Vec<(usize, f64)> =
                from.given.iter().map(|(g, c)| (*g, factor * c)).collect();
            for (g, d) in &row.given {
                match given.iter_mut().find(|k| k.0 == *g) {
                    Some(k) => k.1 -= d / ct,
                    None => given.push((*g, -d / ct)),
                }
            }
            given.retain(|k| k.1 != 0.0);
            carried[to] = Some(Carried { group: from.group, ratio: factor * from.ratio, given });
            again = true;
        }
    }
}

/// The mass matrix of the groups, by rows.
fn reduced(parts: &Parts, carried: &[Carried], groups: usize) -> Vec<f64> {
    let n = parts.masses();
    let mut mass = vec![0.0; groups * groups];
    for (i, a) in carried.iter().enumerate() {
        for (j, b) in carried.iter().enumerate() {
            if let (Some(g), Some(h)) = (a.group, b.group) {
                mass[g * groups + h] += a.ratio * b.ratio * parts.mass[i * n + j];
            }
        }
    }
    mass
}

/// Rows that are held, in sets that share masses.
fn blocks(parts: &Parts, held: &[usize]) -> Vec<Vec<usize>> {
    let mut blocks: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for &e in held {
        let mut rows = vec![e];
        let mut masses: Vec<usize> = parts.rows[e].masses.iter().map(|m| m.0).collect();
        let mut apart = Vec::new();
        // A row that shares masses with several sets joins them.
        for (other, its) in blocks {
            if its.iter().any(|i| masses.contains(i)) {
                rows.extend(other);
                masses.extend(its);
            } else {
                apart.push((other, its));
            }
        }
        apart.push((rows, masses));
        blocks = apart;
    }
    blocks
        .into_iter()
        .map(|(mut rows, _)| {
            rows.sort_unstable();
            rows
        })
        .collect()
}

/// The extreme ways in which what is held may break.
///
/// Forces within limits can hold the masses if and only if no virtual velocity w gains more than they resist (Farkas):
/// w·Q + Σ L(±)|w_e| ≥ 0, with Q the forces that are needed and w_e the relative velocity of row e. It is enough to look at
/// the velocities that leave one row less at rest than would determine them.
fn directions(parts: &Parts, held: &[usize]) -> Result<Vec<Direction>, Error> {
    let mut all = Vec::new();
    for rows in blocks(parts, held) {
        let mut masses: Vec<usize> =
            rows.iter().flat_map(|e| parts.rows[*e].masses.iter().map(|m| m.0)).collect();
        masses.sort_unstable();
        masses.dedup();
        let block = Block::new(parts, rows, masses);
        block.directions(parts.sliders, &mut all)?;
    }
    Ok(all)
}

/// Rows that share masses.
struct Block {
    rows: Vec<usize>,
    masses: Vec<usize>,
    /// An orthonormal basis of the space that the rows span.
    basis: Vec<Vec<f64>>,
    /// Each row in that basis.
    inside: Vec<Vec<f64>>,
}

impl Block {
    fn new(parts: &Parts, rows: Vec<usize>, masses: Vec<usize>) -> Self {
        let full = |e: usize| {
            let mut row = vec![0.0; masses.len()];
            for (i, c) in &parts.rows[e].masses {
                if let Ok(k) = masses.binary_search(i) {
                    row[k] = *c;
                }
            }
            row
        };
        let all: Vec<Vec<f64>> = rows.iter().map(|e| full(*e)).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for row in &all {
            let mut left = row.clone();
            // Twice, so that what is left is orthogonal to rounding.
            for _ in 0..2 {
                for b in &basis {
                    let c = dot(&left, b);
                    left.iter_mut().zip(b).for_each(|(l, b)| *l -= c * b);
                }
            }
            let size = dot(&left, &left).sqrt();
            // A row in the span of others holds nothing more than they do.
            if size > 1e-9 * dot(row, row).sqrt() {
                basis.push(left.into_iter().map(|l| l / size).collect());
            }
        }
        let inside = all.iter().map(|row| basis.iter().map(|b| dot(row, b)).collect()).collect();
        Self { rows, masses, basis, inside }
    }

    /// Adds the directions of this block.
    fn directions(&self, sliders: usize, all: &mut Vec<Direction>) -> Result<(), Error> {
        let m = self.rows.len();
        let d = self.basis.len();
        if count(m, d - 1) > MOST_DIRECTIONS {
            return Err(unsuitable(Obstacle::TooManyHolds { held: m, enough: d }));
        }
        let first = all.len();
        // d − 1 rows that stay leave one velocity.
        let mut chosen: Vec<usize> = (0..d - 1).collect();
        loop {
            if let Some(w) = self.across(&chosen) {
                // Either way along it: the limits may differ.
                for sign in [1.0, -1.0] {
                    let w: Vec<f64> = w.iter().map(|w| sign * w).collect();
                    let direction = self.direction(&w);
                    // No force is too great for a stop that is pressed.
                    let presses = direction.rows.iter().any(|(e, w)| *e >= sliders && *w < 0.0);
                    if !presses && !all[first..].iter().any(|o| same(o, &direction)) {
                        all.push(direction);
                    }
                }
            }
            if !advance(&mut chosen, m) {
                return Ok(());
            }
        }
    }

    /// The velocity, in the basis, in which the chosen rows stay at rest, if there is just one.
    fn across(&self, chosen: &[usize]) -> Option<Vec<f64>> {
        let d = self.basis.len();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for &e in chosen {
            let mut left = self.inside[e].clone();
            for _ in 0..2 {
                for b in &rows {
                    let c = dot(&left, b);
                    left.iter_mut().zip(b).for_each(|(l, b)| *l -= c * b);
                }
            }
            let size = dot(&left, &left).sqrt();
            if size <= 1e-9 {
                return None;
            }
            rows.push(left.into_iter().map(|l| l / size).collect());
        }
        // What is orthogonal to d − 1 rows: the axis that they leave most of.
        let mut best = (0.0, Vec::new());
        for k in 0..d {
            // Any axis has a part orthogonal to the rows, unless it lies in their span; the largest is the most
            // exact.
            let mut left = vec![0.0; d];
            left[k] = 1.0;
            for _ in 0..2 {
                for b in &rows {
                    let c = dot(&left, b);
                    left.iter_mut().zip(b).for_each(|(l, b)| *l -= c * b);
                }
            }
            let size = dot(&left, &left).sqrt();
            if size > best.0 {
                best = (size, left);
            }
        }
        Some(best.1)
    }

    /// The direction of the velocity `w` in the basis, its greatest relative velocity being 1.
    fn direction(&self, w: &[f64]) -> Direction {
        // Scaled to a greatest relative velocity of 1, so that equal directions are recognised.
        let relative: Vec<f64> = self.inside.iter().map(|row| dot(row, w)).collect();
        let most = relative.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let clean = |x: f64| if x.abs() < 1e-9 { 0.0 } else { round(x) };
        let rows = self.rows.iter().zip(&relative).map(|(e, r)| (*e, clean(r / most)));
        let masses = self.masses.iter().enumerate().map(|(k, i)| {
            let v: f64 = self.basis.iter().zip(w).map(|(b, w)| b[k] * w).sum();
            (*i, v / most)
        });
        Direction {
            masses: masses.filter(|m| m.1 != 0.0).collect(),
            rows: rows.filter(|r| r.1 != 0.0).collect(),
            torn: Vec::new(),
        }
    }
}

/// Whole numbers, which most relative velocities are, without their rounding errors.
fn round(x: f64) -> f64 {
    if (x - x.round()).abs() < 1e-12 { x.round() } else { x }
}

/// Whether two directions open the same rows at the same rates.
fn same(a: &Direction, b: &Direction) -> bool {
    a.rows.len() == b.rows.len()
        && a.rows.iter().zip(&b.rows).all(|(p, q)| p.0 == q.0 && (p.1 - q.1).abs() < 1e-9)
}

/// m over k, no more than is of interest.
fn count(m: usize, k: usize) -> usize {
    let k = k.min(m - k);
    let mut product = 1usize;
    for i in 0..k {
        product = product.saturating_mul(m - i) / (i + 1);
        if product > 100 * MOST_DIRECTIONS {
            break;
        }
    }
    product
}

/// The next choice of as many among `m`; whether there is one.
fn advance(chosen: &mut [usize], m: usize) -> bool {
    let k = chosen.len();
    for i in (0..k).rev() {
        // The last place that can still move on does, and all behind it follow closely.
        if chosen[i] < m - k + i {
            chosen[i] += 1;
            for j in i + 1..k {
                chosen[j] = chosen[j - 1] + 1;
            }
            return true;
        }
    }
    false
}
