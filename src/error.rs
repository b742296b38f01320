//! Everything that can end a run, each with the place and with what to do about it (SPEC 10).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// A path as messages show it: on one line, and with nothing in it that a terminal would obey.
pub fn shown(path: &Path) -> String {
    let path = path.to_string_lossy();
    if !path.contains(char::is_control) {
        return path.into_owned();
    }
    path.chars()
        .map(|c| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        })
        .collect()
}

/// A place in a file, with the line that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was reached.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The line itself, without its line break.
    pub text: String,
    /// Where in `text` it is, in bytes.
    offset: usize,
    /// Whether the line is not shown, because its file may hold a Secret.
    hidden: bool,
}

impl Place {
    /// The place at `offset` bytes into `text`, which is the content of the file at `path`.
    ///
    /// ```
    /// use merge3::error::Place;
    ///
    /// let place = Place::new("a.yaml", "a: 1\nb: 2\n", 8);
    /// assert_eq!((place.line, place.column, place.text.as_str()), (2, 4, "b: 2"));
    /// ```
    pub fn new(path: impl Into<PathBuf>, text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let end = text[offset..]
            .find('\n')
            .map_or(text.len(), |at| offset + at);
        let line = text[start..end].trim_end_matches('\r');
        let within = (offset - start).min(line.len());
        Self {
            path: path.into(),
            line: text[..start].matches('\n').count() + 1,
            column: line[..within].chars().count() + 1,
            text: line.to_owned(),
            offset: within,
            hidden: crate::secret::may_be_in(text.as_bytes()),
        }
    }

    /// The character it points at; at a line's end, nothing.
    fn span(&self) -> std::ops::Range<usize> {
        let width = self.text[self.offset..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        self.offset..self.offset + width
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}:{}",
            shown(&self.path),
            self.line,
            self.column
        )
    }
}

/// Why a run ended without a result. Nothing was written, but where [`Error::Write`] says so.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A side does not exist.
    Missing {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// A side is neither a file nor a folder (a pipe, a device).
    Unsupported {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// Something that is no file stands where a file is to be written.
    NoFile {
        /// The option that named it.
        option: &'static str,
        /// What it named.
        path: PathBuf,
    },
    /// Some sides are folders, others are files.
    Mixed {
        /// A side that is a folder.
        folder: PathBuf,
        /// A side that is a file.
        file: PathBuf,
        /// What to do about it.
        help: &'static str,
    },
    /// A file or folder cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file with a YAML name is larger than is read.
    TooLarge {
        /// Which.
        path: PathBuf,
        /// The most bytes that one may have.
        most: u64,
    },
    /// A file or folder cannot be written or deleted.
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
        /// How many files had been changed before.
        written: usize,
    },
    /// A pattern of `--match` is none.
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// The result cannot go where `--output` says.
    Output {
        /// Where it was to go.
        path: PathBuf,
        /// What is in the way.
        message: &'static str,
    },
    /// Nothing that a path could stand for is there.
    NothingThere {
        /// The file.
        file: PathBuf,
        /// The path; none where the file itself is not there.
        path: Option<String>,
    },
    /// A path in a document is none.
    NoPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        message: &'static str,
    },
    /// A file of rules does not hold rules.
    Rules {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A document is not what it was given for.
    Unfit {
        /// Where.
        place: Box<Place>,
        /// What is wrong with the document.
        problem: String,
        /// What is wrong at the place.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A file is broken YAML on one side, and merging it line by line would not do.
    Broken {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// Why the line merge was refused.
        refused: &'static str,
    },
    /// A file with a YAML name that is not UTF-8 on one side.
    NotUtf8 {
        /// Where the first byte stands that is not.
        place: Box<Place>,
    },
    /// Two resources with one identity in one file.
    DuplicateResource {
        /// The identity.
        resource: String,
        /// Where the first stands.
        first: Box<Place>,
        /// Where the second stands.
        second: Box<Place>,
    },
    /// The merged text does not say what the merge decided (SPEC 1): a defect of this program.
    Unfaithful {
        /// The file.
        file: PathBuf,
        /// Where in the document.
        path: String,
        /// What differs.
        message: String,
    },
    /// A file changed between reading and writing.
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// Another run is at the local package.
    Busy {
        /// The package.
        path: PathBuf,
    },
    /// Somebody wanted the run to stop, with Ctrl-C say.
    Stopped {
        /// How many files had been changed before, and stay so.
        written: usize,
    },
    /// A run that was killed has left the package half merged.
    Unfinished {
        /// What it wrote down.
        journal: PathBuf,
        /// Whether it was the same merge as this one.
        same: bool,
    },
    /// A file was changed after the run was killed that had changed it.
    ChangedSince {
        /// Which.
        path: PathBuf,
        /// What that run wrote down.
        journal: PathBuf,
    },
    /// Something local stands where a file has to go.
    InTheWay {
        /// Where the file has to go.
        path: PathBuf,
        /// What stands there.
        obstacle: PathBuf,
    },
    /// Git cannot give what is needed.
    Git {
        /// What went wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// What a package says of where it comes from cannot be used.
    Record {
        /// Where.
        place: Box<Place>,
        /// What is wrong there.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A package, or its folder, is not fit for what was asked.
    Package {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The threads could not be started.
    Threads(String),
    /// More than one of these.
    Several(Vec<Error>),
}

impl Error {
    /// One error of many; none where there are none.
    pub(crate) fn from_many(mut errors: Vec<Self>) -> Option<Self> {
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }

    /// What to do about it.
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Missing { option, .. } => {
                return Some(format!("check the path given to {option}"));
            }
            Self::Unsupported { option, .. } => {
                return Some(format!("give {option} a regular file or a folder"));
            }
            Self::NoFile { option, .. } => {
                return Some(format!(
                    "nothing was written; give {option} a regular file, or one that is not there yet"
                ));
            }
            Self::Mixed { help, .. } => help,
            Self::Read { error, .. } => match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
                }
                _ => "nothing was written; run again when it can be read",
            },
            Self::TooLarge { .. } => {
                "nothing was written; exclude it in .krmignore or with --match, or divide it"
            }
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Write { .. } => {
                "every file is whole, old or new; running again finishes the merge"
            }
            Self::Pattern { .. } => "write it like 'charts/**/*.yaml', in quotes for the shell",
            Self::Rules { help, .. }
            | Self::Git { help, .. }
            | Self::Record { help, .. }
            | Self::Package { help, .. }
            | Self::Unfit { help, .. } => return Some(help.clone()),
            Self::Output { .. } => {
                "give --output a folder that does not exist yet, outside of the package, or for files the name of a file"
            }
            Self::NothingThere { .. } | Self::NoPath { .. } => {
                "give the file as it is in the package, and the path as in `spec.containers[name=app].image`"
            }
            Self::Broken { help, .. } => {
                return Some(help.clone().unwrap_or_else(|| {
                    "repair the file, or exclude it in .krmignore or with --match".to_owned()
                }));
            }
            Self::NotUtf8 { .. } => {
                "save the file as UTF-8 (iconv -t UTF-8), or exclude it in .krmignore or with --match"
            }
            Self::DuplicateResource { .. } => {
                "delete or rename one of the two, or move it to a file of its own"
            }
            Self::Unfaithful { .. } => {
                "nothing was written; this is a defect of merge3, please report it with the three files"
            }
            Self::Changed { .. } => "nothing lost; run again to merge what is there now",
            Self::Busy { .. } => "nothing was written; run again when the other one is done",
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Stopped { .. } => {
                "every file is whole, old or new; running again finishes the merge"
            }
            Self::Unfinished { same: true, .. } => {
                "nothing was written; run the merge itself, and it starts anew from what was there before"
            }
            Self::Unfinished { journal, .. } => {
                return Some(format!(
                    "nothing was written; run that merge again to finish it, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::ChangedSince { journal, .. } => {
                return Some(format!(
                    "nothing was written; put the file back (git checkout) and run again, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::InTheWay { .. } => "move it away and run again",
            Self::Threads(_) => "try --threads 1",
            Self::Several(_) => return None,
        };
        Some(help.to_owned())
    }

    /// Has the lines shown that may hold secrets.
    #[must_use]
    pub fn with_secrets(mut self) -> Self {
        match &mut self {
            Self::Rules { place, .. }
            | Self::Broken { place, .. }
            | Self::NotUtf8 { place }
            | Self::Unfit { place, .. }
            | Self::Record { place, .. } => {
                place.hidden = false;
            }
            Self::DuplicateResource { first, second, .. } => {
                first.hidden = false;
                second.hidden = false;
            }
            Self::Several(errors) => {
                let shown = std::mem::take(errors).into_iter().map(Self::with_secrets);
                *errors = shown.collect();
            }
            _ => {}
        }
        self
    }

    /// The places to show, with a word for each.
    fn places(&self) -> Vec<(&Place, String)> {
        match self {
            Self::Rules { place, message, .. }
            | Self::Broken { place, message, .. }
            | Self::Unfit { place, message, .. }
            | Self::Record { place, message, .. } => {
                vec![(place, message.clone())]
            }
            Self::NotUtf8 { place } => vec![(place, "the first such byte".to_owned())],
            Self::DuplicateResource { first, second, .. } => vec![
                (second, "the second".to_owned()),
                (first, "the first".to_owned()),
            ],
            _ => Vec::new(),
        }
    }

    /// The error as a person reads it: what, where, the line itself, and what to do.
    pub fn render(&self, color: bool) -> String {
        if let Self::Several(errors) = self {
            let parts: Vec<String> = errors.iter().map(|error| error.render(color)).collect();
            return parts.join("\n\n");
        }
        let title = self.to_string();
        let mut group = Group::with_title(Level::ERROR.primary_title(title));
        let places = self.places();
        for (place, label) in &places {
            if place.hidden {
                let origin = Origin::path(shown(&place.path))
                    .line(place.line)
                    .char_column(place.column);
                group = group.element(origin).element(Level::NOTE.message(format!(
                    "{label}; the line may hold a secret: --show-secrets shows it"
                )));
                continue;
            }
            group = group.element(
                Snippet::source(place.text.as_str())
                    .line_start(place.line)
                    .path(shown(&place.path))
                    .annotation(
                        AnnotationKind::Primary
                            .span(place.span())
                            .label(label.as_str()),
                    ),
            );
        }
        if let Some(help) = self.help() {
            group = group.element(Level::HELP.message(help));
        }
        renderer(color).render(&[group])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { option, path } => {
                write!(formatter, "{option}: {} does not exist", shown(path))
            }
            Self::Unsupported { option, path } => write!(
                formatter,
                "{option}: {} is neither a file nor a folder",
                shown(path)
            ),
            Self::NoFile { option, path } => {
                write!(formatter, "{option}: {} is no regular file", shown(path))
            }
            Self::Mixed { folder, file, .. } => write!(
                formatter,
                "{} is a folder and {} is a file",
                shown(folder),
                shown(file)
            ),
            Self::Read { path, error } => {
                write!(formatter, "cannot read {}: {error}", shown(path))
            }
            Self::TooLarge { path, most } => write!(
                formatter,
                "{} is larger than {} MiB, the most that is read of a YAML file",
                path.display(),
                most >> 20
            ),
            Self::Write { path, error, .. } => {
                write!(formatter, "cannot write {}: {error}", shown(path))
            }
            Self::Pattern { pattern, message } => {
                write!(formatter, "--match '{pattern}' is no pattern: {message}")
            }
            Self::Output { path, message } => {
                write!(formatter, "--output: {} {message}", shown(path))
            }
            Self::NothingThere { file, path } => match path {
                Some(path) => write!(
                    formatter,
                    "there is no {path} in {} on any side",
                    shown(file)
                ),
                None => write!(formatter, "no side has {} as YAML", shown(file)),
            },
            Self::NoPath { path, message } => {
                write!(formatter, "'{path}' is no path in a document: {message}")
            }
            Self::Rules { place, .. } => write!(
                formatter,
                "{} does not hold rules for a merge",
                shown(&place.path)
            ),
            Self::Unfit { place, problem, .. } => {
                write!(formatter, "{}: {problem}", shown(&place.path))
            }
            Self::Broken { place, refused, .. } => write!(
                formatter,
                "{} is not valid YAML, and {refused}",
                shown(&place.path)
            ),
            Self::NotUtf8 { place } => {
                write!(formatter, "{} is not UTF-8 text", shown(&place.path))
            }
            Self::DuplicateResource {
                resource,
                first,
                second,
            } => write!(
                formatter,
                "{resource} is twice in {}: in lines {} and {}",
                shown(&first.path),
                first.line,
                second.line
            ),
            Self::Unfaithful {
                file,
                path,
                message,
            } => write!(
                formatter,
                "the merged text of {} is not what was decided, at '{path}': {message}",
                shown(file)
            ),
            Self::Changed { path } => write!(
                formatter,
                "{} changed while the merge was running",
                shown(path)
            ),
            Self::Busy { path } => write!(formatter, "another run of merge3 is at {}", shown(path)),
            Self::Stopped { .. } => write!(formatter, "stopped"),
            Self::Unfinished { journal, same } => write!(
                formatter,
                "{} is half merged: a run of {} did not come to its end",
                shown(journal.parent().unwrap_or(journal)),
                if *same { "this merge" } else { "another merge" }
            ),
            Self::ChangedSince { path, .. } => write!(
                formatter,
                "{} was changed after a run was killed that had changed it",
                shown(path)
            ),
            Self::InTheWay { path, obstacle } => write!(
                formatter,
                "upstream has a file {}, but {} is in its way",
                shown(path),
                shown(obstacle)
            ),
            Self::Git { message, .. } => formatter.write_str(message),
            Self::Record { place, message, .. } => write!(
                formatter,
                "{} does not say where the package comes from: {message}",
                shown(&place.path)
            ),
            Self::Package { path, message, .. } => {
                write!(formatter, "{}: {message}", shown(path))
            }
            Self::Threads(message) => write!(formatter, "cannot start threads: {message}"),
            Self::Several(errors) => write!(formatter, "{} errors", errors.len()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } | Self::Write { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Something to know about a run that did not end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file or folder it is about.
    pub path: PathBuf,
    /// Where in it, if that is known.
    pub place: Option<Place>,
    /// What to know.
    pub message: String,
}

impl Warning {
    pub(crate) fn about(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            message: message.into(),
        }
    }

    /// The warning in one line: file, line and column, and what to know.
    pub fn render(&self, color: bool) -> String {
        let place = self
            .place
            .as_ref()
            .map_or_else(|| shown(&self.path), std::string::ToString::to_string);
        let title = format!("{place}: {}", self.message);
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
