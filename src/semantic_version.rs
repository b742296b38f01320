//! Parses and compares semantic versions as people write them.

use std::cmp::Ordering;

use semver::{BuildMetadata, Prerelease, Version};

/// Parses a semantic version. The last one or two numbers may be missing, and numbers may have
/// leading zeros. Returns the version and the number of numbers in the text.
pub(crate) fn lenient(text: &str) -> Option<(Version, usize)> {
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, BuildMetadata::new(build).ok()?),
        None => (text, BuildMetadata::EMPTY),
    };
    let (numbers, pre) = match text.split_once('-') {
        Some((numbers, pre)) => (numbers, Prerelease::new(pre).ok()?),
        None => (text, Prerelease::EMPTY),
    };
    // there is no sign in front of a number: the text was split at `+` and `-`
    let parts = numbers.split('.').map(str::parse);
    let parts: Vec<u64> = parts.collect::<Result<_, _>>().ok()?;
    let count = parts.len();
    if count > 3 || (count == 1 && !pre.is_empty()) {
        return None;
    }
    let part = |at: usize| parts.get(at).copied().unwrap_or(0);
    let version = Version {
        major: part(0),
        minor: part(1),
        patch: part(2),
        pre,
        build,
    };
    Some((version, count))
}

/// Compares two versions, with or without a leading `v`. Returns `None` if one of them is not a
/// version, or if they have the same precedence.
pub(crate) fn higher(left: &str, right: &str) -> Option<Ordering> {
    let [left, right] = [left, right].map(|text| {
        let number = text.strip_prefix(['v', 'V']).unwrap_or(text);
        lenient(number).map(|(version, _)| version)
    });
    Some(left?.cmp_precedence(&right?)).filter(|order| order.is_ne())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_version_is_found() {
        for (left, right) in [
            ("1.10", "1.9"),
            ("v2.0.0", "1.9.9"),
            ("1.0.0", "1.0.0-rc.1"),
            ("1.27-alpine", "1.26-alpine"),
            ("16", "9"),
        ] {
            assert_eq!(
                higher(left, right),
                Some(Ordering::Greater),
                "{left} {right}"
            );
            assert_eq!(higher(right, left), Some(Ordering::Less), "{left} {right}");
        }
        for (left, right) in [("1.0.0", "v1.0"), ("latest", "1.0"), ("1.2.3.4", "1.2.3.5")] {
            assert_eq!(higher(left, right), None, "{left} {right}");
        }
    }
}
