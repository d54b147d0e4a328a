//! Comma-separated values (RFC 4180), one line for each figure of each variant, with full precision.

use crate::results::Results;

/// Titles of the columns. Figures are in the row's unit; ratios are to the baseline and empty for the baseline itself.
const COLUMNS: &str = "suite,case,row,kind,unit,better,series,x,x_label,variant,count,median,low,high,min,max,\
                       ratio,ratio_low,ratio_high,outliers,winner";

/// The results as CSV; lines end with a single line feed.
pub fn csv(results: &Results) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (suite, case, row) in results.rows() {
        for cell in &row.cells {
            let ratio = cell.ratio.map_or([const { String::new() }; 3], |ratio| {
                [ratio.median, ratio.low, ratio.high].map(|value| value.to_string())
            });
            let summary = &cell.summary;
            let fields = [
                field(&suite.name),
                field(&case.name),
                field(&row.name),
                row.kind.name().to_owned(),
                field(&row.unit),
                row.better.name().to_owned(),
                field(row.series.as_deref().unwrap_or_default()),
                row.x.map_or(String::new(), |x| x.to_string()),
                field(row.x_label.as_deref().unwrap_or_default()),
                field(&cell.variant),
                summary.count.to_string(),
                summary.median.to_string(),
                summary.low.to_string(),
                summary.high.to_string(),
                summary.min.to_string(),
                summary.max.to_string(),
                ratio.join(","),
                cell.outliers.to_string(),
                (row.winner.as_deref() == Some(&cell.variant)).to_string(),
            ];
            text.push_str(&fields.join(","));
            text.push('\n');
        }
    }
    text
}

/// A text field, quoted where it must be.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
