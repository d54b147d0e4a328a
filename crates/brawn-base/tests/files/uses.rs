//! Which file of a crate uses which, by its paths that begin with `crate`, `super`, `self` or a module of its own. A name
//! that a module only hands on is its definer's. Tests inside of files do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Name = Vec<String>;

/// A module, and the file that it is.
#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    /// Paths in its text.
    paths: Vec<Name>,
    /// What it hands on, by the name that it has here.
    hands_on: BTreeMap<String, Name>,
}

/// Every module of a crate that is a file, by its path.
#[derive(Default)]
pub struct Crate(BTreeMap<Name, Module>);

/// Who uses whom.
pub type Uses = BTreeSet<(String, String)>;

impl Crate {
    /// Reads a crate from its first file.
    pub fn read(start: &Path) -> Crate {
        let mut all = Crate::default();
        all.add(start, Vec::new(), start.parent().unwrap());
        all
    }

    fn add(&mut self, file: &Path, name: Name, folder: &Path) {
        let module = Module::read(&code(&fs_err::read_to_string(file).unwrap()));
        for child in &module.children {
            let path: Name = name.iter().chain([child]).cloned().collect();
            for file in [folder.join(format!("{child}.rs")), folder.join(child).join("mod.rs")] {
                if file.is_file() {
                    self.add(&file, path.clone(), &folder.join(child));
                }
            }
        }
        self.0.insert(name, module);
    }

    /// A path as seen from the root of the crate; none when it leads to another crate.
    fn absolute(&self, from: &Name, path: &[String]) -> Option<Name> {
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([from, &path[1..]].concat()),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                Some([from.get(..from.len().checked_sub(up)?)?, &path[up..]].concat())
            }
            first if self.0[from].children.contains(first) => Some([from, path].concat()),
            _ => None,
        }
    }

    /// The module that defines what a path from the root leads to.
    fn definer(&self, path: &Name, steps: usize) -> Name {
        let file =
            (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|name| self.0.contains_key(name));
        let file = file.unwrap_or_default();
        let further = path.get(file.len()).and_then(|name| self.0.get(&file)?.hands_on.get(name));
        match further.and_then(|handed| self.absolute(&file, handed)).filter(|_| steps > 0) {
            Some(handed) => self.definer(&[handed, path[file.len() + 1..].to_vec()].concat(), steps - 1),
            None => file,
        }
    }

    /// Who uses whom.
    pub fn uses(&self) -> Uses {
        let text = |name: &Name| name.join("::");
        let mut uses = Uses::new();
        for (name, module) in &self.0 {
            for path in module.paths.iter().filter_map(|path| self.absolute(name, path)) {
                let definer = self.definer(&path, 8);
                if definer != *name {
                    uses.insert((text(name), text(&definer)));
                }
            }
        }
        uses
    }
}

impl Module {
    fn read(code: &str) -> Module {
        let mut module = Module::default();
        let mut rest = String::new();
        for statement in code.split_inclusive([';', '{', '}']) {
            let line = statement.trim();
            // Attributes and `pub` before the word itself.
            let at = |word: &str| {
                let before = line.find(word)?;
                let starts = line[..before].trim_end();
                let is_start = starts.is_empty() || starts.ends_with("pub") || starts.ends_with([')', ']']);
                is_start.then(|| {
                    (starts.contains("pub"), line[before + word.len()..].trim_end_matches(';').trim())
                })
            };
            if let Some((_, child)) = at("mod ").filter(|_| line.ends_with(';')) {
                module.children.insert(child.to_owned());
            } else {
                rest.push_str(statement);
            }
        }
        let mut text = rest.as_str();
        let mut others = String::new();
        while let Some(start) = text.find("use ") {
            let (before, after) = text.split_at(start);
            let line = before.rsplit('\n').next().unwrap_or_default().trim();
            let end = after.find(';').filter(|_| line.is_empty() || line.starts_with("pub"));
            let Some(end) = end else {
                others.push_str(&text[..start + 4]);
                text = &text[start + 4..];
                continue;
            };
            for (path, known_as) in tree(&after[4..end], &[]) {
                match line.starts_with("pub") {
                    true => drop(module.hands_on.insert(known_as, path)),
                    false => module.paths.push(path),
                }
            }
            others.push_str(before);
            text = &after[end..];
        }
        others.push_str(text);
        let words = others.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let paths = words.map(|word| word.split("::").map(str::to_owned).collect::<Name>());
        module.paths.extend(paths.filter(|path| path.len() > 1 && !path[0].is_empty()));
        module
    }
}

/// The paths of a `use`, each with the name that it gets.
fn tree(text: &str, before: &[String]) -> Vec<(Name, String)> {
    let text = text.trim();
    if let Some((prefix, list)) = text.split_once('{') {
        let prefix = prefix.trim().trim_end_matches("::");
        let before = [
            before,
            &prefix.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect::<Name>(),
        ]
        .concat();
        let list = list.trim_end().trim_end_matches('}');
        let (mut depth, mut start, mut found) = (0, 0, Vec::new());
        for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth <= 0 => {
                    found.extend(tree(&list[start..at], &before));
                    start = list.len().min(at + 1);
                }
                _ => {}
            }
        }
        return found;
    }
    if text.is_empty() {
        return Vec::new();
    }
    let (path, name) = text.split_once(" as ").unwrap_or((text, text.rsplit("::").next().unwrap_or(text)));
    let mut path: Name = [before, &path.trim().split("::").map(str::to_owned).collect::<Name>()].concat();
    let mut name = name.trim().to_owned();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
        name = path.last().cloned().unwrap_or_default();
    }
    vec![(path, name)]
}

/// A text without comments, without its tests and without what only tests see.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("#[cfg_attr(test"));
    lines.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Files that need each other, if there are any: what is left when those go that need nothing, and those that nothing
/// needs, again and again.
pub fn circle(uses: &Uses) -> Option<Uses> {
    let mut left = uses.clone();
    loop {
        let from: BTreeSet<String> = left.iter().map(|(from, _)| from.clone()).collect();
        let to: BTreeSet<String> = left.iter().map(|(_, to)| to.clone()).collect();
        let before = left.len();
        left.retain(|(one, other)| to.contains(one) && from.contains(other));
        if left.len() == before {
            return (!left.is_empty()).then_some(left);
        }
    }
}
