//! A pod's container as a process in the unpacked image: its own mounts and processes, held to its limits by control groups.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::limits::Limits;
use crate::common::ok;
use crate::image::stub::Stub;

/// What a container runtime does: `sh -c SCRIPT sh ROOT SCRATCH USER MEMORY SEEN CORES COMMAND...`
const PREPARE: &str = r#"
root=$1 scratch=$2 user=$3 memory=$4 seen=$5 cores=$6
shift 6
echo 0 > "$memory/cgroup.procs"
echo 0 > "$cores/cgroup.procs"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$scratch" "$root/scratch"
mount --bind "$memory" "$root/$seen"
mount -o remount,bind,ro "$root/$seen"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
"#;

/// How a container ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub code: i32,
    /// The kernel killed in it for want of memory.
    pub over_memory: bool,
}

/// Fetches an image by its digest for this architecture. What a registry says that does not have it.
pub fn pull(registry: &Stub, image: &str, root: &Path) -> Result<(), String> {
    let (name, digest) = image.split_once('@').ok_or("the image has no digest")?;
    let repository = name.strip_prefix(&format!("{}/", registry.address)).ok_or("no such host")?;
    let repository = repository.split(':').next().unwrap().to_owned();
    let state = registry.state.lock().unwrap();
    let manifest = |digest: &str| {
        let found = state.manifests.get(&(repository.clone(), digest.to_owned()));
        let (_, bytes) = found.ok_or_else(|| format!("{image}: not found"))?;
        Ok::<Value, String>(serde_json::from_slice(bytes).unwrap())
    };
    let mut image = manifest(digest)?;
    if let Some(each) = image["manifests"].as_array() {
        let own = each.iter().find(|one| one["platform"]["architecture"] == super::ARCHITECTURE);
        image = manifest(own.ok_or("no matching manifest")?["digest"].as_str().unwrap())?;
    }
    fs_err::create_dir_all(root).unwrap();
    for layer in image["layers"].as_array().unwrap() {
        let digest = layer["digest"].as_str().unwrap().to_owned();
        let file = root.with_extension("layer");
        fs_err::write(&file, &state.blobs[&(repository.clone(), digest)]).unwrap();
        ok(Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(root));
        fs_err::remove_file(file).unwrap();
    }
    Ok(())
}

/// Runs the only container of a pod, to its end or until it is to be killed. The folder has the unpacked image `root` and the
/// volume `scratch`, and gets the `log`. `memory` are bytes that it has, whatever it was promised.
pub fn run(pod: &Value, memory: Option<u64>, folder: &Path, kill: &AtomicBool) -> End {
    let (root, scratch) = (&folder.join("root"), &folder.join("scratch"));
    let (spec, of_pod) = (&pod["spec"]["containers"][0], &pod["spec"]["securityContext"]);
    let limit = |name: &str| spec["resources"]["limits"][name].as_str().unwrap();
    let cores = limit("cpu").strip_suffix('m').map_or_else(
        || limit("cpu").parse::<u64>().unwrap() * 1000,
        |thousandths| thousandths.parse().unwrap(),
    );
    let limits = Limits::new(memory.unwrap_or_else(|| limit("memory").parse().unwrap()), cores);
    for folder in ["proc", "dev", "scratch", limits.seen] {
        fs_err::create_dir_all(root.join(folder)).unwrap();
    }
    let user = ["runAsUser", "runAsGroup"].map(|name| of_pod[name].as_u64().unwrap().to_string()).join(":");
    let environment = environment(pod);
    let words = ["command", "args"].map(|name| spec[name].as_array().unwrap().clone()).concat();
    let log = fs_err::File::create(folder.join("log")).unwrap().into_file();
    let mut child = Command::new("unshare")
        .args(["--mount", "--pid", "--fork", "sh", "-ec", PREPARE, "sh"])
        .args([root, scratch, Path::new(&user), &limits.memory, Path::new(limits.seen), &limits.cores])
        .args(words.iter().map(|word| expanded(word.as_str().unwrap(), &environment)))
        .env_clear()
        .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .envs(&environment)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let grace = Duration::from_secs(pod["spec"]["terminationGracePeriodSeconds"].as_u64().unwrap());
    let mut asked = None;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if kill.load(Ordering::Relaxed) && asked.is_none() {
            limits.end();
            asked = Some(Instant::now());
        }
        let no_longer = asked.is_some_and(|since: Instant| since.elapsed() > grace);
        // All of it, as newer versions of Kubernetes do.
        if no_longer || limits.passed() {
            limits.kill();
        }
        sleep(Duration::from_millis(10));
    };
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap());
    End { code, over_memory: limits.passed() }
}

/// The variables of a pod's only container.
fn environment(pod: &Value) -> BTreeMap<String, String> {
    let of_field = |path: &str| match path.split_once("['") {
        Some((table, name)) => {
            let table = table.strip_prefix("metadata.").unwrap();
            pod["metadata"][table][name.trim_end_matches("']")].as_str().unwrap_or_default()
        }
        None if path == "spec.nodeName" => pod["spec"]["nodeName"].as_str().unwrap(),
        None => panic!("{path}"),
    };
    let value = |variable: &Value| {
        let given = variable["value"].as_str();
        given
            .unwrap_or_else(|| of_field(variable["valueFrom"]["fieldRef"]["fieldPath"].as_str().unwrap()))
            .to_owned()
    };
    let variables = pod["spec"]["containers"][0]["env"].as_array().unwrap();
    variables
        .iter()
        .map(|variable| (variable["name"].as_str().unwrap().to_owned(), value(variable)))
        .collect()
}

/// A word with the variables that stand in it as `$(NAME)`; `$$` is one `$`.
fn expanded(word: &str, environment: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let mut rest = word;
    while let Some((before, behind)) = rest.split_once('$') {
        text.push_str(before);
        rest = behind;
        if let Some(behind) = rest.strip_prefix('$') {
            text.push('$');
            rest = behind;
        } else if let Some((name, behind)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
            && let Some(value) = environment.get(name)
        {
            text.push_str(value);
            rest = behind;
        } else {
            text.push('$');
        }
    }
    text + rest
}
