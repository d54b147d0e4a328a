//! What others answer while a command runs: the paths of a checked program, and a registry.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use super::seen::check;
use crate::common::{Sandbox, ok};

#[test]
fn paths_that_a_checked_program_opens() {
    let sandbox = Sandbox::new();
    let path = r"/etc/x\033[2J\033]0;t\007\nerror: forged\r\177\302\23335m\342\200\256\377/y";
    sandbox.write(
        "program.c",
        format!(
            "#include <fcntl.h>\n#include <unistd.h>\n\
             int main(void) {{ open(\"{path}\", O_RDONLY); execl(\"{path}\", \"x\", (char *)0); return 1; }}\n"
        ),
    );
    ok(&mut sandbox.brawn(&["cc", "program.c", "-o", "program"]));
    let mut said = Vec::new();
    for args in [&["check", "-v", "program"][..], &["check", "--json", "program"]] {
        said.extend(check(&mut sandbox.brawn(args)).stdout);
    }
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains(r"/etc/x\x1b[2J"), "the path is not there at all:\n{said}");
}

/// Answers every request with an error whose words are hostile.
fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while let Some(line) = lines.next().transpose()? {
        if line.is_empty() {
            break;
        }
    }
    let words = r"no\u001b[2J\u001b]0;t\u0007\nerror: forged\r\u007f\u009b35m\u202e\u2066\u2028";
    let body = format!(r#"{{"errors":[{{"code":"{words}","message":"{words}","detail":"{words}"}}]}}"#);
    write!(
        stream,
        "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    stream.take(0).read_to_end(&mut Vec::new()).map(|_| ())
}

#[test]
fn what_a_registry_answers() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", "int main(void) { return 0; }\n");
    ok(&mut sandbox.brawn(&["cc", "program.c", "-o", "program"]));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("{}/x", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = answer(&mut stream.unwrap());
        }
    });
    let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let base = format!("{place}@{digest}");
    let mut said = Vec::new();
    for args in [
        &["image", "program", "--insecure", "--push", &place][..],
        &["image", "program", "--insecure", "--base", &base, "-o", "out"],
    ] {
        let output = check(&mut sandbox.brawn(args));
        assert!(!output.status.success());
        said.extend(output.stderr);
    }
    let said = String::from_utf8(said).unwrap();
    // What steers a terminal is left out already where the answer is read.
    assert!(said.contains(r"forged35m\u{202e}"), "the answer is not there at all:\n{said}");
}
