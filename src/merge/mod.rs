//! Merges the three versions of a YAML document, given as texts and trees. Does not read or write
//! files.
//!
//! [`merge_document`] is the entry point (`document`). `walk` compares the trees and decides what
//! the result is (`decision`), by the rules of docs/rules.md. `rows` merges the comments and blank
//! lines between entries. `edit` carries the decisions out on local's text, and `check` parses the
//! result and compares its values with the decisions. All of them use `shape` for the kinds of
//! values and `index` to find the fields of maps. `text` merges files by lines.

mod anchors;
mod around;
mod body;
mod check;
mod check_comments;
mod check_lines;
pub mod conflict;
mod decision;
mod document;
mod edit;
mod embedded;
mod fingerprint;
mod index;
mod leaves;
mod lines;
mod local_changes;
pub mod markers;
mod merged_text;
pub mod options;
mod pattern;
pub(crate) mod pins;
mod regions;
pub(crate) mod rows;
mod rules;
mod shape;
#[doc(hidden)]
pub mod stages;
pub mod text;
mod walk;

pub(crate) use around::{
    HEAD, MergedAround, merge_above, merge_below, merge_without_entries, push_line, set_off,
};
pub use check::VerificationError;
pub(crate) use check_comments::own_comments;
pub(crate) use check_lines::merged_in_place;
pub(crate) use conflict::ConflictTexts;
pub use conflict::{CombinedBy, Conflict, ConflictKind, Resolution};
pub(crate) use decision::{Child, CommentChoice, Incoming, Outcome, Remarks, Slot};
pub(crate) use document::merge_sides;
pub use document::{Merged, ReadDocument, merge_document};
pub(crate) use index::{FieldIndex, ScalarKey, fields_of, key_of, name_of, scalar_key};
pub(crate) use leaves::{Leaves, count_common};
pub use markers::{ConflictStyle, MARKER_SIZE, MarkerStyle};
pub(crate) use merged_text::without_aliases;
pub(crate) use merged_text::{edited, merged_or_written_out};
pub use options::{Images, Lists, Nulls, OnConflict, Options, Sides, Texts};
pub use pattern::{Pattern, PatternError};
pub use rules::{Rule, Take};
pub(crate) use shape::{Shape, position, shape};
pub(crate) use walk::Walker;
pub(crate) use walk::arrive::part_of;
pub(crate) use walk::entries_at::entries_at;
pub(crate) use walk::order::put_in_order;
pub(crate) use walk::place::{UpdatedEntry, place};
