//! Runs of the subcommands about packages that come from upstream, and what is told of them.

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use super::exit_code::ExitCode;
use super::output::{RunArgs, Shown};
use super::progress::Line;
use super::report::{Form, ReportTo};
use super::run::{in_pool, on_terminal, waiting_at};
use super::signals::Signals;
use crate::error::{Error, shown};
use crate::package::Disk;
use crate::report::{self, Detail};
use crate::upgrade::{
    self, Cache, Choice, PackageOutcome, Packages, Remotes, Upgrade, UpgradeOptions,
};
use crate::visible::visible;

/// What a command gave: what goes to standard output and to the report's file, and how it ended.
pub(super) struct Done {
    /// The report in the form that was asked for.
    report: String,
    /// What is reported beside a report's file.
    text: String,
    /// What was left out or went wrong, each rendered.
    notes: Vec<String>,
    code: ExitCode,
    /// Whether a signal kept it from its end.
    stopped: bool,
}

impl Done {
    pub(super) fn with_note(mut self, note: Option<&str>) -> Self {
        let line = note.map_or(String::new(), |note| format!("{note}\n"));
        // a report in another form says it in its own way
        if self.report == self.text {
            self.report.push_str(&line);
        }
        self.text.push_str(&line);
        self
    }
}

/// How a command about upstream is run.
pub(super) struct UpstreamRun {
    report: ReportTo,
    args: RunArgs,
    shown: Shown,
    threads: Option<NonZeroUsize>,
}

impl UpstreamRun {
    pub(super) fn new(report: ReportTo, args: RunArgs, threads: Option<NonZeroUsize>) -> Self {
        Self {
            report,
            shown: args.shown.shown(),
            args,
            threads,
        }
    }

    /// Does `work`, and tells what came of it.
    pub(super) fn done(
        &self,
        work: impl FnOnce(&Self, &Remotes<'_>, &Signals) -> Result<Done, Error> + Send,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> ExitCode {
        // a system that knows no signals sends none
        let signals = Signals::listen().unwrap_or_default();
        let done = in_pool(self.threads, || {
            self.report.ready()?;
            let is_shown = !self.args.quiet && io::stderr().is_terminal();
            let line = Line::new(is_shown);
            let tell = |what: &str| line.tell(what);
            work(self, &Remotes::new(Cache::of_user()?, &tell), &signals)
        });
        let done = match done {
            Ok(done) => done,
            Err(error) => return self.shown.failed(error, None, errors),
        };
        let told = tell(self, &done, output, errors);
        let code = match signals.status() {
            Some(status) if done.stopped => ExitCode::Other(status),
            _ => done.code,
        };
        code.unless_lost(told)
    }
}

/// Upgrades wait, and write, as this process is told to.
impl upgrade::Host for Signals {
    fn waiting(&self, package: &Path) {
        // there is nobody left to tell where that fails
        let _ = writeln!(io::stderr(), "{}", waiting_at(package));
    }

    fn disk(&self) -> &dyn Disk {
        self.hold_off()
    }
}

fn tell(
    run: &UpstreamRun,
    done: &Done,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> io::Result<()> {
    for note in &done.notes {
        writeln!(errors, "{note}")?;
    }
    if let Err(error) = run.report.put(|| done.report.clone(), 1) {
        writeln!(errors, "{}", error.render(run.shown.color_errors))?;
        return Err(io::ErrorKind::Other.into());
    }
    let told = match &run.report.file {
        Some(_) => &done.text,
        None => &done.report,
    };
    if run.report.is_printed() || !run.args.quiet {
        output.write_all(told.as_bytes())?;
    }
    output.flush()
}

fn plain(text: String) -> Done {
    Done {
        report: text.clone(),
        text,
        notes: Vec::new(),
        code: ExitCode::Merged,
        stopped: false,
    }
}

/// Tells where the cache is.
pub(super) fn cache_path() -> Result<Done, Error> {
    Ok(plain(format!("{}\n", Cache::of_user()?.root().display())))
}

/// Empties the cache.
pub(super) fn clean_cache() -> Result<Done, Error> {
    let clones = report::many(Cache::of_user()?.clean()?, "clone");
    Ok(plain(format!("{clones} deleted from the cache\n")))
}

/// Vendors a package.
pub(super) fn get(
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    (address, folder): (&str, Option<&Path>),
    choice: Choice,
) -> Result<Done, Error> {
    let vendored = upgrade::get(remotes, address, folder, choice)?;
    let files = report::many(vendored.files, "file");
    let text = format!(
        "{}: {} of {}, {files}; recorded in {}\n",
        shown(&vendored.folder),
        visible(&vendored.version.full),
        visible(&vendored.origin.shown()),
        shown(&vendored.record)
    );
    let warnings = vendored.warnings.iter();
    Ok(Done {
        notes: warnings
            .map(|it| it.render(run.shown.color_errors))
            .collect(),
        ..plain(text)
    })
}

/// Records where a copy comes from, and tells how near it is to that.
pub(super) fn adopt(
    remotes: &Remotes<'_>,
    (folder, address): (&Path, Option<&str>),
    choice: Choice,
) -> Result<Done, Error> {
    let adopted = upgrade::adopt(remotes, folder, address, choice)?;
    let near = adopted.nearness;
    let all = near.same + near.changed + near.missing;
    let mut parts = vec![format!(
        "{} of {} the same",
        near.same,
        report::many(all, "file")
    )];
    for (count, what) in [
        (near.changed, "changed"),
        (near.missing, "missing"),
        (near.added, "only here"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if near.lines > 0 {
        parts.push(report::many(near.lines, "line") + " apart");
    }
    Ok(plain(format!(
        "{}: {} of {}: {}; recorded in {}\n",
        shown(folder),
        visible(&adopted.version.full),
        visible(&adopted.origin.shown()),
        parts.join(", "),
        shown(&adopted.record)
    )))
}

/// Tells which packages have a newer version.
pub(super) fn outdated(
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    exit_code: bool,
) -> Result<Done, Error> {
    let states = upgrade::outdated(remotes, packages, options)?;
    let failures = states.iter().filter_map(|state| match state {
        PackageOutcome::Failed(package, error) => Some(failed(package, error, run)),
        _ => None,
    });
    let notes: Vec<String> = failures.collect();
    let text = upgrade::outdated_text(&states);
    let none = states.is_empty().then(|| packages.none());
    let done = Done {
        report: match run.report.form {
            // the command line refuses a page of it
            Form::Text | Form::Html => text.clone(),
            Form::Json => upgrade::outdated_json(&states),
            Form::Markdown => upgrade::outdated_markdown(&states),
        },
        text,
        code: match notes.is_empty() {
            true if exit_code && states.iter().any(PackageOutcome::is_outdated) => {
                ExitCode::Conflicts
            }
            true => ExitCode::Merged,
            false => ExitCode::Failed,
        },
        notes,
        stopped: false,
    };
    Ok(done.with_note(none))
}

/// What is said of a package that failed: its name, too, where the error begins with something
/// else.
fn failed(package: &Path, error: &Error, run: &UpstreamRun) -> String {
    let package = shown(package);
    let told = error.render(run.shown.color_errors);
    match error.to_string().starts_with(&package) {
        true => told,
        false => format!("{package} failed:\n{told}"),
    }
}

fn with_readable_errors(
    run: &UpstreamRun,
    outcomes: Vec<PackageOutcome<Upgrade>>,
) -> Vec<PackageOutcome<Upgrade>> {
    let outcomes = outcomes.into_iter().map(|outcome| match outcome {
        PackageOutcome::Failed(package, error) => {
            PackageOutcome::Failed(package, run.shown.readable(error))
        }
        other => other,
    });
    outcomes.collect()
}

/// What came of upgrades.
pub(super) fn upgraded(
    run: &UpstreamRun,
    outcomes: Vec<PackageOutcome<Upgrade>>,
    dry_run: bool,
    diff: bool,
) -> Done {
    let outcomes = with_readable_errors(run, outcomes);
    let mut notes = Vec::new();
    let mut code = ExitCode::Merged;
    let mut stopped = false;
    let mut diffs = String::new();
    for outcome in &outcomes {
        match outcome {
            PackageOutcome::UpToDate(_) => {}
            PackageOutcome::Failed(package, error) => {
                notes.push(failed(package, error, run));
                code = ExitCode::Failed;
                stopped |= matches!(error, Error::Stopped { .. });
            }
            PackageOutcome::Newer(upgrade) => {
                if upgrade.facts.open && code == ExitCode::Merged {
                    code = ExitCode::Conflicts;
                }
                notes.extend(notes_of(upgrade, run));
                if diff {
                    let one =
                        report::diff_in(&upgrade.package, &upgrade.plan, run.shown.color_output);
                    diffs.push_str(&one.text);
                    let left_out = one.left_out.iter().filter(|_| !run.args.quiet);
                    notes.extend(left_out.map(|it| format!("warning: {it}")));
                }
            }
        }
    }
    let detail = Detail {
        files: run.args.verbose || dry_run,
        records: run.args.verbose,
        color: run.shown.color_output,
    };
    let (report, text) = if diff {
        let diffs = on_terminal(diffs, run.shown.color_output);
        (diffs.clone(), diffs)
    } else {
        let text = upgrade::upgrade_text(&outcomes, detail);
        let report = match run.report.form {
            Form::Text => text.clone(),
            Form::Json => upgrade::upgrade_json(&outcomes),
            Form::Markdown => upgrade::upgrade_markdown(&outcomes),
            Form::Html => upgrade::upgrade_html(&outcomes),
        };
        (report, text)
    };
    Done {
        report,
        text,
        notes,
        code,
        stopped,
    }
}

/// What was left out of an upgrade, or is left to do.
fn notes_of(upgrade: &Upgrade, run: &UpstreamRun) -> Vec<String> {
    let package = shown(&upgrade.package);
    let mut notes = Vec::new();
    if !run.args.quiet {
        let warnings = upgrade.plan.warnings.iter();
        notes.extend(warnings.map(|it| it.render(run.shown.color_errors)));
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
