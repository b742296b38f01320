//! `merge3 diff`: the patch that turns one package into another.

use std::path::{Path, PathBuf};

use super::output::{DisplayArgs, FilesArgs, RunArgs};
use super::print::{Output, Printer, Streams};
use super::progress::with_remotes;
use super::run::in_pool;
use crate::error::{self, Error};
use crate::package::{Access, FileChange, PatchForm, Selector, difference, plan_difference};
use crate::upgrade;

/// The format of the patch.
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
    display: DisplayArgs,
}

impl DiffArgs {
    /// Prints the patch to `output`, and errors to `errors`.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> u8 {
        let printer = Printer::showing(self.display.clone());
        let mut lock = |path: &Path| streams.lock(path, Access::Read);
        let new = self.new.as_ref().unwrap_or(&self.old);
        let locks = lock(&self.old).and_then(|old| Ok((old, lock(new)?)));
        let diff = locks.and_then(|_locks| in_pool(None, || self.compare(&printer.args)));
        printer.print(diff, streams)
    }

    /// Returns the patch. Without a second package, compares the package with the upstream version
    /// that it was made from.
    fn compare(self, run: &RunArgs) -> Result<Output, Error> {
        let original;
        let (old, new) = match &self.new {
            Some(new) => (self.old.as_path(), new.as_path()),
            None => {
                original = with_remotes(false, |it| upgrade::original(it, &self.old))?;
                (original.path(), self.old.as_path())
            }
        };
        let settings = run.display.settings(self.files.settings());
        let form = match self.format {
            Format::Strategic => PatchForm::Strategic,
            Format::Merge => PatchForm::Merge,
            Format::Json => PatchForm::Json,
            Format::Unified => {
                let plan = plan_difference(old, new, &settings)?;
                let line =
                    |it: &FileChange| format!("{} {}\n", it.kind.as_str(), error::shown(&it.path));
                let (text, notes) = match self.list {
                    true => (plan.files.iter().map(line).collect(), Vec::new()),
                    false => run.diff(Path::new(""), &plan),
                };
                return Ok(Output {
                    notes,
                    ..text.into()
                });
            }
        };
        let patch = difference(old, new, &self.resources, form, &settings)?;
        Ok(Output {
            notes: run.left_out(&patch.left_out),
            ..patch.text.into()
        })
    }
}
