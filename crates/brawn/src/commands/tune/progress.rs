//! What is shown while candidates run: a bar on a terminal, and a line for whatever stays.

use brawn_base::text::shown;
use brawn_tune::answer;
use brawn_tune::tune::Step;
use indicatif::ProgressBar;

use crate::output;

/// The bar, and how much to say.
pub struct Progress {
    bar: ProgressBar,
    verbose: bool,
    quiet: bool,
}

impl Progress {
    /// A bar on standard error, if that is a terminal; its length is the budget in seconds.
    pub fn new(budget: u64, verbose: bool, quiet: bool) -> Progress {
        let style = "{prefix:>10} {bar:24} {elapsed:>4}  {wide_msg}";
        let bar = output::bar(Some(budget), style, quiet);
        Progress { bar, verbose, quiet }
    }

    /// Says something that stays.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| output::say(text));
        }
    }

    /// Shows a step.
    pub fn show(&self, step: &Step<'_>) {
        match step {
            Step::Round(round) => {
                let in_it = round.lanes.iter().filter(|lane| lane.is_in()).count();
                self.say(&format!("{}: {in_it} candidates", round.name));
                self.bar.set_prefix(shown(&round.name).to_string());
            }
            Step::Run(round, name, block) => {
                let block = block.map_or("warming up".to_owned(), |block| format!("block {}", block + 1));
                let in_it = round.lanes.iter().filter(|lane| lane.is_in()).count();
                self.bar.set_message(shown(&format!("{block}, {in_it} in, {name}")).to_string());
                self.bar.tick();
            }
            Step::Block(state) => self.bar.set_position(state.seconds as u64),
            Step::Left(lane) if self.verbose || lane.failure().is_some() => {
                self.say(&format!("{} {}", lane.name, answer::standing(lane)));
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
