//! The same blocks without a cluster.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use brawn_collect::log::read_all;

use brawn_collect::block::Outcome;
use serde_json::json;

use super::{fake, fleet, kept, spec};
use crate::common::{Sandbox, fails, long, ok};

/// Runs what it is told to in a home for each host. A host of the name `down` is not reached.
const SSH: &str = r#"
while [ "$1" != -- ]; do shift; done
echo "$2: $3" >> "$FAKE/calls"
[ "$2" != down ] || { echo "ssh: connect to host down: No route to host" >&2; exit 255; }
mkdir -p "$FAKE/$2" && cd "$FAKE/$2" && exec sh -c "$3"
"#;

/// Runs the tasks of an array at once, one after the other.
const SBATCH: &str = r#"
echo "$*" >> "$FAKE/calls"
case "$*" in *--partition=closed*) echo "sbatch: error: invalid partition specified: closed" >&2; exit 1 ;; esac
for word in "$@"; do
    case $word in
        --array=0-*) last=${word#--array=0-} ;;
        --chdir=*) folder=${word#--chdir=} ;;
        --output=*) output=${word#--output=} ;;
    esac
done
cat > "$FAKE/script"
for index in $(seq 0 "$last"); do
    log=$(echo "$output" | sed "s/%a/$index/")
    (cd "$folder" && SLURM_ARRAY_TASK_ID=$index SLURMD_NODENAME=n$index sh "$FAKE/script" > "$log" 2>&1)
done
echo 4711
"#;

/// All blocks in the logs of a folder.
fn blocks(folder: &Path) -> Vec<brawn_collect::block::Block> {
    let logs = fs_err::read_dir(folder).unwrap().map(|entry| fs_err::read(entry.unwrap().path()).unwrap());
    logs.flat_map(|log| read_all(&log).blocks).collect()
}

fn calls(sandbox: &Sandbox) -> String {
    fs_err::read_to_string(sandbox.path().join("fake/calls")).unwrap_or_default()
}

#[test]
fn blocks_run_over_ssh_and_leave_nothing() {
    let sandbox = Sandbox::new();
    fs_err::create_dir(sandbox.path().join("fake")).unwrap();
    fake(&sandbox, "ssh", SSH);
    let pools =
        "[[pools]]\nname = \"desk\"\nhosts = [\"one\", \"two\"]\n\n[ssh]\noptions = [\"-p\", \"2222\"]\n";
    spec(&sandbox, "memory = \"256MiB\"", pools);
    let folder = ok(&mut fleet(&sandbox, &["run"])).trim().to_owned();
    let mut found = blocks(&sandbox.path().join(&folder).join("logs"));
    found.sort_by_key(|block| block.index);
    let told: Vec<(u32, u32, usize)> =
        found.iter().map(|block| (block.index, block.attempt, block.runs.len())).collect();
    assert_eq!(told, [(0, 0, 2), (1, 0, 2), (2, 0, 2)]);
    assert!(found.iter().all(|block| ["one", "two"].contains(&block.node.as_deref().unwrap())));
    for host in ["one", "two"] {
        assert_eq!(
            fs_err::read_dir(sandbox.path().join("fake").join(host)).unwrap().count(),
            0,
            "{}",
            calls(&sandbox)
        );
    }
    assert_eq!(ok(&mut fleet(&sandbox, &["status", &folder])), "desk: 3 of 3 blocks done, 0 run\n");
    let collect = |new: u32| {
        let said = ok(&mut fleet(&sandbox, &["collect", &folder]));
        assert!(said.contains(&format!("3 of 3 blocks, {new} of them new")), "{said}");
    };
    collect(3);
    collect(0);
    assert!(ok(&mut fleet(&sandbox, &["report", &folder])).contains("desk"));
    let said = fails(&mut fleet(&sandbox, &["collect", "nowhere"]), 3);
    assert!(said.contains("there is no fleet 'nowhere' here"), "{said}");
    let said = fails(&mut fleet(&sandbox, &["run", "--file", "nowhere.toml"]), 5);
    assert!(said.contains("`brawn fleet plan` writes one"), "{said}");
    assert!(said.contains("nowhere.toml"), "{said}");
}

#[test]
fn a_machine_that_is_not_reached_ends_the_run_before_it_begins() {
    let sandbox = Sandbox::new();
    fs_err::create_dir(sandbox.path().join("fake")).unwrap();
    fake(&sandbox, "ssh", SSH);
    spec(&sandbox, "", "[[pools]]\nname = \"desk\"\nhosts = [\"one\", \"down\"]\n\n[ssh]\n");
    let said = fails(&mut fleet(&sandbox, &["run", "--no-rehearsal"]), 9);
    assert!(said.contains("ssh down failed") && said.contains("No route to host"), "{said}");
    assert!(!calls(&sandbox).contains("fleet block") && kept(&sandbox).is_none(), "{}", calls(&sandbox));
    assert_eq!(fs_err::read_dir(sandbox.path().join("fake/one")).unwrap().count(), 0);
}

#[test]
fn blocks_are_tasks_of_an_array() {
    let sandbox = Sandbox::new();
    fs_err::create_dir_all(sandbox.path().join("shared")).unwrap();
    fs_err::create_dir(sandbox.path().join("fake")).unwrap();
    fake(&sandbox, "sbatch", SBATCH);
    fake(&sandbox, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    fake(&sandbox, "scancel", "echo \"cancel $*\" >> \"$FAKE/calls\"");
    let engine = format!("[slurm]\nfolder = \"{}\"\n", sandbox.path().join("shared").display());
    let pool = |name: &str, partition: &str| {
        format!("[[pools]]\nname = \"{name}\"\nsbatch = [\"--partition={partition}\"]\n\n")
    };
    let limits = "memory = \"256MiB\"\ncores = 1.5";
    spec(&sandbox, limits, &format!("{}{engine}", pool("thin", "open")));
    let folder = ok(&mut fleet(&sandbox, &["run"])).trim().to_owned();
    let shared = sandbox.path().join("shared").join(&folder);
    let found = blocks(&shared.join("logs"));
    assert_eq!(found.len(), 3, "{}", calls(&sandbox));
    assert!(
        found.iter().all(
            |block| block.node.as_deref() == Some(&*format!("n{}", block.index)) && block.runs.len() == 2
        )
    );
    assert!(
        calls(&sandbox).contains("--cpus-per-task=2 --mem=409600K --partition=open"),
        "{}",
        calls(&sandbox)
    );
    assert_eq!(ok(&mut fleet(&sandbox, &["status", &folder])), "thin: 3 of 3 blocks done, 0 run\n");
    assert!(ok(&mut fleet(&sandbox, &["collect", &folder])).contains("3 of 3 blocks, 3 of them new"));
    ok(&mut fleet(&sandbox, &["delete", &folder]));
    assert!(calls(&sandbox).ends_with("cancel 4711\n") && !shared.exists());
    fs_err::remove_dir_all(sandbox.path().join(&folder)).unwrap();
    // The second pool is refused when the first one is queued.
    spec(&sandbox, limits, &format!("{}{}{engine}", pool("thin", "open"), pool("fat", "closed")));
    let said = fails(&mut fleet(&sandbox, &["run", "--no-rehearsal"]), 9);
    assert!(said.contains("sbatch failed") && said.contains("invalid partition"), "{said}");
    assert!(calls(&sandbox).ends_with("cancel 4711\n") && kept(&sandbox).is_none());
    assert_eq!(fs_err::read_dir(sandbox.path().join("shared")).unwrap().count(), 0);
}

/// As the first process of a container that may make no control group: what a candidate starts counts as well. (`make
/// test-long`, as root)
#[test]
fn a_candidate_is_held_together_with_what_it_starts() {
    if !long() {
        return;
    }
    let sandbox = Sandbox::new();
    let open = |path: &Path, mode| {
        fs_err::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    let forks =
        "#!/bin/sh\n(held=$(head -c 150000000 /dev/zero | tr '\\0' a); sleep 1; : ${#held})\necho done\n";
    let mut candidates = Vec::new();
    for (name, script) in [("now", "#!/bin/sh\necho done\n"), ("forks", forks)] {
        open(&sandbox.write(name, script), 0o755);
        candidates.push(json!({ "name": name, "path": name, "digest": brawn_libc::sha256_hex(script.as_bytes()), "knobs": {} }));
    }
    fs_err::create_dir(sandbox.path().join("work")).unwrap();
    fs_err::create_dir(sandbox.path().join("scratch")).unwrap();
    open(&sandbox.path().join("scratch"), 0o777);
    open(sandbox.path(), 0o755);
    fs_err::copy(env!("CARGO_BIN_EXE_brawn"), sandbox.path().join("brawn")).unwrap();
    let task = json!({
        "fleet": "f", "pool": "p", "seed": 1, "args": [], "env": {}, "in_place": false, "status": 0, "output": "exact",
        "memory": 64 << 20, "reference": "now", "candidates": candidates,
    });
    sandbox.write("task.json", task.to_string());
    for own_group in [&["setsid"][..], &[]] {
        let mut block = sandbox.command("unshare");
        block.args(["--pid", "--fork", "--mount-proc"]).args(own_group);
        block.args(["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups"]);
        let log =
            ok(block.args("./brawn fleet block --task task.json --index 0 --scratch scratch".split(' ')));
        let [block] = &read_all(log.as_bytes()).blocks[..] else { panic!("{log}") };
        assert!(matches!(block.outcome("now"), Some(Outcome::Sample(_))), "{block:?}");
        assert!(
            matches!(block.outcome("forks"), Some(Outcome::OverMemory { peak: Some(_), .. })),
            "{block:?}"
        );
    }
}

/// With a real server and a key of the test's own. (`make test-long`, as root, with openssh-server)
#[test]
fn blocks_run_over_the_real_ssh() {
    const SSHD: &str = "/usr/sbin/sshd";
    if !long() {
        return;
    }
    if !Path::new(SSHD).exists() {
        eprintln!("skipped: it needs {SSHD}, which is not on this machine: install openssh-server");
        return;
    }
    let sandbox = Sandbox::new();
    let place = sandbox.path().display().to_string();
    for key in ["host", "own"] {
        ok(Command::new("ssh-keygen").args([
            "-q",
            "-t",
            "ed25519",
            "-N",
            "",
            "-f",
            &format!("{place}/{key}"),
        ]));
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    sandbox.write(
        "sshd_config",
        format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/own.pub\nPidFile none\n\
             StrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\n"
        ),
    );
    sandbox.write(
        "ssh_config",
        format!("Port {port}\nIdentityFile {place}/own\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"),
    );
    fs_err::create_dir_all("/run/sshd").unwrap();
    let mut server = Command::new(SSHD);
    let mut server = server
        .args(["-D", "-e", "-f", &format!("{place}/sshd_config")])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(10), "sshd does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    // A name that the other side's shell must not take apart.
    fs_err::create_dir(sandbox.path().join("it's far")).unwrap();
    let pools = format!(
        "[[pools]]\nname = \"self\"\nhosts = [\"127.0.0.1\"]\n\n[ssh]\noptions = [\"-F\", \"{place}/ssh_config\"]\n\
         folder = \"{place}/it's far\"\n"
    );
    spec(&sandbox, "memory = \"256MiB\"", &pools);
    let folder = fleet(&sandbox, &["run"]).output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(folder.status.success(), "{}", String::from_utf8_lossy(&folder.stderr));
    let folder = String::from_utf8(folder.stdout).unwrap().trim().to_owned();
    let found = blocks(&sandbox.path().join(folder).join("logs"));
    assert_eq!(found.len(), 3);
    assert!(
        found.iter().all(|block| block.runs.iter().all(|run| matches!(run.outcome, Outcome::Sample(_)))),
        "{found:?}"
    );
    assert_eq!(fs_err::read_dir(sandbox.path().join("it's far")).unwrap().count(), 0);
}
