//! Carries out the commands that change a package: plans the changes, writes or shows them, and
//! reports. Starts at [`merge`]; [`Config`] says what to merge, and what to do with the result.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::output::{DisplayArgs, OutputArgs, ReportArgs, ReportFormat, check_writable};
use super::print::{CONFLICTS, DONE, Output, Printer, Streams, left_conflicts, unless_failed};
use super::progress::with_progress_bar;
use super::signals::Signals;
use crate::error::Error;
use crate::package::{
    self, Access, ApplyTo, Disk, Input, Lock, Patching, Plan, STANDARD_INPUT, Settings, read_named,
    replace, standard_input,
};
use crate::parallel::thread_pool;
use crate::report::{self, Detail, Facts};
use crate::triple::Triple;

/// The maximum size of a file that is merged without starting threads, in bytes.
const MAX_SHORT_FILE: u64 = 64 << 10;

/// The settings of a run.
#[derive(Debug)]
pub(super) struct Config {
    /// The paths of the three packages.
    pub sides: Triple<PathBuf>,
    /// How to merge.
    pub settings: Settings,
    /// What to do with the packages.
    pub job: Job,
    /// What to do with the result.
    pub output: OutputArgs,
    /// Which report to write.
    pub report: ReportArgs,
}

impl Config {
    /// Makes the settings of a run. Its output arguments say whether secrets are shown.
    pub(super) fn new(
        job: Job,
        sides: Triple<PathBuf>,
        settings: Settings,
        (output, report): (OutputArgs, ReportArgs),
    ) -> Self {
        Self {
            settings: output.run.display.settings(settings),
            output,
            sides,
            job,
            report,
        }
    }

    /// Returns which values and colours to print.
    pub(super) fn display(&self) -> &DisplayArgs {
        &self.output.run.display
    }

    /// Returns true if the run writes its result, and false if it only reports it.
    pub(super) fn writes(&self) -> bool {
        !self.output.diff && !self.output.dry_run && !self.output.check
    }

    /// Returns where the result goes, `-` for standard output; `None` for the local package itself.
    pub(super) fn destination(&self) -> Option<&Path> {
        // a local file from standard input has no path to write to
        let standard = Some(&*self.sides.local).filter(|local| is_standard(local));
        self.output.output.as_deref().or(standard)
    }

    /// Returns true if the run writes to the local package.
    pub(super) fn is_in_place(&self) -> bool {
        self.writes() && self.destination().is_none()
    }
}

/// Returns true for `-`, which stands for standard input and output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// What a run does with the packages.
#[derive(Debug)]
pub(super) enum Job {
    /// Merge the three packages.
    Merge,
    /// Apply configurations to live objects, which are the local side.
    Apply(ApplyTo),
    /// Apply patches to a target, which is the local side.
    Patch(Patching),
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
    let printer = Printer {
        report: config.report.clone(),
        args: config.output.run.clone(),
        signals,
    };
    printer.print(result, streams)
}

/// Locks the local package, for writing if the run changes it in place, else for reading.
pub(super) fn lock_local(config: &Config, streams: &mut Streams<'_>) -> Result<Lock, Error> {
    streams.lock(&config.sides.local, Access::of(config.is_in_place()))
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
fn execute(config: &Config, signals: &Signals, streams: &mut Streams<'_>) -> Result<Output, Error> {
    let start = Instant::now();
    config.report.check_writable()?;
    let mut plan = make_plan(config)?;
    let run = &config.output.run;
    let warned = streams.write_errors(&run.rendered(&plan.warnings));
    let mut output = Output::default();
    let mut facts = Facts::of(&plan, config.settings.merge.on_conflict, start.elapsed());
    facts.written = config.writes() && !facts.refused;
    if facts.written {
        match config.destination() {
            None => plan.write_to(signals, run.sync)?,
            Some(path) if is_standard(path) => output.content = Some(merged_file(config, &plan)?),
            Some(path) => write_to(config, &mut plan, path, signals, run.sync)?,
        }
        output.written = plan.files.len();
    }
    facts.duration = start.elapsed();
    if config.output.diff {
        let (diff, left_out) = run.diff(Path::new(""), &plan);
        output.content = Some(diff.into_bytes());
        output.notes = left_out;
    }
    add_reports(config, &plan, &facts, &mut output);
    output.last_note = left_conflicts(&facts, run.quiet);
    let check_failed = config.output.check && !plan.files.is_empty();
    let status = if facts.open || check_failed {
        CONFLICTS
    } else {
        DONE
    };
    output.status = unless_failed(status, warned);
    Ok(output)
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
        disk.begin();
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
    let pool = thread_pool(threads.map_or(0, NonZeroUsize::get))
        .build()
        .map_err(|error| {
            Error::refused(format!("cannot start threads: {error}"), "try --threads 1")
        })?;
    pool.install(work)
}

/// Adds the summary and the report to the output of a run, as far as its arguments ask for them.
fn add_reports(config: &Config, plan: &Plan, facts: &Facts, output: &mut Output) {
    let has_file = config.report.file.is_some();
    output.report = match config.report.format {
        ReportFormat::Text => has_file.then(|| summary(config, plan, facts, false)),
        ReportFormat::Json => Some(report::json(plan, facts)),
        ReportFormat::Markdown => Some(report::markdown(plan, facts)),
        ReportFormat::Html => Some(report::html(plan, facts)),
    };
    let color = match output.content {
        Some(_) => config.display().color_errors(),
        None => config.display().color_output(),
    };
    if !config.output.run.quiet && (has_file || output.report.is_none()) {
        output.text = summary(config, plan, facts, color);
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
