//! What is compared.

/// The variants, the baseline first, Brawn's default third.
pub const VARIANTS: [&str; 5] = [GLIBC, STOCK, DEFAULT, "small", "fast"];
pub const GLIBC: &str = "glibc";
pub const STOCK: &str = "stock";
pub const DEFAULT: &str = "balanced";
