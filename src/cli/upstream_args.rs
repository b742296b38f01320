//! The arguments of the subcommands about packages that come from upstream.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::exit_code::ExitCode;
use super::markers::MarkerArgs;
use super::merge_args::MergeArgs;
use super::output::{RunArgs, threads};
use super::report::{Form, ReportTo};
use super::upstream::{UpstreamRun, adopt, cache, get, outdated, upgraded};
use crate::package::Settings;
use crate::triple::Triple;
use crate::upgrade::{Choice, Packages, Shard, Template, UpgradeOptions, Within};

const STATUS: &str =
    "Exit status: 0 nothing to do, or done; 1 conflicts are left; 2 something failed";

const MESSAGE: &str = "The commits' message. In it stand {package} for the package's \
    folder, {name} for the folder's last name, {from} and {to} for the versions, \
    {upstream} for the address, {conflicts} for their number, and {details} for all of it. \
    The default is \"Upgrade {package} from {from} to {to}\", an empty line, and {details}";

/// How many packages are worked on at the same time at least.
const FEWEST_JOBS: usize = 8;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Subcommands {
    /// Vendor a package, and record where it comes from
    Get(GetArgs),
    /// Record where a copy of a package comes from that is there already
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

/// What to vendor.
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

/// Which copy to record.
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

#[derive(Debug, Args)]
pub(super) struct UpgradeArgs {
    #[command(flatten)]
    which: WhichArgs,
    /// The version to go to: a tag, branch or commit; else the newest
    #[arg(long, value_name = "REF", conflicts_with = "all")]
    to: Option<String>,
    #[command(flatten)]
    merge: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    /// Tell what would change, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the changes as a unified diff, write nothing
    #[arg(long)]
    diff: bool,
    /// Upgrade a package with uncommitted changes too
    #[arg(long)]
    allow_dirty: bool,
    /// Make this branch for the upgrades, or make it anew, and go to it
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Commit each upgrade; nothing is pushed
    #[arg(long)]
    commit: bool,
    /// The commits' message, such as "deps: {name} {from} to {to}"; --help names all
    #[arg(long, value_name = "TEXT", value_parser = Template::new, requires = "commit", long_help = MESSAGE)]
    message: Option<Template>,
    #[command(flatten)]
    report: ReportTo,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct OutdatedArgs {
    #[command(flatten)]
    which: WhichArgs,
    /// Exit status 1 if a package is outdated
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    report: ReportTo,
    #[command(flatten)]
    run: RunArgs,
}

/// Which packages, and which of their versions.
#[derive(Debug, Args)]
struct WhichArgs {
    /// The packages' folders
    #[arg(value_name = "PACKAGE")]
    packages: Vec<PathBuf>,
    /// All packages below here
    #[arg(long, conflicts_with = "packages")]
    all: bool,
    /// Of all packages a stable share, such as 2/5: for one of several machines
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "packages")]
    shard: Option<Shard>,
    /// How far to go: major (default), minor, patch
    #[arg(long, value_enum, value_name = "STEP", default_value = "major")]
    within: Within,
    /// Count versions before a release too
    #[arg(long)]
    pre_releases: bool,
    /// How many packages at the same time; else one for each core, and 8 at least
    #[arg(short, long, value_name = "N", value_parser = threads, conflicts_with = "threads")]
    jobs: Option<NonZeroUsize>,
    /// A host or repository that a package in a package may come from, beside the outer one's
    /// repository
    #[arg(long, value_name = "HOST")]
    allow_upstream: Vec<String>,
}

/// What is done with the cache.
#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Empty it
    Clean,
    /// Tell where it is
    Path,
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    numbers
        .and_then(|(index, count)| Shard::new(index, count))
        .ok_or_else(|| "a share is I/N, with I from 1 to N".to_owned())
}

impl WhichArgs {
    fn choice(&self) -> Choice {
        Choice {
            within: self.within,
            pre_releases: self.pre_releases,
        }
    }

    /// How many packages at the same time: more than there are cores, for servers are waited for.
    fn jobs(&self, run: &RunArgs) -> Option<NonZeroUsize> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs
            .or(run.threads)
            .or(NonZeroUsize::new(cores.max(FEWEST_JOBS)))
    }

    fn packages(self, everything: bool) -> Result<Packages, String> {
        if !self.packages.is_empty() {
            return Ok(Packages::Named(self.packages));
        }
        if self.all || self.shard.is_some() || everything {
            return Ok(Packages::Below(self.shard));
        }
        Err("name packages, or take --all of those below here".to_owned())
    }
}

impl Subcommands {
    /// Runs it.
    ///
    /// # Errors
    /// The subcommand whose arguments are wrong, and why.
    pub(super) fn run(
        self,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> Result<ExitCode, (&'static str, String)> {
        let plainly = UpstreamRun::new(ReportTo::default(), RunArgs::default(), None);
        let done = match self {
            Self::Get(args) => plainly.done(|it, _| get(&plainly, it, &args), output, errors),
            Self::Adopt(args) => plainly.done(|it, _| adopt(it, &args), output, errors),
            Self::Cache(command) => plainly.done(|_, _| cache(&command), output, errors),
            Self::Outdated(args) => args.run(output, errors).map_err(|it| ("outdated", it))?,
            Self::Upgrade(args) => args.run(output, errors).map_err(|it| ("upgrade", it))?,
        };
        Ok(done)
    }
}

impl OutdatedArgs {
    fn run(self, output: &mut impl Write, errors: &mut impl Write) -> Result<ExitCode, String> {
        if self.report.form == Form::Html {
            let why = "there is no page of it: --report html is for merges and upgrades";
            return Err(why.to_owned());
        }
        let jobs = self.which.jobs(&self.run);
        let options = UpgradeOptions {
            choice: self.which.choice(),
            allowed: self.which.allow_upstream.clone(),
            ..UpgradeOptions::default()
        };
        let packages = self.which.packages(true)?;
        let run = UpstreamRun::new(self.report, self.run, jobs);
        let (what, exit_code) = ((&packages, &options), self.exit_code);
        Ok(run.done(|it, _| outdated(&run, it, what, exit_code), output, errors))
    }
}

impl UpgradeArgs {
    fn run(self, output: &mut impl Write, errors: &mut impl Write) -> Result<ExitCode, String> {
        if self.commit && self.merge.leaves_markers() {
            let message = "--on-conflict markers leaves conflicts to \
                you, and --commit would commit them: take one of the two";
            return Err(message.to_owned());
        }
        let names = Triple::new("original", "updated", "local").map(PathBuf::from);
        let options = UpgradeOptions {
            to: self.to,
            choice: self.which.choice(),
            dry_run: self.dry_run || self.diff,
            durable: self.run.sync,
            allow_dirty: self.allow_dirty,
            log: self.report.form != Form::Text,
            allowed: self.which.allow_upstream.clone(),
            branch: self.branch,
            commit: self.commit,
            template: self.message.unwrap_or_default(),
            settings: Settings {
                show_secrets: self.run.shown.shown().secrets,
                ..self.merge.settings(self.markers.style(&names)?)
            },
        };
        let jobs = self.which.jobs(&self.run);
        let packages = self.which.packages(false)?;
        let run = UpstreamRun::new(self.report, self.run, jobs);
        let (what, diff) = ((&packages, &options), self.diff);
        Ok(run.done(
            |it, signals| upgraded(&run, it, what, signals, diff),
            output,
            errors,
        ))
    }
}
