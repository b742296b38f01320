//! The arguments about reports (rules: Reports).

use std::path::PathBuf;

use clap::ValueEnum;

use super::config::{Form, ReportTo};

/// What is told of a run, and where.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ReportArgs {
    /// The report: text (default), json, markdown, html
    #[arg(
        long = "report",
        value_enum,
        value_name = "FORM",
        default_value_t = FormArg::Text,
        hide_possible_values = true,
        hide_default_value = true
    )]
    form: FormArg,
    /// Write the report there, beside the summary
    #[arg(long = "report-file", value_name = "FILE", hide_short_help = true)]
    file: Option<PathBuf>,
}

#[derive(Debug, Default, Clone, Copy, ValueEnum)]
enum FormArg {
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

impl From<ReportArgs> for ReportTo {
    fn from(args: ReportArgs) -> Self {
        Self {
            form: match args.form {
                FormArg::Text => Form::Text,
                FormArg::Json => Form::Json,
                FormArg::Markdown => Form::Markdown,
                FormArg::Html => Form::Html,
            },
            file: args.file,
        }
    }
}
