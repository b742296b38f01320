//! A map whose keys are numbers that are close together.

use std::ops::Range;

/// A map from numbers of one range to numbers. It has an element for each line of a text, and takes
/// far less memory than a hash table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NumberMap {
    first: u32,
    values: Vec<u32>,
}

impl NumberMap {
    const NONE: u32 = u32::MAX;

    /// An empty map for keys in a range.
    pub(crate) fn over(keys: Range<u32>) -> Self {
        Self {
            first: keys.start,
            values: vec![Self::NONE; keys.len()],
        }
    }

    /// A map of these keys and values.
    pub(crate) fn of(entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut map = Self::over_all(entries.clone().map(|(key, _)| key));
        entries.for_each(|(key, value)| map.insert(key, value));
        map
    }

    /// An empty map for the range from the least to the greatest of these keys.
    pub(crate) fn over_all(keys: impl Iterator<Item = u32> + Clone) -> Self {
        match (keys.clone().min(), keys.max()) {
            (Some(first), Some(last)) => Self::over(first..last.saturating_add(1)),
            _ => Self::default(),
        }
    }

    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let at = key.checked_sub(self.first)?;
        let value = self.values.get(at as usize).copied();
        value.filter(|value| *value != Self::NONE)
    }

    pub(crate) fn has(&self, key: u32) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key. A key outside the range is ignored.
    pub(crate) fn insert(&mut self, key: u32, value: u32) {
        let at = key.checked_sub(self.first);
        if let Some(known) = at.and_then(|at| self.values.get_mut(at as usize)) {
            *known = value;
        }
    }
}
