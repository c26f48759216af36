//! The named assemblies of the field. The mass that is driven is always called `mass`.

use super::{Network, NetworkBuilder};
use crate::model::Cascade;
use crate::signal::Signal;

impl Network {
    /// A mass on a Saint-Venant element: rigid up to ±α, then sliding.
    pub fn saint_venant(mass: f64, threshold: f64) -> NetworkBuilder {
        Self::builder().node("mass", mass).slider("s1", "mass", "ground", threshold, threshold)
    }

    /// A mass on a Prandtl element: a spring and a Saint-Venant element in series (Jenkins's element).
    pub fn prandtl(mass: f64, stiffness: f64, threshold: f64) -> NetworkBuilder {
        Self::maxwell_slip(mass, &[(stiffness, threshold)], 0.0)
    }

    /// Maxwell-slip, Iwan's parallel arrangement: Prandtl elements (k_j, α_j) side by side, and a spring
    /// `remaining` (N/m, 0 for none) beside them. Nodes `n1` …, sliders `s1` ….
    pub fn maxwell_slip(mass: f64, elements: &[(f64, f64)], remaining: f64) -> NetworkBuilder {
        let mut b = Self::builder().node("mass", mass);
        for (i, &(k, alpha)) in elements.iter().enumerate() {
            let node = format!("n{}", i + 1);
            let slider = format!("s{}", i + 1);
            b = b
                .node(&node, 0.0)
                .spring("mass", &node, k)
                .slider(slider, &node, "ground", alpha, alpha);
        }
        if remaining == 0.0 { b } else { b.spring("mass", "ground", remaining) }
    }

    /// Masing's series arrangement: cells of a spring k_j beside a Saint-Venant element α_j, one behind the
    /// other, and a spring `first` (N/m) between the mass and the first cell.
    pub fn masing(mass: f64, first: f64, cells: &[(f64, f64)]) -> NetworkBuilder {
        let mut b = Self::builder().node("mass", mass);
        let name = |i: usize| if i > cells.len() { "ground".to_owned() } else { format!("n{i}") };
        if !cells.is_empty() {
            b = b.node("n1", 0.0);
        }
        b = b.spring("mass", name(1), first);
        for (i, &(k, alpha)) in cells.iter().enumerate() {
            let from = name(i + 1);
            let to = name(i + 2);
            if to != "ground" {
                b = b.node(&to, 0.0);
            }
            b = b.spring(&from, &to, k).slider(format!("s{}", i + 1), &from, &to, alpha, alpha);
        }
        b
    }

    /// A gephyroid (bridge-like model, after Persoz): two branches from the mass to the ground, one a spring k₁ and
    /// then a slider α₁, the other a slider α₂ and then a spring k₂, and a spring k₃ that bridges their middles.
    ///
    /// This bridge is neither a series nor a parallel arrangement. Bastien, Lamarque 2007 name the model and refer for it
    /// to an article in the Archive of Applied Mechanics (doi:10.1007/s00419-007-0171-8); whether its five elements are
    /// joined as they are here is not known. A [`NetworkBuilder`] makes any other layout in five lines.
    pub fn gephyroid(mass: f64, [k1, k2, k3]: [f64; 3], [a1, a2]: [f64; 2]) -> NetworkBuilder {
        Self::builder()
            .node("mass", mass)
            .node("n1", 0.0)
            .node("n2", 0.0)
            .spring("mass", "n1", k1)
            .slider("s1", "n1", "ground", a1, a1)
            .slider("s2", "mass", "n2", a2, a2)
            .spring("n2", "ground", k2)
            .spring("n1", "n2", k3)
    }

    /// The cascade of Bastien, Lamarque 2007, as a network: nodes `n1` …, sliders `s1` …. It starts
    /// unloaded at 0: the pre-stress and the initial displacement of `cascade` are not taken over.
    pub fn cascade(cascade: &Cascade) -> NetworkBuilder {
        let n = cascade.elements();
        let name = |i: usize| match i {
            0 => "mass".to_owned(),
            i if i > n => "ground".to_owned(),
            i => format!("n{i}"),
        };
        let mut b = Self::builder().node("mass", cascade.mass);
        for i in 1..=n {
            b = b.node(name(i), 0.0);
        }
        for (i, &k) in cascade.stiffness.iter().enumerate() {
            b = b.spring(name(i), name(i + 1), k);
        }
        for (i, &a) in cascade.threshold.iter().enumerate() {
            b = b.slider(format!("s{}", i + 1), name(i + 1), "ground", a, a);
        }
        b.force("mass", cascade.force.clone()).starting_at("mass", 0.0, cascade.initial.velocity)
    }

    /// Burridge and Knopoff's spring–block chain: n blocks of mass `mass` rubbing on the ground, springs
    /// `coupling` between neighbours and `leaf` from each to a plate that moves at `velocity` (m/s). Blocks
    /// `b1` …, sliders `s1` …, and the plate `plate`.
    pub fn burridge_knopoff(
        n: usize,
        mass: f64,
        coupling: f64,
        leaf: f64,
        (breakaway, dynamic): (f64, f64),
        velocity: f64,
    ) -> NetworkBuilder {
        let mut b = Self::builder().node("plate", 0.0).motion("plate", Signal::ramp(velocity, 0.0));
        let name = |i: usize| format!("b{}", i + 1);
        for i in 0..n {
            b = b.node(name(i), mass).spring(name(i), "plate", leaf).slider(
                format!("s{}", i + 1),
                name(i),
                "ground",
                breakaway,
                dynamic,
            );
            if i > 0 {
                b = b.spring(name(i - 1), name(i), coupling);
            }
        }
        b
    }
}
