//! Runs of the subcommands about packages that come from upstream, and what is told of them.

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use super::config::Verbosity;
use super::exit_code::ExitCode;
use super::progress::Line;
use super::report::Form;
use super::run::{in_pool, on_terminal, waiting_at};
use super::signals::Signals;
use super::upstream_args::{CacheCommand, GetArgs, UpstreamCommand, UpstreamRun};
use crate::error::{Error, shown};
use crate::package::Disk;
use crate::report::{self, Detail};
use crate::upgrade::{self, Adopted, Cache, Choice, Outdated, PackageOutcome, Remotes, Upgrade};
use crate::visible::visible;

/// What a command gave: what goes to standard output and to the report's file, and how it ended.
struct Done {
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
    fn with_note(mut self, note: Option<&str>) -> Self {
        let line = note.map_or(String::new(), |note| format!("{note}\n"));
        // a report in another form says it in its own way
        if self.report == self.text {
            self.report.push_str(&line);
        }
        self.text.push_str(&line);
        self
    }
}

/// Runs a command about upstream.
pub(super) fn run(run: &UpstreamRun, output: &mut impl Write, errors: &mut impl Write) -> ExitCode {
    // a system that knows no signals sends none
    let signals = Signals::listen().unwrap_or_default();
    let done = in_pool(run.threads, || carry_out(run, &signals));
    let done = match done {
        Ok(done) => done,
        Err(error) => return run.shown.failed(error, None, errors),
    };
    let told = tell(run, &done, output, errors);
    let code = match signals.status() {
        Some(status) if done.stopped => ExitCode::Other(status),
        _ => done.code,
    };
    code.unless_lost(told)
}

/// Upgrades wait, and write, as this process is told to.
struct Here<'s>(&'s Signals);

impl upgrade::Host for Here<'_> {
    fn waiting(&self, package: &Path) {
        // there is nobody left to tell where that fails
        let _ = writeln!(io::stderr(), "{}", waiting_at(package));
    }

    fn write(&self, work: &mut dyn FnMut(&dyn Disk) -> Result<(), Error>) -> Result<(), Error> {
        self.0.hold_off(|disk| work(disk))
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
    if run.report.is_printed() || !run.is_quiet() {
        output.write_all(told.as_bytes())?;
    }
    output.flush()
}

fn carry_out(run: &UpstreamRun, signals: &Signals) -> Result<Done, Error> {
    run.report.ready()?;
    let cache = Cache::of_user()?;
    let is_shown = run.verbosity != Verbosity::Quiet && io::stderr().is_terminal();
    let line = Line::new(is_shown);
    let tell = |what: &str| line.tell(what);
    let remotes = |cache| Remotes::new(cache, &tell);
    match &run.command {
        UpstreamCommand::Cache(CacheCommand::Path) => {
            Ok(plain(format!("{}\n", cache.root().display())))
        }
        UpstreamCommand::Cache(CacheCommand::Clean) => {
            let count = cache.clean()?;
            Ok(plain(format!(
                "{} deleted from the cache\n",
                report::many(count, "clone")
            )))
        }
        UpstreamCommand::Get(args) => get(run, &remotes(cache), args),
        UpstreamCommand::Adopt(args) => {
            let choice = newest(args.pre_releases);
            let adopted = upgrade::adopt(
                &remotes(cache),
                &args.folder,
                args.address.as_deref(),
                choice,
            )?;
            Ok(plain(told_of(&args.folder, &adopted)))
        }
        UpstreamCommand::Outdated {
            packages,
            options,
            exit_code,
        } => {
            let states = upgrade::outdated(&remotes(cache), packages, options)?;
            let none = states.is_empty().then(|| packages.none());
            Ok(outdated(run, &states, *exit_code).with_note(none))
        }
        UpstreamCommand::Upgrade {
            packages,
            options,
            commits,
            diff,
        } => {
            let outcomes =
                upgrade::upgrade(&remotes(cache), packages, options, commits, &Here(signals))?;
            let none = outcomes.is_empty().then(|| packages.none());
            Ok(upgraded(run, outcomes, options.dry_run, *diff).with_note(none))
        }
    }
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

/// Any version there is, those before a release too where that is said.
fn newest(pre_releases: bool) -> Choice {
    Choice {
        pre_releases,
        ..Choice::default()
    }
}

fn get(run: &UpstreamRun, remotes: &Remotes<'_>, args: &GetArgs) -> Result<Done, Error> {
    let choice = newest(args.pre_releases);
    let vendored = upgrade::get(remotes, &args.address, args.folder.as_deref(), choice)?;
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

/// Where a copy comes from, and how near it is to that.
fn told_of(folder: &Path, adopted: &Adopted) -> String {
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
    format!(
        "{}: {} of {}: {}; recorded in {}\n",
        shown(folder),
        visible(&adopted.version.full),
        visible(&adopted.origin.shown()),
        parts.join(", "),
        shown(&adopted.record)
    )
}

fn outdated(run: &UpstreamRun, states: &[PackageOutcome<Outdated>], exit_code: bool) -> Done {
    let failures = states.iter().filter_map(|state| match state {
        PackageOutcome::Failed(package, error) => Some(failed(package, error, run)),
        _ => None,
    });
    let notes: Vec<String> = failures.collect();
    let text = upgrade::outdated_text(states);
    Done {
        report: match run.report.form {
            // the command line refuses a page of it
            Form::Text | Form::Html => text.clone(),
            Form::Json => upgrade::outdated_json(states),
            Form::Markdown => upgrade::outdated_markdown(states),
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
    }
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

fn upgraded(
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
                    let left_out = one.left_out.iter().filter(|_| !run.is_quiet());
                    notes.extend(left_out.map(|it| format!("warning: {it}")));
                }
            }
        }
    }
    let detail = Detail {
        files: run.verbosity == Verbosity::Verbose || dry_run,
        records: run.verbosity == Verbosity::Verbose,
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
    if !run.is_quiet() {
        let warnings = upgrade.plan.warnings.iter();
        notes.extend(warnings.map(|it| it.render(run.shown.color_errors)));
    }
    if upgrade.facts.refused {
        notes.push(format!(
            "{package}: conflicts are left: nothing was written"
        ));
    } else if upgrade.facts.open && !run.is_quiet() {
        notes.push(format!("{package}: conflicts are left: see the report"));
    }
    notes
}
