//! Writing the answer where it is read: `[package.metadata.brawn]` of a manifest, everything else in it left as it is.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, Value, value};

use crate::Error;
use crate::setting::Setting;

/// The lines of a manifest that ask for a setting.
pub fn lines(setting: &Setting) -> String {
    let mut document = DocumentMut::new();
    set(&mut document, setting).expect("an empty document takes everything");
    document.to_string()
}

/// Writes a setting into the manifest in a package's folder. True when the file changed.
///
/// # Errors
/// [`Error::Document`] when it is no manifest of a package, [`Error::Io`].
pub fn write(package: &Path, setting: &Setting) -> Result<bool, Error> {
    let path = package.join("Cargo.toml");
    let text = brawn_base::file::text(&path)?;
    let wrong = |what: String, hint| Error::Document { path: path.clone(), what, hint };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| wrong(error.to_string(), "correct it, and paste the lines"))?;
    if !document.contains_key("package") {
        return Err(wrong("this is no package".into(), "paste the lines where you want them"));
    }
    set(&mut document, setting).map_err(|what| wrong(what, "paste the lines by hand"))?;
    let fresh = document.to_string();
    if fresh == text {
        return Ok(false);
    }
    brawn_measure::write_whole(&path, &fresh)?;
    Ok(true)
}

/// Sets what the setting says, and takes away what says otherwise.
fn set(document: &mut DocumentMut, setting: &Setting) -> Result<(), String> {
    let mut table = document.as_table_mut();
    for key in ["package", "metadata", "brawn"] {
        let last = key == "brawn";
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(!last);
            Item::Table(table)
        });
        // `metadata.brawn = { … }` is a table, too.
        if let Item::Value(Value::InlineTable(inline)) = item {
            *item = Item::Table(inline.clone().into_table());
        }
        table = item.as_table_mut().ok_or_else(|| format!("`{key}` is no table"))?;
    }
    let texts = [
        ("preset", setting.preset.as_ref()),
        ("malloc", Some(&setting.malloc).filter(|_| setting.preset.is_none())),
        ("cpu", setting.cpu.as_ref()),
    ];
    for (key, text) in texts {
        put(table, key, text.map(|text| Value::from(text.as_str())));
    }
    let by_default = setting.preset.is_some() || setting.strings;
    put(table, "strings", (!by_default).then(|| Value::from(false)));
    let musl: toml_edit::Array = setting.musl.iter().collect();
    put(table, "musl", (setting.preset.is_none() && !musl.is_empty()).then(|| Value::from(musl)));
    let own = setting.preset.is_none() && !setting.knobs.is_empty();
    table.remove("knobs");
    if own {
        let mut knobs = toml_edit::InlineTable::new();
        for (key, text) in &setting.knobs {
            knobs.insert(key, Value::from(text.as_str()));
        }
        table.insert("knobs", value(knobs));
    }
    Ok(())
}

/// Puts a value in a key's place, keeping the comment behind it; without one the key goes.
fn put(table: &mut Table, key: &str, new: Option<Value>) {
    match (new, table.get_mut(key)) {
        (Some(mut new), Some(Item::Value(old))) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        (Some(new), _) => {
            table.insert(key, value(new));
        }
        (None, _) => {
            table.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jemalloc() -> Setting {
        Setting::allocator("jemalloc").with_knob("narenas", "1")
    }

    fn written(text: &str, setting: &Setting) -> String {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("Cargo.toml"), text).unwrap();
        assert!(write(folder.path(), setting).unwrap());
        assert!(!write(folder.path(), setting).unwrap(), "the second time changes nothing");
        fs_err::read_to_string(folder.path().join("Cargo.toml")).unwrap()
    }

    #[test]
    fn the_lines_are_what_a_manifest_needs() {
        let preset = Setting { preset: Some("small".into()), ..jemalloc() };
        assert_eq!(lines(&preset), "[package.metadata.brawn]\npreset = \"small\"\n");
        assert_eq!(
            lines(&jemalloc()),
            "[package.metadata.brawn]\nmalloc = \"jemalloc\"\nknobs = { narenas = \"1\" }\n"
        );
    }

    #[test]
    fn the_rest_of_a_manifest_stays_to_the_letter() {
        let before = "# A program.\n[package]\nname = 'x'   # its name\nversion = \"0.1.0\"\n\n[package.metadata.brawn]\n\
                      # Measured once.\npreset = \"balanced\" # for now\n\n[dependencies]\n# none\n";
        let after = written(before, &jemalloc());
        assert_eq!(
            after,
            "# A program.\n[package]\nname = 'x'   # its name\nversion = \"0.1.0\"\n\n[package.metadata.brawn]\n\
             malloc = \"jemalloc\"\nknobs = { narenas = \"1\" }\n\n[dependencies]\n# none\n"
        );
        let preset = Setting { preset: Some("small".into()), ..jemalloc() };
        assert!(written(before, &preset).contains("# Measured once.\npreset = \"small\" # for now\n"));
    }

    #[test]
    fn every_way_to_write_the_table_is_understood() {
        let preset = Setting { preset: Some("small".into()), ..jemalloc() };
        let plain = written("[package]\nname = \"x\"\n", &preset);
        assert!(plain.ends_with("[package.metadata.brawn]\npreset = \"small\"\n"), "{plain}");
        for before in [
            "[package]\nname = \"x\"\nmetadata.brawn = { malloc = \"stock\", strings = false }\n",
            "[package]\nname = \"x\"\n\n[package.metadata]\nbrawn = { malloc = \"stock\" }\nother = 1\n",
            "[package]\nname = \"x\"\n\n[package.metadata.brawn.knobs]\npurge = \"0\"\n",
        ] {
            let after: toml::Table = written(before, &preset).parse().unwrap();
            let table = after["package"]["metadata"]["brawn"].as_table().unwrap();
            assert_eq!(table.len(), 1, "{after}");
            assert_eq!(table["preset"].as_str(), Some("small"));
        }
    }

    #[test]
    fn what_is_no_package_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |text: &str| {
            fs_err::write(folder.path().join("Cargo.toml"), text).unwrap();
            write(folder.path(), &jemalloc()).unwrap_err().to_string()
        };
        assert!(refused("[workspace]\n").ends_with("this is no package"));
        assert!(refused("[package").contains("Cargo.toml"));
        assert!(refused("[package]\nmetadata = 1\n").ends_with("`metadata` is no table"));
    }
}
