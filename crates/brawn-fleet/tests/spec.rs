//! `fleet.toml` as users write it, and what is wrong with it.

use std::path::Path;

use brawn_base::Diagnostic as _;
use brawn_fleet::spec::Spec;

const GOOD: &str = r#"
memory = "384MiB"
cores = 2
args = ["--port", "{port}"]
files = ["data/input.txt", "tools"]
stdin = "input.txt"

[[candidates]]
name = "now"
executable = "old"

[[candidates]]
name = "brawn"
executable = "new"
knobs = { BRAWN_X = "1" }

[[pools]]
name = "small"
selector = { kind = "m5.large" }
blocks = 5

[kubernetes]
image = "registry.example/team/fleet"
"#;

// As large as the crate has it.
#[allow(clippy::result_large_err)]
fn read(text: &str) -> Result<Spec, brawn_fleet::Error> {
    Spec::parse(text, Path::new("fleet.toml"))
}

#[test]
fn a_file_is_read() {
    let spec = read(GOOD).unwrap();
    assert_eq!((spec.blocks, spec.reference(), spec.pools[0].blocks), (20, "now", Some(5)));
    assert_eq!(spec.candidates[1].knobs["BRAWN_X"], "1");
    assert_eq!(spec.text, GOOD);
}

#[test]
fn an_unknown_key_names_the_nearest_and_its_line() {
    for (wrong, line, hint) in [
        (GOOD.replace("memory", "memroy"), 2, "did you mean 'memory'?"),
        (GOOD.replace("knobs", "nobs"), 15, "did you mean 'knobs'?"),
        (GOOD.replace("selector", "selctor"), 19, "did you mean 'selector'?"),
        (GOOD.replace("image =", "images ="), 23, "did you mean 'image'?"),
        (GOOD.replace("memory", "goal = \"speed\"\nmemory"), 2, "there are: time, memory, balanced, latency"),
    ] {
        let error = read(&wrong).unwrap_err();
        let said = error.to_string();
        assert!(said.starts_with(&format!("fleet.toml:{line}: unknown ")), "{said}");
        assert_eq!(error.hint().as_deref(), Some(hint), "{said}");
        assert_eq!(u8::from(error.code()), 2);
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    for (from, to, message) in [
        ("384MiB", "much", "memory is 'much'"),
        ("cores = 2", "cores = -1", "cores is -1"),
        ("stdin = \"input.txt\"", "stdin = \"other\"", "stdin names 'other', which is none of the files"),
        ("\"tools\"", "\"other/input.txt\"", "two files are called 'other/input.txt'"),
        ("name = \"brawn\"", "name = \"now\"", "two candidates are called 'now'"),
        ("memory =", "reference = \"no\"\nmemory =", "there is no candidate 'no' for the reference"),
        ("name = \"small\"", "name = \"Small\"", "'Small' is no name of a pool"),
        (
            "selector = { kind = \"m5.large\" }",
            "hosts = [\"a\"]",
            "the pool 'small' has no selector, or has hosts or sbatch",
        ),
        ("blocks = 5", "blocks = 0", "0 blocks cannot be run"),
        ("image = \"registry.example/team/fleet\"", "", "[kubernetes] names no image"),
        ("[kubernetes]", "[ssh]\n[kubernetes]", "on which engine shall it run?"),
        ("memory =", "by = \"kind\"\nmemory =", "where shall it run?"),
        ("memory = \"384MiB\"", "", "a pod needs a limit of memory"),
        (
            "[kubernetes]",
            "[server]\nready = \"8080\"\n[kubernetes]",
            "what shall the load on the server ask for?",
        ),
        (
            "[kubernetes]",
            "[server]\nready = \"8080\"\nclient = [\"wrk\"]\n[kubernetes]",
            "the client 'wrk' is none of the files",
        ),
        (
            "[kubernetes]",
            "[server]\nready = \"http://x\"\nstop = \"HUP\"\n[kubernetes]",
            "'HUP' is no signal to stop by",
        ),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = read(&GOOD.replace(from, to)).unwrap_err();
        assert_eq!(error.to_string(), format!("fleet.toml: {message}"));
        assert!(error.hint().is_some(), "{error}");
    }
    let one = GOOD.split("[[candidates]]").enumerate().filter(|(place, _)| *place != 1).map(|(_, part)| part);
    assert!(read(&one.collect::<String>()).is_err());
}
