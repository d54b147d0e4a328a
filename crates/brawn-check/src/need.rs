use serde::{Deserialize, Serialize};

use crate::Content;

/// Something that a program may look for outside itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Certificate authorities, for TLS.
    Certificates,
    /// Time zone files.
    Zones,
    /// `/etc/passwd` and `/etc/group`.
    Users,
    /// A folder for temporary files.
    Temporary,
    /// `/etc/nsswitch.conf`.
    Nsswitch,
    /// `/etc/resolv.conf` and `/etc/hosts`: names of other machines.
    Resolver,
    /// The `/proc` file system.
    Proc,
    /// The `/sys` file system.
    Sys,
    /// Device files in `/dev`.
    Devices,
    /// Shared libraries loaded while it runs.
    DynamicLoading,
    /// Locales and message catalogues.
    Locale,
    /// Other programs.
    Programs,
    /// The terminal database.
    Terminals,
    /// `/etc/services` and `/etc/protocols`.
    Services,
    /// The sockets of other programs: the system log, a name service.
    Sockets,
}

/// Who puts what a program needs into its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The image, by `--with`.
    Image(Content),
    /// Every container runtime; no one in a bare `chroot`. The image can carry it where a content is named.
    Runtime(Option<Content>),
    /// No one.
    None,
}

impl Need {
    /// Every need, in the order in which reports show them.
    pub const ALL: [Need; 15] = [
        Need::Certificates,
        Need::Zones,
        Need::Users,
        Need::Temporary,
        Need::Nsswitch,
        Need::Resolver,
        Need::Proc,
        Need::Sys,
        Need::Devices,
        Need::DynamicLoading,
        Need::Locale,
        Need::Programs,
        Need::Terminals,
        Need::Services,
        Need::Sockets,
    ];

    /// Its published name, as in the JSON form.
    pub const fn name(self) -> &'static str {
        match self {
            Need::Certificates => "certificates",
            Need::Zones => "zones",
            Need::Users => "users",
            Need::Temporary => "temporary",
            Need::Nsswitch => "nsswitch",
            Need::Resolver => "resolver",
            Need::Proc => "proc",
            Need::Sys => "sys",
            Need::Devices => "devices",
            Need::DynamicLoading => "dynamic-loading",
            Need::Locale => "locale",
            Need::Programs => "programs",
            Need::Terminals => "terminals",
            Need::Services => "services",
            Need::Sockets => "sockets",
        }
    }

    /// What it is, in words. No path in full: a program with this text would be told to look for it.
    pub const fn describe(self) -> &'static str {
        match self {
            Need::Certificates => "certificate authorities",
            Need::Zones => "time zone files",
            Need::Users => "names of users and groups",
            Need::Temporary => "a folder for temporary files",
            Need::Nsswitch => "nsswitch.conf",
            Need::Resolver => "name servers and names of machines",
            Need::Proc => "/proc",
            Need::Sys => "/sys",
            Need::Devices => "device files",
            Need::DynamicLoading => "shared libraries loaded at run time",
            Need::Locale => "locales or message catalogues",
            Need::Programs => "other programs",
            Need::Terminals => "the terminal database",
            Need::Services => "names of ports and protocols",
            Need::Sockets => "sockets of other programs",
        }
    }

    /// Who provides it.
    pub const fn provider(self) -> Provider {
        match self {
            Need::Certificates => Provider::Image(Content::Certificates),
            Need::Zones => Provider::Image(Content::Zones),
            Need::Users => Provider::Image(Content::Users),
            Need::Temporary => Provider::Image(Content::Tmp),
            Need::Nsswitch => Provider::Image(Content::Nsswitch),
            Need::Resolver => Provider::Runtime(Some(Content::Resolv)),
            Need::Proc | Need::Sys | Need::Devices => Provider::Runtime(None),
            Need::DynamicLoading
            | Need::Locale
            | Need::Programs
            | Need::Terminals
            | Need::Services
            | Need::Sockets => Provider::None,
        }
    }

    /// The part of an image that answers it.
    pub const fn content(self) -> Option<Content> {
        match self.provider() {
            Provider::Image(content) => Some(content),
            Provider::Runtime(content) => content,
            Provider::None => None,
        }
    }

    /// What to do where the image cannot help.
    pub const fn hint(self) -> Option<&'static str> {
        match self {
            Need::DynamicLoading => Some(
                "a static program cannot load libraries: link what it would load, or turn the feature off",
            ),
            Need::Locale => {
                Some("only the C locale is there; set LC_ALL=C.UTF-8 and expect untranslated messages")
            }
            Need::Programs => {
                Some("bring the programs along, static as well, or start from a base that has them")
            }
            Need::Terminals => {
                Some("bring the terminal database along (the folder terminfo), or set TERM=dumb")
            }
            Need::Services => Some("name ports by number"),
            Need::Sockets => Some("mount the socket into the container, or log to standard error"),
            _ => None,
        }
    }
}

impl std::fmt::Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.describe())
    }
}

/// How much the evidence for a need says. Whether the code runs at all cannot be told from the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// The code that would use it is there.
    Likely,
    /// Libraries bring the code along unasked, or do well without what it looks for.
    Possible,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        for need in Need::ALL {
            assert_eq!(serde_json::to_value(need).unwrap(), need.name());
        }
    }
}
