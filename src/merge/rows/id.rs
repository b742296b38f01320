//! What the pieces of rows are compared by.

/// What pieces are compared by. A comment is compared by its text and, where the original lacks the
/// entry below it, by that entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Comment { text: u32, owner: Option<u32> },
    Entry(u32),
    End,
}

/// An [`Id`] in 8 bytes: there are several for each line. The first number is that of the text or
/// of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StoredId(u32, u32);

impl StoredId {
    /// The second number of a comment is that of its owner, or one of these.
    const NO_OWNER: u32 = u32::MAX;
    const ENTRY: u32 = u32::MAX - 1;
    const END: u32 = u32::MAX - 2;

    pub(super) fn id(self) -> Id {
        match self {
            Self(entry, Self::ENTRY) => Id::Entry(entry),
            Self(_, Self::END) => Id::End,
            Self(text, owner) => Id::Comment {
                text,
                owner: Some(owner).filter(|owner| *owner != Self::NO_OWNER),
            },
        }
    }
}

impl From<Id> for StoredId {
    fn from(id: Id) -> Self {
        match id {
            Id::Comment { text, owner } => Self(text, owner.unwrap_or(Self::NO_OWNER)),
            Id::Entry(entry) => Self(entry, Self::ENTRY),
            Id::End => Self(0, Self::END),
        }
    }
}
