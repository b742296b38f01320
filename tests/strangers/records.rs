//! The local side decides where a package comes from, however upstream's files are written.

use pretty_assertions::assert_eq;

use crate::forge::{FILE, TREE, row};
use crate::harness::{RunOutput, Workshop, kptfile, web};

/// A record in block style that names another repository.
const TRAP: &str = "upstream:\n  type: git\n  git:\n    repo: file:///private.git\n    directory: /\n    ref: v9.0.0\n  updateStrategy: force-delete-replace\nupstreamLock:\n  type: git\n  git:\n    repo: file:///private.git\n    directory: /\n    ref: v9.0.0\n    commit: 1111111111111111111111111111111111111111\n";
/// The same record in flow style.
const FLOW: &str = "{type: git, git: {repo: 'file:///private.git', directory: /, ref: v9.0.0}}";
const FLOW_LOCK: &str = "{type: git, git: {repo: 'file:///private.git', directory: /, ref: v9.0.0, commit: '1111111111111111111111111111111111111111'}}";
const HEAD: &str = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n";

/// Creates a package with a Kptfile.
fn workshop() -> Workshop {
    fleet(&["app".to_owned()], true)
}

/// Creates packages with these names, each with a Kptfile or with a record but no Kptfile.
fn fleet(names: &[String], with_kptfile: bool) -> Workshop {
    let workshop = Workshop::new();
    for name in names {
        let folder = format!("upstream/{name}");
        workshop.write(&format!("{folder}/web.yaml"), &web("1.0", 1));
        if with_kptfile {
            workshop.write(&format!("{folder}/Kptfile"), &kptfile("app"));
        }
    }
    workshop.release("v1.0.0", &[]);
    for name in names {
        let address = format!("{}/{name}@v1.0.0", workshop.url());
        workshop.merge3(&["get", &address, name]).exits(0);
    }
    workshop.save("vendor");
    workshop
}

/// Creates a package for each way to write a record. Upstream's next release has such a Kptfile in
/// each.
fn ways_of(with_kptfile: bool) -> (Workshop, Vec<(String, String)>) {
    let record_styles = record_styles().into_iter().enumerate();
    let record_styles: Vec<_> = record_styles
        .map(|(at, way)| (format!("p{at}"), way))
        .collect();
    let names: Vec<String> = record_styles.iter().map(|(name, _)| name.clone()).collect();
    (fleet(&names, with_kptfile), record_styles)
}

/// Releases a Kptfile for each package.
fn release(workshop: &Workshop, tag: &str, kptfiles: &[(String, String)]) {
    for (name, text) in kptfiles {
        workshop.write(&format!("upstream/{name}/Kptfile"), text);
        let web = web(tag.trim_start_matches('v'), 1);
        workshop.write(&format!("upstream/{name}/web.yaml"), &web);
    }
    workshop.release(tag, &[]);
}

/// Returns a Kptfile without the field `x`, which is ignored and which upstream may write.
fn without_x(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("x: &")).collect()
}

/// Asserts that the records that are read do not name what upstream's files name, and that the next
/// run has nothing to do.
#[track_caller]
fn assert_own_records(workshop: &Workshop, record_styles: &[(String, String)]) {
    for (name, way) in record_styles {
        let mut records = 0;
        for file in ["Kptfile", ".merge3.yaml"] {
            let file = format!("fleet/{name}/{file}");
            if !workshop.has(&file) {
                continue;
            }
            let text = without_x(&workshop.read(&file));
            assert!(!text.contains("private"), "{way}\n{text}");
            records += text.matches("\nupstream:").count();
            records += usize::from(text.starts_with("upstream:"));
        }
        assert_eq!(records, 1, "{way}");
    }
    // the next run fetches from the original source
    workshop.save("upgraded");
    let run = workshop.merge3(&["outdated"]).exits(0);
    assert!(!run.stdout.contains("private"), "{run:?}");
    let run = workshop.merge3(&["upgrade", "--all"]).exits(0);
    assert!(run.stdout.ends_with("up to date\n"), "{run:?}");
}

/// Returns a record in each way in which YAML can write it.
fn record_styles() -> Vec<String> {
    let lock = format!("upstreamLock: {FLOW_LOCK}");
    let mut record_styles = vec![
        format!("{HEAD}{TRAP}"),
        format!(
            "{{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {{name: app}}, upstream: {FLOW}, {lock}}}\n"
        ),
        format!(
            "{{\"apiVersion\": \"kpt.dev/v1\", \"kind\": \"Kptfile\", \"metadata\": {{\"name\": \"app\"}}, \"upstream\": {FLOW}, \"upstreamLock\": {FLOW_LOCK}}}\n"
        ),
        format!("{HEAD}---\n{HEAD}{TRAP}"),
        format!("---\n{HEAD}{TRAP}...\n---\na: 1\n"),
        format!("%YAML 1.1\n---\n{HEAD}{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {{a: b}}\n{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: app\n{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\n{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n- name: app\n{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: |\n    app\n{TRAP}"),
        format!("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name:\n{TRAP}"),
        format!("{HEAD}? upstream\n: {FLOW}\n? upstreamLock\n: {FLOW_LOCK}\n"),
        format!("{HEAD}<<: {{upstream: {FLOW}, upstreamLock: {FLOW_LOCK}}}\n"),
        format!("x: &x {FLOW}\n{HEAD}upstream: *x\n{lock}\n"),
        format!("{HEAD}upstream: &x {FLOW}\n{lock}\ninfo: *x\n"),
        format!("&k upstream: {FLOW}\n{HEAD}{lock}\n"),
        format!("x: &k upstream\n{HEAD}*k : {FLOW}\n{lock}\n"),
        format!("{HEAD}upstream: {FLOW}\nupstream: {FLOW}\n{lock}\n"),
        format!("{HEAD}{}", TRAP.replace('\n', "\r\n")),
        format!("\u{feff}{HEAD}{TRAP}"),
        format!("{HEAD}{TRAP}").trim_end().to_owned(),
        format!("{}{TRAP}{HEAD}", "# a\n\n"),
    ];
    for key in [
        "\"upstream\"",
        "'upstream'",
        "!!str upstream",
        "\"\\u0075pstream\"",
        "! upstream",
        "&a upstream",
        "!x upstream",
    ] {
        let other = key
            .replace("upstream", "upstreamLock")
            .replace("\\u0075pstream", "\\u0075pstreamLock");
        record_styles.push(format!("{HEAD}{key}: {FLOW}\n{other}: {FLOW_LOCK}\n"));
        record_styles.push(format!("{key}: {FLOW}\n{other}: {FLOW_LOCK}\n{HEAD}"));
    }
    record_styles
}

/// A release with such a Kptfile: its other changes come.
#[test]
fn a_record_stays_however_upstream_writes_its_own() {
    for with_kptfile in [true, false] {
        let (workshop, record_styles) = ways_of(with_kptfile);
        release(&workshop, "v1.1.0", &record_styles);
        workshop.merge3(&["upgrade", "--all"]).exits(0);
        for (name, way) in &record_styles {
            let file = format!("fleet/{name}/web.yaml");
            assert_eq!(workshop.read(&file), web("1.1.0", 1), "{way}");
        }
        assert_own_records(&workshop, &record_styles);
    }
}

/// The old version already had it: a change in it does not change the record.
#[test]
fn a_record_of_upstreams_that_changes_changes_nothing_here() {
    let (workshop, record_styles) = ways_of(true);
    let edited = |edit: fn(&str) -> String| -> Vec<(String, String)> {
        let record_styles = record_styles.iter();
        record_styles
            .map(|(name, way)| (name.clone(), edit(way)))
            .collect()
    };
    release(
        &workshop,
        "v1.1.0",
        &edited(|way| way.replace("private", "elsewhere")),
    );
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    workshop.save("elsewhere");
    for (name, way) in &record_styles {
        let text = without_x(&workshop.read(&format!("fleet/{name}/Kptfile")));
        assert!(!text.contains("elsewhere"), "{way}\n{text}");
    }
    release(&workshop, "v1.2.0", &edited(|way| format!("{way}# more\n")));
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    assert_own_records(&workshop, &record_styles);
}

/// The document of the Kptfile is in another file.
#[test]
fn a_record_does_not_come_by_way_of_another_file() {
    let record_styles = [format!("{HEAD}{TRAP}"), format!("a: 1\n---\n{HEAD}{TRAP}")];
    for (way, is_left) in record_styles
        .iter()
        .flat_map(|way| [(way, true), (way, false)])
    {
        let workshop = workshop();
        let mut files = vec![("app/more.yaml", way.as_str())];
        if !is_left {
            files.push(("app/Kptfile", ""));
        }
        workshop.release("v1.1.0", &files);
        let run = workshop.merge3(&["upgrade", "app"]);
        assert!([0, 2].contains(&run.status), "{run:?}");
        let text = workshop.read("fleet/app/Kptfile");
        assert!(
            !text.contains("private") && text.contains("\nupstream:"),
            "{text}"
        );
        if run.status == 0 {
            workshop.save("upgraded");
            let run = workshop.merge3(&["outdated", "app"]).exits(0);
            assert!(!run.stdout.contains("private"), "{run:?}");
        }
    }
}

/// The record stays and can be read if the file has conflict markers.
#[test]
fn a_record_stays_beside_conflict_markers() {
    let (workshop, record_styles) = ways_of(true);
    let theirs = kptfile("app").replace("description: app", "description: theirs");
    for (name, _) in &record_styles {
        let file = format!("fleet/{name}/Kptfile");
        workshop.edit(&file, "description: app", "description: ours");
    }
    workshop.save("ours");
    let record_styles: Vec<_> = record_styles
        .into_iter()
        .map(|(name, way)| (name, way.replace(HEAD, &theirs)))
        .collect();
    release(&workshop, "v1.1.0", &record_styles);
    workshop
        .merge3(&["upgrade", "--all", "--on-conflict", "markers"])
        .exits(1);
    let mut marked = 0;
    for (name, way) in &record_styles {
        let text = without_x(&workshop.read(&format!("fleet/{name}/Kptfile")));
        assert!(!text.contains("private"), "{way}\n{text}");
        assert_eq!(text.matches("\nupstream:").count(), 1, "{text}");
        marked += usize::from(text.contains("<<<<<<<"));
    }
    assert!(marked > 5, "{marked}");
}

#[track_caller]
fn refused(workshop: &Workshop, arguments: &[&str]) -> RunOutput {
    let before = workshop.files("fleet");
    let run = workshop.merge3(arguments).exits(2);
    run.says(&["help: "]);
    assert_eq!(workshop.files("fleet"), before);
    run
}

/// Releases that would leave a package half written, or one that no run can use.
#[test]
fn a_release_that_cannot_be_one_leaves_everything_as_it_was() {
    let workshop = workshop();
    let file = workshop.blob(&web("1.1", 1));
    let folder = workshop.tree(&[row(FILE, "x.yaml", file.clone())]);
    let record = workshop.blob(&format!("{HEAD}{TRAP}"));
    let web = || row(FILE, "web.yaml", file.clone());
    workshop.forge("v1.1.0", &[row(TREE, "Kptfile", folder.clone()), web()]);
    refused(&workshop, &["upgrade", "app"]).says(&["Kptfile", "not a file"]);
    let link = workshop.blob("web.yaml");
    workshop.forge("v1.2.0", &[row(crate::forge::LINK, "Kptfile", link), web()]);
    refused(&workshop, &["upgrade", "app"]).says(&["Kptfile", "not a file"]);
    let below = workshop.tree(&[row(TREE, "Kptfile", folder)]);
    workshop.forge("v1.3.0", &[row(TREE, "sub", below), web()]);
    refused(&workshop, &["upgrade", "app"]).says(&["sub/Kptfile", "not a file"]);
    // files that merge3 keeps for itself are left out, and the other files come
    let reserved = [
        ".merge3-journal",
        ".merge3-output",
        ".merge3-x.tmp",
        ".merge3.yaml",
    ];
    let mut rows: Vec<_> = reserved
        .iter()
        .map(|name| row(FILE, name, record.clone()))
        .collect();
    rows.push(web());
    let below = workshop.tree(&rows);
    rows.push(row(TREE, "sub", below));
    workshop.forge("v1.4.0", &rows);
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    run.says(&[
        ".merge3-output: upstream's file is left out",
        "sub/.merge3-journal",
    ]);
    workshop.save("upgrade");
    let address = format!("{}/app@v1.4.0", workshop.url());
    workshop
        .merge3(&["get", &address, "got"])
        .exits(0)
        .says(&["sub/.merge3-output"]);
    for folder in ["fleet/app", "fleet/app/sub", "fleet/got/sub"] {
        for name in reserved {
            assert!(
                !workshop.has(&format!("{folder}/{name}")),
                "{folder}/{name}"
            );
        }
        assert!(workshop.has(&format!("{folder}/web.yaml")));
    }
    workshop.save("got");
    workshop.merge3(&["upgrade", "--all"]).exits(0);
}

/// An upgrade to a version without a Kptfile keeps the Kptfile with the record, for every strategy.
#[test]
fn a_record_stays_where_upstream_has_no_kptfile_any_more() {
    for strategy in ["resource-merge", "fast-forward", "force-delete-replace"] {
        let workshop = workshop();
        workshop.edit("fleet/app/Kptfile", "resource-merge", strategy);
        workshop.save("strategy");
        let before = workshop.read("fleet/app/Kptfile");
        workshop.release(
            "v1.1.0",
            &[("app/Kptfile", ""), ("app/web.yaml", &web("1.1", 1))],
        );
        workshop.merge3(&["upgrade", "app"]).exits(0);
        let after = workshop.read("fleet/app/Kptfile");
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
        assert!(after.contains("ref: v1.1.0"), "{after}");
        assert_eq!(after.lines().count(), before.lines().count(), "{after}");
        workshop.save("upgrade");
        // the next upgrade works, also to a version that has a Kptfile again
        workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
        workshop.merge3(&["upgrade", "app"]).exits(0);
        workshop.save("upgrade");
        workshop.release("v1.3.0", &[("app/Kptfile", &kptfile("app"))]);
        workshop.merge3(&["upgrade", "app"]).exits(0);
        assert!(workshop.read("fleet/app/Kptfile").contains("ref: v1.3.0"));
    }
    // a Kptfile that upstream never had belongs to the local side
    let workshop = workshop();
    workshop.forge(
        "v1.1.0",
        &[row(FILE, "web.yaml", workshop.blob(&web("1.1", 1)))],
    );
    workshop
        .merge3(&["upgrade", "app", "--on-conflict", "fail"])
        .exits(0);
    assert!(workshop.read("fleet/app/Kptfile").contains("ref: v1.1.0"));
}
