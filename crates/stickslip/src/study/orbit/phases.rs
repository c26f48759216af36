//! The order of phases of a periodic motion.

use crate::motion::Phase;

/// The phases of one contact: phase, start and end, s.
pub(super) type Phases = Vec<(Phase, f64, f64)>;

/// The phases of each of so many contacts, from the signs of their velocities in one piece of a motion after the other.
pub(super) fn joined<'a>(
    contacts: usize,
    pieces: impl Iterator<Item = (&'a [i8], f64, f64)>,
) -> Vec<Phases> {
    let mut all: Vec<Phases> = vec![Vec::new(); contacts];
    for (signs, start, end) in pieces {
        for (phases, sign) in all.iter_mut().zip(signs) {
            let phase = Phase::of_sign(*sign);
            match phases.last_mut() {
                Some(last) if last.0 == phase => last.2 = end,
                _ => phases.push((phase, start, end)),
            }
        }
    }
    all
}

/// The first of all cyclic shifts in the order of words, ends that are alike joined.
pub(super) fn cyclic<T: Ord + Copy>(mut codes: Vec<T>) -> Vec<T> {
    while codes.len() > 1 && codes.first() == codes.last() {
        codes.pop();
    }
    let n = codes.len();
    let shifted = |k: usize| codes.iter().cycle().skip(k).take(n);
    let first = (0..n).min_by(|&a, &b| shifted(a).cmp(shifted(b))).unwrap_or(0);
    shifted(first).copied().collect()
}

/// Uninterrupted sticks of a periodic motion, one that goes on over its end counted once: their number and length, s.
pub(super) fn sticks(phases: &Phases) -> (usize, f64) {
    let rests = phases.iter().filter(|p| p.0 == Phase::Stick && p.2 > p.1);
    let mut count = 0;
    let mut time = 0.0;
    for p in rests {
        (count, time) = (count + 1, time + p.2 - p.1);
    }
    let ends = phases.first().zip(phases.last());
    let wraps =
        ends.is_some_and(|(a, b)| phases.len() > 1 && a.0 == Phase::Stick && b.0 == Phase::Stick);
    (count - usize::from(wraps), time)
}

#[cfg(test)]
mod tests {
    use super::cyclic;

    #[test]
    fn shifts_of_a_pattern_are_the_same() {
        assert_eq!(cyclic(vec![1, 0, -1, 0]), cyclic(vec![-1, 0, 1, 0]));
        assert_eq!(cyclic(vec![0, 1, 0, -1, 0]), vec![-1, 0, 1, 0]);
        assert_eq!(cyclic(vec![0]), vec![0]);
        assert!(cyclic(vec![1, -1]) != cyclic(vec![1, 0, -1]));
    }
}
