//! The matrices of a slab with floors, and the elimination of the floors from a step.

use super::slab::{Cube, Triple, add};
use crate::error::Error;
use crate::model::isolated::{Floor, Isolated, Isolator};
use crate::model::planar::Square;
use crate::numeric::{cholesky, dot, inverse, solve_lower, solve_transposed};

/// M, C and K of a model.
#[derive(Debug, Clone)]
pub(super) struct Matrices {
    /// Diagonal of M.
    pub mass: Vec<f64>,
    /// By rows.
    pub damping: Vec<f64>,
    /// By rows.
    pub stiffness: Vec<f64>,
}

/// They, and the factors of a step.
#[derive(Debug, Clone)]
pub(super) struct Assembly {
    /// The step, s.
    h: f64,
    pub matrices: Matrices,
    /// L with L Lᵀ = A = M + h C + h² K.
    factor: Vec<f64>,
    /// The first three columns of A⁻¹, by columns: what impulses on the slab do.
    answers: Vec<f64>,
    /// S⁻¹, the first three rows of these, and S.
    pub inverse: Cube,
    pub inertia: Cube,
}

/// Adds the symmetric 3 × 3 form of a storey between two bodies, with places `from` and `to` from their mass centres.
fn connect(
    matrix: &mut [f64],
    size: usize,
    floor: usize,
    form: &Square,
    turns: f64,
    arms: [[f64; 2]; 2],
) {
    // δ = B_to q_to − B_from q_from at the point where the storey acts.
    let side = |arm: [f64; 2], sign: f64| {
        [[sign, 0.0, -sign * arm[1]], [0.0, sign, sign * arm[0]], [0.0, 0.0, sign]]
    };
    let [below, above] = [side(arms[0], -1.0), side(arms[1], 1.0)];
    let inner = [[form[0][0], form[0][1], 0.0], [form[1][0], form[1][1], 0.0], [0.0, 0.0, turns]];
    let bodies = [(3 * floor, below), (3 * (floor + 1), above)];
    for (row, left) in bodies {
        for (column, right) in bodies {
            for i in 0..3 {
                for j in 0..3 {
                    let mut sum = 0.0;
                    for (p, line) in inner.iter().enumerate() {
                        for (q, k) in line.iter().enumerate() {
                            sum += left[p][i] * k * right[q][j];
                        }
                    }
                    matrix[(row + i) * size + column + j] += sum;
                }
            }
        }
    }
}

/// What the isolators add to the matrix of the slab.
fn add_isolators(matrix: &mut [f64], size: usize, model: &Isolated, of: fn(&Isolator) -> &Square) {
    let mut own = Cube::default();
    model.isolators.iter().for_each(|i| add(&mut own, i.at, 1.0, of(i)));
    for (i, row) in own.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            matrix[i * size + j] += cell;
        }
    }
}

/// Where a storey acts, from the mass centres of the bodies below and above it.
fn arms(below: [f64; 2], floor: &Floor) -> [[f64; 2]; 2] {
    let from = |centre: [f64; 2]| [0, 1].map(|i| floor.stiffness_at[i] - centre[i]);
    [from(below), from(floor.at)]
}

impl Matrices {
    /// Those of `model`.
    pub fn new(model: &Isolated) -> Self {
        let size = 3 * (1 + model.floors.len());
        let mut mass = vec![model.mass, model.mass, model.inertia];
        let mut damping = vec![0.0; size * size];
        let mut stiffness = vec![0.0; size * size];
        add_isolators(&mut stiffness, size, model, |i| &i.stiffness);
        add_isolators(&mut damping, size, model, |i| &i.damping);
        let mut below = [0.0; 2];
        for (i, floor) in model.floors.iter().enumerate() {
            mass.extend([floor.mass, floor.mass, floor.inertia]);
            let arms = arms(below, floor);
            connect(&mut stiffness, size, i, &floor.stiffness, floor.torsion, arms);
            connect(&mut damping, size, i, &floor.damping, floor.torsion_damping, arms);
            below = floor.at;
        }
        Self { mass, damping, stiffness }
    }

    /// Places and velocities at the start: slab and floors move as one body.
    pub fn start(&self, model: &Isolated) -> (Vec<f64>, Vec<f64>) {
        let mut q = Vec::with_capacity(self.size());
        let mut v = Vec::with_capacity(self.size());
        for at in std::iter::once([0.0; 2]).chain(model.floors.iter().map(|f| f.at)) {
            let [x, y] = model.displacement;
            let turned = model.rotation;
            q.extend([x - turned * at[1], y + turned * at[0], turned]);
            let d = [model.velocity[0], model.velocity[1], model.spin];
            let [vx, vy] = super::slab::velocity(at, d);
            v.extend([vx, vy, model.spin]);
        }
        (q, v)
    }

    /// The forces on the slab but friction, N and N·m, at the places `q` and the velocities `v`.
    pub fn on_slab(&self, loads: &Loads, q: &[f64], v: &[f64]) -> Triple {
        let size = self.size();
        [0, 1, 2].map(|i| {
            let row = i * size..(i + 1) * size;
            let spring = dot(&self.stiffness[row.clone()], q);
            let damper = dot(&self.damping[row], v);
            loads.on(i, self.mass[i]) - spring - damper
        })
    }

    /// Number of coordinates.
    pub fn size(&self) -> usize {
        self.mass.len()
    }
}

impl Assembly {
    /// For steps of `h`, s.
    pub fn new(model: &Isolated, h: f64) -> Result<Self, Error> {
        let matrices = Matrices::new(model);
        let size = matrices.size();
        let Matrices { mass, damping, stiffness } = &matrices;
        let mut a: Vec<f64> =
            damping.iter().zip(stiffness).map(|(c, k)| h * c + h * h * k).collect();
        for (i, m) in mass.iter().enumerate() {
            a[i * size + i] += m;
        }
        let not_finite = Error::NotFinite { time: 0.0, step: h };
        let Some(factor) = cholesky(&a, size) else { return Err(not_finite) };
        let mut answers = vec![0.0; 3 * size];
        for (i, column) in answers.chunks_exact_mut(size).enumerate() {
            column[i] = 1.0;
            solve_lower(&factor, column);
            solve_transposed(&factor, column);
        }
        let flat: Vec<f64> = (0..9).map(|k| answers[(k % 3) * size + k / 3]).collect();
        let Some(back) = inverse(&flat, 3) else { return Err(not_finite) };
        let cube = |a: &[f64]| [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[3 * i + j]));
        let inverse = cube(&flat);
        let mut inertia = cube(&back);
        // Without floors S is A itself, to the last bit.
        if size == 3 {
            inertia = cube(&a);
        }
        Ok(Self { h, matrices, factor, answers, inverse, inertia })
    }

    /// The velocities at the end of a step to `next` (s) without friction, from the places `q` and the velocities `v`.
    pub fn free(&self, model: &Isolated, next: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let Matrices { mass, stiffness, .. } = &self.matrices;
        let size = mass.len();
        let loads = loads(model, next);
        for (i, cell) in out.iter_mut().enumerate() {
            let row = &stiffness[i * size..(i + 1) * size];
            let spring: f64 = row.iter().zip(q).map(|(k, q)| k * q).sum();
            *cell = mass[i] * v[i] + self.h * (loads.on(i, mass[i]) - spring);
        }
        solve_lower(&self.factor, out);
        solve_transposed(&self.factor, out);
    }

    /// Takes off the free velocities what friction with the impulses `taken` does; the slab ends with `d`.
    pub fn coupled(&self, free: &mut [f64], taken: Triple, d: Triple) {
        let size = self.matrices.size();
        for (i, cell) in free.iter_mut().enumerate() {
            *cell -= (0..3).map(|j| self.answers[j * size + i] * taken[j]).sum::<f64>();
        }
        free[..3].copy_from_slice(&d);
    }

    /// Whether the step's problem has one solution however the friction of `isolators`, `pressed` by h N, falls with the speed.
    pub fn is_convex(&self, isolators: &[Isolator], pressed: &[f64]) -> bool {
        let mut form = self.inertia;
        for (isolator, pressed) in isolators.iter().zip(pressed) {
            let e = isolator.ellipse.0;
            let factor = pressed * isolator.friction.weakening() * e[0].max(e[1]);
            add(&mut form, isolator.at, -factor, &[[1.0, 0.0], [0.0, 1.0]]);
        }
        cholesky(form.as_flattened(), 3).is_some()
    }
}

/// The loads on a model at one instant.
pub(super) struct Loads {
    pub slab: Triple,
    /// m/s².
    pub base: [f64; 2],
}

/// Those at `t` (s), at a jump from the left: what jumps at the end of a step belongs to the next.
pub(super) fn loads(model: &Isolated, t: f64) -> Loads {
    let [fx, fy] = [0, 1].map(|i| model.force[i].value_before(t));
    let base = [0, 1].map(|i| model.base[i].value_before(t));
    Loads { slab: [fx, fy, model.moment.value_before(t)], base }
}

impl Loads {
    /// What acts on coordinate `i`, which has this mass, N or N·m.
    pub fn on(&self, i: usize, mass: f64) -> f64 {
        let own = self.slab.get(i).copied().unwrap_or(0.0);
        own - self.base.get(i % 3).map_or(0.0, |a| mass * a)
    }
}
