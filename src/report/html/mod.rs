//! The report as one HTML page that loads nothing.
//!
//! [`page`] takes a [`Page`] and returns the HTML. Sections come by importance: failed packages,
//! conflicts, combined values, pinned values, deletions, changed files, other notes. The script
//! adds a filter and keyboard navigation; the page works without it.

mod lists;
mod out;
mod record;
mod source;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::json::PROGRAM;
use super::{Facts, by_need};
use crate::package::{FileConflict, Plan};
use out::Out;
use record::ShownRecord;
use source::{LocalFiles, local_files};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The filter form. It needs the script and is hidden without it.
const FILTER: &str = include_str!("filter.html");

/// The content of a page.
#[derive(Debug, Default)]
pub(crate) struct Page<'p> {
    pub(crate) packages: Vec<Package<'p>>,
    /// The names of the packages that failed, and the errors.
    pub(crate) failed: Vec<(String, String)>,
    /// The number of packages that are up to date.
    pub(crate) up_to_date: usize,
}

/// A package that was merged, or that a dry run would merge.
#[derive(Debug)]
pub(crate) struct Package<'p> {
    /// The name; empty if the page is about one package only.
    pub(crate) name: String,
    /// The old and the new version; empty if they have no names.
    pub(crate) versions: [String; 2],
    pub(crate) plan: &'p Plan,
    pub(crate) facts: &'p Facts,
    /// Upstream's commits between the versions, a line for each.
    pub(crate) commits: Vec<String>,
}

impl Package<'_> {
    /// Returns the path of a file as the page shows it: with the name of the package before it.
    fn path(&self, file: &std::path::Path) -> String {
        let file = super::portable(file);
        match self.name.as_str() {
            "" => file,
            name => format!("{name}/{file}"),
        }
    }
}

/// Returns the report of a run as an HTML page.
pub fn html(plan: &Plan, facts: &Facts) -> String {
    page(&Page {
        packages: vec![Package {
            name: String::new(),
            versions: <[String; 2]>::default(),
            plan,
            facts,
            commits: Vec::new(),
        }],
        ..Page::default()
    })
}

/// Returns the HTML of a page.
pub(crate) fn page(page: &Page<'_>) -> String {
    let sources = page.packages.iter().map(|it| local_files(it.plan));
    let sources: Vec<LocalFiles<'_>> = sources.collect();
    let mut out = Out::default();
    head(&mut out);
    out.raw("<header>\n<h1>Merge report</h1>\n");
    lists::overview(&mut out, page);
    out.raw("</header>\n").raw(FILTER).raw("<main>\n");
    lists::failures(&mut out, page);
    let mut records = |title, is_open, select: fn(&Plan) -> Vec<&FileConflict>| {
        let packages = page.packages.iter().zip(&sources);
        let items = packages.flat_map(|(package, sources)| {
            let records = select(package.plan).into_iter();
            records.map(move |record| ShownRecord {
                package,
                source: sources.get(&*record.file),
                record,
            })
        });
        let items: Vec<ShownRecord<'_>> = items.collect();
        record::section(&mut out, title, &items, is_open);
    };
    records("Conflicts", true, |plan| by_need(plan).0);
    records("Put together from both sides", true, |plan| {
        plan.combined.iter().collect()
    });
    records("Held back by pins", false, |plan| {
        plan.pinned.iter().collect()
    });
    records(
        "Deleted here, changed upstream: stays deleted",
        false,
        |plan| by_need(plan).1,
    );
    lists::changes(&mut out, page);
    lists::notes(&mut out, page);
    let foot = "</main>\n<footer><p>Made by {}. This page loads nothing.</p></footer>\n<script>";
    out.fill(foot, [PROGRAM])
        .raw(SCRIPT)
        .raw("</script>\n</body>\n</html>\n");
    out.finish()
}

/// Writes the `head` element. Its content security policy allows no loading, and only the program's
/// own script and style.
fn head(out: &mut Out) {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    out.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let meta = "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n";
    out.fill(meta, [&policy]);
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    out.raw("<title>merge3: merge report</title>\n<style>")
        .raw(STYLE);
    out.raw("</style>\n</head>\n<body>\n");
}
