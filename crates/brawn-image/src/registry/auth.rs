use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docker_credential::DockerCredential;
use http_auth::{ChallengeRef, parse_challenges};
use serde::Deserialize;
use ureq::http::Method;
use url::{Url, form_urlencoded};

use super::address::Address;
use super::client::{Call, Client, Payload};
use super::retry::Failure;
use crate::{Error, limits};

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

/// What has to be done to log in. It holds passwords, and so is not for printing.
pub enum Login {
    /// Nothing more than to say who we are, with this `Authorization`.
    Password(String),
    /// To fetch a token.
    Token {
        /// Where it is.
        url: Url,
        /// What is posted there; without it the token is got.
        form: Option<String>,
        /// The `Authorization` that it is got with.
        password: Option<String>,
    },
}

/// The `Authorization` that answers a registry's challenges; nothing if they cannot be answered.
pub(super) fn answer(client: &Client, challenges: &[&str], scope: &str) -> Result<Option<String>, Failure> {
    match login(&client.address, client.credential.as_ref(), challenges, scope)? {
        None => Ok(None),
        Some(Login::Password(password)) => Ok(Some(password)),
        Some(Login::Token { url, form, password }) => fetch(client, url, form, password).map(Some),
    }
}

/// What a registry's challenges ask for, as ourselves if we are somebody; nothing if they cannot be answered.
///
/// # Errors
/// As [`Address::realm`]: not every place is sent a login.
pub fn login(
    address: &Address,
    credential: Option<&DockerCredential>,
    challenges: &[&str],
    scope: &str,
) -> Result<Option<Login>, Error> {
    let parsed: Vec<ChallengeRef<'_>> =
        challenges.iter().flat_map(|text| parse_challenges(text).unwrap_or_default()).collect();
    let scheme = |name: &str| parsed.iter().find(|challenge| challenge.scheme.eq_ignore_ascii_case(name));
    if let Some(challenge) = scheme("Bearer") {
        return bearer(address, credential, challenge, scope).map(Some);
    }
    match (scheme("Basic"), credential) {
        (Some(_), Some(DockerCredential::UsernamePassword(user, password))) => {
            Ok(Some(Login::Password(basic(user, password))))
        }
        _ => Ok(None),
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

fn bearer(
    address: &Address,
    credential: Option<&DockerCredential>,
    challenge: &ChallengeRef<'_>,
    scope: &str,
) -> Result<Login, Error> {
    let parameter = |name: &str| {
        let found = challenge.params.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_unescaped())
    };
    let realm = parameter("realm").unwrap_or_default();
    let service = parameter("service").unwrap_or_default();
    let mut url = match credential {
        Some(_) => address.realm(address.root(), &realm)?,
        // Nothing is sent that could be stolen.
        None => address.resolve(address.root(), &realm)?,
    };
    let password = match credential {
        // An identity token is exchanged, as OAuth 2 has it.
        Some(DockerCredential::IdentityToken(token)) => {
            let form = form_urlencoded::Serializer::new(String::new())
                .extend_pairs([("grant_type", "refresh_token"), ("client_id", "brawn")])
                .extend_pairs([("refresh_token", token.as_str()), ("service", &service), ("scope", scope)])
                .finish();
            return Ok(Login::Token { url, form: Some(form), password: None });
        }
        Some(DockerCredential::UsernamePassword(user, password)) => Some(basic(user, password)),
        None => None,
    };
    let scopes = scope.split(' ').map(|part| ("scope", part));
    url.query_pairs_mut().append_pair("service", &service).extend_pairs(scopes);
    Ok(Login::Token { url, form: None, password })
}

fn fetch(
    client: &Client,
    url: Url,
    form: Option<String>,
    password: Option<String>,
) -> Result<String, Failure> {
    let mut call = Call {
        method: Method::GET,
        url,
        headers: Vec::new(),
        payload: Payload::Nothing,
        scope: String::new(),
    };
    if let Some(form) = &form {
        call.method = Method::POST;
        call.headers.push(("content-type", "application/x-www-form-urlencoded".to_owned()));
        call.payload = Payload::Bytes(form.as_bytes());
    }
    let response = client.log_in(&call, password)?;
    if response.status() != 200 {
        return Err(Failure::lasting(client.refused(&call, response)));
    }
    let bytes = client.read(&call, response, "the answer to a login", limits::TOKEN)?;
    let token = token(&bytes).map_err(|what| client.protocol(&call, what))?;
    Ok(format!("Bearer {token}"))
}

/// The token in the answer to a login.
pub fn token(bytes: &[u8]) -> Result<String, String> {
    let token: Token =
        serde_json::from_slice(bytes).map_err(|error| format!("its token cannot be read: {error}"))?;
    let sound = |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    token.token.or(token.access_token).filter(sound).ok_or_else(|| "there is no token in it".to_owned())
}
