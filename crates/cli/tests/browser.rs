//! `report.html` in a real headless browser: it draws, zooms, and answers to the mouse, and asks nobody for anything.
//!
//! The browser is the one that `INNOSIM_BROWSER` names, or a Chromium on the path. Without one the tests say so and pass: a
//! bare machine has none.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

mod common;

use common::{innosim, text};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page may take, on a machine that is busy otherwise.
const PATIENCE: Duration = Duration::from_secs(180);

/// What stands at the end of the page under test: uses it as a person would, and writes down what came of it.
const SCRIPT: &str = r##"<script>
const told = { errors: window.failures || [] };
const mouse = (node, name, x, y) => {
  const box = node.getBoundingClientRect();
  node.dispatchEvent(new PointerEvent(name, {
    bubbles: true, pointerId: 1, clientX: box.left + x * box.width, clientY: box.top + y * box.height }));
};
SVGElement.prototype.setPointerCapture = () => {};
const first = FIRST;
const svg = () => document.querySelector(first + " svg");
const texts = () => [...svg().querySelectorAll("text")].map((t) => t.textContent);
told.paths = [...document.querySelectorAll("svg path")].map((p) => p.getAttribute("d")).filter((d) => d.length > 20).length;
told.odd = document.body.innerHTML.split("</svg>").slice(0, -1).filter((part) => /NaN|undefined|Infinity/.test(part.slice(part.indexOf("<svg")))).length;
told.before = texts();
mouse(svg(), "pointermove", 0.6, 0.5);
told.tip = document.querySelector(first + " .tip").textContent;
mouse(svg(), "pointerdown", 0.4, 0.5); mouse(svg(), "pointermove", 0.7, 0.5); mouse(svg(), "pointerup", 0.7, 0.5);
told.zoomed = texts();
svg().dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
told.whole = texts();
const choice = document.querySelector("select");
choice.value = "2"; choice.dispatchEvent(new Event("change"));
told.chosen = texts()[0];
const box = document.querySelector("input[type=checkbox]");
const lines = () => document.querySelectorAll("#chart1 svg g path").length;
told.lines = lines(); box.checked = !box.checked; box.dispatchEvent(new Event("change")); told.fewer = lines();
window.dispatchEvent(new Event("resize"));
told.asked = performance.getEntriesByType("resource").length;
told.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
fetch("/told", { method: "POST", body: JSON.stringify(told) });
</script>"##;

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("INNOSIM_BROWSER").map(PathBuf::from);
    let on_path = || {
        let folders = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
        std::env::split_paths(&folders).flat_map(|f| names.map(|name| f.join(name))).find(|path| path.is_file())
    };
    let found = named.or_else(on_path);
    if found.is_none() {
        eprintln!("NO BROWSER: report.html was not opened; set INNOSIM_BROWSER to a Chromium");
    }
    found
}

/// A browser that is open, and goes with the test.
struct Open {
    child: Child,
    /// Its profile, which goes after it.
    _home: tempfile::TempDir,
}

impl Open {
    fn at(browser: &Path, address: &str, (width, height): (u32, u32)) -> Open {
        let home = tempfile::tempdir().unwrap();
        let child = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"])
            .args([format!("--user-data-dir={}", home.path().display()), format!("--window-size={width},{height}")])
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Open { child, _home: home }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request: its first line and its body.
fn request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line
    };
    let first = line();
    let heads: Vec<String> = std::iter::from_fn(|| Some(line()).filter(|line| !line.trim().is_empty())).collect();
    let length =
        heads.iter().find_map(|head| head.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    (first, text(&body))
}

/// Uses the page, whose first chart is in `first`, and gives what it told; and every other thing that was asked for.
fn used(browser: &Path, page: &Path, first: &str, size: (u32, u32)) -> (serde_json::Value, Vec<String>) {
    let html = fs::read_to_string(page).unwrap();
    let catch = "<head><script>window.failures = []; window.onerror = (what) => { window.failures.push(String(what)); };</script>";
    let script = SCRIPT.replace("FIRST", &format!("{first:?}"));
    let html = html.replacen("<head>", catch, 1).replacen("</body>", &(script + "</body>"), 1);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let _open = Open::at(browser, &format!("http://{}/", listener.local_addr().unwrap()), size);
    let (began, mut asked) = (Instant::now(), Vec::new());
    loop {
        assert!(began.elapsed() < PATIENCE, "the page told nothing; asked for: {asked:?}");
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        stream.set_nonblocking(false).unwrap();
        let (line, body) = request(&stream);
        if line.starts_with("POST /told ") {
            return (serde_json::from_str(&body).unwrap(), asked);
        }
        let status = if line.starts_with("GET / ") { "200 OK" } else { "404 Not Found" };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            html.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(html.as_bytes())).unwrap();
        // A browser asks for this one by itself.
        if !line.starts_with("GET / ") && !line.contains("favicon") {
            asked.push(line);
        }
    }
}

fn assert_explorable(told: &serde_json::Value, what: &str) {
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(0), "{what}: {}", told["errors"]);
    assert!(told["paths"].as_u64().unwrap() >= 3 && told["odd"] == 0, "{what}: {told}");
    assert!(!told["tip"].as_str().unwrap().is_empty(), "{what}");
    assert_ne!(told["before"], told["zoomed"], "{what}: zoom");
    assert_eq!(told["before"], told["whole"], "{what}: the whole again");
    assert_ne!(told["before"][0], told["chosen"], "{what}: another figure");
    assert_ne!(told["lines"], told["fewer"], "{what}: a run unticked");
    assert_eq!((&told["asked"], &told["wide"]), (&0.into(), &true.into()), "{what}: {told}");
}

#[test]
fn a_sweep_and_a_comparison_can_be_explored() {
    let Some(browser) = browser() else { return };
    let desk = tempfile::tempdir().unwrap();
    let [sweep, line, compare] = ["sweep", "line", "compare"].map(|name| desk.path().join(name));
    let small = ["--duration", "20s", "--quiet", "--set", "workload.tables=1", "--set", "drive.clients=4", "--out"];
    let vary = ["--vary", "innodb_io_capacity_max=4000..8000:1000", "--vary", "innodb_redo_log_capacity=64M,128M"];
    innosim(&[&["sweep", "redo-too-small"][..], &vary, &small, &[sweep.to_str().unwrap()]].concat()).success();
    innosim(&[&["sweep", "redo-too-small"][..], &vary[..2], &small, &[line.to_str().unwrap()]].concat()).success();
    let models = ["--model", "8.0.30", "--model", "8.0.21"];
    innosim(&[&["compare", "redo-too-small"][..], &models, &small, &[compare.to_str().unwrap()]].concat()).success();
    let (screen, phone) = ((1240, 900), (500, 900));
    for (folder, first) in [(&sweep, "#curves"), (&line, "#curves"), (&compare, "#chart1")] {
        let page = folder.join("report.html");
        for size in [screen, phone] {
            let (told, asked) = used(&browser, &page, first, size);
            assert_explorable(&told, &format!("{} at {size:?}", page.display()));
            assert!(asked.is_empty(), "a page stands alone: {asked:?}");
        }
    }
    let html = text(&fs::read(sweep.join("report.html")).unwrap());
    assert!(
        html.contains("innosim sweep teaching/redo-too-small --vary innodb_io_capacity_max=4000,5000"),
        "its command"
    );
    assert!(html.contains("innodb_buffer_pool_size") && html.contains("build "), "scenario and build");
}
