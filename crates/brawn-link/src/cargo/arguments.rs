//! The arguments of a call of cargo.

/// Cargo's own arguments: what follows `--` belongs to the program.
pub(super) fn before_separator(args: &[String]) -> &[String] {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    &args[..end]
}

pub(super) fn options(args: &[String], name: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == name {
            values.extend(args.next().cloned());
        } else if let Some(value) = arg.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            values.push(value.to_owned());
        }
    }
    values
}

pub(super) fn option(args: &[String], name: &str) -> Option<String> {
    options(args, name).pop()
}

pub(super) fn remove_option(args: &mut Vec<String>, name: &str) {
    let end = before_separator(args).len();
    let mut index = 0;
    let mut cargo_args: Vec<String> = args.drain(..end).collect();
    while index < cargo_args.len() {
        if cargo_args[index] == name {
            cargo_args.drain(index..(index + 2).min(cargo_args.len()));
        } else if cargo_args[index].strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
            cargo_args.remove(index);
        } else {
            index += 1;
        }
    }
    args.splice(0..0, cargo_args);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_end_at_the_separator() {
        let args = list("--target a --target=b -- --target c");
        assert_eq!(options(before_separator(&args), "--target"), ["a", "b"]);
    }

    #[test]
    fn removing_an_option_leaves_the_programs_arguments() {
        let mut args = list("--release --message-format short -p x -- --message-format json");
        remove_option(&mut args, "--message-format");
        assert_eq!(args, list("--release -p x -- --message-format json"));
    }
}
