//! What is wrong with a `fleet.toml` that has the right form.

use std::collections::BTreeSet;
use std::path::Path;

use brawn_base::names;
use brawn_measure::units;

use super::{Pool, Server, Spec};

/// What is wrong, and what to do about it.
type Wrong = (String, Option<String>);

/// Most blocks of a pool: Kubernetes takes no more completions with a limit for each index.
const MOST_BLOCKS: u32 = 10_000;
/// Longest name of a pool: with the rest it is the name of a pod, which has 63 characters.
const LONGEST: usize = 30;

impl Spec {
    /// Finds what is wrong beyond the form.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        self.candidates()?;
        self.pools()?;
        self.engine()?;
        let units = [("memory", &self.memory), ("run-limit", &self.run_limit)];
        for (key, value) in units {
            unit(key, value.as_deref())?;
        }
        positive("cores", self.cores)?;
        let stdin = self.stdin.as_deref().filter(|stdin| !self.has_file(stdin));
        if let Some(stdin) = stdin {
            return wrong(
                format!("stdin names '{stdin}', which is none of the files"),
                "add it to files, and name it by its last name",
            );
        }
        let mut seen = BTreeSet::new();
        for path in &self.files {
            match path.file_name() {
                Some(name) if seen.insert(name) => {}
                Some(_) => {
                    return wrong(
                        format!("two files are called '{}'", path.display()),
                        "they lie in one folder: rename one",
                    );
                }
                None => {
                    return wrong(format!("'{}' has no last name", path.display()), "name a file or folder");
                }
            }
        }
        self.server.as_ref().map_or(Ok(()), |server| self.server(server))
    }

    fn candidates(&self) -> Result<(), Wrong> {
        let mut seen = BTreeSet::new();
        for candidate in &self.candidates {
            if candidate.name.is_empty() || candidate.name.contains(char::is_control) {
                return wrong(
                    format!("'{}' is no name of a candidate", candidate.name.escape_debug()),
                    "say it in letters",
                );
            }
            if !seen.insert(&candidate.name) {
                return wrong(
                    format!("two candidates are called '{}'", candidate.name),
                    "give each its own name",
                );
            }
            if candidate.executable.is_empty()
                || candidate.executable.iter().any(|path| path.as_os_str().is_empty())
            {
                return wrong(
                    format!("the candidate '{}' names no executable", candidate.name),
                    "say executable = \"PATH\"",
                );
            }
        }
        if self.candidates.len() < 2 {
            return wrong(
                "a comparison needs two candidates",
                "write [[candidates]] twice or more; the first is used now",
            );
        }
        match &self.reference {
            Some(name) if !seen.contains(name) => {
                let known: Vec<&String> = seen.into_iter().collect();
                Err((
                    format!("there is no candidate '{name}' for the reference"),
                    Some(names::nearest_or_all(name, &known)),
                ))
            }
            _ => Ok(()),
        }
    }

    fn pools(&self) -> Result<(), Wrong> {
        if self.by.is_some() != self.pools.is_empty() {
            return wrong(
                "where shall it run?",
                "write [[pools]], or by = \"LABEL\" for a pool for each of its values, not both",
            );
        }
        let mut seen = BTreeSet::new();
        for pool in &self.pools {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if pool.name.is_empty()
                || pool.name.len() > LONGEST
                || !pool.name.chars().all(fits)
                || pool.name.starts_with('-')
                || pool.name.ends_with('-')
            {
                let hint = format!(
                    "at most {LONGEST} small letters, digits and dashes, a dash neither first nor last"
                );
                return wrong(format!("'{}' is no name of a pool", pool.name.escape_debug()), &hint);
            }
            if !seen.insert(&pool.name) {
                return wrong(format!("two pools are called '{}'", pool.name), "give each its own name");
            }
            unit("memory", pool.memory.as_deref())?;
            positive("cores", pool.cores)?;
        }
        let blocks = self.pools.iter().map(|pool| pool.blocks.unwrap_or(self.blocks));
        match blocks.chain([self.blocks]).find(|blocks| !(1..=MOST_BLOCKS).contains(blocks)) {
            Some(blocks) => {
                wrong(format!("{blocks} blocks cannot be run"), &format!("from 1 to {MOST_BLOCKS}"))
            }
            None => Ok(()),
        }
    }

    fn engine(&self) -> Result<(), Wrong> {
        let given = [self.kubernetes.is_some(), self.ssh.is_some(), self.slurm.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return wrong(
                "on which engine shall it run?",
                "write one of the tables [kubernetes], [ssh] and [slurm]",
            );
        }
        if self.by.is_some() && self.kubernetes.is_none() {
            return wrong("by is about labels of nodes, and only Kubernetes has them", "write [[pools]]");
        }
        let lacks = |what: &str, lacks: fn(&Pool) -> bool| match self.pools.iter().find(|pool| lacks(pool)) {
            Some(pool) => wrong(
                format!("the pool '{}' {what}", pool.name),
                "see `brawn fleet plan --help` for the form",
            ),
            None => Ok(()),
        };
        if let Some(kubernetes) = &self.kubernetes {
            unit("scratch", kubernetes.scratch.as_deref())?;
            lacks("has no selector, or has hosts or sbatch", |pool| {
                pool.selector.is_empty() || !pool.hosts.is_empty() || !pool.sbatch.is_empty()
            })?;
            if kubernetes.image.is_empty() {
                return wrong(
                    "[kubernetes] names no image",
                    "say image = \"HOST/NAME\": the image with all candidates is pushed there",
                );
            }
            if self.memory.is_none() && self.pools.iter().any(|pool| pool.memory.is_none()) {
                return wrong(
                    "a pod needs a limit of memory",
                    "say memory = \"SIZE\", the limit that the program has in use",
                );
            }
            if self.cores.is_none() && self.pools.iter().any(|pool| pool.cores.is_none()) {
                return wrong(
                    "a pod needs a number of cores",
                    "say cores = N, the limit that the program has in use",
                );
            }
        }
        if self.ssh.is_some() {
            lacks("has no hosts, or has a selector or sbatch", |pool| {
                pool.hosts.is_empty() || !pool.selector.is_empty() || !pool.sbatch.is_empty()
            })?;
            let host = |pool: &Pool| pool.hosts.iter().any(|host| host.is_empty() || host.starts_with('-'));
            lacks("has a host that would be an option of ssh", host)?;
        }
        if let Some(slurm) = &self.slurm {
            lacks("has hosts or a selector", |pool| !pool.hosts.is_empty() || !pool.selector.is_empty())?;
            if !slurm.folder.is_absolute() {
                return wrong("[slurm] names no folder that all nodes see", "say folder = \"/PATH\"");
            }
        }
        Ok(())
    }

    fn server(&self, server: &Server) -> Result<(), Wrong> {
        for (key, value) in
            [("load-time", &server.load_time), ("ready-limit", &server.ready_limit), ("idle", &server.idle)]
        {
            unit(key, value.as_deref())?;
        }
        if let Some(Err(known)) = server.stop.as_deref().map(brawn_tune::load::stop_signal) {
            return Err((
                format!("'{}' is no signal to stop by", server.stop.as_deref().unwrap_or_default()),
                Some(known),
            ));
        }
        let http = |text: &str| text.starts_with("http://");
        let asked = server.url.as_deref().unwrap_or(&server.ready);
        if server.client.is_empty() && !http(asked) {
            return wrong(
                "what shall the load on the server ask for?",
                "say url = \"http://…\", or a program with client",
            );
        }
        match server.client.first() {
            Some(program) if !self.has_file(program) => wrong(
                format!("the client '{program}' is none of the files"),
                "add it to files, and name it by its last name",
            ),
            _ => Ok(()),
        }
    }

    /// Whether a path begins with the last name of one of the files.
    fn has_file(&self, path: &str) -> bool {
        let path = Path::new(path.strip_prefix("./").unwrap_or(path));
        let first = path.components().next().map(|part| part.as_os_str());
        self.files.iter().any(|file| first.is_some() && file.file_name() == first)
    }
}

/// A size where the key is about one, and a time otherwise.
fn unit(key: &str, value: Option<&str>) -> Result<(), Wrong> {
    let Some(value) = value else { return Ok(()) };
    let read = match key {
        "memory" | "scratch" => units::size(value).map(drop),
        _ => units::time(value).map(drop),
    };
    read.map_err(|form| (format!("{key} is '{value}'"), Some(format!("say {form}"))))
}

fn positive(key: &str, value: Option<f64>) -> Result<(), Wrong> {
    match value {
        Some(value) if !(value >= 0.001 && value.is_finite()) => {
            wrong(format!("{key} is {value}"), "say a number above 0")
        }
        _ => Ok(()),
    }
}

fn wrong<T>(what: impl Into<String>, hint: &str) -> Result<T, Wrong> {
    Err((what.into(), Some(hint.to_owned())))
}
