//! A page that is open: what it says, and a mouse on it.

use crate::Site;
use crate::protocol::{Connection, PATIENCE};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Runs before the page's own scripts and keeps what goes wrong in them.
const KEEP_ERRORS: &str = "window.__errors = [];
addEventListener('error', (event) => window.__errors.push(String(event.message || event.target)), true);
addEventListener('unhandledrejection', (event) => window.__errors.push('unhandled: ' + event.reason));
{ const told = console.error; console.error = (...all) => { window.__errors.push(all.join(' ')); told(...all); }; }";

/// A page in a tab, which is closed with this value.
pub struct Page {
    connection: Rc<RefCell<Connection>>,
    tab: String,
    session: String,
    requests: RefCell<Vec<String>>,
}

impl Page {
    pub(crate) fn open(connection: &Rc<RefCell<Connection>>, url: &str, size: (u32, u32)) -> Page {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let of_browser = |method, parameters| connection.borrow_mut().call(None, method, parameters);
        let tab = text(&of_browser("Target.createTarget", json!({ "url": "about:blank" }))["targetId"]);
        let attached = of_browser("Target.attachToTarget", json!({ "targetId": tab, "flatten": true }));
        let session = text(&attached["sessionId"]);
        let page = Page { connection: Rc::clone(connection), tab, session, requests: RefCell::default() };
        page.call("Network.enable", json!({}));
        page.call("Page.enable", json!({}));
        page.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        page.set_size(size);
        page.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": KEEP_ERRORS }));
        let loading = page.call("Page.navigate", json!({ "url": url }));
        assert!(loading.get("errorText").is_none(), "{url}: {}", loading["errorText"]);
        loop {
            let event = page.connection.borrow_mut().next_event(url);
            page.note(&event);
            let loaded = &event["params"];
            if loaded["name"] == "load" && loaded["loaderId"] == loading["loaderId"] {
                return page;
            }
        }
    }

    fn call(&self, method: &str, parameters: Value) -> Value {
        self.connection.borrow_mut().call(Some(&self.session), method, parameters)
    }

    /// Keeps the address that an event of this page asks for, if it does.
    fn note(&self, event: &Value) {
        if event["method"] == "Network.requestWillBeSent" && event["sessionId"] == self.session.as_str() {
            self.requests.borrow_mut().extend(event["params"]["request"]["url"].as_str().map(str::to_owned));
        }
    }

    /// Gives the page another size, in CSS pixels, and lets it draw itself anew.
    pub fn resize(&self, size: (u32, u32)) {
        self.set_size(size);
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    }

    fn set_size(&self, (width, height): (u32, u32)) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Makes the page believe that whoever looks at it prefers `light` or `dark` colours.
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// The value of an expression of JavaScript, promises awaited. A thrown error fails the test.
    pub fn eval(&self, expression: &str) -> Value {
        let wrapped = format!(
            "(async () => {{ try {{ return JSON.stringify({{ value: await ({expression}) }}); }}
             catch (error) {{ return JSON.stringify({{ thrown: String(error) }}); }} }})()"
        );
        let told = self.call("Runtime.evaluate", json!({ "expression": wrapped, "awaitPromise": true }));
        let told = told["result"]["value"].as_str().unwrap_or_else(|| panic!("{expression}: no JavaScript: {told}"));
        let mut told: Value = serde_json::from_str(told).unwrap();
        assert!(told.get("thrown").is_none(), "{expression}: {}", told["thrown"]);
        told["value"].take()
    }

    /// Waits until an expression of JavaScript is true.
    pub fn wait_until(&self, expression: &str) {
        let began = Instant::now();
        while self.eval(expression) != true {
            assert!(began.elapsed() < PATIENCE, "never true: {expression}; errors: {:?}", self.errors());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Errors that scripts of the page threw or printed, and files that did not load.
    pub fn errors(&self) -> Vec<String> {
        let errors = self.eval("window.__errors");
        errors.as_array().unwrap().iter().map(|error| error.as_str().unwrap().to_owned()).collect()
    }

    /// Addresses that the page asked for and that are not of this site, an answer or none. A page that stands alone has none.
    pub fn requests_beyond(&self, site: &Site) -> Vec<String> {
        // An answer comes after what happened before.
        self.eval("0");
        let events: Vec<Value> = self.connection.borrow_mut().events().collect();
        events.iter().for_each(|event| self.note(event));
        let (origin, all) = (site.origin(), self.requests.borrow());
        let beyond = |url: &&String| !["data:", "blob:", origin.as_str()].iter().any(|own| url.starts_with(own));
        all.iter().filter(beyond).cloned().collect()
    }

    /// Moves the mouse over an element, to a point in shares of its width and height.
    pub fn hover(&self, selector: &str, at: (f64, f64)) {
        self.mouse("mouseMoved", self.point(selector, at), false, 0);
    }

    /// Clicks on the middle of an element.
    pub fn click(&self, selector: &str) {
        self.press(self.point(selector, (0.5, 0.5)), 1);
    }

    /// Clicks twice on a point of an element.
    pub fn double_click(&self, selector: &str, at: (f64, f64)) {
        let point = self.point(selector, at);
        self.press(point, 1);
        self.press(point, 2);
    }

    /// Presses the mouse at a point of an element, moves it to another one and lets go.
    pub fn drag(&self, selector: &str, from: (f64, f64), to: (f64, f64)) {
        let (from, to) = (self.point(selector, from), self.point(selector, to));
        self.mouse("mouseMoved", from, false, 0);
        self.mouse("mousePressed", from, true, 1);
        self.mouse("mouseMoved", to, true, 0);
        self.mouse("mouseReleased", to, true, 1);
    }

    /// Gives a control (a select, a number, a text) a value, as a person who chose it.
    pub fn choose(&self, selector: &str, value: &str) {
        let (selector, value) = (Value::from(selector), Value::from(value));
        self.eval(&format!(
            "(() => {{ const c = document.querySelector({selector}); c.value = {value};
             for (const name of ['input', 'change']) c.dispatchEvent(new Event(name, {{ bubbles: true }})); }})()"
        ));
    }

    /// Leaves a picture of what is in sight, PNG.
    pub fn picture(&self, file: &Path) {
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        std::fs::write(file, BASE64_STANDARD.decode(picture["data"].as_str().unwrap()).unwrap()).unwrap();
    }

    /// A point of an element in the window, scrolled into sight first.
    fn point(&self, selector: &str, (x, y): (f64, f64)) -> (f64, f64) {
        let point = self.eval(&format!(
            "(() => {{ const node = document.querySelector({}); if (!node) throw 'no such element';
             node.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const box = node.getBoundingClientRect();
             return [box.left + {x} * box.width, box.top + {y} * box.height]; }})()",
            Value::from(selector)
        ));
        (point[0].as_f64().unwrap(), point[1].as_f64().unwrap())
    }

    fn press(&self, point: (f64, f64), count: u32) {
        self.mouse("mouseMoved", point, false, 0);
        self.mouse("mousePressed", point, true, count);
        self.mouse("mouseReleased", point, true, count);
    }

    /// What the mouse does at a point, its left button held or not.
    fn mouse(&self, kind: &str, (x, y): (f64, f64), held: bool, count: u32) {
        let button = if held { "left" } else { "none" };
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": u8::from(held), "clickCount": count });
        self.call("Input.dispatchMouseEvent", event);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.connection.borrow_mut().call(None, "Target.closeTarget", json!({ "targetId": self.tab }));
        }
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("tab", &self.tab).finish_non_exhaustive()
    }
}
