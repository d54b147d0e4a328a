//! Makes overlays: musl archives in which the kit has replaced what is slow
