//! Suggests names for a misspelled one.

/// The lowest similarity of a suggested name, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.7;
/// The highest number of suggested names.
const MAX_SUGGESTIONS: usize = 3;

/// Returns the names with a spelling similar to that of `name`, the most similar first.
pub(super) fn similar_names<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let similarity = |other| strsim::normalized_damerau_levenshtein(name, other);
    let names = names.map(|other| (other, similarity(other)));
    let mut similar: Vec<(&str, f64)> = names.filter(|(_, it)| *it >= MIN_SIMILARITY).collect();
    similar.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    similar.truncate(MAX_SUGGESTIONS);
    similar.into_iter().map(|(other, _)| other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_with_typing_mistakes() {
        let names = || ["main", "release-1", "release-2", "upstream", "upstreamLock"].into_iter();
        assert_eq!(
            similar_names("relaese-2", names()),
            ["release-2", "release-1"]
        );
        assert_eq!(similar_names("upstrem", names()), ["upstream"]);
        assert!(similar_names("develop", names()).is_empty());
    }
}
