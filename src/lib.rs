//! A three-way merge for YAML. It applies the changes between an original and an updated version to
//! a local copy, and changes nothing else in the copy.
//!
//! It is for people who vendor YAML (Kubernetes manifests, Helm values, CI workflows) and customise
//! it. Comments, blank lines, quotes and the order of keys stay as they are. No schema is needed.
//!
//! # Merge texts
//!
//! [`merge`](merge()) takes three texts and returns the merged text and the conflicts:
//!
//! ```
//! use merge3::{Options, merge};
//!
//! let original = "image: app:1\nreplicas: 1\n";
//! let updated = "image: app:2\nreplicas: 2\n";
//! let local = "image: app:1 # do not pin\nreplicas: 3\n";
//!
//! let merged = merge(original, updated, local, &Options::default())?;
//! assert_eq!(merged.text, "image: app:2 # do not pin\nreplicas: 2\n");
//!
//! // both sides changed the replicas: upstream wins, and the conflict is reported
//! let conflict = &merged.conflicts[0].conflict;
//! assert_eq!(conflict.path(), "replicas");
//! assert_eq!(conflict.values().local, Some("3"));
//! # Ok::<(), merge3::Error>(())
//! ```
//!
//! [`Options`] say which side wins a conflict, how lists merge, and more:
//!
//! ```
//! use merge3::{OnConflict, Options, merge};
//!
//! let options = Options { on_conflict: OnConflict::Local, ..Options::default() };
//! let merged = merge("a: 1\n", "a: 2\n", "a: 3\n", &options)?;
//! assert_eq!(merged.text, "a: 3\n");
//! # Ok::<(), merge3::Error>(())
//! ```
//!
//! # Merge packages
//!
//! [`plan`] merges three folders (or files) in memory. [`Plan::write`] writes the result: all files,
//! or none if it fails:
//!
//! ```no_run
//! use merge3::{Settings, Triple, plan};
//!
//! let sides = Triple::new("upstream-1.0", "upstream-1.1", "fork").map(Into::into);
//! let plan = plan(&sides, &Settings::default())?;
//! for conflict in &plan.conflicts {
//!     println!("{}: {}", conflict.file.display(), conflict.conflict.path());
//! }
//! plan.write(false)?;
//! # Ok::<(), merge3::Error>(())
//! ```
//!
//! # Modules
//!
//! [`package`] pairs the files and resources of packages, [`patch`] applies the patches of kubectl
//! and kustomize, [`git`] is the merge driver, and [`report`] formats the result of a run. The rules
//! of the merge are in `docs/rules.md`.
#![forbid(unsafe_code)]

// the doc comments in cli are help texts of clap, not Markdown
#[allow(rustdoc::bare_urls)]
#[doc(hidden)]
pub mod cli;
mod differences;
pub mod error;
pub mod git;
mod git_process;
mod line_breaks;
pub mod merge;
pub mod package;
mod parallel;
pub mod patch;
pub mod report;
mod review;
pub mod schema;
mod secret;
mod semantic_version;
pub mod triple;
mod upgrade;
mod visible;
mod white_space;
#[doc(hidden)]
pub mod yaml;

pub use error::Error;
pub use merge::{Conflict, ConflictKind, OnConflict, Options, Resolution};
pub use package::{MergedFile, Plan, Settings, merge, plan};
pub use triple::Triple;
