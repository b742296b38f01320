//! A merge that somebody decides place by place, in a terminal: what is between conflict
//! markers is shown and asked, and nothing is written before the end.
//!
//! `session` asks and carries out the answers, with `dialogs` for those that take more than a key.
//! `files` finds the open places, `show` draws one; `both`, `pin`, `rules` and `editor` make what an
//! answer puts there, and `decide` checks that the file is still YAML with it.

mod both;
mod decide;
mod dialogs;
mod editor;
mod files;
mod pin;
mod rules;
mod session;
mod show;

pub(crate) use files::has_open;
pub(crate) use session::{End, Session};
