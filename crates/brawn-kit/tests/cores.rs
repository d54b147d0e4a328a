//! How many processors an allocator thinks it has: `crates/brawn-kit/libc/malloc/cores.h`.

use std::path::Path;
use std::process::Command;

#[test]
fn quotas_and_affinity_are_respected() {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("cores");
    // The host's compiler will do: nothing in there belongs to one libc.
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(manifest_dir.join("libc/malloc"))
        .arg(manifest_dir.join("tests/c/cores.c"))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("cc can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).current_dir(folder.path()).output().expect("the program can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"ok\n");
}
