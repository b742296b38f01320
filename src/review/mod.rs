//! Interactive resolution of conflicts in a terminal, for `merge3 review`.
//!
//! The input is a [`Plan`](crate::package::Plan) whose files contain conflict markers. The user
//! decides the conflicts one by one. Nothing is written before the end.
//!
//! `session` asks the questions and carries out the answers; `decide` has the answers that need
//! more than one key, and checks that the file is still valid YAML with a decision. `files` finds
//! the conflicts ("open places") and `show` displays one. `texts` and `editor` make the text
//! that replaces a conflict.

mod decide;
mod editor;
mod files;
mod session;
mod show;
mod texts;

pub(crate) use files::has_open_places;
pub(crate) use session::Session;
