//! A small server of files, for this machine alone.

use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tiny_http::{Header, Method, Request, Response, Server};

/// A folder as a site at an address of its own; it is there as long as this value.
pub struct Site {
    server: Arc<Server>,
    asked: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Serves the files of a folder. `/` is its `index.html`.
    pub fn of(folder: impl Into<PathBuf>) -> Site {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (root, serving, noting) = (folder.into(), Arc::clone(&server), Arc::clone(&asked));
        let thread = std::thread::spawn(move || {
            for request in serving.incoming_requests() {
                noting.lock().unwrap().push(request.url().to_owned());
                answer(request, &root);
            }
        });
        Site { server, asked, thread: Some(thread) }
    }

    /// The address of a file, whose path begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// What all addresses of this site begin with.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// Paths that were asked for so far, in order; without the icon that browsers ask for by themselves.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|path| *path != "/favicon.ico").cloned().collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            // It ends by itself; if it panicked, that was printed.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site").field("origin", &self.origin()).finish_non_exhaustive()
    }
}

/// Answers with the file or a 404. A browser that has gone meanwhile is no failure.
fn answer(request: Request, root: &Path) {
    let file = file_of(root, request.url()).filter(|_| *request.method() == Method::Get);
    let _ = match file.and_then(|path| Some((File::open(&path).ok()?, path))) {
        Some((file, path)) => {
            let kind = mime_guess::from_path(&path).first_or_octet_stream();
            let head = Header::from_bytes("Content-Type", kind.as_ref()).unwrap();
            request.respond(Response::from_file(file).with_header(head))
        }
        None => request.respond(Response::empty(404)),
    };
}

/// The file that a path names; nothing outside of the folder.
fn file_of(root: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    Some(root.join(path)).filter(|path| inside && path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("site");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(desk.path().join("secret.txt"), "outside").unwrap();
        std::fs::write(folder.join("index.html"), "inside").unwrap();
        let index = Some(folder.join("index.html"));
        for url in ["/", "/index.html", "/index.html?x=1#part"] {
            assert_eq!(file_of(&folder, url), index, "{url}");
        }
        let outside = desk.path().join("secret.txt");
        for url in ["/../secret.txt", "/none.html", "/.", outside.to_str().unwrap()] {
            assert_eq!(file_of(&folder, url), None, "{url}");
        }
    }
}
