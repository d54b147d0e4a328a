//! What was asked for: flag > environment > package > workspace > user file > default.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brawn_base::{file, names};
use brawn_elf::SecondHeap;
use brawn_libc::Choice;
use serde::Deserialize;

use crate::{Error, vars};

/// The settings that one place can hold; every field may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Layer {
    /// `--preset`.
    pub preset: Option<String>,
    /// `--malloc`.
    pub malloc: Option<String>,
    /// `--target`.
    pub target: Option<String>,
    /// Whether the kit's string functions come in: false for `--no-strings`.
    pub strings: Option<bool>,
    /// `--musl`.
    pub musl: Option<Vec<String>>,
    /// `--cpu`.
    pub cpu: Option<String>,
    /// `--knob`.
    pub knobs: BTreeMap<String, String>,
    /// `--strict`.
    pub strict: Option<bool>,
    /// `--allow-second-heap`.
    pub allow_second_heap: Option<bool>,
    /// `--one-heap`.
    pub one_heap: Option<bool>,
}

/// What an executable may be and still be handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Whether what is warned of otherwise is refused.
    pub strict: bool,
    /// Whether the program may have a heap of its own.
    pub allow_second_heap: bool,
    /// Whether the heap behind `malloc` takes the place of one that the program brings, and no other may be left.
    pub one_heap: bool,
}

impl Gate {
    /// What a second heap is under these rules.
    pub fn second_heap(self) -> SecondHeap {
        match (self.allow_second_heap, self.one_heap) {
            (true, _) => SecondHeap::Allowed,
            (false, true) => SecondHeap::Refused,
            (false, false) => SecondHeap::Warned,
        }
    }
}

/// `image` is a table of its own, which `brawn image` reads.
const KEYS: &[&str] = &[
    "preset",
    "malloc",
    "target",
    "strings",
    "musl",
    "cpu",
    "knobs",
    "strict",
    "allow-second-heap",
    "one-heap",
    "image",
];

/// A key of the user's file alone.
const CACHE_LIMIT: &str = "cache-limit";

/// Layers in falling precedence, each with the name of its place for messages.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    layers: Vec<(String, Layer)>,
}

impl Settings {
    /// Collects every layer. `package` is the folder of the package that is being built, if there is one.
    pub fn collect(flags: Layer, package: Option<&Path>) -> Result<Settings, Error> {
        let mut layers =
            vec![("command line".to_owned(), flags), ("environment".to_owned(), Layer::of_environment()?)];
        if let Some(package) = package {
            layers.extend(manifest_layers(package)?);
        }
        if let Some(path) = user_file()
            && path.exists()
        {
            let layer = parse(&path, &file::text(&path)?, &[])?.unwrap_or_default();
            layers.push((path.display().to_string(), layer));
        }
        Ok(Settings { layers })
    }

    /// The settings of a command line and of the text of one `Cargo.toml`; `path` is its name for messages. Nothing else
    /// is looked at.
    pub fn of_manifest(flags: Layer, path: &Path, text: &str) -> Result<Settings, Error> {
        let mut layers = vec![("command line".to_owned(), flags)];
        for of in ["package", "workspace"] {
            layers.extend(manifest_layer(path, text, of)?);
        }
        Ok(Settings { layers })
    }

    /// The allocator and its knobs.
    pub fn choice(&self) -> Result<Choice, Error> {
        let mut choice = Choice::default();
        let mut decided_by = 0;
        for (index, (place, layer)) in self.layers.iter().enumerate() {
            decided_by = index;
            choice = match (&layer.preset, &layer.malloc) {
                (None, None) => continue,
                (Some(preset), None) => Choice::preset(preset)?,
                (None, Some(malloc)) => Choice::malloc(malloc)?,
                (Some(preset), Some(malloc)) => {
                    let choice = Choice::preset(preset)?;
                    let wanted = brawn_libc::Malloc::from_name(malloc)?;
                    if choice.malloc.name() != wanted.name() {
                        return Err(Error::Contradiction {
                            place: place.clone(),
                            preset: preset.clone(),
                            its: choice.malloc.name().to_owned(),
                            malloc: malloc.clone(),
                        });
                    }
                    choice
                }
            };
            break;
        }
        // The lowest place first: a list of families in a higher one is the whole list.
        let plain = choice.clone();
        for (_, layer) in self.layers.iter().rev() {
            if let Some(names) = &layer.musl {
                choice = plain.clone().with_musl(names.iter().map(String::as_str))?;
            }
            if let Some(strings) = layer.strings {
                choice = choice.with_strings(strings);
            }
        }
        if let Some(cpu) = self.first(|layer| layer.cpu.as_deref()) {
            choice = choice.with_cpu(cpu)?;
        }
        let mut knobs = BTreeMap::new();
        for (index, (_, layer)) in self.layers.iter().enumerate() {
            for (key, value) in &layer.knobs {
                // A lower place that set up another allocator has lost with it.
                let owners = brawn_libc::Malloc::owners(key);
                if index <= decided_by || owners.is_empty() || owners.contains(&choice.malloc.name()) {
                    knobs.entry(key).or_insert(value);
                }
            }
        }
        for (key, value) in knobs {
            choice = choice.with_knob(key, value)?;
        }
        Ok(choice)
    }

    /// What was asked for in so many words, now: by the command line and the environment.
    pub fn asked(flags: Layer) -> Result<Settings, Error> {
        let layers = [("command line", flags), ("environment", Layer::of_environment()?)];
        Ok(Settings { layers: layers.map(|(place, layer)| (place.to_owned(), layer)).into() })
    }

    /// What may be handed over.
    pub fn gate(&self) -> Gate {
        Gate {
            strict: self.first(|layer| layer.strict).unwrap_or_default(),
            allow_second_heap: self.first(|layer| layer.allow_second_heap).unwrap_or_default(),
            one_heap: self.first(|layer| layer.one_heap).unwrap_or_default(),
        }
    }

    /// The target triple, if one was asked for anywhere.
    pub fn target(&self) -> Option<&str> {
        self.first(|layer| layer.target.as_deref())
    }

    /// The layers in falling precedence.
    pub(crate) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().map(|(_, layer)| layer)
    }

    /// What the highest layer that says anything says.
    pub(crate) fn first<'a, T>(&'a self, of: impl Fn(&'a Layer) -> Option<T>) -> Option<T> {
        self.layers.iter().find_map(|(_, layer)| of(layer))
    }
}

impl Layer {
    /// The environment that hands these settings on to a child process, in which they are the environment's:
    /// variables to set, and variables to remove because they would contradict.
    pub fn environment(&self) -> (Vec<(&'static str, String)>, Vec<&'static str>) {
        let mut set = Vec::new();
        let mut remove = Vec::new();
        for (variable, value) in [(vars::PRESET, &self.preset), (vars::MALLOC, &self.malloc)] {
            match value {
                Some(value) => set.push((variable, value.clone())),
                None if self.preset.is_some() || self.malloc.is_some() => remove.push(variable),
                None => {}
            }
        }
        if let Some(target) = &self.target {
            set.push((vars::TARGET, target.clone()));
        }
        let answers = [
            (vars::STRINGS, self.strings),
            (vars::STRICT, self.strict),
            (vars::ALLOW_SECOND_HEAP, self.allow_second_heap),
            (vars::ONE_HEAP, self.one_heap),
        ];
        for (variable, answer) in answers {
            set.extend(answer.map(|yes| (variable, if yes { "yes" } else { "no" }.to_owned())));
        }
        if let Some(musl) = &self.musl {
            set.push((vars::MUSL, musl.join(",")));
        }
        if let Some(cpu) = &self.cpu {
            set.push((vars::CPU, cpu.clone()));
        }
        if !self.knobs.is_empty() {
            let knobs: Vec<String> = self.knobs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            set.push((vars::KNOBS, knobs.join(" ")));
        }
        (set, remove)
    }

    /// The settings in the environment.
    fn of_environment() -> Result<Layer, Error> {
        let wrong = |variable: &str, what: String| Error::Variable { variable: variable.to_owned(), what };
        let answer = |variable: &str| match vars::get(variable).as_deref() {
            None => Ok(None),
            Some("yes") => Ok(Some(true)),
            Some("no") => Ok(Some(false)),
            Some(other) => Err(wrong(variable, format!("'{other}' is neither yes nor no"))),
        };
        let mut knobs = BTreeMap::new();
        for knob in vars::get(vars::KNOBS).unwrap_or_default().split_whitespace() {
            let (key, value) = knob
                .split_once('=')
                .ok_or_else(|| wrong(vars::KNOBS, format!("'{knob}' is not of the form KEY=VALUE")))?;
            knobs.insert(key.to_owned(), value.to_owned());
        }
        Ok(Layer {
            preset: vars::get(vars::PRESET),
            malloc: vars::get(vars::MALLOC),
            target: vars::get(vars::TARGET),
            strings: answer(vars::STRINGS)?,
            musl: vars::get(vars::MUSL).map(|names| families(&names)),
            cpu: vars::get(vars::CPU),
            knobs,
            strict: answer(vars::STRICT)?,
            allow_second_heap: answer(vars::ALLOW_SECOND_HEAP)?,
            one_heap: answer(vars::ONE_HEAP)?,
        })
    }
}

/// The families of a list with commas.
pub fn families(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A folder of the user's: the one that a variable names, or one in the home folder.
fn user_folder(variable: &str, name: &str) -> Option<PathBuf> {
    vars::get(variable).map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(name)))
}

fn user_file() -> Option<PathBuf> {
    Some(user_folder("XDG_CONFIG_HOME", ".config")?.join("brawn/config.toml"))
}

/// The limit of the cache, as it was written, and where: the environment, or the user's file. No package decides on it.
///
/// # Errors
/// [`Error::Config`] when the user's file cannot be read.
pub fn cache_limit() -> Result<Option<(String, String)>, Error> {
    if let Some(value) = vars::get(vars::CACHE_LIMIT) {
        return Ok(Some((vars::CACHE_LIMIT.to_owned(), value)));
    }
    let Some(path) = user_file().filter(|path| path.exists()) else { return Ok(None) };
    let wrong = |what: String| Error::Config { path: path.clone(), what, hint: None };
    let text = file::text(&path)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    match table.get(CACHE_LIMIT) {
        None => Ok(None),
        Some(toml::Value::String(value)) => {
            Ok(Some((format!("{}: {CACHE_LIMIT}", path.display()), value.clone())))
        }
        Some(other) => Err(wrong(format!("{CACHE_LIMIT} = {other} is no text such as \"300MB\""))),
    }
}

/// Where zig keeps what it compiled for `brawn c++`.
pub fn zig_cache() -> Option<PathBuf> {
    let user = || Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("zig"));
    vars::get("ZIG_GLOBAL_CACHE_DIR").map(PathBuf::from).or_else(user)
}

/// `[package.metadata.brawn]` of the package, then `[workspace.metadata.brawn]` of its workspace.
fn manifest_layers(package: &Path) -> Result<Vec<(String, Layer)>, Error> {
    let mut layers = Vec::new();
    let own = package.join("Cargo.toml");
    if own.exists() {
        layers.extend(manifest_layer(&own, &file::text(&own)?, "package")?);
    }
    for folder in package.ancestors() {
        let path = folder.join("Cargo.toml");
        if !path.exists() {
            continue;
        }
        let text = file::text(&path)?;
        layers.extend(manifest_layer(&path, &text, "workspace")?);
        if text.lines().any(|line| line.trim_start().starts_with("[workspace")) {
            break;
        }
    }
    Ok(layers)
}

/// The layer in the text of a `Cargo.toml`, with its place, if it has one: of a `package` or a `workspace`.
fn manifest_layer(path: &Path, text: &str, of: &str) -> Result<Option<(String, Layer)>, Error> {
    let layer = parse(path, text, &[of, "metadata", "brawn"])?;
    Ok(layer.map(|layer| (format!("{}: {of}.metadata.brawn", path.display()), layer)))
}

/// Reads the table at `keys` of a TOML file, if it is there.
fn parse(path: &Path, text: &str, keys: &[&str]) -> Result<Option<Layer>, Error> {
    let config = |what: String, hint: Option<String>| Error::Config { path: path.to_owned(), what, hint };
    let root: toml::Table = text.parse().map_err(|error: toml::de::Error| config(error.to_string(), None))?;
    let mut value = toml::Value::Table(root);
    for key in keys {
        let toml::Value::Table(mut table) = value else { return Ok(None) };
        let Some(inner) = table.remove(*key) else { return Ok(None) };
        value = inner;
    }
    let place = if keys.is_empty() { String::new() } else { format!("in [{}] ", keys.join(".")) };
    if let toml::Value::Table(table) = &value {
        for key in table.keys() {
            let of_user = keys.is_empty() && key == CACHE_LIMIT;
            if !KEYS.contains(&key.as_str()) && !of_user {
                let hint = names::nearest_or_all(key, KEYS);
                return Err(config(format!("{place}unknown key '{key}'"), Some(hint)));
            }
        }
    }
    value.try_into().map(Some).map_err(|error| config(format!("{place}{error}"), None))
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    fn settings(layers: Vec<Layer>) -> Settings {
        Settings { layers: layers.into_iter().map(|layer| ("test".to_owned(), layer)).collect() }
    }

    fn preset(name: &str) -> Layer {
        Layer { preset: Some(name.into()), ..Layer::default() }
    }

    fn malloc(name: &str) -> Layer {
        Layer { malloc: Some(name.into()), ..Layer::default() }
    }

    #[test]
    fn the_highest_place_that_says_anything_decides() {
        let choice = settings(vec![Layer::default(), malloc("stock"), preset("hardened")]).choice().unwrap();
        assert_eq!(choice.malloc.name(), "stock");
        assert!(choice.preset.is_none());
        let choice = settings(vec![preset("stock"), malloc("mimalloc2")]).choice().unwrap();
        assert_eq!(choice.malloc.name(), "stock");
        assert_eq!(settings(vec![]).choice().unwrap().preset, Some(&brawn_libc::PRESETS[0]));
    }

    #[test]
    fn preset_and_malloc_in_one_place_must_agree() {
        let both = |malloc: &str| Layer {
            preset: Some("stock".into()),
            malloc: Some(malloc.into()),
            ..Layer::default()
        };
        assert!(settings(vec![both("stock")]).choice().is_ok());
        let error = settings(vec![both("mimalloc")]).choice().unwrap_err();
        assert_eq!(
            error.to_string(),
            "test: preset 'stock' is stock, but malloc 'mimalloc' was given as well"
        );
    }

    #[test]
    fn knobs_of_an_allocator_that_a_higher_place_did_away_with_are_no_fault() {
        let knobs = |layer: Layer| Layer {
            knobs: BTreeMap::from([("jemalloc.narenas".to_owned(), "2".to_owned())]),
            ..layer
        };
        let choice = settings(vec![malloc("jemalloc"), knobs(Layer::default())]).choice().unwrap();
        assert_eq!(choice.knobs["jemalloc.narenas"], "2");
        let choice = settings(vec![malloc("stock"), knobs(malloc("jemalloc"))]).choice().unwrap();
        assert!(choice.knobs.is_empty());
        let error = settings(vec![knobs(malloc("stock")), malloc("jemalloc")]).choice().unwrap_err();
        assert_eq!(error.to_string(), "'jemalloc.narenas' is no knob of stock");
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = parse(
            Path::new("Cargo.toml"),
            "[package.metadata.brawn]\npreste = 'small'",
            &["package", "metadata", "brawn"],
        )
        .unwrap_err();
        assert_eq!(error.to_string(), "Cargo.toml: in [package.metadata.brawn] unknown key 'preste'");
        assert_eq!(error.hint().as_deref(), Some("did you mean 'preset'?"));
    }

    #[test]
    fn the_highest_list_of_families_is_the_whole_list() {
        let musl = |names: &str| Layer { musl: Some(families(names)), ..Layer::default() };
        let no_strings = || Layer { strings: Some(false), ..Layer::default() };
        let kept = |layers| {
            let choice = settings(layers).choice().unwrap();
            (choice.strings, choice.musl.into_iter().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(kept(vec![musl("environment")]), (true, "environment".into()));
        assert_eq!(kept(vec![musl("strings, environment")]), (false, "environment".into()));
        assert_eq!(kept(vec![musl("environment"), no_strings()]), (true, "environment".into()));
        assert_eq!(kept(vec![no_strings(), musl("environment")]), (false, "environment".into()));
        assert_eq!(kept(vec![musl("none"), musl("all")]), (true, String::new()));
        let (strings, all) = kept(vec![musl("all")]);
        assert!(!strings && kept(vec![preset("stock"), musl("none")]) == (false, all));
        let error = settings(vec![musl("enviroment")]).choice().unwrap_err();
        assert_eq!(error.to_string(), "unknown family of functions 'enviroment'");
    }

    #[test]
    fn tables_that_are_absent_are_no_layer() {
        let keys = ["package", "metadata", "brawn"];
        assert_eq!(parse(Path::new("x"), "[package]\nname = 'x'", &keys).unwrap(), None);
    }

    #[test]
    fn flags_hand_on_only_themselves() {
        let (set, remove) = malloc("stock").environment();
        assert_eq!(set, [(vars::MALLOC, "stock".to_owned())]);
        assert_eq!(remove, [vars::PRESET]);
        let (set, remove) = Layer::default().environment();
        assert!(set.is_empty() && remove.is_empty());
    }
}
