//! The texts and symbols by which a need shows, one row each.
//!
//! A new clue is one row. A text must come with the code that reads it; it may stand anywhere in a longer one, because
//! Rust and Go write texts without an end. Of clues that begin at the same place, the longest counts.

use brawn_elf::obfuscated::obfuscate;

use crate::Strength::{Likely, Possible};
use crate::{Need, Strength};

/// A text in constant data.
pub(crate) struct Text {
    pub obfuscated: &'static [u8],
    /// None for a text that only keeps a shorter one from being found.
    pub need: Option<Need>,
    pub strength: Strength,
    /// Who holds this text and for what, to be read after it.
    pub why: &'static str,
}

/// A function that the program calls or that is linked into it.
pub(crate) struct Function {
    pub names: &'static [&'static str],
    pub need: Need,
    pub strength: Strength,
}

macro_rules! texts {
    ($($text:literal => $need:expr, $strength:ident, $why:literal;)+) => {
        pub(crate) const TEXTS: &[Text] = &[
            $(Text { obfuscated: &obfuscate($text), need: $need, strength: $strength, why: $why }),+
        ];
    };
}

texts! {
    b"SSL_CERT_FILE" => Some(Need::Certificates), Likely, "names a file with certificates";
    b"SSL_CERT_DIR" => Some(Need::Certificates), Likely, "names a folder with certificates";
    b"/etc/ssl/certs" => Some(Need::Certificates), Likely, "the folder of certificates";
    b"/etc/ssl/cert.pem" => Some(Need::Certificates), Likely, "the file of certificates";
    b"/etc/pki/tls/" => Some(Need::Certificates), Likely, "certificates on other systems";
    b"/etc/pki/ca-trust" => Some(Need::Certificates), Likely, "certificates on other systems";

    b"/usr/share/zoneinfo" => Some(Need::Zones), Likely, "the folder of time zones";
    b"/usr/share/zoneinfo/\0/share/zoneinfo/\0/etc/zoneinfo/\0" =>
        Some(Need::Zones), Possible, "musl's local time; without zone files it is UTC";
    b"/etc/localtime" => Some(Need::Zones), Possible, "the local time zone; without it, it is UTC";

    b"/etc/passwd" => Some(Need::Users), Likely, "names of users";
    b"/etc/group" => Some(Need::Users), Likely, "names of groups";

    b"TMPDIR" => Some(Need::Temporary), Likely, "names the folder for temporary files";
    b"/tmp/" => Some(Need::Temporary), Likely, "a file for a while";

    b"/etc/nsswitch.conf" => Some(Need::Nsswitch), Likely, "where names are looked up";
    b"/etc/resolv.conf" => Some(Need::Resolver), Likely, "name servers";
    b"/etc/hosts" => Some(Need::Resolver), Likely, "names of machines";
    b"/etc/services" => Some(Need::Services), Possible, "names of ports";
    b"/etc/protocols" => Some(Need::Services), Possible, "names of protocols";

    b"/proc/" => Some(Need::Proc), Likely, "";
    b"/proc/self/exe" => Some(Need::Proc), Possible, "the path of the program; Rust reads it for backtraces";
    b"/proc/self/maps" => Some(Need::Proc), Possible, "Rust reads it for backtraces";
    b"/proc/self/fd/" => Some(Need::Proc), Possible, "musl falls back on it";
    b"/proc/self/cgroup" => Some(Need::Proc), Possible, "Rust counts processors by it; without it, it asks the kernel";
    b"/proc/self/mountinfo" => Some(Need::Proc), Possible, "Rust counts processors by it; without it, it asks the kernel";
    b"/sys/" => Some(Need::Sys), Likely, "";
    b"/sys/fs/cgroup" => Some(Need::Sys), Possible, "limits of the container";
    b"/sys/kernel/mm/transparent_hugepage" => Some(Need::Sys), Possible, "huge pages";
    b"/dev/urandom" => Some(Need::Devices), Possible, "random numbers where the kernel has no call for them";
    b"/dev/random" => Some(Need::Devices), Possible, "random numbers where the kernel has no call for them";
    b"/dev/tty" => Some(Need::Devices), Likely, "the terminal";
    b"/dev/shm" => Some(Need::Devices), Likely, "shared memory";
    b"/dev/log" => Some(Need::Sockets), Likely, "the system log";

    b"Dynamic loading not supported" =>
        Some(Need::DynamicLoading), Likely, "what musl answers to dlopen in a static program";
    b"MUSL_LOCPATH" => Some(Need::Locale), Possible, "it sets a locale; musl has C and C.UTF-8 built in";
    b"/usr/share/locale" => Some(Need::Locale), Possible, "message catalogues";

    b"/bin/sh" => Some(Need::Programs), Likely, "it starts a shell";
    b"/usr/local/bin:/bin:/usr/bin" => Some(Need::Programs), Likely, "it looks for programs on the path";
    b"os/exec.(*Cmd).Start" => Some(Need::Programs), Likely, "it starts programs";
    b"/usr/share/terminfo" => Some(Need::Terminals), Likely, "how terminals are driven";
    b"/etc/terminfo" => Some(Need::Terminals), Likely, "how terminals are driven";

    // No one reads these: they stand in help texts and in `#!` lines that a program writes or looks for.
    b"#!/bin/sh" => None, Possible, "";
    b"/proc/sys/" => Some(Need::Proc), Possible, "settings of the kernel";
}

macro_rules! functions {
    ($($need:ident, $strength:ident: $($name:literal)+;)+) => {
        /// Names count where they are undefined in a dynamic executable, or defined in a static one.
        pub(crate) const FUNCTIONS: &[Function] = &[
            $(Function { names: &[$($name),+], need: Need::$need, strength: $strength }),+
        ];
    };
}

functions! {
    Zones, Possible: "localtime" "localtime_r" "mktime" "tzset";
    Users, Likely: "getpwnam" "getpwnam_r" "getpwuid" "getpwuid_r" "getgrnam" "getgrnam_r" "getgrgid" "getgrgid_r";
    Temporary, Likely: "tmpfile" "tmpnam" "tempnam";
    Resolver, Likely: "getaddrinfo" "gethostbyname" "gethostbyname_r" "getnameinfo" "res_query" "res_search";
    Services, Possible: "getservbyname" "getservbyname_r" "getprotobyname";
    Sockets, Likely: "syslog" "openlog";
    DynamicLoading, Likely: "dlopen";
    Locale, Possible: "setlocale" "newlocale" "bindtextdomain";
    Programs, Likely: "system" "popen" "posix_spawnp" "execvp" "execlp" "execvpe" "wordexp";
    Devices, Likely: "shm_open" "sem_open";
}

#[cfg(test)]
mod tests {
    use brawn_elf::obfuscated::reveal;

    use super::*;

    #[test]
    fn every_need_shows_in_some_way() {
        for need in Need::ALL {
            let told = TEXTS.iter().any(|text| text.need == Some(need))
                || FUNCTIONS.iter().any(|function| function.need == need);
            assert!(told, "{need:?}");
        }
        for text in TEXTS {
            assert!(reveal(text.obfuscated).len() >= 5, "too short to mean anything");
        }
    }
}
