//! Results on disk, in every form, each file whole or not at all.

use std::path::Path;

use brawn_measure::export::Format;
use brawn_measure::results::Results;

use crate::Error;

/// The results themselves; every other form is made from them.
pub const JSON: &str = "results.json";

/// The files that a run writes.
pub const FILES: &[(&str, Format)] = &[
    (JSON, Format::Json),
    ("results.csv", Format::Csv),
    ("results.md", Format::Markdown),
    ("report.html", Format::Html),
];

/// Writes the results into `folder`, which need not exist, in every form.
///
/// # Errors
/// [`Error::Io`], a full disk for instance. Of what was there before, each file stays whole.
pub fn write(folder: &Path, results: &Results) -> Result<(), Error> {
    fs_err::create_dir_all(folder)?;
    for (name, format) in FILES {
        brawn_measure::write_whole(&folder.join(name), &format.render(results))?;
    }
    Ok(())
}
