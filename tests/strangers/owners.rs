//! The cache is private to the user, and credentials are not written or shown.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// Returns the folders of the cache and the repositories in it.
fn folders(workshop: &Workshop) -> Vec<std::path::PathBuf> {
    let root = workshop.path("cache/merge3");
    let git = root.join("git");
    let stores = fs::read_dir(&git)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let stores: Vec<_> = stores.filter(|path| path.is_dir()).collect();
    assert!(!stores.is_empty());
    [vec![root, git], stores].concat()
}

/// A cached repository of another user has a configuration that runs a command.
#[test]
fn a_cache_that_others_may_write_to_is_not_used() {
    let workshop = Workshop::with_app();
    let trace = workshop.path("trace");
    workshop.merge3(&["outdated"]).exits(0);
    for folder in folders(&workshop) {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    for store in folders(&workshop).into_iter().skip(2) {
        let config = store.join("config");
        let text = fs::read_to_string(&config).unwrap();
        let trap = format!("touch {}; git-upload-pack", trace.display());
        fs::write(
            config,
            format!("{text}[remote \"origin\"]\n\tuploadpack = {trap}\n"),
        )
        .unwrap();
    }
    let before = workshop.files("fleet");
    let refused = |what: &str| {
        let run = workshop.merge3(&["upgrade", "app"]).exits(2);
        run.says(&["the cache in ", what, "MERGE3_CACHE_DIR"]);
        assert!(!trace.exists());
        assert_eq!(workshop.files("fleet"), before);
    };
    for folder in folders(&workshop).iter().take(3) {
        for open in [0o777, 0o1777, 0o770, 0o702] {
            fs::set_permissions(folder, fs::Permissions::from_mode(open)).unwrap();
            refused("other users can write to it");
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        // only root can change the owner of a folder
        if chown(folder, Some(12_345), None).is_ok() {
            refused("it belongs to another user");
            chown(folder, Some(rustix::process::geteuid().as_raw()), None).unwrap();
        }
    }
    // a link in place of the cache, to a folder of another user
    let shared = workshop.path("shared");
    fs::rename(workshop.path("cache/merge3"), &shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    std::os::unix::fs::symlink(&shared, workshop.path("cache/merge3")).unwrap();
    refused("other users can write to it");
}

/// A cache that other users can read is made private.
#[test]
fn a_cache_is_closed_to_others() {
    let workshop = Workshop::with_app();
    for folder in folders(&workshop) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
    let all = folders(&workshop);
    assert!(all.iter().take(2).all(|folder| mode(folder) == 0o700));
}

/// User names that are tokens, and passwords with special characters.
#[test]
fn credentials_in_an_address_are_never_shown() {
    let workshop = Workshop::with_app();
    let url = workshop.url();
    let parts = [
        "s3cret@",
        "s3cret:x-oauth-basic@",
        "bot:s3cret@",
        "bot:a's3cret@",
        "bot:a\"s3cret@",
        "bot:s3cret@x@",
        "bot:a s3cret@",
        "s3cret:@",
        ":s3cret@",
    ];
    for scheme in ["https", "http", "ssh"] {
        for part in parts {
            if scheme == "ssh" && !part.contains(':') {
                continue; // a user name for ssh is not a secret
            }
            let address = format!("{scheme}://{part}127.0.0.1:9/x.git");
            let run = workshop
                .merge3(&["get", &format!("{address}@v1"), "new"])
                .exits(2);
            assert!(!format!("{run:?}").contains("s3cret"), "{address}: {run:?}");
            assert!(!workshop.has("fleet/new"));
            // an address that was written into the record by hand
            let before = workshop.read("fleet/app/.merge3.yaml");
            let quoted = format!("repo: '{}'", address.replace('\'', "''"));
            workshop.edit("fleet/app/.merge3.yaml", &format!("repo: {url}"), &quoted);
            workshop.save("token");
            for arguments in [
                &["upgrade", "--all", "--report", "json", "--commit"][..],
                &["outdated", "--report", "markdown"],
            ] {
                let run = workshop.merge3(arguments).exits(2);
                assert!(!format!("{run:?}").contains("s3cret"), "{address}: {run:?}");
            }
            workshop.write("fleet/app/.merge3.yaml", &before);
            workshop.save("mend");
        }
    }
}
