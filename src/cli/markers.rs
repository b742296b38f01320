//! The arguments for the style of conflict markers (rules: Conflict markers).

use std::path::PathBuf;

use crate::merge::{ConflictStyle, MarkerStyle};
use crate::triple::Triple;

/// The arguments for the style of conflict markers.
#[derive(Debug, clap::Args)]
pub(super) struct MarkerArgs {
    /// How long conflict markers are (7)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 7,
        hide_default_value = true,
        value_parser = clap::value_parser!(u8).range(1..),
        hide_short_help = true
    )]
    marker_size: u8,
    /// Names for local, original, updated, in this order
    #[arg(short = 'L', long = "label", value_name = "LABEL", value_parser = label, hide_short_help = true)]
    labels: Vec<String>,
    /// Between markers: merge (default), diff3, zdiff3
    #[arg(long, value_enum, value_name = "STYLE", hide_short_help = true)]
    conflict_style: Option<ConflictStyle>,
}

/// Parses a label of a marker. It is written into a line, so it must not contain control
/// characters.
fn label(text: &str) -> Result<String, &'static str> {
    match text.contains(char::is_control) {
        true => Err("a label is one line"),
        false => Ok(text.to_owned()),
    }
}

impl MarkerArgs {
    /// Returns the style of conflict markers. A side without a label gets its path as label.
    ///
    /// # Errors
    /// There are more labels than sides.
    pub(super) fn style(self, paths: &Triple<PathBuf>) -> Result<MarkerStyle, String> {
        if self.labels.len() > 3 {
            return Err(format!(
                "--label is given {} times: local, original and updated have one each",
                self.labels.len()
            ));
        }
        Ok(MarkerStyle {
            size: self.marker_size.into(),
            labels: labels(&self.labels, paths),
            conflict_style: self.conflict_style,
        })
    }
}

/// Returns the labels of the sides. They are given in the order of `git merge-file`: local,
/// original, updated. A side without a label gets its path as label.
pub(super) fn labels(given: &[String], paths: &Triple<PathBuf>) -> Triple<String> {
    let positions = Triple::new(1, 2, 0).zip(paths.as_ref());
    positions.map(|(position, path)| match given.get(position) {
        Some(label) => label.clone(),
        None => path.to_string_lossy().into_owned(),
    })
}
