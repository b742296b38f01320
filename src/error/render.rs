//! Errors and warnings as a person reads them, with the lines that they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Error, Warning, shown};
use crate::visible::visible;

impl Error {
    /// Has the lines shown that may hold secrets, if they `are_shown` at all.
    #[must_use]
    pub fn with_secrets(mut self, are_shown: bool) -> Self {
        match &mut self {
            _ if !are_shown => {}
            Self::Unfit { places, .. } => places.iter_mut().for_each(|it| it.0.hidden = false),
            Self::Several(errors) => {
                let all = std::mem::take(errors).into_iter();
                *errors = all.map(|it| it.with_secrets(true)).collect();
            }
            _ => {}
        }
        self
    }

    /// The error as a person reads it: what, where, the line itself, and what to do.
    pub fn render(&self, color: bool) -> String {
        if let Self::Several(errors) = self {
            let parts: Vec<String> = errors.iter().map(|error| error.render(color)).collect();
            return parts.join("\n\n");
        }
        let title = self.to_string();
        let mut group = Group::with_title(Level::ERROR.primary_title(title));
        let places = match self {
            Self::Unfit { places, .. } => places.as_slice(),
            _ => &[],
        };
        for (place, label) in places {
            if place.hidden {
                let origin = Origin::path(shown(&place.path))
                    .line(place.line)
                    .char_column(place.column);
                group = group.element(origin).element(Level::NOTE.message(format!(
                    "{}; the line may hold a secret: --show-secrets shows it",
                    visible(label)
                )));
                continue;
            }
            let (line, span) = place.snippet();
            group = group.element(
                Snippet::source(line)
                    .line_start(place.line)
                    .path(shown(&place.path))
                    .annotation(AnnotationKind::Primary.span(span).label(visible(label))),
            );
        }
        let Some(help) = self.help().map(|help| visible(&help)) else {
            return renderer(color).render(&[group]);
        };
        if places.is_empty() {
            // there is no source line that the help could be drawn below
            let help = Group::with_title(Level::HELP.primary_title(help));
            let parts = [group, help].map(|part| renderer(color).render(&[part]));
            return parts.join("\n");
        }
        renderer(color).render(&[group.element(Level::HELP.message(help))])
    }
}

impl Warning {
    /// The warning in one line: file, line and column, and what to know.
    pub fn render(&self, color: bool) -> String {
        let place = self
            .place
            .as_ref()
            .map_or_else(|| shown(&self.path), std::string::ToString::to_string);
        let title = format!("{place}: {}", visible(&self.message));
        renderer(color).render(&[Group::with_title(Level::WARNING.primary_title(title))])
    }
}

fn renderer(color: bool) -> Renderer {
    if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}
