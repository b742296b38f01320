//! kube-prometheus through `get`, local edits and `upgrade`. It is no part of the project: a
//! variable names the folder.

use std::path::PathBuf;

use crate::vendoring::is_the_main_commands;

/// Names the folder that has `kube-prometheus/{old,new,local,local-all}`.
const VARIABLE: &str = "MERGE3_REAL";

#[test]
fn kube_prometheus_comes_out_as_by_the_main_command() {
    let Some(real) = std::env::var_os(VARIABLE) else {
        println!("not run: set {VARIABLE} to the folder with kube-prometheus (make real does)");
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
        is_the_main_commands(&old, &new, &local, &[]);
    }
}
