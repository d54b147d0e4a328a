use std::path::Path;

use super::whole;
use crate::compress::decompress;
use crate::{Bundle, Error};

/// Writes the files of an image into a folder, which must be empty or not there, as a container would see them: for
/// `chroot`, `crun` and Dockerfiles. As root the owners are set, otherwise everything is the user's own.
pub fn rootfs(bundle: &Bundle, path: &Path) -> Result<String, Error> {
    let [image] = bundle.images.as_slice() else {
        return Err(Error::setting("a folder holds the files of one platform", "name one with --platform"));
    };
    if image.base_layers > 0 {
        return Err(Error::setting(
            "the files of a base image are not unpacked",
            "write a layout with --output, and unpack it with umoci or skopeo",
        ));
    }
    let folder = whole::folder(path)?;
    let fail = |source| Error::unwritable(path, source);
    for layer in &image.layers {
        let reader = decompress(layer.descriptor.media_type().as_ref(), layer.open()?)
            .ok_or_else(|| Error::damaged("the image", "a layer of it is no archive"))??;
        let mut archive = tar::Archive::new(reader);
        archive.set_preserve_permissions(true);
        archive.set_preserve_ownerships(rustix::process::geteuid().is_root());
        archive.unpack(folder.path()).map_err(fail)?;
    }
    whole::place_folder(folder, path)?;
    Ok(path.display().to_string())
}
