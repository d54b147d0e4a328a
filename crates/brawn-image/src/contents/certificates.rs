use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use brawn_base::file;
use ureq::tls::{PemItem, parse_pem};

use crate::Error;
use crate::layer::{Entries, Entry, Kind};

/// Where the bundle is: Debian's place, which Go, OpenSSL's users and rustls look at.
pub const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";

/// OpenSSL's own places when it was built with the prefix `/usr` or `/etc/ssl`.
const LINKS: &[&str] = &["etc/ssl/cert.pem"];

/// The version of the crate that carries Mozilla's list.
pub const VERSION: &str = "1.0.11";

/// The day on which that version of the list was published.
pub const DATE: &str = "2026-10-23";

/// Reads certificate authorities from files in PEM form, and writes them as the bundle has them.
pub fn read(files: &[String]) -> Result<String, Error> {
    let mut text = String::new();
    for file in files {
        let path = Path::new(file);
        let before = text.len();
        for item in parse_pem(&file::read(path, file::TEXT)?) {
            let unusable = |what: String| Error::Setting {
                what: format!("{file} {what}"),
                hint: Some("a certificate authority begins with -----BEGIN CERTIFICATE-----".to_owned()),
            };
            match item.map_err(|error| unusable(format!("is damaged: {error}")))? {
                PemItem::Certificate(certificate) => append(&mut text, certificate.der()),
                // Never into an image that others will see.
                _ => return Err(unusable("holds a key, and not only certificates".to_owned())),
            }
        }
        if text.len() == before {
            return Err(Error::setting(
                format!("{file} holds no certificate"),
                "a certificate authority begins with -----BEGIN CERTIFICATE-----",
            ));
        }
    }
    Ok(text)
}

pub(super) fn add(extra: &str, entries: &mut Entries) {
    let mut pem = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        append(&mut pem, certificate.as_ref());
    }
    pem.push_str(extra);
    entries.insert(BUNDLE.to_owned(), Entry::file(pem.into_bytes()));
    for link in LINKS {
        let kind = Kind::HardLink(BUNDLE.to_owned());
        entries.insert((*link).to_owned(), Entry { kind, mode: 0o644, owner: 0 });
    }
}

fn append(text: &mut String, der: &[u8]) {
    text.push_str("-----BEGIN CERTIFICATE-----\n");
    let encoded = STANDARD.encode(der);
    for line in encoded.as_bytes().chunks(64) {
        text.push_str(std::str::from_utf8(line).expect("base64 is ASCII"));
        text.push('\n');
    }
    text.push_str("-----END CERTIFICATE-----\n");
}
