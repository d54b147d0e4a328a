//! What tools for Rust work on: complaints, coverage, a book, tasks, a package and a manifest.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use fastrand::Rng;

use super::file::write;

/// A line of a source: path, number and text.
type Place = (String, usize, String);

/// Makes them in `folder`, where `words.txt` and the sources are.
pub fn make(folder: &Path) -> Result<()> {
    let places = places(folder)?;
    let words = fs_err::read_to_string(folder.join("words.txt"))?;
    write(folder.join("clippy.json"), diagnostics(&places))?;
    write(folder.join("clippy.sarif"), sarif(&places))?;
    write(folder.join("lcov.info"), coverage(&mut Rng::with_seed(1)))?;
    write(folder.join("Makefile.toml"), tasks())?;
    book(&folder.join("book"), &words)?;
    package(&folder.join("package"), &words)?;
    let many = folder.join("manifest");
    fs_err::create_dir_all(many.join("src"))?;
    write(many.join("Cargo.toml"), manifest(&mut Rng::with_seed(1)))?;
    write(many.join("src/lib.rs"), "")?;
    write(many.join("Cargo.lock"), lock("many"))
}

fn lock(name: &str) -> String {
    format!("version = 4\n\n[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n")
}

/// Every tenth line, up to 20 of each, of the Rust files of `files.txt`: path, number and text in UTF-8.
fn places(folder: &Path) -> Result<Vec<Place>> {
    let list = fs_err::read_to_string(folder.join("files.txt"))?;
    let mut places = Vec::new();
    for path in list.lines().filter(|path| path.ends_with(".rs")) {
        let Ok(text) = fs_err::read_to_string(folder.join(path)) else { continue };
        let lines = text
            .lines()
            .enumerate()
            .skip(4)
            .step_by(10)
            .filter(|(_, line)| line.is_ascii() && line.len() > 8);
        places.extend(lines.take(20).map(|(at, line)| (path.to_owned(), at + 1, line.to_owned())));
    }
    Ok(places)
}

/// What `cargo clippy --message-format=json` would print of a package with a complaint about each place.
fn diagnostics(places: &[Place]) -> String {
    let mut text = String::new();
    for (n, (path, line, source)) in places.iter().enumerate() {
        let source = source.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
        let lint = ["needless_return", "too_many_lines", "redundant_clone", "unwrap_used"][n % 4];
        let span = format!(
            "{{\"file_name\":\"{path}\",\"byte_start\":0,\"byte_end\":4,\"line_start\":{line},\"line_end\":{line},\
             \"column_start\":3,\"column_end\":8,\"is_primary\":true,\"text\":[{{\"text\":\"{source}\",\
             \"highlight_start\":3,\"highlight_end\":8}}],\"label\":null,\"suggested_replacement\":null,\
             \"suggestion_applicability\":null,\"expansion\":null}}"
        );
        let target = "{\"kind\":[\"lib\"],\"crate_types\":[\"lib\"],\"name\":\"part\",\"src_path\":\"/part/src/lib.rs\",\
            \"edition\":\"2021\",\"doc\":true,\"doctest\":true,\"test\":true}";
        let _ = writeln!(
            text,
            "{{\"reason\":\"compiler-message\",\"package_id\":\"path+file:///part#0.1.0\",\
             \"manifest_path\":\"/part/Cargo.toml\",\"target\":{target},\"message\":{{\"$message_type\":\"diagnostic\",\
             \"rendered\":\"warning: number {n}\\n --> {path}:{line}:3\\n\\n{source}\\n\",\"message\":\"number {n}\",\
             \"code\":{{\"code\":\"clippy::{lint}\",\"explanation\":null}},\"level\":\"warning\",\"spans\":[{span}],\
             \"children\":[{{\"message\":\"for further information visit the list of lints\",\"code\":null,\
             \"level\":\"help\",\"spans\":[],\"children\":[],\"rendered\":null}}]}}}}"
        );
    }
    text
}

/// Complaints about those places in the format SARIF.
fn sarif(places: &[Place]) -> String {
    let results = places.iter().enumerate().map(|(n, (path, line, _))| {
        format!(
            "{{\"ruleId\":\"rule-{}\",\"ruleIndex\":{},\"level\":\"warning\",\"message\":{{\"text\":\"number {n}\"}},\
             \"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"{path}\"}},\"region\":\
             {{\"startLine\":{line},\"startColumn\":3,\"endLine\":{line},\"endColumn\":8}}}}}}]}}",
            n % 20, n % 20
        )
    });
    let rules =
        (0..20).map(|n| format!("{{\"id\":\"rule-{n}\",\"fullDescription\":{{\"text\":\"Rule {n}.\"}}}}"));
    format!(
        "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"tool\",\"rules\":[{}]}}}},\"results\":[{}]}}]}}\n",
        rules.collect::<Vec<_>>().join(","),
        results.collect::<Vec<_>>().join(",\n")
    )
}

/// Which lines of 400 files ran how often, in the format of lcov.
fn coverage(random: &mut Rng) -> String {
    let mut text = String::new();
    for file in 0..400 {
        let _ = writeln!(text, "TN:\nSF:src/part{}/file{file}.rs", file % 20);
        for function in 0..40 {
            let _ = writeln!(text, "FN:{},function_{file}_{function}", function * 25 + 1);
        }
        for function in 0..40 {
            let _ = writeln!(text, "FNDA:{},function_{file}_{function}", random.u32(..3));
        }
        for line in 1..1_000 {
            let _ = writeln!(text, "DA:{line},{}", random.u32(..5));
            if line % 10 == 0 {
                let _ = writeln!(
                    text,
                    "BRDA:{line},0,0,{}\nBRDA:{line},0,1,{}",
                    random.u32(..3),
                    random.u32(..3)
                );
            }
        }
        text.push_str("end_of_record\n");
    }
    text
}

/// A book of 200 chapters that link to each other, of the first lines of `words`.
fn book(folder: &Path, words: &str) -> Result<()> {
    fs_err::create_dir_all(folder.join("src"))?;
    write(folder.join("book.toml"), "[book]\ntitle = \"Words\"\nlanguage = \"en\"\n")?;
    let mut summary = String::from("# Summary\n\n");
    let mut lines = words.lines();
    for chapter in 0..200 {
        let _ = writeln!(
            summary,
            "{}- [Chapter {chapter}](chapter{chapter}.md)",
            if chapter % 5 == 0 { "" } else { "    " }
        );
        let mut text = format!("# Chapter {chapter}\n\n");
        for section in 0..8 {
            let _ = write!(text, "## Section {section}\n\n");
            for line in lines.by_ref().take(6) {
                let _ = writeln!(text, "{line}.");
            }
            let _ = write!(
                text,
                "\n- *one* of [these](chapter{}.md)\n- **two**, and `three`\n\n| a | b |\n|---|---|\n| 1 | {section} |\n\n\
                 ```rust\nfn section() -> u32 {{\n    {section}\n}}\n```\n\n",
                (chapter * 7 + section) % 200
            );
        }
        write(folder.join(format!("src/chapter{chapter}.md")), text)?;
    }
    write(folder.join("src/SUMMARY.md"), summary)
}

/// Tasks of cargo-make that depend on each other, without commands.
fn tasks() -> String {
    let mut text = String::from("[config]\nskip_core_tasks = true\n");
    for n in 0..2_000 {
        let _ =
            writeln!(text, "\n[tasks.part{n}]\ndescription = \"Part {n}\"\ncategory = \"Group {}\"", n % 20);
        if n > 0 {
            let _ = writeln!(text, "dependencies = [\"part{}\"]", n / 2);
        }
    }
    text.replace("dependencies = [\"part0\"]\n", "")
}

/// A package without dependencies: 1,500 structures with derived traits, 17 features, a description that the README repeats.
fn package(folder: &Path, words: &str) -> Result<()> {
    fs_err::create_dir_all(folder.join("src"))?;
    let mut manifest = String::from(
        "[package]\nname = \"package\"\nversion = \"1.0.0\"\nedition = \"2021\"\nreadme = \"README.md\"\n\n[features]\n",
    );
    for n in 1..=17 {
        let _ = writeln!(manifest, "feature{n} = []");
    }
    write(
        folder.join("Cargo.toml"),
        manifest + "\n[package.metadata.cargo-all-features]\nmax_combination_size = 1\n\n[workspace]\n",
    )?;
    write(folder.join("Cargo.lock"), lock("package"))?;
    let mut code = String::new();
    let mut readme = String::from("# package\n\n<!-- cargo-rdme start -->\n\n");
    for line in words.lines().take(2_000) {
        let _ = writeln!(code, "//! {line}.");
        let _ = writeln!(readme, "{line}.");
    }
    for n in 0..1_500 {
        let _ = writeln!(
            code,
            "\n/// Number {n}.\n#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]\npub struct Part{n} {{\n    \
             pub one: u32,\n    pub two: Vec<Option<String>>,\n}}\n\nimpl Part{n} {{\n    pub fn print(&self) {{\n        \
             println!(\"{{}} {{:?}}\", self.one, self.two);\n        assert!(self.one < {n} + 1, \"more than {{}}\", {n});\n    }}\n}}"
        );
    }
    write(folder.join("src/lib.rs"), code)?;
    write(folder.join("README.md"), readme + "\n<!-- cargo-rdme end -->\n")
}

/// A manifest of 6,000 dependencies and as many features, in no order.
fn manifest(random: &mut Rng) -> String {
    let mut text = String::from("[package]\nname = \"many\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
    let mut names = std::collections::BTreeSet::new();
    while names.len() < 6_000 {
        names.insert((0..random.usize(4..12)).map(|_| random.lowercase()).collect::<String>());
    }
    let mut names: Vec<String> = names.into_iter().collect();
    random.shuffle(&mut names);
    for (part, names) in names.chunks(2_000).enumerate() {
        let _ = writeln!(text, "\n[{}]", ["dependencies", "dev-dependencies", "build-dependencies"][part]);
        for (n, name) in names.iter().enumerate() {
            let _ = match n % 3 {
                0 => writeln!(text, "{name} = \"1.{n}\""),
                1 => writeln!(
                    text,
                    "# {n}\n{name} = {{ version = \"1.{n}\", features = [\"b\",\"a\"], default-features=false }}"
                ),
                _ => writeln!(text, "{name}={{version=\"0.{n}\",default-features=false}}"),
            };
        }
    }
    text.push_str("\n[workspace]\n\n[features]\nstd = []\n");
    random.shuffle(&mut names);
    for pair in names.windows(2) {
        let _ = writeln!(text, "with-{} = [\"with-{}\", \"std\"]", pair[0], pair[1]);
    }
    let _ = writeln!(text, "with-{} = []", names[names.len() - 1]);
    text
}
