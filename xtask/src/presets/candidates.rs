//! What there is to measure, and what of it was asked for.

use anyhow::{Result, bail, ensure};

const FILE: &str = include_str!("candidates.txt");

/// The first candidates, against which the others are held.
pub const YARDSTICKS: usize = 2;

/// One run: a suite, or its cases whose names hold the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case<'a> {
    pub suite: &'a str,
    pub text: Option<&'a str>,
    /// Fewest blocks at most, for what takes long and hardly differs from block to block.
    pub blocks: Option<usize>,
}

impl Case<'_> {
    /// For messages, and to choose by.
    pub fn name(&self) -> String {
        self.text.map_or_else(|| self.suite.to_owned(), |text| format!("{} {text}", self.suite))
    }
}

/// Cases and candidates, the yardsticks first.
#[derive(Debug)]
pub struct Candidates<'a> {
    pub cases: Vec<Case<'a>>,
    pub variants: Vec<&'a str>,
}

/// Those of the file: all of them, or those of the reduced search; of these, those whose names hold the texts. The
/// yardsticks are always among them.
pub fn chosen(reduced: bool, case: Option<&str>, candidate: Option<&str>) -> Result<Candidates<'static>> {
    let mut all = parse(FILE, reduced)?;
    let wanted = |text: Option<&str>, name: &str| text.is_none_or(|text| name.contains(text));
    all.cases.retain(|one| wanted(case, &one.name()));
    let mut index = 0;
    all.variants.retain(|name| {
        index += 1;
        index <= YARDSTICKS || wanted(candidate, name)
    });
    if all.cases.is_empty() {
        bail!("no case's name holds '{}'", case.unwrap_or_default());
    }
    if all.variants.len() == YARDSTICKS {
        bail!("no candidate's name holds '{}'", candidate.unwrap_or_default());
    }
    Ok(all)
}

fn parse(text: &str, reduced: bool) -> Result<Candidates<'_>> {
    let mut found = Candidates { cases: Vec::new(), variants: Vec::new() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (starred, line) = match line.strip_prefix('*') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, line),
        };
        if reduced && !starred {
            continue;
        }
        match line.strip_prefix("case ") {
            Some(case) => {
                let (case, blocks) = match case.split_once(" blocks=") {
                    Some((case, blocks)) => (case, Some(blocks.parse()?)),
                    None => (case, None),
                };
                let (suite, text) =
                    case.split_once(' ').map_or((case, None), |(suite, text)| (suite, Some(text)));
                found.cases.push(Case { suite, text, blocks });
            }
            None => found.variants.push(line),
        }
    }
    ensure!(!found.cases.is_empty() && found.variants.len() > YARDSTICKS, "no cases, or no candidates");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_cases_and_candidates_once() {
        for reduced in [false, true] {
            let all = chosen(reduced, None, None).unwrap();
            assert_eq!(all.variants[..YARDSTICKS], ["glibc", "stock"]);
            for (index, name) in all.variants.iter().enumerate() {
                assert!(!all.variants[..index].contains(name), "{name} stands there twice");
            }
            for (index, case) in all.cases.iter().enumerate() {
                assert!(!all.cases[..index].contains(case), "{case:?} stands there twice");
            }
        }
        let (all, few) = (chosen(false, None, None).unwrap(), chosen(true, None, None).unwrap());
        assert!(few.cases.len() < all.cases.len() && few.variants.len() < all.variants.len());
        assert!(few.cases.iter().all(|case| all.cases.contains(case)));
        let suites = |all: &Candidates<'_>| {
            let mut suites: Vec<String> = all.cases.iter().map(|case| case.suite.to_owned()).collect();
            suites.dedup();
            suites
        };
        assert!(suites(&few).contains(&"wasmtime".to_owned()), "{few:?}");
    }

    #[test]
    fn a_part_can_be_chosen() {
        let part = chosen(false, Some("threads threads=32"), Some("snmalloc")).unwrap();
        assert_eq!(part.cases, [Case { suite: "threads", text: Some("threads=32"), blocks: None }]);
        assert_eq!(part.variants, ["glibc", "stock", "snmalloc"]);
        assert!(
            chosen(false, Some("nothing"), None).is_err() && chosen(true, None, Some("nothing")).is_err()
        );
        assert!(parse("glibc\nstock\nbrawn\n", false).is_err());
        let few = parse("case footprint churn=10s blocks=1\nglibc\nstock\nbrawn\n", false).unwrap();
        assert_eq!(few.cases, [Case { suite: "footprint", text: Some("churn=10s"), blocks: Some(1) }]);
        assert!(parse("case threads\n* glibc\n* stock\n* brawn\n", true).is_err(), "a case without a star");
        let few = parse("* case threads\n* glibc\n* stock\n* brawn\n  jemalloc\n", true).unwrap();
        assert_eq!(few.variants, ["glibc", "stock", "brawn"]);
        assert!(parse("case footprint churn=10s blocks=few\nglibc\nstock\nbrawn\n", false).is_err());
    }
}
