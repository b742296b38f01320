//! One run of the main job, or of another one that changes a package: plan, write or show, report.

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::config::{Config, Job};
use super::exit_code::ExitCode;
use super::output::Shown;
use super::output_path::{self, Destination, is_in_place};
use super::progress::with_bar;
use super::report::Form;
use super::signals::Signals;
use crate::error::{Error, shown};
use crate::package::{self, Access, Input, Lock, Plan};
use crate::report::{self, Detail, Diff, Facts};
use crate::triple::Triple;
use crate::visible::visible_lines;

/// A text from which nothing was left out.
pub(super) fn plain(text: String) -> Diff {
    Diff {
        text,
        ..Diff::default()
    }
}

/// Prints what a command found out that changes nothing. What is not shown of it, and what went
/// wrong, goes to `errors`.
pub(super) fn print(
    found: Result<Diff, Error>,
    shown: &Shown,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> ExitCode {
    match found {
        Ok(diff) => ExitCode::Merged.unless_lost(
            tell_left_out(&diff.left_out, errors)
                .and_then(|()| output.write_all(diff.text.as_bytes()))
                .and_then(|()| output.flush()),
        ),
        Err(error) => shown.failed(error, None, errors),
    }
}

/// In bytes.
const SHORT: u64 = 64 << 10;

/// A merge that is done.
struct Done {
    plan: Plan,
    /// The merged file, where it is to be printed.
    printed: Option<Vec<u8>>,
    facts: Facts,
}

/// Merges packages, or does another job that changes one. Results go to `output`, everything else
/// to `errors`.
pub(super) fn merge(
    config: &Config,
    output: &mut impl Write,
    errors: &mut (impl Write + Send),
) -> ExitCode {
    // a system that knows no signals sends none
    let signals = Signals::listen().unwrap_or_default();
    let lock = locked(config, errors);
    let mut warned = Ok(());
    let mut warn = |plan: &Plan| warned = warn(config, plan, errors);
    let result = lock.and_then(|_lock| {
        let work = || carry_out(config, &signals, &mut warn);
        in_threads(config.output.run.threads, &config.sides, work)
    });
    let done = match result {
        Ok(done) => done,
        Err(error) => return config.shown.failed(error, Some(&signals), errors),
    };
    let told = warned.and_then(|()| tell(config, &done, output, errors));
    let changes = config.output.check && !done.plan.files.is_empty();
    let code = match done.facts.open || changes {
        true => ExitCode::Conflicts,
        false => ExitCode::Merged,
    };
    code.unless_lost(told)
}

/// Tells that another run is at a package, which is waited for.
pub(super) fn tell_waiting(package: &Path, errors: &mut impl Write) {
    let package = shown(package);
    // there is nobody left to tell where that fails
    let _ = writeln!(errors, "waiting for another run of merge3 at {package}");
}

/// The right to be at the local package.
pub(super) fn locked(config: &Config, errors: &mut impl Write) -> Result<Lock, Error> {
    let access = if is_in_place(config) {
        Access::Write
    } else {
        Access::Read
    };
    let local = &config.sides.local;
    package::lock(local, access, || tell_waiting(local, errors))
}

/// The plan.
pub(super) fn planned(config: &Config) -> Result<Plan, Error> {
    let bar = !config.output.run.quiet && io::stderr().is_terminal();
    let plan = || {
        with_bar(bar, |progress| match &config.job {
            Job::Merge => package::plan_sides(
                &config.sides.as_ref().map(Input::disk),
                &config.settings,
                progress,
            ),
            Job::Apply(what) => package::apply_with(what, &config.settings, progress),
            Job::Patch(patching) => package::plan_patches(patching, &config.settings),
        })
    };
    or_undone(config, plan)
}

/// A plan. What the same run left half done that was killed is taken back before, where this one
/// may write.
pub(super) fn or_undone(
    config: &Config,
    plan: impl Fn() -> Result<Plan, Error>,
) -> Result<Plan, Error> {
    match plan() {
        Err(Error::Unfinished {
            package,
            same: true,
            ..
        }) if is_in_place(config) => {
            package::undo(&package)?;
            plan()
        }
        planned => planned,
    }
}

/// Tells what there is to know of a plan.
fn warn(config: &Config, plan: &Plan, errors: &mut impl Write) -> io::Result<()> {
    let mut warnings = plan.warnings.iter().filter(|_| !config.output.run.quiet);
    warnings
        .try_for_each(|warning| writeln!(errors, "{}", warning.render(config.shown.color_errors)))
}

/// Plans, and writes where that is to be done; `warn` is called before anything is written.
fn carry_out(
    config: &Config,
    signals: &Signals,
    warn: &mut (impl FnMut(&Plan) + Send),
) -> Result<Done, Error> {
    let start = Instant::now();
    config.report.ready()?;
    let mut plan = planned(config)?;
    warn(&plan);
    let on_conflict = config.settings.merge.on_conflict;
    let mut facts = Facts::of(&plan, on_conflict, start.elapsed());
    let mut printed = None;
    facts.written = config.writes() && !facts.refused;
    if facts.written {
        let durable = config.output.run.sync;
        match Destination::of(config) {
            None => plan.write_to(signals.hold_off(), durable)?,
            Some(Destination::Output) => printed = Some(output_path::result(config, &plan)?),
            Some(Destination::Path(path)) => {
                output_path::write(config, &mut plan, path, signals.hold_off(), durable)?;
            }
        }
    }
    facts.duration = start.elapsed();
    let count = if facts.written { plan.files.len() } else { 0 };
    let text = || report_text(config, &plan, &facts, false);
    config.report.put(text, count)?;
    Ok(Done {
        plan,
        printed,
        facts,
    })
}

/// Does some work on packages with a number of threads; where none is given, in this thread if the
/// packages are files that are short. In this thread a document of 512 levels, the deepest that is
/// read, was merged with a stack of 1 MB, without optimization.
pub(super) fn in_threads<R: Send>(
    threads: Option<NonZeroUsize>,
    sides: &Triple<PathBuf>,
    work: impl FnOnce() -> Result<R, Error> + Send,
) -> Result<R, Error> {
    if threads.is_some() || !are_short_files(sides) {
        return in_pool(threads, work);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread();
    match pool.build() {
        Ok(pool) => pool.install(work),
        // it is in one already
        Err(_) => in_pool(Some(NonZeroUsize::MIN), work),
    }
}

/// Whether the sides are files that are merged sooner than threads are started.
fn are_short_files(sides: &Triple<PathBuf>) -> bool {
    let is_short =
        |path: &PathBuf| std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= SHORT);
    sides.as_ref().into_array().into_iter().all(is_short)
}

/// Does some work with a number of threads, one for each core where none is given.
pub(super) fn in_pool<R: Send>(
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> Result<R, Error> + Send,
) -> Result<R, Error> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        // the parser and the walk recurse: no document, however deep, is to come near the end of it
        .stack_size(64 << 20)
        .start_handler(|_| grow_heap())
        .build()
        .map_err(|error| {
            Error::refused(format!("cannot start threads: {error}"), "try --threads 1")
        })?;
    pool.install(work)
}

/// Lets a thread's heap grow once: glibc does that page by page otherwise, with a system call for
/// each.
///
/// What is let go of a size decides from which size on memory is taken apart from the heap, and how
/// much may be free at its end.
fn grow_heap() {
    for size in [24 << 20, 20 << 20] {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(size)));
    }
}

/// The report in the form that was asked for.
fn report_text(config: &Config, plan: &Plan, facts: &Facts, color: bool) -> String {
    match config.report.form {
        Form::Text => summary(config, plan, facts, color),
        Form::Json => report::json(plan, facts),
        Form::Markdown => report::markdown(plan, facts),
        Form::Html => report::html(plan, facts),
    }
}

fn summary(config: &Config, plan: &Plan, facts: &Facts, color: bool) -> String {
    let (verbose, diff) = (config.output.run.verbose, config.output.diff);
    let detail = Detail {
        files: verbose || !config.writes() && !diff,
        records: verbose,
        color,
    };
    report::summary(plan, facts, detail)
}

/// A diff as it goes to standard output: on a terminal, nothing in it is obeyed; anywhere else it
/// is a patch, to the byte.
pub(super) fn on_terminal(diff: String, color: bool) -> String {
    match io::stdout().is_terminal() && !color {
        true => visible_lines(&diff),
        false => diff,
    }
}

/// Tells what a diff does not show.
pub(super) fn tell_left_out(left_out: &[String], errors: &mut impl Write) -> io::Result<()> {
    left_out
        .iter()
        .try_for_each(|it| writeln!(errors, "warning: {it}"))
}

fn tell(
    config: &Config,
    done: &Done,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> io::Result<()> {
    let plan = &done.plan;
    let quiet = config.output.run.quiet;
    let text = |color: bool| match config.report.file {
        Some(_) => summary(config, plan, &done.facts, color),
        None => report_text(config, plan, &done.facts, color),
    };
    // a report that was asked for is reported however quiet the run is to be
    let told = !quiet || config.report.is_printed();
    if let Some(bytes) = &done.printed {
        output.write_all(bytes)?;
    } else if config.output.diff {
        let diff = report::diff(plan, config.shown.color_output);
        if !quiet {
            tell_left_out(&diff.left_out, errors)?;
        }
        let diff = on_terminal(diff.text, config.shown.color_output);
        output.write_all(diff.as_bytes())?;
    }
    let is_taken = done.printed.is_some() || config.output.diff;
    match is_taken {
        _ if !told => {}
        true => errors.write_all(text(config.shown.color_errors).as_bytes())?,
        false => output.write_all(text(config.shown.color_output).as_bytes())?,
    }
    if done.facts.refused {
        writeln!(errors, "conflicts are left: nothing was written")?;
    } else if done.facts.open && !quiet {
        writeln!(errors, "conflicts are left: see the report")?;
    }
    output.flush()
}
