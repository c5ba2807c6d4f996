//! A reader whose bytes have no secrets any more.

use super::rules::Rules;
use super::walk::{Hit, Redactor};
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

/// What a reader found, for others to look at.
pub type Hits = Rc<RefCell<Vec<Hit>>>;

/// How much is read at once.
const READ: usize = 64 * 1024;

/// Reads through a [`Redactor`]; what was found goes to a list that others read.
pub struct Reader {
    inner: Box<dyn Read>,
    redactor: Redactor,
    hits: Hits,
    ready: Vec<u8>,
    given: usize,
    ended: bool,
}

impl Reader {
    /// A reader of `inner` by `rules`; hits go to `hits`.
    pub fn new(inner: Box<dyn Read>, rules: Arc<Rules>, hits: Hits) -> Self {
        Self {
            inner,
            redactor: Redactor::new(rules),
            hits,
            ready: Vec::new(),
            given: 0,
            ended: false,
        }
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut chunk = vec![0; READ];
        while self.given == self.ready.len() {
            if self.ended {
                return Ok(0);
            }
            self.ready.clear();
            self.given = 0;
            let count = self.inner.read(&mut chunk)?;
            self.ended = count == 0;
            let mut hits = self.hits.borrow_mut();
            let (ready, ended) = (&mut self.ready, self.ended);
            self.redactor.push(&chunk[..count], ended, ready, &mut hits);
        }
        let rest = &self.ready[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}
