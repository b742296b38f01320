//! Tests `--report-file` and `--threads`.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::Workshop;

#[test]
fn a_report_is_not_written_through_a_link() {
    for arguments in [
        &["upgrade", "app"][..],
        &["outdated"],
        &["--ancestor", "app", "--from", "app", "--to", "app"],
    ] {
        for target in ["../precious", "../missing"] {
            let workshop = Workshop::with_app();
            workshop.write("precious", "precious\n");
            let link = workshop.path("fleet/report.md");
            symlink(target, &link).unwrap();
            let report = ["--report", "markdown", "--report-file", "report.md"];
            let run = workshop.merge3(&[arguments, &report].concat()).exits(2);
            run.says(&[
                "--report-file: report.md is not a regular file",
                "help: nothing was written",
            ]);
            assert_eq!(workshop.read("precious"), "precious\n");
            assert!(link.is_symlink() && !workshop.has("missing"));
            assert!(workshop.read("fleet/app/web.yaml").contains("web:1.0"));
            // a regular file is replaced
            fs::remove_file(&link).unwrap();
            workshop.write("fleet/report.md", "old\n");
            workshop.merge3(&[arguments, &report, &["--quiet"]].concat());
            assert_ne!(workshop.read("fleet/report.md"), "old\n");
        }
    }
}

#[test]
fn threads_have_a_bound() {
    let workshop = Workshop::new();
    for side in ["old", "new", "local"] {
        workshop.write(&format!("{side}/a.yaml"), "a: 1\n");
    }
    let sides = ["--ancestor", "old", "--from", "new", "--to", "local"];
    let with = |number: &str| {
        let threads = ["--threads", number];
        workshop.merge3_in(".", &[&sides[..], &threads].concat())
    };
    for number in ["513", "1000000", "18446744073709551615", "0"] {
        let run = with(number).exits(2);
        run.says(&["--threads"]);
    }
    for number in ["1", "16", "512"] {
        with(number).exits(0);
    }
}
