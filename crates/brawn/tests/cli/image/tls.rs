//! A TLS client in an image with nothing else in it: it reaches a server whose authority it was given, and no other.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use super::chroot;
use crate::common::{Sandbox, fails, ok};

/// A server's side of TLS with a certificate for `localhost`, and the authority.
pub fn server() -> (Arc<ServerConfig>, String) {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    (Arc::new(config), authority.pem())
}

/// Serves one `ping` per connection; gives the port and the authority.
fn serve() -> (u16, String) {
    let (config, authority) = server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = Stream::new(&mut connection, &mut socket);
            let mut request = [0; 4];
            // A client that does not trust us hangs up here.
            if stream.read_exact(&mut request).is_ok() {
                let _ = stream.write_all(b"pong");
            }
        }
    });
    (port, authority)
}

#[test]
fn a_client_trusts_the_authority_that_its_image_was_given() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/tls-client");
    let fetch = Command::new("cargo").args(["fetch", "--locked"]).current_dir(&project).output().unwrap();
    if !fetch.status.success() {
        assert!(std::env::var_os("CI").is_none(), "the crates of rustls cannot be had");
        eprintln!("left out: the crates of rustls cannot be had");
        return;
    }
    let sandbox = Sandbox::new();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tls-client");
    let (port, authority) = serve();
    let authority = sandbox.write("authority.pem", authority);
    let root = |name: &str, more: &[&str]| {
        let root = sandbox.path().join(name);
        let mut command = sandbox.brawn(&["-q", "image", "--rootfs", root.to_str().unwrap()]);
        ok(command
            .args(more)
            .current_dir(&project)
            .env("CARGO_TARGET_DIR", &target)
            .args(["--", "--locked"]));
        root
    };
    let port = port.to_string();
    let args = ["/tls-client", port.as_str()];
    let message = fails(&mut chroot(&root("mozilla", &["--with", "certificates"]), &args), 1);
    assert!(message.contains("UnknownIssuer"), "{message}");
    let given = root("given", &["--certificate", authority.to_str().unwrap()]);
    assert_eq!(ok(&mut chroot(&given, &args)), "secure\n");
    let message = fails(&mut chroot(&root("none", &["--without", "all"]), &args), 1);
    assert!(message.contains("NotFound") || message.contains("No such file"), "{message}");
}
