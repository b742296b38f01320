//! Prints the results of commands, and returns their exit statuses (rules: Reports).

use std::io::{self, Write};
use std::path::Path;

use super::output::{DisplayArgs, ReportArgs, RunArgs};
use super::signals::Signals;
use crate::error::{Error, shown};
use crate::package::{self, Access, Lock};
use crate::report::Facts;

/// The exit status for success. A merge resolved all conflicts, for example by its policy.
pub(super) const DONE: u8 = 0;
/// The exit status if conflicts are left.
pub(super) const CONFLICTS: u8 = 1;
/// The exit status if the arguments or the input are wrong, or reading or writing failed.
pub(super) const FAILED: u8 = 2;

/// Where a command writes: results to `output`, all other text to `errors`.
pub(super) struct Streams<'s> {
    pub output: &'s mut (dyn Write + Send),
    pub errors: &'s mut (dyn Write + Send),
}

impl Streams<'_> {
    /// Writes a line to `errors`. If they are closed, there is no way to report.
    pub(super) fn tell(&mut self, line: &str) {
        let _ = writeln!(self.errors, "{line}");
    }

    /// Writes lines to `errors`.
    pub(super) fn write_errors(&mut self, lines: &[String]) -> io::Result<()> {
        let mut lines = lines.iter();
        lines.try_for_each(|line| writeln!(self.errors, "{line}"))
    }

    /// Locks a package. If another run has locked it, says so and waits.
    pub(super) fn lock(&mut self, package: &Path, access: Access) -> Result<Lock, Error> {
        package::lock(package, access, || self.tell(&waiting(package)))
    }
}

/// Returns the line that says that this run waits for another run that has locked a package.
pub(super) fn waiting(package: &Path) -> String {
    format!("waiting for another run of merge3 at {}", shown(package))
}

/// The result of a command that prints it and returns an exit status.
#[derive(Default)]
pub(super) struct Output {
    /// What standard output gets in place of the text, which then goes to standard error: the
    /// merged file, or a diff.
    pub content: Option<Vec<u8>>,
    /// The result, or the report as text.
    pub text: String,
    /// The report in another format, if one was asked for.
    pub report: Option<String>,
    /// Warnings and errors, rendered.
    pub notes: Vec<String>,
    /// A line for standard error that comes last.
    pub last_note: Option<&'static str>,
    pub status: u8,
    /// The number of files that the run has changed.
    pub written: usize,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// Prints the result of a command as its arguments ask for.
pub(super) struct Printer {
    pub report: ReportArgs,
    pub args: RunArgs,
    pub signals: Signals,
}

impl Printer {
    pub(super) fn new(report: ReportArgs, args: RunArgs) -> Self {
        Self {
            report,
            args,
            signals: Signals::default(),
        }
    }

    /// Makes the printer for a command that has no other arguments about its output.
    pub(super) fn showing(display: DisplayArgs) -> Self {
        let args = RunArgs {
            display,
            ..RunArgs::default()
        };
        Self::new(ReportArgs::default(), args)
    }

    /// Prints the result of a command, writes its report, and returns the exit status.
    pub(super) fn print(
        &self,
        result: Result<impl Into<Output>, Error>,
        streams: &mut Streams<'_>,
    ) -> u8 {
        match result.map(Into::into) {
            Ok(output) => unless_failed(output.status, self.print_output(output, streams)),
            Err(error) => self.args.display.fail(error, &self.signals, streams),
        }
    }

    fn print_output(&self, output: Output, streams: &mut Streams<'_>) -> io::Result<()> {
        streams.write_errors(&output.notes)?;
        let report = output.report.as_ref().unwrap_or(&output.text);
        if let Err(error) = self.report.write(report, output.written) {
            streams.write_errors(&[error.render(self.args.display.color_errors())])?;
            return Err(io::ErrorKind::Other.into());
        }
        let text = match &self.report.file {
            Some(_) => &output.text,
            None => report,
        };
        // --quiet does not suppress a report in a requested format
        let is_printed = self.report.is_printed() || !self.args.quiet;
        let text = if is_printed { text.as_bytes() } else { &[] };
        match &output.content {
            Some(content) => {
                streams.output.write_all(content)?;
                streams.errors.write_all(text)?;
            }
            None => streams.output.write_all(text)?,
        }
        if let Some(note) = output.last_note {
            writeln!(streams.errors, "{note}")?;
        }
        streams.output.flush()
    }
}

/// Returns the line that says that conflicts are left, for a run that was refused or is not quiet.
pub(super) fn left_conflicts(facts: &Facts, is_quiet: bool) -> Option<&'static str> {
    match facts.refused {
        true => Some("conflicts are left: nothing was written"),
        false => Some("conflicts are left: see the report").filter(|_| facts.open && !is_quiet),
    }
}

/// Returns [`FAILED`] if writing the output failed, else the status itself. A broken pipe is no
/// failure: the reader stopped early, and the command has done its work.
pub(super) fn unless_failed(status: u8, written: io::Result<()>) -> u8 {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => FAILED,
        _ => status,
    }
}
