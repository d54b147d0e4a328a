//! What is shown while suites run: bars on a terminal; without one, only what goes wrong.

use std::time::Duration;

use brawn_base::text::shown;
use brawn_bench::runner::Step;
use indicatif::ProgressBar;

use crate::output;

/// The bar, and how much to say.
pub struct Progress {
    bar: ProgressBar,
    verbose: bool,
    quiet: bool,
    place: String,
}

/// Steps of the bar for one case.
const STEPS: u64 = 1000;

impl Progress {
    /// A bar on standard error, if that is a terminal.
    pub fn new(verbose: bool, quiet: bool) -> Progress {
        let style = "{prefix:>9} {bar:24} {elapsed:>4}  {wide_msg}";
        let bar = output::bar(Some(STEPS), style, quiet);
        Progress { bar, verbose, quiet, place: String::new() }
    }

    /// A second hand on the same bar, for the workshop.
    pub fn speaker(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let (bar, verbose) = (self.bar.clone(), self.verbose);
        move |text| {
            if verbose {
                bar.suspend(|| output::say(text));
            } else {
                bar.set_message(shown(text).to_string());
                bar.tick();
            }
        }
    }

    /// Says something that stays.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| output::say(text));
        }
    }

    /// Shows a step of a run.
    pub fn show(&mut self, step: &Step<'_>) {
        match step {
            Step::Preparing(suite) => {
                self.bar.set_prefix("building");
                self.bar.set_message((*suite).to_owned());
                self.bar.tick();
            }
            Step::Skipping(suite, skipped) => {
                self.bar.suspend(|| {
                    output::warn(&format!("{suite} is skipped: {}", skipped.reason));
                    output::hint(&skipped.hint);
                });
            }
            Step::Noise => {
                self.bar.set_prefix("noise");
                self.bar.set_message("how far apart this machine finds two copies of one program");
                self.bar.tick();
            }
            Step::Warning(text) => self.bar.suspend(|| output::warn(text)),
            Step::Case { suite, case, number, of } => {
                self.bar.set_length(STEPS * *of as u64);
                self.bar.set_position(STEPS * (*number as u64 - 1));
                self.bar.set_prefix(format!("{number}/{of}"));
                self.place = format!("{suite} {case}");
                if self.verbose {
                    self.say(&format!("{number}/{of} {}", self.place));
                }
                self.bar.set_message(shown(&self.place).to_string());
            }
            Step::Run(progress) => {
                let mut message = format!("{}, {}", self.place, progress.variant.name);
                if let Some(remaining) = progress.remaining {
                    message.push_str(&format!(", at most {} to go", seconds(remaining)));
                    let part = progress.elapsed.as_secs_f64()
                        / (progress.elapsed + remaining).as_secs_f64().max(f64::MIN_POSITIVE);
                    let whole = self.bar.position() / STEPS * STEPS;
                    self.bar.set_position(whole + ((STEPS - 1) as f64 * part) as u64);
                }
                self.bar.set_message(shown(&message).to_string());
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs() + 1)
}
