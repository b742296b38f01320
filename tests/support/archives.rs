//! Makes package archives, and serves them on loopback: a Helm repository, a small OCI registry
//! that issues tokens, and Debian's registry if it is installed.
#![allow(dead_code)] // each test crate uses a part of it

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

pub(crate) const USER: &str = "bot";
pub(crate) const PASSWORD: &str = "s3cret-pass";
/// The password, as `htpasswd -B` writes it.
const HTPASSWD: &str = "$2b$05$abcdefghijklmnopqrstuuV7fpPozvyqJfnY19y0802WTlXUm6Rjy";

/// Returns a compressed archive of these files, in the folder `top` unless that is empty.
pub(crate) fn archive(top: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let path = format!("{top}{name}");
        builder
            .append_data(&mut header, path, content.as_bytes())
            .unwrap();
    }
    compressed(&builder.into_inner().unwrap())
}

pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

pub(crate) fn basic() -> String {
    STANDARD.encode(format!("{USER}:{PASSWORD}"))
}

/// Who may read from the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Everybody,
    Password,
    Token,
}

type Pages = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// An HTTP server that serves pages from memory.
pub(crate) struct Server {
    pub(crate) authority: String,
    pages: Pages,
    /// The requests so far, with the credentials that each of them sent.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(access: Access) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let server = Self {
            authority: authority.clone(),
            pages: Pages::default(),
            asked: Arc::default(),
        };
        let (pages, asked) = (Arc::clone(&server.pages), Arc::clone(&server.asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &pages, &asked, access, &authority);
            }
        });
        server
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        self.pages
            .lock()
            .unwrap()
            .insert(path.to_owned(), bytes.to_vec());
    }

    /// Adds a release of a chart to a Helm repository.
    pub(crate) fn chart(&self, name: &str, version: &str, archive: &[u8]) {
        let file = format!("{name}-{version}.tgz");
        self.put(&format!("/charts/{file}"), archive);
        let index = "/charts/index.yaml";
        let known = self
            .pages
            .lock()
            .unwrap()
            .get(index)
            .cloned()
            .unwrap_or_else(|| format!("apiVersion: v1\nentries:\n  {name}:\n").into_bytes());
        let known = String::from_utf8(known).unwrap();
        let digits = digest(archive).replace("sha256:", "");
        let entry = format!(
            "  - name: {name}\n    version: {version}\n    digest: {digits}\n    urls: [{file}]\n"
        );
        self.put(index, format!("{known}{entry}").as_bytes());
    }

    /// Adds a release to an OCI registry and returns its digest.
    pub(crate) fn image(&self, name: &str, tag: &str, kind: &str, archive: &[u8]) -> String {
        let manifest = manifest(kind, archive);
        let whole = digest(&manifest);
        for reference in [tag, &whole] {
            self.put(&format!("/v2/{name}/manifests/{reference}"), &manifest);
        }
        self.put(&format!("/v2/{name}/blobs/{}", digest(archive)), archive);
        let list = format!("/v2/{name}/tags/list?n=1000");
        let known = self
            .pages
            .lock()
            .unwrap()
            .get(&list)
            .cloned()
            .unwrap_or_default();
        let mut tags: Vec<String> = serde_json::from_slice::<serde_json::Value>(&known)
            .map(|list| serde_json::from_value(list["tags"].clone()).unwrap())
            .unwrap_or_default();
        tags.push(tag.to_owned());
        self.put(
            &list,
            serde_json::json!({"name": name, "tags": tags})
                .to_string()
                .as_bytes(),
        );
        whole
    }
}

pub(crate) const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
pub(crate) const FLUX: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
pub(crate) const IMAGE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

fn manifest(kind: &str, archive: &[u8]) -> Vec<u8> {
    let config = b"{}";
    serde_json::json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": digest(config), "size": 2},
        "layers": [{"mediaType": kind, "digest": digest(archive), "size": archive.len()}],
    })
    .to_string()
    .into_bytes()
}

fn answer(
    mut stream: TcpStream,
    pages: &Pages,
    asked: &Mutex<Vec<String>>,
    access: Access,
    authority: &str,
) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let field = head.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("authorization")
            .then(|| value.to_owned())
    });
    let authorization = field.unwrap_or_default();
    asked
        .lock()
        .unwrap()
        .push(format!("{path} {authorization}"));
    let may = match access {
        Access::Everybody => true,
        Access::Password => authorization == format!("Basic {}", basic()),
        Access::Token if path.starts_with("/token") => {
            authorization == format!("Basic {}", basic()) && path.contains("scope=repository%3A")
        }
        Access::Token => authorization == "Bearer t0ken",
    };
    let (status, more, bytes) = match (may, access) {
        (true, _) if path.starts_with("/token") => {
            (200, String::new(), br#"{"token":"t0ken"}"#.to_vec())
        }
        (true, _) => match pages.lock().unwrap().get(&path) {
            Some(bytes) => (200, String::new(), bytes.clone()),
            None => (404, String::new(), Vec::new()),
        },
        (false, Access::Token) => (
            401,
            format!(
                "WWW-Authenticate: Bearer realm=\"http://{authority}/token\",service=\"s\",scope=\"x\"\r\n"
            ),
            Vec::new(),
        ),
        (false, _) => (
            401,
            "WWW-Authenticate: Basic realm=\"x\"\r\n".to_owned(),
            Vec::new(),
        ),
    };
    let head = format!(
        "HTTP/1.1 {status} x\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&bytes));
}

/// Debian's registry, protected by a password.
pub(crate) struct Registry {
    child: Child,
    _folder: tempfile::TempDir,
    pub(crate) authority: String,
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Registry {
    /// Starts the registry. Returns None and prints a message if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = free.local_addr().unwrap().to_string();
        drop(free);
        let path = folder.path().display();
        std::fs::write(
            folder.path().join("htpasswd"),
            format!("{USER}:{HTPASSWD}\n"),
        )
        .unwrap();
        let config = format!(
            "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {path}/data}}}}\nhttp: {{addr: \"{authority}\"}}\nauth: {{htpasswd: {{realm: x, path: {path}/htpasswd}}}}\n"
        );
        std::fs::write(folder.path().join("config.yml"), config).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(folder.path().join("config.yml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            eprintln!(
                "docker-registry is not installed: skipped the tests with a real registry (make registry installs it)"
            );
            return None;
        };
        let registry = Self {
            child,
            _folder: folder,
            authority,
        };
        for _ in 0..200 {
            if TcpStream::connect(&registry.authority).is_ok() {
                return Some(registry);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the registry does not answer");
    }

    /// Pushes an archive in the way of Helm, Flux and kpt.
    pub(crate) fn push(&self, name: &str, tag: &str, kind: &str, archive: &[u8]) -> String {
        let base = format!("http://{}/v2/{name}", self.authority);
        let authorization = format!("Basic {}", basic());
        for blob in [b"{}".as_slice(), archive] {
            let begun = ureq::post(format!("{base}/blobs/uploads/"))
                .header("Authorization", &authorization)
                .send_empty()
                .unwrap();
            let location = begun
                .headers()
                .get("location")
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            ureq::put(format!("{location}&digest={}", digest(blob)))
                .header("Authorization", &authorization)
                .header("Content-Type", "application/octet-stream")
                .send(blob)
                .unwrap();
        }
        let manifest = manifest(kind, archive);
        ureq::put(format!("{base}/manifests/{tag}"))
            .header("Authorization", &authorization)
            .header("Content-Type", "application/vnd.oci.image.manifest.v1+json")
            .send(&manifest)
            .unwrap();
        digest(&manifest)
    }
}
