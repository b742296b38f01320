//! Untrusted archives: nothing in them leaves the package, is executed or fills the memory, and
//! passwords go only to the server that they are for.

use std::io::Write as _;

use crate::harness::{Workshop, web};
use crate::served::{Access, CHART, FLUX, Server, archive, basic, compressed, digest};

/// Returns an entry of an archive, with fields that a library would not write.
fn entry(name: &str, kind: tar::EntryType, link: &str, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    let field = &mut header.as_old_mut().name;
    field[..name.len()].copy_from_slice(name.as_bytes());
    let field = &mut header.as_old_mut().linkname;
    field[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o777);
    header.set_size(content.len() as u64);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().div_ceil(512) * 512, 0);
    bytes
}

fn file(name: &str) -> Vec<u8> {
    entry(name, tar::EntryType::Regular, "", b"a: forged\n")
}

/// Gets a package from an archive with these entries and a regular file. Returns the output of the
/// run.
fn get_package_with(entries: &[Vec<u8>]) -> (Workshop, crate::run_output::RunOutput) {
    let server = Server::new(Access::Everybody);
    let plain = entry(
        "x/web.yaml",
        tar::EntryType::Regular,
        "",
        web("1", 1).as_bytes(),
    );
    let mut tar = plain;
    tar.extend(entries.concat());
    tar.extend([0; 1024]);
    server.image("x", "v1.0.0", FLUX, &compressed(&tar));
    let workshop = Workshop::new();
    workshop.write("precious", "precious\n");
    let address = format!("oci://{}/x@v1.0.0", server.authority);
    let run = workshop.merge3(&["get", &address, "app"]);
    assert_eq!(workshop.read("precious"), "precious\n");
    assert!(!workshop.has("forged") && !workshop.has("fleet/forged"));
    (workshop, run)
}

#[test]
fn entries_that_no_package_may_have_are_refused() {
    use tar::EntryType::{Block, Char, Fifo, Link, Regular, Symlink};
    for (entries, reason) in [
        (vec![file("../forged")], "which no package may have"),
        (vec![file("x/../../forged")], "which no package may have"),
        (vec![file("/tmp/forged")], "which no package may have"),
        (
            vec![file(".git/hooks/pre-commit")],
            "which no package may have",
        ),
        (vec![file("x/.GIT/config")], "which no package may have"),
        (vec![file("x/a"), file("x/a")], "twice"),
        (vec![file("x/a"), file("x/a/b")], "twice"),
        (vec![entry("Kptfile", Symlink, "x", b"")], "is not a file"),
        (
            vec![entry("l", Link, "/etc/passwd", b"")],
            "not a file, link or folder",
        ),
        (
            vec![entry("l", Fifo, "", b"")],
            "not a file, link or folder",
        ),
        (
            vec![entry("l", Char, "", b"")],
            "not a file, link or folder",
        ),
        (
            vec![entry("l", Block, "", b"")],
            "not a file, link or folder",
        ),
        (
            vec![entry("l", Symlink, "../..", b""), file("l/forged")],
            "twice",
        ),
        (
            vec![entry("x/cut", Regular, "", &[b'a'; 5000])[..512].to_vec()],
            "cannot be read",
        ),
    ] {
        let (workshop, run) = get_package_with(&entries);
        run.exits(2).says(&[reason]);
        assert!(!workshop.has("fleet/app"), "{reason}");
    }
}

#[test]
fn links_out_of_the_package_and_files_of_ours_are_left_out() {
    use tar::EntryType::Symlink;
    let entries = [
        entry("out", Symlink, "../../precious", b""),
        entry("root", Symlink, "/etc/passwd", b""),
        entry("in", Symlink, "x/web.yaml", b""),
        file("x/.merge3.yaml"),
    ];
    let (workshop, run) = get_package_with(&entries);
    run.exits(0)
        .says(&["out of the package, is left out", "this file is yours"]);
    assert!(workshop.has("fleet/app/in") && !workshop.has("fleet/app/out"));
    assert!(!workshop.has("fleet/app/root") && !workshop.has("fleet/app/x/.merge3.yaml"));
}

/// A gigabyte of zeros is a megabyte in the archive.
#[test]
fn archives_that_expand_without_end_are_refused() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut header = tar::Header::new_gnu();
    header.set_path("x/zeros").unwrap();
    header.set_size(1 << 30);
    header.set_cksum();
    encoder.write_all(header.as_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..1024 {
        encoder.write_all(&zeros).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let mut many = Vec::with_capacity(512 * 100_100);
    for at in 0..100_100 {
        let name = format!("x/{at}");
        many.extend(entry(&name, tar::EntryType::Regular, "", b""));
    }
    // a path of half a million folders, which would all be created
    let deep = |name: &str| {
        let mut builder = tar::Builder::new(Vec::new());
        let length = (name.len() + 14).to_string();
        let pax = format!("{} path={name}\n", name.len() + 7 + length.len());
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::XHeader);
        header.set_size(pax.len() as u64);
        header.set_cksum();
        builder.append(&header, pax.as_bytes()).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, &[][..]).unwrap();
        compressed(&builder.into_inner().unwrap())
    };
    for (archive, reason) in [
        (
            deep(&"a/".repeat(500_000)),
            "a path of more than 4096 bytes",
        ),
        (deep(&"a/".repeat(200)), "more than 100 deep"),
        (bomb, "it has more than 256 MiB"),
        (compressed(&many), "more than 100000 files"),
    ] {
        let server = Server::new(Access::Everybody);
        server.image("x", "v1.0.0", FLUX, &archive);
        let workshop = Workshop::new();
        let address = format!("oci://{}/x@v1.0.0", server.authority);
        workshop
            .merge3(&["get", &address, "app"])
            .exits(2)
            .says(&[reason]);
        assert!(!workshop.has("fleet/app"));
    }
}

/// A server must send what its index promised, or the run fails.
#[test]
fn other_bytes_than_promised_are_refused() {
    let about = "name: web\nversion: 1.0.0\n";
    let (right, forged) = (
        archive("web/", &[("Chart.yaml", about)]),
        archive("web/", &[("Chart.yaml", about), ("forged", "x")]),
    );
    let workshop = Workshop::new();
    let server = Server::new(Access::Everybody);
    server.chart("web", "1.0.0", &right);
    server.put("/charts/web-1.0.0.tgz", &forged);
    server.image("web", "1.0.0", CHART, &right);
    server.put(&format!("/v2/web/blobs/{}", digest(&right)), &forged);
    for address in [
        format!("helm+http://{}/charts/web@1.0.0", server.authority),
        format!("oci://{}/web@1.0.0", server.authority),
    ] {
        let run = workshop.merge3(&["get", &address, "app"]).exits(2);
        run.says(&["was promised"]);
        assert!(!workshop.has("fleet/app"));
    }
}

/// The password for one server is not sent to any other server.
#[test]
fn a_password_is_sent_to_its_server_only() {
    let about = "name: web\nversion: 1.0.0\n";
    let chart = archive("web/", &[("Chart.yaml", about)]);
    let (own, other) = (
        Server::new(Access::Everybody),
        Server::new(Access::Everybody),
    );
    own.chart("web", "1.0.0", &chart);
    other.put("/charts/web-1.0.0.tgz", &chart);
    let workshop = Workshop::new();
    let config = format!(
        "{{\"auths\": {{\"{}\": {{\"auth\": \"{}\"}}}}}}",
        own.authority,
        basic()
    );
    workshop.write("home/.docker/config.json", &config);
    let digits = digest(&chart).replace("sha256:", "");
    let url = format!("http://{}/charts/web-1.0.0.tgz", other.authority);
    let index = format!(
        "entries:\n  web:\n  - name: web\n    version: 1.0.0\n    digest: {digits}\n    urls: [\"{url}\"]\n"
    );
    own.put("/charts/index.yaml", index.as_bytes());
    let address = format!("helm+http://{}/charts/web", own.authority);
    workshop.merge3(&["get", &address, "app"]).exits(0);
    assert!(
        own.asked
            .lock()
            .unwrap()
            .iter()
            .any(|line| line.contains("Basic"))
    );
    let asked = other.asked.lock().unwrap().clone();
    assert!(
        !asked.is_empty() && !asked.iter().any(|line| line.contains("Basic")),
        "{asked:?}"
    );
    // a URL in an index must not make git or the system start a program or open a file
    for url in ["file:///etc/passwd", "ext::sh -c x", "ftp://localhost/x"] {
        let index = format!(
            "entries:\n  web:\n  - name: web\n    version: 2.0.0\n    digest: {digits}\n    urls: [\"{url}\"]\n"
        );
        own.put("/charts/index.yaml", index.as_bytes());
        workshop.merge3(&["cache", "clean"]).exits(0);
        let run = workshop.merge3(&["get", &address, "other"]).exits(2);
        run.says(&["cannot be read"]);
    }
}
