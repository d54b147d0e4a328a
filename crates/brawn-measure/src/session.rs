//! A comparison: variants, interleaved in random blocks, until the figures are exact enough.

use std::time::{Duration, Instant};

use crate::outcome::{Measured, Outcome, Stop};
use crate::output::Reference;
use crate::probe::{self, Conditions, Exit, Run};
use crate::{Error, Figure, Output, Variant};

/// How a comparison is run.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Most blocks that count; each runs every variant once, in random order.
    pub blocks: usize,
    /// Fewest blocks that count, whatever the budget says.
    pub min_blocks: usize,
    /// Blocks before those, whose times are thrown away: they fill caches and compare outputs.
    pub warmup_blocks: usize,
    /// Time for all blocks, warm-up included; none for as long as they take. A block is begun only when it will
    /// probably end in time.
    pub budget: Option<Duration>,
    /// Relative half-width of the 95 % interval of every ratio to the first variant at which the session may stop
    /// early: 0.01 for one percent. None to use up blocks or budget.
    pub precision: Option<f64>,
    /// The figures whose ratios must be that precise.
    pub watched: Vec<Figure>,
    /// Where the random order comes from; the same seed gives the same order.
    pub seed: u64,
    /// Under which conditions each variant runs. Its interrupt ends the session: the current run is killed, and what was
    /// measured is kept.
    pub conditions: Conditions,
    /// How the outputs must agree.
    pub output: Output,
    /// Lines with this text in them are not compared: a program may print its own time.
    pub ignored_lines: Option<String>,
    /// Whether the system calls of every variant are counted, in a run of its own after the others.
    pub count_system_calls: bool,
}

impl Session {
    /// So many blocks after one for warming up, with a new seed, a limit of ten minutes a run, and outputs compared to
    /// the byte.
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks,
            min_blocks: blocks,
            warmup_blocks: 1,
            watched: vec![Figure::Wall],
            seed: fastrand::u64(..),
            conditions: Conditions::new(Duration::from_secs(600)),
            ..Self::default()
        }
    }

    /// As many blocks as it takes, from 5 to 200, until the ratios of the wall-clock times are precise or the budget
    /// is used up.
    pub fn adaptive(budget: Duration, precision: f64) -> Self {
        Self { min_blocks: 5, budget: Some(budget), precision: Some(precision), ..Self::new(200) }
    }

    /// Takes another fewest and most number of blocks.
    pub fn blocks_between(mut self, fewest: usize, most: usize) -> Self {
        (self.min_blocks, self.blocks) = (fewest, most);
        self
    }

    /// Watches these figures instead of the wall-clock time.
    pub fn watch(mut self, figures: impl IntoIterator<Item = Figure>) -> Self {
        self.watched = figures.into_iter().collect();
        self
    }

    /// Runs all variants, the first being the baseline.
    ///
    /// # Errors
    /// As [`Session::run_with`].
    pub fn run(&self, variants: &[Variant]) -> Result<Outcome, Error> {
        self.run_with(variants, |_| {})
    }

    /// The same. `on` is told where the session is before each run, off the clock.
    ///
    /// # Errors
    /// Any run that fails, takes too long or prints something else than the first run ends the session. An interrupt
    /// is no error: the outcome says that it is incomplete.
    pub fn run_with(&self, variants: &[Variant], mut on: impl FnMut(Progress<'_>)) -> Result<Outcome, Error> {
        self.check(variants)?;
        variants.iter().for_each(|variant| probe::read_afresh(&variant.program));
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut order: Vec<usize> = (0..variants.len()).collect();
        let measured = variants.iter().cloned().map(Measured::new).collect();
        let mut outcome = Outcome::new(self.clone(), measured);
        let mut reference: Option<Reference> = None;
        let start = Instant::now();
        let mut done = 0;
        outcome.stop = 'session: loop {
            random.shuffle(&mut order);
            for &index in &order {
                let variant = &variants[index];
                if self.conditions.is_interrupted() {
                    break 'session Stop::Interrupted;
                }
                on(self.progress(variants.len(), variant, done, start.elapsed()));
                let run = match self.checked_run(variant) {
                    Ok(run) => run,
                    // A program may die of the same signal that interrupts the session.
                    Err(_) if self.conditions.is_interrupted() => break 'session Stop::Interrupted,
                    Err(error) => return Err(error),
                };
                done += 1;
                match &mut reference {
                    None => {
                        let ignored = self.ignored_lines.as_deref();
                        reference = Some(Reference::new(&variant.name, self.output, ignored, run.stdout)?);
                    }
                    Some(reference) => reference.compare(&variant.name, run.stdout)?,
                }
                if done > self.warmup_blocks * variants.len() {
                    outcome.measured[index].samples.push(run.sample);
                }
            }
            if let Some(stop) = self.stop(done / variants.len(), start.elapsed(), &outcome.measured) {
                break stop;
            }
        };
        outcome.seconds = start.elapsed().as_secs_f64();
        let mut uncounted = Vec::new();
        if self.count_system_calls && outcome.stop != Stop::Interrupted {
            uncounted = self.count(&mut outcome);
        }
        outcome.warn();
        outcome.warnings.extend(uncounted);
        Ok(outcome)
    }

    fn check(&self, variants: &[Variant]) -> Result<(), Error> {
        if variants.is_empty() || self.blocks == 0 {
            return Err(Error::Empty);
        }
        for (index, variant) in variants.iter().enumerate() {
            if variants[..index].iter().any(|other| other.name == variant.name) {
                return Err(Error::SameName { name: variant.name.clone() });
            }
        }
        Ok(())
    }

    fn checked_run(&self, variant: &Variant) -> Result<Run, Error> {
        let run = probe::run_under(variant, &self.conditions)?;
        if run.exit == Exit::Status(variant.expected_status) {
            return Ok(run);
        }
        Err(Error::Exit {
            variant: variant.name.clone(),
            exit: run.exit,
            expected: variant.expected_status,
            stderr: probe::last_lines(&run.stderr)?,
        })
    }

    /// Counts system calls where they can be counted, and says where they cannot: what has been measured until here
    /// must not be lost for that. Servers are left out, because their clients decide.
    fn count(&self, outcome: &mut Outcome) -> Vec<String> {
        let mut warnings = Vec::new();
        for measured in outcome.measured.iter_mut().filter(|measured| measured.variant.service.is_none()) {
            match probe::count_system_calls(&measured.variant, &self.conditions) {
                Ok(calls) => measured.system_calls = Some(calls.values().sum()),
                // The outcome tells what is lost by that.
                Err(Error::TraceRefused) => {
                    outcome.trace_refused = true;
                    break;
                }
                Err(_) if self.conditions.is_interrupted() => {
                    outcome.stop = Stop::Interrupted;
                    break;
                }
                Err(error) => warnings.push(format!(
                    "the number of system calls of `{}` is not known: {error}; stopped at every call, a program takes \
                     many times as long: give it less work, or a longer limit",
                    measured.variant.name
                )),
            }
        }
        warnings
    }
}

/// Where a session is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The variant whose turn it is.
    pub variant: &'a Variant,
    /// Runs that are done, those for warming up included.
    pub done: usize,
    /// The most that there can be.
    pub most: usize,
    /// Time since the session began.
    pub elapsed: Duration,
    /// The most time that it will probably take from here; it may be precise earlier. None before the first block
    /// has told how long a run takes.
    pub remaining: Option<Duration>,
}
