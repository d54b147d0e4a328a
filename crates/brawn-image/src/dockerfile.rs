//! A Dockerfile that builds the same, for people who must.

use std::fmt::Write;

use crate::contents::NONROOT;
use crate::{Error, Package, Settings};

/// A Dockerfile for a package and one of its executables. `arguments` are the flags that `brawn image` has to be given
/// again inside, for what is not said in `Cargo.toml`.
pub fn dockerfile(
    package: &Package,
    binary: &str,
    settings: &Settings,
    arguments: &[String],
) -> Result<String, Error> {
    settings.check()?;
    let mut text = String::from(
        "# syntax=docker/dockerfile:1\n\
         # Made by `brawn image --dockerfile`. It takes brawn itself from a build context of that name:\n\
         #   docker build --build-context brawn=\"$(dirname \"$(command -v brawn)\")\" .\n\
         FROM rust:1 AS build\n\
         RUN rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-musl\n\
         COPY --from=brawn brawn /usr/local/bin/brawn\n\
         WORKDIR /src\n\
         COPY . .\n\
         ARG TARGETARCH=amd64\n",
    );
    let mut line = format!(
        "brawn image --package {} --bin {} --platform \"linux/$TARGETARCH\" --rootfs /rootfs",
        word(package.name()),
        word(binary)
    );
    // Upon a base the files of scratch are not wanted, and the base itself comes in below.
    let mut arguments = arguments.to_vec();
    if settings.base.as_deref().is_some_and(|base| base != "scratch") {
        arguments.extend(["--base", "scratch", "--without", "all"].map(str::to_owned));
        arguments.extend(settings.with.iter().map(|part| format!("--with={part}")));
    }
    for argument in &arguments {
        line.push(' ');
        line.push_str(&word(argument));
    }
    let _ = writeln!(text, "RUN {line}\n");
    let _ = writeln!(text, "FROM {}", settings.base.as_deref().unwrap_or("scratch"));
    text.push_str("COPY --from=build /rootfs/ /\n");
    let mut labels: Vec<(String, String)> = package
        .metadata()
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value.filter(|value| !value.is_empty())?)))
        .collect();
    labels.extend(settings.labels.clone());
    for (key, value) in labels {
        let _ = writeln!(text, "LABEL {}={}", quoted(&key), quoted(&value));
    }
    for (name, value) in &settings.env {
        let _ = writeln!(text, "ENV {name}={}", quoted(value));
    }
    for port in &settings.ports {
        let _ = writeln!(text, "EXPOSE {port}");
    }
    if !settings.volumes.is_empty() {
        let _ = writeln!(text, "VOLUME {}", list(&settings.volumes));
    }
    let _ = writeln!(text, "WORKDIR {}", settings.workdir.as_deref().unwrap_or("/"));
    let _ =
        writeln!(text, "USER {}", settings.user.clone().unwrap_or_else(|| format!("{NONROOT}:{NONROOT}")));
    if let Some(signal) = &settings.stop_signal {
        let _ = writeln!(text, "STOPSIGNAL {signal}");
    }
    let entrypoint = settings.entrypoint.clone().unwrap_or_else(|| vec![format!("/{binary}")]);
    let _ = writeln!(text, "ENTRYPOINT {}", list(&entrypoint));
    if let Some(args) = &settings.args {
        let _ = writeln!(text, "CMD {}", list(args));
    }
    Ok(text)
}

/// The form that no shell sees.
fn list(words: &[String]) -> String {
    serde_json::to_string(words).expect("strings can be written as JSON")
}

/// A value in a Dockerfile, in which `$` begins a variable and a line ends an instruction.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace(['\n', '\r'], " ");
    format!("\"{text}\"")
}

/// One word for a shell.
fn word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=./:,@".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_break_out() {
        assert_eq!(quoted("a \"b\" $HOME \\ \nRUN x"), r#""a \"b\" \$HOME \\  RUN x""#);
        assert_eq!(word("--env=A=b c'd"), r"'--env=A=b c'\''d'");
        assert_eq!(word("--with=zones"), "--with=zones");
    }
}
