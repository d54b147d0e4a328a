use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::layer::{Entries, Entry, Kind};

/// Where the bundle is: Debian's place, which Go, OpenSSL's users and rustls look at.
pub const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";

/// OpenSSL's own places when it was built with the prefix `/usr` or `/etc/ssl`.
const LINKS: &[&str] = &["etc/ssl/cert.pem"];

/// The version of the crate that carries Mozilla's list.
pub const VERSION: &str = "1.0.11";

/// The day on which that version of the list was published.
pub const DATE: &str = "2026-10-23";

pub(super) fn add(entries: &mut Entries) {
    entries.insert(BUNDLE.to_owned(), Entry::file(pem().into_bytes()));
    for link in LINKS {
        let kind = Kind::HardLink(BUNDLE.to_owned());
        entries.insert((*link).to_owned(), Entry { kind, mode: 0o644, owner: 0 });
    }
}

fn pem() -> String {
    let mut text = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        text.push_str("-----BEGIN CERTIFICATE-----\n");
        let encoded = STANDARD.encode(certificate.as_ref());
        for line in encoded.as_bytes().chunks(64) {
            text.push_str(std::str::from_utf8(line).expect("base64 is ASCII"));
            text.push('\n');
        }
        text.push_str("-----END CERTIFICATE-----\n");
    }
    text
}
