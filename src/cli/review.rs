//! `merge3 review`: a merge, decided place by place.

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::Child;

use super::config::{Config, Job};
use super::exit_code::ExitCode;
use super::markers::MarkerArgs;
use super::merge_args::MergeArgs;
use super::output::{OutputArgs, ShownArgs};
use super::report::ReportTo;
use super::run::{in_threads, locked, or_undone, planned};
use super::signals::Signals;
use crate::error::{Error, shown};
use crate::merge::{ConflictStyle, OnConflict};
use crate::package::{Plan, plan_marked};
use crate::report::many;
use crate::review::{End, Session, has_open_places};
use crate::triple::Triple;

/// The arguments of `review`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "merge3 review [OPTIONS] --ancestor <OLD> --from <NEW> --to <LOCAL>\n       merge3 review [OPTIONS] --to <LOCAL>"
)]
#[command(mut_arg("on_conflict", |argument| argument.hide(true)))]
pub(super) struct ReviewArgs {
    /// What both others come from: a folder or a file
    #[arg(long, value_name = "OLD", requires = "from")]
    ancestor: Option<PathBuf>,
    /// The package with upstream's changes
    #[arg(long, value_name = "NEW", requires = "ancestor")]
    from: Option<PathBuf>,
    /// The package to change; alone: what a run left between conflict markers in it is decided
    #[arg(long, value_name = "LOCAL")]
    to: PathBuf,
    #[command(flatten)]
    how: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

impl ReviewArgs {
    /// What a merge would be told: the local package alone counts where there is none to do.
    fn config(self) -> Result<Config, String> {
        let or_local = |path: Option<PathBuf>| path.unwrap_or_else(|| self.to.clone());
        let sides = Triple::new(
            or_local(self.ancestor),
            or_local(self.from),
            self.to.clone(),
        );
        let mut settings = self.how.settings(self.markers.style(&sides)?);
        settings.merge.on_conflict = OnConflict::Markers;
        settings.merge.markers.conflict_style = ConflictStyle::Diff3;
        let output = OutputArgs::showing(self.shown);
        Ok(Config::new(
            output,
            sides,
            settings,
            Job::Merge,
            ReportTo::default(),
        ))
    }

    /// Runs a review.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    pub(super) fn run(
        self,
        output: &mut impl Write,
        errors: &mut impl Write,
    ) -> Result<ExitCode, String> {
        let merges = self.ancestor.is_some();
        let config = self.config()?;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let told = "error: review asks, and there is no terminal to answer in\n\
             help: run it in a terminal; elsewhere take --on-conflict markers, or rules in .merge3.yaml";
            let _ = writeln!(errors, "{told}");
            return Ok(ExitCode::Failed);
        }
        let signals = Signals::listen().unwrap_or_default();
        let result = reviewed(&config, merges, &signals, output, errors);
        Ok(result.unwrap_or_else(|error| config.shown.failed(error, Some(&signals), errors)))
    }
}

fn reviewed(
    config: &Config,
    merges: bool,
    signals: &Signals,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<ExitCode, Error> {
    let local = &config.sides.local;
    let _lock = locked(config, errors)?;
    let (plan, is_left) = in_threads(None, &config.sides, || opened(config, merges))?;
    let lost = Error::writing(Path::new("standard output"));
    for warning in &plan.warnings {
        writeln!(errors, "{}", warning.render(config.shown.color_errors)).map_err(lost)?;
    }
    let no_rules = match (&config.settings.config, local.is_dir()) {
        (Some(_), _) => Some("the rules are those of --config: add it there"),
        (None, false) => Some("rules are for folders: this is one file"),
        (None, true) => None,
    };
    let files = plan.files.len();
    let wait = |child: &mut Child| signals.outlast(child);
    let size = config.settings.merge.markers.size;
    let mut session = Session::new(plan, size, no_rules, config.shown.color_output, &wait);
    let places = many(session.place_count(), "place");
    let changed = many(files, "file");
    let told = match (files, is_left, merges) {
        (0, _, false) => format!("no conflict markers in {}", shown(local)),
        (0, ..) => "nothing to do: upstream's changes are there".to_owned(),
        (_, true, false) => format!("{places} between conflict markers in {changed}{HELP}"),
        (_, true, true) => format!(
            "{places} between conflict markers in {changed}; a run left them, so nothing is merged before they are decided{HELP}"
        ),
        (_, false, _) => format!("the merge changes {changed}; {places} to decide{HELP}"),
    };
    writeln!(output, "{told}").map_err(lost)?;
    if files == 0 {
        return Ok(ExitCode::Merged);
    }
    if session.run(output).map_err(lost)? == End::Discard {
        writeln!(output, "nothing was written").map_err(lost)?;
        return Ok(ExitCode::Conflicts);
    }
    let (told, is_left) = session.write(signals.hold_off())?;
    output.write_all(told.as_bytes()).map_err(lost)?;
    Ok(match is_left {
        true => ExitCode::Conflicts,
        false => ExitCode::Merged,
    })
}

/// Where to find help.
const HELP: &str = ". ? says what the keys do.";

/// What there is to decide: what a run left between conflict markers, else what the merge leaves
/// open; and whether it is the former.
fn opened(config: &Config, merges: bool) -> Result<(Plan, bool), Error> {
    let size = config.settings.merge.markers.size;
    let local = &config.sides.local;
    let marked = or_undone(config, || {
        plan_marked(local, |it| has_open_places(it, size))
    });
    let left = match marked {
        // the merge takes that back
        Err(Error::Unfinished { .. }) if merges => None,
        marked => Some(marked?).filter(|plan| !merges || !plan.files.is_empty()),
    };
    let is_left = left.is_some();
    let mut plan = left.map_or_else(|| planned(config), Ok)?;
    plan.show_secrets = config.settings.show_secrets;
    Ok((plan, is_left))
}
