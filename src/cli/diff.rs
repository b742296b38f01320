//! `merge3 diff`: the patch that turns one package into another.

use std::path::PathBuf;

use super::output::{DisplayArgs, FilesArgs};
use super::print::{Output, Printer, Streams};
use super::progress::with_remotes;
use super::run::in_pool;
use crate::error::{self, Error};
use crate::package::{
    Access, DiffInput, FileChange, PatchForm, Selector, difference, plan_difference,
};
use crate::report;
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
        let input = DiffInput {
            old: self.old.clone(),
            new: self.new.clone().unwrap_or_else(|| self.old.clone()),
            resources: self.resources.clone(),
        };
        let mut lock = |path| streams.lock(path, Access::Read);
        let locks = lock(&input.old).and_then(|old| Ok((old, lock(&input.new)?)));
        let diff =
            locks.and_then(|_locks| in_pool(None, || self.compare(input, &printer.args.display)));
        printer.print(diff, streams)
    }

    /// Returns the patch. Without a second package, compares the package with the upstream version
    /// that it was made from.
    fn compare(self, mut input: DiffInput, display: &DisplayArgs) -> Result<Output, Error> {
        let upstream = match self.new {
            None => Some(with_remotes(false, |it| upgrade::original(it, &input.old))?),
            Some(_) => None,
        };
        if let Some(folder) = &upstream {
            input.old = folder.path().to_owned();
        }
        let settings = display.settings(self.files.settings());
        let form = match self.format {
            Format::Strategic => PatchForm::Strategic,
            Format::Merge => PatchForm::Merge,
            Format::Json => PatchForm::Json,
            Format::Unified => {
                let plan = plan_difference(&input, &settings)?;
                let line =
                    |it: &FileChange| format!("{} {}\n", it.kind.as_str(), error::shown(&it.path));
                return Ok(match self.list {
                    true => plan.files.iter().map(line).collect::<String>().into(),
                    false => report::diff(&plan, display.color_output()).into(),
                });
            }
        };
        difference(&input, form, &settings).map(Output::from)
    }
}
