use url::{Host, Url};

use super::{Access, Reference};
use crate::Error;

/// A registry's own address, and how it judges others that the registry names: in redirects, as the place of an upload
/// and as the place of a login.
#[derive(Debug)]
pub struct Address {
    /// The name under which the registry is known.
    registry: String,
    /// Scheme, host and port.
    root: Url,
    /// Hosts that may be sent the login besides the registry's own.
    token_hosts: Vec<String>,
}

impl Address {
    /// The address behind a reference.
    ///
    /// # Errors
    /// [`Error::Insecure`] for clear text with a registry elsewhere, [`Error::Reference`] for a host that is none.
    pub fn new(reference: &Reference, access: &Access) -> Result<Address, Error> {
        let scheme = if access.insecure { "http" } else { "https" };
        let root = host(scheme, reference.host()).ok_or_else(|| Error::Reference {
            given: reference.full(),
            what: "its host holds what a host may not",
        })?;
        if access.insecure && !is_loopback(&root) {
            return Err(Error::Insecure { registry: reference.registry.clone() });
        }
        let token_hosts = access.token_hosts.iter().map(|given| {
            let url = host("https", given).filter(|url| url.port().is_none());
            url.map(|url| name(&url)).ok_or_else(|| {
                Error::setting(format!("'{given}' is no host"), "say the name alone: login.example.com")
            })
        });
        let token_hosts = token_hosts.collect::<Result<_, _>>()?;
        Ok(Address { registry: reference.registry.clone(), root, token_hosts })
    }

    /// The registry's root: `https://ghcr.io/`.
    pub fn root(&self) -> &Url {
        &self.root
    }

    /// What the registry names, which may be relative to `from`.
    ///
    /// # Errors
    /// [`Error::ClearText`] if it leads out of TLS, or in clear text away from this machine; [`Error::Protocol`] if it is
    /// no address of HTTP, or carries a login of its own.
    pub fn resolve(&self, from: &Url, named: &str) -> Result<Url, Error> {
        let strange = |what: &str| Error::Protocol {
            registry: self.registry.clone(),
            request: shown(from),
            what: what.to_owned(),
        };
        let mut url =
            from.join(named).map_err(|error| strange(&format!("an address that is none: {error}")))?;
        if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
            return Err(strange(&format!("an address of the scheme {}", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(strange("an address with a user name in it"));
        }
        url.set_fragment(None);
        let clear_text_allowed = self.root.scheme() == "http" && is_loopback(&url);
        if url.scheme() == "http" && !clear_text_allowed {
            return Err(Error::ClearText { registry: self.registry.clone(), address: shown(&url) });
        }
        Ok(url)
    }

    /// Whether an address is the registry's: scheme, host and port. Only then it may see a login.
    pub fn is_registry(&self, url: &Url) -> bool {
        same_origin(&self.root, url)
    }

    /// Judges the place to which the registry sends the login.
    ///
    /// # Errors
    /// As [`Address::resolve`], and [`Error::TokenHost`] for a host that has nothing to do with the registry.
    pub fn realm(&self, from: &Url, named: &str) -> Result<Url, Error> {
        let url = self.resolve(from, named)?;
        let (own, other) = (name(&self.root), name(&url));
        // Without encryption both are this machine.
        let fine = url.scheme() == "http"
            || related(&own, &other, matches!(self.root.host(), Some(Host::Domain(_))))
            || self.token_hosts.contains(&other);
        if fine { Ok(url) } else { Err(Error::TokenHost { registry: self.registry.clone(), host: other }) }
    }
}

/// The address of `HOST[:PORT]`, if it is nothing but that, without what a parser would drop or read as something else.
pub(super) fn host(scheme: &str, given: &str) -> Option<Url> {
    if !given.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte)) {
        return None;
    }
    let url = Url::parse(&format!("{scheme}://{given}/")).ok()?;
    (url.has_host() && url.port() != Some(0)).then_some(url)
}

/// Whether two addresses have the same scheme, host and port.
pub(super) fn same_origin(one: &Url, other: &Url) -> bool {
    let of = |url: &Url| (url.scheme().to_owned(), name(url), url.port_or_known_default());
    of(one) == of(other)
}

/// Scheme, host and port, for people; a path or a query may hold secrets.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

/// Whether a host is this machine, by its address or as `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(_)) => name(url) == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The host without the dot that says that a name is complete.
fn name(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.strip_suffix('.').unwrap_or(host).to_owned()
}

/// Whether `other` may take the login of `own`: the same host, the one above it, or one beside it, as `auth.docker.io` is
/// beside `registry-1.docker.io`. One word alone (`io`) is above nothing.
fn related(own: &str, other: &str, named: bool) -> bool {
    let above = own.split_once('.').map(|(_, above)| above).filter(|above| named && above.contains('.'));
    own == other || above.is_some_and(|above| other == above || other.ends_with(&format!(".{above}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(registry: &str, insecure: bool) -> Address {
        let reference: Reference = format!("{registry}/a").parse().unwrap();
        Address::new(&reference, &Access { insecure, ..Access::default() }).unwrap()
    }

    /// What becomes of an address that a registry names: where it leads, or which error.
    fn led(registry: &str, insecure: bool, named: &str) -> String {
        let address = address(registry, insecure);
        let from = address.root().join("/v2/a/blobs/uploads/").unwrap();
        match address.resolve(&from, named) {
            Ok(url) if address.is_registry(&url) => format!("own {url}"),
            Ok(url) => format!("other {url}"),
            Err(Error::ClearText { address, .. }) => format!("clear text {address}"),
            Err(Error::Protocol { what, .. }) => what,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn tls_is_never_left() {
        for (named, expected) in [
            ("/v2/x", "own https://reg.example.com/v2/x"),
            ("7?state=x", "own https://reg.example.com/v2/a/blobs/uploads/7?state=x"),
            ("?state=x", "own https://reg.example.com/v2/a/blobs/uploads/?state=x"),
            ("../../../../x", "own https://reg.example.com/x"),
            ("HTTPS://REG.example.COM:443/x", "own https://reg.example.com/x"),
            ("https://reg.example.com./x", "own https://reg.example.com./x"),
            ("https://reg.example.com:8443/x", "other https://reg.example.com:8443/x"),
            ("https://cdn.example.net/x?sig=a%2Fb", "other https://cdn.example.net/x?sig=a%2Fb"),
            ("//cdn.example.net/x", "other https://cdn.example.net/x"),
            ("\\\\cdn.example.net\\x", "other https://cdn.example.net/x"),
            ("https://reg.example.com.evil.net/", "other https://reg.example.com.evil.net/"),
            ("http://reg.example.com/x", "clear text http://reg.example.com"),
            ("HTTP://reg.example.com/x", "clear text http://reg.example.com"),
            ("hTTp://cdn.example.net:80/x", "clear text http://cdn.example.net"),
            (" http://cdn.example.net/x", "clear text http://cdn.example.net"),
            ("ht\ttp://cdn.example.net/x", "clear text http://cdn.example.net"),
            ("http:cdn.example.net", "clear text http://cdn.example.net"),
            ("http://127.0.0.1/x", "clear text http://127.0.0.1"),
            ("http://[::1]/x", "clear text http://[::1]"),
            ("https://reg.example.com@evil.net/x", "an address with a user name in it"),
            ("https://me:secret@reg.example.com/x", "an address with a user name in it"),
            ("http://[::1]@evil.net/x", "an address with a user name in it"),
            ("http://127.0.0.1:80@evil.net/x", "an address with a user name in it"),
            ("ftp://reg.example.com/x", "an address of the scheme ftp"),
            ("file:///etc/passwd", "an address of the scheme file"),
            ("data:text/plain,x", "an address of the scheme data"),
            ("https://", "an address that is none: empty host"),
            ("https://[::1/x", "an address that is none: invalid IPv6 address"),
            ("https://a:99999/", "an address that is none: invalid port number"),
            ("https://l.N%80la/", "an address that is none: invalid international domain name"),
            ("HTTP:l.N\t%80la\\lhc", "an address that is none: invalid international domain name"),
        ] {
            assert_eq!(led("reg.example.com", false, named), expected, "{named}");
        }
    }

    #[test]
    fn clear_text_stays_on_this_machine() {
        for (named, expected) in [
            ("/v2/x", "own http://127.0.0.1:5000/v2/x"),
            ("HTTP://127.0.0.1:5000/x", "own http://127.0.0.1:5000/x"),
            ("http://0x7f.1:5000/x", "own http://127.0.0.1:5000/x"),
            ("http://127.0.0.1:5001/x", "other http://127.0.0.1:5001/x"),
            ("http://localhost:5000/x", "other http://localhost:5000/x"),
            ("http://LOCALHOST.:5000/x", "other http://localhost.:5000/x"),
            ("http://[::1]:5000/x", "other http://[::1]:5000/x"),
            ("https://127.0.0.1:5000/x", "other https://127.0.0.1:5000/x"),
            ("https://cdn.example.net/x", "other https://cdn.example.net/x"),
            ("//evil.net/x", "clear text http://evil.net"),
            ("http://evil.net/x", "clear text http://evil.net"),
            ("HTTP://evil.net:5000/x", "clear text http://evil.net:5000"),
            ("hTTp://192.0.2.1/x", "clear text http://192.0.2.1"),
            ("http://localhost.evil.net/x", "clear text http://localhost.evil.net"),
            ("http://127.0.0.1.evil.net/x", "clear text http://127.0.0.1.evil.net"),
            ("http://[fe80::1]/x", "clear text http://[fe80::1]"),
            ("http://[::1]@evil.net/x", "an address with a user name in it"),
            ("http://localhost:80@evil.net/x", "an address with a user name in it"),
            ("http://evil.net\\@127.0.0.1/x", "clear text http://evil.net"),
        ] {
            assert_eq!(led("127.0.0.1:5000", true, named), expected, "{named}");
        }
    }

    #[test]
    fn the_login_goes_to_the_registry_and_what_belongs_to_it() {
        let realm = |registry: &str, insecure, named: &str| {
            let address = address(registry, insecure);
            match address.realm(address.root(), named) {
                Ok(_) => "sent",
                Err(Error::TokenHost { .. }) => "another host",
                Err(Error::ClearText { .. }) => "clear text",
                Err(Error::Protocol { .. }) => "no address",
                Err(other) => panic!("{other}"),
            }
        };
        for (registry, named, expected) in [
            ("docker.io", "https://auth.docker.io/token", "sent"),
            ("ghcr.io", "https://ghcr.io/token", "sent"),
            ("ghcr.io", "/token", "sent"),
            ("ghcr.io", "https://GHCR.IO.:443/token", "sent"),
            ("ghcr.io", "https://evil.io/token", "another host"),
            ("ghcr.io", "https://io/token", "another host"),
            ("registry.gitlab.com", "https://gitlab.com/jwt/auth", "sent"),
            ("registry.gitlab.com", "https://evilgitlab.com/jwt/auth", "another host"),
            ("registry.gitlab.com", "https://gitlab.com.evil.net/", "another host"),
            ("192.0.2.7:5000", "https://192.0.2.7/token", "sent"),
            ("192.0.2.7:5000", "https://198.0.2.7/token", "another host"),
            ("192.0.2.7:5000", "https://0.2.7/token", "another host"),
            ("ghcr.io", "http://ghcr.io/token", "clear text"),
            ("ghcr.io", "HTTP://ghcr.io/token", "clear text"),
            ("ghcr.io", "hTTp://[::1]/token", "clear text"),
            ("ghcr.io", "http://[::1]@evil.net/token", "no address"),
            ("ghcr.io", "https://ghcr.io@evil.net/token", "no address"),
        ] {
            assert_eq!(realm(registry, false, named), expected, "{registry}: {named}");
        }
        for (named, expected) in [
            ("http://127.0.0.1:5001/token", "sent"),
            ("http://localhost:7/token", "sent"),
            ("HTTP://evil.net/token", "clear text"),
            ("hTTp://evil.net/token", "clear text"),
            ("//evil.net/token", "clear text"),
            ("http://[::1]@evil.net/token", "no address"),
            ("https://evil.net/token", "another host"),
        ] {
            assert_eq!(realm("127.0.0.1:5000", true, named), expected, "{named}");
        }
    }

    #[test]
    fn a_token_host_that_is_named_is_allowed() {
        let reference: Reference = "rg.example.cloud/a".parse().unwrap();
        let with = |host: &str| {
            Address::new(&reference, &Access { token_hosts: vec![host.to_owned()], ..Access::default() })
        };
        let address = with("API.example.com").unwrap();
        assert!(address.realm(address.root(), "https://api.example.com/token").is_ok());
        assert!(address.realm(address.root(), "https://b.example.com/token").is_err());
        for wrong in ["", "https://x.io", "a@b.io", "x.io:443a", "x.io/y", "x.io:8443"] {
            assert!(matches!(with(wrong), Err(Error::Setting { .. })), "{wrong}");
        }
    }

    #[test]
    fn names_in_other_scripts_are_refused_and_their_ascii_form_is_not() {
        assert!(host("https", "xn--bcher-kva.example").is_some());
        for wrong in ["bücher.example", "reg\u{ad}istry.io", "ｇhcr.io", "ghcr.io\u{3002}net"] {
            assert!(host("https", wrong).is_none(), "{wrong}");
        }
    }
}
