//! Carries out the commands about packages that come from upstream, and prints their results.
//!
//! [`UpstreamRun::execute`] runs a command and prints what the command returns: an [`Output`].

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use super::exit_code::ExitCode;
use super::output::{DisplayOptions, RunArgs};
use super::progress::StatusLine;
use super::report::{ReportArgs, ReportFormat};
use super::run::{escaped_for_terminal, in_pool, print_waiting};
use super::signals::Signals;
use super::upstream_args::{AdoptArgs, CacheCommand, GetArgs};
use crate::error::{Error, shown};
use crate::package::Disk;
use crate::report::{self, Detail};
use crate::upgrade::{
    self, Cache, Choice, PackageOutcome, Packages, Remotes, Upgrade, UpgradeOptions,
};

/// The result of a command: its texts and its exit status.
pub(super) struct Output {
    /// The report as text.
    text: String,
    /// The report in another format, if one was asked for.
    report: Option<String>,
    /// Warnings and errors, rendered.
    notes: Vec<String>,
    code: ExitCode,
    /// Whether a signal stopped the command.
    stopped: bool,
}

/// The settings of a command.
pub(super) struct UpstreamRun {
    report: ReportArgs,
    args: RunArgs,
    display: DisplayOptions,
    threads: Option<NonZeroUsize>,
}

impl UpstreamRun {
    pub(super) fn new(report: ReportArgs, args: RunArgs, threads: Option<NonZeroUsize>) -> Self {
        Self {
            report,
            display: args.display.options(),
            args,
            threads,
        }
    }

    /// Runs `work`, prints its output and returns the exit status.
    pub(super) fn execute(
        &self,
        work: impl FnOnce(&Remotes<'_>, &Signals) -> Result<Output, Error> + Send,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> ExitCode {
        // without signal handlers the run cannot be interrupted cleanly, but it works
        let signals = Signals::listen().unwrap_or_default();
        let result = in_pool(self.threads, || {
            self.report.check_writable()?;
            let is_shown = !self.args.quiet && io::stderr().is_terminal();
            let status = StatusLine::new(is_shown);
            let set_status = |message: &str| status.set(message);
            work(&Remotes::new(Cache::of_user()?, &set_status), &signals)
        });
        let result = match result {
            Ok(result) => result,
            Err(error) => return self.display.fail(error, None, errors),
        };
        let printed = print_output(self, &result, output, errors);
        let code = match signals.status() {
            Some(status) if result.stopped => ExitCode::Other(status),
            _ => result.code,
        };
        code.unless_output_failed(printed)
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
        let mut output = text_output(match outcomes {
            [] => format!("{}\n", packages.none()),
            _ => String::new(),
        });
        for outcome in outcomes {
            match &outcome.newer {
                Ok(None) => {}
                Ok(Some(it)) => {
                    let (notes, is_status_1) = newer(it);
                    output.notes.extend(notes);
                    if is_status_1 && output.code == ExitCode::Merged {
                        output.code = ExitCode::Conflicts;
                    }
                }
                Err(error) => {
                    output.notes.push(self.error_note(&outcome.package, error));
                    output.code = ExitCode::Failed;
                    output.stopped |= matches!(error, Error::Stopped { .. });
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
        print_waiting(package, &mut io::stderr());
    }

    fn disk(&self) -> &dyn Disk {
        self.defer()
    }
}

/// Prints the output of a command, and writes its report.
fn print_output(
    run: &UpstreamRun,
    result: &Output,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> io::Result<()> {
    for note in &result.notes {
        writeln!(errors, "{note}")?;
    }
    let report = result.report.as_ref().unwrap_or(&result.text);
    if let Err(error) = run.report.write(|| report.clone(), 1) {
        writeln!(errors, "{}", error.render(run.display.color_errors))?;
        return Err(io::ErrorKind::Other.into());
    }
    let text = match &run.report.file {
        Some(_) => &result.text,
        None => report,
    };
    if run.report.is_printed() || !run.args.quiet {
        output.write_all(text.as_bytes())?;
    }
    output.flush()
}

/// Returns the output of a command that succeeded and prints only a text.
fn text_output(text: String) -> Output {
    Output {
        text,
        report: None,
        notes: Vec::new(),
        code: ExitCode::Merged,
        stopped: false,
    }
}

/// Empties the cache, or returns its path.
pub(super) fn cache(command: &CacheCommand) -> Result<Output, Error> {
    let cache = Cache::of_user()?;
    Ok(text_output(match command {
        CacheCommand::Path => format!("{}\n", cache.root().display()),
        CacheCommand::Clean => {
            let clones = report::many(cache.clean()?, "clone");
            format!("{clones} deleted from the cache\n")
        }
    }))
}

/// Vendors a package.
pub(super) fn get(
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    args: &GetArgs,
) -> Result<Output, Error> {
    let choice = Choice::newest(args.pre_releases);
    let folder = args.folder.as_deref();
    let (vendored, files, warnings) = upgrade::get(remotes, &args.address, folder, choice)?;
    let warnings = warnings.iter();
    Ok(Output {
        notes: warnings
            .map(|it| it.render(run.display.color_errors))
            .collect(),
        ..text_output(vendored.told(&format!(", {}", report::many(files, "file"))))
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
    Ok(text_output(text))
}

/// Lists the packages that have a newer version.
pub(super) fn outdated(
    run: &UpstreamRun,
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
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    signals: &Signals,
    diff: bool,
) -> Result<Output, Error> {
    let outcomes = upgrade::upgrade(remotes, packages, options, signals)?;
    let color = run.display.color_output;
    let mut diffs = String::new();
    let output = run.collect_outcomes(packages, &outcomes, |it| {
        let mut notes = notes_of(it, run);
        if diff {
            let package_diff = report::diff_in(&it.package, &it.plan, color);
            diffs.push_str(&package_diff.text);
            let left_out = package_diff.left_out.iter().filter(|_| !run.args.quiet);
            notes.extend(left_out.map(|it| format!("warning: {it}")));
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
fn notes_of(upgrade: &Upgrade, run: &UpstreamRun) -> Vec<String> {
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
