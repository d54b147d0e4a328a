//! Fleets of which the truth is known.

use brawn_collect::Kept;
use brawn_collect::block::{Block, BlockRun, Outcome};
use brawn_collect::plan::{Plan, PlanCandidate, PlanPool};
use brawn_measure::{Machine, Sample};
use brawn_tune::Goal;
use fastrand::Rng;

/// A fleet whose pools all look alike.
#[derive(Clone, Copy)]
pub struct Fleet {
    pub pools: usize,
    /// Nodes that blocks lie on, in turn.
    pub nodes: u32,
    /// Whether the plan says that there are no others.
    pub no_others: bool,
    pub blocks: u32,
    pub candidates: usize,
    /// By how much the last candidate is better on every third pool: 0.03 for three percent.
    pub effect: f64,
    /// From node to node: how fast it is, and how well one candidate suits it (standard deviations of logarithms).
    pub node: f64,
    pub suits: f64,
    /// From block to block, and from run to run.
    pub block: f64,
    pub run: f64,
    /// Share of the runs that something disturbs: they take up to half as long again.
    pub disturbed: f64,
}

/// What is seen on real machines.
pub const REAL: Fleet = Fleet {
    pools: 10,
    nodes: 50,
    no_others: false,
    blocks: 30,
    candidates: 4,
    effect: 0.0,
    node: 0.20,
    suits: 0.01,
    block: 0.05,
    run: 0.025,
    disturbed: 0.01,
};

/// A normal number, by the sum of twelve.
fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

impl Fleet {
    /// Whether the last candidate is better on this pool.
    pub fn is_better_on(&self, pool: usize) -> bool {
        self.effect > 0.0 && pool.is_multiple_of(3)
    }

    pub fn plan(&self) -> Plan {
        let names =
            std::iter::once("now".to_owned()).chain((1..self.candidates).map(|at| format!("other-{at}")));
        let candidate = |name| PlanCandidate { name, ..PlanCandidate::default() };
        let pool = |at| PlanPool {
            name: format!("pool-{at}"),
            blocks: self.blocks,
            nodes: self.no_others.then_some(self.nodes),
            ..PlanPool::default()
        };
        Plan {
            id: "synthetic".into(),
            goal: Goal::Time,
            reference: "now".into(),
            candidates: names.map(candidate).collect(),
            pools: (0..self.pools).map(pool).collect(),
            ..Plan::default()
        }
    }

    /// All blocks, as the plan wants them.
    pub fn measure(&self, seed: u64) -> Vec<Block> {
        let random = &mut Rng::with_seed(seed);
        let plan = self.plan();
        let mut blocks = Vec::new();
        for (at, pool) in plan.pools.iter().enumerate() {
            let nodes: Vec<(f64, Vec<f64>)> = (0..self.nodes)
                .map(|_| {
                    let speed = self.node * normal(random);
                    let suits: Vec<f64> =
                        plan.candidates.iter().map(|_| self.suits / 2f64.sqrt() * normal(random)).collect();
                    // Where there are no other nodes, what differs among these is the truth; here it shall be none.
                    let mean =
                        if self.no_others { suits.iter().sum::<f64>() / suits.len() as f64 } else { 0.0 };
                    (speed, if self.no_others { vec![mean; suits.len()] } else { suits })
                })
                .collect();
            for index in 0..self.blocks {
                let node = (index % self.nodes) as usize;
                let hour = self.block * normal(random);
                let mut runs: Vec<BlockRun> = Vec::new();
                for (which, candidate) in plan.candidates.iter().enumerate() {
                    let better = which + 1 == self.candidates && self.is_better_on(at);
                    let effect = if better { (1.0 - self.effect).ln() } else { 0.0 };
                    let noise = self.run * normal(random);
                    let disturbed = if random.f64() < self.disturbed { 0.4 * random.f64() } else { 0.0 };
                    let log = nodes[node].0 + nodes[node].1[which] + hour + effect + noise + disturbed;
                    let sample = Sample {
                        wall_seconds: log.exp(),
                        user_seconds: 0.9 * log.exp(),
                        peak_bytes: Some((100 + at as u64) << 20),
                        ..Sample::default()
                    };
                    runs.push(BlockRun {
                        candidate: candidate.name.clone(),
                        outcome: Outcome::Sample(sample),
                    });
                }
                random.shuffle(&mut runs);
                blocks.push(Block {
                    fleet: plan.id.clone(),
                    pool: pool.name.clone(),
                    index,
                    machine: Machine { cores: 4 + 4 * at, kernel: "6.12.0".into(), ..Machine::default() },
                    node: Some(format!("{}-node-{node}", pool.name)),
                    started: "2026-11-25T20:00:00Z".into(),
                    seconds: 4.0,
                    runs,
                    ..Block::default()
                });
            }
        }
        blocks
    }

    /// The fleet as it is kept when everything was collected.
    pub fn kept(&self, seed: u64) -> Kept {
        let mut kept = Kept::new(self.plan());
        kept.add(self.measure(seed), vec![]);
        kept
    }
}
