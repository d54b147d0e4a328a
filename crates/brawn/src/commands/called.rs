//! How a program of the user's own is run, for the commands that measure one.

use std::path::{Path, PathBuf};

use brawn_measure::{Output, Variant};
use clap::{Args, ValueEnum};

use crate::cli::existing;
use crate::exit::{Context as _, Result};

#[derive(Args, Clone)]
#[command(next_help_heading = "The run")]
pub struct Called {
    /// The folder that the program runs in [default: this one]
    #[arg(long, value_name = "DIR", value_parser = existing)]
    pub dir: Option<PathBuf>,
    /// The file that is the program's standard input; /dev/ptmx is a new terminal for each run
    #[arg(long, value_name = "FILE", value_parser = existing)]
    pub stdin: Option<PathBuf>,
    /// The exit status that means success
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub status: i32,
    /// How outputs must agree
    #[arg(long, value_name = "RULE", value_enum, default_value_t)]
    pub output: OutputRule,
    /// Lines with this text are not compared
    #[arg(long, value_name = "TEXT")]
    pub ignore_lines: Option<String>,
}

impl Called {
    /// The run itself, without program and arguments.
    pub fn variant(&self) -> Result<Variant> {
        let stdin = self.stdin.as_deref().map(|path| whole(path, "file for standard input"));
        Ok(Variant {
            stdin: stdin.transpose()?,
            current_dir: self.dir.as_deref().map(|path| whole(path, "folder")).transpose()?,
            expected_status: self.status,
            ..Variant::default()
        })
    }
}

/// The whole path of something that an option names.
pub fn whole(path: &Path, what: &str) -> Result<PathBuf> {
    fs_err::canonicalize(path).context(|| format!("there is no {what} `{}`", path.display()))
}

/// How outputs must agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputRule {
    /// Line by line.
    #[default]
    Exact,
    /// As a set of lines, in any order.
    Sorted,
    /// Not at all: it varies by nature.
    Ignore,
}

impl OutputRule {
    /// The rule as `bench` knows it.
    pub fn rule(self) -> Output {
        match self {
            Self::Exact => Output::Exact,
            Self::Sorted => Output::SortedLines,
            Self::Ignore => Output::Unchecked,
        }
    }
}
