use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use docker_credential::DockerCredential;
use ureq::http::{Method, Request, Response};
use ureq::{Agent, Body, SendBody};

use super::reference::is_loopback;
use super::retry::{Failure, Retry};
use super::{Reference, auth, credentials, tls};
use crate::{Blob, Error};

/// How registries may be spoken to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access {
    /// Without TLS. Only for registries on this machine.
    pub insecure: bool,
}

/// A connection to one registry.
pub(super) struct Client {
    /// The name under which it is known.
    pub registry: String,
    /// Scheme and host: `https://ghcr.io`.
    pub origin: String,
    agent: Agent,
    pub credential: Option<DockerCredential>,
    /// What is written into `Authorization`, by what it allows.
    tokens: Mutex<HashMap<String, String>>,
    pub retry: Retry,
    insecure: bool,
}

/// A request.
pub(super) struct Call<'a> {
    pub method: Method,
    /// An absolute URL.
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub payload: Payload<'a>,
    /// What has to be allowed: `repository:NAME:pull,push`.
    pub scope: String,
}

/// What a request carries.
pub(super) enum Payload<'a> {
    Nothing,
    Bytes(&'a [u8]),
    Blob(&'a Blob),
}

/// The longest answer that is no blob, in bytes.
const LONGEST_ANSWER: u64 = 4 << 20;

impl Client {
    pub fn new(reference: &Reference, access: Access) -> Result<Client, Error> {
        let host = reference.host();
        if access.insecure && !is_loopback(host) {
            return Err(Error::Insecure { registry: reference.registry.clone() });
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("brawn/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(120)))
            .max_redirects(5);
        if access.insecure {
            config = config.proxy(None);
        } else {
            config = config.https_only(true).tls_config(tls::config()?);
        }
        Ok(Client {
            registry: reference.registry.clone(),
            origin: format!("{}://{host}", if access.insecure { "http" } else { "https" }),
            agent: config.build().new_agent(),
            credential: credentials::find(reference)?,
            tokens: Mutex::default(),
            retry: Retry::USUAL,
            insecure: access.insecure,
        })
    }

    /// Makes a request until there is an answer that is worth an answer.
    pub fn send(&self, call: &Call<'_>) -> Result<Response<Body>, Error> {
        self.retry.run(|| self.once(call))
    }

    /// Makes a request once, logging in if that is asked for.
    pub fn once(&self, call: &Call<'_>) -> Result<Response<Body>, Failure> {
        self.allowed(&call.url)?;
        let ours = call.url.starts_with(&format!("{}/", self.origin));
        let known = self.tokens.lock().expect("no thread panics with it").get(&call.scope).cloned();
        let mut response = self.run(call, known.filter(|_| ours))?;
        if response.status() == 401 && ours {
            let challenges: Vec<String> = response
                .headers()
                .get_all("www-authenticate")
                .iter()
                .filter_map(|value| Some(value.to_str().ok()?.to_owned()))
                .collect();
            if let Some(authorization) = auth::answer(self, &challenges, &call.scope)? {
                self.tokens
                    .lock()
                    .expect("no thread panics with it")
                    .insert(call.scope.clone(), authorization.clone());
                response = self.run(call, Some(authorization))?;
            }
        }
        match response.status().as_u16() {
            408 | 429 | 500 | 502 | 503 | 504 => {
                let seconds =
                    response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                let error = self.refused(call, response);
                Err(Failure { error: error.into(), transient: true, after: seconds.map(Duration::from_secs) })
            }
            _ => Ok(response),
        }
    }

    /// Plain HTTP stays on this machine, wherever a registry sends us.
    pub fn allowed(&self, url: &str) -> Result<(), Error> {
        let plain = url.strip_prefix("http://");
        let Some(rest) = plain else { return Ok(()) };
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        if self.insecure && is_loopback(host) {
            Ok(())
        } else {
            Err(Error::Insecure { registry: host.to_owned() })
        }
    }

    /// Makes a request without logging in: the request that logs in.
    pub fn run_plain(&self, call: &Call<'_>) -> Result<Response<Body>, Failure> {
        self.run(call, None)
    }

    fn run(&self, call: &Call<'_>, authorization: Option<String>) -> Result<Response<Body>, Failure> {
        let mut request = Request::builder().method(call.method.clone()).uri(&call.url);
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        let body = match &call.payload {
            Payload::Nothing => SendBody::none(),
            Payload::Bytes(bytes) => {
                request = request.header("content-length", bytes.len());
                SendBody::from_owned_reader(std::io::Cursor::new(bytes.to_vec()))
            }
            Payload::Blob(blob) => {
                request = request.header("content-length", blob.size());
                SendBody::from_owned_reader(blob.open()?)
            }
        };
        let request = request
            .body(body)
            .map_err(|error| self.protocol(call, format!("it led to an address that is none: {error}")))?;
        self.agent.run(request).map_err(|error| {
            let transient = !matches!(
                error,
                ureq::Error::BadUri(_)
                    | ureq::Error::HostNotFound
                    | ureq::Error::Rustls(_)
                    | ureq::Error::Tls(_)
            );
            Failure { error: self.transport(call, error).into(), transient, after: None }
        })
    }

    /// Reads an answer that is no blob.
    pub fn read(&self, call: &Call<'_>, mut response: Response<Body>) -> Result<Vec<u8>, Error> {
        response
            .body_mut()
            .with_config()
            .limit(LONGEST_ANSWER)
            .read_to_vec()
            .map_err(|error| self.transport(call, error))
    }

    pub fn refused(&self, call: &Call<'_>, mut response: Response<Body>) -> Error {
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(64 << 10).read_to_vec().unwrap_or_default();
        Error::Refused {
            registry: self.registry.clone(),
            request: self.shown(call),
            status,
            message: message(&body),
        }
    }

    pub fn protocol(&self, call: &Call<'_>, what: impl Into<String>) -> Error {
        Error::Protocol { registry: self.registry.clone(), request: self.shown(call), what: what.into() }
    }

    pub fn transport(&self, call: &Call<'_>, error: ureq::Error) -> Error {
        Error::Transport { registry: self.registry.clone(), request: self.shown(call), source: error.into() }
    }

    /// Method and path, without what may be secret in a query.
    fn shown(&self, call: &Call<'_>) -> String {
        let path = call.url.strip_prefix(&self.origin).unwrap_or(&call.url);
        format!("{} {}", call.method, path.split('?').next().unwrap_or_default())
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the credential, and not the tokens.
        f.debug_struct("Client").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// The messages in a registry's list of errors.
fn message(body: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else { return String::new() };
    let errors = value["errors"].as_array().cloned().unwrap_or_default();
    let texts = errors.iter().filter_map(|error| error["message"].as_str().or(error["code"].as_str()));
    let text = texts.collect::<Vec<_>>().join("; ");
    // What comes from elsewhere goes to a terminal.
    text.chars().filter(|character| !character.is_control()).take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_registry_says_is_made_harmless() {
        assert_eq!(message(br#"{"errors":[{"code":"DENIED","message":"no \u001b[31mway"}]}"#), "no [31mway");
        assert_eq!(message(br#"{"errors":[{"code":"DENIED"},{"message":"b"}]}"#), "DENIED; b");
        assert_eq!(message(b"<html>"), "");
    }
}
