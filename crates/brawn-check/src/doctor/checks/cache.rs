//! Can the cache be written to?

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    const COST: &str = "nothing can be linked: overlays and records of links are kept there";
    let cache = match brawn_link::seam::cache() {
        Ok(cache) => cache,
        Err(error) => {
            return Finding::missing(error.to_string(), COST, "export BRAWN_CACHE_DIR=FOLDER");
        }
    };
    let folder = cache.root();
    let shown = folder.display();
    let tried = fs_err::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    if let Err(error) = tried {
        let hint =
            format!("mkdir -p {shown} && chown \"$(id -u)\" {shown}, or export BRAWN_CACHE_DIR=FOLDER");
        return Finding::missing(error.to_string(), COST, hint);
    }
    let free = rustix::fs::statvfs(folder).map(|room| room.f_bavail * room.f_frsize).unwrap_or(u64::MAX);
    const LEAST: u64 = 64 << 20;
    if free < LEAST {
        let cost = "an overlay takes some MiB, and each kept link as much as its objects";
        return Finding::limited(format!("{shown}, {} MiB free", free >> 20), cost, format!("rm -r {shown}"));
    }
    Finding::good(format!("{shown}, {} MiB free", free >> 20))
}
