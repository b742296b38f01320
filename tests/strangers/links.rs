//! Links in place of files that configure a package.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::Workshop;

const SECRET_VALUE: &str = "hunter2";

/// Files that only the user may read, which are neither records nor rules.
const SECRETS: [&str; 4] = [
    "upstream: hunter2\n",
    "rules: hunter2\n",
    "hunter2: [}\n",
    "upstream: {git: {repo: hunter2}}\n",
];

#[test]
fn links_are_not_followed() {
    for name in ["Kptfile", ".merge3.yaml"] {
        for secret in SECRETS {
            let workshop = Workshop::with_app();
            workshop.write("credentials", secret);
            let path = workshop.path(&format!("fleet/app/{name}"));
            let _ = fs::remove_file(&path);
            symlink("../../credentials", &path).unwrap();
            workshop.save("a link");
            let merge = ["--ancestor", "app", "--from", "app", "--to", "app"];
            for arguments in [
                &["upgrade", "app"][..],
                &["upgrade", "--all"],
                &["upgrade", "app", "--on-conflict", "local", "--allow-dirty"],
                &["outdated"],
                &merge,
            ] {
                let run = workshop.merge3(arguments);
                let output = format!("{}{}", run.stdout, run.stderr);
                assert!(
                    !output.contains(SECRET_VALUE),
                    "{name}, {arguments:?}: {output}"
                );
            }
            assert!(path.is_symlink());
        }
    }
}

#[test]
fn a_link_to_rules_is_refused_and_a_link_to_a_kptfile_hides_no_record() {
    let workshop = Workshop::with_app();
    symlink("web.yaml", workshop.path("fleet/app/Kptfile")).unwrap();
    workshop.save("a link");
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert!(workshop.read("fleet/app/web.yaml").contains("web:1.1"));
    workshop.write("old/a.yaml", "a: 1\n");
    workshop.write("rules", "rules: []\n");
    symlink("../rules", workshop.path("old/.merge3.yaml")).unwrap();
    let sides = ["--ancestor", "old", "--from", "old", "--to", "old"];
    let run = workshop.merge3_in(".", &sides).exits(2);
    run.says(&[
        "old/.merge3.yaml",
        "it is a symbolic link, which is not followed",
    ]);
    // a file that the user names may be a link
    fs::remove_file(workshop.path("old/.merge3.yaml")).unwrap();
    symlink("rules", workshop.path("named")).unwrap();
    workshop
        .merge3_in(".", &[&sides[..], &["--config", "named"]].concat())
        .exits(0);
}

/// A branch may add rules that name definition files. Messages about such a file show lines of it,
/// so it must be in the repository.
#[test]
fn definitions_of_kinds_are_read_in_the_repository_only() {
    let output_with = |workshop: &Workshop, path: &str| {
        let record = workshop.git("fleet", &["show", "HEAD:app/.merge3.yaml"]);
        let rules = format!("schema: kubernetes\ncrds: ['{path}']\n{record}");
        workshop.write("fleet/app/.merge3.yaml", &rules);
        let merge = ["--ancestor", "app", "--from", "app", "--to", "app"];
        let mut output = String::new();
        for arguments in [&["upgrade", "app", "--allow-dirty"][..], &merge] {
            let run = workshop.merge3(arguments).exits(2);
            output += &format!("{}{}", run.stdout, run.stderr);
        }
        output
    };
    for secret in SECRETS {
        let workshop = Workshop::with_app();
        workshop.write("credentials", secret);
        workshop.write("fleet/.git/token", secret);
        symlink("../../credentials", workshop.path("fleet/app/crd.yaml")).unwrap();
        symlink("../..", workshop.path("fleet/app/up")).unwrap();
        let whole = workshop.path("credentials").display().to_string();
        for path in [
            whole.as_str(),
            "../../credentials",
            "crd.yaml",
            "up/credentials",
            "../.git/token",
            "../.GIT/../.git/token",
        ] {
            let output = output_with(&workshop, path);
            assert!(!output.contains(SECRET_VALUE), "{path}: {output}");
        }
    }
    // a file in the repository is read, wherever it is
    let workshop = Workshop::with_app();
    workshop.write("fleet/crds/none.yaml", "kind: Other\n");
    let output = output_with(&workshop, "../crds/none.yaml");
    assert!(output.contains("no custom resource definition"), "{output}");
}
