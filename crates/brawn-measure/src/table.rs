//! One table, as aligned text and as Markdown.

/// A table of short cells. The first column is aligned to the left, the others to the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column titles and no row.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row; cells that it lacks stay empty.
    ///
    /// # Panics
    /// When the row has more cells than the header.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert!(
            row.len() <= self.header.len(),
            "a row of {} cells under {} titles",
            row.len(),
            self.header.len()
        );
        row.resize(self.header.len(), String::new());
        self.rows.push(row);
    }

    /// For a terminal: columns padded with spaces, two between them.
    pub fn to_text(&self) -> String {
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| self.lines().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in self.lines() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| match column {
                    0 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// For a document.
    pub fn to_markdown(&self) -> String {
        let line = |row: &[String]| {
            format!(
                "| {} |\n",
                row.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | ")
            )
        };
        let rule: String =
            std::iter::once("|---|").chain(self.header.iter().skip(1).map(|_| "---:|")).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{rule}\n{rows}", line(&self.header))
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.header).chain(&self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_same_table() {
        let mut table = Table::new(["variant", "time", "peak"]);
        table.row(["glibc", "1.00 s", "12 MiB"]);
        table.row(["a|b", "12.0 s"]);
        assert_eq!(
            table.to_text(),
            "variant    time    peak\n\
             glibc    1.00 s  12 MiB\n\
             a|b      12.0 s\n"
        );
        assert_eq!(
            table.to_markdown(),
            "| variant | time | peak |\n|---|---:|---:|\n| glibc | 1.00 s | 12 MiB |\n| a\\|b | 12.0 s |  |\n"
        );
    }
}
