//! Compression of layers, the same bytes on every machine.

use std::io::{Read, Write};
use std::str::FromStr;

use oci_spec::image::MediaType;

use crate::Error;

brawn_base::named! {
    /// How the layers that Brawn makes are compressed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Compression {
        /// What every registry and runtime reads.
        #[default]
        Gzip = "gzip",
        /// Smaller and faster to unpack; needs containerd, podman or Docker 23 or newer.
        Zstd = "zstd",
        /// Not at all.
        None = "none",
    }
}

/// Smallest output that does not take minutes for a large program.
const ZSTD_LEVEL: i32 = 19;

impl Compression {
    /// What a layer so compressed is called.
    pub fn media_type(self) -> MediaType {
        match self {
            Compression::Gzip => MediaType::ImageLayerGzip,
            Compression::Zstd => MediaType::ImageLayerZstd,
            Compression::None => MediaType::ImageLayer,
        }
    }

    /// Compresses a whole layer.
    ///
    /// Both compressors are pinned to an exact version, run in one thread, and write neither a time nor a name: the
    /// output is a function of the input.
    pub fn compress(self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        Ok(match self {
            Compression::Gzip => {
                let mut encoder = flate2::GzBuilder::new()
                    .mtime(0)
                    .operating_system(255)
                    .write(Vec::new(), flate2::Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()?
            }
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
                encoder.write_all(&bytes)?;
                encoder.finish()?
            }
            Compression::None => bytes,
        })
    }
}

impl FromStr for Compression {
    type Err = Error;

    fn from_str(name: &str) -> Result<Compression, Error> {
        Compression::from_name(name).ok_or_else(|| {
            let all = Compression::ALL.map(Compression::name).join(", ");
            Error::setting(format!("unknown compression '{name}'"), format!("there are: {all}"))
        })
    }
}

/// A reader of the tar archive in a layer of this media type; nothing for media types that are not layers.
pub(crate) fn decompress<'a>(
    media_type: &str,
    reader: impl Read + 'a,
) -> Option<std::io::Result<Box<dyn Read + 'a>>> {
    // Docker's own types end in `.tar.gzip`, OCI's in `.tar+gzip`.
    let gzip = media_type.ends_with(".tar+gzip") || media_type.ends_with(".tar.gzip");
    let zstd = media_type.ends_with(".tar+zstd");
    let plain = media_type.ends_with(".tar");
    Some(if gzip {
        Ok(Box::new(flate2::read::MultiGzDecoder::new(reader)))
    } else if zstd {
        zstd::Decoder::new(reader).map(|decoder| Box::new(decoder) as Box<dyn Read>)
    } else if plain {
        Ok(Box::new(reader))
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        for compression in Compression::ALL {
            let name = compression.name();
            assert_eq!(name.parse::<Compression>().unwrap(), compression);
            let compressed = compression.compress(bytes.clone()).unwrap();
            let media_type = compression.media_type();
            let mut back = Vec::new();
            decompress(media_type.as_ref(), &*compressed).unwrap().unwrap().read_to_end(&mut back).unwrap();
            assert!(back == bytes, "{name}");
            assert!(compression == Compression::None || compressed.len() < bytes.len() / 4, "{name}");
        }
        assert!(decompress("application/json", &b"{}"[..]).is_none());
    }

    #[test]
    fn an_unknown_compression_is_refused() {
        assert_eq!("brotli".parse::<Compression>().unwrap_err().to_string(), "unknown compression 'brotli'");
    }
}
