//! Speaking to registries: the OCI distribution specification over HTTP.
//!
//! The crates that do this whole (`oci-client`) bring an asynchronous runtime and two megabytes with them, and know
//! neither identity tokens nor referrers on registries without that interface. So the requests are made here, upon `ureq`,
//! `rustls`, `http-auth` and `docker_credential`.

mod auth;
mod client;
mod credentials;
mod reference;
mod repository;
mod retry;
mod tls;

pub use client::Access;
pub use reference::Reference;
pub use repository::Repository;
