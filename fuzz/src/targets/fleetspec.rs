//! `fleet.toml`, and the work of a block that is made of it.

use std::path::Path;

use brawn_fleet::spec::Spec;
use brawn_fleet::task::Task;

const CANDIDATES: &str = "[[candidates]]\nname = \"now\"\nexecutable = \"old\"\n\n\
                          [[candidates]]\nname = \"b\"\nexecutable = \"new\"\nknobs = { BRAWN_X = \"1\" }\n\n";

pub fn seeds() -> Vec<Vec<u8>> {
    let cluster = format!(
        "goal = \"memory\"\nmemory = \"384MiB\"\ncores = 1.5\nargs = [\"{{port}}\"]\nfiles = [\"data/in\"]\nstdin = \"in\"\n\
         output = \"sorted\"\nrun-limit = \"90s\"\nreference = \"b\"\nby = \"kind\"\n\n[env]\nLANG = \"C\"\n\n[server]\n\
         ready = \"http://127.0.0.1:{{port}}/\"\nstop = \"INT\"\nload-time = \"2s\"\n\n{CANDIDATES}[kubernetes]\n\
         image = \"r.example/f\"\nscratch = \"2GiB\"\ntolerations = [{{ key = \"k\", tolerationSeconds = 60 }}]\n"
    );
    let ssh = format!(
        "{CANDIDATES}[[pools]]\nname = \"desk\"\nhosts = [\"a\", \"b\"]\nblocks = 3\nreplicas = 4\n\n[ssh]\noptions = [\"-p\", \"22\"]\n"
    );
    let slurm = format!(
        "seed = 7\n{CANDIDATES}[[pools]]\nname = \"p\"\nsbatch = [\"-p\", \"x\"]\ncores = 2\n\n[slurm]\nfolder = \"/shared\"\n"
    );
    let task = Task { fleet: "f".into(), reference: "now".into(), memory: Some(1 << 20), ..Task::default() };
    let task = serde_json::to_string(&task).expect("a task is plain data");
    [cluster, ssh, slurm, task].map(String::into_bytes).to_vec()
}

pub fn read(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(spec) = Spec::parse(text, Path::new("fleet.toml")) {
        assert!(spec.candidates.iter().any(|candidate| candidate.name == spec.reference()));
        assert!(spec.by.is_some() || !spec.pools.is_empty());
        // As it is kept in a fleet's folder, and read again there.
        assert_eq!(Spec::parse(&spec.text, Path::new("fleet.toml")).ok(), Some(spec));
    }
    if let Ok(task) = serde_json::from_str::<Task>(text) {
        let _ = task.programs(Path::new("/"));
    }
}
