//! What a path of the file system belongs to.

use std::sync::LazyLock;

use brawn_elf::obfuscated::{obfuscate, reveal};

use crate::Need;

macro_rules! paths {
    ($name:ident: $($path:literal => $need:ident,)+) => {
        const $name: &[(&[u8], Need)] = &[$((&obfuscate($path), Need::$need)),+];
    };
}

// Files.
paths! { EXACT:
    b"/etc/localtime" => Zones,
    b"/etc/timezone" => Zones,
    b"/etc/TZ" => Zones,
    b"/etc/passwd" => Users,
    b"/etc/group" => Users,
    b"/etc/shadow" => Users,
    b"/etc/nsswitch.conf" => Nsswitch,
    b"/etc/resolv.conf" => Resolver,
    b"/etc/hosts" => Resolver,
    b"/etc/host.conf" => Resolver,
    b"/etc/hostname" => Resolver,
    b"/etc/gai.conf" => Resolver,
    b"/etc/services" => Services,
    b"/etc/protocols" => Services,
    b"/dev/log" => Sockets,
    b"/etc/ld.so.cache" => DynamicLoading,
    b"/etc/ld.so.preload" => DynamicLoading,
}

// Folders, with all that is in them.
paths! { UNDER:
    b"/etc/ssl" => Certificates,
    b"/etc/pki" => Certificates,
    b"/etc/ca-certificates" => Certificates,
    b"/etc/certs" => Certificates,
    b"/etc/openssl" => Certificates,
    b"/etc/security/cacerts" => Certificates,
    b"/usr/share/ssl" => Certificates,
    b"/usr/share/ca-certificates" => Certificates,
    b"/usr/lib/ssl" => Certificates,
    b"/usr/local/ssl" => Certificates,
    b"/usr/local/share/certs" => Certificates,
    b"/var/ssl" => Certificates,
    b"/usr/share/zoneinfo" => Zones,
    b"/usr/lib/zoneinfo" => Zones,
    b"/usr/share/lib/zoneinfo" => Zones,
    b"/usr/lib/locale/TZ" => Zones,
    b"/share/zoneinfo" => Zones,
    b"/etc/zoneinfo" => Zones,
    b"/tmp" => Temporary,
    b"/var/tmp" => Temporary,
    b"/proc" => Proc,
    b"/sys" => Sys,
    b"/usr/share/terminfo" => Terminals,
    b"/usr/lib/terminfo" => Terminals,
    b"/lib/terminfo" => Terminals,
    b"/etc/terminfo" => Terminals,
    b"/etc/termcap" => Terminals,
    b"/usr/share/locale" => Locale,
    b"/usr/lib/locale" => Locale,
    b"/usr/share/i18n" => Locale,
    b"/usr/lib/gconv" => Locale,
    b"/run" => Sockets,
    b"/var/run" => Sockets,
    b"/dev" => Devices,
}

struct Table {
    exact: Vec<(String, Need)>,
    under: Vec<(String, Need)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let texts = |obfuscated: &[(&[u8], Need)]| {
        let text = |path: &[u8]| String::from_utf8(reveal(path)).expect("plain text");
        obfuscated.iter().map(|(path, need)| (text(path), *need)).collect()
    };
    Table { exact: texts(EXACT), under: texts(UNDER) }
});

/// What names the zone of this machine: without it, it is UTC.
const DEFAULT_ZONE: [&[u8]; 3] =
    [&obfuscate(b"/etc/localtime"), &obfuscate(b"/etc/timezone"), &obfuscate(b"/etc/TZ")];

impl Need {
    /// Whether the path only asks which time zone this machine is in.
    pub(crate) fn is_default_zone(path: &str) -> bool {
        DEFAULT_ZONE.iter().any(|known| reveal(known) == path.as_bytes())
    }

    /// What a path of the file system belongs to, if it is one of these.
    pub fn of_path(path: &str) -> Option<Need> {
        if let Some((_, need)) = TABLE.exact.iter().find(|(exact, _)| exact == path) {
            return Some(*need);
        }
        let is_under = |folder: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Some((_, need)) = TABLE.under.iter().find(|(folder, _)| is_under(folder)) {
            return Some(*need);
        }
        let file = path.rsplit('/').next().unwrap_or_default();
        (file.ends_with(".so") || file.contains(".so.")).then_some(Need::DynamicLoading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_needs() {
        let cases = [
            ("/etc/ssl/certs/ca-certificates.crt", Some(Need::Certificates)),
            ("/etc/sslx", None),
            ("/usr/share/zoneinfo/Europe/Vienna", Some(Need::Zones)),
            ("/etc/passwd", Some(Need::Users)),
            ("/etc/passwd-", None),
            ("/tmp", Some(Need::Temporary)),
            ("/dev/log", Some(Need::Sockets)),
            ("/dev/null", Some(Need::Devices)),
            ("/usr/lib/libfoo.so.1", Some(Need::DynamicLoading)),
            ("/data/config.toml", None),
        ];
        for (path, need) in cases {
            assert_eq!(Need::of_path(path), need, "{path}");
        }
    }
}
