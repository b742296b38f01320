//! Tests `merge3 outdated`, and the messages if a version or a field does not exist.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};

fn released(tags: &[&str]) -> Workshop {
    let workshop = Workshop::new();
    for tag in tags {
        workshop.release(tag, &[("app/web.yaml", &web(tag, 1))]);
    }
    workshop
}

#[test]
fn wanted_is_what_the_policy_allows_and_latest_is_all() {
    let workshop = released(&["v1.0.0", "v1.1.0", "v2.0.0"]);
    workshop.get("app@v1.0.0", "old");
    workshop.get("app@v1.1.0", "stuck");
    let arguments = ["outdated", "--within", "minor"];
    let run = workshop.merge3(&arguments).exits(0);
    assert_eq!(
        run.stdout,
        "PACKAGE  CURRENT  WANTED  LATEST\nold      v1.0.0   v1.1.0  v2.0.0\nstuck    v1.1.0   v1.1.0  v2.0.0\n"
    );
    let report = workshop
        .merge3(&[&arguments[..], &["--report", "json"]].concat())
        .json();
    assert_eq!(report["outdated"].as_array().unwrap().len(), 1);
    assert_eq!(report["outdated"][0]["newest"]["ref"], "v1.1.0");
    assert_eq!(report["outdated"][0]["latest"]["ref"], "v2.0.0");
    assert_eq!(report["up_to_date"][0], "stuck");
}

#[test]
fn the_exit_status_says_whether_an_upgrade_would_do_something() {
    let workshop = released(&["v1.0.0", "v2.0.0"]);
    workshop.get("app@v1.0.0", "app");
    workshop.merge3(&["outdated"]).exits(0);
    workshop.merge3(&["outdated", "--exit-code"]).exits(1);
    workshop
        .merge3(&["outdated", "--exit-code", "--within", "minor"])
        .exits(0);
    workshop.write("fleet/bad/.merge3.yaml", "upstream: {}\n");
    workshop.merge3(&["outdated", "--exit-code"]).exits(2);
}

#[test]
fn a_table_has_eighty_columns() {
    let long = "v1.0.0-with-a-long-suffix-that-says-a-lot";
    let workshop = released(&[long, "v1.1.0"]);
    let folder = format!("apps/{}/app", "folder-".repeat(12));
    workshop.get(&format!("app@{long}"), &folder);
    workshop.get("app@v1.0.0-with-a-long-suffix-that-says-a-lot", "short");
    let run = workshop.merge3(&["outdated", "--pre-releases"]).exits(0);
    let widest = run.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.unwrap() <= 80, "{}", run.stdout);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[1].starts_with("apps/folder-") && lines[1].ends_with("/app"));
    assert!(lines[2].starts_with("         v1.0.0-...ys-a-lot") && lines[2].ends_with("  v1.1.0"));
    assert!(
        lines[3].starts_with("short    v1.0.0-...ys-a-lot  v1.1.0"),
        "{}",
        run.stdout
    );
}

#[test]
fn outdated_without_packages_says_so() {
    let workshop = Workshop::new();
    for arguments in [&["outdated"][..], &["upgrade", "--all"]] {
        let run = workshop.merge3(arguments).exits(0);
        for part in ["no packages here", "merge3 get", "merge3 adopt"] {
            assert!(run.stdout.contains(part), "{run:?}");
        }
    }
    let run = workshop.merge3(&["outdated", "--shard", "1/2"]).exits(0);
    assert_eq!(run.stdout, "no packages in this share\n");
}

#[test]
fn a_misspelled_field_is_reported() {
    for (from, to, line) in [
        ("upstreamLock:", "upsteamLock:", ":7:1"),
        ("upstream:", "upsteam:", ":1:1"),
        (
            "    directory: /app\n    ref: v1.0.0\nups",
            "    directroy: /app\n    ref: v1.0.0\nups",
            ":5:5",
        ),
        ("    commit:", "    comit:", ":13:5"),
    ] {
        let workshop = Workshop::with_app();
        workshop.edit("fleet/app/.merge3.yaml", from, to);
        let word = to.trim().split(':').next().unwrap();
        for arguments in [&["outdated"][..], &["upgrade", "app"]] {
            workshop.merge3(arguments).exits(2).says(&[
                &format!("app/.merge3.yaml{line}"),
                &format!("`{word}` is not a field of a record"),
                &format!("write `{}`", from.trim().split(':').next().unwrap()),
            ]);
        }
    }
}

#[test]
fn a_missing_version_is_reported_with_similar_ones() {
    let workshop = released(&["v1.0.0", "v1.1.0", "v1.3.0", "v2.0.0"]);
    workshop.get("app@v1.0.0", "app");
    for (name, near) in [
        (
            "v1.2.0",
            "the nearest that are there: v1.0.0, v1.1.0, v1.3.0, v2.0.0",
        ),
        ("1.9", "the nearest that are there: v1.1.0, v1.3.0, v2.0.0"),
        ("mian", "the nearest that are there: main"),
        ("nothing-like-it", "git ls-remote"),
    ] {
        let message = format!("has no tag, branch or commit {name}");
        let run = workshop.merge3(&["upgrade", "app", "--to", name]).exits(2);
        run.says(&[&message, near]);
        let address = format!("{}/app@{name}", workshop.url());
        workshop
            .merge3(&["get", &address, "other"])
            .exits(2)
            .says(&[&message, near]);
    }
}

#[test]
fn a_ref_that_the_user_wrote_into_the_record_is_the_version_to_upgrade_to() {
    let workshop = released(&["v1.0.0", "v1.1.0", "v1.2.0"]);
    workshop.get("app@v1.0.0", "app");
    let record = workshop.read("fleet/app/.merge3.yaml");
    let record = record.replacen("ref: v1.0.0", "ref: v1.1.0", 1);
    workshop.write("fleet/app/.merge3.yaml", &record);
    workshop.save("the next version");
    let table = |wanted: [&str; 2]| {
        let [current, wanted] = wanted;
        format!("PACKAGE  CURRENT  WANTED  LATEST\napp      {current}   {wanted}  v1.2.0\n")
    };
    let run = workshop.merge3(&["outdated"]).exits(0);
    assert_eq!(run.stdout, table(["v1.0.0", "v1.1.0"]));
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("v1.1.0", 1));
    let run = workshop.merge3(&["outdated"]).exits(0);
    assert_eq!(run.stdout, table(["v1.1.0", "v1.2.0"]));
    workshop.save("upgrade");
    workshop.edit("fleet/app/.merge3.yaml", "  ref: v1.1.0", "  ref: v1.1.5");
    workshop.edit(
        "fleet/app/.merge3.yaml",
        "    ref: v1.1.5\n    commit",
        "    ref: v1.1.0\n    commit",
    );
    workshop.save("a version that is not there");
    let before = workshop.files("fleet");
    for command in [["outdated"].as_slice(), &["upgrade", "--all"]] {
        let run = workshop.merge3(command).exits(2);
        run.says(&["has no tag, branch or commit v1.1.5", "v1.1.0, v1.2.0"]);
    }
    assert_eq!(workshop.files("fleet"), before);
}
