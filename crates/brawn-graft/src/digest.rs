use sha2::{Digest as _, Sha256};

/// The SHA-256 of a file in hexadecimal.
pub(crate) fn digest(data: &[u8]) -> String {
    brawn_base::text::hex(&Sha256::digest(data))
}
