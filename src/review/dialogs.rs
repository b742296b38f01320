//! The keys that take more than one answer: an editor, a rule.

use std::io::{self, Write};

use super::decide::Decision;
use super::files::OpenPlace;
use super::session::{NextStep, Session, key, tell};
use super::{editor, rules, show};
use crate::merge::Take;
use crate::package::Written;
use crate::report::many;
use crate::triple::Side;
use crate::visible::visible;

impl Session<'_> {
    /// Has the place edited until it is taken, or somebody decides otherwise.
    pub(super) fn edit(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        let place = &self.places[self.at];
        let file = &self.files[place.file];
        if place.is_secret {
            let why = "this may be a Secret: --show-secrets shows it, also in an editor";
            return tell(output, why);
        }
        let decided = self.decision(self.at).map(|it| it.text.clone());
        let mut text = decided.unwrap_or_else(|| file.marked(place.index));
        let path = file.path.clone();
        loop {
            let edited = match editor::edit(&text, &path, self.wait) {
                Ok(edited) => edited,
                Err(why) => return tell(output, &why),
            };
            match self.take(Decision::new(edited.clone(), "edited")) {
                Ok(()) => return Ok(NextStep::Next),
                Err(why) => writeln!(output, "{}", visible(&why))?,
            }
            match key(
                output,
                "Edit again [e], or decide otherwise [any other key]? ",
            )? {
                'e' => text = edited,
                _ => return Ok(NextStep::Again { show: true }),
            }
        }
    }

    /// Makes rules, and has them decide.
    pub(super) fn rule(&mut self, output: &mut impl Write) -> io::Result<NextStep> {
        if let Some(why) = self.no_rules {
            return tell(output, why);
        }
        let (take, side) = match key(output, "Who wins here: updated or local [u,l]? ")? {
            'u' => (Take::Updated, Side::Updated),
            'l' => (Take::Local, Side::Local),
            _ => return Ok(NextStep::Again { show: true }),
        };
        let place = &self.places[self.at];
        let here = rules::rules_for(&self.files[place.file], place, take);
        if here.is_empty() {
            return tell(output, "no rule can name this place");
        }
        let alike: Vec<Written> = here.iter().map(Written::widened).collect();
        let told = |rules: &[Written]| rules.iter().map(Written::to_yaml).collect::<String>();
        let (one, all) = (told(&here), told(&alike));
        write!(
            output,
            "For this place:\n{}For all like it:\n{}",
            show::indented(&one),
            show::indented(&all)
        )?;
        let rules = match key(output, "This place or all like it [t,a]? ")? {
            't' => here,
            'a' => alike,
            _ => return Ok(NextStep::Again { show: true }),
        };
        let decision = Decision::side(place, side);
        if let Err(why) = self.take(decision) {
            return tell(output, &why);
        }
        let count = self.apply(&rules, side);
        self.rules
            .extend(rules.into_iter().map(|rule| (self.at, rule)));
        if count > 0 {
            let places = many(count, "further place");
            writeln!(output, "the rule decides {places}")?;
        }
        Ok(NextStep::Next)
    }

    /// Decides the open places that rules are for, beside the one that they were made at.
    fn apply(&mut self, rules: &[Written], side: Side) -> usize {
        let mut count = 0;
        for (index, file) in self.files.iter().enumerate() {
            let open = self.places.iter_mut();
            let open = open.filter(|it| it.file == index && it.decision.is_none());
            let open: Vec<&mut OpenPlace> = open.collect();
            let decided = rules::decided(rules, file, &open);
            for (place, _) in open.into_iter().zip(decided).filter(|(_, it)| *it) {
                place.decision = Some(Decision {
                    by: Some(self.at),
                    ..Decision::side(place, side)
                });
                count += 1;
            }
        }
        count
    }
}
