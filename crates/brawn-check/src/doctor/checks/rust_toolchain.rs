//! Is there a Rust toolchain?

use std::process::Command;

use brawn_link::toolchain::Rust;

use crate::doctor::Finding;

const COST: &str = "no Rust package can be built: `brawn build` and `brawn cargo` do not work";

pub(super) fn look() -> Finding {
    let rust = match Rust::find() {
        Ok(rust) => rust,
        Err(error) => {
            return Finding::missing(
                error.to_string(),
                COST,
                "install Rust through rustup: https://rustup.rs",
            );
        }
    };
    let version = Command::new("rustc").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let version = version.unwrap_or_default();
    if brawn_link::toolchain::on_path("cargo").is_none() {
        return Finding::missing(format!("{version}, and no cargo"), COST, "rustup component add cargo");
    }
    Finding::good(format!("{version} for {}", rust.host))
}
