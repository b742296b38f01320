//! Trees that git would not create: repeated names, names reserved by git, links that lead out of
//! the package.

use std::fs;

use pretty_assertions::assert_eq;

use crate::forge::{FILE, LINK, Row, TREE, row};
use crate::harness::{Workshop, files, web};

/// Gets a package. Asserts that nothing changes outside its folder.
fn get(workshop: &Workshop, tag: &str) -> crate::harness::RunOutput {
    let outside = || {
        let mut all = files(workshop.path("").as_path());
        all.retain(|name, _| {
            !["cache", "fleet/app/"]
                .iter()
                .any(|own| name.starts_with(own))
        });
        let git = files(&workshop.path("fleet/.git"));
        (all, git)
    };
    let before = outside();
    let address = format!("{}/app@{tag}", workshop.url());
    let run = workshop.merge3(&["get", &address, "app"]);
    assert_eq!(outside(), before, "{run:?}");
    run
}

/// Asserts that every link that was written leads into the package, as the system resolves it.
fn links_stay_within(workshop: &Workshop) {
    let root = workshop.path("fleet/app");
    if !root.is_dir() {
        return;
    }
    let root = root.canonicalize().unwrap();
    for entry in walk(&root) {
        if !entry.is_symlink() {
            continue;
        }
        if let Ok(end) = entry.canonicalize() {
            assert!(
                end.starts_with(&root),
                "{} -> {}",
                entry.display(),
                end.display()
            );
        }
    }
}

fn walk(root: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path.clone());
            }
            all.push(path);
        }
    }
    all
}

/// Links that lead out through other links, and a name that is both a link and a folder.
#[test]
fn a_hook_is_not_written_through_chained_links() {
    let workshop = Workshop::new();
    let blob = |text: &str| workshop.blob(text);
    let up = workshop.tree(&[row(LINK, "c", blob("../.."))]);
    let below = workshop.tree(&[row(TREE, "b", up)]);
    let hook = workshop.tree(&[row(FILE, "pre-commit", blob("#!/bin/sh\ntouch trace\n"))]);
    let x = blob("a/b/c/../../.git/hooks");
    workshop.forge(
        "v1.0.0",
        &[
            row(TREE, "a", below),
            row(FILE, "web.yaml", blob(&web("1.0", 1))),
            row(LINK, "x", x),
            row(TREE, "x", hook),
        ],
    );
    get(&workshop, "v1.0.0")
        .exits(2)
        .says(&["app", "twice", "help: "]);
    assert!(!workshop.has("fleet/app"));
}

/// A chain of links that leads out of the package is not written, whether something is below it or
/// not.
#[test]
fn links_are_resolved_by_way_of_other_links() {
    let workshop = Workshop::new();
    let blob = |text: &str| workshop.blob(text);
    let deep = workshop.tree(&[row(LINK, "c", blob("../.."))]);
    let deep = workshop.tree(&[row(TREE, "b", deep)]);
    workshop.forge(
        "v1.0.0",
        &[
            row(TREE, "a", deep),
            row(LINK, "fine", blob("a/b/c/web.yaml")),
            row(LINK, "out", blob("a/b/c/../secret")),
            row(LINK, "through", blob("out/x")),
            row(LINK, "up", blob("a/b/c/..")),
            row(FILE, "web.yaml", blob(&web("1.0", 1))),
        ],
    );
    workshop.write("fleet/secret", "s");
    let run = get(&workshop, "v1.0.0").exits(0);
    run.says(&[
        "out: a symbolic link",
        "up: a symbolic link",
        "through: a symbolic link",
    ]);
    links_stay_within(&workshop);
    assert!(workshop.has("fleet/app/fine") && workshop.has("fleet/app/a/b/c"));
    for name in ["out", "up", "through"] {
        assert!(!workshop.has(&format!("fleet/app/{name}")), "{name}");
    }
}

/// Names that are `.git` on some system, as a file, as a folder, and at a deep level.
#[test]
fn names_reserved_by_git_are_refused() {
    let names: &[&[u8]] = &[
        b".git",
        b".GIT",
        b".gIt",
        b"git~1",
        b"GIT~1",
        b".git ",
        b".git.",
        b".git. . ",
        b".git...",
        b"git~1.",
        b"git~1 . ",
        b".git::$INDEX_ALLOCATION",
        b".git:stream",
        b"git~1::$INDEX_ALLOCATION",
        b".git\\hooks",
        b"sub\\.git\\hooks",
        b"..\\.git",
        b"..",
        b".",
        b"",
        ".g\u{200d}it".as_bytes(),
        "\u{200c}.git".as_bytes(),
        ".GI\u{feff}T".as_bytes(),
        ".git\u{202e}".as_bytes(),
        "\u{206f}.\u{206a}g\u{200e}i\u{200f}t\u{202a}".as_bytes(),
        b"a/../../.git",
        b"/etc",
        b"a/b",
    ];
    let workshop = Workshop::new();
    let file = workshop.blob("#!/bin/sh\n");
    let inner = workshop.tree(&[row(FILE, "pre-commit", file.clone())]);
    for (number, name) in names.iter().enumerate() {
        let name = name.to_vec();
        let web = || row(FILE, "web.yaml", workshop.blob(&web("1.0", 1)));
        let as_file = vec![row(FILE, &name, file.clone()), web()];
        let as_link = vec![row(LINK, &name, file.clone()), web()];
        let as_folder = vec![row(TREE, &name, inner.clone()), web()];
        let below = workshop.tree(&as_folder);
        let below = vec![row(TREE, "sub", below), web()];
        for (shape, rows) in [as_file, as_link, as_folder, below].into_iter().enumerate() {
            let tag = format!("v{number}.{shape}.0");
            workshop.forge(&tag, &rows);
            let run = get(&workshop, &tag);
            assert_eq!(run.status, 2, "{}: {run:?}", String::from_utf8_lossy(&name));
            assert!(!workshop.has("fleet/app"));
        }
    }
    // a similar name is an ordinary name
    let fine = [
        ".github",
        ".gitignore",
        ".gitattributes",
        "git",
        "git~2",
        ".gitx",
        "a.git",
    ];
    let rows: Vec<Row> = fine
        .iter()
        .map(|name| row(FILE, name, file.clone()))
        .collect();
    workshop.forge("v99.0.0", &rows);
    get(&workshop, "v99.0.0").exits(0);
    for name in fine {
        assert!(workshop.has(&format!("fleet/app/{name}")), "{name}");
    }
}

/// The same trees, in an upgrade.
#[test]
fn an_upgrade_to_such_a_tree_is_refused_and_others_are_done() {
    let workshop = Workshop::new();
    workshop.release("fine/v1.0.0", &[("fine/web.yaml", &web("1.0", 1))]);
    workshop.get("fine@v1.0.0", "fine");
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "app");
    let file = workshop.blob("x: 1\n");
    let folder = workshop.tree(&[row(FILE, "config", file.clone())]);
    let shapes: Vec<Vec<Row>> = vec![
        vec![row(TREE, ".git", folder.clone())],
        vec![row(TREE, "git~1", folder.clone())],
        vec![
            row(FILE, "a.yaml", file.clone()),
            row(FILE, "a.yaml", file.clone()),
        ],
        vec![row(FILE, "a", file.clone()), row(TREE, "a", folder.clone())],
        vec![
            row(TREE, "a", folder.clone()),
            row(TREE, "a", workshop.tree(&[])),
        ],
        vec![row(LINK, "a", file.clone()), row(TREE, "a", folder.clone())],
    ];
    let before = workshop.files("fleet");
    for (number, rows) in shapes.iter().enumerate() {
        let tag = format!("v2.0.{number}");
        workshop.forge(&tag, rows);
        let run = workshop.merge3(&["upgrade", "app", "--to", &tag]).exits(2);
        run.says(&["app failed:", "help: "]);
        assert_eq!(workshop.files("fleet"), before, "{number}");
    }
    workshop.release("fine/v1.1.0", &[("fine/web.yaml", &web("1.1", 1))]);
    workshop
        .merge3(&["upgrade", "--all"])
        .exits(2)
        .says(&["app failed:"]);
    assert_eq!(workshop.read("fleet/fine/web.yaml"), web("1.1", 1));
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.0", 1));
}

/// A small random generator, the same in each run.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }
}

/// Creates a tree of random shape, with repeated names and with links that lead anywhere.
fn shape(workshop: &Workshop, random: &mut Random, depth: usize) -> String {
    let names = ["a", "b", "c", "A", "x", ".git", "git~1", "web.yaml"];
    let parts = ["a", "b", "c", "x", "..", "..", "..", ".", ".git", "hooks"];
    let mut rows = Vec::new();
    for _ in 0..1 + random.roll(4) {
        let rare = random.roll(12) == 0;
        let name = names[random.roll(if rare { names.len() } else { 5 })];
        match random.roll(if depth == 0 { 3 } else { 5 }) {
            0 => rows.push(row(
                FILE,
                name,
                workshop.blob(&format!("k: {}\n", random.roll(3))),
            )),
            1 | 2 => {
                let count = 1 + random.roll(5);
                let target: Vec<&str> = (0..count)
                    .map(|_| parts[random.roll(parts.len())])
                    .collect();
                rows.push(row(LINK, name, workshop.blob(&target.join("/"))));
            }
            _ => {
                let below = shape(workshop, random, depth - 1);
                rows.push(row(TREE, name, below));
            }
        }
    }
    if random.roll(4) != 0 {
        rows.sort();
        rows.dedup_by(|left, right| left.1 == right.1);
    }
    workshop.tree(&rows)
}

fn rounds() -> u64 {
    let setting = std::env::var("STRANGERS").ok();
    setting.and_then(|it| it.parse().ok()).unwrap_or(60)
}

/// Gets a package, asserts that nothing leads out of it, and deletes it. Returns whether it came.
fn get_and_check_links(workshop: &Workshop, app: String, round: u64) -> bool {
    let top = workshop.tree(&[row(TREE, "app", app)]);
    let tag = format!("v{round}.0.0");
    workshop.tag(&tag, &top);
    let run = get(workshop, &tag);
    assert!([0, 2].contains(&run.status), "{round}: {run:?}");
    links_stay_within(workshop);
    assert_eq!(
        workshop.has("fleet/app"),
        run.status == 0,
        "{round}: {run:?}"
    );
    if run.status == 0 {
        fs::remove_dir_all(workshop.path("fleet/app")).unwrap();
    }
    run.status == 0
}

/// Nested folders with links that lead up and through each other.
#[test]
fn whatever_the_chain_no_link_leads_out() {
    let workshop = Workshop::new();
    let parts = ["a", "b", "c", "k", "l", "m", "n", "..", "..", "..", "../.."];
    for round in 0..rounds() {
        let mut random = Random(round);
        let mut below = None;
        for folder in ["c", "b", "a", ""] {
            let mut rows = vec![row(FILE, "web.yaml", workshop.blob("k: 1\n"))];
            rows.extend(below.map(|(name, tree)| row(TREE, name, tree)));
            for name in ["k", "l", "m", "n"] {
                let target: Vec<&str> = (0..1 + random.roll(4))
                    .map(|_| parts[random.roll(parts.len())])
                    .collect();
                if random.roll(2) == 0 {
                    rows.push(row(LINK, name, workshop.blob(&target.join("/"))));
                }
            }
            below = Some((folder, workshop.tree(&rows)));
        }
        let (_, app) = below.unwrap();
        assert!(get_and_check_links(&workshop, app, round));
    }
}

#[test]
fn whatever_the_shape_of_a_tree_nothing_outside_is_written_and_no_link_leads_out() {
    let workshop = Workshop::new();
    workshop.write("fleet/secret", "s");
    let mut came = 0;
    for round in 0..rounds() {
        let app = shape(&workshop, &mut Random(round), 3);
        came += u64::from(get_and_check_links(&workshop, app, round));
    }
    assert!(
        came * 5 > rounds(),
        "only {came} of {} packages came",
        rounds()
    );
}
