//! A rigid slab in a plane: velocities of its places, and what forces there do to it.

/// (ẋ, ẏ, θ̇) of the slab, or the forces and the moment on it.
pub(super) type Triple = [f64; 3];

/// A symmetric matrix of three rows.
pub(super) type Cube = [[f64; 3]; 3];

/// The velocity of the place `at` of a slab that moves with `d`.
#[inline]
pub(super) fn velocity(at: [f64; 2], d: Triple) -> [f64; 2] {
    [d[0] - d[2] * at[1], d[1] + d[2] * at[0]]
}

/// What a force at the place `at` does to the slab.
#[inline]
pub(super) fn lever(at: [f64; 2], force: [f64; 2]) -> Triple {
    [force[0], force[1], at[0] * force[1] - at[1] * force[0]]
}

/// The motion that turns about the place `at` at 1 rad/s.
#[inline]
pub(super) fn turn(at: [f64; 2]) -> Triple {
    [at[1], -at[0], 1.0]
}

#[inline]
pub(super) fn dot(a: Triple, b: Triple) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn times(a: &Cube, u: Triple) -> Triple {
    [dot(a[0], u), dot(a[1], u), dot(a[2], u)]
}

/// Adds `factor` Bᵀ `inner` B, with B the velocity of the place `at` by the motion of the slab.
#[inline]
pub(super) fn add(to: &mut Cube, at: [f64; 2], factor: f64, inner: &[[f64; 2]; 2]) {
    let b = [[1.0, 0.0, -at[1]], [0.0, 1.0, at[0]]];
    for (i, row) in to.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (p, line) in inner.iter().enumerate() {
                sum += b[p][i] * (line[0] * b[0][j] + line[1] * b[1][j]);
            }
            *cell += factor * sum;
        }
    }
}

/// The solution of A u = `right`; `None` where A is singular.
pub(super) fn solved(a: &Cube, right: Triple) -> Option<Triple> {
    let mut matrix = [0.0; 9];
    matrix.copy_from_slice(a.as_flattened());
    let mut u = right;
    crate::numeric::eliminate(&mut matrix, &mut u).then_some(u)
}
