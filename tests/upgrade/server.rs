//! A server for git on loopback: `git http-backend` behind a minimal HTTP server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Serves the repositories in a folder, each under its name. Those under `/private/` need a
/// password.
pub(crate) fn serve(root: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let root = root.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let root = root.clone();
            std::thread::spawn(move || answer(stream, &root));
        }
    });
    format!("http://{address}")
}

#[derive(Default)]
struct Request {
    method: String,
    path: String,
    query: String,
    kind: String,
    encoding: String,
    protocol: String,
    body: Vec<u8>,
}

fn answer(mut stream: TcpStream, root: &PathBuf) {
    let Some(request) = read(&stream) else { return };
    if request.path.starts_with("/private/") {
        let response = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(response.as_bytes()).unwrap_or_default();
        return;
    }
    let mut backend = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_TYPE", &request.kind)
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", &request.encoding)
        .env("GIT_PROTOCOL", &request.protocol)
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = backend.stdin.take().unwrap();
    let body = request.body;
    std::thread::spawn(move || stdin.write_all(&body).unwrap_or_default());
    let output = backend.wait_with_output().unwrap().stdout;
    let end = output
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .unwrap_or(0);
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = head
        .lines()
        .find_map(|line| line.strip_prefix("Status: "))
        .unwrap_or("200 OK")
        .to_owned();
    let content = &output[(end + 4).min(output.len())..];
    let response = format!(
        "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(response.as_bytes()).unwrap_or_default();
    stream.write_all(content).unwrap_or_default();
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut request = Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        ..Request::default()
    };
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "content-type" => request.kind = value.to_owned(),
            "content-encoding" => request.encoding = value.to_owned(),
            "git-protocol" => request.protocol = value.to_owned(),
            "transfer-encoding" => chunked = value == "chunked",
            _ => {}
        }
    }
    if !chunked {
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
        return Some(request);
    }
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).ok()?;
        request.body.extend_from_slice(&chunk[..size]);
        if size == 0 {
            return Some(request);
        }
    }
}
