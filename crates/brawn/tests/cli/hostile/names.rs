//! Names that steer a terminal or forge a message.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use super::assert_all_have_rows;
use super::seen::check;
use crate::common::{Sandbox, fails};

/// Clears the screen, sets a title, forges a message, and turns around what follows; in UTF-8 and not.
const NAMES: [&[u8]; 2] = [
    "x\x1b[2J\x1b]0;t\x07\nerror: forged\r\x7f\u{9b}35m\u{202e}\u{2066}\u{2028}".as_bytes(),
    b"x\xff\x1b[2J\nerror: forged",
];

/// Every way in which a command of Brawn's takes a name that it prints. What `build`, `cargo`, `cc` and `c++` pass on is
/// printed by cargo and by the compiler, in their own ways.
pub const ROWS: &[(&str, &[&str])] = &[
    ("build", &["--preset {}", "--malloc {}", "--knob {}", "--cpu {}", "--target {}"]),
    ("cargo", &["build --malloc {}", "build --target {}"]),
    ("cc", &["heap.c -o {}"]),
    ("c++", &["heap.c -o {}"]),
    ("env", &["--malloc {}", "--target {}", "{}"]),
    ("init", &["{}", "--malloc {}"]),
    ("libc", &["--from {} -o out", "--from {} --dry-run --json", "--target {}"]),
    ("patch", &["{}", "--json {}", "--system --root {}"]),
    ("restore", &["{}"]),
    ("relink", &["{}", "-o {} {}"]),
    (
        "graft",
        &[
            "{} --dry-run",
            "{} -o {}.new",
            "{} --json --in-place",
            "{} --musl {} -o out",
            "{} --from {} -o out",
        ],
    ),
    ("preload", &["--malloc {}", "-o {}/no", "-o {}.so", "--message-format json -o {}.so"]),
    ("run", &["-- {}", "--preload {} -- true"]),
    ("verify", &["{}", "--json {}", "{}.not"]),
    ("inspect", &["{}", "--json {}", "{}.not"]),
    ("check", &["{}", "--json {}", "--static {}", "--manifest-path {} {}", "--user {} {}", "--env {} {}"]),
    ("doctor", &["{}", "--json"]),
    ("image", &["{} -o out", "--base {} -o out", "--certificate {} {} -o out", "--push {}", "--platform {}"]),
    (
        "bench",
        &[
            "{}",
            "--variants {}",
            "compare {} {}",
            "report {}",
            "report {} -o {}.txt",
            "compare --fail-if {} a b",
        ],
    ),
    ("tune", &["--exe {} -- {}", "--resume {}", "--also {}", "--goal {}", "--setup {} --exe {}"]),
    (
        "fleet",
        &[
            "{}",
            "plan --file {}",
            "plan --by {}",
            "plan --pool {} --candidate a={}",
            "run --file {}",
            "status {}",
            "delete {}",
            "collect {} --from {}",
            "report {}",
            "report {} -o {}",
            "report fleet.json --apply={}",
            "report fleet.json --prices {}",
            "canary --response {}={},x",
            "canary --response m={},x",
            "canary {} --prometheus {} --replicasets {},x --token-file {}",
            "canary {} --prometheus {} --render {}",
        ],
    ),
    ("cache", &["{}", "clear {}", "trim --limit {}"]),
    ("completions", &["{}"]),
    ("man", &["{}", "bench {}"]),
];

/// The words of a row, with a name in the place of `{}`.
pub fn fill(row: &str, name: &OsStr) -> Vec<OsString> {
    let word = |word: &str| {
        let (before, after) = match word.split_once("{}") {
            Some(parts) => parts,
            None => return word.into(),
        };
        let parts = [OsStr::new(before), name, OsStr::new(after)];
        parts.into_iter().fold(OsString::new(), |mut whole, part| {
            whole.push(part);
            whole
        })
    };
    row.split(' ').map(word).collect()
}

#[test]
fn no_name_reaches_the_terminal_as_it_is() {
    assert_all_have_rows(ROWS);
    for name in NAMES.map(OsStr::from_bytes) {
        for there in [true, false] {
            let sandbox = Sandbox::new();
            sandbox.write("fleet.json", super::fleet::FILE);
            // Two heaps: the driver has something to say about its output.
            sandbox.write(
                "heap.c",
                "void *malloc(unsigned long n) { return (void *)n; }\nint main(void) { return 0; }\n",
            );
            if there {
                fs_err::write(sandbox.path().join(name), "text\x1b[2J\nerror: forged\n").unwrap();
            }
            for (command, rows) in ROWS {
                for row in *rows {
                    check(sandbox.brawn(&[command]).args(fill(row, name)));
                }
            }
        }
    }
}

#[test]
fn names_are_visible_and_whole() {
    let sandbox = Sandbox::new();
    fs_err::write(sandbox.path().join("a\x1b[2J\nerror: b"), "text").unwrap();
    let message = fails(sandbox.brawn(&["verify"]).arg("a\x1b[2J\nerror: b"), 1);
    assert!(message.starts_with(r"error: a\x1b[2J\nerror: b: "), "{message}");
    let json = sandbox.brawn(&["verify", "--json"]).arg(OsStr::from_bytes(b"a\x7f\xff")).output().unwrap();
    assert!(json.stdout.is_empty(), "there is no such file: {json:?}");
    fs_err::write(sandbox.path().join("a\x7f"), "text").unwrap();
    let json = sandbox.brawn(&["verify", "--json", "a\x7f"]).output().unwrap();
    let text = String::from_utf8(json.stdout).unwrap();
    assert!(text.contains(r#""path":"a\u007f""#), "{text}");
}
