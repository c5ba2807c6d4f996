//! `$ref` replaced by what it names (`docs/bodies.md#schemas`, `docs/bodies.md#google`).
//!
//! References can name one another many times over, so what is copied is paid
//! from a budget; a reference that cannot be paid, or that leads back to itself,
//! stays where it is, and the caller is told.

use super::Map;

/// How many values may be copied into one schema.
const BUDGET: usize = 20_000;

/// Where references lead, and how much may still be copied.
pub(in crate::provider) struct Refs<'r, 'a> {
    root: &'r Map<'a>,
    left: usize,
    /// A reference was left that could not be followed.
    pub(in crate::provider) stuck: bool,
}

impl<'r, 'a> Refs<'r, 'a> {
    /// References into `root`.
    pub(in crate::provider) fn into(root: &'r Map<'a>) -> Self {
        Self {
            root,
            left: BUDGET,
            stuck: false,
        }
    }

    /// A copy of what `reference` names, if it is there and can be paid.
    pub(in crate::provider) fn resolve(&mut self, reference: &str) -> Option<Map<'a>> {
        let found = self.find(reference);
        self.stuck |= found.is_none();
        found.cloned()
    }

    fn find(&mut self, reference: &str) -> Option<&'r Map<'a>> {
        let mut at = self.root;
        let path = reference.strip_prefix('#')?;
        for step in path.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            self.left = self.left.checked_sub(at.0.len())?;
            at = at.get(&step)?.map()?;
        }
        let size = at.0.iter().map(|(_, value)| 1 + value.size()).sum();
        self.left = self.left.checked_sub(size)?;
        Some(at)
    }
}
