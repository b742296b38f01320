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

/// Rows of one kind between what makes them a table or a list.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// What is above the rows.
    pub(crate) head: String,
    pub(crate) rows: Vec<String>,
    /// What is below them.
    pub(crate) tail: &'static str,
    /// What a row is about, in the singular.
    pub(crate) what: &'static str,
}

impl Body {
    /// Puts a heading before the next part that fits.
    pub(crate) fn heading(&mut self, heading: String) {
        self.heading = heading;
    }

    /// Adds a text that is short.
    pub(crate) fn push(&mut self, text: &str) {
        let part = Part {
            head: text.to_owned(),
            ..Part::default()
        };
        self.part(part, 1);
    }

    /// Adds rows below `head`, if there are any, as far as they fit into a half of what is left.
    /// `what` a row is about is said in the singular, and `tail` is what stands below them.
    pub(crate) fn list(
        &mut self,
        head: &str,
        rows: impl Iterator<Item = String>,
        (what, tail): (&'static str, &'static str),
    ) {
        let part = Part {
            head: head.to_owned(),
            rows: rows.collect(),
            tail,
            what,
        };
        if !part.rows.is_empty() {
            self.part(part, 2);
        }
    }

    /// Adds a part with as many of its rows as fit into one `share`th of what is left.
    pub(crate) fn part(&mut self, part: Part, share: usize) {
        let is_text = part.rows.is_empty();
        let free = LONGEST.saturating_sub(RESERVED + self.text.len());
        let frame = self.heading.len() + part.head.len() + part.tail.len();
        let mut left = (free / share).saturating_sub(frame);
        let fitting = part.rows.iter().filter(|row| {
            let rest = left.checked_sub(row.len());
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        let rows: Vec<&str> = fitting.map(String::as_str).collect();
        if rows.is_empty() && (!is_text || frame > free) {
            self.leave_out(part.what, part.rows.len());
            return;
        }
        self.text.push_str(&std::mem::take(&mut self.heading));
        self.text.push_str(&part.head);
        self.text.push_str(&rows.concat());
        self.text.push_str(part.tail);
        self.leave_out(part.what, part.rows.len() - rows.len());
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
