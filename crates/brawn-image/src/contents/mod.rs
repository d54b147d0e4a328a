//! What an image may hold besides the program, each part by its name.

mod certificates;
mod users;
mod zones;

use std::collections::BTreeSet;

pub use brawn_check::Content as Part;
pub use certificates::read as read_certificates;
pub use certificates::{
    BUNDLE as CERTIFICATE_BUNDLE, DATE as CERTIFICATES_DATE, VERSION as CERTIFICATES_VERSION,
};
pub use users::NONROOT;
pub use zones::version as zones_version;

use crate::Error;
use crate::layer::{Entries, Entry};

/// The part with this name.
pub fn part(name: &str) -> Result<Part, Error> {
    Part::from_name(name).ok_or_else(|| Error::Setting {
        what: format!("there is no part '{name}' of an image"),
        hint: Some(brawn_base::names::nearest_or_all(name, &Part::ALL.map(Part::name))),
    })
}

fn add(part: Part, extra: &str, entries: &mut Entries) {
    let mut put = |path: &str, entry| entries.insert(path.to_owned(), entry);
    match part {
        Part::Certificates => certificates::add(extra, entries),
        Part::Zones => zones::add(entries),
        Part::Users => users::add(entries),
        Part::Tmp => {
            put("tmp", Entry::directory(0o1777, 0));
        }
        Part::Nsswitch => {
            put("etc/nsswitch.conf", Entry::file(&b"passwd: files\ngroup: files\nhosts: files dns\n"[..]));
        }
        // Container runtimes lay their own over these.
        Part::Resolv => {
            put("etc/resolv.conf", Entry::file(&b""[..]));
            put("etc/hosts", Entry::file(&b"127.0.0.1 localhost\n::1 localhost\n"[..]));
        }
    }
}

/// The files of these parts. `extra` are certificate authorities besides Mozilla's, in PEM form.
pub fn entries(parts: &BTreeSet<Part>, extra: &str) -> Entries {
    let mut entries = Entries::new();
    for part in parts {
        add(*part, extra, &mut entries);
    }
    entries
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;
    use crate::layer::Kind;

    #[test]
    fn a_part_is_named_as_it_is_read() {
        for part in Part::ALL {
            assert_eq!(super::part(part.name()).unwrap(), part);
            assert!(!entries(&BTreeSet::from([part]), "").is_empty());
        }
        let error = super::part("certificate").unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean 'certificates'?"));
    }

    #[test]
    fn certificates_are_pem_that_tls_libraries_read() {
        let entries = entries(&BTreeSet::from([Part::Certificates]), "");
        let Kind::File(pem) = &entries[CERTIFICATE_BUNDLE].kind else { panic!() };
        let certificates: Vec<_> = ureq::tls::parse_pem(pem).collect::<Result<_, _>>().unwrap();
        assert_eq!(certificates.len(), webpki_root_certs::TLS_SERVER_ROOT_CERTS.len());
        assert!(pem.split(|byte| *byte == b'\n').all(|line| line.len() <= 80));
    }

    #[test]
    fn zones_that_are_the_same_are_stored_once() {
        let entries = entries(&BTreeSet::from([Part::Zones]), "");
        let tokyo = match &entries["usr/share/zoneinfo/Asia/Tokyo"].kind {
            Kind::HardLink(target) => &entries[target].kind,
            other => other,
        };
        assert!(matches!(tokyo, Kind::File(bytes) if bytes.starts_with(b"TZif")));
        let links = entries.values().filter_map(|entry| match &entry.kind {
            Kind::HardLink(target) => Some(target),
            _ => None,
        });
        let mut count = 0;
        for target in links {
            assert!(matches!(entries[target].kind, Kind::File(_)), "{target}");
            count += 1;
        }
        assert!(count > 100, "{count} links");
        assert!(entries.len() > 500);
    }
}
