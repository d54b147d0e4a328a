//! `tls-client PORT`: says `secure` if a server on this machine shows a certificate of an authority in the usual file.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, Stream};

const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("no port")?.parse()?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(BUNDLE)? {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut connection = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    let mut stream = Stream::new(&mut connection, &mut socket);
    stream.write_all(b"ping")?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer)?;
    println!("{}", if &answer == b"pong" { "secure" } else { "strange" });
    Ok(())
}
