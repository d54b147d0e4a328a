//! A headless Chromium, spoken to in its DevTools protocol through two pipes: no port, no driver, no library.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Under which names it is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Longest wait for one answer: a browser that hangs fails the test instead of stopping it.
const PATIENCE: Duration = Duration::from_secs(40);

/// Where a browser is; none, said aloud, where there is none and this is not continuous integration.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        let why = "no Chromium to open the report with; install it with: make setup";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        eprintln!("skipped: {why}");
    }
    found
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
    errors: Vec<String>,
    loaded: bool,
    last_id: u64,
    session: Option<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens a page of this size, in pixels, in dark or light colours.
    pub fn open(program: &Path, page: &Path, width: u32, height: u32, dark: bool) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // Chromium reads requests from descriptor 3 and answers to 4; here those are its standard input and output.
        // `--no-sandbox` because the tests may run as root and the page is our own.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-extensions", "--disable-background-networking"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let requests = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            process,
            requests,
            answers,
            errors: Vec::new(),
            loaded: false,
            last_id: 0,
            session: None,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.resize(width, height);
        let scheme = if dark { "dark" } else { "light" };
        browser.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
        browser.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        while !browser.loaded {
            browser.receive("the load of the page");
        }
        browser.settle();
        browser
    }

    /// Changes the size of the page, as turning a phone does.
    pub fn resize(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Waits until the page has drawn what was asked of it.
    pub fn settle(&mut self) {
        // The plots are drawn in the frame after the one that lays them out.
        self.evaluate(
            "new Promise((done) => { let left = 4; const next = () => { left -= 1; left ? requestAnimationFrame(next) : done(true); }; next(); })",
        );
    }

    /// Value of a JavaScript expression; promises are awaited.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Moves the mouse to a place of the window.
    pub fn hover(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Touches a place of the window.
    pub fn touch(&mut self, x: f64, y: f64) {
        self.call(
            "Input.dispatchTouchEvent",
            json!({ "type": "touchStart", "touchPoints": [{ "x": x, "y": y }] }),
        );
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// Exceptions, error messages of the console and failed requests so far.
    pub fn errors(&mut self) -> &[String] {
        // Whatever the page said before it answers this is among them.
        self.evaluate("0");
        &self.errors
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let mut request = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.requests.write_all(format!("{request}\0").as_bytes()).unwrap();
        loop {
            let message = self.receive(method);
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    /// The next message; of events it notes those that matter.
    fn receive(&mut self, what: &str) -> Value {
        let message = self
            .answers
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("Chromium gave no answer to {what}: {error}"));
        let parameters = &message["params"];
        let is_error = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] != "log",
            Some("Log.entryAdded") => true,
            Some("Page.loadEventFired") => {
                self.loaded = true;
                false
            }
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.to_string());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium is many processes; they share a group of their own.
        if let Some(group) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.process.wait();
    }
}
