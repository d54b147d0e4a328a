use std::path::Path;
use std::sync::Arc;

use brawn_base::file;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use crate::Error;

/// Where distributions keep the authorities that the machine's owner trusts.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// TLS that trusts `SSL_CERT_FILE` if it is set, and otherwise the machine's authorities and Mozilla's.
///
/// # Errors
/// The file with the authorities cannot be read, or is none.
pub fn config() -> Result<TlsConfig, Error> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|value| !value.is_empty());
    let mut certificates = Vec::new();
    match named {
        Some(path) => certificates.extend(read(path.as_ref())?),
        None => {
            if let Some(path) = BUNDLES.iter().find(|path| Path::new(path).exists()) {
                certificates.extend(read(path.as_ref())?);
            }
            certificates.extend(
                webpki_root_certs::TLS_SERVER_ROOT_CERTS
                    .iter()
                    .map(|certificate| Certificate::from_der(certificate.as_ref()).to_owned()),
            );
        }
    }
    Ok(TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&certificates))
        .build())
}

fn read(path: &Path) -> Result<Vec<Certificate<'static>>, Error> {
    parse(path, &file::read(path, file::TEXT)?)
}

/// The certificates in PEM text; `path` is its name for messages.
pub fn parse(path: &Path, pem: &[u8]) -> Result<Vec<Certificate<'static>>, Error> {
    parse_pem(pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
            Ok(_) => None,
            Err(error) => Some(Err(Error::setting(
                format!("{} holds no certificates: {error}", path.display()),
                "SSL_CERT_FILE names a file in PEM form",
            ))),
        })
        .collect()
}
