/// What can be done with a function's first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    /// Where the jump is written.
    pub at: u64,
    /// How many bytes it takes.
    pub length: usize,
    /// The instructions that it is written over, if they can move.
    pub moved: Option<Moved>,
}

/// Instructions that can stand elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The instructions as they are.
    pub bytes: Vec<u8>,
    /// Fields of 32 bits in them that count from the end of an instruction: where they are, where that ends, what they mean.
    pub relative: Vec<(usize, usize, u64)>,
    /// Where the function goes on behind them.
    pub rest: u64,
}

/// Most bytes of a jump.
pub(crate) const MOST: usize = 12;
