//! What an image is to be: flags, over `[package.metadata.brawn.image]`, over `[workspace.metadata.brawn.image]`.

use std::collections::BTreeMap;

use brawn_base::names;
use serde::Deserialize;

use crate::Error;

/// The settings of one place; every field may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// The image underneath: `scratch`, a layout or archive, or a reference with a digest.
    pub base: Option<String>,
    /// Parts to add, by name.
    pub with: Vec<String>,
    /// Parts to leave out, by name, or `all`.
    pub without: Vec<String>,
    /// Files with more certificate authorities to trust, in PEM form; in `Cargo.toml` relative to the package.
    pub certificates: Vec<String>,
    /// The program and its first arguments, instead of the executable alone.
    pub entrypoint: Option<Vec<String>>,
    /// Arguments that anyone who starts the container may replace.
    pub args: Option<Vec<String>>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// The folder in which the program starts.
    pub workdir: Option<String>,
    /// Ports that it listens on: `8080`, `8080/tcp`, `53/udp`.
    pub ports: Vec<String>,
    /// Folders that should be volumes.
    pub volumes: Vec<String>,
    /// Who runs it: a number or a name, with a group if need be: `65532:65532`.
    pub user: Option<String>,
    /// The signal that asks it to stop: `SIGTERM`.
    pub stop_signal: Option<String>,
    /// Labels in the configuration.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
    /// `gzip`, `zstd` or `none`.
    pub compress: Option<String>,
    /// Whether to say what is inside (SPDX and CycloneDX).
    pub sbom: Option<bool>,
    /// Platforms to build for: `linux/amd64`.
    pub platforms: Vec<String>,
}

const KEYS: &[&str] = &[
    "base",
    "with",
    "without",
    "certificates",
    "entrypoint",
    "args",
    "env",
    "workdir",
    "ports",
    "volumes",
    "user",
    "stop-signal",
    "labels",
    "annotations",
    "compress",
    "sbom",
    "platforms",
];

impl Settings {
    /// Reads the table `image` of a package's or workspace's `metadata.brawn`. `place` names it for messages.
    pub fn from_metadata(metadata: &serde_json::Value, place: &str) -> Result<Settings, Error> {
        let Some(table) = metadata.get("brawn").and_then(|brawn| brawn.get("image")) else {
            return Ok(Settings::default());
        };
        for key in table.as_object().into_iter().flat_map(|table| table.keys()) {
            if !KEYS.contains(&key.as_str()) {
                return Err(Error::Setting {
                    what: format!("{place}: unknown key '{key}' in [metadata.brawn.image]"),
                    hint: Some(names::nearest_or_all(key, KEYS)),
                });
            }
        }
        Settings::deserialize(table).map_err(|error| Error::Setting {
            what: format!("{place}: [metadata.brawn.image] {error}"),
            hint: None,
        })
    }

    /// These settings where they say something, and `lower` where they do not. Lists and tables add up; of a table's
    /// values these settings' win.
    pub fn over(self, lower: Settings) -> Settings {
        Settings {
            base: self.base.or(lower.base),
            // What one place adds, a higher one may leave out, and the other way round.
            with: join(&lower.with, &self.with, &self.without),
            without: join(&lower.without, &self.without, &self.with),
            certificates: join(&lower.certificates, &self.certificates, &[]),
            entrypoint: self.entrypoint.or(lower.entrypoint),
            args: self.args.or(lower.args),
            env: under(self.env, lower.env),
            workdir: self.workdir.or(lower.workdir),
            ports: join(&lower.ports, &self.ports, &[]),
            volumes: join(&lower.volumes, &self.volumes, &[]),
            user: self.user.or(lower.user),
            stop_signal: self.stop_signal.or(lower.stop_signal),
            labels: under(self.labels, lower.labels),
            annotations: under(self.annotations, lower.annotations),
            compress: self.compress.or(lower.compress),
            sbom: self.sbom.or(lower.sbom),
            platforms: if self.platforms.is_empty() { lower.platforms } else { self.platforms },
        }
    }

    /// Names hold no control characters, and nothing holds a NUL byte.
    fn check_characters(&self) -> Result<(), Error> {
        let refuse = |what: &str, text: &str, why: &str| {
            Error::setting(format!("{what} '{}' {why}", text.escape_debug()), "leave it out")
        };
        let mut names = Vec::new();
        names.extend(self.base.iter().map(|text| ("the base image", text)));
        names.extend(self.workdir.iter().map(|text| ("the working directory", text)));
        names.extend(self.user.iter().map(|text| ("the user", text)));
        names.extend(self.volumes.iter().map(|text| ("the volume", text)));
        names.extend(self.env.keys().map(|text| ("the variable", text)));
        names.extend(self.labels.keys().map(|text| ("the label", text)));
        names.extend(self.annotations.keys().map(|text| ("the annotation", text)));
        for (what, text) in names {
            if text.is_empty() || text.contains(char::is_control) {
                let why = if text.is_empty() { "is empty" } else { "holds a control character" };
                return Err(refuse(what, text, why));
            }
        }
        let words = self.entrypoint.iter().chain(&self.args).flatten();
        let tables = self.env.values().chain(self.labels.values()).chain(self.annotations.values());
        if let Some(text) = words.chain(tables).find(|text| text.contains('\0')) {
            return Err(refuse("the text", text, "holds a NUL byte"));
        }
        if self.entrypoint.as_ref().is_some_and(|words| words.first().is_none_or(String::is_empty)) {
            return Err(Error::setting(
                "the entrypoint names no program",
                "leave it out for the executable alone",
            ));
        }
        Ok(())
    }

    /// Refuses what no runtime would take, or what would be another instruction in a Dockerfile.
    pub fn check(&self) -> Result<(), Error> {
        self.check_characters()?;
        let absolute = |what: &str, path: &str| match path.starts_with('/') {
            true => Ok(()),
            false => Err(Error::setting(format!("{what} '{path}' is not absolute"), "begin it with a slash")),
        };
        if let Some(path) = &self.workdir {
            absolute("the working directory", path)?;
        }
        for path in &self.volumes {
            absolute("the volume", path)?;
            if path.trim_matches('/').is_empty() {
                return Err(Error::setting("the root of an image cannot be a volume", "name a folder in it"));
            }
        }
        for port in &self.ports {
            let (number, protocol) = port.split_once('/').unwrap_or((port, "tcp"));
            let known = ["tcp", "udp", "sctp"].contains(&protocol);
            if number.parse::<u16>().ok().is_none_or(|number| number == 0) || !known {
                return Err(Error::setting(
                    format!("'{port}' is no port"),
                    "a port is a number from 1 to 65535, with /tcp, /udp or /sctp if need be",
                ));
            }
        }
        for name in self.env.keys() {
            if name.is_empty() || name.contains('=') || name.contains(char::is_whitespace) {
                return Err(Error::setting(
                    format!("'{name}' is no name of an environment variable"),
                    "say NAME=VALUE",
                ));
            }
        }
        if let Some(user) = &self.user {
            let parts: Vec<&str> = user.split(':').collect();
            if parts.len() > 2
                || parts.iter().any(|part| part.is_empty() || part.contains(char::is_whitespace))
                || parts.iter().any(|part| is_number(part) && part.parse::<u32>().is_err())
            {
                return Err(Error::setting(
                    format!("'{user}' is no user"),
                    "say USER or USER:GROUP, by name or by a number of 32 bits",
                ));
            }
        }
        if let Some(signal) = &self.stop_signal {
            let name = signal.strip_prefix("SIG").is_some_and(|name| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_uppercase() || b"+-0123456789".contains(&byte))
            });
            if !name && !signal.parse::<u8>().is_ok_and(|number| (1..=64).contains(&number)) {
                return Err(Error::setting(format!("'{signal}' is no signal"), "say SIGTERM or its number"));
            }
        }
        Ok(())
    }
}

fn under(mut higher: BTreeMap<String, String>, lower: BTreeMap<String, String>) -> BTreeMap<String, String> {
    for (key, value) in lower {
        higher.entry(key).or_insert(value);
    }
    higher
}

fn join(lower: &[String], higher: &[String], taken_back: &[String]) -> Vec<String> {
    let kept = lower
        .iter()
        .filter(|name| !taken_back.contains(name) && !taken_back.iter().any(|name| name == "all"));
    let mut names: Vec<String> = Vec::new();
    for name in kept.chain(higher) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brawn_base::Diagnostic as _;
    use serde_json::json;

    fn read(image: serde_json::Value) -> Result<Settings, Error> {
        Settings::from_metadata(&json!({ "brawn": { "image": image } }), "Cargo.toml")
    }

    #[test]
    fn flags_win_over_the_manifest_and_lists_add_up() {
        let manifest = read(json!({
            "user": "0", "ports": ["80"], "env": { "A": "1", "B": "2" }, "with": ["zones", "tmp"], "stop-signal": "SIGINT",
        }))
        .unwrap();
        let flags = Settings {
            user: Some("7".into()),
            ports: vec!["81".into(), "80".into()],
            env: BTreeMap::from([("B".into(), "3".into())]),
            without: vec!["zones".into()],
            ..Settings::default()
        };
        let both = flags.over(manifest);
        assert_eq!(both.user.as_deref(), Some("7"));
        assert_eq!(both.stop_signal.as_deref(), Some("SIGINT"));
        assert_eq!(both.ports, ["80", "81"]);
        assert_eq!(both.env, BTreeMap::from([("A".into(), "1".into()), ("B".into(), "3".into())]));
        assert_eq!((both.with, both.without), (vec!["tmp".to_owned()], vec!["zones".to_owned()]));
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = read(json!({ "entry-point": ["x"] })).unwrap_err();
        assert_eq!(error.to_string(), "Cargo.toml: unknown key 'entry-point' in [metadata.brawn.image]");
        assert_eq!(error.hint().as_deref(), Some("did you mean 'entrypoint'?"));
        let error = read(json!({ "ports": 80 })).unwrap_err();
        assert!(error.to_string().contains("invalid type"), "{error}");
        assert_eq!(read(json!({})).unwrap(), Settings::default());
        assert_eq!(Settings::from_metadata(&serde_json::Value::Null, "x").unwrap(), Settings::default());
    }

    #[test]
    fn what_no_runtime_takes_is_refused() {
        for (wrong, message) in [
            (json!({ "workdir": "data" }), "the working directory 'data' is not absolute"),
            (json!({ "volumes": ["/ok", "data"] }), "the volume 'data' is not absolute"),
            (json!({ "ports": ["http"] }), "'http' is no port"),
            (json!({ "ports": ["0"] }), "'0' is no port"),
            (json!({ "ports": ["80/quic"] }), "'80/quic' is no port"),
            (json!({ "env": { "A=B": "1" } }), "'A=B' is no name of an environment variable"),
            (json!({ "user": "me:" }), "'me:' is no user"),
            (json!({ "stop-signal": "TERM" }), "'TERM' is no signal"),
            (json!({ "stop-signal": "65" }), "'65' is no signal"),
            (json!({ "user": "4294967296" }), "'4294967296' is no user"),
            (json!({ "user": "me\u{1b}[2J" }), "the user 'me\\u{1b}[2J' holds a control character"),
            (
                json!({ "workdir": "/a\nRUN x" }),
                "the working directory '/a\\nRUN x' holds a control character",
            ),
            (json!({ "volumes": ["/a\nRUN x"] }), "the volume '/a\\nRUN x' holds a control character"),
            (json!({ "volumes": ["//"] }), "the root of an image cannot be a volume"),
            (json!({ "base": "x\nRUN y" }), "the base image 'x\\nRUN y' holds a control character"),
            (json!({ "env": { "A\nRUN x": "1" } }), "the variable 'A\\nRUN x' holds a control character"),
            (json!({ "env": { "A B": "1" } }), "'A B' is no name of an environment variable"),
            (json!({ "env": { "": "1" } }), "the variable '' is empty"),
            (json!({ "env": { "A": "\0" } }), "the text '\\0' holds a NUL byte"),
            (json!({ "labels": { "a\nb": "1" } }), "the label 'a\\nb' holds a control character"),
            (json!({ "annotations": { "": "1" } }), "the annotation '' is empty"),
            (json!({ "args": ["\0"] }), "the text '\\0' holds a NUL byte"),
            (json!({ "entrypoint": [] }), "the entrypoint names no program"),
            (json!({ "entrypoint": [""] }), "the entrypoint names no program"),
        ] {
            assert_eq!(read(wrong).unwrap().check().unwrap_err().to_string(), message);
        }
        let fine = json!({
            "workdir": "/data", "ports": ["80", "53/udp"], "user": "nonroot:nonroot", "stop-signal": "SIGRTMIN+3",
            "env": { "PEM": "two\nlines" }, "args": ["", "\u{1b}"],
        });
        read(fine).unwrap().check().unwrap();
    }
}
