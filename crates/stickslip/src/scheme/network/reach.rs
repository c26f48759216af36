//! Long lists of links in pieces.

use crate::onestep::pieces;
use std::ops::Range;

/// Of each block of places in one list the entries of another list that touch it, from the first to the last.
///
/// Who writes a piece of the places goes through these entries only, in their order, and leaves to the other pieces what
/// falls outside. So every place is written by one core alone, with the operations and the bits of a single loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Empty where the places are one piece, or the pieces would go through much more than all entries.
    blocks: Vec<Range<usize>>,
    entries: usize,
}

/// Places in a block: few beside those of a piece.
const BLOCK: usize = 1 << 10;

impl Reach {
    /// Of a list of `places`, 8 bytes each, and the places that each entry of another list touches; there may be fewer
    /// than two, then others are beyond the end of the list.
    pub fn new(places: usize, touched: impl ExactSizeIterator<Item = [usize; 2]>) -> Self {
        let entries = touched.len();
        let count = |reach: &Self| pieces(0, 0..places, &|_, p| reach.of(&p).len(), &|a, b| a + b);
        let one_piece = pieces(0, 0..places, &|_, _| 1, &|a, b| a + b) == 1;
        if one_piece || entries == 0 {
            return Self { blocks: Vec::new(), entries };
        }
        let mut blocks = vec![entries..0; places.div_ceil(BLOCK)];
        for (e, ends) in touched.enumerate() {
            for i in ends {
                if let Some(block) = blocks.get_mut(i / BLOCK) {
                    *block = block.start.min(e)..e + 1;
                }
            }
        }
        let mut reach = Self { blocks, entries };
        // Links in no order would be gone through by every piece: one loop is then as quick, and needs no bookkeeping.
        if count(&reach) > entries + entries / 4 {
            reach.blocks.clear();
        }
        reach
    }

    /// The entries that a `piece` of the places needs.
    #[inline(always)]
    pub fn of(&self, piece: &Range<usize>) -> Range<usize> {
        if self.blocks.is_empty() { 0..self.entries } else { self.look(piece) }
    }

    fn look(&self, piece: &Range<usize>) -> Range<usize> {
        let blocks = &self.blocks[piece.start / BLOCK..piece.end.div_ceil(BLOCK)];
        let from = blocks.iter().map(|b| b.start).min().unwrap_or(0);
        let to = blocks.iter().map(|b| b.end).max().unwrap_or(0);
        from.min(to)..to
    }

    /// Whether pieces of the places need little more than their share of the entries.
    pub(crate) fn is_local(&self) -> bool {
        self.entries == 0 || !self.blocks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums at both ends of links, in pieces: those of a chain, and of links in no order, which are not cut.
    #[test]
    fn pieces_meet_every_end_in_the_order_of_the_list() {
        let n = 200_000;
        for stride in [1, 7919] {
            let links: Vec<[usize; 2]> =
                (0..n - 1).map(|i| [i * stride % n, (i + 1) * stride % n]).collect();
            let reach = Reach::new(n, links.iter().copied());
            assert_eq!(reach.is_local(), stride == 1);
            let mut met = vec![Vec::new(); n];
            for piece in [0..70_000, 70_000..70_001, 70_001..n] {
                for e in reach.of(&piece) {
                    links[e].iter().filter(|i| piece.contains(i)).for_each(|i| met[*i].push(e));
                }
            }
            for (e, ends) in links.iter().enumerate() {
                assert!(ends.iter().all(|i| met[*i].contains(&e)));
            }
            assert!(met.iter().all(|m| m.is_sorted()));
        }
    }

    #[test]
    fn a_node_with_all_links_or_few_nodes_are_one_piece() {
        let all = Reach::new(100_000, (0..100_000).map(|i| [0, i]));
        assert!(!all.is_local() && all.of(&(0..10)) == (0..100_000));
        assert_eq!(Reach::new(5, [[0, 1], [1, 2]].into_iter()).of(&(0..5)), 0..2);
        assert!(Reach::new(100_000, [].into_iter()).is_local());
    }
}
