//! Tables of docs/results/, quoted in other documents: written once, by the command that measures, and checked by a
//! test, so that no document can quote a number that no one measured.
//!
//! A document marks the place:
//!
//! ```text
//! <!-- table: docs/results/program.md -->
//! …
//! <!-- end of table -->
//! ```
//!
//! `docs/results/alternatives.md#lua` is the table under that heading.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::workshop::{root, say};

const BEGIN: &str = "<!-- table: ";
const BEGIN_CLOSE: &str = " -->\n";
const END: &str = "<!-- end of table -->";

/// The documents that quote tables, relative to the repository.
const DOCUMENTS: &[&str] = &["README.md", "docs/explain/presets.md", "docs/explain/alternatives.md"];

/// Puts the tables into the documents that quote them.
pub fn run() -> Result<()> {
    for (path, text, renewed) in renewed()? {
        if renewed != text {
            fs_err::write(&path, renewed)?;
            say(&format!("renewed: {}", path.display()));
        }
    }
    Ok(())
}

/// Each document that quotes tables: its path, its text, and what the text should be.
fn renewed() -> Result<Vec<(PathBuf, String, String)>> {
    let documents = DOCUMENTS.iter().map(|name| {
        let path = root().join(name);
        let text = fs_err::read_to_string(&path)?;
        let renewed = embed(&text, &root())?;
        Ok((path, text, renewed))
    });
    documents.collect()
}

/// The document with the first table of each named file, or of its named part, between its marks. `root` is what the names are
/// relative to.
fn embed(document: &str, root: &Path) -> Result<String> {
    let mut result = String::new();
    let mut rest = document;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(BEGIN_CLOSE).context("a mark is not closed")?;
        let (_, after) =
            after.split_once(END).with_context(|| format!("the table {name} has no end mark"))?;
        let (file, part) = name.split_once('#').unwrap_or((name, ""));
        let source = fs_err::read_to_string(root.join(file))?;
        let heading = format!("## {part}");
        let table: String = source
            .lines()
            .skip_while(|line| !part.is_empty() && *line != heading)
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .fold(String::new(), |text, line| text + line + "\n");
        if table.is_empty() {
            bail!("{name} holds no table");
        }
        result.push_str(&format!("{before}{BEGIN}{name}{BEGIN_CLOSE}\n{table}\n{END}"));
        rest = after;
    }
    Ok(result + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_quote_only_numbers_of_the_results() {
        for (path, text, renewed) in renewed().unwrap() {
            let path = path.display();
            assert!(text == renewed, "{path} quotes old results; renew it with: cargo run -p xtask -- quote");
        }
    }

    #[test]
    fn tables_replace_what_was_between_the_marks() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("a.md"), "# A\n\n| x |\n|---|\n| 1 |\n\n## B\n\n| other |\n")
            .unwrap();
        let part = embed("<!-- table: a.md#B -->\n<!-- end of table -->\n", folder.path()).unwrap();
        assert_eq!(part, "<!-- table: a.md#B -->\n\n| other |\n\n<!-- end of table -->\n");
        let document = "before\n<!-- table: a.md -->\nold\n<!-- end of table -->\nafter\n";
        let expected =
            "before\n<!-- table: a.md -->\n\n| x |\n|---|\n| 1 |\n\n<!-- end of table -->\nafter\n";
        let embedded = embed(document, folder.path()).unwrap();
        assert_eq!(embedded, expected);
        assert_eq!(embed(&embedded, folder.path()).unwrap(), expected);
        assert_eq!(embed("no mark\n", folder.path()).unwrap(), "no mark\n");
    }

    #[test]
    fn broken_marks_and_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("empty.md"), "no table\n").unwrap();
        let error = |text: &str| embed(text, folder.path()).unwrap_err().to_string();
        assert_eq!(error("<!-- table: empty.md -->\n<!-- end of table -->"), "empty.md holds no table");
        assert_eq!(error("<!-- table: empty.md#B -->\n<!-- end of table -->"), "empty.md#B holds no table");
        assert_eq!(error("<!-- table: empty.md -->\n"), "the table empty.md has no end mark");
        assert!(error("<!-- table: none.md -->\n<!-- end of table -->").contains("none.md"));
    }
}
