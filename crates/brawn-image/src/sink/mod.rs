//! Places for a finished image. What is there afterwards is the whole image, or what was there before; what a function gives
//! is the one line that says where it is.

mod archive;
mod docker;
mod layout;
mod push;
mod rootfs;
mod whole;

pub use archive::archive;
pub(crate) use docker::DockerImage;
pub use layout::layout;
pub use push::push;
pub use rootfs::rootfs;
pub use whole::discard;
