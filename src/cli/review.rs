//! `merge3 review`: lets the user decide the conflicts of a merge one by one.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Child;

use super::merge_args::{MarkerArgs, MergeArgs};
use super::output::{DisplayArgs, OutputArgs, ReportArgs};
use super::print::{CONFLICTS, DONE, FAILED, Streams};
use super::run::{Config, Job, in_threads, lock_local, make_plan, plan_or_recover};
use super::signals::Signals;
use crate::error::{Error, shown};
use crate::merge::{ConflictStyle, OnConflict};
use crate::package::{Plan, plan_marked};
use crate::report::many;
use crate::review::{Session, has_open_places};
use crate::triple::Triple;

/// The arguments of `review`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "merge3 review [OPTIONS] --ancestor <OLD> --from <NEW> --to <LOCAL>\n       merge3 review [OPTIONS] --to <LOCAL>"
)]
#[command(mut_arg("on_conflict", |argument| argument.hide(true)))]
pub(super) struct ReviewArgs {
    /// What both others derive from: a folder or a file
    #[arg(long, value_name = "OLD", requires = "from")]
    ancestor: Option<PathBuf>,
    /// The package with upstream's changes
    #[arg(long, value_name = "NEW", requires = "ancestor")]
    from: Option<PathBuf>,
    /// The package to change; alone: what a run left between conflict markers in it is decided
    #[arg(long, value_name = "LOCAL")]
    to: PathBuf,
    #[command(flatten)]
    merge: MergeArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    #[command(flatten)]
    display: DisplayArgs,
}

impl ReviewArgs {
    /// Returns the settings of the merge. Without `--ancestor` and `--from`, all sides are the
    /// local package.
    fn config(self) -> Result<Config, clap::Error> {
        let or_local = |path: Option<PathBuf>| path.unwrap_or_else(|| self.to.clone());
        let [ancestor, from] = [self.ancestor, self.from].map(or_local);
        let sides = Triple::new(ancestor, from, self.to);
        let mut settings = self.merge.settings(self.markers.style("", &sides)?);
        settings.merge.on_conflict = OnConflict::Markers;
        settings.merge.markers.conflict_style = Some(ConflictStyle::Diff3);
        let mut output = OutputArgs::default();
        output.run.display = self.display;
        let output = (output, ReportArgs::default());
        Ok(Config::new(Job::Merge, sides, settings, output))
    }

    /// Runs the review.
    ///
    /// # Errors
    /// The arguments are wrong.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<u8, clap::Error> {
        let merges = self.ancestor.is_some();
        let config = self.config()?;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            streams.tell(
                "error: review asks, and there is no terminal to answer in\n\
                 help: run it in a terminal; elsewhere take --on-conflict markers, or rules in .merge3.yaml",
            );
            return Ok(FAILED);
        }
        let signals = Signals::listen().unwrap_or_default();
        let result = review(&config, merges, &signals, streams);
        Ok(result.unwrap_or_else(|error| config.display().fail(error, &signals, streams)))
    }
}

/// Runs the dialogue and writes the decisions. `merges` says whether there is a merge to do, or
/// only the conflict markers in the local package to resolve.
fn review(
    config: &Config,
    merges: bool,
    signals: &Signals,
    streams: &mut Streams<'_>,
) -> Result<u8, Error> {
    let local = &config.sides.local;
    let _lock = lock_local(config, streams)?;
    let (plan, has_left_markers) =
        in_threads(None, &config.sides, || plan_to_review(config, merges))?;
    let output_error = Error::writing(Path::new("standard output"));
    let warnings = config.output.run.rendered(&plan.warnings);
    streams.write_errors(&warnings).map_err(output_error)?;
    let output = &mut streams.output;
    let why_no_rules = match (&config.settings.config, local.is_dir()) {
        (Some(_), _) => Some("the rules are those of --config: add it there"),
        (None, false) => Some("rules are for folders: this is one file"),
        (None, true) => None,
    };
    let file_count = plan.files.len();
    let has_unmatched = !merges && !plan.warnings.is_empty();
    let wait = |child: &mut Child| signals.wait_for(child);
    let size = config.settings.merge.markers.size;
    let color = config.display().color_output();
    let mut session = Session::new(plan, size, why_no_rules, color, &wait);
    let places = many(session.place_count(), "place");
    let changed = many(file_count, "file");
    let introduction = match (file_count, has_left_markers, merges) {
        (0, _, false) if has_unmatched => "no conflict can be decided".to_owned(),
        (0, _, false) => format!("no conflict markers in {}", shown(local)),
        (0, ..) => "nothing to do: upstream's changes are there".to_owned(),
        (_, true, false) => format!("{places} between conflict markers in {changed}{HELP}"),
        (_, true, true) => format!(
            "{places} between conflict markers in {changed}; a run left them, so nothing is merged before they are decided{HELP}"
        ),
        (_, false, _) => format!("the merge changes {changed}; {places} to decide{HELP}"),
    };
    writeln!(output, "{introduction}").map_err(output_error)?;
    if file_count == 0 {
        return Ok(if has_unmatched { CONFLICTS } else { DONE });
    }
    if !session.run(output).map_err(output_error)? {
        writeln!(output, "nothing was written").map_err(output_error)?;
        return Ok(CONFLICTS);
    }
    let (summary, has_conflicts) = session.write(signals)?;
    let written = output.write_all(summary.as_bytes());
    written.map_err(output_error)?;
    Ok(match has_conflicts || has_unmatched {
        true => CONFLICTS,
        false => DONE,
    })
}

/// The end of the introduction.
const HELP: &str = ". ? says what the keys do.";

/// Returns the plan whose conflicts the user decides. If an earlier run left conflict markers in
/// the local package, the plan has those files, and the second value is true. Else it is the plan
/// of the merge.
fn plan_to_review(config: &Config, merges: bool) -> Result<(Plan, bool), Error> {
    let size = config.settings.merge.markers.size;
    let local = &config.sides.local;
    let marked = plan_or_recover(config, || {
        plan_marked(local, |it| has_open_places(it, size))
    });
    let left_markers = match marked {
        // make_plan undoes the killed run, if it was the same merge
        Err(Error::Unfinished { .. }) if merges => None,
        marked => Some(marked?).filter(|plan| !merges || !plan.files.is_empty()),
    };
    let has_left_markers = left_markers.is_some();
    let mut plan = left_markers.map_or_else(|| make_plan(config), Ok)?;
    plan.show_secrets = config.settings.show_secrets;
    Ok((plan, has_left_markers))
}
