//! The body of a pull request. Hosts limit its length, so rows that do not fit are left out, and a
//! line at the end counts them. Callers add the most important parts first.

use super::summary::many;

/// The maximum length of a body, in bytes. GitHub accepts 65,536 characters.
const MAX_LEN: usize = 60_000;
/// The length that is reserved for the line that counts what was left out, in bytes.
const RESERVED_LEN: usize = 1_000;

/// Builds the body of a pull request within the maximum length.
#[derive(Debug, Default)]
pub(crate) struct Body {
    text: String,
    /// The heading for the next part that is added.
    pending_heading: String,
    /// The names of the left-out items, in the singular, and their number.
    left_out: Vec<(&'static str, usize)>,
}

impl Body {
    /// Sets a heading, which is written before the next part that fits.
    pub(crate) fn heading(&mut self, heading: String) {
        self.pending_heading = heading;
    }

    /// Adds a short text, if it fits.
    pub(crate) fn push(&mut self, text: &str) {
        if self.pending_heading.len() + text.len() <= self.free_len() {
            self.text += &std::mem::take(&mut self.pending_heading);
            self.text += text;
        }
    }

    /// Adds the rows that fit into half of the free length, between `head` and `tail`. `item` names
    /// what a row is about, in the singular. Adds nothing if no row fits.
    pub(crate) fn list(
        &mut self,
        head: &str,
        rows: impl Iterator<Item = String>,
        (item, tail): (&'static str, &'static str),
    ) {
        self.rows(head, rows, (item, tail), self.free_len() / 2);
    }

    /// Adds the rows that fit into all of the free length, as the last list of the body.
    pub(crate) fn last_list(&mut self, head: &str, rows: &[String], item: &'static str) {
        self.rows(head, rows.iter(), (item, ""), self.free_len());
    }

    /// Adds the rows that fit into `max_len` bytes.
    fn rows(
        &mut self,
        head: &str,
        rows: impl Iterator<Item = impl AsRef<str>>,
        (item, tail): (&'static str, &'static str),
        max_len: usize,
    ) {
        let frame_len = self.pending_heading.len() + head.len() + tail.len();
        let mut remaining = max_len.saturating_sub(frame_len);
        let (mut fitting, mut left_out) = (String::new(), 0);
        for row in rows {
            match remaining.checked_sub(row.as_ref().len()) {
                None => left_out += 1,
                Some(rest) => (remaining, fitting) = (rest, fitting + row.as_ref()),
            }
        }
        if !fitting.is_empty() {
            let heading = std::mem::take(&mut self.pending_heading);
            self.text += &[&*heading, head, &*fitting, tail].concat();
        }
        match self.left_out.iter_mut().find(|known| known.0 == item) {
            Some(known) => known.1 += left_out,
            None if left_out > 0 => self.left_out.push((item, left_out)),
            None => {}
        }
    }

    /// Returns the free length, in bytes.
    fn free_len(&self) -> usize {
        MAX_LEN.saturating_sub(RESERVED_LEN + self.text.len())
    }

    /// Returns the text, which is at most [`MAX_LEN`] bytes long.
    pub(crate) fn finish(mut self) -> String {
        if !self.left_out.is_empty() {
            let left_out = self.left_out.iter();
            let counts = left_out.map(|(item, count)| many(*count, item));
            let counts: Vec<String> = counts.collect();
            self.text.push_str(&format!(
                "\nLeft out, because hosts limit the length of this text: {}. \
                 `--report json` has all of it.\n",
                counts.join(", ")
            ));
        }
        self.text
    }
}
