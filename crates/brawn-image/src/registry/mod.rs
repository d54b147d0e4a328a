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
#[doc(hidden)]
pub mod header;
mod pace;
mod reference;
mod repository;
mod retry;
mod tls;

pub use access::{Access, Event, Reporter};
#[doc(hidden)]
pub use address::{Address, is_loopback};
#[doc(hidden)]
pub use auth::{Login, login, token};
#[doc(hidden)]
pub use client::message;
pub use clock::Limits;
#[doc(hidden)]
pub use credentials::{read as credentials, strange_helper};
pub use reference::Reference;
pub(crate) use reference::is_repository;
pub use repository::Repository;
pub use tls::config as tls;
#[doc(hidden)]
pub use tls::parse as certificates;
