//! What others published, from the tables in this crate's folder `published/`; its README names the sources.
//!
//! Absolute figures do not carry over to another machine, so every figure comes with its ratio to the same source's
//! glibc, where there is one.

use brawn_measure::results::Published;

/// One published table: rows by name, columns by system.
pub struct Table {
    csv: &'static str,
    /// The column that ratios are taken against, if the source has one.
    baseline: Option<&'static str>,
    source: &'static str,
}

const ALPAQUITA: &str =
    "BellSoft, \"Alpaquita Linux performance: the race is on\", 14 October 2022 (i5-6600, 4 cores, KVM)";

macro_rules! tables {
    ($($(#[$about:meta])* $name:ident = $file:literal, $baseline:expr, $source:expr;)+) => {
        $($(#[$about])* pub const $name: Table = Table {
            csv: include_str!(concat!("../published/", $file)),
            baseline: $baseline,
            source: $source,
        };)+

        const ALL: &[(&str, &Table)] = &[$(($file, &$name)),+];
    };
}

tables! {
    /// The `vec!` loop on 32 threads, in operations per second (last column). No glibc among them.
    VEC_LOOP = "vec_loop.csv", None,
        "a blog post on Rust, Alpine and mimalloc (Ryzen 9 7945HX3D, 32 threads, Alpine 3.20)";
    /// wasmtime compiling a module, in seconds: parallel mean and deviation, serial mean and deviation.
    WASMTIME = "wasmtime_s.csv", Some("glibc dynamic"),
        "Tweag, \"Supercharging your Rust static executables with mimalloc\", 10 August 2023 (48 cores)";
    /// Resident memory of a service by node, in MB, with jemalloc and with the system's malloc.
    DENEV = "denev_rss_mb.csv", Some("jemalloc_default_mb"),
        "N. Denev, \"Reducing stable Rust memory footprint by using the system malloc\", 16 February 2018";
    /// Boot stages, in seconds.
    STARTUP = "alpaquita_startup_s.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// STREAM, in MB/s.
    STREAM = "alpaquita_stream_mb_s.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// String functions on 36 characters, in ns.
    STRINGS_36 = "alpaquita_strings_36_ns.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// String functions on 132 characters, in ns.
    STRINGS_132 = "alpaquita_strings_132_ns.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// String functions on 4,100 characters, in ns.
    STRINGS_4100 = "alpaquita_strings_4100_ns.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// nginx by connections, in requests per second.
    NGINX = "alpaquita_nginx_req_s.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// DaCapo, in milliseconds.
    DACAPO = "alpaquita_dacapo_ms.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
    /// Allocator benchmarks, in operations per second.
    MALLOC = "alpaquita_malloc_ops_s.csv", Some("alpaquita-22-glibc"), ALPAQUITA;
}

/// The table in this file of `published/`, without its ending.
pub fn table(file: &str) -> Option<&'static Table> {
    ALL.iter().find(|(known, _)| known.strip_suffix(".csv") == Some(file)).map(|(_, table)| *table)
}

impl Table {
    /// Every column of the row called `row`, in whatever case, with its ratio to the baseline's column. Empty when there is no such row.
    pub fn row(&self, row: &str) -> Vec<Published> {
        let mut lines = self.lines();
        let Some(header) = lines.next() else { return Vec::new() };
        let Some(cells) = lines.find(|cells| cells[0].eq_ignore_ascii_case(row)) else { return Vec::new() };
        self.published(header.iter().zip(&cells).skip(1).map(|(column, cell)| (*column, *cell)))
    }

    /// Every row of the column called `column`, with its ratio to the baseline's row.
    pub fn column(&self, column: &str) -> Vec<Published> {
        let mut lines = self.lines();
        let position = lines.next().and_then(|header| header.iter().position(|name| *name == column));
        let Some(position) = position else { return Vec::new() };
        let cells: Vec<(&str, &str)> = lines.map(|cells| (cells[0], cells[position])).collect();
        self.published(cells.iter().copied())
    }

    /// The cells of every row whose cell in the column `name` is `value`, but for that one.
    pub fn rows_with(&self, name: &str, value: f64) -> Vec<Published> {
        let rows = self.rows().into_iter().map(|row| self.row(row));
        rows.filter(|row| row.iter().any(|cell| cell.label == name && cell.value == value))
            .flatten()
            .filter(|cell| cell.label != name)
            .collect()
    }

    /// The names of the rows.
    pub fn rows(&self) -> Vec<&'static str> {
        self.lines().skip(1).map(|cells| cells[0]).collect()
    }

    fn lines(&self) -> impl Iterator<Item = Vec<&'static str>> + use<> {
        self.csv.lines().filter(|line| !line.is_empty()).map(|line| line.split(',').collect())
    }

    fn published<'a>(&self, cells: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<Published> {
        let number = |cell: &str| cell.trim().parse::<f64>().ok();
        let baseline = self
            .baseline
            .and_then(|baseline| cells.clone().find(|(name, _)| *name == baseline))
            .and_then(|(_, cell)| number(cell));
        cells
            .filter_map(|(name, cell)| {
                let value = number(cell)?;
                Some(Published {
                    label: name.to_owned(),
                    value,
                    ratio: baseline.filter(|base| *base > 0.0).map(|base| value / base),
                    source: self.source.to_owned(),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_whole_table() {
        for (file, table) in ALL {
            let lines: Vec<_> = table.lines().collect();
            assert!(lines.len() > 2, "{file}");
            assert!(lines.iter().all(|cells| cells.len() == lines[0].len()), "{file}");
        }
    }

    #[test]
    fn ratios_are_to_the_same_sources_glibc() {
        let row = STRINGS_4100.row("strlen");
        let of = |label: &str| row.iter().find(|published| published.label == label).unwrap();
        assert_eq!(of("alpaquita-22-glibc").ratio, Some(1.0));
        let stock = of("alpaquita-22-musl-def");
        assert!((stock.ratio.unwrap() - 300.76 / 42.60).abs() < 1e-9, "{stock:?}");
        assert!(STRINGS_4100.row("strsep").is_empty());

        let parallel = WASMTIME.column("parallel_mean_s");
        assert_eq!(parallel.len(), 3);
        assert!((parallel[1].ratio.unwrap() - 92.16 / 4.452).abs() < 1e-9);
        // Two cells of the serial column are all that there is.
        assert_eq!(WASMTIME.column("serial_mean_s").len(), 2);

        let loops = VEC_LOOP.column("operations_per_second");
        assert!(loops.len() == 4 && loops.iter().all(|published| published.ratio.is_none()));
    }
}
