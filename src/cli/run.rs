//! One run: plan, write or show, report.

use std::io::Write;

use super::config::{Action, Command, Config, Verbosity};
use super::exit_code::ExitCode;
use crate::error::Error;
use crate::merge::OnConflict;
use crate::package::{self, Plan};
use crate::report::{self, Detail};

/// Runs a command. Results go to `output`, everything else to `errors`.
pub fn run(command: &Command, output: &mut impl Write, errors: &mut impl Write) -> ExitCode {
    match command {
        Command::Merge(config) => merge(config, output, errors),
    }
}

fn merge(config: &Config, output: &mut impl Write, errors: &mut impl Write) -> ExitCode {
    let result = in_pool(config, || {
        let plan = package::plan(&config.sides, &config.settings)?;
        let refused =
            config.settings.merge.on_conflict == OnConflict::Fail && !plan.conflicts.is_empty();
        if let Action::Write { durable } = config.action
            && !refused
        {
            plan.write(durable)?;
        }
        Ok((plan, refused))
    });
    let reported = match &result {
        Ok((plan, refused)) => report(config, plan, *refused, output, errors),
        Err(error) => writeln!(errors, "{}", error.render(config.color_errors)),
    };
    match (result, reported) {
        (Err(_), _) => ExitCode::Failed,
        // whoever read the report has stopped reading: the merge itself is done
        (Ok(_), Err(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::Failed,
        (Ok((plan, refused)), _) if refused || plan.has_open_conflicts() => ExitCode::Conflicts,
        (Ok(_), _) => ExitCode::Merged,
    }
}

fn in_pool<R: Send>(
    config: &Config,
    work: impl FnOnce() -> Result<R, Error> + Send,
) -> Result<R, Error> {
    let threads = config.threads.map_or(0, std::num::NonZero::get);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        // the parser and the walk recurse: deep documents need more than a thread's usual 2 MB
        .stack_size(64 << 20)
        .build()
        .map_err(|error| Error::Threads(error.to_string()))?;
    pool.install(work)
}

fn report(
    config: &Config,
    plan: &Plan,
    refused: bool,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> std::io::Result<()> {
    let quiet = config.verbosity == Verbosity::Quiet;
    if !quiet {
        for warning in &plan.warnings {
            writeln!(errors, "{}", warning.render(config.color_errors))?;
        }
    }
    let detail = |color| Detail {
        files: config.verbosity == Verbosity::Verbose || config.action == Action::DryRun,
        planned_only: refused || !matches!(config.action, Action::Write { .. }),
        color,
    };
    if config.action == Action::Diff {
        output.write_all(report::diff(plan, config.color_output).as_bytes())?;
        if !quiet {
            let summary = report::summary(plan, detail(config.color_errors));
            errors.write_all(summary.as_bytes())?;
        }
    } else if !quiet {
        output.write_all(report::summary(plan, detail(config.color_output)).as_bytes())?;
    }
    if refused {
        writeln!(errors, "conflicts are left: nothing was written")?;
    }
    output.flush()
}
