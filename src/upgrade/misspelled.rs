//! Which names somebody may have meant who wrote one that does not exist.

/// How much of a name is right at least, 1 is all of it.
const LIKENESS: f64 = 0.7;
/// How many names are proposed at most.
const COUNT: usize = 3;

/// The names that are written almost like one that does not exist, the likest first.
pub(super) fn names_like<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let likeness = |other| strsim::normalized_damerau_levenshtein(name, other);
    let names = names.map(|other| (other, likeness(other)));
    let mut like: Vec<(&str, f64)> = names.filter(|(_, it)| *it >= LIKENESS).collect();
    like.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    like.truncate(COUNT);
    like.into_iter().map(|(other, _)| other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_typing_mistake_is_found() {
        let names = || ["main", "release-1", "release-2", "upstream", "upstreamLock"].into_iter();
        assert_eq!(names_like("relaese-2", names()), ["release-2", "release-1"]);
        assert_eq!(names_like("upstrem", names()), ["upstream"]);
        assert!(names_like("develop", names()).is_empty());
    }
}
