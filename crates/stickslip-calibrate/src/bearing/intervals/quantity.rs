//! What is estimated: each quantity as a function of a path and its line, with its gradient.

use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Prepared;

/// Value and gradient in (c, a, b) at a point.
type Function = Box<dyn Fn(&Point, &Linear) -> (f64, [f64; 3]) + Sync>;

/// One quantity.
pub struct Quantity {
    /// Its name in the result.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its value and gradient in (c, a, b).
    pub of: Function,
}

/// β = a + b.
fn beta(l: &Linear) -> f64 {
    l.on_path + l.on_drive
}

/// κ = b/(a + b).
fn kappa(l: &Linear) -> (f64, [f64; 3]) {
    let square = beta(l) * beta(l);
    (l.on_drive / beta(l), [0.0, -l.on_drive / square, l.on_path / square])
}

/// ρ.
fn breakaway(p: &Point) -> f64 {
    p.sliding + 0.5 * p.delta
}

/// ρ_d = ρ − δ/2.
fn sliding(p: &Point) -> f64 {
    p.sliding
}

/// All quantities, in the order in which they are reported; the forces and K only where K_BP is given.
pub fn quantities(prepared: &Prepared, bearing: Option<f64>) -> Vec<Quantity> {
    let t = prepared.drive_centre;
    let z = prepared.response_centre;
    let mut all: Vec<Quantity> = Vec::new();
    let mut add = |name, unit, of: Function| all.push(Quantity { name, unit, of });
    add("z0", "m", Box::new(move |_, l| (l.constant + l.opening + z - beta(l) * t, [1.0, -t, -t])));
    add("beta", "m/K", Box::new(|_, l| (beta(l), [0.0, 1.0, 1.0])));
    add("kappa", "1", Box::new(|_, l| kappa(l)));
    add("rho", "K", Box::new(|p, _| (breakaway(p), [0.0; 3])));
    add("delta", "K", Box::new(|p, _| (p.delta, [0.0; 3])));
    // f_s/K = ρβ and f_d/K = (ρ − δ/2)β, positive for β < 0 too.
    for (name, lead) in [("f_s_over_K", breakaway as fn(&Point) -> f64), ("f_d_over_K", sliding)] {
        add(
            name,
            "m",
            Box::new(move |p, l| {
                let slope = lead(p).copysign(beta(l));
                (slope * beta(l), [0.0, slope, slope])
            }),
        );
    }
    let Some(bearing) = bearing else { return all };
    add(
        "K",
        "N/m",
        Box::new(move |_, l| {
            let (value, gradient) = kappa(l);
            (value * bearing, gradient.map(|g| g * bearing))
        }),
    );
    // f = (f/K)·κ K_BP = lead · |β| · (b/β) · K_BP.
    for (name, lead) in [("f_d", sliding as fn(&Point) -> f64), ("f_s", breakaway)] {
        add(
            name,
            "N",
            Box::new(move |p, l| {
                let slope = (lead(p) * bearing).copysign(beta(l));
                (slope * l.on_drive, [0.0, 0.0, slope])
            }),
        );
    }
    all
}
