//! Orders of elimination for sparse symmetric systems.

/// Who is beside whom: the neighbours of each unknown.
struct Graph {
    start: Vec<usize>,
    around: Vec<usize>,
}

impl Graph {
    fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        // A diagonal entry makes no neighbours.
        let off = || pairs.iter().filter(|p| p.0 != p.1);
        let mut start = vec![0; n + 1];
        off().for_each(|&(i, j)| {
            // Each count stands one place later than its node: the running sums are then where the lists start.
            start[i + 1] += 1;
            start[j + 1] += 1;
        });
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut around = vec![0; start[n]];
        off().for_each(|&(i, j)| {
            around[next[i]] = j;
            around[next[j]] = i;
            next[i] += 1;
            next[j] += 1;
        });
        Self { start, around }
    }

    fn of(&self, i: usize) -> &[usize] {
        &self.around[self.start[i]..self.start[i + 1]]
    }
}

/// The places of `pairs` sorted by their first and then their second numbers, all below `n`; equal pairs keep their order.
pub(super) fn sorted(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let all: Vec<usize> = (0..pairs.len()).collect();
    // By the second number first: the stable sort by the first keeps that order among equals.
    by_number(n, &by_number(n, &all, |p| pairs[p].1), |p| pairs[p].0)
}

/// Sorts `places` by a number below `n` of each; equal ones keep their order.
fn by_number(n: usize, places: &[usize], number: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut start = vec![0; n + 1];
    places.iter().for_each(|p| start[number(*p) + 1] += 1);
    for i in 0..n {
        start[i + 1] += start[i];
    }
    let mut sorted = vec![0; places.len()];
    for &p in places {
        let next = &mut start[number(p)];
        sorted[*next] = p;
        *next += 1;
    }
    sorted
}

/// Breadth-first from a far node of each component, nodes of small degree first; reversed. Keeps a chain
/// a chain and a narrow grid a band.
pub(crate) fn cuthill_mckee(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let graph = Graph::new(n, pairs);
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let search = |root: usize, seen: &mut [bool], order: &mut Vec<usize>| {
        let first = order.len();
        order.push(root);
        seen[root] = true;
        let mut head = first;
        while head < order.len() {
            let i = order[head];
            head += 1;
            let from = order.len();
            for &j in graph.of(i) {
                if !seen[j] {
                    seen[j] = true;
                    order.push(j);
                }
            }
            if order.len() > from + 1 {
                order[from..].sort_unstable_by_key(|&j| graph.of(j).len());
            }
        }
        first
    };
    for i in 0..n {
        if !seen[i] {
            let first = search(i, &mut seen, &mut order);
            // The node reached last is at an end of the component, and a search that starts at an end has
            // narrow levels, which make a narrow band.
            let far = order[order.len() - 1];
            order[first..].iter().for_each(|&j| seen[j] = false);
            order.truncate(first);
            search(far, &mut seen, &mut order);
        }
    }
    // Reversed, the band is as wide and L never has more entries (Liu and Sherman 1976).
    order.reverse();
    order
}

/// Approximate minimum degree: P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17
/// (1996) 886. The unknown with the fewest neighbours goes first; its neighbours, joined to each other
/// by its elimination, are kept as one *element* instead of as many pairs. Each pair stands in `pairs` once.
///
/// The crate `amd` orders faster but fills grids more, and a network is ordered once and factored in many steps. Entries
/// of L below the diagonal, here and there: grid 60 × 60 53 880 and 56 165, grid 250 × 250 1 748 925 and 1 812 255, random
/// graph of 2000 nodes 128 944 and 128 724; chains and rows of blocks the same.
pub(crate) fn minimum_degree(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut quotient = Quotient::new(n, pairs);
    let mut order = Vec::with_capacity(n);
    while order.len() < n {
        let pivot = quotient.buckets.smallest();
        quotient.eliminate(pivot, &mut order);
    }
    order
}

/// The graph of what is left to eliminate.
struct Quotient {
    /// Neighbours of each variable by pairs that no element has taken over.
    variables: Vec<Vec<usize>>,
    /// The elements each variable belongs to; an element has the name of its pivot.
    elements: Vec<Vec<usize>>,
    /// The variables of each element.
    members: Vec<Vec<usize>>,
    /// Variables with the same neighbours are one: which, and how many; 0 for one that is gone.
    merged: Vec<Vec<usize>>,
    size: Vec<usize>,
    degree: Vec<usize>,
    /// |L_e \ L_p| for the pivot p that `stamp` numbers.
    outside: Vec<usize>,
    stamp: Vec<usize>,
    /// In L_p, likewise.
    mark: Vec<usize>,
    step: usize,
    left: usize,
    buckets: Buckets,
}

impl Quotient {
    fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let graph = Graph::new(n, pairs);
        let variables: Vec<Vec<usize>> = (0..n).map(|i| graph.of(i).to_vec()).collect();
        let degree: Vec<usize> = variables.iter().map(Vec::len).collect();
        let mut buckets = Buckets::new(n);
        // The one put in last stands first in its bucket: in reverse, equal degrees go by their numbers.
        (0..n).rev().for_each(|i| buckets.insert(i, degree[i]));
        Self {
            variables,
            elements: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            merged: (0..n).map(|i| vec![i]).collect(),
            size: vec![1; n],
            degree,
            outside: vec![0; n],
            stamp: vec![0; n],
            mark: vec![0; n],
            step: 0,
            left: n,
            buckets,
        }
    }

    /// Eliminates variable `p`: it and what goes with it at no fill come next in the order.
    fn eliminate(&mut self, p: usize, order: &mut Vec<usize>) {
        self.step += 1;
        self.buckets.remove(p, self.degree[p]);
        self.finish(p, order);
        self.mark[p] = self.step;

        let mut around = self.neighbours(p);
        // Their degrees change below, and a variable is found in its bucket only by the degree it was put in
        // with.
        around.iter().for_each(|&i| self.buckets.remove(i, self.degree[i]));
        self.weigh_outside(&around);
        for &i in &around {
            self.join(i, p);
        }
        // Nothing outside L_p: it can go with p, at no fill.
        around.retain(|&i| {
            let alone = self.variables[i].is_empty() && self.elements[i].len() == 1;
            if alone {
                self.finish(i, order);
            }
            !alone
        });
        self.merge(&mut around);
        let total = self.weight(&around);
        for &i in &around {
            let size = self.size[i];
            // The approximate degree of the paper: what `join` bounded outside L_p, and L_p itself; never more
            // than what is left.
            self.degree[i] = (self.degree[i] + total - size).min(self.left - size);
            self.buckets.insert(i, self.degree[i]);
        }
        self.members[p] = around;
    }

    /// L_p: the neighbours of `p` and those of its elements, which it takes over; each is marked.
    fn neighbours(&mut self, p: usize) -> Vec<usize> {
        let mut around = Vec::new();
        let mark = &mut self.mark;
        let size = &self.size;
        let step = self.step;
        let mut take = |list: Vec<usize>| {
            for i in list {
                if size[i] > 0 && mark[i] != step {
                    mark[i] = step;
                    around.push(i);
                }
            }
        };
        take(std::mem::take(&mut self.variables[p]));
        // These elements lie wholly in the new one: an empty list marks an element that is gone.
        for e in std::mem::take(&mut self.elements[p]) {
            take(std::mem::take(&mut self.members[e]));
        }
        around
    }

    /// How many variables a list stands for.
    fn weight(&self, list: &[usize]) -> usize {
        list.iter().map(|&i| self.size[i]).sum()
    }

    /// |L_e \ L_p| for the elements e of the variables `around` p.
    fn weigh_outside(&mut self, around: &[usize]) {
        for &i in around {
            self.elements[i].retain(|&e| !self.members[e].is_empty());
            // The first variable that names e brings |L_e|; each variable of L_p then takes itself out of it.
            for &e in &self.elements[i] {
                if self.stamp[e] != self.step {
                    self.stamp[e] = self.step;
                    self.outside[e] = self.members[e].iter().map(|&i| self.size[i]).sum();
                }
                self.outside[e] -= self.size[i];
            }
        }
    }

    /// Variable `i` of L_p joins the element `p`: a bound on what it has outside.
    fn join(&mut self, i: usize, p: usize) {
        // An element that lies inside L_p says nothing new.
        let outside = &self.outside;
        let members = &mut self.members;
        self.elements[i].retain(|&e| {
            let keep = outside[e] > 0;
            if !keep {
                members[e].clear();
            }
            keep
        });
        let mark = &self.mark;
        let size = &self.size;
        let step = self.step;
        // A pair inside L_p is told by the element p from now on.
        self.variables[i].retain(|&j| mark[j] != step && size[j] > 0);
        // Neighbours outside L_p, those that elements share counted more than once.
        let beyond: usize = self.elements[i].iter().map(|&e| self.outside[e]).sum();
        let bound = self.weight(&self.variables[i]) + beyond;
        self.degree[i] = bound.min(self.degree[i]);
        self.elements[i].push(p);
    }

    /// Variable `i`, with those that are one with it, goes into the order.
    fn finish(&mut self, i: usize, order: &mut Vec<usize>) {
        self.left -= self.size[i];
        self.size[i] = 0;
        order.append(&mut self.merged[i]);
    }

    /// Makes one of the variables of `around` that have the same neighbours.
    fn merge(&mut self, around: &mut Vec<usize>) {
        for &i in around.iter() {
            self.variables[i].sort_unstable();
            self.elements[i].sort_unstable();
        }
        let mut sorted = around.clone();
        let key = |q: &Self, i: usize| (q.elements[i].len(), q.variables[i].len(), q.sum(i), i);
        sorted.sort_unstable_by_key(|&i| key(self, i));
        // Equal lists have equal keys and stand next to each other. Another list with the same key may stand
        // between two of them, and that merge is then missed: the order may fill a little more, no result is
        // wrong.
        for k in 1..sorted.len() {
            let i = sorted[k - 1];
            let j = sorted[k];
            let same =
                self.elements[i] == self.elements[j] && self.variables[i] == self.variables[j];
            if same {
                // The later one lives on, for the next to compare with.
                self.size[j] += self.size[i];
                self.size[i] = 0;
                let mut both = std::mem::take(&mut self.merged[i]);
                both.append(&mut self.merged[j]);
                self.merged[j] = both;
            }
        }
        around.retain(|&i| self.size[i] > 0);
    }

    /// A number that variables with the same neighbours have in common.
    fn sum(&self, i: usize) -> usize {
        self.elements[i].iter().chain(&self.variables[i]).sum()
    }
}

/// Variables by degree, doubly linked.
struct Buckets {
    first: Vec<usize>,
    next: Vec<usize>,
    before: Vec<usize>,
    lowest: usize,
}

const NONE: usize = usize::MAX;

impl Buckets {
    fn new(n: usize) -> Self {
        Self { first: vec![NONE; n], next: vec![NONE; n], before: vec![NONE; n], lowest: 0 }
    }

    fn insert(&mut self, i: usize, degree: usize) {
        let old = self.first[degree];
        (self.next[i], self.before[i]) = (old, NONE);
        if old != NONE {
            self.before[old] = i;
        }
        self.first[degree] = i;
        self.lowest = self.lowest.min(degree);
    }

    fn remove(&mut self, i: usize, degree: usize) {
        let before = self.before[i];
        let next = self.next[i];
        match before {
            NONE => self.first[degree] = next,
            b => self.next[b] = next,
        }
        if next != NONE {
            self.before[next] = before;
        }
    }

    /// One of the smallest degree; there must be one.
    fn smallest(&mut self) -> usize {
        // `insert` lowers this bound and `remove` leaves it, so that no bucket below it holds anything.
        while self.first[self.lowest] == NONE {
            self.lowest += 1;
        }
        self.first[self.lowest]
    }
}

/// The elimination tree and the number of entries in each column of L below the diagonal.
#[derive(Default)]
pub(super) struct Tree {
    pub parent: Vec<usize>,
    pub count: Vec<usize>,
}

/// The tree of a matrix whose rows, left of the diagonal, are `row(k)`; none if L has more than `most`
/// entries.
pub(super) fn tree<'a>(
    n: usize,
    row: impl Fn(usize) -> &'a [usize],
    most: usize,
) -> Option<(Tree, usize)> {
    let mut parent = vec![NONE; n];
    let mut count = vec![0; n];
    let mut flag = vec![NONE; n];
    let mut fill = 0;
    for k in 0..n {
        flag[k] = k;
        // Row k of L has the columns on the paths of the tree from the entries of the matrix up to k; each path
        // is walked until it meets one that was walked before.
        for &i in row(k) {
            let mut i = i;
            while flag[i] != k {
                if parent[i] == NONE {
                    parent[i] = k;
                }
                count[i] += 1;
                fill += 1;
                flag[i] = k;
                i = parent[i];
            }
        }
        // The caller compares two orders: this one has lost to the other.
        if fill > most {
            return None;
        }
    }
    Some((Tree { parent, count }, fill))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of L below the diagonal in this order.
    fn fill(order: &[usize], pairs: &[(usize, usize)]) -> usize {
        let n = order.len();
        let mut rank = vec![usize::MAX; n];
        order.iter().enumerate().for_each(|(k, &i)| rank[i] = k);
        assert!(rank.iter().all(|r| *r < n), "an order has each unknown once");
        let mut rows = vec![Vec::new(); n];
        for &(i, j) in pairs.iter().filter(|p| p.0 != p.1) {
            rows[rank[i].max(rank[j])].push(rank[i].min(rank[j]));
        }
        tree(n, |k| &rows[k], usize::MAX).unwrap().1
    }

    fn grid(side: usize) -> Vec<(usize, usize)> {
        let across = (0..side * side).filter(|k| k % side > 0).map(|k| (k - 1, k));
        across.chain((side..side * side).map(|k| (k - side, k))).collect()
    }

    /// A tree can be eliminated without fill, a cycle with one new pair for each unknown but three.
    #[test]
    fn minimum_degree_fills_no_tree() {
        for n in [1, 2, 3, 10, 500] {
            let tree: Vec<_> = (1..n).map(|i| (i * i % 7 * i % i, i)).collect();
            assert_eq!(fill(&minimum_degree(n, &tree), &tree), n - 1);
            let chain: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
            assert_eq!(fill(&cuthill_mckee(n, &chain), &chain), n - 1);
            if n > 2 {
                let cycle: Vec<_> = (0..n).map(|i| (i, (i + 1) % n)).collect();
                assert_eq!(fill(&minimum_degree(n, &cycle), &cycle), 2 * n - 3);
            }
        }
        let none = minimum_degree(4, &[(2, 2)]);
        assert_eq!(fill(&none, &[]), 0);
    }

    /// On a square grid a band holds n³ entries, and nested dissection 31/4 n² log₂ n (A. George, SIAM J.
    /// Numer. Anal. 10 (1973) 345): minimum degree is to stay below that.
    #[test]
    fn minimum_degree_beats_the_band_on_grids() {
        for side in [20usize, 50] {
            let pairs = grid(side);
            let n = side * side;
            let dissection = 7.75 * n as f64 * (side as f64).log2();
            assert!((fill(&minimum_degree(n, &pairs), &pairs) as f64) < dissection);
        }
    }

    fn numbers(mut seed: u64) -> impl FnMut() -> usize {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize
        }
    }

    /// As E. Cuthill and J. McKee (Proc. 24th Nat. Conf. ACM, 1969, 157) number the nodes: each node is followed by its
    /// neighbours that have no number yet, those of small degree first.
    #[test]
    fn neighbours_of_small_degree_come_first() {
        let mut next = numbers(11);
        for n in [2, 7, 40, 200] {
            // A tree, so that all is one piece, and some pairs more.
            let mut pairs: Vec<_> = (1..n).map(|i| (next() % i, i)).collect();
            pairs.extend((0..n / 4).map(|_| (next() % n, next() % n)).filter(|p| p.0 != p.1));
            pairs.iter_mut().for_each(|p| *p = (p.0.min(p.1), p.0.max(p.1)));
            pairs.sort_unstable();
            pairs.dedup();
            let beside = |i: usize| {
                let other = |p: &(usize, usize)| {
                    if p.0 == i { Some(p.1) } else { (p.1 == i).then_some(p.0) }
                };
                pairs.iter().filter_map(other).collect::<Vec<_>>()
            };
            let mut order = cuthill_mckee(n, &pairs);
            order.reverse();
            let mut numbered = 1;
            for (k, &i) in order.iter().enumerate() {
                let known = &order[..numbered];
                let mut new: Vec<usize> =
                    beside(i).into_iter().filter(|j| !known.contains(j)).collect();
                let follow = &order[numbered..numbered + new.len()];
                assert!(
                    k < numbered && follow.is_sorted_by_key(|&j| beside(j).len()),
                    "{n}: {follow:?}"
                );
                let mut follow = follow.to_vec();
                follow.sort_unstable();
                new.sort_unstable();
                assert_eq!(follow, new);
                numbered += new.len();
            }
        }
    }

    #[test]
    fn random_graphs_and_cliques() {
        let mut next = numbers(3);
        for n in [2, 5, 30, 200] {
            for edges in [n / 2, 2 * n, 6 * n] {
                let mut pairs: Vec<_> = (0..edges)
                    .map(|_| (next() % n, next() % n))
                    .map(|(i, j)| (i.min(j), i.max(j)))
                    .collect();
                pairs.sort_unstable();
                pairs.dedup();
                let as_it_is: Vec<usize> = (0..n).collect();
                let least = pairs.iter().filter(|p| p.0 != p.1).count();
                let filled = fill(&minimum_degree(n, &pairs), &pairs);
                assert!(least <= filled && filled <= fill(&as_it_is, &pairs).max(least), "{n}");
            }
            let clique: Vec<_> = (0..n).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
            assert_eq!(fill(&minimum_degree(n, &clique), &clique), n * (n - 1) / 2);
        }
    }
}
