//! Places for a finished image.

mod archive;
mod docker;
mod layout;
mod push;
mod rootfs;
mod whole;

pub use archive::Archive;
pub(crate) use docker::DockerImage;
pub use layout::Layout;
pub use push::Push;
pub use rootfs::Rootfs;
pub use whole::discard;

use crate::{Bundle, Error};

/// A place that a finished image can be written to. What is there afterwards is the whole image, or what was there before.
pub trait Sink {
    /// Writes the image, and gives the one line that says where it is.
    fn write(&self, bundle: &Bundle) -> Result<String, Error>;
}
