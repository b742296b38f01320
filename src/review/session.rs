//! The dialogue with the user: shows each open place, asks for a decision and carries it out.

use std::io::{self, Write};

use console::Term;

use super::decide::Decision;
use super::editor::Wait;
use super::files::{MarkedFile, OpenPlace};
use super::show::{self, HELP};
use super::texts::{both_sides, pinned};
use crate::error::{Error, shown};
use crate::merge::{ConflictKind, Resolution};
use crate::package::{ChangeKind, Disk, NewRule, Plan};
use crate::report::many;
use crate::triple::Side;
use crate::visible::visible;

/// The keys that the question about a place lists.
const KEYS: &str = "u,l,b,e,p,r,s,k,q,?";

/// A plan and the decisions about its open places.
pub(crate) struct Session<'w> {
    pub(super) plan: Plan,
    pub(super) files: Vec<MarkedFile>,
    pub(super) places: Vec<OpenPlace>,
    /// The rules that the user made, each with the index of the place.
    pub(super) rules: Vec<(usize, NewRule)>,
    /// Why the user cannot make rules, if that is so.
    pub(super) why_no_rules: Option<&'static str>,
    pub(super) color: bool,
    /// The width of the terminal, in columns.
    pub(super) width: usize,
    /// Waits for the editor.
    pub(super) wait: Wait<'w>,
    /// The index of the current place.
    pub(super) current: usize,
}

/// What the dialogue does after an answer.
pub(super) enum NextStep {
    /// Go to the next place.
    Next,
    /// Ask about the current place again, and `show` it before or not.
    Repeat { show: bool },
    /// Go back to the previous place.
    Back,
    /// Ask about no further place.
    Quit,
}

impl<'w> Session<'w> {
    /// Makes a dialogue about the conflicts in a plan, between markers of `marker_size` characters.
    /// `why_no_rules` says why the user cannot make rules, if that is so.
    pub(crate) fn new(
        plan: Plan,
        marker_size: usize,
        why_no_rules: Option<&'static str>,
        color: bool,
        wait: Wait<'w>,
    ) -> Self {
        let (files, places) = MarkedFile::all(&plan, marker_size);
        let (_, width) = Term::stdout().size();
        Self {
            plan,
            files,
            places,
            rules: Vec::new(),
            why_no_rules,
            color,
            width: usize::from(width).max(40),
            wait,
            current: 0,
        }
    }

    /// Returns the number of open places.
    pub(crate) fn place_count(&self) -> usize {
        self.places.len()
    }

    /// Asks about each place, and at the end whether to write. Returns that answer.
    ///
    /// # Errors
    /// The terminal cannot be read or written.
    pub(crate) fn run(&mut self, output: &mut impl Write) -> io::Result<bool> {
        let (mut has_quit, mut is_shown) = (false, false);
        loop {
            if self.current >= self.places.len() || has_quit {
                if let Some(is_to_write) = self.finish(output, has_quit)? {
                    return Ok(is_to_write);
                }
                has_quit = false;
                self.current = self.current.min(self.places.len().saturating_sub(1));
            }
            if !is_shown {
                output.write_all(show::place(self, false).as_bytes())?;
            }
            is_shown = false;
            match self.ask(output)? {
                NextStep::Next => {
                    self.current += 1;
                    // places that a rule decided need no answer
                    let is_by_rule = |it: &Decision| it.rule_place.is_some();
                    while self.decision(self.current).is_some_and(is_by_rule) {
                        self.current += 1;
                    }
                }
                NextStep::Repeat { show } => is_shown = !show,
                NextStep::Back => self.current -= 1,
                NextStep::Quit => has_quit = true,
            }
        }
    }

    /// Returns the decision about a place, given by its index in the session.
    pub(super) fn decision(&self, place: usize) -> Option<&Decision> {
        self.places.get(place)?.decision.as_ref()
    }

    /// Asks for a decision about the current place and carries it out.
    fn ask(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        let key = read_key(output, &format!("Decide [{KEYS}]? "))?;
        let place = &self.places[self.current];
        let file = &self.files[place.file];
        let decision = match key {
            'u' => Ok(Decision::side(place, Side::Updated)),
            'l' => Ok(Decision::side(place, Side::Local)),
            'b' => Ok(Decision::new(both_sides(file, place), "both")),
            'p' => pinned(file, place)
                .map(|text| Decision::new(text, "local, pinned"))
                .map_err(str::to_owned),
            'e' => return self.edit(output),
            'r' => return self.make_rule(output),
            's' => {
                self.remove_rules();
                self.places[self.current].decision = None;
                return Ok(NextStep::Next);
            }
            'k' if self.current == 0 => Err("this is the first place".to_owned()),
            'k' => return Ok(NextStep::Back),
            'q' => return Ok(NextStep::Quit),
            'v' => return tell(output, &show::place(self, true)),
            '?' => return tell(output, HELP),
            _ => Err(format!("the keys are {KEYS}; ? says what they do")),
        };
        let result = decision.and_then(|decision| self.decide(decision));
        match result.map_err(|why| match key {
            'b' => format!("both sides do not fit here, e edits them: {why}"),
            _ => why,
        }) {
            Ok(()) => Ok(NextStep::Next),
            Err(why) => explain(output, &why),
        }
    }

    /// Stores a decision about the current place, and removes the rules made there before.
    ///
    /// # Errors
    /// Why the decision is invalid, as for [`Session::check`]. The previous decision stays.
    pub(super) fn decide(&mut self, decision: Decision) -> Result<(), String> {
        let text = decision.text.clone();
        let place = &mut self.places[self.current];
        let file = place.file;
        let previous = place.decision.replace(decision);
        if let Err(why) = self.check(file, &text) {
            self.places[self.current].decision = previous;
            return Err(why);
        }
        self.remove_rules();
        Ok(())
    }

    /// Removes the rules that were made at the current place, and their decisions.
    fn remove_rules(&mut self) {
        let current = self.current;
        self.rules.retain(|(place, _)| *place != current);
        for place in &mut self.places {
            place.decision.take_if(|it| it.rule_place == Some(current));
        }
    }

    /// Returns the number of places with a decision.
    fn decided_count(&self) -> usize {
        let places = self.places.iter();
        places.filter(|place| place.decision.is_some()).count()
    }

    /// Asks whether to write. Returns `None` if the user goes back to a place.
    fn finish(&mut self, output: &mut impl Write, has_quit: bool) -> io::Result<Option<bool>> {
        let count = self.places.len();
        let decided = self.decided_count();
        if has_quit && decided == 0 {
            return Ok(Some(false));
        }
        let left = match count - decided {
            0 => String::new(),
            left => format!(", {left} left between conflict markers"),
        };
        writeln!(output, "\n{decided} of {count} decided{left}")?;
        loop {
            match read_key(output, "Write it [y], write nothing [n], or go back [k]? ")? {
                'y' => return Ok(Some(true)),
                'n' | 'q' => return Ok(Some(false)),
                'k' if count > 0 => return Ok(None),
                _ => {}
            }
        }
    }

    /// Writes all decisions and rules, or nothing. Returns the summary for the user, and whether
    /// conflicts are left.
    ///
    /// # Errors
    /// As for [`Plan::write_to`].
    pub(crate) fn write(mut self, disk: &dyn Disk) -> Result<(String, bool), Error> {
        let (decided, unresolved) = (self.decided_count(), self.unresolved());
        self.apply_decisions();
        let mut summary = format!("{} decided", many(decided, "place"));
        let rules: Vec<NewRule> = self.rules.into_iter().map(|(_, rule)| rule).collect();
        if !rules.is_empty() {
            self.plan.add_rules(&rules)?;
        }
        self.plan.write_to(disk, false)?;
        summary += &format!(", {} written", many(self.plan.files.len(), "file"));
        if !rules.is_empty() {
            summary += &format!(", {} in .merge3.yaml", many(rules.len(), "new rule"));
        }
        summary.push('\n');
        for left in &unresolved {
            summary += &format!("left {left}\n");
        }
        Ok((summary, !unresolved.is_empty()))
    }

    /// Returns a line for each conflict that is left: where it is, and what its file contains.
    fn unresolved(&self) -> Vec<String> {
        let open = self.places.iter().filter(|it| it.decision.is_none());
        let open = open.map(|place| {
            let file = shown(&self.files[place.file].path);
            format!("between conflict markers: {file}:{}", place.line)
        });
        let unmarked = self.plan.conflicts.iter();
        let unmarked = unmarked.filter(|it| it.conflict.resolution == Resolution::Open);
        let unmarked = unmarked.map(|it| match it.conflict.kind {
            ConflictKind::Order => format!("in your order of documents: {}", shown(&it.file)),
            _ => format!("unchanged, because it is not text: {}", shown(&it.file)),
        });
        open.chain(unmarked).collect()
    }

    /// Puts the decisions into the plan's files.
    fn apply_decisions(&mut self) {
        for (index, file) in self.files.iter().enumerate() {
            let text = self.resolved(index, |conflict| conflict.text).text;
            let change = &mut self.plan.files[file.plan_index];
            // an empty result means that the user chose the side that deleted the file
            let is_deleted = text.trim().is_empty();
            change.new = (!is_deleted).then(|| text.into_bytes().into());
            if is_deleted {
                change.kind = ChangeKind::Deleted;
            }
        }
        self.plan.files.retain(|change| {
            let is_same = change.old == change.new && change.old_permissions.is_none();
            !is_same || matches!(change.kind, ChangeKind::Moved { .. })
        });
    }
}

/// Prints a text. The dialogue then asks about the same place again.
fn tell(output: &mut impl Write, text: &str) -> io::Result<NextStep> {
    output.write_all(text.as_bytes())?;
    Ok(NextStep::Repeat { show: false })
}

/// Prints why an answer decided nothing. The dialogue then asks about the same place again.
pub(super) fn explain(output: &mut impl Write, why: &str) -> io::Result<NextStep> {
    tell(output, &(visible(why) + "\n"))
}

/// Prints a question and reads a key.
pub(super) fn read_key(output: &mut impl Write, question: &str) -> io::Result<char> {
    write!(output, "{question}")?;
    output.flush()?;
    let key = match Term::stdout().read_char() {
        // if the terminal is closed, quit without a further decision
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 'q',
        key => key?,
    };
    let shown = if key.is_control() { ' ' } else { key };
    writeln!(output, "{shown}")?;
    Ok(key)
}
