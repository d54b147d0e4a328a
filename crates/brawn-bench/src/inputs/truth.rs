//! Logic functions as lists of terms, in espresso's format, and as their values.

/// Several functions of the same inputs, each the union of terms.
pub struct Table {
    inputs: usize,
    terms: Vec<Term>,
}

/// Holds for every value whose bits at `fixed` are those of `bits`.
struct Term {
    fixed: u32,
    bits: u32,
    outputs: u64,
}

impl Table {
    /// Reads espresso's format: `.i`, `.o`, and a line for each term.
    pub fn parse(text: &str) -> Result<Table, String> {
        let (mut inputs, mut outputs, mut terms) = (None, None, Vec::new());
        for line in text.lines().map(str::trim) {
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some(".i"), Some(count)) => inputs = count.parse().ok(),
                (Some(".o"), Some(count)) => outputs = count.parse().ok(),
                (Some(word), Some(values)) if word.starts_with(['0', '1', '-']) => {
                    if Some(word.len()) != inputs || Some(values.len()) != outputs {
                        return Err(format!("a term of another size: {line}"));
                    }
                    terms.push(Term::parse(word, values));
                }
                _ => {}
            }
        }
        match (inputs, outputs) {
            (Some(inputs @ 1..=24), Some(1..=64)) => Ok(Table { inputs, terms }),
            _ => Err("this is no table of espresso's".into()),
        }
    }

    /// How many terms it has.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// The outputs, a bit each, for every value of the inputs.
    pub fn values(&self) -> Vec<u64> {
        (0..1u32 << self.inputs)
            .map(|value| {
                let holds = |term: &&Term| value & term.fixed == term.bits;
                self.terms.iter().filter(holds).fold(0, |outputs, term| outputs | term.outputs)
            })
            .collect()
    }
}

impl Term {
    fn parse(inputs: &str, outputs: &str) -> Term {
        let mask = |text: &str, wanted: &[char]| {
            let set = text.chars().enumerate().filter(|(_, letter)| wanted.contains(letter));
            set.fold(0u64, |bits, (place, _)| bits | 1 << place)
        };
        Term {
            fixed: mask(inputs, &['0', '1']) as u32,
            bits: mask(inputs, &['1']) as u32,
            outputs: mask(outputs, &['1']),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_union_of_the_terms() {
        // The first letter is the lowest bit: and, or of two inputs.
        let table = Table::parse(".i 2\n.o 2\n.p 3\n11 10\n1- 01\n-1 01\n.e\n").unwrap();
        assert_eq!(table.values(), [0b00, 0b10, 0b10, 0b11]);
        let same = Table::parse(".i 2\n.o 2\n11 11\n10 01\n01 01\n.e\n").unwrap();
        assert_eq!(same.values(), table.values());
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Table::parse("").is_err());
        assert!(Table::parse(".i 2\n.o 1\n111 1\n").is_err());
        assert!(Table::parse(".i 99\n.o 1\n").is_err());
    }
}
