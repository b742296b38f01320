//! Who says where a package comes from: the local side, however upstream's file is written.

use pretty_assertions::assert_eq;

use crate::forge::{FILE, TREE, row};
use crate::harness::{RunOutput, Workshop, kptfile, web};

/// A record that names another repository, in block style.
const TRAP: &str = "upstream:\n  type: git\n  git:\n    repo: file:///private.git\n    directory: /\n    ref: v9.0.0\n  updateStrategy: force-delete-replace\nupstreamLock:\n  type: git\n  git:\n    repo: file:///private.git\n    directory: /\n    ref: v9.0.0\n    commit: 1111111111111111111111111111111111111111\n";
/// The same in flow style.
const FLOW: &str = "{type: git, git: {repo: 'file:///private.git', directory: /, ref: v9.0.0}}";
const FLOW_LOCK: &str = "{type: git, git: {repo: 'file:///private.git', directory: /, ref: v9.0.0, commit: '1111111111111111111111111111111111111111'}}";
const HEAD: &str = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n";

/// A package with a Kptfile.
fn workshop() -> Workshop {
    fleet(&["app".to_owned()], true)
}

/// Packages of these names, each with a Kptfile, or with a record beside none.
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
        workshop.merge3(&["get", &address, name]).with(0);
    }
    workshop.save("vendor");
    workshop
}

/// A package for each way to write a record, and upstream's next release, in which each has such a
/// Kptfile.
fn ways_of(with_kptfile: bool) -> (Workshop, Vec<(String, String)>) {
    let ways = ways().into_iter().enumerate();
    let ways: Vec<_> = ways.map(|(at, way)| (format!("p{at}"), way)).collect();
    let names: Vec<String> = ways.iter().map(|(name, _)| name.clone()).collect();
    (fleet(&names, with_kptfile), ways)
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

/// A Kptfile without a field of its own that plays no part: upstream may write there what it likes.
fn without_x(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("x: &")).collect()
}

/// The records as they are read: nothing of them names what upstream's files name, and the next run
/// has nothing to do.
#[track_caller]
fn records_are_ours(workshop: &Workshop, ways: &[(String, String)]) {
    for (name, way) in ways {
        let mut said = 0;
        for file in ["Kptfile", ".merge3.yaml"] {
            let file = format!("fleet/{name}/{file}");
            if !workshop.has(&file) {
                continue;
            }
            let text = without_x(&workshop.read(&file));
            assert!(!text.contains("private"), "{way}\n{text}");
            said += text.matches("\nupstream:").count();
            said += usize::from(text.starts_with("upstream:"));
        }
        assert_eq!(said, 1, "{way}");
    }
    // and the next run fetches from where the package came from
    workshop.save("upgraded");
    let ran = workshop.merge3(&["outdated"]).with(0);
    assert!(!ran.stdout.contains("private"), "{ran:?}");
    let ran = workshop.merge3(&["upgrade", "--all"]).with(0);
    assert!(ran.stdout.ends_with("up to date\n"), "{ran:?}");
}

/// A record in every way that YAML can write it.
fn ways() -> Vec<String> {
    let lock = format!("upstreamLock: {FLOW_LOCK}");
    let mut ways = vec![
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
        ways.push(format!("{HEAD}{key}: {FLOW}\n{other}: {FLOW_LOCK}\n"));
        ways.push(format!("{key}: {FLOW}\n{other}: {FLOW_LOCK}\n{HEAD}"));
    }
    ways
}

/// A release with such a Kptfile. What else is new in it comes.
#[test]
fn a_record_stays_however_upstream_writes_its_own() {
    for with_kptfile in [true, false] {
        let (workshop, ways) = ways_of(with_kptfile);
        release(&workshop, "v1.1.0", &ways);
        workshop.merge3(&["upgrade", "--all"]).with(0);
        for (name, way) in &ways {
            let file = format!("fleet/{name}/web.yaml");
            assert_eq!(workshop.read(&file), web("1.1.0", 1), "{way}");
        }
        records_are_ours(&workshop, &ways);
    }
}

/// The old version had it already: what changes in it is no change of the record.
#[test]
fn a_record_of_upstreams_that_changes_changes_nothing_here() {
    let (workshop, ways) = ways_of(true);
    let edited = |edit: fn(&str) -> String| -> Vec<(String, String)> {
        let ways = ways.iter();
        ways.map(|(name, way)| (name.clone(), edit(way))).collect()
    };
    release(
        &workshop,
        "v1.1.0",
        &edited(|way| way.replace("private", "elsewhere")),
    );
    workshop.merge3(&["upgrade", "--all"]).with(0);
    workshop.save("elsewhere");
    for (name, way) in &ways {
        let text = without_x(&workshop.read(&format!("fleet/{name}/Kptfile")));
        assert!(!text.contains("elsewhere"), "{way}\n{text}");
    }
    release(&workshop, "v1.2.0", &edited(|way| format!("{way}# more\n")));
    workshop.merge3(&["upgrade", "--all"]).with(0);
    records_are_ours(&workshop, &ways);
}

/// The Kptfile's document, in another file.
#[test]
fn a_record_does_not_come_by_way_of_another_file() {
    let ways = [format!("{HEAD}{TRAP}"), format!("a: 1\n---\n{HEAD}{TRAP}")];
    for (way, is_left) in ways.iter().flat_map(|way| [(way, true), (way, false)]) {
        let workshop = workshop();
        let mut files = vec![("app/more.yaml", way.as_str())];
        if !is_left {
            files.push(("app/Kptfile", ""));
        }
        workshop.release("v1.1.0", &files);
        let ran = workshop.merge3(&["upgrade", "app"]);
        assert!([0, 2].contains(&ran.status), "{ran:?}");
        let text = workshop.read("fleet/app/Kptfile");
        assert!(
            !text.contains("private") && text.contains("\nupstream:"),
            "{text}"
        );
        if ran.status == 0 {
            workshop.save("upgraded");
            let ran = workshop.merge3(&["outdated", "app"]).with(0);
            assert!(!ran.stdout.contains("private"), "{ran:?}");
        }
    }
}

/// With markers in the file the record stays all the same, and can be read.
#[test]
fn a_record_stays_beside_conflict_markers() {
    let (workshop, ways) = ways_of(true);
    let theirs = kptfile("app").replace("description: app", "description: theirs");
    for (name, _) in &ways {
        let file = format!("fleet/{name}/Kptfile");
        workshop.edit(&file, "description: app", "description: ours");
    }
    workshop.save("ours");
    let ways: Vec<_> = ways
        .into_iter()
        .map(|(name, way)| (name, way.replace(HEAD, &theirs)))
        .collect();
    release(&workshop, "v1.1.0", &ways);
    workshop
        .merge3(&["upgrade", "--all", "--on-conflict", "markers"])
        .with(1);
    let mut marked = 0;
    for (name, way) in &ways {
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
    let ran = workshop.merge3(arguments).with(2);
    ran.says(&["help: "]);
    assert_eq!(workshop.files("fleet"), before);
    ran
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
    refused(&workshop, &["upgrade", "app"]).says(&["Kptfile", "no file"]);
    let link = workshop.blob("web.yaml");
    workshop.forge("v1.2.0", &[row(crate::forge::LINK, "Kptfile", link), web()]);
    refused(&workshop, &["upgrade", "app"]).says(&["Kptfile", "no file"]);
    let below = workshop.tree(&[row(TREE, "Kptfile", folder)]);
    workshop.forge("v1.3.0", &[row(TREE, "sub", below), web()]);
    refused(&workshop, &["upgrade", "app"]).says(&["sub/Kptfile", "no file"]);
    // what is this program's own is left out, and the rest comes
    let own = [
        ".merge3-journal",
        ".merge3-output",
        ".merge3-x.tmp",
        ".merge3.yaml",
    ];
    let mut rows: Vec<_> = own
        .iter()
        .map(|name| row(FILE, name, record.clone()))
        .collect();
    rows.push(web());
    let below = workshop.tree(&rows);
    rows.push(row(TREE, "sub", below));
    workshop.forge("v1.4.0", &rows);
    let ran = workshop.merge3(&["upgrade", "app"]).with(0);
    ran.says(&[
        ".merge3-output: upstream's file is left out",
        "sub/.merge3-journal",
    ]);
    workshop.save("upgrade");
    let address = format!("{}/app@v1.4.0", workshop.url());
    workshop
        .merge3(&["get", &address, "got"])
        .with(0)
        .says(&["sub/.merge3-output"]);
    for folder in ["fleet/app", "fleet/app/sub", "fleet/got/sub"] {
        for name in own {
            assert!(
                !workshop.has(&format!("{folder}/{name}")),
                "{folder}/{name}"
            );
        }
        assert!(workshop.has(&format!("{folder}/web.yaml")));
    }
    workshop.save("got");
    workshop.merge3(&["upgrade", "--all"]).with(0);
}

/// An upgrade to a version without a Kptfile keeps the one with the record, whatever the strategy.
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
        workshop.merge3(&["upgrade", "app"]).with(0);
        let after = workshop.read("fleet/app/Kptfile");
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
        assert!(after.contains("ref: v1.1.0"), "{after}");
        assert_eq!(after.lines().count(), before.lines().count(), "{after}");
        workshop.save("upgrade");
        // and on from there, also to one that has a Kptfile again
        workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
        workshop.merge3(&["upgrade", "app"]).with(0);
        workshop.save("upgrade");
        workshop.release("v1.3.0", &[("app/Kptfile", &kptfile("app"))]);
        workshop.merge3(&["upgrade", "app"]).with(0);
        assert!(workshop.read("fleet/app/Kptfile").contains("ref: v1.3.0"));
    }
    // one that upstream never had is the local side's own
    let workshop = workshop();
    workshop.forge(
        "v1.1.0",
        &[row(FILE, "web.yaml", workshop.blob(&web("1.1", 1)))],
    );
    workshop
        .merge3(&["upgrade", "app", "--on-conflict", "fail"])
        .with(0);
    assert!(workshop.read("fleet/app/Kptfile").contains("ref: v1.1.0"));
}
