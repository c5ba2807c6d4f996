//! The chain of thinking blocks: whether one list ends another.
//!
//! Each block records the blocks before it when it was made. Later they must be
//! an end of that list: blocks may go from the front, from the end, or all; a gap
//! fails those behind it, and so does one put back (`docs/prefix.md#binding`).
//! Sums over the lists answer each question at once.

use std::rc::Rc;

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A list of signatures and the sums over its beginnings.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    pub(super) list: Vec<u64>,
    sums: Vec<u64>,
    powers: Vec<u64>,
}

impl Chain {
    pub(super) fn push(&mut self, signature: u64) {
        let sum = self.sums.last().copied().unwrap_or(0);
        let power = self.powers.last().copied().unwrap_or(1);
        self.list.push(signature);
        self.sums
            .push(sum.wrapping_mul(BASE).wrapping_add(signature | 1));
        self.powers.push(power.wrapping_mul(BASE));
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    fn sum(&self, from: usize, to: usize) -> u64 {
        let at = |index: usize| match index {
            0 => 0,
            _ => self.sums[index - 1],
        };
        match to - from {
            0 => 0,
            count => at(to).wrapping_sub(at(from).wrapping_mul(self.powers[count - 1])),
        }
    }
}

/// What stood before a block when it was made: the beginning of a chain.
#[derive(Debug, Clone)]
pub(super) struct Before {
    pub(super) chain: Rc<Chain>,
    pub(super) length: usize,
}

impl Before {
    /// Whether all of `now` is an end of what stood before.
    pub(super) fn ends_with(&self, now: &Chain) -> bool {
        let count = now.len();
        count <= self.length
            && self.chain.sum(self.length - count, self.length) == now.sum(0, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(list: &[u64]) -> Chain {
        let mut chain = Chain::default();
        list.iter().for_each(|one| chain.push(one * 977));
        chain
    }

    #[test]
    fn an_end_of_the_list_is_told_from_a_gap() {
        let before = |list, length| Before {
            chain: Rc::new(chain(list)),
            length,
        };
        let whole: &[u64] = &[1, 2, 3, 4];
        for (length, now, expected) in [
            (4, &[1, 2, 3, 4][..], true),
            (4, &[3, 4], true),
            (4, &[], true),
            (3, &[2, 3], true),
            (4, &[1, 2, 4], false),
            (4, &[1, 2, 3], false),
            (2, &[2, 1], false),
            (2, &[1, 2, 3], false),
            (0, &[], true),
        ] {
            let found = before(whole, length).ends_with(&chain(now));
            assert_eq!(found, expected, "{length} {now:?}");
        }
    }
}
