//! Decisions on open places: the check that the file is still valid YAML with them, the answers
//! that need further questions (edit a place, or make a rule), and the other places that a rule
//! decides.

use std::io::{self, Write};

use super::files::{MarkedFile, OpenPlace, ParsedFile, ResolvedFile};
use super::session::{NextStep, Session, explain, read_key};
use super::{editor, show};
use crate::git::hunks::{ConflictHunk, has_markers};
use crate::merge::{Pattern, Take};
use crate::package::NewRule;
use crate::report::{many, portable};
use crate::triple::Side;
use crate::visible::visible;

/// The decision about an open place.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    /// The text that replaces the conflict.
    pub(super) text: String,
    /// A short name of the decision, for the user.
    pub(super) label: &'static str,
    /// If a rule decided: the place at which the user made the rule.
    pub(super) rule_place: Option<usize>,
}

impl Decision {
    pub(super) fn new(text: impl Into<String>, label: &'static str) -> Self {
        Self {
            text: text.into(),
            label,
            rule_place: None,
        }
    }

    /// Makes the decision for one side.
    pub(super) fn side(place: &OpenPlace, side: Side) -> Self {
        Self::new(place.side(side), side.as_str())
    }
}

impl Session<'_> {
    /// Returns a file with the decisions made so far. `undecided` gives the text for each place
    /// that has no decision.
    pub(super) fn resolved<'s>(
        &'s self,
        file: usize,
        undecided: impl Fn(&ConflictHunk<'s>) -> &'s str,
    ) -> ResolvedFile {
        let first = self.places.partition_point(|place| place.file < file);
        self.files[file].resolved_with(|index, conflict| {
            let decision = self.decision(first + index);
            decision.map_or_else(|| undecided(conflict), |it| it.text.as_str())
        })
    }

    /// Checks that a file is still valid with the decisions made so far, the last of which put the
    /// text `new` into it. The file may be invalid with one side's lines in the undecided places,
    /// but not with either side's.
    ///
    /// # Errors
    /// `new` has conflict markers, or the file was YAML and would not be.
    pub(super) fn check(&self, file: usize, new: &str) -> Result<(), String> {
        if has_markers(new, self.files[file].marker_size) {
            return Err("there are conflict markers left in it".to_owned());
        }
        let syntax_error = |side| {
            let resolved = self.resolved(file, |it| it.side(side));
            resolved.parsed().syntax_error()
        };
        match [Side::Local, Side::Updated].map(syntax_error) {
            [Some(why), Some(_)] if self.files[file].is_yaml => {
                Err(format!("the file would not be YAML: {why}"))
            }
            _ => Ok(()),
        }
    }

    /// Lets the user edit the current place until the edited text is valid or the user gives up.
    pub(super) fn edit(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        let place = &self.places[self.current];
        let file = &self.files[place.file];
        if place.is_secret {
            let why = "this may be a Secret: --show-secrets shows it, also in an editor";
            return explain(output, why);
        }
        let decided = self.decision(self.current).map(|it| it.text.clone());
        let mut text = decided.unwrap_or_else(|| file.marked(place.index));
        let path = file.path.clone();
        loop {
            let edited = match editor::edit(&text, &path, self.wait) {
                Ok(edited) => edited,
                Err(why) => return explain(output, &why),
            };
            match self.decide(Decision::new(edited.clone(), "edited")) {
                Ok(()) => return Ok(NextStep::Next),
                Err(why) => writeln!(output, "{}", visible(&why))?,
            }
            let question = "Edit again [e], or decide otherwise [any other key]? ";
            match read_key(output, question)? {
                'e' => text = edited,
                _ => return Ok(NextStep::Repeat { show: true }),
            }
        }
    }

    /// Asks for a rule at the current place and applies it to all open places that it matches.
    pub(super) fn make_rule(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        if let Some(why) = self.why_no_rules {
            return explain(output, why);
        }
        let (take, side) = match read_key(output, "Who wins here: updated or local [u,l]? ")? {
            'u' => (Take::Updated, Side::Updated),
            'l' => (Take::Local, Side::Local),
            _ => return Ok(NextStep::Repeat { show: true }),
        };
        let place = &self.places[self.current];
        let exact = rules_for(&self.files[place.file], place, take);
        if exact.is_empty() {
            return explain(output, "no rule can name this place");
        }
        let generalized: Vec<NewRule> = exact.iter().map(NewRule::generalized).collect();
        let to_yaml = |rules: &[NewRule]| rules.iter().map(NewRule::to_yaml).collect::<String>();
        write!(
            output,
            "For this place:\n{}For all like it:\n{}",
            show::indented(&to_yaml(&exact)),
            show::indented(&to_yaml(&generalized))
        )?;
        let rules = match read_key(output, "This place or all like it [t,a]? ")? {
            't' => exact,
            'a' => generalized,
            _ => return Ok(NextStep::Repeat { show: true }),
        };
        let decision = Decision::side(place, side);
        if let Err(why) = self.decide(decision) {
            return explain(output, &why);
        }
        let count = self.apply_rules(&rules, side);
        self.rules
            .extend(rules.into_iter().map(|rule| (self.current, rule)));
        if count > 0 {
            let places = many(count, "further place");
            writeln!(output, "the rule decides {places}")?;
        }
        Ok(NextStep::Next)
    }

    /// Decides the open places that match the rules made at the current place. Returns their
    /// number.
    fn apply_rules(&mut self, rules: &[NewRule], side: Side) -> usize {
        let mut count = 0;
        for (index, file) in self.files.iter().enumerate() {
            let open = self.places.iter_mut();
            let open = open.filter(|it| it.file == index && it.decision.is_none());
            for place in decided_by(rules, file, open) {
                place.decision = Some(Decision {
                    rule_place: Some(self.current),
                    ..Decision::side(place, side)
                });
                count += 1;
            }
        }
        count
    }
}

/// Returns the rules for a place, one for each entry in it. An entry whose path a rule cannot name
/// has none.
fn rules_for(file: &MarkedFile, place: &OpenPlace, take: Take) -> Vec<NewRule> {
    let paths = match place.paths.as_slice() {
        [] => &[String::new()],
        paths => paths,
    };
    let resource = place.resource.as_ref();
    let rules = paths.iter();
    let rules = rules.filter_map(|path| NewRule::of_place(path, resource, &file.path, take));
    rules.collect()
}

/// Returns those of a file's places of which the rules decide all entries.
fn decided_by<'p>(
    rules: &[NewRule],
    file: &MarkedFile,
    places: impl Iterator<Item = &'p mut OpenPlace>,
) -> Vec<&'p mut OpenPlace> {
    let path = portable(&file.path);
    let of_file = rules
        .iter()
        .filter(|rule| rule.file.as_ref().is_none_or(|it| *it == path));
    let patterns = of_file.filter_map(|rule| Some((&rule.kind, Pattern::parse(&rule.path).ok()?)));
    let patterns: Vec<(&Option<String>, Pattern)> = patterns.collect();
    let sides = [Side::Local, Side::Updated].map(|side| file.resolved(side));
    let sides = sides.each_ref().map(ResolvedFile::parsed);
    let is_decided = |place: &&mut OpenPlace| {
        let kind = place.resource.as_ref().map(|it| &*it.kind);
        let for_kind = patterns
            .iter()
            .filter(|(rule_kind, _)| rule_kind.is_none() || rule_kind.as_deref() == kind);
        let for_kind: Vec<&Pattern> = for_kind.map(|(_, pattern)| pattern).collect();
        if for_kind.iter().any(|it| it.is_whole()) {
            return true;
        }
        let has_lines = |side: &&ParsedFile<'_>| !side.resolved.places[place.index].is_empty();
        let side = sides.iter().find(has_lines);
        let Some((tree, _, _)) = side.and_then(|side| side.entries(place.index)) else {
            return false;
        };
        let spans = for_kind.iter().flat_map(|pattern| pattern.find(tree));
        let spans: Vec<_> = spans.map(|entry| tree.entry(entry).span).collect();
        let is_matched = |entry| {
            let inner = tree.entry(entry).span;
            let mut spans = spans.iter();
            spans.any(|span| span.start <= inner.start && inner.end <= span.end)
        };
        let is_named = |path: &String| {
            let found = Pattern::parse(path).map(|it| it.find(tree));
            let found = found.unwrap_or_default();
            !found.is_empty() && found.into_iter().all(is_matched)
        };
        !place.paths.is_empty() && place.paths.iter().all(is_named)
    };
    places.filter(is_decided).collect()
}
