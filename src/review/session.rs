//! The dialogue: shows each place, asks, and carries out what is answered.

use std::io::{self, Write};

use console::Term;

use super::decide::Decision;
use super::editor::Wait;
use super::files::{File, OpenPlace, is_below};
use super::show::{self, HELP, Look};
use super::{both, pin};
use crate::error::{Error, shown};
use crate::merge::{Conflict, Resolution};
use crate::package::{ChangeKind, Disk, FileConflict, Plan, Written, is_executable, of_new};
use crate::report::many;
use crate::triple::Side;
use crate::visible::visible;

/// The keys at a place.
const KEYS: &str = "u,l,b,e,p,r,s,k,q,?";

/// How a dialogue came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// What is decided is to be written.
    Write,
    /// Nothing is.
    Leave,
}

/// A plan, and what is decided about the places in it that are open.
pub(crate) struct Session<'w> {
    pub(super) plan: Plan,
    pub(super) files: Vec<File>,
    pub(super) places: Vec<OpenPlace>,
    /// The rules that were made, each with its place.
    pub(super) rules: Vec<(usize, Written)>,
    /// Why there can be none.
    pub(super) no_rules: Option<&'static str>,
    pub(super) look: Look,
    /// Waits for the editor.
    pub(super) wait: Wait<'w>,
    pub(super) at: usize,
}

/// What is to be done next.
pub(super) enum NextStep {
    /// The next place is asked about.
    Next,
    /// This one is asked about again, shown anew or not.
    Again { show: bool },
    /// The one before.
    Back,
    /// No further one.
    Quit,
}

impl<'w> Session<'w> {
    /// A dialogue about what is open in a plan, between markers of `size` characters. `no_rules`
    /// says why no rules can be made, where that is so.
    pub(crate) fn new(
        plan: Plan,
        size: usize,
        no_rules: Option<&'static str>,
        color: bool,
        wait: Wait<'w>,
    ) -> Self {
        let (files, places) = File::all(&plan, size);
        let (_, width) = Term::stdout().size();
        Self {
            plan,
            files,
            places,
            rules: Vec::new(),
            no_rules,
            look: Look {
                color,
                width: usize::from(width).max(40),
            },
            wait,
            at: 0,
        }
    }

    /// How many places are open.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Asks about each place, and in the end whether to write.
    ///
    /// # Errors
    /// Where the terminal is gone.
    pub(crate) fn run(&mut self, output: &mut impl Write) -> io::Result<End> {
        let (mut is_over, mut is_shown) = (false, false);
        loop {
            if self.at >= self.places.len() || is_over {
                if let Some(end) = self.finish(output, is_over)? {
                    return Ok(end);
                }
                is_over = false;
                self.at = self.at.min(self.places.len().saturating_sub(1));
            }
            if !is_shown {
                output.write_all(show::place(self, false).as_bytes())?;
            }
            is_shown = false;
            match self.ask(output)? {
                NextStep::Next => {
                    self.at += 1;
                    // what a rule decided is not asked about
                    while self.decision(self.at).is_some_and(|it| it.by.is_some()) {
                        self.at += 1;
                    }
                }
                NextStep::Again { show } => is_shown = !show,
                NextStep::Back => self.at -= 1,
                NextStep::Quit => is_over = true,
            }
        }
    }

    pub(super) fn decision(&self, at: usize) -> Option<&Decision> {
        self.places.get(at)?.decision.as_ref()
    }

    /// The conflict of the merge that is open at a place.
    pub(super) fn conflict(&self, place: &OpenPlace) -> Option<&Conflict> {
        let file = &self.files[place.file].path;
        let is_here = |it: &&FileConflict| {
            *it.file == **file
                && it.conflict.resolution.is_open()
                && it.resource.as_deref() == place.resource.as_ref()
                && (place.paths.is_empty()
                    || place.paths.iter().any(|path| is_below(&it.conflict, path)))
        };
        let mut conflicts = self.plan.conflicts.iter();
        conflicts.find(is_here).map(|it| &it.conflict)
    }

    fn ask(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        let key = key(output, &format!("Decide [{KEYS}]? "))?;
        let place = &self.places[self.at];
        let file = &self.files[place.file];
        let decision = match key {
            'u' => Ok(Decision::side(place, Side::Updated)),
            'l' => Ok(Decision::side(place, Side::Local)),
            'b' => Ok(Decision::new(both::both(file, place), "both")),
            'p' => pin::pinned(file, place)
                .map(|text| Decision::new(text, "local, pinned"))
                .map_err(str::to_owned),
            'e' => return self.edit(output),
            'r' => return self.rule(output),
            's' => {
                self.take_back_rules();
                self.places[self.at].decision = None;
                return Ok(NextStep::Next);
            }
            'k' if self.at == 0 => Err("this is the first place".to_owned()),
            'k' => return Ok(NextStep::Back),
            'q' => return Ok(NextStep::Quit),
            'v' => {
                output.write_all(show::place(self, true).as_bytes())?;
                return Ok(NextStep::Again { show: false });
            }
            '?' => {
                output.write_all(HELP.as_bytes())?;
                return Ok(NextStep::Again { show: false });
            }
            _ => Err(format!("the keys are {KEYS}; ? says what they do")),
        };
        let taken = decision.and_then(|decision| self.take(decision));
        match taken.map_err(|why| match key {
            'b' => format!("both cannot stand here, e edits them: {why}"),
            _ => why,
        }) {
            Ok(()) => Ok(NextStep::Next),
            Err(why) => tell(output, &why),
        }
    }

    /// Takes a decision about the place that is asked about.
    pub(super) fn take(&mut self, decision: Decision) -> Result<(), String> {
        let text = decision.text.clone();
        let place = &mut self.places[self.at];
        let file = place.file;
        let before = place.decision.replace(decision);
        if let Err(why) = self.check(file, &text) {
            self.places[self.at].decision = before;
            return Err(why);
        }
        self.take_back_rules();
        Ok(())
    }

    /// Takes back the rules that were made at the place, and what they decided.
    fn take_back_rules(&mut self) {
        let at = self.at;
        self.rules.retain(|(place, _)| *place != at);
        for place in &mut self.places {
            place.decision.take_if(|it| it.by == Some(at));
        }
    }

    /// How many places are decided.
    fn decided(&self) -> usize {
        let places = self.places.iter();
        places.filter(|place| place.decision.is_some()).count()
    }

    /// Asks whether to write; `None` if somebody goes back.
    fn finish(&mut self, output: &mut impl Write, has_quit: bool) -> io::Result<Option<End>> {
        let count = self.places.len();
        let decided = self.decided();
        if has_quit && decided == 0 {
            return Ok(Some(End::Leave));
        }
        let left = match count - decided {
            0 => String::new(),
            left => format!(", {left} left between conflict markers"),
        };
        writeln!(output, "\n{decided} of {count} decided{left}")?;
        loop {
            return Ok(
                match key(output, "Write it [y], write nothing [n], or go back [k]? ")? {
                    'y' => Some(End::Write),
                    'n' | 'q' => Some(End::Leave),
                    'k' if count > 0 => None,
                    _ => continue,
                },
            );
        }
    }

    /// Writes what is decided, all of it or nothing. Returns what there is to tell, and whether
    /// something is left.
    ///
    /// # Errors
    /// As for [`Plan::write_to`].
    pub(crate) fn write(mut self, disk: &dyn Disk) -> Result<(String, bool), Error> {
        let (decided, left) = (self.decided(), self.left());
        // a file of the package shows how new ones are
        let new = self.plan.files.first();
        let new = new.and_then(|change| of_new(is_executable(&change.permissions)));
        self.settle();
        let mut told = format!("{} decided", many(decided, "place"));
        let rules: Vec<Written> = self.rules.into_iter().map(|(_, rule)| rule).collect();
        if !rules.is_empty() {
            self.plan.add_rules(&rules, new)?;
        }
        self.plan.write_to(disk, false)?;
        told += &format!(", {} written", many(self.plan.files.len(), "file"));
        if !rules.is_empty() {
            told += &format!(", {} in .merge3.yaml", many(rules.len(), "new rule"));
        }
        told.push('\n');
        for left in &left {
            told += &format!("left {left}\n");
        }
        Ok((told, !left.is_empty()))
    }

    /// What is left, and how.
    fn left(&self) -> Vec<String> {
        let open = self.places.iter().filter(|it| it.decision.is_none());
        let open = open.map(|place| {
            let file = shown(&self.files[place.file].path);
            format!("between conflict markers: {file}:{}", place.line)
        });
        let binary = self.plan.conflicts.iter();
        let binary = binary.filter(|it| it.conflict.resolution == Resolution::Open);
        let binary = binary.map(|it| format!("as it is, for it is not text: {}", shown(&it.file)));
        open.chain(binary).collect()
    }

    /// Puts what is decided into the plan.
    fn settle(&mut self) {
        for (index, file) in self.files.iter().enumerate() {
            let text = self.taken(index, |conflict| conflict.text).text;
            let change = &mut self.plan.files[file.change];
            // the side that deleted it was taken
            let is_gone = text.trim().is_empty();
            change.new = (!is_gone).then(|| text.into_bytes().into());
            if is_gone {
                change.kind = ChangeKind::Deleted;
            }
        }
        self.plan.files.retain(|change| {
            let is_same = change.old == change.new && change.old_permissions.is_none();
            !is_same || matches!(change.kind, ChangeKind::Moved { .. })
        });
    }
}

/// Tells why nothing is decided: the place is asked about again.
pub(super) fn tell(output: &mut impl Write, why: &str) -> io::Result<NextStep> {
    writeln!(output, "{}", visible(why))?;
    Ok(NextStep::Again { show: false })
}

/// Asks for a key.
pub(super) fn key(output: &mut impl Write, question: &str) -> io::Result<char> {
    write!(output, "{question}")?;
    output.flush()?;
    let key = match Term::stdout().read_char() {
        // a terminal that is gone decides nothing
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 'q',
        key => key?,
    };
    let shown = if key.is_control() { ' ' } else { key };
    writeln!(output, "{shown}")?;
    Ok(key)
}
