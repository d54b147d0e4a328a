//! The texts of `workloads/`: sources of our own programs, and files that programs work on.
//!
//! The workshop compiles single files. A larger workload is easier to read in parts, so it is kept as an ordinary Rust
//! program, `main.rs` with its modules, and every line `mod name;` of `main.rs` is replaced by the module's text here.

use crate::texts;

/// The file of `workloads/` with this path.
///
/// # Panics
/// When there is none: the suites are constants of this crate, and a test reads them all.
pub fn text(file: &str) -> &'static str {
    texts::text(&format!("workloads/{file}"))
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
    #[should_panic(expected = "no file workloads/malloc/two.rs")]
    fn a_module_without_a_text_is_noticed() {
        text("malloc/two.rs");
    }
}
