//! The arguments, as the command line has them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::apply::ApplyArgs;
use super::config::{Command, Config, Job};
use super::diff::DiffArgs;
use super::extras::{Extra, ManArgs};
use super::git::Subcommands;
use super::markers::MarkerArgs;
use super::merge_args::MergeArgs;
use super::output::{OutputArgs, ShownArgs};
use super::patch::PatchArgs;
use super::report::ReportTo;
use super::review::ReviewArgs;
use super::upstream_args;
use crate::triple::Triple;

const SHORT: &str = "Example: merge3 --ancestor upstream-1.0 --from upstream-1.1 --to fork --diff";

const EXAMPLES: &str = "\
Examples:
  merge3 --ancestor v1 --from v2 --to fork           upgrade a fork in place
  merge3 --ancestor v1 --from v2 --to fork --diff    see first what it would do
Exit status: 0 merged; 1 conflicts are left, or --check found a change;
2 wrong input, or a failure";

const APPLY: &str = "\
Examples:
  merge3 apply --config app.yaml --live live.yaml           change live.yaml
  merge3 apply --config app.yaml --live live.yaml --diff    see what would change
Exit status: 0 applied; 1 --check found a change; 2 wrong input, or a failure";

const PATCH: &str = "\
Examples:
  merge3 patch --patch patch.yaml fork
  merge3 patch --type json --resource Deployment/web --patch ops.yaml fork
Exit status: 0 patched; 1 --check found a change; 2 wrong input, or a failure";

const DIFF: &str = "\
Examples:
  merge3 diff v1 v2                       what changed, for `git apply`
  merge3 diff --format strategic v1 v2    the same, for `merge3 patch`
Exit status: 0 compared; 2 wrong input, or a failure";

const EXPLAIN: &str = "\
Example:
  merge3 explain --ancestor v1 --from v2 --to fork app.yaml spec.replicas
Exit status: 0 explained; 2 nothing is there, or a failure";

const REVIEW: &str = "\
Examples:
  merge3 review --ancestor v1 --from v2 --to fork    merge, and decide
  merge3 review --to fork                            decide what a run left open
Exit status: 0 all is decided; 1 something is left, or nothing was written;
2 wrong input, no terminal, or a failure";

/// Brings what upstream changed into your fork of a YAML package, and nothing else
#[derive(Debug, Parser)]
#[command(
    name = "merge3",
    version,
    after_help = SHORT,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct CommandLine {
    #[command(flatten)]
    sides: Option<SidesArgs>,
    // beside the others: an optional group may not hold another one
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    how: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    #[command(flatten)]
    report: ReportTo,
    #[command(subcommand)]
    command: Option<Subcommand>,
}

/// The other jobs.
#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    #[command(flatten)]
    Git(Subcommands),
    #[command(flatten)]
    Upstream(upstream_args::Subcommands),
    /// Apply configurations to files as `kubectl apply` does to objects
    #[command(after_help = APPLY)]
    Apply(Box<ApplyArgs>),
    /// Patch files: strategic merge patch, JSON merge patch, JSON patch
    #[command(after_help = PATCH)]
    Patch(Box<PatchArgs>),
    /// Print the patch that turns OLD into NEW
    #[command(after_help = DIFF)]
    Diff(Box<DiffArgs>),
    /// Say why a value comes out as it does
    #[command(after_help = EXPLAIN)]
    Explain(Box<ExplainArgs>),
    /// Decide the conflicts of a merge one by one, in the terminal
    #[command(after_help = REVIEW)]
    Review(Box<ReviewArgs>),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page, or write all of them
    Man(ManArgs),
}

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "merge3 explain [OPTIONS] --ancestor <OLD> --from <NEW> --to <LOCAL>\n                      <FILE> <PATH>"
)]
struct ExplainArgs {
    #[command(flatten)]
    sides: SidesArgs,
    #[command(flatten)]
    how: MergeArgs,
    #[command(flatten)]
    shown: ShownArgs,
    /// The file, relative to the package
    file: PathBuf,
    /// Where in it, such as spec.template.spec.containers[name=app].image
    path: String,
}

/// The three packages.
#[derive(Debug, clap::Args)]
struct SidesArgs {
    /// What both others come from: a folder or a file
    #[arg(long, value_name = "OLD")]
    ancestor: PathBuf,
    /// The package with upstream's changes
    #[arg(long, value_name = "NEW")]
    from: PathBuf,
    /// The package to change: your fork
    #[arg(long, value_name = "LOCAL")]
    to: PathBuf,
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
    if arguments.len() == 1 {
        command().try_get_matches_from(["merge3", "-h"])?;
    }
    if let Some(wanted) = wants_help(&arguments) {
        opened().try_get_matches_from(wanted)?;
    }
    command_of(CommandLine::from_arg_matches(
        &command().try_get_matches_from(arguments)?,
    )?)
}

fn command_of(line: CommandLine) -> Result<Command, clap::Error> {
    let too_many = |message: String| wrong(ErrorKind::TooManyValues, &message);
    Ok(match line.command {
        Some(Subcommand::Git(command)) => Command::Git(command.into_command().map_err(too_many)?),
        Some(Subcommand::Upstream(command)) => {
            let run = command.into_run();
            Command::Upstream(Box::new(run.map_err(|(name, why)| wrong_in(name, &why))?))
        }
        Some(Subcommand::Completions { shell }) => Command::Generate(Extra::Completions(shell)),
        Some(Subcommand::Apply(args)) => args.command().ok_or_else(|| {
            let kind = ErrorKind::MissingRequiredArgument;
            wrong(kind, "apply needs --config and --live")
        })?,
        Some(Subcommand::Patch(args)) => Command::Merge(Box::new(args.config())),
        Some(Subcommand::Diff(args)) => Command::Diff(Box::new(args.job())),
        Some(Subcommand::Review(args)) => Command::Review(args.review().map_err(too_many)?),
        Some(Subcommand::Man(args)) => Command::Generate(args.extra()),
        Some(Subcommand::Explain(args)) => {
            let output = OutputArgs::showing(args.shown);
            let config = config(args.sides, args.how, output, line.markers, line.report);
            Command::Explain {
                config: Box::new(config.map_err(too_many)?),
                file: args.file,
                path: args.path,
            }
        }
        None => {
            let needed = "--ancestor, --from and --to are needed";
            let sides = line.sides;
            let sides = sides.ok_or_else(|| wrong(ErrorKind::MissingRequiredArgument, needed))?;
            let config = config(sides, line.how, line.output, line.markers, line.report);
            Command::Merge(Box::new(config.map_err(too_many)?))
        }
    })
}

/// The command line, as clap knows it. The help of an option that takes one of some words names
/// them, and the default.
fn command() -> clap::Command {
    throughout(CommandLine::command(), |command| {
        command.mut_args(|argument| {
            let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
            match is_option && !argument.get_possible_values().is_empty() {
                true => argument.hide_possible_values(true).hide_default_value(true),
                false => argument,
            }
        })
    })
}

/// The command line with nothing left out of its short help.
pub(super) fn opened() -> clap::Command {
    throughout(command().after_help(EXAMPLES), |command| {
        command.mut_args(|argument| argument.hide_short_help(false))
    })
}

/// A command and all of its subcommands, changed.
pub(super) fn throughout(
    command: clap::Command,
    change: fn(clap::Command) -> clap::Command,
) -> clap::Command {
    let names = command.get_subcommands().map(|it| it.get_name().to_owned());
    let names: Vec<String> = names.collect();
    names.into_iter().fold(change(command), |command, name| {
        command.mut_subcommand(name, |it| throughout(it, change))
    })
}

/// The arguments that have the whole help printed, where these ask for it: in the form of the short
/// help, for clap's long one takes three screens.
fn wants_help(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (program, others) = arguments.split_first()?;
    let help = OsString::from("-h");
    match others.split_first()? {
        (first, topic) if first == "help" => {
            Some([std::slice::from_ref(program), topic, &[help]].concat())
        }
        _ => {
            let at = arguments.iter().position(|it| it == "--help")?;
            let is_option = !arguments[..at].iter().any(|it| it == "--");
            is_option.then(|| [&arguments[..at], &[help]].concat())
        }
    }
}

/// What clap says of arguments that are wrong in a way it cannot see.
fn wrong(kind: ErrorKind, message: &str) -> clap::Error {
    command().error(kind, message)
}

/// The same of a subcommand's arguments, with its usage.
fn wrong_in(subcommand: &str, message: &str) -> clap::Error {
    let mut command = command();
    command.build();
    let kind = ErrorKind::MissingRequiredArgument;
    match command.find_subcommand_mut(subcommand) {
        Some(command) => command.error(kind, message),
        None => wrong(kind, message),
    }
}

/// The settings of a run of the main job.
fn config(
    args: SidesArgs,
    how: MergeArgs,
    output: OutputArgs,
    markers: MarkerArgs,
    report: ReportTo,
) -> Result<Config, String> {
    let sides = Triple::new(args.ancestor, args.from, args.to);
    let names = sides
        .as_ref()
        .map(|path| path.to_string_lossy().into_owned());
    let settings = how.settings(markers, names)?;
    Ok(output.config(sides, settings, Job::Merge, report))
}
