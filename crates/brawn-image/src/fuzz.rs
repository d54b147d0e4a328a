//! The readers of what comes from outside, for a fuzzer: bytes in, no panic out.

use std::path::Path;

use brawn_elf::Arch;

pub use crate::registry::{
    Address, Login, certificates, credentials, header, is_loopback, login, message, strange_helper, token,
};
use crate::{Base, Platform, Store, check, tarball};

/// A layer of a media type, of which at most `limit` bytes are unpacked; whether it is one.
pub fn layer(media_type: &str, bytes: &[u8], limit: u64) -> bool {
    tarball::digest(media_type, bytes, limit).is_ok()
}

/// An archive of a layout, with everything in it, as what is to be checked and as what is to be built upon; whether it is
/// one at all.
pub fn archive(bytes: &[u8]) -> bool {
    let path = Path::new("layout.tar");
    let Ok(store) = Store::parse(path, bytes) else { return false };
    let _ = check(&store);
    if let Ok(base) = Base::of_store("layout.tar", store, None) {
        for arch in [Arch::X86_64, Arch::Aarch64] {
            let _ = base.image(Platform { arch });
        }
    }
    true
}
