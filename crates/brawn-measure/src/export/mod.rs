//! Results in the forms that others read, one file for each: a form is a function from [`Results`] to text.
//!
//! A new form is one file here and one row in [`Format`].

mod bencher;
mod builds;
mod csv;
mod markdown;
mod text;

use crate::results::Results;

brawn_base::named! {
    /// The forms in which results can be written; the names are those for `--format`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Format {
        /// Tables for a terminal.
        Text = "text",
        /// Tables for a document.
        Markdown = "markdown",
        /// One line for each figure of each variant.
        Csv = "csv",
        /// Everything, raw samples included.
        Json = "json",
        /// Bencher Metric Format, which bencher.dev tracks.
        Bencher = "bencher",
        /// The report, one page without any other file.
        Html = "html",
    }
}

impl Format {
    /// The results in this form, with a line break at the end.
    pub fn render(self, results: &Results) -> String {
        match self {
            Self::Text if results.is_of_builds() => builds::text(results),
            Self::Markdown if results.is_of_builds() => builds::markdown(results),
            Self::Text => text::text(results),
            Self::Markdown => markdown::markdown(results),
            Self::Csv => csv::csv(results),
            Self::Json => results.to_json(),
            Self::Bencher => bencher::bencher(results),
            Self::Html => crate::html::page(results),
        }
    }
}
