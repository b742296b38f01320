//! The subcommands that integrate with git: `git`, `merge-file` and `solve`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum as _};

use super::args::usage_error;
use super::merge_args::labels;
use super::print::{FAILED, Streams};
use crate::git::{self, Favor, FilesToMerge, Scope};
use crate::merge::{ConflictStyle, MARKER_SIZE, MarkerStyle};
use crate::triple::Triple;
use crate::visible::visible_lines;

const MERGE_FILE_STATUS: &str = "Exit status: the number of conflicts \
    that are left, at most 127; 255 where the files cannot be merged.";

const SOLVE_HELP: &str = "\
    Examples:
  merge3 solve                      all files that git left unmerged
  merge3 solve -p a.yaml            print what would be left of one
Exit status: 0 no conflict is left; 1 conflicts are left; 2 it cannot be done";

/// The subcommands that integrate with git.
#[derive(Debug, Subcommand)]
pub(super) enum GitCommands {
    /// Have git merge YAML and JSON by structure
    #[command(subcommand)]
    Git(Git),
    /// Merge three files by structure, called as `git merge-file` is
    #[command(after_help = MERGE_FILE_STATUS)]
    MergeFile(MergeFileArgs),
    /// Merge by structure what git left between conflict markers
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum Git {
    /// Set the driver up, in this repository unless told otherwise
    Install(Scope),
    /// Remove what `install` wrote
    Uninstall(Scope),
    /// Tell what is set up, and whether git uses it here
    Status,
    /// Set `git mergetool --tool=merge3` up
    Mergetool(MergetoolArgs),
    /// What git calls: merges three files into the second
    Driver(DriverArgs),
}

#[derive(Debug, Args)]
pub(super) struct MergetoolArgs {
    /// Write it to git's configuration; `git uninstall` takes it back
    #[arg(long, required = true)]
    install: bool,
    #[command(flatten)]
    scope: Scope,
}

#[derive(Debug, Args)]
pub(super) struct DriverArgs {
    /// The common ancestor
    #[arg(value_name = "%O")]
    original: PathBuf,
    /// The current version; the result goes here
    #[arg(value_name = "%A")]
    local: PathBuf,
    /// The other branch's version
    #[arg(value_name = "%B")]
    updated: PathBuf,
    /// What the file is called in the repository
    #[arg(long, value_name = "%P", allow_hyphen_values = true)]
    path: Option<PathBuf>,
    /// How many characters a conflict marker has
    #[arg(long, value_name = "%L", default_value_t = MARKER_SIZE)]
    marker_size: usize,
    /// What is behind the markers: of the ancestor, the current and the other version
    #[arg(long, value_name = "%S %X %Y", num_args = 0..=3)]
    labels: Vec<String>,
    /// Show the ancestor's lines in conflicts, whatever git's configuration says
    #[arg(long)]
    diff3: bool,
    /// Put the result there and not in %A; then the exit status is 1 for any number of conflicts
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MergeFileArgs {
    /// The current version; the result goes here
    #[arg(value_name = "LOCAL")]
    local: PathBuf,
    /// The common ancestor
    #[arg(value_name = "BASE")]
    original: PathBuf,
    /// The other version
    #[arg(value_name = "OTHER")]
    updated: PathBuf,
    /// Print the result, and leave LOCAL as it is
    #[arg(short = 'p', long)]
    stdout: bool,
    /// Do not warn about conflicts
    #[arg(short, long)]
    quiet: bool,
    /// Take LOCAL's side of conflicts
    #[arg(long, overrides_with_all = ["theirs", "union"])]
    ours: bool,
    /// Take OTHER's side of conflicts
    #[arg(long, overrides_with_all = ["ours", "union"])]
    theirs: bool,
    /// Take both sides of conflicts
    #[arg(long, overrides_with_all = ["ours", "theirs"])]
    union: bool,
    /// Show BASE's lines in conflicts too
    #[arg(long, overrides_with = "zdiff3")]
    diff3: bool,
    /// Likewise, with the lines outside that both sides begin or end with
    #[arg(long, overrides_with = "diff3")]
    zdiff3: bool,
    /// What is behind the markers, up to three times: of LOCAL, BASE and OTHER
    #[arg(short = 'L', value_name = "NAME", allow_hyphen_values = true)]
    labels: Vec<String>,
    /// How many characters a conflict marker has
    #[arg(long, value_name = "N", default_value_t = MARKER_SIZE)]
    marker_size: usize,
}

#[derive(Debug, Args)]
pub(super) struct SolveArgs {
    /// The files; else all that are unmerged
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the result, and leave FILE as it is
    #[arg(short = 'p', long)]
    stdout: bool,
    /// How many characters its conflict markers have; else as git's attribute conflict-marker-size
    /// says, or 7
    #[arg(long, value_name = "N")]
    marker_size: Option<usize>,
}

impl GitCommands {
    /// Parses arguments of `git driver` and `merge-file` without building the whole command line,
    /// because git calls these for each file that it merges. Returns `None` for other commands, and
    /// `Some(None)` for wrong arguments: the whole command line reports the error.
    pub(super) fn parse_alone(arguments: &[OsString]) -> Option<Option<Self>> {
        let argument = |index: usize| arguments.get(index)?.to_str();
        Some(match (argument(1)?, argument(2)) {
            ("merge-file", _) => arguments_alone(&arguments[1..]).map(Self::MergeFile),
            ("git", Some("driver")) => {
                let driver = arguments_alone(&arguments[2..]);
                driver.map(|args| Self::Git(Git::Driver(args)))
            }
            _ => return None,
        })
    }

    /// Runs the command and returns the exit status that git expects.
    ///
    /// # Errors
    /// The arguments are wrong.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        let Streams { output, errors } = streams;
        let failure_status = match self {
            Self::Git(Git::Driver(_)) => git::FAILED,
            Self::MergeFile(_) => u8::MAX,
            _ => FAILED,
        };
        let result = match self {
            Self::MergeFile(args) if args.labels.len() > 3 => {
                return Err(usage_error("", "-L can be given three times at most"));
            }
            Self::Solve(args) if args.stdout && args.files.len() != 1 => {
                return Err(usage_error("", "--stdout prints one FILE"));
            }
            Self::Git(Git::Driver(args)) => {
                let (path, output) = (args.path.as_deref(), args.output.as_deref());
                git::drive(&args.files(), path, output)
            }
            Self::MergeFile(args) => {
                let options = (args.stdout, args.quiet);
                git::merge_file(&args.files(), options, output, errors)
            }
            Self::Solve(args) => {
                let size = args.marker_size.map(marker_size);
                git::solve(&args.files, size, args.stdout, output, errors)
            }
            Self::Git(Git::Install(scope)) => git::install(scope, output),
            Self::Git(Git::Mergetool(args)) => git::install_mergetool(args.scope, output),
            Self::Git(Git::Uninstall(scope)) => git::uninstall(scope, output),
            Self::Git(Git::Status) => git::status(output),
        };
        Ok(result.unwrap_or_else(|message| {
            streams.tell(&format!("error: {}", visible_lines(&message)));
            failure_status
        }))
    }
}

/// Parses the arguments of one command; the first is the command's name.
fn arguments_alone<A: Args>(arguments: &[OsString]) -> Option<A> {
    let command = A::augment_args(clap::Command::new("merge3"));
    A::from_arg_matches(&command.try_get_matches_from(arguments).ok()?).ok()
}

/// Returns the length of a conflict marker. As in git, 0 stands for the default.
const fn marker_size(requested: usize) -> usize {
    if requested == 0 {
        MARKER_SIZE
    } else {
        requested
    }
}

impl DriverArgs {
    fn files(&self) -> FilesToMerge {
        // a version of git that does not know a placeholder passes it unchanged
        let label = |index: usize, placeholder: &str, default: &str| {
            let label = self.labels.get(index).map(String::as_str);
            let label = label.filter(|label| !label.is_empty() && *label != placeholder);
            label.unwrap_or(default).to_owned()
        };
        let labels = Triple {
            original: label(0, "%S", "base"),
            updated: label(2, "%Y", "theirs"),
            local: label(1, "%X", "ours"),
        };
        FilesToMerge {
            sides: Triple::new(&self.original, &self.updated, &self.local).map(PathBuf::clone),
            // git does not pass `-X ours` to a merge driver
            favor: std::env::var("MERGE3")
                .ok()
                .and_then(|name| Favor::from_str(&name, false).ok()),
            style: MarkerStyle {
                size: marker_size(self.marker_size),
                labels,
                conflict_style: self.diff3.then_some(ConflictStyle::Diff3),
            },
        }
    }
}

impl MergeFileArgs {
    fn files(&self) -> FilesToMerge {
        let sides = Triple::new(&self.original, &self.updated, &self.local).map(PathBuf::clone);
        let labels = labels(&self.labels, &sides);
        FilesToMerge {
            sides,
            favor: match (self.ours, self.theirs, self.union) {
                (true, _, _) => Some(Favor::Ours),
                (_, true, _) => Some(Favor::Theirs),
                (_, _, true) => Some(Favor::Union),
                _ => None,
            },
            style: MarkerStyle {
                size: marker_size(self.marker_size),
                labels,
                conflict_style: match (self.diff3, self.zdiff3) {
                    (true, _) => Some(ConflictStyle::Diff3),
                    (_, true) => Some(ConflictStyle::Zdiff3),
                    _ => None,
                },
            },
        }
    }
}
