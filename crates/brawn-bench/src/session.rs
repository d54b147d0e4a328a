//! A comparison: variants, interleaved in random blocks.

use std::io::Read;
use std::time::Duration;

use serde::Serialize;

use crate::output::Reference;
use crate::probe::{self, Exit, Run};
use crate::{Error, Output, Sample, Variant};

/// How a comparison is run.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    /// Blocks that count; each runs every variant once, in random order.
    pub blocks: usize,
    /// Blocks before those, whose times are thrown away: they fill caches and compare outputs.
    pub warmup_blocks: usize,
    /// Where the random order comes from; the same seed gives the same order.
    pub seed: u64,
    /// Longest time that one run may take, in seconds.
    pub limit: Duration,
    /// How the outputs must agree.
    pub output: Output,
    /// Lines with this text in them are not compared: a program may print its own time.
    pub ignored_lines: Option<String>,
}

impl Session {
    /// So many blocks after one for warming up, with a new seed, a limit of ten minutes a run, and outputs compared to
    /// the byte.
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks,
            warmup_blocks: 1,
            seed: fastrand::u64(..),
            limit: Duration::from_secs(600),
            output: Output::Exact,
            ignored_lines: None,
        }
    }

    /// Takes another rule for comparing outputs.
    pub fn output(mut self, output: Output) -> Self {
        self.output = output;
        self
    }

    /// Leaves lines with this text in them out of the comparison.
    pub fn ignore_lines_with(mut self, text: &str) -> Self {
        self.ignored_lines = Some(text.to_owned());
        self
    }

    /// Takes a seed from an earlier session.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs all variants. `before` is called before each run, off the clock, with the number of runs
    /// done, the number of all, and the variant.
    ///
    /// # Errors
    /// Any run that fails, takes too long or prints something else than the first run ends the session.
    pub fn run(
        &self,
        variants: &[Variant],
        mut before: impl FnMut(usize, usize, &Variant),
    ) -> Result<Outcome, Error> {
        if variants.is_empty() || self.blocks == 0 {
            return Err(Error::Empty);
        }
        for (index, variant) in variants.iter().enumerate() {
            if variants[..index].iter().any(|other| other.name == variant.name) {
                return Err(Error::SameName(variant.name.clone()));
            }
        }
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut order: Vec<usize> = (0..variants.len()).collect();
        let mut measured: Vec<Measured> = variants
            .iter()
            .map(|variant| Measured { variant: variant.clone(), samples: Vec::new() })
            .collect();
        let mut reference = None;
        let total = (self.warmup_blocks + self.blocks) * variants.len();
        for block in 0..self.warmup_blocks + self.blocks {
            random.shuffle(&mut order);
            for (place, &index) in order.iter().enumerate() {
                let variant = &variants[index];
                before(block * variants.len() + place, total, variant);
                let run = self.checked_run(variant)?;
                match &mut reference {
                    None => reference = Some(Reference::new(variant, self, run.stdout)?),
                    Some(reference) => reference.compare(&variant.name, run.stdout)?,
                }
                if block >= self.warmup_blocks {
                    measured[index].samples.push(run.sample);
                }
            }
        }
        let warnings = warnings(&measured);
        Ok(Outcome { session: self.clone(), measured, warnings })
    }

    fn checked_run(&self, variant: &Variant) -> Result<Run, Error> {
        let mut run = probe::run(variant, self.limit)?;
        if run.exit == Exit::Status(variant.expected_status) {
            return Ok(run);
        }
        let mut stderr = Vec::new();
        run.stderr.read_to_end(&mut stderr)?;
        let text = String::from_utf8_lossy(&stderr);
        let lines: Vec<&str> = text.lines().collect();
        Err(Error::Exit {
            variant: variant.name.clone(),
            exit: run.exit,
            expected: variant.expected_status,
            stderr: lines[lines.len().saturating_sub(5)..].join("\n"),
        })
    }
}

/// A variant and what its counted runs took, in the order of the blocks.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// What was run.
    pub variant: Variant,
    /// One sample a block.
    pub samples: Vec<Sample>,
}

impl Measured {
    /// One figure of every sample, in the order of the blocks.
    pub fn values(&self, figure: impl Fn(&Sample) -> f64) -> Vec<f64> {
        self.samples.iter().map(figure).collect()
    }
}

/// Everything that a session measured.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// How it was run, with the seed.
    pub session: Session,
    /// The variants, in the order in which they were given.
    pub measured: Vec<Measured>,
    /// What the reader must know before trusting the figures, each with what to do about it.
    pub warnings: Vec<String>,
}

fn warnings(measured: &[Measured]) -> Vec<String> {
    let mut warnings = Vec::new();
    let samples = || measured.iter().flat_map(|measured| &measured.samples);
    if samples().any(|sample| sample.peak_bytes.is_none()) {
        warnings.push(
            "peak memory is not known: this machine refuses ptrace (in a container, allow it with --cap-add SYS_PTRACE \
             or a newer seccomp profile)"
                .into(),
        );
    }
    let short = samples().map(|sample| sample.wall_seconds).fold(f64::INFINITY, f64::min);
    if short < 0.001 {
        warnings.push(
            "runs shorter than 1 ms are mostly the kernel starting and ending a process: give the program more work"
                .into(),
        );
    }
    warnings
}
