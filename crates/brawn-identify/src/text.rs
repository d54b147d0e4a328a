//! The text form of signatures, in which they are kept: names by number, one function a line.

use std::fmt::Write as _;

use brawn_elf::Arch;

use crate::Error;
use crate::field::Field;
use crate::signature::{Link, Name, Signature, Signatures, Source};

const HEAD: &str = "# BRAWN_RENEW=1 cargo test -p brawn-identify --test signatures writes this; docs/explain/identify.md explains it.\n";

impl Signatures {
    /// The text form.
    pub fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        for Source { version, label } in &self.archives {
            let _ = writeln!(text, "archive {version} {label}");
        }
        for name in &self.names {
            let _ = writeln!(text, "name {name}");
        }
        for function in &self.functions {
            let _ = writeln!(text, "{}", line(function));
        }
        text
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`Error::Text`] at the first line that cannot be read.
    pub fn from_text(arch: Arch, text: &str) -> Result<Signatures, Error> {
        let mut signatures = Signatures::empty(arch);
        for (at, line) in text.lines().enumerate() {
            let read = match line.split_once(' ') {
                _ if line.is_empty() => Some(()),
                Some(("#", _)) => Some(()),
                Some(("archive", rest)) => rest.split_once(' ').map(|(version, label)| {
                    let source = Source { version: version.to_owned(), label: label.to_owned() };
                    signatures.archives.push(source);
                }),
                Some(("name", name)) => {
                    signatures.names.push(name.to_owned());
                    Some(())
                }
                _ => function(line)
                    .filter(|function| signatures.knows(function))
                    .map(|function| signatures.functions.push(function)),
            };
            read.ok_or(Error::Text { line: at + 1 })?;
        }
        Ok(signatures)
    }

    /// Whether all that a function refers to by number is there.
    fn knows(&self, function: &Signature) -> bool {
        let ids =
            function.names.iter().map(|name| name.id).chain(function.links.iter().filter_map(|l| l.target));
        let mut ids = ids.chain([function.place.0]);
        ids.all(|id| (id as usize) < self.names.len())
    }
}

fn line(function: &Signature) -> String {
    let names: Vec<String> = function
        .names
        .iter()
        .map(|name| format!("{}{}", name.id, if name.weak { "~" } else { "" }))
        .collect();
    let anchor = function.anchor.map_or("-".into(), |(offset, bytes)| format!("{offset}:{bytes:x}"));
    let Signature { archives, place: (member, at), size, fixed, align, digest, .. } = function;
    let mut line =
        format!("{} {archives:x} {member}.{at} {size} {fixed} {align} {anchor} {digest:x}", names.join(","));
    let mut before = 0;
    for link in &function.links {
        let target = link.target.map_or(String::new(), |id| id.to_string());
        let _ = write!(line, " {}{}.{target}", link.offset - before, link.field.letter());
        if link.addend != link.field.usual_addend() {
            let _ = write!(line, "{:+}", link.addend);
        }
        before = link.offset;
    }
    line
}

fn function(line: &str) -> Option<Signature> {
    let mut words = line.split(' ');
    let names = words.next()?.split(',').map(name).collect::<Option<Vec<_>>>()?;
    let archives = u64::from_str_radix(words.next()?, 16).ok()?;
    let (member, at) = words.next()?.split_once('.')?;
    let place = (member.parse().ok()?, at.parse().ok()?);
    let size: u32 = words.next()?.parse().ok()?;
    let fixed = words.next()?.parse().ok()?;
    let align = words.next()?.parse().ok().filter(|align| *align < 32)?;
    let anchor = match words.next()? {
        "-" => None,
        anchor => {
            let (offset, bytes) = anchor.split_once(':')?;
            Some((offset.parse().ok()?, u64::from_str_radix(bytes, 16).ok()?))
        }
    };
    let digest = u64::from_str_radix(words.next()?, 16).ok()?;
    let mut offset: u32 = 0;
    let links = words.map(|word| {
        let link = link(word, offset)?;
        offset = link.offset;
        Some(link)
    });
    let links = links.collect::<Option<Vec<_>>>()?;
    let inside = links.last().is_none_or(|link| link.offset < size);
    inside.then_some(Signature { names, place, size, fixed, align, anchor, digest, links, archives })
}

fn name(text: &str) -> Option<Name> {
    let id = text.strip_suffix('~');
    Some(Name { id: id.unwrap_or(text).parse().ok()?, weak: id.is_some() })
}

fn link(text: &str, before: u32) -> Option<Link> {
    let (place, target) = text.split_once('.')?;
    let field = Field::from_letter(place.chars().last()?)?;
    let offset = before.checked_add(place[..place.len() - 1].parse().ok()?)?;
    let (target, addend) = match target.find(['+', '-']) {
        Some(at) => (&target[..at], target[at..].parse().ok()?),
        None => (target, field.usual_addend()),
    };
    let target = if target.is_empty() { None } else { Some(target.parse().ok()?) };
    Some(Link { offset, field, target, addend })
}
