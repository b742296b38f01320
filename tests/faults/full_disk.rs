//! Tests a full disk: a limit on the size of files and, if it can be mounted, a small disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{Packages, RunOutput, tree};

/// Returns packages in which a file grows to this many KiB and others change.
fn growing(kib: usize) -> Packages {
    let packages = Packages::varied();
    let long = format!("text: {}\n", "x".repeat(kib << 10));
    packages.put("large.yaml", ["text: x\n", &long, "text: x\n"]);
    packages
}

#[test]
fn a_file_that_has_no_room_leaves_all_as_it_was() {
    let packages = growing(64);
    let before = packages.tree();
    let merge = packages.command(&[]);
    // the limit is in blocks of 512 or 1024 bytes; its signal is ignored, so that writing fails as
    // on a full disk
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 20; exec \"$@\"", "sh"]);
    limited.arg(merge.get_program()).args(merge.get_args());
    let run = RunOutput::from(limited.output().unwrap());
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("cannot write ") && run.stderr.contains("large.yaml"),
        "{run:?}"
    );
    assert!(
        run.stderr.contains(
            "help: nothing was written; make the folder writable and see that the disk has room"
        ),
        "{run:?}"
    );
    assert_eq!(packages.tree(), before);
    assert_eq!(packages.run(&[]).status, 0);
}

/// A mounted disk, which is unmounted when it is dropped.
struct Disk<'p>(&'p Path);

impl Disk<'_> {
    fn mount(at: &Path) -> Option<Disk<'_>> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(at)
            .output();
        mounted
            .is_ok_and(|it| it.status.success())
            .then_some(Disk(at))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_leaves_all_as_it_was() {
    for kib in [64, 100, 150, 300] {
        let packages = growing(kib);
        let local = packages.local();
        let expected = packages.copy();
        let Some(_disk) = Disk::mount(&local) else {
            println!("skipped: only root can mount a small disk");
            return;
        };
        let copied = Command::new("cp")
            .arg("-a")
            .arg(expected.local().join("."))
            .arg(&local)
            .status();
        assert!(copied.unwrap().success());
        fs::write(local.join("filler"), "x".repeat(64 << 10)).unwrap();
        let before = tree(&local);
        let run = packages.run(&[]);
        if run.status == 0 {
            assert!(kib < 150, "{kib} KiB on a disk of 256");
            continue;
        }
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.stderr.contains("help: nothing was written"), "{run:?}");
        assert_eq!(tree(&local), before);
        fs::remove_file(local.join("filler")).unwrap();
    }
}
