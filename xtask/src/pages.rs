//! What holds for every page of the repository: links and names of pages lead somewhere, `docs/explain/` is short,
//! sections of `docs/log/` are dated, prose is wrapped at one width, and words are those of the field.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::workshop::root;

/// Characters in a line of prose, at most.
const WIDTH: usize = 100;

/// Lines of a page that explains, at most.
const EXPLAINED: usize = 250;

/// Pages that a program writes with its results: their lines are as long as what they report.
const WRITTEN: &[&str] = &["docs/results/", "docs/tune/", "docs/hundred/README.md"];

/// Every file of the repository whose name ends so, relative to its root.
fn files(endings: &[&str]) -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git starts");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).expect("names of files are UTF-8");
    let names = names.lines().filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
    names.filter(|name| root().join(name).is_file()).map(str::to_owned).collect()
}

fn read(name: &str) -> String {
    fs_err::read_to_string(root().join(name)).unwrap()
}

/// The lines of a page outside of blocks of code, with their numbers from 1 on.
fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (!inside && !fence).then_some((index + 1, line))
    })
}

/// The text without what stands between backticks.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// Where the links of a page lead, with the line on which each ends.
fn links(text: &str) -> Vec<(usize, String)> {
    // A link's text may go over a line's end; where it leads does not.
    let targets = |line: &str| -> Vec<String> {
        let line = without_code(line);
        let ends = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
        ends.collect()
    };
    outside_code(text)
        .flat_map(|(number, line)| targets(line).into_iter().map(move |target| (number, target)))
        .collect()
}

/// The names that a page's headings go by in links.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = outside_code(text).filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.strip_prefix(' ')).flatten()
    });
    headings
        .map(|heading| {
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            let name: String = kept.flat_map(char::to_lowercase).collect();
            let name = name.trim().replace(' ', "-");
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            if *times == 1 { name } else { format!("{name}-{}", *times - 1) }
        })
        .collect()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn links_lead_to_pages_and_headings() {
    let mut broken = Vec::new();
    for page in files(&[".md"]) {
        let text = read(&page);
        for (number, target) in links(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let folder = Path::new(&page).parent().expect("a page has a folder");
            let path = if file.is_empty() { PathBuf::from(&page) } else { plain(&folder.join(file)) };
            let exists = root().join(&path).exists();
            let found = exists
                && (anchor.is_empty()
                    || anchors(&read(path.to_str().expect("UTF-8"))).iter().any(|name| name == anchor));
            if !found {
                broken.push(format!("{page}:{number}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Comments, messages and scripts name pages by their path from the root.
#[test]
fn names_of_pages_are_those_of_files() {
    let mut wrong = Vec::new();
    for name in files(&[
        ".md",
        ".rs",
        ".c",
        ".h",
        ".cc",
        ".py",
        ".toml",
        ".yml",
        ".supp",
        "Makefile",
        "scripts/action",
        "scripts/release",
        "scripts/setup",
        ".ci/run",
    ]) {
        for (index, line) in read(&name).lines().enumerate() {
            for (at, _) in line.match_indices("docs/") {
                let before = line[..at].chars().next_back();
                let path: String = line[at..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || "/.-_+".contains(*c))
                    .collect();
                let path = path.trim_end_matches('.');
                let named =
                    path.ends_with(".md") || path.ends_with(".supp") || path.ends_with(".schema.json");
                let own = before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"/.".contains(c));
                if own && named && !root().join(path).is_file() {
                    wrong.push(format!("{name}:{}: {path}", index + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "pages that are not there:\n{}", wrong.join("\n"));
}

#[test]
fn pages_that_explain_are_short() {
    for page in files(&[".md"]).iter().filter(|page| page.starts_with("docs/explain/")) {
        let lines = read(page).lines().count();
        assert!(lines <= EXPLAINED, "{page} has {lines} lines, and may have {EXPLAINED}");
    }
}

/// `## 2026-11-22, 4d7ad8f: what`, so that no one takes a figure of an older state for today's.
#[test]
fn sections_of_the_log_are_dated() {
    let is_date = |text: &str| {
        text.len() == 10
            && text
                .char_indices()
                .all(|(at, c)| if at == 4 || at == 7 { c == '-' } else { c.is_ascii_digit() })
    };
    for page in files(&[".md"]).iter().filter(|page| page.starts_with("docs/log/")) {
        let text = read(page);
        for (number, line) in outside_code(&text) {
            if let Some(heading) = line.strip_prefix("## ") {
                assert!(heading.get(..10).is_some_and(is_date), "{page}:{number}: no date: {heading}");
            }
        }
    }
}

#[test]
fn prose_is_wrapped() {
    let mut long = Vec::new();
    for page in files(&[".md"]) {
        if WRITTEN.iter().any(|folder| page.starts_with(folder)) {
            continue;
        }
        for (number, line) in outside_code(&read(&page)) {
            let text = line.trim_start();
            let prose = !text.starts_with(['|', '#', '<', '!', '[']) && text.contains(' ');
            if prose && line.chars().count() > WIDTH {
                long.push(format!("{page}:{number}"));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} characters:\n{}", long.join("\n"));
}

/// Words that the field does not use, and what it says instead.
const WORDS: &[(&str, &str)] = &[
    ("nobody", "no one, never"),
    ("foretell", "predict"),
    ("foretold", "predicted"),
    ("mends", "fixes"),
    ("told apart", "what it does instead"),
    ("kin", "what they are"),
    ("veil", "obfuscated"),
];

#[test]
fn words_are_those_of_the_field() {
    let mut found = Vec::new();
    for page in files(&[".md"]) {
        if WRITTEN.iter().any(|folder| page.starts_with(folder)) {
            continue;
        }
        for (number, line) in outside_code(&read(&page)) {
            let line = without_code(line).to_lowercase();
            let spaced: String = line.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
            for (word, better) in WORDS {
                if format!(" {spaced} ").contains(&format!(" {word} ")) {
                    found.push(format!("{page}:{number}: {word}: {better}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "words:\n{}", found.join("\n"));
}

#[test]
fn pages_are_read_as_they_are_shown() {
    let text = "# A page, `x` & more\n\n[a](b.md#c) and `[no](link)`\n\n```sh\n# no heading\n[no](link)\n```\n\n## More\n\n## More\n";
    assert_eq!(links(text), [(3, "b.md#c".to_owned())]);
    assert_eq!(anchors(text), ["a-page-x--more", "more", "more-1"]);
    assert_eq!(plain(Path::new("docs/explain/../log/./heap.md")), Path::new("docs/log/heap.md"));
}
