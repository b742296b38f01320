//! Tests kube-prometheus with `get`, local edits and `upgrade`. Its files are not part of the
//! project: an environment variable names their folder.

use std::path::PathBuf;

use crate::vendoring::assert_same_as_main_command;

/// The variable that names the folder with `kube-prometheus/{old,new,local,local-all}`.
const VARIABLE: &str = "MERGE3_REAL";

#[test]
fn kube_prometheus_comes_out_as_by_the_main_command() {
    let Some(real) = std::env::var_os(VARIABLE) else {
        println!("skipped: set {VARIABLE} to the folder with kube-prometheus (make real does)");
        return;
    };
    let root = PathBuf::from(real).join("kube-prometheus");
    for local in ["local", "local-all"] {
        let (old, new, local) = (root.join("old"), root.join("new"), root.join(local));
        assert!(
            old.is_dir() && new.is_dir() && local.is_dir(),
            "{VARIABLE}: no kube-prometheus in {}",
            root.display()
        );
        assert_same_as_main_command(&old, &new, &local, &[]);
    }
}
