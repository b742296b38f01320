//! The body of a pull request, whose length hosts limit: the most important parts first, each as
//! far as it fits, and a line that says what was left out.

use super::summary::many;

/// How long a body is at most, in bytes. GitHub takes 65,536 characters.
pub(crate) const LONGEST: usize = 60_000;
/// What is kept free for the line that says what was left out.
const RESERVED: usize = 1_000;

/// A body that is being written.
#[derive(Debug, Default)]
pub(crate) struct Body {
    text: String,
    heading: String,
    left_out: Vec<(&'static str, usize)>,
}

impl Body {
    /// Puts a heading before the next part that fits.
    pub(crate) fn heading(&mut self, heading: String) {
        self.heading = heading;
    }

    /// Adds a text that is short.
    pub(crate) fn push(&mut self, text: &str) {
        if self.heading.len() + text.len() <= self.free() {
            self.text += &std::mem::take(&mut self.heading);
            self.text += text;
        }
    }

    /// Adds rows below `head`, if there are any, as far as they fit into a half of what is left.
    /// `what` a row is about is said in the singular, and `tail` is what stands below them.
    pub(crate) fn list(
        &mut self,
        head: &str,
        rows: impl Iterator<Item = String>,
        (what, tail): (&'static str, &'static str),
    ) {
        let rows: Vec<String> = rows.collect();
        self.rows(head, &rows, (what, tail), self.free() / 2);
    }

    /// Adds rows, of which no others follow: as far as they fit.
    pub(crate) fn last_list(&mut self, head: &str, rows: &[String], what: &'static str) {
        self.rows(head, rows, (what, ""), self.free());
    }

    fn rows(
        &mut self,
        head: &str,
        rows: &[String],
        (what, tail): (&'static str, &'static str),
        most: usize,
    ) {
        let mut left = most.saturating_sub(self.heading.len() + head.len() + tail.len());
        let fitting = rows.iter().filter(|row| {
            let rest = left.checked_sub(row.len());
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        let fitting: Vec<&str> = fitting.map(String::as_str).collect();
        if !fitting.is_empty() {
            self.text += &std::mem::take(&mut self.heading);
            self.text += head;
            self.text += &fitting.concat();
            self.text += tail;
        }
        self.leave_out(what, rows.len() - fitting.len());
    }

    /// How much still fits in.
    fn free(&self) -> usize {
        LONGEST.saturating_sub(RESERVED + self.text.len())
    }

    fn leave_out(&mut self, what: &'static str, count: usize) {
        match self.left_out.iter_mut().find(|known| known.0 == what) {
            Some(known) => known.1 += count,
            None if count > 0 => self.left_out.push((what, count)),
            None => {}
        }
    }

    /// The text, no longer than [`LONGEST`].
    pub(crate) fn finish(mut self) -> String {
        if !self.left_out.is_empty() {
            let counts = self.left_out.iter().map(|(what, count)| many(*count, what));
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
