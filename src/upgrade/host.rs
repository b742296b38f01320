//! Makes links to the web pages of well-known hosts: a release, a comparison of two commits, an
//! issue.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters of a tag that are percent-encoded in a URL: all that could be Markdown.
const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'/');

/// The pages below a repository's: the changes between two commits, the release of a tag, and an
/// issue or a pull request.
const PAGES: [&str; 3] = ["compare/FROM...TO", "releases/tag/TAG", "issues/"];
const PAGES_OF_GITLAB: [&str; 3] = ["-/compare/FROM...TO", "-/releases/TAG", "-/issues/"];
/// Bitbucket has no releases.
const PAGES_OF_BITBUCKET: [&str; 3] = ["branches/compare/TO..FROM", "", "issues/"];

/// The well-known hosts, each with its pages.
const HOSTS: [(&str, [&str; 3]); 5] = [
    ("github.com", PAGES),
    ("gitlab.com", PAGES_OF_GITLAB),
    ("codeberg.org", PAGES),
    ("gitea.com", PAGES),
    ("bitbucket.org", PAGES_OF_BITBUCKET),
];

/// The pages of a repository at a well-known host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Website {
    /// The URL of the repository's page.
    url: String,
    pages: [&'static str; 3],
}

/// Returns the authority of an address, between `://` and the path: user, host and port.
pub(super) fn authority(address: &str) -> &str {
    let base = &address[..start_of_path(address)];
    base.split_once("://")
        .map_or(base, |(_, authority)| authority)
}

/// Returns the index at which the path of an address begins, behind `://` and the authority.
pub(super) fn start_of_path(address: &str) -> usize {
    let start = address.find("://").map_or(0, |at| at + 3);
    let path = address[start..].find('/');
    path.map_or(address.len(), |at| start + at)
}

/// Returns the host of an authority, without user and port.
pub(super) fn host_in(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    }
}

/// Whether a host is well known: a repository there has a path of an owner and a name.
pub(super) fn is_known(host: &str) -> bool {
    HOSTS
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case(host))
}

impl Website {
    /// Returns the website of the repository with this address; `None` if the host is not well
    /// known.
    pub(super) fn of(repository: &str) -> Option<Self> {
        let rest = match repository.split_once("://") {
            Some(("https" | "http" | "ssh", rest)) => rest.to_owned(),
            Some(_) => return None,
            None => repository.replacen(':', "/", 1),
        };
        let (authority, path) = rest.split_once('/')?;
        let host = authority.rsplit('@').next()?.to_ascii_lowercase();
        let (_, pages) = HOSTS.into_iter().find(|(name, _)| *name == host)?;
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let names: Vec<&str> = path.split('/').collect();
        let is_plain = |name: &&str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            !name.is_empty() && name.chars().all(is_allowed) && name.chars().any(|c| c != '.')
        };
        // GitLab's groups can be nested
        let is_complete = names.len() == 2 || (names.len() > 2 && host == "gitlab.com");
        (is_complete && names.iter().all(is_plain)).then(|| Self {
            url: format!("https://{host}/{path}"),
            pages,
        })
    }

    /// Returns the link to the changes between two commits.
    pub(super) fn comparison(&self, from: &str, to: &str) -> String {
        let page = self.pages[0].replace("FROM", from).replace("TO", to);
        format!("{}/{page}", self.url)
    }

    /// Returns the link to the release of a tag; `None` if the host has no releases.
    pub(super) fn release(&self, tag: &str) -> Option<String> {
        let tag = utf8_percent_encode(tag, &ENCODED).to_string();
        let page = self.pages[1].replace("TAG", &tag);
        (!page.is_empty()).then(|| format!("{}/{page}", self.url))
    }

    /// Returns the link to an issue or a pull request, by its number. GitHub shows a link to an
    /// issue on the issue's page, to all who read it, unless the link goes through its host for
    /// redirections.
    pub(super) fn reference(&self, number: &str) -> String {
        let url = self
            .url
            .replacen("https://github.com", "https://redirect.github.com", 1);
        format!("{url}/{}{number}", self.pages[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_pages_of_known_hosts() {
        let page = |repository: &str| Website::of(repository).map(|it| it.comparison("a", "b"));
        let github = Some("https://github.com/o/r/compare/a...b".to_owned());
        for address in [
            "https://github.com/o/r.git",
            "https://bot:pass@GitHub.com/o/r/",
            "git@github.com:o/r.git",
            "ssh://git@github.com/o/r",
        ] {
            assert_eq!(page(address), github, "{address}");
        }
        assert_eq!(
            page("https://gitlab.com/a/b/c.git").as_deref(),
            Some("https://gitlab.com/a/b/c/-/compare/a...b")
        );
        for other in [
            "https://github.com.evil.org/o/r",
            "https://github.com/o",
            "https://github.com/o/r/x",
            "https://github.com/o/..",
            "https://github.com/o/r)[x](y",
            "file:///github.com/o/r",
            "/github.com/o/r",
        ] {
            assert_eq!(page(other), None, "{other}");
        }
        let host = Website::of("git@codeberg.org:o/r").unwrap();
        assert_eq!(
            host.release("app/v1)[x_").unwrap(),
            "https://codeberg.org/o/r/releases/tag/app/v1%29%5Bx%5F"
        );
    }
}
