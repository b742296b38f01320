//! Finds the newest version among a repository's tags, and names that are similar to a wrong one.

use semver::Version;

use crate::semantic_version::lenient;

/// How far a version may be from the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Within {
    /// Any newer version.
    #[default]
    Major,
    /// The same major version.
    Minor,
    /// The same major and minor version.
    Patch,
}

/// Which versions may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::Args)]
#[group(skip)]
pub(crate) struct Choice {
    /// How far to go: major (default), minor, patch
    #[arg(long, value_enum, value_name = "STEP", default_value = "major")]
    pub within: Within,
    /// Count versions before a release too
    #[arg(long)]
    pub pre_releases: bool,
}

impl Choice {
    /// Allows any version, with or without pre-releases.
    pub(crate) fn newest(pre_releases: bool) -> Self {
        Self {
            pre_releases,
            ..Self::default()
        }
    }

    /// Whether a tag may be chosen; if there is a current one, as an upgrade of that.
    pub(super) fn allows(self, tag: &Tag<'_>, current: Option<&Tag<'_>>) -> bool {
        let new = &tag.version;
        let is_upgrade = |current: &Tag<'_>| {
            let old = &current.version;
            new.cmp_precedence(old).is_gt()
                && match self.within {
                    Within::Major => true,
                    Within::Minor => new.major == old.major,
                    Within::Patch => (new.major, new.minor) == (old.major, old.minor),
                }
        };
        (self.pre_releases || new.pre.is_empty()) && current.is_none_or(is_upgrade)
    }
}

/// A tag that names a version: `v1.2.3`, `1.2`, `grafana/v1.2.3`, `chart-1.2.3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    /// The text before the version and its `v`.
    pub(super) prefix: &'t str,
    pub(super) version: Version,
    /// How many numbers the version has, and whether a `v` is before them.
    style: (usize, bool),
}

impl<'t> Tag<'t> {
    /// Parses a tag; `None` if it names no version.
    pub(super) fn parse(name: &'t str) -> Option<Self> {
        let starts = name
            .char_indices()
            .filter(|(_, c)| matches!(c, '/' | '-' | '_' | '@'))
            .map(|(at, _)| at + 1);
        std::iter::once(0).chain(starts).find_map(|at| {
            let (prefix, rest) = name.split_at(at);
            let number = rest.strip_prefix(['v', 'V']);
            let text = number.unwrap_or(rest);
            // a tag of an OCI registry has `_` for the `+` before build metadata
            let (version, numbers) =
                lenient(text).or_else(|| lenient(&text.replacen('_', "+", 1)))?;
            Some(Self {
                name,
                prefix,
                version,
                style: (numbers, number.is_some()),
            })
        })
    }
}

/// Returns the prefixes that tags of the package in `directory` may have, the likeliest first.
pub(super) fn prefixes(directory: &str) -> [String; 3] {
    let last = directory.rsplit('/').next().unwrap_or_default();
    [format!("{directory}/"), format!("{last}/"), String::new()]
}

/// Returns the newest tag with a prefix that may be chosen; if there is a current one, newer than
/// that. A tag of one number counts only if the current one has one number, or if no tag has more.
/// If several tags have the highest version, the one in the current style is returned, else the one
/// with the most numbers.
pub(super) fn newest<'t>(
    prefix: &str,
    tags: impl Iterator<Item = &'t str>,
    choice: Choice,
    current: Option<&Tag<'_>>,
) -> Option<&'t str> {
    let style = current.map(|tag| tag.style);
    let tags = tags
        .filter_map(Tag::parse)
        .filter(|tag| tag.prefix == prefix);
    let tags: Vec<Tag<'_>> = tags.collect();
    let numbers = |tag: &Tag<'_>| tag.style.0;
    let is_one_enough = match current {
        Some(current) => numbers(current) == 1,
        None => tags.iter().all(|tag| numbers(tag) == 1),
    };
    let tags = tags
        .into_iter()
        .filter(|tag| is_one_enough || numbers(tag) > 1);
    let tags = tags.filter(|tag| choice.allows(tag, current));
    let rank = |tag: &Tag<'_>| (tag.version.clone(), Some(tag.style) == style, tag.style);
    tags.max_by_key(rank).map(|tag| tag.name)
}

/// Returns the tags of the two versions below `name` and of the two above it. The tags must have
/// the same prefix, or, if none has, one that ends in it.
pub(super) fn nearest<'t>(name: &str, tags: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let Some(wanted) = Tag::parse(name) else {
        return Vec::new();
    };
    let is_candidate = |tag: &Tag<'_>| {
        let prefix = tag.prefix.strip_suffix(wanted.prefix);
        prefix.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut tags: Vec<Tag<'_>> = tags.filter_map(Tag::parse).filter(is_candidate).collect();
    // an equal prefix excludes those that only end in it
    if tags.iter().any(|tag| tag.prefix == wanted.prefix) {
        tags.retain(|tag| tag.prefix == wanted.prefix);
    }
    tags.sort_by(|left, right| left.version.cmp(&right.version));
    let at = tags.partition_point(|tag| tag.version < wanted.version);
    let around = at.saturating_sub(2)..tags.len().min(at + 2);
    tags[around].iter().map(|tag| tag.name).collect()
}

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

    fn upgrade(current: &str, tags: &[&str], within: Within, pre_releases: bool) -> Option<String> {
        let current = Tag::parse(current).unwrap();
        let choice = Choice {
            within,
            pre_releases,
        };
        let newest = newest(current.prefix, tags.iter().copied(), choice, Some(&current));
        newest.map(str::to_owned)
    }

    #[test]
    fn compares_versions_by_number() {
        let tags = ["v1.9.0", "v1.10.0", "v1.2.0", "latest", "v2.0.0-rc.1"];
        assert_eq!(
            upgrade("v1.9.0", &tags, Within::Major, false).as_deref(),
            Some("v1.10.0")
        );
        assert_eq!(
            upgrade("v1.9.0", &tags, Within::Major, true).as_deref(),
            Some("v2.0.0-rc.1")
        );
        assert_eq!(upgrade("v1.10.0", &tags, Within::Major, false), None);
    }

    #[test]
    fn nearest_returns_two_versions_below_and_above() {
        let tags = [
            "v1.9.0",
            "v1.10.0",
            "v1.2.0",
            "v2.0.0",
            "v3.0.0",
            "latest",
            "app/v1.9.1",
        ];
        let versions_near = |name: &str| nearest(name, tags.into_iter());
        assert_eq!(
            versions_near("v1.9.1"),
            ["v1.2.0", "v1.9.0", "v1.10.0", "v2.0.0"]
        );
        assert_eq!(
            versions_near("1.11"),
            ["v1.9.0", "v1.10.0", "v2.0.0", "v3.0.0"]
        );
        assert_eq!(versions_near("app/v1.8"), ["app/v1.9.1"]);
        assert_eq!(versions_near("v9"), ["v2.0.0", "v3.0.0"]);
        assert!(versions_near("main").is_empty());
    }

    #[test]
    fn stays_within_the_limit() {
        let tags = ["1.2.4", "1.3.0", "2.0.0"];
        assert_eq!(
            upgrade("1.2.3", &tags, Within::Major, false).as_deref(),
            Some("2.0.0")
        );
        assert_eq!(
            upgrade("1.2.3", &tags, Within::Minor, false).as_deref(),
            Some("1.3.0")
        );
        assert_eq!(
            upgrade("1.2.3", &tags, Within::Patch, false).as_deref(),
            Some("1.2.4")
        );
    }

    #[test]
    fn an_underscore_may_stand_for_a_plus() {
        let tags = ["100.0.0_up1.0.0", "100.1.0_up1.2.0", "release_200.0.0"];
        assert_eq!(
            upgrade("100.0.0_up1.0.0", &tags, Within::Major, false).as_deref(),
            Some("100.1.0_up1.2.0")
        );
        assert_eq!(Tag::parse("1.1.0_2").unwrap().prefix, "");
        assert_eq!(Tag::parse("release_1.1").unwrap().prefix, "release_");
    }

    #[test]
    fn compares_tags_with_the_same_prefix() {
        let tags = ["v9.0.0", "grafana/v1.3.0", "loki/v2.0.0", "grafana/v1.2.9"];
        assert_eq!(
            upgrade("grafana/v1.2.3", &tags, Within::Major, false).as_deref(),
            Some("grafana/v1.3.0")
        );
        let tags = ["chart-1.10.0", "chart-1.9.0", "1.11.0"];
        assert_eq!(
            upgrade("chart-1.2.0", &tags, Within::Major, false).as_deref(),
            Some("chart-1.10.0")
        );
        assert_eq!(
            newest("", tags.into_iter(), Choice::default(), None),
            Some("1.11.0")
        );
    }

    #[test]
    fn parses_short_versions_and_rejects_other_names() {
        assert_eq!(
            upgrade("v1.2", &["v1.3", "v1.3.0"], Within::Major, false).as_deref(),
            Some("v1.3")
        );
        assert_eq!(
            upgrade("v1.2.0", &["v1.3", "v1.3.0"], Within::Major, false).as_deref(),
            Some("v1.3.0")
        );
        assert_eq!(
            upgrade("2024.01.05", &["2024.10.01"], Within::Major, false).as_deref(),
            Some("2024.10.01")
        );
        assert_eq!(
            upgrade(
                "v1.2.0",
                &["v1.3.0", "v9", "20240101"],
                Within::Major,
                false
            )
            .as_deref(),
            Some("v1.3.0")
        );
        assert_eq!(
            upgrade("v8", &["v9", "v1.3.0"], Within::Major, false).as_deref(),
            Some("v9")
        );
        let default = |tags: &[&'static str]| {
            newest("", tags.iter().copied(), Choice::default(), None).map(str::to_owned)
        };
        assert_eq!(default(&["1.2.0", "20240101"]).as_deref(), Some("1.2.0"));
        assert_eq!(default(&["7", "8"]).as_deref(), Some("8"));
        for name in [
            "main",
            "latest",
            "v1.2.3.4",
            "1-alpha",
            "v",
            "",
            "99999999999999999999.0.0",
        ] {
            assert!(Tag::parse(name).is_none(), "{name}");
        }
        // build metadata is no newer version
        assert_eq!(upgrade("v1.0.0", &["v1.0.0+1"], Within::Major, false), None);
    }

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
