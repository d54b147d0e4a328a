//! Array jobs under Slurm's own daemons, with two nodes on this machine. (`make test-long`, as root, with slurmctld, slurmd,
//! slurm-client and munge)

use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use brawn_collect::Kept;
use brawn_collect::block::Outcome;

use super::{fleet, kept};
use crate::common::{Sandbox, fails, long, ok};

const DAEMONS: [&str; 3] = ["/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"];

/// Prints `1 2 3`, after holding so many MiB for so many seconds.
const PROGRAM: &str = r#"fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let held = vec![1u8; (number("HOLD").unwrap_or(0) << 20) as usize];
    std::thread::sleep(std::time::Duration::from_secs(number("NAP").unwrap_or(0)));
    std::hint::black_box(&held);
    println!("1 2 3");
}
"#;

/// The daemons, in a namespace of processes that ends with them.
struct Daemons(Child);

impl Drop for Daemons {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts munge with a key of its own, a controller, and two nodes, each with a partition of its own.
fn start(sandbox: &Sandbox) -> Daemons {
    let place = sandbox.path().display().to_string();
    for folder in ["state", "shared", "tmp"] {
        fs_err::create_dir(sandbox.path().join(folder)).unwrap();
    }
    let mut random = [0; 1024];
    fs_err::File::open("/dev/urandom").unwrap().read_exact(&mut random).unwrap();
    let key = sandbox.write("key", random);
    let only_own = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs_err::set_permissions(key, only_own).unwrap();
    // Held until all are known, so that they differ.
    let listeners = [0; 3].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let [controller, n1, n2] = listeners.each_ref().map(|listener| listener.local_addr().unwrap().port());
    let host = ok(&mut Command::new("hostname")).trim().to_owned();
    let node = |name: &str, port: u16| {
        format!("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=2048")
    };
    sandbox.write(
        "slurm.conf",
        format!(
            "ClusterName=brawn\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={place}/munge,cred_expire=5\nMpiDefault=none\n\
             StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool-%n\n\
             SlurmctldPidFile={place}/slurmctld.pid\nSlurmdPidFile={place}/slurmd-%n.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nKillWait=5\n\
             SlurmdParameters=config_overrides\nSchedulerParameters=sched_interval=1,batch_sched_delay=1\n\
             JobAcctGatherType=jobacct_gather/linux\nJobAcctGatherFrequency=1\nJobAcctGatherParams=OverMemoryKill\n\
             {}\n{}\nPartitionName=thin Nodes=n1\nPartitionName=fat Nodes=n2\n",
            node("n1", n1),
            node("n2", n2),
        ),
    );
    drop(listeners);
    let script = format!(
        "munged -F --key-file={place}/key --socket={place}/munge --pid-file={place}/munged.pid \
         --seed-file={place}/seed --log-file={place}/munged.log &\n\
         while [ ! -S {place}/munge ]; do sleep 0.1; done\n\
         slurmctld -D -c -f {place}/slurm.conf &\n\
         for node in n1 n2; do slurmd -D -N $node -f {place}/slurm.conf & done\nwait\n"
    );
    let log = fs_err::File::create(sandbox.path().join("daemons.log")).unwrap().into_file();
    let mut inside = Command::new("unshare");
    inside.args(["--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", &script]);
    inside.stdin(Stdio::null()).stderr(log.try_clone().unwrap()).stdout(log);
    let daemons = Daemons(inside.spawn().unwrap());
    until("both nodes are idle", || {
        let answer = slurm(sandbox, "sinfo", &["--noheader", "--format=%n %t", "--Node"]).output().unwrap();
        String::from_utf8_lossy(&answer.stdout).matches(" idle").count() == 2
    });
    daemons
}

fn slurm(sandbox: &Sandbox, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env("SLURM_CONF", sandbox.path().join("slurm.conf"));
    command
}

fn brawn(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = fleet(sandbox, args);
    command.env("SLURM_CONF", sandbox.path().join("slurm.conf")).env("TMPDIR", sandbox.path().join("tmp"));
    command
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(90), "{what}: not after 90 s");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// How many tasks run on each partition: `fat`, then `thin`.
fn running(sandbox: &Sandbox) -> [usize; 2] {
    let args = ["--noheader", "--array", "--states=RUNNING", "--format=%P"];
    let tasks = ok(&mut slurm(sandbox, "squeue", &args));
    ["fat", "thin"].map(|partition| tasks.lines().filter(|line| line.trim() == partition).count())
}

/// Waits until no pool has anything that runs or waits; the most tasks that ran at a time on each partition.
fn run_to_the_end(sandbox: &Sandbox, folder: &str) -> [usize; 2] {
    let mut most = [0; 2];
    until("all blocks ended", || {
        let now = running(sandbox);
        most = [most[0].max(now[0]), most[1].max(now[1])];
        let status = ok(&mut brawn(sandbox, &["status", folder]));
        status.lines().all(|line| line.contains(", 0 run") && !line.contains("wait"))
    });
    most
}

fn spec(sandbox: &Sandbox, memory: &str, candidates: &[(&str, &str)], thin: &str, fat: &str) {
    let candidates: String = candidates
        .iter()
        .map(|(name, knobs)| {
            format!("[[candidates]]\nname = \"{name}\"\nexecutable = \"program\"\nknobs = {{ {knobs} }}\n\n")
        })
        .collect();
    sandbox.write(
        "fleet.toml",
        format!(
            "seed = 7\nblocks = 3\nmemory = \"{memory}\"\ncores = 1\n{candidates}\
             [[pools]]\nname = \"thin\"\nsbatch = [\"--partition=thin\"{thin}]\n\n\
             [[pools]]\nname = \"fat\"\nsbatch = [\"--partition=fat\"{fat}]\n\n[slurm]\nfolder = \"{}\"\n",
            sandbox.path().join("shared").display()
        ),
    );
}

fn collected(sandbox: &Sandbox, folder: &str) -> Kept {
    ok(&mut brawn(sandbox, &["collect", folder]));
    Kept::load(&sandbox.path().join(folder).join("fleet.json")).unwrap()
}

/// Nothing of any fleet is in the queue, in the folder that all nodes see, or in a node's folder for what is temporary.
fn nothing_is_left(sandbox: &Sandbox) {
    assert_eq!(ok(&mut slurm(sandbox, "squeue", &["--noheader"])), "");
    for folder in ["shared", "tmp"] {
        let left: Vec<_> = fs_err::read_dir(sandbox.path().join(folder)).unwrap().collect();
        assert!(left.is_empty(), "{folder}: {left:?}");
    }
}

#[test]
fn blocks_run_under_the_real_slurm() {
    if !long() {
        return;
    }
    if let Some(missing) = DAEMONS.iter().find(|daemon| !Path::new(daemon).exists()) {
        eprintln!(
            "skipped: it needs {missing}, which is not on this machine: install slurmctld slurmd slurm-client munge"
        );
        return;
    }
    let sandbox = Sandbox::new();
    let package = sandbox.package("program");
    sandbox.write("program/src/main.rs", PROGRAM);
    ok(sandbox.brawn(&["-q", "build", "--release"]).current_dir(&package));
    let target = format!("target/{}-unknown-linux-musl/release/program", std::env::consts::ARCH);
    fs_err::rename(package.join(target), sandbox.path().join("built")).unwrap();
    fs_err::remove_dir_all(&package).unwrap();
    fs_err::rename(sandbox.path().join("built"), sandbox.path().join("program")).unwrap();
    let _daemons = start(&sandbox);

    an_array_has_an_answer(&sandbox);
    killed_cancelled_and_requeued_tasks_are_told_apart(&sandbox);
    delete_ends_what_runs(&sandbox);
    a_pool_that_is_refused_takes_the_others_along(&sandbox);
}

/// One block at a time is on a node, unless the user allows more.
fn an_array_has_an_answer(sandbox: &Sandbox) {
    let candidates = [("now", "NAP = \"1\""), ("hungry", "HOLD = \"200\"")];
    spec(sandbox, "64MiB", &candidates, "", ", \"--oversubscribe\"");
    assert!(ok(&mut brawn(sandbox, &["plan"])).contains("thin: 3 blocks as the queue lets them"));
    let folder = ok(&mut brawn(sandbox, &["run"])).trim().to_owned();
    assert_eq!(run_to_the_end(sandbox, &folder), [2, 1], "two on `fat`, where they may share, one on `thin`");
    let status = ok(&mut brawn(sandbox, &["status", &folder]));
    assert_eq!(status, "thin: 3 of 3 blocks done, 0 run\nfat: 3 of 3 blocks done, 0 run\n");
    let kept = collected(sandbox, &folder);
    assert_eq!((kept.blocks.len(), kept.missing().len()), (6, 0));
    for block in &kept.blocks {
        let node = if block.pool == "thin" { "n1" } else { "n2" };
        assert_eq!((block.node.as_deref(), block.attempt), (Some(node), 0));
        assert!(matches!(block.outcome("now"), Some(Outcome::Sample(_))), "{block:?}");
        assert!(matches!(block.outcome("hungry"), Some(Outcome::OverMemory { .. })), "{block:?}");
    }
    assert!(ok(&mut brawn(sandbox, &["report", &folder])).contains("over its memory"));
    ok(&mut brawn(sandbox, &["delete", &folder]));
    nothing_is_left(sandbox);
    fs_err::remove_dir_all(sandbox.path().join(folder)).unwrap();
}

/// On `thin` Slurm's own limit is lower than the candidates', so it kills tasks together with the one that passes it.
fn killed_cancelled_and_requeued_tasks_are_told_apart(sandbox: &Sandbox) {
    let candidates = [("now", ""), ("hungry", "HOLD = \"300\", NAP = \"4\"")];
    spec(sandbox, "384MiB", &candidates, ", \"--mem=100M\"", "");
    let folder = ok(&mut brawn(sandbox, &["run"])).trim().to_owned();
    let jobs = fs_err::read_to_string(sandbox.path().join(&folder).join("jobs")).unwrap();
    let fat = jobs.lines().nth(1).unwrap().to_owned();
    let log =
        sandbox.path().join("shared").join(format!("brawn-{}", kept_id(sandbox))).join("logs/fat-0.log");
    until("the first block began", || {
        fs_err::read_to_string(&log).is_ok_and(|log| log.contains("brawn-block-if-killed"))
    });
    ok(&mut slurm(sandbox, "scontrol", &["requeue", &format!("{fat}_0")]));
    ok(&mut slurm(sandbox, "scancel", &[&format!("{fat}_2")]));
    run_to_the_end(sandbox, &folder);
    let status = ok(&mut brawn(sandbox, &["status", &folder]));
    assert_eq!(status, "thin: 3 of 3 blocks done, 0 run\nfat: 2 of 3 blocks done, 0 run, 1 failed\n");
    let kept = collected(sandbox, &folder);
    let of = |pool: &str| -> Vec<_> { kept.blocks.iter().filter(|block| block.pool == pool).collect() };
    assert_eq!(of("thin").len(), 3);
    for block in of("thin") {
        assert!(matches!(block.outcome("hungry"), Some(Outcome::OverMemory { peak: None, .. })), "{block:?}");
    }
    let attempts: Vec<_> = of("fat").iter().map(|block| (block.index, block.attempt)).collect();
    assert_eq!(attempts, [(0, 1), (1, 0)]);
    let missing = kept.missing();
    assert_eq!(
        missing.into_iter().map(|(pool, at)| (pool.to_owned(), at)).collect::<Vec<_>>(),
        [("fat".to_owned(), vec![2])]
    );
    ok(&mut brawn(sandbox, &["delete", &folder]));
    assert_eq!(fs_err::read_dir(sandbox.path().join("shared")).unwrap().count(), 0);
    // What was killed could not tidy up after itself.
    fs_err::remove_dir_all(sandbox.path().join("tmp")).unwrap();
    fs_err::create_dir(sandbox.path().join("tmp")).unwrap();
    fs_err::remove_dir_all(sandbox.path().join(folder)).unwrap();
}

/// The fleet's name in that of its only folder.
fn kept_id(sandbox: &Sandbox) -> String {
    kept(sandbox).unwrap().trim_start_matches("brawn-").to_owned()
}

fn delete_ends_what_runs(sandbox: &Sandbox) {
    spec(sandbox, "64MiB", &[("now", "NAP = \"60\""), ("brawn", "")], "", "");
    let folder = ok(&mut brawn(sandbox, &["run", "--no-rehearsal"])).trim().to_owned();
    until("a block runs on each node", || running(sandbox) == [1, 1]);
    assert!(ok(&mut brawn(sandbox, &["status", &folder])).contains("1 run, 2 wait ("));
    ok(&mut brawn(sandbox, &["delete", &folder]));
    nothing_is_left(sandbox);
    fs_err::remove_dir_all(sandbox.path().join(folder)).unwrap();
}

fn a_pool_that_is_refused_takes_the_others_along(sandbox: &Sandbox) {
    spec(sandbox, "64MiB", &[("now", ""), ("brawn", "")], "", ", \"--mem=1T\"");
    let said = fails(&mut brawn(sandbox, &["run", "--no-rehearsal"]), 9);
    assert!(
        said.contains("sbatch failed") && said.contains("Memory specification can not be satisfied"),
        "{said}"
    );
    assert_eq!(kept(sandbox), None);
    nothing_is_left(sandbox);
}
