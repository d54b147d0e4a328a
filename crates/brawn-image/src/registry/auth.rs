use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docker_credential::DockerCredential;
use http_auth::{ChallengeRef, parse_challenges};
use serde::Deserialize;
use ureq::http::Method;
use url::form_urlencoded;

use super::client::{Call, Client, Payload};
use super::retry::Failure;
use crate::limits;

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

/// The `Authorization` that answers a registry's challenge; nothing if it cannot be answered.
pub(super) fn answer(client: &Client, challenges: &[String], scope: &str) -> Result<Option<String>, Failure> {
    let parsed: Vec<ChallengeRef<'_>> =
        challenges.iter().flat_map(|text| parse_challenges(text).unwrap_or_default()).collect();
    let scheme = |name: &str| parsed.iter().find(|challenge| challenge.scheme.eq_ignore_ascii_case(name));
    if let Some(challenge) = scheme("Bearer") {
        return bearer(client, challenge, scope).map(Some);
    }
    match (scheme("Basic"), &client.credential) {
        (Some(_), Some(DockerCredential::UsernamePassword(user, password))) => {
            Ok(Some(basic(user, password)))
        }
        _ => Ok(None),
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Fetches a token from where the challenge says, as ourselves if we are somebody.
fn bearer(client: &Client, challenge: &ChallengeRef<'_>, scope: &str) -> Result<String, Failure> {
    let parameter = |name: &str| {
        let found = challenge.params.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_unescaped())
    };
    let realm = parameter("realm").unwrap_or_default();
    let service = parameter("service").unwrap_or_default();
    let root = client.address.root();
    let mut realm = match &client.credential {
        Some(_) => client.address.realm(root, &realm)?,
        // Nothing is sent that could be stolen.
        None => client.address.resolve(root, &realm)?,
    };
    let form;
    let mut password = None;
    let (method, headers, payload) = match &client.credential {
        // An identity token is exchanged, as OAuth 2 has it.
        Some(DockerCredential::IdentityToken(token)) => {
            form = form_urlencoded::Serializer::new(String::new())
                .extend_pairs([("grant_type", "refresh_token"), ("client_id", "brawn")])
                .extend_pairs([("refresh_token", token.as_str()), ("service", &service), ("scope", scope)])
                .finish();
            let form_type = ("content-type", "application/x-www-form-urlencoded".to_owned());
            (Method::POST, vec![form_type], Payload::Bytes(form.as_bytes()))
        }
        credential => {
            if let Some(DockerCredential::UsernamePassword(user, secret)) = credential {
                password = Some(basic(user, secret));
            }
            let scopes = scope.split(' ').map(|part| ("scope", part));
            realm.query_pairs_mut().append_pair("service", &service).extend_pairs(scopes);
            (Method::GET, Vec::new(), Payload::Nothing)
        }
    };
    let call = Call { method, url: realm, headers, payload, scope: String::new() };
    let response = client.log_in(&call, password)?;
    if response.status() != 200 {
        return Err(Failure::lasting(client.refused(&call, response)));
    }
    let bytes = client.read(&call, response, "the answer to a login", limits::TOKEN)?;
    let token = token(&bytes).map_err(|what| client.protocol(&call, what))?;
    Ok(format!("Bearer {token}"))
}

/// The token in the answer to a login.
pub(crate) fn token(bytes: &[u8]) -> Result<String, String> {
    let token: Token =
        serde_json::from_slice(bytes).map_err(|error| format!("its token cannot be read: {error}"))?;
    let sound = |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    token.token.or(token.access_token).filter(sound).ok_or_else(|| "there is no token in it".to_owned())
}
