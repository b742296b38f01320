//! The arguments, as the command line has them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory as _, Parser};

use super::apply::ApplyArgs;
use super::config::{Command, Config, Job};
use super::diff::DiffArgs;
use super::extras::Extra;
use super::git::Subcommands;
use super::markers::MarkerArgs;
use super::merge_args::MergeArgs;
use super::output::{OutputArgs, RunArgs};
use super::patch::PatchArgs;
use super::report::ReportArgs;
use super::upstream;
use crate::triple::Triple;

const SHORT: &str = "Example: merge3 --ancestor upstream-1.0 --from upstream-1.1 --to fork --diff";

const EXAMPLES: &str = "\
Examples:
  merge3 --ancestor v1 --from v2 --to fork                      upgrade a fork in place
  merge3 --ancestor v1 --from v2 --to fork --diff               see first what that would do
Exit status: 0 merged; 1 conflicts are left, or --check found a change; 2 wrong input, or a failure";

/// Brings what changed between two releases of a YAML package into your fork, and nothing else.
#[derive(Debug, Parser)]
#[command(
    name = "merge3",
    version,
    after_help = SHORT,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct CommandLine {
    #[command(flatten)]
    merge: Option<Args>,
    // beside the others: an optional group may not hold another one
    #[command(flatten)]
    how: MergeArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(subcommand)]
    command: Option<Subcommand>,
}

/// The other jobs.
#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    #[command(flatten)]
    Git(Subcommands),
    #[command(flatten)]
    Upstream(upstream::Subcommands),
    /// Apply configurations to live objects as `kubectl apply` does, on files
    Apply(Box<ApplyArgs>),
    /// Apply a patch to files: strategic merge patch, JSON merge patch, JSON patch
    Patch(Box<PatchArgs>),
    /// Print the patch that turns OLD into NEW
    Diff(Box<DiffArgs>),
    /// Say why a value comes out as it does
    Explain(Box<ExplainArgs>),
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
struct ExplainArgs {
    #[command(flatten)]
    merge: Args,
    #[command(flatten)]
    how: MergeArgs,
    #[command(flatten)]
    run: RunArgs,
    /// The file, relative to the package
    file: PathBuf,
    /// Where in it, such as spec.template.spec.containers[name=app].image
    path: String,
}

/// The arguments of the main job.
#[derive(Debug, clap::Args)]
struct Args {
    /// The package (folder or file) that both others were made of
    #[arg(long, value_name = "OLD")]
    ancestor: PathBuf,
    /// The package with upstream's changes
    #[arg(long, value_name = "NEW")]
    from: PathBuf,
    /// The package to change: your fork
    #[arg(long, value_name = "LOCAL")]
    to: PathBuf,

    /// Tell what would change, write nothing
    #[arg(long)]
    dry_run: bool,
    /// As --dry-run; exit status 1 if anything would change
    #[arg(long)]
    check: bool,
    /// Print the changes as a unified diff, write nothing
    #[arg(long)]
    diff: bool,
    /// Write the result there, not to LOCAL; - prints one file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["diff", "dry_run", "check"])]
    output: Option<PathBuf>,
}

/// Reads the arguments, the program's name first.
///
/// # Errors
/// What clap has to say: about wrong arguments, and for `--help` and `--version`.
///
/// ```
/// use merge3::cli::{Action, Command, parse};
///
/// let command = parse(["merge3", "--ancestor", "a", "--from", "b", "--to", "c", "--diff"])?;
/// assert!(matches!(command, Command::Merge(config) if config.action == Action::Diff));
/// assert!(parse(["merge3", "--ancestor", "a"]).is_err());
/// # Ok::<(), clap::Error>(())
/// ```
pub fn parse<I>(arguments: I) -> Result<Command, clap::Error>
where
    I: IntoIterator,
    I::Item: Into<OsString> + Clone,
{
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    if let Some(command) = Subcommands::read_alone(&arguments) {
        return Ok(Command::Git(command));
    }
    let in_subcommand = arguments
        .get(1)
        .is_some_and(|first| !first.to_string_lossy().starts_with('-'));
    if !in_subcommand && arguments.iter().any(|argument| argument == "--help") {
        full_help()?;
    }
    let line = CommandLine::try_parse_from(arguments)?;
    match line.command {
        Some(Subcommand::Git(command)) => {
            return command
                .into_command()
                .map(Command::Git)
                .map_err(|message| wrong(clap::error::ErrorKind::TooManyValues, &message));
        }
        Some(Subcommand::Upstream(command)) => {
            return command
                .into_run()
                .map(|run| Command::Upstream(Box::new(run)))
                .map_err(|message| {
                    wrong(clap::error::ErrorKind::MissingRequiredArgument, &message)
                });
        }
        Some(Subcommand::Completions { shell }) => {
            return Ok(Command::Generate(Extra::Completions(shell)));
        }
        Some(Subcommand::Apply(args)) => return Ok(Command::Merge(Box::new(args.config()))),
        Some(Subcommand::Patch(args)) => return Ok(Command::Merge(Box::new(args.config()))),
        Some(Subcommand::Diff(args)) => return Ok(Command::Diff(Box::new(args.job()))),
        Some(Subcommand::Man) => return Ok(Command::Generate(Extra::Man)),
        Some(Subcommand::Explain(args)) => {
            let config = config(args.merge, args.how, args.run, line.markers, line.report)
                .map_err(|message| wrong(clap::error::ErrorKind::TooManyValues, &message))?;
            return Ok(Command::Explain {
                config: Box::new(config),
                file: args.file,
                path: args.path,
            });
        }
        None => {}
    }
    match line.merge {
        Some(merge) => match config(merge, line.how, line.run, line.markers, line.report) {
            Ok(config) => Ok(Command::Merge(Box::new(config))),
            Err(message) => Err(wrong(clap::error::ErrorKind::TooManyValues, &message)),
        },
        None => Err(wrong(
            clap::error::ErrorKind::MissingRequiredArgument,
            "--ancestor, --from and --to are needed",
        )),
    }
}

/// The whole command line, as clap knows it.
pub(super) fn command() -> clap::Command {
    CommandLine::command()
}

/// All options and the examples, in the form of the short help: clap's long one takes three
/// screens.
fn full_help() -> Result<(), clap::Error> {
    let command = CommandLine::command()
        .mut_args(|argument| argument.hide_short_help(false))
        .after_help(EXAMPLES);
    command.try_get_matches_from(["merge3", "-h"]).map(|_| ())
}

/// What clap says of arguments that are wrong in a way it cannot see.
fn wrong(kind: clap::error::ErrorKind, message: &str) -> clap::Error {
    CommandLine::command().error(kind, message)
}

/// What a run of the main job is told.
fn config(
    args: Args,
    how: MergeArgs,
    run: RunArgs,
    markers: MarkerArgs,
    report: ReportArgs,
) -> Result<Config, String> {
    let sides = Triple::new(args.ancestor, args.from, args.to);
    let names = sides
        .as_ref()
        .map(|path| path.to_string_lossy().into_owned());
    let output = OutputArgs {
        dry_run: args.dry_run,
        check: args.check,
        diff: args.diff,
        output: args.output,
        run,
    };
    let settings = how.settings(markers, names)?;
    Ok(output.config(sides, settings, Job::Merge, report))
}
