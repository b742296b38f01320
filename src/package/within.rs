//! Files of which it is plain, as soon as they are read, that their documents pair within them:
//! these are merged at once, while their trees are there.

use super::Outcome;
use super::documents::{Context, merge_documents};
use super::jobs::{Job, jobs};
use super::pair::{Group, is_complete, pair};
use super::parsed::{ParsedFile, Readings};
use super::rules::Rules;
use super::slot::Slot;
use crate::error::Error;
use crate::merge::Options;

/// A file that was merged as if it were alone.
pub(super) struct Merged {
    job: Job,
    outcome: Result<Outcome, Error>,
}

/// Merges a file by its documents; none where one of them may have to do with another file, or
/// nothing is to be merged.
///
/// A resource that all three sides have in one file is paired there, whatever the other files hold
/// (rules: Documents).
pub(super) fn merge_within(
    slot: &Slot,
    files: &Option<Readings<'_>>,
    options: &Options,
    rules: &Rules,
    path_merge_key: bool,
) -> Option<Merged> {
    let readings = files.as_ref()?;
    if !slot.has_three_sides_apart() {
        return None;
    }
    let (slots, files) = (std::slice::from_ref(slot), std::slice::from_ref(files));
    let groups = pair(files, path_merge_key);
    if groups
        .iter()
        .any(|group| is_resource(group, readings) && !is_complete(group))
    {
        return None;
    }
    let job = jobs(slots, files, &groups).pop()?;
    let context = Context {
        slots,
        files,
        options,
        rules,
        apply: None,
        lines: None,
    };
    let outcome = merge_documents(&context, 0, &job);
    Some(Merged { job, outcome })
}

impl Merged {
    /// What the merge made of the file in the slot at `index`, where the work on it among all
    /// files, `job`, is what was done.
    pub(super) fn outcome(self, index: usize, job: &Job) -> Option<Result<Outcome, Error>> {
        (self.job.in_slot(index) == *job).then_some(self.outcome)
    }
}

fn is_resource(group: &Group, readings: &Readings<'_>) -> bool {
    let file = |side: &Option<super::parsed::Reading<'_>>, index: usize| {
        let file: &ParsedFile<'_> = side.as_ref()?.as_ref().ok()?;
        file.documents.get(index)?.resource.as_ref().map(|_| ())
    };
    let members = readings.as_ref().zip(*group).into_array();
    members
        .into_iter()
        .any(|(side, member)| member.is_some_and(|it| file(side, it.document).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::parsed::Trees;
    use crate::package::sides_read::read_sides;
    use crate::package::slot::{Roots, Source};
    use crate::triple::Triple;

    const SERVICE: &str = "kind: Service\nmetadata:\n  name: a\nspec:\n  port: 1\n";

    fn merged(texts: Triple<&str>) -> Option<Merged> {
        let sides = texts.map(|text| Some(Source::in_memory(text.as_bytes().to_vec())));
        let slot = Slot::new("a.yaml".into(), true, sides);
        let roots = Roots::Files(Triple::default());
        let readings = Some(read_sides(&slot, &roots, Trees::Dropped));
        let (options, rules) = (Options::default(), Rules::default());
        merge_within(&slot, &readings, &options, &rules, false)
    }

    #[test]
    fn a_resource_that_all_sides_have_is_merged_at_once() {
        let updated = SERVICE.replace("port: 1", "port: 2");
        let local = format!("{SERVICE}  type: NodePort\n");
        let sides = Triple::new(SERVICE, &updated, &local);
        let job = |slot: usize| {
            let member = Some(crate::package::pair::DocRef { slot, document: 0 });
            Job {
                base: Some(slot),
                here: vec![Triple::new(member, member, member)],
                ..Job::default()
            }
        };
        let outcome = merged(sides).and_then(|it| it.outcome(7, &job(7)));
        let content = outcome.map(|it| it.map(|it| it.content));
        let expected = local.replace("port: 1", "port: 2").into_bytes();
        assert!(
            matches!(content, Some(Ok(crate::package::Content::Write(text))) if text == expected)
        );
        // among all files there turned out to be more to do
        let mut other = job(7);
        other.leaving = other.here.clone();
        assert!(merged(sides).and_then(|it| it.outcome(7, &other)).is_none());
    }

    #[test]
    fn one_that_may_stand_in_another_file_is_not() {
        let updated = SERVICE.replace("port: 1", "port: 2");
        let elsewhere = SERVICE.replace("Service", "Ingress");
        assert!(merged(Triple::new(SERVICE, &updated, &elsewhere)).is_none());
        assert!(merged(Triple::new(SERVICE, SERVICE, &elsewhere)).is_none());
    }
}
