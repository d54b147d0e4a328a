//! The texts of `workloads/`: sources of our own programs, and files that programs work on.
//!
//! The workshop compiles single files. A larger workload is easier to read in parts, so it is kept as an ordinary Rust
//! program, `main.rs` with its modules, and every line `mod name;` of `main.rs` is replaced by the module's text here.

macro_rules! files {
    ($($file:literal)+) => {
        const FILES: &[(&str, &str)] = &[$(($file, include_str!(concat!("../workloads/", $file)))),+];
    };
}

files! {
    "client/client.rs"
    "common.rs"
    "espresso/table.pla"
    "exporter/manifest.lock" "exporter/manifest.toml" "exporter/src/collect.rs" "exporter/src/main.rs"
    "footprint/churn.rs" "footprint/main.rs" "footprint/pipeline.rs" "footprint/requests.rs"
    "jvm/Batik.java" "jvm/FopReport.java" "jvm/H2.java" "jvm/Jython.java" "jvm/Lucene.java" "jvm/Pmd.java"
    "jvm/Run.java" "jvm/Xalan.java" "jvm/jars.txt"
    "libc/characters.c" "libc/conversions.c" "libc/environment.c" "libc/groups.c" "libc/locks.c" "libc/main.c"
    "libc/mathematics.c" "libc/numbers.c" "libc/regex.c" "libc/rows.h" "libc/sort.c" "libc/stdio.c"
    "libc/threads.c" "libc/throw.cc" "libc/time.c"
    "lua/work.lua"
    "malloc/alloc_test.rs" "malloc/barnes.rs" "malloc/cache.rs" "malloc/glibc.rs" "malloc/larson.rs"
    "malloc/main.rs" "malloc/microquill.rs" "malloc/mstress.rs" "malloc/xmalloc.rs"
    "module/manifest.lock" "module/manifest.toml" "module/src/main.rs"
    "nginx/crypt.h" "nginx/nginx.conf" "nginx/page.html"
    "startup/bare.rs" "startup/empty.rs" "startup/launch.rs" "startup/print.rs"
    "stream/main.rs"
    "strings/functions.rs" "strings/main.rs" "strings/operands.rs"
    "threads/threads.rs"
    "unwind/manifest.lock" "unwind/manifest.toml" "unwind/src/main.rs"
}

/// The file of `workloads/` with this path.
///
/// # Panics
/// When there is none: the suites are constants of this crate, and a test reads them all.
pub fn text(file: &str) -> &'static str {
    let found = FILES.iter().find(|(known, _)| *known == file);
    found.unwrap_or_else(|| panic!("no file {file} in workloads/")).1
}

/// One text from a Rust program and its modules, which lie beside it or in the folder above.
pub fn program(main: &str) -> String {
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut above = false;
    let mut whole = String::new();
    for line in text(main).lines() {
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            let file = if above { format!("{name}.rs") } else { format!("{folder}/{name}.rs") };
            whole.push_str(&format!("mod {name} {{\n{}}}\n", text(&file)));
            above = false;
        } else if line.starts_with("#[path = \"../") {
            above = true;
        } else {
            whole.push_str(line);
            whole.push('\n');
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn modules_take_the_place_of_their_lines() {
        let whole = program("malloc/main.rs");
        assert!(whole.contains(&format!("\nmod common {{\n{}}}\n", text("common.rs"))));
        assert!(whole.contains(&format!("\nmod larson {{\n{}}}\n", text("malloc/larson.rs"))));
        assert!(!whole.contains("#[path") && !whole.contains("\nmod larson;"));
        assert_eq!(program("threads/threads.rs"), text("threads/threads.rs"));
    }

    #[test]
    #[should_panic(expected = "no file malloc/two.rs")]
    fn a_module_without_a_text_is_noticed() {
        text("malloc/two.rs");
    }

    #[test]
    fn every_file_of_the_folder_is_here() {
        fn count(folder: &Path) -> usize {
            let entries = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
        }
        assert_eq!(count(&Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads")), FILES.len());
    }
}
