//! Formats errors and warnings for a terminal, with the source lines that they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Error, Warning, shown};
use crate::visible::visible;

impl Error {
    /// Makes [`Error::render`] show lines that may contain secrets, if `are_shown` is set.
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

    /// Returns the error as text: the title, the places with their lines, and the help.
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
            // without a source line there is nothing to draw the help below
            let help = Group::with_title(Level::HELP.primary_title(help));
            let parts = [group, help].map(|part| renderer(color).render(&[part]));
            return parts.join("\n");
        }
        renderer(color).render(&[group.element(Level::HELP.message(help))])
    }
}

impl Warning {
    /// Returns the warning on one line: file, line, column and message.
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
