use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docker_credential::DockerCredential;
use http_auth::{ChallengeRef, parse_challenges};
use serde::Deserialize;
use ureq::http::Method;

use super::client::{Call, Client, Payload};
use super::retry::Failure;

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
    client.allowed(&realm)?;
    let mut query = format!("service={}", percent(&service));
    for part in scope.split(' ') {
        query.push_str(&format!("&scope={}", percent(part)));
    }
    let separator = if realm.contains('?') { '&' } else { '?' };
    let form;
    let call = match &client.credential {
        // An identity token is exchanged, as OAuth 2 has it.
        Some(DockerCredential::IdentityToken(token)) => {
            form = format!(
                "grant_type=refresh_token&client_id=brawn&refresh_token={}&service={}&scope={}",
                percent(token),
                percent(&service),
                percent(scope)
            );
            Call {
                method: Method::POST,
                url: realm.clone(),
                headers: vec![("content-type", "application/x-www-form-urlencoded".to_owned())],
                payload: Payload::Bytes(form.as_bytes()),
                scope: String::new(),
            }
        }
        credential => {
            let headers = match credential {
                Some(DockerCredential::UsernamePassword(user, password)) => {
                    vec![("authorization", basic(user, password))]
                }
                _ => Vec::new(),
            };
            Call {
                method: Method::GET,
                url: format!("{realm}{separator}{query}"),
                headers,
                payload: Payload::Nothing,
                scope: String::new(),
            }
        }
    };
    let response = client.run_plain(&call)?;
    if response.status() != 200 {
        return Err(Failure::lasting(client.refused(&call, response)));
    }
    let bytes = client.read(&call, response)?;
    let token: Token = serde_json::from_slice(&bytes)
        .map_err(|error| client.protocol(&call, format!("its token cannot be read: {error}")))?;
    let token =
        token.token.or(token.access_token).filter(|token| token.bytes().all(|byte| byte.is_ascii_graphic()));
    let token = token.ok_or_else(|| client.protocol(&call, "there is no token in it"))?;
    Ok(format!("Bearer {token}"))
}

/// What a query may not hold as it is.
pub(super) fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
