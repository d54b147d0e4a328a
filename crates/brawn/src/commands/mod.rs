//! One file per command.

pub mod bench;
pub mod build;
pub mod cache;
pub mod called;
pub mod cargo;
pub mod cc;
pub mod check;
pub mod completions;
pub mod doctor;
pub mod env;
pub mod fleet;
pub mod graft;
pub mod image;
pub mod init;
pub mod inspect;
pub mod libc;
pub mod man;
pub mod patch;
pub mod preload;
pub mod relink;
pub mod run;
pub mod tune;
pub mod verify;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brawn_base::Code;
use brawn_libc::Choice;
use brawn_link::replay::Recorded;
use brawn_link::settings::Settings;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

use crate::cli::Options;
use crate::exit::{Context as _, Result};
use crate::output;

/// The running executable, which will stand behind the seam.
fn executable() -> Result<PathBuf> {
    std::env::current_exe().context(|| "cannot find the running executable")
}

/// The choice that holds for options alone: environment, user file and default behind them.
fn choice(options: &Options) -> Result<Choice> {
    Ok(Settings::collect(options.layer(), None)?.choice()?)
}

/// Makes sure that the linker of a record may be run: it is the one that the settings would choose, or the user says so.
fn authorise(recorded: &Recorded, trust: bool) -> Result<()> {
    if trust {
        recorded.trust();
        return Ok(());
    }
    let refused = match recorded.authorise() {
        Err(error @ brawn_link::Error::ForeignLinker { .. }) => error,
        other => return Ok(other?),
    };
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if asks && output::ask(&format!("{refused}. Run it?"))? {
        recorded.trust();
        return Ok(());
    }
    Err(refused.into())
}

/// A flag that becomes true when the user or the system asks the program to end. When somebody asks for the second time,
/// it ends at once.
fn interrupt() -> Result<Arc<AtomicBool>> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = || Arc::clone(&interrupt);
    for signal in ending_signals() {
        // A shell sends on what a closed terminal sends, and the kernel repeats SIGXCPU: that is no second wish.
        if [SIGINT, SIGTERM, SIGQUIT].contains(&signal) {
            signal_hook::flag::register_conditional_shutdown(signal, Code::Interrupted as i32, flag())
                .context(|| "cannot listen for signals")?;
        }
        signal_hook::flag::register(signal, flag()).context(|| "cannot listen for signals")?;
    }
    Ok(interrupt)
}

/// The signals that ask a program to end: by a key or a closed terminal, by another program, or because its time is up.
/// What `nohup` has made it ignore is left out. (SIGPIPE is ignored by every Rust program: writing fails instead.)
fn ending_signals() -> Vec<::libc::c_int> {
    let ignored = || {
        // SAFETY: the structure is plain data that the call fills in; without a new action, nothing is changed.
        unsafe {
            let mut action: ::libc::sigaction = std::mem::zeroed();
            ::libc::sigaction(SIGHUP, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == ::libc::SIG_IGN
        }
    };
    let mut signals = vec![SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGXCPU];
    if !ignored() {
        signals.push(SIGHUP);
    }
    signals
}

/// Takes Brawn's own options out of cargo's arguments, up to `--`. Cargo has none of these names.
pub fn take_options(options: Options, args: Vec<OsString>) -> (Options, Vec<String>) {
    let mut own = Options::default();
    let mut rest = Vec::new();
    let mut args = args.into_iter().map(|arg| {
        arg.into_string()
            .unwrap_or_else(|arg| crate::cli::usage(format!("the argument {arg:?} is not valid UTF-8")))
    });
    while let Some(arg) = args.next() {
        if arg == "--" {
            rest.push(arg);
            rest.extend(args.by_ref());
            break;
        }
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg.as_str(), None),
        };
        let flag = match arg.as_str() {
            "--no-strings" => Some(&mut own.no_strings),
            "--strict" => Some(&mut own.strict),
            "--allow-second-heap" => Some(&mut own.allow_second_heap),
            "--one-heap" => Some(&mut own.one_heap),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            continue;
        }
        if !["--preset", "--malloc", "--cpu", "--musl", "--knob"].contains(&name) {
            rest.push(arg);
            continue;
        }
        let value = attached.or_else(|| args.next());
        let value = value.unwrap_or_else(|| crate::cli::usage(format!("{name} needs a value")));
        match name {
            "--preset" => own.preset = Some(value),
            "--malloc" => own.malloc = Some(value),
            "--cpu" => own.cpu = Some(value),
            "--musl" => own.musl.extend(brawn_link::settings::families(&value)),
            _ => match value.split_once('=') {
                Some((key, value)) => own.knobs.push((key.to_owned(), value.to_owned())),
                None => crate::cli::usage("a knob is KEY=VALUE"),
            },
        }
    }
    (own.over(options), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brawns_own_options_are_taken() {
        let args = "--release --malloc stock -p x --knob=a=b --no-strings -- --preset mine --no-strings";
        let (options, rest) =
            take_options(Options::default(), args.split_whitespace().map(Into::into).collect());
        assert_eq!(options.malloc.as_deref(), Some("stock"));
        assert_eq!(options.knobs, [("a".to_owned(), "b".to_owned())]);
        assert!(options.no_strings);
        assert_eq!(rest.join(" "), "--release -p x -- --preset mine --no-strings");
    }
}
