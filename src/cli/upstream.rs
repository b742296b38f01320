//! Carries out the commands about packages that come from upstream, and prints their results.
//!
//! [`Printer::execute`] runs a command and prints what the command returns: an [`Output`].

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;

use super::output::ReportFormat;
use super::print::{CONFLICTS, FAILED, Output, Printer, Streams, left_conflicts, waiting};
use super::progress::with_remotes;
use super::run::in_pool;
use super::signals::Signals;
use super::upstream_args::{AdoptArgs, CacheCommand, GetArgs};
use crate::error::{Error, shown};
use crate::report::{self, Detail};
use crate::upgrade::{self, Cache, Choice, PackageOutcome, Remotes, Upgrade, UpgradeOptions};

/// The message for the case that no packages were found.
const NO_PACKAGES: &str = "no packages here: vendor one with `merge3 get`, or \
    record where a copy comes from with `merge3 adopt`\n";

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

    /// Returns the output about packages: their errors, or a message if there are no packages.
    /// `newer` adds what is to be said about a package that has a newer version.
    fn collect_outcomes<T>(
        &self,
        options: &UpgradeOptions,
        outcomes: &[PackageOutcome<T>],
        mut newer: impl FnMut(&T, &mut Output),
    ) -> Output {
        let mut output = Output::default();
        if outcomes.is_empty() {
            output.text = match options.shard {
                Some(_) => "no packages in this share\n".to_owned(),
                None => NO_PACKAGES.to_owned(),
            };
        }
        for outcome in outcomes {
            match &outcome.newer {
                Ok(None) => {}
                Ok(Some(it)) => newer(it, &mut output),
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
        let text = error.render(self.args.display.color_errors());
        match error.to_string().starts_with(&package) {
            true => text,
            false => format!("{package} failed:\n{text}"),
        }
    }

    /// Adds the warnings of an upgrade, and a note if conflicts are left.
    fn add_notes(&self, upgrade: &Upgrade, output: &mut Output) {
        let warnings = self.args.rendered(&upgrade.plan.warnings);
        output.notes.extend(warnings);
        let left = left_conflicts(&upgrade.facts, self.args.quiet);
        let left = left.map(|note| format!("{}: {note}", shown(&upgrade.package)));
        output.notes.extend(left);
    }
}

/// Empties the cache, or returns its path.
pub(super) fn cache(command: &CacheCommand) -> Result<Output, Error> {
    let cache = Cache::of_user()?;
    Ok(Output::from(match command {
        CacheCommand::Path => format!("{}\n", cache.root.display()),
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
    let (text, warnings) = upgrade::get(remotes, &args.address, folder, choice, &run.signals)?;
    let notes = run.args.rendered(&warnings);
    Ok(Output {
        notes,
        ..text.into()
    })
}

/// Records where a copy comes from.
pub(super) fn adopt(remotes: &Remotes<'_>, args: &AdoptArgs) -> Result<Output, Error> {
    let choice = Choice::newest(args.pre_releases);
    upgrade::adopt(remotes, &args.folder, args.address.as_deref(), choice).map(Output::from)
}

/// Lists the packages that have a newer version.
pub(super) fn outdated(
    run: &Printer,
    remotes: &Remotes<'_>,
    options: &UpgradeOptions,
    exit_code: bool,
) -> Result<Output, Error> {
    let outcomes = upgrade::outdated(remotes, options)?;
    let mut output = run.collect_outcomes(options, &outcomes, |it, output| {
        if exit_code && it.wanted.is_some() {
            output.status = output.status.max(CONFLICTS);
        }
    });
    output.text += &upgrade::outdated_text(&outcomes);
    output.report = match run.report.format {
        // OutdatedArgs::run refuses HTML
        ReportFormat::Text | ReportFormat::Html => None,
        ReportFormat::Json => Some(upgrade::outdated_json(&outcomes)),
        ReportFormat::Markdown => Some(upgrade::outdated_markdown(&outcomes)),
    };
    Ok(output)
}

/// Upgrades packages. With `diff`, the text is the diff of the packages and there is no report.
pub(super) fn upgrade_packages(
    run: &Printer,
    remotes: &Remotes<'_>,
    options: &UpgradeOptions,
    diff: bool,
) -> Result<Output, Error> {
    // a closed standard error leaves no way to report
    let wait = |package: &Path| drop(writeln!(io::stderr(), "{}", waiting(package)));
    let outcomes = upgrade::upgrade(remotes, options, (&run.signals, &wait))?;
    let mut output = run.collect_outcomes(options, &outcomes, |it, output| {
        run.add_notes(it, output);
        if diff {
            let (package_diff, left_out) = run.args.diff(&it.package, &it.plan);
            output.notes.extend(left_out);
            output.text += &package_diff;
        }
        if it.facts.written {
            output.written += it.plan.files.len();
        }
        if it.facts.open {
            output.status = output.status.max(CONFLICTS);
        }
    });
    if !diff {
        let text = |color| {
            let detail = Detail {
                files: run.args.verbose || options.dry_run,
                records: run.args.verbose,
                color,
            };
            upgrade::upgrade_text(&outcomes, detail)
        };
        output.text += &text(run.args.display.color_output());
        output.report = match run.report.format {
            ReportFormat::Text => run.report.file.as_ref().map(|_| text(false)),
            ReportFormat::Json => Some(upgrade::upgrade_json(&outcomes)),
            ReportFormat::Markdown => Some(upgrade::upgrade_markdown(&outcomes)),
            ReportFormat::Html => Some(upgrade::upgrade_html(&outcomes)),
        };
    }
    Ok(output)
}
