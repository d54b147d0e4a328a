//! How Brawn talks: data on standard output, everything else on standard error.
//!
//! Everything is written here, and here it is made visible ([`brawn_base::text`]): no name, no string of a file and no
//! answer from elsewhere brings a control character to a terminal, or begins a line that looks like Brawn's own. So a style
//! is never a part of a text; it is given to [`Line`].

// The one place that prints.
#![allow(clippy::disallowed_macros)]

use std::fmt::{Arguments, Display, Write as _};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use brawn_base::text::{self, Escaped, Lines, shown};
use brawn_base::{Asked, Code};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::exit::{Failure, Result};

/// What is wrong.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What works and is worth changing.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What to do.
pub const HINT: Style = AnsiColor::Green.on_default().bold();

/// Bold, for names in tables.
pub const STRONG: Style = Style::new().bold();

/// What begins the further lines of a message, most often of what another program wrote.
const FURTHER: Lines<'static> = Lines::After("  | ");

/// Why standard output took no more.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Whether errors tell all they know (`--verbose`).
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Has errors tell all they know.
pub fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// Writes data to standard output; [`finish`] tells whether all of it went out.
///
/// A full disk is no reason to leave a command in the middle of its work: after a failure nothing more is written.
fn write(text: &str) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = anstream::stdout().lock().write_all(text.as_bytes()).err();
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

/// A line of parts, each in its style.
#[derive(Debug, Default)]
pub struct Line(String);

impl Line {
    /// An empty one.
    pub fn new() -> Line {
        Line::default()
    }

    /// Adds text without a style.
    pub fn plain(self, text: impl Display) -> Line {
        self.add(Style::new(), Lines::One, text)
    }

    /// Adds text in a style.
    pub fn styled(self, style: Style, text: impl Display) -> Line {
        self.add(style, Lines::One, text)
    }

    fn add(mut self, style: Style, lines: Lines<'_>, text: impl Display) -> Line {
        // Writing to a string fails only if the text itself does.
        let _ = write!(self.0, "{style}");
        let _ = write!(Escaped::new(&mut self.0, lines), "{text}");
        let _ = write!(self.0, "{style:#}");
        self
    }

    /// `hint: text`, with a word in its style, so far to the right.
    pub fn labelled(indent: &str, style: Style, word: &str, text: impl Display) -> Line {
        Line::new().plain(indent).styled(style, word).plain(format_args!(" {text}"))
    }

    /// Prints it as data.
    pub fn print(mut self) {
        self.0.push('\n');
        write(&self.0);
    }

    /// Prints it as talk.
    fn say(self) {
        anstream::eprintln!("{}", self.0);
    }
}

/// Prints a line of data.
macro_rules! outln {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}

/// Prints a line of data. Line breaks in it are escaped as well.
pub fn line(text: Arguments<'_>) {
    Line::new().plain(text).print();
}

/// Prints data of several lines, which is written elsewhere: a page, a table.
pub fn document(text: &str) {
    write(&text::lines(text.as_bytes(), Lines::Many).to_string());
}

/// Prints what the program itself is made of, as it is: its manual, its completions.
pub fn own(text: &str) {
    write(text);
}

/// Prints a value as JSON, indented.
pub fn json(value: &impl Serialize) -> Result<()> {
    json_text(&pretty(value)?);
    Ok(())
}

/// A value as JSON, indented. What has no form in JSON is a path that is not UTF-8.
pub fn pretty(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::new(Code::Failed, error))
}

/// Prints a document that is JSON already, and an end of line.
pub fn json_text(text: &str) {
    write(&format!("{}\n", text::json(text.trim_end())));
}

/// Prints a JSON document on standard error, for commands whose standard output is another program's.
pub fn json_beside(text: &str) {
    anstream::eprintln!("{}", brawn_base::text::json(text));
}

/// Prints an error, its causes and what to do about it.
pub fn error(failure: &Failure) {
    say_all(&described(failure));
}

/// Leaves an error for the command that runs this one's caller, which repeats it when everyone else has spoken.
pub fn report(failure: &Failure) {
    let Some(path) = brawn_link::vars::get(brawn_link::vars::REPORT) else { return };
    let parts = described(failure);
    // Without a hint there is nothing to add to the linker's own words.
    if parts.iter().any(|(word, _)| word == HINT_WORD) {
        // What cannot be repeated has been said once.
        let _ = serde_json::to_vec(&parts).map(|text| fs_err::write(path, text));
    }
}

/// Repeats what a link had to say, behind the messages of cargo and rustc, whose advice is for other linkers.
pub fn last_word(report: &str) {
    say_all(&serde_json::from_str::<Vec<(String, String)>>(report).unwrap_or_default());
}

const ERROR_WORD: &str = "error:";
const HINT_WORD: &str = "hint:";

fn say_all(parts: &[(String, String)]) {
    for (word, text) in parts {
        let style = match word.as_str() {
            ERROR_WORD => ERROR,
            HINT_WORD => HINT,
            _ => Style::new(),
        };
        message(style, word, text);
    }
}

/// An error's lines, each with the word that it begins with.
fn described(failure: &Failure) -> Vec<(String, String)> {
    let words = std::iter::once(ERROR_WORD).chain(std::iter::repeat("  caused by:"));
    let mut parts: Vec<(&str, String)> = words.zip(failure.messages()).collect();
    if VERBOSE.load(Ordering::Relaxed) {
        for Asked { question, answer } in failure.asked() {
            parts.extend([("  asked:", question.clone()), ("    answer:", answer.clone())]);
        }
    }
    parts.extend(failure.hint().map(|hint| (HINT_WORD, hint)));
    parts.into_iter().map(|(word, text)| (word.to_owned(), text)).collect()
}

fn message(style: Style, word: &str, text: impl Display) {
    Line::new().styled(style, word).plain(" ").add(Style::new(), FURTHER, text).say();
}

/// Prints what works and should be known.
pub fn warn(text: &str) {
    message(WARNING, "warning:", text);
}

/// Prints something that works and is worth changing.
pub fn warning(about: &str, problem: &brawn_elf::Problem) {
    message(WARNING, "warning:", format_args!("{}: {}", shown(about), problem.message));
    if let Some(text) = &problem.hint {
        hint(text);
    }
}

/// Prints a broken promise, with its published name.
pub fn problem(about: &str, problem: &brawn_elf::Problem) {
    let code = problem.code.name();
    message(ERROR, "error:", format_args!("{}: {} [{code}]", shown(about), problem.message));
    if let Some(text) = &problem.hint {
        hint(text);
    }
}

/// Prints a condition that holds and should not.
pub fn failed(text: impl Display) {
    message(ERROR, "failed:", text);
}

/// Prints what to do about something.
pub fn hint(text: &str) {
    message(HINT, "hint:", text);
}

/// Asks a question on the terminal; only `y` and `yes` agree.
pub fn ask(question: &str) -> io::Result<bool> {
    say(&format!("{question} [y/N]"));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Prints what Brawn is doing.
pub fn say(text: &str) {
    message(STRONG, "brawn:", text);
}

/// A bar on standard error, if that is a terminal and there is something to be said.
pub fn bar(length: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let shown = io::stderr().is_terminal() && !quiet;
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(length, target);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is constant"));
    bar
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
