//! Patches applied to a package: each document of a patch file to the resource that it names.

use std::fmt;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::load::{Package, load_package};
use super::parsed::{Broken, Parsed, ParsedFile, Trees, read};
use super::plan::{ChangeKind, Counts, FileChange, Plan};
use super::resource::ResourceId;
use super::secrets;
use crate::error::{Error, Place, Warning};
use crate::patch::{PatchError, Rules, first_directive, json_patch, merge_patch};
use crate::schema::Schema;
use crate::yaml::{NodeKind, ParseError, Tree};

/// What a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json,
}

/// Patches, and what they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patching {
    /// The files with the patches, in the order in which they are applied.
    pub patches: Vec<PathBuf>,
    /// The file or folder that they change.
    pub target: PathBuf,
    /// What the patches are.
    pub form: PatchForm,
    /// The resource that patches are for which name none.
    pub resource: Option<ResourceName>,
    /// Which files of the target are YAML; the usual names where nothing is said.
    pub matches: Vec<String>,
}

/// A resource as somebody calls it who means one of few: `Deployment/app`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceName {
    /// The kind, in any case.
    pub kind: String,
    /// The name.
    pub name: String,
}

impl FromStr for ResourceName {
    type Err = &'static str;

    /// Reads `KIND/NAME`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some((kind, name)) if !kind.is_empty() && !name.is_empty() => Ok(Self {
                kind: kind.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err("write it as KIND/NAME, such as Deployment/app"),
        }
    }
}

impl ResourceName {
    /// Whether it means this resource.
    pub(super) fn is_of(&self, id: &ResourceId) -> bool {
        self.kind.eq_ignore_ascii_case(&id.kind) && self.name == id.name
    }
}

impl fmt::Display for ResourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.kind, self.name)
    }
}

/// Applies patches to a package, in memory.
///
/// # Errors
/// Where a patch is wrong, names no resource, or names one that the target does not have or has more than once.
///
/// ```
/// use merge3::package::{PatchForm, Patching, plan_patches};
///
/// let folder = tempfile::tempdir()?;
/// let (target, patch) = (folder.path().join("app.yaml"), folder.path().join("patch.yaml"));
/// std::fs::write(&target, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  a: x # ours\n")?;
/// std::fs::write(&patch, "kind: ConfigMap\nmetadata: {name: app}\ndata: {a: y}\n")?;
/// let plan = plan_patches(&Patching {
///     patches: vec![patch],
///     target: target.clone(),
///     form: PatchForm::Strategic,
///     resource: None,
///     matches: Vec::new(),
/// })?;
/// plan.write(false)?;
/// assert!(std::fs::read_to_string(&target)?.ends_with("  a: y # ours\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_patches(patching: &Patching) -> Result<Plan, Error> {
    let patches = patching.patches.iter();
    let patches: Vec<(&PathBuf, Package)> = patches
        .map(|path| Ok((path, load_package(path, "--patch", &[])?)))
        .collect::<Result<_, Error>>()?;
    let mut hasher = FxHasher::default();
    for (_, patch) in &patches {
        hasher.write_u64(patch.fingerprint());
    }
    let merge = hasher.finish();
    let mut package = load_package(&patching.target, "TARGET", &patching.matches)?;
    package.settle(merge)?;
    let is_file = !patching.target.is_dir();
    let mut files = Vec::new();
    for (index, (path, source)) in package.files.iter().enumerate() {
        let shown = if is_file {
            patching.target.clone()
        } else {
            package.root.join(path)
        };
        match read(&shown, source, Trees::Kept) {
            Ok(file) => files.push(Patched::new(index, shown, file)),
            Err(broken) if is_file => return Err(unreadable(*broken, "cannot be patched")),
            // a template, say: no patch is for it
            Err(_) => {}
        }
    }
    let mut run = Run {
        patching,
        schema: Schema::kubernetes(),
        files,
        warnings: Vec::new(),
    };
    for (path, patch) in &patches {
        run.apply(path, patch)?;
    }
    let Run {
        files, warnings, ..
    } = run;
    let changed: Vec<(usize, String)> = files
        .into_iter()
        .filter(|file| file.texts.iter().any(Option::is_some))
        .map(|file| (file.index, file.text()))
        .collect();
    collect(package, merge, changed, warnings)
}

/// A file of the target, with what patches made of its documents.
struct Patched<'a> {
    /// Which of the package's.
    index: usize,
    path: PathBuf,
    file: ParsedFile<'a>,
    /// The new text of each document that has one.
    texts: Vec<Option<String>>,
}

impl<'a> Patched<'a> {
    fn new(index: usize, path: PathBuf, file: ParsedFile<'a>) -> Self {
        let texts = vec![None; file.documents.len()];
        Self {
            index,
            path,
            file,
            texts,
        }
    }

    /// The file's new text: its chunks joined are the file.
    fn text(&self) -> String {
        let documents = self.file.documents.iter().zip(&self.texts);
        documents
            .map(|(parsed, text)| text.as_deref().unwrap_or(parsed.document.text))
            .collect()
    }
}

/// A document of the target: the file, and which of its documents.
type Found = (usize, usize);

struct Run<'a> {
    patching: &'a Patching,
    schema: Schema,
    files: Vec<Patched<'a>>,
    warnings: Vec<Warning>,
}

/// A patch of a file.
struct Patch<'a> {
    path: &'a Path,
    text: &'a str,
    start: usize,
    tree: &'a Tree<'a>,
}

impl Patch<'_> {
    fn unfit(&self, error: ParseError) -> Error {
        unfit(
            Place::new(self.path, self.text, self.start + error.offset),
            "this patch cannot be applied",
            error,
        )
    }

    fn wrong(&self, offset: usize, message: String, help: &str) -> Error {
        self.unfit(ParseError {
            offset,
            message,
            help: Some(help.to_owned()),
        })
    }

    /// Where it says what it is for.
    fn offset(&self) -> usize {
        let root = self.tree.root().value;
        let named = ["kind", "metadata"]
            .iter()
            .find_map(|name| self.tree.find(root, name));
        let span = named.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }
}

impl Run<'_> {
    fn apply(&mut self, path: &Path, package: &Package) -> Result<(), Error> {
        for (name, source) in &package.files {
            let path = if path.is_dir() {
                path.join(name)
            } else {
                path.to_owned()
            };
            let file = read(&path, source, Trees::Kept)
                .map_err(|broken| unreadable(*broken, "this patch cannot be applied"))?;
            for parsed in &file.documents {
                let Some(tree) = parsed.kept() else { continue };
                self.apply_document(&Patch {
                    path: &path,
                    text: file.text,
                    start: parsed.document.start,
                    tree,
                })?;
            }
        }
        Ok(())
    }

    fn apply_document(&mut self, patch: &Patch<'_>) -> Result<(), Error> {
        let is_list = matches!(
            patch.tree.node(patch.tree.root().value).kind,
            NodeKind::Sequence(_)
        );
        if is_list && self.patching.form != PatchForm::Json {
            return Err(patch.wrong(
                patch.offset(),
                "a list is no merge patch".to_owned(),
                "for a JSON patch give --type json",
            ));
        }
        let found = self.find(patch)?;
        let text = match &self.files[found.0].texts[found.1] {
            Some(text) => text.clone(),
            None => self.files[found.0].file.documents[found.1]
                .document
                .text
                .to_owned(),
        };
        let patched = self.patched(&text, patch, found)?;
        if let Some(patched) = patched {
            self.files[found.0].texts[found.1] = Some(patched);
        }
        Ok(())
    }

    fn patched(
        &mut self,
        text: &str,
        patch: &Patch<'_>,
        found: Found,
    ) -> Result<Option<String>, Error> {
        let path = self.files[found.0].path.clone();
        let start = self.files[found.0].file.documents[found.1].document.start;
        let failed = |error: PatchError| match error {
            PatchError::Patch(error) => patch.unfit(error),
            PatchError::Target(error) => unfit(
                Place::new(&path, text, start + error.offset),
                "this document cannot be patched",
                error,
            ),
            PatchError::Unfaithful(error) => {
                secrets::unfaithful(path.clone(), error, [text, patch.text])
            }
        };
        if self.patching.form == PatchForm::Json {
            return json_patch(text, patch.tree).map_err(failed);
        }
        let Ok(Some(target)) = Tree::parse(text) else {
            return Ok(None);
        };
        let rules = match self.patching.form {
            PatchForm::Strategic => {
                let place = crate::schema::kind_of(&target, target.root().value)
                    .and_then(|(api_version, kind)| self.schema.kind(api_version, kind));
                match place {
                    Some(kind) => Rules::Strategic(kind.place),
                    None => {
                        let warning = self.without_schema(patch, found)?;
                        self.warnings.push(warning);
                        Rules::Merge
                    }
                }
            }
            PatchForm::Merge | PatchForm::Json => Rules::Merge,
        };
        merge_patch(&target, patch.tree, rules).map_err(failed)
    }

    /// What to know where a strategic merge patch is for a kind without a schema: it is a JSON merge patch then, in which
    /// nothing is a directive.
    fn without_schema(&self, patch: &Patch<'_>, found: Found) -> Result<Warning, Error> {
        let file = &self.files[found.0];
        let resource = file.file.documents[found.1].resource.as_ref();
        let resource = resource.map_or_else(
            || "this document".to_owned(),
            |it| it.id.to_id().to_string(),
        );
        if let Some((name, offset)) = first_directive(patch.tree) {
            return Err(patch.wrong(
                offset,
                format!("`{name}` needs a schema, and none is known for {resource}"),
                "write it as a JSON merge patch: null removes a field, and a list is given whole",
            ));
        }
        Ok(Warning::about(
            &file.path,
            format!(
                "no schema is known for {resource}: patched by the rules of a JSON merge patch"
            ),
        ))
    }

    /// The document that a patch is for.
    fn find(&self, patch: &Patch<'_>) -> Result<Found, Error> {
        let id = match self.patching.form {
            PatchForm::Json => None,
            _ => ResourceId::of(patch.tree),
        };
        let found: Vec<Found> = match (&id, &self.patching.resource) {
            (Some(id), _) => self.resources(|other| is_named_by(id, other)),
            (None, Some(name)) => self.resources(|other| name.is_of(other)),
            (None, None) if self.patching.form == PatchForm::Json => self.only_document(),
            (None, None) => {
                return Err(patch.wrong(
                    patch.offset(),
                    "this patch names no resource".to_owned(),
                    "give it kind and metadata.name, or say --resource KIND/NAME",
                ));
            }
        };
        let called = match (&id, &self.patching.resource) {
            (Some(id), _) => id.to_string(),
            (None, Some(name)) => name.to_string(),
            (None, None) => "resource".to_owned(),
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(patch.wrong(
                patch.offset(),
                format!("the target has no {called}"),
                &self.what_there_is(id.as_ref()),
            )),
            [first, second, ..] => Err(patch.wrong(
                patch.offset(),
                format!(
                    "the target has more than one {called}: in {} and {}",
                    self.place_of(*first),
                    self.place_of(*second)
                ),
                if id.is_some() {
                    "give the patch apiVersion and metadata.namespace, or give a smaller target"
                } else {
                    "say which one with --resource KIND/NAME, or give a smaller target"
                },
            )),
        }
    }

    fn resources(&self, is_wanted: impl Fn(&ResourceId) -> bool) -> Vec<Found> {
        self.documents(|parsed| {
            let resource = parsed.resource.as_ref();
            resource.is_some_and(|resource| is_wanted(&resource.id.to_id()))
        })
    }

    fn documents(&self, is_wanted: impl Fn(&Parsed<'_>) -> bool) -> Vec<Found> {
        let mut found = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let documents = file.file.documents.iter().enumerate();
            found.extend(
                documents
                    .filter(|(_, parsed)| is_wanted(parsed))
                    .map(|(document, _)| (index, document)),
            );
        }
        found
    }

    /// The resources, or where there is none, the documents.
    fn only_document(&self) -> Vec<Found> {
        let resources = self.resources(|_| true);
        if resources.is_empty() {
            return self.documents(|parsed| parsed.has_content);
        }
        resources
    }

    fn place_of(&self, found: Found) -> String {
        let file = &self.files[found.0];
        let line = file.file.documents[found.1].document.line + 1;
        format!("{}:{line}", file.path.display())
    }

    /// What to say where a resource is not there: what is like it.
    fn what_there_is(&self, wanted: Option<&ResourceId>) -> String {
        let is_like = |other: &ResourceId| match wanted {
            Some(id) => other.name == id.name || other.kind == id.kind,
            None => true,
        };
        let like = self.resources(is_like);
        let names: Vec<String> = like
            .iter()
            .take(3)
            .filter_map(|found| {
                let parsed = &self.files[found.0].file.documents[found.1];
                parsed
                    .resource
                    .as_ref()
                    .map(|resource| resource.id.to_id().to_string())
            })
            .collect();
        if names.is_empty() {
            return "check the name in the patch, and the target".to_owned();
        }
        format!("check the name in the patch: there is {}", names.join(", "))
    }
}

/// Whether a patch that names `wanted` is for `other`: what the patch does not say may be anything.
fn is_named_by(wanted: &ResourceId, other: &ResourceId) -> bool {
    let fits = |wanted: &str, other: &str| wanted.is_empty() || wanted == other;
    wanted.kind == other.kind
        && wanted.name == other.name
        && fits(&wanted.namespace, &other.namespace)
        && fits(&wanted.api_version, &other.api_version)
}

pub(super) fn unreadable(broken: Broken, problem: &str) -> Error {
    if !broken.utf8 {
        return Error::NotUtf8 {
            place: Box::new(broken.place),
        };
    }
    Error::Unfit {
        place: Box::new(broken.place),
        problem: format!("{problem}: it is not valid YAML"),
        message: broken.message,
        help: broken.help.unwrap_or_else(|| "repair the file".to_owned()),
    }
}

fn unfit(place: Place, problem: &str, error: ParseError) -> Error {
    Error::Unfit {
        place: Box::new(place),
        problem: problem.to_owned(),
        message: error.message,
        help: error
            .help
            .unwrap_or_else(|| "nothing was written".to_owned()),
    }
}

fn collect(
    package: Package,
    merge: u64,
    changed: Vec<(usize, String)>,
    warnings: Vec<Warning>,
) -> Result<Plan, Error> {
    let mut plan = Plan {
        root: package.root,
        files: Vec::new(),
        conflicts: Vec::new(),
        pinned: Vec::new(),
        warnings: package.warnings.into_iter().chain(warnings).collect(),
        counts: Counts {
            read: package.files.len(),
            ..Counts::default()
        },
        show_secrets: false,
        leftovers: package.leftovers,
        merge,
    };
    let mut texts = changed.into_iter().peekable();
    for (index, (path, source)) in package.files.into_iter().enumerate() {
        let Some((_, text)) = texts.next_if(|(changed, _)| *changed == index) else {
            continue;
        };
        let Some(permissions) = source.permissions else {
            continue;
        };
        let new = Arc::new(text.into_bytes());
        if new == source.bytes {
            continue;
        }
        plan.counts.count(&ChangeKind::Changed);
        plan.files.push(FileChange {
            path,
            kind: ChangeKind::Changed,
            old: Some(source.bytes),
            new: Some(new),
            permissions,
            seen: source.seen,
        });
    }
    Ok(plan)
}
