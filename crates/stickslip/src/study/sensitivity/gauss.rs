//! Gauss's rule along an arc, with as many nodes as its length asks for.

use crate::model::Oscillator;
use crate::motion::LinearArc;
use crate::numeric::natural_frequency;

/// Nodes and half of the weights on [−1, 1], of four, five, six and eight nodes.
const FOUR: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.173_927_422_568_726_93),
    (-0.339_981_043_584_856_26, 0.326_072_577_431_273_05),
    (0.339_981_043_584_856_26, 0.326_072_577_431_273_05),
    (0.861_136_311_594_052_6, 0.173_927_422_568_726_93),
];
const FIVE: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.118_463_442_528_094_54),
    (-0.538_469_310_105_683_1, 0.239_314_335_249_683_23),
    (0.0, 0.284_444_444_444_444_44),
    (0.538_469_310_105_683_1, 0.239_314_335_249_683_23),
    (0.906_179_845_938_664, 0.118_463_442_528_094_54),
];
const SIX: [(f64, f64); 6] = [
    (-0.932_469_514_203_152, 0.085_662_246_189_585_17),
    (-0.661_209_386_466_264_5, 0.180_380_786_524_069_3),
    (-0.238_619_186_083_196_9, 0.233_956_967_286_345_52),
    (0.238_619_186_083_196_9, 0.233_956_967_286_345_52),
    (0.661_209_386_466_264_5, 0.180_380_786_524_069_3),
    (0.932_469_514_203_152, 0.085_662_246_189_585_17),
];
const EIGHT: [(f64, f64); 8] = [
    (-0.960_289_856_497_536_3, 0.050_614_268_145_188_13),
    (-0.796_666_477_413_626_7, 0.111_190_517_226_687_24),
    (-0.525_532_409_916_329, 0.156_853_322_938_943_64),
    (-0.183_434_642_495_649_8, 0.181_341_891_689_181),
    (0.183_434_642_495_649_8, 0.181_341_891_689_181),
    (0.525_532_409_916_329, 0.156_853_322_938_943_64),
    (0.796_666_477_413_626_7, 0.111_190_517_226_687_24),
    (0.960_289_856_497_536_3, 0.050_614_268_145_188_13),
];
/// Rules with the longest arc that each serves, as an angle θ (rad): the error for e^{iωt} is θ²ⁿ⁺¹ (n!)⁴/((2n + 1) ((2n)!)³), which
/// is 2e-15 there, and 7e-16 of the last one.
const RULES: [(f64, &[(f64, f64)]); 4] =
    [(0.25, &FOUR), (0.61, &FIVE), (1.2, &SIX), (PART, &EIGHT)];
/// The longest part of an arc for one application of a rule (rad).
const PART: f64 = 2.8;

/// The parts of an arc, all of one length, and the rule on each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    from: f64,
    /// Half the length of a part, s.
    pub half: f64,
    pub count: usize,
    /// Nodes on [−1, 1], and half of their weights.
    pub nodes: &'static [(f64, f64)],
}

impl Parts {
    /// Of an arc of `o` between two times (s).
    pub fn of(o: &Oscillator, arc: &LinearArc, span: [f64; 2]) -> Self {
        let medium = arc.medium();
        let rate = natural_frequency(medium.stiffness, medium.mass) + medium.damping / medium.mass;
        Self::new(rate + fastest(o), span)
    }

    /// Of something that changes at a `rate` (rad/s).
    pub fn new(rate: f64, [from, to]: [f64; 2]) -> Self {
        let angle = (to - from) * rate;
        let count = (angle / PART).ceil().max(1.0);
        let rule = RULES.iter().find(|(most, _)| angle <= *most);
        let nodes = rule.map_or(&EIGHT[..], |(_, nodes)| nodes);
        Self { from, half: 0.5 * (to - from) / count, count: count as usize, nodes }
    }

    /// The middle of a part, s.
    pub fn middle(&self, i: usize) -> f64 {
        self.from + self.half * (2 * i + 1) as f64
    }
}

/// The fastest of what moves, rad/s.
pub(super) fn fastest(o: &Oscillator) -> f64 {
    let waves = o.drive.harmonics().iter().chain(o.force.harmonics());
    let waves = waves.chain(o.support.harmonics());
    let waves = waves.chain(o.normal.iter().flat_map(|n| n.harmonics()));
    waves.fold(0.0, |most: f64, h| most.max(h.angular_frequency.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ e^{iωt} dt over the longest arc of each rule, and over ten of the longest.
    #[test]
    fn rules_are_exact_to_rounding() {
        for angle in [0.25, 0.61, 1.2, 2.8, 28.0, 1e-3] {
            let p = Parts::new(1.0, [0.3, 0.3 + angle]);
            let sum = |of: fn(f64) -> f64| -> f64 {
                let part = |i: usize| -> f64 {
                    let node =
                        |(c, w): &(f64, f64)| 2.0 * p.half * w * of(p.middle(i) + p.half * c);
                    p.nodes.iter().map(node).sum()
                };
                (0..p.count).map(part).sum()
            };
            let end: f64 = 0.3 + angle;
            assert!((sum(f64::cos) - (end.sin() - 0.3f64.sin())).abs() < 4e-15, "{angle}");
            assert!((sum(f64::sin) + (end.cos() - 0.3f64.cos())).abs() < 4e-15, "{angle}");
        }
    }
}
