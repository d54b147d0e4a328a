//! What `report/action.yml` runs, in a repository of two commits, with a server in GitHub's place that keeps comments.

use std::path::Path;
use std::process::Command;

use super::install::Server;
use super::{repository, script};
use crate::common::{Sandbox, fails, ok};

/// Keeps the comments of pull request 7, and refuses whoever has another token.
const GITHUB: &str = r#"
import http.server, json, sys
comments = [{"id": 1, "body": "someone's"}]
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        path = self.path.split("?")[0]
        self.answer(200, comments) if path == "/repos/o/r/issues/7/comments" else self.answer(404, {})
    def write(self):
        if self.headers["Authorization"] != "Bearer writer":
            return self.answer(403, {})
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if self.command == "POST" and self.path == "/repos/o/r/issues/7/comments":
            comments.append({"id": len(comments) + 1, "body": body})
            return self.answer(201, {})
        number = int(self.path.removeprefix("/repos/o/r/issues/comments/"))
        comments[number - 1]["body"] = body
        self.answer(200, {})
    do_POST = do_PATCH = write
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

fn git(sandbox: &Sandbox, args: &[&str]) -> String {
    let mut command = sandbox.command("git");
    command.args(["-C", "r", "-c", "user.name=n", "-c", "user.email=n@example.org"]).args(args);
    ok(&mut command).trim().to_owned()
}

/// A repository of two commits, and the first one's name.
fn project() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    ok(sandbox.command("git").args(["init", "--quiet", "r"]));
    let program = |text: &str| {
        sandbox.write("r/main.c", format!("#include <stdio.h>\nint main(void) {{ return {text}; }}\n"))
    };
    sandbox.write("r/words", "a b\n");
    program("puts(\"a b\") < 0");
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "--quiet", "-m", "one"]);
    let base = git(&sandbox, &["rev-parse", "HEAD"]);
    program("printf(\"%s\\n\", \"a b\") < 0");
    git(&sandbox, &["commit", "--quiet", "-am", "two"]);
    (sandbox, base)
}

fn step(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> Command {
    let mut command = script(sandbox, "report");
    let brawn = Path::new(env!("CARGO_BIN_EXE_brawn")).parent().unwrap();
    command.env("PATH", format!("{}:{}", brawn.display(), std::env::var("PATH").unwrap()));
    command.env("GITHUB_STEP_SUMMARY", sandbox.write("summary", "")).env("RUNNER_TEMP", sandbox.path());
    command.env("GITHUB_REPOSITORY", "o/r").current_dir(sandbox.path().join("r"));
    let usual = [("FILE", "program"), ("BUILD", "brawn cc main.c -o program"), ("SECONDS", "0.3")];
    for (name, value) in usual.iter().chain(inputs) {
        command.env(format!("BRAWN_REPORT_{name}"), value);
    }
    command
}

#[test]
fn a_pull_request_gets_one_comment_that_is_kept_up_to_date() {
    let (sandbox, base) = project();
    let github = Server::run(GITHUB, &[]);
    let inputs = |token| {
        [
            ("BASE", base.as_str()),
            ("STDIN", "words"),
            ("NUMBER", "7"),
            ("TOKEN", token),
            ("ARGUMENTS", "'a b' c"),
        ]
    };
    let run = |token| ok(step(&sandbox, &inputs(token)).env("GITHUB_API_URL", &github.1));
    for _ in 0..2 {
        assert_eq!(run("writer"), "");
    }
    let comments =
        ok(sandbox.command("curl").args(["-s", &format!("{}/repos/o/r/issues/7/comments", github.1)]));
    let comments: serde_json::Value = serde_json::from_str(&comments).unwrap();
    assert_eq!((comments.as_array().unwrap().len(), &comments[0]["body"]), (2, &"someone's".into()));
    let body = comments[1]["body"].as_str().unwrap();
    assert_eq!(body, fs_err::read_to_string(sandbox.path().join("summary")).unwrap());
    for part in [&format!("against {}", &base[..12]), "|  | before | after |", "| size |"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    // From a fork: what may not write is no failure of the change.
    assert!(run("reader").starts_with("::warning::no comment could be written to pull request 7"));
    assert_eq!(git(&sandbox, &["worktree", "list"]).lines().count(), 1, "nothing is left behind");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let (sandbox, base) = project();
    let unknown = "0123456789012345678901234567890123456789";
    let zeros = "0".repeat(40);
    for (inputs, message) in [
        (&[("BASE", "")][..], "there is no commit to compare with\nhint: on: pull_request"),
        (&[("BASE", &zeros)], "there is no commit to compare with"),
        (&[("BASE", unknown)], "cannot be fetched\nhint: actions/checkout with fetch-depth: 0"),
        (&[("BASE", &base), ("FILE", "")], "it is not said which executable to compare\nhint: with: file"),
        (&[("BASE", &base), ("FILE", "other")], "after has no other after it was built\nhint: file: "),
        (&[("BASE", &base), ("BUILD", "brawn cc no.c")], "after cannot be built\nhint: build: "),
        (&[("BASE", &base), ("STDIN", "no")], "there is no file no\nhint: stdin: "),
        (&[("BASE", &base), ("SECONDS", "x")], "brawn bench fails"),
    ] {
        let error = fails(&mut step(&sandbox, inputs), 1);
        assert!(error.contains(message), "{inputs:?}: {error}");
    }
}

#[test]
fn every_input_of_the_report_reaches_the_script() {
    let action = fs_err::read_to_string(repository().join("report/action.yml")).unwrap();
    let script = fs_err::read_to_string(repository().join("scripts/report")).unwrap();
    let inputs = action.split("\ninputs:\n").nth(1).unwrap().split("\nruns:").next().unwrap();
    let names = inputs.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    for name in names.filter(|name| !name.starts_with(' ')) {
        let upper = name.to_uppercase();
        assert!(action.contains(&format!("BRAWN_REPORT_{upper}: ${{{{ inputs.{name} }}}}")), "{name}");
        assert!(script.contains(&format!("$(input {upper})")), "{name}");
    }
}
