//! Makes one source file of a workload that has several.
//!
//! The workshop compiles single files. A larger workload is easier to read in parts, so it is kept as an ordinary Rust
//! program, `main.rs` with its modules, and every line `mod name;` of `main.rs` is replaced by the module's text here.

/// One text from `main.rs` and its modules by name.
///
/// # Panics
/// When `main` names a module that is not given, or not all are used: the lists are constants of this crate.
pub fn bundle(main: &str, modules: &[(&str, &str)]) -> String {
    let mut text =
        String::with_capacity(main.len() + modules.iter().map(|(_, text)| text.len() + 32).sum::<usize>());
    let mut used = 0;
    for line in main.lines() {
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            let module = modules.iter().find(|(known, _)| *known == name);
            let (_, module) = module.unwrap_or_else(|| panic!("no text for `{line}`"));
            text.push_str(&format!("mod {name} {{\n{module}}}\n"));
            used += 1;
        } else if !line.starts_with("#[path = ") {
            text.push_str(line);
            text.push('\n');
        }
    }
    assert_eq!(used, modules.len(), "not every module is used");
    text
}

/// A module of a workload: its name, and its text from `workloads/`, for a file of `src/suites/`.
macro_rules! module {
    ($name:literal, $file:literal) => {
        ($name, include_str!(concat!("../../workloads/", $file)))
    };
}
pub(crate) use module;

#[cfg(test)]
mod tests {
    use super::bundle;

    #[test]
    fn modules_take_the_place_of_their_lines() {
        let main = "//! A program.\n\n#[path = \"../one.rs\"]\nmod one;\nmod two;\n\nfn main() {}\n";
        assert_eq!(
            bundle(main, &[("one", "//! One.\n"), ("two", "//! Two.\n")]),
            "//! A program.\n\nmod one {\n//! One.\n}\nmod two {\n//! Two.\n}\n\nfn main() {}\n"
        );
    }

    #[test]
    #[should_panic(expected = "no text for `mod two;`")]
    fn a_module_without_a_text_is_noticed() {
        bundle("mod one;\nmod two;\n", &[("one", "")]);
    }

    #[test]
    #[should_panic(expected = "not every module is used")]
    fn a_module_that_nobody_names_is_noticed() {
        bundle("fn main() {}\n", &[("one", "")]);
    }
}
