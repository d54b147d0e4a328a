use std::str::FromStr;

use super::address;
use crate::Error;

/// The name of an image in a registry: `HOST[:PORT]/NAME[:TAG][@sha256:…]`, with Docker's short forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Host, and port if it is given. `docker.io` for names without a host.
    pub registry: String,
    /// The path: `library/alpine`.
    pub repository: String,
    /// The tag.
    pub tag: Option<String>,
    /// The digest: `sha256:…`.
    pub digest: Option<String>,
}

const HUB: &str = "docker.io";

impl Reference {
    /// The tag, or the one that is meant when there is none.
    pub fn tag_or_latest(&self) -> &str {
        self.tag.as_deref().unwrap_or("latest")
    }

    /// Registry and path, as the result of a push shows them.
    pub fn repository_name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }

    /// The whole name with its tag.
    pub fn full(&self) -> String {
        format!("{}:{}", self.repository_name(), self.tag_or_latest())
    }

    /// The name as Docker shows it, without what goes without saying.
    pub fn familiar(&self) -> String {
        let full = self.full();
        let short = full.strip_prefix("docker.io/library/").or_else(|| full.strip_prefix("docker.io/"));
        short.unwrap_or(&full).to_owned()
    }

    /// Whether the registry is on this machine.
    pub fn is_local(&self) -> bool {
        address::host("http", self.host()).is_some_and(|url| address::is_loopback(&url))
    }

    /// Where requests go: Docker's own registry lives elsewhere than its name says.
    pub(super) fn host(&self) -> &str {
        if self.registry == HUB { "registry-1.docker.io" } else { &self.registry }
    }

    /// The name under which credentials are kept.
    pub(super) fn credentials_key(&self) -> &str {
        if self.registry == HUB { "https://index.docker.io/v1/" } else { &self.registry }
    }
}

impl FromStr for Reference {
    type Err = Error;

    fn from_str(given: &str) -> Result<Reference, Error> {
        let wrong = |what| Error::Reference { given: given.to_owned(), what };
        let (rest, digest) = match given.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (given, None),
        };
        if let Some(digest) = digest {
            let hex = digest.strip_prefix("sha256:").ok_or(wrong("its digest is not a sha256 one"))?;
            let sound = hex.len() == 64
                && hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            if !sound {
                return Err(wrong("its digest is not 64 hexadecimal digits"));
            }
        }
        // A colon after the last slash begins a tag; one before it, a port.
        let (path, tag) = match rest.rsplit_once(':') {
            Some((path, tag)) if !tag.contains('/') => (path, Some(tag)),
            _ => (rest, None),
        };
        if let Some(tag) = tag {
            let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            if tag.is_empty() || tag.len() > 128 || !tag.bytes().all(sound) || tag.starts_with(['.', '-']) {
                return Err(wrong("its tag holds what a tag may not"));
            }
        }
        let (registry, repository) = match path.split_once('/') {
            Some((host, repository)) if host.contains(['.', ':']) || host == "localhost" => {
                (host, repository.to_owned())
            }
            Some(_) => (HUB, path.to_owned()),
            None => (HUB, format!("library/{path}")),
        };
        // Names of hosts have no case, and the login is kept under the lower one.
        let registry = registry.to_ascii_lowercase();
        if address::host("https", &registry).is_none() {
            return Err(wrong("its host holds what a host may not"));
        }
        if repository.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(wrong("names of repositories are lower case"));
        }
        if !is_repository(&repository) {
            return Err(wrong("its path is not one of a repository"));
        }
        Ok(Reference { registry, repository, tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) })
    }
}

/// Whether a text can be the path of a repository: words of lower case letters and digits, with one dot, one or two
/// underscores or any number of dashes between them.
pub(crate) fn is_repository(path: &str) -> bool {
    let word = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let separator =
        |text: &str| matches!(text, "" | "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    let component = |component: &str| {
        component.starts_with(word) && component.ends_with(word) && component.split(word).all(separator)
    };
    path.len() <= 255 && path.split('/').all(component)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Reference {
        text.parse().unwrap()
    }

    #[test]
    fn only_this_machine_is_local() {
        for host in ["localhost", "localhost:5000", "127.0.0.1:80", "127.9.9.9", "[::1]:5000", "LOCALHOST:1"]
        {
            assert!(parse(&format!("{host}/a")).is_local(), "{host}");
        }
        for host in
            ["10.0.0.1", "localhost.example.com:5000", "127.0.0.1.example.com", "[fe80::1]:80", "example.com"]
        {
            assert!(!parse(&format!("{host}/a")).is_local(), "{host}");
        }
    }

    #[test]
    fn short_names_are_dockers() {
        assert_eq!(parse("alpine").full(), "docker.io/library/alpine:latest");
        assert_eq!(parse("me/app:1").full(), "docker.io/me/app:1");
        assert_eq!(parse("alpine").familiar(), "alpine:latest");
        assert_eq!(parse("me/app").familiar(), "me/app:latest");
        assert_eq!(parse("docker.io/library/a").credentials_key(), "https://index.docker.io/v1/");
    }

    #[test]
    fn hosts_ports_tags_and_digests() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let reference = parse(&format!("localhost:5000/a/b:v1.2@{digest}"));
        assert_eq!(
            (reference.registry.as_str(), reference.repository.as_str(), reference.tag_or_latest()),
            ("localhost:5000", "a/b", "v1.2")
        );
        assert_eq!(reference.digest.as_deref(), Some(digest.as_str()));
        assert_eq!(parse("[::1]:5000/x").registry, "[::1]:5000");
        assert_eq!(parse("GHCR.io/o/r__s--t.u").full(), "ghcr.io/o/r__s--t.u:latest");
        assert_eq!(parse("ghcr.io/o/r").familiar(), "ghcr.io/o/r:latest");
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for wrong in [
            "",
            "Alpine",
            "a//b",
            "a/:tag",
            "a:",
            "a:.x",
            "a@sha256:12",
            "a@md5:0",
            "host.io/-a",
            "a b",
            "x.io/",
            "a/../b",
            "x.io/a..b",
            "a/b___c",
            "a/b.-c",
            "[::1]evil.net:80/a",
            "localhost:5000.evil.net/a",
            "x.io:99999/a",
            "x.io:0/a",
            "[::1/a",
            "a\n.io/b",
            "x.io/a\nb",
            "x.io/a:b\nc",
        ] {
            assert!(wrong.parse::<Reference>().is_err(), "{wrong}");
        }
    }
}
