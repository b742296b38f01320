//! A merge that somebody decides place by place, in a terminal: what is between conflict
//! markers is shown and asked, and nothing is written before the end.

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
pub(crate) use session::{End, Session, Settled};
