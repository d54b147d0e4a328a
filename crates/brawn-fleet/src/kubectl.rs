//! The user's `kubectl`, which knows clusters, plugins and rights.

use std::process::Output;

use brawn_base::text::shown;
use serde_json::Value;

use crate::spec::Kubernetes;
use crate::{Error, tool};

/// The label that everything of a fleet has, with its name as the value.
pub const OWNER: &str = "brawn.fleet/id";
/// The label with the pool's name.
pub const POOL: &str = "brawn.fleet/pool";

/// How `kubectl` is called.
#[derive(Clone, Debug)]
pub struct Kubectl {
    program: String,
    options: Vec<String>,
}

impl Kubectl {
    /// With the context and the namespace that a fleet names.
    pub fn new(settings: &Kubernetes) -> Self {
        let option =
            |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("--{name}={value}"));
        let options = [option("context", &settings.context), option("namespace", &settings.namespace)];
        Self { program: "kubectl".to_owned(), options: options.into_iter().flatten().collect() }
    }

    /// Another program in its place.
    pub fn through(self, program: impl Into<String>) -> Self {
        Self { program: program.into(), ..self }
    }

    /// Runs it, and gives what it printed.
    ///
    /// # Errors
    /// [`Error::NoTool`], and what it says: [`Error::NoContext`], [`Error::Forbidden`], [`Error::Quota`], [`Error::Engine`].
    pub fn run(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
        let all = self.options.iter().map(String::as_str).chain(args.iter().copied());
        let output = tool::run(&self.program, all, input)?;
        if output.status.success() { Ok(output.stdout) } else { Err(failure(&output)) }
    }

    /// Runs it with an answer in JSON.
    ///
    /// # Errors
    /// As [`Kubectl::run`], and [`Error::Answer`].
    pub fn json(&self, args: &[&str]) -> Result<Value, Error> {
        let args: Vec<&str> = args.iter().copied().chain(["--output=json"]).collect();
        let answer = self.run(&args, b"")?;
        serde_json::from_slice(&answer).map_err(|source| Error::Answer { tool: "kubectl".into(), source })
    }
}

/// What the API server, or `kubectl` itself, says.
fn failure(output: &Output) -> Error {
    let said = shown(&tool::said(output)).to_string();
    let has = |texts: &[&str]| texts.iter().any(|text| said.contains(text));
    if has(&["exceeded quota"]) {
        return Error::Quota { said };
    }
    // A line for each object that it was to create; they lack the same right.
    let rule = String::from_utf8_lossy(&output.stderr).lines().find_map(|line| {
        let (_, rule) = line.split_once("(Forbidden): ")?;
        Some(shown(rule.strip_prefix("error when creating \"STDIN\": ").unwrap_or(rule)).to_string())
    });
    if let Some(rule) = rule {
        return Error::Forbidden { rule };
    }
    // Without a context it looks for a server on this machine.
    if has(&[
        "current-context",
        "no configuration has been provided",
        "context was not found",
        "does not exist in",
        "localhost:8080",
    ]) || (has(&["context \""]) && has(&["does not exist"]))
    {
        return Error::NoContext { said };
    }
    Error::Engine { tool: "kubectl".into(), said }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn after(stderr: &str) -> Error {
        failure(&Output { status: ExitStatusExt::from_raw(256), stdout: Vec::new(), stderr: stderr.into() })
    }

    #[test]
    fn refusals_are_told_apart() {
        let rule = "jobs.batch is forbidden: User \"dev\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"x\"";
        let said = format!("Error from server (Forbidden): {rule}\n");
        let created =
            format!("Error from server (Forbidden): error when creating \"STDIN\": {rule}\n").repeat(2);
        for said in [said, created] {
            let Error::Forbidden { rule: told } = after(&said) else { panic!() };
            assert_eq!(told, rule);
        }
        let quota = "Error from server (Forbidden): pods \"a\" is forbidden: exceeded quota: q, requested: cpu=2, limited: cpu=1\n";
        assert!(matches!(after(quota), Error::Quota { .. }));
        for text in [
            "error: current-context is not set\n",
            "error: context \"nowhere\" does not exist\n",
            "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
        ] {
            assert!(matches!(after(text), Error::NoContext { .. }), "{text}");
        }
        let away = "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?\n";
        assert!(matches!(after(away), Error::Engine { .. }));
    }
}
