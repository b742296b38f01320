//! Packages: merges three folders (or files) into a [`Plan`] of the changes to the local one, and
//! writes the plan to disk.
//!
//! The steps: `load` reads the files of all three packages; `renamed_files` joins the paths of a
//! file that one side renamed; `pair` finds the documents that correspond; `moved_files` joins the
//! paths of a file of resources that one side renamed; `jobs` assigns the work to the files of the
//! result; `documents` merges files of documents and `whole_file` all others, in parallel. Nothing
//! is written before all merges are done.
//!
//! `patching` and `apply` change one package: `read` reads it, and `target` holds its
//! resources.

// disk access
mod disk;
mod lock;
pub(crate) mod private_folder;
mod write;

// reading packages
mod definitions;
mod file_triple;
mod ignored;
mod input;
mod items;
mod load;
mod parsed;
mod read;
mod rules;
mod selector;
mod single_package;

// pairing documents, and the work on each file
mod jobs;
mod pair;
mod renamed;
mod renamed_files;
mod resource;
mod similarity;

// merging one file: its documents and the text around them
mod around;
mod assemble;
mod document;
mod documents;
mod head;
mod kpt;
mod order;
mod unnamed;
mod whole_file;
mod whole_text;

// the plan of changes
mod copy;
mod obstacles;
mod plan;
mod secrets;

// the runs of the commands, and what they share
mod apply;
mod diff;
mod marked;
mod merge_file;
mod moved_files;
mod patching;
mod run;
mod target;

pub use apply::{ApplyAction, ApplyPaths, ApplyTo, apply_with, view_last_applied};
pub(crate) use assemble::{holds, trees};
pub use diff::{Difference, difference, plan_difference};
pub(crate) use disk::{
    folders_above, if_there, is_executable, is_open_already, link, of_new, or_here, portable,
    read_named, read_own, replace, replace_itself, serialize_portable, sha256,
};
pub use file_triple::Bytes;
pub(crate) use file_triple::Source;
pub(crate) use input::Kind;
pub use input::{Input, Snapshot, SnapshotEntry};
pub(crate) use kpt::is_as_upstream;
pub(crate) use load::ignored;
pub(crate) use load::{YAML_NAMES, is_yaml_name};
pub use lock::{Access, Lock, lock};
pub(crate) use marked::plan_marked;
pub(crate) use merge_file::{FileInMemory, in_memory};
pub use merge_file::{MergedFile, merge, merge_file};
pub use patching::{PatchForm, Patching, plan_patches};
pub use plan::{ChangeKind, Counts, FileChange, FileConflict, Plan, Renamed};
pub use resource::ResourceId;
pub(crate) use rules::{NewRule, RULES_FILE};
pub use run::{Paired, Progress, documents_in, plan, plan_sides};
pub(crate) use secrets::verification_error;
pub use selector::Selector;
pub(crate) use single_package::{STANDARD_INPUT, standard_input};
pub(crate) use whole_file::as_text;
pub use write::{Disk, RealDisk, undo};
pub(crate) use write::{
    LEFT_OUT, RunProgress, TEMPORARY, forget, git_folder, is_reserved, progress_at,
};

use std::path::{Path, PathBuf};

use crate::error::Warning;
use crate::merge::Options;

/// The settings of a merge of packages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The options for merging documents.
    pub merge: Options,
    /// Whether resources pair only within files of the same path (rules: Documents).
    pub path_merge_key: bool,
    /// Patterns for the files that are read as YAML; if empty, the default names (rules: Packages
    /// and files).
    pub matches: Vec<String>,
    /// Whether files that are not YAML are left unchanged.
    pub yaml_only: bool,
    /// With a schema, which is made of the kinds built into Kubernetes and of the custom resource
    /// definitions in the packages and in these files; the files take precedence. `None` merges
    /// resources without a schema (rules: Lists).
    pub schema: Option<Vec<PathBuf>>,
    /// The file with rules for single paths; if `None`, `.merge3.yaml` at the top of the local
    /// package.
    pub config: Option<PathBuf>,
    /// Folders below the package that are not part of it: they are left out on all sides.
    pub excluded: Vec<PathBuf>,
    /// Whether the rules of the local package are ignored.
    pub no_rules: bool,
    /// Whether an ignore file counts only with the lines that are local's own: lines that upstream
    /// has, or had, exclude nothing.
    pub own_ignores: bool,
    /// Whether conflicts and diffs show the values of Secrets.
    pub show_secrets: bool,
}

impl Settings {
    /// Returns true if a path in the package is below an excluded folder.
    pub(crate) fn is_excluded(&self, path: &Path) -> bool {
        self.excluded.iter().any(|folder| path.starts_with(folder))
    }
}

/// The new content of a file.
#[derive(Debug, Default)]
enum Content {
    #[default]
    Unchanged,
    Delete,
    /// Upstream's file, byte for byte.
    Updated,
    Write(Vec<u8>),
}

/// The result of merging one file.
#[derive(Debug, Default)]
struct FileOutcome {
    content: Content,
    conflicts: Vec<FileConflict>,
    /// Records that are reported but are not conflicts.
    notes: Vec<FileConflict>,
    warnings: Vec<Warning>,
}
