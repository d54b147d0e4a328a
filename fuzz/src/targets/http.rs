//! What a registry answers: headers that ask for a login, lead elsewhere or ask to wait, and the answer to a login.

use brawn_image::registry::{self, Access, Address, Login, Reference, header, is_loopback};
use docker_credential::DockerCredential;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

/// Lines `NAME: VALUE`, an empty line, and a body.
pub fn seeds() -> Vec<Vec<u8>> {
    let bearer = r#"www-authenticate: Bearer realm="https://ghcr.io/token",service="ghcr.io",scope="repository:a:pull""#;
    let basic = "www-authenticate: Basic realm=\"a \\\"b\\\" c\"";
    let both =
        "www-authenticate: Negotiate, bearer realm=http://localhost:5000/t?a=b, error=\"x\", Basic realm=x";
    [
        format!("{bearer}\nretry-after: 7\ncontent-length: 12\n\n{{\"token\":\"abc\"}}"),
        format!("{basic}\n{both}\nlocation: /v2/a/blobs/uploads/1?state=a%2Fb#c\n\n{{\"access_token\":\"a.b-c\"}}"),
        format!("{both}\nlocation: https://me:secret@ghcr.io/x\n\n{{\"errors\":[{{\"code\":\"DENIED\",\"message\":\"no\"}}]}}"),
        "location: //[::1]:5000/x\ndocker-content-digest: sha256:00\ncontent-type: a/b; c=d\n\n".to_owned(),
        "location: HTTP://127.0.0.1.evil.net:80\\@localhost/\nretry-after: Fri, 31 Dec 1999 23:59:59 GMT\n\n".to_owned(),
    ]
    .map(String::into_bytes)
    .into()
}

/// No answer may lead out of TLS, or take a login to where it does not belong.
pub fn read(bytes: &[u8]) {
    let end = bytes.windows(2).position(|window| window == b"\n\n");
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 2..]));
    let mut headers = HeaderMap::new();
    for line in head.split(|byte| *byte == b'\n').take(64) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = (HeaderName::from_bytes(&line[..colon]), line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    let _ = registry::token(body);
    let _ = registry::message(body);
    let _ = (header::retry_after(&headers), header::content_length(&headers));
    let _ = (header::media_type(&headers), header::content_digest(&headers));
    let user = DockerCredential::UsernamePassword("me".to_owned(), "secret".to_owned());
    let identity = DockerCredential::IdentityToken("secret".to_owned());
    for (registry, insecure) in [("ghcr.io", false), ("localhost:5000", true)] {
        let reference: Reference = format!("{registry}/a").parse().expect("it is one");
        let access = if insecure { Access::insecure() } else { Access::default() };
        let address = Address::new(&reference, &access).expect("it has one");
        let safe = |url: &Url| match url.scheme() {
            "https" => true,
            "http" => insecure && is_loopback(url),
            _ => false,
        };
        if let Some(location) = header::location(&headers)
            && let Ok(mut url) = address.resolve(address.root(), location)
        {
            assert!(safe(&url) && url.username().is_empty() && url.password().is_none(), "{url}");
            url.query_pairs_mut().append_pair("digest", "sha256:0");
        }
        let challenges = header::challenges(&headers);
        for credential in [None, Some(&user), Some(&identity)] {
            match registry::login(&address, credential, &challenges, "repository:a:pull") {
                Ok(Some(Login::Token { url, form, password })) => {
                    assert!(safe(&url), "{url}");
                    let sent = form.is_some() || password.is_some();
                    assert_eq!(sent, credential.is_some());
                    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
                    let own = insecure && is_loopback(&url) || host == "ghcr.io" || host == "localhost";
                    assert!(!sent || own, "a login for {registry} goes to {url}");
                }
                Ok(Some(Login::Password(_))) => assert!(credential.is_some()),
                Ok(None) | Err(_) => {}
            }
        }
    }
}
