use std::collections::HashMap;
use std::io::Read;
use std::sync::Mutex;
use std::time::Duration;

use docker_credential::DockerCredential;
use ureq::http::{Method, Request, Response};
use ureq::{Agent, Body, SendBody, Timeout};
use url::Url;

use super::address::{self, Address};
use super::pace::{Paced, TooSlow};
use super::retry::Failure;
use super::{Access, Reference, auth, credentials, header, tls};
use crate::{Blob, Error, limits};

/// A connection to one registry.
pub(super) struct Client {
    /// The name under which it is known.
    pub registry: String,
    /// Where it is, and which other addresses it may name.
    pub address: Address,
    agent: Agent,
    pub credential: Option<DockerCredential>,
    /// What is written into `Authorization`, by what it allows.
    tokens: Mutex<HashMap<String, String>>,
    pub access: Access,
}

/// A request.
pub(super) struct Call<'a> {
    pub method: Method,
    pub url: Url,
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

/// An answer, and whether it is the registry's own or that of another host to which the registry sent us.
struct Answer {
    response: Response<Body>,
    own: bool,
}

/// How often a registry may send us elsewhere for one answer.
const MOST_REDIRECTS: u32 = 5;

impl Client {
    pub fn new(reference: &Reference, access: &Access) -> Result<Client, Error> {
        let address = Address::new(reference, access)?;
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("brawn/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(Duration::from_secs(10)))
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_per_write(Some(access.limits.stall))
            .https_only(!access.insecure)
            .tls_config(tls::config()?)
            // Each step is judged here.
            .max_redirects(0)
            .max_redirects_will_error(false);
        if access.insecure {
            config = config.proxy(None);
        }
        Ok(Client {
            registry: reference.registry.clone(),
            address,
            agent: config.build().new_agent(),
            credential: credentials::find(reference, access.limits.total)?,
            tokens: Mutex::default(),
            access: access.clone(),
        })
    }

    /// Makes a request once. An answer with another status than these is a refusal.
    pub fn once_as(&self, call: &Call<'_>, statuses: &[u16]) -> Result<Response<Body>, Failure> {
        let response = self.once(call)?;
        match statuses.contains(&response.status().as_u16()) {
            true => Ok(response),
            false => Err(Failure::lasting(self.refused(call, response))),
        }
    }

    /// Makes a request once, logging in if that is asked for.
    pub fn once(&self, call: &Call<'_>) -> Result<Response<Body>, Failure> {
        let own = self.address.is_registry(&call.url);
        let known = self.tokens.lock().expect("no thread panics with it").get(&call.scope).cloned();
        let mut answer = self.follow(call, known.filter(|_| own))?;
        if answer.response.status() == 401 && answer.own {
            let challenges = header::challenges(answer.response.headers());
            if let Some(authorization) = auth::answer(self, &challenges, &call.scope)? {
                self.tokens
                    .lock()
                    .expect("no thread panics with it")
                    .insert(call.scope.clone(), authorization.clone());
                answer = self.follow(call, Some(authorization))?;
            }
        }
        let response = answer.response;
        match response.status().as_u16() {
            408 | 429 | 500 | 502 | 503 | 504 => {
                let after = header::retry_after(response.headers());
                let error = self.refused(call, response);
                Err(Failure { error: error.into(), transient: true, after })
            }
            _ => Ok(response),
        }
    }

    /// Makes the request that logs in, with a password if there is one.
    pub fn log_in(&self, call: &Call<'_>, authorization: Option<String>) -> Result<Response<Body>, Failure> {
        Ok(self.follow(call, authorization)?.response)
    }

    /// Goes where the answer says that the asked-for is. A login never leaves the host that it is for, and what was sent
    /// somewhere is not sent elsewhere.
    fn follow(&self, call: &Call<'_>, mut authorization: Option<String>) -> Result<Answer, Failure> {
        let mut url = call.url.clone();
        let mut own = self.address.is_registry(&url);
        for _ in 0..=MOST_REDIRECTS {
            let response = self.run(call, &url, authorization.as_deref())?;
            let elsewhere = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
            if !elsewhere || !matches!(call.method, Method::GET | Method::HEAD) {
                return Ok(Answer { response, own });
            }
            let location = header::location(response.headers())
                .ok_or_else(|| self.protocol(call, "it leads elsewhere and does not say where"))?;
            let next = self.address.resolve(&url, location)?;
            if !address::same_origin(&url, &next) {
                authorization = None;
                own = false;
            }
            url = next;
        }
        Err(self.protocol(call, format!("it leads elsewhere more than {MOST_REDIRECTS} times")).into())
    }

    fn run(
        &self,
        call: &Call<'_>,
        url: &Url,
        authorization: Option<&str>,
    ) -> Result<Response<Body>, Failure> {
        let mut request = Request::builder().method(call.method.clone()).uri(url.as_str());
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        let stall = self.access.limits.stall;
        let mut patience = stall;
        let body = match &call.payload {
            Payload::Nothing => SendBody::none(),
            Payload::Bytes(bytes) => {
                request = request.header("content-length", bytes.len());
                SendBody::from_owned_reader(std::io::Cursor::new(bytes.to_vec()))
            }
            Payload::Blob(blob) => {
                request = request.header("content-length", blob.size());
                // A registry reads the whole blob again before it answers.
                patience = stall * 4;
                let reader = Paced::new(blob.open()?, blob.size(), stall, self.access.reporter.clone());
                SendBody::from_owned_reader(reader)
            }
        };
        let request = request
            .body(body)
            .map_err(|error| self.protocol(call, format!("it led to an address that is none: {error}")))?;
        let left = self.access.clock.left().ok_or_else(|| self.out_of_time())?;
        let request = self
            .agent
            .configure_request(request)
            .timeout_global(Some(left))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .build();
        self.agent.run(request).map_err(|error| self.failed(call, error))
    }

    /// The body of an answer, of which `size` bytes are expected.
    pub fn body(&self, response: Response<Body>, size: u64) -> impl Read + use<> {
        let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        Paced::new(reader, size, self.access.limits.stall, self.access.reporter.clone())
    }

    /// Reads an answer that is no blob: `what`, of at most `limit` bytes.
    pub fn read(
        &self,
        call: &Call<'_>,
        response: Response<Body>,
        what: &str,
        limit: u64,
    ) -> Result<Vec<u8>, Failure> {
        let too_large = |found| {
            let place = format!("{}, {}", self.registry, self.shown(call));
            Failure::lasting(Error::too_large(place, what, found, limit))
        };
        let declared = header::content_length(response.headers());
        if let Some(found) = declared.filter(|found| *found > limit) {
            return Err(too_large(Some(found)));
        }
        let mut bytes = Vec::new();
        let body = self.body(response, declared.unwrap_or(0));
        body.take(limit + 1).read_to_end(&mut bytes).map_err(|error| self.failed(call, error.into()))?;
        if bytes.len() as u64 > limit { Err(too_large(None)) } else { Ok(bytes) }
    }

    pub fn refused(&self, call: &Call<'_>, response: Response<Body>) -> Error {
        let status = response.status().as_u16();
        let mut body = Vec::new();
        // What comes before an error is the message, whole or not.
        let _ = self.body(response, 0).take(limits::MESSAGE).read_to_end(&mut body);
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

    pub fn out_of_time(&self) -> Error {
        Error::OutOfTime { registry: self.registry.clone(), limit: self.access.limits.total }
    }

    /// Why no answer came, or not all of it, and whether another attempt may help.
    pub fn failed(&self, call: &Call<'_>, error: ureq::Error) -> Failure {
        let (registry, request) = (self.registry.clone(), self.shown(call));
        let stalled = |limit| {
            Failure::lasting(Error::Stalled { registry: registry.clone(), request: request.clone(), limit })
        };
        let transient = match &error {
            ureq::Error::Timeout(Timeout::Global) => return Failure::lasting(self.out_of_time()),
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => true,
            ureq::Error::Timeout(Timeout::PerRead | Timeout::RecvResponse)
                if matches!(call.payload, Payload::Blob(_)) =>
            {
                return stalled(self.access.limits.stall * 4);
            }
            ureq::Error::Timeout(_) => return stalled(self.access.limits.stall),
            ureq::Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<TooSlow>()) => {
                return stalled(self.access.limits.stall);
            }
            ureq::Error::BadUri(_)
            | ureq::Error::HostNotFound
            | ureq::Error::Rustls(_)
            | ureq::Error::Tls(_)
            | ureq::Error::Protocol(_)
            | ureq::Error::LargeResponseHeader(..) => false,
            _ => true,
        };
        let error = Error::Transport { registry, request, source: error.into() };
        Failure { error: error.into(), transient, after: None }
    }

    /// Method and path, without what may be secret in a query.
    fn shown(&self, call: &Call<'_>) -> String {
        let host = match self.address.is_registry(&call.url) {
            true => String::new(),
            false => address::shown(&call.url),
        };
        format!("{} {host}{}", call.method, call.url.path())
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the credential, and not the tokens.
        f.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The messages in a registry's list of errors.
pub fn message(body: &[u8]) -> String {
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
