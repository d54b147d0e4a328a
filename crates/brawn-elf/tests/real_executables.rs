//! What `inspect` says about executables that no one here built, beside what it said when the table in the docs was
//! made.
//!
//! The table and the record of it are compared always. The executables themselves are fetched and looked at when
//! `BRAWN_TEST_LONG` is set, and left out where a registry cannot be reached.

#[path = "real/fetch.rs"]
mod fetch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brawn_elf::inspection::{Kind, LibcName, StringsOwner};
use brawn_elf::{Inspection, Role, inspect};
use fetch::{Pinned, executable, list};
use serde::{Deserialize, Serialize};

const RENEW: &str = "BRAWN_RENEW=1 BRAWN_TEST_LONG=1 cargo test -p brawn-elf --test real_executables";

/// What the table shows of one executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    package: String,
    version: String,
    linkage: String,
    libc: String,
    heaps: String,
    strings: String,
    made_with: String,
    processor: String,
    stack: String,
    warnings: String,
}

fn docs(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path)
}

fn row(pinned: &Pinned, inspection: &Inspection) -> Row {
    let linkage = match inspection.kind {
        Kind::Static => "static",
        Kind::StaticPie => "static-pie",
        Kind::Dynamic | Kind::DynamicPie => "dynamic",
        Kind::SharedObject => "shared library",
    };
    let libc = match inspection.libc.name {
        LibcName::Musl => "musl",
        LibcName::Glibc => "glibc",
        LibcName::Bionic => "bionic",
        LibcName::None => "none",
        LibcName::Unknown => "unknown",
    };
    let heaps = inspection.allocators.iter().map(|heap| {
        let version = heap.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let role = match heap.role {
            Role::SecondHeap => " (second)",
            Role::Unknown => " (?)",
            Role::LibcHeap | Role::Runtime => "",
        };
        format!("{}{version}{role}", heap.name)
    });
    let strings = match inspection.strings.owner {
        StringsOwner::Brawn => "Brawn",
        StringsOwner::Musl => "musl",
        StringsOwner::Glibc => "glibc",
        StringsOwner::Unknown => "unknown",
    };
    let rust = inspection.rust.as_ref().map(|rust| match (&rust.version, &rust.commit) {
        (Some(version), _) => format!("Rust {version}"),
        (None, commit) => format!("Rust {}", &commit.as_deref().unwrap_or("?")[..9]),
    });
    let crates = inspection.crates.as_ref().map(|crates| format!(", {} crates listed", crates.len()));
    let made_with = rust.map(|rust| rust + &crates.unwrap_or_default()).or_else(|| inspection.go.clone());
    let processor = inspection.cpu.as_ref().map_or("unknown".to_owned(), |cpu| {
        let required = cpu.required.map_or("?", |level| level.name());
        if cpu.required == Some(cpu.highest) {
            required.to_owned()
        } else {
            format!("{required}, up to {}", cpu.highest.name())
        }
    });
    let warnings: Vec<&str> = inspection
        .verdict
        .iter()
        .filter(|finding| finding.severity != brawn_elf::inspection::Severity::Info)
        .map(|finding| finding.code.as_str())
        .collect();
    let stack = inspection.thread_stack.bytes.map_or("-".to_owned(), |bytes| format!("{} KiB", bytes / 1024));
    Row {
        package: format!("{}: {}", pinned.registry, pinned.package),
        version: pinned.version.clone(),
        linkage: linkage.to_owned(),
        libc: libc.to_owned(),
        heaps: heaps.collect::<Vec<_>>().join(", "),
        strings: strings.to_owned(),
        made_with: made_with.unwrap_or_else(|| "-".to_owned()),
        processor,
        stack,
        warnings: if warnings.is_empty() { "-".to_owned() } else { warnings.join(", ") },
    }
}

fn table(rows: &BTreeMap<String, Row>) -> String {
    let mut text = String::from(
        "| | from | linkage | libc | heaps | strings | made with | processor | thread stack | warnings |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for pinned in list() {
        let row = &rows[&pinned.name];
        text.push_str(&format!(
            "| {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            pinned.name,
            row.package,
            row.version,
            row.linkage,
            row.libc,
            if row.heaps.is_empty() { "none found" } else { &row.heaps },
            row.strings,
            row.made_with,
            row.processor,
            row.stack,
            row.warnings
        ));
    }
    text
}

fn record() -> BTreeMap<String, Row> {
    let text =
        fs_err::read_to_string(docs("results/real-executables.json")).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_table_in_the_docs_is_that_of_the_record() {
    let rows = record();
    let names: Vec<String> = list().into_iter().map(|pinned| pinned.name).collect();
    for name in &names {
        assert!(rows.contains_key(name), "{name} is not in the record; renew it with: {RENEW}");
    }
    assert_eq!(rows.len(), names.len(), "the record holds more than the list; renew it with: {RENEW}");
    let text = fs_err::read_to_string(docs("reference/inspect-real.md")).unwrap();
    assert!(text.contains(&table(&rows)), "docs/reference/inspect-real.md is stale; renew it with: {RENEW}");
}

#[test]
fn real_executables_are_what_they_were_said_to_be() {
    if std::env::var_os("BRAWN_TEST_LONG").is_none() {
        eprintln!("left out: BRAWN_TEST_LONG=1 fetches some 150 MB");
        return;
    }
    let mut rows = record();
    let renew = std::env::var_os("BRAWN_RENEW").is_some();
    let mut wrong = Vec::new();
    for pinned in list() {
        let content = match executable(&pinned) {
            Ok(content) => content,
            Err(reason) => {
                assert!(!renew, "{}: {reason}", pinned.name);
                eprintln!("left out: {}: {reason}", pinned.name);
                continue;
            }
        };
        let row = row(&pinned, &inspect(&content).unwrap());
        if rows.get(&pinned.name) != Some(&row) {
            wrong.push(format!("{}: {:#?}\nand not {:#?}", pinned.name, row, rows.get(&pinned.name)));
        }
        if renew {
            rows.insert(pinned.name, row);
        }
    }
    if renew {
        let names: Vec<String> = list().into_iter().map(|pinned| pinned.name).collect();
        rows.retain(|name, _| names.contains(name));
        let json = serde_json::to_string_pretty(&rows).unwrap() + "\n";
        fs_err::write(docs("results/real-executables.json"), json).unwrap();
        let path = docs("reference/inspect-real.md");
        let text = fs_err::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once("<!-- table -->\n").expect("the mark before the table");
        let (_, tail) = rest.split_once("<!-- end -->").expect("the mark after the table");
        let text = format!("{head}<!-- table -->\n{}<!-- end -->{tail}", table(&rows));
        fs_err::write(path, text).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "renew it with: {RENEW}\n{}", wrong.join("\n"));
}
