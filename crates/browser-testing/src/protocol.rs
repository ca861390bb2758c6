//! The browser's protocol over two pipes: commands and answers as JSON, each ended by a zero byte.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a page may take over anything, on a machine that is busy otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// No talk with anybody, nothing that a bare machine lacks, and no delay of what is out of sight. The sandbox needs rights that
/// neither root nor a container has; the pages are our own.
const FLAGS: [&str; 19] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--password-store=basic",
];

/// A running browser, which reads commands from its third descriptor and answers on its fourth.
pub(crate) struct Connection {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    events: VecDeque<Value>,
    last_id: u64,
}

impl Connection {
    pub(crate) fn start(browser: &Path, profile: &Path) -> Connection {
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(browser)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", browser.display()));
        let (commands, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, answers) = channel();
        // It ends with the browser, or when nobody listens any more.
        std::thread::spawn(move || {
            let messages = BufReader::new(output).split(0).map_while(Result::ok);
            for message in messages.filter_map(|message| serde_json::from_slice(&message).ok()) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Connection { process, commands, answers, events: VecDeque::new(), last_id: 0 }
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Calls a method, of a session or of the browser, and gives its result.
    pub(crate) fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap_or_else(|error| panic!("{method}: {error}"));
        loop {
            let mut message = self.receive(method);
            if message["id"] == self.last_id {
                assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.events.push_back(message);
        }
    }

    /// The next event that is not yet taken.
    pub(crate) fn next_event(&mut self, waiting_for: &str) -> Value {
        self.events.pop_front().unwrap_or_else(|| self.receive(waiting_for))
    }

    /// All events so far that are not yet taken.
    pub(crate) fn events(&mut self) -> impl Iterator<Item = Value> {
        self.events.drain(..)
    }

    fn receive(&self, waiting_for: &str) -> Value {
        self.answers
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("{waiting_for}: the browser is silent: {error}"))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
