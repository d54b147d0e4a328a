//! Fuzzers for everything in Brawn that reads bytes from outside.
//!
//! A [`Target`] is one parser with its seeds: small real files, made when they are needed. `cargo test -p brawn-fuzz` tries a
//! few thousand mutations of each; `make fuzz` has LLVM's libFuzzer look for inputs that reach new code
//! (`src/bin/brawn-fuzz.rs`). Both hold every execution to the same [`Limits`](limits): no panic, at most
//! [`LONGEST`](limits::LONGEST) of processor time, at most [`MOST_MEMORY`](limits::MOST_MEMORY).

pub mod limits;
pub mod mutate;
mod scratch;
mod targets;

pub use targets::TARGETS;

/// Longer inputs than this find nothing that shorter ones do not, and take longer. In bytes.
pub const LONGEST_INPUT: usize = 8 << 10;

/// A parser of bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name for `make fuzz`.
    pub name: &'static str,
    /// Small inputs that it accepts, from which mutations start.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input in every way that Brawn does. What it refuses is as good as what it accepts.
    pub read: fn(&[u8]),
}

/// True for one in `of` inputs, the same ones each time: for what takes much longer than the parser itself.
pub(crate) fn rarely(input: &[u8], of: u64) -> bool {
    // FNV-1a, upper half.
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32).is_multiple_of(of)
}

impl Target {
    /// The target with this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Reads an input under the [`limits`].
    ///
    /// # Panics
    /// If reading does, or takes too long. Too much memory ends the process.
    pub fn run(&self, input: &[u8]) {
        limits::hold(self.name, || (self.read)(input));
    }
}
