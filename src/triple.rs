//! One value for each of the three sides of a merge.
//!
//! ```
//! use merge3::triple::{Change, Side, Triple};
//!
//! let replicas = Triple::new(2, 3, 2);
//! assert_eq!(replicas.change(), Change::Upstream);
//! assert_eq!(replicas.map(|n| n * 10).updated, 30);
//! assert_eq!(replicas[Side::Local], 2);
//! ```

use std::ops::{Index, IndexMut};

/// One value for each side of a three-way merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize)]
pub struct Triple<T> {
    /// The common ancestor (`--ancestor`).
    pub original: T,
    /// Upstream's new version of the original (`--from`).
    pub updated: T,
    /// The owner's version of the original, which is the destination (`--to`).
    pub local: T,
}

/// A side of a three-way merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The common ancestor.
    Original,
    /// Upstream's new version.
    Updated,
    /// The destination.
    Local,
}

impl Side {
    /// Each side as the value of that side.
    pub const ALL: Triple<Self> = Triple::new(Self::Original, Self::Updated, Self::Local);

    /// Returns updated for local, and local for updated and the original.
    pub(crate) const fn opposite(self) -> Self {
        match self {
            Self::Local => Self::Updated,
            Self::Original | Self::Updated => Self::Local,
        }
    }

    /// Returns the name of the side in messages and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Updated => "updated",
            Self::Local => "local",
        }
    }
}

/// Which sides changed a value of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// No side changed it.
    Neither,
    /// Only upstream changed it.
    Upstream,
    /// Only local changed it.
    Local,
    /// Both sides changed it to the same value.
    BothSame,
    /// Both sides changed it to different values: a conflict (rules: Conflicts).
    BothDiffer,
}

impl<T> Triple<T> {
    /// Returns a triple of three values.
    pub const fn new(original: T, updated: T, local: T) -> Self {
        Self {
            original,
            updated,
            local,
        }
    }

    /// Returns a triple of references.
    pub const fn as_ref(&self) -> Triple<&T> {
        Triple {
            original: &self.original,
            updated: &self.updated,
            local: &self.local,
        }
    }

    /// Applies `f` to each side.
    pub fn map<R>(self, mut f: impl FnMut(T) -> R) -> Triple<R> {
        Triple {
            original: f(self.original),
            updated: f(self.updated),
            local: f(self.local),
        }
    }

    /// Applies a fallible `f` to each side.
    ///
    /// # Errors
    /// Returns the first error of `f`.
    pub fn try_map<R, E>(self, mut f: impl FnMut(T) -> Result<R, E>) -> Result<Triple<R>, E> {
        Ok(Triple {
            original: f(self.original)?,
            updated: f(self.updated)?,
            local: f(self.local)?,
        })
    }

    /// Pairs each side with the same side of `other`.
    pub fn zip<R>(self, other: Triple<R>) -> Triple<(T, R)> {
        Triple {
            original: (self.original, other.original),
            updated: (self.updated, other.updated),
            local: (self.local, other.local),
        }
    }

    /// Returns the three values in the order original, updated, local.
    pub fn into_array(self) -> [T; 3] {
        [self.original, self.updated, self.local]
    }
}

impl<T> IntoIterator for Triple<T> {
    type Item = T;
    type IntoIter = std::array::IntoIter<T, 3>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_array().into_iter()
    }
}

impl<T> Index<Side> for Triple<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Original => &self.original,
            Side::Updated => &self.updated,
            Side::Local => &self.local,
        }
    }
}

impl<T> IndexMut<Side> for Triple<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Original => &mut self.original,
            Side::Updated => &mut self.updated,
            Side::Local => &mut self.local,
        }
    }
}

impl<T: PartialEq> Triple<T> {
    /// Returns which sides changed the value.
    pub fn change(&self) -> Change {
        self.change_by(|left, right| left == right)
    }

    /// Returns the updated value if only upstream changed it, else the local one.
    pub fn merged(self) -> T {
        match self.change() {
            Change::Upstream => self.updated,
            _ => self.local,
        }
    }
}

impl<T> Triple<T> {
    /// Returns which sides changed the value, compared with `equal`.
    pub fn change_by(&self, mut equal: impl FnMut(&T, &T) -> bool) -> Change {
        if equal(&self.original, &self.updated) {
            if equal(&self.original, &self.local) {
                Change::Neither
            } else {
                Change::Local
            }
        } else if equal(&self.original, &self.local) {
            Change::Upstream
        } else if equal(&self.updated, &self.local) {
            Change::BothSame
        } else {
            Change::BothDiffer
        }
    }
}

impl<T> Triple<Option<T>> {
    /// Returns the values if all sides have one.
    pub fn transpose(self) -> Option<Triple<T>> {
        Some(Triple::new(self.original?, self.updated?, self.local?))
    }

    /// Whether no side has a value.
    pub const fn is_empty(&self) -> bool {
        self.original.is_none() && self.updated.is_none() && self.local.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change() {
        assert_eq!(Triple::new(1, 1, 1).change(), Change::Neither);
        assert_eq!(Triple::new(1, 2, 1).change(), Change::Upstream);
        assert_eq!(Triple::new(1, 1, 2).change(), Change::Local);
        assert_eq!(Triple::new(1, 2, 2).change(), Change::BothSame);
        assert_eq!(Triple::new(1, 2, 3).change(), Change::BothDiffer);
    }
}
