//! Writes the parts that a program needs into its `Cargo.toml`.

use std::collections::BTreeSet;

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::{Content, Error};

/// Where the image's parts stand in a `Cargo.toml`.
const PATH: [&str; 4] = ["package", "metadata", "brawn", "image"];

/// The parts that a `Cargo.toml` names in `[package.metadata.brawn.image] with`.
///
/// # Errors
/// [`Error::Manifest`] when the text is no TOML, or a name there is not that of a part.
pub fn contents_of(manifest: &str) -> Result<BTreeSet<Content>, Error> {
    let document = parse(manifest)?;
    let mut at = Some(document.as_item());
    for key in PATH {
        at = at.and_then(|item| item.get(key));
    }
    let list = at.and_then(|item| item.get("with")).and_then(Item::as_array);
    list.into_iter()
        .flatten()
        .map(|value| {
            let name = value.as_str().unwrap_or_default();
            Content::from_name(name).ok_or_else(|| Error::Manifest {
                what: "package.metadata.brawn.image.with".to_owned(),
                reason: format!("there is no part '{name}' of an image"),
            })
        })
        .collect()
}

fn parse(manifest: &str) -> Result<DocumentMut, Error> {
    manifest.parse().map_err(|error: toml_edit::TomlError| Error::Manifest {
        what: "Cargo.toml".to_owned(),
        reason: error.message().to_owned(),
    })
}

/// The text of a `Cargo.toml` with these parts in `[package.metadata.brawn.image] with`, and those that are new. What
/// was there stays, comments and spaces included. Parts that are named already, and none at all, change nothing.
///
/// # Errors
/// [`Error::Manifest`] when the text is no manifest of a package, or names something else than a list of parts there.
pub fn add_contents(
    manifest: &str,
    contents: &BTreeSet<Content>,
) -> Result<(String, BTreeSet<Content>), Error> {
    let wrong =
        |what: &str, reason: &str| Error::Manifest { what: what.to_owned(), reason: reason.to_owned() };
    let mut document = parse(manifest)?;
    if !document.contains_key("package") {
        return Err(wrong("Cargo.toml", "it has no [package]"));
    }
    let mut at = document.as_item_mut();
    for (depth, key) in PATH.iter().enumerate() {
        let name = PATH[..=depth].join(".");
        let table = at.as_table_like_mut().expect("checked on the way here");
        if !table.contains_key(key) {
            let mut new = Table::new();
            // Only the last has a header of its own.
            new.set_implicit(depth + 1 < PATH.len());
            table.insert(key, if contents.is_empty() { Item::None } else { Item::Table(new) });
            if contents.is_empty() {
                return Ok((manifest.to_owned(), BTreeSet::new()));
            }
        }
        at = table.get_mut(key).expect("just made sure of");
        if !at.is_table_like() {
            return Err(wrong(&name, "it is not a table"));
        }
    }
    let table = at.as_table_like_mut().expect("the last of the path");
    if !table.contains_key("with") {
        table.insert("with", Item::Value(Value::Array(Array::new())));
    }
    let list = table.get_mut("with").and_then(Item::as_array_mut);
    let list = list.ok_or_else(|| wrong("package.metadata.brawn.image.with", "it is not a list"))?;
    let mut named = BTreeSet::new();
    for value in list.iter() {
        named.insert(
            value.as_str().ok_or_else(|| wrong("package.metadata.brawn.image.with", "not all are texts"))?,
        );
    }
    let new: BTreeSet<Content> =
        contents.iter().copied().filter(|content| !named.contains(content.name())).collect();
    if new.is_empty() {
        return Ok((manifest.to_owned(), new));
    }
    for content in &new {
        list.push(content.name());
    }
    Ok((document.to_string(), new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(manifest: &str, contents: &[Content]) -> Result<String, String> {
        let added = add_contents(manifest, &contents.iter().copied().collect());
        added.map(|(text, _)| text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_is_made_and_the_rest_left_alone() {
        let [head, tail] = ["# mine\n[package]\nname   = \"x\" # kept\n", "\n[dependencies]\n"];
        let manifest = format!("{head}{tail}");
        assert_eq!(
            add(&manifest, &[Content::Tmp, Content::Certificates]).unwrap(),
            format!("{head}\n[package.metadata.brawn.image]\nwith = [\"certificates\", \"tmp\"]\n{tail}")
        );
        assert_eq!(add(&manifest, &[]).unwrap(), manifest);
    }

    #[test]
    fn what_is_named_already_is_not_named_twice() {
        let manifest = "[package]\nname = \"x\"\n[package.metadata.brawn]\npreset = \"small\"\nimage = { with = [ \"tmp\" ] }\n";
        let added = add(manifest, &[Content::Tmp, Content::Zones]).unwrap();
        assert!(
            added.contains("image = { with = [ \"tmp\" , \"zones\"] }") || added.contains("\"zones\""),
            "{added}"
        );
        assert_eq!(add(&added, &[Content::Tmp, Content::Zones]).unwrap(), added);
        assert_eq!(contents_of(&added).unwrap(), [Content::Tmp, Content::Zones].into());
        assert_eq!(contents_of("[workspace]\n").unwrap(), BTreeSet::new());
        assert!(
            contents_of(&added.replace("tmp", "temp")).unwrap_err().to_string().contains("no part 'temp'")
        );
        assert!(added.contains("preset = \"small\""));
    }

    #[test]
    fn what_is_no_list_of_parts_is_refused() {
        assert_eq!(
            add("[workspace]\n", &[Content::Tmp]).unwrap_err(),
            "cannot use Cargo.toml: it has no [package]"
        );
        let odd = "[package]\nname = \"x\"\n[package.metadata]\nbrawn = 3\n";
        assert_eq!(
            add(odd, &[Content::Tmp]).unwrap_err(),
            "cannot use package.metadata.brawn: it is not a table"
        );
        let odd = "[package]\nname = \"x\"\n[package.metadata.brawn.image]\nwith = \"tmp\"\n";
        assert!(add(odd, &[Content::Tmp]).unwrap_err().ends_with("it is not a list"));
        assert!(add("[package\n", &[Content::Tmp]).is_err());
    }
}
