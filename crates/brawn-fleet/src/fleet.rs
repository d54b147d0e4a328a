//! A fleet that is planned to the end: pools with their nodes, and what each of their blocks does.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use brawn_collect::plan::{Plan, PlanCandidate, PlanPool};
use brawn_collect::power;
use brawn_elf::Arch;
use brawn_image::Platform;
use brawn_measure::units;

use crate::Error;
use crate::block::now;
use crate::nodes::{self, Node};
use crate::pack::{Pack, ROOT};
use crate::spec::{Pool, Spec};
use crate::task::Task;

/// Memory of a pod beside a candidate's: for Brawn, and for what a candidate takes between two looks of the watchdog.
const ROOM: u64 = 128 << 20;

/// A fleet about to run.
#[derive(Debug)]
pub struct Fleet {
    /// What the user asked for.
    pub spec: Spec,
    /// Its name, a DNS label.
    pub id: String,
    /// Where every random order comes from.
    pub seed: u64,
    /// The pools.
    pub pools: Vec<Planned>,
    /// What runs, from the disk of this machine.
    pub pack: Pack,
    /// What the user must know.
    pub notes: Vec<String>,
}

/// The label of nodes with their architecture.
pub const ARCH_LABEL: &str = "kubernetes.io/arch";

/// A difference that is worth a change to most.
const SHOWN: f64 = 0.03;

/// A pool with its nodes.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What the user asked for.
    pub pool: Pool,
    /// What its nodes are.
    pub arch: Arch,
    /// How many blocks run.
    pub blocks: u32,
    /// Memory that a candidate may hold, in bytes.
    pub memory: Option<u64>,
    /// Cores that it is given.
    pub cores: Option<f64>,
    /// How many machines there are; none where no one tells.
    pub nodes: Option<usize>,
    /// Most blocks at a time.
    pub parallelism: u32,
}

impl Fleet {
    /// Plans. `brawn` is the running executable; `nodes` are those of the cluster, if the engine is one and lists them.
    ///
    /// # Errors
    /// [`Error::NoLabel`], [`Error::NoNodes`], [`Error::Cores`], [`Error::Memory`], and those of [`Pack::read`].
    pub fn plan(spec: Spec, folder: &Path, brawn: &Path, nodes: Option<&[Node]>) -> Result<Fleet, Error> {
        let pack = Pack::read(&spec, folder, brawn)?;
        let by = match (&spec.by, nodes) {
            (Some(label), Some(nodes)) => nodes::by_label(nodes, label)?,
            _ => Vec::new(),
        };
        let mut notes = Vec::new();
        let pools = spec.pools.iter().chain(&by);
        let pools: Vec<Vec<Planned>> =
            pools.map(|pool| planned(&spec, pool, &pack, nodes, &mut notes)).collect::<Result<_, _>>()?;
        let mut pools: Vec<Planned> = pools.into_iter().flatten().collect();
        for place in 1..pools.len() {
            let (before, rest) = pools.split_at_mut(place);
            let name = &mut rest[0].pool.name;
            if before.iter().any(|other| other.pool.name == *name) {
                *name = format!("{}-{place}", &name[..name.len().min(25)]);
            }
        }
        let needed = power::blocks(SHOWN, power::NOISE, power::intervals(pools.len(), pack.programs().len()));
        let fewest = pools.iter().map(|pool| pool.blocks).min().unwrap_or(needed);
        if fewest < needed {
            notes.push(format!(
                "{fewest} blocks may not tell a difference of 3 %: that takes {needed} on each pool"
            ));
        }
        let seed = spec.seed.unwrap_or_else(|| fastrand::u64(..u64::from(u32::MAX)));
        let id = format!("{:08x}", fastrand::u32(..));
        Ok(Fleet { spec, id, seed, pools, pack, notes })
    }

    /// What the answer needs to know of it later. `image` is the reference to it, with its digest.
    pub fn document(&self, image: Option<&str>) -> Plan {
        let candidate = |program: &crate::task::Program| PlanCandidate {
            name: program.name.clone(),
            image_path: format!("{ROOT}/{}", program.path),
            digest: program.digest.clone(),
            knobs: program.knobs.clone(),
        };
        let selector = |planned: &Planned| {
            let mut selector = planned.pool.selector.clone();
            if self.pack.sides.len() > 1 {
                let arch = Platform { arch: planned.arch }.architecture();
                selector.insert(ARCH_LABEL.to_owned(), arch.to_owned());
            }
            selector
        };
        let pool = |planned: &Planned| PlanPool {
            name: planned.pool.name.clone(),
            blocks: planned.blocks,
            selector: selector(planned),
            arch: Some(planned.arch.to_string()),
            cores: planned.cores,
            memory: planned.memory,
            replicas: planned.pool.replicas,
            // Hosts that are named are all that the pool has; nodes of a cluster come and go.
            nodes: (!planned.pool.hosts.is_empty()).then_some(planned.pool.hosts.len() as u32),
        };
        Plan {
            id: self.id.clone(),
            created: now(),
            program: self.name(),
            goal: self.spec.goal,
            reference: self.spec.reference().to_owned(),
            candidates: self.pack.programs().iter().map(candidate).collect(),
            pools: self.pools.iter().map(pool).collect(),
            seed: self.seed,
            image: image.map(str::to_owned),
        }
    }

    /// The program's name for people.
    pub fn name(&self) -> String {
        let of_file = || {
            let reference = self.pack.programs().iter().find(|program| program.name == self.spec.reference());
            reference.and_then(|program| program.path.rsplit('/').next()).unwrap_or_default().to_owned()
        };
        self.spec.name.clone().unwrap_or_else(of_file)
    }

    /// What every block of a pool does.
    ///
    /// # Errors
    /// None that the file's reader has not found.
    pub fn task(&self, planned: &Planned) -> Result<Task, Error> {
        let spec = &self.spec;
        let run_limit = spec.run_limit.as_deref().map(units::time).transpose().map_err(Error::units)?;
        Ok(Task {
            fleet: self.id.clone(),
            pool: planned.pool.name.clone(),
            seed: self.seed,
            args: spec.args.clone(),
            env: spec.env.clone(),
            stdin: spec.stdin.clone(),
            in_place: spec.in_place,
            status: spec.status,
            output: spec.output,
            ignore_lines: spec.ignore_lines.clone(),
            run_limit: run_limit.map(|limit| limit.as_secs_f64()),
            memory: planned.memory,
            // Pods are held to theirs by what started them. Tasks of a queue have a whole node, or are held by no one.
            cores: match spec.slurm {
                Some(_) => planned.cores.map(f64::ceil),
                None => planned.cores.filter(|_| spec.ssh.is_some()),
            },
            server: spec.server.clone(),
            reference: spec.reference().to_owned(),
            candidates: self.pack.side(planned.arch).programs.clone(),
        })
    }

    /// How long it takes where a block takes so long, and how long all its blocks take together.
    pub fn time(&self, block: Duration) -> (Duration, Duration) {
        let rounds = |planned: &Planned| planned.blocks.div_ceil(planned.parallelism.max(1));
        let longest = self.pools.iter().map(rounds).max().unwrap_or_default();
        let all: u32 = self.pools.iter().map(|planned| planned.blocks).sum();
        (block * longest, block * all)
    }
}

/// A pool. One with nodes of several architectures for which there are executables is several: their answers may differ.
fn planned(
    spec: &Spec,
    pool: &Pool,
    pack: &Pack,
    nodes: Option<&[Node]>,
    notes: &mut Vec<String>,
) -> Result<Vec<Planned>, Error> {
    let all: Vec<Arch> = pack.sides.iter().map(|side| side.arch).collect();
    let go = |arch: Arch| Platform { arch }.architecture();
    let named = pool.selector.get(ARCH_LABEL);
    let there: Vec<Arch> = match nodes {
        _ if all.len() == 1 => all,
        Some(nodes) => nodes::architectures(nodes, &pool.selector, &all),
        None => all.into_iter().filter(|arch| named.is_some_and(|name| name == go(*arch))).collect(),
    };
    match (&there[..], nodes) {
        ([], None) => Err(Error::WhichArchitecture { pool: pool.name.clone() }),
        // That there are none is told by the first.
        ([], _) => Ok(vec![of_arch(spec, pool, pack.sides[0].arch, nodes, notes)?]),
        ([arch], _) => Ok(vec![of_arch(spec, pool, *arch, nodes, notes)?]),
        (several, _) => several
            .iter()
            .map(|arch| {
                let mut part = pool.clone();
                part.name = format!("{}-{}", &pool.name[..pool.name.len().min(24)], go(*arch));
                // No node is left out: the other part has it.
                of_arch(spec, &part, *arch, nodes, &mut Vec::new())
            })
            .collect(),
    }
}

fn of_arch(
    spec: &Spec,
    pool: &Pool,
    arch: Arch,
    nodes: Option<&[Node]>,
    notes: &mut Vec<String>,
) -> Result<Planned, Error> {
    let memory = pool.memory.as_deref().or(spec.memory.as_deref());
    let memory = memory.map(units::size).transpose().map_err(Error::units)?;
    let cores = pool.cores.or(spec.cores);
    let blocks = pool.blocks.unwrap_or(spec.blocks);
    let mut machines = (!pool.hosts.is_empty()).then_some(pool.hosts.len());
    if let Some(nodes) = nodes {
        let arch = Platform { arch }.architecture();
        let (fit, others) = nodes::of_pool(nodes, &pool.name, &pool.selector, arch)?;
        if others > 0 {
            notes.push(format!(
                "{others} nodes of the pool '{}' are left out: they are not {arch}, which the executables are for",
                pool.name
            ));
        }
        let most = fit.iter().fold(0.0, |most: f64, node| most.max(node.cores));
        let wanted = cores.unwrap_or_default();
        if wanted > most {
            return Err(Error::Cores { pool: pool.name.clone(), wanted, there: most });
        }
        let there = fit.iter().map(|node| node.memory).max().unwrap_or_default();
        if let Some(memory) = memory.map(pod_memory).filter(|memory| *memory > there) {
            return Err(Error::Memory { pool: pool.name.clone(), wanted: memory, there });
        }
        machines = Some(fit.len());
    }
    let most = spec.kubernetes.as_ref().and_then(|kubernetes| kubernetes.parallelism);
    let each = machines.map(|machines| u32::try_from(machines).unwrap_or(u32::MAX));
    // Where no one tells how many nodes there are, one block at a time is what surely has a node of its own.
    let parallelism = most.or(each).unwrap_or(if spec.slurm.is_some() { blocks } else { 1 }).clamp(1, blocks);
    Ok(Planned { pool: pool.clone(), arch, blocks, memory, cores, nodes: machines, parallelism })
}

/// The limit of a pod whose candidates may hold so much, in bytes.
pub fn pod_memory(candidate: u64) -> u64 {
    candidate + candidate / 16 + ROOM
}

/// Labels as `kubectl` takes them.
pub fn labels(selector: &BTreeMap<String, String>) -> String {
    selector.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(",")
}
