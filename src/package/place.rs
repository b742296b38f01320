//! Where in a file a document goes that comes from upstream (SPEC 7, as in section 6).

/// What a file has to do with the one that documents come from.
pub(crate) struct Neighbours {
    /// For each document of upstream's file, the one of the local file that it pairs with and that stays there.
    pub(crate) local_of: Vec<Option<usize>>,
    /// For each document of the local file, whether it is the local side's own.
    pub(crate) own: Vec<Own>,
}

/// Whose a document of the local file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// Only the local side has it.
    Yes,
    /// Upstream has it too, or had it.
    No,
    /// It is no document: comments, blank lines.
    Nothing,
}

impl Neighbours {
    /// The index in the local file before which upstream's document goes: after the nearest one before it that the local
    /// file has, and the local side's own that follow that; else before the nearest after it; else at the end.
    ///
    /// Documents that come keep upstream's order where they go to one place.
    pub(crate) fn place(&self, updated: usize) -> usize {
        let before = self.local_of[..updated].iter().rev().find_map(|local| *local);
        if let Some(before) = before {
            return self.after_own(before);
        }
        let after = self.local_of[updated..].iter().find_map(|local| *local);
        after.unwrap_or_else(|| self.end())
    }

    fn after_own(&self, index: usize) -> usize {
        let mut place = index + 1;
        for (at, own) in self.own.iter().enumerate().skip(index + 1) {
            match own {
                Own::Yes => place = at + 1,
                Own::Nothing => {}
                Own::No => break,
            }
        }
        place
    }

    /// After the last document; what follows it without content stays at the end.
    fn end(&self) -> usize {
        let last = self.own.iter().rposition(|own| *own != Own::Nothing);
        last.map_or(self.own.len(), |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_goes_among_its_neighbours() {
        let neighbours = Neighbours {
            local_of: vec![None, Some(1), None, None, Some(4), None],
            own: vec![Own::Yes, Own::No, Own::Yes, Own::Nothing, Own::No, Own::Nothing],
        };
        assert_eq!(neighbours.place(0), 1);
        assert_eq!(neighbours.place(2), 3);
        assert_eq!(neighbours.place(3), 3);
        assert_eq!(neighbours.place(5), 5);
    }

    #[test]
    fn without_neighbours_it_goes_to_the_end() {
        let neighbours = Neighbours {
            local_of: vec![None],
            own: vec![Own::Yes, Own::Nothing],
        };
        assert_eq!(neighbours.place(0), 1);
    }
}
