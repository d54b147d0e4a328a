use brawn_elf::{Piece, read_notes};

use crate::Error;
use crate::digest::digest;

/// Whether functions were grafted onto a file.
pub fn is_grafted(data: &[u8]) -> bool {
    read_notes(data).is_ok_and(|notes| notes.graft.is_some())
}

/// Gives back the file that something was grafted onto.
///
/// # Errors
/// [`Error::Elf`] for what cannot be read, [`Error::NotGrafted`], [`Error::Changed`].
pub fn restore(data: &[u8]) -> Result<Vec<u8>, Error> {
    let graft = read_notes(data)?.graft.ok_or(Error::NotGrafted)?;
    let changed = |found: String| Error::Changed { expected: graft.original.clone(), found };
    let length = graft.pieces.iter().try_fold(0_u64, |sum, piece| sum.checked_add(piece.length()));
    // No original is longer than what was made from it.
    if length.is_none_or(|length| length > data.len() as u64) {
        return Err(changed("a longer file".to_owned()));
    }
    let mut original = Vec::with_capacity(data.len());
    for piece in &graft.pieces {
        match piece {
            Piece::Lost(bytes) => original.extend(bytes),
            Piece::Kept { start, length } => {
                let end = start.checked_add(*length).unwrap_or(u64::MAX);
                let range =
                    usize::try_from(*start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
                let kept = data.get(range).ok_or_else(|| changed("a shorter file".to_owned()))?;
                original.extend(kept);
            }
        }
    }
    let found = digest(&original);
    if found == graft.original { Ok(original) } else { Err(changed(found)) }
}
