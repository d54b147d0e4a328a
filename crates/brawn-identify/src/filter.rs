//! A quick no to most questions.

/// A set of numbers with false alarms, for a quick no.
pub struct Filter(Vec<u64>);

impl Filter {
    const BITS: u32 = 18;

    /// These.
    pub fn new(numbers: impl Iterator<Item = u64>) -> Filter {
        let mut filter = Filter(vec![0; 1 << (Self::BITS - 6)]);
        for number in numbers {
            let bit = Self::bit(number);
            filter.0[bit >> 6] |= 1 << (bit & 63);
        }
        filter
    }

    fn bit(number: u64) -> usize {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize
    }

    pub fn may_have(&self, number: u64) -> bool {
        let bit = Self::bit(number);
        self.0[bit >> 6] >> (bit & 63) & 1 == 1
    }
}
