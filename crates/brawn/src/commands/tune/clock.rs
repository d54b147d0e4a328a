//! The time that a run may take, and what is left of it when the search is over.

use std::time::{Duration, Instant};

use brawn_measure::format::seconds;

/// A program that is looked at while it runs takes about so many times as long.
const WATCHED: f64 = 2.0;
/// What takes less than this part of the budget is done all the same, and what has taken more is told.
const MARGIN: f64 = 0.05;
/// Seconds that each of the four runs that explain the answer has at least.
const LEAST: f64 = 0.5;

/// The budget, and what has been spent of it.
pub struct Clock {
    begun: Instant,
    /// Seconds that were spent before this process.
    before: f64,
    /// Seconds.
    budget: f64,
    /// Seconds that one run of every workload takes.
    pub run: f64,
}

impl Clock {
    /// A clock that begins now, after so many seconds of an interrupted run.
    pub fn new(budget: Duration, before: f64) -> Clock {
        Clock { begun: Instant::now(), before, budget: budget.as_secs_f64(), run: 0.0 }
    }

    /// How long one more run that explains the answer may take; nothing if it would not keep the budget. A program that is
    /// looked at may take a hundred times as long, by its system calls or its blocks: it is ended then.
    pub fn time_for_a_run(&self) -> Option<Duration> {
        let spent = self.spent();
        fits(spent, self.run * WATCHED, self.budget)
            .then(|| Duration::from_secs_f64((self.budget - spent).max(LEAST)))
    }

    /// Whether nothing is left of the budget.
    pub fn is_spent(&self) -> bool {
        self.spent() >= self.budget
    }

    /// Why it took longer than it should, if it did.
    pub fn overrun(&self) -> Option<String> {
        overrun(self.spent(), self.run, self.budget)
    }

    fn spent(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }
}

fn fits(spent: f64, takes: f64, budget: f64) -> bool {
    takes <= budget * MARGIN || spent + takes <= budget
}

fn overrun(spent: f64, run: f64, budget: f64) -> Option<String> {
    let why = match run > budget {
        true => "one run alone takes longer",
        false => "fewer runs give no answer",
    };
    (spent > budget * (1.0 + MARGIN)).then(|| {
        format!(
            "this took {} and not the {} of the budget: {why} (a run takes {})",
            seconds(spent),
            seconds(budget),
            seconds(run)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_explains_the_answer_keeps_the_budget_unless_it_takes_no_time() {
        assert!(fits(40.0, 4.0, 45.0) && !fits(44.0, 4.0, 45.0));
        assert!(fits(60.0, 0.01, 45.0));
    }

    #[test]
    fn a_run_that_explains_the_answer_is_ended_with_the_budget() {
        let at = |before: f64, run: f64| Clock { run, ..Clock::new(Duration::from_secs(45), before) };
        let limit = at(40.0, 1.0).time_for_a_run().unwrap();
        assert!(limit > Duration::from_secs(4) && limit <= Duration::from_secs(5), "{limit:?}");
        assert!(at(44.0, 4.0).time_for_a_run().is_none());
        let small = at(60.0, 0.01);
        assert!(small.time_for_a_run().unwrap() < Duration::from_secs(1) && small.is_spent());
    }

    #[test]
    fn an_overrun_is_told_with_its_reason() {
        assert_eq!(overrun(47.0, 1.0, 45.0), None);
        assert!(overrun(60.0, 2.0, 45.0).unwrap().contains("fewer runs give no answer"));
        assert!(overrun(600.0, 50.0, 45.0).unwrap().contains("one run alone takes longer"));
    }
}
