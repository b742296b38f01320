//! The commands about packages that come from upstream: `get`, `adopt`, `upgrade`, `outdated` and
//! `cache`, and their arguments. `upstream` carries them out.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::args::usage_error;
use super::merge_args::{MarkerArgs, MergeArgs};
use super::output::{DisplayArgs, ReportArgs, ReportFormat, RunArgs, threads};
use super::print::{Printer, Streams};
use super::upstream::{adopt, cache, get, outdated, upgrade_packages};
use crate::merge::OnConflict;
use crate::triple::Triple;
use crate::upgrade::{Choice, Remotes, Shard, Template, UpgradeOptions};

const STATUS: &str =
    "Exit status: 0 nothing to do, or done; 1 conflicts are left; 2 something failed";

/// The minimum default for the number of packages that are processed at the same time.
const MIN_DEFAULT_JOBS: usize = 8;

/// The commands about packages that come from upstream.
#[derive(Debug, Subcommand)]
pub(super) enum UpstreamCommands {
    /// Vendor a package, and record where it comes from
    Get(GetArgs),
    /// Record where an existing copy of a package comes from
    Adopt(AdoptArgs),
    /// Bring packages up to date with where they come from
    #[command(after_help = STATUS)]
    Upgrade(Box<UpgradeArgs>),
    /// Tell which packages have a newer version
    #[command(after_help = "Exit status: 0 found out; 1 something \
        is outdated, with --exit-code; 2 something failed")]
    Outdated(OutdatedArgs),
    /// What was fetched from upstream repositories
    #[command(subcommand)]
    Cache(CacheCommand),
}

/// The arguments of `get`.
#[derive(Debug, Args)]
pub(super) struct GetArgs {
    /// Where it is, such as https://example.org/charts.git/grafana@v1.2.3
    #[arg(value_name = "REPO[/DIR][@REF]")]
    pub(super) address: String,
    /// The folder that it goes to; else one of its name, here
    pub(super) folder: Option<PathBuf>,
    /// Take a version before a release too, where no REF is given
    #[arg(long)]
    pub(super) pre_releases: bool,
}

/// The arguments of `adopt`.
#[derive(Debug, Args)]
pub(super) struct AdoptArgs {
    /// The folder with the copy
    pub(super) folder: PathBuf,
    /// Where it comes from: without a REF, the version that is nearest to the copy; without an
    /// address, what vendir.lock.yml says
    #[arg(value_name = "REPO[/DIR][@REF]")]
    pub(super) address: Option<String>,
    /// Look at versions before a release too
    #[arg(long)]
    pub(super) pre_releases: bool,
}

/// The arguments of `upgrade`.
#[derive(Debug, Args)]
pub(super) struct UpgradeArgs {
    #[command(flatten)]
    selection: SelectionArgs,
    /// The version to go to: a tag, branch or commit; else the newest
    #[arg(long, value_name = "REF", conflicts_with = "all")]
    to: Option<String>,
    #[command(flatten)]
    merge: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    /// Show what would change, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the changes as a unified diff, write nothing
    #[arg(long)]
    diff: bool,
    /// Upgrade a package with uncommitted changes too
    #[arg(long)]
    allow_dirty: bool,
    /// Create or reset this branch for the upgrades, and switch to it
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Commit each upgrade; nothing is pushed
    #[arg(long)]
    commit: bool,
    /// The commits' message: text with {package}, {name} (its last folder), {from}, {to},
    /// {upstream}, {conflicts} (their number) and {details}
    #[arg(long, value_name = "TEXT", value_parser = Template::new, requires = "commit")]
    message: Option<Template>,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// The arguments of `outdated`.
#[derive(Debug, Args)]
#[command(mut_arg("format", |it| it.help("The report: text (default), json, markdown")))]
pub(super) struct OutdatedArgs {
    #[command(flatten)]
    selection: SelectionArgs,
    /// Exit status 1 if a package is outdated
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// The arguments that select packages and versions.
#[derive(Debug, Args)]
struct SelectionArgs {
    /// The packages' folders
    #[arg(value_name = "PACKAGE")]
    packages: Vec<PathBuf>,
    /// All packages below here
    #[arg(long, conflicts_with = "packages")]
    all: bool,
    /// Of all packages a stable share, such as 2/5: for one of several machines
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "packages")]
    shard: Option<Shard>,
    #[command(flatten)]
    choice: Choice,
    /// How many packages at the same time; else one for each core, and 8 at least
    #[arg(short, long, value_name = "N", value_parser = threads, conflicts_with = "threads")]
    jobs: Option<NonZeroUsize>,
    /// A host or repository that a package in a package may come from, beside the outer one's
    /// repository
    #[arg(long, value_name = "HOST")]
    allow_upstream: Vec<String>,
}

/// The subcommands of `cache`.
#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Empty it
    Clean,
    /// Print its path
    Path,
}

/// Parses a share of the packages, such as `2/5`.
fn shard(text: &str) -> Result<Shard, String> {
    let parsed = || {
        let (index, count) = text.split_once('/')?;
        Shard::new(index.parse().ok()?, count.parse().ok()?)
    };
    parsed().ok_or_else(|| "a share is I/N, with I from 1 to N".to_owned())
}

impl SelectionArgs {
    /// Returns how many packages to process at the same time. The default may be more than the
    /// number of cores, because jobs spend most of their time waiting for servers.
    fn jobs(&self, run: &RunArgs) -> Option<NonZeroUsize> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs
            .or(run.threads)
            .or(NonZeroUsize::new(cores.max(MIN_DEFAULT_JOBS)))
    }

    /// Returns options with the selected packages and versions.
    fn options(self) -> UpgradeOptions {
        UpgradeOptions {
            packages: self.packages,
            shard: self.shard,
            choice: self.choice,
            allowed: self.allow_upstream,
            ..UpgradeOptions::default()
        }
    }
}

impl UpstreamCommands {
    /// Runs the command.
    ///
    /// # Errors
    /// The arguments are wrong.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        let printer = Printer::showing(DisplayArgs::default());
        Ok(match self {
            Self::Get(args) => printer.execute(None, |it, at| get(it, at, &args), streams),
            Self::Adopt(args) => printer.execute(None, |_, at| adopt(at, &args), streams),
            Self::Cache(command) => printer.execute(None, |_, _| cache(&command), streams),
            Self::Outdated(args) => args.run(streams)?,
            Self::Upgrade(args) => args.run(streams)?,
        })
    }
}

impl OutdatedArgs {
    fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        if self.report.format == ReportFormat::Html {
            let why = "it has no HTML report: --report html is for merges and upgrades";
            return Err(usage_error("outdated", why));
        }
        let jobs = self.selection.jobs(&self.run);
        let options = self.selection.options();
        let printer = Printer::new(self.report, self.run);
        let exit_code = self.exit_code;
        let work = |run: &Printer, at: &Remotes<'_>| outdated(run, at, &options, exit_code);
        Ok(printer.execute(jobs, work, streams))
    }
}

impl UpgradeArgs {
    fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        const NAME: &str = "upgrade";
        if self.commit && self.merge.on_conflict == OnConflict::Markers {
            let message = "--on-conflict markers leaves conflicts to \
                you, and --commit would commit them: take one of the two";
            return Err(usage_error(NAME, message));
        }
        let names = Triple::new("original", "updated", "local").map(PathBuf::from);
        let jobs = self.selection.jobs(&self.run);
        let is_all = self.selection.all || self.selection.shard.is_some();
        let selected = self.selection.options();
        if selected.packages.is_empty() && !is_all {
            let message = "name packages, or take --all of those below here";
            return Err(usage_error(NAME, message));
        }
        let settings = self.merge.settings(self.markers.style(NAME, &names)?);
        let options = UpgradeOptions {
            to: self.to,
            dry_run: self.dry_run || self.diff,
            durable: self.run.sync,
            allow_dirty: self.allow_dirty,
            log: self.report.format != ReportFormat::Text,
            branch: self.branch,
            commit: self.commit,
            template: self.message.unwrap_or_default(),
            settings: self.run.display.settings(settings),
            ..selected
        };
        let printer = Printer::new(self.report, self.run);
        let diff = self.diff;
        let work = |run: &Printer, at: &Remotes<'_>| upgrade_packages(run, at, &options, diff);
        Ok(printer.execute(jobs, work, streams))
    }
}
