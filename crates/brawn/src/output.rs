//! How Brawn talks: data on standard output, everything else on standard error.

use std::fmt::Arguments;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};

/// What is wrong.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What works and is worth changing.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What to do.
pub const HINT: Style = AnsiColor::Green.on_default().bold();

/// Bold, for names in tables.
pub const STRONG: Style = Style::new().bold();

/// Why standard output took no more.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes data to standard output; [`finish`] tells whether all of it went out.
///
/// A full disk is no reason to leave a command in the middle of its work: after a failure nothing more is written.
pub fn write(text: Arguments<'_>) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = anstream::stdout().lock().write_fmt(text).err();
    }
}

/// Whether standard output took all data that its reader wanted: that `head` has seen enough is no error.
pub fn finish() -> io::Result<()> {
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
    match lost.map_or_else(|| io::stdout().flush(), Err) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints data, without an end of line.
macro_rules! out {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// Prints a line of data.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints an error, its causes and what to do about it.
pub fn error(error: &anyhow::Error) {
    anstream::eprintln!("{ERROR}error:{ERROR:#} {error}");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let text = cause.to_string();
        // A transparent error says what its source says.
        if text != said {
            anstream::eprintln!("  caused by: {text}");
            said = text;
        }
    }
    if let Some(text) = error.chain().find_map(hint_of) {
        hint(&text);
    }
}

fn hint_of(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause
        .downcast_ref::<brawn_driver::Error>()
        .and_then(brawn_driver::Error::hint)
        .or_else(|| cause.downcast_ref::<brawn_libc::Error>().and_then(brawn_libc::Error::hint))
        .or_else(|| cause.downcast_ref::<brawn_check::Error>().and_then(brawn_check::Error::hint))
        .or_else(|| cause.downcast_ref::<brawn_elf::Error>().and_then(|error| error.hint().map(Into::into)))
        .or_else(|| cause.downcast_ref::<brawn_image::Error>().and_then(brawn_image::Error::hint))
        .or_else(|| cause.downcast_ref::<brawn_suites::Error>().and_then(brawn_suites::Error::hint))
        .or_else(|| cause.downcast_ref::<brawn_bench::Error>().and_then(|error| error.hint().map(Into::into)))
        .or_else(|| cause.downcast_ref::<brawn_tune::Error>().and_then(brawn_tune::Error::hint))
        .or_else(|| cause.downcast_ref::<brawn_preload::Error>().and_then(brawn_preload::Error::hint))
        .or_else(|| hint_of_comparison(cause))
}

fn hint_of_comparison(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    use brawn_bench::DocumentError;
    use brawn_bench::compare::{CompareError, GateError, ParseGateError};
    let document = || Some(cause.downcast_ref::<DocumentError>()?.hint()?.to_owned());
    let parse = || Some(cause.downcast_ref::<ParseGateError>()?.hint().to_owned());
    let gate = || Some(cause.downcast_ref::<GateError>()?.hint());
    let compare = || Some(cause.downcast_ref::<CompareError>()?.hint().to_owned());
    document().or_else(parse).or_else(gate).or_else(compare)
}

/// Prints what works and should be known.
pub fn warn(text: &str) {
    anstream::eprintln!("{WARNING}warning:{WARNING:#} {text}");
}

/// Prints something that works and is worth changing.
pub fn warning(about: &str, problem: &brawn_elf::Problem) {
    anstream::eprintln!("{WARNING}warning:{WARNING:#} {about}: {}", problem.message);
    if let Some(text) = &problem.hint {
        hint(text);
    }
}

/// Prints a broken promise, with its published name.
pub fn problem(about: &str, problem: &brawn_elf::Problem) {
    anstream::eprintln!("{ERROR}error:{ERROR:#} {about}: {} [{}]", problem.message, problem.code.as_str());
    if let Some(text) = &problem.hint {
        hint(text);
    }
}

/// Prints what to do about something.
pub fn hint(text: &str) {
    anstream::eprintln!("{HINT}hint:{HINT:#} {text}");
}

/// Prints what Brawn is doing.
pub fn say(text: &str) {
    anstream::eprintln!("{STRONG}brawn:{STRONG:#} {text}");
}

/// A size for people: `934 KiB`, `1.9 MiB`.
pub fn size(bytes: u64) -> String {
    let kib = bytes as f64 / 1024.0;
    if kib < 10.0 {
        format!("{kib:.1} KiB")
    } else if kib < 1000.0 {
        format!("{kib:.0} KiB")
    } else {
        format!("{:.1} MiB", kib / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_read_well() {
        let sizes = [0, 1_500, 500_000, 1_100_000, 20 << 20].map(super::size);
        assert_eq!(sizes, ["0.0 KiB", "1.5 KiB", "488 KiB", "1.0 MiB", "20.0 MiB"]);
    }
}
