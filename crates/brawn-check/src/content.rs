use serde::{Deserialize, Serialize};

/// A part of an image that can be left out: the names that `--with` and `--without` take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Certificate authorities, at `/etc/ssl/certs/ca-certificates.crt`.
    Certificates,
    /// Time zones, in `/usr/share/zoneinfo`.
    Zones,
    /// `/etc/passwd` and `/etc/group`.
    Users,
    /// An empty `/tmp` that everyone may write to.
    Tmp,
    /// `/etc/nsswitch.conf`, which says that names are looked up in files and by DNS.
    Nsswitch,
    /// `/etc/resolv.conf`, for a root that no container runtime puts one into.
    Resolv,
}

impl Content {
    /// Every part, in the order in which lists show them.
    pub const ALL: [Content; 6] = [
        Content::Certificates,
        Content::Zones,
        Content::Users,
        Content::Tmp,
        Content::Nsswitch,
        Content::Resolv,
    ];

    /// Its name for `--with`.
    pub const fn name(self) -> &'static str {
        match self {
            Content::Certificates => "certificates",
            Content::Zones => "zones",
            Content::Users => "users",
            Content::Tmp => "tmp",
            Content::Nsswitch => "nsswitch",
            Content::Resolv => "resolv",
        }
    }

    /// The part of this name.
    pub fn from_name(name: &str) -> Option<Content> {
        Content::ALL.into_iter().find(|content| content.name() == name)
    }
}

impl std::fmt::Display for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        for content in Content::ALL {
            assert_eq!(Content::from_name(content.name()), Some(content));
            assert_eq!(serde_json::to_value(content).unwrap(), content.name());
        }
        assert_eq!(Content::from_name("certs"), None);
    }
}
