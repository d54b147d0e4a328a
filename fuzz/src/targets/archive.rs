//! Static libraries.

use std::io::Cursor;
use std::path::Path;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use brawn_base::Diagnostic as _;
use brawn_libc::archive::Archive;
use brawn_libc::musl::Musl;

use super::compiled::compiled;

fn archive<'a>(kind: ArchiveKind, objects: &[&'a [u8]]) -> Vec<u8> {
    let member = |(index, bytes): (usize, &&'a [u8])| {
        let name =
            if index == 0 { "a-name-longer-than-sixteen.lo".to_owned() } else { format!("{index}.lo") };
        NewArchiveMember::new(*bytes, &DEFAULT_OBJECT_READER, name)
    };
    let members: Vec<_> = objects.iter().enumerate().map(member).collect();
    let mut out = Cursor::new(Vec::new());
    write_archive_to_stream(&mut out, &members, kind, false, None).expect("objects make an archive");
    out.into_inner()
}

/// An archive of these objects.
pub fn archive_of(objects: &[&[u8]]) -> Vec<u8> {
    archive(ArchiveKind::Gnu, objects)
}

pub fn seeds() -> Vec<Vec<u8>> {
    let objects: Vec<&[u8]> = compiled().objects.iter().map(Vec::as_slice).collect();
    vec![
        archive(ArchiveKind::Gnu, &[objects[0], objects[2]]),
        archive(ArchiveKind::Gnu, &[objects[1]]),
        archive(ArchiveKind::Gnu64, &[objects[0]]),
        archive(ArchiveKind::Bsd, &[objects[0]]),
        archive(ArchiveKind::Gnu, &[]),
    ]
}

pub fn read(data: &[u8]) {
    let path = Path::new("libc.a");
    match Archive::parse(path, data) {
        Ok(archive) => {
            if let Err(error) = Musl::recognise(path, &archive, None) {
                let _ = (error.to_string(), error.hint());
            }
        }
        Err(error) => {
            let _ = (error.to_string(), error.hint());
        }
    }
}
