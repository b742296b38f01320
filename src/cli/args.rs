//! The main command: its arguments, its subcommands, and the errors for wrong arguments.
//!
//! [`run`] parses the arguments and carries out the command.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser};
use clap_complete::Shell;

use super::apply::{ApplyArgs, PatchArgs};
use super::diff::DiffArgs;
use super::explain::ExplainArgs;
use super::git::GitCommands;
use super::merge_args::{MarkerArgs, MergeArgs, SidesArgs};
use super::output::{DisplayArgs, OutputArgs, ReportArgs};
use super::print::{DONE, FAILED, Printer, Streams};
use super::review::ReviewArgs;
use super::run::{Config, Job, merge};
use super::upstream_args::UpstreamCommands;
use crate::error::Error;
use crate::git;
use crate::package::Settings;
use crate::triple::Triple;

const SHORT_EXAMPLE: &str =
    "Example: merge3 --ancestor upstream-1.0 --from upstream-1.1 --to fork --diff";

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
    after_help = SHORT_EXAMPLE,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct CommandLine {
    #[command(flatten)]
    sides: Option<SidesArgs>,
    // not in SidesArgs: clap does not allow a group inside an optional group
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    merge: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(subcommand)]
    command: Option<Subcommand>,
}

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    #[command(flatten)]
    Git(GitCommands),
    #[command(flatten)]
    Upstream(UpstreamCommands),
    /// Apply configurations to files as `kubectl apply` does to objects
    #[command(after_help = APPLY)]
    Apply(Box<ApplyArgs>),
    /// Patch files: strategic merge patch, JSON merge patch, JSON patch
    #[command(after_help = PATCH)]
    Patch(Box<PatchArgs>),
    /// Print the patch that turns OLD into NEW
    #[command(after_help = DIFF)]
    Diff(Box<DiffArgs>),
    /// Explain why a value comes out as it does
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

/// Runs the program with the given arguments, the first of which is the program's name, and returns
/// its exit status. Writes results to `output` and all other text to `errors`. Help, the version and
/// errors about wrong arguments are printed by [`clap::Error::print`] instead.
pub fn run(
    arguments: &[OsString],
    output: &mut (impl Write + Send),
    errors: &mut (impl Write + Send),
) -> u8 {
    let streams = &mut Streams { output, errors };
    let git_command = GitCommands::parse_alone(arguments);
    // git takes `FAILED` for a number of conflicts
    let failed = git_command.as_ref().map_or(FAILED, |_| git::FAILED);
    if let Some(Ok(status)) = git_command.flatten().map(|command| command.run(streams)) {
        return status;
    }
    let status = parse(arguments).and_then(|line| line.run(streams));
    status.unwrap_or_else(|error| {
        // a closed standard error leaves no way to report
        let _ = error.print();
        match error.use_stderr() {
            false => DONE,
            true => failed,
        }
    })
}

/// Parses arguments of the main command. Returns the paths of the packages and the settings of the
/// merge.
///
/// # Errors
/// The arguments are wrong.
///
/// ```
/// use merge3::cli::merge_arguments;
///
/// let arguments = ["merge3", "--ancestor", "a", "--from", "b", "--to", "c"].map(Into::into);
/// assert_eq!(merge_arguments(&arguments)?.0.local, std::path::Path::new("c"));
/// assert!(merge_arguments(&arguments[..3]).is_err());
/// # Ok::<(), clap::Error>(())
/// ```
pub fn merge_arguments(arguments: &[OsString]) -> Result<(Triple<PathBuf>, Settings), clap::Error> {
    let config = parse(arguments)?.config()?;
    Ok((config.sides, config.settings))
}

/// Parses the arguments. A request for help is returned as an error.
fn parse(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    if arguments.len() == 1 {
        command().try_get_matches_from(["merge3", "-h"])?;
    }
    if let Some(arguments) = full_help_arguments(arguments) {
        with_full_help().try_get_matches_from(arguments)?;
    }
    CommandLine::from_arg_matches(&command().try_get_matches_from(arguments)?)
}

impl CommandLine {
    fn run(mut self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        let Some(command) = self.command.take() else {
            return Ok(merge(&self.config()?, streams));
        };
        let printer = Printer::showing(DisplayArgs::default());
        Ok(match command {
            Subcommand::Git(command) => command.run(streams)?,
            Subcommand::Upstream(command) => command.run(streams)?,
            Subcommand::Apply(args) => args.run(streams)?,
            Subcommand::Patch(args) => merge(&args.config(), streams),
            Subcommand::Diff(args) => args.run(streams),
            Subcommand::Review(args) => args.run(streams)?,
            Subcommand::Explain(args) => args.run(streams),
            Subcommand::Completions { shell } => {
                printer.print(Ok(completions(shell, with_full_help())), streams)
            }
            Subcommand::Man(args) => printer.print(args.page(with_full_help()), streams),
        })
    }

    /// Returns the settings of a run of the main command.
    fn config(self) -> Result<Config, clap::Error> {
        let needed = || usage_error("", "--ancestor, --from and --to are needed");
        let sides = self.sides.ok_or_else(needed)?.paths();
        let settings = self.merge.settings(self.markers.style("", &sides)?);
        let output = (self.output, self.report);
        Ok(Config::new(Job::Merge, sides, settings, output))
    }
}

/// Returns the clap command. The help texts of options with a fixed set of values list the values
/// and the default, so clap does not add its own lists.
fn command() -> clap::Command {
    map_commands(CommandLine::command(), |command| {
        command.mut_args(|argument| {
            let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
            match is_option && !argument.get_possible_values().is_empty() {
                true => argument.hide_possible_values(true).hide_default_value(true),
                false => argument,
            }
        })
    })
}

/// Returns the clap command with all options in its short help.
fn with_full_help() -> clap::Command {
    map_commands(command().after_help(EXAMPLES), |command| {
        command.mut_args(|argument| argument.hide_short_help(false))
    })
}

/// If the arguments ask for the full help (`help` or `--help`), returns arguments that print it with
/// `-h`: clap's own long help is three screens long. Returns `None` otherwise.
fn full_help_arguments(arguments: &[OsString]) -> Option<Vec<OsString>> {
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

/// Returns a clap error for a mistake in the arguments that clap does not detect, with the usage of
/// a subcommand, or of the main command if there is no such subcommand.
pub(super) fn usage_error(subcommand: &str, message: &str) -> clap::Error {
    let mut command = command();
    command.build();
    let found = command.find_subcommand(subcommand).cloned();
    let kind = ErrorKind::MissingRequiredArgument;
    found.unwrap_or(command).error(kind, message)
}

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
struct ManArgs {
    /// The command that it is about, such as `git install`; else merge3 itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write all manual pages to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    all: Option<PathBuf>,
}

impl ManArgs {
    /// Returns the manual page to print. With `--all`, writes all pages to a folder and returns an
    /// empty text.
    ///
    /// # Errors
    /// There is no such command, or the folder cannot be written.
    fn page(&self, command: Command) -> Result<String, Error> {
        let mut all = documented(command);
        if let Some(folder) = &self.all {
            let written = clap_mangen::generate_to(all, folder);
            return written
                .map_err(Error::writing(folder))
                .map(|()| String::new());
        }
        all.build();
        let page = self.command.iter().try_fold(&mut all, |command, name| {
            let none = || Error::refused(format!("there is no command {name}"), "see: merge3 help");
            command.find_subcommand_mut(name).ok_or_else(none)
        })?;
        let mut text = Vec::new();
        let rendered = clap_mangen::Man::new(page.clone()).render(&mut text);
        rendered.map_err(Error::writing(Path::new("-")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Returns the completion script for a shell.
fn completions(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "merge3", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Applies a change to a command and to all of its subcommands.
fn map_commands(
    command: clap::Command,
    change: fn(clap::Command) -> clap::Command,
) -> clap::Command {
    change(command).mut_subcommands(|it| map_commands(it, change))
}

/// Returns the command as manual pages need it: options list their values with a description, and
/// there is no `help` subcommand.
fn documented(command: Command) -> Command {
    map_commands(command, |command| {
        command
            .disable_help_subcommand(true)
            .mut_args(|argument| argument.hide_possible_values(false))
    })
}
