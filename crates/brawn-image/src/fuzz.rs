//! The readers of what comes from outside, for a fuzzer: bytes in, no panic out.

use std::path::Path;

use brawn_elf::Arch;
use docker_credential::DockerCredential;
use oci_spec::image::{ImageConfiguration, ImageIndex, ImageManifest};
use ureq::http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::registry::{Access, Address, Login, Reference, header, is_loopback};
use crate::{Base, Platform, Store, check, registry, tarball};

/// Every document that a registry sends: index, manifest, configuration, token, errors.
pub fn registry_json(bytes: &[u8]) {
    let _ = serde_json::from_slice::<ImageIndex>(bytes);
    let _ = serde_json::from_slice::<ImageManifest>(bytes);
    let _ = serde_json::from_slice::<ImageConfiguration>(bytes);
    let _ = registry::token(bytes);
    registry::message(bytes);
}

/// A layer of a media type, of which at most `limit` bytes are unpacked; whether it is one.
pub fn layer(media_type: &str, bytes: &[u8], limit: u64) -> bool {
    tarball::digest(media_type, bytes, limit).is_ok()
}

/// An archive of a layout, with everything in it, as what is to be checked and as what is to be built upon; whether it is
/// one at all.
pub fn archive(bytes: &[u8]) -> bool {
    let path = Path::new("layout.tar");
    let Ok(store) = Store::parse(path, bytes) else { return false };
    let _ = check(&store);
    if let Ok(base) = Base::of_store("layout.tar", store, None) {
        for arch in [Arch::X86_64, Arch::Aarch64] {
            let _ = base.image(Platform { arch });
        }
    }
    true
}

/// An archive of a layout in a file.
pub fn archive_file(path: &Path) {
    if let Ok(store) = Store::open(path) {
        let _ = check(&store);
        let _ = Base::of_store("layout.tar", store, None);
    }
}

/// Certificates in PEM.
pub fn certificates(bytes: &[u8]) {
    let _ = registry::certificates(Path::new("bundle.pem"), bytes);
}

/// What `docker login` left. Where it names helpers, nothing but their names is looked at: none is run.
pub fn logins(bytes: &[u8]) {
    let names_helper = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    // An escape may spell a name.
    let helper = names_helper(b"credHelpers") || names_helper(b"credsStore") || bytes.contains(&b'\\');
    for name in ["alpine", "registry.example.com:5000/a/b"] {
        let reference: Reference = name.parse().expect("it is one");
        let path = Path::new("config.json");
        let _ = if helper {
            registry::strange_helper(bytes);
            Ok(None)
        } else {
            registry::credentials(path, bytes, &reference)
        };
    }
}

/// An answer of a registry: lines `NAME: VALUE`, an empty line, and a body.
///
/// # Panics
/// If it would lead out of TLS, or take a login to where it does not belong.
pub fn answer(bytes: &[u8]) {
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
