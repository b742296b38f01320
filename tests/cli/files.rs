//! Tests kinds of files: YAML, text, binary files, ignored files and links, and their permissions
//! and line breaks (rules: Packages and files, 9).

use std::fs;

use pretty_assertions::assert_eq;

use crate::harness::{Case, RunOutput, resource};

#[test]
fn three_files_merge_too() {
    let case = Case::empty()
        .original("o.yaml", "a: 1\n")
        .updated("u.yaml", "a: 2\n")
        .local("d.yaml", "a: 1 # mine\n");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(["--ancestor", "original/o.yaml", "--from", "updated/u.yaml"])
        .args(["--to", "local/d.yaml"])
        .current_dir(case.path(""))
        .output()
        .unwrap();
    assert_eq!(RunOutput::from(output).status, 0);
    assert_eq!(case.read("d.yaml").unwrap(), "a: 2 # mine\n");
}

#[test]
fn crlf_stays_crlf() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let two = format!("{}---\n{}", resource("a", "2"), resource("b", "1"));
    Case::of(
        "a.yaml",
        &resource("a", "1"),
        &two,
        &crlf(&resource("a", "1")),
    )
    .gives(&[("a.yaml", &crlf(&two))]);
}

#[test]
fn json_is_yaml() {
    Case::of(
        "a.json",
        "{\n  \"a\": 1,\n  \"b\": 1\n}\n",
        "{\n  \"a\": 2,\n  \"b\": 1\n}\n",
        "{\n  \"a\": 1,\n  \"b\": 3\n}\n",
    )
    .gives(&[("a.json", "{\n  \"a\": 2,\n  \"b\": 3\n}\n")]);
}

#[test]
fn match_says_what_is_yaml() {
    // a line merge has conflicts here, a merge of fields has none
    let case = |path: &str| Case::of(path, "a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 3\n");
    let run = case("a.conf").merge();
    assert!(run.stdout.contains("1 conflict\n"), "{}", run.stdout);
    for pattern in ["*.conf", "x/**/*.conf"] {
        case("x/y/a.conf")
            .arg(&["--yaml", pattern])
            .gives(&[("x/y/a.conf", "a: 2\nb: 3\n")]);
    }
    let run = case("a.yaml").arg(&["--match", "*.conf"]).merge();
    assert!(run.stdout.contains("1 conflict\n"), "{}", run.stdout);
}

#[test]
fn other_files_merge_line_by_line() {
    let case = Case::of("run.sh", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
        .original("README", "x\n")
        .updated("README", "upstream\n")
        .local("README", "mine\n");
    let run = case.gives(&[("README", "upstream\n"), ("run.sh", "A\nb\nC\n")]);
    assert!(
        run.stdout.contains(
            "conflict README:1: text: original x | updated upstream | local mine -> updated"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn binary_files_are_taken_or_conflict() {
    let case = Case::empty()
        .file("original", "a.bin", b"\0\x01")
        .file("updated", "a.bin", b"\0\x02")
        .file("local", "a.bin", b"\0\x03");
    let run = case.merge();
    assert!(run.stdout.contains("a.bin:1: binary:"), "{}", run.stdout);
    assert_eq!(
        fs::read(case.path("local").join("a.bin")).unwrap(),
        b"\0\x02"
    );
}

#[test]
fn yaml_only_leaves_other_files_alone() {
    Case::of("a.txt", "1\n", "2\n", "1\n")
        .updated("new.txt", "new\n")
        .arg(&["--yaml-only"])
        .gives(&[("a.txt", "1\n")]);
}

#[test]
fn a_template_merges_line_by_line_with_a_warning() {
    let text =
        |a: &str, c: &str| format!("a: {a}\n{{{{- if .x }}}}\nb: 1\n{{{{- end }}}}\nc: {c}\n");
    let case = Case::of("t.yaml", &text("1", "1"), &text("2", "1"), &text("1", "3"));
    let run = case.gives(&[("t.yaml", &text("2", "3"))]);
    assert!(run.stderr.contains("warning: "), "{}", run.stderr);
    assert!(run.stderr.contains("local/t.yaml:"), "{}", run.stderr);
    assert!(run.stderr.contains("merged line by line"), "{}", run.stderr);
}

#[test]
fn a_file_that_upstream_makes_a_template_is_no_error() {
    let yaml = "name: web\nport: 80\ntype: a\n";
    let template = "name: web\nport: {{ .Values.port }}\n{{- if .x }}\ntype: a\n{{- end }}\n";
    let local = format!("ours: 1\n{}", yaml.replace("80", "81"));
    let case = || Case::of("t.yaml", yaml, template, &local).all("a.yaml", "a: 1\n");
    let merged = format!("ours: 1\n{template}");
    let run = case().gives(&[("a.yaml", "a: 1\n"), ("t.yaml", &merged)]);
    assert!(
        run.stdout.contains("conflict t.yaml:3: text: "),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("merged line by line"), "{}", run.stderr);
    let run = case().arg(&["--on-conflict", "fail"]).run_untouched();
    assert_eq!(run.status, 1, "{}", run.stderr);
    // without a template, local's file was broken by mistake
    let broken = template
        .replace("{{ .Values.port }}", "{ {a: 1}: 2 }")
        .replace("{{", "{")
        .replace("}}", "}");
    let run = Case::of("t.yaml", yaml, &broken, &local).run_untouched();
    assert_eq!(run.status, 2, "{}", run.stderr);
}

#[test]
fn a_broken_file_that_needs_no_merge_is_no_error() {
    let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n").all("b.yaml", "b: [\n");
    let run = case.gives(&[("a.yaml", "a: 2\n"), ("b.yaml", "b: [\n")]);
    assert_eq!(run.stderr, "");
}

#[test]
fn comments_alone_merge_line_by_line() {
    Case::of(
        "a.yaml",
        "# 1\n# 2\n# 3\n",
        "# one\n# 2\n# 3\n",
        "# 1\n# 2\n# three\n",
    )
    .gives(&[("a.yaml", "# one\n# 2\n# three\n")]);
}

#[test]
fn krmignore_of_both_sides_excludes_in_all() {
    let case = Case::empty()
        .local(".krmignore", "own.yaml\n/gen/\n")
        .updated("sub/.krmignore", "*.tmp.yaml\n!keep.tmp.yaml\n")
        .updated("sub/a.tmp.yaml", "a: 1\n")
        .updated("sub/keep.tmp.yaml", "a: 1\n")
        .updated("gen/x.yaml", "x: 1\n")
        .updated("sub/gen/x.yaml", "x: 1\n")
        .original("x/own.yaml", "a: 1\n")
        .updated("x/own.yaml", "a: 2\n")
        .local("x/own.yaml", "a: 1\n");
    case.gives(&[
        (".krmignore", "own.yaml\n/gen/\n"),
        ("sub/.krmignore", "*.tmp.yaml\n!keep.tmp.yaml\n"),
        ("sub/gen/x.yaml", "x: 1\n"),
        ("sub/keep.tmp.yaml", "a: 1\n"),
        ("x/own.yaml", "a: 1\n"),
    ]);
}

#[test]
fn git_is_skipped() {
    Case::of(".git/config.yaml", "a: 1\n", "a: 2\n", "a: 1\n")
        .updated("x/.git/b.yaml", "b: 1\n")
        .gives(&[(".git/config.yaml", "a: 1\n")]);
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use pretty_assertions::assert_eq;

    use super::{Case, fs};

    fn set_mode(case: &Case, side: &str, path: &str, mode: u32) {
        fs::set_permissions(case.path(side).join(path), Permissions::from_mode(mode)).unwrap();
    }

    fn mode(case: &Case, path: &str) -> u32 {
        fs::metadata(case.path("local").join(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    }

    #[test]
    fn permissions_stay_but_for_the_executable_bit_and_new_files_may_be_run_where_upstreams_may() {
        let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n").updated("run.sh", "echo\n");
        set_mode(&case, "local", "a.yaml", 0o640);
        set_mode(&case, "updated", "a.yaml", 0o777);
        set_mode(&case, "updated", "run.sh", 0o750);
        case.merge();
        assert_eq!(case.read("a.yaml").unwrap(), "a: 2\n");
        assert_eq!(mode(&case, "a.yaml"), 0o750);
        // upstream does not set the other permissions: tests/strangers/modes.rs
        assert_eq!(mode(&case, "run.sh") & 0o722, 0o700);
    }

    #[test]
    fn links_are_left_alone() {
        let case = Case::empty()
            .file("", "outside.yaml", "a: 1\n")
            .original("a.yaml", "a: 1\n")
            .updated("a.yaml", "a: 2\n")
            .file("", "folder/b.yaml", "b: 1\n")
            .updated("sub/b.yaml", "b: 2\n");
        symlink("../outside.yaml", case.path("local").join("a.yaml")).unwrap();
        symlink("../folder", case.path("local").join("sub")).unwrap();
        symlink("/etc", case.path("updated").join("etc")).unwrap();
        let run = case.merge();
        let read = |path: &str| fs::read_to_string(case.path("").join(path)).unwrap();
        assert_eq!(read("outside.yaml"), "a: 1\n");
        assert_eq!(read("folder/b.yaml"), "b: 1\n");
        assert!(!case.path("local").join("etc").exists());
        assert!(case.path("local").join("a.yaml").is_symlink());
        for name in ["warning: a.yaml", "warning: etc", "warning: sub"] {
            assert!(run.stderr.contains(name), "{name}: {}", run.stderr);
        }
    }

    #[test]
    fn pipes_are_not_opened() {
        let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n");
        for side in ["original", "updated", "local"] {
            let mkfifo = std::process::Command::new("mkfifo")
                .arg(case.path(side).join("pipe.yaml"))
                .status();
            assert!(mkfifo.unwrap().success());
        }
        case.merge();
        assert_eq!(case.read("a.yaml").unwrap(), "a: 2\n");
    }

    #[test]
    fn a_file_with_the_name_of_a_temporary_one_is_kept() {
        let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n").local(".merge3-abc.tmp", "a: ");
        case.gives(&[(".merge3-abc.tmp", "a: "), ("a.yaml", "a: 2\n")]);
    }
}

/// The content of a file, and whether it is executable in the original, in updated and in local.
#[cfg(unix)]
fn executable(modes: [u32; 3], texts: [&str; 3]) -> Case {
    use std::os::unix::fs::PermissionsExt as _;

    let case = Case::of("run.sh", texts[0], texts[1], texts[2]);
    for (side, mode) in ["original", "updated", "local"].into_iter().zip(modes) {
        let path = case.path(side).join("run.sh");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    case
}

#[cfg(unix)]
#[test]
fn the_executable_bit_merges() {
    use std::os::unix::fs::PermissionsExt as _;

    let same = ["a\n", "a\n", "a\n"];
    let both = ["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"];
    for (modes, texts, expected) in [
        ([0o644, 0o755, 0o644], same, 0o755),
        ([0o644, 0o755, 0o640], same, 0o750),
        ([0o755, 0o644, 0o755], same, 0o644),
        ([0o755, 0o644, 0o744], both, 0o644),
        ([0o644, 0o755, 0o600], both, 0o700),
        ([0o644, 0o644, 0o755], both, 0o755),
        ([0o644, 0o600, 0o644], both, 0o644),
    ] {
        let case = executable(modes, texts);
        let run = case.merge();
        let now = std::fs::metadata(case.path("local").join("run.sh")).unwrap();
        assert_eq!(
            now.permissions().mode() & 0o777,
            expected,
            "{modes:?} {}",
            run.stdout
        );
        let again = case.merge();
        assert!(again.stdout.contains("0 changed"), "{}", again.stdout);
    }
    let case = executable([0o644, 0o755, 0o644], same);
    let run = case.arg(&["--diff"]).run_untouched();
    assert_eq!(
        run.stdout,
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    );
    let pinned = ["# merge3: keep\n"; 3];
    let run = executable([0o644, 0o755, 0o644], pinned).run_untouched();
    assert!(run.stdout.contains("0 changed"), "{}", run.stdout);
}
