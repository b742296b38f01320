//! Carries out the commands about packages that come from upstream, and prints their results.
//!
//! [`Printer::execute`] runs a command and prints what the command returns: an [`Output`].

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;

use super::print::{
    CONFLICTS, FAILED, Output, Printer, Streams, escaped_for_terminal, left_out_notes, waiting,
};
use super::progress::with_remotes;
use super::report::ReportFormat;
use super::run::in_pool;
use super::signals::Signals;
use super::upstream_args::{AdoptArgs, CacheCommand, GetArgs};
use crate::error::{Error, shown};
use crate::package::Disk;
use crate::report::{self, Detail};
use crate::upgrade::{
    self, Cache, Choice, PackageOutcome, Packages, Remotes, Upgrade, UpgradeOptions,
};

impl Printer {
    /// Runs `work` with a number of threads, prints its output and returns the exit status.
    pub(super) fn execute(
        mut self,
        threads: Option<NonZeroUsize>,
        work: impl FnOnce(&Self, &Remotes<'_>) -> Result<Output, Error> + Send,
        streams: &mut Streams<'_>,
    ) -> u8 {
        // without signal handlers the run cannot be interrupted cleanly, but it works
        self.signals = Signals::listen().unwrap_or_default();
        let result = in_pool(threads, || {
            self.report.check_writable()?;
            with_remotes(self.args.quiet, |remotes| work(&self, remotes))
        });
        self.print(result, streams)
    }

    /// Returns the notes about packages, the exit status, and as text a message if there are no
    /// packages. For a package that has a newer version, `newer` returns its notes and whether the
    /// exit status is 1.
    fn collect_outcomes<T>(
        &self,
        packages: &Packages,
        outcomes: &[PackageOutcome<T>],
        mut newer: impl FnMut(&T) -> (Vec<String>, bool),
    ) -> Output {
        let mut output = Output::default();
        if outcomes.is_empty() {
            output.text = format!("{}\n", packages.none());
        }
        for outcome in outcomes {
            match &outcome.newer {
                Ok(None) => {}
                Ok(Some(it)) => {
                    let (notes, is_status_1) = newer(it);
                    output.notes.extend(notes);
                    if is_status_1 {
                        output.status = output.status.max(CONFLICTS);
                    }
                }
                Err(error) => {
                    output.notes.push(self.error_note(&outcome.package, error));
                    let signal = self.signals.status_after(error);
                    output.status = output.status.max(signal.unwrap_or(FAILED));
                }
            }
        }
        output
    }

    /// Returns the note about a package that failed. It names the package unless the error already
    /// starts with its name.
    fn error_note(&self, package: &Path, error: &Error) -> String {
        let package = shown(package);
        let text = error.render(self.display.color_errors);
        match error.to_string().starts_with(&package) {
            true => text,
            false => format!("{package} failed:\n{text}"),
        }
    }
}

/// Lets upgrades report on standard error that they wait, and stop writing when a signal is
/// received.
impl upgrade::Host for Signals {
    fn waiting(&self, package: &Path) {
        // a closed standard error leaves no way to report
        let _ = writeln!(io::stderr(), "{}", waiting(package));
    }

    fn disk(&self) -> &dyn Disk {
        self.defer()
    }
}

/// Empties the cache, or returns its path.
pub(super) fn cache(command: &CacheCommand) -> Result<Output, Error> {
    let cache = Cache::of_user()?;
    Ok(Output::from(match command {
        CacheCommand::Path => format!("{}\n", cache.root().display()),
        CacheCommand::Clean => {
            let clones = report::many(cache.clean()?, "clone");
            format!("{clones} deleted from the cache\n")
        }
    }))
}

/// Vendors a package.
pub(super) fn get(run: &Printer, remotes: &Remotes<'_>, args: &GetArgs) -> Result<Output, Error> {
    let choice = Choice::newest(args.pre_releases);
    let folder = args.folder.as_deref();
    let (vendored, files, warnings) = upgrade::get(remotes, &args.address, folder, choice)?;
    let warnings = warnings.iter();
    Ok(Output {
        notes: warnings
            .map(|it| it.render(run.display.color_errors))
            .collect(),
        ..Output::from(vendored.told(&format!(", {}", report::many(files, "file"))))
    })
}

/// Records where a copy comes from. The output says how much the copy differs from that version.
pub(super) fn adopt(remotes: &Remotes<'_>, args: &AdoptArgs) -> Result<Output, Error> {
    let choice = Choice::newest(args.pre_releases);
    let address = args.address.as_deref();
    let (adopted, difference) = upgrade::adopt(remotes, &args.folder, address, choice)?;
    let all = difference.same + difference.changed + difference.missing;
    let mut parts = vec![format!(
        "{} of {} the same",
        difference.same,
        report::many(all, "file")
    )];
    for (count, what) in [
        (difference.changed, "changed"),
        (difference.missing, "missing"),
        (difference.added, "only here"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if difference.lines > 0 {
        parts.push(report::many(difference.lines, "line") + " apart");
    }
    let text = adopted.told(&format!(": {}", parts.join(", ")));
    Ok(text.into())
}

/// Lists the packages that have a newer version.
pub(super) fn outdated(
    run: &Printer,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    exit_code: bool,
) -> Result<Output, Error> {
    let outcomes = upgrade::outdated(remotes, packages, options)?;
    let text = upgrade::outdated_text(&outcomes);
    let report = match run.report.format {
        // OutdatedArgs::run refuses HTML
        ReportFormat::Text | ReportFormat::Html => None,
        ReportFormat::Json => Some(upgrade::outdated_json(&outcomes)),
        ReportFormat::Markdown => Some(upgrade::outdated_markdown(&outcomes)),
    };
    let output = run.collect_outcomes(packages, &outcomes, |it| {
        (Vec::new(), exit_code && it.wanted.is_some())
    });
    Ok(Output {
        text: text + &output.text,
        report,
        ..output
    })
}

/// Upgrades packages. With `diff`, the text is the diff of the packages and there is no report.
pub(super) fn upgrade_packages(
    run: &Printer,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    diff: bool,
) -> Result<Output, Error> {
    let outcomes = upgrade::upgrade(remotes, packages, options, &run.signals)?;
    let color = run.display.color_output;
    let mut diffs = String::new();
    let output = run.collect_outcomes(packages, &outcomes, |it| {
        let mut notes = notes_of(it, run);
        if diff {
            let package_diff = report::diff_in(&it.package, &it.plan, color);
            diffs.push_str(&package_diff.text);
            if !run.args.quiet {
                notes.extend(left_out_notes(&package_diff));
            }
        }
        (notes, it.facts.open)
    });
    let (text, report) = if diff {
        (escaped_for_terminal(diffs, color), None)
    } else {
        let detail = Detail {
            files: run.args.verbose || options.dry_run,
            records: run.args.verbose,
            color,
        };
        let report = match run.report.format {
            ReportFormat::Text => None,
            ReportFormat::Json => Some(upgrade::upgrade_json(&outcomes)),
            ReportFormat::Markdown => Some(upgrade::upgrade_markdown(&outcomes)),
            ReportFormat::Html => Some(upgrade::upgrade_html(&outcomes)),
        };
        (upgrade::upgrade_text(&outcomes, detail), report)
    };
    Ok(Output {
        text: text + &output.text,
        report,
        ..output
    })
}

/// Returns the warnings of an upgrade, and a note if conflicts are left.
fn notes_of(upgrade: &Upgrade, run: &Printer) -> Vec<String> {
    let package = shown(&upgrade.package);
    let mut notes = Vec::new();
    if !run.args.quiet {
        let warnings = upgrade.plan.warnings.iter();
        notes.extend(warnings.map(|it| it.render(run.display.color_errors)));
    }
    if upgrade.facts.refused {
        notes.push(format!(
            "{package}: conflicts are left: nothing was written"
        ));
    } else if upgrade.facts.open && !run.args.quiet {
        notes.push(format!("{package}: conflicts are left: see the report"));
    }
    notes
}
