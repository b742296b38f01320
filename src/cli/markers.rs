//! The arguments about conflict markers (rules: Conflict markers).

use std::path::PathBuf;

use crate::merge::{ConflictStyle, MarkerStyle};
use crate::triple::Triple;

/// How conflict markers look.
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
    #[arg(
        long,
        value_enum,
        value_name = "STYLE",
        default_value = "merge",
        hide_short_help = true
    )]
    conflict_style: ConflictStyle,
}

/// A label is part of a line.
fn label(text: &str) -> Result<String, &'static str> {
    if text.contains(char::is_control) {
        Err("a label is one line")
    } else {
        Ok(text.to_owned())
    }
}

impl MarkerArgs {
    /// The style of markers, with these names of the sides where no label is given.
    ///
    /// # Errors
    /// Where there are more labels than sides.
    pub(super) fn style(self, names: &Triple<PathBuf>) -> Result<MarkerStyle, String> {
        if self.labels.len() > 3 {
            return Err(format!(
                "--label is given {} times: local, original and updated have one each",
                self.labels.len()
            ));
        }
        let mut labels = self.labels.into_iter();
        let (local, original, updated) = (labels.next(), labels.next(), labels.next());
        let given = Triple::new(original, updated, local).zip(names.as_ref());
        let label = |(label, name): (Option<String>, &PathBuf)| {
            label.unwrap_or_else(|| name.to_string_lossy().into_owned())
        };
        Ok(MarkerStyle {
            size: self.marker_size.into(),
            labels: given.map(label),
            conflict_style: self.conflict_style,
        })
    }
}
