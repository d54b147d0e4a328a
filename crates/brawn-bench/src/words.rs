//! The words of a suite's texts that stand in braces.

use std::collections::BTreeMap;
use std::path::Path;

/// What the names in braces stand for.
#[derive(Clone, Default)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    pub fn new(vars: &BTreeMap<String, String>) -> Words {
        Words(vars.clone())
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// The same with this one.
    pub fn with(&self, name: &str, value: &str) -> Words {
        let mut words = self.clone();
        words.set(name, value);
        words
    }

    pub fn set_path(&mut self, name: &str, path: &Path) {
        self.set(name, &path.display().to_string());
    }

    /// The same with this number of what `axis` counts.
    pub fn counting(&self, axis: &str, count: Option<usize>) -> Words {
        let mut words = self.clone();
        if let Some(count) = count {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            words.set(axis, &count.to_string());
            words.set("half-cores", &(cores / 2).clamp(1, count.max(1)).to_string());
        }
        words
    }

    pub fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}
