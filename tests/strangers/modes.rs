//! New files get the permissions 0644 or 0755, whatever upstream's are.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::harness::{Workshop, merge3, web};

/// Runs merge3 with a umask of the user's.
fn with_mask(workshop: &Workshop, folder: &str, mask: &str, arguments: &[&str]) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("umask {mask} && exec \"$0\" \"$@\"")]);
    command.arg(merge3()).args(arguments);
    command.current_dir(workshop.path(folder));
    let output = workshop.isolated(&mut command);
    assert!(output.status.success(), "{output:?}");
}

fn mode(workshop: &Workshop, name: &str) -> u32 {
    let metadata = fs::metadata(workshop.path(name)).unwrap();
    metadata.permissions().mode() & 0o7777
}

#[test]
fn new_files_take_only_whether_they_may_be_run() {
    for (mask, plain, executable) in [
        ("000", 0o644, 0o755),
        ("022", 0o644, 0o755),
        ("002", 0o644, 0o755),
        ("027", 0o640, 0o750),
        ("077", 0o600, 0o700),
    ] {
        let workshop = Workshop::new();
        for folder in ["old", "new/in", "local"] {
            fs::create_dir_all(workshop.path(folder)).unwrap();
        }
        let modes = [0o4755, 0o6711, 0o1777, 0o777, 0o666, 0o2644, 0o622, 0o600];
        for given in modes {
            let name = format!("new/in/{given:o}");
            workshop.write(&name, "x\n");
            fs::set_permissions(workshop.path(&name), Permissions::from_mode(given)).unwrap();
        }
        let sides = ["--ancestor", "old", "--from", "new", "--to", "local"];
        with_mask(&workshop, ".", mask, &sides);
        for given in modes {
            let expected = if given & 0o100 == 0 {
                plain
            } else {
                executable
            };
            let found = mode(&workshop, &format!("local/in/{given:o}"));
            assert_eq!(found, expected, "{given:o} with {mask}: {found:o}");
        }
    }
}

#[test]
fn a_mask_that_takes_nothing_away_makes_no_file_writable_for_all() {
    let workshop = Workshop::with_app();
    let address = format!("{}/app@v1.0.0", workshop.url());
    with_mask(&workshop, "fleet", "000", &["get", &address, "second"]);
    workshop.save("second");
    workshop.release("v1.2.0", &[("app/new.yaml", &web("1", 1))]);
    with_mask(&workshop, "fleet", "000", &["upgrade", "second"]);
    for name in ["web.yaml", ".merge3.yaml", "new.yaml"] {
        assert_eq!(
            mode(&workshop, &format!("fleet/second/{name}")),
            0o644,
            "{name}"
        );
    }
}

/// Upstream does not set the special bits of a local file, either.
#[test]
fn a_file_that_is_replaced_has_no_special_bits() {
    let workshop = Workshop::new();
    for (side, text) in [
        ("old", "echo 1\n"),
        ("new", "echo 2\n"),
        ("local", "echo 1\n"),
    ] {
        workshop.write(&format!("{side}/run.sh"), text);
    }
    let script = workshop.path("local/run.sh");
    fs::set_permissions(&script, Permissions::from_mode(0o4750)).unwrap();
    let sides = ["--ancestor", "old", "--from", "new", "--to", "local"];
    workshop.merge3_in(".", &sides).exits(0);
    assert_eq!(workshop.read("local/run.sh"), "echo 2\n");
    assert_eq!(mode(&workshop, "local/run.sh"), 0o750);
}
