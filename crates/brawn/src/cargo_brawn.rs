//! `cargo brawn …`: cargo looks for an executable of this name, and this one hands over to `brawn` beside it.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use brawn_base::text::shown;

fn main() -> ExitCode {
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("brawn"));
    let program = beside.filter(|path| path.exists()).unwrap_or_else(|| "brawn".into());
    let mut args = std::env::args_os().skip(1).peekable();
    // Cargo repeats the name of the subcommand.
    args.next_if(|arg| arg == "brawn");
    let error = Command::new(&program).args(args).exec();
    eprintln!("error: cannot run {}\n  caused by: {error}", shown(&program));
    eprintln!("hint: install `brawn` beside `cargo-brawn`, or put it on PATH");
    ExitCode::from(4)
}
