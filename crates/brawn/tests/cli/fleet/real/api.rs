//! The API server's objects, through `kubectl proxy`.

use std::time::Duration;

use serde_json::Value;

/// As the administrator.
#[derive(Clone)]
pub struct Api {
    agent: ureq::Agent,
    base: String,
}

impl Api {
    pub fn new(base: String) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(10)))
            .build();
        Self { agent: config.into(), base }
    }

    /// An object or a list; nothing where it is not there, or the server is not.
    pub fn get(&self, path: &str) -> Option<Value> {
        let mut answer = self.agent.get(format!("{}{path}", self.base)).call().ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        answer.status().is_success().then(|| serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// All that a list has.
    pub fn list(&self, path: &str) -> Option<Vec<Value>> {
        match self.get(path)?["items"].take() {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Whether the server did it; else what it says.
    fn send(&self, method: &str, path: &str, kind: &str, body: &Value) -> Result<(), String> {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("content-type", kind)
            .body(body.to_string())
            .unwrap();
        let mut answer = self.agent.run(request).map_err(|error| error.to_string())?;
        let text = answer.body_mut().read_to_string().unwrap_or_default();
        if answer.status().is_success() { Ok(()) } else { Err(format!("{} {text}", answer.status())) }
    }

    pub fn create(&self, path: &str, object: &Value) {
        self.send("POST", path, "application/json", object).unwrap();
    }

    pub fn patch(&self, path: &str, change: &Value) -> Result<(), String> {
        self.send("PATCH", path, "application/merge-patch+json", change)
    }

    pub fn delete(&self, path: &str, options: &Value) -> Result<(), String> {
        self.send("DELETE", path, "application/json", options)
    }
}
