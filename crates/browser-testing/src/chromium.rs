//! The browser: where it is, and one that runs.

use crate::Page;
use crate::protocol::Connection;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Names that distributions give it.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Why there is no browser.
pub(crate) enum Absent {
    /// The tests are skipped, and say so.
    Allowed(String),
    /// The tests fail.
    Required(String),
}

/// A Chromium that runs without a window. It ends with this value, and its profile goes with it.
pub struct Chromium {
    connection: Rc<RefCell<Connection>>,
    _profile: tempfile::TempDir,
}

impl Chromium {
    /// Where the browser is, if nothing else is missing.
    pub(crate) fn find_if(ready: Result<(), String>) -> Result<PathBuf, Absent> {
        let required = std::env::var_os("INNOSIM_BROWSER").is_some_and(|name| name == "required");
        match ready {
            Ok(()) => Chromium::find(),
            Err(why) if required => Err(Absent::Required(why)),
            Err(why) => Err(Absent::Allowed(why)),
        }
    }

    /// Where the browser is.
    fn find() -> Result<PathBuf, Absent> {
        let named = std::env::var_os("INNOSIM_BROWSER").filter(|name| !name.is_empty());
        let required = named.as_deref() == Some(OsStr::new("required"));
        if let Some(named) = named.filter(|_| !required) {
            let path = PathBuf::from(&named);
            let why = || Absent::Required(format!("INNOSIM_BROWSER names {}, which is no file", path.display()));
            return if path.is_file() { Ok(path) } else { Err(why()) };
        }
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&folders)
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .find(|path| path.is_file());
        on_path.ok_or_else(|| {
            let why = "no browser: neither does INNOSIM_BROWSER name one, nor is a Chromium on the path".to_owned();
            if required { Absent::Required(why) } else { Absent::Allowed(why) }
        })
    }

    /// Starts it.
    pub(crate) fn start(path: &Path) -> Chromium {
        let profile = tempfile::tempdir().unwrap();
        let connection = Rc::new(RefCell::new(Connection::start(path, profile.path())));
        Chromium { connection, _profile: profile }
    }

    /// Opens an address in a tab of its own and waits until it is loaded. Size: of the page in CSS pixels.
    pub fn open(&self, url: &str, size: (u32, u32)) -> Page {
        Page::open(&self.connection, url, size)
    }
}

impl fmt::Debug for Chromium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chromium").field("process", &self.connection.borrow().process_id()).finish_non_exhaustive()
    }
}
