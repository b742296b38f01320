//! Merges scalars that have parts: texts of several lines, and image references (rules: Texts and
//! images).

use super::{Merger, Sides};
use crate::value::{Value, distinct};
use merge3::triple::Triple;

/// The merged part, or as an error its three versions if both sides changed it differently.
type Part<'t> = Result<&'t str, Triple<&'t str>>;

impl Merger<'_> {
    /// Merges three texts that both sides changed. Returns None if they are merged as single
    /// values.
    pub(super) fn parts(&mut self, at: &str, sides: Sides<'_>) -> Option<Value> {
        let text = |value: Option<&Value>| match value {
            Some(Value::Scalar { tag, text }) if tag == "str" => Some(text.clone()),
            _ => None,
        };
        let [original, updated, local] = sides.map(text).into_array();
        let texts = Triple::new(original?, updated?, local?);
        let texts = texts.as_ref().map(String::as_str);
        if texts.original == texts.local {
            return None;
        }
        let name = at.rsplit('.').next().unwrap_or_default();
        let is_image = name == "image" || name.ends_with("Image");
        if let (true, Some(images)) = (is_image, texts.try_map(|text| image(text).ok_or(())).ok()) {
            return self.image(at, images);
        }
        let is_long = |text: &&str| text.trim_end_matches('\n').contains('\n');
        if self.settings.texts_replace {
            return None;
        }
        if texts.into_array().iter().any(is_long) {
            return self.lines(texts);
        }
        // JSON on one line has a structure of its own, which the program may merge
        let is_json = |text: &&str| text.trim_start().starts_with(['{', '[']);
        self.outcome.ambiguous |= texts.into_array().iter().all(is_json);
        None
    }

    fn image(&mut self, at: &str, images: Triple<(&str, &str)>) -> Option<Value> {
        let name = part(images.map(|image| image.0));
        let version = part(images.map(|image| image.1));
        let agree = name.is_ok() && version.is_ok();
        let with = |side: fn(Triple<&str>) -> String| {
            let part = |part: Part<'_>| part.map_or_else(side, str::to_owned);
            Value::text(&(part(name) + &part(version)))
        };
        let (updated, local) = (
            with(|sides| sides.updated.to_owned()),
            with(|sides| sides.local.to_owned()),
        );
        Some(self.settle(at, agree, updated, local))
    }

    /// Merges texts line by line if every hunk was changed by one side only. For any other text the
    /// outcome is ambiguous: the values alone do not determine it.
    fn lines(&mut self, texts: Triple<&str>) -> Option<Value> {
        let bodies = texts.map(|text| text.trim_end_matches('\n'));
        let end = part(texts.zip(bodies).map(|(text, body)| &text[body.len()..]));
        let [o, u, d] = bodies
            .map(|body| body.split('\n').collect::<Vec<_>>())
            .into_array();
        let partner = |line: &&str, lines: &[&str]| lines.iter().position(|other| other == line);
        let in_u: Vec<_> = o.iter().map(|line| partner(line, &u)).collect();
        let in_d: Vec<_> = o.iter().map(|line| partner(line, &d)).collect();
        let stays = |partners: &[Option<usize>]| partners.iter().flatten().is_sorted();
        let is_plain = [&o, &u, &d].into_iter().all(distinct) && stays(&in_u) && stays(&in_d);
        let (mut result, mut from) = (Vec::new(), [0; 3]);
        let mut has_answer = is_plain && end.is_ok();
        for i in 0..=o.len() {
            let (j, k) = match (in_u.get(i), in_d.get(i)) {
                (Some(Some(j)), Some(Some(k))) => (*j, *k),
                (None, None) => (u.len(), d.len()),
                _ => continue,
            };
            if !has_answer || j < from[1] || k < from[2] {
                has_answer = false;
                break;
            }
            let (before, now, local_lines) = (&o[from[0]..i], &u[from[1]..j], &d[from[2]..k]);
            has_answer &= now == before || now == local_lines || local_lines == before;
            let hunk = if now == before { local_lines } else { now };
            result.extend(hunk.iter().chain(o.get(i)).copied());
            from = [i + 1, j + 1, k + 1];
        }
        if !has_answer {
            self.outcome.ambiguous = true;
            return None;
        }
        Some(Value::text(&(result.join("\n") + end.unwrap_or_default())))
    }
}

/// Splits an image reference into the name and the version, or returns None if the text is none.
fn image(text: &str) -> Option<(&str, &str)> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:/@".contains(c);
    let tagged = text.split('@').next().unwrap_or(text);
    let slash = tagged.rfind('/').map_or(0, |slash| slash + 1);
    let colon = tagged[slash..]
        .find(':')
        .map_or(tagged.len(), |colon| slash + colon);
    let parts = text[..colon]
        .split('/')
        .chain(text[colon..].split([':', '@']).skip(1));
    let starts_well =
        |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_image = text.chars().all(is_plain)
        && parts.clone().all(starts_well)
        && tagged[colon..].matches(':').count() < 2
        && text[colon..]
            .split('@')
            .nth(1)
            .is_none_or(|digest| digest.contains(':'));
    is_image.then(|| text.split_at(colon))
}

fn part<'t>(sides: Triple<&'t str>) -> Part<'t> {
    let Triple {
        original,
        updated,
        local,
    } = sides;
    match (updated == original, local == original || local == updated) {
        (true, _) => Ok(local),
        (false, true) => Ok(updated),
        (false, false) => Err(sides),
    }
}
