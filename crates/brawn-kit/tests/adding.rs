//! What an allocator takes: `tests/allocator` holds one as a contributor would bring it, and here it becomes a heap
//! without a change to any other file.

use brawn_elf::inspect;
use brawn_kit_build::{Workshop, arches, table};
use std::path::Path;
use std::process::Command;

/// The shim, the table of knobs, the row, and the section of the page; nothing else may be needed.
const FILES: [&str; 4] = ["allocators.toml", "bump.c", "bump.toml", "kit.md"];

#[test]
fn a_row_and_the_files_that_it_names_make_a_heap() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_folder.ancestors().nth(2).expect("the root of the repository");
    let folder = root.join("tests/allocator");
    let mut files: Vec<_> = fs_err::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    files.sort();
    assert_eq!(files, FILES);

    let rows = table::read(&folder).expect("the table");
    let [row] = &rows[..] else { panic!("one row") };
    let page = fs_err::read_to_string(folder.join("kit.md")).expect("the page");
    assert!(page.to_lowercase().contains(&row.title), "the page has a section on it");

    let host = env!("BRAWN_KIT_HOST");
    let arch =
        arches::ARCHES.iter().find(|arch| host.starts_with(arch.name)).expect("a kit for this machine");
    let out = tempfile::tempdir().expect("a folder");
    let workshop = Workshop::new(crate_folder, out.path(), host, vec![arch]).expect("a compiler");
    let sealed = workshop.object(row, arch).expect("it compiles, and keeps the contract of its family");
    let knobs = sealed.knobs_at.expect("room for knobs");
    assert!(sealed.bytes[knobs..].starts_with(b"piece_kib:256\0"), "what the kit builds in");

    let object = out.path().join(row.member_name());
    fs_err::write(&object, &sealed.bytes).expect("the object");
    for (name, program, arguments) in [
        ("kit-edges", crate_folder.join("tests/c/edges.c"), &[][..]),
        ("model", root.join("tests/libc/model.c"), &["1"][..]),
        ("aligned", root.join("tests/libc/aligned.c"), &["1"][..]),
    ] {
        let exception = row.exception(name, false);
        if exception.is_some_and(|exception| exception.skip) {
            continue;
        }
        let executable = out.path().join(name);
        let compiler = workshop.compiler(arch);
        let mut link = Command::new(&compiler.argv[0]);
        link.args(&compiler.argv[1..]).args(["-static-pie", "-fPIE", "-O1", "-g0", "-fno-builtin"]);
        let output = link.arg(program).arg(&object).arg("-o").arg(&executable).output().expect("a compiler");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        // Not by the linker: zig compiles a whole musl for `-s`, half a minute of a processor.
        let output = Command::new("strip").arg(&executable).output().expect("strip");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));

        let mut command = Command::new(&executable);
        command.current_dir(out.path()).args(arguments);
        command.args(exception.iter().flat_map(|exception| &exception.add));
        let output = command.output().expect("the program");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));

        let found = inspect(&fs_err::read(&executable).expect("the executable")).expect("an ELF file");
        let heap = found.allocators.iter().find(|heap| heap.kit).expect("a heap of the kit");
        assert_eq!((&heap.name, heap.version.as_ref()), (&row.name, Some(&row.version)), "{name}");
    }
}

fn rows() -> Vec<table::Recipe> {
    table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/malloc")).expect("the table")
}

#[test]
fn the_page_on_the_kit_has_a_line_for_each_row() {
    let mut lines = String::from("\n| name | what | sources | preload |\n|---|---|---|---|\n");
    for row in rows().iter().filter(|row| row.listed) {
        let sources = match &row.from_crate {
            None => format!("`crates/brawn-kit/libc/malloc/{}`", row.shim),
            Some(name) => {
                let kit = brawn_kit::allocator(&row.name).expect("it is in the kit");
                format!("`{name}` {}", kit.source_crate_version.split('+').next().unwrap_or_default())
            }
        };
        let about = row.about.replace("{version}", &row.version);
        let preload = if row.preload { "yes" } else { "" };
        lines.push_str(&format!("| `{}` | {about} | {sources} | {preload} |\n", row.name));
    }
    is_in("docs/reference/kit.md", &lines);
}

#[test]
fn the_page_on_licences_has_a_line_for_each_row() {
    let mut lines = String::from("\n| `--malloc` | sources | licence | of |\n|---|---|---|---|\n");
    for row in rows() {
        if let (Some(name), Some(holders)) = (&row.from_crate, &row.holders) {
            lines.push_str(&format!("| `{}` | `{name}` | {} | {holders} |\n", row.name, row.license));
        }
    }
    is_in("docs/reference/licences.md", &lines);
}

/// Compares a table on a page with the rows that it is made of; `BRAWN_RENEW=1` writes it again.
fn is_in(page: &str, lines: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = fs_err::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("where the table begins");
    let (_, after) = rest.split_once(END).expect("where the table ends");
    let renewed = format!("{before}{BEGIN}{lines}{END}{after}");
    if std::env::var_os("BRAWN_RENEW").is_some() {
        fs_err::write(&path, &renewed).expect("the page can be written");
    } else {
        assert!(text == renewed, "{page} is stale: BRAWN_RENEW=1 cargo test -p brawn-kit --test adding");
    }
}

const BEGIN: &str = "<!-- allocators -->\n";
const END: &str = "\n<!-- end -->";
