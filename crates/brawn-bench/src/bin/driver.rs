//! `brawn`, as far as the workshop calls it by path: the linker seam and the compiler. This crate's tests use it, because
//! the `brawn` executable is built after them.

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_link::settings::Layer;
use brawn_link::{cc, seam::Seam};

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let called_as = args.next().map(PathBuf::from).unwrap_or_default();
    let result = if let Some(seam) = Seam::from_call(&called_as) {
        seam.run(args).map(|()| ExitCode::SUCCESS)
    } else if let Some((language, triple)) = cc::from_call(&called_as) {
        let flags = Layer { target: Some(triple), ..Layer::default() };
        cc::run(language, args, flags)
            .map(|done| if done.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    } else {
        eprintln!("error: this program is called by path only, as a linker or a compiler");
        return ExitCode::from(2);
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
