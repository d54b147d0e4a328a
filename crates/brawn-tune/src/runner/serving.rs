//! A server: when it is ready, and what drives it.

use std::net::{SocketAddr, ToSocketAddrs};

use brawn_measure::{Ready, Service, Variant};

use crate::Error;
use crate::job::{Load, PORT, Server};

/// A server as `bench` drives it.
pub(super) fn service(server: &Server, port: &str) -> Result<Service, Error> {
    let fill = |text: &str| text.replace(PORT, port);
    let client = match &server.load {
        Load::Command(text) => Variant::new("client", "/bin/sh").args(["-c", &fill(text)]),
        Load::BuiltIn { client: (program, args), url, connections, seconds } => {
            Variant::new("client", program).args(args).args([
                fill(url),
                connections.to_string(),
                seconds.to_string(),
            ])
        }
    };
    Ok(Service {
        ready_limit: server.ready_limit,
        idle: Some(server.idle),
        stop: server.stop,
        with_children: server.with_children,
        ..Service::new(ready(&fill(&server.ready))?, client)
    })
}

/// What `--ready` says: a URL, a port, `HOST:PORT`, or `line:TEXT`.
///
/// # Errors
/// [`Error::Ready`].
pub fn ready(text: &str) -> Result<Ready, Error> {
    let wrong = |what: &str| Error::Ready { given: text.to_owned(), what: what.to_owned() };
    if let Some(line) = text.strip_prefix("line:") {
        return if line.is_empty() {
            Err(wrong("the line is empty"))
        } else {
            Ok(Ready::Line(line.to_owned()))
        };
    }
    if let Ok(port) = text.parse::<u16>() {
        return if port == 0 { Err(wrong("0 is no port")) } else { Ok(Ready::port(port)) };
    }
    if text.starts_with("https://") {
        return Err(wrong("only plain HTTP is understood"));
    }
    let Some(rest) = text.strip_prefix("http://") else {
        return Ok(Ready::Tcp(address(text).ok_or_else(|| wrong("it is neither a URL nor a port"))?));
    };
    let (host, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let place = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = address(&place).ok_or_else(|| wrong("there is no such host"))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok(Ready::Http { address, path })
}

fn address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok()?.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_be_ready_at() {
        assert_eq!(ready("8080").unwrap(), Ready::port(8080));
        assert_eq!(ready("127.0.0.1:8080").unwrap(), Ready::port(8080));
        assert_eq!(ready("line:listening").unwrap(), Ready::Line("listening".into()));
        let http = |path: &str| Ready::Http { address: ([127, 0, 0, 1], 81).into(), path: path.into() };
        assert_eq!(ready("http://127.0.0.1:81/healthz?x=1").unwrap(), http("/healthz?x=1"));
        assert_eq!(ready("http://127.0.0.1:81").unwrap(), http("/"));
        assert_eq!(ready("http://127.0.0.1:81?x").unwrap(), http("/?x"));
        for wrong in ["", "0", "line:", "https://127.0.0.1/", "nothing", "http://"] {
            assert!(matches!(ready(wrong), Err(Error::Ready { .. })), "{wrong}");
        }
    }
}
