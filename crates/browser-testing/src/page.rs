//! A page that is open: what it says, and a mouse on it.

use crate::Site;
use headless_chrome::protocol::cdp::Page::{AddScriptToEvaluateOnNewDocument, CaptureScreenshotFormatOption};
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Input, Network};
use headless_chrome::{Browser, Tab};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a page may take over anything, on a machine that is busy otherwise.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Runs before the page's own scripts and keeps what goes wrong in them.
const KEEP_ERRORS: &str = "window.__errors = [];
addEventListener('error', (event) => window.__errors.push(String(event.message || event.target)), true);
addEventListener('unhandledrejection', (event) => window.__errors.push('unhandled: ' + event.reason));
{ const told = console.error; console.error = (...all) => { window.__errors.push(all.join(' ')); told(...all); }; }";

/// A page in a tab, which is closed with this value.
pub struct Page {
    tab: Arc<Tab>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Page {
    pub(crate) fn open(browser: &Browser, url: &str, size: (u32, u32)) -> Page {
        let tab = browser.new_tab().unwrap();
        tab.set_default_timeout(PATIENCE);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noting = Arc::clone(&requests);
        tab.add_event_listener(Arc::new(move |event: &Event| {
            if let Event::NetworkRequestWillBeSent(sent) = event {
                noting.lock().unwrap().push(sent.params.request.url.clone());
            }
        }))
        .unwrap();
        tab.call_method(Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        })
        .unwrap();
        let page = Page { tab, requests };
        page.resize(size);
        let script = AddScriptToEvaluateOnNewDocument {
            source: KEEP_ERRORS.to_owned(),
            world_name: None,
            include_command_line_api: None,
            run_immediately: None,
        };
        page.tab.call_method(script).unwrap();
        page.tab.navigate_to(url).unwrap().wait_until_navigated().unwrap();
        page
    }

    /// Gives the page another size, in CSS pixels.
    pub fn resize(&self, (width, height): (u32, u32)) {
        self.tab
            .call_method(Emulation::SetDeviceMetricsOverride {
                width,
                height,
                device_scale_factor: 1.0,
                mobile: false,
                scale: None,
                screen_width: None,
                screen_height: None,
                position_x: None,
                position_y: None,
                dont_set_visible_size: None,
                screen_orientation: None,
                viewport: None,
                display_feature: None,
                device_posture: None,
            })
            .unwrap();
    }

    /// Makes the page believe that whoever looks at it prefers `light` or `dark` colours.
    pub fn prefer(&self, scheme: &str) {
        let scheme = Emulation::MediaFeature { name: "prefers-color-scheme".to_owned(), value: scheme.to_owned() };
        self.tab.call_method(Emulation::SetEmulatedMedia { media: None, features: Some(vec![scheme]) }).unwrap();
    }

    /// The value of an expression of JavaScript, promises awaited. A thrown error fails the test.
    pub fn eval(&self, expression: &str) -> Value {
        let wrapped = format!(
            "(async () => {{ try {{ return JSON.stringify({{ value: await ({expression}) }}); }}
             catch (error) {{ return JSON.stringify({{ thrown: String(error) }}); }} }})()"
        );
        let told = self.tab.evaluate(&wrapped, true).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let told = told.value.unwrap_or_else(|| panic!("{expression}: no JavaScript"));
        let mut told: Value = serde_json::from_str(told.as_str().unwrap()).unwrap();
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
        let (origin, all) = (site.origin(), self.requests.lock().unwrap());
        let beyond = |url: &&String| !["data:", "blob:", origin.as_str()].iter().any(|own| url.starts_with(own));
        all.iter().filter(beyond).cloned().collect()
    }

    /// Moves the mouse over an element, to a point in shares of its width and height.
    pub fn hover(&self, selector: &str, at: (f64, f64)) {
        self.mouse(Input::DispatchMouseEventTypeOption::MouseMoved, self.point(selector, at), None, 0);
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
        use Input::DispatchMouseEventTypeOption::{MouseMoved, MousePressed, MouseReleased};
        let (from, to) = (self.point(selector, from), self.point(selector, to));
        self.mouse(MouseMoved, from, None, 0);
        self.mouse(MousePressed, from, Some(Input::MouseButton::Left), 1);
        self.mouse(MouseMoved, to, Some(Input::MouseButton::Left), 0);
        self.mouse(MouseReleased, to, Some(Input::MouseButton::Left), 1);
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
        let png = self.tab.capture_screenshot(CaptureScreenshotFormatOption::Png, None, None, true).unwrap();
        std::fs::write(file, png).unwrap();
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
        use Input::DispatchMouseEventTypeOption::{MouseMoved, MousePressed, MouseReleased};
        self.mouse(MouseMoved, point, None, 0);
        self.mouse(MousePressed, point, Some(Input::MouseButton::Left), count);
        self.mouse(MouseReleased, point, Some(Input::MouseButton::Left), count);
    }

    fn mouse(
        &self,
        kind: Input::DispatchMouseEventTypeOption,
        (x, y): (f64, f64),
        button: Option<Input::MouseButton>,
        count: u32,
    ) {
        self.tab
            .call_method(Input::DispatchMouseEvent {
                Type: kind,
                x,
                y,
                buttons: button.as_ref().map(|_| 1),
                button,
                click_count: Some(count),
                modifiers: None,
                timestamp: None,
                force: None,
                tangential_pressure: None,
                tilt_x: None,
                tilt_y: None,
                twist: None,
                delta_x: None,
                delta_y: None,
                pointer_Type: None,
            })
            .unwrap();
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // A browser that is gone has closed it.
        let _ = self.tab.close(false);
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("url", &self.tab.get_url()).finish_non_exhaustive()
    }
}
