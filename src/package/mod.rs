//! Packages: three folders (or files) in, a [`Plan`] of what changes in the local one out, and the
//! plan written to disk.
//!
//! Loading reads the files of all three (`load`), a file that one side renamed becomes one again
//! (`renamed_files`), pairing finds the documents that are the same one (`pair`), each file of the
//! result gets its job (`jobs`), and the jobs are done in parallel: files of documents by
//! `documents`, others by `whole_file`. Nothing is written before all of it is done.
//!
//! `patching` and `apply` change one package: `readable` reads it, and `target` has its resources.

// a disk: files and folders
mod bytes;
mod disk;
mod lock;
mod owner;
pub(crate) mod private_folder;
mod walk;
mod write;

// packages, read
mod definitions;
mod file_triple;
mod ignored;
mod input;
mod items;
mod load;
mod parsed;
mod read;
mod readable;
mod rules;
mod selector;
mod single_package;
mod template;
mod yaml_names;

// which documents are one, and what has to be done where
mod duplicates;
mod gone;
mod jobs;
mod pair;
mod renamed;
mod renamed_files;
mod resource;
mod similarity;

// one file, merged: its documents and what is around them
mod around;
mod assemble;
mod document;
mod documents;
mod head;
mod insertion_point;
mod kpt;
mod nulls;
mod records;
mod verified;
mod whole_file;

// the plan of what changes
mod case_only;
mod change;
mod clean_lines;
mod comments_only;
mod copy;
mod obstacles;
mod plan;
mod secrets;

// runs, one for each command, and what they share
mod apply;
mod diff;
mod look_up;
mod marked;
mod merge_file;
mod parallel;
mod patching;
mod progress;
mod run;
mod target;

pub use apply::{ApplyAction, ApplyTo, apply_with, view_last_applied};
pub use bytes::Bytes;
pub use diff::{DiffInput, difference, plan_difference};
pub(crate) use disk::{
    folders_above, gone_is_fine, if_there, is_open_already, link, or_here, read_named, read_own,
    replace, replace_itself, sha256,
};
pub(crate) use file_triple::Source;
pub use input::{Input, Snapshot, SnapshotEntry};
pub(crate) use kpt::is_as_upstream;
pub(crate) use load::ignored;
pub use lock::{Access, Lock, lock};
pub use look_up::{Paired, documents_in};
pub(crate) use marked::plan_marked;
pub(crate) use merge_file::{FileInMemory, in_memory};
pub use merge_file::{MergedFile, merge, merge_file};
pub(crate) use owner::{is_executable, of_new};
pub use patching::{Given, PatchForm, Patching, plan_patches};
pub use plan::{ChangeKind, Counts, FileChange, FileConflict, Plan, Renamed};
pub use progress::Progress;
pub use resource::ResourceId;
pub(crate) use rules::{RULES_FILE, Written};
pub use run::{plan, plan_sides};
pub use selector::Selector;
pub(crate) use single_package::{STANDARD_INPUT, standard_input};
pub(crate) use verified::{holds, trees};
pub(crate) use walk::Kind;
pub(crate) use whole_file::as_text;
pub use write::{Disk, RealDisk, undo};
pub(crate) use write::{LEFT_OUT, Progressed, forget, git_folder, is_reserved, progress_at};
pub(crate) use yaml_names::is_yaml_name;

use std::path::{Path, PathBuf};

use crate::error::Warning;
use crate::merge::Options;

/// What a merge of packages may be told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// How documents merge.
    pub merge: Options,
    /// Whether resources pair only within files of the same path (rules: Documents).
    pub path_merge_key: bool,
    /// Which files are read as YAML; the usual names where there is none (rules: Packages and
    /// files).
    pub matches: Vec<String>,
    /// Whether other files are left alone.
    pub yaml_only: bool,
    /// What is known of the fields of resources beside their own text; none leaves it to that
    /// (rules: Lists).
    pub schema: Option<SchemaSource>,
    /// The file with rules for single places; where none is given, `.merge3.yaml` at the top of the
    /// local package.
    pub config: Option<PathBuf>,
    /// Folders in the package that are none of its own: left out on all sides.
    pub excluded: Vec<PathBuf>,
    /// Whether no rules are read from the local package.
    pub no_rules: bool,
    /// Whether ignore files count only as far as they are the local side's own: what upstream's say
    /// too, or said, excludes nothing.
    pub own_ignores: bool,
    /// Whether the values of Secrets are reported, in conflicts and in diffs.
    pub show_secrets: bool,
}

impl Settings {
    /// Whether a path in the package is in one of the folders that are left out.
    pub(crate) fn is_excluded(&self, path: &Path) -> bool {
        self.excluded.iter().any(|folder| path.starts_with(folder))
    }
}

/// Where what is known of the fields of resources comes from: the kinds built into Kubernetes, the
/// custom resource definitions in the packages, and these.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaSource {
    /// Files with custom resource definitions, which count more than those in the packages.
    pub definitions: Vec<PathBuf>,
}

/// What becomes of a file.
#[derive(Debug, Default)]
enum Content {
    #[default]
    Unchanged,
    Delete,
    /// It becomes upstream's file, to the byte.
    Updated,
    Write(Vec<u8>),
}

/// What the merge of one file gives.
#[derive(Debug, Default)]
struct FileOutcome {
    content: Content,
    conflicts: Vec<FileConflict>,
    /// What is reported and is no conflict.
    noted: Vec<FileConflict>,
    warnings: Vec<Warning>,
}
