//! Runs of the subcommands about packages that come from upstream, and what is told of them.

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use super::exit_code::ExitCode;
use super::output::{RunArgs, Shown};
use super::progress::Line;
use super::report::{Form, ReportTo};
use super::run::{in_pool, on_terminal, tell_waiting};
use super::signals::Signals;
use super::upstream_args::{AdoptArgs, CacheCommand, GetArgs};
use crate::error::{Error, shown};
use crate::package::Disk;
use crate::report::{self, Detail};
use crate::upgrade::{
    self, Cache, Choice, PackageOutcome, Packages, Remotes, Upgrade, UpgradeOptions,
};

/// What a command gave: what goes to standard output and to the report's file, and how it ended.
pub(super) struct Done {
    /// The report as text.
    text: String,
    /// The report in another form, where one was asked for.
    report: Option<String>,
    /// What was left out or went wrong, each rendered.
    notes: Vec<String>,
    code: ExitCode,
    /// Whether a signal kept it from its end.
    stopped: bool,
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
        work: impl FnOnce(&Remotes<'_>, &Signals) -> Result<Done, Error> + Send,
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
            work(&Remotes::new(Cache::of_user()?, &tell), &signals)
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

    /// What there is to tell beside the report on packages, and how they ended. Of one that has
    /// another version `newer` says what to note, and whether that is exit status 1.
    fn outcome<T>(
        &self,
        packages: &Packages,
        outcomes: &[PackageOutcome<T>],
        mut newer: impl FnMut(&T) -> (Vec<String>, bool),
    ) -> Done {
        let mut done = plain(match outcomes {
            [] => format!("{}\n", packages.none()),
            _ => String::new(),
        });
        for outcome in outcomes {
            match &outcome.newer {
                Ok(None) => {}
                Ok(Some(it)) => {
                    let (notes, is_left) = newer(it);
                    done.notes.extend(notes);
                    if is_left && done.code == ExitCode::Merged {
                        done.code = ExitCode::Conflicts;
                    }
                }
                Err(error) => {
                    done.notes.push(self.failed(&outcome.package, error));
                    done.code = ExitCode::Failed;
                    done.stopped |= matches!(error, Error::Stopped { .. });
                }
            }
        }
        done
    }

    /// What is said of a package that failed: its name, too, where the error begins with something
    /// else.
    fn failed(&self, package: &Path, error: &Error) -> String {
        let package = shown(package);
        let told = error.render(self.shown.color_errors);
        match error.to_string().starts_with(&package) {
            true => told,
            false => format!("{package} failed:\n{told}"),
        }
    }
}

/// Upgrades wait, and write, as this process is told to.
impl upgrade::Host for Signals {
    fn waiting(&self, package: &Path) {
        tell_waiting(package, &mut io::stderr());
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
    let report = done.report.as_ref().unwrap_or(&done.text);
    if let Err(error) = run.report.put(|| report.clone(), 1) {
        writeln!(errors, "{}", error.render(run.shown.color_errors))?;
        return Err(io::ErrorKind::Other.into());
    }
    let told = match &run.report.file {
        Some(_) => &done.text,
        None => report,
    };
    if run.report.is_printed() || !run.args.quiet {
        output.write_all(told.as_bytes())?;
    }
    output.flush()
}

fn plain(text: String) -> Done {
    Done {
        text,
        report: None,
        notes: Vec::new(),
        code: ExitCode::Merged,
        stopped: false,
    }
}

/// Empties the cache, or tells where it is.
pub(super) fn cache(command: &CacheCommand) -> Result<Done, Error> {
    let cache = Cache::of_user()?;
    Ok(plain(match command {
        CacheCommand::Path => format!("{}\n", cache.root().display()),
        CacheCommand::Clean => {
            let clones = report::many(cache.clean()?, "clone");
            format!("{clones} deleted from the cache\n")
        }
    }))
}

/// Vendors a package.
pub(super) fn get(run: &UpstreamRun, remotes: &Remotes<'_>, args: &GetArgs) -> Result<Done, Error> {
    let choice = Choice::newest(args.pre_releases);
    let folder = args.folder.as_deref();
    let (vendored, files, warnings) = upgrade::get(remotes, &args.address, folder, choice)?;
    let warnings = warnings.iter();
    Ok(Done {
        notes: warnings
            .map(|it| it.render(run.shown.color_errors))
            .collect(),
        ..plain(vendored.told(&format!(", {}", report::many(files, "file"))))
    })
}

/// Records where a copy comes from, and tells how near it is to that.
pub(super) fn adopt(remotes: &Remotes<'_>, args: &AdoptArgs) -> Result<Done, Error> {
    let choice = Choice::newest(args.pre_releases);
    let address = args.address.as_deref();
    let (adopted, near) = upgrade::adopt(remotes, &args.folder, address, choice)?;
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
    Ok(plain(adopted.told(&format!(": {}", parts.join(", ")))))
}

/// Tells which packages have a newer version.
pub(super) fn outdated(
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    exit_code: bool,
) -> Result<Done, Error> {
    let outcomes = upgrade::outdated(remotes, packages, options)?;
    let text = upgrade::outdated_text(&outcomes);
    let report = match run.report.form {
        // the command line refuses a page of it
        Form::Text | Form::Html => None,
        Form::Json => Some(upgrade::outdated_json(&outcomes)),
        Form::Markdown => Some(upgrade::outdated_markdown(&outcomes)),
    };
    let done = run.outcome(packages, &outcomes, |it| {
        (Vec::new(), exit_code && it.wanted.is_some())
    });
    Ok(Done {
        text: text + &done.text,
        report,
        ..done
    })
}

/// Upgrades packages; where it is to print a `diff`, nothing else of them is reported.
pub(super) fn upgraded(
    run: &UpstreamRun,
    remotes: &Remotes<'_>,
    (packages, options): (&Packages, &UpgradeOptions),
    signals: &Signals,
    diff: bool,
) -> Result<Done, Error> {
    let outcomes = upgrade::upgrade(remotes, packages, options, signals)?;
    let color = run.shown.color_output;
    let mut diffs = String::new();
    let done = run.outcome(packages, &outcomes, |it| {
        let mut notes = notes_of(it, run);
        if diff {
            let one = report::diff_in(&it.package, &it.plan, color);
            diffs.push_str(&one.text);
            let left_out = one.left_out.iter().filter(|_| !run.args.quiet);
            notes.extend(left_out.map(|it| format!("warning: {it}")));
        }
        (notes, it.facts.open)
    });
    let (text, report) = if diff {
        (on_terminal(diffs, color), None)
    } else {
        let detail = Detail {
            files: run.args.verbose || options.dry_run,
            records: run.args.verbose,
            color,
        };
        let report = match run.report.form {
            Form::Text => None,
            Form::Json => Some(upgrade::upgrade_json(&outcomes)),
            Form::Markdown => Some(upgrade::upgrade_markdown(&outcomes)),
            Form::Html => Some(upgrade::upgrade_html(&outcomes)),
        };
        (upgrade::upgrade_text(&outcomes, detail), report)
    };
    Ok(Done {
        text: text + &done.text,
        report,
        ..done
    })
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
