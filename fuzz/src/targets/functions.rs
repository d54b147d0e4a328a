//! Executables in which libc's functions are looked for, static libraries that signatures are made of, and their text.

use std::sync::OnceLock;

use brawn_base::Diagnostic as _;
use brawn_elf::{Arch, Image};
use brawn_identify::{Signatures, extract};

use super::archive::{self, archive_of};
use super::compiled::compiled;

/// The signatures of the seeds' own functions: the carried ones would need longer executables.
fn own() -> &'static Signatures {
    static OWN: OnceLock<Signatures> = OnceLock::new();
    OWN.get_or_init(|| extract(&archive_of(&[&compiled().objects[0]]), "own").expect("an archive of objects"))
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = archive::seeds();
    seeds.extend(compiled().linked.iter().cloned());
    seeds.push(own().to_text().into_bytes());
    seeds
}

pub fn read(data: &[u8]) {
    if let Ok(image) = Image::parse(data) {
        let _ = own().find(&image);
    }
    match extract(data, "a") {
        Ok(made) => {
            let read = Signatures::from_text(made.arch, &made.to_text());
            assert!(read.is_ok_and(|read| read == made), "what was written is read");
        }
        Err(error) => drop((error.to_string(), error.hint())),
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(read) = Signatures::from_text(Arch::X86_64, text)
        && let Ok(image) = Image::parse(&compiled().linked[0])
    {
        let _ = read.find(&image);
    }
}
