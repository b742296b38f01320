//! Creates objects in the upstream repository that git would refuse to create.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::harness::Workshop;

/// The mode of a file in a tree.
pub(crate) const FILE: &str = "100644";
/// The mode of a symbolic link in a tree.
pub(crate) const LINK: &str = "120000";
/// The mode of a tree in a tree.
pub(crate) const TREE: &str = "40000";

/// An entry of a tree: mode, name, object.
pub(crate) type Row = (&'static str, Vec<u8>, String);

impl Workshop {
    /// Writes any object into the upstream repository and returns its id.
    pub(crate) fn object(&self, kind: &str, content: &[u8]) -> String {
        let mut child = Command::new("git")
            .arg("--git-dir")
            .arg(self.path("upstream.git"))
            .args(["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(content).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn blob(&self, content: &str) -> String {
        self.object("blob", content.as_bytes())
    }

    /// Creates a tree with these entries, in this order.
    pub(crate) fn tree(&self, rows: &[Row]) -> String {
        let mut content = Vec::new();
        for (mode, name, object) in rows {
            content.extend_from_slice(mode.as_bytes());
            content.push(b' ');
            content.extend_from_slice(name);
            content.push(0);
            for at in (0..object.len()).step_by(2) {
                content.push(u8::from_str_radix(&object[at..at + 2], 16).unwrap());
            }
        }
        self.object("tree", &content)
    }

    /// Creates a commit of a tree, and a tag for it.
    pub(crate) fn tag(&self, name: &str, tree: &str) -> String {
        let commit = format!(
            "tree {tree}\nauthor a <a@example.org> 1700000000 +0000\ncommitter a <a@example.org> 1700000000 +0000\n\nrelease {name}\n"
        );
        let commit = self.object("commit", commit.as_bytes());
        let tag = format!("refs/tags/{name}");
        self.git("upstream.git", &["update-ref", &tag, &commit]);
        commit
    }

    /// Creates a release of a package `app` with these entries.
    pub(crate) fn forge(&self, tag: &str, rows: &[Row]) -> String {
        let app = self.tree(rows);
        let tree = self.tree(&[row(TREE, "app", app)]);
        self.tag(tag, &tree)
    }
}

pub(crate) fn row(mode: &'static str, name: impl AsRef<[u8]>, object: String) -> Row {
    (mode, name.as_ref().to_vec(), object)
}
