//! What report is made of a run: the arguments about it (rules: Reports).

use std::path::PathBuf;

use clap::ValueEnum;

/// What report is made of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct ReportTo {
    /// The report: text (default), json, markdown, html
    #[arg(long = "report", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    pub form: Form,
    /// Write the report there, beside the summary
    #[arg(long = "report-file", value_name = "FILE", hide_short_help = true)]
    pub file: Option<PathBuf>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Form {
    /// A summary, for people
    #[default]
    Text,
    /// For programs: docs/report.schema.json says what is in it
    Json,
    /// For the body of a pull request
    Markdown,
    /// A page to look at
    Html,
}
