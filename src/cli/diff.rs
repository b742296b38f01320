//! `merge3 diff`: the patch that turns one package into another.

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::config::Shown;
use super::exit_code::ExitCode;
use super::output::{FilesArgs, ShownArgs};
use super::progress::Line;
use super::run::{in_pool, plain, print, waiting_at};
use crate::error::{Error, shown};
use crate::package::{
    self, Access, DiffInput, FileChange, PatchForm, Selector, Settings, difference, plan_difference,
};
use crate::report::{self, Diff};
use crate::upgrade::{self, Cache, Remotes};

/// Two packages to compare, and the form of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffJob {
    /// The packages.
    pub input: DiffInput,
    /// Whether the first one is as it came from upstream.
    pub since_upstream: bool,
    /// Whether the files are named that differ, and no more.
    pub list: bool,
    /// The patch to make; a unified diff where none is said.
    pub form: Option<PatchForm>,
    /// How the packages are read.
    pub settings: Settings,
    /// What is shown, and how.
    pub shown: Shown,
}

/// What is printed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Unified,
    Strategic,
    Merge,
    Json,
}

/// The arguments of `diff`.
#[derive(Debug, clap::Args)]
pub(super) struct DiffArgs {
    /// The file or folder that is to become NEW; alone, a package that comes from upstream: what
    /// has changed in it since
    old: PathBuf,
    /// The file or folder that it is to become
    new: Option<PathBuf>,
    /// Name the files that differ, and print no more
    #[arg(long, conflicts_with = "format")]
    list: bool,
    /// What is printed: unified (default), strategic, merge (RFC 7386), json (RFC 6902)
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "unified")]
    format: Format,
    /// Compare this resource only: KIND/NAME or KIND/NAMESPACE/NAME (repeatable)
    #[arg(long = "resource", value_name = "KIND/NAME")]
    resources: Vec<Selector>,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

impl DiffArgs {
    /// What a run is given.
    pub(super) fn job(self) -> DiffJob {
        let shown = self.shown.shown();
        DiffJob {
            since_upstream: self.new.is_none(),
            list: self.list,
            input: DiffInput {
                new: self.new.unwrap_or_else(|| self.old.clone()),
                old: self.old,
                resources: self.resources,
            },
            form: match self.format {
                Format::Unified => None,
                Format::Strategic => Some(PatchForm::Strategic),
                Format::Merge => Some(PatchForm::Merge),
                Format::Json => Some(PatchForm::Json),
            },
            settings: Settings {
                show_secrets: shown.secrets,
                ..self.files.settings()
            },
            shown,
        }
    }
}

fn compare(job: &DiffJob) -> Result<Diff, Error> {
    let mut input = job.input.clone();
    let upstream = match job.since_upstream {
        true => {
            let line = Line::new(io::stderr().is_terminal());
            let tell = |what: &str| line.tell(what);
            let remotes = Remotes::new(Cache::of_user()?, &tell);
            Some(upgrade::original(&remotes, &input.old)?)
        }
        false => None,
    };
    if let Some(folder) = &upstream {
        input.old = folder.path().to_owned();
    }
    if let Some(form) = job.form {
        return difference(&input, form, &job.settings).map(plain);
    }
    let plan = plan_difference(&input, &job.settings)?;
    if job.list {
        let line =
            |change: &FileChange| format!("{} {}\n", change.kind.as_str(), shown(&change.path));
        return Ok(plain(plan.files.iter().map(line).collect()));
    }
    Ok(report::diff(&plan, job.shown.color_output))
}

/// Prints the patch to `output`, and what is wrong to `errors`.
pub(super) fn run(job: &DiffJob, output: &mut impl Write, errors: &mut impl Write) -> ExitCode {
    let mut locked = |path: &Path| {
        package::lock(path, Access::Read, || {
            // there is nobody left to tell where that fails
            let _ = writeln!(errors, "{}", waiting_at(path));
        })
    };
    let locks = locked(&job.input.old).and_then(|old| Ok((old, locked(&job.input.new)?)));
    let diff = locks.and_then(|_locks| in_pool(None, || compare(job)));
    print(diff, &job.shown, output, errors)
}
