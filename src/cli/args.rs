//! The arguments, as the command line has them.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::apply::ApplyArgs;
use super::config::{Config, Job};
use super::diff::DiffArgs;
use super::exit_code::ExitCode;
use super::explain::ExplainArgs;
use super::extras::{self, ManArgs, throughout};
use super::git::Subcommands;
use super::markers::MarkerArgs;
use super::merge_args::{MergeArgs, SidesArgs};
use super::output::{OutputArgs, ShownArgs};
use super::patch::PatchArgs;
use super::report::ReportTo;
use super::review::ReviewArgs;
use super::run::{merge, plain, print};
use super::upstream_args;
use crate::package::Settings;
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

/// Does what the arguments say, the program's name first. Results go to `output`, everything else
/// to `errors`; of what clap has to say about wrong arguments, and for `--help` and `--version`,
/// see [`clap::Error::print`].
pub fn run(
    arguments: &[OsString],
    output: &mut impl Write,
    errors: &mut (impl Write + Send),
) -> ExitCode {
    let of_git = Subcommands::read_alone(arguments);
    if let Some(Ok(code)) = of_git.map(|command| command.run(output, errors)) {
        return code;
    }
    let done = parsed(arguments).and_then(|line| line.run(output, errors));
    done.unwrap_or_else(|error| {
        // there is nobody left to tell where that fails
        let _ = error.print();
        ExitCode::for_wrong_arguments(&error, arguments)
    })
}

/// The packages that arguments of the main job name, and how they merge.
///
/// # Errors
/// What clap has to say about the arguments.
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
    let config = parsed(arguments)?.config()?;
    Ok((config.sides, config.settings))
}

fn parsed(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    if arguments.len() == 1 {
        command().try_get_matches_from(["merge3", "-h"])?;
    }
    if let Some(wanted) = wants_help(arguments) {
        opened().try_get_matches_from(wanted)?;
    }
    CommandLine::from_arg_matches(&command().try_get_matches_from(arguments)?)
}

impl CommandLine {
    fn run(
        mut self,
        output: &mut impl Write,
        errors: &mut (impl Write + Send),
    ) -> Result<ExitCode, clap::Error> {
        let Some(command) = self.command.take() else {
            return Ok(merge(&self.config()?, output, errors));
        };
        let too_many = |message: String| wrong(ErrorKind::TooManyValues, &message);
        Ok(match command {
            Subcommand::Git(command) => command.run(output, errors).map_err(too_many)?,
            Subcommand::Upstream(command) => {
                let done = command.run(output, errors);
                done.map_err(|(name, why)| wrong_in(name, &why))?
            }
            Subcommand::Apply(args) => args.run(output, errors).ok_or_else(|| {
                let kind = ErrorKind::MissingRequiredArgument;
                wrong(kind, "apply needs --config and --live")
            })?,
            Subcommand::Patch(args) => merge(&args.config(), output, errors),
            Subcommand::Diff(args) => args.run(output, errors),
            Subcommand::Review(args) => args.run(output, errors).map_err(too_many)?,
            Subcommand::Explain(args) => args.run(output, errors),
            Subcommand::Completions { shell } => {
                let text = Ok(plain(extras::completions(shell, opened())));
                print(text, &ShownArgs::default().shown(), output, errors)
            }
            Subcommand::Man(args) => {
                let text = args.page(opened()).map(plain);
                print(text, &ShownArgs::default().shown(), output, errors)
            }
        })
    }

    /// The settings of a run of the main job.
    fn config(self) -> Result<Config, clap::Error> {
        let needed = "--ancestor, --from and --to are needed";
        let sides = self.sides;
        let sides = sides.ok_or_else(|| wrong(ErrorKind::MissingRequiredArgument, needed))?;
        let sides = sides.paths();
        let markers = self.markers.style(&sides);
        let markers = markers.map_err(|why| wrong(ErrorKind::TooManyValues, &why))?;
        let settings = self.how.settings(markers);
        Ok(Config::new(
            self.output,
            sides,
            settings,
            Job::Merge,
            self.report,
        ))
    }
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
