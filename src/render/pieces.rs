//! What is to be written to which stream, in order (CH-1, CH-3).

use std::ops::Range;

/// Where a unit goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Standard output: what was said.
    Speech,
    /// Standard error: how tools were used.
    Chrome,
}

/// Bytes for two streams, in the order they are to be written.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Where each piece ends, and where it goes.
    cuts: Vec<(Channel, usize)>,
}

impl Pieces {
    /// Appends to a channel.
    pub fn write(&mut self, channel: Channel, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let end = self.bytes.len();
        if end == start {
            return;
        }
        match self.cuts.last_mut() {
            Some(last) if last.0 == channel => last.1 = end,
            _ => self.cuts.push((channel, end)),
        }
    }

    /// The pieces in order; neighbours go to different channels.
    pub fn iter(&self) -> impl Iterator<Item = (Channel, &[u8])> {
        let ranges = self.cuts.iter().scan(0, |start, &(channel, end)| {
            let range: Range<usize> = *start..end;
            *start = end;
            Some((channel, range))
        });
        ranges.map(|(channel, range)| (channel, &self.bytes[range]))
    }

    /// All that goes to one channel.
    pub fn of(&self, channel: Channel) -> Vec<u8> {
        let own = self.iter().filter(|piece| piece.0 == channel);
        own.flat_map(|piece| piece.1).copied().collect()
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.cuts.clear();
    }
}
