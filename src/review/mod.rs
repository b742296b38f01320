//! Interactive resolution of conflicts in a terminal, for `merge3 review`.
//!
//! The input is a [`Plan`](crate::package::Plan) whose files contain conflict markers. The user
//! decides the conflicts one by one. Nothing is written before the end.
//!
//! `session` asks the questions and carries out the answers; `dialogs` has the answers that need
//! more than one key. `files` finds the conflicts ("open places") and `show` displays one. `both`,
//! `pin`, `rules` and `editor` make the text that replaces a conflict, and `decide` checks that the
//! file is still valid YAML with it.

mod both;
mod decide;
mod dialogs;
mod editor;
mod files;
mod pin;
mod rules;
mod session;
mod show;

pub(crate) use files::has_open_places;
pub(crate) use session::Session;
