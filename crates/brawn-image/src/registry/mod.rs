//! Speaking to registries: the OCI distribution specification over HTTP.
//!
//! The crates that do this whole (`oci-client`) bring an asynchronous runtime and two megabytes with them, and know
//! neither identity tokens nor referrers on registries without that interface. So the requests are made here, upon `ureq`,
//! `url`, `rustls`, `http-auth` and `docker_credential`.
//!
//! A registry may be hostile: [`address`] judges every address that it names, [`clock`] and [`pace`] every delay, and
//! [`crate::limits`] every size.

mod access;
mod address;
mod auth;
mod client;
mod clock;
mod credentials;
mod pace;
mod reference;
mod repository;
mod retry;
mod tls;

pub use access::{Access, Event, Reporter};
pub(crate) use auth::token;
pub(crate) use client::message;
pub use clock::Limits;
pub use reference::Reference;
pub(crate) use reference::is_repository;
pub use repository::Repository;
