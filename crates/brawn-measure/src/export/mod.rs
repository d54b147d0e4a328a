//! Results in the forms that others read, one file for each: a form is a function from [`Results`] to text.
//!
//! A new form is one file here and one row in [`Format`].

mod bencher;
mod csv;
mod markdown;
mod text;

pub use bencher::bencher;
pub use csv::csv;
pub use markdown::markdown;
pub use text::{suite_text, text};

use crate::results::Results;

/// The forms in which results can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Text,
    /// Tables for a document.
    Markdown,
    /// One line for each figure of each variant.
    Csv,
    /// Everything, raw samples included.
    Json,
    /// Bencher Metric Format, which bencher.dev tracks.
    Bencher,
    /// The report, one page without any other file.
    Html,
}

impl Format {
    /// Every form.
    pub const ALL: &[Self] = &[Self::Text, Self::Markdown, Self::Csv, Self::Json, Self::Bencher, Self::Html];

    /// The name, as given to `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Bencher => "bencher",
            Self::Html => "html",
        }
    }

    /// The form of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The results in this form, with a line break at the end.
    pub fn render(self, results: &Results) -> String {
        match self {
            Self::Text => text(results),
            Self::Markdown => markdown(results),
            Self::Csv => csv(results),
            Self::Json => results.to_json(),
            Self::Bencher => bencher(results),
            Self::Html => crate::html::page(results),
        }
    }
}
