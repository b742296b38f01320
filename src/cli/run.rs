//! Carries out the commands that change a package: plans the changes, writes or shows them, and
//! reports. Starts at [`merge`].

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::config::{Config, Job, is_standard};
use super::print::{CONFLICTS, DONE, Streams, escaped_for_terminal, left_out_notes, unless_failed};
use super::progress::with_progress_bar;
use super::report::{ReportFormat, check_writable};
use super::signals::Signals;
use crate::error::Error;
use crate::package::{self, Access, Disk, Input, Lock, Plan, read_named, replace, standard_input};
use crate::report::{self, Detail, Facts};
use crate::triple::Triple;

/// The maximum size of a file that is merged without starting threads, in bytes.
const MAX_SHORT_FILE: u64 = 64 << 10;

/// The result of a run.
struct Finished {
    plan: Plan,
    warnings_printed: io::Result<()>,
    /// The content of the merged file, if it goes to standard output.
    stdout_content: Option<Vec<u8>>,
    facts: Facts,
}

/// Runs a merge, or another job that changes a package. Results go to `output`, all other text to
/// `errors`.
pub(super) fn merge(config: &Config, streams: &mut Streams<'_>) -> u8 {
    // without signal handlers the run cannot be interrupted cleanly, but it works
    let signals = Signals::listen().unwrap_or_default();
    let lock = lock_local(config, streams);
    let result = lock.and_then(|_lock| {
        let work = || execute(config, &signals, streams);
        in_threads(config.output.run.threads, &config.sides, work)
    });
    let finished = match result {
        Ok(finished) => finished,
        Err(error) => return config.display().fail(error, &signals, streams),
    };
    let check_failed = config.output.check && !finished.plan.files.is_empty();
    let status = match finished.facts.open || check_failed {
        true => CONFLICTS,
        false => DONE,
    };
    let printed = print_report(config, &finished, streams);
    unless_failed(status, finished.warnings_printed.and(printed))
}

/// Locks the local package, for writing if the run changes it in place, else for reading.
pub(super) fn lock_local(config: &Config, streams: &mut Streams<'_>) -> Result<Lock, Error> {
    let access = match config.is_in_place() {
        true => Access::Write,
        false => Access::Read,
    };
    streams.lock(&config.sides.local, access)
}

/// Plans the changes of the job, without writing them.
pub(super) fn make_plan(config: &Config) -> Result<Plan, Error> {
    let plan = || {
        with_progress_bar(config.output.run.quiet, |progress| match &config.job {
            Job::Merge => package::plan_sides(
                &config.sides.as_ref().map(Input::disk),
                &config.settings,
                progress,
            ),
            Job::Apply(apply) => package::apply_with(apply, &config.settings, progress),
            Job::Patch(patching) => package::plan_patches(patching, &config.settings),
        })
    };
    plan_or_recover(config, plan)
}

/// Returns the result of `plan`. If an earlier run of the same merge was killed while it wrote, and
/// this run may write, undoes the earlier run and calls `plan` again.
pub(super) fn plan_or_recover(
    config: &Config,
    plan: impl Fn() -> Result<Plan, Error>,
) -> Result<Plan, Error> {
    match plan() {
        Err(Error::Unfinished {
            package,
            same: true,
            ..
        }) if config.is_in_place() => {
            package::undo(&package)?;
            plan()
        }
        result => result,
    }
}

/// Plans the changes and writes them, unless the run only reports. Prints the warnings before it
/// writes anything.
fn execute(
    config: &Config,
    signals: &Signals,
    streams: &mut Streams<'_>,
) -> Result<Finished, Error> {
    let start = Instant::now();
    config.report.check_writable()?;
    let mut plan = make_plan(config)?;
    let warnings_printed = match config.output.run.quiet {
        true => Ok(()),
        false => streams.write_errors(&config.display().rendered(&plan.warnings)),
    };
    let on_conflict = config.settings.merge.on_conflict;
    let mut facts = Facts::of(&plan, on_conflict, start.elapsed());
    let mut stdout_content = None;
    facts.written = config.writes() && !facts.refused;
    if facts.written {
        let durable = config.output.run.sync;
        match config.destination() {
            None => plan.write_to(signals.defer(), durable)?,
            Some(path) if is_standard(path) => {
                stdout_content = Some(merged_file(config, &plan)?);
            }
            Some(path) => {
                write_to(config, &mut plan, path, signals.defer(), durable)?;
            }
        }
    }
    facts.duration = start.elapsed();
    let count = if facts.written { plan.files.len() } else { 0 };
    let text = || report_text(config, &plan, &facts, false);
    config.report.write(text, count)?;
    Ok(Finished {
        plan,
        warnings_printed,
        stdout_content,
        facts,
    })
}

/// Writes the result of a merge to `path`: a file, or a folder that is missing, empty or left by a
/// run that was killed. Afterwards `plan` describes the copy.
///
/// # Errors
/// The folder has other content, or writing fails.
fn write_to(
    config: &Config,
    plan: &mut Plan,
    path: &Path,
    disk: &dyn Disk,
    durable: bool,
) -> Result<(), Error> {
    if !config.sides.local.is_dir() {
        let bytes = merged_file(config, plan)?;
        check_writable("--output", path)?;
        return replace(path, &bytes).map_err(Error::writing(path));
    }
    plan.write_copy(disk, path, durable)
}

/// Returns the content of the merged file, if the sides are files.
///
/// # Errors
/// The sides are folders, or the local file cannot be read.
fn merged_file(config: &Config, plan: &Plan) -> Result<Vec<u8>, Error> {
    let local = &config.sides.local;
    if local.is_dir() {
        return Err(Error::output(
            Path::new("-"),
            "prints one file, and the sides are folders",
        ));
    }
    match plan.files.first() {
        Some(change) => Ok(change.new.as_deref().unwrap_or_default().to_vec()),
        None if is_standard(local) => Ok(standard_input()?.to_vec()),
        None => read_named(local).map_err(Error::reading(local)),
    }
}

/// Runs `work` on packages with the given number of threads. Without a number, runs it in this
/// thread if the packages are short files: that is faster than starting threads, and the default
/// stack is large enough even for the deepest document that is read (512 levels).
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
        // this thread already belongs to a pool
        Err(_) => in_pool(Some(NonZeroUsize::MIN), work),
    }
}

/// Returns true if all sides are files of at most [`MAX_SHORT_FILE`] bytes.
fn are_short_files(sides: &Triple<PathBuf>) -> bool {
    let is_short = |path: &PathBuf| {
        let metadata = std::fs::metadata(path);
        metadata.is_ok_and(|it| it.is_file() && it.len() <= MAX_SHORT_FILE)
    };
    sides.as_ref().into_array().into_iter().all(is_short)
}

/// Runs `work` in a pool with the given number of threads, or one for each core.
pub(super) fn in_pool<R: Send>(
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> Result<R, Error> + Send,
) -> Result<R, Error> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        // the parser and the walk recurse, so a deep document needs a large stack
        .stack_size(64 << 20)
        .start_handler(|_| grow_heap())
        .build()
        .map_err(|error| {
            Error::refused(format!("cannot start threads: {error}"), "try --threads 1")
        })?;
    pool.install(work)
}

/// Makes a thread's heap grow in large steps. By default glibc grows it page by page, with a system
/// call for each page.
///
/// When glibc frees a block that it had allocated outside of the heap, it raises two limits: the
/// size from which blocks are allocated outside, and the free memory that the heap may keep at its
/// end.
fn grow_heap() {
    for size in [24 << 20, 20 << 20] {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(size)));
    }
}

/// Returns the report in the requested format.
fn report_text(config: &Config, plan: &Plan, facts: &Facts, color: bool) -> String {
    match config.report.format {
        ReportFormat::Text => summary(config, plan, facts, color),
        ReportFormat::Json => report::json(plan, facts),
        ReportFormat::Markdown => report::markdown(plan, facts),
        ReportFormat::Html => report::html(plan, facts),
    }
}

/// Returns the summary, with the detail that the arguments ask for.
fn summary(config: &Config, plan: &Plan, facts: &Facts, color: bool) -> String {
    let (verbose, diff) = (config.output.run.verbose, config.output.diff);
    let detail = Detail {
        files: verbose || !config.writes() && !diff,
        records: verbose,
        color,
    };
    report::summary(plan, facts, detail)
}

/// Prints the merged file or the diff, if it was asked for, and the report.
fn print_report(config: &Config, finished: &Finished, streams: &mut Streams<'_>) -> io::Result<()> {
    let plan = &finished.plan;
    let quiet = config.output.run.quiet;
    let text = |color: bool| match config.report.file {
        Some(_) => summary(config, plan, &finished.facts, color),
        None => report_text(config, plan, &finished.facts, color),
    };
    // --quiet does not suppress a report in a requested format
    let prints_report = !quiet || config.report.is_printed();
    if let Some(bytes) = &finished.stdout_content {
        streams.output.write_all(bytes)?;
    } else if config.output.diff {
        let diff = report::diff(plan, config.display().color_output());
        if !quiet {
            streams.write_errors(&left_out_notes(&diff))?;
        }
        let diff = escaped_for_terminal(diff.text, config.display().color_output());
        streams.output.write_all(diff.as_bytes())?;
    }
    let stdout_is_used = finished.stdout_content.is_some() || config.output.diff;
    match stdout_is_used {
        _ if !prints_report => {}
        true => streams
            .errors
            .write_all(text(config.display().color_errors()).as_bytes())?,
        false => streams
            .output
            .write_all(text(config.display().color_output()).as_bytes())?,
    }
    if finished.facts.refused {
        writeln!(streams.errors, "conflicts are left: nothing was written")?;
    } else if finished.facts.open && !quiet {
        writeln!(streams.errors, "conflicts are left: see the report")?;
    }
    streams.output.flush()
}
